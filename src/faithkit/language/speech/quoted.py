"""Messages that a chat quotes ("Anna: > Who pays?"): said by another than who quotes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from faithkit.language.mapped import Mapped, Piece, replace_pieces
from faithkit.language.speech.dialogues import parse_opening

_QUOTING = re.compile(r"[ \t]*(?P<opening>[^\n>]{1,150}?:[ \t]+)(?P<mark>>[ \t]?)(?=\S)")
_MARK = re.compile(r"[ \t]*(?:>[ \t]?)+")


class _Line(NamedTuple):
    start: int
    text: str


def without_quoted(text: Mapped) -> Mapped:
    """The text without messages that are quoted from it, and with the others that have a name as
    turns: "Ben: > Anna: I pay." before "Thanks." as "Anna: I pay." and "Ben: Thanks."."""
    if ": >" not in text.text:
        return text
    return replace_pieces(text, list(_pieces(text.text)))


def _pieces(text: str) -> Iterator[Piece]:
    lines = list(_lines(text))
    said: set[str] = set()
    for place, line in enumerate(lines):
        quoting = _QUOTING.match(line.text)
        if quoting and parse_opening(quoting["opening"] + "x"):
            more = _quoted_below(lines, place + 1)
            after = place + 1 + more
            if after < len(lines) and _is_answer(lines[after].text):
                yield from _quote(lines, place, after, quoting, said)
        said.add(_without_opening(line.text))


def _quote(
    lines: Sequence[_Line], place: int, after: int, quoting: re.Match[str], said: set[str]
) -> Iterator[Piece]:
    """What replaces a quotation from the line at `place` to that of the answer to it."""
    line, answer = lines[place], lines[after]
    mark_start, mark_end = (line.start + at for at in quoting.span("mark"))
    quoted = [line.text[quoting.end("mark") :]]
    quoted += [_MARK.sub("", below.text, count=1) for below in lines[place + 1 : after]]
    if all(_without_opening(part) in said for part in quoted):
        yield Piece("", mark_start, answer.start)
    elif parse_opening(quoted[0]) and after == place + 1:
        yield Piece("", line.start, mark_end)
        yield Piece("\n" + quoting["opening"].lstrip(), answer.start - 1, answer.start)


def _quoted_below(lines: Sequence[_Line], place: int) -> int:
    """Lines from `place` on that go on with a quotation."""
    count = 0
    while place + count < len(lines) and _MARK.match(lines[place + count].text):
        count += 1
    return count


def _is_answer(line: str) -> bool:
    return bool(line.strip()) and parse_opening(line.strip()) is None


def _without_opening(line: str) -> str:
    """What a line says, without its speaker's name."""
    head, colon, said = line.partition(": ")
    return (said if colon and parse_opening(f"{head}: x") else line).strip()


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, line)
        start += len(line) + 1
