"""Batches that run side by side: the results of one thread, in order."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from faithkit.models.batching import batches, batches_for_threads, map_in_threads, windows


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_results_come_in_the_order_of_the_work(threads: int) -> None:
    assert list(map_in_threads(lambda n: n * n, iter(range(20)), threads)) == [
        n * n for n in range(20)
    ]
    assert list(map_in_threads(str, [], threads)) == []


def test_threads_work_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=10)  # passes only if two wait for it
    assert list(map_in_threads(lambda _: both.wait() >= 0, range(4), 2)) == [True] * 4


def test_work_is_taken_as_it_is_needed() -> None:
    taken = []

    def work() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = map_in_threads(lambda n: n, work(), 2)
    assert next(results) == 0 and len(taken) <= 6
    results.close()  # type: ignore[attr-defined]


def test_what_work_raises_is_raised() -> None:
    def fail(number: int) -> int:
        raise ValueError(str(number))

    with pytest.raises(ValueError, match="0"):
        list(map_in_threads(fail, range(3), 2))


def test_a_small_input_is_divided_among_threads() -> None:
    lengths = [10, 9, 8, 7]
    assert list(batches(lengths, 512)) == [[0, 1, 2, 3]]
    assert len(list(batches_for_threads(lengths, 512, 2))) >= 2
    assert sorted(n for batch in batches_for_threads(lengths, 512, 2) for n in batch) == [
        0,
        1,
        2,
        3,
    ]
    assert list(batches_for_threads([600, 5], 512, 2)) == [[0], [1]]
    assert list(batches_for_threads([], 512, 2)) == []


def test_windows_reach_their_tokens_in_order_and_take_no_more_than_they_need() -> None:
    taken = []

    def items() -> Iterator[int]:
        for length in (5, 3, 9, 1, 1):
            taken.append(length)
            yield length

    found = windows(items(), lambda length: length, 8)
    assert next(found) == [5, 3] and taken == [5, 3]
    assert list(found) == [[9], [1, 1]]
    assert list(windows([], len, 8)) == []
