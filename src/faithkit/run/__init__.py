"""A run: batches of examples through metrics, with de-duplication, cache, resume and a manifest.

`score` is the library's way in; `run_to_file` is what `faithkit score -o` does. What a metric does
is in `metrics/`; reading and writing rows is in `files.py`; printing is in `cli/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from faithkit import inputs
from faithkit.cache import Cache
from faithkit.metrics.loading import MetricLike
from faithkit.records import Example, Score
from faithkit.run.batches import (
    BATCH_SIZE,
    Progress,
    Scoring,
    batched,
    score_batch,
    scored_batches,
)
from faithkit.run.output import Watch, run_to_file
from faithkit.run.preparation import (
    DEFAULT_METRICS,
    Prepared,
    prepare,
    titles,
)
from faithkit.run.tally import Tally, failed_gates, incomplete, tallies_of

__all__ = [
    "BATCH_SIZE",
    "DEFAULT_METRICS",
    "Prepared",
    "Progress",
    "Scoring",
    "Tally",
    "Watch",
    "batched",
    "failed_gates",
    "incomplete",
    "prepare",
    "run_to_file",
    "score",
    "score_batch",
    "scored_batches",
    "tallies_of",
    "titles",
]


def score(
    examples: inputs.Given | Iterable[inputs.Given],
    metrics: MetricLike | Iterable[MetricLike] = DEFAULT_METRICS,
    *,
    cache: Path | None = None,
    batch_size: int | None = None,
    device: str | None = None,
    dtype: str | None = None,
    offline: bool = False,
) -> Iterator[Score]:
    """Scores examples: for each example in order, one Score for each metric in order.

    examples  each an Example, a dict with the fields of one, or a (source, summary) tuple; those
              without an id are numbered from "1". One may be given alone.
    metrics   each a name with options (`bertscore:layer=8`, `path.py:Class`) or an object with
              what a metric declares; one may be given alone
    cache     a SQLite file to reuse scores from; without it only this call's repeats are reused
    device    cpu, cuda (or cuda:N) or mps; None: the best available
    dtype     float32, float16 or bfloat16; None: each model's default
    offline   never use the network

    Metrics are checked and loaded at the call; rows come as they are asked for. Raises DataError,
    ConfigError, ModelError; see `inputs.examples_of` and `prepare`.
    """
    from faithkit.models.runtime import Runtime

    given = inputs.examples_of(examples)
    prepared = prepare(metrics, Runtime(device, dtype, offline))
    return _scores(given, prepared, cache, batch_size)


def _scores(
    examples: Iterable[Example],
    prepared: Sequence[Prepared],
    cache: Path | None,
    batch_size: int | None,
) -> Iterator[Score]:
    with Cache(cache) as store:
        for _, rows in scored_batches(prepared, examples, store, batch_size=batch_size):
            for row in rows:
                yield from row
