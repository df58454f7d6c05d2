"""Groups inputs into batches by tokens, and runs each distinct input once. Imports no model
library."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from faithkit.models.protocols import Ints

Item = TypeVar("Item", bound=Hashable)
T = TypeVar("T")
Work = TypeVar("Work")
Result = TypeVar("Result")


class TokenBudget(NamedTuple):
    """The most tokens of one forward pass, padding included, on the CPU and on an accelerator."""

    cpu: int
    accelerator: int

    def on(self, device: str) -> int:
        """The budget on a device. device: its type, as in `torch.device.type`."""
        return self.cpu if device == "cpu" else self.accelerator


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Groups positions, the longest first, so that rows × longest is at most `budget` tokens. An
    input that is longer by itself is a batch of its own."""
    order = sorted(range(len(lengths)), key=lambda position: (-lengths[position], position))
    batch: list[int] = []
    for position in order:
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def batches_for_threads(lengths: Sequence[int], budget: int, threads: int) -> Iterator[list[int]]:
    """As `batches`, but in smaller batches if there would be fewer batches than threads."""
    return batches(lengths, min(budget, -(-sum(lengths) // threads)))


def windows(items: Iterable[T], length: Callable[[T], int], tokens: float) -> Iterator[list[T]]:
    """The items in their order, in lists of at least `tokens` tokens; the last may have fewer."""
    window: list[T] = []
    size = 0
    for item in items:
        window.append(item)
        size += length(item)
        if size >= tokens:
            yield window
            window, size = [], 0
    if window:
        yield window


def map_in_threads(
    run: Callable[[Work], Result], work: Iterable[Work], threads: int
) -> Iterator[Result]:
    """The results of `run` for each piece of work, in order, computed by this many threads. A piece
    is taken from `work` only shortly before it is needed, so that preparing pieces overlaps with
    computing, and few are in memory at a time."""
    if threads == 1:
        yield from map(run, work)
        return
    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Future[Result]] = deque()
        for piece in work:
            pending.append(pool.submit(run, piece))
            if len(pending) > 2 * threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def map_distinct(
    items: Sequence[Item], run: Callable[[list[Item]], Sequence[Result]]
) -> list[Result]:
    """The results of `run` for each item, in order. Equal items are passed to `run` once; without
    items it is not called."""
    distinct = list(dict.fromkeys(items))
    if not distinct:
        return []
    results = dict(zip(distinct, run(distinct), strict=True))
    return [results[item] for item in items]


def padded(
    rows: Sequence[Sequence[int] | Ints], filler: int, *, left: bool = False, width: int = 0
) -> tuple[Ints, Ints]:
    """Pads rows of ids to the same length. Returns ids and mask, both [rows, longest]; the mask is
    1 for a token and 0 for padding.

    filler  the id of padding
    left    whether to pad on the left instead of the right
    width   the least number of columns
    """
    width = max(width, *map(len, rows))
    ids = np.full((len(rows), width), filler, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for index, row in enumerate(rows):
        columns = slice(width - len(row), width) if left else slice(len(row))
        ids[index, columns] = row
        mask[index, columns] = 1
    return ids, mask
