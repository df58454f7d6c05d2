"""Marks: the words of a summary that metrics do not find in its source, and the evidence for each.

What the terminal (`faithkit check`), the pages and the app show of the same scores is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from faithkit.language.sentences import ends_sentence
from faithkit.records import LEAST_SUPPORTED, Evidence, Score

BEST_MATCH, FURTHER, MARKED_WORDS = "best match", "evidence", "marked words"
"""Labels of source sentences: for a summary sentence, the first and further ones, and for marked
words; `records.LEAST_SUPPORTED` is one more. Any other evidence is words of the source that match
single words."""

UNSUPPORTED = "unsupported"
"""The label of the spans that become marks."""

BETWEEN = " \t\n-–—'’.,/"
"""What may be between the words of one mark."""


@dataclass(slots=True)
class Mark:
    """A run of summary words that some metric does not find in the source.

    by  metric to its doubt, 0..1: one minus the least score of its spans; None if they have none
    """

    start: int
    end: int
    by: dict[str, float | None] = field(default_factory=dict)

    @property
    def doubt(self) -> float | None:
        """The greatest doubt of any metric; None if no metric gives a number."""
        return max((doubt for doubt in self.by.values() if doubt is not None), default=None)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether the mark shares a character with `start:end` of the summary."""
        return start < self.end and self.start < end


def marks_of(summary: str, scores: Sequence[Score]) -> list[Mark]:
    """The unsupported spans of all metrics, those that overlap or are side by side in a sentence
    joined; the most doubtful first, those without a number last."""
    spans = sorted(
        (
            (span.start, span.end, score.metric, span.score)
            for score in scores
            for span in score.spans
            if span.label == UNSUPPORTED
        ),
        key=lambda span: span[:2],
    )
    marks: list[Mark] = []
    for start, end, metric, number in spans:
        last = marks[-1] if marks else None
        if last is None or _are_apart(summary, last, start):
            last = Mark(start, end)
            marks.append(last)
        last.end = max(last.end, end)
        doubt = None if number is None else min(max(1 - number, 0.0), 1.0)
        numbers = [n for n in (last.by.get(metric), doubt) if n is not None]
        last.by[metric] = max(numbers) if numbers else None
    return sorted(marks, key=lambda mark: -1.0 if mark.doubt is None else mark.doubt, reverse=True)


def count_of_marks(score: Score) -> int | None:
    """How many spans of a score are marked as unsupported; None of a row of a table that does not
    say. Spans side by side are shown as one mark, but each is counted."""
    if score.unlisted_marks is None:
        return None
    return score.unlisted_marks + sum(span.label == UNSUPPORTED for span in score.spans)


def _are_apart(summary: str, mark: Mark, start: int) -> bool:
    """Whether a word or the end of a sentence is between a mark and `start`."""
    between = summary[mark.end : start].strip(BETWEEN)
    return bool(between) or ends_sentence(summary[mark.start : start].rstrip())


def best_evidence(mark: Mark, items: Sequence[Evidence]) -> Evidence | None:
    """The source sentence for the marked words; without one that for the summary's sentence."""
    of_words = [
        item
        for item in items
        if item.label == MARKED_WORDS and mark.overlaps(item.summary_start, item.summary_end)
    ]
    if of_words:
        return max(of_words, key=lambda item: item.score or 0.0)
    sentences = (
        item
        for item in items
        if item.label == BEST_MATCH and item.summary_start <= mark.start < item.summary_end
    )
    return next(sentences, None)


def least_supported(scores: Sequence[Score]) -> Evidence | None:
    """The best evidence for the least supported sentence; None if no metric names one."""
    items = (item for score in scores for item in score.evidence)
    return next((item for item in items if item.label == LEAST_SUPPORTED), None)


def nearest_words(mark: Mark, items: Sequence[Evidence]) -> list[Evidence]:
    """The words of the source that metrics match with the marked words."""
    return [
        item
        for item in items
        if item.label not in (BEST_MATCH, FURTHER, MARKED_WORDS, LEAST_SUPPORTED)
        and mark.overlaps(item.summary_start, item.summary_end)
    ]
