"""Marks: the words of a summary that metrics call unsupported, and the evidence for each.

The terminal (`faithkit check`), the pages and the app all show the marks that are computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from faithkit.language.sentences import ends_sentence
from faithkit.records import LEAST_SUPPORTED, Evidence, Score

BEST_MATCH, FURTHER, MARKED_WORDS = "best match", "evidence", "marked words"
"""Labels of evidence that is a source sentence: the best and further ones for a summary sentence,
and the one for marked words; `records.LEAST_SUPPORTED` is another. All other evidence is source
words that match single words of the summary."""

UNSUPPORTED = "unsupported"
"""The label of the spans that become marks."""

BETWEEN = " \t\n-–—'’.,/"
"""The characters that may be between the words of one mark."""


@dataclass(slots=True)
class Mark:
    """A run of summary words that at least one metric calls unsupported.

    by  the doubt of each metric, 0..1: one minus the lowest score of its spans; None if they have
        no score
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
    """The unsupported spans of all metrics as marks. Spans that overlap or are adjacent in a
    sentence are joined. The most doubtful marks come first, those without a number last."""
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
    """The number of spans of a score that are marked as unsupported; None if a table without that
    column was read. Adjacent spans are shown as one mark, but counted separately."""
    if score.unlisted_marks is None:
        return None
    return score.unlisted_marks + sum(span.label == UNSUPPORTED for span in score.spans)


def _are_apart(summary: str, mark: Mark, start: int) -> bool:
    """Whether a word or the end of a sentence is between a mark and `start`."""
    between = summary[mark.end : start].strip(BETWEEN)
    return bool(between) or ends_sentence(summary[mark.start : start].rstrip())


def best_evidence(mark: Mark, items: Sequence[Evidence]) -> Evidence | None:
    """The best source sentence for the marked words, else the one for their sentence; None if
    absent."""
    for_words = [
        item
        for item in items
        if item.label == MARKED_WORDS and mark.overlaps(item.summary_start, item.summary_end)
    ]
    if for_words:
        return max(for_words, key=lambda item: item.score or 0.0)
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
    """The source words that metrics aligned with the marked words."""
    return [
        item
        for item in items
        if item.label not in (BEST_MATCH, FURTHER, MARKED_WORDS, LEAST_SUPPORTED)
        and mark.overlaps(item.summary_start, item.summary_end)
    ]
