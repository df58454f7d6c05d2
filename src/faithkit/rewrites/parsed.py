"""Parsed sentences and edits of them: what the makers of changed sentences build on.

An edit says which characters become which text, and whether the new words are what is wrong with
the sentence. What to change is decided by the makers: `paraphrases.py`, `restructuring.py`,
`entity_errors.py` and `predicate_errors.py` here, `additions.py` of the training sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import NamedTuple

from faithkit.language.parse import Entity, Token, Tree, entities, parse
from faithkit.language.words import words

MINIMUM_WORDS, MAXIMUM_WORDS = 6, 40
_UNUSABLE = re.compile(
    r"[\n\t{}<>|\[\]@#_=…•*]|\.\.|https?:|www\.|\?|!|: +[A-Z]|^[A-Z ]{12,}|"
    r"\b(?:[Cc]ookies|[Cc]opyright|[Ss]ubscrib\w+|[Nn]ewsletters?|[Ee]mail address|[Cc]lick|"
    r"[Cc]aption|[Aa]dvertisement|[Pp]rivacy|contributed to this report|[Ss]croll|[Ll]og in)\b"
)
_ABBREVIATED = re.compile(
    r"\b(?:Mrs?|Ms|Drs?|Profs?|St|Gov|Sen|Rep|Ald|Lt|Col|Gen|Sgt|Capt|Rev|Hon|No|vs|Jr|Sr|Inc|Ltd|"
    r"Corp|Co|[A-Z]|[ap]\.m|e\.g|i\.e|etc|Jan|Feb|Aug|Sept?|Oct|Nov|Dec) ?\.$"
)
_ENDS = re.compile(r"[^\W_]\s?[.]$|[^\W_)]\)\s?[.]$|%\s?[.]$")
# Quotation marks, and single ones that are no apostrophe inside or at the start of "'s".
_QUOTES = re.compile(r"[\"“”«»]|``|''|(?<!\w)['‘’](?!(?:s|re|m|ll|ve|d|t)\b)|(?<!s)['‘’](?![\w'])")


class Edit(NamedTuple):
    """`text[start:end]` becomes `new`. `wrong` marks the words of `new` as unsupported."""

    start: int
    end: int
    new: str
    wrong: bool = True


Edits = tuple[Edit, ...]


@dataclass(frozen=True, eq=False)
class Parsed(Tree):
    """One sentence of a document, with `start` its place there and all other places its own."""

    start: int
    text: str
    tokens: Sequence[Token]
    entities: Sequence[Entity]

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @cached_property
    def root(self) -> int:
        return next(i for i, token in enumerate(self.tokens) if token.head == i)

    def deps(self, index: int) -> set[str]:
        return {self.tokens[i].dep for i in self.children[index]}

    def span(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def entity_at(self, index: int) -> Entity | None:
        token = self.tokens[index]
        return next((e for e in self.entities if e.start < token.end and token.start < e.end), None)

    def in_quotes(self, index: int) -> bool:
        before = self.text[: self.tokens[index].start]
        return len(_QUOTES.findall(before)) % 2 == 1

    @property
    def stop(self) -> int:
        """The position of the final full stop, or of the space before it."""
        return self.tokens[-2].end


def usable(text: str) -> bool:
    """Whether a sentence looks like plain prose: a capital first, a full stop last, of moderate
    length, with no marks of tables, links or speech transcripts, no open quotation."""
    if not (text[:1].isupper() or text[:1].isdigit()) or not _ENDS.search(text):
        return False
    count = len(text.split())
    if not MINIMUM_WORDS <= count <= MAXIMUM_WORDS or _UNUSABLE.search(text):
        return False
    if _ABBREVIATED.search(text):
        return False
    if text.count("(") != text.count(")") or len(_QUOTES.findall(text)) % 2:
        return False
    capitals = sum(word[:1].isupper() for word in text.split())
    return capitals <= 0.6 * count


def has_quotes(text: str) -> bool:
    return _QUOTES.search(text) is not None


def read(pieces: Sequence[tuple[int, str]]) -> list[Parsed]:
    """Parses sentences given as (place in the document, text). Those that are not one clause with
    a finite verb and a subject come back too; see `is_clause`."""
    texts = [text for _, text in pieces]
    return [
        Parsed(start, text, tokens, names)
        for (start, text), tokens, names in zip(pieces, parse(texts), entities(texts), strict=True)
    ]


def is_clause(sentence: Parsed) -> bool:
    """One root, which is a finite verb (or has a finite auxiliary) with a subject before it, and a
    full stop at the end that is no part of an abbreviation."""
    tokens = sentence.tokens
    if tokens[-1].text != "." or sum(token.head == i for i, token in enumerate(tokens)) != 1:
        return False
    root = sentence.root
    subject = sentence.child(root, "nsubj", "nsubjpass", "expl", "csubj")
    return subject is not None and subject < root and finite(sentence, root)


def finite(sentence: Parsed, verb: int) -> bool:
    if sentence.tokens[verb].tag in ("VBD", "VBZ", "VBP"):
        return True
    helpers = [i for i in sentence.children[verb] if sentence.tokens[i].dep in ("aux", "auxpass")]
    return any(sentence.tokens[i].tag in ("VBD", "VBZ", "VBP", "MD") for i in helpers)


def apply(text: str, edits: Edits) -> tuple[str, list[tuple[int, int]]]:
    """The edited text and the places in it of the words that are wrong."""
    parts: list[str] = []
    wrong: list[tuple[int, int]] = []
    position = length = 0
    for edit in sorted(edits):
        unchanged = text[position : edit.start]
        parts += [unchanged, edit.new]
        length += len(unchanged)
        if edit.wrong:
            wrong.append((length, length + len(edit.new)))
        length += len(edit.new)
        position = edit.end
    edited = "".join([*parts, text[position:]])
    if text[:1].isupper() and edited[:1].islower():
        edited = edited[:1].upper() + edited[1:]
    return edited, wrong


def labelled(text: str, wrong: Sequence[tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
    """(start, end, 1 if it overlaps a wrong place else 0) of each word with a letter or digit."""
    return tuple(
        (word.start, word.end, int(any(a < word.end and word.start < b for a, b in wrong)))
        for word in words(text)
        if any(letter.isalnum() for letter in word.text)
    )


def decapitalised(sentence: Parsed, first: int, last: int) -> str:
    """A phrase as it reads inside a sentence: without a capital that stood for the begin only."""
    text = sentence.span(first, last)
    token = sentence.tokens[first]
    name = token.pos == "PROPN" or token.text == "I" or re.match(r"[A-Z]{2}", token.text)
    entity = sentence.entity_at(first)
    named = entity is not None and entity.label not in ("DATE", "CARDINAL", "TIME", "ORDINAL")
    if first > 0 or name or (named and token.pos not in ("DET", "PRON")):
        return text
    return text[:1].lower() + text[1:]


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def article(sentence: Parsed, index: int, new: str) -> Edits:
    """The edit that makes a preceding "a" or "an" fit the new word; it marks nothing as wrong."""
    before = sentence.tokens[index - 1] if index else None
    if before is None or before.text.lower() not in ("a", "an"):
        return ()
    fitting = "an" if starts_with_vowel(new) else "a"
    if before.text.lower() == fitting:
        return ()
    fitting = capitalised(fitting) if before.text[0].isupper() else fitting
    return (Edit(before.start, before.end, fitting, wrong=False),)


def starts_with_vowel(word: str) -> bool:
    lower = word.lower()
    if re.match(r"(uni|use|usu|eu|one|once|ut[ie])", lower):
        return False
    return lower[:1] in "aeiou" or lower.startswith(("hour", "hono", "heir", "8", "11", "18"))


@dataclass(frozen=True, eq=False)
class Page:
    """A document, those of its sentences that were read, and pages of other documents. `key` names
    the document under a seed: all chance about it comes from there."""

    document: str
    key: str
    sentences: Sequence[Parsed]
    others: Sequence[Page] = ()

    @cached_property
    def _following(self) -> list[tuple[Parsed, Parsed]]:
        return [
            (first, second)
            for first, second in pairwise(self.sentences)
            if not self.document[first.end : second.start].strip()
        ]

    def before(self, sentence: Parsed) -> Parsed | None:
        """The sentence directly before, if it was read."""
        return next((first for first, second in self._following if second is sentence), None)

    def after(self, sentence: Parsed) -> Parsed | None:
        """The sentence directly after, if it was read."""
        return next((second for first, second in self._following if first is sentence), None)


Maker = Callable[[Parsed, Page, Random], list[Edits]]
"""The ways in which one sentence of a page can be edited."""
