"""Financial ratios in one form."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    "ratio", ["2.00 to 1.00", "2.0 to 1", "2:1", "2.0:1.0", "2x", "2.0 x", "2 to 1"]
)
def test_a_ratio_has_one_form(ratio: str) -> None:
    assert read(f"Interest cover was {ratio}.").text == "Interest cover was 2 to 1."


@pytest.mark.parametrize(
    "text",
    [
        "The ratio fell from 2.00 to 1.00.",
        "The gearing ratio was 1:2 and 16:9, 3 to 15.",
        "Cover the dish with 2x tins.",
        "a lens ratio with 2x zoom",
        "Leeds won 2:1 at home.",
        "It fell 2.00 to 1.00.",
    ],
)
def test_what_is_no_financial_ratio_stays(text: str) -> None:
    assert read(text).text == text
