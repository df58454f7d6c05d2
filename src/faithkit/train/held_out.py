"""The documents of a training set that are held out to evaluate what was trained on the others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from faithkit.records import ConfigError


class HasDocument(Protocol):
    """An example that names its source document."""

    @property
    def document(self) -> str: ...


T = TypeVar("T", bound=HasDocument)


def check_share(share: float) -> None:
    """Raises ConfigError on a share of held-out documents outside [0, 1)."""
    if not 0 <= share < 1:
        raise ConfigError(f"held-out share: expected 0 to under 1, found {share}")


def split(
    examples: Sequence[T], documents: Sequence[str], share: float, seed: int
) -> tuple[list[T], list[T]]:
    """(training, held out): the examples by document, each part in the order given.

    documents  of the examples, each once; the split depends on their order
    share      of the documents to hold out; above 0, each part has at least one document, as far
               as there are two
    """
    shuffled = list(documents)
    random.Random(seed).shuffle(shuffled)
    count = min(max(1, round(share * len(shuffled))), len(shuffled) - 1) if share else 0
    held_out = set(shuffled[:count])
    return (
        [example for example in examples if example.document not in held_out],
        [example for example in examples if example.document in held_out],
    )
