"""Pearson, Spearman and Kendall's tau-b between a metric and human judgements.

What lives here: the three at summary level (over rows) and at system level (over the means of
each system), as Measures that the bootstrap can resample, and the matrix of metrics against
metrics. Protocol: [FFLM] (summary and system level), [MFAS] (Pearson,
Spearman, metric x metric).

Resamples are exact, not approximated: Pearson from moments summed per cluster; Spearman from
mid-ranks recomputed in each resample, by cumulative sums of multiplicities over values sorted
once; tau-b from one matrix of concordances between clusters, as a quadratic form of the
multiplicities. Ranks and concordances do not compare copies of a cluster with each other, as `AUC`
does not (`detection.py`): a statistic of the pairs in a cluster counts it as often as it was drawn,
not by the square. tau-b costs clusters^2 per draw: 10,000 draws take well under a second for 100
clusters and tens of seconds for 5,000; ask for fewer draws there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faithkit.meta.bootstrap import estimate
from faithkit.meta.sample import (
    Bools,
    Estimate,
    Floats,
    Ints,
    Kernel,
    Measure,
    Sample,
    Values,
    cluster_sums,
    narrow,
    ranks_within,
    ratio,
    sample,
)
from faithkit.records import JSON, DataError

FLAT = 1e-12  # a variance under this share of the second moment is rounding, not spread
KENDALL_BLOCK = 256  # rows compared with all others at once
MOST_KENDALL_DOCUMENTS = 10_000
"""The table of every two of them has 800 MB then."""


def unit_scale(values: Floats) -> Floats:
    """Centred and divided by the largest deviation; all 0 where the values are constant."""
    largest = np.abs(values).max(initial=0.0)
    if largest == 0 or values.min() == values.max():
        return np.zeros_like(values)
    scaled = values / largest
    scaled = scaled - scaled.mean()
    spread = np.abs(scaled).max()
    return np.asarray(scaled / spread) if spread > 0 else scaled


def _undefined(x: Floats, y: Floats, unit: str) -> str | None:
    if len(x) < 3:
        return f"{len(x)} {unit}; a correlation needs at least 3"
    for name, values in (("the metric", x), ("the human judgement", y)):
        if values.min() == values.max() or not unit_scale(values).any():
            return f"{name} is constant over all {len(x)} {unit}"
    return None


def _rows_undefined(data: Sample) -> str | None:
    return _undefined(data.scores, data.judgements(), "rows")


def _pearson(x: Floats, y: Floats) -> float:
    from scipy.stats import pearsonr

    return float(pearsonr(unit_scale(x), unit_scale(y)).statistic)


def _spearman(x: Floats, y: Floats) -> float:
    from scipy.stats import spearmanr

    return float(np.clip(spearmanr(x, y).statistic, -1, 1))


def _kendall(x: Floats, y: Floats) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(x, y).statistic)


def _of_rows(function: Callable[[Floats, Floats], float]) -> Callable[[Sample], float]:
    return lambda data: function(data.scores, data.judgements())


def _pearson_kernel(data: Sample) -> Kernel:
    x, y = unit_scale(data.scores), unit_scale(data.judgements())
    rows = (np.ones_like(x), x, y, x * x, y * y, x * y)
    moments = np.stack([cluster_sums(row, data) for row in rows])

    def pearson(counts: Floats) -> tuple[Floats, Bools]:
        n, sx, sy, sxx, syy, sxy = moments @ counts
        filled = np.maximum(n, 1.0)
        variance_x, variance_y = sxx - sx * sx / filled, syy - sy * sy / filled
        spread = (variance_x > FLAT * sxx) & (variance_y > FLAT * syy)
        product = np.where(spread, variance_x * variance_y, 0.0)
        values, defined = ratio(sxy - sx * sy / filled, np.sqrt(product))
        return np.clip(values, -1, 1), defined

    return pearson


class Ranks:
    """One column in sorted order, ready to be re-ranked in any resample.

    order   [n], the rows sorted by value
    starts  [distinct], where each distinct value begins in `order`
    value   [n], which distinct value each row has
    """

    def __init__(self, values: Floats) -> None:
        self.order = np.argsort(values, kind="stable")
        ordered = values[self.order]
        new = np.ones(len(values), dtype=bool)
        new[1:] = ordered[1:] != ordered[:-1]
        self.starts = np.flatnonzero(new)
        self.value = np.empty(len(values), dtype=np.int64)
        self.value[self.order] = np.cumsum(new) - 1

    def tied(self, counts: Floats, cluster: Ints) -> Floats:
        """How many resampled rows have each distinct value, [distinct, draws]."""
        weights = counts[cluster[self.order]]
        if len(self.starts) == len(self.order):
            return weights
        return np.asarray(np.add.reduceat(weights, self.starts, axis=0))

    def centred(self, counts: Floats, cluster: Ints) -> tuple[Floats, Floats]:
        """Mid-rank of each distinct value minus the mean rank, and the sum of its squares."""
        tied = self.tied(counts, cluster)
        ranks = np.cumsum(tied, axis=0)
        total = ranks[-1].copy()
        ranks -= (tied - 1) / 2
        ranks -= (total + 1) / 2
        return ranks, np.asarray(np.einsum("ub,ub,ub->b", tied, ranks, ranks))


def _spearman_kernel(data: Sample) -> Kernel:
    """A row's rank counts every row drawn but those of other copies of its document."""
    cluster = data.groups()
    x, y = Ranks(data.scores), Ranks(data.judgements())
    within_x, within_y = (ranks_within(v, data) for v in (data.scores, data.judgements()))
    pairs_within = bool(within_x.any() or within_y.any())
    # Visiting rows in the order of x makes one of the two gathers sequential.
    order = x.order
    cluster_by_x, x_by_x, y_by_x = cluster[order], x.value[order], y.value[order]
    within_x, within_y = within_x[order, None], within_y[order, None]

    def spearman(counts: Floats) -> tuple[Floats, Bools]:
        rank_x, square_x = x.centred(counts, cluster)
        rank_y, square_y = y.centred(counts, cluster)
        rows_x = rank_x if len(x.starts) == len(x_by_x) else rank_x[x_by_x]
        rows_y = rank_y[y_by_x]
        weights = counts[cluster_by_x]
        if pairs_within:
            copies = weights - 1
            rows_x = rows_x - copies * within_x
            rows_y -= copies * within_y
            square_x = np.einsum("rb,rb,rb->b", weights, rows_x, rows_x)
            square_y = np.einsum("rb,rb,rb->b", weights, rows_y, rows_y)
        covariance = np.einsum("rb,rb,rb->b", weights, rows_x, rows_y)
        values, defined = ratio(covariance, np.sqrt(square_x) * np.sqrt(square_y))
        return np.clip(values, -1, 1), defined

    return narrow(spearman, data.n)


def concordance(x: Ints, y: Ints, cluster: Ints, clusters: int) -> Floats:
    """Concordant minus discordant ordered pairs of rows between clusters, [clusters, clusters].

    x, y  [n], dense ranks (only their order matters)
    """
    order = np.argsort(cluster, kind="stable")
    x, y, cluster = x[order].astype(np.int32), y[order].astype(np.int32), cluster[order]
    present, starts = np.unique(cluster, return_index=True)
    result = np.zeros((clusters, clusters))
    for begin in range(0, len(x), KENDALL_BLOCK):
        rows = slice(begin, begin + KENDALL_BLOCK)
        signs = np.sign(x[rows, None] - x) * np.sign(y[rows, None] - y)
        sums = np.zeros((len(signs), clusters))
        sums[:, present] = np.add.reduceat(signs, starts, axis=1)
        np.add.at(result, cluster[rows], sums)
    return result


def _too_many_pairs(data: Sample) -> str | None:
    if data.clusters <= MOST_KENDALL_DOCUMENTS:
        return None
    return (
        f"{data.clusters} documents; an interval of Kendall's tau compares every two of them, and "
        f"{MOST_KENDALL_DOCUMENTS} are the most"
    )


def _kendall_kernel(data: Sample) -> Kernel:
    cluster = data.groups()
    x, y = Ranks(data.scores), Ranks(data.judgements())
    between = concordance(x.value, y.value, cluster, data.clusters)
    within = np.diagonal(between).copy()
    untied_within = [_untied_pairs(column.value, data) for column in (x, y)]
    exact_in_float32 = np.abs(between).max(initial=0) * data.clusters < 2**24
    matrix: NDArray[np.float32] | Floats
    matrix = between.astype(np.float32) if exact_in_float32 else between

    def kendall(counts: Floats) -> tuple[Floats, Bools]:
        among_copies = counts * (counts - 1)
        total = np.einsum("gb,gb->b", (matrix @ counts.astype(matrix.dtype)).astype(float), counts)
        untied = []
        for column, of_document in zip((x, y), untied_within, strict=True):
            tied = column.tied(counts, cluster)
            pairs = tied.sum(axis=0) ** 2 - np.einsum("ub,ub->b", tied, tied)
            untied.append(pairs - of_document @ among_copies)
        values, defined = ratio(
            total - within @ among_copies, np.sqrt(untied[0]) * np.sqrt(untied[1])
        )
        return np.clip(values, -1, 1), defined

    return kendall


def _untied_pairs(values: Ints, data: Sample) -> Floats:
    """Ordered pairs of rows of a cluster with different values, [clusters]."""
    distinct = int(values.max(initial=0)) + 1
    cells, tied = np.unique(data.groups() * distinct + values, return_counts=True)
    ties = np.bincount(cells // distinct, weights=tied**2, minlength=data.clusters)
    return np.asarray(cluster_sums(np.ones(data.n), data) ** 2 - ties)


PEARSON = Measure("pearson", _rows_undefined, _of_rows(_pearson), _pearson_kernel)
SPEARMAN = Measure("spearman", _rows_undefined, _of_rows(_spearman), _spearman_kernel)
KENDALL = Measure(
    "kendall", _rows_undefined, _of_rows(_kendall), _kendall_kernel, too_many=_too_many_pairs
)
"""Summary level: rows are the units. Values in [-1, 1]."""


def system_means(data: Sample) -> tuple[Floats, Floats]:
    """Mean metric and mean human judgement of each system, [systems] each."""
    if data.system is None:
        raise DataError("system-level statistics need the system of every row; give `systems`")
    size = len(data.systems)
    counts = np.bincount(data.system, minlength=size)
    x = np.bincount(data.system, weights=data.scores, minlength=size) / counts
    y = np.bincount(data.system, weights=data.judgements(), minlength=size) / counts
    return x, y


def _system_kernel(
    data: Sample, correlate: Callable[[Floats, Floats], tuple[Floats, Bools]]
) -> Kernel:
    if data.system is None:
        raise DataError("system-level statistics need the system of every row; give `systems`")
    shape = (len(data.systems), data.clusters)
    cell = data.system * data.clusters + data.groups()
    columns = (np.ones(data.n), data.scores, data.judgements())
    sums = np.stack(
        [
            np.bincount(cell, column, minlength=shape[0] * shape[1]).reshape(shape)
            for column in columns
        ]
    )

    def kernel(counts: Floats) -> tuple[Floats, Bools]:
        sizes, x, y = sums @ counts
        present = (sizes > 0).all(axis=0)
        sizes = np.maximum(sizes, 1)
        values, defined = correlate(x / sizes, y / sizes)
        return values, defined & present

    return kernel


def round_to_12_digits(means: Floats) -> Floats:
    """Means to 12 digits of the largest, so that equal ones stay equal however they were summed."""
    largest = np.abs(means).max(axis=0, initial=0.0)
    return np.asarray(np.round(means / np.where(largest > 0, largest, 1.0), 12))


def _pearson_columns(x: Floats, y: Floats) -> tuple[Floats, Bools]:
    """Pearson of each column of x with that of y, [systems, draws] to [draws]."""
    dx, dy = x - x.mean(axis=0), y - y.mean(axis=0)
    variance_x, variance_y = (dx * dx).sum(axis=0), (dy * dy).sum(axis=0)
    flat_x = variance_x <= FLAT * (x * x).sum(axis=0)
    flat_y = variance_y <= FLAT * (y * y).sum(axis=0)
    spread = np.where(flat_x | flat_y, 0.0, np.sqrt(variance_x) * np.sqrt(variance_y))
    values, defined = ratio((dx * dy).sum(axis=0), spread)
    return np.clip(values, -1, 1), defined


def _spearman_columns(x: Floats, y: Floats) -> tuple[Floats, Bools]:
    from scipy.stats import rankdata

    return _pearson_columns(
        rankdata(round_to_12_digits(x), axis=0), rankdata(round_to_12_digits(y), axis=0)
    )


def _kendall_columns(x: Floats, y: Floats) -> tuple[Floats, Bools]:
    x, y = round_to_12_digits(x), round_to_12_digits(y)
    first, second = np.triu_indices(len(x), k=1)
    sign_x, sign_y = np.sign(x[first] - x[second]), np.sign(y[first] - y[second])
    untied = np.sqrt(np.abs(sign_x).sum(axis=0)) * np.sqrt(np.abs(sign_y).sum(axis=0))
    values, defined = ratio((sign_x * sign_y).sum(axis=0), untied)
    return np.clip(values, -1, 1), defined


def _system_undefined(data: Sample) -> str | None:
    x, y = system_means(data)
    return _undefined(round_to_12_digits(x), round_to_12_digits(y), "systems")


def _system_measure(
    name: str,
    point: Callable[[Floats, Floats], float],
    columns: Callable[[Floats, Floats], tuple[Floats, Bools]],
) -> Measure:
    return Measure(
        f"system_{name}",
        undefined=_system_undefined,
        point=lambda data: point(*(round_to_12_digits(means) for means in system_means(data))),
        kernel=lambda data: _system_kernel(data, columns),
        units=lambda data: len(data.systems),
    )


SYSTEM_PEARSON = _system_measure("pearson", _pearson, _pearson_columns)
SYSTEM_SPEARMAN = _system_measure("spearman", _spearman, _spearman_columns)
SYSTEM_KENDALL = _system_measure("kendall", _kendall, _kendall_columns)
"""System level: means per system are the units; documents are still what is resampled. A resample
that lacks one of the systems altogether has no value."""


@dataclass(frozen=True, slots=True)
class CorrelationMatrix:
    """Every column against every other; `cells[i][j]` is over the rows that have both."""

    names: tuple[str, ...]
    cells: tuple[tuple[Estimate, ...], ...]

    def to_dict(self) -> dict[str, JSON]:
        """Values, counts and intervals as nested lists; null where a cell has none."""
        fields = {"values": "value", "n": "n", "low": "low", "high": "high",
                  "interval_reasons": "interval_reason"}  # fmt: skip
        return {
            "statistic": self.cells[0][0].statistic if self.cells else None,
            "names": list(self.names),
            **{
                name: [[getattr(cell, field) for cell in row] for row in self.cells]
                for name, field in fields.items()
            },
        }


def correlation_matrix(
    scores: Mapping[str, Values],
    measure: Measure = SPEARMAN,
    *,
    groups: Sequence[Hashable] | None = None,
    draws: int = 0,
    seed: int = 0,
) -> CorrelationMatrix:
    """Metric x metric (or component x component), pairwise complete [MFAS].

    scores         name to one value per row, None where unscored
    groups, draws  as in `estimate`; a column with itself, always 1, has no interval
    """
    names = tuple(scores)
    cells: dict[tuple[int, int], Estimate] = {}
    for i, first in enumerate(names):
        for j, second in enumerate(names[: i + 1]):
            data = sample(scores[first], scores[second], groups=groups)
            cell = estimate(measure, data, draws=0 if i == j else draws, seed=seed)
            cells[i, j] = cells[j, i] = cell
    size = range(len(names))
    return CorrelationMatrix(names, tuple(tuple(cells[i, j] for j in size) for i in size))
