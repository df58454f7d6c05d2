"""The statistics of a benchmark table: which ones a task calls for, over which rows.

rating       Spearman (the headline), Pearson, Kendall; with three systems or more also by system
detection    AUC (the headline) and balanced accuracy; by subset and averaged where there are any
ranking      share of pairs in which the faithful row scores strictly higher (the headline)
error_types  Spearman per type: up to 50 error rows mixed with all faithful ones, 10 draws

Balanced accuracy needs a threshold, which is never chosen on the rows it is tested on: on the
validation rows where the release has them (which are then left out), else on one half of the
documents for the other half, both ways. `global` pools those rows over all datasets [FCLLM];
`dataset` keeps each dataset's own [FFLM].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from faithkit import meta
from faithkit.benchmark.scoring import Column, Table, Truth
from faithkit.records import ConfigError, did_you_mean

Thresholds = Literal["dataset", "global"]
WEIGHTED = "average by rows"
"""The part that is the subsets' average, weighted by their rows [FCLLM]."""
HEADLINES = {"rating": "spearman", "ranking": "ranking_accuracy", "detection": "auc"}
Values = list[float | None]


@dataclass(frozen=True, slots=True)
class Settings:
    """draws of the bootstrap, its seed, and where thresholds come from."""

    draws: int = 1000
    seed: int = 0
    thresholds: Thresholds = "dataset"


@dataclass(frozen=True, slots=True)
class Margins:
    """Score − threshold on the rows that the threshold was not chosen on; None where unscored.

    tested  the numbers of these rows
    """

    values: Values
    tested: list[int]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the benchmark. `part` is "" for the whole dataset, else a subset or type."""

    dataset: str
    metric: str
    statistic: str
    part: str
    estimate: dict[str, Any]
    missing: dict[str, int]
    signature: str

    @property
    def value(self) -> float | None:
        found: float | None = self.estimate["value"]
        return found

    def to_dict(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset,
            "metric": self.metric,
            "statistic": self.statistic,
            "part": self.part,
            **{key: value for key, value in self.estimate.items() if key != "statistic"},
            "outcomes_without_value": self.missing,
            "signature": self.signature,
        }


def headline(table: Table) -> str | None:
    """The statistic that stands for the dataset in the wide table; None for error types alone."""
    return next((HEADLINES[task] for task in HEADLINES if task in table.tasks), None)


def figures(tables: Sequence[Table], settings: Settings) -> list[Figure]:
    """Every statistic of every column."""
    margins = _margins(tables, settings)
    found: list[Figure] = []
    for table in tables:
        for column in table.columns:
            found += _of_column(table, column, margins.get((table.name, column.label)), settings)
    return found


def _of_column(
    table: Table, column: Column, margins: Margins | None, settings: Settings
) -> list[Figure]:
    rows = table.truth
    wanted: list[tuple[str, meta.Measure, meta.Sample]] = []
    if "rating" in table.tasks:
        data = _sample(rows, column.values, [t.rating for t in rows])
        wanted += [("", m, data) for m in (meta.SPEARMAN, meta.PEARSON, meta.KENDALL)]
        if len({t.system for t in rows}) >= 3 and all(t.system for t in rows):
            systems = [t.system for t in rows]
            data = _sample(rows, column.values, [t.rating for t in rows], systems=systems)
            wanted += [("", m, data) for m in (
                meta.SYSTEM_SPEARMAN, meta.SYSTEM_PEARSON, meta.SYSTEM_KENDALL)]  # fmt: skip
    if "ranking" in table.tasks:
        pairs = [t.pair or t.document for t in rows]
        data = _sample(rows, column.values, [t.label for t in rows], subsets=pairs)
        wanted.append(("", meta.RANKING, data))
    if "detection" in table.tasks:
        wanted += _detection(rows, column, margins)
    estimates = [
        (part, measure.name,
         meta.estimate(measure, data, draws=settings.draws, seed=settings.seed).to_dict())
        for part, measure, data in wanted
    ]  # fmt: skip
    if "error_types" in table.tasks:
        estimates += _error_types(rows, column, settings)
    return [
        Figure(table.name, column.label, name, part, estimate, column.missing(), column.signature)
        for part, name, estimate in estimates
    ]


def _detection(
    rows: Sequence[Truth], column: Column, margins: Margins | None
) -> list[tuple[str, meta.Measure, meta.Sample]]:
    """AUC on all rows, balanced accuracy on those that no threshold was chosen on; the same for
    each subset, and averaged over them."""
    every = range(len(rows))
    kinds: list[tuple[meta.Measure, Sequence[float | None], Sequence[int]]] = [
        (meta.AUC, column.values, every)
    ]
    if margins is not None:
        kinds.append((meta.balanced_accuracy(0.0), margins.values, margins.tested))
    subsets = _subsets(rows)
    wanted = []
    for measure, values, numbers in kinds:
        wanted.append(("", measure, _part(rows, values, numbers)))
        for subset in subsets:
            inside = [number for number in numbers if rows[number].subset == subset]
            wanted.append((subset, measure, _part(rows, values, inside)))
        if subsets and all(t.subset for t in rows):
            names = [str(rows[number].subset) for number in numbers]
            average = replace(meta.by_subset(measure), name=measure.name)
            wanted.append((WEIGHTED, average, _part(rows, values, numbers, subsets=names)))
    return wanted


def _part(
    rows: Sequence[Truth],
    values: Sequence[float | None],
    numbers: Sequence[int],
    **more: Sequence[str],
) -> meta.Sample:
    """The sample of the rows with these numbers, against their labels."""
    some = [rows[number] for number in numbers]
    own = [values[number] for number in numbers]
    return _sample(some, own, [t.label for t in some], **more)


def _subsets(rows: Sequence[Truth]) -> list[str]:
    """The benchmark's parts, where it has several and each holds both kinds of rows."""
    labels: dict[str, set[int]] = {}
    for t in rows:
        if t.subset and t.label is not None:
            labels.setdefault(t.subset, set()).add(t.label)
    whole = len(labels) > 1 and all(len(kinds) == 2 for kinds in labels.values())
    return sorted(labels) if whole else []


def _error_types(
    rows: Sequence[Truth], column: Column, settings: Settings
) -> list[tuple[str, str, dict[str, Any]]]:
    results = meta.error_type_correlations(
        list(column.values),
        [t.label for t in rows],
        [t.error_types for t in rows],
        seed=settings.seed,
    )
    return [
        (result.error_type, "spearman_of_type",
         {**result.to_dict(), "value": result.spearman, "n": result.used + result.faithful})
        for result in results
    ]  # fmt: skip


def _sample(
    rows: Sequence[Truth],
    values: Sequence[float | None],
    human: Sequence[float | None],
    **more: Any,
) -> meta.Sample:
    return meta.sample(list(values), list(human), groups=[t.document for t in rows], **more)


def _margins(tables: Sequence[Table], settings: Settings) -> dict[tuple[str, str], Margins]:
    """Each detection column as score − threshold, the threshold chosen on other rows. A judge's
    wrong outcomes get a margin of the wrong sign."""
    found = {
        (table.name, column.label): (table, column)
        for table in tables
        if "detection" in table.tasks
        for column in table.columns
    }
    folds = {name: _folds(table, settings.seed) for (name, _), (table, _) in found.items()}
    pooled: dict[tuple[str, int], tuple[Values, list[int | None]]] = {}
    for (name, label), (table, column) in found.items():
        for number, (fitting, _) in enumerate(folds[name]):
            scores, labels = pooled.setdefault((label, number), ([], []))
            scores += [column.values[i] for i in np.flatnonzero(fitting).tolist()]
            labels += [table.truth[i].label for i in np.flatnonzero(fitting).tolist()]
    margins: dict[tuple[str, str], Margins] = {}
    for (name, label), (table, column) in found.items():
        values: Values = [None] * len(table.truth)
        for number, (fitting, testing) in enumerate(folds[name]):
            if settings.thresholds == "global":
                scores, labels = pooled[label, number]
            else:
                where = np.flatnonzero(fitting).tolist()
                scores = [column.values[i] for i in where]
                labels = [table.truth[i].label for i in where]
            threshold = meta.choose_threshold(scores, labels).value
            if threshold is not None:
                _fill(values, column, table.truth, testing, threshold)
        tested = np.any([testing for _, testing in folds[name]], axis=0) if folds[name] else []
        margins[name, label] = Margins(values, np.flatnonzero(tested).tolist())
    return margins


def _fill(
    values: Values, column: Column, rows: Sequence[Truth], testing: np.ndarray, threshold: float
) -> None:
    wrong = column.counted_wrong()
    for i in np.flatnonzero(testing).tolist():
        score, label = column.values[i], rows[i].label
        if score is not None:
            values[i] = score - threshold
        elif wrong[i] and label is not None:
            values[i] = -1.0 if label else 1.0


def _folds(table: Table, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """(rows to choose on, rows to test on), by document."""
    validation = np.array([t.validation for t in table.truth])
    kinds = {(t.validation, t.label) for t in table.truth if t.label is not None}
    if len(kinds) == 4:  # both kinds of rows, on both sides
        return [(validation, ~validation)]
    names = {name: code for code, name in enumerate(dict.fromkeys(t.document for t in table.truth))}
    if len(names) < 2:
        return []
    cluster = np.array([names[t.document] for t in table.truth], dtype=np.int64)
    half = meta.group_folds(cluster, len(names), 2, seed)
    return [(half == 0, half == 1), (half == 1, half == 0)]


def compare(
    tables: Sequence[Table], first: str, second: str, settings: Settings
) -> list[dict[str, Any]]:
    """The headline of two metrics on each dataset, paired by row, with Holm over the datasets."""
    measures = {"spearman": meta.SPEARMAN, "ranking_accuracy": meta.RANKING, "auc": meta.AUC}
    found: list[tuple[str, meta.Comparison]] = []
    for table in tables:
        name = headline(table)
        if name is None:
            continue
        columns = {column.label: column for column in table.columns}
        for label in (first, second):
            if label not in columns:
                raise ConfigError(f"--compare names '{label}'.{did_you_mean(label, columns)}")
        rows = meta.Rows(
            human=[t.rating if name == "spearman" else t.label for t in table.truth],
            groups=[t.document for t in table.truth],
            subsets=[t.pair or t.document for t in table.truth]
            if name == "ranking_accuracy" else None,
        )  # fmt: skip
        found.append((table.name, meta.compare(
            measures[name], list(columns[first].values), list(columns[second].values), rows,
            names=(first, second), draws=settings.draws, seed=settings.seed)))  # fmt: skip
    adjusted = meta.holm([result.p_value for _, result in found])
    return [
        {"dataset": name, **result.to_dict(), "p_holm": p}
        for (name, result), p in zip(found, adjusted, strict=True)
    ]


def matrix(table: Table) -> meta.CorrelationMatrix:
    """Spearman of every metric with every other on one dataset."""
    return meta.correlation_matrix({c.label: list(c.values) for c in table.columns})


def worst_cases(table: Table, column: Column, worst: int) -> dict[str, Any] | None:
    """Over- and under-prediction against the ratings; None without ratings."""
    if "rating" not in table.tasks:
        return None
    report = meta.prediction_report(
        list(column.values), [t.rating for t in table.truth], worst=worst
    )
    return {
        "metric": column.label,
        "over": report.over,
        "under": report.under,
        "mean_over": report.mean_over,
        "mean_under": report.mean_under,
        "worst_over": [_case(table, case) for case in report.worst_over],
        "worst_under": [_case(table, case) for case in report.worst_under],
    }


def _case(table: Table, case: meta.Case) -> dict[str, Any]:
    return {"id": table.truth[case.row].id, "score": case.score, "human": case.human,
            "difference": case.difference}  # fmt: skip
