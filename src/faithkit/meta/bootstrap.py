"""Percentile bootstrap by source document, vectorised over draws, and averages over subsets.

What lives here: drawing cluster multiplicities, running a Measure's kernel over them in blocks,
what data can carry no interval, the mean as a Measure, and averages of a Measure over subsets and
over selections of rows. What does not: the statistics themselves. A draw takes as many source
documents as there are, with replacement, and all rows of each; it is held as the number of times
each document was taken, so no row is ever copied. The unit is the document because rows that share
a source are not independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from faithkit.meta.sample import (
    Bools,
    Estimate,
    Floats,
    Ints,
    Kernel,
    Measure,
    Sample,
    cluster_sums,
    ratio,
)
from faithkit.records import ConfigError, DataError

DRAWS = 10_000
LEAST_DOCUMENTS = 10
"""Fewer clusters carry no interval and no test. For a mean, a percentile interval of k clusters has
sqrt((k - 1) / k) z / t(k - 1) of the width of Student's: .91 at 20 clusters, .82 at 10, .70 at 6;
and at 5 no two-sided test can reach 5%, as 2^(1 - k) is left where all signs agree."""
CONSTANT = "all resamples give"
"""How `undecided` begins where the statistic is the same in every resample."""

ROUNDING = 1e-12  # less than this is none
BLOCK_ENTRIES = 1 << 18  # rows x draws held at once: 2 MB an array, so blocks stay in cache


def cluster_counts(clusters: int, draws: int, seed: int, block: int) -> Iterator[Floats]:
    """Multiplicities in blocks, [clusters, at most `block`]; columns sum to `clusters`.

    The sequence of draws depends on the seed alone, not on the block size.
    """
    generator = np.random.default_rng(seed)
    step = max(1, BLOCK_ENTRIES // clusters)
    for start in range(0, draws, block):
        width = min(block, draws - start)
        counts = np.empty((clusters, width))
        for first in range(0, width, step):
            size = min(step, width - first)
            picks = generator.integers(0, clusters, size=(size, clusters))
            picks *= size
            picks += np.arange(size)[:, None]
            frequencies = np.bincount(picks.ravel(), minlength=clusters * size)
            counts[:, first : first + size] = frequencies.reshape(clusters, size)
        yield counts


def resample(
    kernels: Sequence[Kernel], data: Sample, *, draws: int = DRAWS, seed: int = 0
) -> tuple[Floats, Bools]:
    """The values of every kernel on the same draws, and whether they are defined, [kernels, draws]
    each."""
    if draws < 1:
        raise ConfigError(f"a bootstrap needs at least one draw, found {draws}")
    data.groups()
    block = max(16, BLOCK_ENTRIES // max(data.n, data.clusters, 1))
    values = np.zeros((len(kernels), draws))
    defined = np.zeros((len(kernels), draws), dtype=bool)
    start = 0
    for counts in cluster_counts(data.clusters, draws, seed, block):
        stop = start + counts.shape[1]
        for index, kernel in enumerate(kernels):
            values[index, start:stop], defined[index, start:stop] = kernel(counts)
        start = stop
    return values, defined


def quantile_interval(values: Floats, level: float) -> tuple[float, float]:
    """The central `level` of the draws, by linear interpolation between order statistics."""
    if not 0 < level < 1:
        raise ConfigError(f"an interval's level lies between 0 and 1, found {level}")
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def too_few(clusters: int, unit: str = "document") -> str | None:
    """Why so few clusters carry neither an interval nor a test, None where they do."""
    if clusters >= LEAST_DOCUMENTS:
        return None
    plural = "" if clusters == 1 else "s"
    return f"only {clusters} {unit}{plural}; an interval or a test needs {LEAST_DOCUMENTS} or more"


def undecided(values: Floats, defined: Bools, level: float, unit: str = "document") -> str | None:
    """Why these draws carry no interval at `level`, None where they do.

    Where more draws are undefined than the interval leaves outside, its ends could be anything;
    draws that are all equal say nothing of how the statistic varies.
    """
    if not defined.any():
        return "undefined in every resample"
    missing = 1 - float(defined.mean())
    if missing > 1 - level:
        return f"undefined in {missing:.0%} of the resamples: too few {unit}s hold what it needs"
    kept = values[defined]
    if float(np.ptp(kept)) <= ROUNDING * max(1.0, float(np.abs(kept).max())):
        shown = 0.0 if abs(kept[0]) <= ROUNDING else float(kept[0])
        return f"{CONSTANT} {shown:.4g}, so the data say nothing of its variation"
    return None


def estimate(
    measure: Measure, data: Sample, *, draws: int = 0, seed: int = 0, level: float = 0.95
) -> Estimate:
    """The statistic, and with `draws` its percentile interval by source document.

    `interval_reason` says why there is none: see `too_few` and `undecided`. Raises DataError when
    an interval is asked for and rows came without groups.
    """
    result = Estimate(
        statistic=measure.name,
        value=None,
        n=measure.units(data),
        unscored=data.unscored,
        unlabelled=data.unlabelled,
        level=level,
        groups=data.clusters if data.cluster is not None else None,
    )
    if draws:
        data.groups()
    reason = measure.undefined(data)
    if reason:
        return replace(result, reason=reason)
    result = replace(result, value=measure.point(data))
    if not draws:
        return result
    if why := too_few(data.clusters) or measure.too_many(data):
        return replace(result, interval_reason=why)
    values, defined = (
        row[0] for row in resample([measure.kernel(data)], data, draws=draws, seed=seed)
    )
    undefined = int((~defined).sum())
    result = replace(result, draws=draws - undefined, undefined_draws=undefined)
    if why := undecided(values, defined, level):
        return replace(result, interval_reason=why)
    low, high = quantile_interval(values[defined], level)
    return replace(result, low=low, high=high)


def _no_rows(data: Sample) -> str | None:
    return None if data.n else "no row has a value"


def _mean_kernel(data: Sample) -> Kernel:
    centre = float(data.scores.mean())
    sums = cluster_sums(data.scores - centre, data)
    sizes = cluster_sums(np.ones(data.n), data)

    def mean(counts: Floats) -> tuple[Floats, Bools]:
        values, defined = ratio(sums @ counts, sizes @ counts)
        return values + centre, defined

    return mean


MEAN = Measure(
    "mean", undefined=_no_rows, point=lambda data: float(data.scores.mean()), kernel=_mean_kernel
)
"""Mean metric value; ignores human judgements."""


def by_subset(measure: Measure) -> Measure:
    """The average of a measure over subsets, weighted by their rows [FCLLM].

    The weights are the sizes of the subsets in the data and stay fixed in the resamples; a
    document that several subsets share is drawn for all of them together.
    """

    def parts(data: Sample) -> list[tuple[str, Sample]]:
        if data.subset is None:
            raise DataError("an average by subset needs the subset of every row; give `subsets`")
        codes = enumerate(data.subsets)
        return [(name, data.where(data.subset == code)) for code, name in codes]

    def undefined(data: Sample) -> str | None:
        reasons = [(name, measure.undefined(part)) for name, part in parts(data)]
        return next((f"subset '{name}': {reason}" for name, reason in reasons if reason), None) or (
            _no_rows(data)
        )

    def point(data: Sample) -> float:
        return sum(measure.point(part) * part.n for _, part in parts(data)) / data.n

    def kernel(data: Sample) -> Kernel:
        kernels = [(part.n / data.n, measure.kernel(part)) for _, part in parts(data)]

        def average(counts: Floats) -> tuple[Floats, Bools]:
            total = np.zeros(counts.shape[1])
            defined = np.ones(counts.shape[1], dtype=bool)
            for weight, of_part in kernels:
                values, valid = of_part(counts)
                total += weight * values
                defined &= valid
            return total, defined

        return average

    return Measure(f"{measure.name}, averaged by subset", undefined, point, kernel)


def mean_over(measure: Measure, selections: Sequence[Bools | Ints]) -> Measure:
    """The mean of a measure over selections of the rows (folds, random draws of rows); those in
    which it is undefined are left out. The selections stay fixed in the resamples of documents."""

    def defined(data: Sample) -> list[Sample]:
        parts = (data.where(rows) for rows in selections)
        return [part for part in parts if measure.undefined(part) is None]

    def undefined(data: Sample) -> str | None:
        reasons = [measure.undefined(data.where(rows)) for rows in selections]
        return None if None in reasons else reasons[0]

    def point(data: Sample) -> float:
        return float(np.mean([measure.point(part) for part in defined(data)]))

    def kernel(data: Sample) -> Kernel:
        kernels = [measure.kernel(part) for part in defined(data)]

        def mean(counts: Floats) -> tuple[Floats, Bools]:
            total, valid = np.zeros((2, counts.shape[1]))
            for of_part in kernels:
                values, is_defined = of_part(counts)
                total += np.where(is_defined, values, 0.0)
                valid += is_defined
            return ratio(total, valid)

        return mean

    return Measure(measure.name, undefined, point, kernel)
