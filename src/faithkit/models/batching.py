"""Batches by tokens, and each distinct input once. Imports no model library."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from faithkit.models.protocols import Ints

Item = TypeVar("Item", bound=Hashable)
Thing = TypeVar("Thing")
Work = TypeVar("Work")
Result = TypeVar("Result")


class TokenBudget(NamedTuple):
    """Padded tokens in one forward pass, on the CPU and on an accelerator."""

    cpu: int
    accelerator: int

    def on(self, device: str) -> int:
        """device: its type, as in `torch.device.type`."""
        return self.cpu if device == "cpu" else self.accelerator


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Positions grouped longest first, so that rows × longest stays within `budget` tokens."""
    order = sorted(range(len(lengths)), key=lambda position: (-lengths[position], position))
    batch: list[int] = []
    for position in order:
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def divided(lengths: Sequence[int], budget: int, threads: int) -> Iterator[list[int]]:
    """As `batches`, in smaller ones where there would be fewer than threads."""
    return batches(lengths, min(budget, -(-sum(lengths) // threads)))


def windows(
    items: Iterable[Thing], length: Callable[[Thing], int], tokens: float
) -> Iterator[list[Thing]]:
    """The items in order as they come, in lists that reach so many tokens; the last may not."""
    window: list[Thing] = []
    size = 0
    for item in items:
        window.append(item)
        size += length(item)
        if size >= tokens:
            yield window
            window, size = [], 0
    if window:
        yield window


def side_by_side(
    run: Callable[[Work], Result], work: Iterable[Work], threads: int
) -> Iterator[Result]:
    """What `run` returns for each piece of work, in order, computed by so many threads. Pieces are
    taken as they are needed, so that few wait at a time, while others are computed: work that is
    made on the way overlaps with what is done with it."""
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


def once_each(items: Sequence[Item], run: Callable[[list[Item]], Sequence[Result]]) -> list[Result]:
    """What `run` returns for each item, in order; equal items are passed to it once. It is not
    called for no items."""
    distinct = list(dict.fromkeys(items))
    if not distinct:
        return []
    results = dict(zip(distinct, run(distinct), strict=True))
    return [results[item] for item in items]


def padded(
    rows: Sequence[Sequence[int] | Ints], filler: int, *, left: bool = False, width: int = 0
) -> tuple[Ints, Ints]:
    """(ids, mask), both [rows, longest]: ids filled up on the right (or the left) with `filler`,
    and 1 for what is no filler.

    width  at least so many columns
    """
    width = max(width, *map(len, rows))
    ids = np.full((len(rows), width), filler, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for number, row in enumerate(rows):
        part = slice(width - len(row), width) if left else slice(len(row))
        ids[number, part] = row
        mask[number, part] = 1
    return ids, mask
