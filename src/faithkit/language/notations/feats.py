"""Words of sport that are numbers: three goals are a hat-trick, two a brace, and who takes silver
is second. A summary is given the words of its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from faithkit.language.mapped import Mapped, Piece, replace_pieces

_SCORED = r"\b(?:scor(?:ed|es|ing)|netted|bagged|grabbed|hit|got|completed|with) "
_TOOK = r"(?:took|takes|taking|won|wins|winning|claimed|claims|earned|secured) (?:the |an? )?"
_CAME = r"(?:finished|finishes|finishing|came|comes|coming|placed|(?:was|were) placed)(?: in)? "


class _Feat(NamedTuple):
    """A pattern of the word and one of the number; the group "words" of one stands for that of the
    other."""

    word: re.Pattern[str]
    number: re.Pattern[str]


def _feat(word: str, number: str) -> _Feat:
    return _Feat(re.compile(word, re.IGNORECASE), re.compile(number, re.IGNORECASE))


_FEATS = (
    _feat(
        rf"{_SCORED}(?P<words>an? hat[- ]trick)\b(?! of\b)",
        rf"{_SCORED}(?P<words>(?:3|three) goals)\b",
    ),
    _feat(rf"{_SCORED}(?P<words>a brace)\b(?! of\b)", rf"{_SCORED}(?P<words>(?:2|two) goals)\b"),
    _feat(
        rf"\b(?P<words>{_TOOK}silver(?: medal)?)\b(?! (?!in\b|at\b|for\b|behind\b|on\b|and\b)\w)",
        rf"\b(?P<words>{_CAME}(?:second|2nd)(?: place)?)\b(?! (?:to|half|time|last)\b)",
    ),
    _feat(
        rf"\b(?P<words>{_TOOK}bronze(?: medal)?)\b(?! (?!in\b|at\b|for\b|behind\b|on\b|and\b)\w)",
        rf"\b(?P<words>{_CAME}(?:third|3rd)(?: place)?)\b(?! (?:to|half|time|last)\b)",
    ),
)
_CUE = re.compile(r"hat[- ]trick|brace|goals|silver|bronze|second|2nd|third|3rd", re.IGNORECASE)


def with_feats(text: Mapped, source: str) -> Mapped:
    """A summary with "a hat-trick" for "three goals" where the source has only the first, and the
    other way round."""
    if not _CUE.search(text.text):
        return text
    return replace_pieces(
        text, sorted(_in_words_of(text.text, source), key=lambda piece: piece.start)
    )


def _in_words_of(text: str, source: str) -> Iterator[Piece]:
    for word, number in _FEATS:
        in_word, in_number = word.search(source), number.search(source)
        written = in_word or in_number
        if written and not (in_word and in_number):
            for match in (number if in_word else word).finditer(text):
                yield Piece(written["words"], *match.span("words"))
