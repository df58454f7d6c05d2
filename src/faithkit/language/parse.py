"""Named entities, parsed tokens and noun phrases, with character offsets.

The work is spaCy's; the model is the embedded `en_core_web_sm` 3.8 and it loads on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from faithkit.language import pipeline
from faithkit.language.sentences import pieces

if TYPE_CHECKING:
    from spacy.language import Language

PARSER = "en_core_web_sm-3.8.0/parser"
"""Names the dependency parse in a signature."""


class Entity(NamedTuple):
    """A named entity with its OntoNotes label (PERSON, ORG, GPE, DATE, MONEY, CARDINAL, ...)."""

    start: int
    end: int
    text: str
    label: str


class Token(NamedTuple):
    """A token of a parsed text. `pos` is the universal part of speech, `tag` the Penn Treebank one,
    `dep` the relation to the token at index `head` of the same list; a root is its own head. White
    space that is more than one blank is a token of its own, with `pos` SPACE."""

    start: int
    end: int
    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int


class Phrase(NamedTuple):
    """A noun phrase: characters `start:end`, tokens `first:stop` of a parse, and its noun's index
    `head`."""

    start: int
    end: int
    first: int
    stop: int
    head: int


def entities(texts: Sequence[str]) -> list[list[Entity]]:
    """The named entities of each text, in order."""
    blocks = [list(pieces(text, 0, len(text))) for text in texts]
    documents = _entity_model().pipe(block.text for some in blocks for block in some)
    return [
        [
            Entity(block.start + e.start_char, block.start + e.end_char, e.text, e.label_)
            for block in some
            for e in next(documents).ents
        ]
        for some in blocks
    ]


def parse(texts: Sequence[str]) -> list[list[Token]]:
    """The tokens of each text, in order. Much slower than `sentences`: parse what is needed."""
    blocks = [list(pieces(text, 0, len(text))) for text in texts]
    documents = _parse_model().pipe(block.text for some in blocks for block in some)
    found: list[list[Token]] = []
    for some in blocks:
        tokens: list[Token] = []
        for block in some:
            before = len(tokens)
            tokens += [
                Token(
                    start=block.start + token.idx,
                    end=block.start + token.idx + len(token),
                    text=token.text,
                    lemma=token.lemma_,
                    pos=token.pos_,
                    tag=token.tag_,
                    dep=token.dep_,
                    head=before + token.head.i,
                )
                for token in next(documents)
            ]
        found.append(tokens)
    return found


_NOUN_PLACES = frozenset(
    ("nsubj", "nsubjpass", "dobj", "oprd", "pcomp", "pobj", "dative", "appos", "attr", "ROOT")
)


def noun_phrases(tokens: Sequence[Token]) -> list[Phrase]:
    """The base noun phrases of a parsed text, pronouns too: a noun in a noun's place with all that
    belongs to it on its left. They do not overlap. (The rules of spaCy's `noun_chunks`.)"""
    left = list(range(len(tokens)))
    for index, token in enumerate(tokens):
        place = index
        while token.head != place:
            place, token = token.head, tokens[token.head]
            left[place] = min(left[place], index)
    found: list[Phrase] = []
    last = -1
    for index, token in enumerate(tokens):
        if token.pos not in ("NOUN", "PROPN", "PRON") or left[index] <= last:
            continue
        first = token
        while first.dep == "conj" and tokens[first.head].start < first.start:
            first = tokens[first.head]
        if first.dep in _NOUN_PLACES:
            start = tokens[left[index]].start
            found.append(Phrase(start, token.end, left[index], index + 1, index))
            last = index
    return found


@lru_cache(maxsize=1)
def _entity_model() -> Language:
    return pipeline.load(exclude=("tagger", "parser", "attribute_ruler", "lemmatizer", "senter"))


@lru_cache(maxsize=1)
def _parse_model() -> Language:
    return pipeline.load(exclude=("ner", "senter"))
