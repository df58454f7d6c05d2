"""Dates, decades and ranges in one form: "February 3 2019", "the 1990s", "5 to 7". What does not
live here: times of day (`clock.py`), weekdays (`weekdays.py`)."""

from __future__ import annotations

import re
from functools import lru_cache

from faithkit.language import lexicon
from faithkit.language.calendar_words import MONTHS, PART, SHORT_MONTH, SHORT_MONTHS, WEEKDAY
from faithkit.language.mapped import Mapped, Piece, Rule, keep_group, replace_match, substitute
from faithkit.language.notations.numerals import NUMBER
from faithkit.language.words import plain_letters

# Dates

_MONTH = "|".join(
    [*(name for name in MONTHS if name not in ("March", "May")), "(?-i:March|May)"]
    + [rf"{name}\b\.?" for name in (*SHORT_MONTHS, "Sept") if name != "May"]
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_TWO_DIGITS = r"(?:3[01]|[12]\d|0[1-9])"
_ORDINAL = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_DATE = re.compile(
    rf"""(?<![\w.,$£€/:-]) (?P<the>the[ ])? (?P<day_1>{_DAY}){_ORDINAL} (?P<of>[ ]of)?
        [ -](?P<month_1>{_MONTH})(?!\w) (?:[ ]?,?[ -](?P<year_1>{_YEAR})(?!\w|,\d))?
    | (?<![\w/-]) (?P<month_2>{_MONTH}) [ ] (?P<day_part_2>(?:the[ ])? (?P<day_2>{_DAY}){_ORDINAL})
        (?![\w:%/-]|[.,]\d) (?: [ ]?,?[ ](?P<year_2>{_YEAR})(?!\w|,\d))?
    | (?<![\w/-]) (?P<month_3>{_MONTH}) (?:[ ]of)? [ ](?P<year_3>{_YEAR})(?!\w|,\d)
    | (?<![\w/.-]) (?P<year_4>{_YEAR}|2[1-9]\d\d)-(?P<month_4>0?[1-9]|1[0-2])
        -(?P<day_4>{_DAY})(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
_NUMERIC = re.compile(
    rf"(?<![\w/.,-])(?:(?P<first>{_DAY})(?P<mark>[/.-])(?P<second>{_DAY})(?P=mark)"
    rf"(?P<year>{_YEAR}|(?<=[/.])\d\d)"
    rf"|(?P<year_first>{_YEAR})(?P<mark_2>[/.])(?P<month>0?[1-9]|1[0-2])(?P=mark_2)(?P<day>{_DAY}))"
    r"(?![\w/%-]|\.\d)"
)
_ANY_NUMERIC = re.compile(r"\d[/-]\d\d?[/-]\d")
_OF_VERSIONS = re.compile(r"version|release|upgrad|bump|patch|install|docker", re.IGNORECASE)
_DAY_AND_MONTH = re.compile(
    r"(?P<before>\b(?:on|by|until|till|before|after|since|due|dated|date|deadline|expires"
    rf"|{WEEKDAY}),?:? |\(|[a-z]: |[a-z] - )"
    rf"(?P<first>{_DAY})/(?P<second>{_DAY})(?![\w/%.,:-]*\d|[\w/%-])(?= ?(?:$|[,;:.)!?]"
    r"| (?:and|or|to|until|till|at|in|from|for|with|when|if|is|was|are|were|the)\b))",
    re.IGNORECASE,
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
        return MONTHS[int(name) - 1]
    return SHORT_MONTHS[plain_letters(name[:3]).capitalize()]


def _numeric_date(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "13/05/2019" and "05/13/19" as "May 13 2019", "03.04.2019" as "April 3 2019"; "03/04/2019"
    stays, for it may be either."""
    year = "year_first" if match["month"] else "year"
    if not (full_year := _year_of(match, year)):
        return ()
    if match["month"]:
        month, day = "month", "day"
    elif match["mark"] == "." and int(match["second"]) <= 12:
        month, day = "second", "first"
    else:
        month, day = _month_and_day(match["first"], match["second"])
    if not month:
        return ()
    return (
        Piece(month_name(match[month]), *match.span(month)),
        *_parts(str(int(match[day])), *match.span(day)),
        *_parts(full_year, *match.span(year)),
    )


def _month_and_day(first: str, second: str) -> tuple[str, str]:
    """The names of the groups with the month and the day; none of those that may be either."""
    if int(second) <= 12 < int(first) or (first == second and int(first) <= 12):
        return "second", "first"
    return ("first", "second") if int(first) <= 12 < int(second) else ("", "")


def _year_of(match: re.Match[str], name: str) -> str:
    """The year of a numeric date in full; nothing where "2.2.14", "20.10.24" and, of a release,
    "2.2.2014" may be sections or versions, or "20/10/70" three parts of a hundred."""
    year, mark = match[name], match["mark"]
    if len(year) == 2 and int(match["first"]) + int(match["second"]) + int(year) == 100:
        return ""
    if mark == "." and (len(year) == 2 or max(int(match["first"]), int(match["second"])) <= 12):
        before = match.string[max(0, match.start() - 60) : match.start()]
        if _OF_VERSIONS.search(before) or (len(year) == 2 and int(match["first"]) <= 12):
            return ""
    return _in_full(year)


def in_known_order(text: Mapped, given: str, source: str = "") -> Mapped:
    """ "03/04/2024" as "2024-04-03" in a text that also has "27/04/2024"; of a summary the source
    says what comes first, if it has such dates.

    given   the text as it was given, with what the plain form leaves out
    source  that of a summary, as it was given
    """
    if not _ANY_NUMERIC.search(text.text):
        return text
    orders = _orders(given) | _orders(source)
    if not any(orders.values()):
        return text

    def form(match: re.Match[str]) -> tuple[Piece, ...]:
        order = orders.get(match["mark"] or "")
        if not order or max(int(match["first"]), int(match["second"])) > 12:
            return ()
        day, month = (int(match[name]) for name in order)
        year = _year_of(match, "year")
        return replace_match(match, f"{year}-{month:02}-{day:02}") if year else ()

    return substitute(text, _NUMERIC, form)


@lru_cache(maxsize=16)
def _orders(text: str) -> dict[str, tuple[str, str] | None]:
    """For each mark of the numeric dates in a text, the groups with the day and the month, or
    nothing where all may be either or some are in another order."""
    seen: dict[str, set[tuple[str, str]]] = {}
    for match in _NUMERIC.finditer(text):
        if match["mark"] in ("/", "-") and _year_of(match, "year"):
            clear = seen.setdefault(match["mark"], set())
            first, second = int(match["first"]), int(match["second"])
            if min(first, second) <= 12 < max(first, second):
                clear.add(("first", "second") if first > 12 else ("second", "first"))
    return {mark: clear.pop() if len(clear) == 1 else None for mark, clear in seen.items()}


def _day_and_month(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "by 21/10" as "by October 21"; not "24/7" nor a fraction, "by 5/16"."""
    first, second = match["first"], match["second"]
    month, day = _month_and_day(first, second)
    if not month or first == second or second == "16" or (first, second) == ("24", "7"):
        return ()
    return (
        keep_group(match, "before"),
        Piece(month_name(match[month]), *match.span(month)),
        *_parts(str(int(match[day])), *match.span(day)),
    )


def _to_day(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "May 30-June 2" as "May 30 to June 2"."""
    return keep_group(match, "start"), Piece(" to ", *match.span("to"))


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

# Hours may follow a day: "4 May 10 to 4 pm".
_SHORT_YEAR = re.compile(
    rf"(?<![\w./-])(?P<date>{_DAY}-(?:{_MONTH})-"
    rf"|(?:{_DAY}{_ORDINAL} )?(?:{_MONTH}) (?:{_DAY},? )?['’])(?P<year>\d\d)(?![\w'’-])"
    rf"|(?<![\w./,-])(?P<day>{_DAY}{_ORDINAL} (?:{_MONTH}) )(?P<year_2>[1-3]\d)(?![\w'’:%-])"
    r"(?=[;:)]|[,.](?!\d)|$| (?:at|on|for|by)\b"
    rf"| ?(?:to|and|until|till|[–-]) ?{_DAY}{_ORDINAL} (?:{_MONTH}))",
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
    """ "31-Dec-23" as "31-Dec-2023", "Jan '24" as "Jan 2024", "4 Nov 24" as "4 Nov 2024"."""
    if match["year_2"]:
        return keep_group(match, "day"), Piece(f"20{match['year_2']}", *match.span("year_2"))
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
        keep_group(match, "fiscal"),
        Piece(" year ", *match.span("blank")),
        Piece(year, *match.span("year")),
    )


# Quarters, halves and months of a year

_PERIOD = re.compile(
    r"(?<![\w./'’-])(?:(?P<part>[QH][1-4])(?P<mark> ?['’]|[/-]| )(?P<year>\d\d|20\d\d)"
    r"|(?P<number>[1-4])(?P<letter>[QH])[ '’]?(?P<year_2>\d\d|20\d\d)"
    r"|(?P<year_first>20\d\d)[ /-]?(?P<part_2>[QH][1-4]))(?![\w/%'’-]|[.,]\d)"
)
_ENDS = re.compile(r"[;:)]|[,.](?!\d)|$| (?:and|to|[–-]|is|was) ")
_HALF_YEAR = re.compile(r"(?<![\w/-])(?:the )?H(?P<half>[12]) (?P<year>20\d\d)(?![\w/-]|[.,]\d)")
_MONTH_AND_YEAR = re.compile(
    rf"\b(?P<before>(?:in|since|during|{PART}) )"
    rf"(?P<month>{SHORT_MONTH})-"
    r"(?P<year>[1-3]\d)(?![\w/'’:%-]|[.,] ?\d)"
)
_MONTH_IN_DIGITS = re.compile(
    rf"(?<![\w/.,-])(?P<month>0[1-9]|1[0-2])/(?P<year>{_YEAR})(?![\w/-]|[.,]\d)"
)
_OF_RECORDS = re.compile(
    r"\b(?:nos?\.?|numbers?|case|file|act|law|decree|decision|regulation|directive|resolution"
    r"|circular|order|invoice|contract|ticket|ref\w*)\b[^.;]{0,12}$",
    re.IGNORECASE,
)


def _period(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Q3'24", "Q3/24", "3Q24" and "2024-Q3" as "Q3 2024"; nothing of "in Q3 24 people"."""
    year = match["year"] or match["year_2"] or match["year_first"]
    if len(year) == 2:
        if not "15" <= year < "40":
            return ()
        if match["mark"] in (" ", "-") and not _ENDS.match(match.string, match.end()):
            return ()
    part = match["part"] or match["part_2"] or f"{match['letter']}{match['number']}"
    return () if part in ("H3", "H4") else replace_match(match, f"{part} {_in_full(year)}")


def _half_year(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "H1 2025" as "the first half of 2025"."""
    half = "first" if match["half"] == "1" else "second"
    name = Piece(f"the {half} half of ", match.start(), match.start("year"))
    return name, keep_group(match, "year")


def _month_and_year(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "in Jan-25" as "in January 2025", as spreadsheets write it; others may be days."""
    month = Piece(f"{month_name(match['month'])} ", match.start("month"), match.start("year"))
    return keep_group(match, "before"), month, Piece(f"20{match['year']}", *match.span("year"))


def _month_in_digits(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "09/2019" as "September 2019"; nothing of "regulation 09/2019"."""
    start = match.start()
    if _OF_RECORDS.search(match.string, max(0, start - 40), start):
        return ()
    return Piece(f"{month_name(match['month'])} ", start, match.start("year")), keep_group(
        match, "year"
    )


# Dates of logs, tickets and calendars

_LOGGED = re.compile(
    rf"(?<![\w.,/-])(?:(?P<day>{_DAY})/(?P<month>(?i:{SHORT_MONTH}))/(?P<year>{_YEAR}|\d\d)"
    rf"|(?P<day_2>{_TWO_DIGITS})(?P<month_2>{SHORT_MONTH}|{SHORT_MONTH.upper()})"
    rf"(?P<year_2>{_YEAR}|[1-3]\d))(?![\w/]|-\d)"
)
_COMPACT = re.compile(
    rf"(?<![\w.,/-])(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>{_TWO_DIGITS})"
    r"(?:T(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?(?P<zone>Z)?)?(?!\w|[.,-]\d)"
)
_DATED = re.compile(
    r"\b(?:on|dated?|created|updated|modified|issued|opened|closed|resolved|paid|due|until|since"
    r"|from|received|sent|signed|released|born|dob|started|ended|start|end|expires"
    r"|(?:dtstart|dtend|dtstamp)(?:;[\w=-]+)?)(?: on| date)?:? ?$",
    re.IGNORECASE,
)


def _logged(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "12/Nov/24" and "12NOV2024" as "12 November 2024"."""
    form = "" if match["day"] else "_2"
    if not (year := _in_full(match[f"year{form}"])):
        return ()
    month = match.span(f"month{form}")
    return (
        keep_group(match, f"day{form}"),
        Piece(f" {month_name(match[f'month{form}'])}", *month),
        Piece(f" {year}", month[1], match.end()),
    )


def _compact(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "20241112T101500Z" as "2024-11-12T10:15:00Z", and "created 20241112" as "created
    2024-11-12"; other numbers of eight digits may be codes."""
    text, start = match.string, match.start()
    if not match["hour"] and not _DATED.search(text, max(0, start - 40), start):
        return ()
    date = f"{match['year']}-{match['month']}-{match['day']}"
    if text[start - 1 : start] == ":":
        date = f" {date}"
    if not match["hour"]:
        return replace_match(match, date)
    time = f"T{match['hour']}:{match['minute']}:{match['second'] or '00'}{match['zone'] or ''}"
    middle = match.end("day")
    return Piece(date, start, middle), Piece(time, middle, match.end())


# Decades

_DECADES = "|".join(lexicon.DECADES)
_LATER_DECADES = "|".join(name for name in lexicon.DECADES if name != "twenties")
_DECADE = re.compile(
    rf"(?<![\w'’-])(?:(?P<century>{'|'.join(lexicon.CENTURIES[:-1])})[ -](?P<named>{_DECADES})"
    rf"|(?P<the>the (?:(?:{PART})[ -])?)"
    rf"(?:(?P<word>{_LATER_DECADES})|['’]?(?P<digits>[5-9]0)s)"
    r"|['’](?P<digits_2>[2-9]0)s)(?![\w'’-])",
    re.IGNORECASE,
)
_TEMPERATURE = re.compile("degree|temperature|highs|lows|°", re.IGNORECASE)


def _decade(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the nineties" and "the '90s" as "the 1990s", but not of temperatures."""
    if match["century"]:
        century = lexicon.NUMBER_WORDS[plain_letters(match["century"])]
        return replace_match(match, f"{century}{lexicon.DECADES[plain_letters(match['named'])]}s")
    if _TEMPERATURE.search(match.string):
        return ()
    start = match.end("the") if match["the"] else match.start()
    word = match["word"]
    tens = lexicon.DECADES[plain_letters(word)] if word else match["digits"] or match["digits_2"]
    decade = Piece(f"19{tens}s", start, match.end())
    return (keep_group(match, "the"), decade) if match["the"] else (decade,)


# Ranges

_RANGE = re.compile(
    rf"(?<![\w.,:/–-])(?P<low>{NUMBER})(?P<to> ?[–-] ?|/)(?P<high>{NUMBER})(?![\w/:–-]|[.,]\d)"
    rf"(?! (?:{_MONTH}),? {_YEAR})",
    re.IGNORECASE,
)


def _range(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5-7" as "5 to 7", "2014/15" as "2014 to 2015"; other things with "/" stay, and labels such
    as "4021-7"."""
    low, high = match["low"], match["high"]
    season = re.fullmatch(_YEAR, low) and re.fullmatch(r"\d\d", high) and int(high) > int(low[2:])
    is_label = not season and len(low) >= 4 and len(high) <= 2 and low.isdigit()
    if is_label or (match["to"] == "/" and not season):
        return ()
    last = low[:2] + high if season else high
    to = Piece(" to ", *match.span("to"))
    return keep_group(match, "low"), to, Piece(last, *match.span("high"))


_MONTH_CUE = re.compile(SHORT_MONTH.lower())
SHORT_YEARS = (
    Rule(_SHORT_YEAR, _short_year, re.compile(r"-[a-z]{3,}-\d\d|['’]\d\d|[a-z]\.? [1-3]\d\b")),
    Rule(_FISCAL, _fiscal, re.compile("f(?:y|iscal)")),
    Rule(_PERIOD, _period, re.compile(r"[qh][1-4]|[1-4][qh]")),
    Rule(_HALF_YEAR, _half_year, re.compile("h[12] 20")),
    Rule(_MONTH_AND_YEAR, _month_and_year, re.compile(r"[a-z]-[1-3]\d\b")),
    Rule(_MONTH_IN_DIGITS, _month_in_digits, re.compile(r"\b[01]\d/[12]\d{3}")),
    Rule(_LOGGED, _logged, re.compile(rf"\d/?(?:{SHORT_MONTH.lower()})/?\d")),
    Rule(_COMPACT, _compact, re.compile(r"(?:19|20)\d{6}")),
)
DECADES_CUE = re.compile(r"ties\b|0s\b")
DECADES = (Rule(_DECADE, _decade),)
DATES = (
    Rule(_NUMERIC, _numeric_date, re.compile(r"\d[/.-]\d\d?[/.-]\d")),
    Rule(_DAY_AND_MONTH, _day_and_month, re.compile(r" \d\d?/\d\d?\b")),
    Rule(_TO_DAY, _to_day, re.compile(rf"[–-] ?(?:\d+ )?(?:{_MONTH_CUE.pattern})")),
    Rule(_DAYS, _days, _MONTH_CUE),
    Rule(_RANGE, _range),
    Rule(_DATE, _date, re.compile(rf"{_MONTH_CUE.pattern}|\d-\d\d?-")),
)
"""Rules for texts with digits; after those of `amounts.py`."""
