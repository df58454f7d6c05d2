"""Scoring from Python: `check` one summary, `score` many, or keep a `Scorer` that is loaded once.

Names and defaults are those of the command line. What comes back is in `results.py`.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from faithkit import inputs
from faithkit.metrics.loading import MetricLike
from faithkit.records import Example, Score
from faithkit.results import Check, Scores, shown_metrics
from faithkit.run import DEFAULT_METRICS, prepare, score_batch, scored_batches

if TYPE_CHECKING:
    from faithkit.cache import Cache

Metrics = MetricLike | Iterable[MetricLike]


class Scorer:
    """Metrics that are loaded once and score as often as they are asked.

    metrics   each a name with options (`bertscore:layer=3`, `path.py:Class`) or an object with
              what a metric declares; one may be given alone. Default: `support`
    device    cpu, cuda (or cuda:N) or mps; None: the best available
    dtype     float32, float16 or bfloat16; None: each model's default
    offline   never use the network
    cache     a SQLite file of scores to reuse and add to; None: the one that `faithkit score` uses
    no_cache  reuse only what one call itself has scored

    May be shared by threads and by the requests of an asynchronous server: one of them scores at a
    time, since models use every core by themselves. Raises ConfigError on an unknown metric or
    option and ModelError on a missing model, at once.
    """

    def __init__(
        self,
        metrics: Metrics = DEFAULT_METRICS,
        *,
        device: str | None = None,
        dtype: str | None = None,
        offline: bool = False,
        cache: str | Path | None = None,
        no_cache: bool = False,
    ) -> None:
        from faithkit.models.runtime import Runtime

        self._prepared = prepare(metrics, Runtime(device, dtype, offline))
        self.metrics = shown_metrics(self._prepared)
        self._cache = cache
        self._no_cache = no_cache
        self._lock = Lock()

    def check(self, source: str, summary: str) -> Check:
        """One summary against its source."""
        example = Example("summary", source, summary)
        with self._lock, self._store() as store:
            (scores,) = score_batch(self._prepared, [example], store)
        return self._checked(example, scores)

    async def acheck(self, source: str, summary: str) -> Check:
        """As `check`, in a thread, so that the server's loop goes on meanwhile."""
        return await asyncio.to_thread(self.check, source, summary)

    def score(
        self,
        examples: inputs.ExampleLike | Iterable[inputs.ExampleLike],
        *,
        column: Mapping[str, str] | None = None,
        batch_size: int | None = None,
        progress: bool | None = None,
    ) -> Scores:
        """All of the examples; see `faithkit.score`."""
        unique = inputs.unique_examples_of(examples, column)
        with _progress(len(unique), progress) as report:
            return Scores(tuple(self._checks(unique, batch_size, report)), self.metrics)

    def stream(
        self,
        examples: inputs.ExampleLike | Iterable[inputs.ExampleLike],
        *,
        column: Mapping[str, str] | None = None,
        batch_size: int | None = None,
    ) -> Iterator[Check]:
        """The checks one after the other, scored in batches as they are asked for, so that memory
        does not grow with the examples. Examples are read ahead by one batch, and whether their ids
        are unique is not checked. The next one may be asked for by another thread, as servers do.
        """
        return self._checks(inputs.examples_of(examples, column), batch_size, None)

    def _checks(
        self,
        examples: Iterable[Example],
        batch_size: int | None,
        report: Callable[[int], None] | None,
    ) -> Iterator[Check]:
        with self._store() as store:
            for batch, rows in scored_batches(
                self._prepared,
                examples,
                store,
                batch_size=batch_size,
                progress=report,
                lock=self._lock,
            ):
                for example, scores in zip(batch, rows, strict=True):
                    yield self._checked(example, scores)

    def _checked(self, example: Example, scores: list[Score]) -> Check:
        return Check(example, tuple(scores), self.metrics)

    def _store(self) -> Cache:
        from faithkit.cache import Cache, default_folder

        if self._no_cache:
            return Cache(None)
        return Cache(Path(self._cache) if self._cache else default_folder() / "scores.sqlite")


def check(
    source: str,
    summary: str,
    metrics: Metrics = DEFAULT_METRICS,
    *,
    device: str | None = None,
    dtype: str | None = None,
    offline: bool = False,
    cache: str | Path | None = None,
    no_cache: bool = False,
) -> Check:
    """One summary against its source: verdict, probability, unsupported words, evidence.

    metrics, device, dtype, offline, cache, no_cache  see `Scorer`, which is better for more than
        one summary: this loads the metrics anew
    """
    scorer = Scorer(
        metrics, device=device, dtype=dtype, offline=offline, cache=cache, no_cache=no_cache
    )
    return scorer.check(source, summary)


def score(
    examples: inputs.ExampleLike | Iterable[inputs.ExampleLike],
    metrics: Metrics = DEFAULT_METRICS,
    *,
    column: Mapping[str, str] | None = None,
    batch_size: int | None = None,
    progress: bool | None = None,
    device: str | None = None,
    dtype: str | None = None,
    offline: bool = False,
    cache: str | Path | None = None,
    no_cache: bool = False,
) -> Scores:
    """Scores examples: for each in order, one Score for each metric in order.

    examples    a list, each an Example, a dict with the fields of one, or a (source, summary)
                tuple; those without an id are numbered from "1". One may be given alone. Or a
                table: a pandas or polars DataFrame, a pyarrow Table, a `datasets.Dataset`, or a
                dict of columns (lists of one length)
    metrics     each a name with options or an object; see `Scorer`
    column      which key or column holds a field, such as {"source": "article"}
    batch_size  examples given to a metric at once; None: as many as take about two seconds
    progress    whether a bar is shown, in a notebook on its page, else on standard error; None: in
                a notebook only
    device, dtype, offline, cache, no_cache  see `Scorer`

    Raises DataError on an invalid example and on an id that is given twice for one system, before
    anything is scored, ConfigError and ModelError as `Scorer`; metrics are checked and loaded
    before an example is read.
    """
    scorer = Scorer(
        metrics, device=device, dtype=dtype, offline=offline, cache=cache, no_cache=no_cache
    )
    return scorer.score(examples, column=column, batch_size=batch_size, progress=progress)


@contextmanager
def _progress(total: int | None, wanted: bool | None) -> Iterator[Callable[[int], None] | None]:
    """A function to call with the number of examples done; None if no bar is shown."""
    notebook = _in_notebook()
    if wanted is False or (wanted is None and not notebook):
        yield None
    elif notebook:
        yield _notebook_bar(total)
    else:
        with _terminal_bar(total) as report:
            yield report


def _notebook_bar(total: int | None) -> Callable[[int], None]:
    """A bar of the notebook's page; each call shows it anew."""
    from IPython.display import HTML, display  # type: ignore[import-not-found,unused-ignore]

    started = time.monotonic()

    def shown(done: int) -> HTML:
        remaining = ""
        if total and 0 < done < total:
            seconds = (time.monotonic() - started) * (total - done) / done
            remaining = f", {timedelta(seconds=round(seconds))} left"
        if not total:
            return HTML(f"scored {done}")
        bar = f'<progress value="{done}" max="{total}"></progress>'
        return HTML(f"{bar} scored {done} of {total}{remaining}")

    bar = display(shown(0), display_id=True)
    return lambda done: bar.update(shown(done))


@contextmanager
def _terminal_bar(total: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("scoring"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as bar:
        task = bar.add_task("scoring", total=total)
        yield lambda done: bar.update(task, completed=done)


def _in_notebook() -> bool:
    """Whether an IPython kernel, which has a page to show things on, runs this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
