"""What a page or the app shows of one row, as JSON: the view of an example and its scores.

The scripts in `assets/` read these shapes and no others. Offsets are in UTF-16 code units, as
JavaScript counts them, not in Unicode characters.
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

    label            what its scores carry as `metric`
    unit             what the number means, in words; "" if unknown
    bounds           the least and the greatest value; None: take those that occur
    signature        of its numbers; None if unknown
    trained_on       names of the data that it was trained on; None if unknown
    consistent_from  the value from which it says "consistent" where its parts hold no verdict
    """

    label: str
    unit: str = ""
    bounds: tuple[float, float] | None = None
    signature: Signature | None = None
    trained_on: tuple[str, ...] | None = None
    consistent_from: float | None = None

    def verdict(self, score: Score) -> str | None:
        """consistent, not consistent or undecided; None if the metric gives no verdict."""
        verdict = verdict_of(score.parts)
        if verdict is not None or self.consistent_from is None or score.value is None:
            return verdict
        return "consistent" if score.value >= self.consistent_from else "not consistent"


class EvidenceView(TypedDict):
    """Characters of the source; `score` is the metric's own and only to be compared within it."""

    start: int
    end: int
    label: str
    score: float | None


class MarkView(TypedDict):
    """Words of the summary in doubt. `number` is its place among the marks of the row, 1 the most
    doubtful, as `faithkit check` numbers them. `doubt` and the values of `by` (metric to doubt) are
    in [0, 1], None if the metric gives no number. The best evidence is first, if there is any.
    """

    start: int
    end: int
    number: int
    doubt: float | None
    by: dict[str, float | None]
    evidence: list[EvidenceView]


class SentenceView(TypedDict):
    """A sentence of the summary with the source sentences that were read for it, best first."""

    start: int
    end: int
    evidence: list[EvidenceView]


class LeastSupportedView(TypedDict):
    """The least supported sentence of the summary, where no mark shows it: the probability that it
    is supported, and the characters of the source sentence that is nearest to it."""

    start: int
    end: int
    supported: float | None
    source_start: int
    source_end: int


class HumanSpanView(TypedDict):
    """Words that a person marked: the kind of error, and who marked them ("" if unknown)."""

    start: int
    end: int
    kind: str
    annotator: str
    error: bool


class ScoreView(TypedDict):
    """One metric's score. `why` says in a sentence why there is no ordinary one, "" if there is;
    `cut` is what did not fit the metric, in words, "" if all did."""

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
    """A row as it is shown; `label` is 1 consistent, 0 not, None if unlabelled.

    marks, human  in the order of the text
    annotated     whether people marked spans in it, or looked and found none
    problem       why the spans of people cannot be shown, "" if they can
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
    """One example with its scores, as the scripts show it.

    metrics  how the metrics of the scores are shown; those that are not named have their label only
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
    """One score of an example, as the scripts show it."""
    return {
        "metric": score.metric,
        "value": score.value,
        "outcome": str(score.outcome),
        "why": reason(example, score),
        "verdict": metric.verdict(score),
        "probability": probability_of(score, metric.unit) if score.outcome is Outcome.OK else None,
        "parts": dict(score.parts),
        "cut": _cut(score),
        "texts": dict(score.texts),
    }


def named_fields(example: Example) -> dict[str, str]:
    """What the row says of itself beside the texts, as short text: domain, dataset, split, ..."""
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
    """In the order of the text, numbered by doubt."""
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
    """Sentences of the summary that a metric gave source sentences for; where two metrics divide
    it in two ways, the sentences of the first."""
    by_place: dict[tuple[int, int], list[Evidence]] = {}
    for item in items:
        if item.label in (BEST_MATCH, FURTHER):
            by_place.setdefault((item.summary_start, item.summary_end), []).append(item)
    sentences: list[SentenceView] = []
    last = 0
    for (start, end), evidence in sorted(by_place.items()):
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
    """Each place of the source once."""
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
    """From a place in Unicode characters to the same place in UTF-16 code units."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return lambda place: place
    wide = [place for place, character in enumerate(text) if character > "\uffff"]
    return lambda place: place + bisect_left(wide, place)
