"""From logits to probabilities, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from faithkit.support.calibration import FEATURES, Calibration, sentence_features, sigmoid


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


WORDS = np.array([2.0, -1.0, -3.0], dtype=np.float32)
SENTENCE = np.array([1.0, 0.0, -1.0], dtype=np.float32)
CONTENT = np.array([False, True, True])


def test_features_by_hand() -> None:
    entailed, worst, mean = sentence_features(WORDS, SENTENCE, CONTENT)
    assert entailed == pytest.approx(1 - math.log(1 + math.exp(-1)))
    assert worst == 1  # of the content words
    supported = [math.log(logistic(1)), math.log(logistic(3))]
    assert mean == pytest.approx(sum(supported) / 2)
    assert len(FEATURES) == 3


def test_entailment_feature_is_the_log_odds_of_the_class() -> None:
    entailed = sentence_features(WORDS, SENTENCE, CONTENT)[0]
    shares = np.exp(SENTENCE) / np.exp(SENTENCE).sum()
    assert logistic(entailed) == pytest.approx(shares[0])


def test_function_words_count_where_there_is_nothing_else() -> None:
    assert sentence_features(WORDS, SENTENCE, np.zeros(3, dtype=bool))[1] == -2


def test_probabilities_by_hand() -> None:
    calibration = Calibration((0.5, -1.0), (0.4, 0.3, 0.2, 0.1))
    expected = [logistic(0.0), logistic(-1.5), logistic(-2.5)]
    assert calibration.unsupported(WORDS).tolist() == pytest.approx(expected)
    assert calibration.unsupported(WORDS).dtype == np.float32
    one, two, three = sentence_features(WORDS, SENTENCE, CONTENT)
    odds = 0.4 * one + 0.3 * two + 0.2 * three + 0.1
    assert calibration.supported(WORDS, SENTENCE, CONTENT) == pytest.approx(logistic(odds))


@pytest.mark.parametrize("size", [1e4, 1e30])
def test_large_logits_do_not_overflow(size: float) -> None:
    calibration = Calibration((1.0, 0.0), (1.0, 1.0, 1.0, 0.0))
    with np.errstate(over="raise"):
        for sign, share in ((1, 1.0), (-1, 0.0)):
            words = np.array([sign * size], dtype=np.float32)
            assert calibration.unsupported(words).tolist() == [share]
            sentence = np.array([-sign * size, 0, 0], dtype=np.float32)
            supported = calibration.supported(words, sentence, np.array([True]))
            assert supported == 1 - share
    assert (sigmoid(size), sigmoid(-size), sigmoid(0)) == (1, 0, 0.5)


def test_more_doubt_never_raises_the_probability() -> None:
    calibration = Calibration((1.0, 0.0), (0.4, 0.3, 0.2, 0.1))
    before = calibration.supported(WORDS, SENTENCE, CONTENT)
    for place in range(3):
        more = WORDS.copy()
        more[place] += 1
        assert calibration.supported(more, SENTENCE, CONTENT) <= before
    less = SENTENCE - np.array([1, 0, 0], dtype=np.float32)
    assert calibration.supported(WORDS, less, CONTENT) < before
