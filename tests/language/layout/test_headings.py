"""Headings that belong to the fragments under them."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source
from faithkit.language.sentences import source_sentences, speakers


def headings(text: str) -> dict[str, str]:
    """For each sentence that has one, its heading."""
    plain = plain_source(text).text
    pieces = source_sentences(plain)
    found = zip(pieces, speakers(pieces, plain), strict=True)
    return {piece.text: name for piece, name in found if name}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "12. Ewer\nVenice. Given by Anne Wroth.\n\n"
            "13. Flask (small)\nIznik. Bequest of H. Lamm.",
            {"Venice.": "Ewer", "Given by Anne Wroth.": "Ewer", "Iznik.": "Flask",
             "Bequest of H. Lamm.": "Flask"},
        ),
        (
            "Quiz night\nFriday 8pm. Bring a pen.\n\nBook club\nSunday. Tea provided.",
            {"Friday 8pm.": "Quiz night", "Bring a pen.": "Quiz night", "Sunday.": "Book club",
             "Tea provided.": "Book club"},
        ),
        (
            "Choir: Tuesdays, chapel. New voices wanted.\n\nChess: Fridays, cafe. Bring a board.",
            {"New voices wanted.": "Choir", "Bring a board.": "Chess"},
        ),
        (
            "ARIES (21 Mar – 19 Apr): Be kind. Lucky number: 7\n"
            "TAURUS (20 Apr – 20 May): Let it ring. Lucky number: 22",
            {"Lucky number: 7": "ARIES", "Lucky number: 22": "TAURUS"},
        ),
    ],
)  # fmt: skip
def test_a_heading_belongs_to_the_fragments_under_it(text: str, expected: dict[str, str]) -> None:
    assert headings(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Quiz night\nFriday 8pm. Bring a pen.",  # one entry
        "The history\nThe town was founded by monks who came over the hills from the north. It "
        "grew for three hundred years until the river was diverted by a flood.\n\nThe present\n"
        "Most of the people who live here work in the city, which is an hour away by train. The "
        "old mill has been a museum since the owners gave it to the county.",
        "The fog comes\nOn little cat feet.\n\nIt sits looking\nOver harbour and city.",
        "Auto-off\nBase 230 V only. NOT for the US.\n\nCare: wipe it.",  # two forms
        "Present: Ann Hill. Apologies: Ben Ross.\n\nPlace: the hall. Chair: Eva Kern.",
        "Quiz night\nBook club\nChoir\nChess",
        "It rained. We left.\n\nNobody came. It was cold.",
    ],
)
def test_other_texts_have_no_headings(text: str) -> None:
    assert headings(text) == {}
