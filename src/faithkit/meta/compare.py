"""Comparing metrics (or summarisers) on the same rows: paired bootstrap, Holm, win matrix.

What lives here: the difference of one statistic between two columns under the same resamples of
source documents, its p-value and what difference the data could have shown, Holm's correction over
many comparisons, and row-by-row wins. What does not: the statistics and the resampling engine.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from faithkit.meta.bootstrap import DRAWS, quantile_interval, resample, too_few, undecided
from faithkit.meta.sample import Measure, Sample, Values, column, same_length, sample
from faithkit.records import JSON, ConfigError

POWER, LEVEL = 0.8, 0.95

NONE_SHARED = "no row has a value of both"
"""Why columns that have values of different rows only cannot be compared."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """first minus second on the rows both scored. Numbers are None where `reason` says why.

    p_value             two-sided, 2 min(P(d* <= 0), P(d* >= 0)) over the draws d*, each share
                        counted as (1 + hits) / (1 + draws), at most 1 and at least 2^(1 - groups),
                        which a sign test over so many documents cannot pass
    adjusted            the same after Holm's correction, where there were several comparisons
    standard_error      standard deviation of the difference over the draws
    minimum_detectable  smallest true difference found with 80% power at a two-sided 5% level, by
                        the normal approximation: (z_.975 + z_.80) x standard error
    n                   units compared
    unscored_first, unscored_second  rows that column has no value for; `left_out` rows were lost
                        to either of them, and `unlabelled` for want of a human judgement
    """

    statistic: str
    first: str
    second: str
    first_value: float | None
    second_value: float | None
    difference: float | None
    n: int
    left_out: int
    unscored_first: int
    unscored_second: int
    unlabelled: int
    groups: int
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    adjusted: float | None = None
    standard_error: float | None = None
    minimum_detectable: float | None = None
    draws: int = 0
    undefined_draws: int = 0
    reason: str | None = None

    def to_dict(self) -> dict[str, JSON]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SharedRows:
    """What the compared columns share: see `sample` for each."""

    human: Values | None = None
    groups: Sequence[Hashable] | None = None
    systems: Sequence[Hashable] | None = None
    subsets: Sequence[Hashable] | None = None


def _paired(first: Values, second: Values, rows: SharedRows) -> tuple[list[Sample], list[int]]:
    """Both columns over the rows that both scored, and how many each lacks."""
    same_length(first=first, second=second)
    _, has_first = column(first, "scores of the first")
    _, has_second = column(second, "scores of the second")
    has_both = has_first & has_second
    samples = [
        sample(
            [value if keep else None for value, keep in zip(values, has_both, strict=True)],
            rows.human,
            groups=rows.groups,
            systems=rows.systems,
            subsets=rows.subsets,
        )
        for values in (first, second)
    ]
    return samples, [int((~has_first).sum()), int((~has_second).sum())]


def compare(
    measure: Measure,
    first: Values,
    second: Values,
    rows: SharedRows,
    *,
    names: tuple[str, str] = ("first", "second"),
    draws: int = DRAWS,
    seed: int = 0,
    level: float = LEVEL,
) -> Comparison:
    """Paired bootstrap by source document of `measure(first) - measure(second)`.

    Raises DataError when `rows.groups` is missing.
    """
    samples, unscored = _paired(first, second, rows)
    data = samples[0]
    data.groups()
    result = Comparison(
        measure.name,
        *names,
        first_value=None,
        second_value=None,
        difference=None,
        n=measure.units(data),
        left_out=data.unscored,
        unscored_first=unscored[0],
        unscored_second=unscored[1],
        unlabelled=data.unlabelled,
        groups=data.clusters,
    )
    if data.unscored == len(first) > max(unscored):
        return replace(result, reason=NONE_SHARED)
    reasons = [
        f"{name}: {why}"
        for name, column_data in zip(names, samples, strict=True)
        if (why := measure.undefined(column_data))
    ]
    if reasons:
        return replace(result, reason="; ".join(reasons))
    values = [measure.point(column_data) for column_data in samples]
    result = replace(
        result, first_value=values[0], second_value=values[1], difference=values[0] - values[1]
    )
    if few := too_few(data.clusters):
        return replace(result, reason=few)
    kernels = [measure.kernel(column_data) for column_data in samples]
    drawn, defined = resample(kernels, data, draws=draws, seed=seed)
    has_both = np.asarray(defined.all(axis=0))
    differences = drawn[0] - drawn[1]
    if why := undecided(differences, has_both, level):
        return replace(result, undefined_draws=int((~has_both).sum()), reason=why)
    return _tested(result, differences[has_both], draws, level)


def _tested(result: Comparison, differences: np.ndarray, draws: int, level: float) -> Comparison:
    from scipy.stats import norm

    size = len(differences)
    share = float(min((differences <= 0).sum(), (differences >= 0).sum()) + 1)
    low, high = quantile_interval(differences, level)
    error = float(differences.std(ddof=1))
    return replace(
        result,
        low=low,
        high=high,
        p_value=min(1.0, max(2 * share / (size + 1), 2.0 ** (1 - result.groups))),
        standard_error=error,
        minimum_detectable=float(norm.ppf((1 + LEVEL) / 2) + norm.ppf(POWER)) * error,
        draws=size,
        undefined_draws=draws - size,
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment, in the order given; None stays None and is not counted.

    The k-th smallest of m becomes the largest of (m - j + 1) p_(j) over j <= k, at most 1.
    """
    ordered = sorted((p, row) for row, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for position, (p, row) in enumerate(ordered):
        if not 0 <= p <= 1:
            raise ConfigError(f"a p-value lies in [0, 1], found {p}")
        largest = max(largest, min(1.0, (len(ordered) - position) * p))
        adjusted[row] = largest
    return adjusted


def compare_all(
    measure: Measure,
    scores: Mapping[str, Values],
    rows: SharedRows,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    level: float = LEVEL,
) -> list[Comparison]:
    """`compare` for every pair of columns, with Holm's correction over them."""
    compared = [
        compare(
            measure, scores[first], scores[second], rows, names=(first, second),
            draws=draws, seed=seed, level=level,
        )
        for first, second in combinations(scores, 2)
    ]  # fmt: skip
    adjusted = holm([comparison.p_value for comparison in compared])
    return [replace(item, adjusted=p) for item, p in zip(compared, adjusted, strict=True)]


@dataclass(frozen=True, slots=True)
class WinMatrix:
    """wins[i][j]: rows in which column i is strictly above column j, of the n[i][j] both scored;
    ties[i][j] are equal."""

    names: tuple[str, ...]
    wins: tuple[tuple[int, ...], ...]
    ties: tuple[tuple[int, ...], ...]
    n: tuple[tuple[int, ...], ...]


def win_matrix(scores: Mapping[str, Values]) -> WinMatrix:
    """Row-by-row wins of every column over every other (summarisers on the same documents)."""
    names = tuple(scores)
    if names:
        same_length(**{f"scores of {name}": values for name, values in scores.items()})
    columns = [column(scores[name], f"scores of {name}") for name in names]

    def table(kind: str) -> tuple[tuple[int, ...], ...]:
        rows = []
        for x, has_x in columns:
            cells = []
            for y, has_y in columns:
                has_both = has_x & has_y
                hit = {"wins": x > y, "ties": x == y, "n": has_both}[kind]
                cells.append(int((hit & has_both).sum()))
            rows.append(tuple(cells))
        return tuple(rows)

    return WinMatrix(names, table("wins"), table("ties"), table("n"))
