"""Percentage points of the evidence that a summary calls per cent: a rate that is "6 percentage
points" higher is not 6% higher."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from faithkit.models.protocols import Bools
from faithkit.support.sentences import Kind, Sentence

LEAST = 1.0
"""Of rates of interest, which are changed by less, people say "0.25%" for points, too."""

_OF_INTEREST = re.compile(r"\b(?:interest|rates|yields?|(?:bank|base|key|policy) rate)\b", re.I)
_PERCENT = re.compile(r" percent\b(?! of\b)")
_ANY_PERCENT = re.compile(r" percent\b")
_POINTS = re.compile(r" percentage[ -]points?\b")


def percent_for_points(claim: Sentence, evidence: Sequence[Sentence]) -> Bools:
    """[words of the claim], whether each is a number of per cent, or its unit, that the evidence
    has as one of percentage points alone."""
    changed = np.zeros(len(claim.keys), dtype=np.bool_)
    if _OF_INTEREST.search(claim.form.text) or not _PERCENT.search(claim.form.text):
        return changed
    for word in np.flatnonzero(claim.kinds == Kind.NUMBER).tolist():
        number = claim.keys[word]
        if not _is_followed(claim, word, _PERCENT) or not _is_more(number):
            continue
        others = [
            (sentence, index)
            for sentence in evidence
            for index, key in enumerate(sentence.keys)
            if key == number
        ]
        in_points = any(_is_followed(sentence, index, _POINTS) for sentence, index in others)
        in_percent = any(_is_followed(sentence, index, _ANY_PERCENT) for sentence, index in others)
        changed[word : word + 2] |= in_points and not in_percent
    return changed


def _is_followed(sentence: Sentence, word: int, unit: re.Pattern[str]) -> bool:
    return unit.match(sentence.form.text, sentence.offsets[word][1]) is not None


def _is_more(number: str) -> bool:
    """Whether a key is a plain number of more than LEAST."""
    return re.fullmatch(r"\d+(?:\.\d+)?", number) is not None and float(number) > LEAST
