"""Deadlines and first days in one form."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Apply no later than 31 May.", "Apply by May 31."),
        ("Apply on or before 31 May, not later than noon.", "Apply by May 31, by noon."),
        ("No later than Friday, 2 May 2025", "By Friday, May 2 2025"),
        ("no later than 5.30pm, the end of June or 2026", "by 5:30 pm, the end of June or 2026"),
        ("on Friday at the latest, at 5 pm on 3 May, at the latest",
         "by Friday, by 5 pm on May 3"),
        ("claims on or after 31 May, no earlier than 9 am", "claims from May 31, from 9 am"),
        ("Payment is made not before 3 May, with effect from 4 May",
         "Payment is made from May 3, from May 4"),
    ],
)  # fmt: skip
def test_a_deadline_is_by_and_a_first_day_is_from(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "It was not before May 3 that he came, and he did not before June.",
        "No later than 10 days after the vote; no later than we thought.",
        "on or before the bridge, no sooner than he left, at the latest count",
        "before May 3, after May 3, until May 3",
    ],
)
def test_what_is_no_deadline_stays(text: str) -> None:
    assert read(text).text == text
