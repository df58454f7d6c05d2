"""Weekdays in full: "Tues" is "Tuesday", "on Sun" is "on Sunday", "Mon-Fri" is "Monday to Friday".
What does not live here: dates (`dates.py`), times of day (`clock.py`).

"Sun", "Mon", "Sat" and the like are other words too, so what stands around them has to tell.
"""

from __future__ import annotations

import re

from faithkit.language.calendar_words import (
    MONTH_LIKE,
    SHORT_MONTH,
    SHORT_WEEKDAYS,
    WEEKDAY,
    WEEKDAY_ABBREVIATION,
    WEEKDAY_ABBREVIATIONS,
)
from faithkit.language.lexicon import STOP_WORDS
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match

_CAPITALS = "|".join(name.upper() for name in WEEKDAY_ABBREVIATIONS if name != "Weds")
_ABBREVIATED = re.compile(
    rf"(?<![\w.'’])(?P<day>{WEEKDAY_ABBREVIATION}|{_CAPITALS})(?![\w'’])"
    rf"(?:\.(?= ?[^\sA-Z\"'’]| (?:{WEEKDAY_ABBREVIATION}|{SHORT_MONTH})))?"
)
_ALONE = ("Tues", "Thur", "Thurs", "TUES", "THURS")
"""No other words."""
_TIME = (
    r"(?:\d{1,2}(?:[:.]\d\d)? ?(?:[ap]\.?m\b|[–-] ?\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b)|\d{1,2}:\d\d"
    r"|\d{1,2} ?[–-] ?\d{1,2}(?=[,;.)]|$)|noon\b|midnight\b)"
)
_DAY_OF_MONTH = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_AFTER = re.compile(
    rf",? (?:the )?{_DAY_OF_MONTH} (?:of )?(?:{SHORT_MONTH})|,? {MONTH_LIKE}\.? \d|,? \d{{1,2}}/\d"
    rf"|,?:? (?:(?:at|from) )?{_TIME}"
    r"| (?:mornings?|afternoons?|evenings?|nights?)\b",
    re.IGNORECASE,
)
_DAY = rf"(?:(?:{WEEKDAY})s?|(?:{WEEKDAY_ABBREVIATION}|{_CAPITALS})\b\.?)"
_JOIN = r"(?:, ?| ?[–&+/-] ?|,? (?:and|or|to|until|till|through|thru) )"
_DAY_AFTER = re.compile(rf"{_JOIN}{_DAY}")
_DAY_BEFORE = re.compile(rf"(?<!\w){_DAY}{_JOIN}$")
_BEFORE = re.compile(
    r"(?:\b(?:on|every|each|next|last|closed|open|until|till|late|early|(?P<loose>by|this|from|to|since"
    r"|before|after|through|due))|(?P<colon>[\w)]:)) $",
    re.IGNORECASE,
)
_THE_BEFORE = re.compile(r"\b[Tt]he $")
_NAME_BEFORE = re.compile(r"\b[A-Z][a-z]+ $")
_GOES_ON = re.compile(r"[,;:)!?]|\.(?:[\s\"')]|$)|$| [&–-] | (?P<word>[a-z]+)\b(?! [A-Z])")


def _in_full(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Tues & Thurs" as "Tuesday & Thursday", "Sun 2-4pm" as "Sunday 2-4pm"; not "the Sun"."""
    if match["day"] not in _ALONE and not _is_day(match):
        return ()
    return replace_match(match, SHORT_WEEKDAYS[match["day"][:3].capitalize()])


def _is_day(match: re.Match[str]) -> bool:
    """Whether what stands around an abbreviation says that it is a day."""
    text, (start, end), day = match.string, match.span(), match["day"]
    before = text[max(0, start - 24) : start]
    if day == "Sun" and _THE_BEFORE.search(before):
        return False
    if _AFTER.match(text, end):
        return not (day == "Sun" and text[end] == "," and _is_name(before))
    if _DAY_AFTER.match(text, end) or _DAY_BEFORE.search(before):
        return True
    cue = _BEFORE.search(before)
    if cue is None or day.isupper() or (day == "Sun" and (cue["loose"] or cue["colon"])):
        return False
    goes_on = _GOES_ON.match(text, end)
    if goes_on is None or (cue["colon"] and goes_on["word"]):
        return False
    return goes_on["word"] is None or goes_on["word"] in STOP_WORDS


def _is_name(before: str) -> bool:
    """Whether the word before may be a newspaper's: "the Baltimore Sun, 3 May"."""
    return bool(_NAME_BEFORE.search(before)) and not _DAY_BEFORE.search(before)


_ON_LIST = "|".join(name for name in SHORT_WEEKDAYS if name != "Sun")
_LISTED = re.compile(rf"^(?P<day>{_ON_LIST})\.?(?=: | - )")
_TO_DAY = re.compile(rf"(?<![\w-])(?P<first>{WEEKDAY})(?P<to> ?[–-] ?)(?P<last>{WEEKDAY})(?![\w-])")


def _listed(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Mon: closed" as "Monday: closed"."""
    return replace_match(match, SHORT_WEEKDAYS[match["day"]])


def _to_day(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Monday-Friday" as "Monday to Friday"."""
    return keep_group(match, "first"), Piece(" to ", *match.span("to")), keep_group(match, "last")


WEEKDAYS_CUE = re.compile(rf"\b(?:{WEEKDAY_ABBREVIATION.lower()})\b|day ?[–-] ?[mtwfs]")
WEEKDAYS = (
    Rule(_LISTED, _listed),
    Rule(_ABBREVIATED, _in_full),
    Rule(_TO_DAY, _to_day, re.compile("day ?[–-]")),
)
"""Rules for texts in which `WEEKDAYS_CUE` is found."""
