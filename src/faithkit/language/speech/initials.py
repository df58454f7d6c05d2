"""Speakers that a record writes with their initials ("BR: I'll pay.") by the names that it has
before: "Present: Ann Hill (AH), Ben Ross".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.mapped import Mapped, Piece, replace_pieces

LEAST_SPEAKERS = 2
"""Speakers whose names are known, from which their initials stand for them."""

_TURN = re.compile(r"^[ \t]*(?P<initials>[A-Z]{2,3})(?=:[ \t]+\S)", re.MULTILINE)
_CAPITALS = re.compile(r"[A-Z][\w'-]*\.?(?: [A-Z][\w'-]*\.?)+")


def with_names(text: Mapped) -> Mapped:
    """The text with "Ben Ross: I'll pay." for "BR: I'll pay.", where one name before all turns has
    these initials."""
    turns = list(_TURN.finditer(text.text))
    if not turns:
        return text
    names = _names(text.text[: turns[0].start()])
    known = [turn for turn in turns if turn["initials"] in names]
    if len({turn["initials"] for turn in known}) < LEAST_SPEAKERS:
        return text
    pieces = [Piece(names[turn["initials"]], *turn.span("initials")) for turn in known]
    return replace_pieces(text, pieces)


def _names(text: str) -> dict[str, str]:
    """By initials, the name of two or three words; nothing where two names have the same."""
    found: dict[str, set[str]] = {}
    for name in _parts(text):
        found.setdefault("".join(word[0] for word in name.split()), set()).add(name)
    return {initials: names.pop() for initials, names in found.items() if len(names) == 1}


def _parts(text: str) -> Iterator[str]:
    """Two and three words in a row with capitals."""
    for match in _CAPITALS.finditer(text):
        words = match.group().rstrip(".").split()
        for size in (2, 3):
            for first in range(len(words) - size + 1):
                if not words[first].isupper() or len(words[first]) > 3:
                    yield " ".join(words[first : first + size])
