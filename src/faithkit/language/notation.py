"""Numbers in other notations than "1,234.5": ".5", "1'200'000", "10⁻⁵" and Roman numerals. What
does not live here: number words and fractions (`numerals.py`), amounts (`amounts.py`).
"""

from __future__ import annotations

import re

from faithkit.language import measures
from faithkit.language.mapped import Piece, Rule, same, whole
from faithkit.language.words import plain_letters

# Points and groups

_LEADING_POINT = re.compile(r"\.(?<![^\s(\[<>=~≈≤≥±+$£€¥₹-]\.)(?=\d)")
_GROUPED = re.compile(
    r"(?:(?<![\w.,'])|(?<=\bCHF)|(?<=\bRs\.))"
    r"(?:(?<=₹)\d{1,2}(?:,\d\d)*,\d{3}|\d{1,2}(?:,\d\d)+,\d{3}|[1-9]\d{0,2}(?:'\d{3})+)"
    r"(?![\w']|[,.]\d{3}\b)"
)
# Blanks group thousands where the groups are zeros, or after a currency's sign.
_IN_BLANKS = re.compile(
    r"(?:(?<![\w.,/:-])(?<!\d )[1-9]\d{0,2}(?: 000)+|(?<=[$£€¥₹])[1-9]\d{0,2}(?: \d{3}){2,})"
    r"(?![\w-]|[.,/:]\d| \d)"
)
_PART = re.compile(r"\d+")


def _with_zero(match: re.Match[str]) -> tuple[Piece, ...]:
    return whole(match, "0.")


def _one_number(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5,00,000", "1'200'000" and "5 000 000" without what separates their groups."""
    spans = [part.span() for part in _PART.finditer(match.string, match.start(), match.end())]
    return tuple(Piece(match.string[start:end], start, end) for start, end in spans)


# Powers of ten

_RAISED = {letter: str(digit) for digit, letter in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_RAISED_DIGIT = f"[{''.join(_RAISED)}]"
_POWER = re.compile(
    r"(?:(?<=\d)(?P<times> ?[x×*·] ?)|(?<![\w.,^]))(?P<ten>10)"
    rf"(?:(?P<raised_sign>[⁻⁺]?)(?P<raised>{_RAISED_DIGIT}{{1,2}})"
    r"|(?P<sign>\^ ?(?P<open>[({])?[–−+-]?)(?P<power>\d{1,2})(?(open)[)}])"
    r"|\((?P<bracketed>\d{1,2})\)(?=/(?:[uµμm]?l|mm3|kg)\b|(?(times)|(?!)))"
    r"|(?P<minus>[–−-])(?P<lowered>\d{1,2})(?![–-]|[.,]\d))(?!\w)",
    re.IGNORECASE,
)
# A superscript may be lost: "1.2 × 10-5", "p < 10-5". Others are ranges.
_BEFORE_LOWERED = re.compile(r"\d\.\d+$|\bp ?[<>] ?$", re.IGNORECASE)
_EXPONENT = re.compile(
    r"(?<![\w.,-])(?P<number>\d(?:\.\d+)?)(?P<sign>e[–−+-]0?)(?P<power>\d{1,2})(?!\w)",
    re.IGNORECASE,
)


def _power(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "4 x 10^9", "4 × 10⁹" and "4x10(9)" as "4 times 10 to the power of 9"."""
    if match["lowered"] and not _BEFORE_LOWERED.search(
        match.string, max(0, match.start() - 12), match.start()
    ):
        return ()
    if (
        match["raised"]
        and not (match["times"] or match["raised_sign"])
        and match["raised"] in "¹²³"
    ):
        return ()  # it may be a footnote's mark
    name = next(name for name in ("raised", "power", "bracketed", "lowered") if match[name])
    digits = "".join(_RAISED.get(digit, digit) for digit in match[name])
    sign = match["raised_sign"] or match["sign"] or match["minus"] or ""
    start = match.end("ten")
    between = (start, match.start(name)) if start < match.start(name) else match.span(name)
    times = (Piece(" times ", *match.span("times")),) if match["times"] else ()
    to_the = Piece(_to_the_power(sign), *between)
    return (*times, same(match, "ten"), to_the, Piece(digits, match.start(name), match.end()))


def _to_the_power(sign: str) -> str:
    return f" to the power of {'minus ' if sign[-1:] in tuple('-–−⁻') else ''}"


def _exponent(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1.2E-05" as "1.2 times 10 to the power of minus 5"."""
    sign = match["sign"].removesuffix("0")
    power = Piece(f" times 10{_to_the_power(sign)}", *match.span("sign"))
    return same(match, "number"), power, same(match, "power")


# Roman numerals

_VALUES = {numeral: str(value) for value, numeral in enumerate(measures.ROMAN_NUMERALS, start=1)}
_ROMAN = "|".join(sorted(_VALUES, key=len, reverse=True))
_BEYOND_ONE = "|".join(numeral for numeral in _ROMAN.split("|") if numeral != "I")
_NUMBERED = re.compile(
    rf"\b(?P<noun>(?i:{'|'.join(measures.NUMBERED)}|world war)s?) "
    rf"(?P<numerals>(?P<first>{_ROMAN})[A-Ca-c]?"
    rf"(?:[/–-](?:{_ROMAN})[A-Ca-c]?\b|(?: and | or | to |, )(?:{_BEYOND_ONE})[A-Ca-c]?\b(?!-))*)"
    r"(?![\w'’]|[./-]\w)"
)
_NUMERAL = re.compile(rf"\b(?:{_ROMAN})(?=[A-Ca-c]?\b)")
# "I" is mostly the pronoun: "the type I like".
_AFTER_ONE = re.compile(
    rf"[.,;:)\]/–-]|$| (?:{'|'.join(measures.AFTER_FIRST)})\b| (?:and|or|to) (?:{_BEYOND_ONE})\b"
)
_WITH_LETTERS = ("type", "stage", "phase", "class", "grade")
"""After these "X" is mostly a letter."""


def _roman(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "type II" as "type 2", "stages IIIa and IV" as "stages 3a and 4"."""
    noun, numerals = plain_letters(match["noun"]), match["numerals"]
    if numerals == "I" and noun != "world war" and not _AFTER_ONE.match(match.string, match.end()):
        return ()
    if numerals == "X" and noun.startswith(_WITH_LETTERS):
        return ()
    if noun == "volume" and numerals == "IV":
        return ()  # of what is given into a vein
    start, end = match.span("numerals")
    pieces = [Piece(match.string[match.start() : start], match.start(), start)]
    for numeral in _NUMERAL.finditer(match.string, start, end):
        between = pieces[-1].end, numeral.start()
        pieces += [
            Piece(match.string[slice(*between)], *between),
            Piece(_VALUES[numeral.group()], *numeral.span()),
        ]
    return (*pieces, Piece(match.string[pieces[-1].end : end], pieces[-1].end, end))


ROMAN_CUE = re.compile(r" [ivx]+[abc]?\b")
ROMAN = (Rule(_NUMBERED, _roman, re.compile(rf"(?:{'|'.join(measures.NUMBERED)}|war)s? [ivx]")),)
NOTATION = (
    Rule(_LEADING_POINT, _with_zero, re.compile(r"\.\d")),
    Rule(_GROUPED, _one_number, re.compile(r",\d\d,|'\d{3}|₹")),
    Rule(_IN_BLANKS, _one_number, re.compile(r"\d \d{3}\b")),
    Rule(_POWER, _power, re.compile(rf"10(?:[\^(⁻⁺–−-]|{_RAISED_DIGIT})")),
    Rule(_EXPONENT, _exponent, re.compile(r"e[–−+-]\d")),
)
"""Rules for texts with digits; before all others, which read plain numbers."""
