"""Reading of the files of releases: helpers that several readers share. The formats are read by
`faithkit.rows`; each reader interprets the fields of its release."""

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
    """Makes repeated names distinct by numbers, in the order of the file: `a`, `a#2`, `a#3`."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        """The name, followed by its number if it is not the first of its kind."""
        self._counts[name] = count = self._counts.get(name, 0) + 1
        return name if count == 1 else f"{name}#{count}"


def read_rows(path: Path, required: Sequence[str] = ()) -> Iterator[Row]:
    """The rows of a file; its ending names the format. Raises DataError if it is malformed or lacks
    one of the `required` fields."""
    return Table(path, format_of(path), str(path), quoted=False).read(required)


def read_keyed(path: Path, required: Sequence[str] = ()) -> Iterator[tuple[str, Row]]:
    """The keys and rows of a JSON file that is an object of objects, with a record for each key.
    Raises DataError on any other file, or if a record lacks one of the `required` fields."""
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
    """The JSON object in a field, as a row. Raises DataError if the field holds anything else."""
    value = row.get(field)
    if not isinstance(value, dict):
        raise row.wrong(field, "a JSON object")
    return Row(f"{row.place}, {field}", value)


def inner_rows(row: Row, field: str) -> list[Row]:
    """The JSON objects of the list in a field, each as a row. Raises DataError if the field holds
    anything else."""
    return [row.inner(field, str(index), item) for index, item in enumerate(row.items(field))]


def flag(row: Row, field: str) -> bool:
    """The JSON true or false in a field. Raises DataError if the field holds anything else."""
    value = row.get(field)
    if not isinstance(value, bool):
        raise row.wrong(field, "true or false")
    return value
