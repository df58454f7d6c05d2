"""From the network's logits to probabilities: of a word, that it is unsupported; of a sentence,
that it is supported; of a summary, that every sentence is. And the bands of its verdict.

Pure functions. The numbers are fitted by `faithkit.train.support_calibration` on files that the
network was not trained on, and lie in the weights' file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from faithkit.models.protocols import Bools, Floats

RISKS = ("words", "worst_word", "novelty", "entailment")
"""What makes a sentence doubtful (`sentence_risks`)."""


DOUBTFUL = 0.0
"""The logit from which the network thinks a word as likely unsupported as not; such words are
shown."""


def counted(words: Floats, content: Bools) -> Floats:
    """The logits of a sentence's content words; of all its words where it has none."""
    return words[content] if content.any() else words


def sentence_risks(words: Floats, sentence: Floats, content: Bools, novelty: float) -> Floats:
    """[4] of a sentence, each at least 0, and 0 where there is no doubt: minus the mean
    log-probability that a content word is supported; the same of the most doubtful one; the share
    of runs of three words that the source lacks; minus the log-probability of entailment.

    words     [words], logits of being unsupported
    sentence  [3], logits of entailment, neutral, contradiction
    content   [words], False of function words; where there is nothing else, they count
    novelty   `evidence.novelty`
    """
    risks = np.logaddexp(0, counted(words, content).astype(np.float64))
    rest = np.logaddexp(*sentence[1:].astype(np.float64))
    entailment = np.logaddexp(0, rest - sentence[0])
    return np.array([risks.mean(), risks.max(), novelty, entailment], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What turns logits into probabilities.

    word      slope and shift of a word's logit
    sentence  weights of RISKS, none below 0
    """

    word: tuple[float, float]
    sentence: tuple[float, float, float, float]

    def unsupported(self, words: Floats) -> Floats:
        """[words], the probability that each is unsupported, from logits."""
        slope, shift = self.word
        odds = slope * words.astype(np.float64) + shift
        probability: Floats = (0.5 + 0.5 * np.tanh(odds / 2)).astype(np.float32)
        return probability

    def supported(self, words: Floats, sentence: Floats, content: Bools, novelty: float) -> float:
        """The probability that a sentence is supported: exp(-risk), the risk being the weighted sum
        of RISKS, but of a sentence with a doubtful content word (DOUBTFUL) at most the probability
        that the most doubtful is supported. A summary's is the product of its sentences'."""
        risks = sentence_risks(words, sentence, content, novelty)
        worst = counted(words, content).max(keepdims=True)
        return math.exp(self.log_supported(risks[None], worst).item())

    def log_supported(self, risks: Floats, worst: Floats) -> Floats:
        """[sentences], the logarithm of `supported`.

        risks  [sentences, RISKS]
        worst  [sentences], the logit of the most doubtful content word
        """
        slope, shift = self.word
        log_word = -np.logaddexp(0, slope * worst.astype(np.float64) + shift)
        of_worst = np.where(worst >= DOUBTFUL, log_word, 0.0)  # else long copies would lose
        logarithms: Floats = np.minimum(-(risks @ np.array(self.sentence)), of_worst)
        return logarithms
