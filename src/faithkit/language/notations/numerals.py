"""Numbers in digits: number words, years in words, fractions, dozens, and large numbers without
commas. What does not live here: other notations of numbers (`notation.py`), scales and currencies
(`amounts.py`), units (`units.py`), dates (`dates.py`).
"""

from __future__ import annotations

import re
from decimal import Decimal

from faithkit.language import lexicon
from faithkit.language.calendar_words import MONTHS
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.words import plain_letters

NUMBER = r"\d++(?:\.\d++)?+"
LARGE = "thousand|million|billion|trillion|quadrillion|lakh crores?|lakhs?|crores?"

_TENS = "|".join(lexicon.TENS)
_ONES = "|".join(lexicon.SPELLED[1:10])
_TEENS = "|".join(lexicon.SPELLED[10:20])
_SMALL = "|".join(word for word in lexicon.NUMBER_WORDS if word not in ("zero", "one"))
_COUNTABLE = "|".join(lexicon.HYPHENATED_UNITS)
_PARTS = "|".join(parts for count, (_, parts) in lexicon.FRACTIONS.items() if count > 2)
_PART = "|".join(part.split()[1] for count, (part, _) in lexicon.FRACTIONS.items() if count > 2)
_CENTURY = "|".join(lexicon.CENTURIES)
_SIGNS = "".join(lexicon.FRACTION_SIGNS)


def plain_number(value: Decimal) -> str:
    """Without an exponent or idle zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_scale(value: Decimal) -> tuple[str, str]:
    """The number and the word of its scale; none below a million."""
    for scale in ("trillion", "billion", "million"):
        if value >= lexicon.SCALES[scale]:
            return plain_number(value / lexicon.SCALES[scale]), scale
    return plain_number(value), ""


def value_of(words: str) -> int:
    """Of "forty-two" 42: the sum of its words."""
    return sum(int(lexicon.NUMBER_WORDS[word]) for word in re.split("[- ]", plain_letters(words)))


def suffixed(number: int) -> str:
    """ "21st" of 21."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


# Number words

_SPELLED = re.compile(
    rf"(?<![\w-])(?:(?P<tens>{_TENS})[- ](?P<ones>{_ONES})|(?P<small>{_SMALL}))"
    rf"(?!\w|-(?!{_COUNTABLE})\w)"
    rf"|(?<![\w-])(?<!half )(?P<one>an?|one)(?=[ -](?:hundred|{LARGE})\b)"
    r"|(?<![\w-])(?P<one_2>one)(?= and an? (?:half|quarter)\b)",
    re.IGNORECASE,
)
_BEFORE_YEARS = "|".join(
    [
        "in", "since", "by", "until", "till", "before", "after", "during", "from", "to", "between",
        "and", "early", "late", "mid", "year", "spring", "summer", "autumn", "winter",
        *MONTHS,
    ]
)  # fmt: skip
_DIGITS = f"(?: (?:{_ONES}|zero|oh)(?![\\w-])){{1,4}}"
_POINT_ONE = rf"(?= point{_DIGITS} (?:{LARGE}|percent|per cent)\b)"
"""What "one" needs after it: "At one point two men left" has no decimals."""
_WITH_POINT = re.compile(
    rf"(?<![\w-])(?:(?P<tens>{_TENS})(?:[- ](?P<ones>{_ONES}))?"
    rf"|(?P<small>zero|{'|'.join(lexicon.SPELLED[2:20])})|(?<!at )(?P<one>one){_POINT_ONE})"
    rf" point(?P<digits>{_DIGITS})(?! of\b)",
    re.IGNORECASE,
)
_HIGHER = re.compile(rf"(?:hundred(?: and)?|thousand(?: and)?|{_TENS})[ -]$", re.IGNORECASE)
_YEAR_IN_WORDS = re.compile(
    rf"(?<![\w-])(?P<before>(?:{_BEFORE_YEARS}) )(?P<century>{_CENTURY})[- ](?:(?P<teen>{_TEENS})"
    rf"|oh[- ](?P<oh>{_ONES})|(?P<tens>{_TENS})(?:[- ](?P<ones>{_ONES}))?)"
    rf"(?!\w|-\w| (?:hundred|{LARGE}|per|percent|years?|months?|days?|hours?|minutes?)\b)",
    re.IGNORECASE,
)


def _in_digits(match: re.Match[str]) -> tuple[Piece, ...]:
    if match["one"] or match["one_2"]:
        return replace_match(match, "1")
    if match["tens"]:
        both = (lexicon.NUMBER_WORDS[plain_letters(match[name])] for name in ("tens", "ones"))
        return replace_match(match, str(sum(map(int, both))))
    return replace_match(match, lexicon.NUMBER_WORDS[plain_letters(match["small"])])


def _with_point(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "one point two five million" as "1.25 million", "twenty-five point five" as "25.5"; nothing
    of "a hundred and two point five"."""
    if _HIGHER.search(match.string, max(0, match.start() - 13), match.start()):
        return ()
    digits = {**lexicon.NUMBER_WORDS, "oh": "0"}
    number = sum(
        int(digits[plain_letters(match[name])])
        for name in ("tens", "ones", "small", "one")
        if match[name]
    )
    behind = "".join(digits[word] for word in plain_letters(match["digits"]).split())
    return replace_match(match, f"{number}.{behind}")


def _year_in_digits(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "nineteen eighty-four" as "1984"."""
    century, *rest = (
        int(lexicon.NUMBER_WORDS[plain_letters(match[name])])
        for name in ("century", "teen", "oh", "tens", "ones")
        if match[name]
    )
    year = Piece(str(100 * century + sum(rest)), match.start("century"), match.end())
    return keep_group(match, "before"), year


# Fractions and dozens

_SIGN = re.compile(
    rf"(?:(?<![\w.,])(?P<number>\d{{1,3}}) ?|\ban? |(?<!\w))(?P<sign>[{_SIGNS}])(?!\w)"
)
_WRITTEN = re.compile(
    r"(?<![\w/.,-])(?:(?P<number>\d{1,3})[ -])?(?P<part>[1-9])/(?P<count>[2-9]|10)"
    r"(?![\w/]|-(?![a-z])|[.,]\d)"
    r"(?P<of>(?= (?:of|majority|price)\b))?"
)
_FRACTION = re.compile(
    rf"(?<![\w-])(?:(?P<several>{_ONES})-(?P<parts>{_PARTS})(?![\w-])"
    rf"|one(?:-(?P<part>{_PART})(?![\w-])| (?P<part_of>{_PART})(?= of\b)))",
    re.IGNORECASE,
)
_HALF_SCALE = re.compile(
    r"(?<![\w-])(?<!and )(?<!and a )"
    r"(?:(?P<half>(?:an? )?half[ -](?:an?[ -])?)|(?:an? )?quarter of an? )"
    r"(?P<scale>million|billion|trillion|(?:(?<=half )|(?<=half a )|(?<=half-))dozen)(?![\w-])",
    re.IGNORECASE,
)
_AND_A_HALF = re.compile(
    r"(?<![\w.,/:-])(?P<number>\d{1,3})(?P<scale> (?:million|billion|trillion))? and an? "
    r"(?P<part>half|quarter)(?![\w-]| of\b)",
    re.IGNORECASE,
)
_DOZEN = re.compile(
    r"(?<![\w.,-])(?<!dime )(?:an?|(?P<number>[1-9]\d?)) dozen(?![\w-])", re.IGNORECASE
)


def _sign(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5½" as "5.5", "⅔" as "2 thirds"."""
    return _fraction_of(match, *lexicon.FRACTION_SIGNS[match["sign"]])


def _written_fraction(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5 1/2" and "5-1/2" as "5.5", "2/3 of" as "2 thirds of"; others may be days or scores."""
    part, count = int(match["part"]), int(match["count"])
    share = match["of"] is not None
    if part >= count or not (share or (match["number"] and count in (2, 4))):
        return ()
    return _fraction_of(match, part, count)


def _fraction_of(match: re.Match[str], part: int, count: int) -> tuple[Piece, ...]:
    if match["number"]:
        value = Decimal(match["number"]) + Decimal(part) / count
        return replace_match(match, plain_number(value)) if 1000 % count == 0 else ()
    one, several = lexicon.FRACTIONS[count]
    return replace_match(match, one if part == 1 else f"{part} {several}")


def _fraction(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "two-thirds" as "2 thirds", "one-third" as "a third"."""
    if part := match["part"] or match["part_of"]:
        names = (one for one, _ in lexicon.FRACTIONS.values())
        return replace_match(match, next(one for one in names if one.endswith(plain_letters(part))))
    count = lexicon.NUMBER_WORDS[plain_letters(match["several"])]
    start, end = match.span("several")
    return Piece(count, start, end), Piece(" ", end, end + 1), keep_group(match, "parts")


def _half_scale(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "half a million" as "500000", "half a dozen" as "6"."""
    scale = lexicon.SCALES.get(plain_letters(match["scale"]), 12)
    number, word = in_scale(Decimal(scale) / (2 if match["half"] else 4))
    return replace_match(match, f"{number} {word}".strip())


def _and_a_half(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "2 and a half" as "2.5", "1 million and a half" as "1.5 million"."""
    end = ".5" if plain_letters(match["part"]) == "half" else ".25"
    return replace_match(match, match["number"] + end + (match["scale"] or ""))


def _dozen(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, str(12 * int(match["number"] or 1)))


# Large numbers

_GROUPED = re.compile(r"(?:(?<![\w.,])|(?<=\bRs\.))\d{1,3}(?:,\d{3})+(?![\d_]|,\d)")
# "between two hundred and three thousand" has two numbers, "two hundred and three thousand" one.
_JOIN = (
    r"(?:(?<!between \d {0})(?<!between \d\d {0})(?<!between \d\d\d {0}) and"
    rf"|(?= and \d{{{{1,3}}}}(?: (?:{LARGE}))? and \d) and)"
)
_HUNDRED = re.compile(
    rf"(?<![\w.,])(?P<hundreds>\d{{1,2}}) hundred(?:{_JOIN.format('hundred')}? "
    r"(?P<rest>[1-9]\d?)(?!\w|[.,]\d| hundred\b))?(?!\w)",
    re.IGNORECASE,
)
_THOUSAND = re.compile(
    r"(?<![\w.,$£€])(?P<thousands>\d{1,3}) thousand"
    rf"(?:{_JOIN.format('thousand')} (?P<rest>[1-9]\d{{0,2}})| (?P<hundreds>[1-9]\d\d))"
    rf"(?![\w%-]|[.,/:]\d| (?:hundred|{LARGE}|per|percent)\b)",
    re.IGNORECASE,
)
_LONG = re.compile(r"(?<![\w.,])[1-9]\d{4,}00(?!\w|[.,]\d)")
_PRECISE = re.compile(r"(?<![\w.,])(?P<number>\d+\.\d{5,}) (?P<scale>million|billion|trillion)\b")
_DECIMALS = 4
"""With more an amount is no shorter in its scale."""


def _ungrouped(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, match.group().replace(",", ""))


def _hundreds(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, str(100 * int(match["hundreds"]) + int(match["rest"] or 0)))


def _thousands(match: re.Match[str]) -> tuple[Piece, ...]:
    rest = int(match["rest"] or match["hundreds"])
    return replace_match(match, str(1000 * int(match["thousands"]) + rest))


def _shortened(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "2500000" as "2.5 million"; nothing where it would not be shorter."""
    number, scale = in_scale(Decimal(match.group()))
    is_short = len(number.partition(".")[2]) <= _DECIMALS
    return replace_match(match, f"{number} {scale}") if scale and is_short else ()


def _in_full(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1.234567 million" as "1234567", which is shorter."""
    value = plain_number(Decimal(match["number"]) * lexicon.SCALES[match["scale"]])
    return () if "." in value else replace_match(match, value)


_WORD = f"{_SMALL}|half|quarter|dozen|hundred|{LARGE}|one-(?:{_PART})"
_INITIALS = "".join(sorted({word[0] for word in _WORD.split("|")}))
WORDS_CUE = re.compile(
    rf"\b(?=[{_INITIALS}])(?:{_WORD})\b|one (?:{_PART}) of| point one|[{_SIGNS}]"
)
WORDS = (
    Rule(_SIGN, _sign, re.compile(f"[{_SIGNS}]")),
    Rule(_HALF_SCALE, _half_scale, re.compile("half|quarter of")),
    Rule(_YEAR_IN_WORDS, _year_in_digits, re.compile(_CENTURY)),
    Rule(_FRACTION, _fraction, re.compile(f"-(?:{_PART})|one (?:{_PART})")),
    Rule(_WITH_POINT, _with_point, re.compile(" point ")),
    Rule(_SPELLED, _in_digits),
    Rule(_DOZEN, _dozen, re.compile("dozen")),
)
"""Rules for texts in which `WORDS_CUE` is found."""
HUNDREDS = (
    Rule(_WRITTEN, _written_fraction, re.compile(r"\d/\d")),
    Rule(_AND_A_HALF, _and_a_half, re.compile(r"and an? (?:half|quarter)")),
    Rule(_GROUPED, _ungrouped, re.compile(r"\d,\d")),
    Rule(_HUNDRED, _hundreds, re.compile("hundred")),
    Rule(_THOUSAND, _thousands, re.compile("thousand")),
)
"""Rules for texts with digits; before those of `amounts.py`."""
LONG = (
    Rule(_LONG, _shortened, re.compile(r"\d{5}00")),
    Rule(_PRECISE, _in_full, re.compile(r"\.\d{5,} [mbt]")),
)
