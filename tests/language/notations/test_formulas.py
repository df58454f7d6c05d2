"""Formulas and symbols with small figures as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("C₆H₁₂O₆ and CH₂Cl₂, IC₅₀, B₁₂, PaO₂", "C6H12O6 and CH2Cl2, IC50, B12, PaO2"),
        ("PM₂.₅ and log₂ of x₁, Cₘₐₓ", "PM2.5 and log2 of x1, Cmax"),
        ("C_6H_12O_6, B_12, PM_2.5", "C6H12O6, B12, PM2.5"),
        ("¹⁴C, δ¹³C, ⁹⁹ᵐTc, ¹³¹I and ¹H", "14C, δ13C, 99mTc, 131I and 1H"),
        ("Fe³⁺, Ca²⁺, Na⁺/K⁺, NO₃⁻ and SO₄²⁻", "Fe3+, Ca2+, Na+/K+, NO3- and SO42-"),
        ("CD4⁺ cells", "CD4 positive cells"),
    ],
)
def test_small_figures_in_formulas_are_plain(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "The study² and ¹The second.",
        "As shown.¹²I think so, ¹²In the year and ¹²He said.",
        "x² + y², in km² or m⁻³ s⁻¹",
        "var_12, cell_12, IMG_2041 and B_12.jpg",
        "the number 10₂",
    ],
)
def test_other_small_figures_stay(text: str) -> None:
    assert read(text).text == text


def test_a_power_of_ten_stays_one() -> None:
    assert read("in 10⁻⁵ and").text == read("in 10^-5 and").text


def test_a_formula_is_mapped_to_what_was_written() -> None:
    form = read("of Fe³⁺ alone")
    start = form.text.index("Fe3+")
    assert form.span(start, start + 4) == (3, 7)
