"""Times of day as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("at noon, at midday, 12 pm, 12 noon", "at noon, at noon, noon, noon"),
        ("12am, 12.30pm, 12:00 noon", "midnight, 12:30 pm, noon"),
        ("at 12:00, after 00:00", "at noon, after midnight"),
        ("the midday sun", "the midday sun"),
        ("until 24:00, at 24:00 on Friday", "until midnight, at midnight on Friday"),
        ("to 24:00:30, at 24:00 of the film", "to 24:00:30, at 24:00 of the film"),
        ("half past ten, a quarter past one", "10:30, 1:15"),
        ("at quarter to five, at a quarter to one", "at 4:45, at 12:45"),
        ("rose a quarter to 5 million", "rose a quarter to 5 million"),
        ("9am-5pm, 10am – 12pm", "9 am to 5 pm, 10 am to noon"),
        ("17:00 hrs", "5 pm"),
        ("finished in 14:32", "finished in 14:32"),
        ("clocked 14:22 and 13:45.20", "clocked 14:22 and 13:45.20"),
        ("Exodus 20:13, Raghav 18:31", "Exodus 20:13, Raghav 6:31 pm"),
    ],
)
def test_times_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("leaves at 07:45, 05:12 or 00:30", "leaves at 7:45 am, 5:12 am or 12:30 am"),
        ("opens at 09:00", "opens at 9 am"),
        ("9:30 and 9:00 may be either", "9:30 and 9 may be either"),
        ("at 07:45 in the evening", "at 7:45 in the evening"),
        ("doors 07:30, show 08:00 PM", "doors 7:30, show 8 pm"),
        ("finished in 02:14, [03:15] Introduction", "finished in 2:14, [3:15] Introduction"),
        ("on New Year's night at 12:00", "on New Year's night at 12"),
        ("with 5:00 left", "with 5:00 left"),
    ],
)
def test_a_zero_before_the_hour_says_that_it_is_morning(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("open 08:00–22:00", "open 8 am to 10 pm"),
        ("from 9:30 to 16:30, 10:00-18:00", "from 9:30 am to 4:30 pm, 10 am to 6 pm"),
        ("between 10:00 and 18:00", "between 10 am and 6 pm"),
        ("22:00-6:00, from 20:00 to 4:00", "10 pm to 6 am, from 8 pm to 4 am"),
        ("in from 15:00, out by 11:30", "in from 3 pm, out by 11:30"),
    ],
)
def test_one_end_of_a_range_tells_the_half_of_the_other(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("from 9 to 5pm, 9-6pm, 11.30-1pm", "from 9 am to 5 pm, 9 am to 6 pm, 11:30 am to 1 pm"),
        ("6 to 8pm, 7 to 11am, 8-1 am", "6 pm to 8 pm, 7 am to 11 am, 8 pm to 1 am"),
        ("1.15–2.45 pm, 9.30-11am", "1:15 pm to 2:45 pm, 9:30 am to 11 am"),
        ("12 – 4pm, 11-12pm", "noon to 4 pm, 11 am to noon"),
        ("between 2 and 4pm", "between 2 pm and 4 pm"),
        ("at 10 to 8 pm, 10-12am", "at 10 to 8 pm, 10 midnight"),
        ("won 5 and 8pm", "won 5 and 8 pm"),
        ("Room 5 - 8pm, June 7 - 8pm", "Room 5 to 8 pm, June 7 to 8 pm"),
        ("5:00 a.m., pages 5-8", "5 am, pages 5 to 8"),
    ],
)
def test_one_half_of_the_day_may_be_that_of_both_ends(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The ferry sails at 18h30, by 11h00.", "The ferry sails at 6:30 pm, by 11 am."),
        ("from 9h30 to 11h15, took 3h50", "from 9:30 am to 11:15 am, took 3h50"),
        ("at 18:30h, at 07:45 hrs, at 1400 hrs", "at 6:30 pm, at 7:45 am, at 2 pm"),
        ("0930-1630 hrs, 1930 GMT", "9:30 am to 4:30 pm, 7:30 pm GMT"),
        ("from 1800 Thursday to 1000 Friday", "from 6 pm Thursday to 10 am Friday"),
        ("leaves at 1745, called at 0930", "leaves at 5:45 pm, called at 9:30 am"),
        ("took 1400 hours, capped at 1400 hrs", "took 1400 hours, capped at 1400 hours"),
        ("at 1800 hours of work, 2:30 hours", "at 1800 hours of work, 2:30 hours"),
        ("starts at 1745, in 1745, call at 0800 123", "starts at 1745, in 1745, call at 0800 123"),
        ("fell to 2000 on Monday", "fell to 2000 on Monday"),
    ],
)
def test_other_notations_of_the_24_hour_clock(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("2025-03-06T14:05:00Z deploy", "March 6 2025 2:05 pm UTC deploy"),
        ("2025-03-06 10:05 deploy", "March 6 2025 10:05 am deploy"),
        ("2025-03-06 09:05:31.000", "March 6 2025 9:05 am and 31 seconds"),
        ("At 14:05:32 it", "At 2:05 pm and 32 seconds it"),
        ("at 01:14:32 of the film", "at 01:14:32 of the film"),
        ("2025-03-06T14:05:00.123", "March 6 2025 2:05 pm and 0.123 seconds"),
        (
            "[2024-03-02 23:16:02,118] Out",
            "[March 2 2024 11:16 pm and 2 seconds and 0.118 seconds] Out",
        ),
        ("It failed at 23:16:02.118.", "It failed at 11:16 pm and 2 seconds and 0.118 seconds."),
        (
            "Mar  2 23:16:02 web01 sshd[2211]: Failed",
            "March 2 11:16 pm and 2 seconds web01 sshd[2211]: Failed",
        ),
        ("On Mar 2 01:16:02 of film", "On March 2 01:16:02 of film"),
    ],
)
def test_times_to_the_second(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The races start at 14.45.", "The races start at 2:45 pm."),
        ("Rehearsal at 19.30 in the hall", "Rehearsal at 7:30 pm in the hall"),
        ("The fete runs from 11.00–16.30.", "The fete runs from 11 am to 4:30 pm."),
        ("The pound opened at 14.45.", "The pound opened at 14.45."),
        ("It started at 14.45 and fell to 13.30.", "It started at 14.45 and fell to 13.30."),
        ("decreased from 18.45 to 14.30", "decreased from 18.45 to 14.30"),
        ("The meeting saw 14.45 units.", "The meeting saw 14.45 units."),
    ],
)
def test_points_in_times_of_events(text: str, plain: str) -> None:
    assert read(text).text == plain
