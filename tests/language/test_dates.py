"""Dates and decades as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read, values


@pytest.mark.parametrize(
    "text", ["13/05/2019", "13.05.2019", "05/13/2019", "2019/05/13", "13-05-2019", "13.5.2019"]
)
def test_numeric_dates_are_written_out_where_the_day_is_clear(text: str) -> None:
    assert read(f"On {text} it rained.").text == "On May 13 2019 it rained."


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("from 25/12/24, 31.12.24", "from December 25 2024, December 31 2024"),
        ("on 12/31/25, 6/30/99, 1/1/25", "on December 31 2025, June 30 1999, January 1 2025"),
        ("03/04/24, 25-12-24, 25/12/45", "03/04/24, 25-12-24, 25/12/45"),
        ("a 20/10/70 split, 192.168.10.24", "a 20/10/70 split, 192.168.10.24"),
        ("section 2.2.14, release 20.10.24", "section 2.2.14, release 20.10.24"),
    ],
)
def test_numeric_dates_with_a_short_year(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("by 21/10 or on 25/12.", "by October 21 or on December 25."),
        (
            "Due: 30/9, (21/10), on Mon 9/30",
            "Due: September 30, (October 21), on Monday September 30",
        ),
        ("on 24/7 call, by 5/16, on 3/4, on 5/5", "on 24/7 call, by 5/16, on 3/4, on 5/5"),
        ("rated 15/10, by 21/10 votes, 13/8 odds", "rated 15/10, by 21/10 votes, 13/8 odds"),
    ],
)
def test_days_and_months_with_a_slash(text: str, plain: str) -> None:
    assert read(text).text == plain


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
        ("on 4 Nov 24, to 31 Dec 26.", "on November 4 2024, to December 31 2026."),
        ("4 Nov 24 to 5 Dec 24", "November 4 2024 to December 5 2024"),
        ("4 Nov 24 people, 4 May 18:30", "November 4 24 people, May 4 6:30 pm"),
        ("4 May 10 to 4 pm, 5 May 20 more","May 4 10 to 4 pm, May 5 20 more"),
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
