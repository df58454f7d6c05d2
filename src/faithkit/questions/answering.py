"""Answers by completing a cloze: of the pieces of the text that could fill a question's gap, the
one with which the support model finds the statement best supported. No weights of its own.

Answers by published span models are in `spans.py`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from faithkit.language.parse import Entity, entities, noun_phrases, parse
from faithkit.language.sentences import sentences
from faithkit.language.words import Segment, is_content, numbers, words
from faithkit.models.cards import trained_on
from faithkit.models.protocols import (
    GAP,
    Answer,
    AnswerKind,
    Question,
    SupportModel,
    Verdict,
)
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError

CLOZE = "cloze-1"
"""Names the way of answering in a signature; change it when it changes."""

SENTENCES, CANDIDATES = 4, 4
"""Sentences of the text that are searched for a question, and pieces of them that are tried."""

THRESHOLD = 0.5
"""Least probability that the text entails the completed statement. Of SQuAD 2.0 dev questions that
could be turned into a cloze (170 with an answer, 80 without), the statements completed rightly lie
above it three times in four and those without an answer every second time."""

ADDED = {"sentence": 1.0, "near": 4.0, "beside": 1.2, "label": 0.3, "support": 10.0}
"""Weights of what speaks for a piece: its sentence's share of the question's words; these words
near it; each of its two neighbours that is the gap's too; an entity of the kind asked for; and what
the support model finds of it. From the same questions, rounded, but for the neighbours' weight,
which makes a text answer questions about itself. There is little between other weights, and the
words around a piece choose nearly as well without the support model."""

LABELS: dict[AnswerKind, frozenset[str]] = {
    "who": frozenset({"PERSON", "NORP", "ORG", "GPE"}),
    "when": frozenset({"DATE", "TIME"}),
    "where": frozenset({"GPE", "LOC", "FAC", "ORG"}),
    "how many": frozenset({"CARDINAL", "MONEY", "PERCENT", "QUANTITY", "ORDINAL"}),
    "what": frozenset({"ORG", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "GPE", "NORP", "FAC"}),
    "": frozenset(),
}
"""Labels of the entities that answer each kind of question."""

ONLY_LABELLED = frozenset({"when", "how many"})
"""Kinds that no noun phrase answers which is not such an entity."""


class Candidate(NamedTuple):
    """A piece of a text that may fill a gap; `label` of an entity, "" of a noun phrase."""

    start: int
    end: int
    text: str
    label: str


class Tried(NamedTuple):
    """A candidate and what its surroundings say for it, weighted."""

    candidate: Candidate
    evidence: float


class Cloze:
    """Satisfies `QuestionAnswerer`, for questions with a cloze form.

    model  the support model; its verdict on the statement, completed, decides
    """

    def __init__(self, model: SupportModel, threshold: float = THRESHOLD) -> None:
        self.id = f"{CLOZE}+{model.id}"
        self.trained_on = trained_on(model)
        self._model = model
        self._threshold = threshold

    def answer(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        """See `protocols.QuestionAnswerer`."""
        unique = list(dict.fromkeys(pairs))
        for question, _ in unique:
            if GAP not in question.cloze:
                raise ConfigError(
                    f"qa:cloze needs the cloze form of '{question.text}', which qg:rules makes; "
                    "with another generator name a span model, qa=NAME"
                )
        near = [nearest(question.cloze, context) for question, context in unique]
        pieces = _candidates_of(piece.text for some in near for piece, _ in some)
        tried = [
            chosen(question, [(piece, share, pieces[piece.text]) for piece, share in some])
            for (question, _), some in zip(unique, near, strict=True)
        ]
        asked = [
            (context, question.cloze.replace(GAP, one.candidate.text, 1))
            for (question, context), some in zip(unique, tried, strict=True)
            for one in some
        ]
        verdicts = iter(self._model.judge(asked))
        found = {
            pair: self._best(pair[0].cloze.index(GAP), [(one, next(verdicts)) for one in some])
            for pair, some in zip(unique, tried, strict=True)
        }
        return [found[pair] for pair in pairs]

    def _best(self, gap: int, tried: Sequence[tuple[Tried, Verdict]]) -> Answer:
        """The piece for which most speaks, if the statement with it is entailed."""
        fits = [fit(verdict, gap, gap + len(one.candidate.text)) for one, verdict in tried]
        scores = [
            one.evidence + ADDED["support"] * support
            for (one, _), (support, _) in zip(tried, fits, strict=True)
        ]
        best = max(range(len(tried)), key=lambda place: scores[place], default=None)
        if best is None:
            return Answer("", None, None, 0.0, False)
        one, probability = tried[best][0].candidate, fits[best][1]
        if probability < self._threshold:
            return Answer("", None, None, probability, False)
        return Answer(one.text, one.start, one.end, probability, True)


def fit(verdict: Verdict, start: int, end: int) -> tuple[float, float]:
    """Of a completed statement: how well the words start:end are supported (mean, 0..1), and the
    probability that their sentence is entailed."""
    for sentence in verdict.sentences:
        own = [
            float(doubt)
            for (first, last), doubt in zip(sentence.words, sentence.unsupported, strict=True)
            if first < end and start < last
        ]
        if own:
            return math.fsum(1 - doubt for doubt in own) / len(own), sentence.probabilities[0]
    return 0.0, 0.0


def _stems(text: str) -> set[str]:
    return {word.text.lower() for word in words(text) if is_content(word.text)}


def nearest(cloze: str, context: str) -> list[tuple[Segment, float]]:
    """The sentences of a text that share most with a statement, best first, each with the share
    (0..1) of the statement's content words that it has; a word counts less the more sentences
    have it."""
    pieces = sentences(context)
    have = [_stems(piece.text) for piece in pieces]
    common = Counter(word for some in have for word in some)
    weights = {
        word: math.log((1 + len(pieces)) / (0.5 + common[word])) + 0.1
        for word in _stems(cloze.replace(GAP, " "))
    }
    total = math.fsum(weights.values()) or 1.0
    shares = [math.fsum(sorted(weights[w] for w in some & weights.keys())) / total for some in have]
    best = sorted(range(len(pieces)), key=lambda place: (-shares[place], place))[:SENTENCES]
    return [(pieces[place], shares[place]) for place in best]


def _inside_another(one: Candidate, names: Iterable[Entity]) -> bool:
    """Whether an entity has more than these characters, as a name has that begins with "May"."""
    return any(
        e.start < one.end and one.start < e.end and (e.start, e.end) != (one.start, one.end)
        for e in names
    )


_DAYS = re.compile(
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|"
    r"August|September|October|November|December)\b"
)


def _candidates_of(texts: Iterable[str]) -> dict[str, list[Candidate]]:
    """The entities and noun phrases of each sentence, a phrase that is an entity but once; days,
    months and numbers too where the entity model has missed them."""
    unique = list(dict.fromkeys(texts))
    found = {}
    for text, names, tokens in zip(unique, entities(unique), parse(unique), strict=True):
        own = [Candidate(e.start, e.end, e.text, e.label) for e in names]
        missed = [Candidate(m.start(), m.end(), m.group(), "DATE") for m in _DAYS.finditer(text)]
        missed += [Candidate(*word, "CARDINAL") for word, _ in numbers(text)]
        own += [one for one in missed if not _inside_another(one, names)]
        places = {(one.start, one.end) for one in own}
        own += [
            Candidate(p.start, p.end, text[p.start : p.end], "")
            for p in noun_phrases(tokens)
            if tokens[p.head].pos != "PRON" and (p.start, p.end) not in places
        ]
        found[text] = sorted(own)
    return found


def chosen(
    question: Question, found: Sequence[tuple[Segment, float, Sequence[Candidate]]]
) -> list[Tried]:
    """The pieces worth trying, best first: of the kind asked for, and not already in the question.

    found  sentences with their share of the question's words, the best first, and their pieces
    """
    labels = LABELS[question.kind]
    before, _, after = question.cloze.partition(GAP)
    given = _stems(f"{before} {after}")
    previous = [word.text.lower() for word in words(before)][-1:]
    following = [word.text.lower() for word in words(after)][:1]
    most = max((share for _, share, _ in found), default=0.0) or 1.0
    best: dict[str, Tried] = {}
    for piece, share, candidates in found:
        tokens = words(piece.text)
        for one in candidates:
            fits = one.label in labels
            if labels and not fits and (one.label or question.kind in ONLY_LABELLED):
                continue
            own = _stems(one.text)
            # A name may be spelled like a stop-word: "May", "US".
            if (not own and not one.label) or (own and own <= given):
                continue
            left = [word.text.lower() for word in tokens if word.end <= one.start]
            right = [word.text.lower() for word in tokens if word.start >= one.end]
            evidence = (
                ADDED["sentence"] * share / most
                + ADDED["near"] * nearness(left, right, given)
                + ADDED["beside"] * ((left[-1:] == previous) + (right[:1] == following))
                + ADDED["label"] * fits
            )
            start, end = piece.start + one.start, piece.start + one.end
            key = " ".join(one.text.lower().split())
            if key not in best or evidence > best[key].evidence:
                best[key] = Tried(Candidate(start, end, one.text, one.label), evidence)
    ranked = sorted(best.values(), key=lambda tried: (-tried.evidence, tried.candidate))
    return ranked[:CANDIDATES]


def nearness(left: Sequence[str], right: Sequence[str], given: Collection[str]) -> float:
    """The sum of 1 / (3 + words between) over the given words that stand before and behind a piece,
    for each of the given words."""
    places = [*enumerate(reversed(left)), *enumerate(right)]
    total = math.fsum(sorted(1 / (3 + between) for between, word in places if word in given))
    return total / max(len(given), 1)


def load_cloze(rest: str, runtime: Runtime, *, pull: bool) -> Cloze:
    """Cloze answering on the support model named behind the colon, `mini` unless one is. Raises
    ModelError where that cannot be loaded."""
    from faithkit import models

    name = f"support:{rest or 'mini'}"
    return Cloze(models.load(name, runtime, pull=pull))
