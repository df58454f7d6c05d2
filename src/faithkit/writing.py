"""Files out: written whole or not at all, and journals of rows that survive a kill.

What is written is decided elsewhere (`files.py` for scores); how rows are read is in `rows.py`.
"""

from __future__ import annotations

import csv
import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from faithkit.records import DataError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`. What is written there replaces `path` at the end, once it is
    on disk; after an error `path` is unchanged and nothing is left. Raises OSError."""
    partial = path.with_name(path.name + ".partial")
    try:
        yield partial
        with partial.open("r+b") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder that becomes `folder` at the end; after an error there is neither."""
    folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.absolute().parent) as temporary:
        partial = Path(temporary) / folder.name
        yield partial
        partial.rename(folder)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turns an OSError inside into the DataError that says what cannot be written."""
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot write {path}: {reason(error)}") from error


def reason(error: OSError) -> str:
    """Why nothing could be written, in words."""
    return "the disk is full" if error.errno == errno.ENOSPC else str(error.strerror or error)


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """The text, or its pieces one after the other, as UTF-8. Raises DataError."""
    with (
        naming(path),
        replacing(path) as partial,
        partial.open("w", encoding="utf-8", newline="") as file,
    ):
        file.writelines([text] if isinstance(text, str) else text)


def write_json(
    path: Path, record: Mapping[str, Any] | Sequence[Any], indent: int | None = 2
) -> None:
    """One JSON value, without NaN. Raises DataError."""
    write_text(path, json.dumps(record, indent=indent, ensure_ascii=False, allow_nan=False) + "\n")


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Each row as a line of JSON. Raises DataError."""
    write_text(path, (json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> None:
    """These fields of each row below a header, as TSV where the ending says so, else as CSV.
    Raises DataError."""
    with naming(path), replacing(path) as partial:
        write_table(partial, rows, fields, "\t" if path.suffix.lower() == ".tsv" else ",")


def write_table(
    path: Path, rows: Iterable[Mapping[str, Any]], fields: Sequence[str], delimiter: str
) -> None:
    """As `write_csv`, straight to `path`. Raises OSError."""
    with path.open("w", encoding="utf-8", newline="") as file:
        write_cells(file, [fields], delimiter)
        write_cells(file, ([row.get(field) for field in fields] for row in rows), delimiter)


def write_cells(file: TextIO, rows: Iterable[Sequence[object]], delimiter: str) -> None:
    """Rows of cells, each ended by LF. A cell with any line break is quoted. Raises OSError."""
    csv.writer(_LineFeeds(file), delimiter=delimiter, lineterminator="\r\n").writerows(rows)


class _LineFeeds:
    """Takes rows that end with CR LF, so that the csv module quotes a cell that has either, and
    ends them with LF."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")


class Journal:
    """A file of lines that a run appends to, those of a batch in one write: after a kill, every
    batch but the last is there, and a torn last line is not counted. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self) -> Iterator[bytes]:
        """The whole lines, with their line ends; none if the file is absent."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield line

    def cut(self, size: int | None = None) -> None:
        """Drops what follows the first `size` bytes; without a size, a torn last line. Makes the
        file if it is absent."""
        if size is None:
            size = sum(map(len, self.lines()))
        with self.path.open("r+b" if self.path.exists() else "wb") as file:
            file.truncate(size)

    def append(self, lines: Iterable[str]) -> None:
        """Adds lines, each with its line end."""
        with self.path.open("ab") as file:
            file.write("".join(lines).encode())
