"""A metric of any function, ready to score."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from faithkit import Example, Score, run
from faithkit.metrics.base import Metric
from faithkit.metrics.loading import signature_of
from faithkit.records import Outcome, scored, unscored


def prepared_metric(label: str, value: Callable[[Example], float | None]) -> run.Prepared:
    class Made(Metric):
        name, bounds, unit = "made", (0.0, 1.0), "made up"

        def __init__(self) -> None:
            self.batches: list[list[tuple[str, str]]] = []

        def score(self, examples: Sequence[Example]) -> list[Score]:
            self.batches.append([(e.source, e.summary) for e in examples])
            return [
                unscored(e, "made", Outcome.TIMEOUT) if (v := value(e)) is None
                else scored(e, "made", v)
                for e in examples
            ]  # fmt: skip

    made = Made()
    return run.Prepared(label, made, signature_of(made, {"label": label}, {}))
