"""Dates that the source counts from others."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary

LIFE = "He married in 1953 and, eight years later, emigrated."
FORT = "On 3 May they landed; two days later they took the fort."


@pytest.mark.parametrize(
    ("source", "summary", "plain"),
    [
        (LIFE, "In 1961, he emigrated.", "Eight years later, he emigrated."),
        (LIFE, "He emigrated in 1961.", "He emigrated eight years later."),
        ("She won in 2010. Two years earlier she had lost her job.", "She lost her job in 2008.",
         "She lost her job two years earlier."),
        (FORT, "They took the fort on 5 May.", "They took the fort two days later."),
        ("On 10 June 1950 he was arrested. The next day he was charged.",
         "He was charged on June 11, 1950.", "He was charged the next day."),
    ],
)  # fmt: skip
def test_a_date_is_as_the_source_counts_it(source: str, summary: str, plain: str) -> None:
    assert plain_summary(summary, source).text == plain


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        (LIFE, "He emigrated in 1963."),
        (LIFE, "He married in 1961."),
        (FORT, "They landed on 5 May."),
        (FORT, "They took the fort on 6 May."),
        (f"{LIFE} In 1961 he died.", "He emigrated in 1961."),
        ("Born in 1920, he wed in 1953; eight years later he emigrated.", "He emigrated in 1961."),
        ("In 1953 he wed. It took him more than eight years later on.", "He wed in 1961."),
        ("On 28 February they landed. The next day they left.", "They left on 1 March."),
        ("On 31 June they landed. The next day they left.", "They left on 1 July."),
        ("In 1990 it was. 999 decades later they left.", "They left in 1995."),
    ],
)
def test_other_dates_stay(source: str, summary: str) -> None:
    assert plain_summary(summary, source).text == summary
