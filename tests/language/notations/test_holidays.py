"""Holidays with a fixed date as the source writes them."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary


@pytest.mark.parametrize(
    ("source", "summary", "plain"),
    [
        ("On Boxing Day 2021.", "It was on 26 December 2021.", "It was on Boxing Day 2021."),
        ("On St. Patrick’s Day.", "It was on March 17th.", "It was on St. Patrick's Day."),
        ("On Dec 26 it rained.", "Boxing Day was wet.", "Dec 26 was wet."),
        ("The parade is on 4 July.", "It is on Independence Day.", "It is on 4 July."),
        ("The parade is on Independence Day.", "It is on 4 July.", "It is on 4 July."),
        ("On Boxing Day.", "It was on 25 December.", "It was on 25 December."),
        ("On Boxing Day, 26 December.", "On 26 December.", "On 26 December."),
        ("On Boxing Day.", "The Boxing Day sales.", "The Boxing Day sales."),
    ],
)
def test_a_holiday_is_a_date(source: str, summary: str, plain: str) -> None:
    assert plain_summary(summary, source).text == plain
