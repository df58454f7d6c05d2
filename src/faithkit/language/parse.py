"""Named entities, dependency trees and noun phrases, with character offsets.

The work is spaCy's; the model is the embedded `en_core_web_sm` 3.8 and it loads on first use.
A parse is kept as a `Tree` of plain tokens, which has no model behind it and can be pickled.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from faithkit.language import pipeline

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


class Tree:
    """The dependency tree over the tokens of a parsed text; tokens are named by their index."""

    tokens: Sequence[Token]
    marks: ClassVar[str] = ""
    """Tokens of these characters alone are nobody's children."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens

    @cached_property
    def children(self) -> list[list[int]]:
        """For each token those whose head it is, in order."""
        children: list[list[int]] = [[] for _ in self.tokens]
        for index, token in enumerate(self.tokens):
            if token.head != index and token.text.strip(self.marks):
                children[token.head].append(index)
        return children

    def children_by(self, index: int, *relations: str) -> list[int]:
        """The children in one of these relations, in order."""
        return [child for child in self.children[index] if self.tokens[child].dep in relations]

    def child(self, index: int, *relations: str) -> int | None:
        """The first child in one of these relations; None if absent."""
        return next(iter(self.children_by(index, *relations)), None)

    def subtree(self, index: int, without: Container[int] = ()) -> set[int]:
        """A token and all below it, but for these tokens and what is below them."""
        subtree: set[int] = set()
        waiting = [index]
        while waiting:
            current = waiting.pop()
            subtree.add(current)
            waiting += [child for child in self.children[current] if child not in without]
        return subtree

    def phrase(self, index: int) -> tuple[int, int] | None:
        """First and last token of the subtree; None where it is not in one piece."""
        subtree = self.subtree(index)
        first, last = min(subtree), max(subtree)
        return (first, last) if last - first + 1 == len(subtree) else None


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
    return [
        [
            Entity(start + entity.start_char, start + entity.end_char, entity.text, entity.label_)
            for start, document in documents
            for entity in document.ents
        ]
        for documents in pipeline.documents(_entity_model(), texts)
    ]


def parse(texts: Sequence[str]) -> list[list[Token]]:
    """The tokens of each text, in order. Much slower than `sentences`: parse what is needed."""
    parsed: list[list[Token]] = []
    for documents in pipeline.documents(_parse_model(), texts):
        tokens: list[Token] = []
        for start, document in documents:
            offset = len(tokens)
            tokens += [
                Token(
                    start=start + token.idx,
                    end=start + token.idx + len(token),
                    text=token.text,
                    lemma=token.lemma_,
                    pos=token.pos_,
                    tag=token.tag_,
                    dep=token.dep_,
                    head=offset + token.head.i,
                )
                for token in document
            ]
        parsed.append(tokens)
    return parsed


_NOUN_RELATIONS = frozenset(
    ("nsubj", "nsubjpass", "dobj", "oprd", "pcomp", "pobj", "dative", "appos", "attr", "ROOT")
)


def noun_phrases(tokens: Sequence[Token]) -> list[Phrase]:
    """The base noun phrases of a parsed text, pronouns too: a noun in a noun's relation with all
    that belongs to it on its left. They do not overlap. (The rules of spaCy's `noun_chunks`.)"""
    first = list(range(len(tokens)))
    for index, token in enumerate(tokens):
        place = index
        while token.head != place:
            place, token = token.head, tokens[token.head]
            first[place] = min(first[place], index)
    phrases: list[Phrase] = []
    last = -1
    for index, token in enumerate(tokens):
        if token.pos not in ("NOUN", "PROPN", "PRON") or first[index] <= last:
            continue
        conjunct = token
        while conjunct.dep == "conj" and tokens[conjunct.head].start < conjunct.start:
            conjunct = tokens[conjunct.head]
        if conjunct.dep in _NOUN_RELATIONS:
            start = tokens[first[index]].start
            phrases.append(Phrase(start, token.end, first[index], index + 1, index))
            last = index
    return phrases


@lru_cache(maxsize=1)
def _entity_model() -> Language:
    return pipeline.load(exclude=("tagger", "parser", "attribute_ruler", "lemmatizer", "senter"))


@lru_cache(maxsize=1)
def _parse_model() -> Language:
    return pipeline.load(exclude=("ner", "senter"))
