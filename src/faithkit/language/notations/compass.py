"""Points of the compass in words of their own, so that each of them can be wrong: "south-west",
"southwest" and, where it is a point, "SW" are "south west"."""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.words import plain_letters

_IN_WORDS = re.compile(
    r"\b(?P<first>north|south)(?P<between>-?)(?P<second>(?:east|west)"
    r"(?:ern(?:er|ers|most)?|erly|erlies|wards?|bound)?)\b",
    re.IGNORECASE,
)
_NAMES = {"N": "north", "E": "east", "S": "south", "W": "west"}
_TWO = "NE|NW|SE|SW"
_LETTERS = rf"{_TWO}|NN[EW]|SS[EW]|E[NS]E|W[NS]W"
_UNIT = r"(?:kilomet(?:re|er)s?|met(?:re|er)s?|miles?|feet|yards?|km|m|mi)"
_WIND = "winds?|breezes?|gales?|swell"
_PLACES = (
    rf"{_WIND}|coasts?|corners?|side|slopes?|face|ridge|England|Scotland|Wales|Ireland|London|Asia"
    "|Africa|Europe|India"
)
_NO_NOUNS = "and|or|of|on|at|in|by|with|for|over|is|was|are|were|will|later|today|tonight|this"
"""What follows "from the SW" where that is no other thing's name, "the SW team"."""

_ABBREVIATED = re.compile(
    rf"(?:(?<=\d )|(?<= a ))(?P<unit>{_UNIT} (?:(?:due|to the) )?)(?P<far>{_LETTERS}|[NESW])"
    r"(?= of\b)"
    rf"|(?P<wind>\b(?i:{_WIND}):? (?:from (?:the )?)?)(?P<blowing>{_LETTERS}|[NESW](?= \d))"
    r"(?![\w'’&-])"
    rf"|(?P<before>\b(?i:from|to|in|towards?|of) the )(?P<there>{_TWO})"
    rf"(?=[.,;:)]|$| (?:{_NO_NOUNS})\b)"
    rf"|(?<![\w'’&.-])(?P<point>{_LETTERS})(?= (?:{_PLACES})\b)"
    rf"|(?<=[a-z] )(?P<of>NE|NW|SW)(?= of (?:[A-Z]|the\b|here\b))"
)
_GROUPS = {"far": "unit", "blowing": "wind", "there": "before", "point": "", "of": ""}
"""Groups of points, and what else their matches have."""

_OF_ERRORS = re.compile(r"\b(?:mean|standard|estimates?|regression|coefficients?)\b|[=±]")
"""Words of a text in which "SE" is a standard error."""


def _in_words(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "south-west" and "southwest" as "south west", "the Northwest" as "the North West"."""
    second = match["second"]
    if match.start() and not match["between"] and match["first"].istitle():
        second = second.capitalize()
    return replace_match(match, f"{match['first']} {second}")


def _abbreviated(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5 miles N of" as "5 miles north of", "winds NW" as "winds north west"."""
    name = next(name for name in _GROUPS if match[name])
    if "SE" in match[name] and _OF_ERRORS.search(plain_letters(match.string)):
        return ()
    point = Piece(_in_full(match[name]), *match.span(name))
    return (keep_group(match, _GROUPS[name]), point) if _GROUPS[name] else (point,)


def _in_full(letters: str) -> str:
    """ "SW" as "south west", "SSW" as "south-south west"."""
    point = " ".join(_NAMES[letter] for letter in letters[-2:])
    return f"{_NAMES[letters[0]]}-{point}" if len(letters) == 3 else point


COMPASS_CUE = re.compile(r"(?:north|south)-?(?:ea|we)|\b(?:n|s|e|w|[nsew]?[ns][ew])\b|\be[ns]e\b")
COMPASS = (
    Rule(_IN_WORDS, _in_words, re.compile("(?:north|south)-?[ew]")),
    Rule(_ABBREVIATED, _abbreviated),
)
"""Rules for texts in which `COMPASS_CUE` is found; after those of `amounts.py`."""
