"""From logits to probabilities, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from faithkit.support.calibration import RISKS, Calibration, sentence_risks


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


WORDS = np.array([2.0, -1.0, -3.0], dtype=np.float32)
SENTENCE = np.array([1.0, 0.0, -1.0], dtype=np.float32)
CONTENT = np.array([False, True, True])
CALIBRATION = Calibration((1.0, 0.0), (0.4, 0.3, 0.2, 0.1))


def test_risks_by_hand() -> None:
    words, worst, novelty, entailment = sentence_risks(WORDS, SENTENCE, CONTENT, 0.25)
    supported = [-math.log(logistic(1)), -math.log(logistic(3))]
    assert words == pytest.approx(sum(supported) / 2)
    assert worst == pytest.approx(supported[0])  # of the content words
    assert novelty == 0.25
    assert entailment == pytest.approx(-math.log(np.exp(1) / np.exp(SENTENCE).sum()))
    assert len(RISKS) == 4


def test_function_words_count_where_there_is_nothing_else() -> None:
    risks = sentence_risks(WORDS, SENTENCE, np.zeros(3, dtype=bool), 0)
    assert risks[1] == pytest.approx(-math.log(logistic(-2)))


def test_probabilities_by_hand() -> None:
    calibration = Calibration((0.5, -1.0), (0.4, 0.3, 0.2, 0.1))
    expected = [logistic(0.0), logistic(-1.5), logistic(-2.5)]
    assert calibration.unsupported(WORDS).tolist() == pytest.approx(expected)
    assert calibration.unsupported(WORDS).dtype == np.float32
    one, two, three, four = sentence_risks(WORDS, SENTENCE, CONTENT, 0.5)
    risk = 0.4 * one + 0.3 * two + 0.2 * three + 0.1 * four
    supported = calibration.supported(WORDS, SENTENCE, CONTENT, 0.5)
    assert supported == pytest.approx(math.exp(-risk))


def test_a_sentence_is_supported_at_most_as_surely_as_its_most_doubtful_content_word() -> None:
    calibration = Calibration((0.5, -1.0), (0.01, 0.0, 0.0, 0.0))
    doubtful = np.array([2.0, 0.5, -3.0], dtype=np.float32)
    supported = calibration.supported(doubtful, SENTENCE, CONTENT, 0.5)
    assert supported == pytest.approx(1 - logistic(0.5 * 0.5 - 1.0))
    only = np.zeros(3, dtype=bool)  # function words alone: they count
    assert calibration.supported(WORDS, SENTENCE, only, 0.5) == pytest.approx(1 - logistic(0.0))


def test_a_word_that_is_not_doubtful_is_no_bound() -> None:
    calibration = Calibration((0.5, -1.0), (0.01, 0.0, 0.0, 0.0))
    supported = calibration.supported(WORDS, SENTENCE, CONTENT, 0.5)
    assert supported == pytest.approx(
        math.exp(-0.01 * sentence_risks(WORDS, SENTENCE, CONTENT, 0)[0])
    )


def test_what_is_copied_and_of_no_doubt_is_supported() -> None:
    words, sentence = np.full(3, -50, dtype=np.float32), np.array([50, 0, 0], dtype=np.float32)
    assert CALIBRATION.supported(words, sentence, CONTENT, 0.0) == 1


@pytest.mark.parametrize("size", [1e4, 1e30])
def test_large_logits_do_not_overflow(size: float) -> None:
    calibration = Calibration((1.0, 0.0), (1.0, 1.0, 1.0, 1.0))
    with np.errstate(over="raise"):
        for sign, share in ((1, 1.0), (-1, 0.0)):
            words = np.array([sign * size], dtype=np.float32)
            assert calibration.unsupported(words).tolist() == [share]
            sentence = np.array([-sign * size, 0, 0], dtype=np.float32)
            supported = calibration.supported(words, sentence, np.array([True]), 0.0)
            assert supported == 1 - share


def test_more_doubt_never_raises_the_probability() -> None:
    before = CALIBRATION.supported(WORDS, SENTENCE, CONTENT, 0.5)
    for place in range(3):
        more = WORDS.copy()
        more[place] += 1
        assert CALIBRATION.supported(more, SENTENCE, CONTENT, 0.5) <= before
    less = SENTENCE - np.array([1, 0, 0], dtype=np.float32)
    assert CALIBRATION.supported(WORDS, less, CONTENT, 0.5) < before
    assert CALIBRATION.supported(WORDS, SENTENCE, CONTENT, 0.6) < before
