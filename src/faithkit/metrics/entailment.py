"""Neural entailment of the summary by its source: `entailment`, sentence by sentence
[MFAS §3.2; methods §2], and `mnli_doc`, both texts whole [FCLLM].

What lives here: which premise each summary sentence is held against, and how the probabilities are
put together. What does not: the model (`models/entailment.py`) and SummaC (`summac.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from faithkit.language.sentences import SPLITTER, sentences
from faithkit.language.words import Segment
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import by_size
from faithkit.metrics.plain import language_of, reads_plain_texts
from faithkit.models.protocols import Entailed, EntailmentModel, Floats, SentenceEmbedder
from faithkit.records import (
    JSON,
    ConfigError,
    Coverage,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    is_blank,
    scored,
    unscored,
)

Pair = tuple[str, str]
Found = Mapping[Pair, Entailed]
Granularity = Literal["s2s", "d2s", "top2s"]

TOP = 3
"""Source sentences that make the premise of `top2s` [methods §2]."""


def entail(model: EntailmentModel, pairs: Iterable[Pair]) -> dict[Pair, Entailed]:
    """What the model says of each distinct (premise, hypothesis), from one call of it."""
    unique = list(dict.fromkeys(pairs))
    return dict(zip(unique, model.predict(unique), strict=True))


def failure(found: Iterable[Entailed]) -> Outcome | None:
    """Why these answers make no score: the first outcome that is neither ok nor `no_claims`;
    `no_claims` where no answer is ok; else None."""
    outcomes = [one.outcome for one in found]
    for outcome in outcomes:
        if outcome not in (Outcome.OK, Outcome.NO_CLAIMS):
            return outcome
    return None if Outcome.OK in outcomes else Outcome.NO_CLAIMS


def coverage_of(
    pairs: Iterable[Pair], found: Found, source_sentences: int = 0, summary_sentences: int = 0
) -> Coverage:
    """Tokens of the distinct premises and hypotheses of these pairs. A premise that was cut beside
    several hypotheses counts with its longest cut."""
    seen: dict[str, Entailed] = {}
    hypotheses: dict[str, int] = {}
    for pair in pairs:
        premise, hypothesis = pair
        one = found[pair]
        if premise not in seen or one.premise_cut > seen[premise].premise_cut:
            seen[premise] = one
        hypotheses[hypothesis] = one.hypothesis_tokens
    return Coverage(
        source_tokens=sum(one.premise_tokens for one in seen.values()),
        source_tokens_cut=sum(one.premise_cut for one in seen.values()),
        source_sentences=source_sentences,
        summary_tokens=sum(hypotheses.values()),
        summary_sentences=summary_sentences,
    )


def nearest(similarity: Floats, count: int) -> list[int]:
    """Positions of the `count` greatest numbers of [source sentences], in the source's order. On
    a tie the earlier sentence is taken."""
    best = np.argsort(-similarity, kind="stable")[:count]
    return sorted(int(position) for position in best)


@dataclass(frozen=True, slots=True)
class _Premise:
    """Source text that a summary sentence is held against. pieces: the source sentences it is made
    of, with their cosines where these chose them; none where it is the whole source."""

    text: str
    pieces: tuple[tuple[Segment, float | None], ...] = ()


@dataclass(frozen=True, slots=True)
class _Held:
    """A summary sentence and its premises; its score is the greatest over these."""

    sentence: Segment
    premises: tuple[_Premise, ...]

    @property
    def pairs(self) -> list[Pair]:
        return [(premise.text, self.sentence.text) for premise in self.premises]


class Entailment(Metric):
    """Mean over summary sentences of the probability that the source entails them [MFAS §3.2].

    granularity  what a sentence s is held against: `d2s` the whole source, E(X, s); `s2s` each
                 source sentence, max E(d, s); `top2s` the 3 source sentences most similar to it,
                 joined in the source's order
    model        any entailment model
    embedder     whose cosines choose the 3 sentences; for top2s only
    threshold    a sentence of less probability is marked unsupported

    The default is d2s: the best of the three in the paper, and the embedded model finds in a long
    source what it needs by itself. A published checkpoint cuts a source that does not fit (the
    coverage says so); s2s and top2s cut nothing.
    Parts: mean entailment, neutral and contradiction of the sentences (s2s: at the best source
    sentence), and the least entailment (`minimum`). Evidence: s2s the best source sentence with
    its entailment, top2s the three with their cosines.
    """

    name = "entailment"
    bounds = (0.0, 1.0)
    unit = "mean probability that the source entails a summary sentence"
    models: ClassVar[dict[str, str]] = {"model": "nli:mini", "embedder": "embed:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"model": "roberta-large-mnli", "granularity": "d2s"}
    }
    splitter = SPLITTER

    @classmethod
    def models_for(cls, options: Mapping[str, JSON]) -> dict[str, str]:
        if options["granularity"] == "top2s":
            return Entailment.models
        return {"model": Entailment.models["model"]}

    def __init__(
        self,
        model: EntailmentModel,
        embedder: SentenceEmbedder | None = None,
        granularity: Granularity = "d2s",
        threshold: float = 0.5,
    ) -> None:
        if granularity == "top2s" and embedder is None:
            raise ConfigError("entailment: granularity=top2s needs an embedder")
        self._model = model
        self.language = language_of(model)
        self._embedder = embedder
        self._granularity = granularity
        self._threshold = threshold

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        held = self._held(examples)
        found = entail(self._model, (pair for some in held for one in some for pair in one.pairs))
        return [self._score(e, some, found) for e, some in zip(examples, held, strict=True)]

    def _held(self, examples: Sequence[Example]) -> list[list[_Held]]:
        """The sentences of each example's summary; none where a text is blank."""
        if self._granularity == "top2s":
            return self._nearest(examples)
        return [
            []
            if is_blank(example)
            else [self._hold(s, example) for s in sentences(example.summary)]
            for example in examples
        ]

    def _hold(self, sentence: Segment, example: Example) -> _Held:
        if self._granularity == "d2s":
            return _Held(sentence, (_Premise(example.source),))
        source = sentences(example.source)
        return _Held(sentence, tuple(_Premise(piece.text, ((piece, None),)) for piece in source))

    def _nearest(self, examples: Sequence[Example]) -> list[list[_Held]]:
        held: dict[int, list[_Held]] = {}
        for chunk in by_size(examples):
            texts = dict.fromkeys(
                piece.text
                for _, example in chunk
                for text in (example.source, example.summary)
                for piece in sentences(text)
            )
            vectors = dict(zip(texts, self._embed(list(texts)), strict=True))
            for position, example in chunk:
                source = sentences(example.source)
                summary = () if is_blank(example) else sentences(example.summary)
                matrix = np.array([vectors[piece.text] for piece in source])
                held[position] = [
                    _joined(sentence, source, matrix @ vectors[sentence.text])
                    for sentence in summary
                ]
        return [held[position] for position in range(len(examples))]

    def _embed(self, texts: list[str]) -> Sequence[Floats]:
        return list(self._embedder.embed(texts)) if self._embedder and texts else []

    def _score(self, example: Example, held: Sequence[_Held], found: Found) -> Score:
        pairs = [pair for one in held for pair in one.pairs]
        source = len(sentences(example.source)) if held else 0
        coverage = coverage_of(pairs, found, source, len(held))
        if not pairs:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        if outcome := failure(found[pair] for pair in pairs):
            return unscored(example, self.name, outcome, coverage=coverage)
        judged = [(one.sentence, *best) for one in held if (best := _best(one, found)) is not None]
        probabilities = np.array([answer for _, _, answer in judged])
        return scored(
            example,
            self.name,
            float(probabilities[:, 0].mean()),
            parts=means(probabilities) | {"minimum": float(probabilities[:, 0].min())},
            spans=[
                Span(sentence.start, sentence.end, "unsupported", answer[0])
                for sentence, _, answer in judged
                if answer[0] < self._threshold
            ],
            evidence=[
                item
                for sentence, premise, answer in judged
                for item in _evidence(sentence, premise, answer[0])
            ],
            coverage=coverage,
        )


def _joined(sentence: Segment, source: Sequence[Segment], similarity: Floats) -> _Held:
    """A sentence with the premise that its most similar source sentences make."""
    pieces = tuple((source[place], float(similarity[place])) for place in nearest(similarity, TOP))
    return _Held(sentence, (_Premise(" ".join(piece.text for piece, _ in pieces), pieces),))


def _best(held: _Held, found: Found) -> tuple[_Premise, tuple[float, float, float]] | None:
    """The premise of the greatest entailment, the first on a tie, with its probabilities; None
    where no answer is ok."""
    answers = [
        (premise, found[pair].probabilities)
        for premise, pair in zip(held.premises, held.pairs, strict=True)
        if found[pair].outcome is Outcome.OK
    ]
    return max(answers, key=lambda answer: answer[1][0], default=None)


def _evidence(sentence: Segment, premise: _Premise, entailment: float) -> list[Evidence]:
    return [
        Evidence(
            piece.start,
            piece.end,
            sentence.start,
            sentence.end,
            "best match" if cosine is None else "similar",
            entailment if cosine is None else cosine,
        )
        for piece, cosine in premise.pieces
    ]


def means(probabilities: Floats) -> dict[str, float]:
    """Mean entailment, neutral and contradiction of [sentences, 3]."""
    names = ("entailment", "neutral", "contradiction")
    return dict(zip(names, map(float, probabilities.mean(axis=0)), strict=True))


class MnliDoc(Metric):
    """Probability that the whole source entails the whole summary (MNLI-doc of [FCLLM]).

    model  any entailment model; a source that does not fit is cut from its end, a summary that does
           not fit is `truncated_summary`
    Parts: entailment, neutral, contradiction.
    """

    name = "mnli_doc"
    bounds = (0.0, 1.0)
    unit = "probability that the source as a whole entails the summary as a whole"
    models: ClassVar[dict[str, str]] = {"model": "nli:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"model": "roberta-large-mnli"}}

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model
        self.language = language_of(model)

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        found = entail(self._model, ((e.source, e.summary) for e in examples if not is_blank(e)))
        return [self._score(example, found) for example in examples]

    def _score(self, example: Example, found: Found) -> Score:
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        pair = (example.source, example.summary)
        coverage = coverage_of([pair], found)
        if outcome := failure([found[pair]]):
            return unscored(example, self.name, outcome, coverage=coverage)
        parts = means(np.array([found[pair].probabilities]))
        return scored(example, self.name, parts["entailment"], parts=parts, coverage=coverage)
