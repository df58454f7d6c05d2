"""Which words of a summary `support` shows as unsupported, from the probability of each: runs of
doubtful words that tell something, as whole words of the summary as it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from faithkit.language.lexicon import (
    ARTICLES,
    CONJUNCTIONS,
    COORDINATORS,
    CURRENCIES,
    HALVES_OF_DAY,
    NEGATIONS_AND_MODALS,
    PREPOSITIONS,
)
from faithkit.language.words import words
from faithkit.metrics.marks import consecutive_runs
from faithkit.models.protocols import Ints, SentenceVerdict

LEADING = ARTICLES | CONJUNCTIONS
TRAILING = LEADING | PREPOSITIONS
"""What a mark does not begin with, and what it does not end with."""

TELLING_PREPOSITIONS = PREPOSITIONS - {"of"}
"""What may be marked alone: "before" for "after"."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters `start:end` of the summary, and the places of its words in the sentence."""

    start: int
    end: int
    words: Ints


def find_marks(summary: str, sentence: SentenceVerdict, threshold: float) -> list[Mark]:
    """Words from the threshold up; those that follow each other are one mark if one of them can be
    wrong by itself: it has content, is a number, a negation or a modal verb, or says the half of
    the day; or a single one is a preposition ("before" for "after"). Function words around such a
    word stay, as people mark whole phrases, but no mark begins or ends with an article or a
    conjunction, or ends with a preposition. What "and" joins are two marks, since each can be wrong
    without the other. Where a mark touches a word or an amount, all of it is marked ("£5m")."""
    texts = [summary[start:end].strip().casefold() for start, end in sentence.words.tolist()]
    tells = [
        bool(content)
        or text in NEGATIONS_AND_MODALS
        or (text in HALVES_OF_DAY and before[-1:].isdigit())
        for content, text, before in zip(sentence.content, texts, ["", *texts], strict=False)
    ]
    written_words = list(_written_words(summary, sentence))
    marks: list[Mark] = []
    joins = np.array([text in COORDINATORS for text in texts], dtype=np.bool_)
    doubtful = np.flatnonzero((sentence.unsupported >= threshold) & ~joins)
    for run in consecutive_runs(doubtful.tolist()):
        inside = _inside(texts, tells, run)
        if not inside:
            continue
        first, last = sentence.words[inside[0]], sentence.words[inside[-1]]
        start, end = _widened(written_words, int(first[0]), int(last[1]))
        if marks and start < marks[-1].end:  # both touch one word
            earlier = marks.pop()
            start, inside = earlier.start, [*earlier.words.tolist(), *inside]
        marks.append(Mark(start, end, np.array(inside, dtype=np.int64)))
    return marks


def _inside(texts: Sequence[str], tells: Sequence[bool], run: list[int]) -> list[int]:
    """The words of a run that are marked; none if it holds no content."""
    if not any(tells[index] for index in run):
        return run if len(run) == 1 and texts[run[0]] in TELLING_PREPOSITIONS else []
    while not tells[run[0]] and texts[run[0]] in LEADING:
        run = run[1:]
    while not tells[run[-1]] and texts[run[-1]] in TRAILING:
        run = run[:-1]
    return run


def _widened(written_words: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The start and end of the words that these characters overlap."""
    touched = [word for word in written_words if word[0] < end and start < word[1]]
    return (touched[0][0], touched[-1][1]) if touched else (start, end)


def _written_words(summary: str, sentence: SentenceVerdict) -> Iterator[tuple[int, int]]:
    """The offsets of a sentence's words as they are written; a currency sign and its number are one
    word."""
    sign: int | None = None
    for word in words(summary[sentence.start : sentence.end]):
        start, end = sentence.start + word.start, sentence.start + word.end
        if word.text in CURRENCIES:
            sign = start
            continue
        is_amount = sign == start - 1 and word.text[0].isdigit()
        yield start - is_amount, end
        sign = None
    if sign is not None:
        yield sign, sign + 1
