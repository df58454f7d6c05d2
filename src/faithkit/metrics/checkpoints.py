"""Published checkpoints as metrics over claims [methods §3]: AlignScore, MiniCheck, UniEval, FactCC
and HHEM. The user names the weights; the chunks of the source, the layout of the input and
what is made of the answers are here, as each checkpoint's authors have them.

What does not live here: the models (`models/checkpoints.py`). None of these is embedded, and no
code that comes with a checkpoint is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from faithkit.language.sentences import SPLITTER, sentences
from faithkit.language.words import Segment
from faithkit.metrics.base import Metric
from faithkit.metrics.chunks import even_chunks, full_chunks
from faithkit.metrics.entailment import Answers, coverage_of, failure
from faithkit.metrics.marks import best_matches, sentences_or_whole, unsupported_below
from faithkit.metrics.options import check_range
from faithkit.models.protocols import (
    Checked,
    ClaimModel,
    Entailed,
    Layout,
)
from faithkit.records import (
    JSON,
    ConfigError,
    Example,
    Outcome,
    Score,
    is_blank,
    scored,
    unscored,
)

Matrix = NDArray[np.float64]
Aggregate = Literal["mean", "min"]
Unit = Literal["sentence", "document"]

PAIRS = Layout()
"""The tokenizer's own way with two texts: AlignScore, FactCC, HHEM-1.0."""

MINICHECK_PAIRS = Layout(between="{eos}")
MINICHECK_ANSWERS = Layout(before="predict: ", between="{eos}", answers=("0", "1"))

UNIEVAL = Layout(
    before="question: Is this claim consistent with the document? {eos} claim: ",
    between=" {eos} document: ",
    claim_first=True,
    answers=("No", "Yes"),
)

HHEM = Layout(
    before="{pad} Determine if the hypothesis is true given the premise?\n\nPremise: ",
    between="\n\nHypothesis: ",
)

SUPPORTED = frozenset(
    {"entailment", "entailed", "entails", "aligned", "supported", "supports", "consistent",
     "correct", "faithful", "factual", "grounded", "yes", "true"}
)  # fmt: skip
"""Label names in lower case that say that a probability is of this."""


def column_of(
    labels: Sequence[str],
    meaning: frozenset[str],
    unnamed: Mapping[int, int],
    chosen: str | None,
    metric: str,
) -> int:
    """Which of a checkpoint's labels is meant.

    chosen   the user's choice: a label's name in any case, or its number; wins over all else
    meaning  names that say it; else, where the labels say nothing (LABEL_0, 1, ...)
    unnamed  number of labels to the column that the authors' code reads

    Raises ConfigError where none of these tells.
    """
    plain = [re.sub(r"[-_\s]+", " ", label.lower().strip()) for label in labels]
    shown = ", ".join(labels)
    if chosen is not None:
        name = re.sub(r"[-_\s]+", " ", chosen.lower().strip())
        if name in plain:
            return plain.index(name)
        if name.isdecimal() and int(name) < len(labels):
            return int(name)
        raise ConfigError(f"{metric}: the model has no label '{chosen}'; it has {shown}")
    named = [index for index, label in enumerate(plain) if label in meaning]
    if len(named) == 1:
        return named[0]
    silent = all(re.fullmatch(r"(label )?\d+", label) for label in plain)
    if silent and len(labels) in unnamed:
        return unnamed[len(labels)]
    raise ConfigError(
        f"{metric}: the model's labels {shown} do not say which is meant; say it with label=NAME "
        "or label=NUMBER, counted from 0"
    )


# --- the mathematics ---------------------------------------------------------------------------


def best_chunks(shares: Matrix) -> tuple[Matrix, NDArray[np.int64]]:
    """The greatest probability of each claim and the chunk it is of, the first on a tie.

    shares  [claims, chunks]
    """
    return shares.max(axis=1), shares.argmax(axis=1)


# --- metrics over claims -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Claims:
    """A summary's claims and the chunks of its source; none of either for an empty text."""

    claims: tuple[Segment, ...] = ()
    chunks: tuple[Segment, ...] = ()

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(chunk.text, claim.text) for claim in self.claims for chunk in self.chunks]


class _PerClaim(Metric):
    """The probability that the source supports each claim, the best chunk's, put together.

    A claim without a chunk that it fits beside leaves the summary `truncated_summary`.
    Parts: `mean` and `minimum` over the claims. Spans: claims under `threshold`. Evidence: each
    claim's best chunk, where the source is read in chunks.
    """

    limitations = (
        "You bring the weights: inputs and chunks were compared with the authors' code on small "
        "random models, not on the published weights. Claims are judged one by one, without the "
        "sentences before them."
    )
    bounds = (0.0, 1.0)
    splitter = SPLITTER
    chunked: ClassVar[bool] = False

    def __init__(
        self,
        model: ClaimModel,
        layout: Layout,
        column: int,
        *,
        context: int | None = None,
        summary: Unit = "sentence",
        aggregate: Aggregate = "mean",
        threshold: float = 0.5,
    ) -> None:
        if context is not None and context < 1:
            raise ConfigError(f"{self.name}: context should be 1 or more tokens, found {context}")
        check_range(self.name, "threshold", threshold, self.bounds)
        self._model = model
        self._layout = layout
        self._column = column
        self._context = context
        self._unit: Unit = summary
        self._aggregate: Aggregate = aggregate
        self._threshold = threshold
        self.resolved: dict[str, JSON] = {"label": model.labels[column]} if model.labels else {}

    def _claims(self, summary: str) -> tuple[Segment, ...]:
        return sentences_or_whole(summary, self._unit)

    def _chunks(self, source: str) -> tuple[Segment, ...]:
        return sentences_or_whole(source, "document")

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        sources = dict.fromkeys(e.source for e in examples if not is_blank(e))
        chunks = {source: self._chunks(source) for source in sources}
        claims = [
            _Claims() if is_blank(e) else _Claims(self._claims(e.summary), chunks[e.source])
            for e in examples
        ]
        pairs = list(dict.fromkeys(pair for summary in claims for pair in summary.pairs))
        checked = self._model.check(pairs, self._layout, context=self._context)
        answers = {
            pair: _entailed(answer, self._column)
            for pair, answer in zip(pairs, checked, strict=True)
        }
        return [
            self._score(e, summary_claims, answers)
            for e, summary_claims in zip(examples, claims, strict=True)
        ]

    def _score(self, example: Example, summary: _Claims, answers: Answers) -> Score:
        pairs = summary.pairs
        coverage = coverage_of(
            pairs,
            answers,
            [chunk.text for chunk in summary.chunks],
            [claim.text for claim in summary.claims],
            source_sentences=len(sentences(example.source)) if self.chunked and pairs else 0,
            summary_sentences=len(summary.claims) if self._unit == "sentence" else 0,
        )
        if not pairs:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        if outcome := failure(answers[pair] for pair in pairs):
            return unscored(example, self.name, outcome, coverage=coverage)
        shares = np.array([answers[pair].probabilities[0] for pair in pairs])
        best, best_chunk = best_chunks(shares.reshape(len(summary.claims), len(summary.chunks)))
        parts = {"mean": float(best.mean()), "minimum": float(best.min())}
        return scored(
            example,
            self.name,
            parts["mean" if self._aggregate == "mean" else "minimum"],
            parts=parts,
            spans=unsupported_below(summary.claims, best, self._threshold),
            evidence=best_matches(summary.claims, summary.chunks, best_chunk, best, "best chunk")
            if self.chunked
            else (),
            coverage=coverage,
        )


def _entailed(answer: Checked, column: int) -> Entailed:
    """The answer as one about entailment, and all that is not the label as neutral."""
    share = answer.probabilities[column] if answer.probabilities else 0.0
    sums = (share, 1 - share, 0.0) if answer.probabilities else (0.0, 0.0, 0.0)
    return Entailed(
        answer.outcome, sums, answer.source_tokens, answer.source_cut, answer.claim_tokens
    )


def _positive(name: str, number: int) -> int:
    if number < 1:
        raise ConfigError(f"{name}: chunk should be 1 or more, found {number}")
    return number


def _supported_column(
    model: ClaimModel, unnamed: Mapping[int, int], label: str | None, metric: str
) -> int:
    """The column of a classifier's label for a supported claim; see `column_of`.

    Raises ConfigError on a model that writes answers, and if the label cannot be determined.
    """
    if model.kind == "answers":
        raise ConfigError(f"{metric}: {model.id} writes answers; expected a model with labels")
    return column_of(model.labels, SUPPORTED, unnamed, label, metric)


class AlignScore(_PerClaim):
    """AlignScore: chunks of about 350 words beside summary sentences, the probability ALIGNED of
    the three-way head, the greatest over chunks, the mean over sentences (Zha et al. 2023 §3.2).

    model      a folder with the weights as safetensors (the release is a pickle, which is refused),
               under the authors' names or as a sequence classifier; or any entailment model
    chunk      white-space words of a chunk
    label      which of the model's labels is ALIGNED: its name, or its number from 0; default: as
               its config says, else the first of three, as in the authors' code
    threshold  a sentence of less probability is marked unsupported
    """

    name = "alignscore"
    chunked = True
    unit = "mean probability that a summary sentence is aligned with its best chunk of the source"
    models: ClassVar[dict[str, str]] = {"model": "check:"}
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"chunk": "350"}}

    def __init__(
        self,
        model: ClaimModel | None = None,
        chunk: int = 350,
        label: str | None = None,
        threshold: float = 0.5,
    ) -> None:
        if model is None:
            raise ConfigError(
                "alignscore needs model=FOLDER with its weights as safetensors: the release is a "
                "Lightning checkpoint, which is a pickle; convert it once where you trust it"
            )
        self._size = _positive(self.name, chunk)
        column = _supported_column(model, {3: 0}, label, self.name)
        super().__init__(model, PAIRS, column, threshold=threshold)

    def _chunks(self, source: str) -> tuple[Segment, ...]:
        return even_chunks(source, sentences(source), self._size)


class MiniCheck(_PerClaim):
    """MiniCheck: how probably the best chunk of the source supports a claim (Tang et al. 2024).

    model      MiniCheck-Flan-T5-Large, or the RoBERTa or DeBERTa classifier
    chunk      size of a chunk; default as the authors': 500 white-space words with the first, 400
               tokens with a classifier
    summary    a `sentence` or the whole summary (`document`) is a claim; the authors advise to
               split and leave open how to go on, their tables take a claim as it is
    aggregate  `mean` or `min` over the claims
    label      which label says supported: name or number; default: as the config says, else the
               second of two; of no use with an encoder-decoder
    threshold  a claim of less probability is marked unsupported
    """

    name = "minicheck"
    chunked = True
    unit = "probability that a claim of the summary is supported by its best chunk of the source"
    models: ClassVar[dict[str, str]] = {"model": "check:lytang/MiniCheck-Flan-T5-Large"}
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"summary": "document"}}

    WORDS, TOKENS, CONTEXT = 500, 400, 2048

    def __init__(
        self,
        model: ClaimModel,
        chunk: int | None = None,
        summary: Unit = "sentence",
        aggregate: Aggregate = "mean",
        label: str | None = None,
        threshold: float = 0.5,
    ) -> None:
        self._words = model.kind == "answers"
        usual = self.WORDS if self._words else self.TOKENS
        self._size = _positive(self.name, usual if chunk is None else chunk)
        if self._words:
            layout, column = MINICHECK_ANSWERS, 1
        else:
            layout = MINICHECK_PAIRS
            column = _supported_column(model, {2: 1}, label, self.name)
        super().__init__(
            model,
            layout,
            column,
            context=self.CONTEXT,
            summary=summary,
            aggregate=aggregate,
            threshold=threshold,
        )
        self.resolved["chunk"] = self._size

    def _chunks(self, source: str) -> tuple[Segment, ...]:
        pieces = sentences(source)
        texts = [piece.text for piece in pieces]
        if self._words:
            lengths = [len(text.split()) for text in texts]
        else:
            lengths = self._model.count_tokens(texts)
        return full_chunks(source, pieces, lengths, self._size)


class UniEval(_PerClaim):
    """UniEval's consistency: a Boolean question about each summary sentence, its answer
    P(yes) / (P(yes) + P(no)), the mean over sentences (Zhong et al. 2022 §3).

    model      unieval-sum, unieval-fact or another encoder-decoder trained alike
    context    tokens of question, claim and source together; a longer source is cut
    threshold  a sentence of less probability is marked unsupported
    """

    name = "unieval"
    unit = "mean probability of yes when asked whether a sentence is consistent with the source"
    models: ClassVar[dict[str, str]] = {"model": "check:MingZhong/unieval-sum"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"model": "MingZhong/unieval-sum", "context": "1024"}
    }

    def __init__(self, model: ClaimModel, context: int = 1024, threshold: float = 0.5) -> None:
        if model.kind != "answers":
            raise ConfigError(f"{self.name}: {model.id} has labels; expected an encoder-decoder")
        super().__init__(model, UNIEVAL, 1, context=context, threshold=threshold)


class FactCC(_PerClaim):
    """FactCC: the probability CORRECT of each summary sentence beside the source, their mean
    (Kryscinski et al. 2020 §3; its 512 tokens cut a long source).

    model      FactCC, or another classifier of (source, sentence)
    label      which label says correct: name or number; default: as the config says, else the
               first of two, as in the release
    threshold  a sentence of less probability is marked unsupported
    """

    name = "factcc"
    unit = "mean probability that a summary sentence is correct, given the source"
    models: ClassVar[dict[str, str]] = {"model": "check:manueldeprada/FactCC"}
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"model": "manueldeprada/FactCC"}}

    def __init__(self, model: ClaimModel, label: str | None = None, threshold: float = 0.5) -> None:
        column = _supported_column(model, {2: 0}, label, self.name)
        super().__init__(model, PAIRS, column, threshold=threshold)


class Hhem(_PerClaim):
    """HHEM: the probability that the whole source supports the summary, by Vectara's
    hallucination evaluation model.

    model      HHEM-2.1-open, with flan-t5-base's tokenizer in its folder: its weights are those of
               a T5 token classifier and are read as such, without the code that comes with them; or
               HHEM-1.0, a cross-encoder of one output
    summary    the whole summary (`document`), as its authors use it, or each `sentence`, averaged
    context    tokens of the longest input; a longer source is cut. Version 2.1 has no limit of its
               own
    label      which label says consistent: name or number; default: as the config says, else the
               second of two
    threshold  a claim of less probability is marked unsupported
    """

    name = "hhem"
    unit = "probability that the summary is consistent with the source"
    limitations = (
        "You bring the weights: the adapter was tested on small random models, not on the "
        "published weights. One judgement of the whole summary says not which sentence is wrong."
    )
    models: ClassVar[dict[str, str]] = {"model": "check:vectara/hallucination_evaluation_model"}

    def __init__(
        self,
        model: ClaimModel,
        summary: Unit = "document",
        context: int = 4096,
        label: str | None = None,
        threshold: float = 0.5,
    ) -> None:
        column = _supported_column(model, {2: 1}, label, self.name)
        layout = HHEM if model.kind == "first token" else PAIRS
        super().__init__(
            model, layout, column, context=context, summary=summary, threshold=threshold
        )
