"""The folder of a benchmark: judgements and values as JSON lines, kept so that nothing is scored
twice: a new metric adds its own file, and a new statistic needs no model.

`NAME.truth.jsonl` has ids, documents, systems and human judgements; no text, so it may be passed
on. `NAME.METRIC-DIGEST.values.jsonl` has one metric's values under one signature.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import chain
from pathlib import Path
from typing import Any

from faithkit import writing
from faithkit.cache import Cache
from faithkit.evaluation.judged import JudgedRow, JudgedTable, MetricColumn
from faithkit.evaluation.scoring import score_columns
from faithkit.records import Coverage, DataError, Example
from faithkit.run import Prepared

FORMAT = 2
"""Of the files of values. Those of another one lack what tables show, so they are made again."""


def rows_path(folder: Path, name: str) -> Path:
    return folder / f"{slug(name)}.truth.jsonl"


def values_path(folder: Path, name: str, label: str, signature_digest: str) -> Path:
    return folder / f"{slug(name)}.{slug(label)}-{signature_digest[:10]}.values.jsonl"


def save_rows(folder: Path, table: JudgedTable, digest: str) -> None:
    """The table without its columns. digest: of the rows' texts, as `digest_of`."""
    folder.mkdir(parents=True, exist_ok=True)
    header = {
        "dataset": table.name, "tasks": list(table.tasks), "sha256": digest, "notes": table.notes
    }  # fmt: skip
    writing.write_jsonl(rows_path(folder, table.name), chain([header], map(asdict, table.rows)))


def save_column(
    path: Path, name: str, digest: str, column: MetricColumn, ids: Sequence[str]
) -> None:
    """A metric's values of the rows with this digest; those under another signature go."""
    header = {
        "dataset": name,
        "metric": column.label,
        "signature": column.signature,
        "unit": column.unit,
        "trained_on": None if column.trained_on is None else list(column.trained_on),
        "dataset_sha256": digest,
        "format": FORMAT,
    }
    columns = (
        ids, column.values, column.outcomes, column.verdicts, column.parts,
        (coverage.counts() for coverage in column.coverages),
    )  # fmt: skip
    names = ("id", "value", "outcome", "verdict", "parts", "coverage")
    rows = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    writing.write_jsonl(path, chain([header], rows))
    _drop_older(path, column.label)


def load_column(path: Path, digest: str) -> MetricColumn | None:
    """A saved column, or None where it is about other rows or of another format."""
    header, *rows = _read_lines(path)
    if header.get("dataset_sha256") != digest or header.get("format") != FORMAT:
        return None
    trained_on = header["trained_on"]
    return MetricColumn(
        header["metric"],
        header["signature"],
        header["unit"],
        tuple(row["value"] for row in rows),
        tuple(row["outcome"] for row in rows),
        tuple(row["verdict"] for row in rows),
        tuple(row["parts"] for row in rows),
        tuple(Coverage(**row["coverage"]) for row in rows),
        None if trained_on is None else tuple(trained_on),
    )


def load_folder(folder: Path) -> list[JudgedTable]:
    """The tables that an earlier run left, without reading any dataset or loading any model.

    A table's notes name the values that are of other rows, or of an earlier format. Raises
    DataError where no table is left.
    """
    tables = []
    for path in sorted(folder.glob("*.truth.jsonl")):
        header, *rows = _read_lines(path)
        name = header["dataset"]
        table = JudgedTable(
            name,
            [_judged_row(row) for row in rows],
            tasks=tuple(header["tasks"]),
            notes=list(header.get("notes", ())),
        )
        for values in sorted(folder.glob(f"{slug(name)}.*.values.jsonl")):
            if _read_lines(values)[0].get("dataset", name) != name:
                continue  # of a dataset whose name begins with this one's
            column = load_column(values, header["sha256"])
            if column is not None:
                table.columns[column.label] = column
            else:
                table.notes.append(
                    f"{values.name} is left out: its values are of other rows than the last run "
                    "on this dataset, or of an earlier version; score them again with -d and -m"
                )
        tables.append(table)
    if not any(table.columns for table in tables):
        hint = "".join(f" {note}." for table in tables for note in table.notes[:1])
        raise DataError(
            f"{folder}: no benchmark results; `faithkit bench -o {folder}` makes them.{hint}"
        )
    return tables


def _judged_row(row: Mapping[str, Any]) -> JudgedRow:
    names = {item.name for item in fields(JudgedRow)}
    kept: dict[str, Any] = {key: value for key, value in row.items() if key in names}
    lists = {key: tuple(kept.get(key, ())) for key in ("error_types", "error_groups")}
    return JudgedRow(**kept | lists)


def score_dataset(
    table: JudgedTable,
    examples: Sequence[Example],
    prepared: Sequence[Prepared],
    folder: Path,
    store: Cache,
    progress: Callable[[str, int, int], None],
) -> None:
    """Adds every metric's column to the table, scored where the folder lacks it.

    examples  the table's rows with their texts
    """
    digest = digest_of(text for e in examples for text in (e.id, e.source, e.summary))
    save_rows(folder, table, digest)
    paths = {
        metric.label: values_path(folder, table.name, metric.label, metric.signature.digest)
        for metric in prepared
    }
    columns = {
        label: column
        for label, path in paths.items()
        if path.is_file() and (column := load_column(path, digest)) and column.is_final()
    }
    missing = [metric for metric in prepared if metric.label not in columns]
    scored = score_columns(
        examples, missing, store, progress=lambda done: progress(table.name, done, len(examples))
    )
    for label, column in scored.items():
        save_column(paths[label], table.name, digest, column, table.ids)
    table.columns = {label: scored.get(label) or columns[label] for label in paths}


def digest_of(texts: Iterable[str]) -> str:
    """A hash of the texts and ids of the rows, which ties a column to exactly these rows."""
    hashed = hashlib.sha256()
    for text in texts:
        hashed.update(f"{len(text)}:".encode())
        hashed.update(text.encode())
    return hashed.hexdigest()


def slug(text: str) -> str:
    return re.sub(r"[^\w+=,.-]", "_", text)[:80]


def _drop_older(path: Path, label: str) -> None:
    """Removes this metric's values under other signatures: a folder has each metric once."""
    start = path.name.rpartition("-")[0]
    for other in path.parent.glob(f"{start}-*.values.jsonl"):
        if other != path and _read_lines(other)[0].get("metric") == label:
            other.unlink()


def _read_lines(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read ({error}); delete it and run again") from error
