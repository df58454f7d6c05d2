"""Spans that people marked: located in the summary by their text, merged over annotators, counted
in words.

Releases give spans in three ways: by offsets, by text with inexact offsets, and by text alone. Each
reader handles the way of its release.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from faithkit.fields import Row
from faithkit.records import Span

Mark = tuple[int, int, str]
"""The start and the end in characters of the summary, and the kind of error."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def locate(summary: str, piece: str, near: int = 0) -> tuple[int, int] | None:
    """The occurrence of `piece` in `summary` that starts nearest to `near`; None if absent."""
    piece = piece.strip()
    if not piece:
        return None
    starts = [match.start() for match in re.finditer(f"(?={re.escape(piece)})", summary)]
    if not starts:
        return None
    start = min(starts, key=lambda offset: (abs(offset - near), offset))
    return start, start + len(piece)


def union(summary: str, marks: Iterable[Mark]) -> tuple[Span, ...]:
    """The characters that any annotator marked, as spans without white space at their ends.

    Adjacent and overlapping marks become one span. Its label is the kind that marks most of its
    characters, or of several such kinds the first in alphabetical order. Marks that extend beyond
    the summary are clipped.
    """
    size = len(summary)
    clipped = ((max(0, start), min(size, end), kind) for start, end, kind in marks)
    non_empty = sorted(mark for mark in clipped if mark[0] < mark[1])
    runs: list[list[Mark]] = []
    for mark in non_empty:
        if runs and mark[0] <= max(end for _, end, _ in runs[-1]):
            runs[-1].append(mark)
        else:
            runs.append([mark])
    spans = []
    for run in runs:
        start, end = run[0][0], max(end for _, end, _ in run)
        text = summary[start:end]
        start, end = end - len(text.lstrip()), start + len(text.rstrip())
        if start < end:
            weight: Counter[str] = Counter()
            for mark_start, mark_end, kind in run:
                weight[kind] += mark_end - mark_start
            label = min(weight, key=lambda kind: (-weight[kind], kind))
            spans.append(Span(start, end, label))
    return tuple(spans)


def removed_words(summary: str, remaining: str) -> list[tuple[int, int]]:
    """The runs of words of `summary` that are missing from `remaining`, a text made from it by
    deletion, as start and end in characters.

    Words are aligned without regard to case; a possessive ending belongs to its word.
    """
    spans = [match.span() for match in _WORD.finditer(summary)]
    words = [summary[start:end].casefold() for start, end in spans]
    remaining_words = [match[0].casefold() for match in _WORD.finditer(remaining)]
    changes = SequenceMatcher(None, words, remaining_words, autojunk=False).get_opcodes()
    return [
        (spans[start][0], spans[end - 1][1])
        for change, start, end, _, _ in changes
        if change in ("delete", "replace")
    ]


def share_outside(summary: str, marks: Sequence[tuple[int, int]]) -> float:
    """The share of the summary's words (split at white space) that do not overlap with a mark, 0 to
    1; 1.0 for a summary without words."""
    words = [match.span() for match in re.finditer(r"\S+", summary)]
    if not words:
        return 1.0
    unmarked = sum(
        not any(low < end and start < high for low, high in marks) for start, end in words
    )
    return unmarked / len(words)


def texts(cell: str) -> list[str] | None:
    """The texts of a cell that holds the source code of a Python list: `['a', 'b']`, `[nan, 'a']`.

    `nan`, for an annotator who marked nothing, is left out. None if the cell is not such a list.
    """
    try:
        tree = ast.parse(cell.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(tree, ast.List):
        return None
    strings = []
    for item in tree.elts:
        if isinstance(item, ast.Constant) and isinstance(item.value, str):
            strings.append(item.value)
        elif not (isinstance(item, ast.Name) and item.id == "nan"):
            return None
    return strings


def annotated(
    row: Row, field: str, summary: str, types: Sequence[str]
) -> tuple[tuple[Span, ...], dict[str, list[str]]]:
    """The spans of a cell that lists their texts, and the fields for `meta`: `annotated_span`, the
    texts, and `spans_not_found`. Without spans if the cell is empty.

    types  the error types of the summary. If there is exactly one, it is the label of the spans
    """
    cell = row.values.get(field)
    pieces = texts(row.text(field)) if cell else []
    if pieces is None:
        raise row.wrong(field, "a list of the spans' texts, or nothing")
    spans, absent = from_texts(summary, pieces, types[0] if len(types) == 1 else "unsupported")
    return spans, {"annotated_span": pieces, "spans_not_found": absent}


def from_texts(
    summary: str, pieces: Sequence[str], kind: str
) -> tuple[tuple[Span, ...], list[str]]:
    """The spans of pieces that are given by their text, and the pieces that do not occur in the
    summary. Of several occurrences of a piece, the first is taken."""
    marks: list[Mark] = []
    absent = []
    for piece in pieces:
        span = locate(summary, piece)
        if span is None:
            absent.append(piece)
        else:
            marks.append((*span, kind))
    return union(summary, marks), absent
