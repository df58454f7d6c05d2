"""Which examples the suites that change texts begin with, in an order that only a seed decides.

Everything goes by hashes of ids, so the order in which examples come does not show in the cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import zip_longest
from random import Random

from faithkit.records import Example, is_blank

SCANNED = 10
"""Examples looked at for each case of a kind that is wanted: some changes fit few texts."""


def ordered(examples: Sequence[Example], seed: int) -> list[Example]:
    """One example of each document, then a second one of each, and so on; blank ones left out."""
    own: dict[str, list[Example]] = {}
    for example in sorted(examples, key=lambda example: key(seed, example.id)):
        if not is_blank(example):
            own.setdefault(example.document, []).append(example)
    documents = sorted(own, key=lambda name: key(seed, name))
    turns = zip_longest(*(own[name] for name in documents))
    return [example for turn in turns for example in turn if example is not None]


def consistent(examples: Sequence[Example]) -> list[Example]:
    """Those labelled 1; where none is labelled, those of the highest rating that occurs; where none
    is rated either, all."""
    if any(example.label is not None for example in examples):
        return [example for example in examples if example.label == 1]
    ratings = [example.rating for example in examples if example.rating is not None]
    if ratings:
        return [example for example in examples if example.rating == max(ratings)]
    return list(examples)


def inconsistent(examples: Sequence[Example]) -> list[Example]:
    """Those labelled 0; where none is labelled, those in the lower half of the range of ratings;
    none where neither is known, or all ratings are the same."""
    if any(example.label is not None for example in examples):
        return [example for example in examples if example.label == 0]
    rated = [(example.rating, example) for example in examples if example.rating is not None]
    ratings = [rating for rating, _ in rated]
    if not ratings or min(ratings) == max(ratings):
        return []
    middle = (min(ratings) + max(ratings)) / 2
    return [example for rating, example in rated if rating <= middle]


def key(seed: int, name: str) -> str:
    return sha256(f"{seed}/{name}".encode()).hexdigest()


def chance(seed: int, kind: str, example: Example) -> Random:
    """A generator of its own for each kind of change to each example."""
    return Random(f"{seed}/{kind}/{example.id}")


def distinct(examples: Sequence[Example]) -> list[Example]:
    """The first of those with the same texts."""
    return list({(e.source, e.summary): e for e in reversed(examples)}.values())[::-1]
