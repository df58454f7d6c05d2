"""The JSON view of a row, an example with its scores, for pages and the app.

These types are the only ones that the scripts in `assets/` read. Offsets are in UTF-16 code units,
as in JavaScript, not in Unicode characters.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from faithkit.records import (
    UNITS,
    Evidence,
    Example,
    Outcome,
    Score,
    Signature,
    probability_of,
    verdict_of,
)
from faithkit.report.human import FIELD, HumanSpan, human_spans
from faithkit.report.marks import (
    BEST_MATCH,
    FURTHER,
    best_evidence,
    least_supported,
    marks_of,
    nearest_words,
)
from faithkit.report.outcomes import reason

Offset = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class ShownMetric:
    """A metric as it is shown.

    label               the field `metric` of its scores
    unit                what the number means; "" if unknown
    bounds              the least and the greatest possible value; None: use the range of the values
    signature           the signature of its numbers; None if unknown
    trained_on          the names of its training data; None if unknown
    title               its name for people; the label if none is given
    verdict_thresholds  the probabilities from which its verdict is "undecided" and "consistent";
                        None if it gives none, or does not say from where
    marks_words         whether it marks unsupported words
    """

    label: str
    unit: str = ""
    bounds: tuple[float, float] | None = None
    signature: Signature | None = None
    trained_on: tuple[str, ...] | None = None
    title: str = ""
    verdict_thresholds: tuple[float, float] | None = None
    marks_words: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.label)


class EvidenceView(TypedDict):
    """Characters of the source. `score` is on the metric's own scale, not comparable between
    metrics."""

    start: int
    end: int
    label: str
    score: float | None


class MarkView(TypedDict):
    """Marked words of the summary.

    number    the number of the mark in the row, as in `faithkit check`; 1 is the most doubtful
    doubt     the greatest doubt of any metric, 0..1; None if no metric gives a number
    by        the doubt of each metric, 0..1 or None
    evidence  the best first
    """

    start: int
    end: int
    number: int
    doubt: float | None
    by: dict[str, float | None]
    evidence: list[EvidenceView]


class SentenceView(TypedDict):
    """A sentence of the summary with its source sentences, the best first."""

    start: int
    end: int
    evidence: list[EvidenceView]


class LeastSupportedView(TypedDict):
    """The least supported sentence of a summary without marks: the probability that it is
    supported, and the characters of the nearest source sentence."""

    start: int
    end: int
    supported: float | None
    source_start: int
    source_end: int


class HumanSpanView(TypedDict):
    """Words that a person marked: the kind of error and the annotator ("" if unknown)."""

    start: int
    end: int
    kind: str
    annotator: str
    error: bool


class ScoreView(TypedDict):
    """The score of a metric. `why` is a sentence that says why the value is not an ordinary one, ""
    if it is; `cut` says how much text was truncated, "" if none was."""

    metric: str
    value: float | None
    outcome: str
    why: str
    verdict: str | None
    probability: float | None
    parts: dict[str, float]
    cut: str
    texts: dict[str, str]


class RowView(TypedDict):
    """A row as it is shown.

    label         1 consistent, 0 not consistent, None if unlabelled
    marks, human  in the order of the text
    annotated     whether people searched the summary for errors, even if they marked none
    problem       why the human spans cannot be shown; "" if they can
    """

    id: str
    system: str | None
    document: str
    summary: str
    source: str
    label: int | None
    rating: float | None
    fields: dict[str, str]
    scores: list[ScoreView]
    marks: list[MarkView]
    sentences: list[SentenceView]
    least_supported: LeastSupportedView | None
    human: list[HumanSpanView]
    annotated: bool
    problem: str


def row_view(
    example: Example, scores: Sequence[Score], metrics: Sequence[ShownMetric] = ()
) -> RowView:
    """The view of an example with its scores.

    metrics  how the metrics are shown; a metric that is not among them is shown by its label only
    """
    shown = {metric.label: metric for metric in metrics}
    at_summary, at_source = _utf16(example.summary), _utf16(example.source)
    items = [item for score in scores for item in score.evidence]
    marked, problem = human_spans(example)
    return {
        "id": example.id,
        "system": example.system or _name(example.meta.get("system")),
        "document": example.document,
        "summary": example.summary,
        "source": example.source,
        "label": example.label,
        "rating": example.rating,
        "fields": named_fields(example),
        "scores": [
            score_view(example, score, shown.get(score.metric, ShownMetric(score.metric)))
            for score in scores
        ],
        "marks": _marks(example, scores, items, at_summary, at_source),
        "sentences": _sentences(items, at_summary, at_source),
        "least_supported": _least_supported(scores, at_summary, at_source),
        "human": [_human(span, at_summary) for span in marked],
        "annotated": bool(marked) or (not problem and isinstance(example.meta.get(FIELD), list)),
        "problem": problem,
    }


def score_view(example: Example, score: Score, metric: ShownMetric) -> ScoreView:
    """The view of one score of an example."""
    return {
        "metric": score.metric,
        "value": score.value,
        "outcome": str(score.outcome),
        "why": reason(example, score),
        "verdict": verdict_of(score.parts),
        "probability": probability_of(score, metric.unit) if score.outcome is Outcome.OK else None,
        "parts": dict(score.parts),
        "cut": _cut(score),
        "texts": dict(score.texts),
    }


def named_fields(example: Example) -> dict[str, str]:
    """The short fields of a row besides its texts: domain, dataset, split, ..."""
    return {
        name: str(value)
        for name, value in example.meta.items()
        if isinstance(value, str | int | float | bool)
        and len(str(value)) <= 80
        and name != "system"
    }


def _name(value: Any) -> str | None:
    return str(value) if isinstance(value, str | int) and value != "" else None


def _cut(score: Score) -> str:
    counts = ((unit, getattr(score.coverage, f"{unit}_cut")) for unit in UNITS)
    return ", ".join(f"{count} {unit.replace('_', ' ')}" for unit, count in counts if count)


def _marks(
    example: Example,
    scores: Sequence[Score],
    items: Sequence[Evidence],
    at_summary: Offset,
    at_source: Offset,
) -> list[MarkView]:
    """The marks in the order of the text, numbered by doubt."""
    views: list[MarkView] = []
    numbered = enumerate(marks_of(example.summary, scores), start=1)
    for number, mark in sorted(numbered, key=lambda item: item[1].start):
        best = best_evidence(mark, items)
        evidence = [best] if best else []
        evidence += nearest_words(mark, items)
        views.append(
            {
                "start": at_summary(mark.start),
                "end": at_summary(mark.end),
                "number": number,
                "doubt": mark.doubt,
                "by": dict(mark.by),
                "evidence": _distinct(evidence, at_source),
            }
        )
    return views


def _sentences(
    items: Sequence[Evidence], at_summary: Offset, at_source: Offset
) -> list[SentenceView]:
    """The sentences of the summary for which a metric gave source sentences. Of overlapping
    sentences, if metrics divide the summary differently, only the first is included."""
    by_span: dict[tuple[int, int], list[Evidence]] = {}
    for item in items:
        if item.label in (BEST_MATCH, FURTHER):
            by_span.setdefault((item.summary_start, item.summary_end), []).append(item)
    sentences: list[SentenceView] = []
    last = 0
    for (start, end), evidence in sorted(by_span.items()):
        if start >= last:
            views = _distinct(evidence, at_source)
            sentences.append(
                {"start": at_summary(start), "end": at_summary(end), "evidence": views}
            )
            last = end
    return sentences


def _least_supported(
    scores: Sequence[Score], at_summary: Offset, at_source: Offset
) -> LeastSupportedView | None:
    item = least_supported(scores)
    if item is None:
        return None
    return {
        "start": at_summary(item.summary_start),
        "end": at_summary(item.summary_end),
        "supported": item.score,
        "source_start": at_source(item.start),
        "source_end": at_source(item.end),
    }


def _distinct(items: Iterable[Evidence], at_source: Offset) -> list[EvidenceView]:
    """The evidence without repeated spans of the source."""
    views: dict[tuple[int, int], EvidenceView] = {}
    for item in items:
        start, end = at_source(item.start), at_source(item.end)
        views.setdefault(
            (start, end), {"start": start, "end": end, "label": item.label, "score": item.score}
        )
    return list(views.values())


def _human(span: HumanSpan, at_summary: Offset) -> HumanSpanView:
    return {
        "start": at_summary(span.start),
        "end": at_summary(span.end),
        "kind": span.kind,
        "annotator": span.annotator,
        "error": span.error,
    }


def _utf16(text: str) -> Offset:
    """A function from offsets in Unicode characters to offsets in UTF-16 code units."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return lambda offset: offset
    wide = [index for index, character in enumerate(text) if character > "\uffff"]
    return lambda offset: offset + bisect_left(wide, offset)
