"""Metrics combined by least squares, as `combine` [MFAS Table 4]: mean Spearman over the folds of
each metric alone, of the recipe's combinations, and of metrics added one by one."""

from __future__ import annotations

from dataclasses import replace

from faithkit import meta
from faithkit.evaluation.judged import JudgedTable
from faithkit.evaluation.learning import CombinationReport, combine
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.kinds.scored import note_caveats, read_tables, score_tables
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.recipes import ColumnSpec
from faithkit.reproduce.tables import Cell, Filled

FOLDS = 10


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. A row of the table for each metric, combination and step of the growth."""
    filled = Filled(columns=[column.title for column in plan.recipe.columns])
    tables = read_tables(plan, setting, filled)
    score_tables(plan, setting, tables, filled)
    note_caveats(tables, filled)
    for column in plan.recipe.columns:
        if column.dataset in tables:
            _fill(tables[column.dataset].table, column, plan, setting, filled)
    filled.rows = list(dict.fromkeys(cell.row for cell in filled.cells))
    return filled


def _fill(
    table: JudgedTable, column: ColumnSpec, plan: Plan, setting: Setting, filled: Filled
) -> None:
    every = _combined(table, tuple(table.columns), setting, growing=plan.recipe.growing)

    def add(row: str, mean: meta.Estimate) -> None:
        cell = Cell(row, column.title, mean.value, mean.low, mean.high, every.result.n,
                    every.result.unscored)  # fmt: skip
        filled.cells.append(cell.times(column.times))

    for title, alone in every.alone.items():
        add(title, alone)
    for titles in plan.recipe.combinations:
        absent = [title for title in titles if title not in table.columns]
        if absent:
            filled.notes.append(f"{' + '.join(titles)}: no {', '.join(absent)} here.")
        else:
            add(" + ".join(titles), _combined(table, titles, setting).result.mean)
    for step in every.growth[1:]:
        add(f"growing: + {step.combination.names[-1]}", step.mean)
    add("all", every.result.mean)
    if reason := every.result.mean.interval_reason:
        filled.notes.append(f"No interval ({reason}).")
    low, high = every.held_out.low, every.held_out.high
    if every.held_out.value is not None:
        interval = (
            f" ({low * column.times:.3g}–{high * column.times:.3g})"
            if low is not None and high is not None else ""
        )  # fmt: skip
        filled.notes.append(
            f"All on {table.name}, over all held-out rows: "
            f"{every.held_out.value * column.times:.3g}{interval}."
        )
    if plan.recipe.growing:
        filled.notes.append(
            "Each growing step is chosen on the same folds, so it is slightly optimistic."
        )


def _combined(
    table: JudgedTable, titles: tuple[str, ...], setting: Setting, *, growing: bool = False
) -> CombinationReport:
    columns = {title: table.columns[title] for title in titles}
    folds = min(FOLDS, len(set(table.documents)))
    return combine(replace(table, columns=columns), folds=folds, seed=setting.seed,
                   growing=growing, draws=setting.draws)  # fmt: skip
