"""The rows of a release's file, and what their readers share. Reading itself is in `faithkit.rows`;
what a field means is in the reader of its release."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from faithkit.fields import Row
from faithkit.records import DataError
from faithkit.rows import Table, format_of

__all__ = [
    "ONE_ZERO",
    "YES_NO",
    "Names",
    "Row",
    "flag",
    "inner_rows",
    "nested",
    "read_keyed",
    "read_rows",
]

YES_NO: Mapping[str, int] = {"yes": 1, "no": 0}
ONE_ZERO: Mapping[str, int] = {"1": 1, "0": 0}


class Names:
    """Makes repeated names distinct, in the file's order: `a`, `a#2`, `a#3`."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        """The name, with its count where it has been given before."""
        self._seen[name] = count = self._seen.get(name, 0) + 1
        return name if count == 1 else f"{name}#{count}"


def read_rows(path: Path, required: Sequence[str] = ()) -> Iterator[Row]:
    """The rows of a file in the format that its ending names. `required` fields must be there.
    Raises DataError as `rows.Table.read` does."""
    return Table(path, format_of(path), str(path), quoted=False).read(required)


def read_keyed(path: Path, required: Sequence[str] = ()) -> Iterator[tuple[str, Row]]:
    """The keys and rows of a JSON file that is one object of objects, a record under each key.
    Raises DataError on a file that is not, or a record without one of the `required` fields."""
    text = "".join(line for _, line in Table(path, "json", str(path), quoted=False).lines())
    try:
        records = json.loads(text)
    except ValueError as error:
        raise DataError(f"{path}: not JSON: {error}") from error
    if not isinstance(records, dict):
        raise DataError(f"{path}: expected a JSON object, found {type(records).__name__}")
    for key, values in records.items():
        if not isinstance(values, dict):
            raise DataError(f"{path}, '{key}': expected a JSON object")
        row = Row(f"{path}, '{key}'", values)
        for field in required:
            row.get(field)
        yield key, row


def nested(row: Row, field: str) -> Row:
    """The JSON object in a field, as a row of its own."""
    value = row.get(field)
    if not isinstance(value, dict):
        raise row.wrong(field, "a JSON object")
    return Row(f"{row.place}, {field}", value)


def inner_rows(row: Row, field: str) -> list[Row]:
    """The JSON objects of the list in a field, each as a row. Raises DataError on anything else."""
    return [row.inner(field, str(place), item) for place, item in enumerate(row.items(field))]


def flag(row: Row, field: str) -> bool:
    """A JSON true or false."""
    value = row.get(field)
    if not isinstance(value, bool):
        raise row.wrong(field, "true or false")
    return value
