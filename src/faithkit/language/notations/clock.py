"""Times of day in one form: "17:30", "17h30", "1730 hrs" and "5.30pm" are "5:30 pm", "2-4pm" is
"2 pm to 4 pm". What does not live here: dates and other ranges (`dates.py`), weekdays
(`weekdays.py`).

Of the hours up to twelve a number alone does not say which half of the day is meant. It is told
where the notation is that of the 24-hour clock: in "07:45", "10:00-18:00", "10h30" and "1000 hrs".
Those that are only told by what stands around them become "10:00 hours" first.
"""

from __future__ import annotations

import re

from faithkit.language.calendar_words import MONTH_LIKE, SHORT_MONTH, WEEKDAY
from faithkit.language.lexicon import LONG_BOOKS
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.notations.numerals import LARGE
from faithkit.language.words import plain_letters

_MINUTE = r"[0-5]\d"
_HOUR = r"(?:2[0-3]|1\d|0?\d)"
_EARLY = r"(?:1[0-2]|\d)"
_LATE = r"(?:1[3-9]|2[0-3])"
_TWO_DIGITS = r"(?:[01]\d|2[0-3])"
_MARK = " hours"
"""Stands after a time that is read as one of the 24-hour clock."""


def _marked(match: re.Match[str], hour: str = "hour", minute: str = "minute") -> Piece:
    return Piece(f"{match[hour]:0>2}:{match[minute]}{_MARK}", match.start(hour), match.end())


# Halves and quarters

_TO_HOUR = r"(?:a )?quarter (?P<to>to|till) "
_PAST_HOUR = (
    r"(?:a )?(?P<part>half past|quarter past|(?<=at )quarter after|(?<=at a )quarter after) "
)
_QUARTERS = re.compile(
    rf"\b(?:(?P<at>(?:at|until|till|before|after|since|is|was) ){_TO_HOUR}|{_PAST_HOUR})"
    rf"(?P<hour>1[0-2]|[1-9]|one)(?!\w|[.,/:-]\d|%| (?:per|percent|{LARGE})\b)",
    re.IGNORECASE,
)


def _quarters(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "half past 10" as "10:30", "at quarter to 5" as "at 4:45"."""
    hour = 1 if plain_letters(match["hour"]) == "one" else int(match["hour"])
    if match["to"]:
        time = Piece(f"{(hour - 2) % 12 + 1}:45", match.end("at"), match.end())
        return keep_group(match, "at"), time
    return replace_match(
        match, f"{hour}:{'30' if plain_letters(match['part'][:4]) == 'half' else '15'}"
    )


# Other notations of the 24-hour clock

_STAMP = re.compile(
    rf"(?<=\d{{4}}-\d\d-\d\d)[T ](?P<hour>{_TWO_DIGITS}):(?P<minute>{_MINUTE})"
    rf"(?::(?P<second>{_MINUTE})(?:[.,](?P<fraction>\d{{1,9}}))?)?(?P<zone>Z)?"
    r"(?![\w:+-]|[.,]\d| ?[ap]\.?m\b)"
)
_WITH_SECONDS = re.compile(
    rf"(?<=\bat )(?P<hour>{_LATE}):(?P<minute>{_MINUTE}):(?P<second>{_MINUTE})"
    r"(?:[.,](?P<fraction>\d{1,9}))?(?![\w:]|[.,]\d)",
    re.IGNORECASE,
)
_OF_LOG = re.compile(
    rf"(?P<day>^(?:{SHORT_MONTH}) \d\d? )"
    rf"(?P<hour>{_TWO_DIGITS}):(?P<minute>{_MINUTE}):(?P<second>{_MINUTE})"
    r"(?:\.(?P<fraction>\d{1,9}))?(?= [\w.-]+ )"
)
_LETTERED = re.compile(rf"(?<![\w.,:])(?P<hour>{_HOUR})[hH](?P<minute>{_MINUTE})(?![\w:-]|[.,]\d)")
_ZONED = re.compile(
    rf"(?<![\w.,:])(?P<hour>{_TWO_DIGITS})(?P<minute>{_MINUTE})"
    r"(?= ?(?:GMT|UTC|BST|CES?T|E[SD]T|P[SD]T)\b)"
)
_DIGITS = re.compile(
    rf"(?<![\w.,:/$£€-])(?P<hour>{_TWO_DIGITS})(?P<minute>{_MINUTE})(?![\w.,:/-]*\d)"
    r"(?P<hours> ?(?:hours|hrs?)\b(?:\.(?= (?-i:[a-z])))?)?",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:at|from|until|till|between|(?:from|between) \d\d?h\d\d (?:to|and)) $", re.IGNORECASE
)
_AT = re.compile(r"\b(?:at|until|till) $", re.IGNORECASE)
_PADDED_AT = re.compile(r"\b(?:at|by|until|till) $", re.IGNORECASE)
_TRAVEL_AT = re.compile(
    r"\b(?:leaves?|departs?|departed|sails?|sailed|arrives?) at $", re.IGNORECASE
)
_DAY_AFTER = re.compile(rf" (?:on )?(?:{WEEKDAY})\b")
_DAY_BEFORE = re.compile(rf"(?:{WEEKDAY}) (?:to|until|till) $")
_TO_DAY = re.compile(rf" (?:{WEEKDAY}) (?:to|until|till) \d{{4}} (?:{WEEKDAY})\b")
_OF_DURATION = re.compile(r" (?:of|per|worth|more|less|longer)\b")
_SET_AT = re.compile(
    r"\b(?:capped|set|put|estimated|limited|stands?|stood|remain(?:s|ed)|peaked) at $",
    re.IGNORECASE,
)
_PADDED_RANGE = re.compile(
    rf"(?<![\w.,:/$£€-])(?P<hour>0\d)(?P<minute>{_MINUTE})(?P<to> ?[–-] ?| (?:to|and|until|till) )"
    rf"(?P<hour_2>{_TWO_DIGITS})(?P<minute_2>{_MINUTE})(?: ?(?:hours|hrs?)\b(?! of\b))",
    re.IGNORECASE,
)


def _stamp(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "2025-03-06T14:05:00Z" as "2025-03-06 14:05 hours UTC"."""
    zone = " UTC" if match["zone"] else ""
    return (Piece(f" {_to_the_second(match)}{zone}", *match.span()),)


def _with_seconds(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, _to_the_second(match))


def _of_log(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Mar 2 23:16:02 web01 sshd[2211]: " with "23:16 hours and 2 seconds"."""
    time = Piece(_to_the_second(match), match.start("hour"), match.end())
    return keep_group(match, "day"), time


def _to_the_second(match: re.Match[str]) -> str:
    """ "14:05:32" as "14:05 hours and 32 seconds", "14:05:00" as "14:05 hours", "14:05:02.118" as
    "14:05 hours and 2 seconds and 0.118 seconds": it is the time "14:05:02" too."""
    seconds = int(match["second"] or 0)
    and_seconds = f" and {seconds} second{'' if seconds == 1 else 's'}" if seconds else ""
    fraction = (match["fraction"] or "").rstrip("0")
    and_fraction = f" and 0.{fraction} seconds" if fraction else ""
    return f"{match['hour']}:{match['minute']}{_MARK}{and_seconds}{and_fraction}"


def _lettered(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "18h30" and "at 9h30" as "18:30 hours" and "at 09:30 hours": "3h50" may be a duration."""
    start = match.start()
    is_time = int(match["hour"]) > 12 or match["minute"] == "00" or match["hour"][0] == "0"
    before = match.string[max(0, start - 24) : start]
    if _is_no_clock(match) or not (is_time or _FROM.search(before)):
        return ()
    return (_marked(match),)


def _zoned(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1930 GMT" as "19:30 GMT"."""
    return replace_match(match, f"{match['hour']}:{match['minute']}")


def _digits(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "0930 hrs", "at 1800 hrs", "at 0930", "leaves at 1745" and "1800 Thursday to 1000 Friday"
    as "09:30 hours" and the like; others are years, numbers or durations."""
    text, (start, end) = match.string, match.span()
    before = text[max(0, start - 24) : start]
    padded = match["hour"][0] == "0"
    if match["hours"]:
        is_time = padded or (_AT.search(before) and not _SET_AT.search(before))
        is_time = is_time and not _OF_DURATION.match(text, end)
    elif _DAY_AFTER.match(text, end):
        is_time = _TO_DAY.match(text, end) or _DAY_BEFORE.search(before)
    else:
        is_time = (_PADDED_AT if padded else _TRAVEL_AT).search(before)
        is_time = is_time and not text[end : end + 2].strip()[:1].isdigit()
    return (_marked(match),) if is_time else ()


def _padded_range(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "0930-1630 hrs" as "09:30 hours to 16:30 hours"."""
    start, end = match.span("to")
    low = Piece(f"{match['hour']:0>2}:{match['minute']}{_MARK}", match.start(), start)
    return low, Piece(" to ", start, end), _marked(match, "hour_2", "minute_2")


# Points instead of colons

_POINTED = re.compile(
    rf"(?<![\w.,:/$£€¥₹-])(?P<hour>{_LATE})\.(?P<minute>{_MINUTE})(?P<hours> ?(?:hours|hrs?|h)\b)?"
    r"(?![\w:%]|[.,]\d)",
    re.IGNORECASE,
)
_POINTED_RANGE = re.compile(
    rf"(?<![\w.,:/$£€¥₹-])(?P<hour>{_HOUR})\.(?P<minute>{_MINUTE})"
    rf"(?P<to> ?[–-] ?| (?:to|and|until|till) )(?P<hour_2>{_LATE})\.(?P<minute_2>{_MINUTE})"
    r"(?: ?(?:hours|hrs?|h)\b)?(?![\w:%]|[.,]\d)",
    re.IGNORECASE,
)
_AT_POINTED = re.compile(
    rf"\b(?:at|from|by|until|till|before|after|between|(?:{WEEKDAY}),?) $", re.IGNORECASE
)
_AFTER_POINTED = re.compile(
    r" ?(?:$|[;,.)!?&]|[–-] ?\d| (?:and|or|to|until|till|on|in|at|from|for|with|when|every|daily"
    rf"|today|tomorrow|tonight|sharp|local|{WEEKDAY})\b)",
    re.IGNORECASE,
)
_OF_EVENTS = re.compile(
    r"\b(?:starts?|started|begins?|began|opens?|opened|closes|leaves|departs?|departed|sails?|sailed"
    r"|arrives?|arrived|kick-?off|doors|gates|rehearsals?|concerts?|trains?|bus(?:es)?|ferry|ferries"
    r"|flights?|meetings?|check-?(?:in|out)|breakfast|lunch|dinner|supper|matinees?|performances?"
    rf"|fetes?|{WEEKDAY}s?|noon|daily)\b",
    re.IGNORECASE,
)
_OF_AMOUNTS = re.compile(
    r"[%$£€¥₹°=±]|\b(?:per ?cent|shares?|stocks?|index|indices|pric\w+|points?|rates?|trades?"
    r"|trad(?:ed|ing)|averag\w+|means?|median|scor\w+|ratios?|values?|levels?|yields?|dollars?|pounds?|euros?"
    r"|rose|fell|dropped|(?:in|de)creas\w+|declin\w+|grew|climbed|up|down|gained|lost|seconds?|metres?"
    r"|kilometres?|km|kg|cm|mm|mg|ml|litres?|degrees|temperatures?|version|section)\b",
    re.IGNORECASE,
)


def _is_of_events(text: str, start: int, end: int) -> bool:
    """Whether what stands around a number tells of the time of an event, and of no amount."""
    around = text[max(0, start - 100) : end + 60]
    return bool(_OF_EVENTS.search(around)) and not _OF_AMOUNTS.search(around)


def _pointed(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "starts at 14.45" as "starts at 14:45 hours"; elsewhere it is a number."""
    text, (start, end) = match.string, match.span()
    is_time = (
        _AT_POINTED.search(text[max(0, start - 12) : start])
        and _AFTER_POINTED.match(text, end)
        and _is_of_events(text, start, end)
    )
    return (_marked(match),) if is_time else ()


def _pointed_range(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "runs daily from 11.00-16.30" as "runs daily from 11:00 hours to 16:30 hours"."""
    if not _AFTER_POINTED.match(match.string, match.end()):
        return ()
    return _padded_range(match) if _is_of_events(match.string, *match.span()) else ()


# Ranges that share what tells the half of the day

_TIME_12 = rf"(?:1[0-2]|0?[1-9])(?:[:.]{_MINUTE})?"
_TO = r"(?P<to>[ ]?[–-][ ]?|[ ](?:to|and|until|till)[ ])"
_SHARED = re.compile(
    rf"(?<![\w.,:/$£€¥₹–-])(?P<low>{_TIME_12}){_TO}(?P<high>{_TIME_12})"
    r"[ ]?(?P<half>[ap])(?:\.m\b\.?|m\b)",
    re.IGNORECASE,
)
_COLONS = re.compile(
    rf"(?<![\w.,:/$£€–-])(?:(?P<early>{_EARLY}:{_MINUTE}){_TO}(?={_LATE}:{_MINUTE}(?![\w:]))"
    rf"|(?P<late>{_LATE}:{_MINUTE})(?P<to_2>[ ]?[–-][ ]?|[ ](?:to|until|till)[ ])"
    rf"(?P<next>{_EARLY}:{_MINUTE})(?![\w:]|[.,]\d|[ ]?[ap]\.?m\b|[ ]?h(?:ou)?rs?\b))",
    re.IGNORECASE,
)
_AFTER_MONTH = re.compile(rf"\b{MONTH_LIKE}\.? $", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:between|from|at) $", re.IGNORECASE)
# "at 10 to 8 pm" is ten minutes before, "Room 4 - 8 pm" no range.
_MINUTES_TO = re.compile(
    r"\b(?:at|is|was|about|around|nearly|almost|just|by|until|till|before|after) $", re.IGNORECASE
)
_BEFORE_DASH = re.compile(
    r"(?:^|[,:;(|]|\b(?:from|between|at|is|are|open|opens|closed|daily|and|or|hours"
    rf"|{WEEKDAY}s?)) ?$",
    re.IGNORECASE,
)


def _shared(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "2-4pm" as "2pm to 4pm" and "9 to 5pm" as "9am to 5pm": the first of the two is in the half
    of the day in which it is the earlier one."""
    before = match.string[max(0, match.start() - 20) : match.start()]
    if _AFTER_MONTH.search(before) or not _is_shared(match, before):
        return ()
    half, low, high = plain_letters(match["half"]), _minutes(match["low"]), _minutes(match["high"])
    if low == high or (half == "a" and high < 60 and low > high):
        return ()  # "10-12am" may be at noon or at midnight
    if low > high:
        half = "a" if half == "p" else "p"
    joins = match["to"] == " and "
    to = keep_group(match, "to") if joins else Piece(" to ", *match.span("to"))
    high_end = Piece(
        match.string[match.start("high") : match.end()], match.start("high"), match.end()
    )
    return Piece(f"{match['low']}{half}m", *match.span("low")), to, high_end


def _is_shared(match: re.Match[str], before: str) -> bool:
    """Whether two numbers before "pm" are the two ends of a time."""
    to = match["to"]
    if to == " and ":
        return bool(_BOTH.search(before))
    if to == " to " and match["low"] in ("5", "10"):
        return not _MINUTES_TO.search(before)
    return to.strip() not in "–-" or " " not in to or bool(_BEFORE_DASH.search(before))


def _minutes(time: str) -> int:
    """Minutes of a time since noon or midnight."""
    hour, _, minute = time.replace(".", ":").partition(":")
    return int(hour) % 12 * 60 + int(minute or 0)


def _colons(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "9:30-16:30" as "09:30 hours to 16:30", "22:00-6:00" as "22:00 hours to 06:00 hours"."""
    if _is_no_clock(match):
        return ()
    if match["early"]:
        to = keep_group(match, "to") if match["to"] == " and " else Piece(" to ", *match.span("to"))
        return Piece(f"{match['early']:0>5}{_MARK}", *match.span("early")), to
    return (
        Piece(match["late"] + _MARK, *match.span("late")),
        Piece(" to ", *match.span("to_2")),
        Piece(f"{match['next']:0>5}{_MARK}", *match.span("next")),
    )


# Times of day

_CLOCK = re.compile(
    rf"(?<![\w.,:])(?P<hour>{_HOUR})(?:(?:[:.](?P<minute>{_MINUTE}))?"
    rf"(?P<half> ?[ap](?:\.m\.?|m\b))"
    rf"|:(?P<minute_2>{_MINUTE})(?P<hours> ?(?:hours|hrs?|h)\b)?(?![\w:]|[.,]\d))",
    re.IGNORECASE,
)
_NOT_CLOCK = re.compile(
    rf"\b(?:in|time of|clocked|ran|took|takes?|lasted|lasts|{'|'.join(LONG_BOOKS)}) $"
)
_NOT_CLOCK_AFTER = re.compile(r" (?:left|remaining|min(?:ute)?s?|into)\b")
# "07:45 pm" and "at 07:45 in the evening" are of the other clock.
_TWELVE_HOURS = re.compile(r"\d ?[ap]\.?m\b|\b(?:evening|afternoon|night|tonight)\b", re.IGNORECASE)


def _clock(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "17:30" and "5.30pm" as "5:30 pm", "09:30" as "9:30 am", "9:00", which may be either, as "9"
    and "12:00" as "noon"."""
    hour, minute = int(match["hour"]), match["minute"] or match["minute_2"] or "00"
    if not match["half"] and _is_no_clock(match):
        return replace_match(match, match.group()[1:]) if hour and match["hour"][0] == "0" else ()
    time = str(hour % 12 or 12) + (f":{minute}" if minute != "00" else "")
    if half := match["half"]:
        late = "p" in plain_letters(half)
    elif hour > 12 or match["hours"] or _is_plain(match):
        late = hour >= 12
    else:
        return _untold(match, time)
    if time == "12":
        return replace_match(match, "noon" if late else "midnight")
    if not half:
        return replace_match(match, f"{time} {'pm' if late else 'am'}")
    return (
        Piece(time, match.start(), match.start("half")),
        Piece(" pm" if late else " am", *match.span("half")),
    )


def _is_no_clock(match: re.Match[str]) -> bool:
    """Whether what stands around says that it is a duration or a verse."""
    text, (start, end) = match.string, match.span()
    if _NOT_CLOCK.search(text, max(0, start - 24), start):
        return True
    if text[end - 1].isalpha() and int(match["hour"]) < 13:
        before = text[max(0, start - 4) : start]
        if (
            _OF_DURATION.match(text, end)
            or before in ("for ", " of ")
            or match["hour"] in "123456789"
        ):
            return True
    return _NOT_CLOCK_AFTER.match(text, end) is not None


def _is_plain(match: re.Match[str]) -> bool:
    """Whether a zero before the hour says that it is one of the 24-hour clock."""
    text, (start, end) = match.string, match.span()
    in_brackets = text[max(0, start - 1) : start] + text[end : end + 1] == "[]"
    return match["hour"][0] == "0" and not in_brackets and not _tells_half(match)


def _tells_half(match: re.Match[str]) -> bool:
    """Whether words near a time tell the half of the day."""
    start, end = match.span()
    return _TWELVE_HOURS.search(match.string, max(0, start - 80), end + 80) is not None


def _untold(match: re.Match[str], time: str) -> tuple[Piece, ...]:
    """A time that may be in either half of the day; 12:00 is mostly noon."""
    hour, minute = match["hour"], match["minute_2"]
    if time == "12" and int(hour) and not _tells_half(match):
        return replace_match(match, "noon")
    return replace_match(match, time) if int(hour) and (minute == "00" or hour[0] == "0") else ()


_TWELVE = re.compile(
    r"\b(?:12(?:[:.]00)? (?P<name>noon|midnight)"
    r"|(?P<before>(?:at|by|until|till|before|after|from|since|to) )midday"
    r"|(?P<until>(?:at|by|until|till|to) )24:00(?!:\d| (?:of|into|mark|min(?:ute)?s?)\b))\b"
    r"(?! (?:sun|heat|meal|news|prayers?)\b)",
    re.IGNORECASE,
)
_TO_TIME = re.compile(
    r"(?:(?<=\d [ap]m)|(?<=noon)|(?<=midnight)) ?[–-] ?(?=\d\d?(?::\d\d)? [ap]m\b|noon|mid)",
    re.IGNORECASE,
)


def _twelve(match: re.Match[str]) -> tuple[Piece, ...]:
    if match["before"]:
        return keep_group(match, "before"), Piece("noon", match.end("before"), match.end())
    if match["until"]:
        return keep_group(match, "until"), Piece("midnight", match.end("until"), match.end())
    return replace_match(match, plain_letters(match["name"]))


def _to_time(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, " to ")


TIMES = (
    Rule(_QUARTERS, _quarters, re.compile("half past|quarter")),
    Rule(_STAMP, _stamp, re.compile(r"-\d\d[t ]\d\d:")),
    Rule(_WITH_SECONDS, _with_seconds, re.compile(r"at \d\d:\d\d:")),
    Rule(_OF_LOG, _of_log, re.compile(r"^[a-z]{3} \d\d? \d\d:\d\d:")),
    Rule(_LETTERED, _lettered, re.compile(r"\dh\d\d")),
    Rule(_ZONED, _zoned, re.compile(r"\d ?(?:gmt|utc|bst|ces?t|e[sd]t|p[sd]t)\b")),
    Rule(_PADDED_RANGE, _padded_range, re.compile(r"\d{4} ?h")),
    Rule(_DIGITS, _digits, re.compile(r"\d{4} ?h|\b(?:at|by|until|till) \d{4}\b|\d{4} [mtwfs]")),
    Rule(_POINTED_RANGE, _pointed_range, re.compile(r"\d\.\d\d ?(?:[–-]|to|and|until|till)")),
    Rule(_POINTED, _pointed, re.compile(r"\d\d\.\d\d")),
    Rule(_SHARED, _shared, re.compile(r"\d ?[ap]\.?m\b")),
    Rule(_COLONS, _colons, re.compile(r"\d:\d\d ?[–-]|\d:\d\d (?:to|and|until|till)\b")),
    Rule(_TWELVE, _twelve, re.compile("12[0:.]* [nm]|midday| 24:00")),
    Rule(_CLOCK, _clock),
    Rule(_TO_TIME, _to_time, re.compile("(?:m|noon|midnight) ?[–-]")),
)
"""Rules for texts with digits; before those of `amounts.py`, for which "1800 hrs" is a duration."""
