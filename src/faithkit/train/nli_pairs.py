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

    origin   the file of its row
    labels   [words] of `adapter.sentence_words`: probability that the word is unsupported; nan
             where it is unlabelled
    target   [3] as in `Labelled`; the first is never nan
    """

    origin: str
    document: str
    source: str
    sentence: str
    labels: Floats
    target: Floats

    @property
    def kind(self) -> str:
        """entailment, neutral, contradiction, or `unsupported` where the target joins the last
        two."""
        if self.target[0] > 0.5:
            return adapter.LABELS[0]
        if math.isnan(self.target[2]):
            return "unsupported"
        return adapter.LABELS[int(self.target.argmax())]


def sentence_pairs(rows: Iterable[Labelled]) -> list[Pair]:
    """Every sentence of the rows' summaries that has a target."""
    pairs = []
    for row in rows:
        targets = support_rows.targets_of(row)
        for piece, target in zip(closed_sentences(row.summary), targets, strict=True):
            offsets = adapter.sentence_words(piece.text)
            labels = support_rows.labels_of(offsets + piece.start, row)
            if len(offsets) and not np.isnan(target[0]):
                pairs.append(Pair(row.file, row.document, row.source, piece.text, labels, target))
    return pairs


def balanced(pairs: Sequence[Pair], seed: int, most: int | None = None) -> list[Pair]:
    """A sample of the pairs in which half of each origin is entailed, and the other half has
    equally many of each other kind that the origin has, so that the origin does not predict the
    label. An origin without both halves is left out.

    most  maximum number of pairs of an origin; None: no limit
    """
    by_origin: dict[str, dict[str, list[Pair]]] = {}
    for pair in pairs:
        by_origin.setdefault(pair.origin, {}).setdefault(pair.kind, []).append(pair)
    sample: list[Pair] = []
    for origin, kinds in by_origin.items():
        entailed = kinds.pop(adapter.LABELS[0], [])
        if not entailed or not kinds:
            continue
        each = min(min(map(len, kinds.values())), len(entailed) // len(kinds))
        if most is not None:
            each = min(each, most // (2 * len(kinds)))
        generator = random.Random(f"{seed} {origin}")
        sample += generator.sample(entailed, each * len(kinds))
        for name in sorted(kinds):
            sample += generator.sample(kinds[name], each)
    return sample


def equal_share(sizes: Sequence[int], limit: int) -> int:
    """The largest maximum that cuts `sizes` down to a sum of at most `limit`."""
    left, rest = limit, sorted(sizes)
    while rest and rest[0] * len(rest) <= left:
        left -= rest.pop(0)
    return left // len(rest) if rest else max(sizes, default=0)


def sampled(pairs: Sequence[Pair], seed: int, limit: int | None) -> list[Pair]:
    """A `balanced` sample of at most `limit` pairs, for which the largest origins are cut to the
    same size."""
    sample = balanced(pairs, seed)
    if limit is None or len(sample) <= limit:
        return sample
    sizes = Counter(pair.origin for pair in sample)
    return balanced(pairs, seed, equal_share(list(sizes.values()), limit))


def identity_of(pair: Pair) -> JSON:
    """What identifies a pair in a checkpoint: its texts and labels."""
    return [document_id(pair.source), pair.sentence, pair.labels.tolist(), pair.target.tolist()]


def counts(pairs: Sequence[Pair]) -> dict[str, JSON]:
    """The number of pairs of each kind, by origin."""
    by_origin: dict[str, Counter[str]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.origin):
        by_origin.setdefault(pair.origin, Counter())[pair.kind] += 1
    return {origin: dict(kinds) for origin, kinds in by_origin.items()}
