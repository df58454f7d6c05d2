"""The list of recipes with their state: ran on real data, ran with stand-ins, or needs data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faithkit.evaluation.markdown import table_lines
from faithkit.records import ConfigError, DataError
from faithkit.reproduce.plans import MISSING, needs, plan
from faithkit.reproduce.recipes import Recipe, load, names

WHOLE, REAL, REAL_MODELS, STAND_INS, CAN_RUN, CAN_STAND_IN, NEEDS, NEEDS_MODELS = (
    "ran whole: the paper's data and models", "ran on the paper's data",
    "ran on the paper's data with stand-in models", "ran with stand-ins",
    "can run", "can run with --stand-in", "needs data", "needs models",
)  # fmt: skip
RAN = (WHOLE, REAL, REAL_MODELS, STAND_INS)


@dataclass(frozen=True, slots=True)
class Listed:
    """A recipe in the list.

    state    one of RAN where a result is in the folder of results (REAL: some rows are left out,
             or only some documents are read; REAL_MODELS: some models are replaced; STAND_INS: some
             data are); else CAN_RUN, CAN_STAND_IN, NEEDS or NEEDS_MODELS, by what is on this
             machine: stand-ins that would have to be downloaded are not here
    missing  what is not here, by name
    rows     rows used of each dataset, in words, and the limit; "" where it has not run
    """

    recipe: Recipe
    state: str
    missing: tuple[str, ...]
    rows: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The record of `--json`."""
        recipe = self.recipe
        return {
            "name": recipe.name, "paper": recipe.paper, "table": recipe.table,
            "about": recipe.about, "kind": recipe.kind, "state": self.state,
            "missing": list(self.missing),
            "datasets": [item.paper.name for item in recipe.datasets],
            "models": [model.name for model in recipe.models],
            "published_cells": sum(len(cells) for cells in recipe.published.values()),
        }  # fmt: skip


def listed(
    data_dir: str | None = None, results: Path | None = None, own: Sequence[str] = ()
) -> list[Listed]:
    """Every recipe of the package, then the user's `own`. Raises DataError on a result that cannot
    be read."""
    return [_listed(load(name), data_dir, results) for name in (*names(), *own)]


def _listed(recipe: Recipe, data_dir: str | None, results: Path | None) -> Listed:
    listed_needs = needs(recipe, data_dir)
    missing = [need for need in listed_needs if need.state == MISSING]
    result = _result(recipe.name, results)
    absent = tuple(need.name for need in missing)
    if result is not None:
        state, used = result
        return Listed(recipe, state, absent, used)
    if not missing:
        return Listed(recipe, CAN_RUN, absent)
    datasets = [need for need in listed_needs if need.what == "dataset"]
    if not any(need.state != MISSING or need.ready for need in datasets):
        return Listed(recipe, NEEDS, absent)
    try:
        plan(recipe, data_dir, stand_in=True, offline=True)
    except ConfigError:  # no row is left that could be run
        return Listed(recipe, NEEDS_MODELS, absent)
    return Listed(recipe, CAN_STAND_IN, absent)


def _result(name: str, results: Path | None) -> tuple[str, str] | None:
    """The state of a recipe that has run, and its rows in words; None where there is no result."""
    path = None if results is None else results / f"{name}.json"
    if path is None or not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["recipe"] == name:
            return _state_and_rows(record)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: not a result of `faithkit reproduce` ({error})") from error
    raise DataError(f"{path}: a result of another recipe")


def _state_and_rows(record: Mapping[str, Any]) -> tuple[str, str]:
    used = "; ".join(f"{name} {counts['rows']:,}" for name, counts in record["rows_used"].items())
    limits = [str(record["limit"])] if record.get("limit") else []
    limits += [f"{name} {limit}" for name, limit in record.get("limits", {}).items()]
    if limits:
        used += f" (limit {', '.join(limits)})"
    own = REAL_MODELS if record.get("replaced") else REAL
    return WHOLE if record["complete"] else own if record["own_data"] else STAND_INS, used


INTRODUCTION = """\
# Reproducing published tables

Every table of the five papers is a recipe: a short TOML file that names datasets, metrics, how
thresholds and weights are fitted, the statistic and the published cells. `faithkit reproduce` lists
them, `faithkit reproduce NAME --data-dir DATA` runs one and prints ours beside the published cell,
with what differs under it.

```
faithkit reproduce                                          # the list
faithkit reproduce fflm-table3 --check --data-dir DATA      # what is missing, where to get it
faithkit reproduce fflm-table3 --data-dir DATA --lm llama-7b=/models/llama-7b
faithkit reproduce fflm-table3 --data-dir DATA --stand-in   # embedded models, on what is here
```

A model of a recipe is replaced by yours with `--model NAME=PATH` (`--lm` is the same).
`--stand-in` takes the recipe's stand-ins for whatever is missing and leaves out, with a line that
says so, what has none; with `--offline` also what would have to be downloaded. `--limit N` reads
the first N documents of each dataset (of stress recipes: N rows for each kind of case), `--limit
NAME=N` those of one dataset; both can be given. Results go to `out/reproduce` (`-o`), a page and a
JSON record each. Recipes named in one command share what their metrics share: a language model runs
once over a pair of texts, whichever tables it is for.

`mfas-table5` draws cases for people to code by cause of error: the run writes them with an
annotation task of the recipe's `codes` and names the `faithkit annotate` command; the next run
counts the answers.

Published cells are in a recipe only where their source is certain; every other cell is empty, not
guessed. Titles of papers: [papers.md](papers.md); settings of the preset `paper`:
[presets.md](presets.md).
"""

ADDING = """\
## A recipe of your own

No code: write a TOML file and name it, `faithkit reproduce my-table.toml`. Every field is checked;
an unknown one is an error.

```toml
paper = "Mine"
table = "Table 1"
about = "Correlation with our ratings."
kind = "judgements"       # combination, annotators, generators, systems, matrix, distribution, ...
source = "our paper"      # of the published cells

[models.nli]              # {nli} in a metric below; --model nli=PATH replaces it
role = "nli"
id = "roberta-large-mnli"
stand_in = "mini"

[datasets.news]
name = "summeval"         # as `faithkit bench -d`: NAME[key=value], A+B, or a file of pairs
stand_in = "summeval_dev"

[[rows]]
title = "Entailment"
metric = "entailment:model={nli},granularity=d2s"

[[columns]]
title = "SummEval"
dataset = "news"
statistic = "spearman"    # as `faithkit bench`; thresholds = "dataset", "global", "none", "0.5"

[published.Entailment]
SummEval = 40.0
```

A row may also have `field` (scores that the release holds), `constant`, `random`, `fit` (parts
whose weights are searched on validation rows), `verdict` (the metric's own, without a threshold) or
`lss` (the metric between a claim and its longest supported subsequence: `human`, or the lss_*
metric whose generator writes it).
"""


def page(rows: Sequence[Listed], results: str, command: str) -> str:
    """docs/reproduce.md: how to use the command, and the list with each recipe's state.

    results  the folder of results, as a link from the page
    """
    body = []
    for item in rows:
        ran = item.state in RAN
        name = f"[{item.recipe.name}]({results}/{item.recipe.name}.md)" if ran else item.recipe.name
        body.append([name, item.recipe.shown, item.recipe.about, item.state, item.rows or "–",
                     ", ".join(item.missing) or "–"])  # fmt: skip
    header = ["recipe", "table", "what", "state", "rows used", "not here when it was listed"]
    lines = ["## The recipes", "", f"Written by `{command}`.", "", *table_lines(header, body)]
    return "\n".join([INTRODUCTION, *lines, ADDING])
