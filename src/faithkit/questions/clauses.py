"""A parsed English sentence and its finite clauses, as far as questions need them: subject,
auxiliaries, verb and the rest. What is asked about a clause is in `rules.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from faithkit.language.parse import Entity, Token, Tree

SUBJECTS = frozenset({"nsubj", "nsubjpass"})

DEFINITE = frozenset({"the", "this", "that", "these", "those"})

RELATIVE = frozenset({"WDT", "WP", "WP$", "WRB"})
"""Tags of the words that begin a relative clause."""


class Clause(NamedTuple):
    """A finite clause of a sentence, as token indices in order.

    verb      its main verb
    subject   possibly of another verb, which this one is joined to
    auxiliary of the verb, the finite one first; empty where the verb itself is finite
    rest      the other tokens, without markers, joined clauses and the commas at the ends
    vague     a relative clause about no particular thing ("teachers who work in Leeds")
    """

    verb: int
    subject: tuple[int, ...]
    auxiliary: tuple[int, ...]
    rest: tuple[int, ...]
    vague: bool = False


class Parsed(Tree):
    """A parsed sentence with its dependents at hand."""

    def __init__(self, text: str, tokens: Sequence[Token], entities: Sequence[Entity]) -> None:
        super().__init__(tokens)
        self.text = text
        self.entities = entities

    def label(self, start: int, end: int) -> str:
        """The label of the entity that these characters are, give or take an article or a
        preposition; else ""."""
        phrase = _bare(self.text[start:end])
        if re.fullmatch(r"[£$€¥]\s?\d\S*(?: (?:million|billion|trillion))?", phrase):
            return "MONEY"
        if re.fullmatch(r"\d[\d.,]*\s?(?:%|per ?cent)", phrase):
            return "PERCENT"
        return next(
            (e.label for e in self.entities
             if e.start < end and start < e.end and _bare(e.text) == phrase), "",
        )  # fmt: skip

    def written(self, indices: Iterable[int], spelled: dict[int, str] | None = None) -> str:
        """Tokens as text, quotation marks left out; `spelled` has replacements by index."""
        pieces: list[str] = []
        last = -1
        for index in indices:
            token = self.tokens[index]
            quote = token.tag in ("``", "''") or token.text in '"“”‘'
            if quote and index not in (spelled or {}):
                continue
            touching = last == index - 1 and last >= 0 and self.tokens[last].end == token.start
            pieces += ["" if touching else " ", (spelled or {}).get(index, token.text)]
            last = index
        return tidy("".join(pieces))


def _bare(text: str) -> str:
    leading = r"^(?:(?:the|a|an|about|around|in|on|at|for|during|by|from|to)\s+)+"
    return re.sub(leading, "", text.lower().strip(" .,'\"")).strip()


def tidy(text: str) -> str:
    """The text without blanks before punctuation, doubled commas and punctuation at the ends."""
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" (?=[,.;:?!)]|['’]s\b)|(?<=\() ", "", text)
    text = re.sub(r"(?:,\s*)+,", ",", text)
    return text.strip(" ,;:.-–—")


def clause_around(sentence: Parsed, index: int) -> Clause | None:
    """The nearest finite clause above a token; None where it has no subject to speak of."""
    tokens = sentence.tokens
    verb = index
    while True:
        token = tokens[verb]
        if verb != index and token.pos in ("VERB", "AUX"):
            subject = sentence.child(verb, *SUBJECTS, "expl")
            if subject is not None:
                return _clause(sentence, verb, verb, subject)
            first = verb
            while tokens[first].dep == "conj" and tokens[tokens[first].head].pos in ("VERB", "AUX"):
                first = tokens[first].head
                subject = sentence.child(first, *SUBJECTS, "expl")
                if subject is not None:
                    return _clause(sentence, verb, first, subject)
        if token.head == verb:
            return None
        verb = token.head


def _clause(sentence: Parsed, verb: int, first: int, subject: int) -> Clause | None:
    """The clause of `verb`, whose subject (and auxiliary, if need be) is that of `first`. The
    subject "who", "which" or "that" of a relative clause is the noun that it is about; where such a
    word is anything else, nothing good can be asked."""
    tokens = sentence.tokens
    pronoun: set[int] = set()
    subjects = sentence.subtree(subject)
    if tokens[subject].tag in RELATIVE:
        if tokens[first].dep != "relcl":
            return None
        pronoun, subjects = subjects, _antecedent(sentence, tokens[first].head)

    def auxiliaries(index: int) -> tuple[int, ...]:
        return tuple(i for i in sentence.children[index] if tokens[i].dep in ("aux", "auxpass"))

    auxiliary = auxiliaries(verb)
    if not auxiliary and verb != first and tokens[verb].tag not in ("VBD", "VBZ", "VBP"):
        auxiliary = auxiliaries(first)
    finite = tokens[auxiliary[0]] if auxiliary else tokens[verb]
    if finite.tag not in ("VBD", "VBZ", "VBP", "MD"):
        return None
    joined = [
        i for i in sentence.children[verb]
        if tokens[i].dep in ("cc", "conj", "mark", "parataxis", "intj", "preconj")
    ]  # fmt: skip
    rest = sentence.subtree(verb, joined) - subjects - pronoun - {verb, *auxiliary}
    relative = tokens[first].dep == "relcl"
    if relative and any(tokens[i].tag in RELATIVE and i <= subject for i in rest | subjects):
        return None
    ordered = sorted(rest)
    while ordered and tokens[ordered[-1]].pos in ("PUNCT", "SPACE"):
        ordered.pop()
    vague = bool(pronoun) and not any(_is_definite(tokens[i]) for i in subjects)
    return Clause(verb, tuple(sorted(subjects)), auxiliary, tuple(ordered), vague)


def _is_definite(token: Token) -> bool:
    return token.pos == "PROPN" or token.tag == "PRP$" or token.lemma.lower() in DEFINITE


def _antecedent(sentence: Parsed, noun: int) -> set[int]:
    """A noun with what belongs to it, without its relative clauses and what is joined to it."""
    excluded = [
        i for i in sentence.children[noun]
        if sentence.tokens[i].dep in ("relcl", "acl", "appos", "conj", "cc", "punct")
    ]  # fmt: skip
    return sentence.subtree(noun, excluded)
