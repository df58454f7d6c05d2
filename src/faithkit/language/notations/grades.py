"""Grades with a sign as one word, so that the sign is part of them: "A*" is "A-star", "B+" is
"B-plus", "AA-" is "AA-minus", "Grade II*" is "Grade II-star". What does not live here: results of
tests ("ER+", `signs.py`) and other numerals (`roman.py`).
"""

from __future__ import annotations

import re

from faithkit.language.lexicon import LETTERED
from faithkit.language.mapped import Mapped, Piece, Rule, keep_group, substitute

# Stars, which emphasis is made with too

_STARRED = re.compile(
    r"(?<![\w*/.'’-])(?P<grade>A|(?<=[Gg]rade )(?:II|2)|(?<=GRADE )(?:II|2))(?P<star>\*)(?![\w*])"
)
_OPENING = re.compile(r"(?<![\w*\\])\*{1,3}(?=[^\s*])")
_CLOSING = re.compile(r"(?<=[^\s*])\*{1,3}(?!\w)")
_LETTERED = re.compile(rf"\b(?:{'|'.join({*LETTERED} - {'grade', 'class'})}) $", re.IGNORECASE)
"""What a letter is of before the mark of a note: "vitamin A*"."""


def with_stars(text: Mapped) -> Mapped:
    """The text with "A*" and "Grade II*" in words; the star may be what ends emphasis, "*hepatitis
    A*"."""
    return substitute(text, _STARRED, _starred) if "*" in text.text else text


def _starred(match: re.Match[str]) -> tuple[Piece, ...]:
    first = match.string.rfind("\n", 0, match.start()) + 1
    before = match.string[max(first, match.start() - 300) : match.start()]
    opened = list(_OPENING.finditer(before))
    if opened and not _CLOSING.search(before, opened[-1].end()):
        return ()
    if _LETTERED.search(before):
        return ()
    grade = "II" if match["grade"] == "2" else match["grade"]
    return Piece(grade, *match.span("grade")), Piece("-star", *match.span("star"))


# Plus and minus

_RATINGS = "AAA?|BBB?|CCC?"
_SIGNS = {"+": "-plus", "-": "-minus"}
_WORDS_AFTER = "after|and|at|but|by|for|from|if|in|is|on|or|rating|so|to|was|when|while|with"
_AFTER_MINUS = (
    rf"(?=$|[,.;:)|!?\"']| ?[|→=]| ->| (?:{_WORDS_AFTER})\b)"
    r"(?!(?:,? [\w-]+){0,3},? (?:and|or|to) \w+-[A-Za-z])"
)
_SIGNED = re.compile(
    rf"(?<![\w*/.'’+&-])(?<!\b[Gg]roup )(?<!\b[Tt]ype )(?P<grade>{_RATINGS}|[A-F])"
    rf"(?P<sign>\+(?![\w+(]| ?\d)|(?<!^.)-{_AFTER_MINUS})"
)
_IN_WORDS = re.compile(
    rf"(?<![\w*/.'’-])(?P<grade>{_RATINGS}|(?P<single>[A-F]))(?P<blank> )(?P<word>plus|minus|star)"
    rf"(?=$|[,.;:)!?]| (?:{_WORDS_AFTER})\b)"
)
_GRADE_BEFORE = re.compile(
    r"\b(?:an?|grade[sd]?|marks?|rat(?:ed|ings?)|awarded|from|to)(?: (?:of|at|is|was))? $"
)
_BLOOD = re.compile(r"\b(?:blood|donors?|transfus\w+)\b", re.IGNORECASE)


def _signed(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "B+" and "AA-" as "B-plus" and "AA-minus"; nothing of "B- and T-cells", nor of blood."""
    if _BLOOD.search(match.string, max(0, match.start() - 100), match.end() + 100):
        return ()
    return keep_group(match, "grade"), Piece(_SIGNS[match["sign"]], *match.span("sign"))


def _in_words(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "AA minus" as "AA-minus", and "an A star" as "an A-star"."""
    start = match.start()
    if match["single"] and not _GRADE_BEFORE.search(match.string, max(0, start - 15), start):
        return ()
    return keep_group(match, "grade"), Piece("-", *match.span("blank")), keep_group(match, "word")


GRADES_CUE = re.compile(r"\b[a-f]{1,3}(?:[+-](?!\w)| (?:plus|minus|star)\b)")
GRADES = (
    Rule(_SIGNED, _signed, re.compile(r"[a-f][+-]")),
    Rule(_IN_WORDS, _in_words, re.compile(" (?:plus|minus|star)")),
)
"""Rules for texts in which `GRADES_CUE` is found; before those of signs and numbers."""
