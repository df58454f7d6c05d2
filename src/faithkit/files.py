"""Pairs in and scores out: JSONL, CSV, TSV and Parquet, chosen by the file's ending.

Reading streams, and every error names file, line and field. Writing appends lines, so that a run
that is killed has lost nothing. What a run does is in `run.py`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import shutil
import sys
import tempfile
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from faithkit.records import (
    ROW_KEYS,
    ConfigError,
    DataError,
    Example,
    Score,
    canonical_json,
    did_you_mean,
    document_id,
    is_unicode,
)

FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
GROUP = "group"
"""The column that holds the document or the pair in files of one shape for several releases."""

CELL_LIMIT = 64 * 1024 * 1024
"""The longest CSV cell we read, in characters; a document of ten million words fits."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of the user's file holds which field of an Example."""

    source: str = "source"
    summary: str = "summary"
    id: str = "id"
    document: str = "document"
    pair: str = "pair"
    system: str = "system"
    label: str = "label"
    rating: str = "score"


@dataclass(frozen=True, slots=True)
class Rows:
    """A checked file of pairs: how many there are, and the hash of what was read.

    group_is   what the column `group` of a file without `document` and `pair` holds: "document" or
               "pair", None if absent (see `_Groups`)
    by_system  whether ids repeat across systems; an example's id is then `ID/SYSTEM`
    """

    path: Path
    format: str
    columns: Columns
    count: int
    sha256: str
    group_is: Literal["document", "pair"] | None = None
    by_system: bool = False

    def __iter__(self) -> Iterator[Example]:
        for _, example in _examples(self.path, self.format, self.columns):
            group = example.meta.get(GROUP)
            named = str(group) if isinstance(group, str | int) else ""
            if self.group_is == "document":
                example = replace(example, document=named)
            elif self.group_is == "pair":
                example = replace(example, pair=named or None)
            yield replace(example, id=_id_of_system(example)) if self.by_system else example


def format_of(path: Path) -> str:
    """The format a path's ending names. Raises DataError on any other ending."""
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise DataError(f"{path}: cannot tell the format from the ending '{path.suffix}'; "
                        f"use one of {', '.join(FORMATS)}")  # fmt: skip
    return found


@contextmanager
def open_pairs(
    path: str, columns: Columns | None = None, stdin_format: str = "jsonl"
) -> Iterator[Rows]:
    """Checks every row of a file (or of standard input, for `-`) before anything is scored.

    Raises DataError, naming file, line and field, on: no such file, no rows, malformed JSON,
    a missing or non-text field, a wrong column name, a duplicate id, text that is not UTF-8.
    Raises ConfigError on an unknown `stdin_format`. An id may be used once by
    each system, where a column names it; the ids are then `ID/SYSTEM`. Memory does not grow with
    the rows but for 16 bytes each.
    """
    columns = columns or Columns()
    if path != "-":
        file = Path(path)
        if not file.is_file():
            what = "is a directory" if file.is_dir() else "no such file"
            if file.exists() and not file.is_dir():
                what = "not a plain file; the rows are read twice. Pipe it in and name it '-'"
            raise DataError(f"{file}: {what}")
        yield check(file, format_of(file), columns)
        return
    if stdin_format not in FORMATS.values():
        hint = did_you_mean(stdin_format, set(FORMATS.values()))
        raise ConfigError(f"Unknown input format '{stdin_format}'.{hint}")
    # Standard input can be read once only, and the rows are read twice: checked, then scored.
    with tempfile.TemporaryDirectory(prefix="faithkit-") as folder:
        spooled = Path(folder) / f"standard-input.{stdin_format}"
        with spooled.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        yield check(spooled, stdin_format, columns)


def check(path: Path, format: str, columns: Columns) -> Rows:
    """Reads a whole file once, validating each row. Raises DataError as `open_pairs` says."""
    digests, of_systems = array("Q"), array("Q")
    groups = _Groups(columns)
    hashed = hashlib.sha256()
    for _, example in _examples(path, format, columns):
        digests.append(_short_hash(example.id))
        of_systems.append(_short_hash(_id_of_system(example)))
        groups.add(example)
        for text in (example.id, example.source, example.summary):
            hashed.update(f"{len(text)}:".encode())
            hashed.update(text.encode("utf-8", "surrogatepass"))
    if not digests:
        raise DataError(f"{_shown(path)}: no rows")
    import numpy as np  # here, so that importing faithkit stays quick

    by_system = len(np.unique(np.frombuffer(digests, dtype=np.uint64))) < len(digests)
    if by_system:
        values, counts = np.unique(np.frombuffer(of_systems, dtype=np.uint64), return_counts=True)
        if (counts > 1).any():
            _report_duplicate(path, format, columns, set(values[counts > 1].tolist()))
    digest, group_is = hashed.hexdigest(), groups.meaning(path)
    return Rows(path, format, columns, len(digests), digest, group_is, by_system)


class _Groups:
    """What the column `group` of a file that names neither documents nor pairs holds.

    A source text that belongs to several groups shows that a group is smaller than a document: it
    joins a pair. Otherwise it is the document.
    """

    def __init__(self, columns: Columns) -> None:
        default = Columns()
        self._named = (columns.document, columns.pair) != (default.document, default.pair)
        self._hashes = array("Q")

    def add(self, example: Example) -> None:
        self._named = self._named or example.pair is not None or names_document(example)
        group = example.meta.get(GROUP)
        if not self._named and isinstance(group, str | int) and group != "":
            self._hashes.extend((_short_hash(str(group)), _short_hash(example.source)))

    def meaning(self, path: Path) -> Literal["document", "pair"] | None:
        """None where there is no such column, or a column that says the same outright."""
        if self._named or not self._hashes:
            return None
        import numpy as np

        table = np.frombuffer(self._hashes, dtype=np.uint64).reshape(-1, 2)
        both = len(np.unique(table, axis=0))
        groups, sources = (len(np.unique(column)) for column in table.T)
        if both == sources:
            return "document"
        if both == groups:
            return "pair"
        raise DataError(
            f"{_shown(path)}, field '{GROUP}': some groups have several source texts and some "
            "source texts several groups, so a group is neither the source document nor a pair; "
            "say which it is with --document-column or --pair-column, or rename the column"
        )


def names_document(example: Example) -> bool:
    """Whether the document was named, or is the identity of the source's text."""
    return example.document != document_id(example.source)


def check_named(name: str, ids: Sequence[str], named: Sequence[bool]) -> None:
    """Raises DataError where some rows of a file name their source document and others do not:
    rows of one source could then belong to two documents."""
    lacking = [identity for identity, one in zip(ids, named, strict=True) if not one]
    if 0 < len(lacking) < len(ids):
        raise DataError(
            f"{name}: {len(lacking)} of {len(ids)} rows have no document, the first "
            f"'{lacking[0]}'; name the source document of every row, or of none (then equal "
            "source texts are one document)"
        )


def _short_hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _id_of_system(example: Example) -> str:
    """The id of a row among rows of several systems about one text."""
    system = example.system or example.meta.get("system")
    return f"{example.id}/{system}" if system else example.id


def _report_duplicate(path: Path, format: str, columns: Columns, suspects: set[int]) -> None:
    first: dict[str, str] = {}
    for place, example in _examples(path, format, columns):
        identity = _id_of_system(example)
        if _short_hash(identity) in suspects:
            if identity in first:
                raise DataError(
                    f"{place}, field '{columns.id}': id '{example.id}' was already used on "
                    f"{first[identity].rpartition(', ')[2]}; ids must be unique, or unique for "
                    "each system where a column names it (--system-column)"
                )
            first[identity] = place


def _shown(path: Path) -> str:
    return "standard input" if path.stem == "standard-input" else str(path)


def _examples(path: Path, format: str, columns: Columns) -> Iterator[tuple[str, Example]]:
    """Each row with the place to name in an error: `file, line N`."""
    reader = {"jsonl": _jsonl, "csv": _csv, "tsv": _csv, "parquet": _parquet}[format]
    for number, (place, row) in enumerate(reader(path), start=1):
        yield place, _example(place, number, row, columns)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        opened = path.open("rb")
    except OSError as error:
        raise DataError(f"{_shown(path)}: cannot be read ({error.strerror})") from error
    with opened as file:
        for number, line in enumerate(file, start=1):
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{_shown(path)}, line {number}: not UTF-8 (byte {error.start + 1} of the "
                    "line); save the file as UTF-8"
                ) from error


def _jsonl(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in _lines(path):
        place = f"{_shown(path)}, line {number}"
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(
                f"{place}: not valid JSON ({error.msg}, column {error.colno})"
            ) from error
        except (ValueError, RecursionError) as error:
            # A number of thousands of digits, or thousands of brackets inside each other.
            raise DataError(f"{place}: not JSON that can be read ({error})") from error
        if not isinstance(row, dict):
            raise DataError(f"{place}: expected a JSON object, found {type(row).__name__}")
        yield place, row


def _csv(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    csv.field_size_limit(CELL_LIMIT)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.reader((line for _, line in _lines(path)), delimiter=delimiter, strict=True)
    start = 1
    try:
        header = next(filter(None, reader), None)
        if header is None:
            return
        twice = [name for position, name in enumerate(header) if name in header[:position]]
        if twice:
            raise DataError(f"{_shown(path)}, line {reader.line_num}: two columns '{twice[0]}'")
        start = reader.line_num + 1
        for cells in reader:
            # A quoted cell may hold line ends; a row is named by the line it begins on.
            place, start = f"{_shown(path)}, line {start}", reader.line_num + 1
            if not cells:
                continue
            if len(cells) != len(header):
                raise DataError(
                    f"{place}: {len(cells)} cells where the header has {len(header)} columns"
                )
            # An empty cell of an optional column is a missing value; in the texts it is "".
            yield place, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        if str(error) == "unexpected end of data":
            what = f"line {start}: a quoted cell of the row that begins here is never closed"
        else:
            what = f"line {reader.line_num}: {error}"
        raise DataError(f"{_shown(path)}, {what}") from error


def _parquet(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
        number = 0
        for batch in file.iter_batches(batch_size=256):
            for row in batch.to_pylist():
                number += 1
                yield f"{_shown(path)}, row {number}", row
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        what = " ".join(str(error).split())
        raise DataError(f"{_shown(path)}: not a Parquet file that can be read ({what})") from error


def _example(place: str, number: int, row: Mapping[str, Any], columns: Columns) -> Example:
    defaults = Columns()
    for field in fields(Columns):
        name = getattr(columns, field.name)
        required = field.name in ("source", "summary") or name != getattr(defaults, field.name)
        if required and name not in row:
            raise DataError(f"{place}: no field '{name}'.{did_you_mean(name, map(str, row))}")
    source = _text(place, columns.source, row[columns.source])
    summary = _text(place, columns.summary, row[columns.summary])
    identity = row.get(columns.id)
    known = {getattr(columns, field.name) for field in fields(Columns)}
    try:
        return Example(
            id=str(number) if identity in (None, "") else _name(place, columns.id, identity),
            source=source,
            summary=summary,
            document=_optional_name(place, columns.document, row) or "",
            pair=_optional_name(place, columns.pair, row),
            system=_optional_name(place, columns.system, row),
            label=_label(place, columns.label, row.get(columns.label)),
            rating=_rating(place, columns.rating, row.get(columns.rating)),
            meta={key: value for key, value in row.items() if key not in known},
        )
    except DataError as error:
        message = str(error)
        raise error if message.startswith(place) else DataError(f"{place}: {message}") from error


def _wrong(place: str, field: str, wanted: str, found: object) -> DataError:
    shown = "null" if found is None else f"{type(found).__name__} ({str(found)[:40]!r})"
    return DataError(f"{place}, field '{field}': expected {wanted}, found {shown}")


def _text(place: str, field: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(place, field, "text", value)
    if not is_unicode(value):
        raise DataError(f"{place}, field '{field}': half a surrogate pair, which is no Unicode")
    return value


def _name(place: str, field: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _wrong(place, field, "text or a whole number", value)
    return _text(place, field, str(value))


def _optional_name(place: str, field: str, row: Mapping[str, Any]) -> str | None:
    value = row.get(field)
    return None if value in (None, "") else _name(place, field, value)


def _label(place: str, field: str, value: object) -> int | None:
    if value is None or value == "":
        return None
    if str(value).strip().lower() in ("1", "1.0", "true"):
        return 1
    if str(value).strip().lower() in ("0", "0.0", "false"):
        return 0
    raise _wrong(place, field, "1 (consistent) or 0", value)


def _rating(place: str, field: str, value: object) -> float | None:
    if value is None or value == "":
        return None
    try:
        number = float(value) if isinstance(value, str | int | float) else float("nan")
    except (ValueError, OverflowError):
        number = float("nan")
    if not math.isfinite(number) or isinstance(value, bool):
        raise _wrong(place, field, "a number", value)
    return number


def score_lines(path: Path) -> Iterator[Score]:
    """The scores of a file that a run wrote, in any of the formats."""
    format = format_of(path)
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    reader = {"jsonl": _jsonl, "csv": _csv, "tsv": _csv, "parquet": _parquet}[format]
    for place, row in reader(path):
        try:
            yield Score.from_row(row if format == "jsonl" else _from_cells(row))
        except (DataError, ValueError, TypeError) as error:
            raise DataError(f"{place}: {error}") from error


def _from_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    nested = ("parts", "spans", "evidence", "coverage", "signature")
    plain = {key: json.loads(row[key]) if row[key] else None for key in nested if key in row}
    value = row.get("value")
    return {**row, **plain, "value": None if value in (None, "") else float(value)}


def to_line(score: Score) -> str:
    """One row of the output JSONL, with its line end."""
    return json.dumps(score.to_row(), ensure_ascii=False, separators=(", ", ": ")) + "\n"


def export(journal: Path, target: Path) -> None:
    """Turns the journal of a finished run (JSONL) into the CSV, TSV or Parquet at `target`.

    Nested fields become JSON text in their cells. Streams; the target appears only when whole.
    """
    partial = target.with_name(target.name + ".partial")
    if format_of(target) == "parquet":
        _export_parquet(journal, partial)
    else:
        _export_csv(journal, partial, "\t" if format_of(target) == "tsv" else ",")
    partial.replace(target)


def _cells(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: canonical_json(row[key]) if isinstance(row[key], dict | list) else row[key]
        for key in ROW_KEYS
    }


def _export_csv(journal: Path, target: Path, delimiter: str) -> None:
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ROW_KEYS, delimiter=delimiter)
        writer.writeheader()
        for _, row in _jsonl(journal):
            writer.writerow(_cells(row))


def _export_parquet(journal: Path, target: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    schema = pa.schema([(key, pa.float64() if key == "value" else pa.string()) for key in ROW_KEYS])
    with pyarrow.parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        block: list[dict[str, Any]] = []
        for _, row in _jsonl(journal):
            block.append(_cells(row))
            if len(block) == 4096:
                writer.write_table(pa.Table.from_pylist(block, schema=schema))
                block = []
        if block:
            writer.write_table(pa.Table.from_pylist(block, schema=schema))


def whole_lines(path: Path) -> tuple[int, int]:
    """How many whole lines a file has, and the byte at which they end (a torn last line is not
    counted: it is what a killed writer left)."""
    count = end = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            count += 1
            end += len(line)
    return count, end


def open_append(path: Path, at: int) -> io.TextIOWrapper:
    """Opens a file for writing from byte `at` on, dropping what lies behind it."""
    file = path.open("r+b" if path.exists() else "w+b")
    file.truncate(at)
    file.seek(at)
    return io.TextIOWrapper(file, encoding="utf-8", newline="\n")
