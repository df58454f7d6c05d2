"""Formulas of LaTeX in the plain form."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"It was $\geq 95\%$ and $\leq 20$ ms.", "It was ≥ 95% and ≤ 20 ms."),
        (r"It is $12.5\,\mathrm{cm}$ long.", "It is 12.5 cm long."),
        ("It took $10^5$ or $10^{-5}$ steps.", "It took 10⁵ or 10⁻⁵ steps."),
        (r"Age was $54.3 \pm 9.8$ years.", "Age was 54.3 ± 9.8 years."),
        (r"At most $4 \times 10^{28}$ erg/s.", "At most 4 × 10²⁸ erg/s."),
        (r"It is $\mathrm{C_6H_{12}O_6}$.", "It is C6H12O6."),
        ("It is H$_2$O, Ca$^{2+}$ and $^{14}$C.", "It is H2O, Ca²⁺ and ¹⁴C."),
        (r"At $25\,^\circ$C, 5 $\mu$m.", "At 25 °C, 5 µm."),
        ("It has $85$ km/h, $688$ men, $50\\%$ of us.", "It has 85 km/h, 688 men, 50% of us."),
        ("Here $p < 0.05$ and $n = 12$.", "Here p < 0.05 and n = 12."),
        (r"Here \(x \neq 3\) and $\alpha = 5$.", "Here x ≠ 3 and α = 5."),
    ],
)
def test_formulas_are_in_plain_characters(text: str, plain: str) -> None:
    assert plain_source(text).text == plain
    assert plain_summary(text, "Another text.").text == plain


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 to $7, or 10$ and $x.",
        "It was US$5 in $MY_VAR:$HOME and so on.",
        r"It is $\frac{1}{2}$ of it.",
        "From $5 in a_b. And then 5$ of it.",
        "It is $5-$7 per day_1.",
    ],
)
def test_dollars_and_other_formulas_stay(text: str) -> None:
    assert plain_source(text).text == text
