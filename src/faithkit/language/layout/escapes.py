"""Strings of JSON within a text: the characters that their escapes stand for, each at its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from faithkit.language.mapped import Piece

_ESCAPE = re.compile(r'(?:\\u[\da-fA-F]{4})+|\\["\\/bfnrt]')


def unescaped(text: str, start: int, end: int) -> Iterator[Piece]:
    """What is within the quotes of a string, from `start` to `end`. Half a surrogate pair is no
    letter, and left out."""
    for escape in _ESCAPE.finditer(text, start, end):
        yield Piece(text[start : escape.start()], start, escape.start())
        letters = json.loads(f'"{escape.group()}"').encode(errors="ignore").decode()
        yield Piece(letters, *escape.span())
        start = escape.end()
    yield Piece(text[start:end], start, end)
