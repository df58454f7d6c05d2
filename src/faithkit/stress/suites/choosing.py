"""Which examples a suite takes, in an order that a seed decides.

`ordered` goes by hashes of ids, so that the order of the examples does not affect the cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import zip_longest
from random import Random

from faithkit.records import Example, is_blank

SCANNED = 10
"""Examples looked at for each case of a kind that is wanted: some changes fit few texts."""


def ordered(examples: Sequence[Example], seed: int) -> list[Example]:
    """One example of each document, then a second one of each, and so on; blank ones left out."""
    by_name: dict[str, list[Example]] = {}
    for example in sorted(examples, key=lambda example: key(seed, example.id)):
        if not is_blank(example):
            by_name.setdefault(example.document, []).append(example)
    documents = sorted(by_name, key=lambda name: key(seed, name))
    turns = zip_longest(*(by_name[name] for name in documents))
    return [example for turn in turns for example in turn if example is not None]


def consistent(examples: Sequence[Example]) -> list[Example]:
    """The examples labelled 1; if none is labelled, those with the highest rating that occurs; if
    none is rated either, all."""
    if any(example.label is not None for example in examples):
        return [example for example in examples if example.label == 1]
    ratings = [example.rating for example in examples if example.rating is not None]
    if ratings:
        return [example for example in examples if example.rating == max(ratings)]
    return list(examples)


def inconsistent(examples: Sequence[Example]) -> list[Example]:
    """The examples labelled 0; if none is labelled, those in the lower half of the range of
    ratings; none if there are neither labels nor different ratings."""
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
    """The random numbers of one kind of change to one example."""
    return Random(f"{seed}/{kind}/{example.id}")


def distinct(examples: Sequence[Example]) -> list[Example]:
    """The first of those with the same texts."""
    return list({(e.source, e.summary): e for e in reversed(examples)}.values())[::-1]


def by_document(rows: Iterable[Example], seed: int) -> list[list[Example]]:
    """The rows of each document; documents, and the rows of each, in a random order."""
    by_name: dict[str, list[Example]] = {}
    for row in rows:
        by_name.setdefault(row.document, []).append(row)
    random = Random(seed)
    documents = list(by_name.values())
    random.shuffle(documents)
    for document in documents:
        random.shuffle(document)
    return documents


def spread(rows: Iterable[Example], seed: int, limit: int | None) -> list[Example]:
    """A row of each document, then a second one of each, and so on up to the limit; in the end
    those of a document follow each other."""
    documents = by_document(rows, seed)
    turns = [row for turn in zip_longest(*documents) for row in turn if row is not None]
    order = {document[0].document: index for index, document in enumerate(documents)}
    return sorted(turns[:limit], key=lambda row: order[row.document])
