"""Raw rows out of JSONL, JSON, CSV, TSV, Parquet and XLSX files, each with its place in the file.

What lives here: reading, and the checks of one field, so that every error of every reader names
file, line and field. What a field means is in the reader of its release. A user's own files are
read by `faithkit.files`, in the one shape that is asked of users.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faithkit.records import DataError, Example, did_you_mean

CELL_LIMIT = 64 * 1024 * 1024
"""The longest CSV cell we read, in characters."""

YES_NO: Mapping[str, int] = {"yes": 1, "no": 0}
ONE_ZERO: Mapping[str, int] = {"1": 1, "0": 0}


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a release: its fields, and `place` (`file, line N`) for errors."""

    place: str
    values: Mapping[str, Any]

    def wrong(self, field: str, wanted: str) -> DataError:
        """The error for a field that does not hold what it should."""
        found = self.values.get(field)
        shown = "null" if found is None else f"{type(found).__name__} {str(found)[:40]!r}"
        return DataError(f"{self.place}, field '{field}': expected {wanted}, found {shown}")

    def get(self, field: str) -> Any:
        """The value of a field that must be there. Raises DataError with the nearest name."""
        if field not in self.values:
            raise DataError(f"{self.place}: no field '{field}'.{did_you_mean(field, self.values)}")
        return self.values[field]

    def text(self, field: str) -> str:
        """A text, possibly empty; half a surrogate pair is refused, for it cannot be stored."""
        value = self.get(field)
        if not isinstance(value, str):
            raise self.wrong(field, "text")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise self.wrong(field, "Unicode text (this has half a surrogate pair)") from error
        return value

    def name(self, field: str) -> str:
        """An identity: text that is not blank, or a whole number."""
        value = self.get(field)
        if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
            raise self.wrong(field, "a name or a whole number")
        return str(value)

    def optional_name(self, field: str) -> str | None:
        """As `name`, or None where the field is missing, null or empty."""
        return None if self.values.get(field) in (None, "") else self.name(field)

    def choice(self, field: str, meaning: Mapping[str, int]) -> int:
        """The number that `meaning` gives to the field's value; any other value is an error."""
        value = self.get(field)
        known = isinstance(value, str | int) and not isinstance(value, bool)
        key = str(value).strip() if known else ""
        if key not in meaning:
            raise self.wrong(field, " or ".join(repr(name) for name in meaning))
        return meaning[key]

    def one_of(self, field: str, allowed: Sequence[str]) -> str:
        """A text that must be one of `allowed`."""
        value = self.get(field)
        if value not in allowed:
            raise self.wrong(field, " or ".join(repr(name) for name in allowed))
        return str(value)

    def number(self, field: str, low: float = -math.inf, high: float = math.inf) -> float:
        """A finite number from `low` to `high`, as a number or (in CSV) as text."""
        value = self.get(field)
        try:
            number = float(value) if isinstance(value, str | int | float) else math.nan
        except ValueError:
            number = math.nan
        if isinstance(value, bool) or not math.isfinite(number) or not low <= number <= high:
            bounds = "" if (low, high) == (-math.inf, math.inf) else f" from {low:g} to {high:g}"
            raise self.wrong(field, f"a number{bounds}")
        return number

    def whole(self, field: str) -> int:
        """A whole number, as a number or (in CSV) as text."""
        number = self.number(field)
        if number != int(number):
            raise self.wrong(field, "a whole number")
        return int(number)

    def items(self, field: str) -> list[Any]:
        """A JSON list."""
        value = self.get(field)
        if not isinstance(value, list):
            raise self.wrong(field, "a list")
        return value

    def inner(self, field: str, label: str, item: object) -> Row:
        """The item `label` of the list in `field`, as a row of its own."""
        if not isinstance(item, dict):
            raise self.wrong(field, f"a list of JSON objects ({label} is not one)")
        return Row(f"{self.place}, {field} {label}", item)

    def rest(self, *used: str) -> dict[str, Any]:
        """The fields that no part of the Example holds, for its `meta`."""
        return {key: value for key, value in self.values.items() if key not in used}

    def example(self, id: str, source: str, summary: str, **fields: Any) -> Example:
        """The Example; what is wrong with it is said with this row's place."""
        try:
            return Example(id, source, summary, **fields)
        except DataError as error:
            raise DataError(f"{self.place}: {error}") from error


class Names:
    """Makes repeated names distinct, in the file's order: `a`, `a#2`, `a#3`."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        self._seen[name] = count = self._seen.get(name, 0) + 1
        return name if count == 1 else f"{name}#{count}"


def read(path: Path, required: Sequence[str] = ()) -> Iterator[Row]:
    """The rows of a file in the format that its ending names. `required` fields must be there.

    Raises DataError naming file, line and field on bytes that are not UTF-8, broken JSON or CSV,
    and a missing field (of a table: in its header, before any row is read).
    """
    reader = {
        ".jsonl": _jsonl,
        ".json": _json,
        ".csv": _csv,
        ".tsv": _tsv,
        ".parquet": _parquet,
        ".xlsx": _xlsx,
    }.get(path.suffix.lower())
    if reader is None:
        raise DataError(
            f"{path}: cannot tell the format from the ending '{path.suffix}'; expected .jsonl, "
            ".json, .csv, .tsv, .parquet or .xlsx"
        )
    for row in reader(path, required):
        for field in required:
            row.get(field)
        yield row


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{path}, line {number}: not UTF-8 (byte {error.start + 1} of the line); "
                    "fetch the file again, or save it as UTF-8"
                ) from error


def _object(place: str, value: object) -> Row:
    if not isinstance(value, dict):
        raise DataError(f"{place}: expected a JSON object, found {type(value).__name__}")
    return Row(place, value)


def _jsonl(path: Path, _: Sequence[str]) -> Iterator[Row]:
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            message = f"{place}: not valid JSON ({error.msg}, column {error.colno})"
            raise DataError(message) from error
        yield _object(place, value)


def _json(path: Path, _: Sequence[str]) -> Iterator[Row]:
    """A JSON list of objects, walked item by item so that each has the line it starts on."""
    text = "".join(_lines(path))
    decoder = json.JSONDecoder()
    if not text.lstrip().startswith("["):
        raise DataError(f"{path}, line 1: expected a JSON list of objects")
    at, line, number = _skip(text, text.index("[") + 1), 1, 0
    counted = 0
    while at < len(text) and text[at] != "]":
        line += text.count("\n", counted, at)
        counted = at
        number += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            message = f"{path}, line {error.lineno}: not valid JSON ({error.msg})"
            raise DataError(message) from error
        yield _object(f"{path}, line {line} (item {number})", value)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            raise _cut_short(path, text, at)
    if at >= len(text):
        raise _cut_short(path, text, at)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _cut_short(path: Path, text: str, at: int) -> DataError:
    line = text.count("\n", 0, at) + 1
    return DataError(f"{path}, line {line}: not valid JSON (expected ',' or ']' after an item)")


def _csv(path: Path, required: Sequence[str]) -> Iterator[Row]:
    return _table(path, required, csv.reader(_lines(path), strict=True))


def _tsv(path: Path, required: Sequence[str]) -> Iterator[Row]:
    # Releases in TSV do not quote: a cell may hold a lone quotation mark.
    reader = csv.reader(_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    return _table(path, required, reader)


def _table(path: Path, required: Sequence[str], reader: Any) -> Iterator[Row]:
    csv.field_size_limit(CELL_LIMIT)
    start = 1
    try:
        header = next(reader, None)
        if not header:
            raise DataError(f"{path}, line 1: expected a header, found an empty file")
        _check_header(f"{path}, line 1", header, required)
        start = reader.line_num + 1
        for cells in reader:
            place = f"{path}, line {start}"
            if cells and len(cells) != len(header):
                raise DataError(f"{place}: {len(cells)} cells where the header has {len(header)}")
            start = reader.line_num + 1
            if cells:
                yield Row(place, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DataError(f"{path}, line {start}: {error}") from error


def _check_header(place: str, header: Sequence[str], required: Sequence[str]) -> None:
    for field in required:
        if field not in header:
            raise DataError(f"{place}: no column '{field}'.{did_you_mean(field, header)}")


def _parquet(path: Path, required: Sequence[str]) -> Iterator[Row]:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
        _check_header(str(path), file.schema_arrow.names, required)
        number = 0
        for batch in file.iter_batches(batch_size=256):
            for values in batch.to_pylist():
                number += 1
                yield Row(f"{path}, row {number}", values)
    except pyarrow.ArrowException as error:
        raise DataError(f"{path}: not a Parquet file that can be read ({error})") from error


def _xlsx(path: Path, required: Sequence[str]) -> Iterator[Row]:
    """The rows of all sheets; the sheet's name is the field `sheet`."""
    try:
        import openpyxl  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError as error:
        raise DataError(
            f"{path}: reading an Excel file needs the package openpyxl; "
            "install it with: pip install openpyxl"
        ) from error
    import zipfile

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise DataError(f"{path}: not an Excel file that can be read ({error})") from error
    try:
        for sheet in book.worksheets:
            header: list[str] = []
            for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
                place = f"{path}, sheet {sheet.title}, line {number}"
                if number == 1:
                    header = [str(cell) for cell in cells]
                    _check_header(place, header, required)
                elif any(cell is not None for cell in cells):
                    if len(cells) > len(header):
                        raise DataError(
                            f"{place}: {len(cells)} cells where the header has {len(header)}"
                        )
                    # A row of a sheet may end at its last filled cell.
                    values = dict.fromkeys(header) | dict(zip(header, cells, strict=False))
                    yield Row(place, {**values, "sheet": sheet.title})
    finally:
        book.close()
