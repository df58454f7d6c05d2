"""Periods of a summary as the source writes the same ones: "one year" as "12 months", "a week" as
"7 days", "the first six months of 2024" as "the first half of 2024". What does not live here: hours
and less (`quantities.py`), how often something happens (`frequencies.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from faithkit.language.calendar_words import MONTH, MONTHS
from faithkit.language.lexicon import NUMBER_WORDS
from faithkit.language.mapped import Mapped, Piece, capitalise_like, replace_pieces

# --- hours, days and weeks; months and years ------------------------------------------------------

_UNITS = {"hour": ("hours", 1), "day": ("hours", 24), "week": ("hours", 168),
          "fortnight": ("hours", 336), "month": ("months", 1), "year": ("months", 12)}  # fmt: skip
"""Of each unit the kind that it is compared with, and its size in the smallest one."""
_COUNT = rf"(?:\d{{1,4}}|{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})"
_UNIT = "|".join(_UNITS)
_PERIOD = re.compile(
    rf"(?<![\w.,/:$£€-])(?:(?P<count>{_COUNT})(?P<join>[ -])|(?P<article>an? ))"
    rf"(?P<unit>{_UNIT})s?(?P<whose>'s?(?= ))?(?![\w'-]| and a (?:half|quarter)\b"
    rf"| or (?:so|{_COUNT})\b)",
    re.IGNORECASE | re.ASCII,
)
_HOW_LONG = re.compile(
    r"\b(?:for|within|of|after|than|least|most|lasts?|lasted|takes?|took|over|about|under"
    r"|nearly) $",
    re.IGNORECASE | re.ASCII,
)
"""What stands before "a year" and "one week" where they say how long."""
_PART_BEFORE = re.compile(
    rf"(?:\b(?:{_COUNT}|hundred|thousand|million|(?:{_UNIT})s?)(?:,? and|,| to| or)?|\d ?-) $"
    r"|\bbetween $",
    re.IGNORECASE | re.ASCII,
)
_PART_AFTER = re.compile(
    rf"(?:,? and|,)? (?:{_COUNT}|an?) (?:{_UNIT})s?\b", re.IGNORECASE | re.ASCII
)
"""What stands around a part of a range or of a longer period, "two to three years"."""
_TWO_WORDS = re.compile(r"\b\w+ \w+ $", re.ASCII)
_NEXT_WORD = re.compile(r" [a-z]+", re.IGNORECASE | re.ASCII)


class _Period(NamedTuple):
    """A period: how many of a unit, as a number and as it is written."""

    match: re.Match[str]
    unit: str
    number: int
    written: str

    @property
    def kind(self) -> str:
        return _UNITS[self.unit][0]

    @property
    def size(self) -> int:
        return self.number * _UNITS[self.unit][1]

    @property
    def beside(self) -> str:
        """The two words before it, the one after it where it belongs to that: "notice" of "14 days'
        notice"."""
        text, (start, end) = self.match.string, self.match.span()
        if self.match["join"] == "-" or self.match["whose"]:
            words = _NEXT_WORD.match(text, end)
        else:
            words = _TWO_WORDS.search(text, max(0, start - 40), start)
        return words.group().strip().lower() if words else ""

    def put_as(self, count: str, unit: str, *, is_one: bool) -> str:
        """Another count and unit in the form of this one: before a noun, with "'s"."""
        if self.match["join"] == "-":
            return f"{'one' if count in ('a', 'an') else count}-{unit}"
        ending = "'s" if is_one else "s'"
        return f"{count} {unit}{ending if self.match['whose'] else '' if is_one else 's'}"


def with_periods(text: Mapped, source: str) -> Mapped:
    """A summary with its periods in the unit of the source: "one year" is "12 months" where the
    source has that, and "cancel within four weeks" is "cancel within 28 days" where "cancel within
    14 days" is all that the source says of it."""
    if not _CUE.search(text.text.lower()):
        return text
    pieces = []
    for period in _periods(text.text):
        others = [other for other in _written(source) if other.kind == period.kind]
        if words := _in_unit_of(period, others):
            pieces.append(Piece(words, *period.match.span()))
    return replace_pieces(text, pieces)


def _in_unit_of(period: _Period, others: list[_Period]) -> str:
    """A period as the other ones write it, "" where it stays."""
    equal = [other for other in others if other.size == period.size]
    if any(other.unit == period.unit for other in equal):
        return ""
    if equal:
        other = equal[0]
        return period.put_as(other.written, other.unit, is_one=other.number == 1)
    units = {other.unit for other in others if other.beside and other.beside == period.beside}
    if len(units) != 1:
        return ""
    (unit,) = units
    if "hour" in (unit, period.unit) or unit == period.unit:
        return ""
    count, rest = divmod(period.size, _UNITS[unit][1])
    if rest or not count:
        return ""
    return period.put_as("one" if count == 1 else str(count), unit, is_one=count == 1)


@lru_cache(maxsize=16)
def _written(source: str) -> tuple[_Period, ...]:
    return tuple(_periods(source))


def _periods(text: str) -> Iterator[_Period]:
    """The periods of a text, without ranges, rates ("twice a year") and "one day he left"."""
    for match in _PERIOD.finditer(text):
        start, end = match.span()
        count = (match["count"] or "one").lower()
        before = text[max(0, start - 24) : start]
        tells = match["join"] == "-" or match["whose"] or _HOW_LONG.search(before)
        if count == "one" and not tells:
            continue
        if _PART_BEFORE.search(before) or _PART_AFTER.match(text, end):
            continue
        written = match["count"] or match["article"].rstrip()
        number = int(NUMBER_WORDS.get(count, count))
        yield _Period(match, match["unit"].lower(), number, written.lower())


# --- parts of a calendar year ---------------------------------------------------------------------

_YEAR = r"(?P<year>(?:19|20)\d\d)(?![\w/-]|[.,]\d)"
_ORDER = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
          "last": 0, "final": 0}  # fmt: skip
_LENGTHS = {"half": 6, "quarter": 3, "6 months": 6, "six months": 6, "3 months": 3,
            "three months": 3}  # fmt: skip
_LETTERS = {"H": "half", "Q": "quarter"}
_PART_OF_YEAR = re.compile(
    rf"\b(?:(?P<before>(?i:in|during|over)) )?(?:(?P<letter>[QH])(?P<number>[1-4]) "
    rf"|the (?P<order>{'|'.join(_ORDER)}) (?P<length>{'|'.join(_LENGTHS)}) of "
    rf"|(?:(?P<between>(?i:between|from)) )?(?P<low>{MONTH}) (?P<to>to|and) "
    rf"(?P<high>{MONTH}) ){_YEAR}"
)
_FISCAL = re.compile(r"\bfiscal\b|\bFY", re.IGNORECASE)


class _Part(NamedTuple):
    """A half or a quarter of a year: its first and its last month, and how it is written."""

    match: re.Match[str]
    year: str
    low: int
    high: int
    style: str


def with_parts_of_years(text: Mapped, source: str) -> Mapped:
    """A summary with halves and quarters of years as the source writes the same ones: "between
    January and March 2024" is "in Q1 2024" where the source has that. Fiscal years stay."""
    if not _YEAR_CUE.search(text.text) or _FISCAL.search(source):
        return text
    pieces = []
    for part in _parts_of_years(text.text):
        equal = [other for other in _parts_written(source) if other[1:4] == part[1:4]]
        if equal and part.style not in {other.style for other in equal}:
            words = capitalise_like(_part_as(equal[0], part), part.match.group())
            pieces.append(Piece(words, *part.match.span()))
    return replace_pieces(text, pieces)


def _part_as(other: _Part, part: _Part) -> str:
    """The other writing of a part of a year, after "in" where this one has a preposition."""
    words = other.match.group()
    if other.match["before"]:
        words = words[len(other.match["before"]) + 1 :]
    if other.match["between"]:
        return words[0].lower() + words[1:]
    before = part.match["before"] or ("in" if part.match["between"] else "")
    return f"{before} {words}" if before else words


@lru_cache(maxsize=16)
def _parts_written(source: str) -> tuple[_Part, ...]:
    return tuple(_parts_of_years(source))


def _parts_of_years(text: str) -> Iterator[_Part]:
    for match in _PART_OF_YEAR.finditer(text):
        if match["low"]:
            low, high = (MONTHS.index(match[name]) + 1 for name in ("low", "high"))
            is_between = (match["between"] or "").lower() == "between"
            if (match["to"] == "and") != is_between or (low - 1, high) not in _PARTS:
                continue
            yield _Part(match, match["year"], low, high, "months")
            continue
        length = _LENGTHS[match["length"] or _LETTERS[match["letter"]]]
        number = int(match["number"] or _ORDER[match["order"]]) or 12 // length
        if number * length <= 12:
            style = match["length"] or "letter"
            yield _Part(match, match["year"], number * length - length + 1, number * length, style)


_PARTS = frozenset((low, low + length) for length in (3, 6) for low in range(0, 12, length))
"""The halves and quarters of a year: months before each and its last one."""
_CUE = re.compile(rf"\b(?:{_UNIT})")
_YEAR_CUE = re.compile(r"(?:of|[QH][1-4]|[a-z]) (?:19|20)\d\d")
