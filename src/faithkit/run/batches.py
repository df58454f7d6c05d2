"""Batches of examples through prepared metrics: paced, de-duplicated, cached and checked."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import islice
from typing import Protocol

from faithkit import cache
from faithkit.extras import explained
from faithkit.metrics import user_code
from faithkit.metrics.base import Metric
from faithkit.records import (
    TRANSIENT,
    ConfigError,
    DataError,
    Example,
    FaithkitError,
    ModelError,
    Score,
    canonical_json,
)
from faithkit.run.preparation import Prepared

BATCH_SIZE = 64
"""The most examples handed to a metric at once, unless a size is given. Encoders make batches of
tokens out of them."""

LEAST_BATCH = 8
BATCH_SECONDS = 2.0
"""Where no size is given, a batch has about as many examples as take this long."""

BOUNDS_TOLERANCE = 1e-6
"""How far a value may pass a metric's bounds: what float32 leaves of a cosine of 1."""

Progress = Callable[[int], None]
"""Called with the number of examples done so far."""


class Scoring(Protocol):
    """Interface for scoring the batches of a run: `scored_batches` here, or several processes
    (`scale.Workers`)."""

    def __call__(
        self,
        prepared: Sequence[Prepared],
        examples: Iterable[Example],
        store: cache.Cache,
        *,
        batch_size: int | None = None,
        done: int = 0,
        progress: Progress | None = None,
    ) -> Iterator[tuple[list[Example], list[list[Score]]]]:
        """See `scored_batches`."""
        ...


def scored_batches(
    prepared: Sequence[Prepared],
    examples: Iterable[Example],
    store: cache.Cache,
    *,
    batch_size: int | None = None,
    done: int = 0,
    progress: Progress | None = None,
    lock: AbstractContextManager[object] | None = None,
) -> Iterator[tuple[list[Example], list[list[Score]]]]:
    """(examples, their scores [examples][metrics]), batch by batch, in order.

    batch_size  examples of a batch; None for as many as take about two seconds
    done        examples done before, which `progress` counts too
    progress    called with the number done after each batch, and while a chat model answers a
                batch, with about how many are
    lock        held while a batch is scored, where several threads share the metrics
    """
    report = progress or _silent
    if batch_size is None and any(scorer.chats for scorer in prepared):
        # Its answers are reported singly, and it is quickest with many prompts at once.
        batch_size = BATCH_SIZE
    for batch in batched(examples, batch_size):
        reported = 0

        def within(share: float, done: int = done, size: int = len(batch)) -> None:
            nonlocal reported
            if (rows := min(int(share * size), size - 1)) > reported:
                reported = rows
                report(done + rows)

        with lock or nullcontext():
            scores = score_batch(prepared, batch, store, within)
        yield batch, scores
        done += len(batch)
        report(done)


def _silent(_: float) -> None:
    return


def batched(examples: Iterable[Example], size: int | None = None) -> Iterator[list[Example]]:
    """Lists of at most `size` examples, in order. Without a size: of as many as whoever takes them
    needs about two seconds for, at least 8 and at most 64, those of one source together."""
    if size is None:
        yield from _paced(examples)
        return
    if not isinstance(size, int) or size < 1:
        raise ConfigError(f"batch_size should be a whole number, 1 or more, found {size!r}.")
    iterator = iter(examples)
    while batch := list(islice(iterator, size)):
        yield batch


def _paced(examples: Iterable[Example]) -> Iterator[list[Example]]:
    size = LEAST_BATCH
    batch: list[Example] = []
    for example in examples:
        # A metric reads a source once for all its summaries in a batch.
        ends = len(batch) >= size and example.source != batch[-1].source
        if ends or len(batch) == BATCH_SIZE:
            started = time.monotonic()
            yield batch
            rate = len(batch) / max(time.monotonic() - started, 1e-3)
            size = min(BATCH_SIZE, max(LEAST_BATCH, round(rate * BATCH_SECONDS)))
            batch = []
        batch.append(example)
    if batch:
        yield batch


def score_batch(
    prepared: Sequence[Prepared],
    examples: Sequence[Example],
    store: cache.Cache,
    progress: Callable[[float], None] = _silent,
) -> list[list[Score]]:
    """[examples][metrics]. Each distinct (signature, what the metric reads) is scored once.

    progress  called with the share of the work that is done, as far as chat models answer it
    """
    columns: list[list[Score]] = []
    for scorer in prepared:
        with _listening(scorer, partial(_share, progress, len(columns), len(prepared))):
            columns.append(_column(scorer, examples, store))
    return [list(row) for row in zip(*columns, strict=True)]


def _share(progress: Callable[[float], None], column: int, columns: int, share: float) -> None:
    progress((column + share) / columns)


def _listening(scorer: Prepared, progress: Callable[[float], None]) -> AbstractContextManager[None]:
    if not scorer.chats:
        return nullcontext()
    from faithkit.models.chat import transcripts

    return transcripts.listening(progress)


def _column(scorer: Prepared, examples: Sequence[Example], store: cache.Cache) -> list[Score]:
    digest = scorer.signature.digest
    keys = [cache.key(digest, _texts_read(scorer.metric, example)) for example in examples]
    stored = store.get(list(dict.fromkeys(keys)))
    try:
        scores = {key: Score.from_row(row) for key, row in stored.items()}
    except DataError as error:
        store.give_up(error)
        scores = {}
    missing = {key: e for key, e in zip(keys, examples, strict=True) if key not in scores}
    if missing:
        fresh = dict(zip(missing, _call(scorer, list(missing.values())), strict=True))
        scores |= fresh
        store.put(
            (key, score.to_row()) for key, score in fresh.items() if score.outcome not in TRANSIENT
        )
    for key, example in zip(keys, examples, strict=True):
        _check_bounds(scorer, scores[key].value, example.id)
    consistent_from = scorer.metric.verdict_from(scorer.signature.options)
    return [
        dataclasses.replace(
            scores[key],
            id=example.id,
            metric=scorer.label,
            signature=scorer.signature,
            parts=_with_verdict(scores[key], consistent_from),
        )
        for key, example in zip(keys, examples, strict=True)
    ]


def _with_verdict(score: Score, consistent_from: float | None) -> Mapping[str, float]:
    """The parts of a score, with the verdict of a metric that gives it by a threshold alone."""
    if consistent_from is None or score.value is None or "verdict" in score.parts:
        return score.parts
    return {**score.parts, "verdict": float(score.value >= consistent_from)}


def _texts_read(metric: Metric, example: Example) -> list[str]:
    """The texts of the fields that the metric reads, which is what its score depends on."""
    texts = [example.source, example.summary]
    for name in sorted(metric.needs - {"source", "summary"}):
        value = getattr(example, name, None)
        value = example.meta.get(name) if value is None else value
        if value is None:
            hint = metric.field_hints.get(name, "")
            raise DataError(
                f"metric '{metric.name}' needs field '{name}'; '{example.id}' has none{hint}"
            )
        texts.append(repr(value) if name == "spans" else canonical_json(value))
    return texts


def _call(scorer: Prepared, examples: Sequence[Example]) -> list[Score]:
    try:
        with explained(f"Metric '{scorer.label}'"):
            scores = list(scorer.metric.score(examples))
    except FaithkitError:
        raise
    except Exception as error:
        raise ModelError(
            f"metric '{scorer.label}' failed on {_failing_rows(scorer, examples)}: "
            f"{type(error).__name__}: {error}{user_code.failing_line(error)}"
        ) from error
    if len(scores) != len(examples):
        raise ModelError(
            f"metric '{scorer.label}' gave {len(scores)} scores for {len(examples)} examples"
        )
    for score, example in zip(scores, examples, strict=True):
        if not isinstance(score, Score):
            raise ModelError(
                f"metric '{scorer.label}' gave {type(score).__name__} for '{example.id}'; "
                "score() returns a list of faithkit.Score"
            )
        if score.id != example.id:
            raise ModelError(
                f"metric '{scorer.label}' gave the score of '{score.id}' where that of "
                f"'{example.id}' belongs; score() keeps the order of its examples"
            )
        _check_offsets(scorer, score, example)
    return scores


def _failing_rows(scorer: Prepared, examples: Sequence[Example]) -> str:
    """The first row on which the metric fails by itself too, in words; else all of them. A chat
    model is not asked again, since its answers may cost money."""
    if len(examples) > 1 and not scorer.chats:
        for example in examples:
            try:
                scorer.metric.score([example])
            except Exception:
                return f"row '{example.id}'"
    first, last = examples[0].id, examples[-1].id
    return f"row '{first}'" if len(examples) == 1 else f"the rows from '{first}' to '{last}'"


def _check_offsets(scorer: Prepared, score: Score, example: Example) -> None:
    """Raises ModelError if spans or evidence lie outside the texts of the example."""
    ends = [span.end for span in score.spans] + [e.summary_end for e in score.evidence]
    outside = max(ends, default=0) > len(example.summary)
    if outside or max((e.end for e in score.evidence), default=0) > len(example.source):
        raise ModelError(
            f"metric '{scorer.label}' gave offsets outside the texts of '{example.id}'; spans are "
            "characters of the summary, evidence of the source and the summary, as they were given"
        )


def _check_bounds(scorer: Prepared, value: float | None, id: str) -> None:
    low, high = scorer.metric.bounds
    if value is not None and not low - BOUNDS_TOLERANCE <= value <= high + BOUNDS_TOLERANCE:
        raise ModelError(
            f"metric '{scorer.label}' gave {value} for '{id}', outside its bounds {low} to {high}; "
            "correct the value, or the bounds that the metric declares"
        )
