"""Numbers in other notations than "1,234.5": ".5", "1'200'000", "1.299,50 €", "$85$", telephone
numbers, "10⁻⁵" and Roman numerals. What
does not live here: number words and fractions (`numerals.py`), amounts (`amounts.py`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from faithkit.language import lexicon
from faithkit.language.mapped import Piece, Rule, same, whole
from faithkit.language.notations import measures
from faithkit.language.words import plain_letters

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
    return whole(match, "0.")


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
    return (*pieces, same(match, "after")) if match["after"] else tuple(pieces)


@lru_cache(maxsize=16)
def _has_decimals(text: str) -> bool:
    """Whether a text has prices of three decimals, or points before cents."""
    return bool(_ENGLISH.search(text) or _OF_THREE_DECIMALS.search(text.lower()))


# Numbers between signs of mathematics

_LATEX = re.compile(r"(?<![\w$\\])\$(?P<number>\d[\d.,]*)(?P<percent>\\?%)?\$(?![\w$])")
_ESCAPED = re.compile(r"(?<=\d)\\(?=%)")


def _latex(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "$85$" as "85", which is no money, "$50\\%$" as "50%"."""
    number = Piece(match["number"], match.start(), match.end("number"))
    if not match["percent"]:
        return (Piece(match["number"], match.start(), match.end(), whole=True),)
    return number, Piece("%", match.start("percent"), match.end())


def _escaped(match: re.Match[str]) -> tuple[Piece, ...]:
    return whole(match, "")


# Deviations

_DEVIATION = re.compile(
    r"(?<=\d)(?P<unit>%| [a-z]+)? (?P<open>\()(?P<name>SD|S\.D\.|s\.d\.|SEM?|standard deviation|"
    r"standard error)(?P<equals> ?[=:,]? |=)(?P<number>\d+(?:\.\d+)?(?:%| [a-z]+)?)(?P<close>\))"
)
_NAMES = {"s.d.": "SD", "standard deviation": "SD", "standard error": "SE"}


def _deviation(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "3.1 (SD 1.2)" as "3.1 ± 1.2 (SD)": "±" alone does not say which deviation it is."""
    unit = (same(match, "unit"),) if match["unit"] else ()
    name = _NAMES.get(match["name"].lower(), match["name"])
    return (
        *unit,
        Piece(" ± ", match.end("unit") if match["unit"] else match.start(), match.end("open")),
        same(match, "number"),
        Piece(f" ({name}", match.start("name"), match.end("equals")),
        same(match, "close"),
    )


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
    return (same(match, "before"), *(Piece(digit.group(), *digit.span()) for digit in digits))


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
# A superscript may be lost: "1.2 × 10-5", "p < 10-5", and with a minus sign "5 × 10−4". Others are
# ranges.
_BEFORE_LOWERED = re.compile(r"\d\.\d+$|\bp ?[<>] ?$", re.IGNORECASE)
_EXPONENT = re.compile(
    r"(?<![\w.,-])(?P<number>\d(?:\.\d+)?)(?P<sign>e[–−+-]0?)(?P<power>\d{1,2})(?!\w)",
    re.IGNORECASE,
)


def _power(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "4 x 10^9", "4 × 10⁹" and "4x10(9)" as "4 times 10 to the power of 9", of which each word
    after "times" is all of the power."""
    is_lowered = "×" in (match["times"] or "") and match["minus"] == "−"
    if match["lowered"] and not (
        is_lowered
        or _BEFORE_LOWERED.search(match.string, max(0, match.start() - 12), match.start())
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
    times = (Piece(" times ", *match.span("times")),) if match["times"] else ()
    return (*times, Piece(f"10{_to_the_power(sign)}{digits}", match.start("ten"), match.end()))


def _to_the_power(sign: str) -> str:
    return f" to the power of {'minus ' if sign[-1:] in tuple('-–−⁻') else ''}"


def _exponent(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1.2E-05" as "1.2 times 10 to the power of minus 5"."""
    sign = match["sign"].removesuffix("0")
    return whole(match, f"{match['number']} times 10{_to_the_power(sign)}{match['power']}")


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
    Rule(_LATEX, _latex, re.compile(r"\$\d[\d.,]*(?:\\?%)?\$")),
    Rule(_ESCAPED, _escaped, re.compile(r"\\%")),
    Rule(_CONTINENTAL, _continental, re.compile(r"\d,[\d–-]|\d\.(?:\d{3}|[–-])")),
    Rule(_DEVIATION, _deviation, re.compile(r"\((?:s\.?d|se|standard)")),
    Rule(_SPELT, _spelt, re.compile(r"\d \d,? \d(?!\d)")),
    Rule(_TELEPHONE, _telephone, re.compile(r"(?:\(?0\d+\)?|\+44.*\d)[ -]\d{3}")),
    Rule(_LEADING_POINT, _with_zero, re.compile(r"\.\d")),
    Rule(_GROUPED, _one_number, re.compile(r",\d\d,|'\d{3}|₹")),
    Rule(_IN_BLANKS, _in_blanks, re.compile(r"\d \d{3}(?!\d)")),
    Rule(_POWER, _power, re.compile(rf"10(?:[\^(⁻⁺–−-]|{_RAISED_DIGIT})")),
    Rule(_EXPONENT, _exponent, re.compile(r"e[–−+-]\d")),
)
"""Rules for texts with digits; before all others, which read plain numbers."""
