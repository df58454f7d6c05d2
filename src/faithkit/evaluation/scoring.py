"""The metrics' columns of a judged table, scored now. Those of saved scores: `joining.py`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from faithkit import run
from faithkit.cache import Cache
from faithkit.evaluation.judged import MetricColumn
from faithkit.records import Example, Score, Signature


def score_columns(
    examples: Iterable[Example],
    prepared: Sequence[run.Prepared],
    store: Cache,
    *,
    batch_size: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, MetricColumn]:
    """A column for each metric, reusing what the cache has. Spans and evidence are let go.

    All metrics see a batch before the next one is begun, so those that share a model share its
    passes, and a run that is stopped has lost one batch.
    """
    if not prepared:
        return {}
    scores: list[list[Score]] = [[] for _ in prepared]
    batches = run.scored_batches(
        prepared, examples, store, batch_size=batch_size, progress=progress
    )
    for _, rows in batches:
        for row in rows:
            for column, score in zip(scores, row, strict=True):
                column.append(_slim(score))
    return {
        metric.label: _column(
            metric.label,
            column,
            metric.signature,
            unit=metric.metric.unit,
            trained_on=metric.trained_on,
        )
        for metric, column in zip(prepared, scores, strict=True)
    }


def _slim(score: Score) -> Score:
    return dataclasses.replace(score, spans=(), evidence=())


def _column(
    label: str,
    scores: Sequence[Score],
    signature: Signature,
    *,
    trained_on: Iterable[str] | None,
    unit: str,
) -> MetricColumn:
    """Scores as a column."""
    return MetricColumn(
        label,
        signature.short,
        unit,
        tuple(score.value for score in scores),
        tuple(str(score.outcome) for score in scores),
        tuple(score.parts.get("verdict") for score in scores),
        tuple(dict(score.parts) for score in scores),
        tuple(score.coverage for score in scores),
        None if trained_on is None else tuple(sorted(trained_on)),
        signature,
    )
