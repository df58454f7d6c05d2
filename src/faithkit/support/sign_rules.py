"""Numbers that the evidence has with the other sign alone, "-1.2" where a summary has "1.2", with
decimals alone, "7.5 km" where it has "7 km", or of other dollars alone, "HK$5" for "US$5"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from faithkit.language.lexicon import BELOW_ZERO, CURRENCIES, DOLLARS, FALLS, SCALES
from faithkit.language.notations.measures import CASED_UNITS, COUNTED_BY_PARTS, UNITS
from faithkit.models.protocols import Bools
from faithkit.support.sentences import Kind, Sentence, stem
from faithkit.support.statements import APPROXIMATE, LOWER_BOUNDS, before_number

POSITIVE, NEGATIVE, UNKNOWN = 1, -1, 0

HALF, ROUNDED = 0.5, 0.01
"""A number without decimals of less than HALF and of so small a part of it is well rounded: on
labelled rows such summaries count as right, those that leave more out as wrong."""

_MINUS = re.compile(r"(?<!\bor )\bminus $", re.IGNORECASE)
_LEVEL = re.compile(r"\bto [$£€]?$", re.IGNORECASE)
_UNCLEAR = re.compile(r"(?:[-–(±]|minus) ?$", re.IGNORECASE)
_NOT_EXACT = before_number((*LOWER_BOUNDS, *APPROXIMATE, "past", "pass(?:ed|es)"), "(?:minus )?")
_COUNTRIES = "|".join(sorted({*DOLLARS.values()} - {""}))
_OF_DOLLARS = re.compile(rf"(?: (?:{'|'.join(SCALES)}))? (?:{_COUNTRIES})dollar", re.IGNORECASE)
_AND_MORE = re.compile(
    r" ?\+|[- ](?:plus|odd)\b|(?: \w+){1,3} (?:or (?:so|more)|plus)\b", re.IGNORECASE
)


def has_opposite_sign(claim: Sentence, evidence: Sequence[Sentence]) -> Bools:
    """[words of the claim], whether each is a number that the evidence has, but nowhere with this
    sign. A positive number is not compared where a word such as "fell" makes it negative;
    what something "fell to" is."""
    changed = np.zeros(len(claim.keys), dtype=np.bool_)
    for word in np.flatnonzero(claim.kinds == Kind.NUMBER).tolist():
        own = _sign(claim, word)
        others = [
            _sign(sentence, index)
            for sentence in evidence
            if claim.keys[word] in sentence.keys
            for index, key in enumerate(sentence.keys)
            if key == claim.keys[word]
        ]
        changed[word] = own != UNKNOWN and set(others) == {-own}
    return changed


def drops_decimals(claim: Sentence, evidence: Sequence[Sentence]) -> Bools:
    """[words of the claim], whether each is a whole number, said to be exact, that the evidence has
    only with decimals before the same unit: "7 km" where it has "7.5 km". Of "1 hour 30 minutes"
    no number is, nor one that the evidence has by itself too, nor "97%" of "97.1%"."""
    cut = np.zeros(len(claim.keys), dtype=np.bool_)
    has = {key for sentence in evidence for key in sentence.keys}
    for word in np.flatnonzero(claim.kinds == Kind.NUMBER).tolist():
        number, unit = _written(claim, word), _unit(claim, word)
        if not (unit and number.isdigit()) or claim.keys[word] in has or not _is_exact(claim, word):
            continue
        cut[word] = any(
            _is_cut(number, _written(sentence, index)) and _unit(sentence, index) == unit
            for sentence in evidence
            if unit in sentence.keys
            for index in np.flatnonzero(sentence.kinds == Kind.NUMBER).tolist()
        )
    return cut


def in_other_dollars(claim: Sentence, evidence: Sequence[Sentence]) -> Bools:
    """[words of the claim], whether each is a number of dollars that the evidence has, but only as
    dollars of other countries: "40 million American dollars" of "40 million Hong Kong dollars"."""
    others = np.zeros(len(claim.keys), dtype=np.bool_)
    if not _OF_DOLLARS.search(claim.form.text):
        return others
    for word in np.flatnonzero(claim.kinds == Kind.NUMBER).tolist():
        own = _dollars(claim, word)
        written = [
            _dollars(sentence, index)
            for sentence in evidence
            for index, key in enumerate(sentence.keys)
            if key == claim.keys[word]
        ]
        others[word] = bool(own and written and all(written)) and own not in written
    return others


def _dollars(sentence: Sentence, word: int) -> str:
    """Of a number of dollars with their country what follows it, "" of another number."""
    match = _OF_DOLLARS.match(sentence.form.text, sentence.offsets[word][1])
    return match.group().lower() if match else ""


def _is_cut(number: str, decimal: str) -> bool:
    """Whether a whole number is a decimal one without its decimals, other than well rounded."""
    if not decimal.startswith(f"{number}."):
        return False
    left = float(decimal) - int(number)
    return left >= HALF or left > ROUNDED * int(number)


def _written(sentence: Sentence, word: int) -> str:
    start, end = sentence.offsets[word]
    return sentence.form.text[start:end]


def _unit(sentence: Sentence, word: int) -> str:
    """The key of the unit or scale of a number, "" where none follows, or a smaller unit too."""
    after = word + 1
    if after >= len(sentence.keys) or sentence.keys[after] not in _units():
        return ""
    between = sentence.form.text[sentence.offsets[word][1] : sentence.offsets[after][0]]
    is_first = sentence.kinds[after + 1 : after + 2].tolist() == [Kind.NUMBER]
    return "" if is_first or between != " " else sentence.keys[after]


def _is_exact(sentence: Sentence, word: int) -> bool:
    """Whether nothing says that a number is about so much or more: "about 7 km", "7 km or so"."""
    text, (start, end) = sentence.form.text, sentence.offsets[word]
    return not (_NOT_EXACT.search(text, max(0, start - 25), start) or _AND_MORE.match(text, end))


@lru_cache(maxsize=1)
def _units() -> frozenset[str]:
    """Stems of the first words of units and scales."""
    tables = UNITS, CASED_UNITS, CURRENCIES
    names = [name for table in tables for name in table.values()]
    return frozenset(stem(name.split()[0].lower()) for name in [*names, *SCALES, *COUNTED_BY_PARTS])


def _sign(sentence: Sentence, word: int) -> int:
    """The sign of a number."""
    start = sentence.offsets[word][0]
    before = sentence.form.text[max(0, start - 10) : start]
    if _MINUS.search(before):
        return NEGATIVE
    negative = _stems(BELOW_ZERO) - (_stems(FALLS) if _LEVEL.search(before) else frozenset())
    if _UNCLEAR.search(before) or not negative.isdisjoint(sentence.keys):
        return UNKNOWN
    return POSITIVE


@lru_cache(maxsize=2)
def _stems(words: frozenset[str]) -> frozenset[str]:
    """The stems of `lexicon.BELOW_ZERO` or `lexicon.FALLS`."""
    return frozenset(map(stem, words))
