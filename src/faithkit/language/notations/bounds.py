"""Bounds in one form: "a minimum of 5", "min. 5", "5 hours minimum", "5 or more", "5 and over",
"5+" and "from 5 up" are "at least 5". What does not live here: signs ("≥ 5", `amounts.py`) and
negations ("no fewer than 5", `reading.py`).
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.words import plain_letters

_NUMBER = r"\d++(?:[.,]\d++)*+"
_NO_DEGREES = rf"(?={_NUMBER}(?! degrees?\b))"
"""A number that is no temperature: "a maximum of 25 degrees" is a day's highest."""

_BEFORE_NUMBER = re.compile(
    r"(?<!/)\b(?:up to )?(?P<article>an? )?(?P<word>m(?:in|ax)(?:imum|\.|\b)) (?P<of>of )?"
    rf"{_NO_DEGREES}",
    re.IGNORECASE,
)
_THINGS = r"(?:[a-z]{3,}s|people|children|percent)"
_AFTER_NUMBER = re.compile(
    rf"(?<![\w.,-])(?P<amount>{_NUMBER}(?: (?:million|billion))? (?!degrees){_THINGS}) "
    r"(?P<word>m(?:in|ax)(?:imum)?)\b(?= (?:per|each|at|on|for|and|or)\b|[,;:)]|\.?$)",
    re.IGNORECASE,
)
_PEAK = re.compile(
    r"\b(?:the|its|their|his|her|global|local"
    r"|(?:reach|hit|rose|ris(?:e|ing)|fell|fall|dropp?|record|attain|climb|peak|touch)[a-z]*"
    r"(?: (?:to|at|by))?) $",
    re.IGNORECASE,
)
"""What stands before a greatest or least value that was reached, and so is no bound."""

_NO_SHORT = re.compile(
    rf"(?:\d|\d {_THINGS}|\b(?:pro|mad|pixel|few|several|some|per|each|every|last|an?)) $",
    re.IGNORECASE,
)
"""What stands before "max" in a product's name and before "min" in the sense of minutes."""

_BEGINS = re.compile(r"(?:^|[:;,(–-] ?)$")
_COUNTED_NEXT = re.compile(rf"{_NUMBER} {_THINGS}\b")


def _before_number(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "a minimum of 5" as "at least 5"; nothing of "the minimum of 5", "rose to a maximum of 5",
    "737 Max 8", "a few min 5"."""
    word, before = match["word"], match.string[max(0, match.start() - 20) : match.start()]
    begins = _BEGINS.search(before) is not None
    if _PEAK.search(before) or (match["of"] and not (match["article"] or begins)):
        return ()
    if not plain_letters(word).endswith("imum"):
        is_name = word == "Max" and not (begins and _COUNTED_NEXT.match(match.string, match.end()))
        if is_name or match["article"] or _NO_SHORT.search(before):
            return ()
    return replace_match(match, f"{_bound(word)} ")


def _after_number(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5 hours minimum" as "at least 5 hours"; nothing of "a 5 hours minimum"."""
    before = match.string[max(0, match.start() - 5) : match.start()]
    if re.search(r"\b(?:an?|the) $", before, re.IGNORECASE):
        return ()
    amount = keep_group(match, "amount")
    return Piece(f"{_bound(match['word'])} ", amount.end, match.end()), amount


def _bound(word: str) -> str:
    return "at least" if plain_letters(word).startswith("min") else "at most"


_SCALE = r"(?: (?:million|billion|trillion))?"
_COUNTED = rf"(?<![\w.,/:+^-]){_NUMBER}{_SCALE}(?: (?!or\b|and\b|to\b)[a-z%]{{2,}}){{0,2}}"
_MORE = r"(?P<more>more|over|above|up|upwards?|older|greater|higher|larger|longer|plus)"
_LESS = r"(?P<less>less|fewer|under|below|younger|lower|smaller|shorter)"
_OR_MORE = re.compile(
    rf"(?P<from>\bfrom )?(?P<amount>{_COUNTED}) (?P<word>(?P<join>or|and) (?:{_MORE}|{_LESS})"
    r"|(?(from)upwards?|(?!))|(?(from)up(?=[.,;)]|$)|(?!)))(?![\w'’-])"
    r"(?! (?:(?:than|to|the|an?|his|her|its|their|this|that|those|these|likely|often|all|next|past"
    r"|last|another|about|around|of(?<=upwards of))\b|\d))",
    re.IGNORECASE,
)
_PROGRAMS = (
    "Android|Angular|API|Bash|Bluetooth|Chrome|Clang|CMake|CUDA|Debian|DirectX|Django|Docker|Edge"
    "|Excel|Firefox|GCC|Git|glibc|Go|HTTP|Internet Explorer|iOS|iPadOS|Java|JDK|JRE|Kotlin"
    "|Kubernetes|Linux|macOS|MariaDB|MySQL|Node(?:\\.js)?|npm|NumPy|Office|OpenGL|OpenSSL|Oracle"
    "|Perl|PHP|pip|Postgre(?:s|SQL)|PyTorch|Python|Rails|React|Redis|Ruby|Rust|Safari|SDK|Server"
    "|Spark|SSL|Swift|TensorFlow|TLS|Ubuntu|USB|Vue|Windows|Word|Xcode"
)
_OF_PROGRAM = re.compile(
    rf"(?:\b(?:{_PROGRAMS}|(?i:versions?|releases?|firmware|kernel|build|level))|(?<![\w.])v\.?) ?$"
)
_AT_TIME = re.compile(r"\b(?:after|at|before|by|from|since|till|until) $", re.IGNORECASE)
_VERSION = re.compile(
    r"(?<![\w.,/:+^$£€-])(?P<number>\d++(?:\.\d++)*+)(?P<word>,? (?:or|and) "
    r"(?:(?P<later>later|newer|upwards?)|earlier|older|prior)(?: versions?\b)?)(?![\w'’-])"
)
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:an?|the|least|most|than|over|under|above|below|up|to|or|and|between)|[–-]) ?$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"$|[,;:.)!?]|[\"'] ?$| (?:or|and|may|must|can|will|get|pay|are|is|who|only|in)\b"
)
_OF_AGE = re.compile(
    r"\b(?:aged?|ages|years?|children|adults|those|people|persons|pupils|students|guests|players"
    r"|orders|purchases|teams|groups|parties|over-?|kids|anyone|everyone|from|be|is)"
    r"(?: (?:of|aged?|from))? $",
    re.IGNORECASE,
)
_PLUS = re.compile(
    rf"(?<![\w.,/:+^$£€-])(?P<amount>{_NUMBER}{_SCALE}(?: (?:dollars|euros|pounds|percent))?)"
    r"(?P<plus>\+)(?=(?P<thing> (?:[a-z]{3,}s|yrs?|people|children|percent)\b)|[ .,;:!?)]|$)"
    r"(?! ?[\d+(=])"
)
_YEARS = re.compile(r"(?<=\d\+ )yrs?\b(?:\.(?= [a-z]))?")
_OF_TESTS = re.compile(
    r"\b(?:o?edema|protein\w*|pulses?|reflexes|blood|ketones?|glucose|leu[ck]ocyt\w*|her2|murmur"
    r"|pitting|strength|power|bacteria|urin\w+|dipstick|staining|ihc|grade[ds]?|rated?|score[ds]?)\b",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?P<what>orders?|purchases|bookings|baskets|teams|groups|parties)(?: of)? from "
    rf"(?={_NUMBER}{_SCALE} (?:dollars|euros|pounds|people|members|guests|players|users|seats)\b)",
    re.IGNORECASE,
)


def _version(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Python 3.9 or later" as "Python at least 3.9", "Windows 10 or older" as "Windows at most
    10"; nothing of "May 3 or later", "65 or older" and "by 5.30 or later"."""
    number, start = keep_group(match, "number"), match.start()
    before = match.string[max(0, start - 20) : start]
    is_decimal = "." in match["number"] and not _AT_TIME.search(before)
    if _BOUND_BEFORE.search(before) or not (is_decimal or _OF_PROGRAM.search(before)):
        return ()
    return Piece(f"at {'least' if match['later'] else 'most'} ", *match.span("word")), number


def _or_more(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "50 or more people" as "at least 50 people", "aged 5 and under" as "aged at most 5", "from
    10 seats upwards" as "at least 10 seats"; nothing of "5 and more came"."""
    amount, word = keep_group(match, "amount"), plain_letters(match["word"])
    text, start = match.string, match.start()
    if _BOUND_BEFORE.search(text, max(0, start - 8), start):
        return ()
    is_end = _GOES_ON.match(text, match.end())
    if word.startswith("and ") and not word.startswith("and up"):
        of_age = _OF_AGE.search(text, max(0, start - 30), start)
        if word.endswith(("more", "less", "plus")) or not (of_age or is_end):
            return ()
    if word in ("or up", "or plus", "or over", "or under") and not is_end:
        return ()
    bound = Piece(f"at {'most' if match['less'] else 'least'} ", amount.end, match.end())
    return (bound, amount) if not match["from"] else (Piece("", *match.span("from")), bound, amount)


def _plus(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5+ years" as "at least 5 years", "18+" as "at least 18"; nothing of "2+" and "3+ protein"
    in a text about tests."""
    if _BOUND_BEFORE.search(match.string, max(0, match.start() - 8), match.start()):
        return ()
    is_small = match["amount"] in ("1", "2", "3", "4")
    if is_small and (not match["thing"] or _OF_TESTS.search(match.string)):
        return ()
    return Piece("at least ", *match.span("plus")), keep_group(match, "amount")


def _years(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5+ yrs" as "5+ years"."""
    return replace_match(match, "years")


def _from(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Orders from 50 dollars" as "Orders of at least 50 dollars"; not "from 5 to 7"."""
    if re.search(r" (?:to|until|and)\b", match.string[match.end() : match.end() + 40]):
        return ()
    return keep_group(match, "what"), Piece(" of at least ", match.end("what"), match.end())


_MORE_CUE = re.compile(
    r"\b(?:or|and) (?:more|over|above|up|older|greater|higher|larger|longer|plus|less|fewer|under"
    r"|below|younger|lower|smaller|shorter)|\bupward"
)
_VERSION_CUE = re.compile(r"\d,? (?:or|and) (?:later|newer|upward|earlier|older|prior)")
_FROM_CUE = re.compile(
    r"(?:orders?|purchases|bookings|baskets|teams|groups|parties)(?: of)? from \d"
)
BOUNDS_CUE = re.compile(r"\bm(?:in|ax)(?:imum)?\b")
BOUNDS = (
    Rule(_BEFORE_NUMBER, _before_number),
    Rule(_AFTER_NUMBER, _after_number),
)
"""Rules for texts in which `BOUNDS_CUE` is found; after those of `amounts.py`."""
OPEN_ENDS = (
    Rule(_VERSION, _version, _VERSION_CUE),
    Rule(_OR_MORE, _or_more, _MORE_CUE),
    Rule(_YEARS, _years, re.compile(r"\+ yrs?")),
    Rule(_PLUS, _plus, re.compile(r"\+")),
    Rule(_FROM, _from, _FROM_CUE),
)
"""Rules for texts with digits; after those of `amounts.py`."""
