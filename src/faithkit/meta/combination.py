"""Combining metrics: a linear combination learned from ratings, and a search over fixed weights.

What lives here: the regression and its cross-validated result [MFAS Table 4], the fitted weights as
plain numbers, growing combinations, and the grid of weights that sum to 1 for combinations like
FFLM's [FFLM]. What does not: the folds (`folds.py`), and a combination as a metric that scores
examples, which only calls `Combination.apply`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from faithkit.meta.bootstrap import (
    DRAWS,
    cluster_counts,
    estimate,
    mean_over,
    quantile_interval,
    too_few,
    undecided,
)
from faithkit.meta.columns import FloatColumn, take
from faithkit.meta.correlation import SPEARMAN
from faithkit.meta.detection import balanced_accuracy, best_cut, one_class
from faithkit.meta.folds import grouped_folds
from faithkit.meta.sample import (
    Bools,
    Estimate,
    Floats,
    Sample,
    Values,
    check_keys,
    column,
    number_list,
    same_length,
    sample,
)
from faithkit.records import JSON, ConfigError, DataError

Objective = Literal["balanced_accuracy", "spearman"]


@dataclass(frozen=True, slots=True)
class Combination:
    """intercept + sum over columns of weight x (value - mean) / scale.

    A column that was constant where this was fitted has weight 0.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    intercept: float

    def apply(self, scores: Mapping[str, Values]) -> list[float | None]:
        """One value per row, None where any column has none.

        Raises DataError when a column is missing, lengths differ, or a result is not finite.
        """
        missing = [name for name in self.names if name not in scores]
        if missing:
            raise DataError(
                f"this combination needs scores of {', '.join(self.names)}; "
                f"missing: {', '.join(missing)}"
            )
        same_length(**{f"scores of {name}": scores[name] for name in self.names})
        total: Floats | float = self.intercept
        present: np.ndarray | bool = True
        for name, weight, mean, scale in zip(
            self.names, self.weights, self.means, self.scales, strict=True
        ):
            values, scored = column(scores[name], f"scores of {name}")
            total = total + weight * ((values - mean) / scale)
            present = present & scored
        numbers, kept = np.atleast_1d(total), np.atleast_1d(present)
        if not np.isfinite(numbers[kept]).all():
            raise DataError("this combination overflows on these scores; check their scale")
        return [float(v) if keep else None for v, keep in zip(numbers, kept, strict=True)]

    def to_dict(self) -> dict[str, JSON]:
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, row: Mapping[str, JSON]) -> Combination:
        """The inverse of `to_dict`. Raises DataError on anything else."""
        check_keys(row, ("names", "weights", "means", "scales", "intercept"), "combination")
        names = row["names"]
        if not isinstance(names, list) or not names or not all(isinstance(x, str) for x in names):
            raise DataError(f"a combination's names should be a list of text, found {names!r}")
        weights, means, scales = (
            number_list(row[key], key) for key in ("weights", "means", "scales")
        )
        lengths = {len(names), len(weights), len(means), len(scales)}
        if len(lengths) > 1 or any(scale <= 0 for scale in scales):
            raise DataError(
                f"a combination of {len(names)} metrics needs as many weights, means and scales, "
                "and every scale above 0"
            )
        (intercept,) = number_list([row["intercept"]], "intercept")
        return cls(tuple(str(name) for name in names), weights, means, scales, intercept)


@dataclass(frozen=True, slots=True)
class CombinationResult:
    """A learned combination and how it does on rows it was not fitted on.

    combination     fitted on all rows, for later use
    mean            Spearman's mean over the folds that have a value, with its interval where
                    asked for: the fits and folds stay fixed in the resamples
    fold_spearman   one per fold, None where undefined (a fold with constant ratings, say)
    held_out        [rows given], each row's value from the fit that did not see it, None where
                    the row was left out
    unscored        rows left out because some column had no value
    """

    combination: Combination
    mean: Estimate
    fold_spearman: tuple[float | None, ...]
    held_out: FloatColumn
    n: int
    groups: int
    unscored: int
    unlabelled: int
    reason: str | None = None

    @property
    def mean_spearman(self) -> float | None:
        return self.mean.value

    def to_dict(self) -> dict[str, JSON]:
        row = {key: value for key, value in asdict(self).items() if key != "held_out"}
        return row | {
            "combination": self.combination.to_dict(),
            "mean_spearman": self.mean_spearman,
            "mean": self.mean.to_dict(),
            "fold_spearman": list(self.fold_spearman),
        }


def _complete(
    scores: Mapping[str, Values], human: Values, groups: Sequence[Hashable] | None
) -> tuple[Floats, Sample]:
    """The columns over the rows that have all of them and a judgement, [n, columns]."""
    if not scores:
        raise DataError("a combination needs at least one metric")
    lengths = {f"scores of {name}": values for name, values in scores.items()}
    same_length(**lengths, human=human)
    columns = [column(values, f"scores of {name}") for name, values in scores.items()]
    every = np.logical_and.reduce([scored for _, scored in columns])
    data = sample([1.0 if keep else None for keep in every], human, groups=groups)
    return np.stack([values for values, _ in columns], axis=1)[data.rows], data


def _fit(names: Sequence[str], x: Floats, y: Floats) -> Combination:
    from sklearn.linear_model import LinearRegression

    means = x.mean(axis=0)
    constant = x.max(axis=0) == x.min(axis=0)
    scales = np.where(constant, 1.0, x.std(axis=0))
    scales = np.where(scales > 0, scales, 1.0)
    model = LinearRegression().fit((x - means) / scales, y)
    return Combination(
        tuple(names),
        weights=tuple(float(v) for v in np.where(constant, 0.0, model.coef_)),
        means=tuple(float(v) for v in means),
        scales=tuple(float(v) for v in scales),
        intercept=float(model.intercept_),
    )


def _predict(fitted: Combination, x: Floats) -> Floats:
    weights, means, scales = (np.array(v) for v in (fitted.weights, fitted.means, fitted.scales))
    return np.asarray(fitted.intercept + ((x - means) / scales) @ weights)


def learn_combination(
    scores: Mapping[str, Values],
    human: Values,
    groups: Sequence[Hashable],
    *,
    folds: int = 10,
    seed: int = 0,
    draws: int = 0,
) -> CombinationResult:
    """Least squares on standardised columns, with k-fold cross-validation by source document.

    Means and scales are taken inside each training fold. Mean Spearman over the folds is the
    figure of [MFAS Table 4]; draws: of its interval.
    Raises ConfigError when there are fewer documents than folds.
    """
    x, data = _complete(scores, human, groups)
    names, y = tuple(scores), data.judgements()
    held_out = np.zeros(data.n)
    splits = grouped_folds(take(groups, data.rows), folds, seed)
    for train, test in splits:
        held_out[test] = _predict(_fit(names, x[train], y[train]), x[test])
    per_fold, mean = _by_fold(replace(data, scores=held_out), splits, draws, seed)
    return CombinationResult(
        _fit(names, x, y),
        mean=mean,
        fold_spearman=per_fold,
        held_out=data.scattered(held_out, len(human)),
        n=data.n,
        groups=data.clusters,
        unscored=data.unscored,
        unlabelled=data.unlabelled,
        reason="Spearman is undefined in every fold" if mean.value is None else None,
    )


FoldSpearman = tuple[tuple[float | None, ...], Estimate]
"""Spearman's correlation in each fold, None where undefined, and the mean of those defined."""


def _by_fold(
    data: Sample, splits: Sequence[tuple[Bools, Bools]], draws: int, seed: int
) -> FoldSpearman:
    tests = [test for _, test in splits]
    folds = tuple(estimate(SPEARMAN, data.where(test)).value for test in tests)
    return folds, estimate(mean_over(SPEARMAN, tests), data, draws=draws, seed=seed)


def spearman_alone(
    values: Values,
    human: Values,
    groups: Sequence[Hashable],
    *,
    folds: int = 10,
    seed: int = 0,
    draws: int = 0,
) -> FoldSpearman:
    """One metric as it is on the folds of `learn_combination`, below 0 where it falls as the human
    judgement rises. A fit of this metric alone would hide that: its weight turns the sign."""
    data = sample(values, human, groups=groups)
    splits = grouped_folds(take(groups, data.rows), folds, seed)
    return _by_fold(data, splits, draws, seed)


def weight_estimates(
    combination: Combination,
    scores: Mapping[str, Values],
    human: Values,
    groups: Sequence[Hashable],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Estimate, ...]:
    """Each weight with its percentile interval by source document, in the order of `names`.

    combination  as `learn_combination` fitted it on the same columns; its means and scales stay
                 fixed in the resamples, so that a weight means the same in each
    Metrics that say the same share a weight as chance has it; their intervals are wide.
    """
    x, data = _complete({name: scores[name] for name in combination.names}, human, groups)
    z = (x - np.array(combination.means)) / np.array(combination.scales)
    design = np.column_stack([np.ones(data.n), z])
    products = np.zeros((data.clusters, design.shape[1], design.shape[1]))
    targets = np.zeros((data.clusters, design.shape[1]))
    cluster = data.groups()
    np.add.at(products, cluster, design[:, :, None] * design[:, None, :])
    np.add.at(targets, cluster, design * data.judgements()[:, None])
    few = too_few(data.clusters)
    drawn = np.concatenate(
        [
            np.einsum(
                "dij,dj->di",
                np.linalg.pinv(np.tensordot(counts.T, products, 1), hermitian=True),
                counts.T @ targets,
            )[:, 1:]
            for counts in cluster_counts(data.clusters, 1 if few else draws, seed, 256)
        ]
    )
    estimates = []
    for index, weight in enumerate(combination.weights):
        values = drawn[:, index]
        interval_reason = few or undecided(values, np.ones(len(values), dtype=bool), level)
        low, high = (None, None) if interval_reason else quantile_interval(values, level)
        estimates.append(
            Estimate("weight", weight, data.n, data.unscored, data.unlabelled, low=low, high=high,
                     level=level, groups=data.clusters, draws=0 if few else draws,
                     interval_reason=interval_reason)
        )  # fmt: skip
    return tuple(estimates)


def growing_combinations(
    scores: Mapping[str, Values],
    human: Values,
    groups: Sequence[Hashable],
    *,
    folds: int = 10,
    seed: int = 0,
    draws: int = 0,
) -> list[CombinationResult]:
    """The best single metric, then the one that helps it most, and so on to all of them.

    All on the rows that have every metric, so that sizes compare. Each step keeps the highest
    mean Spearman over the folds, ties in the order given; the choice is made on the same folds as
    the figure, which is therefore slightly optimistic. The figures of the first step are those of
    the metric as it is (`spearman_alone`). draws: of the intervals, of the steps as chosen.
    """
    _, data = _complete(scores, human, groups)
    complete = [int(row) for row in data.rows]
    columns = {name: [scores[name][row] for row in complete] for name in scores}
    rated, grouped = [human[row] for row in complete], [groups[row] for row in complete]

    def step(names: Sequence[str], draws: int) -> CombinationResult:
        candidate = {name: columns[name] for name in names}
        result = learn_combination(
            candidate, rated, grouped, folds=folds, seed=seed, draws=draws if names[1:] else 0
        )
        if names[1:]:
            return result
        per_fold, mean = spearman_alone(
            columns[names[0]], rated, grouped, folds=folds, seed=seed, draws=draws
        )
        return replace(result, fold_spearman=per_fold, mean=mean)

    steps: list[CombinationResult] = []
    chosen: tuple[str, ...] = ()
    while len(chosen) < len(columns):
        tried = [step([*chosen, name], 0) for name in columns if name not in chosen]
        best = max(tried, key=lambda r: -2.0 if r.mean_spearman is None else r.mean_spearman)
        chosen = best.combination.names
        steps.append(step(chosen, draws) if draws else best)
    return steps


def simplex_grid(columns: int, steps: int = 10) -> Floats:
    """Weights in {0, 1/steps, ..., 1} that sum to 1, [grid, columns], in lexicographic order."""
    if columns < 1 or steps < 1:
        raise ConfigError(f"a grid needs columns and steps, found {columns} and {steps}")
    bars = combinations(range(steps + columns - 1), columns - 1)
    cells = [np.diff([-1, *places, steps + columns - 1]) - 1 for places in bars]
    return np.array(cells, dtype=float) / steps


@dataclass(frozen=True, slots=True)
class WeightSearch:
    """The best fixed weights on a labelled split. Without a value, `reason` says why.

    value      balanced accuracy in [0, 1] or Spearman in [-1, 1], on the rows searched
    threshold  the cut-off that goes with the balanced accuracy, None for Spearman
    tried      points of the grid
    """

    weights: Mapping[str, float]
    objective: str
    value: float | None
    threshold: float | None
    tried: int
    n: int
    unscored: int
    unlabelled: int
    reason: str | None = None

    def combination(self) -> Combination:
        """The weighted sum of the components as they are, without standardisation."""
        zeros, ones = (0.0,) * len(self.weights), (1.0,) * len(self.weights)
        return Combination(tuple(self.weights), tuple(self.weights.values()), zeros, ones, 0.0)


def search_weights(
    components: Mapping[str, Values],
    human: Values,
    *,
    objective: Objective = "balanced_accuracy",
    steps: int = 10,
) -> WeightSearch:
    """Tries every weighting of the components on the simplex grid [FFLM: steps of 0.1].

    Components are used as they are, not standardised. Of equally good weightings the most even
    one wins (least sum of squares), then the first in lexicographic order.
    """
    if objective not in ("balanced_accuracy", "spearman"):
        raise ConfigError(f"objective should be balanced_accuracy or spearman, found '{objective}'")
    x, data = _complete(components, human, None)
    y = data.judgements()
    grid = simplex_grid(len(components), steps)
    grid = grid[np.argsort((np.rint(grid * steps) ** 2).sum(axis=1), kind="stable")]
    labels = data.labels() if objective == "balanced_accuracy" else None
    reason = one_class(labels) if labels is not None else None
    best: tuple[float, float | None, Floats] | None = None
    for weights in () if reason else grid:
        combined = x @ weights
        candidate: tuple[float, float | None, Floats]
        if labels is not None:
            threshold, value = best_cut(combined, labels)
            candidate = (value, threshold, weights)
        else:
            rank = estimate(SPEARMAN, sample(combined, y))
            if rank.value is None:
                reason = rank.reason
                continue
            candidate = (rank.value, None, weights)
        if best is None or candidate[0] > best[0] + 1e-12:
            best = candidate
    counts = (len(grid), data.n, data.unscored, data.unlabelled)
    if best is None:
        return WeightSearch({}, objective, None, None, *counts, reason)
    chosen = dict(zip(components, (float(w) for w in best[2]), strict=True))
    return WeightSearch(chosen, objective, best[0], best[1], *counts)


def held_out_search(
    components: Mapping[str, Values],
    human: Values,
    groups: Sequence[Hashable],
    *,
    objective: Objective = "balanced_accuracy",
    folds: int = 5,
    seed: int = 0,
) -> float | None:
    """The value that `search_weights` reaches on held-out documents: the balanced accuracy of all
    held-out decisions, or the mean Spearman over the folds. None if no weights are found in some
    fold.

    Raises ConfigError when there are fewer documents than folds.
    """
    x, data = _complete(components, human, groups)
    y = data.judgements()
    decisions = np.zeros(data.n)
    correlations = []
    for train, test in grouped_folds(take(groups, data.rows), folds, seed):
        columns = dict(zip(components, x[train].T, strict=True))
        search = search_weights(columns, y[train], objective=objective)
        if search.value is None:
            return None
        combined = x[test] @ np.array(list(search.weights.values()))
        if search.threshold is None:
            correlations.append(estimate(SPEARMAN, sample(combined, y[test])).value)
        else:
            decisions[test] = combined >= search.threshold
    if objective == "spearman":
        defined = [value for value in correlations if value is not None]
        return sum(defined) / len(defined) if defined else None
    return estimate(balanced_accuracy(0.5), sample(decisions, y)).value
