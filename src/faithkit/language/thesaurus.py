"""English synonyms and antonyms, read from WordNet 3.1 when first asked for.

The file beside this module was made by `tools/make_thesaurus.py` and is under WordNet's licence
(`thesaurus.LICENSE.txt`). Each line of it is a word with its entries:

    rise n v,,1806 !fall.n !fall.v    a noun and a verb, up to three senses each
    fell a2583 n10290 v =fall.v       a form of a verb besides

A sense is a number that its words share, or nothing where it has one word only. `fall.v`, a word
and its part of speech, is an *entry*: synonyms share a sense, antonymy is between entries. What a
word means in its context is not looked at: of each part of speech that it can be, the two senses
that are most frequent count, where they are not rare for the word. Words are in lower case; an
unlisted one has no relation to any other.

To compare one word with many, take their sets once: they are synonyms where `senses(one) &
senses(two)` holds something and antonyms where `opposites(one) & entries(two)` does. Forms of a
word share their senses too, so those should be matched first.
"""

from __future__ import annotations

import gzip
import re
from functools import lru_cache
from importlib import resources

from faithkit.language.lexicon import LIGHT_VERBS, STOP_WORDS

SENSES = 2
"""How many senses of a word and part of speech count, the most frequent first."""

_ENDINGS = {
    "n": "s: ses:s xes:x zes:z ches:ch shes:sh oes:o men:man ies:y",
    "v": "s: ses:s xes:x zes:z ches:ch shes:sh oes:o ies:y ed:e ed: ing:e ing:",
    "a": "er:e er: est:e est:",
    "r": "",
}
"""By part of speech: an ending and what replaces it in the base form, after WordNet's own
rules in morphy(7WN)."""
_RULES = [(part, *rule.split(":")) for part, rules in _ENDINGS.items() for rule in rules.split()]
_COMPARATIVES = frozenset({"closer", "cooler", "fresher", "lighter", "longer", "lower"})
"""Nouns that are comparatives more often than nouns."""

_DOUBLING = re.compile(r"[^aeiou]*[aeiou][bdgklmnprt]")
"""Stems that double their last letter, "rat" in "ratted": so "rated" is not a form of it."""


@lru_cache(100_000)
def entries(word: str) -> frozenset[str]:
    """The entries that a word can belong to, "fell.n" and "fall.v" among those of "fell". Empty for
    stop words; light verbs are left out, so they have no synonyms and no antonyms."""
    if word in STOP_WORDS:
        return frozenset()
    left_out = STOP_WORDS | LIGHT_VERBS
    return frozenset(entry for entry in _all_entries(word) if _lemma(entry) not in left_out)


@lru_cache(100_000)
def senses(word: str) -> frozenset[int]:
    """The numbers of the first two senses of each of the word's entries."""
    return frozenset(sense for entry in entries(word) for sense in _senses(entry))


@lru_cache(100_000)
def opposites(word: str) -> frozenset[str]:
    """The entries of the word's antonyms."""
    antonyms: set[str] = set()
    for entry in entries(word):
        lemma, _, part = entry.rpartition(".")
        antonyms |= {
            antonym for antonym in _fields_with_mark(lemma, "!") if antonym.endswith(f".{part}")
        }
    return frozenset(antonyms)


@lru_cache(1)
def _fields_by_word() -> dict[str, str]:
    """What the file says of each word. A line is taken apart when its word is asked for."""
    compressed = resources.files("faithkit.language").joinpath("thesaurus.txt.gz").read_bytes()
    lines = gzip.decompress(compressed).decode("ascii").splitlines()
    return {word: fields for word, _, fields in (line.partition(" ") for line in lines)}


def _sense_numbers(field: str) -> list[int]:
    return [int(sense) for sense in field.split(",")[:SENSES] if sense]


def _fields_with_mark(word: str, mark: str) -> list[str]:
    """The fields after a mark or a part of speech in the word's line."""
    return [field[1:] for field in _fields_by_word().get(word, "").split() if field[0] == mark]


def _senses(entry: str) -> list[int]:
    lemma, _, part = entry.rpartition(".")
    return [sense for field in _fields_with_mark(lemma, part) for sense in _sense_numbers(field)]


def _lemma(entry: str) -> str:
    return entry.rpartition(".")[0]


@lru_cache(100_000)
def _all_entries(word: str) -> frozenset[str]:
    """The word itself, what it is an irregular form of, and what its endings lead to."""
    irregular = _fields_with_mark(word, "=")
    listed_parts = {part for part in _ENDINGS if _fields_with_mark(word, part)}
    regular = {
        f"{lemma}.{part}"
        for part, ending, replacement in _RULES
        if word.endswith(ending)
        and _may_be_inflected(word, part, listed_parts)
        and not any(entry.endswith(f".{part}") for entry in irregular)
        and _fields_with_mark(lemma := word.removesuffix(ending) + replacement, part)
        and (ending == "s" or replacement or not _DOUBLING.fullmatch(lemma))
    }
    return frozenset({f"{word}.{part}" for part in listed_parts} | regular | set(irregular))


def _may_be_inflected(word: str, part: str, listed_parts: set[str]) -> bool:
    """What WordNet's rules get wrong: "seed" is a verb and so not "see" in the past, "number" a
    noun and so not "more numb", "discuss" not several of a thing."""
    if part == "v":
        return "v" not in listed_parts
    if part == "a":
        return "a" in listed_parts or "n" not in listed_parts or word in _COMPARATIVES
    return not word.endswith("ss")
