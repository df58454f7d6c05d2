"""Numbers as `reading.read` writes them: number words, years, fractions and large numbers."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("between one hundred and two hundred people", "between 100 and 200 people"),
        ("between four hundred and five million", "between 400 and 5 million"),
        ("between two hundred and three thousand", "between 200 and 3000"),
        ("between one hundred and fifty and two hundred", "between 150 and 200"),
        ("between one hundred and fifty thousand and two hundred thousand",
         "between 150000 and 200000"),
        ("between two thousand and five thousand", "between 2000 and 5000"),
        ("two hundred and three thousand", "203000"),
        ("one hundred and two hundred", "100 and 200"),
        ("a hundred and five, two hundred fifty", "105, 250"),
        ("two thousand and five, four thousand two hundred", "2005, 4200"),
        ("two thousand five people", "2000 5 people"),
    ],
)  # fmt: skip
def test_hundreds_and_thousands_are_added_within_one_number(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("in nineteen eighty-four", "in 1984"),
        ("by twenty twenty-one and in twenty ten", "by 2021 and in 2010"),
        ("since nineteen oh five", "since 1905"),
        ("in eighteen sixty", "in 1860"),
        ("in twenty thirty-minute talks", "in 20 30 minute talks"),
        ("a score of nineteen eighty", "a score of 19 80"),
        ("in twenty fifty hours", "in 20 50 hours"),
    ],
)
def test_years_in_words_are_digits_where_a_year_may_follow(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("half a million, half a billion pounds", "500000, 500 million pounds"),
        ("a half-million, half-a-million, a quarter of a million", "500000, 500000, 250000"),
        ("half an hour, a quarter of an hour", "0.5 hours, 0.25 hours"),
        ("two and a half million, one and a half hours", "2.5 million, 1.5 hours"),
        ("a million and a half", "1.5 million"),
        ("a dozen eggs, two dozen, half a dozen", "12 eggs, 24, 6"),
        ("dozens of a dime a dozen", "dozens of a dime a dozen"),
        ("two thirds, two-thirds, ⅔ and 2/3 of", "2 thirds, 2 thirds, 2 thirds and 2 thirds of"),
        ("one-third, one third of us, ⅓, 1/3 of", "a third, a third of us, a third, a third of"),
        ("5½%, 5 1/2 years, ½ price, 1/2 price", "5.5 percent, 5.5 years, half price, half price"),
        ("2-1/2 hours, a 2-1/2-month low and a 2 1/2-hour film",
         "2.5 hours, a 2.5 month low and a 2.5 hour film"),
        ("in 6-1/3, 6-8/210, 05-1/2/1991, 5-1/2-3, 3-1/8",
         "in 6-1/3, 6-8/210, 05-1/2/1991, 5-1/2-3, 3-1/8"),
        ("on 2/3, 1/2 and one third party", "on 2/3, 1/2 and one third party"),
        ("on 1/2 men won 3/4", "on 1/2 men won 3/4"),
        ("a two-thirds-full cup", "a two-thirds-full cup"),
    ],
)  # fmt: skip
def test_fractions_and_dozens_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("one point two million euros", "1.2 million euros"),
        ("One point one percent, one point two five billion", "1.1 percent, 1.25 billion"),
        ("a score of three point five", "a score of 3.5"),
        ("twenty-five point five, zero point oh five", "25.5, 0.05"),
        ("seven point four percent of two point five of us", "7.4 percent of 2 point 5 of us"),
        ("at one point two men left", "at one point 2 men left"),
        ("At one point two million men left", "At one point 2 million men left"),
        ("won by one point two days ago", "won by one point 2 days ago"),
        ("a three point lead, at this point two left", "a 3 point lead, at this point 2 left"),
        ("a hundred and two point five", "102 point 5"),
        ("sixty three point five-minute", "63 point 5 minute"),
    ],
)
def test_words_after_point_are_decimals(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("$1,268,400 and $1.2684 million", "1.2684 million dollars and 1.2684 million dollars"),
        ("126,844,000 and 126.844 million", "126.844 million and 126.844 million"),
        ("1,234,567 and 1.234567 million", "1234567 and 1234567"),
        ("ISBN 9781234500", "ISBN 9781234500"),
    ],
)
def test_a_large_number_has_one_scale(text: str, plain: str) -> None:
    assert read(text).text == plain
