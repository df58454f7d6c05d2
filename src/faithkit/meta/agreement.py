"""How far annotators agree: Krippendorff's alpha, Cohen's kappa, and the shares of [LSS].

What lives here: chance-corrected agreement over missing values, and the all-same / two-same /
all-different shares reported for longest supported subsequences [LSS]. What does not:
agreement of a metric with people (`correlation.py`, `detection.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from faithkit.meta.sample import Floats, Ints
from faithkit.records import JSON, ConfigError, DataError

Rating = str | int | float
Level = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """`value` is None exactly when `reason` is set.

    items     items that count: for alpha those with two ratings or more, for kappa those with both
    ratings   ratings on these items
    left_out  items with too few ratings
    """

    statistic: str
    value: float | None
    items: int
    ratings: int
    left_out: int
    reason: str | None = None

    def to_dict(self) -> dict[str, JSON]:
        return {item.name: getattr(self, item.name) for item in fields(self)}


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
    items: Sequence[Sequence[Rating | None]], level: Level = "nominal"
) -> Agreement:
    """1 - observed / expected disagreement, in (-inf, 1]; any number of annotators.

    items  the ratings of each item, None where an annotator gave none
    level  what a disagreement costs: 1 (nominal), the squared number of ratings lying between
           (ordinal), the squared difference (interval)
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
        return _with(result, reason=reason)
    place = {value: index for index, value in enumerate(values)}
    coincidences = np.zeros((len(values), len(values)))
    for ratings in paired:
        counts = np.bincount([place[value] for value in ratings], minlength=len(values))
        pairs = np.outer(counts, counts) - np.diag(counts)
        coincidences += pairs / (len(ratings) - 1)
    marginals = coincidences.sum(axis=0)
    cost = _cost(values, marginals, level)
    observed = float((coincidences * cost).sum())
    expected = float((np.outer(marginals, marginals) * cost).sum()) / (total - 1)
    return _with(result, value=1.0 - observed / expected)


def _cost(values: Sequence[Rating], marginals: Floats, level: Level) -> Floats:
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "interval":
        scale = np.array([float(value) for value in values])
        # Alpha does not change with the unit; dividing first keeps the squares in range.
        scale = scale / np.abs(scale).max()
        return np.asarray((scale[:, None] - scale) ** 2)
    middles = np.cumsum(marginals) - marginals / 2
    return np.asarray((middles[:, None] - middles) ** 2)


def _with(result: Agreement, *, value: float | None = None, reason: str | None = None) -> Agreement:
    return Agreement(result.statistic, value, result.items, result.ratings, result.left_out, reason)


def cohen_kappa(
    first: Sequence[Rating | None],
    second: Sequence[Rating | None],
    *,
    weights: Literal["none", "quadratic"] = "none",
) -> Agreement:
    """Chance-corrected agreement of two annotators, in [-1, 1].

    weights  "none": any disagreement counts 1. "quadratic": the squared difference of the ratings
             themselves, so that a grade nobody used still leaves its gap; ratings are numbers
    """
    if len(first) != len(second):
        raise DataError(f"two annotators of the same items; found {len(first)} and {len(second)}")
    if weights not in ("none", "quadratic"):
        raise ConfigError(f"weights should be none or quadratic, found '{weights}'")
    numeric = weights == "quadratic"
    pairs = [
        (_checked(one, item, numeric), _checked(two, item, numeric))
        for item, (one, two) in enumerate(zip(first, second, strict=True))
        if one is not None and two is not None
    ]
    name = "quadratic_weighted_kappa" if numeric else "cohen_kappa"
    result = Agreement(name, None, len(pairs), 2 * len(pairs), len(first) - len(pairs))
    if not pairs:
        return _with(result, reason="no item has both ratings")
    values = _in_order({value for pair in pairs for value in pair})
    if len(values) < 2:
        return _with(
            result, reason=f"both annotators always say {values[0]!r}; agreement by chance is 1"
        )
    place = {value: index for index, value in enumerate(values)}
    found: Ints = np.array([[place[one], place[two]] for one, two in pairs])
    size = len(values)
    cells = np.bincount(found[:, 0] * size + found[:, 1], minlength=size * size)
    table = cells.reshape(size, size) / len(pairs)
    cost = _cost(values, table.sum(axis=0), "interval" if numeric else "nominal")
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    return _with(result, value=1.0 - float((table * cost).sum() / (expected * cost).sum()))


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
        return {item.name: getattr(self, item.name) for item in fields(self)}


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
        given = [tuple(answer.split()) for answer in answers if answer is not None]
        if len(given) < 3:
            left_out += 1
            continue
        counts[len(set(given))] += 1
    total = sum(counts.values())
    same, two, different = (counts[kinds] / total if total else None for kinds in (1, 2, 3))
    return SharedAnswers(same, two, different, items=total, left_out=left_out)
