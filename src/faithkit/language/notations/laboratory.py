"""Flags of laboratory results in words: "9.1 g/dL (13.0-17.0) L" is "9.1 g/dL (13.0-17.0) low".
Only after a unit and a range that the result is outside of on this side, since "L" may be litres.
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule

_NUMBER = r"\d+(?:\.\d+)?"
_RESULT = re.compile(
    rf"(?<![\w.,-])(?P<value>{_NUMBER}) ?(?:\| )?(?:%|[A-Za-zµμ][\w/^²³µμ]{{0,12}}) (?:\(|\| )"
    rf"(?:(?P<bound>[<>≤≥]) ?(?P<limit>{_NUMBER})|(?P<low>{_NUMBER}) ?[-–] ?(?P<high>{_NUMBER}))"
    r"(?:\)| \|) ?(?P<flag>(?P<is_high>HH?|↑)|LL?|↓)(?=$|[.,;]| \|)"
)


def _flagged(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "CRP 87 mg/L (<5) H" as "CRP 87 mg/L (<5) high"."""
    value = float(match["value"])
    is_high = match["is_high"] is not None
    if match["limit"]:
        is_upper = match["bound"] in "<≤"
        is_right = is_upper == is_high and (value >= float(match["limit"])) == is_upper
    else:
        is_right = value > float(match["high"]) if is_high else value < float(match["low"])
    if not is_right:
        return ()
    start, end = match.span("flag")
    before = Piece(match.string[match.start() : start], match.start(), start)
    blank = "" if before.text.endswith(" ") else " "
    return before, Piece(f"{blank}{'high' if is_high else 'low'}", start, end)


LABORATORY = (Rule(_RESULT, _flagged, re.compile(r"\d(?:\)| \|) ?(?:hh?|ll?|[↑↓])")),)
"""Rules for texts with digits; before those of signs and units."""
