"""Bounds by "minimum" and "maximum": "a minimum of 5", "min. 5" and "5 hours minimum" are "at least
5". What does not live here: signs ("≥ 5", `amounts.py`) and negations ("no fewer than 5",
`reading.py`).
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, same, whole
from faithkit.language.words import plain_letters

_NUMBER = r"\d++(?:[.,]\d++)*+"
_NO_DEGREES = rf"(?={_NUMBER}(?! degrees?\b))"
"""A number that is no temperature: "a maximum of 25 degrees" is a day's highest."""

_BEFORE_NUMBER = re.compile(
    rf"\b(?:up to )?(?P<article>an? )?(?P<word>m(?:in|ax)(?:imum|\.|\b)) (?P<of>of )?{_NO_DEGREES}",
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
    return whole(match, f"{_bound(word)} ")


def _after_number(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5 hours minimum" as "at least 5 hours"; nothing of "a 5 hours minimum"."""
    before = match.string[max(0, match.start() - 5) : match.start()]
    if re.search(r"\b(?:an?|the) $", before, re.IGNORECASE):
        return ()
    amount = same(match, "amount")
    return Piece(f"{_bound(match['word'])} ", amount.end, match.end()), amount


def _bound(word: str) -> str:
    return "at least" if plain_letters(word).startswith("min") else "at most"


BOUNDS_CUE = re.compile(r"\bm(?:in|ax)(?:imum)?\b")
BOUNDS = (
    Rule(_BEFORE_NUMBER, _before_number),
    Rule(_AFTER_NUMBER, _after_number),
)
"""Rules for texts in which `BOUNDS_CUE` is found; after those of `amounts.py`."""
