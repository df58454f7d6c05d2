"""The decisions of balanced accuracy: each row as a margin, score − threshold; and what AUC and
pair ranking order rows by.

dataset  each dataset's own threshold [FFLM]: chosen on its validation rows, tested on the others;
         without a validation split on one half of the documents for the other half, both ways
global   one threshold for the whole benchmark [FCLLM]: chosen on the validation rows of every set
         that has a split, tested on its other rows and on all rows of a set without one. Where no
         set has a split, on one half of all documents for the other half, both ways. For a set that
         tests a document of another set's validation rows, the choice is without these rows.
none     the metric's own verdict, no threshold; a row without one counts as wrong, whatever the
         reason, as does an undecided one [FCLLM §4]
a number that threshold, for every metric

A threshold is never chosen on the rows it is tested on. Under the first two and a number, and in
AUC and pair ranking (`ranked_scores`), a judge's unreadable or refused answer counts as wrong, and
a row without a score for another reason is left out and counted. No threshold is chosen on rows
outside of a release's parts (`JudgedRow.outside`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from faithkit import meta
from faithkit.evaluation.judged import JudgedTable, MetricColumn, Values
from faithkit.meta.columns import FloatColumn, chained, take
from faithkit.meta.sample import Bools, Floats, Ints
from faithkit.records import NO_VERDICT as NO_VERDICTS
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


def has_validation_split(table: JudgedTable) -> bool:
    """Whether thresholds can be chosen on validation rows and tested on others: both sides hold
    both labels."""
    rows = zip(*map(table.of_rows, ("validation", "label", "outside")), strict=True)
    sides = {(side, label) for side, label, outside in rows if label is not None and not outside}
    return len(sides) == 4


def tested_rows(table: JudgedTable) -> tuple[Ints, list[str]]:
    """The numbers of the rows that count where no threshold is chosen, of a detection set with a
    validation split those outside it, else all; and a note of what is left out."""
    if "detection" not in table.tasks or not has_validation_split(table):
        return np.arange(len(table.rows)), []
    tested = _indices([not validation for validation in table.of_rows("validation")])
    left_out = len(table.rows) - len(tested)
    return tested, [f"{left_out} validation rows are left out: no threshold is chosen on them"]


@dataclass(frozen=True, slots=True)
class Margins:
    """Score − threshold on the rows that no threshold was chosen on; None where unscored.

    tested      the numbers of these rows
    wrong       rows that count as wrong for want of a verdict, with the reason
    thresholds  those that were chosen, one for each fold; none for the metric's own verdicts
    reason      why a part of the rows, or all, have no margin; else None
    """

    values: Values
    tested: Ints
    wrong: Mapping[int, str] = field(default_factory=dict)
    thresholds: tuple[float, ...] = ()
    reason: str | None = None

    def counted_wrong(self, numbers: Ints) -> dict[str, int]:
        """Of these rows, how many count as wrong, by reason."""
        inside = set(numbers.tolist()) if self.wrong else set()
        return dict(Counter(why for number, why in self.wrong.items() if number in inside))


@dataclass(frozen=True, slots=True)
class Fold:
    """Rows to choose a threshold on, by dataset, and those of one dataset to test it on."""

    fitting: Mapping[str, Ints]
    testing: Ints


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


def _indices(chosen: Iterable[bool]) -> Ints:
    return np.flatnonzero(np.fromiter(chosen, dtype=bool))


def _labelled(table: JudgedTable) -> Ints:
    return _indices(label is not None for label in table.labels)


def _fitting(table: JudgedTable, numbers: Ints) -> Ints:
    """The rows among these on which a threshold may be chosen."""
    inside = _indices(not outside for outside in take(table.of_rows("outside"), numbers))
    return np.asarray(numbers[inside])


def _verdict_margins(table: JudgedTable, column: MetricColumn) -> Margins:
    if any(value is not None for value in column.values) and not any(
        verdict is not None for verdict in column.verdicts
    ):
        raise ConfigError(refusal(column.label))
    numbers, labels = _labelled(table), table.labels
    values = np.full(len(table.rows), np.nan)
    wrong = {}
    for number in numbers.tolist():
        verdict = column.verdicts[number] if column.verdicts else None
        if verdict in (0.0, 1.0):
            values[number] = 1.0 if verdict else -1.0
            continue
        values[number] = _wrong_side(labels[number])
        reason = column.outcomes[number] if column.values[number] is None else NO_VERDICT
        wrong[number] = reason if verdict is None else UNDECIDED
    return Margins(FloatColumn(values), numbers, wrong)


def _fixed_margins(table: JudgedTable, column: MetricColumn, threshold: float) -> Margins:
    numbers = _labelled(table)
    values = np.full(len(table.rows), np.nan)
    wrong: dict[int, str] = {}
    _fill(values, wrong, column, table.labels, numbers, threshold)
    return Margins(FloatColumn(values), numbers, wrong, (threshold,))


def _chosen_margins(
    table: JudgedTable, label: str, folds: Sequence[Fold], tables: Mapping[str, JudgedTable]
) -> Margins:
    values = np.full(len(table.rows), np.nan)
    wrong: dict[int, str] = {}
    chosen, reasons, tested = [], [], [np.arange(0)]
    for fold in folds:
        fitting = [(tables[name], rows) for name, rows in fold.fitting.items()]
        fitting = [(of_set, rows) for of_set, rows in fitting if label in of_set.columns]
        threshold = meta.choose_threshold(
            chained(take(of_set.columns[label].values, rows) for of_set, rows in fitting),
            chained(take(of_set.labels, rows) for of_set, rows in fitting),
        )
        tested.append(fold.testing)
        if threshold.value is None:
            why = threshold.reason if any(len(rows) for _, rows in fitting) else "no other rows"
            reasons.append(f"no threshold can be chosen: {why}")
            continue
        chosen.append(threshold.value)
        _fill(values, wrong, table.columns[label], table.labels, fold.testing, threshold.value)
    if not folds:
        reasons.append("one document only: no other rows to choose a threshold on")
    rows = np.sort(np.concatenate(tested))
    return Margins(FloatColumn(values), rows, wrong, tuple(chosen), next(iter(reasons), None))


def ranked_scores(table: JudgedTable, column: MetricColumn) -> Margins:
    """What AUC and pair ranking order rows by: the scores; where a judge gave no verdict, the most
    wrong of its answers: the least score for a consistent row, the greatest for another. No pair
    with such a row is ranked right."""
    numbers, labels = np.arange(len(table.rows)), table.labels
    rows = zip(column.values, column.outcomes, labels, strict=True)
    wrong = {
        number: outcome
        for number, (score, outcome, label) in enumerate(rows)
        if score is None and outcome in NO_VERDICTS and label is not None
    }
    if not wrong:
        return Margins(column.values, numbers)
    scores = np.array([math.nan if score is None else score for score in column.values])
    answers = scores[~np.isnan(scores)]
    least, greatest = (answers.min(), answers.max()) if len(answers) else (0.0, 0.0)
    for number in wrong:
        scores[number] = least if labels[number] else greatest
    return Margins(FloatColumn(scores), numbers, wrong)


def _fill(
    values: Floats,
    wrong: dict[int, str],
    column: MetricColumn,
    labels: Sequence[int | None],
    testing: Ints,
    threshold: float,
) -> None:
    """A judge that gave no verdict counts as wrong in detection [FCLLM §4]; rows without a value
    for another reason are left out and counted."""
    scores, outcomes = take(column.values, testing), take(column.outcomes, testing)
    rows = zip(testing.tolist(), scores, outcomes, strict=True)
    for number, score, outcome in rows:
        if score is not None:
            values[number] = score - threshold
        elif outcome in NO_VERDICTS and labels[number] is not None:
            values[number] = _wrong_side(labels[number])
            wrong[number] = outcome


def _wrong_side(label: int | None) -> float:
    return -1.0 if label else 1.0


def plan(tables: Sequence[JudgedTable], thresholds: Thresholds, seed: int) -> dict[str, Plan]:
    """For each dataset, the rows to choose thresholds on and the rows to test on, divided by
    document (`dataset`, `global`)."""
    if thresholds == "dataset":
        return {table.name: _plan_of_dataset(table, seed) for table in tables}
    split = {table.name: _split(table) for table in tables if has_validation_split(table)}
    if not split:
        return _halves_of_all(tables, seed)
    tested = {t.name: split[t.name][1] if t.name in split else _labelled(t) for t in tables}
    validation = {t.name: _fitting(t, split[t.name][0]) for t in tables if t.name in split}
    return {table.name: _plan_of_splits(table, tables, validation, tested) for table in tables}


def _plan_of_splits(
    table: JudgedTable,
    tables: Sequence[JudgedTable],
    validation: Mapping[str, Ints],
    tested: Mapping[str, Ints],
) -> Plan:
    """Chosen on the validation rows of all sets, but for those of another set that are of a
    document that this one tests."""
    rows = tested[table.name]
    documents = {*take(table.documents, rows)}
    fitting = {}
    for other in tables:
        if other.name in validation:
            chosen = validation[other.name]
            names = take(other.documents, chosen)
            kept = _indices(other is table or name not in documents for name in names)
            fitting[other.name] = chosen[kept]
    count = sum(map(len, fitting.values()))
    words = f"one for all, chosen on the {count} validation rows of {', '.join(fitting)}"
    if shared := sum(map(len, validation.values())) - count:
        words += f", without {shared} more of documents that this set tests"
    if table.name not in validation:
        words += "; this set has no validation split, so all of its rows are tested"
    return Plan([Fold(fitting, rows)], words)


def _plan_of_dataset(table: JudgedTable, seed: int) -> Plan:
    if has_validation_split(table):
        validation, tested = _split(table)
        chosen = _fitting(table, validation)
        words = f"chosen on the {len(chosen)} validation rows, tested on the {len(tested)} others"
        return Plan([Fold({table.name: chosen}, tested)], words)
    numbers = _labelled(table)
    return Plan(
        [
            Fold({table.name: _fitting(table, numbers[fitting])}, numbers[testing])
            for fitting, testing in _halves(take(table.documents, numbers), seed)
        ],
        "no validation split, so chosen on one half of the documents for the other, both ways",
    )


def _split(table: JudgedTable) -> tuple[Ints, Ints]:
    """The labelled rows of the validation split, and the others."""
    numbers = _labelled(table)
    validation = np.fromiter(take(table.of_rows("validation"), numbers), dtype=bool)
    return numbers[validation], numbers[~validation]


def _halves_of_all(tables: Sequence[JudgedTable], seed: int) -> dict[str, Plan]:
    """The documents of all sets are halved together, as several sets may have the same one."""
    words = (
        "no set has a validation split, so chosen on one half of the documents of all sets for the "
        "other half, both ways: two thresholds for all"
    )
    numbers = [_labelled(table) for table in tables]
    documents = chained(take(t.documents, n) for t, n in zip(tables, numbers, strict=True))
    ends = np.cumsum([len(rows) for rows in numbers])[:-1]
    folds: dict[str, list[Fold]] = {table.name: [] for table in tables}
    for masks in _halves(documents, seed):
        sides = [np.split(mask, ends) for mask in masks]
        of_tables = [*zip(tables, numbers, *sides, strict=True)]
        fitting = {t.name: _fitting(t, rows[fit]) for t, rows, fit, _ in of_tables}
        for table, rows, _, test in of_tables:
            if test.any():
                folds[table.name].append(Fold(fitting, rows[test]))
    return {name: Plan(of_table, words) for name, of_table in folds.items()}


def _halves(documents: Sequence[str], seed: int) -> list[tuple[Bools, Bools]]:
    """(rows to choose on, rows to test on) twice, as masks; none with fewer than two documents."""
    if len(set(documents)) < 2:
        return []
    return [*reversed(meta.grouped_folds(documents, 2, seed))]
