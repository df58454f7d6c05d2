"""A mean and its deviation in one form: "54.3 years (SD 9.8)" is "54.3 years ± 9.8 years (SD)",
and without "(SD)" in a summary whose source has "± 9.8" alone; "412 ± 36 ms" is "412 ms ± 36 ms".
"""

from __future__ import annotations

import re
from functools import lru_cache

from faithkit.language.mapped import Mapped, Piece, Rule, keep_group, substitute
from faithkit.language.notations.units import CASED, UNIT

_NUMBER = r"\d++(?:\.\d++)?+"
_TIMES = "year|yr|month|week|day|hour|minute|second|point"
_UNIT = (
    rf" ?(?:%|(?:(?i:{UNIT}|(?:{_TIMES})s?|percent)|{CASED}|mmHg)"
    r"(?:/[A-Za-zµμ][\w²³]*+)?(?![\w²³]))"
)
_SIGN = r" ?(?:±|\+/[-–−]) ?"

# Deviations with a name

_NAMED = re.compile(
    rf"(?<=\d)(?P<unit>{_UNIT})?(?P<open> ?\()(?P<name>SD|S\.D\.|s\.d\.|SEM?|standard deviation|"
    rf"standard error)(?P<equals> ?[=:,]? |=)(?P<number>{_NUMBER})(?P<own>{_UNIT})?(?P<close>\))"
)
_NAMES = {"s.d.": "SD", "standard deviation": "SD", "standard error": "SE"}


def _named(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "54 years (SD 12)" as "54 years ± 12 years (SD)": "±" alone does not say which it is."""
    name = _NAMES.get(match["name"].lower(), match["name"])
    return (
        *_with_unit(match, "unit"),
        Piece(" ± ", *match.span("open")),
        keep_group(match, "number"),
        *(_with_unit(match, "own") or _with_unit(match, "unit")),
        Piece(f" ({name}", match.start("name"), match.end("equals")),
        keep_group(match, "close"),
    )


def _with_unit(match: re.Match[str], name: str) -> tuple[Piece, ...]:
    return (keep_group(match, name),) if match[name] else ()


# Deviations after a sign

_SIGNED = re.compile(
    rf"(?<=\d)(?P<unit>{_UNIT})?(?P<sign>{_SIGN})(?P<number>{_NUMBER})(?![\d,.]*\d)"
    rf"(?:(?P<own>{_UNIT})|(?! (?!a[st]|by|i[ns]|o[fnr]|to|vs)[A-Za-z]{{1,2}}\b))"
)


def _signed(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "412 ± 36 ms" and "412 ms ± 36" as "412 ms ± 36 ms"; nothing of "5 min ± 30 s"."""
    if bool(match["unit"]) == bool(match["own"]):
        return ()
    unit = keep_group(match, "unit" if match["unit"] else "own")
    return unit, keep_group(match, "sign"), keep_group(match, "number"), unit


DEVIATIONS = (
    Rule(_NAMED, _named, re.compile(r"\((?:s\.?d|se|standard)")),
    Rule(_SIGNED, _signed, re.compile(r"±|\+/")),
)
"""Rules for texts with digits; before those of signs and units."""

# Deviations as the source writes them

_OF_MEANS = re.compile(r"\b(?:SEM?|s\.e\.m?\.?|standard errors?)\b")
_DEVIATION = re.compile(rf"{_SIGN}(?P<number>{_NUMBER})")


def with_deviations(text: Mapped, source: str) -> Mapped:
    """A summary with "54.3 ± 9.8" for "54.3 (SD 9.8)" where the source has "± 9.8" and names no
    standard error."""
    if not (numbers := _deviations(source)):
        return text

    def unnamed(match: re.Match[str]) -> tuple[Piece, ...]:
        is_other = match["name"].startswith(("SE", "standard e")) or match["number"] not in numbers
        return () if is_other else _named(match)[:-2]

    return substitute(text, _NAMED, unnamed)


@lru_cache(maxsize=16)
def _deviations(source: str) -> frozenset[str]:
    """The numbers after "±" in a source that names no standard error."""
    if _OF_MEANS.search(source):
        return frozenset()
    return frozenset(match["number"] for match in _DEVIATION.finditer(source))
