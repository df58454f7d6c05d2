"""Deadlines and first days in one form: "no later than 31 May", "on or before 31 May" and "on 31
May at the latest" are "by 31 May"; "no earlier than 31 May" and "on or after 31 May" are "from 31
May".
What does not live here: bounds of amounts (`bounds.py`).
"""

from __future__ import annotations

import re

from faithkit.language.calendar_words import MONTH, WEEKDAY
from faithkit.language.mapped import Piece, Rule, capitalise_like, keep_group, replace_match

_TIME = r"(?:\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\b| o'clock)|\d{1,2}:\d\d\b|noon\b|midnight\b)"
_DATE = (
    rf"(?:(?:(?:{WEEKDAY}),? )?(?:{MONTH}) \d{{1,2}}(?:,? \d{{4}})?|(?:{MONTH}) \d{{4}}|{WEEKDAY})"
)
_WHEN = rf"(?:{_TIME}|{_DATE}\b|(?:{MONTH})\b|(?:19|20)\d\d\b|the (?:end|close|start) of )"
_BY = re.compile(rf"\b(?:(?:no|not) later than|(?:on|at) or before)(?= {_WHEN})", re.IGNORECASE)
_FROM = re.compile(
    r"(?:\b(?:(?:no|not) (?:earlier|sooner) than|(?:on|at) (?:or|and) after|with effect from)"
    rf"|(?<!\bis )(?<!\bwas )(?<!\bdo )(?<!\bdid )(?<!\bdoes )\bnot before)(?= {_WHEN})",
    re.IGNORECASE,
)
_LATEST = re.compile(
    rf"\b(?P<on>(?:by|on|at) )(?P<when>(?:{_TIME}(?: on )?)?(?:{_DATE})?)"
    r"(?P<latest>,? at the latest\b)",
    re.IGNORECASE,
)


def _by(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "no later than May 31" as "by May 31"."""
    return replace_match(match, capitalise_like("by", match.group()))


def _from(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "on or after May 31" as "from May 31"; nothing of "it was not before May 31"."""
    return replace_match(match, capitalise_like("from", match.group()))


def _latest(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "on May 31 at the latest" as "by May 31"."""
    if not match["when"]:
        return ()
    on, latest = match.span("on"), match.span("latest")
    by = Piece(capitalise_like("by ", match["on"]), *on)
    return by, keep_group(match, "when"), Piece("", *latest)


DEADLINES_CUE = re.compile(r"\b(?:later|earlier|sooner) than|or before|(?:or|and) after|not before"
                           r"|with effect from|at the latest")  # fmt: skip
DEADLINES = (
    Rule(_BY, _by),
    Rule(_FROM, _from),
    Rule(_LATEST, _latest, re.compile("latest")),
)
"""Rules for texts in which `DEADLINES_CUE` is found; after those of dates and times."""
