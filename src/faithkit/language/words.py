"""Words and numbers of a text, with character offsets."""

from __future__ import annotations

import re
from typing import NamedTuple

from faithkit.records import Coverage, Example

_WORD = re.compile(r"\w+(?:[-'’.,:/]\w+)*|[^\w\s]")

_STOP_WORDS = (
    "a about after again against all also am an and any are as at be because been before being "
    "between both but by can could did do does doing down during each for from further had has "
    "have having he her here hers him his how i if in into is it its itself just may me might "
    "more most must my no nor not now of off on once only or other our out over own s said "
    "same says she should so some such t than that the their them then there these they this "
    "those through to too under until up upon very was we were what when where which while "
    "who whom why will with would you your"
)

STOP_WORDS = frozenset(_STOP_WORDS.split())


class Segment(NamedTuple):
    """A piece of a text: `text[start:end]`."""

    start: int
    end: int
    text: str


def words(text: str) -> list[Segment]:
    """Words, numbers (with their inner points and commas) and single punctuation marks."""
    return [Segment(m.start(), m.end(), m.group()) for m in _WORD.finditer(text)]


def is_content(word: str) -> bool:
    """True for a word or number that is neither punctuation nor a stop-word."""
    return any(letter.isalnum() for letter in word) and word.lower() not in STOP_WORDS


_SPELLED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)

_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"

NUMBER_WORDS = {word: str(value) for value, word in enumerate(_SPELLED.split())} | {
    word: str(10 * value) for value, word in enumerate(_TENS.split(), start=2)
}


def numbers(text: str) -> list[tuple[Segment, str]]:
    """Words with a digit and number words up to ninety, each with its value in one spelling:
    `1,200` and `1200` are "1200", `£2.50m` is "2.5", `four` is "4", `21st` is "21"."""
    found: list[tuple[Segment, str]] = []
    for word in words(text):
        lower = word.text.lower()
        if lower in NUMBER_WORDS:
            found.append((word, NUMBER_WORDS[lower]))
        if lower.isalpha():
            continue
        for digits in re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", lower):
            plain = digits.replace(",", "")
            whole = plain.rstrip("0").rstrip(".") if "." in plain else plain.lstrip("0") or "0"
            found.append((word, whole))
    return found


def word_coverage(example: Example) -> Coverage:
    """The coverage of a metric that reads every word of both texts."""
    return Coverage(
        source_tokens=len(words(example.source)), summary_tokens=len(words(example.summary))
    )
