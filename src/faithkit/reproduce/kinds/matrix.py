"""Metrics against one another on one dataset: rows and columns are the recipe's rows."""

from __future__ import annotations

from faithkit.evaluation.bench.statistics import matrices
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.kinds.scored import note_caveats, read_tables, score_tables
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.tables import Cell, Filled


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. A column's statistic is spearman, pearson or kendall."""
    filled = Filled()
    tables = read_tables(plan, setting, filled)
    score_tables(plan, setting, tables, filled)
    note_caveats(tables, filled)
    for column in plan.recipe.columns:
        if column.dataset not in tables:
            continue
        draws, seed = setting.draws, setting.seed
        matrix = matrices(tables[column.dataset].table, draws, seed)[column.statistic]
        for first, row in zip(matrix.names, matrix.cells, strict=True):
            for second, estimate in zip(matrix.names, row, strict=True):
                title = f"{column.title} {second}".strip()
                cell = Cell(first, title, estimate.value, estimate.low, estimate.high, estimate.n,
                            reason=estimate.reason)  # fmt: skip
                filled.cells.append(cell.times(column.times))
    filled.rows = list(dict.fromkeys(cell.row for cell in filled.cells))
    filled.columns = list(dict.fromkeys(cell.column for cell in filled.cells))
    return filled
