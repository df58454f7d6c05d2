"""The support model: verdicts on words and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from faithkit.models.protocols.base import Bools, Floats, Ints
from faithkit.records import Coverage, Evidence


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """What a source says of one sentence of a summary.

    start, end     characters of the sentence in the summary
    has_claim      False for talk that states nothing the source could support
    probabilities  entailment, neutral, contradiction; they sum to 1
    words          [words, 2] character offsets into the summary, in its order, punctuation left
                   out; the words are those of its reading (`reading.read`): "£5m" are three, and
                   "It is not true that he did not go" two
    unsupported    [words] calibrated probability that the source does not support the word
    evidence       the source sentences it was judged against, best first
    similarities   [words] how near each one's nearest in the source is, `evidence.similarities`
    near_evidence  [words] the same for the nearest in the evidence alone
    content        [words] False for function words such as "the", "by" and "was"
    nearest        [words, 2] characters of the source sentence that has most of each word and those
                   around it, `evidence.nearest_sentences`
    nearness       [words] how much it has of them, -1..1
    """

    start: int
    end: int
    has_claim: bool
    probabilities: tuple[float, float, float]
    words: Ints
    unsupported: Floats
    evidence: tuple[Evidence, ...]
    similarities: Floats = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    near_evidence: Floats = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    content: Bools = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    nearest: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    nearness: Floats = field(default_factory=lambda: np.zeros(0, dtype=np.float32))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A summary judged sentence by sentence; `coverage` says what was read."""

    sentences: tuple[SentenceVerdict, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Decision:
    """From a value of `support` to a verdict, as calibrated on labelled summaries.

    lower, upper  a value below `lower` is inconsistent, from `upper` up consistent
    slope, shift  probability of being consistent = sigmoid(slope * value + shift)
    """

    lower: float
    upper: float
    slope: float
    shift: float

    def probability(self, value: float) -> float:
        return 0.5 + 0.5 * math.tanh((self.slope * value + self.shift) / 2)

    def verdict(self, value: float) -> float:
        """1 consistent, 0 not, 0.5 undecided."""
        return 1.0 if value >= self.upper else 0.0 if value < self.lower else 0.5


@runtime_checkable
class SupportModel(Protocol):
    """A trained verdict for every word and every sentence of a summary."""

    @property
    def id(self) -> str: ...

    @property
    def decision(self) -> Decision:
        """What a value of the metric `support` over these verdicts means."""
        ...

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """One verdict for each (source, summary), in order, the same in any batch. A source
        without a sentence leaves nothing supported; a summary without one has no sentence."""
        ...
