"""A source cut into chunks of whole sentences, as published checkpoints read it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from faithkit.language.words import Segment


def even_chunks(text: str, pieces: Sequence[Segment], size: int) -> tuple[Segment, ...]:
    """Groups of as many sentences each as give chunks of about `size` white-space words, joined by
    a blank (AlignScore, Zha et al. 2023 §3.2, as their code has it). The last may be shorter; a
    sentence is never cut."""
    parts = len(text.split()) // size + 1
    each = max(len(pieces) // parts, 1)
    groups = [pieces[start : start + each] for start in range(0, len(pieces), each)]
    return tuple(
        Segment(group[0].start, group[-1].end, " ".join(piece.text for piece in group))
        for group in groups
    )


def full_chunks(
    text: str, pieces: Sequence[Segment], lengths: Sequence[int], size: int
) -> tuple[Segment, ...]:
    """Sentences joined for as long as their lengths stay within `size`; one that is longer is a
    chunk by itself (MiniCheck, Tang et al. 2024, appendix E.2). Lines stay lines."""
    groups: list[list[Segment]] = []
    filled = 0
    for piece, length in zip(pieces, lengths, strict=True):
        if not groups or filled + length > size:
            groups.append([])
            filled = 0
        groups[-1].append(piece)
        filled += length
    return tuple(Segment(g[0].start, g[-1].end, _lines(text, g)) for g in groups)


def _lines(text: str, group: Sequence[Segment]) -> str:
    """The sentences, a line end between two where the text has one there, else a blank."""
    written = group[0].text
    for last, piece in pairwise(group):
        written += ("\n" if "\n" in text[last.end : piece.start] else " ") + piece.text
    return written
