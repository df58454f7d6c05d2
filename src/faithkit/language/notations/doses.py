"""How often a dose is given, in words: "500 mg bd" and "twice daily" as "twice a day", "q8h" as
"every 8 hours". What does not live here: the units of a dose (`units.py`).
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.notations import measures
from faithkit.language.notations.units import singular
from faithkit.language.words import plain_letters

_ROUTES, _FREQUENCIES = (
    "|".join(map(re.escape, x)) for x in (measures.ROUTES, measures.FREQUENCIES)
)
_HOURS = r"(?P<hours>\d{1,2}(?:(?: to |-)\d{1,2})?)"
# Elsewhere "BD" is a country, "BID" an offer and "OD" an overdose.
_AFTER_DOSE = re.compile(
    rf"(?P<dose>(?<![\w.,])\d[\d.]* (?:{'|'.join(measures.DOSES)})(?: per kilogram)?"
    rf"(?: (?:{_ROUTES}))?,? )(?P<often>(?P<name>{_FREQUENCIES})"
    r"(?:(?<=\.\w)\.(?=[,;)]| (?-i:[a-z\d(])))?)(?![\w-])",
    re.IGNORECASE,
)
_HOURLY = re.compile(
    rf"(?<![\w.,-])(?:(?P<every>q ?|every ){_HOURS}(?P<hour> ?h(?:rs?)?)"
    r"|(?P<number>\d{1,2})(?P<hourly>-hourly))(?![\w-])"
)
_PERIODIC = re.compile(
    r"(?<!\bthe )\b(?P<count>once|twice|thrice|\d{1,2} times)"
    rf"(?P<period>[ -](?P<adverb>{'|'.join(measures.PERIODS)})"
    r"|(?: per | every | each |/)(?P<noun>day|week|month|year))(?![\w-])",
    re.IGNORECASE,
)
_TWO_TIMES = re.compile(r"(?<![\w.,-])2 times(?= a (?:day|week|month|year)\b)", re.IGNORECASE)


def _after_dose(match: re.Match[str]) -> tuple[Piece, ...]:
    count = measures.FREQUENCIES[plain_letters(match["name"])]
    return keep_group(match, "dose"), Piece(f"{count} a day", *match.span("often"))


def _hourly(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "q8h" and "8-hourly" as "every 8 hours"."""
    if match["hourly"]:
        unit = singular(match["number"], "hours")
        start, end = match.span("number")
        every = Piece(f"every {match['number']}", start, end)
        return every, Piece(f" {unit}", *match.span("hourly"))
    unit = singular(match["hours"], "hours")
    every = Piece("every ", *match.span("every"))
    return every, keep_group(match, "hours"), Piece(f" {unit}", *match.span("hour"))


def _periodic(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "twice daily" and "twice per day" as "twice a day"."""
    adverb = match["adverb"]
    noun = measures.PERIODS[plain_letters(adverb)] if adverb else match["noun"]
    count = "3 times" if plain_letters(match["count"]) == "thrice" else match["count"]
    return Piece(count, *match.span("count")), Piece(f" a {noun}", *match.span("period"))


def _two_times(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, "twice")


PERIODS_CUE = re.compile(r"(?:ce|times)[ /-](?:dai|week|month|year|per |e|day)")
PERIODS = (Rule(_PERIODIC, _periodic),)
DOSES = (
    Rule(_HOURLY, _hourly, re.compile(r"q ?\d|every \d|-hourly")),
    Rule(_AFTER_DOSE, _after_dose, re.compile(r" (?:o\.?d|b\.?i?\.?d|[tq]\.?[di]\.?[ds]|q\.?d)\b")),
)
"""Rules for texts with digits; after those of `units.py`."""
TWICE = (Rule(_TWO_TIMES, _two_times, re.compile("2 times")),)
