"""Intervals of the means that an overview shows: a bootstrap of documents, all means on the same
draws. By the rules of `meta.bootstrap`, which says where there is none; NumPy alone.
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
    """Rows by their number, ascending, and a value of each."""

    rows: Sequence[int]
    values: Sequence[float]


def mean_intervals(documents: Sequence[str], parts: Sequence[Part]) -> list[Interval | None]:
    """The 95% interval of the mean of each part, None if its data carry none.

    documents  of every row: what is resampled. Rows that share one are not independent.
    """
    if not documents or not parts:
        return [None] * len(parts)
    every = sample([0.0] * len(documents), groups=documents)
    kernels, kept = [], []
    for number, part in enumerate(parts):
        rows = np.asarray(part.rows, dtype=np.int64)
        if not len(rows):
            continue
        held = every.where(rows)
        if too_few(len(np.unique(held.groups()))):
            continue
        kernels.append(MEAN.kernel(replace(held, scores=np.asarray(part.values, dtype=float))))
        kept.append(number)
    found: list[Interval | None] = [None] * len(parts)
    if kernels:
        drawn, defined = resample(kernels, every, draws=DRAWS, seed=0)
        for number, values, valid in zip(kept, drawn, defined, strict=True):
            if not undecided(values, valid, LEVEL):
                found[number] = quantile_interval(values[valid], LEVEL)
    return found
