"""Numbers that name a thing, in one form: "Art. 5 para. 2" and "paragraph 2 of Article 5" are
"Article 5(2)", "AB1234" is "AB-1234", and the numbers of cards and accounts have no blanks. What
does not live here: telephone numbers (`notation.py`) and Roman numerals.
"""

from __future__ import annotations

import re

from faithkit.language import lexicon
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.words import plain_letters

# Parts of laws

_LAWS = {"art": "Article", "arts": "Articles", "sec": "Section", "reg": "Regulation"}
_LAW = r"(?P<law>(?:[Aa]rts?|[Ss]ec|[Rr]eg)\.|[Aa]rticles?|[Ss]ections?|[Rr]egulations?|[Rr]ules?)"
_NUMBER = r"\d{1,3}[A-Za-z]?"
_NOT_GOING_ON = r"(?![.,]\d|(?:\([a-z\d]+\))*[ ](?:and|or|to|of)[ ](?:\(|\d|(?i:art|sec|reg|rule)))"
_PART = (
    r"(?:,? (?:(?:para(?:graph)?\b\.?|subsection|subs\.|sub-?paragraph) ?\(?\d{1,2}\b\)?+"
    r"|(?:lit\.|letter|sub-?paragraph|point|para(?:graph)?\b\.?) ?\([a-h]\)"
    r"|lit\. ?[a-h]\b|(?:letter|point) [b-h]\b)"
    rf"{_NOT_GOING_ON})"
)
_IN_PARTS = re.compile(
    rf"(?<![\w.])(?P<before>{_LAW} {_NUMBER}(?:\((?:\d{{1,2}}|[a-h])\))*)(?P<parts>{_PART}{{1,3}})"
)
_OF_LAW = re.compile(
    r"(?<![\w.])(?P<part>[Pp]ara(?:graph\b|s?\.)|[Ss]ubsection|[Ss]ubparagraph) "
    rf"(?P<first>(?:\d{{1,2}}|\(\d{{1,2}}\)|\([a-h]\))(?:\((?:\d{{1,2}}|[a-h])\))*)(?P<of> of )"
    rf"(?P<law_and_number>{_LAW} {_NUMBER})(?![\w(]|[.,]\d)"
)
_SHORT_LAW = re.compile(r"\b(?P<law>Arts?|Sec|Reg)\. ?(?=\d{1,3}\b)")
_VALUE = re.compile(r"(?:\d{1,2}|[a-h])(?=\)?$)")
_EACH_PART = re.compile(_PART)


def _in_parts(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Article 6 para. 1 lit. b" as "Article 6(1)(b)", "section 3 subsection 7" as "section
    3(7)"."""
    parts = [
        Piece(f"({value.group()})", *part.span())
        for part in _EACH_PART.finditer(match.string, *match.span("parts"))
        if (value := _VALUE.search(part.group()))
    ]
    return (keep_group(match, "before"), *parts)


def _of_law(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "paragraph 2 of Article 5" as "Article 5(2)"."""
    first = match["first"]
    inside = first if first.startswith("(") else re.sub(r"^\d+", r"(\g<0>)", first)
    return keep_group(match, "law_and_number"), Piece(inside, match.start(), match.end("of"))


def _short_law(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Art. 5" as "Article 5"."""
    return replace_match(match, f"{_LAWS[plain_letters(match['law'])]} ")


# Codes and long numbers

_CODE = re.compile(
    r"(?<![\w./#@&$£€¥-])(?P<letters>[A-Z]{2,5})(?P<digits>\d{4,9})(?![\w/@-]|[.,]\d)"
)
_NO_CODES = frozenset(["FY", "CY", "HY", "AY", "MY", "SY", "RM", "RS", "BC", "AD"])
"""Letters before years and amounts."""
_GROUPED = re.compile(
    r"(?<![\w.,/-])(?:(?P<card>\d{4}(?: \d{4}){3}|\d{4}(?:-\d{4}){3})"
    r"|(?P<iban>[A-Z]{2}\d\d(?: [A-Z\d]{4}){3,7}(?: [A-Z\d]{1,3})?))(?![\w-]|[.,]\d| \d)"
)
_CARD = re.compile(r"\b(?:cards?|visa|mastercard|amex|debit|credit)\b", re.IGNORECASE)
_LABELLED = re.compile(
    r"(?P<label>\b(?:card|account|acct|acc|a/c|utr|nhs|vat|passport|imei|reference|ref)\.?"
    r"(?: (?:number|no\.?|is|reg\.?|id))?:? )"
    r"(?P<digits>\d{2,6}(?: \d{2,6}){1,5})(?![\w/:%-]|[.,]\d| \d)",
    re.IGNORECASE,
)
_SORT_CODE = re.compile(
    r"(?P<label>\bsort code(?: is| of)?:? )(?P<digits>\d\d(?:-\d\d-|  ?\d\d )\d\d)(?![\w-])",
    re.IGNORECASE,
)
_GROUP = re.compile(r"[A-Z\d]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_DIGITS = 8


def _code(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "AB1234" as "AB-1234"; nothing of "FY2024" and "USD5000"."""
    letters = match["letters"]
    if letters in _NO_CODES or letters.lower() in lexicon.CURRENCY_CODES:
        return ()
    return keep_group(match, "letters"), Piece(f"-{match['digits']}", *match.span("digits"))


def _grouped(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "card 4929 1234 5678 9012" and "DE89 3704 0044 0532 0130 00" without blanks."""
    if match["card"] and not _CARD.search(match.string):
        return ()
    return _joined(match, 0)


def _labelled(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "account 1234 5678" as "account 12345678"; nothing of "ref. 2019 2020"."""
    groups = match["digits"].split()
    if sum(map(len, groups)) < _LEAST_DIGITS or all(map(_YEAR.fullmatch, groups)):
        return ()
    return keep_group(match, "label"), *_joined(match, "digits")


def _sort_code(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "sort code 20-45-77" as "sort code 204577"."""
    return keep_group(match, "label"), *_joined(match, "digits")


def _joined(match: re.Match[str], name: str | int) -> tuple[Piece, ...]:
    groups = _GROUP.finditer(match.string, *match.span(name))
    return tuple(Piece(group.group(), *group.span()) for group in groups)


REFERENCES = (
    Rule(_IN_PARTS, _in_parts, re.compile(r"\d\)?,? (?:para|sub|lit|letter|point)")),
    Rule(_OF_LAW, _of_law, re.compile(r"(?:para|sub)[^;]{1,30} of ")),
    Rule(_SHORT_LAW, _short_law, re.compile(r"(?:arts?|sec|reg)\. ?\d")),
    Rule(_CODE, _code, re.compile(r"[a-z]{2}\d{4}")),
    Rule(_GROUPED, _grouped, re.compile(r"\d\d[ -][\da-z]{4}[ -][\da-z]{4}")),
    Rule(_LABELLED, _labelled, re.compile(r"[a-z.:] \d{2,6} \d\d")),
    Rule(_SORT_CODE, _sort_code, re.compile("sort code")),
)
"""Rules for texts with digits; before all others, which read plain numbers."""
