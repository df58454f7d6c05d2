"""Numbers in other notations than "1,234.5": ".5", "1'200'000", "1.299,50 €", telephone
numbers and "10⁻⁵". What does not live here: Roman numerals (`roman.py`), number words and fractions
(`numerals.py`), amounts (`amounts.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from faithkit.language import lexicon
from faithkit.language.mapped import Mapped, Piece, Rule, keep_group, replace_match, replace_pieces
from faithkit.language.notations import measures

# Points and groups

_LEADING_POINT = re.compile(r"\.(?<![^\s(\[<>=~≈≤≥±+$£€¥₹-]\.)(?=\d)")
_GROUPED = re.compile(
    r"(?:(?<![\w.,'])|(?<=\bCHF)|(?<=\bRs\.))"
    r"(?:(?<=₹)\d{1,2}(?:,\d\d)*,\d{3}|\d{1,2}(?:,\d\d)+,\d{3}|[1-9]\d{0,2}(?:'\d{3})+)"
    r"(?![\w']|[,.]\d{3}\b)"
)
# Blanks group thousands where the groups are zeros, after a currency's sign, or before what has no
# other number: "2 500 mg" may be two of 500.
_COUNTED = rf"{'|'.join(lexicon.COUNTED_NOUNS)}|EUR|PLN|SEK|NOK|DKK|kr|kJ|kN"
AFTER_LABEL = re.compile(
    r"\b(?:[A-Z]\w*|day|week|year|group|number|nos?\.|age|aged|at|by|on|in|since|until|till|before|"
    rf"after|{'|'.join([*lexicon.LETTERED, *measures.CLAUSES, *measures.LABELS])}) $"
)
_IN_BLANKS = re.compile(
    r"(?:(?<![\w.,/:-])(?<!\d )[1-9]\d{0,2}(?: 000)+|(?<=[$£€¥₹])[1-9]\d{0,2}(?: \d{3}){2,}"
    r"|(?:(?<=€)|(?<=€ ))[1-9]\d{0,2} \d{3}(?=$|[.,;)])"
    rf"|(?<![\w.,/:-])(?<!\d )[1-9]\d{{0,2}}(?: \d{{3}})+(?= ?€| (?:{_COUNTED})\b))"
    r"(?![\w-]|[.,/:]\d| \d)"
)
_PART = re.compile(r"\d+")


def _with_zero(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, "0.")


def _in_blanks(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5 000 000" and "2 750 tonnes" without the blanks; "July 5 300 people" has two numbers."""
    start = match.start()
    if "000" not in match.group() and AFTER_LABEL.search(match.string, max(0, start - 20), start):
        return ()
    return _one_number(match)


def _one_number(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5,00,000" and "1'200'000" without what separates their groups."""
    spans = [part.span() for part in _PART.finditer(match.string, match.start(), match.end())]
    return tuple(Piece(match.string[start:end], start, end) for start, end in spans)


# Amounts of money of the continent

_CONTINENTAL_MONEY = "€|EUR|euros?|kr|SEK|NOK|DKK|ISK|CHF|PLN|zł"
_CONTINENTAL = re.compile(
    rf"(?:(?P<before>€|(?<!\w)(?:{_CONTINENTAL_MONEY})) ?)?(?<![\w.,])(?P<number>[1-9]\d{{0,2}}"
    r"(?:\.\d{3})++|\d++)(?P<cents>,\d\d|[,.][-–]+)?(?![\d\w]|[.,]\d)"
    rf"(?P<after> ?(?:{_CONTINENTAL_MONEY})(?!\w))?"
    r"(?P<scale> (?:thousand|million|billion|trillion|[mb]n|mio|mrd)\b| ?[kmb]\b)?"
)
_ENGLISH = re.compile(r"\d,\d{3}(?!\d)|(?:€|EUR) ?\d+\.\d\d?(?!\d)")
_OF_THREE_DECIMALS = re.compile(
    r"\b(?:lit(?:re|er)s?|gallons?|petrol|diesel|fuel|gas|kwh|mwh|electricity|per share|shares?|"
    r"exchange|currency|pounds?|sterling|dollars?|yen|franc)\b|[$£¥]|/l\b"
)


def _continental(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1.299,00 €" as "1299.00 €", "349.000 €" as "349000 €", "EUR 12,50" as "EUR 12.50". One
    group of three alone may be decimals: of a price of fuel or money, in a text that writes
    "€1,200", and before a scale."""
    number, cents = match["number"], match["cents"] or ""
    groups, text = number.count("."), match.string
    money = match["before"] or match["after"]
    if not (cents or groups) or match["scale"] or not (money or (groups and cents[1:].isdigit())):
        return ()
    if groups == 1 and not cents and _has_decimals(text):
        return ()
    start, end = match.span("number")
    done = match.start("before") if match["before"] else start
    pieces = [Piece(text[done:start], done, start)]
    pieces += [
        Piece(text[a:b], a, b) for a, b in (m.span() for m in _PART.finditer(text, start, end))
    ]
    if cents:
        first, last = match.span("cents")
        pieces.append(Piece(f".{cents[1:]}" if cents[1:].isdigit() else "", first, last))
    return (*pieces, keep_group(match, "after")) if match["after"] else tuple(pieces)


@lru_cache(maxsize=16)
def _has_decimals(text: str) -> bool:
    """Whether a text has prices of three decimals, or points before cents."""
    return bool(_ENGLISH.search(text) or _OF_THREE_DECIMALS.search(text.lower()))


_ESCAPED = re.compile(r"(?<=\d)\\(?=%)")


def _escaped(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "50\\%" as "50%"."""
    return replace_match(match, "")


# Telephone numbers

_TELEPHONE = re.compile(
    r"(?<![\w.,/:-])(?:(?P<country>\+44 ?(?:\(0\) ?)?)|(?P<bracket>\()?(?=0))"
    r"(?P<number>\d{2,5}\)?(?:[ -]\d{3,8}){1,3})(?![\w/:-]|[.,]\d| \d)"
)


def _telephone(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "01632 960 001", "(01632) 960001" and "+44 1632 960001" as "01632960001": ten or eleven
    digits with a zero first, as British numbers have it."""
    spans = [m.span() for m in _PART.finditer(match.string, *match.span("number"))]
    digits = sum(end - start for start, end in spans) + (1 if match["country"] else 0)
    if not 10 <= digits <= 11 or (match["bracket"] is None and ")" in match["number"]):
        return ()
    pieces = [Piece(match.string[start:end], start, end) for start, end in spans]
    return (Piece("0", *match.span("country")), *pieces) if match["country"] else tuple(pieces)


# Numbers that are read out digit by digit

_SPELT = re.compile(
    r"\b(?P<before>(?:account|code|is|number|order|phone|pin|policy|ref|reference)[:,]? )"
    r"(?P<digits>\d(?: \d)+(?:, \d(?: \d)+)*)(?![\w:/%-]|[.,]\d|,? \d)",
    re.IGNORECASE,
)
_ONE_DIGIT = re.compile(r"\d")
_LEAST_SPELT = 5


def _spelt(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "It is 5 5 1 0, 8 8 2" as "It is 5510882"; nothing of "1 2 3 4 5"."""
    digits = list(_ONE_DIGIT.finditer(match.string, *match.span("digits")))
    number = "".join(digit.group() for digit in digits)
    if len(number) < _LEAST_SPELT or number in "0123456789 9876543210":
        return ()
    return (keep_group(match, "before"), *(Piece(digit.group(), *digit.span()) for digit in digits))


# Powers of ten

_RAISED = {letter: str(digit) for digit, letter in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_RAISED_DIGIT = f"[{''.join(_RAISED)}]"
_NUMBER = r"\d{1,3}(?:,\d{3})++(?:\.\d++)?|\d++(?:\.\d++)?+"
_TEN_TIMES = rf"(?P<factor>{_NUMBER})(?P<times> ?[x×*·] ?)"
_OF_COUNTS = (
    r"/ ?(?:[uµμmd]?l|mm3|mm³|kg)\b"
    r"| (?:viable |live )?(?:cells|cfus?|copies|colony|pfus?|particles|platelets|spores)\b"
)
_POWER = re.compile(
    rf"(?:(?<![\w.,]){_TEN_TIMES}|(?<![\w.,^]))(?P<ten>10)"
    rf"(?:(?P<raised_sign>[⁻⁺]?)(?P<raised>{_RAISED_DIGIT}{{1,2}})"
    r"|(?P<sign>\^ ?(?P<open>[({])?[–−+-]?)(?P<power>\d{1,2})(?(open)[)}])"
    r"|\((?P<bracketed>\d{1,2})\)(?=/(?:[uµμm]?l|mm3|kg)\b|(?(times)|(?!)))"
    rf"|(?(times)(?P<lost>[3-9]|1[0-4])(?={_OF_COUNTS})|(?!))"
    r"|(?P<minus>[–−-])(?P<lowered>\d{1,2})(?![–-]|[.,]\d))(?!\w)",
    re.IGNORECASE,
)
# A superscript may be lost: "1.2 × 10-5", "p < 10-5", "P = 5 × 10-8", with a minus sign "5 × 10−4",
# and before what is counted "150 × 109/L". Others are ranges and numbers.
_BEFORE_LOWERED = re.compile(r"\bp ?[<>=≤≥] ?$", re.IGNORECASE)
_EXPONENT = re.compile(
    r"(?<![\w.,-])(?P<number>\d(?:\.\d+)?)"
    rf"(?P<sign>[eE][–−+-]0?|e|(?<=\.\d)E|(?<=\.\d\d)E|E(?=\d{{1,2}}(?: per\b|{_OF_COUNTS})))"
    r"(?P<power>\d{1,2})(?!\w)"
)


def _power(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "4 x 10^9", "4 × 10⁹" and "4x10(9)" as "4 times 10 to the power of 9", of which each word
    after "times" is all of the power."""
    before = match.string[max(0, match.start() - 12) : match.start()]
    if match["lowered"] and not (
        "." in (match["factor"] or "")
        or ("×" in (match["times"] or "") and match["minus"] == "−")
        or _BEFORE_LOWERED.search(before)
    ):
        return ()
    if (
        match["raised"]
        and not (match["times"] or match["raised_sign"])
        and match["raised"] in "¹²³"
    ):
        return ()  # it may be a footnote's mark
    names = ("raised", "power", "bracketed", "lost", "lowered")
    name = next(name for name in names if match[name])
    digits = "".join(_RAISED.get(digit, digit) for digit in match[name])
    sign = match["raised_sign"] or match["sign"] or match["minus"] or ""
    exponent = -int(digits) if sign[-1:] in tuple("-–−⁻") else int(digits)
    times = (keep_group(match, "factor"), Piece(" times ", *match.span("times")))
    ten = Piece(f"10{_to_the_power(exponent)}", match.start("ten"), match.end())
    return (*times, ten) if match["factor"] else (ten,)


def _to_the_power(exponent: int) -> str:
    return f" to the power of {'minus ' if exponent < 0 else ''}{abs(exponent)}"


def _exponent(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1.2E-05" as "1.2 times 10 to the power of minus 5"."""
    is_below = match["sign"][1:2] in tuple("-–−")
    exponent = -int(match["power"]) if is_below else int(match["power"])
    return replace_match(match, f"{match['number']} times 10{_to_the_power(exponent)}")


# Powers of ten as the source writes them

_VALUE = re.compile(
    rf"(?<![\w.,^$£€⁻–−-])(?<![x×*·])(?<![x×*·] )(?:(?:{_TEN_TIMES})?10"
    rf"(?:\^ ?[({{]?(?P<power>[–−+-]?\d{{1,2}})[)}}]?|(?P<raised>[⁻⁺]?{_RAISED_DIGIT}{{1,2}}))"
    r"|(?P<number>\d(?:\.\d{1,9})?)[eE](?P<exponent>[–−+-]?\d{1,2})"
    rf"|(?P<plain>{_NUMBER})(?P<scale> (?:thousand|million|billion|trillion))?)"
    r"(?![\w%^⁻]|[.,/]\d| ?[x×*·] ?\d)"
)
_HAS_POWER = re.compile(rf"10(?:\^|⁻|{_RAISED_DIGIT})|\d[eE][–−+-]?\d")


def in_powers_of(text: Mapped, source: str) -> Mapped:
    """A summary with its numbers as the source writes the same ones: "100,000" as "10^5" and "3e-4"
    as "0.0003" where it has that."""
    if not (_HAS_POWER.search(text.text) or _HAS_POWER.search(source)):
        return text
    written = _written(source)
    pieces = []
    for value, is_power, match in _values(text.text):
        forms = written.get(value, {})
        if forms and is_power not in forms:
            pieces.append(Piece(forms[not is_power], *match.span()))
    return replace_pieces(text, pieces)


@lru_cache(maxsize=16)
def _written(source: str) -> dict[Decimal, dict[bool, str]]:
    """Of each number in a source how it is first written as a power of ten and how else."""
    written: dict[Decimal, dict[bool, str]] = {}
    for value, is_power, match in _values(source):
        written.setdefault(value, {}).setdefault(is_power, match.group())
    return written


def _values(text: str) -> Iterator[tuple[Decimal, bool, re.Match[str]]]:
    """Numbers with their values and whether they are powers of ten."""
    for match in _VALUE.finditer(text):
        raised = match["raised"] or ""
        if raised in tuple("¹²³") and not match["factor"]:
            continue  # it may be a footnote's mark
        digits = "".join(_RAISED.get(digit, digit) for digit in raised)
        power = match["power"] or match["exponent"] or digits
        if power:
            exponent = int(re.sub("[–−⁻]", "-", power).replace("⁺", "+"))
            factor = match["factor"] or match["number"] or "1"
            yield Decimal(factor.replace(",", "")).scaleb(exponent), True, match
        elif len(match["plain"]) < _LONGEST:
            scale = lexicon.SCALES[match["scale"][1:]] if match["scale"] else 1
            yield Decimal(match["plain"].replace(",", "")) * scale, False, match


_LONGEST = 20
"""Of numbers that are compared, in characters."""


NOTATION = (
    Rule(_ESCAPED, _escaped, re.compile(r"\\%")),
    Rule(_CONTINENTAL, _continental, re.compile(r"\d,[\d–-]|\d\.(?:\d{3}|[–-])")),
    Rule(_SPELT, _spelt, re.compile(r"\d \d,? \d(?!\d)")),
    Rule(_TELEPHONE, _telephone, re.compile(r"(?:\(?0\d+\)?|\+44.*\d)[ -]\d{3}")),
    Rule(_LEADING_POINT, _with_zero, re.compile(r"\.\d")),
    Rule(_GROUPED, _one_number, re.compile(r",\d\d,|'\d{3}|₹")),
    Rule(_IN_BLANKS, _in_blanks, re.compile(r"\d \d{3}(?!\d)")),
    Rule(_POWER, _power, re.compile(rf"10(?:[\^(⁻⁺–−-]|{_RAISED_DIGIT}|\d)")),
    Rule(_EXPONENT, _exponent, re.compile(r"\de[–−+-]?\d")),
)
"""Rules for texts with digits; before all others, which read plain numbers."""
