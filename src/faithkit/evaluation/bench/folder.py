"""The folder of a benchmark: truth and values as JSON lines, kept so that nothing is scored twice.

`NAME.truth.jsonl` has ids, documents, systems and human judgements; no text, so it may be passed
on. `NAME.METRIC-DIGEST.values.jsonl` has one metric's values under one signature.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import chain
from pathlib import Path
from typing import Any

from faithkit import writing
from faithkit.evaluation.bench.columns import Column, Table, Truth
from faithkit.files import score_lines
from faithkit.metrics import loading
from faithkit.metrics.spec import MetricSpec
from faithkit.records import ConfigError, Coverage, DataError, Score

FORMAT = 2
"""Of the files of values. Those of another one lack what tables show, so they are made again."""

LISTS = ("error_types", "error_groups")


def truth_path(folder: Path, name: str) -> Path:
    return folder / f"{slug(name)}.truth.jsonl"


def values_path(folder: Path, name: str, label: str, signature_digest: str) -> Path:
    return folder / f"{slug(name)}.{slug(label)}-{signature_digest[:10]}.values.jsonl"


def save_truth(
    folder: Path, name: str, tasks: Sequence[str], truth: Sequence[Truth], digest: str,
    notes: Sequence[str],
) -> None:  # fmt: skip
    """digest: of the rows' texts, as `digest_of`."""
    folder.mkdir(parents=True, exist_ok=True)
    header = {"dataset": name, "tasks": list(tasks), "sha256": digest, "notes": list(notes)}
    writing.write_jsonl(truth_path(folder, name), chain([header], map(asdict, truth)))


def save_column(path: Path, name: str, digest: str, column: Column, ids: Sequence[str]) -> None:
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


def load_column(path: Path, digest: str) -> Column | None:
    """A saved column, or None where it is about other rows or of another format."""
    header, *rows = _read_lines(path)
    if header.get("dataset_sha256") != digest or header.get("format") != FORMAT:
        return None
    trained_on = header["trained_on"]
    return Column(
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


def load_folder(folder: Path) -> list[Table]:
    """The tables that an earlier run left, without reading any dataset or loading any model.

    A table's notes name the values that are of other rows, or of an earlier format. Raises
    DataError where no table is left.
    """
    tables = []
    for path in sorted(folder.glob("*.truth.jsonl")):
        header, *rows = _read_lines(path)
        truth = [_truth(row) for row in rows]
        name = header["dataset"]
        table = Table(name, tuple(header["tasks"]), truth, notes=list(header.get("notes", ())))
        for values in sorted(folder.glob(f"{slug(name)}.*.values.jsonl")):
            if _read_lines(values)[0].get("dataset", name) != name:
                continue  # of a dataset whose name begins with this one's
            column = load_column(values, header["sha256"])
            if column is not None:
                table.columns.append(column)
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


def _truth(row: Mapping[str, Any]) -> Truth:
    known = {item.name for item in fields(Truth)}
    kept: dict[str, Any] = {key: value for key, value in row.items() if key in known}
    return Truth(**kept | {key: tuple(kept.get(key, ())) for key in LISTS})


def columns_from(path: Path, truth: Sequence[Truth]) -> list[Column]:
    """The columns of a file that `faithkit score -o` wrote, joined with the truth by id.

    What the metrics were trained on is in the manifest beside it, if it is still there. Raises
    DataError where a row of the truth has no score.
    """
    scores: dict[str, dict[str, Score]] = {}
    for found in score_lines(path):
        scores.setdefault(found.metric, {})[found.id] = found
    trained = trained_on_of(path)
    columns = []
    for label, by_id in scores.items():
        lacking = [t.id for t in truth if t.id not in by_id]
        if lacking:
            raise DataError(
                f"{path}: {label} has no score for {len(lacking)} of {len(truth)} rows, the first "
                f"'{lacking[0]}'; were other rows scored?"
            )
        own = [by_id[t.id] for t in truth]
        columns.append(column_of(label, own, "", verdict_at(own[0]), trained.get(label)))
    return columns


def column_of(
    label: str,
    scores: Sequence[Score],
    unit: str,
    consistent_from: float | None,
    trained_on: Iterable[str] | None,
) -> Column:
    """A metric's scores as a column. consistent_from: the value from which the metric itself says
    "consistent", where its parts do not say."""
    signature = scores[0].signature
    return Column(
        label,
        signature.short if signature else label,
        unit,
        tuple(score.value for score in scores),
        tuple(str(score.outcome) for score in scores),
        tuple(_verdict(score, consistent_from) for score in scores),
        tuple(dict(score.parts) for score in scores),
        tuple(score.coverage for score in scores),
        None if trained_on is None else tuple(sorted(trained_on)),
    )


def verdict_at(score: Score) -> float | None:
    """`Metric.verdict_from` of the metric that gave a saved score; None where it is not there."""
    if score.signature is None:
        return None
    try:
        metric = loading.class_of(MetricSpec.parse(score.metric))
        return metric.verdict_from(score.signature.options)
    except ConfigError:
        return None


def _verdict(score: Score, consistent_from: float | None) -> float | None:
    if "verdict" in score.parts:
        return score.parts["verdict"]
    if consistent_from is None or score.value is None:
        return None
    return float(score.value >= consistent_from)


def trained_on_of(path: Path) -> dict[str, list[str]]:
    """By metric, what it was trained on, as the manifest says beside a file that `faithkit score
    -o` wrote; nothing of those that it does not name, or without a manifest."""
    manifest = path.with_name(path.name + ".manifest.json")
    try:
        found = json.loads(manifest.read_text(encoding="utf-8")).get("trained_on")
    except (OSError, ValueError, AttributeError):
        return {}
    return found if isinstance(found, dict) else {}


def digest_of(texts: Iterable[str]) -> str:
    """Of the texts and ids: a column belongs to exactly these rows."""
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
