"""Processing of a batch of examples by a metric: each source is encoded once, memory stays bounded,
and blank texts are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from faithkit.records import Example, Outcome, Score, is_blank, unscored

T = TypeVar("T")

SOURCE_CHARACTERS = 400_000
"""Source text encoded at once: token states of this much text take about 150 MB."""


def map_in_chunks(
    examples: Sequence[Example],
    function: Callable[[list[Example]], Iterable[T]],
) -> list[T]:
    """The results of `function`, one for each example, in the order of the examples.

    function  is called with chunks of examples. Examples with the same source are in one chunk; the
              distinct sources of a chunk have at most SOURCE_CHARACTERS, unless it has only one
    """
    groups: dict[str, list[int]] = {}
    for position, example in enumerate(examples):
        groups.setdefault(example.source, []).append(position)
    chunks: list[list[int]] = []
    size = 0
    for source, members in groups.items():
        if not chunks or size + len(source) > SOURCE_CHARACTERS:
            chunks.append([])
            size = 0
        chunks[-1] += members
        size += len(source)
    results = {
        position: result
        for chunk in chunks
        for position, result in zip(chunk, function([examples[i] for i in chunk]), strict=True)
    }
    return [results[position] for position in range(len(examples))]


def score_unless_blank(
    examples: Sequence[Example],
    metric: str,
    score: Callable[[list[Example]], Iterable[Score]],
) -> list[Score]:
    """The scores of the examples, in order. Examples with a blank source or summary get the outcome
    `no_content` and are not passed to `score`."""
    scores = iter(score([example for example in examples if not is_blank(example)]))
    return [
        unscored(example, metric, Outcome.NO_CONTENT) if is_blank(example) else next(scores)
        for example in examples
    ]
