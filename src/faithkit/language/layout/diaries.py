"""Entries of diaries and logs: a day without a month has that of the entry before or of a heading,
and each short sentence of an entry has its day: "2 Jan. Snow.\\n3rd. Thaw. Sold the calf." is
"2 Jan: Snow.\\n3rd Jan: Thaw. 3rd Jan: Sold the calf."
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from faithkit.language.calendar_words import MONTH, MONTHS, WEEKDAY_LIKE
from faithkit.language.mapped import Mapped, Piece, replace_pieces
from faithkit.language.sentences import closed_sentences

_MONTH = "|".join(rf"{name[:3]}(?:{name[3:]}|t)?\b" for name in MONTHS)
_ENTRY = re.compile(
    rf"^(?P<date>(?P<weekday>{WEEKDAY_LIKE}\.?,? )?(?:the )?"
    r"(?P<day>3[01]|[12]\d|[1-9])(?P<suffix>st|nd|rd|th)?"
    rf"(?: (?P<month>{_MONTH}))?)(?P<rest>(?:\.(?= \d{{4}}))?,? (?P<year>1[4-9]\d\d|20\d\d))?"
    r"(?P<mark>[.:,]| [–-])(?= +[^\s\d])",
    re.MULTILINE | re.ASCII,
)
_HEADING = re.compile(
    rf"^(?P<month>{MONTH})(?:,? (?P<year>1[4-9]\d\d|20\d\d))?:?[ \t]*$", re.MULTILINE
)
_FIRST_WORD = re.compile(r"[\w'’-]+")
MOST_DAYS = 7
"""Between two entries of which the later is a number alone."""
LONGEST = 80
"""Characters of a sentence that an entry's day is read with."""


class _Day(NamedTuple):
    """The day of an entry, 0 of a heading, with the month and the year as they are written."""

    day: int
    month: str
    year: str


class _Entry(NamedTuple):
    """The beginning of an entry, and the month that it lacks, or ""."""

    match: re.Match[str]
    lacks: str


def with_days(text: Mapped) -> Mapped:
    """A source with the month of each entry, and its day before each of its short sentences."""
    entries = list(_entries(text.text))
    if len(entries) < 2:
        return text
    return replace_pieces(text, [piece for entry in entries for piece in _pieces(text.text, entry)])


def _entries(text: str) -> Iterator[_Entry]:
    """The entries of a diary in their order."""
    last: _Day | None = None
    for match in sorted([*_ENTRY.finditer(text), *_HEADING.finditer(text)], key=re.Match.start):
        month, year = match["month"] or "", match["year"] or ""
        if match.re is _HEADING:
            last = _Day(0, month, year)
            continue
        day = int(match["day"])
        if month:
            last = _Day(day, month, year or (last.year if last else ""))
            yield _Entry(match, "")
        elif last and _follows(match, day, last):
            last = last._replace(day=day)
            yield _Entry(match, f" {last.month}{' ' * bool(last.year)}{last.year}")
        else:
            last = None


def _follows(match: re.Match[str], day: int, last: _Day) -> bool:
    """Whether a day without a month comes after the last one: a number alone, which may be that of
    a list, within a week of an entry, with a point or a colon."""
    if match["year"] or day <= last.day:
        return False
    if match["weekday"] or match["suffix"]:
        return True
    return last.day > 0 and day <= last.day + MOST_DAYS and match["mark"] in ".:"


def _pieces(text: str, entry: _Entry) -> Iterator[Piece]:
    match = entry.match
    end = match.end("rest") if match["rest"] else match.end("date")
    written = text[match.start() : end].replace(".,", ",") + entry.lacks
    yield Piece(
        f"{text[match.end('date') : end]}{entry.lacks}: "[:-1], match.end("date"), match.end()
    )
    start = match.end()
    line_end = text.find("\n", start) % (len(text) + 1)
    for sentence in closed_sentences(text[start:line_end])[1:]:
        first = _FIRST_WORD.match(sentence.text)
        if first and len(sentence.text) <= LONGEST:
            place = start + sentence.start
            yield Piece(f"{written}: {first.group()}", place, place + first.end())
