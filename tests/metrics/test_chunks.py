"""Chunks of a source, by hand."""

from __future__ import annotations

from collections.abc import Sequence

from tests.helpers.tiny_checkpoints import (
    SOURCE,
    D,
)

from faithkit.language.sentences import sentences
from faithkit.language.words import Segment
from faithkit.metrics.chunks import even_chunks, full_chunks


def texts(chunks: Sequence[Segment]) -> list[str]:
    return [chunk.text for chunk in chunks]


def test_even_chunks_hold_as_many_sentences_each() -> None:
    pieces = sentences(SOURCE)
    assert texts(pieces) == D
    # 31 words: 31 // 8 + 1 = 4 parts of 5 // 4 = 1 sentence; 31 // 12 + 1 = 3 parts; 31 // 16 + 1
    # = 2 parts of 2 sentences, and the fifth is left over.
    assert texts(even_chunks(SOURCE, pieces, 8)) == D
    assert texts(even_chunks(SOURCE, pieces, 16)) == [f"{D[0]} {D[1]}", f"{D[2]} {D[3]}", D[4]]
    (all_of_it,) = even_chunks(SOURCE, pieces, 350)
    assert all_of_it == (0, len(SOURCE), SOURCE)


def test_full_chunks_keep_sentences_whole() -> None:
    pieces = sentences(SOURCE)
    lengths = [5, 5, 5, 5, 11]
    found = full_chunks(SOURCE, pieces, lengths, 10)
    assert texts(found) == [f"{D[0]} {D[1]}", f"{D[2]} {D[3]}", D[4]]
    assert [SOURCE[chunk.start : chunk.end] for chunk in found] == texts(found)
    # A sentence longer than a chunk is one by itself, first, last or in between.
    assert texts(full_chunks(SOURCE, pieces, lengths, 4)) == D
    assert texts(full_chunks(SOURCE, pieces, [11, 5, 5, 5, 5], 10)) == [
        D[0],
        f"{D[1]} {D[2]}",
        f"{D[3]} {D[4]}",
    ]
    assert texts(full_chunks(SOURCE, pieces, lengths, 9)) == D
    assert full_chunks("", (), [], 9) == ()


def test_lines_stay_lines_inside_a_chunk() -> None:
    text = "A: yes it is.\n\nB: no.  C is here."
    pieces = [Segment(0, 13, text[:13]), Segment(15, 21, text[15:21]), Segment(23, 33, text[23:])]
    (found,) = full_chunks(text, pieces, [1, 1, 1], 9)
    assert found.text == "A: yes it is.\nB: no. C is here."
