"""Scoring examples as a run does, for tests of what a run does with its batches and its cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from faithkit import Example, Score, inputs
from faithkit.cache import Cache
from faithkit.metrics.loading import MetricLike
from faithkit.models.runtime import Runtime
from faithkit.run import Prepared, prepare, scored_batches


def score(
    examples: inputs.ExampleLike | Iterable[inputs.ExampleLike],
    metrics: MetricLike | Iterable[MetricLike],
    *,
    cache: Path | None = None,
    batch_size: int | None = None,
    device: str | None = None,
    offline: bool = False,
) -> Iterator[Score]:
    """For each example in order, one Score for each metric in order; metrics are checked and loaded
    at the call, rows come as they are asked for."""
    prepared = prepare(metrics, Runtime(device, offline=offline))
    return _scores(prepared, inputs.examples_of(examples), cache, batch_size)


def _scores(
    prepared: Sequence[Prepared],
    examples: Iterable[Example],
    cache: Path | None,
    batch_size: int | None,
) -> Iterator[Score]:
    with Cache(cache) as store:
        for _, rows in scored_batches(prepared, examples, store, batch_size=batch_size):
            for row in rows:
                yield from row
