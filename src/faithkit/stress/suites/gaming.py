"""What do phrases that say nothing gain when they are put into a summary? [STRESS]

Every phrase of `phrases.py`, and of the user's file, is put alone as the whole summary, as it is
written there, and in three places of each summary; a change is relative to the summary without it:

    suffix  a new sentence after the summary. One that ends without a point is given it, and its
            change is relative to the summary with that point.
    joined  ", phrase" inside the last sentence, before its point.
    prefix  a new sentence before the summary.

For each metric (`further`): the assertion that is worded for it; with its values, bigrams mined
from the summaries that the metrics rank highest, and a greedy search for the suffix that raises a
metric most, both measured on documents that they were not chosen on. For scale: how far the
stronger half of the systems, by human rating, is ahead of the weaker. Nothing is scored here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from faithkit.meta.bootstrap import LEAST_DOCUMENTS
from faithkit.records import DataError, Example, is_blank
from faithkit.stress.suites.base import (
    RISE,
    Case,
    Pair,
    Suite,
)
from faithkit.stress.suites.choosing import spread
from faithkit.stress.suites.gaming_figures import (
    MINED,
    RULES,
    SEARCHED,
    STRONGER,
    WEAKER,
    mean,
    summarise,
)
from faithkit.stress.suites.phrases import (
    GIVEN,
    PAPER_ASSERTION,
    PAPER_MINED,
    PHRASES,
    assertion_of,
)

NAME = "gaming"

SCALE_ROWS = 10
"""Rows taken for the scale, for each row of the limit: they cost one text each, not a hundred."""

SHARE, TOP = 0.2, 100
"""Bigrams are mined from this share of the summaries, and so many are kept of each metric's and
then of all together [STRESS]."""

TRIED_BIGRAMS, MOST_PHRASES, SEARCH_ROWS = 5, 3, 10
"""Mined bigrams that are tried as phrases; phrases in a searched suffix; rows searched on."""

Score = Callable[[Sequence[Pair]], Sequence[float | None]]
"""A metric's value of each pair, None where it has none."""


@dataclass(frozen=True, slots=True)
class Bigram:
    """A mined bigram: how many metrics kept it among their best, and the sum of its mean TF-IDF in
    the summaries that each of these ranks highest."""

    text: str
    metrics: int
    weight: float


class Further(NamedTuple):
    """Each metric's own cases, and the mined bigrams, best first: at most 100, none where there are
    fewer than four documents."""

    cases: dict[str, list[Case]]
    bigrams: list[Bigram]


_ENDED = re.compile(r"\s*[.!?…]+[\s\"'”’`)\]]*$")


def sentence(phrase: str) -> str:
    """The phrase as a sentence: capitalised, with a full stop."""
    return phrase[0].upper() + phrase[1:].removesuffix(".") + "."


def suffix(summary: str, phrase: str) -> tuple[str, str]:
    """The summary without and with the phrase; so do the others."""
    base = summary if _ENDED.search(summary) else summary.rstrip() + "."
    return base, f"{base.rstrip()} {sentence(phrase)}"


def joined(summary: str, phrase: str) -> tuple[str, str]:
    end = _ENDED.search(summary)
    position = end.start() if end else len(summary.rstrip())
    inside = phrase[0].lower() + phrase[1:].removesuffix(".")
    return summary, f"{summary[:position]}, {inside}{summary[position:]}"


def prefix(summary: str, phrase: str) -> tuple[str, str]:
    return summary, f"{sentence(phrase)} {summary.lstrip()}"


def alone(summary: str, phrase: str) -> tuple[str, str]:
    return summary, phrase


PLACES: dict[str, Callable[[str, str], tuple[str, str]]] = {
    "suffix": suffix, "joined": joined, "prefix": prefix, "alone": alone
}  # fmt: skip


def cases(
    examples: Sequence[Example],
    *,
    seed: int,
    limit: int | None,
    phrases: Sequence[str] = (),
) -> list[Case]:
    """Every phrase in every place of `limit` rows, spread over documents, and rows for the scale.

    phrases  the user's own, besides those of the table
    Raises DataError where no row has both a source and a summary.
    """
    usable = [example for example in examples if not is_blank(example)]
    if not usable:
        raise DataError("gaming needs rows with a source and a summary; there is none")
    made = [
        _case(row.id, row.document, row.source, row.summary, kind, phrase, place)
        for row in spread(usable, seed, limit)
        for kind, of_kind in {**PHRASES, GIVEN: phrases}.items()
        for phrase in of_kind
        for place in PLACES
    ]
    return made + scale(usable, seed=seed, limit=limit)


def _case(
    row: str, document: str, source: str, summary: str, kind: str, phrase: str, place: str
) -> Case:
    before, after = PLACES[place](summary, phrase)
    return Case(
        id=f"{row}/{place}/{kind}/{phrase}",
        suite=NAME,
        kind=f"{kind}, {place}",
        document=document,
        texts={"before": (source, before), "after": (source, after)},
        note=phrase,
    )


def scale(examples: Sequence[Example], *, seed: int, limit: int | None) -> list[Case]:
    """Rows of the weaker and the stronger half of the systems, by mean human rating (or, without
    one, by share of consistent rows); none where fewer than two systems were judged."""
    judged: dict[str, list[float]] = {}
    for row in examples:
        judgement = row.label if row.rating is None else row.rating
        if row.system is not None and judgement is not None:
            judged.setdefault(row.system, []).append(judgement)
    order = sorted(judged, key=lambda name: (sum(judged[name]) / len(judged[name]), name))
    half = len(order) // 2
    sides = dict.fromkeys(order[:half], WEAKER) | dict.fromkeys(
        order[len(order) - half :], STRONGER
    )
    rows = [row for row in examples if row.system in sides]
    chosen = _whole_documents(rows, seed, None if limit is None else SCALE_ROWS * limit)
    return [
        Case(
            id=f"{row.id}/system",
            suite=NAME,
            kind=sides[row.system or ""],
            document=row.document,
            texts={"row": (row.source, row.summary)},
            note=row.system or "",
        )
        for row in chosen
    ]


def _whole_documents(rows: Sequence[Example], seed: int, most: int | None) -> list[Example]:
    """All rows of as many documents as `most` allows, of LEAST_DOCUMENTS at least."""
    documents: dict[str, list[Example]] = {}
    for row in spread(rows, seed, None):
        documents.setdefault(row.document, []).append(row)
    kept: list[Example] = []
    for number, of_document in enumerate(documents.values()):
        if most is None or number < LEAST_DOCUMENTS or len(kept) + len(of_document) <= most:
            kept += of_document
    return kept


def mine(summaries: Sequence[str], values: Mapping[str, Sequence[float | None]]) -> list[Bigram]:
    """The most typical bigrams of the summaries which metrics rank highest, best first [STRESS].

    summaries  [n]
    values     metric to [n] values, None where it has none
    For each metric: the mean TF-IDF of every bigram over the top 20% of the summaries that have a
    value (idf over all summaries), the best 100 kept. Then over the metrics, again the best 100:
    those that more metrics kept first, then by the sum of these means.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    model = TfidfVectorizer(ngram_range=(2, 2), token_pattern=r"(?u)\b\w+\b")
    try:
        weights = model.fit_transform(summaries).tocsr()
    except ValueError:  # no summary has two words
        return []
    names = model.get_feature_names_out()
    kept: dict[str, list[float]] = {}
    for column in values.values():
        valued = [(-value, row) for row, value in enumerate(column) if value is not None]
        best = [row for _, row in sorted(valued)[: math.ceil(SHARE * len(valued))]]
        if not best:
            continue
        means = weights[best].mean(axis=0).A1
        order = sorted(range(len(names)), key=lambda index: (-means[index], names[index]))
        for index in order[:TOP]:
            if means[index] > 0:
                kept.setdefault(str(names[index]), []).append(float(means[index]))
    bigrams = [Bigram(name, len(means), sum(means)) for name, means in kept.items()]
    return sorted(bigrams, key=lambda bigram: (-bigram.metrics, -bigram.weight, bigram.text))[:TOP]


def worst_suffix(rows: Sequence[Pair], phrases: Iterable[str], score: Score) -> str:
    """The phrases, up to three, that together raise a metric most as sentences after a summary.

    rows  sources and summaries, which end in a point
    Greedy: the phrase with the highest mean change is taken, then the one that with it is higher
    still, if there is one. The first is taken even where all of them lower the score.
    """
    before = score(rows)
    candidates = list(dict.fromkeys(sentence(phrase) for phrase in phrases))
    chosen, best = "", -math.inf
    for _ in range(min(MOST_PHRASES, len(candidates))):
        tails = [f"{chosen} {phrase}".strip() for phrase in candidates]
        after = score([(source, f"{text} {tail}") for tail in tails for source, text in rows])
        gains = [
            _mean_change(before, after[start : start + len(rows)])
            for start in range(0, len(after), len(rows))
        ]
        top = max(range(len(tails)), key=lambda index: gains[index])
        if chosen and gains[top] <= best + RISE:
            break
        chosen, best = tails[top], gains[top]
        del candidates[top]
    return chosen


def _mean_change(before: Sequence[float | None], after: Sequence[float | None]) -> float:
    """The mean change over the rows with both values; minus infinity if there is none."""
    pairs = zip(before, after, strict=True)
    changes = [new - old for old, new in pairs if old is not None and new is not None]
    return mean(changes) if changes else -math.inf


def further(cases: Sequence[Case], scores: Mapping[str, Score], *, seed: int) -> Further:
    """Each metric's own cases: its assertion, mined bigrams and the worst suffix that was found.

    scores  metric to what gives its values
    Phrases are mined and searched on one part of the documents and measured on the others; only
    assertions are made where there are fewer than four documents.
    """
    made = {label: _asserted(cases, assertion_of(label)) for label in scores}
    bases = {
        case.texts["before"]: case.document for case in cases if case.kind.endswith(", suffix")
    }
    documents = sorted(set(bases.values()))
    if len(documents) < 4:
        return Further(made, [])
    Random(seed).shuffle(documents)
    chosen_on = set(documents[: min(SEARCH_ROWS, len(documents) // 2)])
    search = [pair for pair, document in bases.items() if document in chosen_on][:SEARCH_ROWS]
    held_out = {pair: name for pair, name in bases.items() if name not in chosen_on}
    kept_out = set(held_out.values())
    rated = [case for case in cases if "row" in case.texts and case.document not in kept_out]
    read = [*search, *(case.texts["row"] for case in rated)]
    values = {label: score(read) for label, score in scores.items()}
    bigrams = mine([text for _, text in read], values)
    tried = [bigram.text for bigram in bigrams[:TRIED_BIGRAMS]]
    constant = dict.fromkeys(case.note for case in cases if case.kind.endswith(", suffix"))
    for label, score in scores.items():
        suffixes = [(MINED, bigram) for bigram in tried]
        phrases = [*constant, assertion_of(label), *tried]
        suffixes.append((SEARCHED, worst_suffix(search, phrases, score)))
        made[label] += [
            _case(f"{document}/{number}", document, source, text, kind, phrase, "suffix")
            for number, ((source, text), document) in enumerate(held_out.items())
            for kind, phrase in suffixes
        ]
    return Further(made, bigrams)


def _asserted(cases: Sequence[Case], assertion: str) -> list[Case]:
    """An assertion in every place of the rows that the other constant phrases are put into."""
    rows = [case for case in cases if case.kind == f"{PAPER_MINED}, prefix"]
    return [
        _case(f"{case.document}/{number}", case.document, *case.texts["before"],
              PAPER_ASSERTION, assertion, place)
        for number, case in enumerate(rows)
        for place in PLACES
    ]  # fmt: skip


SUITE = Suite(
    name=NAME,
    title="Gaming",
    about=(
        "Phrases that say nothing, alone as the whole summary, appended, in front, and "
        "joined to the last sentence. None of them should gain anything. Those named "
        "“paper” are of [STRESS], the assertion worded for each metric; “given” are your "
        "own."
    ),
    cases=cases,
    summarise=summarise,
    rules=RULES,
)  # fmt: skip
