"""Metrics' scores of the texts of cases, each distinct text scored once.

Scores are kept by the run's cache (`faithkit.cache`), so a run that was killed goes on where it
was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from faithkit import run as runs
from faithkit.cache import Cache
from faithkit.records import TRANSIENT, Coverage, Example
from faithkit.run import Prepared
from faithkit.stress.suites import difficulty
from faithkit.stress.suites.base import Case, Pair

BATCH = 256
"""Texts scored at once. Those of a source follow each other, so it is encoded once a batch."""

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of it, and of how many."""


class TextScore(NamedTuple):
    """A metric's score of a pair, and how much of it the metric saw."""

    value: float | None
    outcome: str
    coverage: Coverage


class MetricScores:
    """The scores of texts by several metrics.

    cache     where they are stored and looked up
    progress  is called after each batch
    """

    def __init__(self, prepared: Sequence[Prepared], cache: Cache, progress: Progress) -> None:
        self._metrics = {metric.label: metric for metric in prepared}
        self._cache, self._progress = cache, progress
        self._scores: dict[str, dict[Pair, TextScore]] = {label: {} for label in self._metrics}

    @property
    def labels(self) -> list[str]:
        return list(self._metrics)

    def trained_on(self, label: str) -> frozenset[str]:
        """The names of the data that a metric was trained on."""
        return self._metrics[label].trained_on

    def of(self, label: str, pair: Pair) -> TextScore:
        """A metric's score of a pair that `ensure` or `values` was given."""
        return self._scores[label][pair]

    def values(self, label: str, pairs: Sequence[Pair]) -> list[float | None]:
        """One metric's values of pairs, scored where they were not yet."""
        self._ensure({pair: f"text {number} of a search" for number, pair in enumerate(pairs)},
                     [label])  # fmt: skip
        return [self.of(label, pair).value for pair in pairs]

    def without_score(self) -> list[str]:
        """The metrics whose model failed on every text."""
        return [
            label
            for label, scores in self._scores.items()
            if scores and {score.outcome for score in scores.values()} <= TRANSIENT
        ]

    def ensure(self, cases: Iterable[Case], labels: Sequence[str] | None = None) -> None:
        """Scores the texts of cases that have no score yet, those of a source together. Metrics
        that lack the same texts see a batch one after the other, so those that share a model share
        its passes."""
        ids: dict[Pair, str] = {}
        for case in cases:
            for name, pair in case.texts.items():
                ids.setdefault(pair, f"{case.id} ({name})")
        self._ensure(ids, labels)

    def _ensure(self, ids: Mapping[Pair, str], labels: Sequence[str] | None) -> None:
        order = _by_source(ids)
        lacking: dict[tuple[Pair, ...], list[Prepared]] = {}
        for label in self.labels if labels is None else labels:
            missing = tuple(pair for pair in order if pair not in self._scores[label])
            if missing:
                lacking.setdefault(missing, []).append(self._metrics[label])
        for missing, prepared in lacking.items():
            name, done = ", ".join(metric.label for metric in prepared), 0
            examples = (Example(ids[pair], *pair) for pair in missing)
            for batch in runs.batched(examples, BATCH):
                rows = runs.score_batch(prepared, batch, self._cache)
                for example, row in zip(batch, rows, strict=True):
                    for metric, score in zip(prepared, row, strict=True):
                        self._scores[metric.label][example.source, example.summary] = TextScore(
                            score.value, str(score.outcome), score.coverage
                        )
                done += len(batch)
                self._progress(name, done, len(missing))


def features(
    pairs: Sequence[Pair], helpers: Sequence[Prepared], cache: Cache, progress: Progress
) -> list[list[float | None]]:
    """The shallow features of each pair: [pairs][6], None where one is missing.

    helpers  the metrics of `difficulty.metrics_needed`
    """
    names = [metric.metric.name for metric in helpers]
    rows: list[list[float | None]] = []
    examples = (Example(str(number), *pair) for number, pair in enumerate(pairs))
    for batch in runs.batched(examples, BATCH):
        for scores in runs.score_batch(helpers, batch, cache):
            rows.append(difficulty.features_of(dict(zip(names, scores, strict=True))))
        progress("shallow features", len(rows), len(pairs))
    return rows


def _by_source(pairs: Iterable[Pair]) -> list[Pair]:
    """The distinct pairs, those of a source together, in the order in which sources come."""
    by_source: dict[str, dict[Pair, None]] = {}
    for pair in pairs:
        by_source.setdefault(pair[0], {})[pair] = None
    return [pair for of_source in by_source.values() for pair in of_source]
