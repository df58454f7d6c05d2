"""Where the decisions behind balanced accuracy come from: each row as a margin, score − threshold.

dataset  each dataset's own threshold [FFLM]: chosen on its validation rows, tested on the others;
         without a validation split on one half of the documents for the other half, both ways
global   one threshold for the whole benchmark [FCLLM]: chosen on the validation rows of every set
         that has a split, tested on its other rows and on all rows of a set without one. Where no
         set has a split, on one half of all documents for the other half, both ways.
none     the metric's own verdict, no threshold; a row without one counts as wrong, whatever the
         reason, as does an undecided one [FCLLM §4]
a number that threshold, for every metric

A threshold is never chosen on the rows it is tested on. Under the first two and a number, a judge's
unreadable or refused answer counts as wrong, and a row without a score for another reason is left
out and counted. No threshold is chosen on rows outside of a release's parts (`Truth.outside`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from faithkit import meta
from faithkit.evaluation.bench.columns import Column, Table, Truth, has_validation_split
from faithkit.meta.sample import codes
from faithkit.records import ConfigError, did_you_mean

Thresholds = Literal["dataset", "global", "none"] | float
Values = list[float | None]
UNDECIDED, NO_VERDICT = "undecided", "no verdict"


def parse_thresholds(text: str) -> Thresholds:
    """`dataset`, `global`, `none` or a finite number. Raises ConfigError."""
    if text in ("dataset", "global", "none"):
        return text  # type: ignore[return-value]
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        hint = did_you_mean(text, ("dataset", "global", "none"))
        raise ConfigError(f"--thresholds cannot be '{text}'.{hint} Or a number, such as 0.5.")
    return number


def needs_no_choice(thresholds: Thresholds) -> bool:
    """Whether no row is needed to choose a threshold on."""
    return thresholds not in ("dataset", "global")


def refusal(label: str) -> str:
    """Why a metric cannot be reported by its own verdicts."""
    return (
        f"--thresholds none reports the metric's own verdicts, and {label} gives none; use "
        "--thresholds dataset or global to choose a threshold, or name one, as --thresholds 0.5"
    )


@dataclass(frozen=True, slots=True)
class Margins:
    """Score − threshold on the rows that no threshold was chosen on; None where unscored.

    tested      the numbers of these rows
    wrong       rows that count as wrong for want of a verdict, with the reason
    thresholds  those that were chosen, one for each fold; none for the metric's own verdicts
    reason      why a half of the rows, or all, have no margin; else None
    """

    values: Values
    tested: list[int]
    wrong: Mapping[int, str] = field(default_factory=dict)
    thresholds: tuple[float, ...] = ()
    reason: str | None = None

    def counted_wrong(self, numbers: Sequence[int]) -> dict[str, int]:
        """Of these rows, how many count as wrong, by reason."""
        inside = set(numbers)
        return dict(Counter(why for number, why in self.wrong.items() if number in inside))


@dataclass(frozen=True, slots=True)
class Fold:
    """Rows to choose a threshold on, as (dataset, row), and those of one dataset to test it on."""

    fitting: list[tuple[str, int]]
    testing: list[int]


@dataclass(frozen=True, slots=True)
class Plan:
    """A dataset's folds, and in words where its thresholds come from."""

    folds: list[Fold]
    words: str


def margins(
    tables: Sequence[Table], thresholds: Thresholds, seed: int
) -> tuple[dict[tuple[str, str], Margins], dict[str, str]]:
    """The margins of each (dataset, metric) with labels; and of each dataset, in words, where its
    decisions come from. Raises ConfigError with `none` on a metric without a verdict of its own."""
    own = [table for table in tables if "detection" in table.tasks]
    if needs_no_choice(thresholds):
        one = _own_verdicts if thresholds == "none" else _fixed
        found = {
            (table.name, column.label): one(table, column, thresholds)
            for table in own
            for column in table.columns
        }
        words = "the metric's own verdicts" if thresholds == "none" else f"{thresholds:g} for all"
        return found, {table.name: words for table in own}
    plans = plan(own, thresholds, seed)
    columns = {(t.name, c.label): c for t in own for c in t.columns}
    truth = {table.name: table.truth for table in own}
    found = {
        (table.name, column.label): _chosen(table, column, plans[table.name].folds, columns, truth)
        for table in own
        for column in table.columns
    }
    return found, {name: one.words for name, one in plans.items()}


def _judged(table: Table) -> list[int]:
    return [i for i, t in enumerate(table.truth) if t.label is not None]


def _fitting(table: Table, rows: Sequence[int]) -> list[tuple[str, int]]:
    """Those of these rows that a threshold may be chosen on."""
    return [(table.name, i) for i in rows if not table.truth[i].outside]


def _own_verdicts(table: Table, column: Column, _: Thresholds) -> Margins:
    rows = _judged(table)
    if any(value is not None for value in column.values) and not any(
        verdict is not None for verdict in column.verdicts
    ):
        raise ConfigError(refusal(column.label))
    values: Values = [None] * len(table.truth)
    wrong = {}
    for i in rows:
        verdict = column.verdicts[i] if column.verdicts else None
        if verdict in (0.0, 1.0):
            values[i] = 1.0 if verdict else -1.0
            continue
        values[i] = _wrong_side(table.truth[i])
        unsaid = NO_VERDICT if column.values[i] is not None else column.outcomes[i]
        wrong[i] = unsaid if verdict is None else UNDECIDED
    return Margins(values, rows, wrong)


def _fixed(table: Table, column: Column, thresholds: Thresholds) -> Margins:
    threshold = float(thresholds)
    rows = _judged(table)
    values: Values = [None] * len(table.truth)
    wrong: dict[int, str] = {}
    _fill(values, wrong, column, table.truth, rows, threshold)
    return Margins(values, rows, wrong, (threshold,))


def _chosen(
    table: Table,
    column: Column,
    folds: Sequence[Fold],
    columns: Mapping[tuple[str, str], Column],
    truth: Mapping[str, Sequence[Truth]],
) -> Margins:
    values: Values = [None] * len(table.truth)
    wrong: dict[int, str] = {}
    chosen, reasons, tested = [], [], []
    for fold in folds:
        rows = [(name, i) for name, i in fold.fitting if (name, column.label) in columns]
        threshold = meta.choose_threshold(
            [columns[name, column.label].values[i] for name, i in rows],
            [truth[name][i].label for name, i in rows],
        )
        tested += fold.testing
        if threshold.value is None:
            reasons.append(f"no threshold can be chosen: {threshold.reason}")
            continue
        chosen.append(threshold.value)
        _fill(values, wrong, column, table.truth, fold.testing, threshold.value)
    if not folds:
        reasons.append("one document only: no other rows to choose a threshold on")
    return Margins(values, sorted(tested), wrong, tuple(chosen), next(iter(reasons), None))


def _fill(
    values: Values,
    wrong: dict[int, str],
    column: Column,
    rows: Sequence[Truth],
    testing: Sequence[int],
    threshold: float,
) -> None:
    counted = column.counted_wrong()
    for i in testing:
        score = column.values[i]
        if score is not None:
            values[i] = score - threshold
        elif counted[i] and rows[i].label is not None:
            values[i] = _wrong_side(rows[i])
            wrong[i] = column.outcomes[i]


def _wrong_side(row: Truth) -> float:
    return -1.0 if row.label else 1.0


def plan(tables: Sequence[Table], thresholds: Thresholds, seed: int) -> dict[str, Plan]:
    """For each dataset the rows to choose on and to test on, by document (`dataset`, `global`)."""
    if thresholds == "dataset":
        return {table.name: _own_plan(table, seed) for table in tables}
    split = [table for table in tables if has_validation_split(table.truth)]
    if not split:
        return _halves_of_all(tables, seed)
    fitting = [
        row for t in split for row in _fitting(t, [i for i in _judged(t) if t.truth[i].validation])
    ]
    names = [table.name for table in split]
    words = f"one for all, chosen on the {len(fitting)} validation rows of {', '.join(names)}"
    lacking = "; this set has no validation split, so all of its rows are tested"
    return {
        table.name: Plan(
            [Fold(fitting, [i for i in _judged(table)
                            if table.name not in names or not table.truth[i].validation])],
            words if table.name in names else words + lacking,
        )
        for table in tables
    }  # fmt: skip


def _own_plan(table: Table, seed: int) -> Plan:
    rows = _judged(table)
    if has_validation_split(table.truth):
        chosen = _fitting(table, [i for i in rows if table.truth[i].validation])
        tested = [i for i in rows if not table.truth[i].validation]
        words = f"chosen on the {len(chosen)} validation rows, tested on the {len(tested)} others"
        return Plan([Fold(chosen, tested)], words)
    halves = _halves(table, seed)
    return Plan(
        [Fold(_fitting(table, one), other) for one, other in halves],
        "no validation split, so chosen on one half of the documents for the other, both ways",
    )


def _halves_of_all(tables: Sequence[Table], seed: int) -> dict[str, Plan]:
    halves = {table.name: _halves(table, seed) for table in tables}
    pooled = [
        [row for t in tables for row in (_fitting(t, halves[t.name][side][0])
                                         if halves[t.name] else ())]
        for side in (0, 1)
    ]  # fmt: skip
    words = (
        "no set has a validation split, so chosen on one half of the documents of all sets for the "
        "other half, both ways: two thresholds for all"
    )
    return {
        name: Plan([Fold(pooled[side], testing) for side, (_, testing) in enumerate(both)], words)
        for name, both in halves.items()
    }


def _halves(table: Table, seed: int) -> list[tuple[list[int], list[int]]]:
    """(rows to choose on, rows to test on) twice, by document; none with fewer than two."""
    rows = _judged(table)
    documents, names = codes([table.truth[i].document for i in rows], "document", "halves")
    if len(names) < 2:
        return []
    halves = meta.grouped_folds(documents, 2, seed)
    return [
        ([rows[i] for i in np.flatnonzero(fitting)], [rows[i] for i in np.flatnonzero(testing)])
        for fitting, testing in reversed(halves)
    ]
