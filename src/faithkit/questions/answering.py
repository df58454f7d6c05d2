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

from faithkit.language.calendar_words import MONTH, WEEKDAY
from faithkit.language.lexicon import CURRENCIES
from faithkit.language.parse import Entity, entities, noun_phrases, parse
from faithkit.language.sentences import sentences
from faithkit.language.words import Segment, content_words, numbers, words
from faithkit.models.batching import map_distinct
from faithkit.models.cards import trained_on
from faithkit.models.protocols import (
    ENTAILMENT,
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
"""Sentences of a text that are searched for a question, and candidates in them that are tried."""

THRESHOLD = 0.5
"""Least probability that the text entails the completed statement. Of SQuAD 2.0 dev questions that
could be turned into a cloze (170 with an answer, 80 without), the statements completed rightly lie
above it three times in four and those without an answer every second time."""

WEIGHTS = {"sentence": 1.0, "near": 4.0, "beside": 1.2, "label": 0.3, "support": 10.0}
"""Weights of the evidence for a candidate: its sentence's share of the question's words; these
words near it; each of its two neighbours that is the gap's too; an entity of the kind asked for;
and how well the support model finds it supported. From the same questions, rounded, but for the
neighbours' weight, which makes a text answer questions about itself. Other weights differ little,
and the words around a candidate choose nearly as well without the support model."""

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


class Ranked(NamedTuple):
    """A candidate and what its surroundings say for it, weighted."""

    candidate: Candidate
    evidence: float


class Cloze:
    """Satisfies `QuestionAnswerer`, for questions with a cloze form.

    model  the support model; its verdict on the statement, completed, decides
    """

    def __init__(self, model: SupportModel) -> None:
        self.id = f"{CLOZE}+{model.id}"
        self.trained_on = trained_on(model)
        self._model = model

    def answer(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        """See `protocols.QuestionAnswerer`."""
        return map_distinct(pairs, self._answers)

    def _answers(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        for question, _ in pairs:
            if GAP not in question.cloze:
                raise ConfigError(
                    f"qa:cloze needs the cloze form of '{question.text}', which qg:rules makes; "
                    "with another generator name a span model, qa=NAME"
                )
        nearest_sentences = [nearest(question.cloze, context) for question, context in pairs]
        candidates = _candidates(s.text for ranked in nearest_sentences for s, _ in ranked)
        ranked_candidates = [
            rank(question, [(s, share, candidates[s.text]) for s, share in ranked])
            for (question, _), ranked in zip(pairs, nearest_sentences, strict=True)
        ]
        statements = [
            (context, _completed(question.cloze, ranked.candidate.text))
            for (question, context), group in zip(pairs, ranked_candidates, strict=True)
            for ranked in group
        ]
        verdicts = iter(self._model.judge(statements))
        return [
            self._best(question.cloze.index(GAP), [(ranked, next(verdicts)) for ranked in group])
            for (question, _), group in zip(pairs, ranked_candidates, strict=True)
        ]

    def _best(self, gap: int, judged: Sequence[tuple[Ranked, Verdict]]) -> Answer:
        """The candidate with the highest score, if the statement with it is entailed."""
        if not judged:
            return Answer("", None, None, 0.0, False)
        fits = [fit(verdict, gap, gap + len(r.candidate.text)) for r, verdict in judged]
        scores = [
            ranked.evidence + WEIGHTS["support"] * support
            for (ranked, _), (support, _) in zip(judged, fits, strict=True)
        ]
        best = max(range(len(judged)), key=scores.__getitem__)
        candidate, probability = judged[best][0].candidate, fits[best][1]
        if probability < THRESHOLD:
            return Answer("", None, None, probability, False)
        return Answer(candidate.text, candidate.start, candidate.end, probability, True)


def _completed(cloze: str, answer: str) -> str:
    """The statement with this answer in the gap; a currency sign is not repeated."""
    before = cloze[: cloze.index(GAP)]
    if answer.startswith(tuple(CURRENCIES)) and before.endswith(answer[0]):
        answer = answer[1:]
    return cloze.replace(GAP, answer, 1)


def fit(verdict: Verdict, start: int, end: int) -> tuple[float, float]:
    """For a completed statement, the mean support of the words start:end in [0, 1], and the
    probability that the sentence is entailed."""
    for sentence in verdict.sentences:
        support = [
            1 - float(unsupported)
            for (first, last), unsupported in zip(sentence.words, sentence.unsupported, strict=True)
            if first < end and start < last
        ]
        if support:
            return math.fsum(support) / len(support), sentence.probabilities[ENTAILMENT]
    return 0.0, 0.0


def nearest(cloze: str, context: str) -> list[tuple[Segment, float]]:
    """The sentences of a text that share most with a statement, best first, each with the share
    (0..1) of the statement's content words that it has; a word counts less the more sentences
    have it."""
    segments = sentences(context)
    contents = [content_words(segment.text) for segment in segments]
    frequencies = Counter(word for content in contents for word in content)
    weights = {
        word: math.log((1 + len(segments)) / (0.5 + frequencies[word])) + 0.1
        for word in content_words(cloze.replace(GAP, " "))
    }
    total = math.fsum(weights.values()) or 1.0
    shares = [
        math.fsum(sorted(weights[word] for word in content & weights.keys())) / total
        for content in contents
    ]
    best = sorted(range(len(segments)), key=lambda index: (-shares[index], index))[:SENTENCES]
    return [(segments[index], shares[index]) for index in best]


def _inside_another(candidate: Candidate, names: Iterable[Entity]) -> bool:
    """Whether an entity has more than these characters, as a name has that begins with "May"."""
    span = (candidate.start, candidate.end)
    return any(
        e.start < candidate.end and candidate.start < e.end and (e.start, e.end) != span
        for e in names
    )


_DAYS = re.compile(rf"\b(?:{WEEKDAY}|{MONTH})\b")


def _with_sign(candidate: Candidate, text: str) -> Candidate:
    """The amount with the currency sign before it, which the entity model leaves out: "£4,000", not
    "4,000"."""
    if not text[: candidate.start].endswith(tuple(CURRENCIES)):
        return candidate
    start = candidate.start - 1
    return candidate._replace(start=start, text=text[start : candidate.end])


def _candidates(texts: Iterable[str]) -> dict[str, list[Candidate]]:
    """The entities and noun phrases of each sentence, a phrase that is an entity but once; days,
    months and numbers too where the entity model has missed them."""
    distinct = list(dict.fromkeys(texts))
    result = {}
    for text, names, tokens in zip(distinct, entities(distinct), parse(distinct), strict=True):
        named = [Candidate(e.start, e.end, e.text, e.label) for e in names]
        missed = [Candidate(m.start(), m.end(), m.group(), "DATE") for m in _DAYS.finditer(text)]
        missed += [Candidate(*word, "CARDINAL") for word, _ in numbers(text)]
        named += [candidate for candidate in missed if not _inside_another(candidate, names)]
        named = [_with_sign(candidate, text) for candidate in named]
        spans = {(candidate.start, candidate.end) for candidate in named}
        phrases = [
            Candidate(p.start, p.end, text[p.start : p.end], "")
            for p in noun_phrases(tokens)
            if tokens[p.head].pos != "PRON" and (p.start, p.end) not in spans
        ]
        result[text] = sorted([*named, *phrases])
    return result


def _answers_kind(candidate: Candidate, kind: AnswerKind) -> bool:
    """Whether a candidate may answer: an entity of the kind asked for, or a noun phrase."""
    labels = LABELS[kind]
    if not labels or candidate.label in labels:
        return True
    return not candidate.label and kind not in ONLY_LABELLED


def rank(
    question: Question, searched: Sequence[tuple[Segment, float, Sequence[Candidate]]]
) -> list[Ranked]:
    """The candidates worth trying, best first: of the kind asked for, and not part of the question.

    searched  sentences with their share of the question's words, the best first, and their
              candidates
    """
    before, _, after = question.cloze.partition(GAP)
    question_words = content_words(f"{before} {after}")
    previous = [word.text.lower() for word in words(before)][-1:]
    following = [word.text.lower() for word in words(after)][:1]
    highest = max((share for _, share, _ in searched), default=0.0) or 1.0
    best: dict[str, Ranked] = {}
    for segment, share, candidates in searched:
        tokens = words(segment.text)
        for candidate in candidates:
            content = content_words(candidate.text)
            # A name may be spelled like a stop-word: "May", "US".
            empty = not content and not candidate.label
            if empty or (content and content <= question_words):
                continue
            if not _answers_kind(candidate, question.kind):
                continue
            left = [word.text.lower() for word in tokens if word.end <= candidate.start]
            right = [word.text.lower() for word in tokens if word.start >= candidate.end]
            evidence = (
                WEIGHTS["sentence"] * share / highest
                + WEIGHTS["near"] * nearness(left, right, question_words)
                + WEIGHTS["beside"] * ((left[-1:] == previous) + (right[:1] == following))
                + WEIGHTS["label"] * (candidate.label in LABELS[question.kind])
            )
            start, end = segment.start + candidate.start, segment.start + candidate.end
            key = " ".join(candidate.text.lower().split())
            if key not in best or evidence > best[key].evidence:
                in_text = Candidate(start, end, candidate.text, candidate.label)
                best[key] = Ranked(in_text, evidence)
    ordered = sorted(best.values(), key=lambda ranked: (-ranked.evidence, ranked.candidate))
    return ordered[:CANDIDATES]


def nearness(left: Sequence[str], right: Sequence[str], question_words: Collection[str]) -> float:
    """The mean over the given words of 1 / (3 + words between) for each of their occurrences before
    and after a candidate."""
    places = [*enumerate(reversed(left)), *enumerate(right)]
    total = math.fsum(
        sorted(1 / (3 + between) for between, word in places if word in question_words)
    )
    return total / max(len(question_words), 1)


def load_cloze(rest: str, runtime: Runtime, *, pull: bool) -> Cloze:
    """Cloze answering on the support model named after the colon, `mini` unless one is. Raises
    ModelError where that cannot be loaded."""
    from faithkit import models

    name = f"support:{rest or 'mini'}"
    return Cloze(models.load(name, runtime, pull=pull))
