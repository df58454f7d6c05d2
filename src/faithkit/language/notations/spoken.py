"""Numbers, times and names as they are said, and as a recogniser writes them: "the twenty first of
june", "one forty over ninety", "oh one six three two", "a hundred and uh twenty", "ten to three",
"two pound fifty", "the b b c".

Each is read as it is written: "21st of June", "140/90", "01632". What lives here: what number words
one by one do not tell. What does not: number words, years after a preposition and decimals
(`numerals.py`), dates (`dates.py`), other notations of times (`clock.py`).
"""

from __future__ import annotations

import re
from itertools import pairwise

from faithkit.language import lexicon
from faithkit.language.calendar_words import MONTH, WEEKDAY
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.notations.numerals import suffixed, value_of
from faithkit.language.words import plain_letters

_ONES = "|".join(lexicon.SPELLED[1:10])
_TEENS = "|".join(lexicon.SPELLED[10:20])
_TENS = "|".join(lexicon.TENS)
_TWO_DIGITS = rf"(?:(?:{_TENS})(?:[- ](?:{_ONES}))?|{_TEENS})(?![\w-])"
_HOUR = rf"(?:{_ONES}|ten|eleven|twelve)"
_CENTURY = "|".join(lexicon.CENTURIES)
# What may follow a number that counts nothing after it.
_ALONE = (
    r"(?=$| ?[.,;:!?)\"]| (?:and|or|but|so|at|in|on|by|for|from|to|till|until|with|when|if|because"
    r"|as|than|that|which|who|is|was|are|were|will|he|she|it|we|they|i|you|this|next|last|a|an|the"
    rf"|per|each|today|tomorrow|tonight|every|sharp|{WEEKDAY})\b)"
)


# Fillers within a number

_FILLED = re.compile(
    rf"(?P<before>\b(?:hundred|thousand|million|{_TENS}))"
    r"(?P<gap>(?: and|,? (?:uh|uhm|um|erm?)\b,?)+)"
    rf"(?= (?:{_ONES}|{_TEENS}|{_TENS}|hundred|thousand|million)\b)",
    re.IGNORECASE,
)


def _filled(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "a hundred and and twenty" and "a hundred and uh twenty" as "a hundred and twenty"."""
    said = re.findall("[a-z]+", plain_letters(match["gap"]))
    if said == ["and"]:
        return ()
    gap = " and" if "and" in said else ""
    return keep_group(match, "before"), Piece(gap, *match.span("gap"))


# Digits one by one

_DIGIT = rf"(?:(?:double|treble|triple) )?(?:{_ONES}|zero|oh|o)"
_DIGITS = re.compile(
    rf"(?<![\w'’-])(?:(?:{_ONES}) hundred|{_DIGIT})(?:[ -](?:(?:{_ONES}) hundred|{_DIGIT})){{2,19}}"
    r"(?![\w'’-])",
    re.IGNORECASE,
)
_NUMBERED = (
    "code|number|pin|extension|room|bus|route|flight|flat|apartment|password|combination|"
    "postcode|zip|highway|dial"
)
_LABELLED = re.compile(
    rf"\b(?:{_NUMBERED})(?:(?: [a-z'’]+){{0,5}} (?:is|was|are|were))? $", re.IGNORECASE
)
_STREET = r" (?:[a-z]+ ){1,2}(?:street|avenue|road|lane|drive|boulevard|crescent)\b"
_IN_STREET = re.compile(_STREET, re.IGNORECASE)
_TIMES = {"double": 2, "treble": 3, "triple": 3}
_LONG_NUMBER, _TELEPHONE_NUMBER = 7, 10
_EMERGENCIES = ("911", "999")


def _digits(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "one nine oh five" as "1905" after "the code is", and a telephone number anywhere; "one two
    three go" and a count from one to nine stay."""
    words = re.split("[ -]", plain_letters(match.group()))
    said, times = "", 1
    for word in words:
        if word in _TIMES:
            times = _TIMES[word]
            continue
        digit = "0" if word in ("oh", "o") else lexicon.NUMBER_WORDS.get(word, "00")
        said, times = said + digit * times, 1
    if "hundred" in words and len(said) < _TELEPHONE_NUMBER:
        return ()
    steps = {int(last) - int(first) for first, last in pairwise(said)}
    is_count = len(steps) == 1 and len(said) < _TELEPHONE_NUMBER
    is_long = len(said) >= _LONG_NUMBER and not is_count
    before = match.string[max(0, match.start() - 70) : match.start()]
    if (
        is_long
        or said in _EMERGENCIES
        or _LABELLED.search(before)
        or _IN_STREET.match(match.string, match.end())
    ):
        return replace_match(match, said)
    return ()


# Ordinals

_FIRST_TO_NINTH = {
    name: number
    for number, name in enumerate(["first", "second", *list(lexicon.ORDINALS)[:7]], start=1)
}
_UNITS = "|".join(_FIRST_TO_NINTH)
_SIMPLE = "|".join(["first", "second", *(word for word in lexicon.ORDINALS if "-" not in word)])
_DAY = rf"(?:(?:twenty|thirty)[- ](?:{_UNITS})|{_SIMPLE})"
_COMPOUND = re.compile(
    rf"(?<![\w-])(?<!hundred )(?<!hundred and )(?<!\bone )(?P<tens>{_TENS})(?P<mark>[- ])"
    rf"(?P<unit>{_UNITS})(?!\w|-(?!century\b))",
    re.IGNORECASE,
)
_ON_DAY = re.compile(
    rf"(?<!\ba )(?<!\bone )\b(?:(?P<first>{_DAY})(?P<to> (?:to|and|or|until|till) (?:the )?))?"
    rf"(?P<day>{_DAY})(?P<of> of )(?P<month>{MONTH})(?![\w'’-])",
    re.IGNORECASE,
)
_MONTH_AND_DAY = re.compile(
    rf"(?<![\w-])(?P<month>{MONTH})(?P<blank> (?:the )?)"
    rf"(?:(?P<pair>(?:twenty|thirty)[- ](?:{_UNITS}))(?![\w-]| [a-z]{{3,}}[a-hj-rtv-z]s\b)"
    rf"|(?P<day>{_SIMPLE})(?:{_ALONE}(?! (?:and|or)\b)|(?= (?:{_CENTURY}|\d{{4}})\b)))",
    re.IGNORECASE,
)
_BEFORE_ORDINAL = re.compile(
    r"\b(?:the|his|her|its|their|our|my|your|on|till|until|came|came in|finished|ranked|placed) $",
    re.IGNORECASE,
)
_SECONDS = re.compile(
    r"[ -](?:floor|century|president|amendment|birthday|anniversary|edition|street|place|district"
    r"|congress|annual|time|year|parallel|regiment|infantry)\b",
    re.IGNORECASE,
)
# "twenty first graders", "the twenty first half points".
_COUNTED_FIRSTS = re.compile(
    r" (?:half|place|class|quarter|round|period|year|team|grade|[a-z]{3,}[a-hj-rtv-z]s)\b"
)


def _ordinal(words: str) -> int:
    """Of "twenty-first" 21, of "fifteenth" 15."""
    *tens, last = re.split("[- ]", plain_letters(words))
    number = _FIRST_TO_NINTH.get(last) or int(lexicon.ORDINALS[last])
    return number + (value_of(tens[0]) if tens else 0)


def _compound(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the forty fourth president" as "the 44th president", "twenty-first century" as "21st
    century"; "twenty first graders" and "a twenty-second delay" stay."""
    text, (start, end) = match.string, match.span()
    if plain_letters(match["unit"]) == "second" and not _SECONDS.match(text, end):
        return ()
    if match["mark"] == " " and (
        not _BEFORE_ORDINAL.search(text, max(0, start - 12), start)
        or _COUNTED_FIRSTS.match(text, end)
    ):
        return ()
    return replace_match(match, suffixed(_ordinal(match.group())))


def _on_day(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the twenty first of june" as "the 21st of June", "the third to the tenth of May" as "the
    3rd to the 10th of May"."""
    days = [name for name in ("first", "day") if match[name]]
    numbers = {name: _ordinal(match[name]) for name in days}
    if max(numbers.values()) > 31:
        return ()
    pieces = [Piece(suffixed(numbers[name]), *match.span(name)) for name in days]
    name = match["month"].capitalize()
    if match["to"]:
        is_or = plain_letters(match["to"]).startswith(" or")
        pieces[0] = Piece(pieces[0].text + f" of {name}" * is_or, *match.span("first"))
        pieces.insert(1, keep_group(match, "to"))
    month = Piece(name, *match.span("month"))
    return (*pieces, keep_group(match, "of"), month)


def _month_and_day(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "june twenty first" as "June 21st", "june fifteenth" as "June 15th"; not "they march
    first"."""
    name, month = "pair" if match["pair"] else "day", match["month"]
    number = _ordinal(match[name])
    is_verb = plain_letters(month) in ("march", "may") and month.islower()
    if number > 31 or (is_verb and number < 10):
        return ()
    return (
        Piece(month.capitalize(), *match.span("month")),
        Piece(" ", *match.span("blank")),
        Piece(suffixed(number), *match.span(name)),
    )


# Years

_YEAR = rf"(?P<century>{_CENTURY})[- ](?P<rest>oh[- ](?:{_ONES})|{_TWO_DIGITS})"
_PERIODS = "spring|summer|autumn|fall|winter|class"
_OF_YEAR = r"(?:year|end|start|beginning|election|vintage|events)"
_EVENTS = (
    "elections?|olympics|games|world|championships?|season|census|edition|report|budget|act|treaty"
    "|constitution|crash|crisis|war|film|album|campaign|referendum|pandemic|recession|earthquake"
    "|floods?|agreement|accord|revolution|uprising|coup|constitution"
)
_NO_YEAR = rf"(?! (?:hundred|thousand|per|percent|(?:{'|'.join(lexicon.HYPHENATED_UNITS)})s?)\b)"
_SAID_YEAR = re.compile(
    rf"(?<![\w-])(?:(?P<before>(?P<of>(?:{MONTH}|{_PERIODS}) of )|{_OF_YEAR} of "
    rf"|(?:it|this|that) (?:is|was) |back in |(?:{MONTH}) \d{{1,2}}(?:st|nd|rd|th) "
    rf"|(?P<the>the )){_YEAR}(?(of){_NO_YEAR}|"
    rf"(?(the)(?= (?:(?:us|uk|presidential|general|summer|winter) )?(?:{_EVENTS})\b)|{_ALONE}))"
    rf"|(?P<period>(?:{_PERIODS}) of )(?P<short>(?:fifty|sixty|seventy|eighty|ninety)[- ]"
    rf"(?:{_ONES})){_ALONE})",
    re.IGNORECASE,
)


def _said_year(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the summer of nineteen seventy six" as "the summer of 1976", "the class of ninety eight" as
    "the class of 1998"."""
    if match["short"]:
        return keep_group(match, "period"), Piece(
            f"19{value_of(match['short'])}", *match.span("short")
        )
    rest = re.sub("^oh[- ]", "", plain_letters(match["rest"]))
    year = 100 * value_of(match["century"]) + value_of(rest)
    return keep_group(match, "before"), Piece(str(year), match.start("century"), match.end())


# Times

_AT = r"\b(?:at|until|till|since|by|before|after) (?:about |around |just before |just after )?"
_MOVED = r"\b(?:moved|changed|brought forward|put back|pushed back|postponed|shifted) to "
_STEP = r"(?P<step>five|ten|twenty|twenty[- ]five|(?:a )?quarter)"
_TO_HOUR = re.compile(
    rf"(?P<before>{_AT}|{_MOVED}|\b(?:it is|it was|time is|time was) ){_STEP}(?: minutes)? "
    rf"(?:to|till) (?P<hour>{_HOUR})(?![\w-]){_ALONE}",
    re.IGNORECASE,
)
_PAST_HOUR = re.compile(
    r"(?<![\w-])(?P<step>five|ten|twenty|twenty[- ]five)(?: minutes)? past "
    rf"(?P<hour>{_HOUR})(?![\w-]){_ALONE}",
    re.IGNORECASE,
)
_HALF_HOUR = re.compile(
    rf"(?P<before>{_AT}|{_MOVED})half (?P<hour>{_HOUR})(?![\w-]){_ALONE}", re.IGNORECASE
)
_HALF_OF_DAY = r"(?= [ap]\.?m\b| o'?clock\b| (?:in the (?:morning|afternoon|evening)|at night)\b)"
_HOUR_AND_MINUTE = re.compile(
    rf"(?P<before>{_AT}|{_MOVED})(?P<hour>{_HOUR}) (?P<minute>(?:oh|o) (?:{_ONES})"
    rf"|(?:twenty|thirty|forty|fifty)(?:[- ](?:{_ONES}))?|{_TEENS})(?![\w-])"
    rf"(?:{_ALONE}|{_HALF_OF_DAY})",
    re.IGNORECASE,
)
_TRAVEL = re.compile(
    rf"(?P<before>\b(?:leaves?|left|departs?|departed|arrives?|arrived|starts?|started|begins?"
    r"|began|opens?|opened|closes?|lands?|landed|due|meeting is|train is|bus is|flight is) at )"
    rf"(?P<hour>{'|'.join(lexicon.SPELLED[13:20])}|twenty(?:[- ](?:one|two|three))?) "
    rf"(?P<minute>(?:oh|o) (?:{_ONES})|(?:ten|fifteen|thirty|forty|fifty)(?:[- ](?:{_ONES}))?"
    rf"|twenty(?:[- ](?:{_ONES}))?)(?![\w-]){_ALONE}",
    re.IGNORECASE,
)
_ODDS = re.compile(r"\b(?:odds|bet|bets|betting|bookmakers?|favourites?|favorites?|priced)\b")
_OF_AMOUNTS = re.compile(r"\b(?:am|are|capped|stands|stood|set|put|estimated|valued) $")
_OF_PRICES = re.compile(
    r"\b(?:pric\w+|costs?|sells?|sold|selling|bought|buy|shares?|stocks?|dollars?|pounds?|euros?"
    r"|cents?|pence|quid|bucks|paid|pay|fares?|tickets? (?:is|are)|bid|feet|foot|tall)\b|[$£€]"
)


def _to_hour(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "at ten to three" as "at 2:50"; not of odds, and not of amounts, "by five to six"."""
    before = plain_letters(match["before"])
    if _ODDS.search(match.string.lower()) or before.startswith("by"):
        return ()
    time = _time(value_of(match["hour"]) - 1, 60 - _minutes(match["step"]))
    return keep_group(match, "before"), Piece(time, match.end("before"), match.end())


def _past_hour(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "ten past six" as "6:10"."""
    return replace_match(match, _time(value_of(match["hour"]), _minutes(match["step"])))


def _half_hour(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "at half seven" as "at 7:30", as the British say it."""
    time = _time(value_of(match["hour"]), 30)
    return keep_group(match, "before"), Piece(time, match.end("before"), match.end())


def _hour_and_minute(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "at six thirty" as "at 6:30"; "sold at six thirty", "we are at six thirty" and "by five ten"
    may be amounts."""
    text, start = match.string, match.start()
    is_amount = _OF_AMOUNTS.search(text, max(0, start - 12), start)
    is_by = plain_letters(match["before"]).startswith("by")
    return () if is_amount or is_by or _OF_PRICES.search(text.lower()) else _travel(match)


def _travel(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "leaves at nineteen forty five" as "leaves at 19:45"."""
    minute = re.sub("^oh? ", "", plain_letters(match["minute"]))
    time = _time(value_of(match["hour"]), value_of(minute))
    return keep_group(match, "before"), Piece(time, match.end("before"), match.end())


def _time(hour: int, minute: int) -> str:
    return f"{hour or 12}:{minute:02}"


def _minutes(step: str) -> int:
    return 15 if "quarter" in plain_letters(step) else value_of(step)


# Hundreds without the word

_HUNDREDS = rf"(?P<ones>{_ONES}) (?P<rest>{_TWO_DIGITS})"
_NEAR = "about|around|roughly|nearly|almost|approximately|over|under|than|least|most|only|just"
_BEFORE_AMOUNTS = (
    rf"(?P<before>(?<![\w-])(?:{_NEAR}|like|maybe|for|at|to|of|is|was|are|were|weighs?|weighed"
    r"|costs?|pays?|paid|charges?|charged|earns?|earned|owes?|owed|owe|him|her|them|me|us|you"
    r"|saved?|spent|spend|worth|raised|lost|won|made|makes?|makes) )"
)
_BEFORE_COUNTS = (
    r"(?P<before_2>(?<![\w-])(?:over|than|nearly|least|most|only|holds?|seats?|has|had|have|for|invited|employs?|with"
    r"|hired|fits?) )"
)
_MEASURES = (
    "dollars|pounds|euros|bucks|quid|rupees|kilos?|kilograms|grams|milligrams|lbs|miles"
    "|kilomet(?:re|er)s|met(?:re|er)s|millilit(?:re|er)s|calories"
)
_COUNTS = f"{'|'.join(lexicon.COUNTED_NOUNS)}|guests|students|pupils|seats|children|members|staff"
_SAID_HUNDREDS = re.compile(
    rf"{_BEFORE_AMOUNTS}{_HUNDREDS}(?= (?:{_MEASURES})\b| (?:a|per) (?:night|week|month|year)\b"
    r"| (?:thousand|million|billion)\b(?! (?:dollar|pound|euro|year)\b))"
    rf"|{_BEFORE_COUNTS}{_HUNDREDS.replace('>', '_2>')}(?= (?:{_COUNTS})\b)"
    rf"|(?P<before_3>\b(?:at|on|of|is) ){_HUNDREDS.replace('>', '_3>')}(?={_STREET})"
    rf"|(?P<before_4>\b(?:{'|'.join(word for word in _NUMBERED.split('|') if word != 'number')}"
    rf"|bus number|room number|flight number|page) ){_HUNDREDS.replace('>', '_4>')}{_ALONE}",
    re.IGNORECASE,
)
_PRESSURE = re.compile(
    rf"(?<![\w-])(?P<upper>(?:one|two) {_TWO_DIGITS}|(?:(?:a|one|two) )hundred(?: and)?"
    rf"(?: {_TWO_DIGITS}| (?:{_ONES}))?|{_TWO_DIGITS}|\d{{2,3}}) over "
    rf"(?P<lower>(?:a|one) hundred(?: and)?(?: {_TWO_DIGITS})?|{_TWO_DIGITS}|\d{{2,3}})(?![\w-])",
    re.IGNORECASE,
)
_OF_PRESSURE = re.compile(r"\bpressures?\b|\bbp\b|systolic|hypertens|\breading\b")


def _said_hundreds(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "about six fifty dollars" as "about 650 dollars", "holds two fifty people" as "holds 250
    people", "at four twenty main street" as "at 420 main street"."""
    form = next(form for form in ("", "_2", "_3", "_4") if match[f"before{form}"])
    number = 100 * value_of(match[f"ones{form}"]) + value_of(match[f"rest{form}"])
    before = keep_group(match, f"before{form}")
    return before, Piece(str(number), match.start(f"ones{form}"), match.end(f"rest{form}"))


def _pressure(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "one forty over ninety" and "140 over 90" as "140/90" where it is the pressure of blood."""
    upper, lower = _of_pressure(match["upper"]), _of_pressure(match["lower"])
    is_usual = 60 <= upper <= 300 and 20 <= lower < upper
    if not is_usual or not _OF_PRESSURE.search(match.string.lower()):
        return ()
    return replace_match(match, f"{upper}/{lower}")


def _of_pressure(said: str) -> int:
    """Of "one forty", "a hundred and forty" and "140" 140."""
    if said.isdigit():
        return int(said)
    words = plain_letters(said).replace(" and", "").replace(" hundred", "").split(" ", 1)
    first = 1 if words[0] == "a" else value_of(words[0])
    rest = value_of(words[1]) if len(words) > 1 else 0
    return 100 * first + rest if first < 10 else first + rest


# Money

_PRICE = re.compile(
    rf"(?<![\w-])(?P<pounds>{_ONES}|{_TWO_DIGITS}|\d{{1,3}})"
    r"(?P<unit> (?:pounds?|quid|dollars?|bucks?|euros?))"
    rf"(?: (?P<and>(?:and )?)(?P<cents>{_TWO_DIGITS}|{_ONES}|[1-9]\d)"
    rf"(?:(?P<name> (?:pence|p|cents?)\b)|{_ALONE}))",
    re.IGNORECASE,
)
_FULL_UNITS = {"pound": "pounds", "quid": "pounds", "dollar": "dollars", "buck": "dollars",
               "euro": "euros"}  # fmt: skip
_NOTE = re.compile(r"(?<![\w-])an? (?P<note>tenner|fiver)(?![\w-])", re.IGNORECASE)
_OTHER_MONEY = re.compile(r"[$€]|\b(?:dollars?|euros?)\b", re.IGNORECASE)


def _price(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "two pound fifty" and "two pounds and fifty pence" as "2.5 pounds"."""
    if match["and"] and not match["name"]:
        return ()
    pounds, cents = (
        int(match[name]) if match[name].isdigit() else value_of(match[name])
        for name in ("pounds", "cents")
    )
    if cents < 10 and not match["name"]:
        return ()
    unit = _FULL_UNITS[plain_letters(match["unit"]).strip().removesuffix("s")]
    amount = Piece(f"{pounds}.{cents:02}", match.start(), match.end("pounds"))
    return amount, Piece(f" {unit}", match.start("unit"), match.end())


def _note(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "a tenner" as "10 pounds", where there is no other money."""
    if _OTHER_MONEY.search(match.string):
        return ()
    return replace_match(
        match, "10 pounds" if plain_letters(match["note"]) == "tenner" else "5 pounds"
    )


# Scores, letters and hours

_NIL = re.compile(
    rf"(?<![\w-])(?:(?P<goals>{_ONES}|nil|\d{{1,2}})(?P<mark>[- ])nil|nil[- ](?P<all>all))"
    r"(?![\w-])",
    re.IGNORECASE,
)
_ACRONYMS = (
    "bbc itv cnn nbc nhs ibm dna rna usa fbi cia irs nfl nba mlb gps pdf usb phd mba ceo cfo cto"
    " ngo faq hiv ecg eeg icu vat gdp uk tv eu mri dvd rspca kpmg"
)
_SPELLED = "|".join(" ".join(word) for word in _ACRONYMS.split())
_LETTERS = re.compile(
    rf"(?<![\w'’.-])(?<!\b[b-hj-z] )(?P<letters>{_SPELLED})"
    r"(?![\w.-]| [b-hj-z]\b)",
    re.IGNORECASE,
)
_HOURS_AND = re.compile(
    r"(?<![\w.,:/-])(?P<hours>\d{1,2}) ?(?P<unit>hours?|hrs?)(?P<blank> )(?P<minutes>[0-5]\d)(?!\w)"
    rf"{_ALONE}"
)


def _nil(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "three-nil" and "three nil" as "3-0", "nil-nil" and "nil-all" as "0-0"."""
    goals = plain_letters(match["goals"] or "nil")
    return replace_match(match, f"{lexicon.NUMBER_WORDS.get(goals, goals.replace('nil', '0'))}-0")


def _letters(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the b b c" as "the BBC"."""
    letters = match["letters"]
    return replace_match(match, letters.replace(" ", "").upper()) if letters.islower() else ()


def _hours_and(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1hr 10" as "1hr 10 minutes"."""
    minutes = f"{int(match['minutes'])} minutes"
    return (
        Piece(match.string[match.start() : match.end("blank")], match.start(), match.end("blank")),
        Piece(minutes, *match.span("minutes")),
    )


_NUMBERS = f"{_ONES}|{_TEENS}|{_TENS}"
_ANY_TENS = re.compile(rf"\b(?=[efnst])(?:{_TEENS}|{_TENS})\b")
SPOKEN = (
    Rule(_FILLED, _filled, re.compile(r"\b(?:u[hm]+|erm?|and and)\b")),
    Rule(_DIGITS, _digits, re.compile(rf"(?:{_ONES}|oh|zero)[ -](?:{_ONES}|oh|zero|double)")),
    Rule(_MONTH_AND_DAY, _month_and_day, re.compile(rf"[ehlrty] (?:the )?{_DAY}\b")),
    Rule(_ON_DAY, _on_day, re.compile(r"(?:st|nd|rd|th) of [a-z]")),
    Rule(_COMPOUND, _compound, re.compile(rf"y[ -](?:{_UNITS})\b")),
    Rule(_SAID_YEAR, _said_year, re.compile(rf"\b(?:{_CENTURY})\b|of [fsen]\w+ty[ -]")),
    Rule(_TO_HOUR, _to_hour, re.compile(r"\b(?:five|ten|twenty|quarter|minutes) (?:to|till) ")),
    Rule(_PAST_HOUR, _past_hour, re.compile(" past ")),
    Rule(_HALF_HOUR, _half_hour, re.compile(rf"\bhalf {_HOUR}\b")),
    Rule(_TRAVEL, _travel, re.compile(r"\bat (?:[a-z]+teen|twenty)\b")),
    Rule(_PRESSURE, _pressure, re.compile(" over ")),
    Rule(_SAID_HUNDREDS, _said_hundreds, _ANY_TENS),
    Rule(_HOUR_AND_MINUTE, _hour_and_minute, re.compile(rf"{_ANY_TENS.pattern}|\boh? ")),
    Rule(_PRICE, _price, re.compile(r"\b(?:pound|quid|dollar|buck|euro)s? ")),
    Rule(_NOTE, _note, re.compile("tenner|fiver")),
    Rule(_NIL, _nil, re.compile(r"\bnil\b")),
    Rule(_LETTERS, _letters, re.compile(r"\b[a-z] [a-z]\b")),
    Rule(_HOURS_AND, _hours_and, re.compile(r"\d ?h(?:ou)?r")),
)
_WORDS = f"{_NUMBERS}|{_UNITS}|{_SIMPLE}|oh|zero|hundred|nil|tenner|fiver|pounds|quid|dollars|euros"
SPOKEN_CUE = re.compile(
    rf"\b(?=[{''.join(sorted({word[0] for word in _WORDS.split('|')}))}])(?:{_WORDS})\b"
    rf"|\b[a-z] [a-z]\b|\d ?h(?:ou)?r| over \d"
)
"""Rules for texts in which `SPOKEN_CUE` is found; before those of numbers."""
