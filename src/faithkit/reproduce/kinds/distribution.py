"""How often each value occurs, as a histogram: rows of the table are values, or bins of them.

A column counts a field of the rows, or of every object in `meta["annotations"]` (`part`), or the
values of a metric (`metric`, the title of a row of the recipe), on one dataset; with `by` a column
for each value of another field, such as `system`. With `bins` the values are divided into so many
equal parts of `scale` (0 to 1 without one). Its statistic is `count`, or `share` of all the values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from faithkit.records import DataError
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.kinds.scored import (
    ReadTable,
    field_of,
    marks_of,
    note_caveats,
    read_tables,
    score_tables,
)
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.recipes import ColumnSpec
from faithkit.reproduce.tables import Cell, Filled

STATISTICS = ("count", "share")


def run(plan: Plan, setting: Setting) -> Filled:
    """See `kinds.run`. Raises DataError where no row has a column's field, and on a value outside
    of its scale."""
    filled = Filled()
    tables = read_tables(plan, setting, filled)
    score_tables(plan, setting, tables, filled)
    note_caveats(tables, filled)
    order: dict[str, tuple[int, float, str]] = {}
    for column in plan.recipe.columns:
        if column.dataset not in tables:
            continue
        read = tables[column.dataset]
        if column.metric and column.metric not in read.table.columns:
            continue
        counts: dict[str, Counter[str]] = {}
        for group, value in _values(column, read):
            title = f"{column.title} {group}".strip()
            order.setdefault(*_row(column, value))
            counts.setdefault(title, Counter())[_row(column, value)[0]] += 1
        for number in range(column.bins):
            label = _bin(column, number)
            order.setdefault(label, (1, number, label))
        marks = marks_of(read.table, column.metric) if column.metric else ""
        for title, of_title in counts.items():
            _fill(column, title, of_title, marks, filled)
    filled.rows = sorted(order, key=lambda label: order[label])
    return filled


def _fill(column: ColumnSpec, title: str, counts: Counter[str], marks: str, filled: Filled) -> None:
    """The cells of one column; of bins also the empty ones."""
    every = counts.total()
    filled.columns.append(title)
    labels = [_bin(column, number) for number in range(column.bins)] or list(counts)
    for label in labels:
        count = counts[label]
        value = count / every * column.times if column.statistic == "share" else count
        filled.cells.append(Cell(label, title, value, n=every, marks=marks))


def _values(column: ColumnSpec, read: ReadTable) -> Iterator[tuple[str, Any]]:
    """(group, value) of everything that the column counts. Raises DataError where nothing is."""
    counted = 0
    for number, example in enumerate(read.texts):
        group = "" if not column.by else str(field_of(example, column.by) or "not named")
        annotations = example.meta.get("annotations")
        values: list[Any]
        if column.metric:
            values = [read.table.columns[column.metric].values[number]]
        elif isinstance(annotations, list) and annotations:
            values = [item.get(column.part) for item in annotations if isinstance(item, dict)]
        else:
            values = [field_of(example, column.part)]
        for value in values:
            if value is not None:
                counted += 1
                yield group, value
    if not counted:
        raise DataError(f"{read.table.name}: no row has '{column.metric or column.part}'")


def _row(column: ColumnSpec, value: Any) -> tuple[str, tuple[int, float, str]]:
    """A value's row and its place: numbers in their order before words in theirs."""
    if column.bins:
        low, high = column.scale or (0.0, 1.0)
        if not isinstance(value, int | float) or not low <= value <= high:
            raise DataError(
                f"column '{column.title}': expected a number from {low:g} to {high:g}, found "
                f"{value!r}"
            )
        number = min(int((value - low) / (high - low) * column.bins), column.bins - 1)
        label = _bin(column, number)
        return label, (1, number, label)
    if isinstance(value, int | float):
        return f"{value:g}", (0, float(value), "")
    return str(value), (2, 0.0, str(value))


def _bin(column: ColumnSpec, number: int) -> str:
    low, high = column.scale or (0.0, 1.0)
    width = (high - low) / column.bins
    return f"{low + number * width:g}–{low + (number + 1) * width:g}"
