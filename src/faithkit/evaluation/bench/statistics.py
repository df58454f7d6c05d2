"""The statistics of a benchmark table: which ones a task calls for, over which rows.

rating       Spearman (the headline), Pearson, Kendall; with three systems or more also by system
detection    AUC (the headline) and balanced accuracy; by subset and averaged where there are any
ranking      share of pairs in which the faithful row scores strictly higher (the headline)
error_types  Spearman per type, and per group of types, of error: some error rows mixed with all
             faithful ones, 10 draws

Where the decisions behind balanced accuracy come from is in `thresholds.py`; over- and
under-prediction in `predictions.py`; what cannot be computed is said in words by `notes.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from faithkit import meta
from faithkit.caveats import Caveats
from faithkit.datasets.releases import same_release
from faithkit.evaluation.bench.columns import Column, Table, Truth
from faithkit.evaluation.bench.thresholds import Margins, Thresholds, needs_no_choice
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
class Settings:
    """What is computed how.

    draws, seed   of the bootstrap
    thresholds    where the decisions behind balanced accuracy come from
    error_cases   error rows of a type that are mixed with the faithful ones in each draw; [FFLM]
                  has 50, and 10 for XSum
    rating_scale  the least and the greatest human rating that can be given; None: 0 to 1
    """

    draws: int = 1000
    seed: int = 0
    thresholds: Thresholds = "dataset"
    error_cases: int = 50
    rating_scale: tuple[float, float] | None = None


def caveats_of(table: Table, column: Column) -> Caveats:
    """What must be known of a metric's figures on a dataset."""
    seen = column.trained_on
    return Caveats(
        column.missing(),
        column.cut(),
        None if seen is None else same_release(seen, table.name),
    )


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the benchmark.

    part           "" for the whole dataset, else a subset, or a type or group of errors
    counted_wrong  rows without a verdict that count as wrong, by reason
    thresholds     those behind a balanced accuracy, one for each fold
    """

    dataset: str
    metric: str
    statistic: str
    part: str
    estimate: dict[str, Any]
    caveats: Caveats
    signature: str
    counted_wrong: dict[str, int] = field(default_factory=dict)
    thresholds: tuple[float, ...] = ()

    @property
    def value(self) -> float | None:
        found: float | None = self.estimate["value"]
        return found

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
            "outcomes_without_value": self.caveats.missing,
            "cut": self.caveats.cut.to_dict(),
            "trained_on": None if trained_on is None else list(trained_on),
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True)
class Wanted:
    """A figure to be estimated; `wrong` and `thresholds` as in Figure.

    reason  why there is no value, where the sample cannot know
    """

    part: str
    measure: meta.Measure
    data: meta.Sample
    wrong: dict[str, int] = field(default_factory=dict)
    thresholds: tuple[float, ...] = ()
    reason: str | None = None


def headline(table: Table) -> str | None:
    """The statistic that stands for the dataset in the wide table; None for error types alone."""
    return next((HEADLINES[task] for task in HEADLINES if task in table.tasks), None)


def figures(
    tables: Sequence[Table], settings: Settings, decided: Mapping[tuple[str, str], Margins]
) -> list[Figure]:
    """Every statistic of every column. decided: of `thresholds.margins`."""
    found: list[Figure] = []
    for table in tables:
        for column in table.columns:
            found += _of_column(table, column, decided.get((table.name, column.label)), settings)
    return found


def _of_column(
    table: Table, column: Column, decided: Margins | None, settings: Settings
) -> list[Figure]:
    caveats = caveats_of(table, column)

    def figure(part: str, name: str, estimate: dict[str, Any], **more: Any) -> Figure:
        return Figure(
            table.name, column.label, name, part, estimate, caveats, column.signature, **more
        )

    made = []
    for want in _wanted(table, column, decided):
        one = meta.estimate(want.measure, want.data, draws=settings.draws, seed=settings.seed)
        if one.value is None and want.reason:
            one = replace(one, reason=want.reason)
        made.append(
            figure(want.part, want.measure.name, one.to_dict(),
                   counted_wrong=want.wrong, thresholds=want.thresholds)
        )  # fmt: skip
    if "error_types" in table.tasks:
        for name, scheme in ERRORS.items():
            for result in error_results(table, column, scheme, settings):
                estimate = {**result.to_dict(), "value": result.spearman,
                            "n": result.used + result.faithful}  # fmt: skip
                made.append(figure(result.error_type, name, estimate))
    return made


def _wanted(table: Table, column: Column, decided: Margins | None) -> list[Wanted]:
    rows = table.truth
    wanted: list[Wanted] = []
    if "rating" in table.tasks:
        ratings = [t.rating for t in rows]
        data = _sample(rows, column.values, ratings)
        wanted += [Wanted("", m, data) for m in (meta.SPEARMAN, meta.PEARSON, meta.KENDALL)]
        if no_systems(table) is None:
            systems = [t.system for t in rows]
            data = _sample(rows, column.values, ratings, systems=systems)
            wanted += [Wanted("", m, data) for m in (
                meta.SYSTEM_SPEARMAN, meta.SYSTEM_PEARSON, meta.SYSTEM_KENDALL)]  # fmt: skip
    if "ranking" in table.tasks:
        pairs = [t.pair or t.document for t in rows]
        data = _sample(rows, column.values, [t.label for t in rows], subsets=pairs)
        wanted.append(Wanted("", meta.RANKING, data))
    if "detection" in table.tasks:
        wanted += _detection(rows, column, decided)
    return wanted


def no_systems(table: Table) -> str | None:
    """Why there is no correlation of systems, or None where there is."""
    named = {t.system for t in table.truth if t.system}
    lacking = sum(not t.system for t in table.truth)
    if not named:
        return "no row names its system"
    if lacking:
        return f"{lacking} of {len(table.truth)} rows name no system"
    if len(named) < SYSTEMS:
        return f"{len(named)} systems, and a correlation needs at least {SYSTEMS}"
    return None


def _detection(rows: Sequence[Truth], column: Column, decided: Margins | None) -> list[Wanted]:
    """AUC, and balanced accuracy on the rows that no threshold was chosen on; the same for each
    subset, and averaged over those that hold both labels."""
    wanted = _by_part(rows, meta.AUC, column.values, range(len(rows)), None)
    if decided is not None:
        measure = meta.balanced_accuracy(0.0)
        wanted += _by_part(rows, measure, decided.values, decided.tested, decided)
    return wanted


def _by_part(
    rows: Sequence[Truth],
    measure: meta.Measure,
    values: Sequence[float | None],
    numbers: Sequence[int],
    decided: Margins | None,
) -> list[Wanted]:
    def want(
        part: str,
        chosen: meta.Measure,
        some: Sequence[int],
        reason: str | None = None,
        **more: Sequence[str],
    ) -> Wanted:
        data = _part(rows, values, some, **more)
        if decided is None:
            return Wanted(part, chosen, data, reason=reason)
        # That the rows have one label only is the better reason.
        single = len({rows[i].label for i in some} - {None}) == 1
        why = reason or (None if single else decided.reason)
        return Wanted(part, chosen, data, decided.counted_wrong(some), decided.thresholds, why)

    wanted = [want("", measure, numbers)]
    parts = subsets(rows)
    for part in parts:
        wanted.append(want(part, measure, [i for i in numbers if rows[i].subset == part]))
    if parts:
        averaged = set(parts) - one_label(rows, numbers).keys()
        whole = [i for i in numbers if rows[i].subset in averaged]
        average = replace(meta.by_subset(measure), name=measure.name)
        names = [str(rows[i].subset) for i in whole]
        reason = None if whole else "no part holds both labels"
        wanted.append(want(WEIGHTED, average, whole, reason, subsets=names))
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


def subsets(rows: Sequence[Truth]) -> list[str]:
    """The benchmark's parts, where it has several."""
    names = sorted({t.subset for t in rows if t.subset and t.label is not None})
    return names if len(names) > 1 else []


def one_label(rows: Sequence[Truth], numbers: Sequence[int]) -> dict[str, int]:
    """Of the parts, those whose rows among these have one label only, with that label."""
    labels: dict[str, set[int]] = {}
    for number in numbers:
        row = rows[number]
        if row.subset and row.label is not None:
            labels.setdefault(row.subset, set()).add(row.label)
    return {name: kinds.pop() for name, kinds in labels.items() if len(kinds) == 1}


def _is_faithful(row: Truth) -> int | None:
    """The label; of a rated row without one, whether people found no error in it."""
    if row.label is not None or row.rating is None:
        return row.label
    return int(not (row.error_types or row.error_groups))


def error_results(
    table: Table, column: Column, scheme: str, settings: Settings
) -> list[meta.ErrorTypeResult]:
    """A metric's Spearman with people on the errors of each type (`error_types`) or group of types
    (`error_groups`); with their ratings where all judged rows have one, else with the labels."""
    faithful = [_is_faithful(t) for t in table.truth]
    ratings = [t.rating for t in table.truth]
    rated = all(rating is not None for rating, label in zip(ratings, faithful, strict=True)
                if label is not None)  # fmt: skip
    return meta.error_type_correlations(
        list(column.values),
        faithful,
        [getattr(t, scheme) for t in table.truth],
        ratings=ratings if rated else None,
        cases=settings.error_cases,
        seed=settings.seed,
    )


def no_errors(table: Table) -> str | None:
    """Why nothing can be said by type of error, or None."""
    faithful = [_is_faithful(t) for t in table.truth]
    named = any(label == 0 and (t.error_types or t.error_groups)
                for t, label in zip(table.truth, faithful, strict=True))  # fmt: skip
    if not named:
        return "no unfaithful row names an error"
    if 1 not in faithful:
        return (
            "no faithful row to mix the error cases with; pool the set with one that has some, as "
            "'aggrefact_errors_val+cliff[label=1]'"
        )
    return None


def _sample(
    rows: Sequence[Truth],
    values: Sequence[float | None],
    human: Sequence[float | None],
    **more: Any,
) -> meta.Sample:
    return meta.sample(list(values), list(human), groups=[t.document for t in rows], **more)


def compare(
    tables: Sequence[Table],
    first: str,
    second: str,
    settings: Settings,
    decided: Mapping[tuple[str, str], Margins],
) -> list[dict[str, Any]]:
    """The headline of two metrics on each dataset, paired by row, with Holm over the datasets. For
    detection without a choice of thresholds it is balanced accuracy. Raises ConfigError on a metric
    that is not there."""
    found: list[tuple[str, meta.Comparison]] = []
    for table in tables:
        columns = {column.label: column for column in table.columns}
        for label in (first, second):
            if label not in columns:
                raise ConfigError(f"--compare names '{label}'.{did_you_mean(label, columns)}")
        name = headline(table)
        if name is None:
            continue  # `notes.py` says so
        pair = [columns[first], columns[second]]
        found.append((table.name, _compared(table, pair, name, settings, decided)))
    adjusted = meta.holm([result.p_value for _, result in found])
    return [
        {"dataset": name, **result.to_dict(), "p_holm": p}
        for (name, result), p in zip(found, adjusted, strict=True)
    ]


def _compared(
    table: Table,
    pair: Sequence[Column],
    name: str,
    settings: Settings,
    decided: Mapping[tuple[str, str], Margins],
) -> meta.Comparison:
    measures = {"spearman": meta.SPEARMAN, "ranking_accuracy": meta.RANKING, "auc": meta.AUC}
    measure, truth = measures[name], table.truth
    values = [column.values for column in pair]
    human: list[float | None] = [t.rating if name == "spearman" else t.label for t in truth]
    if name == "auc" and needs_no_choice(settings.thresholds):
        measure = meta.balanced_accuracy(0.0)
        values = [tuple(decided[table.name, column.label].values) for column in pair]
    rows = meta.Rows(
        human=human,
        groups=[t.document for t in truth],
        subsets=[t.pair or t.document for t in truth] if name == "ranking_accuracy" else None,
    )
    names = (pair[0].label, pair[1].label)
    return meta.compare(measure, list(values[0]), list(values[1]), rows,
                        names=names, draws=settings.draws, seed=settings.seed)  # fmt: skip


def matrices(table: Table) -> dict[str, meta.CorrelationMatrix]:
    """Every metric with every other on one dataset: Spearman, Pearson and Kendall, by name."""
    columns = {c.label: list(c.values) for c in table.columns}
    return {measure.name: meta.correlation_matrix(columns, measure) for measure in MATRICES}


def components(table: Table, column: Column) -> dict[str, meta.CorrelationMatrix]:
    """A metric's value, each of its parts and the human judgement with one another; none where the
    metric has no parts."""
    names = list(dict.fromkeys(name for parts in column.parts for name in parts))
    if not names:
        return {}
    rated = "rating" in table.tasks
    human: list[float | None] = [t.rating if rated else t.label for t in table.truth]
    columns: dict[str, list[float | None]] = {"value": list(column.values)}
    columns |= {name: [parts.get(name) for parts in column.parts] for name in names}
    columns["human rating" if rated else "human label"] = human
    return {measure.name: meta.correlation_matrix(columns, measure) for measure in MATRICES}
