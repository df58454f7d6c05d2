"""Rank statistics of two columns, for the agreement of metrics and people in the overview.

The figures are those of `meta`, without intervals, but need NumPy only: pages can be written
without scipy and scikit-learn, and without the seconds that these take to load.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Column = Sequence[float | None] | NDArray[np.float64]
"""A number for each row; None, or NaN in an array, if a row has none."""


def area_under_curve(values: Column, labels: Column) -> tuple[float | None, int]:
    """The area under the ROC curve, [0, 1], and the number of rows that have a value and a label.
    The area is the share of pairs of rows with different labels in which the row with label 1 has
    the higher value; a tie counts half.

    None if all rows have the same label.
    """
    scores, marks = _complete(values, labels)
    positive = marks == 1
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        return None, len(scores)
    rank_sum = mid_ranks(scores)[positive].sum()
    area = (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)
    return float(area), len(scores)


def spearman(values: Column, others: Column) -> tuple[float | None, int]:
    """Spearman's rank correlation, [-1, 1], and the number of rows that have both values.

    None if a column is constant or fewer than two rows have both.
    """
    first, second = _complete(values, others)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None, len(first)
    return float(np.corrcoef(mid_ranks(first), mid_ranks(second))[0, 1]), len(first)


def mid_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ranks of the values, from 1; equal values have the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: NDArray[np.float64] = last - (counts - 1) / 2
    return means[inverse]


def _complete(first: Column, second: Column) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rows of both columns that have both numbers."""
    columns = np.array([first, second], dtype=np.float64)  # None becomes NaN
    columns = columns[:, ~np.isnan(columns).any(axis=0)]
    return columns[0], columns[1]
