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
            consistent_from=metric.metric.verdict_from(metric.signature.options),
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
    consistent_from: float | None,
    trained_on: Iterable[str] | None,
    unit: str,
) -> MetricColumn:
    """Scores as a column.

    consistent_from  the value from which the metric gives the verdict "consistent", where its parts
                     hold no verdict
    """
    return MetricColumn(
        label,
        signature.short,
        unit,
        tuple(score.value for score in scores),
        tuple(str(score.outcome) for score in scores),
        tuple(_verdict(score, consistent_from) for score in scores),
        tuple(dict(score.parts) for score in scores),
        tuple(score.coverage for score in scores),
        None if trained_on is None else tuple(sorted(trained_on)),
        signature,
    )


def _verdict(score: Score, consistent_from: float | None) -> float | None:
    if "verdict" in score.parts:
        return score.parts["verdict"]
    if consistent_from is None or score.value is None:
        return None
    return float(score.value >= consistent_from)
