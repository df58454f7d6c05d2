"""Truecasing: a text without capitals gets the case that its source gives the words."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import Literal

from faithkit.language.sentences import closed_sentences
from faithkit.language.words import words

TrueCase = Literal["auto", "on", "off"]
"""Whether to give a summary's words their source's case: `auto` only where it has no capital."""


def with_case(text: str, reference: str, mode: TrueCase) -> str:
    """The text, truecased if `mode` says so; offsets hold either way."""
    has_no_capitals = text == text.lower() and text != text.upper()
    return (
        truecased(text, reference) if mode == "on" or (mode == "auto" and has_no_capitals) else text
    )


def truecased(text: str, reference: str) -> str:
    """The text with each word in the case that the reference most often gives it away from
    sentence starts, and the first letter of each sentence a capital. Words that the reference does
    not have stay. The length is the same, and so are the letters but for their case."""
    usual_forms = _usual_case(reference)
    starts = _sentence_starts(text)
    letters = list(text)
    for word in words(text):
        form = usual_forms.get(word.text.casefold(), word.text)
        if word.start in starts:
            form = _keep_letters(form[:1].upper(), form[:1]) + form[1:]
        letters[word.start : word.end] = _keep_letters(form, word.text)
    return "".join(letters)


def _keep_letters(form: str, word: str) -> str:
    """The form, unless it is more than the word in another case ("ß" becomes "SS")."""
    return form if len(form) == len(word) and form.casefold() == word.casefold() else word


def _sentence_starts(text: str) -> set[int]:
    """Where the first words of sentences begin, quotes and brackets before them left out."""
    starts: set[int] = set()
    for sentence in closed_sentences(text):
        word_starts = (word.start for word in words(sentence.text) if word.text[0].isalnum())
        starts |= {sentence.start + start for start in islice(word_starts, 1)}
    return starts


@lru_cache(maxsize=64)
def _usual_case(text: str) -> dict[str, str]:
    """Each word's most frequent spelling away from sentence starts, by its letters without case;
    of two that are as frequent the first."""
    starts = _sentence_starts(text)
    spellings: dict[str, Counter[str]] = {}
    for word in words(text):
        if word.start not in starts:
            spellings.setdefault(word.text.casefold(), Counter())[word.text] += 1
    return {key: forms.most_common(1)[0][0] for key, forms in spellings.items()}
