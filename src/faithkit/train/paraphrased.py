"""Sentences of documents in the other voice, or split in two; and errors that change only the voice
of the verb, which exchanges agent and patient.

They teach a network what word order means by grammar. The rules are those of `rewrites`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from faithkit.language.sentences import sentences
from faithkit.records import document_id
from faithkit.rewrites import paraphrases, predicate_errors, restructuring
from faithkit.rewrites.parsed import Edits, Page, Parsed, apply, is_clause, labelled, usable
from faithkit.rewrites.parsed import read as read_sentences
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

PARAPHRASED = "paraphrased"
"""The file of rows made from documents."""

SENTENCES = 30
"""Most sentences of a document that are parsed."""

SPLITS = 3
"""One in so many sentences that could be split is split: far more allow that than the other
voice."""

PARSED_AT_ONCE = 1000


def paraphrased_documents(documents: Sequence[str], seed: int) -> list[Labelled]:
    """Rows of sentences of the documents: verbatim, in the other voice or split in two, which are
    supported, and with agent and patient exchanged, which are not. Each sentence that has one of
    these is there verbatim too, so that copies do not look less faithful than paraphrases."""
    pieces: list[tuple[str, str]] = []
    for document in documents:
        prose = [sentence.text for sentence in sentences(document) if usable(sentence.text)]
        random = Random(f"{seed} restated {document}")  # the sample depends on this text
        texts = dict.fromkeys(random.sample(prose, min(len(prose), SENTENCES)))
        pieces += [(document, text) for text in texts]
    return list(dict.fromkeys(_paraphrased(pieces, seed)))


def _paraphrased(pieces: Sequence[tuple[str, str]], seed: int) -> Iterator[Labelled]:
    """For each (document, sentence) that can be rewritten, its verbatim row and those made from
    it."""
    for first in range(0, len(pieces), PARSED_AT_ONCE):
        batch = pieces[first : first + PARSED_AT_ONCE]
        parsed = read_sentences([(0, text) for _, text in batch])
        for (document, text), sentence in zip(batch, parsed, strict=True):
            if not is_clause(sentence):
                continue
            page, random = Page(document, "", ()), Random(f"{seed} {document} {text}")
            voices = paraphrases.voice(sentence, page, random)
            halves = restructuring.split(sentence, page, random)
            made = [_row(document, sentence, random.choice(voices))] if voices else []
            if halves and random.randrange(SPLITS) == 0:
                made.append(_row(document, sentence, random.choice(halves)))
            if exchanged := predicate_errors.voice_swap(sentence, page, random):
                made.append(_row(document, sentence, random.choice(exchanged), exchanged=True))
            if made:
                yield _row(document, sentence, ())
                yield from made


def _row(document: str, sentence: Parsed, edits: Edits, *, exchanged: bool = False) -> Labelled:
    return made_row(PARAPHRASED, document, sentence, edits, wrong=exchanged)


def made_row(
    file: str, document: str, sentence: Parsed, edits: Edits, *, wrong: bool = False
) -> Labelled:
    """The sentence after the edits, as a row of a file. Its words are supported, except those that
    the edits marked if they make it wrong."""
    text, marked = apply(sentence.text, edits)
    labels = labelled(text, marked if wrong else ())
    return Labelled(
        file, document_id(document), document, text,
        tuple((start, end, float(share)) for start, end, share in labels),
        UNSUPPORTED if wrong else ENTAILED,
    )  # fmt: skip
