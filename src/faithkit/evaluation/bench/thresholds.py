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
out and counted. No threshold is chosen on rows outside of a release's parts (`JudgedRow.outside`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from faithkit import meta
from faithkit.evaluation.judged import JudgedRow, JudgedTable, MetricColumn, Numbers
from faithkit.meta.sample import codes
from faithkit.records import ConfigError, did_you_mean

Thresholds = Literal["dataset", "global", "none"] | float
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


def has_validation_split(rows: Sequence[JudgedRow]) -> bool:
    """Whether thresholds can be chosen on validation rows and tested on others: both sides hold
    both labels."""
    sides = {(r.validation, r.label) for r in rows if r.label is not None and not r.outside}
    return len(sides) == 4


def tested_rows(tasks: Sequence[str], rows: Sequence[JudgedRow]) -> tuple[list[int], list[str]]:
    """The numbers of the rows that count where no threshold is chosen, of a detection set with a
    validation split those outside it, else all; and a note of what is left out."""
    numbers = range(len(rows))
    if "detection" not in tasks or not has_validation_split(rows):
        return [*numbers], []
    tested = [number for number in numbers if not rows[number].validation]
    left_out = len(rows) - len(tested)
    return tested, [f"{left_out} validation rows are left out: no threshold is chosen on them"]


@dataclass(frozen=True, slots=True)
class Margins:
    """Score − threshold on the rows that no threshold was chosen on; None where unscored.

    tested      the numbers of these rows
    wrong       rows that count as wrong for want of a verdict, with the reason
    thresholds  those that were chosen, one for each fold; none for the metric's own verdicts
    reason      why a half of the rows, or all, have no margin; else None
    """

    values: Numbers
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
    tables: Sequence[JudgedTable], thresholds: Thresholds, seed: int
) -> tuple[dict[tuple[str, str], Margins], dict[str, str]]:
    """The margins of each (dataset, metric) with labels; and of each dataset, in words, where its
    decisions come from. Raises ConfigError with `none` on a metric without verdicts."""
    labelled = {table.name: table for table in tables if "detection" in table.tasks}
    plans: Mapping[str, Plan] = {}
    if thresholds == "none":
        words = dict.fromkeys(labelled, "the metric's own verdicts")
    elif isinstance(thresholds, float):
        words = dict.fromkeys(labelled, f"{thresholds:g} for all")
    else:
        plans = plan([*labelled.values()], thresholds, seed)
        words = {name: of_dataset.words for name, of_dataset in plans.items()}
    decided = {}
    for name, table in labelled.items():
        for label, column in table.columns.items():
            if thresholds == "none":
                decided[name, label] = _verdict_margins(table, column)
            elif isinstance(thresholds, float):
                decided[name, label] = _fixed_margins(table, column, thresholds)
            else:
                decided[name, label] = _chosen_margins(table, label, plans[name].folds, labelled)
    return decided, words


def _labelled(table: JudgedTable) -> list[int]:
    return [number for number, row in enumerate(table.rows) if row.label is not None]


def _fitting(table: JudgedTable, numbers: Sequence[int]) -> list[tuple[str, int]]:
    """Those of these rows that a threshold may be chosen on."""
    return [(table.name, number) for number in numbers if not table.rows[number].outside]


def _verdict_margins(table: JudgedTable, column: MetricColumn) -> Margins:
    if any(value is not None for value in column.values) and not any(
        verdict is not None for verdict in column.verdicts
    ):
        raise ConfigError(refusal(column.label))
    numbers = _labelled(table)
    values: Numbers = [None] * len(table.rows)
    wrong = {}
    for number in numbers:
        verdict = column.verdicts[number] if column.verdicts else None
        if verdict in (0.0, 1.0):
            values[number] = 1.0 if verdict else -1.0
            continue
        values[number] = _wrong_side(table.rows[number])
        reason = column.outcomes[number] if column.values[number] is None else NO_VERDICT
        wrong[number] = reason if verdict is None else UNDECIDED
    return Margins(values, numbers, wrong)


def _fixed_margins(table: JudgedTable, column: MetricColumn, threshold: float) -> Margins:
    numbers = _labelled(table)
    values: Numbers = [None] * len(table.rows)
    wrong: dict[int, str] = {}
    _fill(values, wrong, column, table.rows, numbers, threshold)
    return Margins(values, numbers, wrong, (threshold,))


def _chosen_margins(
    table: JudgedTable, label: str, folds: Sequence[Fold], tables: Mapping[str, JudgedTable]
) -> Margins:
    values: Numbers = [None] * len(table.rows)
    wrong: dict[int, str] = {}
    chosen, reasons, tested = [], [], []
    for fold in folds:
        fitting = [(tables[name], i) for name, i in fold.fitting if label in tables[name].columns]
        threshold = meta.choose_threshold(
            [of_set.columns[label].values[number] for of_set, number in fitting],
            [of_set.rows[number].label for of_set, number in fitting],
        )
        tested += fold.testing
        if threshold.value is None:
            reasons.append(f"no threshold can be chosen: {threshold.reason}")
            continue
        chosen.append(threshold.value)
        _fill(values, wrong, table.columns[label], table.rows, fold.testing, threshold.value)
    if not folds:
        reasons.append("one document only: no other rows to choose a threshold on")
    return Margins(values, sorted(tested), wrong, tuple(chosen), next(iter(reasons), None))


def _fill(
    values: Numbers,
    wrong: dict[int, str],
    column: MetricColumn,
    rows: Sequence[JudgedRow],
    testing: Sequence[int],
    threshold: float,
) -> None:
    counted = column.counted_wrong()
    for number in testing:
        score = column.values[number]
        if score is not None:
            values[number] = score - threshold
        elif counted[number] and rows[number].label is not None:
            values[number] = _wrong_side(rows[number])
            wrong[number] = column.outcomes[number]


def _wrong_side(row: JudgedRow) -> float:
    return -1.0 if row.label else 1.0


def plan(tables: Sequence[JudgedTable], thresholds: Thresholds, seed: int) -> dict[str, Plan]:
    """For each dataset the rows to choose on and to test on, by document (`dataset`, `global`)."""
    if thresholds == "dataset":
        return {table.name: _plan_of_dataset(table, seed) for table in tables}
    with_split = [table for table in tables if has_validation_split(table.rows)]
    if not with_split:
        return _halves_of_all(tables, seed)
    fitting = [row for table in with_split for row in _fitting(table, _split(table)[0])]
    names = [table.name for table in with_split]
    words = f"one for all, chosen on the {len(fitting)} validation rows of {', '.join(names)}"
    without = "; this set has no validation split, so all of its rows are tested"
    return {
        table.name: Plan([Fold(fitting, _split(table)[1])], words)
        if table.name in names
        else Plan([Fold(fitting, _labelled(table))], words + without)
        for table in tables
    }


def _plan_of_dataset(table: JudgedTable, seed: int) -> Plan:
    if has_validation_split(table.rows):
        validation, tested = _split(table)
        chosen = _fitting(table, validation)
        words = f"chosen on the {len(chosen)} validation rows, tested on the {len(tested)} others"
        return Plan([Fold(chosen, tested)], words)
    return Plan(
        [Fold(_fitting(table, fitting), testing) for fitting, testing in _halves(table, seed)],
        "no validation split, so chosen on one half of the documents for the other, both ways",
    )


def _split(table: JudgedTable) -> tuple[list[int], list[int]]:
    """The labelled rows of the validation split, and the others."""
    numbers = _labelled(table)
    validation = [number for number in numbers if table.rows[number].validation]
    return validation, [number for number in numbers if not table.rows[number].validation]


def _halves_of_all(tables: Sequence[JudgedTable], seed: int) -> dict[str, Plan]:
    halves = {table.name: _halves(table, seed) for table in tables}
    pooled = [
        [row for t in tables if halves[t.name] for row in _fitting(t, halves[t.name][side][0])]
        for side in (0, 1)
    ]
    words = (
        "no set has a validation split, so chosen on one half of the documents of all sets for the "
        "other half, both ways: two thresholds for all"
    )
    return {
        name: Plan([Fold(pooled[side], testing) for side, (_, testing) in enumerate(both)], words)
        for name, both in halves.items()
    }


def _halves(table: JudgedTable, seed: int) -> list[tuple[list[int], list[int]]]:
    """(rows to choose on, rows to test on) twice, by document; none with fewer than two."""
    numbers = np.array(_labelled(table), dtype=np.int64)
    documents, names = codes([table.rows[i].document for i in numbers], "document", "halves")
    if len(names) < 2:
        return []
    folds = reversed(meta.grouped_folds(documents, 2, seed))
    return [(numbers[fitting].tolist(), numbers[testing].tolist()) for fitting, testing in folds]
