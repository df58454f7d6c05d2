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

EVEN_ODDS_LOGIT = 0.0
"""The logit from which the network thinks a word as likely unsupported as not."""

MARK_LOGIT = 0.5
"""The logit from which a word is marked. Of the marks between DOUBTFUL and this readers found one
in eight right (results/marks-read.md)."""

SENTENCE_FEATURES = 2
"""Of a sentence (`sentence_features`)."""


TEMPERATURE = 3.0
"""What logits are divided by before they are doubts, since the network is surer than it is right
[Guo et al. 2017, On Calibration of Modern Neural Networks, §4.2]; chosen by the likelihood of
families that were left out (docs/support.md)."""


TOP_WORDS = 5
"""Words of a sentence, the most doubtful ones, that its doubt counts. All of them in the mean would
make a sentence surer that goes on with words which are supported by anything."""


def sentence_features(words: Floats, content: Bools, classes: Floats) -> Floats:
    """[DOUBTS] how doubtful a sentence is by logits divided by TEMPERATURE, each from 0: minus the
    log-probabilities that its COUNTED most doubtful content words are supported (where it has
    function words alone, these), together, divided by COUNTED; a further word can only add to it;
    and minus the log-probability that the source entails the sentence.

    words    [words] logits: unsupported
    content  [words] False for function words
    classes  [3] logits: entailment, neutral, contradiction
    """
    counted = np.sort(_chosen(words, content))[-TOP_WORDS:].astype(np.float64) / TEMPERATURE
    logits = classes.astype(np.float64) / TEMPERATURE
    not_entailed = np.logaddexp.reduce(logits) - logits[0]
    return np.array([np.logaddexp(0, counted).sum() / TOP_WORDS, max(not_entailed, 0.0)])


def max_logit(words: Floats, checkable: Bools) -> float:
    """The highest logit of a sentence's words that can be wrong by themselves
    (`Sentence.checkable`); of all its words where none can."""
    return float(_chosen(words, checkable).max())


def _chosen(words: Floats, chosen: Bools) -> Floats:
    return words[chosen] if chosen.any() else words


@dataclass(frozen=True, slots=True)
class Calibration:
    """What turns logits into probabilities.

    word        slope and shift of a word's logit
    sentence    [DOUBTS] weights of a sentence's doubts, not below 0
    dependence  of a summary's sentences, as in `protocols.Decision`
    """

    word: tuple[float, float]
    sentence: tuple[float, float]
    dependence: float = 1.0

    def unsupported(self, words: Floats) -> Floats:
        """[words], the probability that each is unsupported, from logits."""
        slope, shift = self.word
        odds = slope * words.astype(np.float64) + shift
        probability: Floats = (0.5 + 0.5 * np.tanh(odds / 2)).astype(np.float32)
        return probability

    def probability(self, logit: float) -> float:
        """The probability that a word of this logit is unsupported, to four digits."""
        return round(float(self.unsupported(np.array([logit], dtype=np.float32))[0]), 4)

    def supported(self, doubts: Floats, worst: float) -> float:
        """The probability that a sentence is supported: exp of minus the weighted sum of its
        doubts, but of a sentence with a doubtful word (DOUBTFUL) at most the probability that its
        most doubtful one is supported.

        doubts  [DOUBTS], `sentence_features`
        worst   `max_logit`
        """
        return math.exp(self.log_supported(doubts[np.newaxis], np.array([worst])).item())

    def log_supported(self, doubts: Floats, worst: Floats) -> Floats:
        """[sentences], the logarithm of `supported`.

        doubts  [sentences, DOUBTS], `sentence_features`
        worst   [sentences], `max_logit`
        """
        slope, shift = self.word
        log_word = -np.logaddexp(0, slope * worst.astype(np.float64) + shift)
        of_worst = np.where(worst >= EVEN_ODDS_LOGIT, log_word, 0.0)  # else long copies would lose
        logarithms: Floats = np.minimum(-(doubts @ np.array(self.sentence)), of_worst)
        return logarithms

    def all_supported(self, doubts: Floats, worst: Floats, first: Ints) -> Floats:
        """[summaries], the probability that every sentence is supported (`protocols.Decision`).

        doubts, worst  of the sentences of all summaries, as in `log_supported`
        first          [summaries], the place of each one's first sentence
        """
        logarithms = self.log_supported(doubts, worst)
        values: Floats = np.exp(-combined_doubt(-logarithms, first, self.dependence))
        return values


def combined_doubt(doubts: Floats, first: Ints, dependence: float) -> Floats:
    """[summaries], minus the log-probability that every sentence is supported.

    doubts  [sentences], minus the log-probability that each is
    first   [summaries], the place of each one's first sentence
    """
    most = np.maximum.reduceat(doubts, first)
    of_most = np.maximum(np.repeat(most, np.diff([*first, len(doubts)])), 1e-300)
    shares: Floats = np.add.reduceat((doubts / of_most) ** dependence, first)
    together: Floats = most * shares ** (1 / dependence)
    return together
