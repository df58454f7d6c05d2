"""Columns of many rows in few bytes: numbers, names and texts as flat arrays that read like lists.

A Python list takes 32 bytes for a float and some 60 for a short text; these take 8 for a number, 1
to 4 for a name among few, and a text's own bytes with 8 more. Statistics over a folder of shards
hold nothing else of a row. They are made by appending, then `done()`; what is made does not change.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
STEP = 1 << 16
"""Rows that are turned into Python objects at once where a column is walked."""


class Column(Sequence[T]):
    """Base class of the columns. A subclass defines `read`."""

    def read(self, rows: slice | NDArray[Any]) -> list[T]:
        """The values of some rows, as Python has them."""
        raise NotImplementedError

    def take(self, rows: Sequence[int] | NDArray[Any]) -> Self:
        """The column of the rows with these numbers."""
        raise NotImplementedError

    @overload
    def __getitem__(self, row: int) -> T: ...
    @overload
    def __getitem__(self, row: slice) -> list[T]: ...
    def __getitem__(self, row: int | slice) -> T | list[T]:
        if isinstance(row, slice):
            return self.read(row)
        number = range(len(self))[row]
        return self.read(slice(number, number + 1))[0]

    def __iter__(self) -> Iterator[T]:
        for start in range(0, len(self), STEP):
            yield from self.read(slice(start, start + STEP))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows)"


class FloatColumn(Column[float | None]):
    """Numbers, 8 bytes a row. numbers: float64, [rows], NaN if missing."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def read(self, rows: slice | NDArray[Any]) -> list[float | None]:
        read = self.numbers[rows].tolist()
        return [None if value != value else value for value in read]

    def take(self, rows: Sequence[int] | NDArray[Any]) -> Self:
        return type(self)(self.numbers[_numbers(rows)])


class CodedColumn(Column[H]):
    """Values of which few differ, 1, 2 or 4 bytes a row.

    codes   [rows], into `values`
    values  those that occur (those of all rows, where these are some of them)
    """

    __slots__ = ("codes", "values")

    def __init__(self, codes: NDArray[Any], values: Sequence[H]) -> None:
        self.codes = codes
        self.values = values

    def __len__(self) -> int:
        return len(self.codes)

    def read(self, rows: slice | NDArray[Any]) -> list[H]:
        values = self.values
        return [values[code] for code in self.codes[rows].tolist()]

    def take(self, rows: Sequence[int] | NDArray[Any]) -> Self:
        return type(self)(self.codes[_numbers(rows)], self.values)

    def distinct(self) -> list[H]:
        """Each value that occurs, in the order of first appearance."""
        present, first = np.unique(self.codes, return_index=True)
        return [self.values[code] for code in present[np.argsort(first)].tolist()]


class TextColumn(Column[str]):
    """Texts of which most differ, in UTF-8 one after the other, with 8 bytes more for each.

    ends  [rows + 1], where each begins, and the last one ends
    """

    __slots__ = ("data", "ends")

    def __init__(self, data: bytes | bytearray, ends: NDArray[np.int64]) -> None:
        self.data = data
        self.ends = ends

    def __len__(self) -> int:
        return len(self.ends) - 1

    def read(self, rows: slice | NDArray[Any]) -> list[str]:
        starts, ends = self.ends[:-1][rows].tolist(), self.ends[1:][rows].tolist()
        data = self.data
        return [data[start:end].decode() for start, end in zip(starts, ends, strict=True)]

    def take(self, rows: Sequence[int] | NDArray[Any]) -> Self:
        made = TextBuilder()
        for row in _numbers(rows).tolist():
            made.append(self[row])
        column = made.done()
        return type(self)(column.data, column.ends)


class FloatBuilder:
    """Makes a FloatColumn, row by row."""

    def __init__(self) -> None:
        self._numbers = array("d")

    def append(self, value: float | None) -> None:
        self._numbers.append(math.nan if value is None else value)

    def done(self) -> FloatColumn:
        return FloatColumn(np.frombuffer(self._numbers, dtype=np.float64))


class CodedBuilder(Generic[H]):
    """Makes a CodedColumn, row by row. Equal values become one object."""

    def __init__(self) -> None:
        self._codes = array("i")
        self._known: dict[H, int] = {}

    def append(self, value: H) -> None:
        self._codes.append(self._known.setdefault(value, len(self._known)))

    def done(self) -> CodedColumn[H]:
        codes = np.frombuffer(self._codes, dtype=np.int32)
        smallest = np.min_scalar_type(max(len(self._known) - 1, 0))
        if smallest.itemsize < codes.itemsize:
            codes = codes.astype(smallest)
        return CodedColumn(codes, list(self._known))


class TextBuilder:
    """Makes a TextColumn, row by row."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._ends = array("q", [0])

    def append(self, text: str) -> None:
        self._data += text.encode()
        self._ends.append(len(self._data))

    def done(self) -> TextColumn:
        return TextColumn(self._data, np.frombuffer(self._ends, dtype=np.int64))


def coded(values: Iterable[H]) -> CodedColumn[H]:
    """The values as a column, with codes in the order of first appearance."""
    made: CodedBuilder[H] = CodedBuilder()
    for value in values:
        made.append(value)
    return made.done()


def take(values: Sequence[T], rows: Sequence[int] | NDArray[Any]) -> Sequence[T]:
    """The values of the rows with these numbers, as a column where they are one."""
    if isinstance(values, Column):
        return values.take(rows)
    taken = [values[row] for row in (rows.tolist() if isinstance(rows, np.ndarray) else rows)]
    return tuple(taken) if isinstance(values, tuple) else taken


def chained(columns: Iterable[Sequence[T]]) -> Sequence[T]:
    """The rows of one after those of another; numbers stay a column."""
    parts = list(columns)
    if all(isinstance(part, FloatColumn) for part in parts):
        numbers = [part.numbers for part in parts if isinstance(part, FloatColumn)]
        return FloatColumn(np.concatenate([np.empty(0), *numbers]))  # type: ignore[return-value]
    return parts[0] if len(parts) == 1 else [value for part in parts for value in part]


def _numbers(rows: Sequence[int] | NDArray[Any]) -> NDArray[Any]:
    if isinstance(rows, range):
        return np.arange(rows.start, rows.stop, rows.step)
    return np.asarray(rows, dtype=np.int64)
