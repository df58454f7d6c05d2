"""The result of a recipe: cells with intervals, the published ones beside them, and under them
what differs. As a record, as rows for the screen, and as a page of Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from faithkit.evaluation.markdown import table_lines
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.recipes import Recipe

PUBLISHED = "published"
WIDEST = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of ours, in the paper's unit.

    value      None where `reason` says why
    low, high  the 95% interval by source document, None without one
    n          what it is over: rows, or whatever the statistic counts
    unscored   rows left out for want of a value
    marks      of `caveats`: texts were cut, the metric was trained on this release
    """

    row: str
    column: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    unscored: int = 0
    marks: str = ""
    reason: str | None = None

    def times(self, factor: float) -> Cell:
        """The cell in another unit."""
        value, low, high = (
            None if number is None else number * factor
            for number in (self.value, self.low, self.high)
        )
        return replace(self, value=value, low=low, high=high)

    def shown(self, places: int | None = None) -> str:
        """`56.0 (52.1–59.8)`, a count as `1,215`, or a dash with the reason.

        places  of its decimals; None: 1 from 2 on, 3 below
        """
        if self.value is None:
            return f"– ({self.reason or 'not defined'})"
        if places is None:
            places = 1 if max(abs(self.value), abs(self.high or 0)) >= 2 else 3
        text = f"{self.value:,}" if isinstance(self.value, int) else _number(self.value, places)
        if self.low is not None and self.high is not None:
            text += f" ({_number(self.low, places)}–{_number(self.high, places)})"
        return f"{text} {'†' if self.unscored else ''}{self.marks}".rstrip()


def _number(value: float, places: int) -> str:
    """A value with this many decimal places, without a minus before a zero; exactly 0 is `0`."""
    return f"{round(value, places) + 0.0:.{places}f}" if value else "0"


@dataclass(slots=True)
class Filled:
    """The results of a kind of table.

    cells       in any order; `rows` and `columns` are the order of the table
    used        dataset to how many rows and documents of it were used
    notes       what is missing and why, and footnotes of the marks, a line each
    signatures  row title to the metric's signature
    """

    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    used: dict[str, tuple[int, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    signatures: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A recipe that was run. limit: documents of each dataset, None for all; limits: of those with
    one of their own; seconds: of the run; versions: of faithkit and of what computes."""

    plan: Plan
    filled: Filled
    command: str
    limit: int | None
    draws: int
    seed: int
    seconds: float
    versions: Mapping[str, str]
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def recipe(self) -> Recipe:
        """The recipe."""
        return self.plan.recipe

    def to_dict(self) -> dict[str, Any]:
        """The record that is written beside the page, and that `--json` prints."""
        recipe, filled = self.recipe, self.filled
        return {
            "recipe": recipe.name,
            "paper": recipe.paper,
            "table": recipe.table,
            "command": self.command,
            "complete": self.plan.complete and self.limit is None and not self.limits,
            "own_data": self.plan.own_data,
            "replaced": list(self.plan.replaced),
            "left_out": list(self.plan.left_out),
            "limit": self.limit,
            "limits": dict(self.limits),
            "draws": self.draws,
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "versions": dict(self.versions),
            "rows_used": {name: {"rows": rows, "documents": documents}
                          for name, (rows, documents) in filled.used.items()},
            "rows": list(filled.rows),
            "columns": list(filled.columns),
            "cells": [asdict(cell) for cell in filled.cells],
            "published": {title: dict(cells) for title, cells in recipe.published.items()},
            "notes": list(filled.notes),
            "signatures": dict(filled.signatures),
        }  # fmt: skip


def lines_of(reproduced: Reproduced) -> tuple[list[str], list[list[str]]]:
    """Header and rows: each column of ours, and beside it the published one where the paper's
    number is in the recipe. Rows without a number of ours have the published ones alone. A table
    that is wider than `WIDEST`, and than it is long, is turned: a row for each column."""
    recipe, filled = reproduced.recipe, reproduced.filled
    published = recipe.published
    titles = list(dict.fromkeys([*(row.title for row in recipe.rows), *filled.rows, *published]))
    by_place = {(cell.row, cell.column): cell for cell in filled.cells}
    columns = list(dict.fromkeys([*filled.columns, *_published_columns(recipe)]))
    hundredths = _hundredths(recipe, columns)
    with_published = [
        name for name in columns if any(name in row_cells for row_cells in published.values())
    ]
    header = [""]
    for name in columns:
        header += [name, PUBLISHED] if name in with_published else [name]
    body = []
    for title in titles:
        cells = [by_place.get((title, name)) for name in columns]
        numbers = published.get(title, {})
        if not any(cells) and not numbers:
            continue
        row = [title]
        for name, cell in zip(columns, cells, strict=True):
            row.append(cell.shown(1 if name in hundredths else None) if cell else "–")
            if name in with_published:
                row.append(f"{numbers[name]:g}" if name in numbers else "")
        body.append(row)
    if len(header) > WIDEST and not with_published and len(header) > len(body):
        first, *others = zip(header, *body, strict=True)
        return list(first), [list(row) for row in others]
    return header, body


def _hundredths(recipe: Recipe, names: Sequence[str]) -> set[str]:
    """The columns whose figures are multiplied by 100: 0.4 there is no correlation of .4, so all
    have one decimal. A column of all parts has its title before that of each part."""
    times = [column for column in recipe.columns if column.times == 100]
    return {
        name for name in names for column in times
        if name == column.title or (column.part == "*" and name.startswith(column.title))
    }  # fmt: skip


def _published_columns(recipe: Recipe) -> list[str]:
    return [name for cells in recipe.published.values() for name in cells]


def differences(reproduced: Reproduced) -> list[str]:
    """Differences from the paper, a sentence each."""
    plan, recipe = reproduced.plan, reproduced.recipe
    lines = [f"Replaced: {line}." for line in plan.replaced]
    lines += [f"Left out: {line}." for line in plan.left_out]
    if recipe.kind == "stress" and reproduced.limit is not None:
        lines.append(f"At most {reproduced.limit} of each dataset's rows for a kind of case.")
    elif limits := _limits(reproduced):
        lines.append(f"Only the first {limits}.")
    lines += [f"{line}." if not line.endswith(".") else line for line in recipe.differs]
    shown = ", ".join(f"{name} {version}" for name, version in reproduced.versions.items())
    return [*lines, f"Versions: {shown}."]


def _limits(reproduced: Reproduced) -> str:
    """`40 documents of each dataset, 8 of summeval_dev`; "" where every document is read."""
    limits = {} if reproduced.limit is None else {"each dataset": reproduced.limit}
    limits |= reproduced.limits
    shown = (f"{number} of {name}" for name, number in limits.items())
    single = 1 in list(limits.values())[:1]
    return ", ".join(shown).replace(" of", " document of" if single else " documents of", 1)


def under(reproduced: Reproduced) -> list[str]:
    """Every line under the table: rows used, what differs, notes."""
    recipe, filled = reproduced.recipe, reproduced.filled
    used = "; ".join(
        f"{name} {rows:,} rows of {documents:,} document{'' if documents == 1 else 's'}"
        for name, (rows, documents) in filled.used.items()
    )
    heading = "Rows to choose from" if recipe.kind == "stress" else "Rows used"
    lines = [f"{heading}: {used}."] if used else []
    if any(cell.low is not None for cell in filled.cells):
        drawn = "" if recipe.kind == "stress" else f"{reproduced.draws} bootstrap draws "
        unit = "item" if recipe.kind == "annotators" else "source document"
        lines.append(f"Intervals: 95%, {drawn}by {unit}, seed {reproduced.seed}.")
    if recipe.published:
        lines.append(f"Published cells: {recipe.source}")
    else:
        lines.append("Published cells: none is in the recipe.")
    if any(cell.unscored for cell in filled.cells):
        lines.append("† rows without a score are left out.")
    return [*lines, *differences(reproduced), *filled.notes]


def markdown(reproduced: Reproduced) -> str:
    """The page of one recipe."""
    recipe = reproduced.recipe
    header, rows = lines_of(reproduced)
    lines = [
        f"# {recipe.shown}",
        "",
        recipe.about,
        "",
        "```",
        reproduced.command,
        "```",
        "",
        *table_lines(header, rows),
        *(f"- {line}" for line in under(reproduced)),
        "",
        *_signatures(reproduced.filled.signatures),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _signatures(signatures: Mapping[str, str]) -> Sequence[str]:
    if not signatures:
        return []
    return ["Signatures:", "", *(f"- {row}: `{text}`" for row, text in signatures.items())]
