"""What do phrases that say nothing gain when they are put into a summary? [STRESS]

Every phrase of `phrases.py`, and of the user's file, is put alone as the whole summary, as it is
written there, and in three places of each summary (whole summaries like "Yes." alone only, marks
like "?" as a suffix only); a change is relative to the summary without it:

    suffix  a new sentence after the summary. One that ends without a point is given it, and its
            change is relative to the summary with that point. A mark follows it at once.
    joined  ", phrase" inside the last sentence, before its point.
    prefix  a new sentence before the summary.

For each metric (`further`): the assertion that is worded for it; with its values, bigrams mined
from the summaries that the metrics rank highest, and a greedy search for the suffix that raises a
metric most, both measured on half of the documents and chosen on others. For scale: how far the
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
from faithkit.stress.suites.choosing import ordered, spread
from faithkit.stress.suites.gaming_figures import (
    MINED,
    READ,
    RULES,
    SEARCHED,
    STRONGER,
    WEAKER,
    mean,
    summarise,
)
from faithkit.stress.suites.phrases import (
    GIVEN,
    MARK,
    MARKS,
    PAPER_ASSERTION,
    PAPER_MINED,
    PHRASES,
    WHOLE,
    assertion_of,
)

NAME = "gaming"

SCALE_ROWS = 10
"""Rows taken for the scale, for each row of the limit: they cost one text each, not a hundred."""

READ_ROWS, SHARE, TOP = 200, 0.2, 100
"""Bigrams are mined from this share of so many summaries at most (each costs one text), and so many
are kept of each metric's and then of all together [STRESS]."""

LEAST_MINED_ON = 4
"""Documents that phrases are mined and searched on, or measured on, in all."""

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
    """Each metric's own cases, the mined bigrams, best first (at most 100), and how many summaries
    they were mined from: none where there are fewer than four documents."""

    cases: dict[str, list[Case]]
    bigrams: list[Bigram]
    mined_from: int


_ENDED = re.compile(r"\s*[.!?…]+[\s\"'”’`)\]]*$")


def sentence(phrase: str) -> str:
    """The phrase as a sentence: capitalised, with a full stop."""
    return phrase[0].upper() + phrase[1:].removesuffix(".") + "."


def suffix(summary: str, phrase: str) -> tuple[str, str]:
    """The summary without and with the phrase; so do the others."""
    base = summary if _ENDED.search(summary) else summary.rstrip() + "."
    tail = phrase if phrase in MARKS else f" {sentence(phrase)}"
    return base, base.rstrip() + tail


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
    """Every phrase in its places of `limit` rows, spread over documents, rows for the scale, and
    rows that bigrams are mined from.

    phrases  the user's own, besides those of the table
    Raises DataError where no row has both a source and a summary.
    """
    usable = [example for example in examples if not is_blank(example)]
    if not usable:
        raise DataError("gaming needs rows with a source and a summary; there is none")
    rows = spread(usable, seed, limit)
    tables = (
        ({**PHRASES, GIVEN: phrases}, tuple(PLACES)),
        (WHOLE, ("alone",)),
        ({MARK: MARKS}, ("suffix",)),
    )
    made = [
        _case(row.id, row.document, row.source, row.summary, kind, phrase, place)
        for row in rows
        for table, places in tables
        for kind, of_kind in table.items()
        for phrase in of_kind
        for place in places
    ]
    measured = _halves((row.document for row in rows), seed)[1]
    others = [row for row in usable if row.document not in measured]
    return made + scale(usable, seed=seed, limit=limit) + (_read(others, seed) if measured else [])


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
    """Rows of the weaker and the stronger half of the systems, by mean human rating or by share of
    consistent rows, whichever more rows have (the two are no common scale); none where fewer than
    two systems were judged so."""
    of_systems = [row for row in examples if row.system is not None]
    rated = [(row.system, row.rating) for row in of_systems if row.rating is not None]
    labelled = [(row.system, float(row.label)) for row in of_systems if row.label is not None]
    judged: dict[str, list[float]] = {}
    for system, judgement in rated if len(rated) >= len(labelled) else labelled:
        judged.setdefault(str(system), []).append(judgement)
    order = sorted(judged, key=lambda name: (sum(judged[name]) / len(judged[name]), name))
    half = len(order) // 2
    sides = dict.fromkeys(order[:half], WEAKER) | dict.fromkeys(
        order[len(order) - half :], STRONGER
    )
    rows = [row for row in examples if row.system in sides]
    chosen = _whole_documents(rows, seed, None if limit is None else SCALE_ROWS * limit)
    return [_row(row, "system", sides[row.system or ""]) for row in chosen]


def _read(rows: Sequence[Example], seed: int) -> list[Case]:
    """The rows that bigrams are mined from."""
    return [_row(row, "read", READ) for row in ordered(rows, seed)[:READ_ROWS]]


def _row(row: Example, name: str, kind: str) -> Case:
    return Case(
        id=f"{row.id}/{name}",
        suite=NAME,
        kind=kind,
        document=row.document,
        texts={"row": (row.source, row.summary)},
        note=row.system or "",
    )


def _halves(documents: Iterable[str], seed: int) -> tuple[list[str], frozenset[str]]:
    """The documents that phrases are chosen on, in a random order, and those that they are measured
    on; none where there are too few."""
    order = sorted(set(documents))
    if len(order) < LEAST_MINED_ON:
        return [], frozenset()
    Random(seed).shuffle(order)
    half = len(order) // 2
    return order[:half], frozenset(order[half:])


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
    Phrases are mined and searched on other documents than they are measured on; only assertions are
    made where there are fewer than four documents.
    """
    made = {label: _asserted(cases, assertion_of(label)) for label in scores}
    suffixed = [case for case in cases if case.kind.endswith(", suffix")]
    bases = {case.texts["before"]: case.document for case in suffixed}
    chosen_on, measured = _halves((case.document for case in suffixed), seed)
    if not measured:
        return Further(made, [], 0)
    searched = set(chosen_on[:SEARCH_ROWS])
    search = [pair for pair, document in bases.items() if document in searched][:SEARCH_ROWS]
    held_out = {pair: document for pair, document in bases.items() if document in measured}
    read = [case.texts["row"] for case in cases if case.kind == READ]
    values = {label: score(read) for label, score in scores.items()}
    bigrams = mine([text for _, text in read], values)
    tried = [bigram.text for bigram in bigrams[:TRIED_BIGRAMS]]
    constant = dict.fromkeys(case.note for case in cases if case.kind.endswith(", prefix"))
    for label, score in scores.items():
        suffixes = [(MINED, bigram) for bigram in tried]
        phrases = [*constant, assertion_of(label), *tried]
        suffixes.append((SEARCHED, worst_suffix(search, phrases, score)))
        made[label] += [
            _case(f"{document}/{number}", document, source, text, kind, phrase, "suffix")
            for number, ((source, text), document) in enumerate(held_out.items())
            for kind, phrase in suffixes
        ]
    return Further(made, bigrams, len(read))


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
