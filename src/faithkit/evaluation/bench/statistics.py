"""The statistics of a benchmark table: which ones a task calls for, over which rows.

rating       Spearman (the headline), Pearson, Kendall; with three systems or more also by system
detection    AUC (the headline) and balanced accuracy; by subset and averaged where there are any
ranking      share of pairs in which the faithful row scores strictly higher (the headline)
error_types  Spearman per type, and per group of types, of error: some error rows mixed with all
             faithful ones, 10 draws

The decisions for balanced accuracy are made in `thresholds.py`, over- and under-prediction is in
`predictions.py`, and the reasons for what cannot be computed are worded by `notes.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from faithkit import meta
from faithkit.caveats import Caveats
from faithkit.datasets.releases import same_release
from faithkit.evaluation.bench.thresholds import Margins, Thresholds, needs_no_choice, ranked_scores
from faithkit.evaluation.judged import JudgedRow, JudgedTable, MetricColumn, Values
from faithkit.meta.columns import take
from faithkit.meta.detection import one_class
from faithkit.meta.sample import Ints
from faithkit.records import ConfigError, did_you_mean

WEIGHTED = "average by rows"
"""The part that is the subsets' average, weighted by their rows [FCLLM]."""
HEADLINES = {"rating": "spearman", "ranking": "ranking_accuracy", "detection": "auc"}
ERRORS = {"spearman_of_type": "error_types", "spearman_of_group": "error_groups"}
"""The statistic of each scheme of errors, and where a row has its names."""
SYSTEMS = 3
"""So many systems are needed for a correlation of systems."""
MATRICES = (meta.SPEARMAN, meta.PEARSON, meta.KENDALL)


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """How the statistics are computed.

    draws, seed   of the bootstrap
    thresholds    how the thresholds of balanced accuracy are chosen
    error_cases   error rows of a type that are mixed with the faithful ones in each draw; [FFLM]
                  has 50, and 10 for XSum
    rating_scale  the least and the greatest human rating that can be given; None: 0 to 1
    """

    draws: int = 1000
    seed: int = 0
    thresholds: Thresholds = "dataset"
    error_cases: int = 50
    rating_scale: tuple[float, float] | None = None


def caveats_of(table: JudgedTable, column: MetricColumn) -> Caveats:
    """Text that was cut and training data that overlaps with the dataset: what qualifies a metric's
    figures on it."""
    trained_on = column.trained_on
    return Caveats(
        column.cut(), None if trained_on is None else same_release(trained_on, table.name)
    )


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the benchmark.

    part           "" for the whole dataset, else a subset, or a type or group of errors
    unscored       judged rows of the figure that are left out for want of a score, by outcome
    counted_wrong  rows without a verdict that count as wrong, by reason
    thresholds     of a balanced accuracy, one for each fold
    """

    dataset: str
    metric: str
    statistic: str
    part: str
    estimate: dict[str, Any]
    caveats: Caveats
    signature: str
    unscored: dict[str, int] = field(default_factory=dict)
    counted_wrong: dict[str, int] = field(default_factory=dict)
    thresholds: tuple[float, ...] = ()

    @property
    def value(self) -> float | None:
        value: float | None = self.estimate["value"]
        return value

    def to_dict(self) -> dict[str, Any]:
        trained_on = self.caveats.trained_on
        return {
            "dataset": self.dataset,
            "metric": self.metric,
            "statistic": self.statistic,
            "part": self.part,
            **{key: value for key, value in self.estimate.items() if key != "statistic"},
            "counted_wrong": self.counted_wrong,
            "thresholds": list(self.thresholds),
            "outcomes_without_value": self.unscored,
            "cut": self.caveats.cut.to_dict(),
            "trained_on": None if trained_on is None else list(trained_on),
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """A figure to be estimated; `unscored`, `wrong` and `thresholds` as in Figure.

    reason  why there is no value, where the sample cannot know
    """

    part: str
    measure: meta.Measure
    data: meta.Sample
    unscored: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, int] = field(default_factory=dict)
    thresholds: tuple[float, ...] = ()
    reason: str | None = None


def headline(table: JudgedTable) -> str | None:
    """The statistic that represents the dataset in the wide table; None for error types alone."""
    return next((HEADLINES[task] for task in HEADLINES if task in table.tasks), None)


def figures(
    tables: Sequence[JudgedTable],
    settings: BenchSettings,
    decided: Mapping[tuple[str, str], Margins],
) -> list[Figure]:
    """Every statistic of every column. decided: of `thresholds.margins`."""
    computed: list[Figure] = []
    for table in tables:
        for label, column in table.columns.items():
            computed += _of_column(table, column, decided.get((table.name, label)), settings)
    return computed


def _of_column(
    table: JudgedTable, column: MetricColumn, decided: Margins | None, settings: BenchSettings
) -> list[Figure]:
    caveats = caveats_of(table, column)

    def figure(part: str, name: str, estimate: dict[str, Any], **more: Any) -> Figure:
        return Figure(
            table.name, column.label, name, part, estimate, caveats, column.signature, **more
        )

    computed = []
    for request in _requests(table, column, decided):
        result = meta.estimate(
            request.measure, request.data, draws=settings.draws, seed=settings.seed
        )
        if result.value is None and request.reason:
            result = replace(result, reason=request.reason)
        result = replace(result, unscored=sum(request.unscored.values()))
        computed.append(
            figure(request.part, request.measure.name, result.to_dict(), unscored=request.unscored,
                   counted_wrong=request.wrong, thresholds=request.thresholds)
        )  # fmt: skip
    if "error_types" in table.tasks:
        for name, scheme in ERRORS.items():
            for part, estimate, unscored in _by_error(table, column, scheme, settings):
                computed.append(figure(part, name, estimate, unscored=unscored))
    return computed


def _by_error(
    table: JudgedTable, column: MetricColumn, scheme: str, settings: BenchSettings
) -> Iterator[tuple[str, dict[str, Any], dict[str, int]]]:
    """Each type of error with its estimate and, of its rows and the faithful ones, the outcomes
    without a score."""
    faithful = [_is_faithful(row) for row in table.rows]
    missing = _unscored(column, column.values, faithful, np.arange(len(faithful))).tolist()
    errors = {number: getattr(table.rows[number], scheme) for number in missing}
    for of_type in error_results(table, column, scheme, settings):
        name = of_type.error_type
        rows = [number for number in missing if faithful[number] or name in errors[number]]
        unscored = _outcomes(column, rows)
        estimate = {**of_type.to_dict(), "value": of_type.spearman, "unscored": len(rows),
                    "n": of_type.used + of_type.faithful}  # fmt: skip
        yield name, estimate, unscored


def _unscored(column: MetricColumn, values: Values, human: Values, numbers: Ints) -> Ints:
    """The rows among `numbers` that have a judgement, but neither a score nor a value that counts
    as wrong.

    values  what the figure is computed of: the scores, or margins
    """
    columns = (take(of_rows, numbers) for of_rows in (column.values, values, human))
    rows = zip(numbers.tolist(), *columns, strict=True)
    return np.array(
        [number for number, score, value, judgement in rows
         if score is None and value is None and judgement is not None],
        dtype=np.int64,
    )  # fmt: skip


def _outcomes(column: MetricColumn, numbers: Sequence[int] | Ints) -> dict[str, int]:
    return dict(Counter(take(column.outcomes, numbers)))


def _requests(
    table: JudgedTable, column: MetricColumn, decided: Margins | None
) -> list[FigureRequest]:
    requests: list[FigureRequest] = []

    def request(
        human: Values, measures: Sequence[meta.Measure], **more: Sequence[str | None]
    ) -> None:
        data = meta.sample(column.values, human, groups=table.documents, **more)
        numbers = np.arange(len(table.rows))
        unscored = _outcomes(column, _unscored(column, column.values, human, numbers))
        requests.extend(FigureRequest("", measure, data, unscored) for measure in measures)

    if "rating" in table.tasks:
        request(table.ratings, (meta.SPEARMAN, meta.PEARSON, meta.KENDALL))
        if no_systems(table) is None:
            measures = (meta.SYSTEM_SPEARMAN, meta.SYSTEM_PEARSON, meta.SYSTEM_KENDALL)
            request(table.ratings, measures, systems=table.systems)
    if "ranking" in table.tasks:
        requests.append(_ranking(table, column))
    if "detection" in table.tasks:
        requests += _detection(table, column, decided)
    return requests


def _ranking(table: JudgedTable, column: MetricColumn) -> FigureRequest:
    """Pairs with a row without a verdict are wrong; those with one that has no score for another
    reason are left out."""
    ranked = ranked_scores(table, column)
    within = [row.ranked_within for row in table.rows]
    data = meta.sample(ranked.values, table.labels, groups=table.documents, subsets=within)
    missing = _unscored(column, ranked.values, table.labels, ranked.tested)
    wrong = ranked.counted_wrong(ranked.tested)
    return FigureRequest("", meta.RANKING, data, _outcomes(column, missing), wrong)


def no_systems(table: JudgedTable) -> str | None:
    """Why there is no correlation of systems, or None where there is."""
    named = {system for system in table.systems if system}
    unnamed = sum(not system for system in table.systems)
    if not named:
        return "no row names its system"
    if unnamed:
        return f"{unnamed} of {len(table.rows)} rows name no system"
    if len(named) < SYSTEMS:
        return f"{len(named)} systems, and a correlation needs at least {SYSTEMS}"
    return None


def _detection(
    table: JudgedTable, column: MetricColumn, decided: Margins | None
) -> list[FigureRequest]:
    """AUC, and balanced accuracy on the rows that no threshold was chosen on; the same for each
    subset, and averaged over those that hold both labels."""
    requests = _by_part(table, column, meta.AUC, ranked_scores(table, column))
    if decided is not None:
        requests += _by_part(table, column, meta.balanced_accuracy(0.0), decided)
    return requests


def _by_part(
    table: JudgedTable, column: MetricColumn, measure: meta.Measure, decided: Margins
) -> list[FigureRequest]:
    labels, values, numbers = table.labels, decided.values, decided.tested

    def request(
        part: str,
        chosen: meta.Measure,
        rows: Ints,
        reason: str | None = None,
        **more: Sequence[str],
    ) -> FigureRequest:
        documents = take(table.documents, rows)
        data = meta.sample(take(values, rows), take(labels, rows), groups=documents, **more)
        missing = _unscored(column, values, labels, rows)
        unscored = _outcomes(column, missing)
        # That the rows have one label only is a better reason than that no threshold was chosen.
        scored_labels = take(labels, np.setdiff1d(rows, missing))
        classes = np.array([label == 1 for label in scored_labels if label is not None], dtype=bool)
        single = one_class(classes) if len(classes) else None
        why = reason or single or decided.reason
        wrong = decided.counted_wrong(rows)
        return FigureRequest(part, chosen, data, unscored, wrong, decided.thresholds, why)

    requests = [request("", measure, numbers)]
    parts = subsets(table)
    if not parts:
        return requests
    of_rows = list(take(table.of_rows("subset"), numbers))
    for part in parts:
        inside = np.array([name == part for name in of_rows], dtype=bool)
        requests.append(request(part, measure, numbers[inside]))
    averaged = set(parts) - one_label(table, numbers).keys()
    pooled = numbers[np.array([name in averaged for name in of_rows], dtype=bool)]
    average = replace(meta.by_subset(measure), name=measure.name)
    names = [name for name in of_rows if name in averaged]
    reason = None if len(pooled) else "no part holds both labels"
    requests.append(request(WEIGHTED, average, pooled, reason, subsets=names))
    return requests


def subsets(table: JudgedTable) -> list[str]:
    """The benchmark's parts, where it has several."""
    rows = zip(table.of_rows("subset"), table.labels, strict=True)
    names = sorted({subset for subset, label in rows if subset and label is not None})
    return names if len(names) > 1 else []


def one_label(table: JudgedTable, numbers: Ints) -> dict[str, int]:
    """The parts in which all rows among `numbers` have the same label, with that label."""
    labels: dict[str, set[int]] = {}
    subsets_, of_rows = take(table.of_rows("subset"), numbers), take(table.labels, numbers)
    for subset, label in zip(subsets_, of_rows, strict=True):
        if subset and label is not None:
            labels.setdefault(subset, set()).add(label)
    return {name: kinds.pop() for name, kinds in labels.items() if len(kinds) == 1}


def _is_faithful(row: JudgedRow) -> int | None:
    """The label; of a rated row without one, whether no error was annotated in it."""
    if row.label is not None or row.rating is None:
        return row.label
    return int(not (row.error_types or row.error_groups))


def error_results(
    table: JudgedTable, column: MetricColumn, scheme: str, settings: BenchSettings
) -> list[meta.ErrorTypeResult]:
    """A metric's Spearman with the ratings, or the labels where a judged row has no rating, on the
    errors of each type (`error_types`) or group of types (`error_groups`)."""
    faithful = [_is_faithful(row) for row in table.rows]
    rated = all(rating is not None for rating, label in zip(table.ratings, faithful, strict=True)
                if label is not None)  # fmt: skip
    return meta.error_type_correlations(
        column.values,
        faithful,
        [getattr(row, scheme) for row in table.rows],
        ratings=table.ratings if rated else None,
        groups=table.documents,
        ids=table.ids,
        cases=settings.error_cases,
        seed=settings.seed,
        resamples=settings.draws,
    )


def no_errors(table: JudgedTable) -> str | None:
    """Why there is no figure by type of error, or None."""
    faithful = [_is_faithful(row) for row in table.rows]
    named = any(label == 0 and (row.error_types or row.error_groups)
                for row, label in zip(table.rows, faithful, strict=True))  # fmt: skip
    if not named:
        return "no unfaithful row names an error"
    if 1 not in faithful:
        return (
            "no faithful row to mix the error cases with; pool the set with one that has some, as "
            "'aggrefact_errors_val+cliff[label=1]'"
        )
    return None


def compare(
    tables: Sequence[JudgedTable],
    first: str,
    second: str,
    settings: BenchSettings,
    decided: Mapping[tuple[str, str], Margins],
) -> list[dict[str, Any]]:
    """The headline of two metrics on each dataset, paired by row, with Holm over the datasets. For
    detection without a choice of thresholds it is balanced accuracy. Raises ConfigError on a metric
    that is not there."""
    compared: list[tuple[str, meta.Comparison]] = []
    for table in tables:
        for label in (first, second):
            if label not in table.columns:
                hint = did_you_mean(label, table.columns)
                raise ConfigError(f"--compare names '{label}'.{hint}")
        name = headline(table)
        if name is None:
            continue  # see `notes.comparison_notes`
        pair = [table.columns[first], table.columns[second]]
        compared.append((table.name, _compared(table, pair, name, settings, decided)))
    adjusted = meta.holm([result.p_value for _, result in compared])
    return [
        {"dataset": name, **result.to_dict(), "p_holm": p}
        for (name, result), p in zip(compared, adjusted, strict=True)
    ]


def _compared(
    table: JudgedTable,
    pair: Sequence[MetricColumn],
    name: str,
    settings: BenchSettings,
    decided: Mapping[tuple[str, str], Margins],
) -> meta.Comparison:
    measures = {"spearman": meta.SPEARMAN, "ranking_accuracy": meta.RANKING, "auc": meta.AUC}
    measure = measures[name]
    if name == "spearman":
        values = [column.values for column in pair]
    else:
        values = [ranked_scores(table, column).values for column in pair]
    human: Values = table.ratings if name == "spearman" else table.labels
    if name == "auc" and needs_no_choice(settings.thresholds):
        measure = meta.balanced_accuracy(0.0)
        values = [decided[table.name, column.label].values for column in pair]
    rows = meta.SharedRows(
        human=human,
        groups=table.documents,
        subsets=[r.ranked_within for r in table.rows] if name == "ranking_accuracy" else None,
    )
    names = (pair[0].label, pair[1].label)
    return meta.compare(measure, values[0], values[1], rows,
                        names=names, draws=settings.draws, seed=settings.seed)  # fmt: skip


def matrices(
    table: JudgedTable, draws: int = 0, seed: int = 0
) -> dict[str, meta.CorrelationMatrix]:
    """Every metric with every other on one dataset: Spearman, Pearson and Kendall, by name. draws:
    of the intervals."""
    columns = {label: column.values for label, column in table.columns.items()}
    return _matrices(columns, table, draws, seed)


def _matrices(
    columns: Mapping[str, Values], table: JudgedTable, draws: int, seed: int
) -> dict[str, meta.CorrelationMatrix]:
    return {
        measure.name: meta.correlation_matrix(
            columns, measure, groups=table.documents, draws=draws, seed=seed
        )
        for measure in MATRICES
    }


def components(
    table: JudgedTable, column: MetricColumn, settings: BenchSettings
) -> dict[str, meta.CorrelationMatrix]:
    """A metric's value, each of its parts and the human judgement with one another; none where the
    metric has no parts."""
    names = column.part_names()
    if not names:
        return {}
    rated = "rating" in table.tasks
    columns: dict[str, Sequence[float | None]] = {"value": column.values}
    columns |= {name: column.part(name) for name in names}
    columns["human rating" if rated else "human label"] = table.ratings if rated else table.labels
    return _matrices(columns, table, settings.draws, settings.seed)
