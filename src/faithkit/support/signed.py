"""Numbers that the evidence has with the other sign alone: "-1.2" where a summary has "1.2"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from faithkit.language.lexicon import BELOW_ZERO, FALLS
from faithkit.models.protocols import Bools
from faithkit.support.sentences import Kind, Sentence, stem

POSITIVE, NEGATIVE, UNKNOWN = 1, -1, 0

_MINUS = re.compile(r"(?<!\bor )\bminus $", re.IGNORECASE)
_LEVEL = re.compile(r"\bto [$£€]?$", re.IGNORECASE)
_UNCLEAR = re.compile(r"(?:[-–(±]|minus) ?$", re.IGNORECASE)


def with_other_sign(claim: Sentence, evidence: Sequence[Sentence]) -> Bools:
    """[words of the claim], whether each is a number that the evidence has, but nowhere with this
    sign. A positive number is not compared where a word such as "fell" makes it negative;
    what something "fell to" is."""
    changed = np.zeros(len(claim.keys), dtype=np.bool_)
    for word in np.flatnonzero(claim.kinds == Kind.NUMBER).tolist():
        own = _sign(claim, word)
        others = [
            _sign(sentence, index)
            for sentence in evidence
            if claim.keys[word] in sentence.keys
            for index, key in enumerate(sentence.keys)
            if key == claim.keys[word]
        ]
        changed[word] = own != UNKNOWN and set(others) == {-own}
    return changed


def _sign(sentence: Sentence, word: int) -> int:
    """The sign of a number."""
    start = sentence.offsets[word][0]
    before = sentence.form.text[max(0, start - 10) : start]
    if _MINUS.search(before):
        return NEGATIVE
    negative = _stems(BELOW_ZERO) - (_stems(FALLS) if _LEVEL.search(before) else frozenset())
    if _UNCLEAR.search(before) or not negative.isdisjoint(sentence.keys):
        return UNKNOWN
    return POSITIVE


@lru_cache(maxsize=2)
def _stems(words: frozenset[str]) -> frozenset[str]:
    """The stems of `lexicon.BELOW_ZERO` or `lexicon.FALLS`."""
    return frozenset(map(stem, words))
