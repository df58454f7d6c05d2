"""Transcripts in JSON ('{"speaker": "Anna", "text": "Hi"}') and in tags ("<agent>Hi</agent>") as
lines: "Anna: Hi"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from faithkit.language.layout.escapes import unescaped
from faithkit.language.mapped import Mapped, Piece, concatenate_pieces, replace_pieces

LEAST_TURNS = 2
"""Of a text that is nothing else."""

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
    return concatenate_pieces(text, _pieces(text.text, turns))


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


ROLES = (
    "agent|assistant|bot|caller|client|clinician|customer|doctor|guest|host|human|interviewee"
    "|interviewer|nurse|operator|patient|student|system|teacher|user|speaker_?\\d{1,2}"
)
"""Who speaks in a transcript, as its tags and brackets call them."""
_TAGGED = re.compile(
    rf"<(?:(?P<role>{ROLES})|(?P<tag>turn|message|msg|utterance|line|entry|speech|u|sp)\b[^<>]*?"
    r"\s(?:speaker|role|name|from|author|user|who)=[\"'](?P<name>[^\"'<>\n]{1,60})[\"'][^<>]*)>"
    r"(?P<before>\s*)(?P<text>[^<>]*?)(?P<end>\s*</(?:(?P=role)|(?P=tag))>)",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(r"\s*(?:</?\w+(?:\s[^<>]*)?>\s*)?")
"""Between turns: blanks, or a tag around all of them."""


def without_tags(text: Mapped) -> Mapped:
    """The text with a line for each turn, where it is a transcript in tags and nothing else:
    "<agent>Hi</agent>" or '<turn speaker="agent">Hi</turn>' as "agent: Hi"."""
    if "</" not in text.text:
        return text
    turns = list(_TAGGED.finditer(text.text))
    ends, starts = [0, *(turn.end() for turn in turns)], [turn.start() for turn in turns]
    gaps = zip(ends, [*starts, len(text.text)], strict=True)
    if len(turns) < LEAST_TURNS or not all(_OUTSIDE.fullmatch(text.text, *gap) for gap in gaps):
        return text
    pieces: list[Piece] = []
    for turn, done in zip(turns, ends, strict=False):
        name = "role" if turn["role"] else "name"
        pieces += [
            Piece("\n" if done else "", done, turn.start(name)),
            Piece(": ", turn.end(name), turn.start("text")),
            Piece("", *turn.span("end")),
        ]
    pieces.append(Piece("", ends[-1], len(text.text)))
    return replace_pieces(text, pieces)
