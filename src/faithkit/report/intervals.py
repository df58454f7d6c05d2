"""Confidence intervals of the means in an overview, by a bootstrap of documents with the same draws
for all means. `meta.bootstrap` decides when the data carry no interval. Needs NumPy only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from faithkit.meta.bootstrap import MEAN, quantile_interval, resample, too_few, undecided
from faithkit.meta.sample import sample

DRAWS = 1000
LEVEL = 0.95

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Part:
    """The numbers of some rows, ascending, and the value of each."""

    rows: Sequence[int]
    values: Sequence[float]


def mean_intervals(documents: Sequence[str], parts: Sequence[Part]) -> list[Interval | None]:
    """The 95% interval of the mean of each part; None if its data carry no interval.

    documents  the document of every row, which is the unit of resampling, since rows of the same
               document are not independent
    """
    if not documents or not parts:
        return [None] * len(parts)
    all_rows = sample([0.0] * len(documents), groups=documents)
    kernels, resampled = [], []
    for index, part in enumerate(parts):
        rows = np.asarray(part.rows, dtype=np.int64)
        if not len(rows):
            continue
        part_rows = all_rows.where(rows)
        if too_few(len(np.unique(part_rows.groups()))):
            continue
        kernels.append(MEAN.kernel(replace(part_rows, scores=np.asarray(part.values, dtype=float))))
        resampled.append(index)
    intervals: list[Interval | None] = [None] * len(parts)
    if kernels:
        drawn, defined = resample(kernels, all_rows, draws=DRAWS, seed=0)
        for index, values, valid in zip(resampled, drawn, defined, strict=True):
            if not undecided(values, valid, LEVEL):
                intervals[index] = quantile_interval(values[valid], LEVEL)
    return intervals
