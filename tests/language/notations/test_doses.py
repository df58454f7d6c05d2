"""How often a dose is given, as `reading.read` writes it."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("500 mg od", "500 milligrams once a day"),
        ("500mg BD with food", "500 milligrams twice a day with food"),
        ("500 mg b.i.d. for a week", "500 milligrams twice a day for a week"),
        ("5 mg/kg bid", "5 milligrams per kilogram twice a day"),
        ("1 g PO tds", "1 gram PO 3 times a day"),
        ("1-2 tablets qds", "1 to 2 tablets 4 times a day"),
        ("2 puffs qid, 40 units OD", "2 puffs 4 times a day, 40 units once a day"),
    ],
)
def test_abbreviated_frequencies_after_a_dose_are_written_out(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    ["He took 500 pills and OD", "a BID of 500", "3 TID", "500 pupils from BD", "1 drop OD",
     "the once daily paper", "5 hourly workers", "in Q4H", "all at once, every day"],
)  # fmt: skip
def test_other_letters_and_words_are_no_frequencies(text: str) -> None:
    assert read(text).text == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("q8h, q 8 h, 8-hourly, every 8h, every eight hours",
         "every 8 hours, every 8 hours, every 8 hours, every 8 hours, every 8 hours"),
        ("q4-6h", "every 4 to 6 hours"),
        ("once daily, twice daily, twice-daily", "once a day, twice a day, twice a day"),
        ("thrice daily, three times daily", "3 times a day, 3 times a day"),
        ("2 times a day, twice per day, 3 times/week", "twice a day, twice a day, 3 times a week"),
        ("once weekly", "once a week"),
    ],
)  # fmt: skip
def test_frequencies_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain
