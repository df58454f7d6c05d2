"""Weekdays as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It is on Sun.", "It is on Sunday."),
        ("on Sun 14 July, on Sun, 3 May", "on Sunday July 14, on Sunday, May 3"),
        ("Viewing: Sun 2-4pm", "Viewing: Sunday 2 pm to 4 pm"),
        ("on Mon. at 2 pm, on Mon night", "on Monday at 2 pm, on Monday night"),
        ("closed until Wed.", "closed until Wednesday."),
        ("Office day: Tue", "Office day: Tuesday"),
        ("Fri: pizza", "Friday: pizza"),
        ("Tues & Thurs", "Tuesday & Thursday"),
        ("Mon., Wed. and Fri. only", "Monday, Wednesday and Friday only"),
        (
            "Mon-Fri, Sat to Sun, MON - WED",
            "Monday to Friday, Saturday to Sunday, Monday to Wednesday",
        ),
        ("Monday-Friday", "Monday to Friday"),
        ("next Sat, by Fri", "next Saturday, by Friday"),
    ],
)
def test_abbreviated_weekdays_are_in_full(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "The Sun rose. Planets of the Sun, Mars and others.",
        "The Baltimore Sun, May 3 2019",
        "bought by Sun, on Sun Microsystems machines",
        "Sat on a chair, he sat down on sun and sand",
        "Wed in 1990, by Thu Pham, Mon Dieu",
        "from Mon and Karen states",
        "SAT 1500, on SAT, on SAT tests",
    ],
)
def test_other_words_are_no_weekdays(text: str) -> None:
    assert read(text).text == text
