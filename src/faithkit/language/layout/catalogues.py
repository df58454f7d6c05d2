"""Entries of a catalogue: a name in capitals over a few short lines, between blank lines. Each line
is read with the name, as "TEAPOT - On loan until May", since the entry below it is another's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from faithkit.language.mapped import Mapped, Piece, replace_pieces
from faithkit.language.sentences import ends_sentence

LEAST_ENTRIES, LEAST_LINES = 2, 2
"""Entries of a text, and lines below the name of each, from which they are read so."""

LONGEST, MOST_WORDS = 60, 8
"""Characters and words of a line."""

_NUMBER = re.compile(r"(?:(?:No|Cat|Lot|Item)\.? ?)?\d{1,4}[.)]?", re.IGNORECASE)
_MARK = re.compile(r"[-*+•#>|]|\d{1,2}[.)] ")
_WORD = re.compile(r"\w+|[^\s\w]\S*")


class _Line(NamedTuple):
    """The characters of a line without the blanks around it, and where it begins."""

    text: str
    start: int


def with_entries(text: Mapped) -> Mapped:
    """The text with the name of its entry before each line of a catalogue."""
    entries = list(_entries(text.text))
    if len({name.text for name, _ in entries}) < max(LEAST_ENTRIES, len(entries)):
        return text
    return replace_pieces(
        text, [_named(name.text, line) for name, lines in entries for line in lines]
    )


def _named(name: str, line: _Line) -> Piece:
    """The name and the first word of a line, in place of that word."""
    first = _WORD.match(line.text)
    word = first.group() if first else line.text
    return Piece(f"{name} - {word}", line.start, line.start + len(word))


def _entries(text: str) -> Iterator[tuple[_Line, Sequence[_Line]]]:
    """The name of each entry, which a number may be above, and the lines below it."""
    for paragraph in _paragraphs(text):
        lines = paragraph[1:] if _NUMBER.fullmatch(paragraph[0].text) else paragraph
        if len(lines) <= LEAST_LINES or not lines[0].text.isupper():
            continue
        if all(_is_short(line.text) for line in lines):
            yield lines[0], lines[1:]


def _is_short(text: str) -> bool:
    """Whether a line is a few words that end no sentence and have no label or mark."""
    if len(text) > LONGEST or len(text.split()) > MOST_WORDS or ":" in text or "\t" in text:
        return False
    return not ends_sentence(text) and _MARK.match(text) is None


def _paragraphs(text: str) -> Iterator[list[_Line]]:
    """The lines between blank ones."""
    paragraph: list[_Line] = []
    start = 0
    for line in [*text.split("\n"), ""]:
        if stripped := line.strip():
            paragraph.append(_Line(stripped, start + line.index(stripped)))
        elif paragraph:
            yield paragraph
            paragraph = []
        start += len(line) + 1
