"""A metric that costs nothing and gives verdicts, marks and evidence. No test is in here."""

from __future__ import annotations

from tests.helpers.tiny_metrics import Known

from faithkit.language.words import words
from faithkit.records import (
    LEAST_SUPPORTED,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    is_blank,
    scored,
    unscored,
)


class Judged(Known):
    """Value: the share of the summary's words that the source has too; from 0.9 it is consistent,
    below 0.85 it is not. Each other word is marked, and its evidence is the source's first
    sentence."""

    name = "judged"
    unit = "probability of something"
    verdicts = True

    def _score(self, example: Example) -> Score:
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        have = {word.text for word in words(example.source)}
        summary_words = words(example.summary)
        lacking = [word for word in summary_words if word.text not in have]
        value = 1 - len(lacking) / len(summary_words)
        first = (example.source.find(".") + 1) or len(example.source)
        return scored(
            example,
            self.name,
            value,
            parts={"verdict": 1.0 if value >= 0.9 else 0.0 if value < 0.85 else 0.5},
            spans=[Span(word.start, word.end, score=0.2) for word in lacking],
            evidence=[
                Evidence(0, first, word.start, word.end, "marked words", 1.0) for word in lacking
            ],
        )


class Vague(Known):
    """Undecided about everything, without a mark; its evidence is the source's first sentence."""

    name = "vague"
    unit = "probability of something"
    verdicts = True

    def _score(self, example: Example) -> Score:
        first = (example.source.find(".") + 1) or len(example.source)
        least = Evidence(0, first, 0, len(example.summary), LEAST_SUPPORTED, 0.4)
        return scored(example, self.name, 0.4, parts={"verdict": 0.5}, evidence=[least])
