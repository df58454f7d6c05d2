"""Metrics against human judgements: what `bench` computes, one cell a metric and statistic.

Statistics of a column: those of `bench` (spearman, pearson, kendall, system_*, auc,
balanced_accuracy, ranking_accuracy, spearman_of_type, spearman_of_group) and, of metric − human
[MFAS Figure 2], `over_raw` and `over_quantile`, the share of rows that the metric puts higher.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from faithkit import meta
from faithkit.caveats import caveat_lines, marks
from faithkit.evaluation.bench.notes import interval_notes, notes
from faithkit.evaluation.bench.predictions import Prediction
from faithkit.evaluation.bench.statistics import BenchSettings, Figure, caveats_of
from faithkit.evaluation.bench.tables import WRONG, Results, compute, wrong_lines
from faithkit.evaluation.bench.thresholds import (
    has_validation_split,
    needs_no_choice,
    parse_thresholds,
)
from faithkit.evaluation.bench.thresholds import (
    plan as folds_of,
)
from faithkit.evaluation.judged import JudgedTable, Numbers, Values
from faithkit.meta.columns import take
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.kinds.scored import (
    ReadTable,
    derived_column,
    read_tables,
    score_tables,
)
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.recipes import ColumnSpec, RowSpec
from faithkit.reproduce.tables import Cell, Filled

OVER = {"over_raw": "raw", "over_quantile": "quantile"}
"""The statistics of over-prediction, and the scale of each."""


TASKS: dict[str, str] = {
    **dict.fromkeys(("pearson", "spearman", "kendall", *OVER), "rating"),
    **dict.fromkeys(("system_pearson", "system_spearman", "system_kendall"), "rating"),
    **dict.fromkeys(("auc", "balanced_accuracy"), "detection"),
    "ranking_accuracy": "ranking",
    **dict.fromkeys(("spearman_of_type", "spearman_of_group"), "error_types"),
}
"""Each statistic's task; only the tasks of the recipe's columns are computed."""


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`."""
    filled = Filled(rows=[row.title for row in plan.recipe.rows])
    tables = read_tables(plan, setting, filled)
    score_tables(plan, setting, tables, filled)
    fitted = [row for row in plan.recipe.rows if row.fit and row.title in plan.metrics]
    groups: dict[BenchSettings, list[ColumnSpec]] = {}
    for column in plan.recipe.columns:
        groups.setdefault(_settings(column, setting), []).append(column)
    order: dict[ColumnSpec, list[str]] = {}
    parts: dict[str, set[str]] = {}
    for column in plan.recipe.columns:
        parts.setdefault(column.dataset, set()).add(column.part)
    verdicts = {row.title for row in plan.recipe.rows if row.verdict}
    apart = verdicts | {row.title for row in fitted}
    for settings, columns in groups.items():
        used = {tables[c.dataset].table.name: tables[c.dataset].table
                for c in columns if c.dataset in tables}  # fmt: skip
        tasks = {TASKS[column.statistic] for column in columns if column.statistic in TASKS}
        used = {name: replace(table, tasks=tuple(t for t in table.tasks if t in tasks))
                for name, table in used.items()}  # fmt: skip
        chosen = [_only(table, settings, lambda title: title not in apart)
                  for table in used.values()]  # fmt: skip
        own_verdicts = replace(settings, thresholds="none")
        stated = [
            _only(table, own_verdicts, lambda title: title in verdicts) for table in used.values()
        ]
        for results in (
            compute([t for t in chosen if t.columns], settings),
            compute([t for t in stated if t.columns], own_verdicts),
        ):
            for column in columns:
                if column.dataset in tables:
                    name = tables[column.dataset].table.name
                    titles = _cells(column, name, results, filled, {"", *parts[column.dataset]})
                    order[column] = list(dict.fromkeys([*order.get(column, ()), *titles]))
            _note(results, columns, filled)
    for row in fitted:
        _fit_cells(row, plan, tables, setting, filled)
    filled.columns = [title for column in plan.recipe.columns for title in order.get(column, ())]
    filled.notes += _without_figures(plan, tables, order, filled)
    return filled


def _without_figures(
    plan: Plan,
    tables: Mapping[str, ReadTable],
    order: Mapping[ColumnSpec, list[str]],
    filled: Filled,
) -> list[str]:
    """A line for each column that has no figure, though its dataset is there."""
    with_figures = {cell.column for cell in filled.cells}
    return [
        f"{column.title} ({column.statistic}{f' of {column.part}' if column.part else ''}): "
        f"{tables[column.dataset].table.name} allows no such figure."
        for column in plan.recipe.columns
        if column.dataset in tables and with_figures.isdisjoint(order.get(column, ()))
    ]


def _settings(column: ColumnSpec, setting: Setting) -> BenchSettings:
    return BenchSettings(
        setting.draws,
        setting.seed,
        parse_thresholds(column.thresholds),
        column.error_cases,
        column.scale,
    )


def _only(
    table: JudgedTable, settings: BenchSettings, wanted: Callable[[str], bool]
) -> JudgedTable:
    """The table with the columns of these rows, and, where no threshold is chosen, without the
    validation rows that another reading would choose one on."""
    columns = {title: column for title, column in table.columns.items() if wanted(title)}
    table = replace(table, columns=columns)
    if needs_no_choice(settings.thresholds) and has_validation_split(table):
        return table.take([i for i, row in enumerate(table.rows) if not row.validation])
    return table


def _cells(
    column: ColumnSpec,
    dataset: str,
    results: Results,
    filled: Filled,
    named: Collection[str] = ("",),
) -> list[str]:
    """The cells of a column, and the titles of the columns that it becomes.

    named  the parts that are no column of `*`: the whole, and those that have a column of theirs
    """
    if column.statistic in OVER:
        for prediction in results.predictions:
            if prediction.dataset == dataset:
                filled.cells.append(_over(column, prediction))
                if reason := _of_scale(column, prediction).estimates["over"].interval_reason:
                    filled.notes.append(
                        f"{dataset}: no interval ({reason}): {prediction.metric} {column.title}."
                    )
        return [column.title]
    titles: dict[str, None] = {} if column.part == "*" else {column.title: None}
    for figure in results.figures:
        if figure.dataset != dataset or figure.statistic != column.statistic:
            continue
        if column.part not in ("*", figure.part):
            continue
        if column.part == "*" and figure.part in named:
            continue
        title = f"{column.title} {figure.part}".strip() if column.part == "*" else column.title
        titles[title] = None
        filled.cells.append(_cell(column, title, figure))
    return [*titles]


def _cell(column: ColumnSpec, title: str, figure: Figure) -> Cell:
    estimate = figure.estimate
    cell = Cell(
        figure.metric,
        title,
        estimate["value"],
        estimate.get("low"),
        estimate.get("high"),
        estimate["n"],
        int(estimate.get("unscored") or 0),
        (WRONG if figure.counted_wrong else "") + marks(figure.caveats),
        estimate.get("reason") if estimate["value"] is None else None,
    )
    return cell.times(column.times)


def _of_scale(column: ColumnSpec, prediction: Prediction) -> meta.PredictionReport:
    return prediction.raw if OVER[column.statistic] == "raw" else prediction.quantile


def _over(column: ColumnSpec, prediction: Prediction) -> Cell:
    report = _of_scale(column, prediction)
    share = report.estimates["over"]
    cell = Cell(
        prediction.metric,
        column.title,
        share.value,
        share.low,
        share.high,
        n=report.n,
        unscored=report.unscored,
        marks=marks(prediction.caveats),
        reason=report.reason,
    )
    return cell.times(column.times)


def _note(results: Results, columns: Sequence[ColumnSpec], filled: Filled) -> None:
    """The notes of `bench` on these columns of each dataset, and the footnotes of the marks."""
    statistics = {column.statistic for column in columns}
    systems = any(name.startswith("system_") for name in statistics)
    for table in results.tables:
        lines = notes(
            table, results.figures, (), results.decided, results.words, results.settings,
            systems=systems,
        )  # fmt: skip
        lines += interval_notes([
            figure for figure in results.figures
            if figure.dataset == table.name and figure.statistic in statistics
        ])  # fmt: skip
        filled.notes += [f"{table.name}: {line}." for line in lines]
    under = wrong_lines([f for f in results.figures if f.statistic in statistics])
    under += caveat_lines([
        (label, table.name, caveats_of(table, column))
        for table in results.tables for label, column in table.columns.items()
    ])  # fmt: skip
    filled.notes = list(dict.fromkeys([*filled.notes, *under]))


# Weights


def _fit_cells(
    row: RowSpec, plan: Plan, tables: dict[str, ReadTable], setting: Setting, filled: Filled
) -> None:
    """Balanced accuracy with the weights and threshold that the grid finds on validation rows
    [FFLM §3]; without a validation split, on one half of the documents for the other half."""
    for column in plan.recipe.columns:
        if column.dataset not in tables or column.statistic != "balanced_accuracy":
            continue
        table = tables[column.dataset].table
        if row.title not in table.columns or "detection" not in table.tasks:
            continue
        margins, words = _margins(table, row, setting)
        tested = [i for i, value in enumerate(margins) if value is not None]
        narrowed = replace(table, columns={row.title: derived_column(row.title, margins)}).take(
            tested
        )
        settings = replace(_settings(column, setting), thresholds=0.0)
        results = compute([narrowed], settings)
        _cells(column, table.name, results, filled)
        filled.notes.append(f"{row.title} on {table.name}: {words}.")


def _margins(table: JudgedTable, row: RowSpec, setting: Setting) -> tuple[Numbers, str]:
    """Weighted sum − threshold on each row that neither was fitted on, and the weights in words."""
    parts = {name: table.columns[row.title].part(name) for name in row.fit}
    values: Numbers = [None] * len(table.rows)
    chosen = []
    for fold in folds_of([table], "dataset", setting.seed)[table.name].folds:
        fitting = fold.fitting[table.name]
        search = meta.search_weights(
            {name: take(part, fitting) for name, part in parts.items()},
            take(table.labels, fitting),
        )
        if search.value is None or search.threshold is None:
            chosen.append(f"no weights ({search.reason})")
            continue
        weights = ", ".join(f"{weight:g}" for weight in search.weights.values())
        chosen.append(f"{weights} at {search.threshold:.3g}")
        margin = _margin(parts, search.weights, search.threshold)
        for number in fold.testing.tolist():
            values[number] = margin(number)
    where = ("validation rows" if has_validation_split(table)
             else "each half of the documents for the other")  # fmt: skip
    return values, f"weights of {', '.join(row.fit)} chosen on {where}: {'; '.join(chosen)}"


def _margin(
    parts: Mapping[str, Values], weights: Mapping[str, float], threshold: float
) -> Callable[[int], float | None]:
    def of_row(number: int) -> float | None:
        total = -threshold
        for name, weight in weights.items():
            value = parts[name][number]
            if value is None:
                return None
            total += weight * value
        return total

    return of_row
