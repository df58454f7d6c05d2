"""Amounts below zero as accounts write them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Cash flow was negative $7.5m.", "Cash flow was minus 7.5 million dollars."),
        ("a negative $7.5m in May", "a minus 7.5 million dollars in May"),
        ("growth of negative two percent", "growth of minus 2 percent"),
        ("from negative 0.4% to negative 5 degrees", "from minus 0.4 percent to minus 5 degrees"),
        ("Closing balance £250.00-", "Closing balance minus 250 pounds"),
        ("Credit note total: 120.50-.", "Credit note total: minus 120.50."),
        ("Account balance: 250.00 DR", "Account balance: minus 250.00 in debit"),
        ("Closing balance: 1,250.00CR", "Closing balance: 1250.00 in credit"),
        ("Paid £250.00 OD", "Paid minus 250 pounds overdrawn"),
    ],
)
def test_an_amount_below_zero_has_a_minus(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "The test was negative 40 percent of the time.",
        "Tests were negative 12 times, negative 3 pupils.",
        "positive or negative 5 percent",
        "The mean was 85.20- or so, from 85.20-.",
        "Refraction 20.00 OD and 2.50 DR",
        "Signed 12.50 Dr Smith of the account",
    ],
)
def test_what_may_be_positive_stays(text: str) -> None:
    assert read(text).text == text
