"""Groups of ages as ages of the source."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary


@pytest.mark.parametrize(
    ("source", "summary", "plain"),
    [
        ("The patron, 91, left.", "A nonagenarian left.", "A 91-year-old left."),
        ("The patron, 91, left.", "An octogenarian left.", "An 84-year-old left."),
        ("Ann, thirty-three, left.", "Ann is in her thirties.", "Ann is 33 years old."),
        ("He was 51, his wife 38.", "He was in his early 50s.", "He was 51 years old."),
        ("He was 51, his wife 38.", "He was in his late fifties.", "He was 58 years old."),
        ("He was 51, his wife 38.", "He was in his forties.", "He was 44 years old."),
        ("Ann is 23 years old.", "Ann is in her late twenties.", "Ann is 28 years old."),
    ],
)
def test_a_group_of_ages_is_the_age_of_the_source_or_another(
    source: str, summary: str, plain: str
) -> None:
    assert plain_summary(summary, source).text == plain


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        ("Ann is 33, Ben is 36.", "Ann is in her thirties."),
        ("Ann is in her thirties, Ben is 61.", "Ann is in her thirties."),
        ("Ann was born in 1950. Ben is 12.", "Ann is in her seventies."),
        ("He is 12, she is 14, Bo is 31.", "Ann is in her seventies."),
        ("Nobody's age is told.", "An octogenarian left."),
        ("He was 56.", "He was in his late fifties."),
    ],
)
def test_a_group_of_ages_stays_where_the_source_does_not_say(source: str, summary: str) -> None:
    assert plain_summary(summary, source).text == summary
