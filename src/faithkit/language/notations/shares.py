"""Parts of one unit and shares of a whole: "a year and a half" is "1.5 years", "half a mile" "0.5
miles", "50 basis points" are "0.5 percentage points"; and a share in the words of the source:
"half of" where it has "50%", "20% of" where it has "one in five", a score of "8/10" where it is
"80%".

What does not live here: other fractions (`numerals.py`), parts of teaspoons and cups (`units.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from faithkit.language import lexicon
from faithkit.language.mapped import Mapped, Piece, Rule, replace_pieces
from faithkit.language.notations.numerals import plain_number, value_of
from faithkit.language.words import plain_letters

# --- parts of one unit ----------------------------------------------------------------------------

_HALVED = (
    "hour|minute|second|mile|kilometre|kilometer|metre|meter|centimetre|centimeter|millimetre"
    "|millimeter|inch|acre|hectare|tonne|ton|kilogram|kilo|litre|liter|degree|percentage point"
    "|percent"
)
_WITH_HALVES = (
    f"{_HALVED}|year|month|week|day|decade|century|pound|dollar|euro|foot|cup|pint|gallon|ounce"
    "|teaspoon|tablespoon"
)
_PLURALS = {"inch": "inches", "foot": "feet", "century": "centuries", "percent": "percent"}
_AND_A_HALF = re.compile(
    rf"(?<![\w.,/:-])(?P<number>an?|one|\d{{1,3}})[ -](?P<unit>{_WITH_HALVES})(?:s|es)?"
    r"[ -]and[ -](?P<part>a[ -]half|an?[ -]quarter|three[ -]quarters|3 quarters)(?![\w'’-])"
    rf"(?! (?:of (?:the|an?)|(?:{_WITH_HALVES})s?)\b)",
    re.IGNORECASE,
)
_PART_OF_ONE = re.compile(
    rf"(?<![\w-])(?<!\d )(?:(?P<half>half) an?|(?:(?P<several>[1-9]|an?) )?"
    rf"(?P<part>quarter|tenth|fifth)s? of an?) (?P<unit>{_HALVED})(?![\w'’-])",
    re.IGNORECASE,
)
_HALF_POINT = re.compile(
    r"(?<![\w-])(?P<part>half|quarter)[- ](?P<unit>percentage[- ]point"
    r"|point(?= (?:(?:interest[- ])?rate|cut|hike|increase|rise|reduction|move)s?\b))(?![\w-])",
    re.IGNORECASE,
)
_PARTS = {"half": "0.5", "quarter": "0.25", "quarters": "0.75", "tenth": "0.1", "fifth": "0.2"}


def _units(unit: str) -> str:
    unit = plain_letters(unit)
    return _PLURALS.get(unit, f"{unit}s")


def _and_a_half(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "a year and a half" as "1.5 years", "2 hours and a quarter" as "2.25 hours"."""
    number = int(match["number"]) if match["number"].isdigit() else 1
    part = _PARTS[re.split("[ -]", plain_letters(match["part"]))[-1]]
    value = plain_number(number + Decimal(part))
    return (
        Piece(value, *match.span("number")),
        Piece(f" {_units(match['unit'])}", match.end("number"), match.end()),
    )


def _part_of_one(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "half an hour" as "0.5 hours", "3 quarters of a mile" as "0.75 miles"."""
    number = int(match["several"]) if (match["several"] or "a").isdigit() else 1
    value = number * Decimal(_PARTS[plain_letters(match["half"] or match["part"])])
    if value >= 1:
        return ()
    start = match.start("unit")
    amount = Piece(plain_number(value), match.start(), start - 1)
    return amount, Piece(f" {_units(match['unit'])}", start - 1, match.end())


def _half_point(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "a quarter-point rate cut" as "a 0.25 percentage point rate cut"."""
    number = Piece(_PARTS[plain_letters(match["part"])], *match.span("part"))
    return number, Piece(" percentage point", match.end("part"), match.end())


# Basis points

_BASIS_POINTS = re.compile(
    r"(?<![\w.,])(?P<number>\d+(?:\.\d+)?)(?P<unit> basis points?)(?![\w'’-])"
)


def _basis_points(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "50 basis points" as "0.5 percentage points"."""
    value = plain_number(Decimal(match["number"]) / 100)
    unit = " percentage point" if value == "1" else " percentage points"
    return Piece(value, *match.span("number")), Piece(unit, *match.span("unit"))


_UNIT_CUE = re.compile(rf"\b(?:an?|of) (?:{_HALVED})\b")
SHARES = (
    Rule(_AND_A_HALF, _and_a_half, re.compile("and[ -](?:an?[ -](?:half|quarter)|.{1,6}quarters)")),
    Rule(_PART_OF_ONE, _part_of_one, _UNIT_CUE),
    Rule(_HALF_POINT, _half_point, re.compile("(?:half|quarter)[- ]p")),
)
"""Rules for texts in which `SHARES_CUE` is found; after those of number words."""
SHARES_CUE = re.compile(r"\b(?:half|quarters?|(?:ten|fif)ths?)\b")
POINTS = (Rule(_BASIS_POINTS, _basis_points, re.compile("basis point")),)
"""Rules for texts with digits; after those of units."""

# --- one share in the words of the source ---------------------------------------------------------

_TENS = "|".join(lexicon.TENS)
_ONES = "|".join(lexicon.SPELLED[1:10])
_SMALL = "|".join(lexicon.SPELLED[1:11])
_COUNTS = {
    name: count
    for count, (part, parts) in lexicon.FRACTIONS.items()
    for name in (part.split()[-1], parts)
}
_DETERMINERS = "the|its|their|our|his|her|my|your|those|these|all|them|us|you"
_VERBS = "is|are|was|were|has|have|had|said|say|says|did|do|would|will"
_OF_YEARS = r"(?:(?:the|this|that|last|next) )?(?:year|fiscal|\d{4})\b"
_TIMES = (
    "second|minute|hour|day|week|month|year|game|matche|start|appearance|over|lap|round|attempt"
)
_SHARE = re.compile(
    rf"(?:(?<![\w.,$£€/-])(?P<percent>\d{{1,2}}(?:\.\d{{1,2}})?|(?:{_TENS})(?:[- ](?:{_ONES}))?)"
    r"(?: ?%| (?:percent|per cent|pct)\b)"
    rf"|(?<![\w-])(?<!\bthe )(?:(?:an? |one[- ]|(?P<several>{_ONES}|\d)[- ])"
    rf"(?P<part>{'|'.join(_COUNTS)})(?= of (?!an?\b|{_OF_YEARS}))"
    rf"|(?P<half>(?<!other )(?<!first )(?<!second )(?<!last )(?<!top )(?<!bottom )half)"
    rf"(?= (?:of (?!an?\b)|(?:{_DETERMINERS})\b)))"
    rf"|(?<![\w-])(?P<some>{_SMALL}|\d{{1,2}}) (?:in|out of)(?: every)? "
    rf"(?P<all>{_SMALL}|\d{{1,3}})(?![\w-]|[.,:]\d)(?= [a-z])(?! (?:{_TIMES})s?\b))"
    rf"(?:(?P<of> of)(?= (?P<whose>(?:{_DETERMINERS})\b)?)|(?P<verb>(?= (?:{_VERBS})\b))|(?!\w))",
    re.IGNORECASE,
)
_CUE = re.compile(r"%|percent|per cent|pct|half|thirds?|quarters?|[ftnhx]ths?| in | out of |\d/\d")


class _Share(NamedTuple):
    """A share of a whole.

    value  in percent, of thirds the nearest whole number
    style  "percent", "part" or "ratio", as it is written
    match  where it is
    """

    value: Decimal
    style: str
    match: re.Match[str]

    @property
    def words(self) -> str:
        """It as it is written, in small letters and without "of"."""
        return plain_letters(self.match.group().removesuffix(self.match["of"] or ""))


def with_shares(text: Mapped, source: str) -> Mapped:
    """A summary with its shares as the source writes the same ones: "half of the voters" is "50%
    of the voters" where the source has "50%" and no half."""
    if not _CUE.search(text.text.lower()):
        return text
    pieces = []
    for share in _shares(text.text):
        written = _written(source).get(share.value, {})
        match = share.match
        is_alone = share.style == "percent" and match["of"] is None and match["verb"] is None
        if not written or share.style in written or is_alone:
            continue
        style, words = next(iter(written.items()))
        has_of = match["verb"] is None and (style != "ratio" or match["whose"])
        words = f"{words} of" if has_of else words
        begins = text.text[: match.start()].rstrip(" \"'(")[-1:] in ("", ".", "!", "?", "\n")
        pieces.append(Piece(words.capitalize() if begins else words, *match.span()))
    starts = {piece.start for piece in pieces}
    pieces += [piece for piece in _marks(text.text, source) if piece.start not in starts]
    return replace_pieces(text, sorted(pieces, key=lambda piece: piece.start))


@lru_cache(maxsize=16)
def _written(source: str) -> dict[Decimal, dict[str, str]]:
    """Of each share in a source how it is first written in each style."""
    written: dict[Decimal, dict[str, str]] = {}
    for share in _shares(source):
        written.setdefault(share.value, {}).setdefault(share.style, share.words)
    return written


def _shares(text: str) -> Iterator[_Share]:
    """The shares in a text that are a percentage with no more than one decimal, or thirds."""
    for match in _SHARE.finditer(text):
        if match["percent"]:
            value = Decimal(_number(match["percent"]))
            yield _Share(_third(value) or value, "percent", match)
            continue
        part = match["part"] or match["half"]
        some = Decimal(_number(match["several"] or match["some"] or "one"))
        every = _COUNTS[plain_letters(part)] if part else int(_number(match["all"]))
        value = 100 * some / every if every else Decimal(0)
        if some < every and (every == 3 or value * 10 % 1 == 0):
            share = Decimal(round(value)) if every == 3 else value
            yield _Share(share, "part" if part else "ratio", match)


def _number(words: str) -> str:
    """Of "forty-two" 42, of digits themselves."""
    return words if words[0].isdigit() else str(value_of(words))


def _third(value: Decimal) -> Decimal | None:
    """Of 33.3 and 66.7 the whole number that a third and two thirds have."""
    return next(
        (Decimal(whole) for whole in (33, 67) if abs(value - whole) <= Decimal("0.34")), None
    )


# --- marks ----------------------------------------------------------------------------------------

_MARK = re.compile(
    r"\b(?:scor(?:e|es|ed|ing)|rat(?:ed|es|ing)|marks?|graded?)\b"
    r"(?:[ :](?!on\b)[a-z]{0,8}){0,4}?[: ]"
    r"(?P<words>(?P<some>\d{1,3})/(?P<all>5|10|20|25|50|100))(?![\w/]|[.,]\d)",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"(?<![\w.,/-])(?P<words>(?P<some>\d{1,3})(?: ?%| (?:percent|per cent)\b))(?! of\b)",
    re.IGNORECASE,
)


def _marks(text: str, source: str) -> Iterator[Piece]:
    """Marks of a summary as the source writes them: "80%" as "8/10" where that is a score there,
    and "a score of 8/10" as "80%"."""
    marks, percents = _by_value(_MARK, source), _by_value(_PERCENT, source)
    for pattern, own, others in ((_PERCENT, percents, marks), (_MARK, marks, percents)):
        for match in pattern.finditer(text):
            if (value := _percents(match)) in others and value not in own:
                yield Piece(others[value], *match.span("words"))


@lru_cache(maxsize=32)
def _by_value(pattern: re.Pattern[str], text: str) -> dict[Decimal, str]:
    return {_percents(match): match["words"] for match in pattern.finditer(text)}


def _percents(match: re.Match[str]) -> Decimal:
    """Of "8/10" and "80%" 80."""
    every = match.groupdict().get("all") or 100
    return 100 * Decimal(match["some"]) / Decimal(every)
