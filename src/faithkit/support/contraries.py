"""What the evidence says the contrary way: "from May 31" where a summary has "by May 31", "need not
pay" where it has "must not pay", "every 2 weeks" where it has "every week", a month where it has
the other half of the year.

A summary's words are compared only with a sentence of the evidence that has all its other content.
What does not live here: numbers with another sign (`sign_rules.py`), numbers that are compared
(`number_rules.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from faithkit.language.calendar_words import MONTH, MONTHS, WEEKDAY
from faithkit.language.lexicon import NEGATIONS
from faithkit.models.protocols import Bools
from faithkit.support.sentences import Sentence


class Way(NamedTuple):
    """Which way a sentence says something.

    what   a day, a verb, a year or a period
    way    1 or -1, which are contrary, or 0 where it is not clear
    words  of the sentence that say so
    """

    what: str
    way: int
    words: range


def with_contrary(claim: Sentence, evidence: Sequence[Sentence]) -> Bools:
    """[words of the claim], whether each is part of what the evidence says the contrary way alone,
    in sentences with all other content of the claim."""
    contrary = np.zeros(len(claim.keys), dtype=np.bool_)
    content = np.flatnonzero(claim.content).tolist()
    for cue, ways in _WAYS:
        if not cue.search(claim.form.text):
            continue
        for what, way, words in ways(claim):
            rest = {claim.keys[word] for word in content if word not in words}
            others = {
                other.way
                for sentence in evidence
                if rest and rest <= set(sentence.keys)
                for other in ways(sentence)
                if other.what == what
            }
            if way and others == {-way}:
                contrary[words] = True
    return contrary


def _words(sentence: Sentence, start: int, end: int) -> range:
    """The words between two characters of a sentence's form."""
    inside = [
        word for word, (low, high) in enumerate(sentence.offsets) if low >= start and high <= end
    ]
    return range(inside[0], inside[-1] + 1) if inside else range(0)


# Deadlines and first days

_DAY = re.compile(
    r"(?:\b(?:(?P<until>by|until|till|before)|(?P<since>from|after)) )?"
    rf"(?:(?:{WEEKDAY}),? (?=(?:{MONTH}) \d))?"
    rf"\b(?P<day>\d{{1,2}}(?::\d\d)? [ap]m|noon|midnight|(?:{MONTH})(?: \d{{1,2}}\b)?|{WEEKDAY}"
    r"|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)


def _days(sentence: Sentence) -> Iterator[Way]:
    """Days, months and times: -1 of "by May 31", "until May 31" and "before May 31", 1 of "from May
    31" and "after May 31". In a sentence with a negation none is clear, "not until May 31"."""
    text = sentence.form.text
    denied = any(spelling in NEGATIONS for spelling in sentence.spellings)
    for match in _DAY.finditer(text):
        way = 0 if denied else bool(match["since"]) - bool(match["until"])
        yield Way(match["day"].casefold(), way, _words(sentence, *match.span()))


# Duties

_BE = r"(?:is|are|was|were|am|be|been)"
_DUTY = re.compile(
    r"\b(?:(?P<not_must>(?:must|shall|may) not"
    rf"|{_BE} (?:forbidden|prohibited|banned|barred) (?:to|from)"
    rf"|{_BE} not (?:allowed|permitted) to)"
    r"|(?P<not_need>need not|(?:do|does|did) not (?:have|need) to"
    rf"|{_BE} not (?:required|obliged|obligated) to|{_BE} free not to)"
    r"|(?P<shall>shall|must)|(?P<may>may)) (?=(?P<verb>[a-z]+))",
)


def _duties(sentence: Sentence) -> Iterator[Way]:
    """Verbs: -1 of "must not pay", 1 of "need not pay"; of another kind are -1 of "shall pay", 1 of
    "may pay", but not "may be"."""
    for match in _DUTY.finditer(sentence.form.text):
        words = _words(sentence, *match.span())
        if not words or words.stop == len(sentence.keys) or match["verb"] in ("be", "have", "not"):
            continue
        denied = bool(match["not_must"] or match["not_need"])
        way = bool(match["not_need"] or match["may"]) * 2 - 1
        yield Way(f"{'not ' if denied else ''}{sentence.keys[words.stop]}", way, words)


# Halves of a year

_HALF = re.compile(
    r"\b(?:(?:the )?(?P<half>first|second|latter) half of"
    rf"|(?P<month>{MONTH})(?: \d{{1,2}})?) (?P<year>[12]\d{{3}})\b"
)


def _halves(sentence: Sentence) -> Iterator[Way]:
    """Years: -1 of "the first half of 1998" and "March 1998", 1 of "the second half of 1998"."""
    for match in _HALF.finditer(sentence.form.text):
        is_first = MONTHS.index(match["month"]) < 6 if match["month"] else match["half"] == "first"
        yield Way(match["year"], -1 if is_first else 1, _words(sentence, *match.span()))


# Frequencies

_EVERY = re.compile(
    r"\b(?:every (?P<count>[2-9]|1\d) (?P<several>hour|day|week|month|year)s"
    r"|(?:every|each|once an?) (?P<one>hour|day|week|month|year)"
    r"|(?P<adverb>hour|dai|week|month|year)ly)\b",
    re.IGNORECASE,
)


def _every(sentence: Sentence) -> Iterator[Way]:
    """Periods: -1 of "every week" and "weekly", 1 of "every 2 weeks"."""
    for match in _EVERY.finditer(sentence.form.text):
        period = (match["several"] or match["one"] or match["adverb"]).lower().replace("dai", "day")
        yield Way(period, 1 if match["count"] else -1, _words(sentence, *match.span()))


_WAYS = (
    (re.compile(r"\b(?:by|until|till|before|from|after) ", re.IGNORECASE), _days),
    (re.compile(r"\bnot\b|\b(?:shall|must|may|forbidden|prohibited|banned|barred) "), _duties),
    (re.compile(" half of "), _halves),
    (re.compile(r"\b(?:every|each|once|(?:hour|dai|week|month|year)ly)\b", re.IGNORECASE), _every),
)
"""A cue of claims, and the ways that are compared in those that have it."""
