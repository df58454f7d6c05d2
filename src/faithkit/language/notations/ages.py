"""Groups of ages of a summary as the age that its source has: "an octogenarian" as "an 82-year-old"
and "in his late fifties" as "58 years old". Where the source has no age of the group, and two ages
at most, another age of the group is read, which is none of them. What does not live here: ages in
short, "62F" (`persons.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from faithkit.language import lexicon
from faithkit.language.calendar_words import PART, PartOfPeriod
from faithkit.language.mapped import Mapped, Piece, apply_rules, identity_map, replace_pieces
from faithkit.language.notations.numerals import WORDS
from faithkit.language.words import plain_letters

_GROUPS = {"quadragenarian": 40, "quinquagenarian": 50, "sexagenarian": 60, "septuagenarian": 70,
           "octogenarian": 80, "nonagenarian": 90}  # fmt: skip
_DECADES = {word: int(tens) for word, tens in lexicon.DECADES.items()}
_GROUP = re.compile(
    rf"\b(?P<article>an? )?(?P<group>{'|'.join(_GROUPS)})\b"
    rf"|\bin (?:his|her|their|my|our|your) (?:(?P<part>{PART}|middle)[- ])?"
    rf"(?:(?P<decade>{'|'.join(_DECADES)})|(?P<digits>[2-9]0)['’]?s)(?!\w)",
    re.IGNORECASE,
)
_RELATIVES = (
    "wife|husband|brother|sister|son|daughter|mother|father|partner|mum|dad|mom|cousin|uncle|aunt"
)
_AGE = re.compile(
    r"(?<![\w.,$£€:/-])(?:"
    r"(?P<old>\d{1,3})[- ]years?[- ]old|\baged? (?P<aged>\d{1,3})"
    r"|\bturn(?:ed|s|ing) (?P<turned>\d{1,3})(?![%°:\w-]|[.,]\d| [a-z]+s\b)"
    r"|(?:\b(?:was|is|were|am|are)|['’][sm]) (?P<was>\d{1,3})"
    r"(?=[,.;)](?!\d)|$| at the time| when| and\b))"
    rf"|\b(?:{_RELATIVES}),? (?P<relative>\d{{1,3}})(?=[,.;)](?!\d)|$)"
    r"|(?<=[a-z]), (?P<apposition>[1-9]\d), |(?<=[a-z]) \((?P<bracket>[1-9]\d)\)",
    re.IGNORECASE,
)
_BIRTH = re.compile(r"\bborn\b|\bb\.|\bbirth|\d{2}0?s\b", re.IGNORECASE)
MOST_AGES = 2
"""Of a source whose ages are surely all that it tells of anybody's."""


_PARTS = {
    "": PartOfPeriod(0, 9, 0, 9, 4),
    "early": PartOfPeriod(0, 3, 0, 4, 2),
    "mid": PartOfPeriod(4, 6, 3, 7, 5),
    "middle": PartOfPeriod(4, 6, 3, 7, 5),
    "late": PartOfPeriod(7, 9, 6, 9, 8),
}


def with_ages(text: Mapped, source: str) -> Mapped:
    """A summary with an age for each group of ages that the source has no word for."""
    return replace_pieces(text, list(_restated(text.text, source)))


def _restated(text: str, source: str) -> Iterator[Piece]:
    for match in _GROUP.finditer(text):
        group, part = _group(match)
        if group in _groups(source):
            continue
        ages = _ages(source)
        inside = [age for age in ages if part.surely_has(age - group)]
        if len(inside) == 1:
            yield Piece(_written(match, inside[0]), *match.span())
            continue
        is_other = not any(part.may_have(age - group) for age in ages)
        if is_other and 0 < len(ages) <= MOST_AGES and not _BIRTH.search(source):
            yield Piece(_written(match, group + part.middle), *match.span())


def _group(match: re.Match[str]) -> tuple[int, PartOfPeriod]:
    """The decade of a group of ages, and which part of it."""
    if match["group"]:
        return _GROUPS[plain_letters(match["group"])], _PARTS[""]
    decade = _DECADES[plain_letters(match["decade"])] if match["decade"] else int(match["digits"])
    return decade, _PARTS[plain_letters(match["part"] or "")]


def _written(match: re.Match[str], age: int) -> str:
    """An age in place of a group: a noun or what is said of somebody."""
    if not match["group"]:
        return f"{age} years old"
    article = "an " if str(age)[0] == "8" else "a "
    if not match["article"]:
        article = ""
    elif match["article"][0] == "A":
        article = article.capitalize()
    return f"{article}{age}-year-old"


@lru_cache(maxsize=16)
def _groups(source: str) -> frozenset[int]:
    """The decades of the groups of ages that a source has words for."""
    return frozenset(_group(match)[0] for match in _GROUP.finditer(source))


@lru_cache(maxsize=16)
def _ages(source: str) -> frozenset[int]:
    """The ages that a source tells."""
    text = apply_rules(identity_map(source), WORDS).text
    return frozenset(int(match[match.lastgroup or 0]) for match in _AGE.finditer(text))
