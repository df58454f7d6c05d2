"""One file scored by several processes: batches go to workers, and their scores come back in the
order of the file. What is written, resumed and reported is `run`'s."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from faithkit import run
from faithkit.cache import Cache
from faithkit.metrics.spec import MetricSpec
from faithkit.models.runtime import Runtime
from faithkit.records import Example, ModelError, Score
from faithkit.scale.workers import Note, Pool

Scores = list[list[Score]]

BATCH_SIZE = 32
"""Examples of a batch where no size is given: enough to be worth sending, few enough that all
workers end at about the same time."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive examples. number: from 0."""

    number: int
    examples: tuple[Example, ...]


@dataclass
class BatchScorer:
    """A worker's service. Metrics are loaded at the first batch.

    cache  the file of scores; None: only what this worker has scored is reused
    """

    specs: tuple[MetricSpec, ...]
    runtime: Runtime
    cache: Path | None
    _prepared: list[run.Prepared] = field(default_factory=list)
    _store: Cache | None = None

    def __call__(self, batch: Batch, _note: Note) -> Scores:
        """[examples][metrics]."""
        self._prepared = self._prepared or run.prepare(self.specs, self.runtime)
        if self._store is None:
            self._store = Cache(self.cache)
        return run.score_batch(self._prepared, batch.examples, self._store)


@dataclass(frozen=True, slots=True)
class Workers:
    """Scores batches by `count` processes; a `run.Scoring`. Metrics are named by their specs, since
    each process loads its own."""

    count: int
    specs: tuple[MetricSpec, ...]
    runtime: Runtime

    def __call__(
        self,
        prepared: Sequence[run.Prepared],
        examples: Iterable[Example],
        store: Cache,
        *,
        batch_size: int | None = None,
        done: int = 0,
        progress: run.Progress | None = None,
        lock: AbstractContextManager[object] | None = None,
    ) -> Iterator[tuple[list[Example], Scores]]:
        """As `run.scored_batches`. Raises ModelError where a worker's process ends."""
        del prepared, lock  # each process has its own
        scorer = BatchScorer(self.specs, self.runtime, store.path)
        batches = (
            Batch(number, tuple(batch))
            for number, batch in enumerate(run.batched(examples, batch_size or BATCH_SIZE))
        )
        early: dict[int, tuple[Batch, Scores]] = {}
        following = 0
        with Pool(scorer, self.count) as pool:
            for event in pool.run(batches):
                if event.kind == "died":
                    raise ModelError(_died(event.task, event.value))
                if event.kind != "done":
                    continue
                early[event.task.number] = event.task, event.value
                while following in early:
                    batch, scores = early.pop(following)
                    following += 1
                    yield list(batch.examples), scores
                    done += len(batch.examples)
                    if progress:
                        progress(done)


def _died(batch: Batch, code: int) -> str:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return (
        f"a worker process ended ({how}) while it scored the rows from '{batch.examples[0].id}' to "
        f"'{batch.examples[-1].id}'; with -o FOLDER/ rows that end a process are left out singly"
    )
