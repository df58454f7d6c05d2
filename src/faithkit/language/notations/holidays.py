"""Holidays with a fixed date: "26 December" of a summary as "Boxing Day" where the source has that
and no 26 December, and "Boxing Day" as the date where the source has the date alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from faithkit.language.calendar_words import MONTHS
from faithkit.language.mapped import Mapped, Piece, replace_pieces
from faithkit.language.words import plain_letters

# Days of a year

_MONTH = "|".join(
    name if len(name) < 4 else rf"{name[:3]}(?:{name[3:]}|t?\b\.?(?!\w))" for name in MONTHS
)
_NUMBER = r"(?:3[01]|[12]\d|0?[1-9])"
_DAY = re.compile(
    rf"(?<![\w.,/:$£€-])(?:the )?(?P<day>{_NUMBER})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b"
    rf"|(?<![\w-])(?P<month_2>{_MONTH}) (?:the )?(?P<day_2>{_NUMBER})(?:st|nd|rd|th)?(?![\w:%/-])",
    re.IGNORECASE,
)


class Day(NamedTuple):
    """A day in a text, with its month as 1 to 12, and where it is."""

    month: int
    day: int
    match: re.Match[str]

    @property
    def date(self) -> tuple[int, int]:
        """Month and day."""
        return self.month, self.day


def days(text: str) -> Iterator[Day]:
    """The days that a text writes with their months in letters."""
    for match in _DAY.finditer(text):
        month = plain_letters(match["month"] or match["month_2"])[:3]
        number = next(n for n, name in enumerate(MONTHS, start=1) if name[:3].lower() == month)
        yield Day(number, int(match["day"] or match["day_2"]), match)


# Holidays

_DATES = {
    "new year's day": (1, 1), "burns night": (1, 25), "valentine's day": (2, 14),
    "st patrick's day": (3, 17), "april fools' day": (4, 1), "april fool's day": (4, 1),
    "st george's day": (4, 23), "anzac day": (4, 25), "cinco de mayo": (5, 5),
    "juneteenth": (6, 19), "canada day": (7, 1), "independence day": (7, 4),
    "bastille day": (7, 14), "halloween": (10, 31), "all saints' day": (11, 1),
    "guy fawkes night": (11, 5), "bonfire night": (11, 5), "armistice day": (11, 11),
    "st andrew's day": (11, 30), "christmas eve": (12, 24), "christmas day": (12, 25),
    "boxing day": (12, 26), "st stephen's day": (12, 26), "new year's eve": (12, 31),
}  # fmt: skip
_OF_SEVERAL_DATES = ("independence day",)
"""Other countries have it on another day, so that it is read only where the source has the date."""
_NAMES = "|".join(name.removeprefix("st ").replace("'", "['’]?") for name in _DATES)
_NAME = re.compile(rf"(?<![\w-])(?:St\.? |Saint )?(?P<name>{_NAMES})(?![\w'’-])", re.IGNORECASE)


def with_holidays(text: Mapped, source: str) -> Mapped:
    """A summary with days as the source writes the same ones, by their dates or as holidays."""
    names, dates = _holidays(source), _dates(source)
    pieces = [
        Piece(names[day.date], *day.match.span())
        for day in (days(text.text) if names else ())
        if day.date in names and day.date not in dates
    ]
    for match, date in _named(text.text) if dates else ():
        if date in dates and date not in names:
            pieces.append(Piece(dates[date], *match.span()))
    return replace_pieces(text, sorted(pieces, key=lambda piece: piece.start))


@lru_cache(maxsize=16)
def _dates(source: str) -> dict[tuple[int, int], str]:
    """The days of a source, each with how it is written."""
    return {day.date: day.match.group() for day in days(source)}


@lru_cache(maxsize=16)
def _holidays(source: str) -> dict[tuple[int, int], str]:
    """The dates of the holidays of a source, each with the name that it has there."""
    dates = _dates(source)
    return {
        date: match.group()
        for match, date in _named(source)
        if date in dates or _key(match["name"]) not in _OF_SEVERAL_DATES
    }


def _named(text: str) -> Iterator[tuple[re.Match[str], tuple[int, int]]]:
    for match in _NAME.finditer(text):
        key = _key(match["name"])
        yield match, next(date for name, date in _DATES.items() if _key(name) == key)


def _key(name: str) -> str:
    """A holiday's name without apostrophes and without "St"."""
    return plain_letters(name).replace("'", "").replace("’", "").removeprefix("st ")
