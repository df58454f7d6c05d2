"""Entries of diaries with their days and months."""

from __future__ import annotations

import pytest

from faithkit.language.layout.diaries import with_days
from faithkit.language.mapped import identity_map


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Mon 4 May 1942. Price ill.\nTues. 5th. Rain.\nWeds 6. A boar.",
         "Mon 4 May 1942: Price ill.\nTues. 5th May 1942: Rain.\nWeds 6 May 1942: A boar."),
        ("2 Jan. Snow. Hens out.\n3rd. Thaw. Mrs. Fox sold the calf.",
         "2 Jan: Snow. 2 Jan: Hens out.\n3rd Jan: Thaw. 3rd Jan: Mrs. Fox sold the calf."),
        ("4 Oct. Left Genoa.\n5. Storm all night.", "4 Oct: Left Genoa.\n5 Oct: Storm all night."),
        ("August 1914\nTues 4: War.\nWed 5: Peace.",
         "August 1914\nTues 4 August 1914: War.\nWed 5 August 1914: Peace."),
        ("4 June: Ferry. Two otters.\n5 June: Rain.",
         "4 June: Ferry. 4 June: Two otters.\n5 June: Rain."),
    ],
)  # fmt: skip
def test_each_sentence_of_an_entry_has_its_day(text: str, plain: str) -> None:
    assert with_days(identity_map(text)).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "March 2024\n1. Revenue rose\n2. Costs fell", "4 May: agenda\n1. Apologies\n2. Minutes",
        "1. One thing\n2. Another", "4 May was dry.\n5 June was wet.", "5th. A place\n6th. Another",
        "30 May: left\n4. Point four",
    ],
)  # fmt: skip
def test_lists_and_prose_are_no_diaries(text: str) -> None:
    assert with_days(identity_map(text)).text == text
