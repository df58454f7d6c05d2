"""Pieces of texts as spans and evidence: what a metric marks as unsupported, and the best match of
each piece of the summary in the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from faithkit.language.sentences import sentences
from faithkit.language.words import Segment
from faithkit.records import Evidence, Span


class Piece(Protocol):
    """A piece of a text: a sentence, an entity, a phrase."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


def unsupported_below(
    pieces: Iterable[Piece], values: Iterable[float], threshold: float
) -> list[Span]:
    """The pieces of a summary whose value is under the threshold, scored with it."""
    return [
        Span(piece.start, piece.end, "unsupported", float(value))
        for piece, value in zip(pieces, values, strict=True)
        if value < threshold
    ]


def best_matches(
    summary: Iterable[Piece],
    source: Sequence[Piece],
    best: Iterable[int],
    values: Iterable[float],
    label: str = "best match",
) -> list[Evidence]:
    """Each piece of a summary with its best piece of the source, at the position `best`."""
    return [
        Evidence(source[j].start, source[j].end, piece.start, piece.end, label, float(value))
        for piece, j, value in zip(summary, best, values, strict=True)
    ]


def consecutive_runs(indices: Iterable[int]) -> list[list[int]]:
    """Ascending indices in runs without a gap."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][-1] + 1 == index:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def stripped(text: str, start: int, end: int) -> Segment:
    """The piece `start:end` of a text without the white space around it."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return Segment(start, start + len(piece.strip()), piece.strip())


def sentences_or_whole(text: str, unit: Literal["sentence", "document"]) -> tuple[Segment, ...]:
    """The sentences of a text, or all of it as one piece; nothing of a blank text."""
    if unit == "sentence":
        return sentences(text)
    return (Segment(0, len(text), text),) if text.strip() else ()
