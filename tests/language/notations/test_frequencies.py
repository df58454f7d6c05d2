"""How often something happens."""

from __future__ import annotations

import pytest

from faithkit.language.mapped import identity_map
from faithkit.language.normalise import plain_summary
from faithkit.language.notations.frequencies import with_frequencies
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Every fortnight they meet.", "Every 2 weeks they meet."),
        ("paid every two weeks, paid fortnightly, or once a fortnight",
         "paid every 2 weeks, paid every 2 weeks, or every 2 weeks"),
        ("within a fortnight, at a fortnight's notice",
         "within 2 weeks, at a fortnight's notice"),
        ("of a fortnight's leave", "of 2 weeks' leave"),
        ("£50 a fortnight, a fortnightly visit, its fortnightly, the fortnight",
         "50 pounds a fortnight, a fortnightly visit, its fortnightly, the fortnight"),
    ],
)  # fmt: skip
def test_a_fortnight_is_two_weeks(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("source", "summary", "read_as"),
    [
        ("payable quarterly", "payable every three months", "payable quarterly"),
        ("payable quarterly in arrear", "payable every quarter", "payable quarterly"),
        ("four times a year", "payable quarterly.", "payable four times a year."),
        ("paid half-yearly", "Twice a year it is paid.", "Half-yearly it is paid."),
        ("paid twice a year", "paid every six months", "paid twice a year"),
        ("paid monthly", "paid every month", "paid monthly"),
        ("5 mg once daily", "5 mg once a day", "5 mg once daily"),
        ("paid annually", "paid once a year", "paid annually"),
        ("paid once a year", "paid yearly, on 1 May", "paid once a year, on 1 May"),
        ("every fortnight", "every two weeks", "every fortnight"),
    ],
)
def test_a_frequency_is_read_as_the_source_writes_it(
    source: str, summary: str, read_as: str
) -> None:
    assert with_frequencies(identity_map(summary), source).text == read_as


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        ("payable quarterly", "payable every month, every two months"),
        ("paid every month", "its monthly report, a monthly, monthly fees, bi-monthly"),
        ("monthly fees", "paid every month"),
        ("paid monthly and every month", "paid every month"),
        ("50 pounds a month", "paid monthly"),
        ("5 mg twice daily, 2 mg three times daily", "5 mg every day"),
        ("paid weekly", "every week's wage, every weekend"),
    ],
)
def test_other_frequencies_stay(source: str, summary: str) -> None:
    assert with_frequencies(identity_map(summary), source).text == summary


def test_a_summary_is_read_so() -> None:
    form = plain_summary("It is payable every three months.", "It is payable quarterly.")
    assert form.text == "It is payable quarterly."
