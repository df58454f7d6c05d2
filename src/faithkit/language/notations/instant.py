"""Months that letters count from their own: in one of 4 September "the 29th ult." is 29 August and
"the 17th inst." is 17 September.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator

from faithkit.language.calendar_words import MONTHS, SHORT_MONTHS
from faithkit.language.mapped import Mapped, Piece, replace_pieces

_MONTH = rf"(?:(?:{'|'.join(name for name in SHORT_MONTHS if name != 'May')})[a-z]*|May)"
_DATED = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?P<after>{_MONTH})\b\.?"
    rf"|(?P<before>{_MONTH})\b\.? \d{{1,2}}(?:st|nd|rd|th)?),? 1[6-9]\d\d\b"
)
_COUNTED = re.compile(r"\b\d{1,2}(?:st|nd|rd|th) (?P<mark>(?:ult|inst|prox)(?:\.|\b))")
_AWAY = {"ult": -1, "inst": 0, "prox": 1}


def with_months(text: Mapped) -> Mapped:
    """The text with "the 29th August" for "the 29th ult.", below a date with a year."""
    return replace_pieces(text, list(_months(text.text)))


def _months(text: str) -> Iterator[Piece]:
    counted = list(_COUNTED.finditer(text))
    dates = list(_DATED.finditer(text)) if counted else []
    ends = [date.end() for date in dates]
    for match in counted:
        above = bisect(ends, match.start()) - 1
        if above >= 0:
            written = dates[above]["after"] or dates[above]["before"]
            own = next(n for n, month in enumerate(SHORT_MONTHS) if month == written[:3])
            away = _AWAY[match["mark"].rstrip(".")]
            yield Piece(MONTHS[(own + away) % 12], *match.span("mark"))
