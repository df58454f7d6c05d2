"""Made-up pairs that people judged, and the commands over them run in this process, on a program of
their own."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from faithkit import FaithkitError, files
from faithkit.cache import Cache
from faithkit.cli import evaluation as cli_evaluation
from faithkit.evaluation.examples import open_pairs
from faithkit.evaluation.judged import JudgedTable
from faithkit.evaluation.scoring import score_columns
from faithkit.models.runtime import Runtime
from faithkit.run import prepare, run_to_file

WORDS = (
    "council", "library", "mayor", "vote", "budget", "school", "river", "bridge", "road", "market",
    "train", "station", "park",
)  # fmt: skip
app = typer.Typer()
cli_evaluation.register(app)


def judged_rows(documents: int = 20, seed: int = 1) -> list[dict[str, Any]]:
    """Sixty pairs whose faithfulness is the number of words that were left alone."""
    draw = random.Random(seed)
    rows = []
    for document in range(documents):
        words = [draw.choice(WORDS) for _ in range(40)]
        for system, most in (("A", 2), ("B", 5), ("C", 8)):
            wrong = draw.randint(0, most)
            summary = words[:8]
            for place in draw.sample(range(8), wrong):
                summary[place] = f"Paris{place}"
            rows.append({"id": f"{document}/{system}", "source": " ".join(words) + ".",
                         "summary": " ".join(summary) + ".", "system": system,
                         "score": 8 - wrong, "label": int(wrong < 3)})  # fmt: skip
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]], drop: tuple[str, ...] = ()) -> Path:
    lines = [json.dumps({k: v for k, v in row.items() if k not in drop}) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def table_of(path: Path, *metrics: str) -> JudgedTable:
    with open_pairs(str(path)) as pairs, Cache(None) as store:
        table = pairs.table()
        table.columns = score_columns(pairs, prepare(metrics, Runtime(offline=True)), store)
    return table


def invoke(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


def refused(*arguments: object) -> str:
    with pytest.raises(FaithkitError) as error:
        invoke(*arguments)
    return str(error.value)


def saved_scores(path: Path, *metrics: str) -> Path:
    output = path.with_suffix(".out.jsonl")
    with files.open_pairs(str(path)) as rows, Cache(None) as store:
        run_to_file(rows, prepare(metrics, Runtime(offline=True)), output, store)
    return output


def split_in_two(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every other document is of the validation split."""
    return [row | {"split": "val" if int(row["id"].split("/")[0]) % 2 else "test"} for row in rows]
