"""Headings over a few short fragments, as of a catalogue, a notice or a horoscope: "Bring a pen."
is said of the "Quiz night" above it. What does not live here: labels of lists (`labels.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from faithkit.language.words import Segment

MOST_WORDS = 6
"""Words of a heading, without what is in brackets."""

LEAST_ENTRIES = 2
"""Entries in a row from which their headings belong to what is below them."""

LONGEST_FRAGMENT, LONGEST_ENTRY = 8, 60
"""Words of an entry's sentences on average, and of all of them: prose has more."""

_NUMBER = re.compile(r"\d{1,3}[.)]")
_HEADING = re.compile(r"(?P<name>[A-Z][^:;.!?\"()]*?)(?: \([^()]*\))?")
_LABEL = re.compile(r"(?P<name>[A-Z][^:;.!?\"()]{0,60}?)(?: \([^()]{1,60}\))?: (?=\S)")


class _Entry(NamedTuple):
    """A heading and what is below it or, after a colon, beside it.

    first, last  its sentences without the heading: the first and the one after the last
    beside       whether a sentence is beside the heading
    """

    name: str
    first: int
    last: int
    beside: bool


def heading_of_fragments(pieces: Sequence[Segment], text: str) -> list[str]:
    """[sentences of a text], the heading that a short sentence belongs to; "" of one that has its
    heading or a label itself, unless several entries have that ("Lucky number: 7"), and of all
    others."""
    names = [""] * len(pieces)
    for row in _rows(list(_entries(pieces, text))):
        if not _are_entries(pieces, row):
            continue
        labels = [[_label(piece) for piece in pieces[one.first : one.last]] for one in row]
        counts = Counter(label for found in labels for label in set(found))
        for entry, found in zip(row, labels, strict=True):
            for place, label in enumerate(found, entry.first):
                names[place] = entry.name if not label or counts[label] > 1 else ""
    return names


def _are_entries(pieces: Sequence[Segment], row: Sequence[_Entry]) -> bool:
    """Whether each has a heading of its own and short sentences, and one has several."""
    if len({entry.name for entry in row}) < max(LEAST_ENTRIES, len(row)):
        return False
    sizes = [entry.last - entry.first for entry in row]
    counts = [
        sum(len(piece.text.split()) for piece in pieces[entry.first : entry.last]) for entry in row
    ]
    is_short = sum(counts) <= LONGEST_FRAGMENT * sum(sizes) and max(counts) <= LONGEST_ENTRY
    return is_short and max(sizes) + row[0].beside > 1


def _rows(entries: Sequence[_Entry | None]) -> Iterator[list[_Entry]]:
    """Entries of one form in a row."""
    row: list[_Entry] = []
    for entry in entries:
        if row and (entry is None or entry.beside != row[0].beside):
            yield row
            row = []
        if entry is not None:
            row.append(entry)
    if row:
        yield row


def _entries(pieces: Sequence[Segment], text: str) -> Iterator[_Entry | None]:
    """The entries of a text; None for another paragraph."""
    paragraphs = _paragraphs(pieces, text)
    above = ""
    for first, last in paragraphs:
        label, heading = _label(pieces[first]), _heading(pieces, (first, last))
        if label:
            yield _Entry(label, first + 1, last, beside=True)
        elif above and not heading:
            yield _Entry(above, first, last, beside=False)
        elif not heading or above:
            yield None
        above = heading


def _label(piece: Segment) -> str:
    """The words before the colon that a sentence begins with, if they are a label."""
    found = _LABEL.match(piece.text)
    return found["name"] if found and len(found["name"].split()) <= MOST_WORDS else ""


def _heading(pieces: Sequence[Segment], paragraph: tuple[int, int]) -> str:
    """The words of a paragraph that is a heading, without its number and what is in brackets."""
    first, last = paragraph
    found = _HEADING.fullmatch(pieces[first].text) if last == first + 1 else None
    return found["name"] if found and len(found["name"].split()) <= MOST_WORDS else ""


def _paragraphs(pieces: Sequence[Segment], text: str) -> list[tuple[int, int]]:
    """The sentences of each paragraph without its number: the first and the one after the last."""
    if not pieces:
        return []
    starts = [
        place
        for place, piece in enumerate(pieces)
        if place == 0 or "\n" in text[pieces[place - 1].end : piece.start]
    ]
    spans = zip(starts, [*starts[1:], len(pieces)], strict=True)
    return [
        (first + (last > first + 1 and bool(_NUMBER.fullmatch(pieces[first].text))), last)
        for first, last in spans
    ]
