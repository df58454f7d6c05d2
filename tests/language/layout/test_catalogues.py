"""Entries of a catalogue."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source

BOX = "21\nSNUFF BOX\nGold\nGiven 1920"
FAN = "22\nFAN\nIvory\nNot on view"


def test_each_line_is_read_with_the_name_of_its_entry() -> None:
    lines = plain_source(f"{BOX}\n\n{FAN}").text.split("\n")
    assert "SNUFF BOX - Given 1920" in lines
    assert "FAN - Not on view" in lines


@pytest.mark.parametrize(
    "text",
    [
        BOX,  # one entry
        f"{BOX}\n\n{BOX}",  # of one name
        "NOTICE\nThe hall is shut.\nIt opens in May.\n\nNEWS\nThe pool is open.\nAll may come.",
        "Fan\nIvory\nGiven 1920\n\nBox\nGold\nGiven 1901",
    ],
)
def test_other_lines_stay(text: str) -> None:
    assert " - " not in plain_source(text).text
