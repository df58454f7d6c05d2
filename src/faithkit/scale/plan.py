"""The plan of a sharded run: input files, divided into shards by their sizes alone, so that every
machine that sees the files makes the same.

A JSONL file is divided by bytes (a line belongs to the shard in which it begins), a Parquet file by
rows; a file of any other format, or packed, is one shard.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from faithkit import files, manifests, rows
from faithkit.columns import Columns
from faithkit.fields import id_of_system
from faithkit.records import JSON, DataError, Example
from faithkit.rows import Part
from faithkit.scale import places

SHARDS = 256
"""About as many shards a run is divided into, as far as the limits of their size allow."""

LEAST_BYTES, MOST_BYTES = 2**20, 2**26
"""The limits of a shard's size, in bytes of its file (of Parquet: unpacked)."""


@dataclass(frozen=True, slots=True)
class File:
    """An input file: its `place`, its name on any machine, and by what a change is noticed."""

    path: str
    name: str
    format: str
    size: int
    stamp: str


@dataclass(frozen=True, slots=True)
class Shard:
    """Consecutive rows of a file.

    prefix  what is before the number of a row that has no id
    rows    how many there are; 0 before they are checked
    sha256  of what a run reads of them; "" before they are checked
    """

    number: int
    file: File
    part: Part | None
    prefix: str = ""
    rows: int = 0
    sha256: str = ""

    @property
    def output(self) -> str:
        """The name of the file with its scores."""
        return manifests.shard_name(self.number)

    def read(self, columns: Columns, needs: frozenset[str], by_system: bool = False) -> ShardRows:
        """Its rows. needs: the fields of an Example that the metrics read."""
        return ShardRows(
            places.place(self.file.path), self.file.format, columns, self.rows, self.sha256,
            by_system=by_system, part=self.part, prefix=self.prefix, needs=needs,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShardRows(files.Rows):
    """The rows of a shard. Raises DataError where they are no longer those that were checked."""

    needs: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[Example]:
        hashed = hashlib.sha256()
        number = 0
        for number, (_, example) in enumerate(self.placed(), start=1):
            files.hash_example(hashed, example, self.needs)
            if number == self.count and hashed.hexdigest() != self.sha256:
                raise self.changed()
            yield (
                dataclasses.replace(example, id=id_of_system(example))
                if self.by_system
                else example
            )
        if number != self.count:
            raise self.changed()

    def changed(self) -> DataError:
        """The error of rows that differ from those that were checked."""
        where = "" if self.part is None else f", rows {self.part.rows + 1} and on"
        return DataError(
            f"{self.path}{where}: the rows were changed since they were checked; give the file its "
            "rows back, or start over with --no-resume"
        )


def files_of(pattern: str) -> list[File]:
    """The files that a name means (see `places.inputs`). Raises DataError on an unknown format."""
    paths = places.inputs(pattern)
    return [
        File(
            str(path if places.is_remote(path) else path.absolute()),
            name,
            rows.format_of(path),
            *places.stamp(path),
        )
        for path, name in zip(paths, places.names(paths), strict=True)
    ]


def divide(inputs: Sequence[File], shard_bytes: int | None = None) -> list[Shard]:
    """The shards of the files, in order. Raises DataError on a Parquet file that cannot be read."""
    sizes = [_size(file) for file in inputs]
    if shard_bytes is None:
        total = sum(bytes for bytes, _ in sizes)
        shard_bytes = min(MOST_BYTES, max(LEAST_BYTES, total // SHARDS))
    shards: list[Shard] = []
    for file, (bytes, units) in zip(inputs, sizes, strict=True):
        prefix = f"{file.name}:" if len(inputs) > 1 else ""
        count = max(1, min(-(-bytes // shard_bytes), units))
        bounds = [units * number // count for number in range(count + 1)]
        parts: list[Part | None] = [
            Part(start, end, rows=start if file.format == "parquet" else 0)
            for start, end in pairwise(bounds)
        ]
        for part in parts if units else [None]:
            shards.append(Shard(len(shards), file, part, prefix))
    return shards


def _size(file: File) -> tuple[int, int]:
    """(bytes, units by which the file is divided: bytes or rows; 0 where it cannot be)."""
    if file.format not in ("jsonl", "parquet") or file.path.lower().endswith(".gz"):
        return file.size, 0
    path = places.place(file.path)
    with places.reaching(path), path.open("rb") as opened:
        if opened.read(2) == b"\x1f\x8b":
            return file.size, 0
        if file.format == "jsonl":
            return file.size, file.size
        import pyarrow.parquet

        opened.seek(0)
        try:
            metadata = pyarrow.parquet.ParquetFile(opened).metadata
        except (pyarrow.ArrowException, OSError) as error:
            problem = " ".join(str(error).split())
            raise DataError(f"{path}: not a Parquet file that can be read ({problem})") from error
        groups = range(metadata.num_row_groups)
        return sum(metadata.row_group(n).total_byte_size for n in groups), metadata.num_rows


def count_lines(shard: Shard) -> tuple[int, int]:
    """(lines, rows) of a part of a JSONL file; blank lines are no rows."""
    path = places.place(shard.file.path)
    lines = rows_ = 0
    with places.reaching(path):
        for _, line in rows.Table(path, "jsonl", str(path), part=shard.part).lines():
            lines += 1
            rows_ += not line.isspace()
    return lines, rows_


def numbered(shards: Sequence[Shard], counts: Mapping[int, tuple[int, int]]) -> list[Shard]:
    """The shards with the lines and rows before each, by the counts of those that have them."""
    numbered = []
    lines = count = 0
    before: File | None = None
    for shard in shards:
        if shard.file != before:
            lines = count = 0
            before = shard.file
        if shard.number in counts and shard.part is not None:
            part = dataclasses.replace(shard.part, lines=lines, rows=count)
            shard = dataclasses.replace(shard, part=part)
            more_lines, more_rows = counts[shard.number]
            lines, count = lines + more_lines, count + more_rows
        numbered.append(shard)
    return numbered


def with_rows(shards: Sequence[Shard], checked: Mapping[int, tuple[int, str]]) -> list[Shard]:
    """The shards that have rows, with their numbers of rows and hashes, numbered anew. Raises
    DataError where none has."""
    kept = [
        dataclasses.replace(shard, rows=checked[shard.number][0], sha256=checked[shard.number][1])
        for shard in shards
        if checked[shard.number][0]
    ]
    if not kept:
        raise DataError(f"{shards[0].file.path if shards else 'the input'}: no rows")
    return [dataclasses.replace(shard, number=number) for number, shard in enumerate(kept)]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that says which rows a run scores and with what.

    metrics    label to signature
    columns    what the user's columns hold
    needs      the fields of an Example that the metrics read
    by_system  whether ids repeat across systems; a row's id is then `ID/SYSTEM`
    repeats    whether ids may be used twice
    """

    files: tuple[File, ...]
    shards: tuple[Shard, ...]
    metrics: Mapping[str, JSON]
    columns: Mapping[str, JSON]
    by_system: bool = False
    repeats: bool = False
    needs: frozenset[str] = frozenset()

    def to_dict(self) -> dict[str, JSON]:
        """As JSON; a shard is a short list."""
        numbers = {file: number for number, file in enumerate(self.files)}
        return {
            "files": [dataclasses.asdict(file) for file in self.files],
            "metrics": dict(self.metrics),
            "columns": dict(self.columns),
            "by_system": self.by_system,
            "repeats": self.repeats,
            "needs": [*sorted(self.needs)],
            "shards": [
                [
                    numbers[shard.file],
                    None if shard.part is None else [*dataclasses.astuple(shard.part)],
                    shard.prefix,
                    shard.rows,
                    shard.sha256,
                ]
                for shard in self.shards
            ],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Plan:
        """The inverse of `to_dict`. Raises DataError on what is no plan."""
        try:
            inputs = tuple(File(**file) for file in record["files"])
            shards = tuple(
                Shard(n, inputs[file], None if part is None else Part(*part), *rest)
                for n, (file, part, *rest) in enumerate(record["shards"])
            )
            return cls(
                inputs, shards, record["metrics"], record["columns"], record["by_system"],
                record["repeats"], frozenset(record["needs"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise DataError(f"not the plan of a run ({error!r})") from error


def read_plan(path: Path) -> Plan:
    """The plan that a run saved. Raises OSError, DataError on what is no plan."""
    try:
        return Plan.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (DataError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error


def differences(before: Plan, now: Plan) -> list[str]:
    """The differences between a run of `before` and a run of `now`; files are compared by name and
    size. Each is a phrase, such as `a.jsonl has 12 bytes where it had 10`."""
    lines = []
    old, new = ({file.name: file for file in plan.files} for plan in (before, now))
    lines += [f"the input {name} is missing" for name in old if name not in new]
    lines += [f"the input {name} is new" for name in new if name not in old]
    lines += [
        f"the input {name} has {new[name].size} bytes where it had {old[name].size}"
        for name in old
        if name in new and new[name].size != old[name].size
    ]
    for label in dict.fromkeys((*before.metrics, *now.metrics)):
        if label not in now.metrics:
            lines.append(f"the metric {label} is missing")
        elif label not in before.metrics:
            lines.append(f"the metric {label} is new")
        else:
            lines += _changed(label, before.metrics[label], now.metrics[label])
    if {*before.metrics} == {*now.metrics}:
        lines += _changed("the order of the metrics", [*before.metrics], [*now.metrics])
    lines += _changed("--column", before.columns, now.columns)
    if before.repeats != now.repeats:
        lines.append("--allow-duplicate-ids")
    return lines


def _changed(option: str, before: Any, now: Any) -> list[str]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        keys = [*before, *(key for key in now if key not in before)]
        return [
            phrase
            for key in keys
            for phrase in _changed(f"{option}: {key}", before.get(key), now.get(key))
        ]
    return [] if before == now else [f"{option} was {before} and is {now}"]


def touched(before: Plan, now: Plan) -> set[str]:
    """The names of files that were written again since, with as many bytes."""
    old = {file.name: file.stamp for file in before.files}
    return {file.name for file in now.files if old.get(file.name) != file.stamp}


def check_apart(inputs: Sequence[File], output: Path) -> None:
    """Raises DataError where the output folder holds an input."""
    for file in inputs:
        if str(places.place(file.path).absolute().parent) == str(output.absolute()):
            raise DataError(f"{output} holds the input {file.name}; give a folder of its own")
