"""The names of months and weekdays, with patterns of them, and the parts of decades and centuries.

A pattern is a list of alternatives without brackets ("January|February|..."), unless it says
otherwise. What does not live here: how a text writes dates (`notations/dates.py`) and which short
words are weekdays (`notations/weekdays.py`).
"""

from __future__ import annotations

from typing import NamedTuple

# Months

MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
]  # fmt: skip
SHORT_MONTHS = {name[:3]: name for name in MONTHS}
"""Each with the name in full."""
MONTH = "|".join(MONTHS)
SHORT_MONTH = "|".join(SHORT_MONTHS)
MONTH_LIKE = rf"(?:{SHORT_MONTH})[a-z]*"
"""Whatever begins as a month does, "Sep", "Sept" and "September"; one pattern, not alternatives."""

# Weekdays

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
SHORT_WEEKDAYS = {name[:3]: name for name in WEEKDAYS}
"""Each with the name in full."""
WEEKDAY_ABBREVIATIONS = [
    "Mon", "Tues", "Tue", "Weds", "Wed", "Thurs", "Thur", "Thu", "Fri", "Sat", "Sun",
]  # fmt: skip
"""All short forms of a weekday, of one day the longest first."""
WEEKDAY = "|".join(WEEKDAYS)
SHORT_WEEKDAY = "|".join(SHORT_WEEKDAYS)
WEEKDAY_ABBREVIATION = "|".join(WEEKDAY_ABBREVIATIONS)
WEEKDAY_LIKE = rf"(?:{SHORT_WEEKDAY})[a-z]*"
"""Whatever begins as a weekday does, "Tue", "Tues" and "Tuesday"; one pattern, not alternatives."""

# Parts of decades and centuries

PART = "early|mid|late"


class PartOfPeriod(NamedTuple):
    """Years from the first of a decade or a century that are surely in a part of it, such as
    "early", those outside which surely none is, and one in its middle."""

    first: int
    last: int
    not_before: int
    not_after: int
    middle: int

    def surely_has(self, year: int) -> bool:
        """Whether a year is surely in the part: 8 in the late nineties, 6 not."""
        return self.first <= year <= self.last

    def may_have(self, year: int) -> bool:
        """Whether a year may be in the part: 6 in the late nineties, 4 not."""
        return self.not_before <= year <= self.not_after
