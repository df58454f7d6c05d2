"""Dates, decades and times as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read, values


@pytest.mark.parametrize(
    "text", ["13/05/2019", "13.05.2019", "05/13/2019", "2019/05/13", "13-05-2019", "13.5.2019"]
)
def test_numeric_dates_are_written_out_where_the_day_is_clear(text: str) -> None:
    assert read(f"On {text} it rained.").text == "On May 13 2019 it rained."


def test_numeric_dates_that_may_be_two_stay() -> None:
    assert read("03/04/2019, 05/05/2019").text == "03/04/2019, May 5 2019"
    assert read("192.168.10.2019 and 13.14.2019").text == "192.168.10.2019 and 13.14.2019"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("5-6 May 2019", "May 5 to May 6 2019"),
        ("5 to 6 May, May 5-6, May 5th to 6th.",
         "May 5 to May 6, May 5 to May 6, May 5 to May 6."),
        ("between 4 and 6 May", "between May 4 and May 6"),
        ("from the 4th to the 6th of May", "from May 4 to May 6"),
        ("May 4-6, 2019", "May 4 to May 6 2019"),
        ("May 30-June 2, 30 May – 2 June", "May 30 to June 2, May 30 to June 2"),
        ("May 4 to 6 people", "May 4 to 6 people"),
        ("won 3-1 May said", "won 3 to May 1 said"),
    ],
)  # fmt: skip
def test_days_of_one_month_have_it_both(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("31-Dec-23, 5-May-99", "December 31 2023, May 5 1999"),
        ("5 Jan '24, March '66", "January 5 2024, March 1966"),
        ("5-May-45, Jan '45, '69, Dec-23", "May 5-45, Jan '45, '69, Dec-23"),
        ("FY24, FY2024, FY'24, fiscal 2024, fiscal year 2024",
         "fiscal year 2024, fiscal year 2024, fiscal year 2024, fiscal year 2024, "
         "fiscal year 2024"),
        ("FY2023-24, FY23/24", "fiscal year 2023 to 2024, fiscal year 2023 to 2024"),
        ("FYI 24, FY45, fiscal 24", "FYI 24, FY45, fiscal 24"),
    ],
)  # fmt: skip
def test_years_are_in_full(text: str, plain: str) -> None:
    assert read(text).text == plain


def test_values_of_days_have_their_month() -> None:
    assert [value for _, value in values(read("on 5-6 May").text)] == ["5 May", "6 May"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("the nineties, the '90s, the 90s, '90s", "the 1990s, the 1990s, the 1990s, 1990s"),
        ("the late eighties, nineteen eighties", "the late 1980s, 1980s"),
        ("in her nineties, in his 90s", "in her nineties, in his 90s"),
        ("tens and the twenties", "tens and the twenties"),
        ("temperatures in the nineties", "temperatures in the nineties"),
    ],
)
def test_decades_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("at noon, at midday, 12 pm, 12 noon", "at noon, at noon, noon, noon"),
        ("12am, 12.30pm", "midnight, 12:30 pm"),
        ("the midday sun", "the midday sun"),
        ("half past ten, a quarter past one", "10:30, 1:15"),
        ("at quarter to five, at a quarter to one", "at 4:45, at 12:45"),
        ("rose a quarter to 5 million", "rose a quarter to 5 million"),
        ("9am-5pm, 10am – 12pm", "9 am to 5 pm, 10 am to noon"),
        ("17:00 hrs", "5 pm"),
        ("finished in 14:32", "finished in 14:32"),
        ("clocked 14:22 and 13:45.20", "clocked 14:22 and 13:45.20"),
        ("at 09:30, 9:30 and 00:15", "at 9:30, 9:30 and 00:15"),
        ("Exodus 20:13, Raghav 18:31", "Exodus 20:13, Raghav 6:31 pm"),
    ],
)
def test_times_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain
