"""Labelled rows said in another order: in the other voice, or as two sentences for one; and who did
it exchanged with whom, by the voice of the verb alone.

So the network learns what order means from the grammar, and not from the order. The rules are those
of `rewrites`; what a row knows of its words goes along.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from faithkit.language.sentences import closed_sentences, sentences
from faithkit.language.words import words
from faithkit.records import document_id
from faithkit.rewrites import claims, faithful, meaning
from faithkit.rewrites.parsed import Edits, Page, Parsed, apply, is_clause, labelled, usable
from faithkit.rewrites.parsed import read as read_sentences
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

RESTATED = "restated"
"""The file of rows made from documents."""

SENTENCES = 30
"""Sentences of a document that are looked at."""

SPLITS = 3
"""One in so many sentences of a document that could be split is: far more can than take another
voice."""

PARSED_AT_ONCE = 1000

Piece = tuple[Labelled, int, str]
"""A row, and a sentence of its summary with its place there."""


def restated_rows(rows: Sequence[Labelled], seed: int) -> list[Labelled]:
    """New rows of the same files: of each sentence that can be said in the other voice, or split in
    two, the summary in which it is. One that holds and could take the other voice also gives the
    row in which the two sides are exchanged."""
    pieces = [
        (row, piece.start, piece.text)
        for row in rows
        for piece in closed_sentences(row.summary)
        if usable(piece.text)
    ]
    return [new for _, new in _restated(pieces, seed, splits=1)]


def restated_documents(documents: Sequence[str], seed: int) -> list[Labelled]:
    """The same of sentences of the documents, which hold; each of these is a row too as it stands,
    so that a sentence that is copied looks no less faithful than one that is not."""
    pieces: list[Piece] = []
    for document in documents:
        found = [one.text for one in sentences(document) if usable(one.text)]
        random = Random(f"{seed} restated {document}")
        for text in dict.fromkeys(random.sample(found, min(len(found), SENTENCES))):
            labels = tuple((word.start, word.end, 0.0) for word in words(text))
            id = document_id(document)
            pieces.append((Labelled(RESTATED, id, document, text, labels, ENTAILED), 0, text))
    made = _restated(pieces, seed, splits=SPLITS)
    return list(dict.fromkeys(row for pair in made for row in pair))


def _restated(
    pieces: Sequence[Piece], seed: int, *, splits: int
) -> Iterator[tuple[Labelled, Labelled]]:
    """Rows, each with one that is made of it; one in `splits` of those that are split."""
    for first in range(0, len(pieces), PARSED_AT_ONCE):
        some = pieces[first : first + PARSED_AT_ONCE]
        parsed = read_sentences([(start, text) for _, start, text in some])
        for (row, _, text), sentence in zip(some, parsed, strict=True):
            if not is_clause(sentence):
                continue
            page, random = Page(row.source, "", ()), Random(f"{seed} {row.source} {text}")
            voices = faithful.voice(sentence, page, random)
            halves = meaning.split(sentence, page, random)
            if voices:
                yield row, _harmless(row, sentence, random.choice(voices))
            if halves and random.randrange(splits) == 0:
                yield row, _harmless(row, sentence, random.choice(halves))
            holds = row.target == ENTAILED and not any(share for _, _, share in row.labels)
            if holds and (exchanged := claims.voice_swap(sentence, page, random)):
                yield row, _exchanged(row, sentence, random.choice(exchanged))


def _harmless(row: Labelled, sentence: Parsed, edits: Edits) -> Labelled:
    """Each word of the new sentence is known as the same word of the old one was; a word that is
    new holds where all do, and else nothing is known of it."""
    text, _ = apply(sentence.text, edits)
    known: dict[str, list[float]] = defaultdict(list)
    for start, end, share in _inside(row, sentence):
        known[row.summary[start:end].lower()].append(share)
    holds = bool(known) and not any(share for some in known.values() for share in some)
    labels = []
    for word in words(text):
        shares = known.get(word.text.lower(), [])
        if not shares and not holds:
            continue
        share = shares.pop(0) if len(shares) > 1 else sum(shares, 0.0)
        labels.append((word.start, word.end, share))
    return _with(row, sentence, text, labels)


def _exchanged(row: Labelled, sentence: Parsed, edits: Edits) -> Labelled:
    text, wrong = apply(sentence.text, edits)
    labels = [(start, end, float(share)) for start, end, share in labelled(text, wrong)]
    return replace(_with(row, sentence, text, labels), target=UNSUPPORTED)


def _inside(row: Labelled, sentence: Parsed) -> list[tuple[int, int, float]]:
    return [one for one in row.labels if sentence.start <= one[0] < sentence.end]


def _with(
    row: Labelled, sentence: Parsed, text: str, labels: Sequence[tuple[int, int, float]]
) -> Labelled:
    """The row with this text for the sentence, and these labels of it, with places in the text."""
    moved = sentence.start + len(text) - sentence.end
    before = [one for one in row.labels if one[0] < sentence.start]
    own = [(sentence.start + start, sentence.start + end, share) for start, end, share in labels]
    after = [(s + moved, e + moved, share) for s, e, share in row.labels if s >= sentence.end]
    summary = row.summary[: sentence.start] + text + row.summary[sentence.end :]
    return replace(row, summary=summary, labels=(*before, *own, *after))
