"""Where a metric goes wrong: by type of error, and by over- and under-prediction.

What lives here: correlation per error type over small draws of error cases mixed with all the
faithful ones, and the comparison of metric and human, on the raw scale from 0 to 1 and on that of
quantiles, with the worst and randomly drawn cases.
What does not: the taxonomies themselves, which come with the data as names. Sources: error types
[FFLM], over- and under-rated cases [MFAS].
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, get_args

import numpy as np

from faithkit.meta.bootstrap import estimate
from faithkit.meta.correlation import SPEARMAN
from faithkit.meta.sample import (
    Bools,
    Estimate,
    Floats,
    Ints,
    Sample,
    Values,
    column,
    same_length,
    sample,
)
from faithkit.records import JSON, ConfigError, DataError


@dataclass(frozen=True, slots=True)
class ErrorTypeResult:
    """How a metric ranks the errors of one type among the faithful rows.

    spearman      mean over the draws; None where `reason` says why
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

    def to_dict(self) -> dict[str, JSON]:
        return asdict(self)


def error_type_correlations(
    scores: Values,
    labels: Values,
    error_types: Sequence[Collection[str]],
    *,
    ratings: Values | None = None,
    cases: int = 50,
    draws: int = 10,
    seed: int = 0,
) -> list[ErrorTypeResult]:
    """Spearman with the human judgement per error type, types in alphabetical order.

    labels       1 faithful, 0 not; faithful rows are mixed in whatever their `error_types` say
    error_types  the types of each row; an unfaithful row counts for each of its types
    ratings      what to correlate with, where there is more than the label
    cases        unfaithful rows of the type in each draw, without replacement
    """
    if cases < 1 or draws < 1:
        raise ConfigError(f"cases and draws are at least 1, found {cases} and {draws}")
    same_length(scores=scores, labels=labels, error_types=error_types)
    for row, names in enumerate(error_types):
        if isinstance(names, str):
            raise DataError(f"row {row}: error_types should be a list of names, found '{names}'")
    human = labels if ratings is None else ratings
    same_length(labels=labels, ratings=human)
    values, scored = column(scores, "scores")
    judged, has_judgement = column(human, "ratings")
    labelled = sample(labels, labels)
    faithful = np.zeros(len(values), dtype=bool)
    faithful[labelled.rows[labelled.labels()]] = True
    wrong = np.zeros(len(values), dtype=bool)
    wrong[labelled.rows[~labelled.labels()]] = True
    usable = scored & has_judgement
    base = np.flatnonzero(faithful & usable)
    results = []
    for name in sorted(
        {name for row in np.flatnonzero(wrong).tolist() for name in error_types[row]}
    ):
        of_type = wrong & np.array([name in names for names in error_types], dtype=bool)
        rows = np.flatnonzero(of_type & usable)
        # A seed of its own per type, so that a type's figure does not depend on the other types.
        generator = np.random.default_rng([seed, *name.encode()])
        picks = [
            rows if len(rows) <= cases else generator.choice(rows, size=cases, replace=False)
            for _ in range(1 if len(rows) <= cases else draws)
        ]
        mixed = [np.concatenate([base, pick]) for pick in picks]
        estimates = [estimate(SPEARMAN, sample(values[part], judged[part])) for part in mixed]
        results.append(
            _of_type(
                name,
                estimates,
                available=len(rows),
                cases=cases,
                faithful=len(base),
                unscored=int((of_type & ~scored).sum()),
            )
        )
    return results


def _of_type(
    name: str,
    estimates: Sequence[Estimate],
    *,
    available: int,
    cases: int,
    faithful: int,
    unscored: int,
) -> ErrorTypeResult:
    """The draws of one type, averaged."""
    defined = [item.value for item in estimates if item.value is not None]
    return ErrorTypeResult(
        name,
        spearman=float(np.mean(defined)) if defined else None,
        spread=float(np.std(defined, ddof=1)) if len(defined) > 1 else None,
        available=available,
        used=min(available, cases),
        fewer=available < cases,
        faithful=faithful,
        unscored=unscored,
        draws=len(estimates),
        undefined_draws=len(estimates) - len(defined),
        reason=None if defined else estimates[0].reason,
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
    cases: int = 10,
    seed: int = 0,
) -> PredictionReport:
    """Sign and size of metric - human [MFAS Figure 2].

    scale        `raw`: the metric's own value from 0 to 1 against the rating brought to 0 to 1;
                 `quantile`: both mapped to their place among all rows, by which a metric's own
                 scale no longer matters, and by construction about half of the rows are above and
                 half below
    human_range  the least and the greatest rating that can be given, for `raw`
    cases        worst and random cases of each sign
    On the raw scale, a metric or a rating that leaves its range has a `reason` and no differences.
    Raises ConfigError on another scale, or where the range is empty.
    """
    _check_scale(scale, human_range)
    data = sample(scores, human)
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

    def size(mask: Bools) -> float | None:
        return float(np.abs(difference[mask]).mean()) if mask.any() else None

    return PredictionReport(
        scale=scale,
        n=data.n,
        unscored=data.unscored,
        unlabelled=data.unlabelled,
        over=int(positive.sum()),
        under=int(negative.sum()),
        equal=int((difference == 0).sum()),
        mean_over=size(positive),
        mean_under=size(negative),
        mean_difference=float(difference.mean()) if data.n else None,
        mean_absolute=size(np.ones(data.n, dtype=bool)),
        differences=tuple(np.sort(difference).tolist()),
        worst_over=_cases(by_size[positive[by_size]][:cases], data, placed),
        worst_under=_cases(by_size[negative[by_size]][:cases], data, placed),
        random_over=_cases(drawn(positive), data, placed),
        random_under=_cases(drawn(negative), data, placed),
        reason=reason or (None if data.n else "no row has both a score and a rating"),
    )


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
