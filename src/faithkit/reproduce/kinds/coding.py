"""Why a metric is wrong: cases for people to code, and the tally of their codes [MFAS Table 5].

The run draws, for each metric, rows that it puts above the human rating and rows that it puts
below (both as quantiles), and writes them to `cases.csv` with an empty column `codes`. Filled in,
with names of causes separated by semicolons, and saved as `coded.csv` beside it, the next run
counts them: a row of the table for each cause, a column for each metric and side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from faithkit import meta, writing
from faithkit.datasets.rows import read_rows
from faithkit.records import DataError
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.kinds.scored import ReadTable, note_caveats, read_tables, score_tables
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.tables import Cell, Filled

CASES, CODED = "cases.csv", "coded.csv"
FIELDS = ("id", "metric", "side", "score", "human", "summary", "source", "codes")
EACH = 10
"""Cases of each metric and side."""
SIDES = {"over": "random_over", "under": "random_under"}
DRAWN = "cases drawn"
"""The row of the table that counts the cases."""


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. Raises DataError on a coded file without its columns."""
    filled = Filled(rows=[DRAWN])
    tables = read_tables(plan, setting, filled)
    score_tables(plan, setting, tables, filled)
    note_caveats(tables, filled)
    cases = [case for read in {id(read): read for read in tables.values()}.values()
             for case in _cases(read, setting.seed)]  # fmt: skip
    with writing.naming(setting.folder):
        setting.folder.mkdir(parents=True, exist_ok=True)
    writing.write_csv(setting.folder / CASES, cases, FIELDS)
    drawn = Counter((case["metric"], case["side"]) for case in cases)
    filled.columns = [f"{metric}, {side}" for metric, side in drawn]
    filled.cells = [Cell(DRAWN, f"{m}, {s}", count, n=count) for (m, s), count in drawn.items()]
    coded = setting.folder / CODED
    if coded.is_file():
        _tally(coded, filled)
    else:
        filled.notes.append(
            f"To code: fill the column `codes` of {setting.folder / CASES} (names of causes, "
            f"separated by semicolons), save it as {CODED} beside it and run again."
        )
    return filled


def _cases(read: ReadTable, seed: int) -> Iterator[dict[str, Any]]:
    for label, column in read.table.columns.items():
        report = meta.prediction_report(
            column.values, read.table.ratings, scale="quantile", cases=EACH, seed=seed
        )
        for side, kind in SIDES.items():
            for case in getattr(report, kind):
                text = read.texts[case.row]
                yield {
                    "id": text.id, "metric": label, "side": side, "score": case.score,
                    "human": case.human, "summary": text.summary, "source": text.source,
                    "codes": "",
                }  # fmt: skip


def _tally(path: Path, filled: Filled) -> None:
    """Adds a row for each code: in how many cases of each metric and side it is named."""
    counts: dict[str, Counter[str]] = {}
    coded = 0
    for row in read_rows(path, ("metric", "side", "codes")):
        column = f"{row.name('metric')}, {row.name('side')}"
        if column not in filled.columns:
            raise DataError(f"{row.place}: no case of '{column}' was drawn; was it another run?")
        names = {name.strip() for name in row.text("codes").split(";")} - {""}
        coded += bool(names)
        for name in names:
            counts.setdefault(name, Counter())[column] += 1
    filled.rows += sorted(counts, key=lambda name: (-counts[name].total(), name))
    for name, of_code in counts.items():
        filled.cells += [Cell(name, column, count) for column, count in of_code.items()]
    filled.notes.append(f"Codes of {coded} cases in {path}.")
