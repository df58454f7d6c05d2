"""Files of pairs in every format, read and refused."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl  # type: ignore[import-untyped,import-not-found,unused-ignore]
import pyarrow as pa
import pyarrow.parquet
import pytest

from faithkit.columns import Columns
from faithkit.files import open_pairs
from faithkit.records import (
    Example,
    FaithkitError,
)

ROWS = [
    {"id": "1", "source": "The cat sat.", "summary": "A cat."},
    {"id": "2", "source": "Il pleut à verse.", "summary": "Il pleut.\n\n“Bien.”"},
    {"id": "3", "source": 'He said "no, never".', "summary": "\tno, never"},
]


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    pa.parquet.write_table(pa.Table.from_pylist(rows), path)


def write_json(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8", newline="")


def write_xlsx(path: Path, rows: list[dict[str, Any]]) -> None:
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    book.save(path)


WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], None]] = {
    "jsonl": write_jsonl,
    "json": write_json,
    "csv": write_csv,
    "tsv": write_csv,
    "parquet": write_parquet,
}


def read(path: Path, **columns: str) -> list[Example]:
    with open_pairs(str(path), Columns(**columns)) as rows:
        found = list(rows)
        assert rows.count == len(found)
    return found


def refused(path: Path, **columns: str) -> str:
    """The message of the one error that reading gives; the file is as it was afterwards."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(FaithkitError) as caught, open_pairs(str(path), Columns(**columns)):
        pass
    assert before is None or path.read_bytes() == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def pairs(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
