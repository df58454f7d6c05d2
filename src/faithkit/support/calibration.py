"""From the network's logits to probabilities: of a word, that it is unsupported; of a sentence,
that it is supported; of a summary, that every sentence is. And the bands of its verdict.

Pure functions. The numbers are fitted by `faithkit.train.support` on files that the network was not
trained on, and lie in the weights' file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from faithkit.models.protocols import Bools, Floats

FEATURES = ("entailed", "worst_word", "words")
"""What a sentence's probability is made of (`sentence_features`)."""


def sentence_features(words: Floats, sentence: Floats, content: Bools) -> Floats:
    """[3] of a sentence: the log-odds of entailment; minus the logit of its most doubtful content
    word; the mean log-probability that a content word is supported.

    words     [words], logits of being unsupported
    sentence  [3], logits of entailment, neutral, contradiction
    content   [words], False of function words; where there is nothing else, they count
    """
    counted = words[content] if content.any() else words
    rest = np.logaddexp(sentence[1], sentence[2])
    supported = -np.logaddexp(0, counted)
    return np.array([sentence[0] - rest, -counted.max(), supported.mean()], dtype=np.float64)


def sigmoid(value: float) -> float:
    """1 / (1 + exp(-value)), for any size of it."""
    return 0.5 + 0.5 * math.tanh(value / 2)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What turns logits into probabilities.

    word      slope and shift of a word's logit
    sentence  weights of FEATURES and a shift
    """

    word: tuple[float, float]
    sentence: tuple[float, float, float, float]

    def unsupported(self, words: Floats) -> Floats:
        """[words], the probability that each is unsupported, from logits."""
        slope, shift = self.word
        odds = slope * words.astype(np.float64) + shift
        probability: Floats = (0.5 + 0.5 * np.tanh(odds / 2)).astype(np.float32)
        return probability

    def supported(self, words: Floats, sentence: Floats, content: Bools) -> float:
        """The probability that a sentence is supported."""
        features = sentence_features(words, sentence, content)
        return sigmoid(math.fsum([*(features * self.sentence[:-1]).tolist(), self.sentence[-1]]))
