"""Human-marked spans: located in the summary by text, merged over annotators, counted in words.

Releases mark spans in three ways: by offsets, by text with offsets that are off by a little, and by
text alone. What each release does is in its reader.
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
"""Start and end in the summary's characters, and the kind of error."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def locate(summary: str, piece: str, near: int = 0) -> tuple[int, int] | None:
    """The occurrence of `piece` in `summary` that starts nearest to `near`; None if absent."""
    piece = piece.strip()
    if not piece:
        return None
    starts = [match.start() for match in re.finditer(f"(?={re.escape(piece)})", summary)]
    if not starts:
        return None
    start = min(starts, key=lambda at: (abs(at - near), at))
    return start, start + len(piece)


def union(summary: str, marks: Iterable[Mark]) -> tuple[Span, ...]:
    """The characters that anyone marked, as spans without white space at their ends.

    Touching and overlapping marks become one span; its label is the kind that marks most of its
    characters (the first in the alphabet on a tie). Marks that reach past the summary are clipped.
    """
    size = len(summary)
    clipped = ((max(0, start), min(size, end), kind) for start, end, kind in marks)
    kept = sorted(mark for mark in clipped if mark[0] < mark[1])
    runs: list[list[Mark]] = []
    for mark in kept:
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
    """The characters of the runs of words that a text made by deletion from `summary` lacks.

    Words are aligned without regard to case; a possessive belongs to its word.
    """
    places = [match.span() for match in _WORD.finditer(summary)]
    words = [summary[start:end].casefold() for start, end in places]
    left = [match[0].casefold() for match in _WORD.finditer(remaining)]
    changes = SequenceMatcher(None, words, left, autojunk=False).get_opcodes()
    return [
        (places[start][0], places[end - 1][1])
        for change, start, end, _, _ in changes
        if change in ("delete", "replace")
    ]


def share_outside(summary: str, marks: Sequence[tuple[int, int]]) -> float:
    """The share of the summary's words (split at white space) that no mark touches, 0 to 1.

    A summary without a word has nothing that is hallucinated: 1.0.
    """
    words = [match.span() for match in re.finditer(r"\S+", summary)]
    if not words:
        return 1.0
    free = sum(not any(low < end and start < high for low, high in marks) for start, end in words)
    return free / len(words)


def texts(cell: str) -> list[str] | None:
    """The texts of a Python list that a release wrote into a cell: `['a', 'b']`, `[nan, 'a']`.

    `nan` (an annotator who marked nothing) is left out. None if the cell is no such list.
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
    """The spans of a cell that lists texts (none if it is empty), and what goes to `meta`:
    `annotated_span` and `spans_not_found`. A label names the type of error where there is one."""
    cell = row.values.get(field)
    pieces = texts(row.text(field)) if cell else []
    if pieces is None:
        raise row.wrong(field, "a list of the spans' texts, or nothing")
    spans, absent = from_texts(summary, pieces, types[0] if len(types) == 1 else "unsupported")
    return spans, {"annotated_span": pieces, "spans_not_found": absent}


def from_texts(
    summary: str, pieces: Sequence[str], kind: str
) -> tuple[tuple[Span, ...], list[str]]:
    """Spans of pieces that are given by text alone, and the pieces that the summary does not hold.

    A piece that occurs twice is taken at its first place.
    """
    marks: list[Mark] = []
    absent = []
    for piece in pieces:
        place = locate(summary, piece)
        if place is None:
            absent.append(piece)
        else:
            marks.append((*place, kind))
    return union(summary, marks), absent
