"""Centuries and eras as `reading.read` writes them, and centuries as years of the source."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a fourteenth-century chapel, a 14th-century inn",
         "a 14th century chapel, a 14th century inn"),
        ("the mid-fifteenth century, the mid-15th century",
         "the mid 15th century, the mid 15th century"),
        ("the fourteenth and fifteenth centuries", "the 14th and 15th centuries"),
        ("oak, C16th; 19thC lid", "oak, 16th century; 19th century lid"),
        ("in the 1600s, the 1900s, $1800s", "in the 17th century, the 1900s, $1800s"),
        ("in AD 79, in 79 CE, 79 A.D.", "in 79 AD, in 79 AD, 79 AD."),
        ("in 580 BC, by 580 BCE", "in minus 580 BC, by minus 580 BC"),
        ("27 BC–AD 14, 580-560 BC", "minus 27 BC to 14 AD, minus 580 BC to minus 560 BC"),
        ("CE mark, AD 4 ads, Vancouver, BC 5 April", "CE mark, AD 4 ads, Vancouver, BC April 5"),
        ("covid C19, the 19th C. Smith left", "covid C19, the 19th C. Smith left"),
    ],
)  # fmt: skip
def test_centuries_and_eras_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("source", "summary", "plain"),
    [
        ("Built in 1387.", "It was built in the 14th century.", "It was built in 1387."),
        ("Built in 1387.", "It dates from the late fourteenth century.", "It dates from 1387."),
        ("Added in the 1090s.", "In the late 11th century it grew.", "In the 1090s it grew."),
        ("Built in 1387.", "Built in the early 14th century.", "Built in 1310."),
        ("Ended in 1551.", "It ended in the mid-15th century.", "It ended in 1450."),
        ("Built in 1387 and 1212.", "Built in the 15th century.", "Built in the 15th century."),
        ("Built in 1387 and 1390.", "Built in the 14th century.", "Built in the 14th century."),
        ("In the 14th century, in 1387.", "In the 15th century.", "In the 15th century."),
        ("1387 sheep", "Built in the 14th century.", "Built in the 14th century."),
    ],
)  # fmt: skip
def test_a_century_is_the_only_year_of_it_in_the_source(
    source: str, summary: str, plain: str
) -> None:
    assert plain_summary(summary, source).text == plain
