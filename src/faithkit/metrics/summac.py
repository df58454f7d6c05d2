"""SummaC: entailment between every unit of the source and every unit of the summary, put together
without training (`summac_zs`) or by a trained convolution (`summac_conv`) (Laban et al. 2022,
"SummaC: re-visiting NLI-based models for inconsistency detection in summarization").

What lives here: the matrices, what the two metrics make of them, and the file of a convolution.
What does not: the model (`models/entailment.py`) and the training (`train/summac_conv.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from faithkit.language.sentences import SPLITTER
from faithkit.language.words import Segment
from faithkit.metrics.base import Metric
from faithkit.metrics.entailment import Answers, coverage_of, entail, failure
from faithkit.metrics.learned.components import (
    content_hash,
    fields_of,
    read_saved,
    trained_on,
)
from faithkit.metrics.marks import (
    best_matches,
    sentences_or_whole,
    stripped,
    unsupported_below,
)
from faithkit.metrics.options import check_range
from faithkit.metrics.plain import language_of, reads_plain_texts
from faithkit.models.protocols import EntailmentModel
from faithkit.records import (
    JSON,
    ConfigError,
    Coverage,
    DataError,
    Example,
    Outcome,
    Score,
    is_blank,
    scored,
    unscored,
)

Unit = Literal["sentence", "paragraph", "document"]
Contradiction = Literal["on", "off", "apart"]
Matrix = NDArray[np.float64]

BINS = 50
"""Of a column's histogram (§4.2)."""

KIND = "faithkit summac-conv"
TRAIN = "faithkit train summac-conv PAIRS -o FILE"


def units(text: str, kind: Unit) -> tuple[Segment, ...]:
    """The text cut into units. Paragraphs end at blank lines; in a text without one, at line ends
    (as the authors' code does). No unit is dropped for being short."""
    if kind != "paragraph":
        return sentences_or_whole(text, kind)
    gap = r"\n[ \t]*\n\s*" if re.search(r"\n[ \t]*\n", text.strip()) else r"\n"
    boundaries = [0, *(match.end() for match in re.finditer(gap, text)), len(text)]
    segments = [stripped(text, start, end) for start, end in pairwise(boundaries)]
    return tuple(segment for segment in segments if segment.text)


def _nothing() -> Matrix:
    return np.zeros((0, 0))


@dataclass(frozen=True, slots=True)
class EntailmentMatrices:
    """The entailment matrices of one example.

    outcome        ok, or why there is no matrix
    summary        the units that state something, one for each row
    entailment     [summary units, source units], probabilities; so `contradiction`
    """

    outcome: Outcome
    coverage: Coverage
    source: tuple[Segment, ...] = ()
    summary: tuple[Segment, ...] = ()
    entailment: Matrix = field(default_factory=_nothing)
    contradiction: Matrix = field(default_factory=_nothing)


def judge(
    model: EntailmentModel,
    examples: Sequence[Example],
    source: Unit = "sentence",
    summary: Unit = "sentence",
) -> list[EntailmentMatrices]:
    """The matrices of every example. A pair of units that occurs in several examples is scored
    once."""
    unit_pairs = [
        ((), ()) if is_blank(e) else (units(e.source, source), units(e.summary, summary))
        for e in examples
    ]
    answers = entail(
        model,
        (
            (d.text, s.text)
            for source_units, summary_units in unit_pairs
            for s in summary_units
            for d in source_units
        ),
    )
    return [
        _judged(source_units, summary_units, answers) for source_units, summary_units in unit_pairs
    ]


def _judged(
    source: tuple[Segment, ...], summary: tuple[Segment, ...], answers: Answers
) -> EntailmentMatrices:
    pairs = [(d.text, s.text) for s in summary for d in source]
    coverage = coverage_of(
        pairs,
        answers,
        [d.text for d in source],
        [s.text for s in summary],
        source_sentences=len(source),
        summary_sentences=len(summary),
    )
    if not pairs:
        return EntailmentMatrices(Outcome.NO_CONTENT, coverage)
    if outcome := failure(answers[pair] for pair in pairs):
        return EntailmentMatrices(outcome, coverage)
    # Whether a unit states anything does not depend on the source unit.
    kept = tuple(s for s in summary if answers[source[0].text, s.text].outcome is Outcome.OK)
    shares = np.array([[answers[d.text, s.text].probabilities for d in source] for s in kept])
    return EntailmentMatrices(Outcome.OK, coverage, source, kept, shares[:, :, 0], shares[:, :, 2])


def zero_shot(
    entailment: Matrix, contradiction: Matrix, how: Contradiction = "on"
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Each summary unit's score and its best source unit, [summary units] (§4.1).

    how  `on`: the greatest entailment - contradiction of one source unit [methods §3];
         `apart`: the greatest entailment less the greatest contradiction, of any two source units,
         as the authors' package (summac 0.0.4) does; `off`: the greatest entailment
    """
    balance = entailment - contradiction if how == "on" else entailment
    best = balance.argmax(axis=1)
    values = balance.max(axis=1)
    return (values - contradiction.max(axis=1) if how == "apart" else values), best


class SummacZs(Metric):
    """SummaC-ZS: the mean over summary units of their best source unit's entailment less
    contradiction (Laban et al. 2022 §4.1).

    model          any entailment model
    source         units of the source: sentence, paragraph or document
    summary        units of the summary, the same. The embedded model judges a paragraph or a
                   document sentence by sentence: it is entailed as far as its least entailed one
    contradiction  `on`: entailment - contradiction, both of the same source unit; `apart`: less
                   the greatest contradiction of any source unit, as the authors' package does;
                   `off`: entailment alone
    threshold      a unit that scores less is marked unsupported

    Parts: mean entailment and contradiction of the units with their best source unit, and the least
    unit's score (`minimum`).
    """

    name = "summac_zs"
    bounds = (-1.0, 1.0)
    unit = "mean entailment less contradiction of each summary sentence by its best source sentence"
    limitations = (
        "A mean over the sentences is raised by any further sentence that holds. A sentence is "
        "compared with one unit of the source at a time: what follows from several together counts "
        "as unsupported."
    )
    models: ClassVar[dict[str, str]] = {"model": "nli:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"model": "tals/albert-xlarge-vitaminc-mnli", "contradiction": "apart"}
    }
    splitter = SPLITTER
    packages = ("spacy",)

    def __init__(
        self,
        model: EntailmentModel,
        source: Unit = "sentence",
        summary: Unit = "sentence",
        contradiction: Contradiction = "on",
        threshold: float = 0.5,
    ) -> None:
        check_range(self.name, "threshold", threshold, self.bounds)
        self._model = model
        self.language = language_of(model)
        self._units: tuple[Unit, Unit] = (source, summary)
        self._contradiction: Contradiction = contradiction
        self._threshold = threshold

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        judged = judge(self._model, examples, *self._units)
        return [
            self._score(example, matrices)
            for example, matrices in zip(examples, judged, strict=True)
        ]

    def _score(self, example: Example, judged: EntailmentMatrices) -> Score:
        if judged.outcome is not Outcome.OK:
            return unscored(example, self.name, judged.outcome, coverage=judged.coverage)
        values, best = zero_shot(judged.entailment, judged.contradiction, self._contradiction)
        rows = np.arange(len(best))
        parts = {
            "entailment": float(judged.entailment[rows, best].mean()),
            "contradiction": float(judged.contradiction[rows, best].mean()),
            "minimum": float(values.min()),
        }
        return scored(
            example,
            self.name,
            float(values.mean()),
            parts=parts,
            spans=unsupported_below(judged.summary, values, self._threshold),
            evidence=best_matches(
                judged.summary, judged.source, best, judged.entailment[rows, best]
            ),
            coverage=judged.coverage,
        )


def histograms(entailment: Matrix, bins: int = BINS) -> Matrix:
    """[summary units, bins]: how many source units entail each summary unit with a probability in
    each of the equal parts of [0, 1]; the last part holds 1 itself (§4.2)."""
    return np.array(
        [np.histogram(row, bins=bins, range=(0.0, 1.0))[0] for row in entailment], float
    )


@dataclass(frozen=True, slots=True)
class Convolution:
    """The learned parameters of SummaC-Conv: a kernel as long as the histogram, and a bias.

    The paper's convolution is followed by a mean over sentences and a linear layer (§4.2); as all
    three are linear, one kernel and one bias say the same.

    weights  one for each bin
    nli      id of the entailment model whose probabilities it was trained on
    fitted   on what (`data`), and how it did
    """

    weights: tuple[float, ...]
    bias: float
    nli: str
    fitted: Mapping[str, JSON]

    def __post_init__(self) -> None:
        if len(self.weights) < 2 or not all(map(math.isfinite, (*self.weights, self.bias))):
            raise DataError("a convolution needs two finite weights or more and a finite bias")

    def logits(self, entailment: Matrix) -> Matrix:
        """[summary units], each above 0 where it speaks for consistency."""
        logits: Matrix = histograms(entailment, len(self.weights)) @ self.weights + self.bias
        return logits

    def to_dict(self) -> dict[str, JSON]:
        return {
            "kind": KIND,
            "nli": self.nli,
            "bins": len(self.weights),
            "weights": list(self.weights),
            "bias": self.bias,
            "fitted": dict(self.fitted),
        }


def read_convolution(path: Path) -> Convolution:
    """The file that `faithkit train summac-conv -o` wrote. Raises DataError naming the file."""
    row = read_saved(path, KIND, "train summac-conv")
    with fields_of(path, "convolution"):
        weights = tuple(map(float, row["weights"]))
        if len(weights) != row["bins"]:
            raise DataError(f"{len(weights)} weights for {row['bins']} bins")
        return Convolution(weights, float(row["bias"]), str(row["nli"]), dict(row["fitted"]))


def sigmoid(logits: Matrix) -> Matrix:
    """1 / (1 + e^-x), without overflow."""
    probabilities: Matrix = np.exp(-np.logaddexp(0.0, -logits))
    return probabilities


class SummacConv(Metric):
    """SummaC-Conv: how probably the summary is consistent, from the histogram of each summary
    sentence's entailment by all source sentences (Laban et al. 2022 §4.2).

    model      the entailment model that the file was trained with
    file       what `faithkit train summac-conv` wrote
    threshold  a sentence of less probability is marked unsupported

    Counts, not shares, fill the histogram, so the value depends on the source's length, as in the
    paper. Unlike the authors' code, no sentence of either side is left out.
    Parts: the least sentence's probability (`minimum`).
    """

    name = "summac_conv"
    bounds = (0.0, 1.0)
    unit = "probability that the summary is consistent, as learned from the training pairs"
    limitations = (
        "Needs a file that you trained; its value depends on the source's length and means what "
        "the training pairs made of it. A sentence is compared with one source sentence at a time."
    )
    models: ClassVar[dict[str, str]] = {"model": "nli:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"model": "tals/albert-xlarge-vitaminc-mnli"}
    }
    splitter = SPLITTER
    packages = ("spacy",)

    def __init__(
        self, model: EntailmentModel, file: str | None = None, threshold: float = 0.5
    ) -> None:
        check_range(self.name, "threshold", threshold, self.bounds)
        if file is None:
            raise ConfigError(
                f"summac_conv needs file=, a convolution trained on labelled pairs: {TRAIN}"
            )
        self._convolution = read_convolution(Path(file))
        trained = self._convolution.nli
        # The weights decide, not the name they are loaded by.
        if trained.rpartition("@")[2] != model.id.rpartition("@")[2]:
            raise ConfigError(
                f"{file} was trained on the probabilities of {trained}, not of {model.id}; name "
                f"that model with model=, or train again: {TRAIN} --nli MODEL"
            )
        self.trained_on = trained_on(self._convolution.fitted.get("data"))
        self._model = model
        self.language = language_of(model)
        self._threshold = threshold
        # The numbers depend on what the file holds, not on where it is.
        self.resolved = {"file": content_hash(self._convolution.to_dict())}

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        judged = judge(self._model, examples)
        return [
            self._score(example, matrices)
            for example, matrices in zip(examples, judged, strict=True)
        ]

    def _score(self, example: Example, judged: EntailmentMatrices) -> Score:
        if judged.outcome is not Outcome.OK:
            return unscored(example, self.name, judged.outcome, coverage=judged.coverage)
        logits = self._convolution.logits(judged.entailment)
        best = judged.entailment.argmax(axis=1)
        return scored(
            example,
            self.name,
            float(sigmoid(logits.mean())),
            parts={"minimum": float(sigmoid(logits.min()))},
            spans=unsupported_below(judged.summary, sigmoid(logits), self._threshold),
            evidence=best_matches(
                judged.summary, judged.source, best, judged.entailment.max(axis=1)
            ),
            coverage=judged.coverage,
        )
