"""A sentence as its numbers are compared: what its amounts may be at least and at most, what is a
year, and whether another sentence says the same of them (`match_level`)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache

import numpy as np

from faithkit.language.calendar_words import MONTHS, WEEKDAYS
from faithkit.language.lexicon import NEGATIONS_AND_MODALS, SCALES, TIME_NOUNS, word_set
from faithkit.models.protocols import Bools, Ints
from faithkit.support.sentences import Kind, Sentence, stem

ABOUT = 0.1
"""How far "about N" may be from N, as a share of it."""

COMPLETE = 1000
"""A number from which no scale is left out, "from 900,000 to 1.2 million"."""

PERCENT = "percent"

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
LOWER_BOUNDS = (
    "(?:just |well )?over", "above", "beyond", "(?:more|greater|higher|longer) than", "at least",
    "in excess of", "upwards? of", "exceed(?:s|ed|ing)?", "tops", "topp(?:ed|ing)",
    "surpass(?:es|ed|ing)?",
)  # fmt: skip
UPPER_BOUNDS = "(?:just )?under", "below", "(?:less|fewer|lower) than", "at most", "up to"
ALMOST = "nearly", "almost", "approaching"
APPROXIMATE = (
    "about", "around", "roughly", "approximately", r"approx\.?", "some", "circa", "an estimated",
    "close to",
)  # fmt: skip
"""What stands before a number that is not exact, as alternatives of a pattern."""


def before_number(phrases: Iterable[str], after: str = "") -> re.Pattern[str]:
    """A pattern of phrases that end where the number begins."""
    return re.compile(rf"\b(?:{'|'.join(phrases)}) {after}$", re.IGNORECASE)


_AT_LEAST = before_number(LOWER_BOUNDS)
_AT_MOST = before_number(UPPER_BOUNDS)
_ALMOST = before_number(ALMOST)
_ONLY = before_number(("only", "just"))
_ABOUT = before_number(APPROXIMATE)
BOUND_CUE = re.compile(
    rf"\b(?:{'|'.join((*LOWER_BOUNDS, *UPPER_BOUNDS, *ALMOST, *APPROXIMATE))}) \d", re.IGNORECASE
)
"""A number that is not exact."""
_UNCLEAR_BEFORE = re.compile(
    r"(?:\d (?:to|or|and)|\bbetween|\bminus|[-–±<>≤≥/.#(]|\b(?:no|number|past)\.?) ?$",
    re.IGNORECASE,
)
_UNCLEAR_AFTER = re.compile(
    r" ?[+±/–-]| (?:to|or|and) \d| ?(?:plus|odd)\b|(?: \w+){0,2} or (?:so|more|less|fewer)\b",
    re.IGNORECASE,
)
_MEANING = word_set("""
not no nor never neither none cannot without can could may might must should will would shall
against now until till once if unless again other another before after when while up down off out
under over more most less fewer few all every only both either half
""")
"""Function words that a sentence and what is said of it again must have in common."""
_CONDITIONS = NEGATIONS_AND_MODALS | word_set("if unless till until once")
_ADVERBIALS = word_set("in at on during to for from by since with as because")
_VAGUE = word_set("number total figure amount percentage proportion share say said tell told")
"""Content words of a summary that need not be in the evidence."""
_WHEN = TIME_NOUNS | word_set("earlier ago previous previously last ended compared comparison")
_STANDS = word_set("stands stood numbers numbered totals totalled reached")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that counts or measures something.

    value      as it is written
    low, high  what it may be at least and at most: 5 and infinity of "more than 5"
    words      of the number and its scale, with "more than"
    unit       the key of the word after it, PERCENT of a percentage, "" where none follows
    end        the word after it and its unit
    """

    value: float
    low: float
    high: float
    words: range
    unit: str
    end: int

    @property
    def is_exact(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True)
class Statement:
    """A sentence with what the rules ask of it."""

    sentence: Sentence

    @property
    def text(self) -> str:
        return self.sentence.form.text

    @property
    def keys(self) -> tuple[str, ...]:
        return self.sentence.keys

    @cached_property
    def words(self) -> tuple[str, ...]:
        """[words], in small letters."""
        return tuple(self.text[start:end].lower() for start, end in self.sentence.offsets)

    @cached_property
    def must_match(self) -> Bools:
        """[words], which another sentence has to have in common with it to say the same."""
        meaning = np.array([word in _MEANING for word in self.words], dtype=np.bool_)
        own: Bools = self.content | meaning
        own[: self.sentence.named] = False
        return own

    @cached_property
    def content(self) -> Bools:
        return self.sentence.content

    @cached_property
    def content_keys(self) -> tuple[str, ...]:
        """Of the words with content that are no numbers."""
        kinds = self.sentence.kinds.tolist()
        named = (Kind.CONTENT, Kind.NAME)
        return tuple(key for key, kind in zip(self.keys, kinds, strict=True) if kind in named)

    @cached_property
    def clauses(self) -> Ints:
        return self.sentence.clauses

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Its words with digits."""
        return tuple(np.flatnonzero(self.sentence.kinds == Kind.NUMBER).tolist())

    @cached_property
    def years(self) -> dict[int, int]:
        """The years by their words: four digits without a comma."""
        return {word: int(self.words[word]) for word in self.numbers if self._is_year(word)}

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        return tuple(amount for word in self.numbers if (amount := self._amount(word)) is not None)

    @cached_property
    def other_numbers(self) -> frozenset[int]:
        """Words with digits that are neither an amount nor a year: days, codes, "21st"."""
        known = {word for amount in self.amounts for word in amount.words}
        return frozenset(self.numbers) - known - self.years.keys()

    def words_between(self, start: int, end: int) -> range:
        """The words between two characters of its text."""
        inside = [
            word
            for word, (begin, stop) in enumerate(self.sentence.offsets)
            if begin >= start and stop <= end
        ]
        return range(inside[0], inside[-1] + 1) if inside else range(0)

    def between(self, first: int, second: int) -> str:
        """The text between the ends of two words, from after one to before the other."""
        offsets = self.sentence.offsets
        start = offsets[first][1] if first >= 0 else 0
        return self.text[start : offsets[second][0] if second < len(offsets) else len(self.text)]

    def may_change_meaning(self, word: int, last: int) -> bool:
        """Whether a word may change the meaning of what ends at another one: a function word and a
        number, but not an amount that follows."""
        is_amount = word not in self.years and word not in self.other_numbers
        is_number = self.sentence.kinds[word] == Kind.NUMBER
        return not self.content[word] or bool(is_number and not (is_amount and word > last))

    def is_continued(self, last: int) -> bool:
        """Whether a word is followed by one that may belong to it, no adverbial: "the plan B"."""
        after = last + 1
        if after >= len(self.keys) or self.clauses[after] > self.clauses[last]:
            return False
        return self.words[after] not in _ADVERBIALS

    def functions(self, start: int, stop: int) -> list[int]:
        """The function words among some words, "against" and "a year before"."""
        return [word for word in range(start, min(stop, len(self.keys))) if not self.content[word]]

    def next_key_to_match(self, word: int) -> str:
        """The key of the first telling word from this one on, "" where there is none."""
        rest = np.flatnonzero(self.must_match[word:])
        return self.keys[word + int(rest[0])] if len(rest) else ""

    def _is_year(self, word: int) -> bool:
        written, (start, end) = self.words[word], self.sentence.offsets[word]
        first, last = self.sentence.form.span(start, end)
        return len(written) == 4 == last - first and written.isdigit() and "1000" < written < "2101"

    def _amount(self, word: int) -> Amount | None:
        key = self.keys[word]
        if not (_NUMBER.fullmatch(self.words[word]) and _NUMBER.fullmatch(key)):
            return None
        end = word + 1
        if end < len(self.keys) and self.words[end] in SCALES:
            end += 1
        words, unit = range(word, end), ""
        if end < len(self.keys) and self.sentence.kinds[end] in (Kind.CONTENT, Kind.NAME):
            unit = self.keys[end] if self.between(end - 1, end) == " " else ""
        if self._is_year(word) and unit not in (PERCENT, stem("pounds"), stem("dollars")):
            return None
        low, high, start = self._bounds(word, end, float(key))
        first = self.words_between(start, self.sentence.offsets[word][0])
        words = range(first.start if first else word, end)
        return Amount(float(key), low, high, words, unit, end + bool(unit))

    def _bounds(self, word: int, end: int, value: float) -> tuple[float, float, int]:
        """What a number may be at least and at most, and where the words that say so begin."""
        start = self.sentence.offsets[word][0]
        for pattern, low, high in (
            (_AT_LEAST, value, math.inf),
            (_AT_MOST, -math.inf, value),
            (_ALMOST, (1 - ABOUT) * value, value),
            (_ABOUT, (1 - ABOUT) * value, (1 + ABOUT) * value),
            (_ONLY, value, value),
        ):
            if match := pattern.search(self.text, max(0, start - 30), start):
                return low, high, match.start()
        before = _UNCLEAR_BEFORE.search(self.text, max(0, start - 12), start)
        if before or _UNCLEAR_AFTER.match(self.text, self.sentence.offsets[end - 1][1]):
            return -math.inf, math.inf, start
        return value, value, start


def same_kind(statement: Statement, one: Amount, two: Amount) -> bool:
    """Whether two amounts of a sentence count the same in the same unit and scale. A unit or scale
    may be left out at one of them, but not where reading has changed the other one's: "40 kW and
    50" is read as "40000 watts and 50"."""
    if one.unit and two.unit:
        return one.unit == two.unit
    if (one.unit or two.unit) in _converted():
        return False
    scales = [statement.words[amount.words.stop - 1] in SCALES for amount in (one, two)]
    return scales[0] == scales[1] or min(one.value, two.value) >= COMPLETE


@lru_cache(maxsize=1)
def _converted() -> frozenset[str]:
    """Keys of the units that `notations/quantities.py` writes without a prefix."""
    return frozenset(map(stem, ("bytes", "bits", "hertz", "watts", "joules", "seconds")))


class MatchLevel(IntEnum):
    """How much two sentences agree beside what is compared."""

    NONE = 0
    OF_SUBJECT = 1
    """The evidence has all that is said, and says nothing else between it and the number."""
    FULL = 2
    """As well in this order and without anything else in the same clause."""


def match_none(_: int) -> bool:
    """No word of the evidence is passed over."""
    return False


def match_level(
    claim: Statement,
    phrase: Collection[int],
    evidence: Statement,
    basis: Collection[int],
    passed_over: Callable[[int], bool] = match_none,
) -> MatchLevel:
    """How much a claim without a phrase agrees with what the evidence says of its basis. What is
    denied, a duty or a condition ("unless it is more than 30 days") is not compared.

    phrase, basis  words of the claim and of the evidence that are compared
    passed_over    whether a word of the evidence may stand there beside
    """
    if not phrase or not basis:
        return MatchLevel.NONE
    own = [
        word
        for word in np.flatnonzero(claim.must_match).tolist()
        if word not in phrase and claim.words[word] not in _VAGUE
    ]
    if any(claim.words[word] in _CONDITIONS and not claim.content[word] for word in own):
        return MatchLevel.NONE
    places = {word: _nearest(evidence, claim.keys[word], basis) for word in own}
    clauses = {claim.clauses[word] for word in phrase}
    near = [word for word in own if claim.clauses[word] in clauses]
    if not any(claim.sentence.kinds[word] for word in near) or min(places.values()) < 0:
        return MatchLevel.NONE
    keys = {claim.keys[word] for word in own}
    foreign = [
        word
        for word in np.flatnonzero(evidence.must_match).tolist()
        if word not in basis
        and evidence.keys[word] not in keys
        and evidence.words[word] not in _VAGUE
        and not passed_over(word)
    ]
    here = [*basis, *(places[word] for word in near)]
    if any(evidence.may_change_meaning(word, max(here)) for word in foreign):
        return MatchLevel.NONE
    first, last = evidence.clauses[min(here)], evidence.clauses[max(here)]
    if any(evidence.clauses[word] >= first and word <= max(here) for word in foreign):
        return MatchLevel.NONE
    in_order = len(near) == len(own) and [*places.values()] == sorted(places.values())
    rest = foreign if evidence.is_continued(max(here)) else []
    if in_order and not any(first <= evidence.clauses[word] <= last for word in rest):
        return MatchLevel.FULL
    return MatchLevel.OF_SUBJECT


def _nearest(evidence: Statement, key: str, basis: Collection[int]) -> int:
    """The word with a key that is nearest to the basis, -1 where there is none."""
    places = [
        word for word, other in enumerate(evidence.keys) if other == key and word not in basis
    ]
    return min(places, key=lambda word: min(abs(word - one) for one in basis), default=-1)


def is_temporal(statement: Statement) -> Callable[[int], bool]:
    """Whether a word of the statement is a year or says when something was."""
    is_value = is_value_verb(statement)
    return lambda word: (
        word in statement.years or statement.keys[word] in _times() or is_value(word)
    )


def is_value_verb(statement: Statement) -> Callable[[int], bool]:
    """Whether a word of the statement only says that something has a value."""
    return lambda word: statement.words[word] in _STANDS


@lru_cache(maxsize=1)
def _times() -> frozenset[str]:
    names = [name.lower() for name in (*MONTHS, *WEEKDAYS)]
    return frozenset(map(stem, [*_WHEN, *names]))


@dataclass(frozen=True, slots=True)
class NumericFinding:
    """Words of a claim, and whether the numbers of the evidence say the same or another thing.

    in_other_words  False where the sentence that refutes a claim may have all its words
    """

    words: Collection[int]
    is_true: bool
    in_other_words: bool = True


def findings_for(
    claim: Statement,
    phrase: Collection[int],
    agreed: MatchLevel,
    verdict: bool | None,
    *,
    in_other_words: bool = True,
) -> Iterator[NumericFinding]:
    """What follows from how much two sentences agree, and from their numbers. Where a phrase has no
    content ("more than") the nearest word with content stands for it, too; where it has no words,
    as in a part of one ("near-unanimous"), nothing follows."""
    is_enough = agreed >= (MatchLevel.FULL if verdict else MatchLevel.OF_SUBJECT)
    if not phrase or verdict is None or not is_enough:
        return
    content = np.flatnonzero(claim.sentence.content).tolist()
    last = max(phrase)
    if content and not any(word in phrase for word in content):
        phrase = [*phrase, min(content, key=lambda word: (abs(word - last), word < last))]
    yield NumericFinding(phrase, verdict, in_other_words)
