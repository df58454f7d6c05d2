"""Paraphrased labelled rows: sentences in the other voice, or split into two; and errors in which
the voice of the verb alone is changed, so that who did it and to whom are exchanged.

They teach a network what word order means by grammar. The rules are those of `rewrites`; the labels
of a row's words go along.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from faithkit.language.sentences import closed_sentences, sentences
from faithkit.language.words import words
from faithkit.records import document_id
from faithkit.rewrites import paraphrases, predicate_errors, restructuring
from faithkit.rewrites.parsed import Edits, Page, Parsed, apply, is_clause, labelled, usable
from faithkit.rewrites.parsed import read as read_sentences
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

PARAPHRASED = "paraphrased"
"""The file of rows made from documents."""

SENTENCES = 30
"""Sentences of a document that are looked at."""

SPLITS = 3
"""One in so many sentences of a document that could be split is: far more can than take another
voice."""

PARSED_AT_ONCE = 1000

Piece = tuple[Labelled, int, str]
"""A row, and a sentence of its summary with its place there."""


def paraphrased_rows(rows: Sequence[Labelled], seed: int) -> list[Labelled]:
    """New rows of the same files: the summary with a sentence in the other voice, or split in two,
    for each sentence that allows it. A supported one that could take the other voice also gives the
    row in which the two sides are exchanged."""
    pieces = [
        (row, piece.start, piece.text)
        for row in rows
        for piece in closed_sentences(row.summary)
        if usable(piece.text)
    ]
    return [new for _, new in _paraphrased(pieces, seed, splits=1)]


def paraphrased_documents(documents: Sequence[str], seed: int) -> list[Labelled]:
    """The same of sentences of the documents, which are supported; each of these is a row too,
    verbatim, so that a copied sentence looks no less faithful than a paraphrased one."""
    pieces: list[Piece] = []
    for document in documents:
        prose = [sentence.text for sentence in sentences(document) if usable(sentence.text)]
        random = Random(f"{seed} restated {document}")  # the sample depends on this text
        for text in dict.fromkeys(random.sample(prose, min(len(prose), SENTENCES))):
            labels = tuple((word.start, word.end, 0.0) for word in words(text))
            id = document_id(document)
            pieces.append((Labelled(PARAPHRASED, id, document, text, labels, ENTAILED), 0, text))
    pairs = _paraphrased(pieces, seed, splits=SPLITS)
    return list(dict.fromkeys(row for pair in pairs for row in pair))


def _paraphrased(
    pieces: Sequence[Piece], seed: int, *, splits: int
) -> Iterator[tuple[Labelled, Labelled]]:
    """Rows, each with one that is made of it; one in `splits` of those that are split."""
    for first in range(0, len(pieces), PARSED_AT_ONCE):
        batch = pieces[first : first + PARSED_AT_ONCE]
        parsed = read_sentences([(start, text) for _, start, text in batch])
        for (row, _, text), sentence in zip(batch, parsed, strict=True):
            if not is_clause(sentence):
                continue
            page, random = Page(row.source, "", ()), Random(f"{seed} {row.source} {text}")
            voices = paraphrases.voice(sentence, page, random)
            halves = restructuring.split(sentence, page, random)
            if voices:
                yield row, _faithful(row, sentence, random.choice(voices))
            if halves and random.randrange(splits) == 0:
                yield row, _faithful(row, sentence, random.choice(halves))
            supported = row.target == ENTAILED and not any(share for _, _, share in row.labels)
            if supported and (exchanged := predicate_errors.voice_swap(sentence, page, random)):
                yield row, _exchanged(row, sentence, random.choice(exchanged))


def _faithful(row: Labelled, sentence: Parsed, edits: Edits) -> Labelled:
    """Each word of the new sentence has the label of the same word of the old one; a word that is
    new is supported where all are, and else unlabelled."""
    text, _ = apply(sentence.text, edits)
    labels_of: dict[str, list[float]] = defaultdict(list)
    for start, end, share in _inside(row, sentence):
        labels_of[row.summary[start:end].lower()].append(share)
    supported = bool(labels_of) and not any(
        share for shares in labels_of.values() for share in shares
    )
    labels = []
    for word in words(text):
        shares = labels_of.get(word.text.lower(), [])
        if not shares and not supported:
            continue
        share = shares.pop(0) if len(shares) > 1 else sum(shares, 0.0)
        labels.append((word.start, word.end, share))
    return _with(row, sentence, text, labels)


def _exchanged(row: Labelled, sentence: Parsed, edits: Edits) -> Labelled:
    text, wrong = apply(sentence.text, edits)
    labels = [(start, end, float(share)) for start, end, share in labelled(text, wrong)]
    return replace(_with(row, sentence, text, labels), target=UNSUPPORTED)


def _inside(row: Labelled, sentence: Parsed) -> list[tuple[int, int, float]]:
    return [label for label in row.labels if sentence.start <= label[0] < sentence.end]


def _with(
    row: Labelled, sentence: Parsed, text: str, labels: Sequence[tuple[int, int, float]]
) -> Labelled:
    """The row with this text for the sentence, and these labels of it, with places in the text."""
    moved = sentence.start + len(text) - sentence.end
    before = [label for label in row.labels if label[0] < sentence.start]
    inside = [(sentence.start + start, sentence.start + end, share) for start, end, share in labels]
    after = [(s + moved, e + moved, share) for s, e, share in row.labels if s >= sentence.end]
    summary = row.summary[: sentence.start] + text + row.summary[sentence.end :]
    return replace(row, summary=summary, labels=(*before, *inside, *after))
