"""Published checkpoints as metrics [methods §3]: AlignScore, MiniCheck, UniEval, FactCC, HHEM and
LettuceDetect. The user names the weights; the chunks of the source, the layout of the input and
what is made of the answers are here, as each checkpoint's authors have them.

What does not live here: the models (`models/checkpoints.py`). None of these is embedded, and no
code that comes with a checkpoint is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from faithkit.language.sentences import SPLITTER, sentences
from faithkit.language.words import Segment
from faithkit.metrics.base import Metric
from faithkit.metrics.entailment import Found, coverage_of, failure
from faithkit.models.protocols import (
    Checked,
    ClaimModel,
    Entailed,
    Floats,
    Ints,
    Layout,
    TokenClassifier,
    TokenLabels,
)
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

LETTUCEDETECT = Layout(
    before="Summarize the following text:\npassage 1: ", between="\noutput:{pair}"
)

SUPPORTED = frozenset(
    {"entailment", "entailed", "entails", "aligned", "supported", "supports", "consistent",
     "correct", "faithful", "factual", "grounded", "yes", "true"}
)  # fmt: skip
HALLUCINATED = frozenset(
    {"hallucinated", "hallucination", "unsupported", "inconsistent", "unfaithful", "incorrect"}
)
"""Label names in lower case that say what a probability is of."""


def column_of(
    labels: Sequence[str],
    meaning: frozenset[str],
    unnamed: Mapping[int, int],
    asked: str | None,
    metric: str,
) -> int:
    """Which of a checkpoint's labels is meant.

    asked    the user's choice: a label's name in any case, or its number; wins over all else
    meaning  names that say it; else, where the labels say nothing (LABEL_0, 1, ...)
    unnamed  number of labels to the column that the authors' code reads

    Raises ConfigError where none of these tells.
    """
    plain = [re.sub(r"[-_\s]+", " ", label.lower().strip()) for label in labels]
    shown = ", ".join(labels)
    if asked is not None:
        wanted = re.sub(r"[-_\s]+", " ", asked.lower().strip())
        if wanted in plain:
            return plain.index(wanted)
        if wanted.isdecimal() and int(wanted) < len(labels):
            return int(wanted)
        raise ConfigError(f"{metric}: the model has no label '{asked}'; it has {shown}")
    named = [place for place, label in enumerate(plain) if label in meaning]
    if len(named) == 1:
        return named[0]
    silent = all(re.fullmatch(r"(label )?\d+", label) for label in plain)
    if silent and len(labels) in unnamed:
        return unnamed[len(labels)]
    raise ConfigError(
        f"{metric}: the model's labels {shown} do not say which is meant; say it with label=NAME "
        "or label=NUMBER, counted from 0"
    )


# --- chunks ------------------------------------------------------------------------------------


def even_chunks(text: str, pieces: Sequence[Segment], size: int) -> tuple[Segment, ...]:
    """Groups of as many sentences each as give chunks of about `size` white-space words, joined by
    a blank (AlignScore, Zha et al. 2023 §3.2, as their code has it). The last may be shorter; a
    sentence is never cut."""
    parts = len(text.split()) // size + 1
    each = max(len(pieces) // parts, 1)
    groups = [pieces[start : start + each] for start in range(0, len(pieces), each)]
    return tuple(
        Segment(group[0].start, group[-1].end, " ".join(piece.text for piece in group))
        for group in groups
    )


def full_chunks(
    text: str, pieces: Sequence[Segment], lengths: Sequence[int], size: int
) -> tuple[Segment, ...]:
    """Sentences joined for as long as their lengths stay within `size`; one that is longer is a
    chunk by itself (MiniCheck, Tang et al. 2024, appendix E.2). Lines stay lines."""
    groups: list[list[Segment]] = []
    filled = 0
    for piece, length in zip(pieces, lengths, strict=True):
        if not groups or filled + length > size:
            groups.append([])
            filled = 0
        groups[-1].append(piece)
        filled += length
    return tuple(Segment(g[0].start, g[-1].end, _lines(text, g)) for g in groups)


def _lines(text: str, group: Sequence[Segment]) -> str:
    """The sentences, a line end between two where the text has one there, else a blank."""
    written = group[0].text
    for last, piece in pairwise(group):
        written += ("\n" if "\n" in text[last.end : piece.start] else " ") + piece.text
    return written


def whole(text: str) -> tuple[Segment, ...]:
    """The text as one piece."""
    return (Segment(0, len(text), text),)


# --- the mathematics ---------------------------------------------------------------------------


def best_chunks(shares: Matrix) -> tuple[Matrix, NDArray[np.int64]]:
    """The greatest probability of each claim and the chunk it is of, the first on a tie.

    shares  [claims, chunks]
    """
    return shares.max(axis=1), shares.argmax(axis=1)


def marked_spans(
    text: str, offsets: Ints, shares: Floats, threshold: float
) -> list[tuple[int, int, float]]:
    """Runs of neighbouring tokens of a probability of at least `threshold`: start, end and the
    greatest probability, without the white space around them.

    offsets  [tokens, 2]; a token without characters is passed over
    shares   [tokens]
    """
    found: list[tuple[int, int, float]] = []
    running = False
    for (start, end), share in zip(offsets.tolist(), shares.tolist(), strict=True):
        if start == end:
            continue
        if share >= threshold and running:
            found[-1] = (found[-1][0], end, max(found[-1][2], share))
        elif share >= threshold:
            found.append((start, end, share))
        running = share >= threshold
    stripped = []
    for start, end, share in found:
        piece = text[start:end]
        start += len(piece) - len(piece.lstrip())
        if piece.strip():
            stripped.append((start, start + len(piece.strip()), share))
    return stripped


# --- metrics over claims -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Held:
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
        self._model = model
        self._layout = layout
        self._column = column
        self._context = context
        self._unit: Unit = summary
        self._aggregate: Aggregate = aggregate
        self._threshold = threshold
        self.resolved: dict[str, JSON] = {"label": model.labels[column]} if model.labels else {}

    def _claims(self, summary: str) -> tuple[Segment, ...]:
        return sentences(summary) if self._unit == "sentence" else whole(summary)

    def _chunks(self, source: str) -> tuple[Segment, ...]:
        return whole(source)

    def score(self, examples: Sequence[Example]) -> list[Score]:
        chunks = _of_each(self._chunks, (e.source for e in examples if not is_blank(e)))
        held = [
            _Held() if is_blank(e) else _Held(self._claims(e.summary), chunks[e.source])
            for e in examples
        ]
        pairs = list(dict.fromkeys(pair for one in held for pair in one.pairs))
        checked = self._model.check(pairs, self._layout, context=self._context)
        found = {
            pair: _entailed(one, self._column) for pair, one in zip(pairs, checked, strict=True)
        }
        return [self._score(e, one, found) for e, one in zip(examples, held, strict=True)]

    def _score(self, example: Example, held: _Held, found: Found) -> Score:
        pairs = held.pairs
        coverage = coverage_of(
            pairs,
            found,
            len(sentences(example.source)) if self.chunked and pairs else 0,
            len(held.claims) if self._unit == "sentence" else 0,
        )
        if not pairs:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        if outcome := failure(found[pair] for pair in pairs):
            return unscored(example, self.name, outcome, coverage=coverage)
        shares = np.array([found[pair].probabilities[0] for pair in pairs])
        best, places = best_chunks(shares.reshape(len(held.claims), len(held.chunks)))
        parts = {"mean": float(best.mean()), "minimum": float(best.min())}
        return scored(
            example,
            self.name,
            parts["mean" if self._aggregate == "mean" else "minimum"],
            parts=parts,
            spans=[
                Span(claim.start, claim.end, "unsupported", float(share))
                for claim, share in zip(held.claims, best, strict=True)
                if share < self._threshold
            ],
            evidence=self._evidence(held, best, places),
            coverage=coverage,
        )

    def _evidence(self, held: _Held, best: Matrix, places: NDArray[np.int64]) -> list[Evidence]:
        if not self.chunked:
            return []
        chosen = [held.chunks[place] for place in places]
        return [
            Evidence(chunk.start, chunk.end, claim.start, claim.end, "best chunk", float(share))
            for claim, chunk, share in zip(held.claims, chosen, best, strict=True)
        ]


def _of_each(
    make: Callable[[str], tuple[Segment, ...]], texts: Iterable[str]
) -> dict[str, tuple[Segment, ...]]:
    return {text: make(text) for text in dict.fromkeys(texts)}


def _entailed(one: Checked, column: int) -> Entailed:
    """The answer as one about entailment, and all that is not the label as neutral."""
    share = one.probabilities[column] if one.probabilities else 0.0
    sums = (share, 1 - share, 0.0) if one.probabilities else (0.0, 0.0, 0.0)
    return Entailed(one.outcome, sums, one.source_tokens, one.source_cut, one.claim_tokens)


def _positive(name: str, number: int) -> int:
    if number < 1:
        raise ConfigError(f"{name}: chunk should be 1 or more, found {number}")
    return number


def _classifier(model: ClaimModel, name: str) -> ClaimModel:
    if model.kind == "answers":
        raise ConfigError(f"{name}: {model.id} writes answers; expected a model with labels")
    return model


class AlignScore(_PerClaim):
    """AlignScore: chunks of about 350 words against summary sentences, the probability ALIGNED of
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
        column = column_of(
            _classifier(model, self.name).labels, SUPPORTED, {3: 0}, label, self.name
        )
        super().__init__(model, PAIRS, column, threshold=threshold)

    def _chunks(self, source: str) -> tuple[Segment, ...]:
        return even_chunks(source, sentences(source), self._size)


class MiniCheck(_PerClaim):
    """MiniCheck: how probably the best chunk of the source supports a claim (Tang et al. 2024).

    model      MiniCheck-Flan-T5-Large, or the RoBERTa or DeBERTa classifier
    chunk      size of a chunk; default as the authors': 500 white-space words with the first, 400
               tokens with a classifier
    summary    a `sentence` or the whole summary (`document`) is a claim; the authors advise to
               split and leave open how to go on, their own tables take a claim as it stands
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
        self._size = _positive(self.name, chunk or (self.WORDS if self._words else self.TOKENS))
        if self._words:
            layout, column = MINICHECK_ANSWERS, 1
        else:
            layout = MINICHECK_PAIRS
            column = column_of(model.labels, SUPPORTED, {2: 1}, label, self.name)
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
        column = column_of(
            _classifier(model, self.name).labels, SUPPORTED, {2: 0}, label, self.name
        )
        super().__init__(model, PAIRS, column, threshold=threshold)


class Hhem(_PerClaim):
    """HHEM: the probability that the source as a whole bears the summary out, by Vectara's
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
    models: ClassVar[dict[str, str]] = {"model": "check:vectara/hallucination_evaluation_model"}

    def __init__(
        self,
        model: ClaimModel,
        summary: Unit = "document",
        context: int = 4096,
        label: str | None = None,
        threshold: float = 0.5,
    ) -> None:
        column = column_of(
            _classifier(model, self.name).labels, SUPPORTED, {2: 1}, label, self.name
        )
        layout = HHEM if model.kind == "first token" else PAIRS
        super().__init__(
            model, layout, column, context=context, summary=summary, threshold=threshold
        )


# --- a metric over tokens ----------------------------------------------------------------------


class LettuceDetect(Metric):
    """1 less how probably the summary is hallucinated, from a probability for each of its tokens
    (LettuceDetect, Kovács & Recski 2025).

    model      a token classifier of (context, answer)
    aggregate  `max`: the most suspicious token decides, as in the authors' verdict over an answer;
               `mean`: the mean over tokens
    context    tokens of source and summary together, as in their training; a longer source is cut
    label      which label says hallucinated: name or number; default: as the config says, else the
               second of two
    threshold  neighbouring tokens of at least this probability are a span, scored with the greatest

    Parts: `mean` and `maximum` of the tokens' probability of being hallucinated.
    """

    name = "lettucedetect"
    bounds = (0.0, 1.0)
    unit = "1 less the probability of being hallucinated, of the most suspicious token or the mean"
    models: ClassVar[dict[str, str]] = {
        "model": "spans:KRLabsOrg/lettucedect-base-modernbert-en-v1"
    }

    def __init__(
        self,
        model: TokenClassifier,
        aggregate: Literal["max", "mean"] = "max",
        context: int = 4096,
        label: str | None = None,
        threshold: float = 0.5,
    ) -> None:
        if context < 1:
            raise ConfigError(f"{self.name}: context should be 1 or more tokens, found {context}")
        self._model = model
        self._column = column_of(model.labels, HALLUCINATED, {2: 1}, label, self.name)
        self._aggregate: Literal["max", "mean"] = aggregate
        self._context = context
        self._threshold = threshold
        self.resolved: dict[str, JSON] = {"label": model.labels[self._column]}

    def score(self, examples: Sequence[Example]) -> list[Score]:
        pairs = [(e.source, e.summary) for e in examples if not is_blank(e)]
        unique = list(dict.fromkeys(pairs))
        answers = self._model.classify(unique, LETTUCEDETECT, context=self._context)
        found = dict(zip(unique, answers, strict=True))
        return [self._score(example, found) for example in examples]

    def _score(self, example: Example, found: Mapping[tuple[str, str], TokenLabels]) -> Score:
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        one = found[example.source, example.summary]
        coverage = Coverage(
            source_tokens=one.source_tokens,
            source_tokens_cut=one.source_cut,
            summary_tokens=one.claim_tokens,
        )
        if one.outcome is not Outcome.OK:
            return unscored(example, self.name, one.outcome, coverage=coverage)
        shares = one.probabilities[:, self._column]
        real = one.offsets[:, 0] < one.offsets[:, 1]
        if not real.any():
            return unscored(example, self.name, Outcome.NO_CLAIMS, coverage=coverage)
        told = shares[real].astype(np.float64)
        parts = {"mean": float(told.mean()), "maximum": float(told.max())}
        return scored(
            example,
            self.name,
            1 - parts["maximum" if self._aggregate == "max" else "mean"],
            parts=parts,
            spans=[
                Span(start, end, "unsupported", share)
                for start, end, share in marked_spans(
                    example.summary, one.offsets, shares, self._threshold
                )
            ],
            coverage=coverage,
        )
