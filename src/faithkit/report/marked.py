"""One checked summary as plain text and as an HTML fragment, for notebooks and messages.

Both show what `faithkit check` shows, in its words (`explained.py`); the fragment draws the marks
as the pages do: numbered, underlined by grade of doubt, and shaded.
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
    Named,
    explained,
    least_supported_lines,
    unmarked_line,
    verdict_lines,
    with_marks,
)
from faithkit.report.marks import Mark, marks_of

WIDTH = 100
"""Columns of the plain text."""

DEEPEST = 42
"""Opacity of a mark of full doubt, in percent."""


def as_text(example: Example, scores: Sequence[Score], metrics: Mapping[str, Named]) -> str:
    """The summary with marks as `[1: words]`, each mark with its evidence, the verdicts, why there
    is no score, and the values. Control characters are visible.

    metrics  how each metric is shown, by its label
    """
    names = {label: metric.name for label, metric in metrics.items()}
    marks = marks_of(example.summary, scores)
    lines = [*_wrapped(with_marks(example.summary, marks) or EMPTY), ""]
    for note in explained(example, scores, marks, names):
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
        lines += [line for said in (verdict, why) if said for line in _wrapped(said)]
    lines += [f"{name}: {value} ({unit})" for name, value, unit in value_rows(scores, metrics)]
    return neutral("\n".join(lines).strip("\n"))


def as_html(example: Example, scores: Sequence[Score], metrics: Mapping[str, Named]) -> str:
    """The same as a fragment of HTML without script; every text is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    names = {label: metric.name for label, metric in metrics.items()}
    marks = marks_of(example.summary, scores)
    notes = list(explained(example, scores, marks, names))
    environment = Environment(
        loader=PackageLoader("faithkit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("marked.html").render(
        verdicts=verdict_lines(example, scores, metrics),
        pieces=list(_pieces(example.summary, notes)),
        notes=notes,
        unmarked=unmarked_line(scores, metrics),
        least_supported=least_supported_lines(example, scores),
        rows=value_rows(scores, metrics),
    )


def value_rows(scores: Sequence[Score], metrics: Mapping[str, Named]) -> list[tuple[str, str, str]]:
    """Of each metric its name, its value (or why there is none) and what the number means."""
    return [
        (
            metrics[score.metric].name,
            "unscored" if score.value is None else f"{score.value:.4f}",
            metrics[score.metric].unit if score.outcome is Outcome.OK else str(score.outcome),
        )
        for score in scores
    ]


def _wrapped(text: str, indent: str = "") -> list[str]:
    """The lines of a text at most WIDTH columns wide; its own line ends stay."""
    lines: list[str] = []
    for line in text.splitlines() or [""]:
        lines += textwrap.wrap(
            line, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        ) or [""]
    return lines


def _pieces(summary: str, notes: Sequence[Explained]) -> Iterator[dict[str, Any]]:
    """The summary in pieces, marked and not, in order."""
    place = 0
    for note in sorted(notes, key=lambda note: note.mark.start):
        mark = note.mark
        yield {"text": summary[place : mark.start], "mark": None}
        yield {
            "text": summary[mark.start : mark.end],
            "mark": note.number,
            "grade": _grade(mark),
            "shade": round(DEEPEST * _doubt(mark)),
            "title": f"unsupported{note.doubtful}",
        }
        place = mark.end
    yield {"text": summary[place:].rstrip() or ("" if notes else EMPTY), "mark": None}


def _doubt(mark: Mark) -> float:
    return 0.5 if mark.doubt is None else mark.doubt


def _grade(mark: Mark) -> int:
    """3 from 75% of doubt, 2 from 50%, else 1: what the underline shows."""
    return 1 + (_doubt(mark) >= 0.5) + (_doubt(mark) >= 0.75)
