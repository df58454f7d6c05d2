"""How often something happens: "every fortnight" is "every 2 weeks"; and a frequency of a summary
as the source writes the same one, "every three months" as "quarterly" where it has that.
What does not live here: counts of a day or week, "twice a day" (`doses.py`), single periods
(`periods.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from faithkit.language.mapped import (
    Mapped,
    Piece,
    Rule,
    capitalise_like,
    replace_match,
    replace_pieces,
)

# Fortnights

_FORTNIGHT = re.compile(
    r"\b(?:(?P<every>every |each |once (?:a|every) )fortnight"
    r"|(?P<length>(?:for|within|in|after|of|least|than) )a fortnight(?P<whose>'s(?= ))?"
    r"|(?P<adverb>fortnightly(?=[.,;:)]|$| (?:in|on|at|by|and|or|to|from|until|by)\b)))(?![\w'-])",
    re.IGNORECASE | re.ASCII,
)
_DETERMINER = re.compile(
    r"\b(?:an?|the|its|his|her|their|our|your|my|this|that|every|each|first|last|next) $",
    re.IGNORECASE,
)


def _fortnight(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "every fortnight" and "paid fortnightly" as "every 2 weeks", "within a fortnight" as "within
    2 weeks"; nothing of "50 pounds a fortnight" and "the fortnightly"."""
    if match["length"]:
        return replace_match(match, match["length"] + ("2 weeks'" if match["whose"] else "2 weeks"))
    start = match.start()
    if match["adverb"] and _DETERMINER.search(match.string, max(0, start - 12), start):
        return ()
    return replace_match(match, capitalise_like("every 2 weeks", match.group()))


FORTNIGHTS_CUE = re.compile("fortnight")
FORTNIGHTS = (Rule(_FORTNIGHT, _fortnight),)
"""Rules for texts in which `FORTNIGHTS_CUE` is found."""

# Frequencies in the words of the source

_SAME = {
    "day": ("daily", "every day", "each day", "once a day", "once daily"),
    "week": ("weekly", "every week", "each week", "once a week", "once weekly"),
    "fortnight": ("fortnightly", "every fortnight", "every two weeks", "every 2 weeks",
                  "every other week", "every second week", "once a fortnight"),
    "month": ("monthly", "every month", "each month", "once a month", "once monthly"),
    "quarter": ("quarterly", "every quarter", "each quarter", "once a quarter",
                "every three months", "every 3 months", "four times a year", "4 times a year"),
    "half": ("half-yearly", "six-monthly", "semi-annually", "semiannually", "every half-year",
             "every half year", "every six months", "every 6 months", "twice a year",
             "twice yearly", "twice-yearly"),
    "year": ("annually", "yearly", "every year", "each year", "once a year", "once yearly"),
    "two years": ("every two years", "every 2 years", "every other year", "every second year"),
}  # fmt: skip
_PERIODS = {words: period for period, written in _SAME.items() for words in written}
_WORDINGS = "|".join(sorted(_PERIODS, key=len, reverse=True))
_FREQUENCY = re.compile(
    rf"(?<![\w-])(?<!twice )(?<!times )(?:{_WORDINGS})(?![\w'-])", re.IGNORECASE | re.ASCII
)
_STANDS_ALONE = re.compile(
    r"$|[.,;:!?)\n]| (?:in|on|at|by|to|from|until|till|and|or|with|for|when|if|unless|but|since|as"
    r"|after|before|through|during|between|instead|rather)\b"
)
"""What may follow an adverb; "quarterly reports" have an adjective."""


def with_frequencies(text: Mapped, source: str) -> Mapped:
    """A summary with its frequencies as the source writes the same ones: "every three months" is
    "quarterly" where the source has that and no three months."""
    pieces = []
    for match in _frequencies(text.text):
        written = match.group().lower()
        others = _written(source).get(_PERIODS[written], ())
        if others and written not in others:
            pieces.append(Piece(capitalise_like(others[0], match.group()), *match.span()))
    return replace_pieces(text, pieces)


@lru_cache(maxsize=16)
def _written(source: str) -> dict[str, tuple[str, ...]]:
    """Of each period the wordings of a source, in their order."""
    written: dict[str, dict[str, None]] = {}
    for match in _frequencies(source):
        words = match.group().lower()
        written.setdefault(_PERIODS[words], {})[words] = None
    return {period: tuple(words) for period, words in written.items()}


def _frequencies(text: str) -> Iterator[re.Match[str]]:
    """What says how often in a text, without adjectives, "the quarterly report"."""
    for match in _FREQUENCY.finditer(text):
        is_adverb = match.group().lower().endswith("ly")
        if not is_adverb or (
            _STANDS_ALONE.match(text, match.end())
            and not _DETERMINER.search(text, max(0, match.start() - 12), match.start())
        ):
            yield match
