"""A metric without a model that marks the words that the source does not have, for tests of what
shows marks. `slow` is for those that need one that is still at work."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from faithkit.metrics.base import Metric
from faithkit.records import Evidence, Example, Outcome, Score, Span, is_blank, scored, unscored


class Marking(Metric):
    """Falls with every word of the summary that the source does not have."""

    name = "marking"
    bounds = (0.0, 1.0)
    unit = "probability that the source has every word of the summary"
    verdicts = True

    def __init__(self, slow: float = 0.0) -> None:
        self._slow = slow

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [self._score(example) for example in examples]

    def _score(self, example: Example) -> Score:
        time.sleep(self._slow)
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        sentences = list(re.finditer(r"[^.]+\.?", example.source))
        words = set(re.findall(r"\w+", example.source.lower()))
        spans, evidence = [], []
        for match in re.finditer(r"\w+", example.summary):
            if match[0].lower() not in words:
                spans.append(Span(*match.span(), "unsupported", 0.1))
                best = sentences[len(spans) % len(sentences)].span()
                evidence.append(Evidence(*best, *match.span(), "marked words", 1.0))
        value = 0.6 ** len(spans)
        parts = {"verdict": 0.0 if spans else 1.0}
        return scored(example, self.name, value, parts=parts, spans=spans, evidence=evidence)
