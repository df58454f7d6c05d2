"""Unlabelled sentences for teachers to judge (`distillation.py`): claims with their source without
its best evidence, and sentences of documents with the rest of their document.

Many of the former have lost their support, and most of the latter say something new; which of them,
and which of their words, the teachers decide.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from faithkit.language.normalise import plain_source
from faithkit.language.sentences import closed_sentences
from faithkit.models.wordpiece import WordPiece
from faithkit.support.evidence import Source, rank_evidence
from faithkit.support.inputs import attach_evidence
from faithkit.support.sentences import Sentence, read_sentences, read_source
from faithkit.train.relations import RELATIONS
from faithkit.train.support_rows import MADE, NON_CLAIMS, Piece, Unit
from faithkit.train.words import UNKNOWN

WITHOUT_EVIDENCE, OWN = "without_evidence", "own_sentences"
"""The families of such units."""

SHORT_SOURCES = frozenset(
    {"nli", "questions", MADE, NON_CLAIMS, RELATIONS, "web", "wikipedia", "cg2c"}
)
"""Families whose claims are not used: their sources are a few sentences, or they are non-claims."""

CLAIMS, DOCUMENTS = 0.3, 0.75
"""Share of the claims, and of the documents, that are used."""

REMOVED = (1, 1, 2)
"""How many of the best evidence sentences are removed from a source, drawn from these numbers."""

FEWEST_FOR_CLAIM = 4
"""Fewest sentences of a source from which evidence is removed."""

LONG = 900
"""Documents of more characters have their own sentences used."""

FEWEST_FOR_OWN = 6
"""Fewest sentences of such a document."""

EACH = 3
"""Sentences that are used of a document."""

SIZES = range(41, 220)
"""Characters of such a sentence."""


def unlabelled(data: Sequence[Piece], tokenizer: WordPiece, budget: int, seed: int) -> list[Unit]:
    """Units without labels and targets, of some of the claims and of some of their documents; the
    seed decides which. The order of the claims makes no difference."""
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
        if len(sentences) < FEWEST_FOR_CLAIM:
            continue
        for claim in read_sentences([piece.text], tokenizer):
            if best := rank_evidence(claim, source):
                rest = _without(sentences, best[: drawn.choice(REMOVED)])
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
        candidates = [piece for piece in closed_sentences(plain) if len(piece.text) in SIZES]
        if len(sentences) < FEWEST_FOR_OWN or len(candidates) <= EACH:
            continue
        for claim in read_sentences(drawn.sample(candidates, EACH), tokenizer):
            copies = [
                index
                for index, sentence in enumerate(sentences)
                if sentence.wording == claim.wording
            ]
            rest = _without(sentences, copies)
            if copies and rank_evidence(claim, rest):
                yield _unit(OWN, texts[text], claim, rest, budget)


def _without(sentences: Sequence[Sentence], removed: Collection[int]) -> Source:
    """The sentences without those at these indices, as a source."""
    return Source([
        sentence for index, sentence in enumerate(sentences) if index not in removed
    ])  # fmt: skip


def _unit(family: str, document: str, claim: Sentence, source: Source, budget: int) -> Unit:
    labels = np.full(len(claim.keys), np.nan, dtype=np.float32)
    target = np.full(3, UNKNOWN, dtype=np.float32)
    return Unit(family, document, attach_evidence(claim, source, budget), labels, target, False)
