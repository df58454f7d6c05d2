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
        ("half an hour, a quarter of an hour", "half an hour, a quarter of an hour"),
        ("two and a half million, one and a half hours", "2.5 million, 1.5 hours"),
        ("a million and a half", "1.5 million"),
        ("a dozen eggs, two dozen, half a dozen", "12 eggs, 24, 6"),
        ("dozens of a dime a dozen", "dozens of a dime a dozen"),
        ("two thirds, two-thirds, ⅔ and 2/3 of", "2 thirds, 2 thirds, 2 thirds and 2 thirds of"),
        ("one-third, one third of us, ⅓, 1/3 of", "a third, a third of us, a third, a third of"),
        ("5½%, 5 1/2 years, ½ price, 1/2 price", "5.5 percent, 5.5 years, half price, half price"),
        ("on 2/3, 1/2 and one third party", "on 2/3, 1/2 and one third party"),
        ("on 1/2 men won 3/4", "on 1/2 men won 3/4"),
        ("a two-thirds-full cup", "a two-thirds-full cup"),
    ],
)
def test_fractions_and_dozens_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain
