"""Where a metric goes wrong: by type of error, and by over- and under-prediction.

What lives here: correlation per error type over small draws of error cases mixed with all the
faithful ones, and the comparison of metric and human, on the raw scale from 0 to 1 and on that of
quantiles, with the worst and randomly drawn cases.
What does not: the taxonomies themselves, which come with the data as names. Sources: error types
[FFLM], over- and under-rated cases [MFAS].
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

import numpy as np

from faithkit.meta.bootstrap import estimate, mean_over
from faithkit.meta.columns import take
from faithkit.meta.correlation import SPEARMAN, Ranks
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
    column,
    hash_order,
    narrow,
    ratio,
    same_length,
    sample,
)
from faithkit.records import JSON, ConfigError, DataError


@dataclass(frozen=True, slots=True)
class ErrorTypeResult:
    """How a metric ranks the errors of one type among the faithful rows.

    spearman      mean over the draws; None where `reason` says why
    low, high     its interval by source document, with the draws as they are; None where not asked
                  for or where `interval_reason` says why
    spread        standard deviation over the draws, None for a single one
    available     scored error cases of this type
    used          error cases in each draw: `available` when there are fewer than asked for
    fewer         True when `available` < the cases asked for
    draws         draws made: one when all available cases are used, as every draw is then the same
    faithful      scored faithful rows, all in every draw
    unscored      error cases of this type without a metric value
    """

    error_type: str
    spearman: float | None
    spread: float | None
    available: int
    used: int
    fewer: bool
    faithful: int
    unscored: int
    draws: int
    undefined_draws: int
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    groups: int | None = None
    interval_reason: str | None = None

    def to_dict(self) -> dict[str, JSON]:
        return asdict(self)


def error_type_correlations(
    scores: Values,
    labels: Values,
    error_types: Sequence[Collection[str]],
    *,
    ratings: Values | None = None,
    groups: Sequence[Hashable] | None = None,
    ids: Sequence[str] | None = None,
    cases: int = 50,
    draws: int = 10,
    seed: int = 0,
    resamples: int = 0,
) -> list[ErrorTypeResult]:
    """Spearman with the human judgement per error type, types in alphabetical order.

    labels             1 faithful, 0 not; faithful rows are mixed in whatever types they have
    error_types        the types of each row; an unfaithful row counts for each of its types
    ratings            what to correlate with, where there is more than the label
    groups, resamples  the source document of each row, and how often documents are resampled for
                       the interval
    ids                the name of each row, by which the draws do not depend on the rows' order
    cases              unfaithful rows of the type in each draw, without replacement
    """
    if cases < 1 or draws < 1:
        raise ConfigError(f"cases and draws are at least 1, found {cases} and {draws}")
    same_length(scores=scores, labels=labels, error_types=error_types)
    _check_names(error_types)
    human = labels if ratings is None else ratings
    same_length(labels=labels, ratings=human)
    values, scored = column(scores, "scores")
    judged, has_judgement = column(human, "ratings")
    faithful, wrong = _faithful_and_wrong(labels)
    usable = scored & has_judgement
    base = np.flatnonzero(faithful & usable)
    results = []
    types = {name for row in np.flatnonzero(wrong).tolist() for name in error_types[row]}
    for name in sorted(types):
        of_type = wrong & np.array([name in names for names in error_types], dtype=bool)
        errors = np.flatnonzero(of_type & usable)
        if ids is not None:
            errors = errors[hash_order(ids[row] for row in errors.tolist())]
        rows = np.concatenate([base, errors])
        documents = None if groups is None else take(groups, rows)
        data = sample(values[rows], judged[rows], groups=documents)
        picks = _picks(name, len(errors), cases, draws, seed)
        selections = [np.concatenate([np.arange(len(base)), len(base) + pick]) for pick in picks]
        result = _of_type(name, data, selections, resamples, seed)
        results.append(
            replace(
                result,
                available=len(errors),
                used=min(len(errors), cases),
                fewer=len(errors) < cases,
                faithful=len(base),
                unscored=int((of_type & ~scored).sum()),
            )
        )
    return results


def _faithful_and_wrong(labels: Values) -> tuple[Bools, Bools]:
    """Whether each row is labelled faithful, and whether it is labelled unfaithful."""
    labelled = sample(labels, labels)
    faithful, wrong = np.zeros((2, len(labels)), dtype=bool)
    faithful[labelled.rows[labelled.labels()]] = True
    wrong[labelled.rows[~labelled.labels()]] = True
    return faithful, wrong


def _check_names(error_types: Sequence[Collection[str]]) -> None:
    for row, names in enumerate(error_types):
        if isinstance(names, str):
            raise DataError(f"row {row}: error_types should be a list of names, found '{names}'")


def _picks(name: str, errors: int, cases: int, draws: int, seed: int) -> list[Ints]:
    """The errors in each draw; one draw of all where there are no more than `cases`. The seed is
    the type's own, so that its figure does not depend on the other types."""
    if errors <= cases:
        return [np.arange(errors)]
    generator = np.random.default_rng([seed, *name.encode()])
    return [generator.choice(errors, size=cases, replace=False) for _ in range(draws)]


def _of_type(
    name: str, data: Sample, selections: Sequence[Ints], resamples: int, seed: int
) -> ErrorTypeResult:
    """The mean over the draws and its interval; the counts of rows are 0."""
    values = [estimate(SPEARMAN, data.where(rows)).value for rows in selections]
    defined = [value for value in values if value is not None]
    mean = estimate(mean_over(SPEARMAN, selections), data, draws=resamples, seed=seed)
    return ErrorTypeResult(
        name,
        spearman=mean.value,
        spread=float(np.std(defined, ddof=1)) if len(defined) > 1 else None,
        available=0,
        used=0,
        fewer=False,
        faithful=0,
        unscored=0,
        draws=len(selections),
        undefined_draws=len(selections) - len(defined),
        reason=mean.reason,
        low=mean.low,
        high=mean.high,
        groups=mean.groups,
        interval_reason=mean.interval_reason,
    )


Scale = Literal["raw", "quantile"]
"""raw: the numbers themselves, both from 0 to 1; quantile: each as its place among all rows."""

ROUNDING = 1e-6
"""A cosine in float32 may leave its bounds by so much."""


@dataclass(frozen=True, slots=True)
class Case:
    """One row. score, human: as they are; score_placed, human_placed: on the scale on which they
    are compared; difference = score_placed - human_placed, in [-1, 1]."""

    row: int
    score: float
    human: float
    score_placed: float
    human_placed: float
    difference: float


@dataclass(frozen=True, slots=True)
class PredictionReport:
    """Over-prediction: the metric places a row higher than the rating does.

    over, under, equal     rows with a positive, negative, zero difference
    mean_over, mean_under  mean size of the difference on those rows (both positive), None if none
    mean_difference        signed mean over all rows; 0 by construction on the scale of quantiles
    mean_absolute          mean size over all rows
    differences            [n], all of them from the least to the greatest, for a plot
    worst_over, worst_under    the largest differences of each sign, ties in row order
    random_over, random_under  as many of each sign, drawn without replacement, in row order
    estimates              with their intervals by source document: the shares `over`, `under` and
                           `equal`, and the means of the same names as the fields, but for the mean
                           difference of quantiles
    reason                 why there is nothing to compare, else None
    """

    scale: Scale
    n: int
    unscored: int
    unlabelled: int
    over: int
    under: int
    equal: int
    mean_over: float | None
    mean_under: float | None
    mean_difference: float | None
    mean_absolute: float | None
    differences: tuple[float, ...]
    worst_over: tuple[Case, ...]
    worst_under: tuple[Case, ...]
    random_over: tuple[Case, ...]
    random_under: tuple[Case, ...]
    estimates: Mapping[str, Estimate]
    reason: str | None = None


def quantiles(values: Floats) -> Floats:
    """Mid-rank / n of each value, in (0, 1]; equal values get equal quantiles."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values) / max(len(values), 1), dtype=float)


def _check_scale(scale: str, human_range: tuple[float, float]) -> None:
    if scale not in get_args(Scale):
        raise ConfigError(f"scale is raw or quantile, found '{scale}'")
    low, high = human_range
    if not low < high:
        raise ConfigError(f"a rating's range goes from low to high, found {low:g} to {high:g}")


def prediction_report(
    scores: Values,
    human: Values,
    *,
    scale: Scale = "raw",
    human_range: tuple[float, float] = (0.0, 1.0),
    groups: Sequence[Hashable] | None = None,
    draws: int = 0,
    cases: int = 10,
    seed: int = 0,
) -> PredictionReport:
    """Sign and size of metric - human [MFAS Figure 2].

    scale        `raw`: the metric's own value from 0 to 1 against the rating brought to 0 to 1;
                 `quantile`: both mapped to their place among all rows, by which a metric's own
                 scale no longer matters, and by construction about half of the rows are above and
                 half below
    human_range  the least and the greatest rating that can be given, for `raw`
    groups, draws  of the intervals, as in `estimate`; quantiles are taken anew in each resample
    cases        worst and random cases of each sign
    On the raw scale, a metric or a rating that leaves its range has a `reason` and no differences.
    Raises ConfigError on another scale, or where the range is empty.
    """
    _check_scale(scale, human_range)
    data = sample(scores, human, groups=groups)
    reason = _off_scale(data.scores, data.judgements(), human_range) if scale == "raw" else None
    if reason:
        data = data.where(np.zeros(data.n, dtype=bool))
    placed = _placed(data, scale, human_range)
    difference = placed[0] - placed[1]
    positive, negative = difference > 0, difference < 0
    by_size = np.argsort(-np.abs(difference), kind="stable")
    generator = np.random.default_rng(seed)

    def drawn(mask: Bools) -> Ints:
        places = np.flatnonzero(mask)
        return np.sort(generator.choice(places, size=min(cases, len(places)), replace=False))

    return PredictionReport(
        scale=scale,
        n=data.n,
        unscored=data.unscored,
        unlabelled=data.unlabelled,
        over=int(positive.sum()),
        under=int(negative.sum()),
        equal=int((difference == 0).sum()),
        mean_over=_mean_size(difference[positive]),
        mean_under=_mean_size(difference[negative]),
        mean_difference=float(difference.mean()) if data.n else None,
        mean_absolute=_mean_size(difference),
        differences=tuple(np.sort(difference).tolist()),
        worst_over=_cases(by_size[positive[by_size]][:cases], data, placed),
        worst_under=_cases(by_size[negative[by_size]][:cases], data, placed),
        random_over=_cases(drawn(positive), data, placed),
        random_under=_cases(drawn(negative), data, placed),
        estimates=_estimates(replace(data, scores=placed[0], human=placed[1]), scale, draws, seed),
        reason=reason or (None if data.n else "no row has both a score and a rating"),
    )


def _mean_size(differences: Floats) -> float | None:
    return float(np.abs(differences).mean()) if len(differences) else None


Averaged = Callable[[Floats], tuple[Floats | Bools, Floats | Bools]]
"""Differences to what is averaged of each, and to whether it is averaged over."""
AVERAGED: Mapping[str, Averaged] = {
    "over": lambda d: (d > 0, np.ones_like(d)),
    "under": lambda d: (d < 0, np.ones_like(d)),
    "equal": lambda d: (d == 0, np.ones_like(d)),
    "mean_over": lambda d: (np.maximum(d, 0), d > 0),
    "mean_under": lambda d: (np.maximum(-d, 0), d < 0),
    "mean_absolute": lambda d: (np.abs(d), np.ones_like(d)),
    "mean_difference": lambda d: (d, np.ones_like(d)),
}


def _estimates(placed: Sample, scale: Scale, draws: int, seed: int) -> dict[str, Estimate]:
    """Each of AVERAGED with its interval. placed: scores and ratings on the scale on which they are
    compared. The mean difference of quantiles is 0 in every resample, and left out."""
    return {
        name: estimate(_measure(name, averaged, scale), placed, draws=draws, seed=seed)
        for name, averaged in AVERAGED.items()
        if (scale, name) != ("quantile", "mean_difference")
    }


def _measure(name: str, averaged: Averaged, scale: Scale) -> Measure:
    def sums(data: Sample) -> tuple[float, float]:
        values, over = averaged(data.scores - data.judgements())
        return float(values.sum()), float(over.sum())

    def undefined(data: Sample) -> str | None:
        return None if sums(data)[1] else "no row to average over"

    def point(data: Sample) -> float:
        total, rows = sums(data)
        return total / rows

    def raw(data: Sample) -> Kernel:
        parts = averaged(data.scores - data.judgements())
        total, rows = (cluster_sums(part.astype(float), data) for part in parts)
        return lambda counts: ratio(total @ counts, rows @ counts)

    def quantile(data: Sample) -> Kernel:
        cluster = data.groups()
        x, y = Ranks(data.scores), Ranks(data.judgements())

        def kernel(counts: Floats) -> tuple[Floats, Bools]:
            weights = counts[cluster]
            ranks_x, ranks_y = (column.centred(counts, cluster)[0] for column in (x, y))
            drawn = np.maximum(weights.sum(axis=0), 1.0)
            parts = averaged((ranks_x[x.value] - ranks_y[y.value]) / drawn)
            return ratio(*(np.einsum("rb,rb->b", weights, part) for part in parts))

        return narrow(kernel, data.n)

    return Measure(name, undefined, point, quantile if scale == "quantile" else raw)


def _placed(data: Sample, scale: Scale, human_range: tuple[float, float]) -> tuple[Floats, Floats]:
    """Scores and ratings on the scale on which they are compared."""
    if scale == "quantile":
        return quantiles(data.scores), quantiles(data.judgements())
    low, high = human_range
    return data.scores, (data.judgements() - low) / (high - low)


def _cases(places: Ints, data: Sample, placed: tuple[Floats, Floats]) -> tuple[Case, ...]:
    columns = (data.scores, data.judgements(), *placed, placed[0] - placed[1])
    return tuple(Case(int(data.rows[i]), *(float(column[i]) for column in columns)) for i in places)


def _off_scale(scores: Floats, ratings: Floats, human_range: tuple[float, float]) -> str | None:
    """Why the two cannot be compared as they are, or None."""
    for name, values, (low, high) in (
        ("the metric's values", scores, (0.0, 1.0)), ("the ratings", ratings, human_range),
    ):  # fmt: skip
        if len(values) and (values.min() < low - ROUNDING or values.max() > high + ROUNDING):
            return (
                f"{name} run from {values.min():.3g} to {values.max():.3g}, not within "
                f"{low:g} to {high:g}"
            )
    return None
