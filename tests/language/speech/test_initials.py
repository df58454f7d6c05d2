"""Speakers by their initials."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Present: Ann Hill (AH), Ben Ross (BR)\nAH: It is done.\nBR: I'll pay.",
         "Present: Ann Hill (AH), Ben Ross (BR)\nAnn Hill: It is done.\nBen Ross: I'll pay."),
        ("Eva Kern talks to Marco Bellini.\n\nEK: Are you well?\nMB: No.",
         "Eva Kern talks to Marco Bellini.\n\nEva Kern: Are you well?\nMarco Bellini: No."),
    ],
)  # fmt: skip
def test_initials_stand_for_the_names_before(text: str, expected: str) -> None:
    assert plain_source(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "Present: Ann Hill\nAH: It is done.\nBR: I'll pay.",  # one is known
        "Ann Hill, Adam Holt, Ben Ross\nAH: It is done.\nBR: I'll pay.",  # two have the initials
        "The teams came.\nUS: We won.\nUK: We lost.",
    ],
)
def test_other_capitals_stay(text: str) -> None:
    assert plain_source(text).text == text
