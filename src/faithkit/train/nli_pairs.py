"""Summary sentences with their sources and labels, as an entailment adapter or a judge learns from
them: made of labelled rows, and balanced so that no origin predicts the label.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from faithkit.language.sentences import closed_sentences
from faithkit.models.protocols import Floats
from faithkit.records import JSON, document_id
from faithkit.support import adapter
from faithkit.train import support_rows
from faithkit.train.words import Labelled


@dataclass(frozen=True, slots=True)
class Pair:
    """A summary sentence with its source and labels.

    origin   the file it comes from
    labels   [words] of `adapter.sentence_words`: probability that the word is unsupported, nan
             where it is not labelled
    target   [3] as in `Labelled`; its first number is always known
    """

    origin: str
    document: str
    source: str
    sentence: str
    labels: Floats
    target: Floats

    @property
    def kind(self) -> str:
        """entailment, neutral, contradiction, or `unsupported` where only that much is known."""
        if self.target[0] > 0.5:
            return adapter.LABELS[0]
        if math.isnan(self.target[2]):
            return "unsupported"
        return adapter.LABELS[int(self.target.argmax())]


def sentence_pairs(rows: Iterable[Labelled]) -> list[Pair]:
    """Every sentence of the rows' summaries of which it is known whether it is entailed."""
    pairs = []
    for row in rows:
        targets = support_rows.targets_of(row)
        for piece, target in zip(closed_sentences(row.summary), targets, strict=True):
            places = adapter.sentence_words(piece.text)
            labels = support_rows.labels_of(places + piece.start, row)
            if len(places) and not np.isnan(target[0]):
                pairs.append(Pair(row.file, row.document, row.source, piece.text, labels, target))
    return pairs


def balanced(pairs: Sequence[Pair], seed: int, most: int | None = None) -> list[Pair]:
    """As many pairs of each origin as make half of them entailed, and of the other half as many of
    each kind that the origin has, so that an origin does not predict the label; sampled. An origin
    without both halves is left out.

    most  pairs of an origin at most
    """
    by_origin: dict[str, dict[str, list[Pair]]] = {}
    for pair in pairs:
        by_origin.setdefault(pair.origin, {}).setdefault(pair.kind, []).append(pair)
    kept: list[Pair] = []
    for origin, kinds in by_origin.items():
        entailed = kinds.pop(adapter.LABELS[0], [])
        if not entailed or not kinds:
            continue
        each = min(min(map(len, kinds.values())), len(entailed) // len(kinds))
        if most is not None:
            each = min(each, most // (2 * len(kinds)))
        generator = random.Random(f"{seed} {origin}")
        kept += generator.sample(entailed, each * len(kinds))
        for name in sorted(kinds):
            kept += generator.sample(kinds[name], each)
    return kept


def equal_share(sizes: Sequence[int], limit: int) -> int:
    """The greatest number that each of `sizes` can be cut to with their sum at most `limit`."""
    left, rest = limit, sorted(sizes)
    while rest and rest[0] * len(rest) <= left:
        left -= rest.pop(0)
    return left // len(rest) if rest else max(sizes, default=0)


def sampled(pairs: Sequence[Pair], seed: int, limit: int | None) -> list[Pair]:
    """`balanced`, at most `limit` in all and the large origins cut to one size."""
    kept = balanced(pairs, seed)
    if limit is None or len(kept) <= limit:
        return kept
    sizes = Counter(pair.origin for pair in kept)
    return balanced(pairs, seed, equal_share(list(sizes.values()), limit))


def identity_of(pair: Pair) -> JSON:
    """What a pair is learned as."""
    return [document_id(pair.source), pair.sentence, pair.labels.tolist(), pair.target.tolist()]


def counts(pairs: Sequence[Pair]) -> dict[str, JSON]:
    """By origin: pairs of each kind."""
    by_origin: dict[str, Counter[str]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.origin):
        by_origin.setdefault(pair.origin, Counter())[pair.kind] += 1
    return {origin: dict(kinds) for origin, kinds in by_origin.items()}
