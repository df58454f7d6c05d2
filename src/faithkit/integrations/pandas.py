"""pandas: `frame.faithkit.score(...)`. Importing this module registers the accessor. Made for
pandas 2.2 and 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd  # type: ignore[import-untyped,import-not-found,unused-ignore]

from faithkit.run import DEFAULT_METRICS
from faithkit.scorer import Metrics, Scorer


@pd.api.extensions.register_dataframe_accessor("faithkit")
class FaithkitAccessor:
    """The accessor `faithkit` of a data frame whose rows are pairs of source and summary."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def score(
        self,
        metrics: Metrics = DEFAULT_METRICS,
        *,
        scorer: Scorer | None = None,
        column: Mapping[str, str] | None = None,
        keep_columns: bool = False,
        batch_size: int | None = None,
        progress: bool | None = None,
        **options: Any,
    ) -> pd.DataFrame:
        """Scores the rows. Returns the flat columns of `faithkit score -o out.parquet`, with the
        index of the frame: one row for each of its rows, or for each row and metric if there are
        several.

        scorer  your own scorer, instead of `metrics` and `options`

        The other arguments are those of `faithkit.score`, whose result also has the worst rows and
        the page.
        """
        scorer = scorer or Scorer(metrics, **options)
        scores = scorer.score(self._frame, column=column, batch_size=batch_size, progress=progress)
        table = scores.to_pandas(keep_columns)
        table.index = self._frame.index.repeat(len(scorer.metrics))
        return table
