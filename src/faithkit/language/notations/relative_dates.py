"""Dates that a source counts from another: "in 1961" of a summary as "eight years later" where the
source has "In 1953 he married and, eight years later, emigrated" and no 1961; and days likewise.

Only where one date alone can be what is counted from: in the same sentence before, or, if that has
none, in the sentence before. What does not live here: "the 29th ult." (`instant.py`).
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from faithkit.language.lexicon import SPELLED, STOP_WORDS, TENS
from faithkit.language.mapped import Mapped, Piece, capitalise_like, replace_pieces
from faithkit.language.notations.holidays import days
from faithkit.language.notations.numerals import value_of
from faithkit.language.sentences import source_sentences
from faithkit.language.words import Segment, plain_letters

_LENGTHS = {"year": 1, "decade": 10, "day": 1, "week": 7, "fortnight": 14}
_COUNT = "|".join([*SPELLED[1:], *TENS, "an?"])
_RELATIVE = re.compile(
    rf"\b(?<!than )(?<!about )(?<!around )(?<!nearly )(?<!almost )(?<!some )(?:"
    rf"(?P<count>\d{{1,3}}|{_COUNT}) (?P<unit>{'|'.join(_LENGTHS)})s? (?P<way>later|afterwards"
    r"|earlier|previously|before(?=[,.;]|$))(?! than\b)"
    r"|the (?P<next>following|next|previous) (?P<of>year|day)"
    r"|the (?P<of_2>year|day) (?P<last>before)(?=[,.;]|$))(?!\w)",
    re.IGNORECASE,
)
_BACK = ("earlier", "previously", "before", "previous")
_YEAR = re.compile(r"(?<![\w.,$£€/:-])(?:1[0-9]|20)\d\d(?![\w%/:]|[.,]\d)")
_IN_YEAR = re.compile(rf"\bin {_YEAR.pattern}", re.IGNORECASE)
_ON = re.compile(r"\bon $", re.IGNORECASE)
_YEAR_AFTER = re.compile(rf"(?: of|,)? (?P<year>{_YEAR.pattern})")
_CLAUSE_END = re.compile(r"[;.!?](?:\s|$)|\n|,? (?:and|but|while|when|before|after)\b,?")
_WORD = re.compile(r"[A-Za-z]{3,}")
STEM = 5
"""Letters in which words are alike: "emigrated" and "emigrates"."""
NEAR = 200
"""Characters before a date in which its clause begins."""
COMMON_YEAR = 2001
"""Stands for a year that is not known; days that are counted over the end of February need one."""


class _Counted(NamedTuple):
    """What a source counts from a date.

    words   as it is written within a sentence, "eight years later"
    year    the year of a day, 0 where it is not told
    event   the words of what happened then
    before  those of what happened on the date that it is counted from
    """

    words: str
    year: int
    event: frozenset[str]
    before: frozenset[str]


def with_relative_dates(text: Mapped, source: str) -> Mapped:
    """A summary with dates that the source only counts from others as it writes them, each where
    the summary tells what happened then in words of the source."""
    if not any(letter.isdigit() for letter in text.text):
        return text
    years, counted_days = _counted(source)
    pieces = []
    for match in _IN_YEAR.finditer(text.text) if years else ():
        counted = years.get(int(match.group()[3:]))
        if counted and _tells_of(counted, text.text, *match.span()):
            pieces.append(Piece(capitalise_like(counted.words, match.group()), *match.span()))
    for day in days(text.text) if counted_days else ():
        start, end = day.match.span()
        counted = counted_days.get(day.date)
        if not counted or not _ON.search(text.text, max(0, start - 3), start):
            continue
        written = _YEAR_AFTER.match(text.text, end)
        if written and int(written["year"]) != counted.year:
            continue
        end = written.end() if written else end
        if _tells_of(counted, text.text, start - 3, end):
            words = capitalise_like(counted.words, text.text[start - 3])
            pieces.append(Piece(words, start - 3, end))
    return replace_pieces(text, sorted(pieces, key=lambda piece: piece.start))


def _tells_of(counted: _Counted, text: str, start: int, end: int) -> bool:
    """Whether the clause with a date in a summary has more words of what happened then than of what
    happened on the date that it is counted from."""
    near = max(0, start - NEAR)
    first = max((match.end() for match in _CLAUSE_END.finditer(text, near, start)), default=near)
    last = _CLAUSE_END.search(text, end)
    clause = _telling(text[first:start] + text[end : last.start() if last else len(text)])
    return len(clause & counted.event) > len(clause & counted.before)


def _telling(text: str) -> frozenset[str]:
    """The first letters of the words of a text that are no function words."""
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(word[:STEM] for word in words if word not in STOP_WORDS)


@lru_cache(maxsize=16)
def _counted(source: str) -> tuple[dict[int, _Counted], dict[tuple[int, int], _Counted]]:
    """The years and the days that a source counts from others and does not name."""
    in_years: dict[int, _Counted] = {}
    in_days: dict[tuple[int, int], _Counted] = {}
    if _RELATIVE.search(source) is None:
        return in_years, in_days
    own_years = {int(year) for year in _YEAR.findall(source)}
    own_days = {day.date for day in days(source)}
    for before, sentence in pairwise([Segment(0, 0, ""), *source_sentences(source)]):
        match = _RELATIVE.search(sentence.text)
        if match is None:
            continue
        text, event = _counted_from(match, before.text)
        years = {int(year) for year in _YEAR.findall(text)}
        if len(years) > 1:
            continue
        year = max(years, default=0)
        words = match.group()[0].lower() + match.group()[1:]
        counted = _Counted(words, year, _telling(event), _telling(text))
        if _unit(match) in ("year", "decade"):
            if year and year + _away(match) not in own_years:
                in_years.setdefault(year + _away(match), counted)
            continue
        there = _day_away(text, year, _away(match))
        if there and (there.month, there.day) not in own_days:
            counted = counted._replace(year=there.year if year else 0)
            in_days.setdefault((there.month, there.day), counted)
    return in_years, in_days


def _unit(match: re.Match[str]) -> str:
    return plain_letters(match["unit"] or match["of"] or match["of_2"])


def _is_back(match: re.Match[str]) -> bool:
    return plain_letters(match["way"] or match["next"] or match["last"]) in _BACK


def _away(match: re.Match[str]) -> int:
    """How many years or days a match counts, below 0 of those before."""
    count = plain_letters(match["count"] or "one")
    number = int(count) if count.isdigit() else 1 if count in ("a", "an") else value_of(count)
    number *= _LENGTHS[_unit(match)]
    return -number if _is_back(match) else number


def _counted_from(match: re.Match[str], before: str) -> tuple[str, str]:
    """The text that has what is counted from, and the text of what happened then: the sentence up
    to its date and after that if it has one, else the sentence before and this one. Nothing where
    the sentence before counts from another date itself."""
    sentence, start = match.string, match.start()
    dates = [year.end() for year in _YEAR.finditer(sentence, 0, start)]
    dates += [day.match.end() for day in days(sentence[:start])]
    if not dates:
        return ("" if _RELATIVE.search(before) else before), sentence
    ends = _CLAUSE_END.search(sentence, max(dates))
    end = min(ends.end(), start) if ends else start
    return sentence[:end], sentence[end:]


def _day_away(text: str, year: int, away: int) -> date | None:
    """The day that is so many away from the only one of a text. Without a year COMMON_YEAR stands
    for it, and nothing is counted over the end of February or of a year."""
    dates = list(days(text))
    if len(dates) != 1:
        return None
    (day,) = dates
    try:
        anchor = date(year or COMMON_YEAR, day.month, day.day)
        there = anchor + timedelta(days=away)
    except (OverflowError, ValueError):
        return None
    is_far = anchor.year != there.year or (anchor.month < 3) != (there.month < 3)
    return None if is_far and not year else there
