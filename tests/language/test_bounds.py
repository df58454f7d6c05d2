"""Bounds by "minimum" and "maximum" in one form."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("A minimum of 24 hours' notice is required.", "at least 24 hours' notice is required."),
        ("Deposit: min. 10%", "Deposit: at least 10 percent"),
        ("Payment: min. £25 per month", "Payment: at least 25 pounds per month"),
        ("Headroom: min 5.7 km", "Headroom: at least 5.7 kilometres"),
        ("a stay of min. two nights", "a stay of at least 2 nights"),
        ("Minimum 3 nights' stay", "at least 3 nights' stay"),
        ("MINIMUM OF 3 NIGHTS", "at least 3 NIGHTS"),
        ("up to a maximum of ten people", "at most 10 people"),
        ("sentenced to a maximum of 5 years", "sentenced to at most 5 years"),
        ("Max. 4 guests (max 1 dog)", "at most 4 guests (at most 1 dog)"),
        ("Max 6 people to a table", "at most 6 people to a table"),
        ("2 nights minimum at weekends", "at least 2 nights at weekends"),
        ("Two nights minimum.", "at least 2 nights."),
        ("5 people max, £10 maximum", "at most 5 people, at most 10 pounds"),
    ],
)
def test_minimum_and_maximum_are_bounds(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "The maximum of 9 was seen.",
        "It reached a maximum of 5 and fell to a minimum of 3.",
        "A maximum of 38 degrees was seen.",
        "The Boeing 737 Max 8 and the iPhone 15 Pro Max 3",
        "Mad Max 2 was shown. Max 3 weeks ago",
        "Max 7 is my dog.",
        "VO2 max 45, a few min 5",
        "It has a 2 night minimum.",
        "The minimum age is 18.",
        "5 guests max. 3 dogs",
    ],
)
def test_other_minima_and_maxima_stay(text: str) -> None:
    assert read(text).text == text


def test_a_bounds_words_point_to_their_own_letters() -> None:
    text = "Sleeps 5 people max."
    result = read(text)
    start = result.text.index("at most")
    assert text[slice(*result.span(start, start + 7))] == " max"
