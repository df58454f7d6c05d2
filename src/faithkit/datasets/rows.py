"""The rows of a release's file, and what their readers share. Reading itself is in `faithkit.rows`;
what a field means is in the reader of its release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from faithkit.rows import Row, Table, format_of

__all__ = ["ONE_ZERO", "YES_NO", "Names", "Row", "read"]

YES_NO: Mapping[str, int] = {"yes": 1, "no": 0}
ONE_ZERO: Mapping[str, int] = {"1": 1, "0": 0}


class Names:
    """Makes repeated names distinct, in the file's order: `a`, `a#2`, `a#3`."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        self._seen[name] = count = self._seen.get(name, 0) + 1
        return name if count == 1 else f"{name}#{count}"


def read(path: Path, required: Sequence[str] = ()) -> Iterator[Row]:
    """The rows of a file in the format that its ending names. `required` fields must be there.
    Raises DataError as `rows.Table.read` does."""
    return Table(path, format_of(path), str(path), quoted=False).read(required)
