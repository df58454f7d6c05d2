"""Units in full after a number: "5mg/kg" as "5 milligrams per kilogram", "25bp" as "25 basis
points", feet and inches. What does not live here: currencies and scales (`amounts.py`), and how
often a dose is given (`doses.py`).
"""

from __future__ import annotations

import re

from faithkit.language import lexicon, measures
from faithkit.language.mapped import Piece, Rule, same
from faithkit.language.numerals import NUMBER
from faithkit.language.words import plain_letters


def _any_of(names: dict[str, str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def singular(number: str, unit: str) -> str:
    """The unit in the singular after 1."""
    if number != "1":
        return unit
    words = unit.split()
    place = next((i - 1 for i, word in enumerate(words) if word in _NO_HEAD), -1)
    words[place] = "foot" if words[place] == "feet" else words[place].removesuffix("s")
    return " ".join(words)


_NO_HEAD = frozenset(["per", "of", "Celsius", "Fahrenheit"])
"""Words before which the noun of a unit stands."""

# Units and what they are counted by

UNIT, CASED, _PER = map(_any_of, (measures.UNITS, measures.CASED_UNITS, measures.PER_UNITS))
_LONG_PER = _any_of({name: "" for name in measures.PER_UNITS if len(name) > 1})
# "5G" is a network, and "TB", "L" and "IU" after a blank are often no units.
_LETTERS = (
    r"(?-i:(?P<grams>(?:(?<=\d\d)|(?<=[01789])|(?=g(?: of\b|/))|[ ])g)|(?P<litres> ?l|L| L(?=/))"
    r"|(?P<terabytes>TB| TB(?= of\b|[.,;)]|$))|(?P<milligrams>Mg)|(?P<units> ?U(?=/[a-zL]))"
    r"|(?P<international_units>IU| IU(?= (?:of|per|a|once|twice|daily)\b|[/.,;)]|$)))"
    rf"|(?P<metres>[ -]?m)(?=[ -](?:{'|'.join(lexicon.DIMENSIONS)})\b)"
)
_MEASURED = re.compile(
    rf"(?P<number>(?<![\w.,])\d[\d.]*(?: (?:million|billion|trillion))?)"
    rf"(?:(?P<unit>[ -]?(?:{UNIT}))|(?P<cased>[ -]?(?-i:{CASED}))|{_LETTERS})"
    rf"(?P<per>(?:(?:/| per )(?:{_PER})(?!\w))+)?(?![\w%])",
    re.IGNORECASE,
)
_COUNTED = re.compile(rf"(?<=[a-z\d])(?P<per>(?:/(?:{_LONG_PER}|l)(?![\w/]))+)", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?<![\w.,/:])(?<![A-Za-z]-)\d[\d.]*(?: (?:million|billion|trillion))?(?: [A-Z][a-z]+){0,2}"
    r"(?: (?!(?:day|week|month|year|hour|night)$)[A-Za-z]+)?$"
)
_PART = re.compile(rf"(?P<sign>/| per )(?P<unit>{_PER})(?!\w)", re.IGNORECASE)


def _measured(match: re.Match[str]) -> tuple[Piece, ...]:
    name = next(name for name in _NAMES if match[name])
    written = match[name].strip(" -")
    full = measures.CASED_UNITS.get(written) or measures.UNITS.get(plain_letters(written)) or name
    unit = Piece(f" {singular(match['number'], full.replace('_', ' '))}", *match.span(name))
    return (same(match, "number"), unit, *_per(match))


_NAMES = [name for name in _MEASURED.groupindex if name not in ("number", "per")]


def _per(match: re.Match[str]) -> list[Piece]:
    """ "/kg/day" as " per kilogram per day"."""
    if not match["per"]:
        return []
    pieces = []
    for part in _PART.finditer(match.string, *match.span("per")):
        unit = measures.PER_UNITS[plain_letters(part["unit"])]
        pieces += [Piece(" per ", *part.span("sign")), Piece(unit, *part.span("unit"))]
    return pieces


def _counted(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5 dollars/month" as "5 dollars per month"."""
    start = max(0, match.start() - 50)
    return tuple(_per(match)) if _AMOUNT.search(match.string, start, match.start()) else ()


# Feet and inches

_FEET = re.compile(
    r"(?<![\w.,])(?P<feet>[3-8])(?:['’′](?P<marked> ?(?:1[01]|\d))(?: ?[\"”″]| ?''|(?=\s|-tall))"
    r"|(?P<foot> ?(?:ft|foot|feet)\.? ?)(?P<inches>1[01]|\d)"
    r"(?P<inch>(?: ?ins?| ?inch(?:es)?)(?=[.,;:]| tall|$)| inch(?:es)?|in)\b)",
    re.IGNORECASE,
)


def _feet(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5'10"" as "5 feet 10 inches"."""
    feet = same(match, "feet")
    if match["marked"]:
        start, inches = match.start("marked"), match["marked"].strip()
        return feet, Piece(" feet ", feet.end, start), Piece(f"{inches} inches", start, match.end())
    foot, inch = Piece(" feet ", *match.span("foot")), Piece(" inches", *match.span("inch"))
    return feet, foot, same(match, "inches"), inch


# Degrees by their letter alone

_DEGREES = re.compile(r"(?<![\w.,])(?P<number>\d{1,3}(?:\.\d+)?)(?P<unit> ?[CF])(?![\w°]|[-.]\w)")
# "31C" is also a seat, a flat, a size.
_OF_WEATHER = re.compile(
    r"degrees?\b|temperature|celsius|fahrenheit|°|\b(?:heat(?:wave)?|hot|warm(?:er)?|cold(?:er)?|"
    r"cool(?:er)?|freez\w+|frost|fever|oven|bake|boil\w*|shade|weather|forecast|highs?|lows?)\b"
)


def _degrees(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "31C" as "31 degrees Celsius" in a text about heat or cold."""
    if not _OF_WEATHER.search(match.string.lower()):
        return ()
    scale = "Celsius" if match["unit"].strip() == "C" else "Fahrenheit"
    unit = singular(match["number"], f"degrees {scale}")
    return same(match, "number"), Piece(f" {unit}", *match.span("unit"))


# Points of a percentage

_POINTS = re.compile(
    rf"(?<![\w.,])(?P<number>{NUMBER})(?:(?P<basis>[ -]?basis[ -]points?| ?bps)"
    r"|(?P<base> ?bp)|(?P<percentage>[ -]percentage[ -]points?|(?: ?%| per ?cent| pct)[ -]points?)"
    r"|(?P<short> ?ppts?| ?pp))(?!\w)"
)
# "bp" may be base pairs or blood pressure, "pp" pages.
_OF_RATES = re.compile(
    r"\b(?:rates?|yields?|spreads?|margins?|fed|ecb|banks?|bonds?|basis)\b|%|percent"
)
_OF_SHARES = re.compile(r"%|per ?cent|\bpct\b")


def _points(match: re.Match[str]) -> tuple[Piece, ...]:
    name = match.lastgroup or ""
    context = {"base": _OF_RATES, "short": _OF_SHARES}.get(name)
    if context and not context.search(match.string.lower()):
        return ()
    unit = "basis points" if name in ("basis", "base") else "percentage points"
    return same(match, "number"), Piece(f" {singular(match['number'], unit)}", *match.span(name))


UNITS = (
    Rule(_FEET, _feet, re.compile(r"\d ?(?:f|['’′])")),
    Rule(_DEGREES, _degrees, re.compile(r"\d ?[cf]\b")),
    Rule(_POINTS, _points, re.compile(r"(?:bps?|ppts?|pp|points?)\b")),
    Rule(_MEASURED, _measured),
    Rule(_COUNTED, _counted, re.compile("/[a-z]")),
)
"""Rules for texts with digits; after those of `amounts.py`."""
