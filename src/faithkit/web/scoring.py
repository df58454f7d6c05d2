"""The metrics of the app: loaded once, run in one thread, so that the server answers meanwhile.

A request is one piece of work and a file is many, so that requests pass between the batches of a
file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from faithkit import run
from faithkit.cache import Cache
from faithkit.records import Example, Score
from faithkit.run import Prepared
from faithkit.web.answers import Refusal
from faithkit.web.limits import Limits

T = TypeVar("T")


class Scorer:
    """The metrics that a server was started with.

    prepared  the metrics; the first is the one that marks words while a person writes
    """

    def __init__(self, prepared: Sequence[Prepared], limits: Limits) -> None:
        self.prepared = prepared
        self.limits = limits
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="faithkit-metrics")

    async def score(
        self, examples: Sequence[Example], metrics: Sequence[Prepared]
    ) -> list[list[Score]]:
        """[examples][metrics]. Raises Refusal where a text is too long, too many requests wait, or
        time is up."""
        for example in examples:
            self._check_length(example)
        if self._waiting >= self.limits.waiting:
            raise Refusal(
                429, f"{self._waiting} requests are waiting already; try again shortly.", 1
            )
        # Nothing is kept: a person who writes makes a new text with every letter.
        store = Cache(None)
        store.close()
        self._waiting += 1
        work = self._thread.submit(run.score_batch, metrics, examples, store)
        work.add_done_callback(self._leave_queue(asyncio.get_running_loop()))
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await asyncio.wrap_future(work)
        except TimeoutError:
            raise Refusal(
                503, f"This took longer than {self.limits.seconds:g} seconds; send less at once.", 5
            ) from None

    def _check_length(self, example: Example) -> None:
        length = len(example.source) + len(example.summary)
        if length > self.limits.text:
            raise Refusal(
                413,
                f"The source and the summary have {length:,} characters; the app checks "
                f"{self.limits.text:,} at most. `faithkit check` takes any number.",
            )

    def _leave_queue(self, loop: asyncio.AbstractEventLoop) -> Callable[[Future[T]], None]:
        """What counts a piece of work down when it ends, which may be after its request did."""

        def count_down() -> None:
            self._waiting -= 1

        def ended(_: Future[T]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(count_down)

        return ended

    async def run(self, work: Callable[[], T]) -> T:
        """A batch of a file, or whatever else is for the thread of the metrics."""
        return await asyncio.wrap_future(self._thread.submit(work))

    def dismiss(self, end: Callable[[], object]) -> None:
        """Ends something in the thread of the metrics, after what runs there."""
        with suppress(RuntimeError):  # closed: the process ends
            self._thread.submit(end)

    def close(self) -> None:
        """Takes no more work. What it has taken, it does."""
        self._thread.shutdown(wait=False)
