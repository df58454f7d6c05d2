"""Agreement of two columns by ranks: what the overview says of metrics and people.

The same figures as `meta` gives, without intervals, and by NumPy alone: a page is written by
installations without scipy and scikit-learn too, and without the seconds that these take to load.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Column = Sequence[float | None] | NDArray[np.float64]
"""A number of each row, None (in an array NaN) where a row has none."""


def area_under_curve(values: Column, labels: Column) -> tuple[float | None, int]:
    """The area under the ROC curve, [0, 1]: how often a row with label 1 has the higher value of
    two rows with different labels, ties counting half; and the rows that have both.

    None if these are all of one label.
    """
    scores, marks = _complete(values, labels)
    positive = marks == 1
    many, others = int(positive.sum()), int((~positive).sum())
    if not many or not others:
        return None, len(scores)
    ranks = mid_ranks(scores)[positive].sum()
    return float((ranks - many * (many + 1) / 2) / (many * others)), len(scores)


def spearman(values: Column, others: Column) -> tuple[float | None, int]:
    """Spearman's rank correlation, [-1, 1], and the rows that have both values.

    None if a column is constant or fewer than two rows have both.
    """
    first, second = _complete(values, others)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None, len(first)
    return float(np.corrcoef(mid_ranks(first), mid_ranks(second))[0, 1]), len(first)


def mid_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1; equal values share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: NDArray[np.float64] = last - (counts - 1) / 2
    return means[places]


def _complete(first: Column, second: Column) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    columns = np.array([first, second], dtype=np.float64)  # None becomes NaN
    columns = columns[:, ~np.isnan(columns).any(axis=0)]
    return columns[0], columns[1]
