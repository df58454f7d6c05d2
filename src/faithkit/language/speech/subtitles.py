"""Subtitles (SRT, WebVTT) as running text: without numbers, times and tags, and with a caption that
goes on in the next one joined to it. A voice ("<v Anna>") is a turn of its speaker ("Anna: ").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from faithkit.language.mapped import Mapped, Piece, replace_pieces, substitute
from faithkit.language.sentences import ends_sentence
from faithkit.language.speech.dialogues import NAME, parse_opening, turn_colons

LEAST_CUES = 2
LEAST_ENDS = 0.1
"""Share of the captions that end a sentence, from which the others go on in the next one."""

_TIME = r"(?:\d+:)?\d+:\d\d?[.,]\d+"
_TIMING = re.compile(rf"^[ \t]*{_TIME}[ \t]*-[- ]*>[ \t]*{_TIME}[^\n]*$", re.MULTILINE)
_NAME_LINE = re.compile(
    rf"{_TIMING.pattern}\n[ \t]*(?P<name>{NAME})(?P<mark>[ \t]*\n[ \t]*)(?=[^\s\d])", re.MULTILINE
)
_NUMBER = re.compile(r"(?:\d+|[\w/-]*\d[\w/-]*-[\w/-]+)$")
_HEADER = re.compile(r"(?:WEBVTT|Kind:|Language:)")
_TAG = re.compile(r"</?(?:[ibuc]|v|ruby|rt|lang|font)(?:[ .][^<>\n]*)?>|\{\\an\d\}|<\d[\d:.]*>")
_VOICE = re.compile(r"<v(?:\.[\w.]+)?[ \t]+(?P<name>[^<>\n]*[^<>\s])[ \t]*>[ \t]*")


class _Caption(NamedTuple):
    """A line of a caption, its characters and who speaks it ("": not said)."""

    start: int
    end: int
    voice: str


def without_cues(text: Mapped) -> Mapped:
    """The text with what is spoken in its captions, one line for each sentence; other texts as
    they are."""
    if len(_TIMING.findall(text.text)) < LEAST_CUES:
        return text
    text = replace_pieces(text, list(turn_colons(text.text, _NAME_LINE)))
    pieces = list(_pieces(text.text, list(_captions(text.text))))
    return substitute(replace_pieces(text, pieces), _TAG, lambda match: (Piece("", *match.span()),))


def _captions(text: str) -> Iterator[_Caption]:
    lines = [(match.start(), match.group().strip()) for match in re.finditer(r"[^\n]+", text)]
    timings = {match.start() for match in _TIMING.finditer(text)}
    started = False
    for place, (start, line) in enumerate(lines):
        is_number = place + 1 < len(lines) and lines[place + 1][0] in timings
        if start in timings:
            started = True
            continue
        if not line or (is_number and _NUMBER.match(line)):
            continue
        if started or not _HEADER.match(line):
            first = text.index(line, start)
            voice = _VOICE.match(line)
            yield _Caption(first, first + len(line), voice["name"] if voice else "")


def _pieces(text: str, captions: list[_Caption]) -> Iterator[Piece]:
    """What replaces everything between the captions, and the tags of voices."""
    ends = sum(_ends(text[caption.start : caption.end]) for caption in captions)
    runs_on = ends >= LEAST_ENDS * len(captions)
    before: _Caption | None = None
    voice = ""
    for caption in captions:
        line = text[caption.start : caption.end]
        goes_on = (
            before is not None
            and runs_on
            and not _ends(text[before.start : before.end])
            and (caption.voice == voice if caption.voice else not _begins(line))
        )
        space = "" if before is None else " " if goes_on else "\n" if runs_on else "\n\n"
        end = before.end if before else 0
        if end < caption.start:
            yield Piece(space, end, caption.start)
        if tag := _VOICE.match(line):
            name_start, name_end = (caption.start + place for place in tag.span("name"))
            if goes_on:
                yield Piece("", caption.start, caption.start + tag.end())
            else:
                yield Piece("", caption.start, name_start)
                yield Piece(": ", name_end, caption.start + tag.end())
        before, voice = caption, caption.voice or voice
    if before and before.end < len(text):
        yield Piece("", before.end, len(text))


def _ends(line: str) -> bool:
    return ends_sentence(_TAG.sub("", line).strip() or ".")


def _begins(line: str) -> bool:
    """Whether a caption begins with another speaker."""
    return line.startswith(("- ", ">>")) or parse_opening(line) is not None
