"""From logits to probabilities, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faithkit.models.protocols import Decision
from faithkit.support.calibration import (
    Calibration,
    combined_doubt,
    max_logit,
    sentence_features,
)


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


WORDS = np.array([2.0, -1.0, -3.0], dtype=np.float32)
CONTENT = np.array([False, True, True])
NONE = np.zeros(3, dtype=bool)
CLASSES = np.array([1.0, 0.5, 2.0], dtype=np.float32)
CALIBRATION = Calibration((1.0, 0.0), (0.4, 0.2))


def test_doubts_by_hand() -> None:
    of_content = [-math.log(logistic(1 / 3)), -math.log(logistic(3 / 3))]  # TEMPERATURE is 3
    entailed = math.exp(1 / 3) / (math.exp(1 / 3) + math.exp(0.5 / 3) + math.exp(2 / 3))
    expected = [sum(of_content) / 5, -math.log(entailed)]
    assert sentence_features(WORDS, CONTENT, CLASSES) == pytest.approx(expected)


def test_further_words_never_take_from_a_doubt() -> None:
    words, content = np.array([3, -2, 1, -4, 2, 0.5, -1], dtype=np.float32), np.ones(7, dtype=bool)
    doubts = [sentence_features(words[:n], content[:n], CLASSES)[0] for n in range(1, 8)]
    assert doubts == sorted(doubts)
    five = [3, 2, 1, 0.5, -1]
    assert doubts[-1] == pytest.approx(sum(math.log(1 + math.exp(one / 3)) for one in five) / 5)


def test_function_words_count_where_there_is_nothing_else() -> None:
    every = [-math.log(logistic(-one)) for one in (2 / 3, -1 / 3, -1.0)]
    assert sentence_features(WORDS, NONE, CLASSES)[0] == pytest.approx(sum(every) / 5)
    assert max_logit(WORDS, NONE) == 2.0
    assert max_logit(WORDS, CONTENT) == -1.0


def test_probabilities_by_hand() -> None:
    calibration = Calibration((0.5, -1.0), (0.4, 0.2))
    expected = [logistic(0.0), logistic(-1.5), logistic(-2.5)]
    assert calibration.unsupported(WORDS).tolist() == pytest.approx(expected)
    assert calibration.unsupported(WORDS).dtype == np.float32
    supported = calibration.supported(np.array([0.5, 3.0]), -1.0)
    assert supported == pytest.approx(math.exp(-0.4 * 0.5 - 0.2 * 3.0))


def test_a_sentence_is_supported_at_most_as_surely_as_its_most_doubtful_word() -> None:
    calibration = Calibration((0.5, -1.0), (0.01, 0.01))
    expected = 1 - logistic(0.5 * 0.5 - 1.0)
    assert calibration.supported(np.array([0.5, 3.0]), 0.5) == pytest.approx(expected)


def test_a_word_that_is_not_doubtful_is_no_bound() -> None:
    supported = Calibration((0.5, -1.0), (0.01, 0.0)).supported(np.array([0.5, 3.0]), -0.1)
    assert supported == pytest.approx(math.exp(-0.01 * 0.5))


def test_what_is_copied_and_of_no_doubt_is_supported() -> None:
    words, classes = np.full(3, -199, dtype=np.float32), np.array([199, 0, 0], dtype=np.float32)
    assert CALIBRATION.supported(sentence_features(words, CONTENT, classes), -50) == 1


@pytest.mark.parametrize("size", [1e4, 1e30])
def test_large_logits_do_not_overflow(size: float) -> None:
    calibration, content = Calibration((1.0, 0.0), (1.0, 1.0)), np.array([True])
    with np.errstate(over="raise"):
        for sign, share in ((1, 1.0), (-1, 0.0)):
            words = np.array([sign * size], dtype=np.float32)
            classes = np.array([-sign * size, 0, 0], dtype=np.float32)
            assert calibration.unsupported(words).tolist() == [share]
            doubts = sentence_features(words, content, classes)
            assert calibration.supported(doubts, max_logit(words, content)) == 1 - share


def supported(words: np.ndarray, classes: np.ndarray) -> float:
    doubts = sentence_features(words, CONTENT, classes)
    return CALIBRATION.supported(doubts, max_logit(words, CONTENT))


def test_more_doubt_never_raises_the_probability() -> None:
    before = supported(WORDS, CLASSES)
    for place in range(3):
        more = WORDS.copy()
        more[place] += 1
        assert supported(more, CLASSES) <= before
    assert supported(WORDS, CLASSES + np.array([0, 0, 1], dtype=np.float32)) < before


# --- of a summary --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dependence", "expected"),
    [(1, 0.3 + 0.4), (2, 0.5), (3, (0.3**3 + 0.4**3) ** (1 / 3)), (1000, 0.4)],
)
def test_doubts_of_sentences_are_joined_by_a_gumbel_copula(
    dependence: float, expected: float
) -> None:
    doubts, first = np.array([0.3, 0.4, 0.0, 0.7]), np.array([0, 2, 3])
    assert combined_doubt(doubts, first, dependence) == pytest.approx([expected, 0, 0.7])


summaries = st.lists(st.lists(st.floats(0, 9), min_size=1, max_size=5), min_size=1, max_size=6)


@settings(max_examples=100)
@given(summaries, st.floats(1, 8))
def test_values_of_many_summaries_are_those_of_each(
    doubts: list[list[float]], dependence: float
) -> None:
    """The metric joins the sentences of one, calibration those of all at once."""
    calibration = Calibration((1.0, 0.0), (0.5, 0.25), dependence)
    every = np.array([[one, 2 * one] for some in doubts for one in some])
    first = np.cumsum([0, *map(len, doubts[:-1])])
    together = calibration.all_supported(every, np.full(len(every), -9.0), first)
    decision = Decision(0.2, 0.8, dependence)
    alone = [decision.all_supported([math.exp(-one) for one in some]) for some in doubts]
    assert together == pytest.approx(alone, abs=1e-6)
