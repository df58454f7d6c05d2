"""From the network's logits to probabilities: of a word, that it is unsupported; of a sentence,
that it is supported; of a summary, that every sentence is. And the bands of its verdict.

Pure functions. The numbers are fitted by `faithkit.train.support_calibration` on files that the
network was not trained on, and lie in the weights' file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from faithkit.models.protocols import Bools, Floats, Ints

DOUBTFUL = 0.0
"""The logit from which the network thinks a word as likely unsupported as not; such words are
shown."""


def counted(words: Floats, content: Bools) -> Floats:
    """The logits of a sentence's content words; of all its words where it has none."""
    return words[content] if content.any() else words


def sentence_doubt(words: Floats, content: Bools) -> float:
    """How doubtful a sentence is, from 0: minus the mean log-probability that a content word is
    supported, from the logits of its words. Where it has function words alone, they count."""
    return float(np.logaddexp(0, counted(words, content).astype(np.float64)).mean())


@dataclass(frozen=True, slots=True)
class Calibration:
    """What turns logits into probabilities.

    word        slope and shift of a word's logit
    sentence    weight of a sentence's doubt, not below 0
    dependence  of a summary's sentences, as in `protocols.Decision`
    """

    word: tuple[float, float]
    sentence: float
    dependence: float = 1.0

    def unsupported(self, words: Floats) -> Floats:
        """[words], the probability that each is unsupported, from logits."""
        slope, shift = self.word
        odds = slope * words.astype(np.float64) + shift
        probability: Floats = (0.5 + 0.5 * np.tanh(odds / 2)).astype(np.float32)
        return probability

    def supported(self, words: Floats, content: Bools) -> float:
        """The probability that a sentence is supported: exp(-weight * `sentence_doubt`), but of a
        sentence with a doubtful content word (DOUBTFUL) at most the probability that the most
        doubtful is supported."""
        doubt = np.array([sentence_doubt(words, content)])
        worst = counted(words, content).max(keepdims=True)
        return math.exp(self.log_supported(doubt, worst).item())

    def log_supported(self, doubts: Floats, worst: Floats) -> Floats:
        """[sentences], the logarithm of `supported`.

        doubts  [sentences], `sentence_doubt`
        worst   [sentences], the logit of the most doubtful content word
        """
        slope, shift = self.word
        log_word = -np.logaddexp(0, slope * worst.astype(np.float64) + shift)
        of_worst = np.where(worst >= DOUBTFUL, log_word, 0.0)  # else long copies would lose
        logarithms: Floats = np.minimum(-self.sentence * doubts, of_worst)
        return logarithms

    def all_supported(self, doubts: Floats, worst: Floats, first: Ints) -> Floats:
        """[summaries], the probability that every sentence is supported (`protocols.Decision`).

        doubts, worst  of the sentences of all summaries, as in `log_supported`
        first          [summaries], the place of each one's first sentence
        """
        logarithms = self.log_supported(doubts, worst)
        values: Floats = np.exp(-joined(-logarithms, first, self.dependence))
        return values


def joined(doubts: Floats, first: Ints, dependence: float) -> Floats:
    """[summaries], minus the log-probability that every sentence is supported.

    doubts  [sentences], minus the log-probability that each is
    first   [summaries], the place of each one's first sentence
    """
    most = np.maximum.reduceat(doubts, first)
    of_most = np.maximum(np.repeat(most, np.diff([*first, len(doubts)])), 1e-300)
    shares: Floats = np.add.reduceat((doubts / of_most) ** dependence, first)
    together: Floats = most * shares ** (1 / dependence)
    return together
