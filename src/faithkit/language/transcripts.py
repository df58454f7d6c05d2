"""Transcripts in JSON ('{"speaker": "Anna", "text": "Hi"}') as lines: "Anna: Hi"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from faithkit.language.dialogues import LEAST_TURNS
from faithkit.language.escapes import unescaped
from faithkit.language.mapped import Mapped, Piece, joined

SPEAKERS = ("speaker", "speaker_name", "name", "author", "sender", "from", "user", "role")
TEXTS = ("text", "content", "message", "utterance", "body")
"""Names of the fields, the ones that are preferred first."""

_STRING = r'"(?:[^"\\\n]|\\.)*+"'
_OBJECT = re.compile(rf'\{{(?:[^{{}}"]|{_STRING})*+\}}')
_FIELD = re.compile(r'"(?P<name>\w+)"\s*:\s*"(?P<value>(?:[^"\\\n]|\\.)*+)"')
_BEFORE = re.compile(r"\s*(?:\{\s*\"\w+\"\s*:\s*)?\[?\s*")
_BETWEEN = re.compile(r"[\s,]*")
_AFTER = re.compile(r"[\s,\]}]*")

Span = tuple[int, int]


class _Turn(NamedTuple):
    """The characters of an object, of the name in it and of what is said."""

    start: int
    end: int
    name: Span
    text: Span


def without_json(text: Mapped) -> Mapped:
    """The text with a line for each turn, where it is a transcript in JSON and nothing else."""
    if not text.text.lstrip().startswith(("[", "{")):
        return text
    turns = list(_turns(text.text))
    if len(turns) < LEAST_TURNS:
        return text
    ends = [0, *(turn.end for turn in turns)]
    starts = [*(turn.start for turn in turns), len(text.text)]
    rules = [_BEFORE, *[_BETWEEN] * (len(turns) - 1), _AFTER]
    gaps = zip(rules, ends, starts, strict=True)
    if not all(rule.fullmatch(text.text, end, start) for rule, end, start in gaps):
        return text
    return joined(text, _pieces(text.text, turns))


def _turns(text: str) -> Iterator[_Turn]:
    for found in _OBJECT.finditer(text):
        fields = {
            match["name"].lower(): match.span("value")
            for match in _FIELD.finditer(text, *found.span())
        }
        names = [fields[key] for key in SPEAKERS if key in fields]
        texts = [fields[key] for key in TEXTS if key in fields]
        if names and texts and names[0][0] < names[0][1]:
            yield _Turn(*found.span(), names[0], texts[0])


def _pieces(text: str, turns: list[_Turn]) -> Iterator[Piece]:
    """What replaces all but the names and what is said."""
    done = 0
    for turn in turns:
        yield Piece("\n" if done else "", done, turn.name[0])
        yield Piece(text[slice(*turn.name)], *turn.name)
        # The name may stand behind what is said.
        yield Piece(": ", turn.end - 1, turn.end)
        yield from unescaped(text, *turn.text)
        done = turn.end
    yield Piece("", done, len(text))
