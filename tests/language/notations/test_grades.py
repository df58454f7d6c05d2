"""Grades with a sign as the plain form and `reading.read` write them."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("She got A*, A* and B in art.", "She got A-star, A-star and B in art."),
        ("It is Grade II* listed, not Grade II.", "It is Grade II-star listed, not Grade II."),
        ("*Hepatitis A* and **vitamin A** and *x* A*.", "Hepatitis A and vitamin A and x A-star."),
        ("Vitamin A* helps.", "Vitamin A helps."),
    ],
)
def test_a_star_is_part_of_a_grade(text: str, plain: str) -> None:
    assert plain_source(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Her grade is A+, not A-.", "Her grade is A-plus, not A-minus."),
        ("Rated AA- by Fitch, BBB+ by S&P", "Rated AA-minus by Fitch, BBB-plus by S&P"),
        ("AA minus, an A star in art, an A plus.", "AA-minus, an A-star in art, an A-plus."),
        ("Maths | B- | C+", "Maths | B-minus | C-plus"),
    ],
)
def test_a_sign_is_part_of_a_grade(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "A- and B-roads; vitamin B- and C-rich food; B- and T-cells",
        "C++ and A+B; C+ 3; A - B; an A-level, an E-mail",
        "A- The contract",
        "Blood group A+ and A- donors",
        "vitamin A plus zinc; a B plus tree; Plan A plus the rest; Option A minus the fee",
    ],
)
def test_other_signs_stay(text: str) -> None:
    assert read(text).text == text
