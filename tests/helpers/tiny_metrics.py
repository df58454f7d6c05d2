"""Metrics that cost nothing, asked for as `tiny_metrics.py:Class` by the tests of the run and the
command line. No test is in here."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from faithkit.language.words import words
from faithkit.records import Coverage, Example, Outcome, Score, Span, is_blank, scored, unscored


class Known:
    """Value: the share of the summary's words that the source has too. Spans: those it lacks.

    TINY_LOG names a file that gets one line for each example scored; TINY_SLEEP are the seconds
    that one takes. Neither is an option, so neither changes the signature.
    """

    name = "known"
    bounds = (0.0, 1.0)
    unit = "share of words that the source has [too]"
    needs = frozenset({"source", "summary"})

    def __init__(self, power: float = 1.0, letters: bool = False) -> None:
        self._power = power
        self._letters = letters

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [self._score(example) for example in examples]

    def _score(self, example: Example) -> Score:
        time.sleep(float(os.environ.get("TINY_SLEEP", "0")))
        if log := os.environ.get("TINY_LOG"):
            with Path(log).open("a", encoding="utf-8") as file:
                file.write(f"{example.id}\n")
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        have = {word.text for word in words(example.source)}
        summary_words = words(example.summary)
        lacking = [word for word in summary_words if word.text not in have]
        return scored(
            example,
            self.name,
            ((len(summary_words) - len(lacking)) / len(summary_words)) ** self._power,
            parts={"words": len(summary_words)},
            spans=[Span(word.start, word.end, score=0.5) for word in lacking],
            coverage=Coverage(source_tokens=len(have), summary_tokens=len(summary_words)),
        )


class Other(Known):
    name = "other"


class Flaky(Known):
    """Every row fails for a reason that another try may change."""

    def _score(self, example: Example) -> Score:
        super()._score(example)
        return unscored(example, self.name, Outcome.TIMEOUT)


class Labelled(Known):
    """Reads one more field; the value is that field."""

    needs = frozenset({"source", "summary", "label"})

    def _score(self, example: Example) -> Score:
        return scored(example, self.name, float(example.label or 0))


class Topical(Known):
    """Reads a column of the user's own."""

    bounds = (0.0, 100.0)
    needs = frozenset({"source", "summary", "topic"})

    def _score(self, example: Example) -> Score:
        return scored(example, self.name, float(len(example.meta["topic"])))


class Demanding(Known):
    def __init__(self, threshold: float) -> None:
        super().__init__()


class Picky(Known):
    def __init__(self, size: int = 1) -> None:
        if size > 9:
            raise ValueError("size is at most 9")
        super().__init__()


class Reversing(Known):
    def score(self, examples: Sequence[Example]) -> list[Score]:
        return super().score(examples)[::-1]


class Short(Known):
    def score(self, examples: Sequence[Example]) -> list[Score]:
        return super().score(examples)[1:]


class Numbers(Known):
    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [0.5 for _ in examples]  # type: ignore[misc]


class Crashing(Known):
    def _score(self, example: Example) -> Score:
        raise ZeroDivisionError("no words")


class Beyond(Known):
    """Its values are twice what its bounds allow."""

    bounds = (0.0, 0.5)


class Erring(Known):
    higher_is_better = False


class Renamed(Known):
    limits = "Counts a word of the source for every use of it."


class Backwards(Known):
    bounds = (1.0, 0.0)


class Bare:
    name = "bare"
