"""Bounds in one form."""

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
    ("text", "plain"),
    [
        ("Teams of 50 or more get it.", "Teams of at least 50 get it."),
        ("100 or fewer employees, 3 hours or less", "at most 100 employees, at most 3 hours"),
        ("two or more people, $5m or more", "at least 2 people, at least 5 million dollars"),
        ("ages 12 and over, aged 5 and under", "ages at least 12, aged at most 5"),
        ("Must be 18 or over. Aged 65 or older.", "Must be at least 18. Aged at least 65."),
        ("From 10 seats upwards, from 10 seats up", "at least 10 seats, at least 10 seats"),
        ("Free for orders of $50 and up.", "Free for orders of at least 50 dollars."),
        ("5+ years, 5+ yrs of it, 18+, $50+, 10k+ users",
         "at least 5 years, at least 5 years of it, at least 18, at least 50 dollars, "
         "at least 10000 users"),
        ("Orders from $50 ship free.", "Orders of at least 50 dollars ship free."),
    ],
)  # fmt: skip
def test_bounds_after_a_number_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "He sold 50 and more are coming.",
        "It rose to 5 and over the next year it fell.",
        "She scored 5 and under pressure she fell. He is 50 and up to the task.",
        "2 or more likely 3, 5 or less than that, at 5 or over 6",
        "at least 50 or more, a 90 percent or greater chance, 5 to 10 or more",
        "HER2 3+, 2+ pitting oedema, 3+ protein, 1+ pulses",
        "C++, 5 + 3, 38+2 weeks, X+",
        "Orders from 5 countries. Teams from 12 to 15. Orders from 5 dollars to 7 dollars.",
        "It rose from 10 upwards of 50.",
    ],
)
def test_what_only_looks_like_a_bound_stays(text: str) -> None:
    assert read(text).text == text


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
        "a rate in req/min 6 times",
    ],
)
def test_other_minima_and_maxima_stay(text: str) -> None:
    assert read(text).text == text


def test_a_bounds_words_point_to_their_own_letters() -> None:
    text = "Sleeps 5 people max."
    result = read(text)
    start = result.text.index("at most")
    assert text[slice(*result.span(start, start + 7))] == " max"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Python >= 3.9, Python 3.9 or later", "Python at least 3.9, Python at least 3.9"),
        ("Python 3.9 or earlier, the kernel is 5.10 or older",
         "Python at most 3.9, the kernel is at most 5.10"),
        ("Windows 10 or newer, Windows 10 or older", "Windows at least 10, Windows at most 10"),
        ("Version 2.1 and earlier versions, iOS 14, or later",
         "Version at most 2.1, iOS at least 14"),
        ("May 3 or later, born in 1990 or later, by 5.30 or later, at 5 or earlier",
         "May 3 or later, born in 1990 or later, by 5.30 or later, at 5 or earlier"),
        ("aged 65 or older", "aged at least 65"),
    ],
)  # fmt: skip
def test_a_version_has_its_bound_before_it(text: str, plain: str) -> None:
    assert read(text).text == plain
