"""faithkit in a Ray Data pipeline: `dataset.map_batches(Scorer, batch_format="pyarrow", ...)`.

A model is loaded once per actor. This module needs no Ray; a run that must lose and double nothing
is `faithkit score ... -o FOLDER/ --engine ray` (docs/scale.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from faithkit import files, inputs, run
from faithkit.cache import Cache
from faithkit.metrics.loading import MetricLike
from faithkit.models.runtime import Runtime
from faithkit.records import DataError

if TYPE_CHECKING:
    import pyarrow as pa


class Scorer:
    """Scores batches of rows with the columns `id`, `source` and `summary`.

    Arguments as those of `faithkit.score`. A call takes a batch as a PyArrow table and returns one
    with a row for each example and metric: `id`, `metric`, `value` (null if there is none),
    `outcome`, and `row`, the whole score as JSON as `faithkit score` writes it.
    Raises DataError on a row without an id, a source or a summary.
    """

    def __init__(
        self,
        metrics: MetricLike | Iterable[MetricLike] = run.DEFAULT_METRICS,
        *,
        device: str | None = None,
        dtype: str | None = None,
        offline: bool = False,
    ) -> None:
        self._prepared = run.prepare(metrics, Runtime(device, dtype, offline))

    def __call__(self, batch: pa.Table) -> pa.Table:
        """The scores of a batch."""
        import pyarrow as pa

        _check_ids(batch)
        examples = list(inputs.examples_of(batch.to_pylist()))
        with Cache(None) as store:
            scored = run.score_batch(self._prepared, examples, store)
        scores = [score for row in scored for score in row]
        return pa.table(
            {
                "id": pa.array([score.id for score in scores], pa.string()),
                "metric": pa.array([score.metric for score in scores], pa.string()),
                "value": pa.array([score.value for score in scores], pa.float64()),
                "outcome": pa.array([str(score.outcome) for score in scores], pa.string()),
                "row": pa.array([files.to_line(score).rstrip("\n") for score in scores]),
            }
        )


def _check_ids(batch: pa.Table) -> None:
    """Raises DataError unless every row has an id: a number within its batch would not name it."""
    if "id" not in batch.column_names:
        raise DataError(
            "a batch for faithkit.ray.Scorer needs a column 'id', which names each row of the data "
            f"set; its columns are {', '.join(batch.column_names)}"
        )
    if missing := batch.column("id").null_count:
        raise DataError(f"{missing} of {batch.num_rows} rows of a batch have no 'id'")
