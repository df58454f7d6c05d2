"""Neural entailment of the summary by its source: `entailment`, sentence by sentence
[MFAS §3.2; methods §2], and `mnli_doc`, both texts whole [FCLLM].

What lives here: which premise each summary sentence is compared with, and how the probabilities are
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
from faithkit.metrics.batch import map_in_chunks, score_unless_blank
from faithkit.metrics.marks import unsupported_below
from faithkit.metrics.options import check_range
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
    is_blank,
    scored,
    unscored,
)

Pair = tuple[str, str]
Answers = Mapping[Pair, Entailed]
Granularity = Literal["s2s", "d2s", "top2s"]

TOP = 3
"""Source sentences that make the premise of `top2s` [methods §2]."""


def entail(model: EntailmentModel, pairs: Iterable[Pair]) -> dict[Pair, Entailed]:
    """The model's prediction for each distinct (premise, hypothesis) pair, from one call of the
    model."""
    unique = list(dict.fromkeys(pairs))
    return dict(zip(unique, model.predict(unique), strict=True))


def failure(answers: Iterable[Entailed]) -> Outcome | None:
    """Why these answers make no score: the first outcome that is neither ok nor `no_claims`;
    `no_claims` where no answer is ok; else None."""
    outcomes = [answer.outcome for answer in answers]
    for outcome in outcomes:
        if outcome not in (Outcome.OK, Outcome.NO_CLAIMS):
            return outcome
    return None if Outcome.OK in outcomes else Outcome.NO_CLAIMS


def coverage_of(
    pairs: Iterable[Pair],
    answers: Answers,
    premises: Iterable[str],
    hypotheses: Iterable[str],
    *,
    source_sentences: int = 0,
    summary_sentences: int = 0,
) -> Coverage:
    """Tokens of the premises and hypotheses that these pairs are made of.

    premises, hypotheses  each as often as it occurs in the source or the summary. A premise that
                          was cut beside several hypotheses counts with its longest cut
    """
    by_premise: dict[str, Entailed] = {}
    by_hypothesis: dict[str, int] = {}
    for pair in pairs:
        premise, hypothesis = pair
        answer = answers[pair]
        if premise not in by_premise or answer.premise_cut > by_premise[premise].premise_cut:
            by_premise[premise] = answer
        by_hypothesis[hypothesis] = answer.hypothesis_tokens
    read = [by_premise[premise] for premise in premises if premise in by_premise]
    return Coverage(
        source_tokens=sum(answer.premise_tokens for answer in read),
        source_tokens_cut=sum(answer.premise_cut for answer in read),
        source_sentences=source_sentences,
        summary_tokens=sum(by_hypothesis.get(hypothesis, 0) for hypothesis in hypotheses),
        summary_sentences=summary_sentences,
    )


def nearest(similarity: Floats, count: int) -> list[int]:
    """Positions of the `count` greatest numbers of [source sentences], in the source's order. On
    a tie the earlier sentence is taken."""
    best = np.argsort(-similarity, kind="stable")[:count]
    return sorted(int(position) for position in best)


@dataclass(frozen=True, slots=True)
class _Premise:
    """Source text that a summary sentence is compared with. pieces: the source sentences it is made
    of, with their cosines where these chose them; none where it is the whole source."""

    text: str
    pieces: tuple[tuple[Segment, float | None], ...] = ()


@dataclass(frozen=True, slots=True)
class _Claim:
    """A summary sentence and its premises; its score is the greatest over these."""

    sentence: Segment
    premises: tuple[_Premise, ...]

    @property
    def pairs(self) -> list[Pair]:
        return [(premise.text, self.sentence.text) for premise in self.premises]


class Entailment(Metric):
    """Mean over summary sentences of the probability that the source entails them [MFAS §3.2].

    granularity  what a sentence s is compared with: `d2s` the whole source, E(X, s); `s2s` each
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
    limitations = (
        "A mean over the sentences: one wrong sentence among many hardly lowers it (the part "
        "`minimum` is the worst one's), and a further sentence that holds raises it. As good as "
        "the entailment model; the embedded one has the limitations of `support`."
    )
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
        check_range(self.name, "threshold", threshold, self.bounds)
        if granularity == "top2s" and embedder is None:
            raise ConfigError("entailment: granularity=top2s needs an embedder")
        self._model = model
        self.language = language_of(model)
        self._embedder = embedder
        self._granularity = granularity
        self._threshold = threshold

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        claims = self._claims(examples)
        pairs = (pair for of_one in claims for claim in of_one for pair in claim.pairs)
        entailed = entail(self._model, pairs)
        return [
            self._score(e, of_one, entailed) for e, of_one in zip(examples, claims, strict=True)
        ]

    def _claims(self, examples: Sequence[Example]) -> list[list[_Claim]]:
        """The sentences of each example's summary; none where a text is blank."""
        if self._granularity == "top2s":
            return map_in_chunks(examples, self._nearest)
        return [
            []
            if is_blank(example)
            else [self._claim(s, example) for s in sentences(example.summary)]
            for example in examples
        ]

    def _claim(self, sentence: Segment, example: Example) -> _Claim:
        if self._granularity == "d2s":
            return _Claim(sentence, (_Premise(example.source),))
        source = sentences(example.source)
        return _Claim(sentence, tuple(_Premise(piece.text, ((piece, None),)) for piece in source))

    def _nearest(self, examples: Sequence[Example]) -> list[list[_Claim]]:
        texts = dict.fromkeys(
            sentence.text
            for example in examples
            for text in (example.source, example.summary)
            for sentence in sentences(text)
        )
        vectors = dict(zip(texts, self._embed(list(texts)), strict=True))
        claims: list[list[_Claim]] = []
        for example in examples:
            source = sentences(example.source)
            summary = () if is_blank(example) else sentences(example.summary)
            matrix = np.array([vectors[sentence.text] for sentence in source])
            claims.append([_joined(s, source, matrix @ vectors[s.text]) for s in summary])
        return claims

    def _embed(self, texts: list[str]) -> Sequence[Floats]:
        return list(self._embedder.embed(texts)) if self._embedder and texts else []

    def _score(self, example: Example, claims: Sequence[_Claim], entailed: Answers) -> Score:
        pairs = [pair for claim in claims for pair in claim.pairs]
        source = len(sentences(example.source)) if claims else 0
        coverage = coverage_of(
            pairs,
            entailed,
            _premises(claims),
            [claim.sentence.text for claim in claims],
            source_sentences=source,
            summary_sentences=len(claims),
        )
        if not pairs:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        if outcome := failure(entailed[pair] for pair in pairs):
            return unscored(example, self.name, outcome, coverage=coverage)
        judged = [(claim.sentence, *best) for claim in claims if (best := _best(claim, entailed))]
        probabilities = np.array([answer for _, _, answer in judged])
        return scored(
            example,
            self.name,
            float(probabilities[:, 0].mean()),
            parts=means(probabilities) | {"minimum": float(probabilities[:, 0].min())},
            spans=unsupported_below(
                [sentence for sentence, _, _ in judged], probabilities[:, 0], self._threshold
            ),
            evidence=[
                item
                for sentence, premise, answer in judged
                for item in _evidence(sentence, premise, answer[0])
            ],
            coverage=coverage,
        )


def _joined(sentence: Segment, source: Sequence[Segment], similarity: Floats) -> _Claim:
    """A sentence with the premise that its most similar source sentences make."""
    pieces = tuple((source[place], float(similarity[place])) for place in nearest(similarity, TOP))
    return _Claim(sentence, (_Premise(" ".join(piece.text for piece, _ in pieces), pieces),))


def _premises(claims: Sequence[_Claim]) -> list[str]:
    """The premises of a summary's sentences, each place of the source once: a sentence that the
    source repeats is two."""
    places = {
        (premise.text, tuple(piece.start for piece, _ in premise.pieces))
        for claim in claims
        for premise in claim.premises
    }
    return [text for text, _ in places]


def _best(claim: _Claim, entailed: Answers) -> tuple[_Premise, tuple[float, float, float]] | None:
    """The premise of the greatest entailment, the first on a tie, with its probabilities; None
    where no answer is ok."""
    answers = [
        (premise, entailed[pair].probabilities)
        for premise, pair in zip(claim.premises, claim.pairs, strict=True)
        if entailed[pair].outcome is Outcome.OK
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
           not fit is `truncated_summary`. The embedded one judges sentence by sentence: a summary
           is entailed as far as its least entailed sentence, and contradicted as far as its most
           contradicted one
    Parts: entailment, neutral, contradiction.
    """

    name = "mnli_doc"
    bounds = (0.0, 1.0)
    unit = "probability that the source as a whole entails the summary as a whole"
    limitations = (
        "With the embedded model the least entailed sentence alone decides: a long summary has a "
        "lower value than a short one as faithful. A published checkpoint was trained on single "
        "sentences, so one wrong detail in a long summary is easily missed, and it cuts a source "
        "that does not fit (the coverage says so)."
    )
    models: ClassVar[dict[str, str]] = {"model": "nli:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"model": "roberta-large-mnli"}}

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model
        self.language = language_of(model)

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return score_unless_blank(examples, self.name, self._score_all)

    def _score_all(self, examples: Sequence[Example]) -> list[Score]:
        entailed = entail(self._model, ((e.source, e.summary) for e in examples))
        return [self._score(example, entailed) for example in examples]

    def _score(self, example: Example, entailed: Answers) -> Score:
        pair = (example.source, example.summary)
        coverage = coverage_of([pair], entailed, [example.source], [example.summary])
        if outcome := failure([entailed[pair]]):
            return unscored(example, self.name, outcome, coverage=coverage)
        parts = means(np.array([entailed[pair].probabilities]))
        return scored(example, self.name, parts["entailment"], parts=parts, coverage=coverage)
