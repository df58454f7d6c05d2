"""Terms and codes that a text has defined for a party or a person, by the name: after "Ben Drew
("the Tenant")", "Tenant: Ben Drew", "Joanne Pell (V1)" or "V1 = Joanne Pell" the sentence "The
Tenant pays" is "Ben Drew pays", and "V1 left" is "Joanne Pell left". Only terms for parties are
read so: "the Premises" are no name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from faithkit.language.lexicon import STOP_WORDS
from faithkit.language.mapped import Mapped, Piece, replace_pieces

MOST_WORDS = 6
"""Words of a name."""

LEAST_TURNS = 3
"""Lines that begin with a role from which it speaks in a dialogue: "Manager: Good Morning"."""

LONGEST = 160
"""Characters before a term in brackets in which its name is looked for."""

_ROLE = (
    "(?:Accused|Advertiser|Agent|Appellant|Applicant|Architect|Assignee|Assignor|Authority"
    "|Bank|Beneficiary|Borrower|Broker|Builder|Buyer|Carrier|Charity|Claimant|Client|Club|Company"
    "|Complainant|Consultant|Contractor|Council|Creditor|Customer|Debtor|Defendant|Developer"
    "|Distributor|Donor|Employee|Employer|Executive|Executor|Firm|Franchisee|Franchisor|Grantee"
    "|Grantor|Guarantor|Hirer|Insured|Insurer|Investor|Issuer|Landlord|Lender|Lessee|Lessor"
    "|Licensee|Licensor|Manager|Manufacturer|Mortgagee|Mortgagor|Operator|Owner|Parent|Partnership"
    "|Payee|Payer|Petitioner|Plaintiff|Policyholder|Principal|Processor|Controller|Provider"
    "|Publisher|Purchaser|Recipient|Respondent|Retailer|School|Seller|Settlor|Shareholder|Sponsor"
    "|Subcontractor|Sublessee|Subtenant|Supplier|Surety|Tenant|Transferee|Transferor|Trust"
    "|Trustee|University|Vendor|Victim|Witness)"
)
_TERM = rf"(?P<term>(?:[A-Z][a-z]+ ){{0,2}}{_ROLE})"
_HEREINAFTER = r"here(?:in)?after,? (?:(?:referred to|known|called|described) (?:as )?|called )?"
_DEFINED = re.compile(
    rf" (?:\((?:{_HEREINAFTER})?|(?<=, ){_HEREINAFTER})"
    rf"(?P<the>the )?(?P<quote>[\"']?)(?P<inside>the )?{_TERM}(?P=quote)(?=[),.;])"
)
_CODE = r"(?:[VWSDCA]|IP|AP|OP)\d{1,2}"
_CODED = re.compile(rf" \((?P<term>{_CODE})\)")
_PART = r"(?:[A-Z]\.|[A-Z][\w'&-]*)"
_FULL_NAME = rf"{_PART}(?: (?:&|{_PART})){{1,5}}(?: plc|(?<=Inc)\.|(?<=Ltd)\.)?"
_LINE = re.compile(rf"^(?:The )?{_TERM}: (?P<name>{_FULL_NAME})$", re.MULTILINE)
_LABEL = re.compile(rf"^(?:The )?((?:[A-Z][a-z]+ ){{0,2}}{_ROLE}):", re.MULTILINE)
_EQUAL = re.compile(
    r"(?<![\w=])(?P<term>[A-Z]{1,3}\d{1,2}|[A-Z]{2,3}) = "
    r"(?P<name>[A-Z][a-z'-]+(?: [A-Z][\w'-]*){1,3})(?=[;,.\n)]|$)"
)
_STARTERS = STOP_WORDS - {"may", "will"}
_APPOSITION = re.compile(r",? (?:a|an) [^,.;:()\"]{1,60}$")
_OF_PLACE = re.compile(r" of [A-Z]")
_FORMS = frozenset({"plc", "llp", "llc", "ag", "bv", "nv", "sa", "uk", "usa"})
"""Forms of a company, of which some write "plc" without a capital."""
_OF = frozenset({"Bank", "Borough", "City", "County", "Department", "Ministry", "University"})
"""After which "of" is within a name."""
_UNCLEAR = frozenset({"of", "in", "at", "near", "and", "&"})
"""Words before a name that leave open what is defined: "the board of Vega plc (the "Company")"."""
_IS = frozenset({"is", "was", "are", "were", "be", "being", "become", "becomes", "became", "as",
                 "called", "named"})  # fmt: skip
_ANY = frozenset({"a", "an", "any", "each", "every", "no", "this", "that", "such", "other",
                  "former", "another"})  # fmt: skip
"""Words before a term that does not stand for its name: "Ben Drew is the Tenant", "any Tenant"."""
_LAST_WORD = re.compile(r"(?P<word>\S+) $")
_BESIDE = re.compile(r"['’]s [A-Z]| (?:is|was|are) [A-Z]|,? [A-Z]| ?[(\"=]|-|\.\d|/")
"""What follows a term that is part of another or stands beside its name."""
_POSSESSIVE = re.compile(r"['’]s? [a-z]")


class _Definition(NamedTuple):
    """A term, the name that it stands for, and where in a text that has been said.

    bare  whether it may stand without "the", as a code and "Seller" in some contracts
    """

    term: str
    name: str
    end: int
    bare: bool


def with_names_of_terms(text: Mapped) -> Mapped:
    """The text of a source with the name in place of each term that it has defined before."""
    definitions = _definitions(text.text)
    return replace_pieces(text, list(_names(text.text, definitions))) if definitions else text


def with_names_of(text: Mapped, source: str) -> Mapped:
    """The text of a summary with the names of the terms that its source has defined once, in small
    letters too where the source has the words with a capital alone: "the tenant pays"."""
    definitions = _definitions(source)
    names: dict[str, set[str]] = {}
    for term, name, _, _ in definitions:
        names.setdefault(term, set()).add(name)
    clear = {
        definition.term: definition._replace(end=0)
        for definition in definitions
        if len(names[definition.term]) == 1
    }
    for term, definition in list(clear.items()):
        small = term.lower()
        if term[-1].isalpha() and not re.search(rf"\b{re.escape(small)}\b", source):
            clear[small] = definition._replace(term=small, bare=False)
    return replace_pieces(text, list(_names(text.text, clear.values()))) if clear else text


def _names(text: str, definitions: Iterable[_Definition]) -> Iterator[Piece]:
    """The names for the terms in a text that is below their definitions."""
    by_term: dict[str, list[_Definition]] = {}
    for definition in definitions:
        by_term.setdefault(definition.term, []).append(definition)
    terms = "|".join(sorted(map(re.escape, by_term), key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w\"'(/-])(?P<the>[Tt]he )?(?P<term>{terms})\b", text):
        defined = by_term[match["term"]]
        place = bisect_right(defined, match.start(), key=lambda definition: definition.end)
        if place and _stands_alone(text, match, bare=defined[place - 1].bare):
            yield Piece(defined[place - 1].name, *match.span())


def _stands_alone(text: str, match: re.Match[str], *, bare: bool) -> bool:
    """Whether a term stands for its name in a sentence."""
    start, end = match.span()
    if not match["the"] and not bare:
        return False
    is_possessive = _POSSESSIVE.match(text, end) is not None
    if _BESIDE.match(text, end) and not is_possessive:
        return False
    before = _LAST_WORD.search(text, max(0, start - 30), start)
    word = before["word"] if before else ""
    if word.lower() in _ANY or (word.lower() in _IS and not is_possessive):
        return False
    if word[-1:] in ",(" and text[end : end + 1] in (",", ")"):
        return False
    return bool(match["the"]) or not (word[:1].isupper() and word[-1:].isalpha())


# --- definitions ----------------------------------------------------------------------------------


def _definitions(text: str) -> list[_Definition]:
    """What a text defines, in its order."""
    definitions: list[_Definition] = []
    for match in _DEFINED.finditer(text):
        bare = bool(match["quote"]) and not (match["the"] or match["inside"])
        definitions += _defined(text, match, bare=bare, least=1)
    for match in _CODED.finditer(text):
        definitions += _defined(text, match, bare=True, least=2)
    lines = list(_LINE.finditer(text))
    counts = Counter(_LABEL.findall(text) if lines else ())
    for match in lines:
        if counts[match["term"]] < LEAST_TURNS:
            name = _written(match["name"])
            definitions.append(_Definition(match["term"], name, match.end(), bare=False))
    for match in _EQUAL.finditer(text) if " = " in text else ():
        definitions.append(_Definition(match["term"], match["name"], match.end(), bare=True))
    return sorted(definitions, key=lambda definition: definition.end)


def _defined(text: str, match: re.Match[str], *, bare: bool, least: int) -> Iterator[_Definition]:
    """The definition by a term behind a name of at least so many words; none where the term is part
    of the name, since "the Bank" says itself that it is "Kestrel Bank"."""
    before = text[max(0, match.start() - LONGEST) : match.start()]
    name = _name_before(before.rsplit("\n", 1)[-1].rstrip(","))
    words = name.split()
    of_name = {word.strip(".,").lower() for word in words}
    if len(words) >= least and match["term"].split()[-1].lower() not in of_name:
        yield _Definition(match["term"], _written(name), match.end(), bare)


def _name_before(text: str) -> str:
    """The name that a text ends with, before a description too ("Vega Inc., a Delaware company");
    "" where it is not clear."""
    described = _APPOSITION.search(text)
    if described and not text[-1:].isupper() and not text.split()[-1][0].isupper():
        if _OF_PLACE.search(described.group()):
            return ""
        text = text[: described.start()]
    before = text.split(" ")
    name: list[str] = []
    while before and len(name) <= MOST_WORDS and _is_of_name(before, name):
        name.insert(0, before.pop())
    while name and name[0].lower() in _STARTERS:
        before.append(name.pop(0))
    last = before[-1] if before else ""
    is_list = last.lower() in ("and", "or") and before[-2:-1] and before[-2][-1:] in "),;"
    unclear = last in _UNCLEAR and not is_list
    is_address = last[-1:] == "," and last[:1].isupper()
    if not name or unclear or is_address or last.isdigit() or len(name) > MOST_WORDS:
        return ""
    return " ".join(name)


def _is_of_name(before: Sequence[str], name: Sequence[str]) -> bool:
    """Whether the last of the words before those of a name is one of it too."""
    word = before[-1]
    if not word:
        return False
    if name and word[-1] in ',;:)"':
        return word[-1] == "," and name[0].rstrip(".").lower() in ("inc", "llc", "ltd", "limited")
    if word == "of":
        return bool(name) and len(before) > 1 and before[-2] in _OF
    if word == "&":
        return bool(name)
    return word[0].isupper() or (not name and word.lower() in _FORMS)


def _written(name: str) -> str:
    """A name in capitals as prose has it: "KESTREL CAPITAL LLP" as "Kestrel Capital LLP"; without
    the point of "Ltd.", after which a sentence might seem to end."""
    name = name.rstrip(".")
    if not name.isupper() or " " not in name:
        return name
    return " ".join(
        word if word.strip(".,").lower() in _FORMS else word.capitalize() for word in name.split()
    )
