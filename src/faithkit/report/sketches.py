"""What many values add up to in little memory: quantiles, the number of distinct texts, a sample.

Each is exact up to a number of values, and from there on a sketch whose error is stated.
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
"""Values up to which a figure is exact."""

ACCURACY = 0.001
"""The largest relative error of a quantile of more values."""

_GAMMA = math.log((1 + ACCURACY) / (1 - ACCURACY))
_LEAST = 1e-12
"""What is nearer to zero counts as zero."""


class Quantiles:
    """Values by their order: exact up to `exact` of them, then a DDSketch (Masson, Rim and Lee,
    VLDB 2019), whose quantiles are off by at most `ACCURACY` of themselves. It keeps the number of
    values in buckets whose borders grow by a constant factor."""

    def __init__(self, exact: int = EXACT) -> None:
        self._exact = exact
        self._values: array[float] | None = array("d")
        self._buckets: Counter[int] = Counter()
        self.count = 0
        self.least, self.greatest = math.inf, -math.inf

    def add(self, value: float) -> None:
        """One value more."""
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
        """Values in order, each with how often it occurs."""
        if self._values is not None:
            yield from ((value, 1) for value in sorted(self._values))
            return
        for bucket in sorted(self._buckets):
            value = min(max(_middle(bucket), self.least), self.greatest)
            yield value, self._buckets[bucket]

    def median(self) -> float | None:
        """None without a value. Of an even number of values the mean of the two in the middle."""
        if not self.count:
            return None
        lower, upper = self._at((self.count - 1) // 2), self._at(self.count // 2)
        return lower if lower == upper else (lower + upper) / 2

    def _at(self, place: int) -> float:
        passed = 0
        for value, count in self.counted():
            passed += count
            if passed > place:
                return value
        raise IndexError(place)


_ZERO = 2**40
"""Added to the number of a bucket, so that those of negative values are negative and in order."""


def _bucket(value: float) -> int:
    if abs(value) < _LEAST:
        return 0
    number = math.ceil(math.log(abs(value)) / _GAMMA) + _ZERO
    return number if value > 0 else -number


def _middle(bucket: int) -> float:
    if not bucket:
        return 0.0
    # The point of a bucket whose relative distance to both of its borders is the same.
    middle = 2 * math.exp((abs(bucket) - _ZERO) * _GAMMA) / (math.exp(_GAMMA) + 1)
    return math.copysign(middle, bucket)


class Distinct:
    """How many texts differ: exact up to `most`, then estimated from the `most` smallest of their
    hashes (Bar-Yossef et al., RANDOM 2002), with a standard error of 1 / sqrt(most)."""

    def __init__(self, most: int = EXACT) -> None:
        self._most = most
        self._hashes: array[int] = array("Q")
        self._limit = 2**64

    def add(self, text: str) -> None:
        """One text more."""
        hashed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
        if hashed < self._limit:
            self._hashes.append(hashed)
            if len(self._hashes) >= 2 * self._most:
                self._shrink()

    def _shrink(self) -> None:
        kept = np.unique(np.frombuffer(self._hashes, dtype=np.uint64))[: self._most]
        self._hashes = array("Q", kept.tobytes())
        if len(kept) == self._most:
            self._limit = int(kept[-1])

    def count(self) -> int:
        """How many there are."""
        self._shrink()
        if len(self._hashes) < self._most:
            return len(self._hashes)
        return round((self._most - 1) / (self._limit / 2**64))


class Sample:
    """Rows of numbers, None if a row has none: all of up to `most`, then as many drawn at
    random, each with the same chance (Vitter's algorithm R, ACM TOMS 1985; fixed seed)."""

    def __init__(self, columns: int, most: int = EXACT) -> None:
        self._columns: list[array[float]] = [array("d") for _ in range(columns)]
        self._most = most
        self._draw = random.Random(0)
        self.seen = 0

    def add(self, row: Sequence[float | None]) -> None:
        """One row more."""
        self.seen += 1
        cells = [math.nan if value is None else value for value in row]
        if self.seen <= self._most:
            for column, cell in zip(self._columns, cells, strict=True):
                column.append(cell)
            return
        place = self._draw.randrange(self.seen)
        if place < self._most:
            for column, cell in zip(self._columns, cells, strict=True):
                column[place] = cell

    @property
    def is_whole(self) -> bool:
        """Whether all rows are in it."""
        return self.seen <= self._most

    def column(self, number: int) -> NDArray[np.float64]:
        """A column; NaN if a row has no number."""
        return np.array(self._columns[number], dtype=np.float64)
