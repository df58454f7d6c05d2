"""A text changed by rules, with the characters of the given text that each character is mapped to.

What lives here: the map and how a change is made. What does not: the rules (`normalise.py` for
whole texts, `reading.py` and those it joins for single sentences).
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


def is_mark(letter: str) -> bool:
    """Whether a character belongs to the one before it: a mark, or a Korean vowel or final."""
    return letter > "\x7f" and (
        unicodedata.category(letter).startswith("M") or "\u1160" <= letter <= "\u11ff"
    )


class Mapped(NamedTuple):
    """`text[i]` is mapped to the characters `starts[i]` to `ends[i]` of the given text."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the given text that `text[start:end]`, which is not empty, is
        mapped to."""
        return min(self.starts[start:end]), max(self.ends[start:end])


class Piece(NamedTuple):
    """A text in place of the characters `start` to `end`. Where it equals them each character
    keeps its own place, unless it is `whole`: then each is mapped to all of them."""

    text: str
    start: int
    end: int
    whole: bool = False


def identity_map(text: str) -> Mapped:
    """The text, each character mapped to itself."""
    return Mapped(text, range(len(text)), range(1, len(text) + 1))


def concatenate_pieces(old: Mapped, pieces: Iterable[Piece]) -> Mapped:
    """The pieces one after the other, in any order of their places."""
    texts: list[str] = []
    starts, ends = array("q"), array("q")  # a source may have a million characters
    for text, start, end, whole in pieces:
        texts.append(text)
        if not whole and text == old.text[start:end]:
            starts.extend(old.starts[start:end])
            ends.extend(old.ends[start:end])
        elif text:
            first, last = old.span(start, end)
            starts.extend([first] * len(text))
            ends.extend([last] * len(text))
    return Mapped("".join(texts), starts, ends)


def replace_pieces(old: Mapped, pieces: Sequence[Piece]) -> Mapped:
    """The text with these pieces, in the order of their places, for what they replace; all else
    stays."""
    all_pieces: list[Piece] = []
    copied_to = 0
    for piece in pieces:
        all_pieces += [Piece(old.text[copied_to : piece.start], copied_to, piece.start), piece]
        copied_to = piece.end
    all_pieces.append(Piece(old.text[copied_to:], copied_to, len(old.text)))
    return concatenate_pieces(old, all_pieces) if pieces else old


def stripped(old: Mapped) -> Mapped:
    """The text without white space around it."""
    text = old.text.strip()
    start = old.text.find(text)
    inside = slice(start, start + len(text))
    return Mapped(text, old.starts[inside], old.ends[inside])


Form = Callable[[re.Match[str]], tuple[Piece, ...]]
"""What a match becomes, in the order in which it is read; nothing where it stays."""


def substitute(old: Mapped, pattern: re.Pattern[str], form: Form) -> Mapped:
    """The text with every match of the pattern in its form."""
    pieces: list[Piece] = []
    copied_to = 0
    for match in pattern.finditer(old.text):
        if match_pieces := form(match):
            pieces += [
                Piece(old.text[copied_to : match.start()], copied_to, match.start()),
                *match_pieces,
            ]
            copied_to = match.end()
    pieces.append(Piece(old.text[copied_to:], copied_to, len(old.text)))
    return concatenate_pieces(old, pieces) if len(pieces) > 1 else old


class Rule(NamedTuple):
    """What a pattern's matches become. Only a text that has the `cue`, which is faster to find, is
    searched; it is looked for in lower case."""

    pattern: re.Pattern[str]
    form: Form
    cue: re.Pattern[str] | None = None


def apply_rules(old: Mapped, rules: Iterable[Rule]) -> Mapped:
    """The text changed by the rules, one after the other."""
    lower = old.text.lower()
    for pattern, form, cue in rules:
        if cue is None or cue.search(lower):
            old, before = substitute(old, pattern, form), old
            lower = lower if old is before else old.text.lower()
    return old


def keep_group(match: re.Match[str], name: str) -> Piece:
    """A group as it is written."""
    return Piece(match[name], *match.span(name))


def capitalise_like(text: str, written: str) -> str:
    """A text with a capital where what it replaces has one: "By", not "by", for "Not later than".
    Where that has none the text stays as it is."""
    return text[0].upper() + text[1:] if written[0].isupper() else text


def replace_match(match: re.Match[str], text: str) -> tuple[Piece, ...]:
    """A text in place of the whole match."""
    return (Piece(text, *match.span()),)
