"""Words and numbers of a text, with character offsets."""

from __future__ import annotations

import re
from typing import NamedTuple

from faithkit.language.lexicon import NUMBER_WORDS, STOP_WORDS
from faithkit.records import Coverage, Example

_WORD = re.compile(r"\w+(?:[-'’.,:/]\w+)*|[^\w\s]")
_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


class Segment(NamedTuple):
    """A piece of a text: `text[start:end]`."""

    start: int
    end: int
    text: str


def words(text: str) -> list[Segment]:
    """Words, numbers (with their inner points and commas) and single punctuation marks."""
    return [Segment(match.start(), match.end(), match.group()) for match in _WORD.finditer(text)]


def plain_letters(text: str) -> str:
    """In lower case, as the tables have it: `re.IGNORECASE` takes "ſ" for "s" and "ı" for "i"."""
    return text.casefold().replace("ı", "i")


def has_word(text: str) -> bool:
    """False for a text of punctuation, signs or emoji alone."""
    return any(letter.isalnum() for letter in text)


def is_content(word: str) -> bool:
    """True for a word or number that is neither punctuation nor a stop-word."""
    return any(letter.isalnum() for letter in word) and word.lower() not in STOP_WORDS


def content_words(text: str) -> set[str]:
    """The words and numbers of a text that are no stop-words, in lower case."""
    return {word.text.lower() for word in words(text) if is_content(word.text)}


def numbers(text: str) -> list[tuple[Segment, str]]:
    """Words with a digit and number words up to ninety, each with its value in one spelling:
    `1,200` and `1200` are "1200", `£2.50m` is "2.5", `four` is "4", `21st` is "21"."""
    return [(word, value) for word in words(text) for value in number_values(word.text)]


def number_values(word: str) -> list[str]:
    """The values of one word, as `numbers` gives them; none of most."""
    lower = word.lower()
    values = [NUMBER_WORDS[lower]] if lower in NUMBER_WORDS else []
    if lower.isalpha():
        return values
    for digits in _DIGITS.findall(lower):
        ungrouped = digits.replace(",", "")
        value = (
            ungrouped.rstrip("0").rstrip(".") if "." in ungrouped else ungrouped.lstrip("0") or "0"
        )
        values.append(value)
    return values


def word_coverage(example: Example) -> Coverage:
    """The coverage of a metric that reads every word of both texts."""
    return Coverage(
        source_tokens=len(words(example.source)), summary_tokens=len(words(example.summary))
    )
