"""Flags of laboratory results as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("CRP 87 mg/L (<5) H", "(less than 5) high"),
        ("Hb 9.1 g/dL (13.0-17.0) L", "(13.0 to 17.0) low"),
        ("Ferritin 8 ug/L (15 - 200)↓", "(15 to 200) low"),
        ("Glucose | 9.1 | mmol/L | 3.9-5.6 | H", "| 3.9 to 5.6 | high"),
        ("CRP 3 mg/L (<5) H", "(less than 5) H"),
        ("Volume 5 mL (3-7) L", "(3 to 7) L"),
        ("Median 2 (3-7) L", "2 (3 to 7) L"),
    ],
)
def test_a_flag_after_a_range_is_a_word(text: str, end: str) -> None:
    assert read(text).text.endswith(end)
