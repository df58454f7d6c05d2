"""An old and a new value as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Rating: A- → BBB+", "Rating: from A-minus to BBB-plus"),
        ("Moved AA -> A", "Moved from AA to A"),
        ("Status: Open => In progress", "Status: from Open to In progress"),
        ("Headcount: 120 → 90", "Headcount: from 120 to 90"),
        ("fell from 120 -> 90, 12% → 14%", "fell from 120 to 90, from 12 percent to 14 percent"),
        ("Price: £40 (was £55)", "Price: 40 pounds (previously 55 pounds)"),
    ],
)
def test_an_old_and_a_new_value_are_told_apart(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "Settings → Wi-Fi → On, fever → rest",
        "A → B, x -> x + 1, if x => 5, 1 → 2 → 3",
        "c.123A→G and 40 → Paris",
        "Mr Hale (was 50) died",
        "The state -> the city",
    ],
)
def test_other_arrows_stay(text: str) -> None:
    assert read(text).text == text
