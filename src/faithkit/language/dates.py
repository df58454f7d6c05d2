"""Dates, decades, times of day and ranges in one form: "February 3 2019", "the 1990s", "5:30 pm",
"5 to 7"."""

from __future__ import annotations

import re

from faithkit.language import lexicon
from faithkit.language.mapped import Piece, Rule, same, whole
from faithkit.language.numerals import LARGE, NUMBER
from faithkit.language.words import plain_letters

# Dates

_MONTH = "|".join(
    [*(rf"{name}" for name in lexicon.MONTHS if name not in ("March", "May")), r"(?-i:March|May)"]
    + [rf"{name[:3]}\b\.?" for name in lexicon.MONTHS if name != "May"] + [r"Sept\b\.?"]
)  # fmt: skip
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_ORDINAL = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_DATE = re.compile(
    rf"""(?<![\w.,$£€/:-]) (?P<the>the[ ])? (?P<day_1>{_DAY}){_ORDINAL} (?P<of>[ ]of)?
        [ -](?P<month_1>{_MONTH})(?!\w) (?:[ ]?,?[ -](?P<year_1>{_YEAR})(?!\w|,\d))?
    | (?<![\w/-]) (?P<month_2>{_MONTH}) [ ] (?P<day_part_2>(?:the[ ])? (?P<day_2>{_DAY}){_ORDINAL})
        (?![\w:%/-]|[.,]\d) (?: [ ]?,?[ ](?P<year_2>{_YEAR})(?!\w|,\d))?
    | (?<![\w/-]) (?P<month_3>{_MONTH}) (?:[ ]of)? [ ](?P<year_3>{_YEAR})(?!\w|,\d)
    | (?<![\w/.-]) (?P<year_4>{_YEAR})-(?P<month_4>0[1-9]|1[0-2])-(?P<day_4>{_DAY})(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
_NUMERIC = re.compile(
    rf"(?<![\w/.,-])(?:(?P<first>{_DAY})(?P<mark>[/.-])(?P<second>{_DAY})(?P=mark)(?P<year>{_YEAR})"
    rf"|(?P<year_first>{_YEAR})(?P<mark_2>[/.])(?P<month>0?[1-9]|1[0-2])(?P=mark_2)(?P<day>{_DAY}))"
    r"(?![\w/-]|\.\d)"
)
# After "May 5 to 6" a noun may follow that 6 belongs to.
_DATE_ENDS = rf"(?=[ ]?[,;.)]?$|[ ]?[,;)]|\.[ ]|[ ](?:{_YEAR}|in|at|on|and|for|with|by)\b)"
_DAYS = re.compile(
    rf"""(?<![\w.,$£€/:-]) (?:the[ ])? (?P<first>{_DAY}){_ORDINAL}
        (?P<to>[ ]?[–-][ ]?|[ ](?:to|and|until|till)[ ](?:the[ ])?) (?P<last>{_DAY}){_ORDINAL}
        (?P<of>[ ]of)? [ ] (?P<month>{_MONTH})(?!\w)
    | (?<![\w/-]) (?P<month_2>{_MONTH}) [ ] (?P<first_2>{_DAY}){_ORDINAL}
        (?P<to_2>[–-]|[ ](?:[–-]|to|and|until|till)[ ]) (?P<last_2>{_DAY}){_ORDINAL}{_DATE_ENDS}""",
    re.IGNORECASE | re.VERBOSE,
)
_TO_DAY = re.compile(
    rf"(?<![\w/-])(?P<start>(?:{_MONTH}) {_DAY}{_ORDINAL}(?= ?[–-] ?(?:{_MONTH}))"
    rf"|{_DAY}{_ORDINAL} (?:{_MONTH})(?= ?[–-] ?{_DAY}{_ORDINAL} (?:{_MONTH})))(?P<to> ?[–-] ?)",
    re.IGNORECASE,
)


def _date(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the 3rd of Feb., 2019" as "February 3 2019"; the small words go with the day."""
    form = next(i for i in "1234" if match[f"month_{i}"])
    month = Piece(month_name(match[f"month_{form}"]), *match.span(f"month_{form}"))
    pieces = [month]
    if form != "3":
        start, end = match.span(f"day_{form}")
        if form == "1":
            start, end = match.start(), match.start("month_1") - 1
        elif form == "2":
            start, end = match.span("day_part_2")
        pieces += _parts(str(int(match[f"day_{form}"])), start, end)
    if match[f"year_{form}"]:
        pieces += _parts(match[f"year_{form}"], *match.span(f"year_{form}"))
    return tuple(pieces)


def _parts(text: str, start: int, end: int) -> tuple[Piece, Piece]:
    """A blank, and the text; both stand for the same characters."""
    return Piece(" ", start, end), Piece(text, start, end)


def month_name(name: str) -> str:
    """In full, of its number or its first three letters."""
    if name.isdigit():
        return lexicon.MONTHS[int(name) - 1]
    return next(full for full in lexicon.MONTHS if full[:3].lower() == plain_letters(name[:3]))


def _numeric_date(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "13/05/2019" and "05/13/2019" as "May 13 2019"; "03/04/2019" stays, for it may be either."""
    if match["month"]:
        month, day, year = "month", "day", "year_first"
    else:
        month, day, year = "second", "first", "year"
        if int(match["second"]) > 12:
            month, day = day, month
        elif int(match["first"]) <= 12 and match["first"] != match["second"]:
            return ()
    if int(match[month]) > 12:
        return ()
    return (
        Piece(month_name(match[month]), *match.span(month)),
        *_parts(str(int(match[day])), *match.span(day)),
        *_parts(match[year], *match.span(year)),
    )


def _to_day(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "May 30-June 2" as "May 30 to June 2"."""
    return same(match, "start"), Piece(" to ", *match.span("to"))


def _days(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5-6 May" as "5 May to 6 May": each day with its month, which `_date` puts in order."""
    form = "" if match["month"] else "_2"
    month = match[f"month{form}"]
    first, last = (int(match[f"{name}{form}"]) for name in ("first", "last"))
    if first >= last:
        return ()
    word = plain_letters(match[f"to{form}"].strip(" -–").removesuffix(" the")) or "to"
    middle = Piece(f" {word} ", *match.span(f"to{form}"))
    if form:
        lower = Piece(f"{month} {first}", match.start(), match.start("to_2"))
        upper = Piece(f"{month} {last}", match.end("to_2"), match.end())
        return lower, middle, upper
    lower = Piece(f"{first} {month}", match.start(), match.start("to"))
    return lower, middle, Piece(f"{last} {month}", match.end("to"), match.end())


# Years of two digits, and fiscal years

_SHORT_YEAR = re.compile(
    rf"(?<![\w./-])(?P<date>{_DAY}-(?:{_MONTH})-"
    rf"|(?:{_DAY}{_ORDINAL} )?(?:{_MONTH}) (?:{_DAY},? )?['’])(?P<year>\d\d)(?![\w'’-])",
    re.IGNORECASE,
)
_FISCAL = re.compile(
    r"(?<!\w)(?:(?P<short>FY ?['’]?)|(?P<fiscal>[Ff]iscal)(?P<blank>[ -](?:year )?['’]?))"
    rf"(?P<year>{_YEAR}|\d\d)(?![\w.,]\d|[^\W\d])"
)


def _in_full(year: str) -> str:
    """ "24" as "2024"; nothing of those that may be of either century."""
    if len(year) == 4:
        return year
    return f"20{year}" if year < "40" else f"19{year}" if year >= "50" else ""


def _short_year(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "31-Dec-23" as "31-Dec-2023", "Jan '24" as "Jan 2024"."""
    if not (year := _in_full(match["year"])):
        return ()
    date = match["date"].rstrip("'’")
    start = match.start() + len(date)
    return Piece(date, match.start(), start), Piece(year, start, match.end())


def _fiscal(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "FY24" and "fiscal 2024" as "fiscal year 2024"."""
    if not (year := _in_full(match["year"])):
        return ()
    if match["short"]:
        return Piece("fiscal year ", *match.span("short")), Piece(year, *match.span("year"))
    if len(match["year"]) == 2 and "year" not in match["blank"]:
        return ()
    return (
        same(match, "fiscal"),
        Piece(" year ", *match.span("blank")),
        Piece(year, *match.span("year")),
    )


# Decades

_DECADES = "|".join(lexicon.DECADES)
_LATER_DECADES = "|".join(name for name in lexicon.DECADES if name != "twenties")
_DECADE = re.compile(
    rf"(?<![\w'’-])(?:(?P<century>{'|'.join(lexicon.CENTURIES[:-1])})[ -](?P<named>{_DECADES})"
    r"|(?P<the>the (?:(?:early|mid|late)[ -])?)"
    rf"(?:(?P<word>{_LATER_DECADES})|['’]?(?P<digits>[5-9]0)s)"
    r"|['’](?P<digits_2>[2-9]0)s)(?![\w'’-])",
    re.IGNORECASE,
)
_TEMPERATURE = re.compile("degree|temperature|highs|lows|°", re.IGNORECASE)


def _decade(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the nineties" and "the '90s" as "the 1990s", but not of temperatures."""
    if match["century"]:
        century = lexicon.NUMBER_WORDS[plain_letters(match["century"])]
        return whole(match, f"{century}{lexicon.DECADES[plain_letters(match['named'])]}s")
    if _TEMPERATURE.search(match.string):
        return ()
    start = match.end("the") if match["the"] else match.start()
    word = match["word"]
    tens = lexicon.DECADES[plain_letters(word)] if word else match["digits"] or match["digits_2"]
    decade = Piece(f"19{tens}s", start, match.end())
    return (same(match, "the"), decade) if match["the"] else (decade,)


# Times

_CLOCK = re.compile(
    r"(?<![\w.,:])(?P<hour>2[0-3]|1\d|0?\d)(?:(?:[:.](?P<minute>[0-5]\d))?"
    r"(?P<half> ?[ap](?:\.m\.?|m\b))|:(?P<minute_2>[0-5]\d)(?![\w:]|[.,]\d)(?: hours\b)?)",
    re.IGNORECASE,
)
_NOT_CLOCK = re.compile(rf"\b(?:in|time of|clocked|ran|{'|'.join(lexicon.LONG_BOOKS)}) $")
_TWELVE = re.compile(
    r"\b(?:12 (?P<name>noon|midnight)|(?P<before>(?:at|by|until|till|before|after|from|since|to) )"
    r"midday)\b(?! (?:sun|heat|meal|news|prayers?)\b)",
    re.IGNORECASE,
)
_TO_HOUR = r"(?:a )?quarter (?P<to>to|till) "
_PAST_HOUR = (
    r"(?:a )?(?P<part>half past|quarter past|(?<=at )quarter after|(?<=at a )quarter after) "
)
_QUARTERS = re.compile(
    rf"\b(?:(?P<at>(?:at|until|till|before|after|since|is|was) ){_TO_HOUR}|{_PAST_HOUR})"
    rf"(?P<hour>1[0-2]|[1-9]|one)(?!\w|[.,/:-]\d|%| (?:per|percent|{LARGE})\b)",
    re.IGNORECASE,
)
_TO_TIME = re.compile(
    r"(?:(?<=\d [ap]m)|(?<=noon)|(?<=midnight)) ?[–-] ?(?=\d\d?(?::\d\d)? [ap]m\b|noon|mid)",
    re.IGNORECASE,
)


_ZONED = re.compile(
    r"(?<![\w.,:])(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)"
    r"(?= ?(?:GMT|UTC|BST|CES?T|E[SD]T|P[SD]T)\b)"
)


def _zoned(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1930 GMT" as "19:30 GMT"."""
    return whole(match, f"{match['hour']}:{match['minute']}")


def _clock(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "17:30" and "5.30pm" as "5:30 pm"; "9:30", as "09:30" is read, may be either."""
    hour, minute = int(match["hour"]), match["minute"] or match["minute_2"] or "00"
    half = match["half"]
    if not half and hour < 13 and match["hour"][0] == "0" and hour:
        return whole(match, match.group()[1:])
    if not half and (hour < 13 or _is_no_clock(match)):
        return ()
    late = "p" in plain_letters(half) if half else True
    time = str(hour - 12 if hour > 12 else hour) + (f":{minute}" if minute != "00" else "")
    if time == "12":
        return whole(match, "noon" if late else "midnight")
    if not half:
        return whole(match, f"{time} pm")
    return (
        Piece(time, match.start(), match.start("half")),
        Piece(" pm" if late else " am", *match.span("half")),
    )


def _is_no_clock(match: re.Match[str]) -> bool:
    """Whether what stands before says that it is a duration or a verse."""
    return bool(_NOT_CLOCK.search(match.string, max(0, match.start() - 24), match.start()))


def _twelve(match: re.Match[str]) -> tuple[Piece, ...]:
    if match["before"]:
        return same(match, "before"), Piece("noon", match.end("before"), match.end())
    return whole(match, plain_letters(match["name"]))


def _quarters(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "half past 10" as "10:30", "at quarter to 5" as "at 4:45"."""
    hour = 1 if plain_letters(match["hour"]) == "one" else int(match["hour"])
    if match["to"]:
        time = Piece(f"{(hour - 2) % 12 + 1}:45", match.end("at"), match.end())
        return same(match, "at"), time
    return whole(match, f"{hour}:{'30' if plain_letters(match['part'][:4]) == 'half' else '15'}")


def _to_time(match: re.Match[str]) -> tuple[Piece, ...]:
    return whole(match, " to ")


# Ranges

_RANGE = re.compile(
    rf"(?<![\w.,:/–-])(?P<low>{NUMBER})(?P<to> ?[–-] ?|/)(?P<high>{NUMBER})(?![\w/:–-]|[.,]\d)"
)


def _range(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5-7" as "5 to 7", "2014/15" as "2014 to 2015"; other things with "/" stay."""
    low, high = match["low"], match["high"]
    season = re.fullmatch(_YEAR, low) and re.fullmatch(r"\d\d", high) and int(high) > int(low[2:])
    if match["to"] == "/" and not season:
        return ()
    last = low[:2] + high if season else high
    to = Piece(" to ", *match.span("to"))
    return same(match, "low"), to, Piece(last, *match.span("high"))


_MONTH_CUE = re.compile("|".join(name[:3].lower() for name in lexicon.MONTHS))
SHORT_YEARS = (
    Rule(_SHORT_YEAR, _short_year, re.compile(r"-[a-z]{3,}-\d\d|['’]\d\d")),
    Rule(_FISCAL, _fiscal, re.compile("f(?:y|iscal)")),
)
DECADES_CUE = re.compile(r"ties\b|0s\b")
DECADES = (Rule(_DECADE, _decade),)
DATES = (
    Rule(_QUARTERS, _quarters, re.compile("half past|quarter")),
    Rule(_ZONED, _zoned, re.compile(r"\d ?(?:gmt|utc|bst|ces?t|e[sd]t|p[sd]t)\b")),
    Rule(_CLOCK, _clock),
    Rule(_TWELVE, _twelve, re.compile("12 [nm]|midday")),
    Rule(_TO_TIME, _to_time, re.compile("(?:m|noon|midnight) ?[–-]")),
    Rule(_NUMERIC, _numeric_date, re.compile(r"\d[/.-]\d\d?[/.-]\d")),
    Rule(_TO_DAY, _to_day, re.compile(rf"[–-] ?(?:\d+ )?(?:{_MONTH_CUE.pattern})")),
    Rule(_DAYS, _days, _MONTH_CUE),
    Rule(_RANGE, _range),
    Rule(_DATE, _date, re.compile(rf"{_MONTH_CUE.pattern}|\d-\d\d-")),
)
"""Rules for texts with digits; after those of `amounts.py`."""
