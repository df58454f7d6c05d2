"""Tables within a text, row by row: of Markdown, of HTML after `markup.py`, of tabs, and CSV.

What lives here: where the cells are. What does not: what they mean (`currencies.py`, `yes_no.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

SEPARATORS = "|\t;,"
"""What is between cells; the first of these that a line has."""

_CELL = {
    separator: re.compile(rf'[ \t]*"(?:[^"\n]|"")*"[ ]*(?=[{separator}]|$)|[^{separator}]*')
    for separator in map(re.escape, SEPARATORS)
}
_DIGIT = re.compile(r"\d")


class Cell(NamedTuple):
    """What is written in a cell, without blanks and quotes around it, and where."""

    start: int
    end: int
    text: str


Row = list[Cell]
"""The cells of a line; of one table all rows have the same number of them."""


class _Line(NamedTuple):
    """A line with cells; `kind` is what is between them, nothing of a line without any.

    is_new  whether a table may begin here: a blank line is before it, or a divider below it
    """

    kind: str
    row: Row
    is_new: bool


@lru_cache(maxsize=4)
def tables(text: str) -> tuple[list[Row], ...]:
    """The tables of a text, of two rows at least. The first row is the header."""
    return tuple(_tables(text))


def _tables(text: str) -> Iterator[list[Row]]:
    table: list[Row] = []
    kind = ""
    for line in _lines(text):
        is_next = table and line.kind == kind and len(line.row) == len(table[0])
        if not is_next or line.is_new:
            if len(table) > 1:
                yield table
            table = []
        if line.kind:
            table.append(line.row)
        kind = line.kind
    if len(table) > 1:
        yield table


def _lines(text: str) -> Iterator[_Line]:
    """The lines of a text but dividers and, in a table with bars, blank ones. A row without digits
    after a blank line, or before a divider, is a header."""
    lines = text.split("\n")
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    blank = False
    for start, (line, following) in zip(starts, pairwise([*lines, ""]), strict=False):
        if _is_divider(line):
            continue
        if not line.strip():
            blank = True
            continue
        kind, row = _row(line, start)
        is_header = not any(_DIGIT.search(cell.text) for cell in row)
        is_new = (blank and (kind != "|" or is_header)) or (
            _is_divider(following) and "+" not in following
        )
        yield _Line(kind, row, is_new)
        blank = False


def _is_divider(line: str) -> bool:
    """Whether a line only divides rows: "|---|--:|", "+----+----+"."""
    return "-" in line and ("|" in line or "+" in line) and not line.strip("|+-=: \t\r")


def _row(line: str, start: int) -> tuple[str, Row]:
    """What is between the cells of a line, and the cells; nothing where nothing is between any."""
    kind = next((separator for separator in SEPARATORS if separator in line.strip()), "")
    if not kind:
        return "", []
    first = line.index("|") + 1 if kind == "|" and line.lstrip()[0] == "|" else 0
    last = line.rindex("|") if kind == "|" and line.rstrip()[-1] == "|" else len(line)
    row = [_cell(line, start, *span) for span in _spans(line[:last], kind, first)]
    return (kind, row) if row else ("", [])


def _spans(line: str, separator: str, place: int) -> Iterator[tuple[int, int]]:
    """Where the cells of a line are."""
    pattern = _CELL[re.escape(separator)]
    while place <= len(line):
        end = match.end() if (match := pattern.match(line, place)) else len(line)
        yield place, end
        place = end + 1


def _cell(line: str, start: int, first: int, end: int) -> Cell:
    written = line[first:end]
    text = written.strip()
    first += len(written) - len(written.lstrip())
    if len(text) > 1 and text[0] == text[-1] == '"':
        text, first = text[1:-1], first + 1
    return Cell(start + first, start + first + len(text), text)


def column(table: Sequence[Row], place: int) -> list[Cell]:
    """The cells of a column below the header."""
    return [row[place] for row in table[1:]]
