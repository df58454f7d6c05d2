"""When one sentence is a copy of another, word for word: the same words and signs in their order.

Case, punctuation and decoration make no difference; signs that say something do. What lives here:
signs, decorations and the case of single words. What does not: how signs are read as words
(`language/notations/signs.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from faithkit.language.lexicon import CURRENCIES

_TELLING_PICTURES = "▲△▼▽♀♂★☆⭐✓✔✗✘✅❌☐☑☒📈📉🔺🔻🔼🔽👍👎"
_MONEY = "|".join([*CURRENCIES.values(), "cents"])
_SIGN = re.compile(
    r"[+<>=¬±×÷%‰?&^$¢£¤¥\u207a-\u207c\u208a-\u208c\u20a0-\u20cf]"
    r"|[\u2190-\u22ff\u27c0-\u27ff\u2900-\u2aff\u2b00-\u2b11]"  # arrows and mathematics
    rf"|[{_TELLING_PICTURES}]"
    r"|(?<!\w)-(?=\.?\d)|(?<=\w)-+(?!\w)|(?<=[\s(])-+(?=[,;.)/])"  # "-5", "HER2-", "(-)"
    r"|!(?==)|(?<=\w)#|(?<=\w)@|@(?=\s)|\|\||(?<=\S)\|(?=\S)|~(?=\S)|\\(?=\w)"
    r"|(?<!\w)\.{0,2}/(?=[\w.~*])|(?<=\s)/(?=\s)|(?<=\s)\*(?=\s)|(?<=\w)\*+(?=\w)|(?<=[/\\.])\*"
    rf"|\((?=\d[\d,.]*(?: (?:million|billion|trillion))?(?: (?:percent|{_MONEY}))?\))"
)
"""Characters between words that say something: "-5", "BBB+", "p < 0.05", a question mark, and the
bracket of a negative amount. Not footnotes' stars, bullets, hash tags and mentions."""

_CANDIDATE = re.compile(r"[^\w\s,:;'\"\[\]{})]")
"""What a sign may begin with; found faster than one."""

_DECORATION = re.compile(
    rf"(?![🏻-🏿{_TELLING_PICTURES}])"
    r"[\u2300-\u23ff\u2600-\u27bf\u2b12-\u2bff\U0001f000-\U0001faff]"
)
"""Emoji and other pictures, which a copy may leave out. Skin tones are none."""

_LEADING = re.compile(r"[→⇒➔]")
"""What is a bullet before the first word."""

_LETTERS = re.compile(r"[^\W\d_]+")


def words_and_signs(text: str, offsets: Sequence[tuple[int, int]], start: int) -> tuple[str, ...]:
    """The words, in small letters, and the signs among them in the order of the text.

    offsets  of the words, at least one
    start    where the first sign may be
    """
    wording = [text[first:end].casefold() for first, end in offsets]
    signs = [
        (sign.start(), sign.group())
        for candidate in _CANDIDATE.finditer(text, start)
        if (sign := _SIGN.match(text, candidate.start()))
        and (sign.start() > offsets[0][0] or not _LEADING.match(sign.group()))
    ]
    if not signs:
        return tuple(wording)
    places = [first for first, _ in offsets]
    return tuple(item for _, item in sorted([*zip(places, wording, strict=True), *signs]))


def decorations(text: str) -> list[str]:
    """The pictures in a text, which say little but where another one is in their place."""
    return [] if text.isascii() else _DECORATION.findall(text)


def is_same_case(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether words that are equal in small letters have no other meaning by their capitals: those
    of a unit after a number ("mSv", "MSv") and of a code ("aB3xQ9") have one, unless a text is in
    capitals or in small letters throughout."""
    if _has_one_case(words) or _has_one_case(others):
        return True
    before = ["", *words]
    return not any(
        word != other and _is_cased(word, before[index], other)
        for index, (word, other) in enumerate(zip(words, others, strict=True))
    )


def _has_one_case(words: Iterable[str]) -> bool:
    text = " ".join(words)
    return text.islower() or text.isupper()


def _is_cased(word: str, before: str, other: str) -> bool:
    """Whether the capitals of a word, or of the other one in its place, say something."""
    after_number = before[-1:].isdigit()
    if after_number and len(word) == 1:
        return word not in "aA"
    has_digit = any(map(str.isdigit, word))
    return (after_number or has_digit) and (_has_inner_capital(word) or _has_inner_capital(other))


def _has_inner_capital(word: str) -> bool:
    """Whether letters in a row are in no usual case."""
    return any(
        part not in (part.lower(), part.upper(), part.capitalize())
        for part in _LETTERS.findall(word)
    )
