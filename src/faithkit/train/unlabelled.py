"""Sentences that nobody has labelled, for teachers to judge (`distillation.py`): claims beside
their source without the sentences that have most of them, and documents' own sentences beside the
rest of their document.

Of the first many have lost what supports them, of the second most tell something new; how many, and
which words, is what the teachers say.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from faithkit.language.normalise import plain_source
from faithkit.language.sentences import closed_sentences
from faithkit.models.wordpiece import WordPiece
from faithkit.support.evidence import Source, rank_evidence
from faithkit.support.inputs import read_evidence
from faithkit.support.sentences import Sentence, read_sentences, read_source
from faithkit.train.relations import RELATIONS
from faithkit.train.support_rows import MADE, NON_CLAIMS, Piece, Unit
from faithkit.train.words import UNKNOWN

WITHOUT_EVIDENCE, OWN = "without_evidence", "own_sentences"
"""The families of such units."""

SHORT_SOURCES = frozenset(
    {"nli", "questions", MADE, NON_CLAIMS, RELATIONS, "web", "wikipedia", "cg2c"}
)
"""Families whose claims are left out: their source is a few sentences, or they are no claims."""

CLAIMS, DOCUMENTS = 0.3, 0.75
"""Share of the claims, and of the documents, of which there are such units."""

TAKEN = (1, 1, 2)
"""How many of the best sentences are taken away, drawn from these."""

LEAST = 4
"""Sentences of a source from which some are taken away."""

LONG = 900
"""Characters of a document whose own sentences are read."""

OWN_LEAST = 6
"""Sentences of such a document at least."""

EACH = 3
"""Sentences of a document."""

SIZES = range(41, 220)
"""Characters of such a sentence."""


def unlabelled(data: Sequence[Piece], tokenizer: WordPiece, budget: int, seed: int) -> list[Unit]:
    """Such units of some of the claims and of some of their documents, by the seed; without a label
    or a target. The order of the claims makes no difference."""
    ordered = sorted(
        data,
        key=lambda piece: (piece.row.document, piece.row.file, piece.text.start, piece.text.text),
    )
    return [
        *_without_evidence(ordered, tokenizer, budget, random.Random(seed)),
        *_own_sentences(ordered, tokenizer, budget, random.Random(seed + 1)),
    ]


def _without_evidence(
    data: Sequence[Piece], tokenizer: WordPiece, budget: int, drawn: random.Random
) -> Iterator[Unit]:
    text, sentences = None, list[Sentence]()
    for piece in data:
        if piece.family in SHORT_SOURCES or drawn.random() > CLAIMS:
            continue
        if piece.row.source != text:
            text = piece.row.source
            sentences = read_source(plain_source(text).text, tokenizer, named=True)
            source = Source(sentences)
        if len(sentences) < LEAST:
            continue
        for claim in read_sentences([piece.text], tokenizer):
            if best := rank_evidence(claim, source):
                taken = best[: drawn.choice(TAKEN)]
                rest = _without(sentences, taken)
                yield _unit(WITHOUT_EVIDENCE, piece.row.document, claim, rest, budget)


def _own_sentences(
    data: Sequence[Piece], tokenizer: WordPiece, budget: int, drawn: random.Random
) -> Iterator[Unit]:
    texts = {
        piece.row.source: piece.row.document
        for piece in data
        if piece.family not in ("nli", "questions") and len(piece.row.source) > LONG
    }
    for text in sorted(texts):
        if drawn.random() > DOCUMENTS:
            continue
        plain = plain_source(text).text
        sentences = read_source(plain, tokenizer, named=True)
        own = [one for one in closed_sentences(plain) if len(one.text) in SIZES]
        if len(sentences) < OWN_LEAST or len(own) <= EACH:
            continue
        for claim in read_sentences(drawn.sample(own, EACH), tokenizer):
            same = [n for n, one in enumerate(sentences) if one.wording == claim.wording]
            rest = _without(sentences, same)
            if same and rank_evidence(claim, rest):
                yield _unit(OWN, texts[text], claim, rest, budget)


def _without(sentences: Sequence[Sentence], places: Collection[int]) -> Source:
    return Source([one for place, one in enumerate(sentences) if place not in places])


def _unit(family: str, document: str, claim: Sentence, source: Source, budget: int) -> Unit:
    labels = np.full(len(claim.keys), np.nan, dtype=np.float32)
    target = np.full(3, UNKNOWN, dtype=np.float32)
    return Unit(family, document, read_evidence(claim, source, budget), labels, target, False)
