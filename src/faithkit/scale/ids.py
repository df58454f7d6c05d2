"""Ids that occur twice among any number of rows, found in the memory of a small share of them.

Hashes of the ids are divided among files on disk by one byte; equal ids are in one file, and each
is sorted by itself (an external hash partition). Equal hashes are compared by their texts at last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
import numpy.typing as npt

from faithkit import writing
from faithkit.columns import Columns
from faithkit.fields import id_of_system
from faithkit.records import DataError
from faithkit.scale.plan import Shard

RECORD = np.dtype([("id", "<u8"), ("of_system", "<u8"), ("shard", "<u4"), ("row", "<u4")])
"""24 bytes a row: the hashes of its id and of `ID/SYSTEM`, and where it is."""

PARTITIONS = 256
MOST_SHOWN = 1000

Records = npt.NDArray[Any]


def records(shard: int, hashes: bytes) -> Records:
    """The ids of a shard's rows as records of two hashes each."""
    pairs = np.frombuffer(hashes, dtype="<u8").reshape(-1, 2)
    rows = np.empty(len(pairs), dtype=RECORD)
    rows["id"], rows["of_system"] = pairs[:, 0], pairs[:, 1]
    rows["shard"], rows["row"] = shard, np.arange(len(pairs))
    return rows


class Ids:
    """The ids of a run, in a folder. Use as a context manager. Raises DataError where they cannot
    be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[int, IO[bytes]] = {}
        self._stack = ExitStack()

    def add(self, rows: Records) -> None:
        """Adds rows of a shard."""
        partition = rows["id"] % PARTITIONS
        order = np.argsort(partition, kind="stable")
        bounds = np.searchsorted(partition[order], np.arange(PARTITIONS + 1))
        with writing.naming(self._folder):
            for number in np.unique(partition).tolist():
                chosen = order[bounds[number] : bounds[number + 1]]
                self._file(number).write(rows[chosen].tobytes())

    def _file(self, number: int) -> IO[bytes]:
        if number not in self._files:
            path = self._folder / f"ids-{number:03d}.bin"
            self._files[number] = self._stack.enter_context(path.open("wb"))
        return self._files[number]

    def repeated(self) -> tuple[bool, list[Records]]:
        """Whether an id occurs twice, and the rows that share the hash of their `ID/SYSTEM`: an
        array for each hash, at most 1,000 of them."""
        by_system = False
        suspects: list[Records] = []
        for file in self._files.values():
            with writing.naming(self._folder):
                file.flush()
            rows = np.fromfile(file.name, dtype=RECORD)
            by_system = by_system or len(np.unique(rows["id"])) < len(rows)
            rows = rows[np.argsort(rows["of_system"], kind="stable")]
            _, starts, counts = np.unique(rows["of_system"], return_index=True, return_counts=True)
            for group in np.flatnonzero(counts > 1)[: MOST_SHOWN - len(suspects)]:
                suspects.append(rows[starts[group] : starts[group] + counts[group]])
        return by_system, suspects

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):  # what cannot be written is removed here anyway
            self._stack.close()
        for file in self._files.values():
            Path(file.name).unlink(missing_ok=True)


def check(suspects: Sequence[Records], shards: Mapping[int, Shard], columns: Columns) -> None:
    """Reads the rows whose hashes are equal. Raises DataError where two have the same id, naming
    both places."""
    wanted: dict[int, set[int]] = {}
    for group in suspects:
        for row in group:
            wanted.setdefault(int(row["shard"]), set()).add(int(row["row"]))
    first: dict[str, str] = {}
    for number in sorted(wanted):
        for place, identity in _ids(shards[number], columns, wanted[number]):
            if identity in first:
                raise DataError(
                    f"{place}, field '{columns.id}': id '{identity}' was already used in "
                    f"{first[identity]}; ids must be unique over all files, or unique for each "
                    "system where a column names it (--column system=NAME). "
                    "--allow-duplicate-ids scores them all the same"
                )
            first[identity] = place


def _ids(shard: Shard, columns: Columns, rows: set[int]) -> Iterator[tuple[str, str]]:
    placed = shard.read(columns, frozenset()).placed()
    for number, (place, example) in enumerate(placed):
        if number in rows:
            yield place, id_of_system(example)
