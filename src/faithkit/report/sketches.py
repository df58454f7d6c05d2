"""Statistics of many values in bounded memory: quantiles, the number of distinct texts, a sample.

Each is exact up to a number of values, and beyond that an approximation with a stated error.
"""

from __future__ import annotations

import math
import random
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

EXACT = 200_000
"""The number of values up to which a figure is exact."""

ACCURACY = 0.001
"""The largest relative error of a quantile of more than EXACT values."""

_GAMMA = math.log((1 + ACCURACY) / (1 - ACCURACY))
_LEAST = 1e-12
"""Values nearer to zero count as zero."""


class Quantiles:
    """Quantiles: exact up to `exact` values, then by a DDSketch (Masson, Rim and Lee, VLDB 2019)
    with a relative error of at most `ACCURACY`. The sketch counts values in buckets whose borders
    grow by a constant factor."""

    def __init__(self, exact: int = EXACT) -> None:
        self._exact = exact
        self._values: array[float] | None = array("d")
        self._buckets: Counter[int] = Counter()
        self.count = 0
        self.least, self.greatest = math.inf, -math.inf

    def add(self, value: float) -> None:
        """Adds a value."""
        self.count += 1
        self.least, self.greatest = min(self.least, value), max(self.greatest, value)
        if self._values is None:
            self._buckets[_bucket(value)] += 1
            return
        self._values.append(value)
        if len(self._values) > self._exact:
            self._buckets.update(map(_bucket, self._values))
            self._values = None

    def counted(self) -> Iterator[tuple[float, int]]:
        """The values in ascending order, each with its number of occurrences."""
        if self._values is not None:
            yield from ((value, 1) for value in sorted(self._values))
            return
        for bucket in sorted(self._buckets):
            value = min(max(_middle(bucket), self.least), self.greatest)
            yield value, self._buckets[bucket]

    def median(self) -> float | None:
        """The median; of an even number of values, the mean of the two in the middle. None without
        a value."""
        if not self.count:
            return None
        lower, upper = self._at((self.count - 1) // 2), self._at(self.count // 2)
        return lower if lower == upper else (lower + upper) / 2

    def _at(self, index: int) -> float:
        """The value at an index of the sorted values. Raises IndexError beyond the last."""
        passed = 0
        for value, count in self.counted():
            passed += count
            if passed > index:
                return value
        raise IndexError(index)


_ZERO = 2**40
"""Added to the number of a bucket, so that buckets of negative values have negative numbers and all
are in order."""


def _bucket(value: float) -> int:
    """The number of the bucket of a value; 0 for zero."""
    if abs(value) < _LEAST:
        return 0
    number = math.ceil(math.log(abs(value)) / _GAMMA) + _ZERO
    return number if value > 0 else -number


def _middle(bucket: int) -> float:
    """The value that stands for a bucket."""
    if not bucket:
        return 0.0
    # The point whose relative distance to both borders of the bucket is the same.
    middle = 2 * math.exp((abs(bucket) - _ZERO) * _GAMMA) / (math.exp(_GAMMA) + 1)
    return math.copysign(middle, bucket)


class Distinct:
    """The number of distinct texts: exact up to `most`, then estimated from the `most` smallest
    hashes (Bar-Yossef et al., RANDOM 2002), with a relative standard error of 1 / sqrt(most)."""

    def __init__(self, most: int = EXACT) -> None:
        self._most = most
        self._hashes: array[int] = array("Q")
        self._limit = 2**64

    def add(self, text: str) -> None:
        """Adds a text."""
        hashed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
        if hashed < self._limit:
            self._hashes.append(hashed)
            if len(self._hashes) >= 2 * self._most:
                self._shrink()

    def _shrink(self) -> None:
        """Removes repeated hashes, and all but the `most` smallest."""
        smallest = np.unique(np.frombuffer(self._hashes, dtype=np.uint64))[: self._most]
        self._hashes = array("Q", smallest.tobytes())
        if len(smallest) == self._most:
            self._limit = int(smallest[-1])

    def count(self) -> int:
        """The number of distinct texts."""
        self._shrink()
        if len(self._hashes) < self._most:
            return len(self._hashes)
        return round((self._most - 1) / (self._limit / 2**64))


class Sample:
    """A sample of rows of numbers (None for a missing number): all rows up to `most`, then a random
    sample of that size in which each row has the same probability (Vitter's algorithm R, ACM TOMS
    1985; fixed seed)."""

    def __init__(self, columns: int, most: int = EXACT) -> None:
        self._columns: list[array[float]] = [array("d") for _ in range(columns)]
        self._most = most
        self._draw = random.Random(0)
        self.count = 0

    def add(self, row: Sequence[float | None]) -> None:
        """Adds a row."""
        self.count += 1
        cells = [math.nan if value is None else value for value in row]
        if self.count <= self._most:
            for column, cell in zip(self._columns, cells, strict=True):
                column.append(cell)
            return
        index = self._draw.randrange(self.count)
        if index < self._most:
            for column, cell in zip(self._columns, cells, strict=True):
                column[index] = cell

    @property
    def is_whole(self) -> bool:
        """Whether the sample holds all rows."""
        return self.count <= self._most

    def column(self, number: int) -> NDArray[np.float64]:
        """The numbers of a column; NaN if a row has none."""
        return np.array(self._columns[number], dtype=np.float64)
