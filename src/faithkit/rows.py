"""Rows out of JSONL, JSON, CSV, TSV, Parquet and XLSX files, plain or gzipped, each with its place.

What lives here: reading. A row and the checks of its fields are in `fields.py`; what a field means
is said in `columns.py` (a user's pairs) and in the reader of each release (`datasets/`).
"""

from __future__ import annotations

import csv
import gzip
import json
import shlex
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from faithkit.fields import MissingField, Row, of_others
from faithkit.records import DataError, did_you_mean

FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
}
"""Ending to format. Each may be followed by .gz."""

GZIP = b"\x1f\x8b"
"""How a gzip file begins."""

STANDARD_INPUT = "standard input"
"""The name of a table that is read from there."""

CELL_LIMIT = 64 * 1024 * 1024
"""The longest CSV cell we read, in characters; a document of ten million words fits."""

DELIMITERS = (",", ";", "\t", "|")
"""What may separate the cells of a CSV or TSV file; its own (by the ending) is tried first."""


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive rows of a plain JSONL or Parquet file.

    start, end   JSONL: the bytes in which its lines begin; Parquet: its rows. `end` is the first
                 that is not in it
    lines, rows  lines (JSONL) and rows of the file before it, from which places are counted
    """

    start: int
    end: int
    lines: int = 0
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A file of rows: where it is, its format, and the name that errors give it.

    quoted  whether a TSV file may quote its cells, as spreadsheets do; releases in TSV do not, and
            a cell of theirs may hold a lone quotation mark
    part    the rows that are read; None: all
    """

    path: Path
    format: str
    name: str
    quoted: bool = True
    part: Part | None = None

    def read(self, required: Sequence[str] = ()) -> Iterator[Row]:
        """The rows. `required` fields must be there.

        Raises DataError naming file, line and field on a file that cannot be opened, bytes that are
        not UTF-8, broken JSON or CSV, and a missing field (of a table: in its header, before any
        row is read). Memory does not grow with the rows, but for JSON and XLSX.
        """
        reader = {
            "jsonl": _jsonl, "json": _json, "csv": _csv, "tsv": _csv, "parquet": _parquet,
            "xlsx": _xlsx,
        }[self.format]  # fmt: skip
        for row in reader(self, required):
            for field in required:
                row.get(field)
            yield row

    def delimiter(self, required: Sequence[str]) -> str | None:
        """What separates the cells: that of DELIMITERS by which the header has most of the
        `required` columns, the format's own where several do. None for other formats."""
        if self.format not in ("csv", "tsv"):
            return None
        default = "\t" if self.format == "tsv" else ","
        best, most = default, -1
        for delimiter in dict.fromkeys((default, *DELIMITERS)):
            header: list[str] = []
            with suppress(csv.Error):
                header = next(filter(None, self._cells(delimiter)), header)
            names = {name.casefold() for name in header}
            present = sum(field.casefold() in names for field in required)
            if present > most:
                best, most = delimiter, present
            if most == len(required):
                break
        return best

    def _cells(self, delimiter: str) -> Any:
        """The csv module's reader, which knows the line it has come to."""
        csv.field_size_limit(CELL_LIMIT)
        lines = (line for _, line in self.lines())
        if self.format == "tsv" and not self.quoted:
            return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
        return csv.reader(lines, delimiter=delimiter, strict=True)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each line with its number, decoded."""
        with self.open() as file:
            first = 1 if self.part is None else self.part.lines + 1
            for number, line in enumerate(self._bytes(file), start=first):
                try:
                    yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise DataError(
                        f"{self.name}, line {number}: not UTF-8 (byte {error.start + 1} of the "
                        f"line); {SAVE_AS_UTF8}, if it is Windows-1252: "
                        f"{iconv(self.name, 'WINDOWS-1252')}"
                    ) from error

    def _bytes(self, file: IO[bytes]) -> Iterator[bytes]:
        """The lines of the part."""
        if self.part is None:
            yield from file
            return
        position = max(0, self.part.start - 1)
        file.seek(position)
        if self.part.start:
            position += len(file.readline())  # the rest of a line that began before
        while position < self.part.end and (line := file.readline()):
            yield line
            position += len(line)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The file's bytes, unpacked where they begin as gzip does. Raises DataError on a file that
        cannot be opened or unpacked."""
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise DataError(f"{self.name}: cannot be read ({error.strerror or error})") from error
        with file:
            packed = file.read(2) == GZIP
            file.seek(0)
            if not packed:
                yield file
                return
            try:
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield unpacked  # type: ignore[misc]  # an IO[bytes] in all that is used
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise DataError(
                    f"{self.name}: gzip file is cut short or damaged ({error}); compress it again"
                ) from error

    @contextmanager
    def open_seekable(self) -> Iterator[IO[bytes]]:
        """As `open`, for the formats that are read from their end; gzip is unpacked to disk."""
        with self.open() as file:
            if not isinstance(file, gzip.GzipFile):
                yield file
                return
            with tempfile.TemporaryFile(prefix="faithkit-") as unpacked:
                shutil.copyfileobj(file, unpacked)
                unpacked.seek(0)
                yield unpacked


def format_of(path: Path) -> str:
    """The format that a path's ending names (before .gz). Raises DataError on any other ending."""
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    format = FORMATS.get(plain.suffix.lower())
    if format is None:
        raise DataError(
            f"{path}: cannot tell the format from the ending '{plain.suffix}'; use one of "
            f"{', '.join(FORMATS)}, plain or with .gz after it"
        )
    return format


SAVE_AS_UTF8 = "save it as UTF-8 (in Excel: 'CSV UTF-8'), or convert it"


def iconv(name: str, encoding: str) -> str:
    """The command that converts a file of this name from an encoding into a new file in UTF-8."""
    path = Path(name)
    packed = path.suffix.lower() == ".gz"
    plain = path.with_suffix("") if packed else path
    if not plain.suffix:  # standard input
        return f"iconv -f {encoding} -t UTF-8 OLD > NEW"
    old, new = shlex.quote(name), shlex.quote(f"{plain.with_suffix('')}-utf8{plain.suffix}")
    if packed:
        return f"gunzip -c {old} | iconv -f {encoding} -t UTF-8 > {new}"
    return f"iconv -f {encoding} -t UTF-8 {old} > {new}"


def _other_format(table: Table) -> str:
    """What is said of a line that does not begin as a row of JSONL."""
    if table.path.suffix.lower() == ".gz":
        with table.path.open("rb") as file:
            if file.read(2) != GZIP:
                return "; this is not a gzip file, so it is read as plain JSONL"
    option = "--input-format" if table.name == STANDARD_INPUT else "the file's ending"
    return f"; for another format than JSONL: {option}"


def _object(place: str, value: object) -> Row:
    if not isinstance(value, dict):
        raise DataError(f"{place}: expected a JSON object, found {type(value).__name__}")
    return Row(place, value)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. Raises ValueError where a field is there twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two fields '{twice}'")
    return values


DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _jsonl(table: Table, _: Sequence[str]) -> Iterator[Row]:
    for number, line in table.lines():
        if not line.strip():
            continue
        place = f"{table.name}, line {number}"
        try:
            value = DECODER.decode(line.rstrip("\r\n"))
        except json.JSONDecodeError as error:
            other = "" if line.lstrip().startswith("{") else _other_format(table)
            message = f"{place}: not valid JSON ({error.msg}, column {error.colno}){other}"
            raise DataError(message) from error
        except (ValueError, RecursionError) as error:
            # A field twice, a number of thousands of digits, or brackets thousands deep.
            raise DataError(f"{place}: invalid JSON ({error})") from error
        yield _object(place, value)


def _json(table: Table, required: Sequence[str]) -> Iterator[Row]:
    """A list of objects, an object of columns, or objects one after the other (JSON Lines)."""
    text = "".join(line for _, line in table.lines())
    start = _skip(text, 0)
    if text[start : start + 1] == "[":
        yield from _json_list(table, text, start)
        return
    value, end = _decoded(table, text, start)
    if isinstance(value, dict) and _skip(text, end) < len(text):
        yield from _jsonl(table, required)
    else:
        yield from _json_columns(table, value, required)


def _decoded(table: Table, text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at `at`, and where it ends."""
    try:
        return DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        message = f"{table.name}, line {error.lineno}: not valid JSON ({error.msg})"
        raise DataError(message) from error
    except (ValueError, RecursionError) as error:
        place = f"{table.name}, line {text.count(chr(10), 0, at) + 1}"
        raise DataError(f"{place}: invalid JSON ({error})") from error


def _json_list(table: Table, text: str, start: int) -> Iterator[Row]:
    """A JSON list of objects, walked item by item so that each has the line it starts on."""
    at, line, number = _skip(text, start + 1), 1, 0
    counted = 0
    while at < len(text) and text[at] != "]":
        line += text.count("\n", counted, at)
        counted = at
        number += 1
        value, at = _decoded(table, text, at)
        yield _object(f"{table.name}, line {line} (item {number})", value)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            raise _cut_short(table, text, at)
    if at >= len(text):
        raise _cut_short(table, text, at)
    if _skip(text, at + 1) < len(text):
        raise DataError(
            f"{table.name}, line {text.count(chr(10), 0, _skip(text, at + 1)) + 1}: not valid JSON "
            "(text after the end of the list)"
        )


def _json_columns(table: Table, value: object, required: Sequence[str]) -> Iterator[Row]:
    """An object of columns, each a list, or an object with a value for each row's index."""
    columns = value if isinstance(value, dict) else {}
    kinds = {type(column) for column in columns.values()}
    if kinds not in ({list}, {dict}):
        raise DataError(
            f"{table.name}, line 1: expected a JSON list of objects, or one object of columns "
            f"(lists of one length), found {type(value).__name__}"
        )
    first, *others = _header(table.name, list(columns), required)
    for name in others:
        if kinds == {dict} and columns[name].keys() != columns[first].keys():
            raise DataError(f"{table.name}, field '{name}': its rows are not those of '{first}'")
        if len(columns[name]) != len(columns[first]):
            raise DataError(
                f"{table.name}, field '{name}': {len(columns[name])} values where the column "
                f"'{first}' has {len(columns[first])}"
            )
    rows = columns[first] if kinds == {dict} else range(len(columns[first]))
    for number, index in enumerate(rows, start=1):
        values = {name: column[index] for name, column in columns.items()}
        yield Row(f"{table.name}, row {number}", values, of_table=True)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _cut_short(table: Table, text: str, at: int) -> DataError:
    line = text.count("\n", 0, at) + 1
    return DataError(
        f"{table.name}, line {line}: not valid JSON (expected ',' or ']' after an item)"
    )


def _csv(table: Table, required: Sequence[str]) -> Iterator[Row]:
    reader = table._cells(table.delimiter(required) or ",")
    start = 1
    try:
        names = next(filter(None, reader), None)
        if not names:
            raise DataError(f"{table.name}, line 1: expected a header, found an empty file")
        header = _header(f"{table.name}, line {reader.line_num}", names, required)
        start = reader.line_num + 1
        for cells in reader:
            # A quoted cell may hold line ends; a row is named by the line it begins on.
            place, start = f"{table.name}, line {start}", reader.line_num + 1
            if not cells:
                continue
            if len(cells) != len(header):
                raise DataError(
                    f"{place}: {len(cells)} cells where the header has {len(header)} columns"
                )
            yield Row(place, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        if str(error) == "unexpected end of data":
            problem = f"line {start}: a quoted cell of the row that begins here is never closed"
        elif str(error).startswith("new-line character"):
            problem = (
                f"line {reader.line_num}: a line ends with CR alone, as on the old Macintosh; save "
                "the file with LF or CR LF at the end of each line"
            )
        else:
            problem = f"line {reader.line_num}: {error}"
        raise DataError(f"{table.name}, {problem}") from error


NAME_LENGTH, NAME_SPACES = 60, 5
"""A first line with a cell longer than this, or with more spaces, is taken for a row of texts."""


def _header(place: str, names: Sequence[str], required: Sequence[str]) -> list[str]:
    """The names of the columns; one without a name is called by its number. Raises DataError on a
    duplicate or missing column."""
    for field in required:
        if field not in names:
            raise MissingField.of(f"{place}: no column", field, names, _hint(field, names))
    header = [name or f"column {number}" for number, name in enumerate(names, start=1)]
    twice = [name for position, name in enumerate(header) if name in header[:position]]
    if twice:
        raise DataError(f"{place}: two columns '{twice[0]}'")
    return header


def _hint(field: str, names: Sequence[str]) -> str:
    shown = [name if len(name) <= 40 else f"{name[:39]}…" for name in names[:20]]
    if any(len(name) > NAME_LENGTH or name.count(" ") > NAME_SPACES for name in names):
        return (
            f" This line looks like a row of texts ({', '.join(map(repr, shown[:2]))}); the first "
            "line should name the columns, such as: source,summary"
        )
    return did_you_mean(field, shown, of_others(field, shown))


def _parquet(table: Table, required: Sequence[str]) -> Iterator[Row]:
    import pyarrow
    import pyarrow.parquet

    with table.open_seekable() as opened:
        try:
            file = pyarrow.parquet.ParquetFile(opened)
            _header(table.name, file.schema_arrow.names, required)
            part = table.part or Part(0, file.metadata.num_rows)
            groups, before = _row_groups(file.metadata, part)
            for batch in file.iter_batches(batch_size=256, row_groups=groups):
                first = min(max(0, part.start - before), batch.num_rows)
                last = min(max(0, part.end - before), batch.num_rows)
                rows = batch.slice(first, last - first).to_pylist()
                for number, values in enumerate(rows, start=before + first + 1):
                    yield Row(f"{table.name}, row {number}", values, of_table=True)
                before += batch.num_rows
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            problem = " ".join(str(error).split())
            raise DataError(
                f"{table.name}: not a Parquet file that can be read ({problem})"
            ) from error


def _row_groups(metadata: Any, part: Part) -> tuple[list[int], int]:
    """The row groups that hold rows of the part, and how many rows there are before the first."""
    groups: list[int] = []
    before = end = 0
    for number in range(metadata.num_row_groups):
        start, end = end, end + metadata.row_group(number).num_rows
        if start < part.end and end > part.start:
            before = before if groups else start
            groups.append(number)
    return groups, before


def _xlsx(table: Table, required: Sequence[str]) -> Iterator[Row]:
    """The rows of all sheets that have any; the sheet's name is the field `sheet`."""
    try:
        import openpyxl  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError as error:
        raise DataError(
            f"{table.name}: reading an Excel file needs the package openpyxl; install it with: "
            "pip install openpyxl (or faithkit[datasets]), or save the sheet as CSV"
        ) from error
    import zipfile

    with table.open_seekable() as opened:
        try:
            book = openpyxl.load_workbook(opened, read_only=True, data_only=True)
        except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
            raise DataError(
                f"{table.name}: not an Excel file that can be read ({error})"
            ) from error
        try:
            for sheet in book.worksheets:
                yield from _sheet(f"{table.name}, sheet {sheet.title}", sheet, required)
        finally:
            book.close()


def _sheet(name: str, sheet: Any, required: Sequence[str]) -> Iterator[Row]:
    header: list[str] = []
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        place = f"{name}, line {number}"
        # A row may end at its last filled cell, or go on with cells that were emptied.
        last = max((i for i, cell in enumerate(cells) if cell is not None), default=None)
        if last is None:
            continue
        cells = cells[: last + 1]
        if not header:
            header = _header(place, ["" if c is None else str(c) for c in cells], required)
            continue
        if len(cells) > len(header):
            raise DataError(f"{place}: {len(cells)} cells where the header has {len(header)}")
        values = dict.fromkeys(header) | dict(zip(header, cells, strict=False))
        yield Row(place, {"sheet": sheet.title, **values}, of_table=True)
