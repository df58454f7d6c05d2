"""How far annotators agree: Krippendorff's alpha, Cohen's kappa, and the shares of [LSS].

What lives here: raw and chance-corrected agreement over missing values, with percentile bootstrap
intervals by item, and the all-same / two-same / all-different shares reported for longest supported
subsequences [LSS]. What does not: agreement of a metric with human judgements (`correlation.py`,
`detection.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from faithkit.meta.bootstrap import (
    BLOCK_ENTRIES,
    ROUNDING,
    cluster_counts,
    quantile_interval,
    too_few,
    undecided,
)
from faithkit.meta.sample import Bools, Floats, Ints, Kernel
from faithkit.records import JSON, ConfigError, DataError

Rating = str | int | float
Level = Literal["nominal", "ordinal", "interval"]
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Agreement:
    """`value` is None exactly when `reason` is set.

    items     items that count: for alpha those with two ratings or more, for kappa those with both
    ratings   ratings on these items
    left_out  items with too few ratings
    low, high  95% percentile interval over `draws` resamples of the items, None where not asked
               for or where `interval_reason` says why there is none
    """

    statistic: str
    value: float | None
    items: int
    ratings: int
    left_out: int
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    draws: int = 0
    interval_reason: str | None = None

    def to_dict(self) -> dict[str, JSON]:
        return asdict(self)


def with_interval(result: Agreement, kernel: Kernel, draws: int, seed: int) -> Agreement:
    """The value, which is the kernel of every item once, and with `draws` its interval."""
    (value,), _ = kernel(np.ones((result.items, 1)))
    result = replace(result, value=float(value))
    if not draws:
        return result
    if few := too_few(result.items, "item"):
        return replace(result, interval_reason=few)
    block = max(16, BLOCK_ENTRIES // result.items)
    parts = [kernel(counts) for counts in cluster_counts(result.items, draws, seed, block)]
    values: Floats = np.concatenate([value for value, _ in parts])
    defined: Bools = np.concatenate([valid for _, valid in parts])
    if why := undecided(values, defined, LEVEL, "item"):
        return replace(result, interval_reason=why)
    low, high = quantile_interval(values[defined], LEVEL)
    return replace(result, low=low, high=high, draws=int(defined.sum()))


def _beyond_chance(
    observed: Floats, expected: Floats, most: float = math.inf
) -> tuple[Floats, Bools]:
    """1 - observed / expected disagreement, where the expected one is not zero; the ratio is from 0
    to `most` but for rounding, and agreement by chance is 0."""
    defined = expected > ROUNDING
    share = np.divide(observed, expected, out=np.zeros_like(observed), where=defined)
    agreement = 1.0 - np.where(share < ROUNDING, 0.0, np.minimum(share, most))
    return np.where(np.abs(agreement) < ROUNDING, 0.0, agreement), defined


def _checked(value: Rating, item: int, numeric: bool) -> Rating:
    if isinstance(value, (int, float, np.number)) and not math.isfinite(value):
        raise DataError(f"item {item}: a missing rating is None, found {value!r}")
    if numeric and not isinstance(value, (int, float, np.number, np.bool_)):
        raise DataError(
            f"item {item}: ordinal and interval ratings are numbers, found {value!r}; "
            "map named grades to numbers in their order first"
        )
    return value


def _in_order(values: set[Rating]) -> list[Rating]:
    return sorted(values, key=lambda value: (isinstance(value, str), value))


def krippendorff_alpha(
    items: Sequence[Sequence[Rating | None]],
    level: Level = "nominal",
    *,
    draws: int = 0,
    seed: int = 0,
) -> Agreement:
    """1 - observed / expected disagreement, in (-inf, 1]; any number of annotators.

    items  the ratings of each item, None where an annotator gave none
    level  what a disagreement costs: 1 (nominal), the squared number of ratings lying between
           (ordinal), the squared difference (interval)
    draws  resamples of the items for an interval; 0: none
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise ConfigError(f"level should be nominal, ordinal or interval, found '{level}'")
    numeric = level != "nominal"
    rated = [
        [_checked(value, item, numeric) for value in ratings if value is not None]
        for item, ratings in enumerate(items)
    ]
    paired = [ratings for ratings in rated if len(ratings) > 1]
    total = sum(len(ratings) for ratings in paired)
    result = Agreement(
        f"krippendorff_alpha_{level}", None, len(paired), total, len(rated) - len(paired)
    )
    values = _in_order({value for ratings in paired for value in ratings})
    reason = None
    if not paired:
        reason = "no item has two ratings"
    elif len(values) < 2:
        reason = f"every rating is {values[0]!r}; expected disagreement is zero"
    if reason:
        return replace(result, reason=reason)
    column_of = {value: index for index, value in enumerate(values)}
    cells = [(row, column_of[value]) for row, ratings in enumerate(paired) for value in ratings]
    kernel = _alpha_kernel(_counted(cells, len(paired), len(values)), values, level)
    return with_interval(result, kernel, draws, seed)


def _counted(cells: Sequence[tuple[int, int]], rows: int, columns: int) -> Any:
    """How often each cell is named: a sparse table, as texts may have a value for every item."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(cells)), np.array(cells).T), shape=(rows, columns))


def _alpha_kernel(frequencies: Any, values: Sequence[Rating], level: Level) -> Kernel:
    """Alpha of many resamples at once.

    frequencies  [items, values], how often each value was given to each item

    The squared differences of all pairs of k numbers are 2 (k sum of squares - squared sum), so no
    draw needs the table of coincidences.
    """
    sizes: Floats = frequencies.sum(axis=1)
    weights = 1.0 / (sizes - 1.0)
    scale = _scale(values) if level == "interval" else np.zeros(len(values))
    same: Floats = ((frequencies * frequencies).sum(axis=1) - sizes) * weights
    weighted = frequencies.multiply((sizes * weights)[:, None]).tocsr()

    def alpha(counts: Floats) -> tuple[Floats, Bools]:
        marginals = frequencies.T @ counts
        total = marginals.sum(axis=0)
        if level == "nominal":
            observed = (sizes - same) @ counts
            spread = total**2 - (marginals**2).sum(axis=0)
        else:
            positions = scale[:, None] + 0.0 * marginals
            if level == "ordinal":
                positions = np.cumsum(marginals, axis=0) - marginals / 2
                positions = positions / total
            squares = (weighted.T @ counts * positions**2).sum(axis=0)
            sums = (counts * weights[:, None] * (frequencies @ positions) ** 2).sum(axis=0)
            observed = 2 * (squares - sums)
            mean = (marginals * positions).sum(axis=0)
            spread = 2 * (total * (marginals * positions**2).sum(axis=0) - mean**2)
        return _beyond_chance(observed, spread / (total - 1))

    return alpha


def _scale(values: Sequence[Rating]) -> Floats:
    """Numbers around 0, of 1 at most: chance-corrected agreement does not change with the unit, and
    squares stay in range."""
    scale = np.array([float(value) for value in values])
    scale = scale / np.abs(scale).max()
    return np.asarray(scale - scale.mean())


def cohen_kappa(
    first: Sequence[Rating | None],
    second: Sequence[Rating | None],
    *,
    weights: Literal["none", "quadratic"] = "none",
    draws: int = 0,
    seed: int = 0,
) -> Agreement:
    """Chance-corrected agreement of two annotators, in [-1, 1].

    weights  "none": any disagreement counts 1. "quadratic": the squared difference of the ratings
             themselves, so that a grade nobody used still leaves its gap; ratings are numbers
    draws    resamples of the items for an interval; 0: none
    """
    if weights not in ("none", "quadratic"):
        raise ConfigError(f"weights should be none or quadratic, found '{weights}'")
    numeric = weights == "quadratic"
    pairs = _rated_by_both(first, second, numeric)
    name = "quadratic_weighted_kappa" if numeric else "cohen_kappa"
    result = Agreement(name, None, len(pairs), 2 * len(pairs), len(first) - len(pairs))
    if not pairs:
        return replace(result, reason="no item has both ratings")
    values = _in_order({value for pair in pairs for value in pair})
    if len(values) < 2:
        return replace(
            result, reason=f"both annotators always say {values[0]!r}; agreement by chance is 1"
        )
    column_of = {value: index for index, value in enumerate(values)}
    places: Ints = np.array([[column_of[rating] for rating in pair] for pair in pairs])
    size = len(values)
    kernel = _quadratic_kernel(places, values) if numeric else _kappa_kernel(places, size)
    return with_interval(result, kernel, draws, seed)


def _kappa_kernel(places: Ints, size: int) -> Kernel:
    """Kappa of many resamples at once; `places` has both annotators' values, [items, 2]."""
    first, second = (
        _counted(list(enumerate(column.tolist())), len(places), size) for column in places.T
    )
    differ = (places[:, 0] != places[:, 1]).astype(float)

    def kappa(counts: Floats) -> tuple[Floats, Bools]:
        total = counts.sum(axis=0)
        by_chance = ((first.T @ counts) * (second.T @ counts)).sum(axis=0) / total**2
        return _beyond_chance(differ @ counts / total, 1.0 - by_chance, most=2.0)

    return kappa


def _quadratic_kernel(places: Ints, values: Sequence[Rating]) -> Kernel:
    first, second = _scale(values)[places.T]

    def kappa(counts: Floats) -> tuple[Floats, Bools]:
        total = counts.sum(axis=0)
        means = (first @ counts / total) * (second @ counts / total)
        expected = (first**2 + second**2) @ counts / total - 2 * means
        return _beyond_chance((first - second) ** 2 @ counts / total, expected, most=2.0)

    return kappa


def raw_agreement(
    first: Sequence[Rating | None],
    second: Sequence[Rating | None],
    *,
    draws: int = 0,
    seed: int = 0,
) -> Agreement:
    """Share of the items that both rated to which both gave the same rating, in [0, 1].

    draws  resamples of the items for an interval; 0: none
    """
    pairs = _rated_by_both(first, second, numeric=False)
    result = Agreement("raw_agreement", None, len(pairs), 2 * len(pairs), len(first) - len(pairs))
    if not pairs:
        return replace(result, reason="no item has both ratings")
    same = np.array([float(rating == other) for rating, other in pairs])

    def share(counts: Floats) -> tuple[Floats, Bools]:
        return same @ counts / counts.sum(axis=0), np.ones(counts.shape[1], dtype=bool)

    return with_interval(result, share, draws, seed)


def _rated_by_both(
    first: Sequence[Rating | None], second: Sequence[Rating | None], numeric: bool
) -> list[tuple[Rating, Rating]]:
    """The ratings of the items that both rated."""
    if len(first) != len(second):
        raise DataError(f"two annotators of the same items; found {len(first)} and {len(second)}")
    return [
        (_checked(rating, item, numeric), _checked(other, item, numeric))
        for item, (rating, other) in enumerate(zip(first, second, strict=True))
        if rating is not None and other is not None
    ]


@dataclass(frozen=True, slots=True)
class SharedAnswers:
    """Shares of items, summing to 1, or None where no item had three answers.

    left_out  items that lack an answer
    """

    all_same: float | None
    two_same: float | None
    all_different: float | None
    items: int
    left_out: int

    def to_dict(self) -> dict[str, JSON]:
        return asdict(self)


def shared_answers(items: Sequence[Sequence[str | None]]) -> SharedAnswers:
    """How often three annotators wrote the same subsequence [LSS].

    items  three texts each; compared word by word, so spacing does not count; an empty text is an
           answer (nothing is supported), None is a missing one
    """
    counts = {1: 0, 2: 0, 3: 0}
    left_out = 0
    for item, answers in enumerate(items):
        if len(answers) != 3:
            raise DataError(f"item {item}: expected three annotators, found {len(answers)}")
        answer_words = [tuple(answer.split()) for answer in answers if answer is not None]
        if len(answer_words) < 3:
            left_out += 1
            continue
        counts[len(set(answer_words))] += 1
    total = sum(counts.values())
    same, two, different = (counts[kinds] / total if total else None for kinds in (1, 2, 3))
    return SharedAnswers(same, two, different, items=total, left_out=left_out)
