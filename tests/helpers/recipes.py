"""Recipes of the tests' own, over files of pairs and metrics that cost nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.helpers.judged_pairs import judged_rows
from tests.helpers.paths import HELPERS

from faithkit.cache import Cache
from faithkit.models.runtime import Runtime
from faithkit.reproduce import kinds
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.plans import plan
from faithkit.reproduce.recipes import Recipe, parse
from faithkit.reproduce.tables import Cell, Filled

KNOWN = f"{HELPERS / 'tiny_metrics.py'}:Known"
OTHER = f"{HELPERS / 'tiny_metrics.py'}:Other"
STATED = f"{HELPERS / 'tiny_verdicts.py'}:Stated"
DECIDED = f"{HELPERS / 'tiny_verdicts.py'}:Decided"
COMPOSED = f"{HELPERS / 'tiny_verdicts.py'}:Composed"

HEAD = 'paper = "Mine"\ntable = "Table 1"\nabout = "A table."\n'


def recipe_of(text: str, kind: str = "judgements") -> Recipe:
    return parse(f'{HEAD}kind = "{kind}"\n{text}', "mine", "mine.toml")


def write_pairs(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def noisy_rows() -> list[dict[str, Any]]:
    """Judged pairs whose ratings follow the words less closely."""
    return [{**row, "score": row["score"] + number % 5} for number, row in enumerate(judged_rows())]


def run(recipe: Recipe, folder: Path, **plan_options: Any) -> Filled:
    with Cache(None) as store:
        setting = Setting(None, Runtime(offline=True), store, folder, draws=50)
        return kinds.run(plan(recipe, **plan_options), setting)


def cell(filled: Filled, row: str, column: str) -> Cell:
    (found,) = [one for one in filled.cells if (one.row, one.column) == (row, column)]
    return found
