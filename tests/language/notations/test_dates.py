"""Dates and decades as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.mapped import identity_map
from faithkit.language.notations.dates import in_known_order
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


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Issued 07.10.2024, due 6.11.2024.", "Issued October 7 2024, due November 6 2024."),
        ("on 10.27.2024", "on October 27 2024"),
        ("version 2.4.2024, section 2.2.14", "version 2.4.2024, section 2.2.14"),
    ],
)
def test_points_stand_between_day_and_month(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("from 03/04/2024 to 28/04/2024", "from 2024-04-03 to 28/04/2024"),
        ("from 03/04/24 to 04/28/24", "from 2024-03-04 to 04/28/24"),
        ("from 03/04/2024 to 28-04-2024", "from 03/04/2024 to 28-04-2024"),
        ("03/04/2024, 28/04/2024 and 04/28/2024", "03/04/2024, 28/04/2024 and 04/28/2024"),
    ],
)
def test_other_dates_of_a_text_tell_its_order(text: str, plain: str) -> None:
    assert in_known_order(identity_map(text), text).text == plain


def test_the_source_tells_the_order_of_a_summarys_dates() -> None:
    def ordered(summary: str, source: str) -> str:
        return in_known_order(identity_map(summary), summary, source).text

    assert ordered("due 03/04/2024", "03/04/2024 to 28/04/2024") == "due 2024-04-03"
    assert ordered("03/04/2024, 28/04/2024", "03/04/2024") == "03/04/2024, 28/04/2024"
    assert ordered("03/04/2024, 28/04/2024", "in 2024") == "2024-04-03, 28/04/2024"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Q3'24, Q3 '24, Q3/24, 3Q24, 2024-Q3", "Q3 2024, Q3 2024, Q3 2024, Q3 2024, Q3 2024"),
        ("Due: Q2 25", "Due: Q2 2025"),
        ("In Q3 24 people left, Q4 15%, Q3/4", "In Q3 24 people left, Q4 15 percent, Q3/4"),
        ("H1'25, 2H24", "the first half of 2025, the second half of 2024"),
        ("Released in Jan-25.", "Released in January 2025."),
        ("on Dec-23, Jun-25 to Jun-30, Jun 25", "on Dec-23, Jun-25 to Jun-30, June 25"),
        ("from 09/2019 to 03/2022", "from September 2019 to March 2022"),
        ("regulation 09/2019, 5/2019", "regulation 09/2019, 5/2019"),
    ],
)
def test_quarters_and_months_of_a_year(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("12/Nov/24, 12/NOV/2024", "November 12 2024, November 12 2024"),
        ("12NOV2024, 22NOV24, room 12DEC", "November 12 2024, November 22 2024, room 12DEC"),
        ("Created 20241112, order 20241112", "Created November 12 2024, order 20241112"),
        ("Paid: 20241122T101500Z", "Paid: November 22 2024 10:15 am UTC"),
        ("DTSTART:20250408T153000Z", "DTSTART: April 8 2025 3:30 pm UTC"),
        ("on 20241340", "on 20241340"),
    ],
)
def test_dates_of_logs_and_calendars(text: str, plain: str) -> None:
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


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("on 2151-03-04 and [2151-7-16]", "on March 4 2151 and [July 16 2151]"),
        ("2011-3-4 and 2011-13-4", "March 4 2011 and 2011-13-4"),
        ("section 2011-3-4-1, 3150-3-4", "section 2011-3-4-1, 3150-3-4"),
        ("from 4 March 1902 - 19 November 1987", "from March 4 1902 - November 19 1987"),
        ("in 1902 - 19 November 1987 he", "in 1902 - November 19 1987 he"),
    ],
)
def test_dates_with_the_year_first_and_years_before_a_day(text: str, plain: str) -> None:
    assert read(text).text == plain
