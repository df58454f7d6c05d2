"""Roman numerals as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.notations.roman import numeral_of
from faithkit.language.reading import read


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
        ("Vol. II, ch. IX; vol. 2, ch. 9", "Volume 2, chapter 9; volume 2, chapter 9"),
        ("Chapter XXIV, Volume IV, class L", "Chapter 24, Volume 4, class L"),
        ("Act II, Scene i; Act One, Scene ii", "Act 2, Scene 1; Act 1, Scene 2"),
        ("volume IV fluids, type II/IIR, stage IV'd", "volume IV fluids, type II/IIR, stage IV'd"),
    ],
)
def test_roman_numerals_are_digits_after_what_they_number(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Louis XVI, Louis XVIII's wig", "Louis 16, Louis 18's wig"),
        ("Louis the Sixteenth died, Louis the 16th died", "Louis 16 died, Louis 16 died"),
        ("Pope John XXIII, John the Twenty-third, John 23rd", "Pope John 23, John 23, John 23"),
        ("King Zog II, LOUIS XIV, louis xiv", "King Zog 2, LOUIS 14, louis 14"),
        ("Elizabeth the First ruled", "Elizabeth I ruled"),
        ("Super Bowl XLII, Super Bowl L, Rocky IV", "Super Bowl 42, Super Bowl 50, Rocky 4"),
        ("Robert Hale IV, angiotensin II", "Robert Hale 4, angiotensin 2"),
        ("made in MCMLXXIV, in MMXX", "made in 1974, in 2020"),
    ],
)
def test_roman_numerals_are_digits_after_names_and_in_years(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "After I met Charles I was tired.", "Malcolm X and vitamin C", "Charles X. Smith left.",
        "Start IV abx", "a Patient Received IV fluids", "England XI, the British XV, Pixel XL",
        "my CV, John Smith MD, in Washington DC", "a MIX of CDs, MD, MM", "Xi met vi and iv users",
        "Charles the second time round", "gave Paul the 2nd envelope", "Tonight the Fourth was dry",
        "with VI and the II", "section ii) and (iii)", "Henry VIII May have", "I think ıv ſ",
    ],
)  # fmt: skip
def test_other_letters_and_ordinals_are_no_numerals(text: str) -> None:
    assert read(text).text == text


def test_a_numeral_of_a_number() -> None:
    assert [numeral_of(number) for number in (1, 4, 42, 90, 1974)] == [
        "I", "IV", "XLII", "XC", "MCMLXXIV",
    ]  # fmt: skip
