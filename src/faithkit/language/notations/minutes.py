"""What minutes of meetings and notices write short: "Prop. Cllr Grant, sec. Cllr Jolley" is
"Proposed by Cllr Grant, seconded by Cllr Jolley", "w/c 30 June" is "week beginning 30 June", and
"Ayes 7, Noes 2" is a vote of 7 to 2.
"""

from __future__ import annotations

import re

from faithkit.language.calendar_words import MONTH_LIKE
from faithkit.language.mapped import (
    Mapped,
    Piece,
    Rule,
    capitalise_like,
    keep_group,
    replace_match,
    substitute,
)

# Who proposed and who seconded: read in a whole text, since a sentence would end after "Prop."

_NAME = r"[A-Z][\w'’-]*\.?(?: [A-Z][\w'’-]*\.?){0,3}"
_MOTION = re.compile(
    rf"\b(?P<first>[Pp]rop(?:osed)?\b[.:]* (?:by )?)(?P<mover>{_NAME})(?P<comma>[,;/]? (?:and )?)"
    r"(?P<second>[Ss]ec(?:onded|'d)?\b[.:]* (?:by )?)(?=[A-Z])"
)


def with_motions(text: Mapped) -> Mapped:
    """The text with "Proposed by" and "seconded by" in full."""
    return substitute(text, _MOTION, _motion) if "rop" in text.text else text


def _motion(match: re.Match[str]) -> tuple[Piece, ...]:
    moved = "Proposed by " if match["first"][0] == "P" else "proposed by "
    seconded = "Seconded by " if match["second"][0] == "S" else "seconded by "
    return (
        Piece(moved, *match.span("first")),
        keep_group(match, "mover"),
        keep_group(match, "comma"),
        Piece(seconded, *match.span("second")),
    )


# Votes

_VOTES = re.compile(
    r"\b(?:(?P<ayes>Ayes|Yeas|For|In favour)\b[:-]? {0,2}-?(?P<n>\d{1,4})[,;]?"
    r"(?: and)? (?P<noes>Noes|Nays|Against)\b[:-]? {0,2}-?(?P<m>\d{1,4}))\b(?![.,/%-]?\d)",
    re.IGNORECASE,
)


def _votes(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Ayes 7, Noes 2" as "the vote was 7 to 2 (Ayes 7, Noes 2)"."""
    start, end = match.span()
    if match["ayes"][0].islower():
        return ()
    before = match.string[max(0, start - 2) : start].strip()
    the = "The" if before in ("", ".") else "the"
    opened = f"{the} vote was {match['n']} to {match['m']} ("
    return Piece(opened, start, end), Piece(match.group(), start, end), Piece(")", end - 1, end)


# Weeks

_DATE = rf"(?=(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)|{MONTH_LIKE}\.? \d|[MTWFS][a-z]+day\b))"
_WEEK = re.compile(
    r"(?<![\w/])(?:(?P<start>w/c|wk?/b|wk\.? (?:beg|comm)(?:inning|encing)?\.?"
    r"|week[ -]commencing|week starting)|(?P<end>w/e|wk\.? end(?:ing)?\.?))"
    rf"(?: on)?:? {_DATE}",
    re.IGNORECASE,
)


def _week(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "w/c 30 June" and "week commencing 30 June" as "week beginning 30 June"."""
    week = "week beginning " if match["start"] else "week ending "
    return replace_match(match, capitalise_like(week, match.group()))


MINUTES = (
    Rule(_VOTES, _votes, re.compile(r"\d[,;]?(?: and)? (?:noes|nays|against)\b")),
    Rule(_WEEK, _week, re.compile(r"\bw(?:k?/|k\.? |eek)")),
)
MINUTES_CUE = re.compile(r"\b(?:noes|nays|against|w/[ceb]|wk|week)")
"""Rules for texts in which `MINUTES_CUE` is found; before those of numbers and dates."""
