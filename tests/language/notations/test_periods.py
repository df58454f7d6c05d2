"""Periods of a summary in the unit of the source."""

from __future__ import annotations

import pytest

from faithkit.language.mapped import identity_map
from faithkit.language.normalise import plain_summary
from faithkit.language.notations.periods import with_parts_of_years, with_periods


@pytest.mark.parametrize(
    ("source", "summary", "read_as"),
    [
        ("It stays for 12 months.", "It stays for one year.", "It stays for 12 months."),
        ("It stays for 12 months.", "It stays for a year.", "It stays for 12 months."),
        ("It stays for one year.", "It stays for 12 months.", "It stays for one year."),
        ("It ran for a week.", "It ran for 7 days.", "It ran for a week."),
        ("It ran for seven days.", "It ran for one week.", "It ran for seven days."),
        ("It lasted 24 hours.", "It lasted a day.", "It lasted 24 hours."),
        ("within two weeks", "within 14 days or a fortnight", "within two weeks or a fortnight"),
        ("within two weeks", "within a fortnight", "within two weeks"),
        ("after 14 days' notice", "after two weeks' notice", "after 14 days' notice"),
        ("after 7 days' notice", "a week's notice", "7 days' notice"),
        ("He got 12 months.", "a one-year sentence", "a 12-month sentence"),
        ("a one-year sentence", "He got 12 months.", "He got one year."),
        ("Cancel within 14 days.", "cancel within four weeks", "cancel within 28 days"),
        ("It runs for 36 months.", "It runs for two years.", "It runs for 24 months."),
        ("It runs for three years.", "It runs for 24 months.", "It runs for 2 years."),
        ("at 14 days' notice", "A week's notice", "7 days' notice"),
    ],
)
def test_a_period_is_read_in_the_unit_of_the_source(
    source: str, summary: str, read_as: str
) -> None:
    assert with_periods(identity_map(summary), source).text == read_as


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        ("for 14 days or two weeks", "for two weeks"),
        ("It runs for 3 months. It runs for a year.", "It runs for two years."),
        ("It runs for 14 days.", "It runs for a month."),
        ("It runs for 14 days.", "It runs for three days."),
        ("ill for 14 days", "on leave for three weeks, a three-week diary"),
        ("for 30 hours", "for three days"),
        ("for 14 months", "50 pounds a year, twice a year"),
        ("in 24 hours", "One day he left; a day or two later, a week in"),
        ("for 36 months", "two to three years, between three years and five"),
        ("for 36 months", "one hundred and three years, 1.3 years, three years and a half"),
        ("for 36 months", "three years, two months and a day"),
        ("for 12 months", "3 men, three, year one"),
    ],
)
def test_other_periods_stay(source: str, summary: str) -> None:
    assert with_periods(identity_map(summary), source).text == summary


@pytest.mark.parametrize(
    ("source", "summary", "read_as"),
    [
        ("in the first half of 2024", "in the first six months of 2024",
         "in the first half of 2024"),
        ("In H2 2024 it fell.", "In the last 6 months of 2024", "In H2 2024"),
        ("In H1 2024 it fell.", "Between January and June 2024 it fell.", "In H1 2024 it fell."),
        ("It fell in Q1 2024.", "It fell from January to March 2024.", "It fell in Q1 2024."),
        ("Q4 2024", "during the final quarter of 2024", "during Q4 2024"),
        ("Between April and June 2024 it fell.", "It fell in Q2 2024.",
         "It fell between April and June 2024."),
        ("It fell from April to June 2024.", "Q2 2024", "From April to June 2024"),
    ],
)  # fmt: skip
def test_a_part_of_a_year_is_read_as_the_source_writes_it(
    source: str, summary: str, read_as: str
) -> None:
    assert with_parts_of_years(identity_map(summary), source).text == read_as


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        ("in Q1 2024", "from January to April 2024, in January and March 2024"),
        ("in Q1 2024", "in the first two months of 2024, from April to June 2024, in Q1 2023"),
        ("in Q1 2024", "in Q1 2024, the first half of the game"),
        ("in Q1 2024 and in the first quarter of 2024", "in the first quarter of 2024"),
        ("in Q1 2024, the first quarter of fiscal 2024", "from January to March 2024"),
        ("in H1 2024", "in the third half of 2024"),
    ],
)
def test_other_parts_of_years_stay(source: str, summary: str) -> None:
    assert with_parts_of_years(identity_map(summary), source).text == summary


def test_a_summary_is_read_so_and_each_word_keeps_its_place() -> None:
    summary = "It stays for one year, in Q1 2024."
    form = plain_summary(summary, "It stays for 12 months from January to March 2024.")
    assert form.text == "It stays for 12 months, from January to March 2024."
    start = form.text.index("12")
    low, high = form.span(start, start + len("12 months"))
    assert summary[low:high] == "one year"
