"""Folders of input files and sharded runs over them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.helpers.runs import KNOWN

from faithkit import files, run, scale
from faithkit.columns import Columns
from faithkit.metrics import loading
from faithkit.records import Score

WORDS = ("the", "cat", "sat", "on", "a", "mat", "naïve", "dog", "ran")

Row = Mapping[str, Any]


def rows_of(name: str, count: int) -> list[dict[str, Any]]:
    """Rows with ids, no two of the same texts."""
    return [
        {
            "id": f"{name}{number}",
            "source": f"{WORDS[number % 9]} {WORDS[number % 7]} {number} {name}",
            "summary": f"{WORDS[number % 5]} {number % 3} {name}",
        }
        for number in range(count)
    ]


def write_jsonl(path: Path, rows: Sequence[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def write_parquet(path: Path, rows: Sequence[Row], group: int = 1000) -> Path:
    import pyarrow as pa
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.Table.from_pylist(list(rows)), path, row_group_size=group)
    return path


def score(
    inputs: str | Path,
    output: str | Path,
    metrics: Sequence[str] = (KNOWN,),
    columns: Columns | None = None,
    progress: scale.Progress | None = None,
    **settings: Any,
) -> dict[str, run.Tally]:
    """A sharded run with small shards."""
    settings.setdefault("shard_bytes", 1000)
    specs = loading.specs_of(list(metrics))
    return scale.score_files(
        str(inputs), specs, run.prepare(specs), str(output), columns=columns,
        settings=scale.Settings(**settings), progress=progress,
    )  # fmt: skip


def scores(folder: Path) -> list[Score]:
    return list(files.score_lines(folder))


def tree(folder: Path) -> dict[str, bytes]:
    """Every shard's rows."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.jsonl"))}
