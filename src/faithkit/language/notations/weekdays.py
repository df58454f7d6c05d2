"""Weekdays in full: "Tues" is "Tuesday", "on Sun" is "on Sunday", "Mon-Fri" is "Monday to Friday".
What does not live here: dates (`dates.py`), times of day (`clock.py`).

"Sun", "Mon", "Sat" and the like are other words too, so what stands around them has to tell.
"""

from __future__ import annotations

import re

from faithkit.language import lexicon
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match

_FULL = "|".join(lexicon.WEEKDAYS)
_SHORT = "Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun"
_CAPITALS = "MON|TUES?|WED|THU(?:RS?)?|FRI|SAT|SUN"
_MONTH = "|".join(name[:3] for name in lexicon.MONTHS)
_ABBREVIATED = re.compile(
    rf"(?<![\w.'’])(?P<day>{_SHORT}|{_CAPITALS})(?![\w'’])"
    rf"(?:\.(?= ?[^\sA-Z\"'’]| (?:{_SHORT}|{_MONTH})))?"
)
_ALONE = ("Tues", "Thur", "Thurs", "TUES", "THURS")
"""No other words."""
_TIME = (
    r"(?:\d{1,2}(?:[:.]\d\d)? ?(?:[ap]\.?m\b|[–-] ?\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b)|\d{1,2}:\d\d"
    r"|\d{1,2} ?[–-] ?\d{1,2}(?=[,;.)]|$)|noon\b|midnight\b)"
)
_DAY_OF_MONTH = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_AFTER = re.compile(
    rf",? (?:the )?{_DAY_OF_MONTH} (?:of )?(?:{_MONTH})|,? (?:{_MONTH})[a-z]*\.? \d|,? \d{{1,2}}/\d"
    rf"|,?:? (?:(?:at|from) )?{_TIME}"
    r"| (?:mornings?|afternoons?|evenings?|nights?)\b",
    re.IGNORECASE,
)
_DAY = rf"(?:(?:{_FULL})s?|(?:{_SHORT}|{_CAPITALS})\b\.?)"
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
_IN_FULL = {name[:3]: name for name in lexicon.WEEKDAYS}


def _in_full(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Tues & Thurs" as "Tuesday & Thursday", "Sun 2-4pm" as "Sunday 2-4pm"; not "the Sun"."""
    if match["day"] not in _ALONE and not _is_day(match):
        return ()
    return replace_match(match, _IN_FULL[match["day"][:3].capitalize()])


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
    return goes_on["word"] is None or goes_on["word"] in lexicon.STOP_WORDS


def _is_name(before: str) -> bool:
    """Whether the word before may be a newspaper's: "the Baltimore Sun, 3 May"."""
    return bool(_NAME_BEFORE.search(before)) and not _DAY_BEFORE.search(before)


_LISTED = re.compile(r"^(?P<day>Mon|Tue|Wed|Thu|Fri|Sat)\.?(?=: | - )")
_TO_DAY = re.compile(rf"(?<![\w-])(?P<first>{_FULL})(?P<to> ?[–-] ?)(?P<last>{_FULL})(?![\w-])")


def _listed(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Mon: closed" as "Monday: closed"."""
    return replace_match(match, _IN_FULL[match["day"]])


def _to_day(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Monday-Friday" as "Monday to Friday"."""
    return keep_group(match, "first"), Piece(" to ", *match.span("to")), keep_group(match, "last")


WEEKDAYS_CUE = re.compile(r"\b(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\b|day ?[–-] ?[mtwfs]")
WEEKDAYS = (
    Rule(_LISTED, _listed),
    Rule(_ABBREVIATED, _in_full),
    Rule(_TO_DAY, _to_day, re.compile("day ?[–-]")),
)
"""Rules for texts in which `WEEKDAYS_CUE` is found."""
