"""Notations of numbers as `reading.read` writes them: points, groups, powers, Roman numerals."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("was .71.", "was 0.71."),
        ("p<.05, P = .03, r=-.34", "p less than 0.05, P = 0.03, r= minus 0.34"),
        (".5 mg and $.50", "0.5 milligrams and 0.5 dollars"),
        ("said.5 people, v.5, ...5, 1.2.3, a.com/.5", "said.5 people, v.5, ...5, 1.2.3, a.com/.5"),
    ],
)
def test_a_leading_point_has_a_zero(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("5,00,000, ₹1,23,456 and 1,00,00,000", "500000, 123456 rupees and 10 million"),
        ("1'200'000 and CHF 1'500, CHF1'500",
         "1.2 million and 1500 Swiss francs, 1500 Swiss francs"),
        ("5 000 000 people, 10 000 people", "5 million people, 10000 people"),
        ("$5 000, $1 234 567", "5000 dollars, 1234567 dollars"),
        ("$5 100 times, 555 123 000, 020 000 000", "5 dollars 100 times, 555 123 000, 020 000 000"),
        ("10,20,30 and 5'10\" and 1 234 567", "10,20,30 and 5 feet 10 inches and 1 234 567"),
    ],
)  # fmt: skip
def test_groups_of_digits_are_one_number(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text", ["4 x 10^9/L", "4 x10^9/L", "4x10^9/l", "4 × 10⁹/L", "4 x 10(9)/L", "4 × 10^{9}/L"]
)
def test_a_power_of_ten_has_one_form(text: str) -> None:
    assert read(text).text == "4 times 10 to the power of 9 per litre"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("10^-5 and 10⁻⁵ but 10^5",
         "10 to the power of minus 5 and 10 to the power of minus 5 but 10 to the power of 5"),
        ("p < 10-5", "p less than 10 to the power of minus 5"),
        ("1.2 × 10−5", "1.2 times 10 to the power of minus 5"),
        ("1.2E-05", "1.2 times 10 to the power of minus 5"),
        ("(10^3)", "(10 to the power of 3)"),
        ("3 x 10-12 reps, 10-15 people", "3 x 10 to 12 reps, 10 to 15 people"),
        ("only 10², s. 10(5)/a, 1E5, 2010⁵", "only 10², s. 10(5)/a, 1E5, 2010⁵"),
    ],
)  # fmt: skip
def test_the_sign_of_a_power_is_a_word(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("type II diabetes, Grade III", "type 2 diabetes, Grade 3"),
        ("stage IIIb, stages II and IV", "stage 3b, stages 2 and 4"),
        ("a phase I/II trial, Articles I-III", "a phase 1/2 trial, Articles 1 to 3"),
        ("World War II, World War I veterans", "World War 2, World War 1 veterans"),
        ("type I diabetes, Act I, Scene 2", "type 1 diabetes, Act 1, Scene 2"),
        ("the type I like, the part I play", "the type I like, the part I play"),
        ("phase II and I went, Part V, I think", "phase 2 and I went, Part 5, I think"),
        ("Charles II, Louis XIV, Malcolm X, class X", "Charles II, Louis XIV, Malcolm X, class X"),
        ("volume IV fluids, type II/IIR, stage IV'd", "volume IV fluids, type II/IIR, stage IV'd"),
    ],
)
def test_roman_numerals_are_digits_after_what_they_number(text: str, plain: str) -> None:
    assert read(text).text == plain
