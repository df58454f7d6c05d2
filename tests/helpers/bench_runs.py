"""`faithkit bench` on small files with the metrics of `tiny_verdicts.py`, and what it wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.helpers.paths import HELPERS
from typer.testing import CliRunner

from faithkit.cli import app

TINY = HELPERS / "tiny_verdicts.py"
STATED, DECIDED = f"{TINY}:Stated", f"{TINY}:Decided"


def faithkit(*arguments: str) -> Any:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def figures(folder: str = "out/bench") -> dict[tuple[str, ...], dict[str, Any]]:
    result = json.loads(Path(folder, "results.json").read_text())["figures"]
    return {(f["dataset"], f["metric"], f["statistic"], f["part"]): f for f in result}


def notes(dataset: str, folder: str = "out/bench") -> str:
    return "\n".join(json.loads(Path(folder, "results.json").read_text())["notes"][dataset])


def pairs(path: str, rows: list[tuple[str, int]], **more: Any) -> str:
    lines = [json.dumps({"id": str(i), "source": f"Document {i}.", "label": label,
                         "summary": f"{first} said", **more}) for i, (first, label)
             in enumerate(rows)]  # fmt: skip
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(*arguments: str) -> str:
    result = faithkit("bench", *arguments, "--draws", "20")
    assert result.exit_code == 0, result.output
    return str(result.stdout)
