"""One checked summary as plain text and as an HTML fragment, for notebooks and messages.

Both show what `faithkit check` shows, with the same texts (`explained.py`). The fragment draws
marks like the pages: numbered, underlined by grade of doubt, and shaded.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from faithkit.control import neutral
from faithkit.records import Example, Outcome, Score
from faithkit.report.explained import (
    EMPTY,
    Explained,
    explained,
    least_supported_lines,
    left_out_lines,
    unmarked_line,
    verdict_lines,
    with_marks,
)
from faithkit.report.marks import Mark, marks_of
from faithkit.report.pages import template_of
from faithkit.report.views import ShownMetric

WIDTH = 100
"""The width of the plain text, in columns."""

DEEPEST = 42
"""The opacity of a mark with a doubt of 1, in percent."""


def as_text(example: Example, scores: Sequence[Score], metrics: Mapping[str, ShownMetric]) -> str:
    """The summary with marks as `[1: words]`, then the evidence of each mark, the verdicts, the
    reasons for missing scores, and the values. Control characters are made visible.

    metrics  how each metric is shown, by its label
    """
    marks = marks_of(example.summary, scores)
    lines = [*_wrapped(with_marks(example.summary, marks) or EMPTY), ""]
    for note in explained(example, scores, marks, metrics):
        lines += _wrapped(f"{note.number}: {note.words}{note.doubtful}", "  ")
        for detail in note.details:
            lines += _wrapped(detail, "     ")
    if not marks and (line := unmarked_line(scores, metrics)):
        lines += _wrapped(line)
    for line, indent in zip(least_supported_lines(example, scores), ("", "  "), strict=False):
        lines += _wrapped(line, indent)
    if lines[-1]:
        lines.append("")
    for verdict, why in verdict_lines(example, scores, metrics):
        lines += [line for text in (verdict, why) if text for line in _wrapped(text)]
    valued = [score for score in scores if score.value is not None]
    lines += [f"{name}: {value} ({unit})" for name, value, unit in value_rows(valued, metrics)]
    for line in left_out_lines(scores, metrics):
        lines += _wrapped(line)
    return neutral("\n".join(lines).strip("\n"))


def as_html(example: Example, scores: Sequence[Score], metrics: Mapping[str, ShownMetric]) -> str:
    """As `as_text`, but as an HTML fragment without scripts; every text is escaped."""
    marks = marks_of(example.summary, scores)
    notes = list(explained(example, scores, marks, metrics))
    return template_of("marked.html").render(
        verdicts=verdict_lines(example, scores, metrics),
        pieces=list(_pieces(example.summary, notes)),
        notes=notes,
        unmarked=unmarked_line(scores, metrics),
        least_supported=least_supported_lines(example, scores),
        rows=value_rows(scores, metrics),
        left_out=left_out_lines(scores, metrics),
    )


def value_rows(
    scores: Sequence[Score], metrics: Mapping[str, ShownMetric]
) -> list[tuple[str, str, str]]:
    """For each score, the metric's name, the value or "unscored", and the unit or the outcome."""
    return [
        (
            metrics[score.metric].title,
            "unscored" if score.value is None else f"{score.value:.4f}",
            metrics[score.metric].unit if score.outcome is Outcome.OK else str(score.outcome),
        )
        for score in scores
    ]


def _wrapped(text: str, indent: str = "") -> list[str]:
    """The text in lines of at most WIDTH columns; its own line breaks are kept."""
    lines: list[str] = []
    for line in text.splitlines() or [""]:
        lines += textwrap.wrap(
            line, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        ) or [""]
    return lines


def _pieces(summary: str, notes: Sequence[Explained]) -> Iterator[dict[str, Any]]:
    """The marked and unmarked pieces of the summary, in order, for the template."""
    position = 0
    for note in sorted(notes, key=lambda note: note.mark.start):
        mark = note.mark
        yield {"text": summary[position : mark.start], "mark": None}
        yield {
            "text": summary[mark.start : mark.end],
            "mark": note.number,
            "grade": _grade(mark),
            "shade": round(DEEPEST * _doubt(mark)),
            "title": f"unsupported{note.doubtful}",
        }
        position = mark.end
    yield {"text": summary[position:].rstrip() or ("" if notes else EMPTY), "mark": None}


def _doubt(mark: Mark) -> float:
    """The doubt of a mark, 0..1; 0.5 if no metric gives a number."""
    return 0.5 if mark.doubt is None else mark.doubt


def _grade(mark: Mark) -> int:
    """The grade of doubt that the underline shows: 3 from 75%, 2 from 50%, else 1."""
    return 1 + (_doubt(mark) >= 0.5) + (_doubt(mark) >= 0.75)
