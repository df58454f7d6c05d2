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
    probabilities  entailment, neutral, contradiction as the network has them; they sum to 1
    supported      calibrated probability that the source supports the sentence
    words          [words, 2] character offsets into the summary, in its order, punctuation left
                   out; the words are those of its reading (`reading.read`): "£5m" are three, and
                   "It is not true that he did not go" two
    unsupported    [words] calibrated probability that the source does not support the word
    evidence       the source sentences it was judged against, best first
    content        [words] False for function words such as "the", "by" and "was"
    nearest        [words, 2] characters of the evidence sentence that has most of each word and
                   those around it; empty without evidence
    """

    start: int
    end: int
    has_claim: bool
    probabilities: tuple[float, float, float]
    supported: float
    words: Ints
    unsupported: Floats
    evidence: tuple[Evidence, ...]
    content: Bools = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    nearest: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A summary judged sentence by sentence; `coverage` says what was read."""

    sentences: tuple[SentenceVerdict, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Decision:
    """From the probabilities of sentences to the value of `support`, the probability that every
    sentence is supported, and from that to a verdict. Fitted on kinds of text that the model was
    not trained on.

    lower, upper  a value below `lower` is inconsistent, from `upper` up consistent
    dependence    how far the doubts about the sentences of one summary go together: the parameter
                  of a Gumbel copula [Nelsen 2006, An Introduction to Copulas, eq. 4.2.4]. At 1, the
                  least, they are independent and the value is the product; the larger, the nearer
                  to the least probability of a sentence
    """

    lower: float
    upper: float
    dependence: float = 1.0

    def all_supported(self, sentences: Sequence[float]) -> float:
        """The probability that every sentence is supported, 0..1, from those of each. It is at most
        the least of them; a further sentence never raises it, and one that is surely supported
        leaves it as it is. Raises ValueError without a sentence."""
        doubts = sorted(-math.log(max(probability, 1e-12)) for probability in sentences)
        largest = max(doubts)
        if largest == 0:
            return 1.0
        # Sorted and summed by fsum, so that the order of sentences does not affect the last digit.
        joined = math.fsum((doubt / largest) ** self.dependence for doubt in doubts)
        return math.exp(-largest * joined ** (1 / self.dependence))

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

    @property
    def marked(self) -> float:
        """The probability of being unsupported from which a word is worth showing."""
        ...

    @property
    def doubtful(self) -> float:
        """The probability of being unsupported from which the model finds a word rather unsupported
        than supported; not above `marked`."""
        ...

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """One verdict for each (source, summary), in order, the same in any batch. A source
        without a sentence leaves nothing supported; a summary without one has no sentence."""
        ...
