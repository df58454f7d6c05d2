"""Rows that end the process which scores them: found, tried alone, and given up.

A worker says which rows it hands to a metric before it does. When it dies, they are suspected: the
shard is tried again as it was; where it dies with them again, each is scored alone; a row that ends
its worker alone, twice, has the outcome `model_error` for that metric. A process that was killed
from outside (SIGKILL, SIGTERM) says less about its row, which is then tried alone five times.
"""

from __future__ import annotations

import dataclasses
import signal
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import cast

from faithkit import files
from faithkit.metrics.base import DECLARATIONS, REQUIRED, Metric
from faithkit.records import Example, ModelError, Outcome, Score, unscored
from faithkit.run import Prepared

Row = tuple[str, str, int]
"""A metric's label, an example's id and a hash of its texts."""

CRASHES, KILLS = 2, 5
"""How often a row must end its worker, alone, before it is given up: by a crash, by a kill."""

MOST_GIVEN_UP = 10
"""Rows of a shard that may be given up; with more, the metric itself must be broken."""

MOST_CRASHES, MOST_KILLS = 5, 50
"""How often a worker may end over a shard while no metric has its rows: by a crash, by a kill."""


def row_of(label: str, example: Example) -> Row:
    """Identifies a row within its shard, even if ids repeat."""
    return label, example.id, files.short_hash(f"{example.source}\0{example.summary}")


@dataclass(slots=True)
class Suspicion:
    """The state of a shard whose worker has died.

    suspects  rows that are scored alone
    given_up  rows that are not scored any more
    """

    suspects: frozenset[Row] = frozenset()
    given_up: frozenset[Row] = frozenset()
    before: frozenset[Row] = frozenset()
    alone: Counter[Row] = field(default_factory=Counter)
    deaths: int = 0

    def died(self, rows: Sequence[Row], exit_code: int | None, shard: str) -> None:
        """A worker died while a metric had these rows (none: while it did something else). Raises
        ModelError where it is no use to try again.

        exit_code  negative: the signal; None: not known
        """
        how = _how(exit_code)
        killed = exit_code in (None, -signal.SIGKILL, -signal.SIGTERM)
        if not rows:
            self.deaths += 1
            if self.deaths >= (MOST_KILLS if killed else MOST_CRASHES):
                raise ModelError(f"{shard}: its worker died {self.deaths} times ({how})")
            return
        self.deaths = 0
        row = rows[0]
        if len(rows) == 1 and row in self.suspects:
            self.alone[row] += 1
            if self.alone[row] >= (KILLS if killed else CRASHES):
                self.given_up |= {row}
            if len(self.given_up) > MOST_GIVEN_UP:
                raise ModelError(
                    f"{shard}: {len(self.given_up)} rows ended their worker, the last '{row[1]}' "
                    f"with {row[0]} ({how}); the metric itself seems broken"
                )
        elif self.before & frozenset(rows):
            self.suspects |= frozenset(rows)
        self.before = frozenset(rows)


def _how(exit_code: int | None) -> str:
    if exit_code is None:
        return "its process or machine is gone"
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"exit code {exit_code}"


class _Watched(Metric):
    """A metric that says which rows it has before it scores them, and scores suspects alone."""

    def __init__(
        self,
        scorer: Prepared,
        tell: Callable[[list[Row]], None],
        suspects: Collection[Row],
        given_up: Collection[Row],
    ) -> None:
        self._scorer, self._tell = scorer, tell
        self._suspects, self._given_up = suspects, given_up
        for name in DECLARATIONS.union(REQUIRED) - {"score"}:
            setattr(self, name, getattr(scorer.metric, name))

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """As the metric's own."""
        scores: dict[int, Score] = {}
        together: list[int] = []
        for number, example in enumerate(examples):
            row = row_of(self._scorer.label, example)
            if row in self._given_up:
                scores[number] = unscored(example, self.name, Outcome.MODEL_ERROR)
            elif row in self._suspects:
                self._tell([row])
                (scores[number],) = self._scorer.metric.score([example])
            else:
                together.append(number)
        if together:
            chosen = [examples[number] for number in together]
            self._tell([row_of(self._scorer.label, example) for example in chosen])
            batch = self._scorer.metric.score(chosen)
            if not scores:
                return list(batch)  # checked by whoever asked
            scores |= dict(zip(together, batch, strict=True))
        return [scores[number] for number in range(len(examples))]


def watched(
    scorer: Prepared,
    tell: Callable[[list[Row]], None],
    suspects: Collection[Row] = (),
    given_up: Collection[Row] = (),
) -> Prepared:
    """The metric with `tell` called before each of its batches, with the rows of it."""
    metric = cast("Metric", _Watched(scorer, tell, suspects, given_up))
    return dataclasses.replace(scorer, metric=metric)
