"""The value of a row where a metric finds nothing to compare: its option `default`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Protocol, TypeVar

from faithkit.records import Example, Outcome, Score

DEGENERATE = frozenset({Outcome.NO_CLAIMS, Outcome.NO_CONTENT})


class HasDefault(Protocol):
    """A metric with the option `default`; None: such a row has no value."""

    default: float | None


M = TypeVar("M", bound=HasDefault)
Scoring = Callable[[M, Sequence[Example]], list[Score]]


def gives_default(score: Scoring[M]) -> Scoring[M]:
    """A metric's `score` that gives `default` as the value of every row of outcome no_claims or
    no_content, blank texts and summaries of nothing but phrases included. The outermost decorator,
    so that no other one leaves such a row without it."""

    @wraps(score)
    def wrapped(self: M, examples: Sequence[Example]) -> list[Score]:
        return [
            replace(scored, value=self.default) if scored.outcome in DEGENERATE else scored
            for scored in score(self, examples)
        ]

    return wrapped
