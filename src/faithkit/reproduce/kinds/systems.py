"""The mean of a metric for each summariser, as `leaderboard` [LSS]: summarisers are the rows."""

from __future__ import annotations

from faithkit.evaluation.leaderboard import board
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.kinds.scored import marks_of, note_caveats, read_tables, score_tables
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.tables import Cell, Filled


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. A column names its dataset and the recipe's row whose metric it shows."""
    filled = Filled()
    tables = read_tables(plan, setting, filled)
    score_tables(plan, setting, tables, filled)
    note_caveats(tables, filled)
    for column in plan.recipe.columns:
        if column.dataset not in tables or column.metric not in plan.metrics:
            continue
        filled.columns.append(column.title)
        table = tables[column.dataset].table
        result = board([table], column.metric, draws=setting.draws, seed=setting.seed)
        for standing in result.standings:
            mean = standing.mean
            cell = Cell(
                standing.system,
                column.title,
                mean.value,
                mean.low,
                mean.high,
                mean.n,
                sum(standing.unscored.values()),
                marks_of(table, column.metric),
                reason=mean.reason,
            )
            filled.cells.append(cell.times(column.times))
    filled.rows = list(dict.fromkeys(cell.row for cell in filled.cells))
    return filled
