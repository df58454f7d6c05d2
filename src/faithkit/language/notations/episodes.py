"""Episodes of a series in one form: "S02E05", "S2 E5", "the fifth episode of season two" and
"episode 5 of series 2" are "season 2, episode 5". What does not live here: Roman numerals and "act
2" (`roman.py`).
"""

from __future__ import annotations

import re

from faithkit.language import lexicon
from faithkit.language.mapped import Piece, Rule, replace_match
from faithkit.language.words import plain_letters

_ORDINALS = {"first": "1", "second": "2", **lexicon.ORDINALS}
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)}|\d{{1,3}}(?:st|nd|rd|th))"
_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(lexicon.SPELLED[1:])})"
_CODE = re.compile(r"(?<![\w-])[Ss](?P<season>\d{1,2})[ :]?[Ee](?P<episode>\d{1,3})(?!\w)")
_OF = re.compile(
    rf"(?<![\w-])(?:(?P<the>the )?(?P<ordinal>{_ORDINAL}) episode"
    rf"|episode (?P<number>{_NUMBER})) (?:of|in) (?:"
    rf"(?:season|series) (?P<season>{_NUMBER})"
    rf"|the (?P<season_ordinal>{_ORDINAL}) (?:season|series))(?![\w-])",
    re.IGNORECASE,
)
_SERIES = re.compile(
    rf"(?<![\w-])(?:season|series) (?P<season>{_NUMBER})(?:, | )episode (?P<episode>{_NUMBER})"
    r"(?![\w-])",
    re.IGNORECASE,
)


def _code(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "S02E05" as "season 2, episode 5"."""
    return replace_match(match, _written(match["season"], match["episode"]))


def _of(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the fifth episode of season two" as "season 2, episode 5"."""
    season = match["season"] or match["season_ordinal"]
    return replace_match(match, _written(season, match["number"] or match["ordinal"]))


def _series(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Series two, episode 5" as "season 2, episode 5"."""
    return replace_match(match, _written(match["season"], match["episode"]))


def _written(season: str, episode: str) -> str:
    return f"season {_value(season)}, episode {_value(episode)}"


def _value(number: str) -> int:
    """Of "fifth", "5th", "five" and "05" 5."""
    plain = plain_letters(number)
    digits = _ORDINALS.get(plain) or lexicon.NUMBER_WORDS.get(plain) or plain
    return int(digits.rstrip("stndrh"))


EPISODES_CUE = re.compile(r"\bs\d\d?[ :]?e|episode")
EPISODES = (
    Rule(_CODE, _code, re.compile(r"\bs\d\d?[ :]?e")),
    Rule(_OF, _of, re.compile("episode")),
    Rule(_SERIES, _series, re.compile("episode")),
)
"""Rules for texts in which `EPISODES_CUE` is found; before those of number words."""
