"""The loss that the support network is trained with, against hand calculations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from tests.helpers.tiny_support import read

from faithkit.support.evidence import Source
from faithkit.support.inputs import attach_evidence
from faithkit.train.support import NON_CLAIM, SOME_WORD, WORDS, loss_of
from faithkit.train.support_rows import Unit
from faithkit.train.words import ENTAILED, UNKNOWN, UNSUPPORTED

NOTHING = (UNKNOWN,) * 3
Target = tuple[float, float, float]


def unit(
    labels: Sequence[float],
    target: Target = NOTHING,
    family: str = "a",
    non_claim: bool = False,
    tokens: int = 3,
) -> Unit:
    """A unit of `tokens` words with these labels and target."""
    (claim,) = read(" ".join(["cat", "dog", "sun", "hat"][i % 4] for i in range(tokens)))
    reading = attach_evidence(claim, Source([]))
    known = np.array(labels, dtype=np.float32)
    return Unit(family, "d", reading, known, np.array(target, dtype=np.float32), non_claim)


def softplus(value: float) -> float:
    return math.log(1 + math.exp(value))


def loss(
    data: Sequence[Unit],
    words: Sequence[Sequence[float]],
    sentence: Sequence[Sequence[float]] | None = None,
    non_claim: Sequence[float] | None = None,
) -> float:
    """The loss without what the non-claim head adds, which is -100 by default."""
    classes = sentence or [[0.0, 0.0, 0.0]] * len(data)
    talk = [-100.0] * len(data) if non_claim is None else non_claim
    return float(loss_of(data, torch.tensor(words), torch.tensor(classes), torch.tensor(talk)))


def test_labelled_words_are_averaged() -> None:
    expected = WORDS * (softplus(-2.0) + softplus(-1.0)) / 2
    assert loss([unit([1, 0, UNKNOWN])], [[2.0, -1.0, 7.0]]) == pytest.approx(expected)


def test_share_counts_to_both_sides() -> None:
    expected = WORDS * (0.25 * softplus(-2.0) + 0.75 * softplus(2.0))
    assert loss([unit([0.25])], [[2.0]]) == pytest.approx(expected)


def test_loss_is_the_mean_over_units_and_padding_does_not_count() -> None:
    data = [unit([1, 0]), unit([0])]
    expected = WORDS * ((softplus(-2.0) + softplus(1.0)) / 2 + softplus(0.5)) / 2
    assert loss(data, [[2.0, 1.0], [0.5, 99.0]]) == pytest.approx(expected)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_sentence_of_a_known_class(place: int) -> None:
    target: Any = [0.0] * 3
    target[place] = 1.0
    logits = [1.0, -0.5, 2.0]
    expected = math.log(sum(map(math.exp, logits))) - logits[place]
    # A labelled word, so that the loss of sentences without one adds nothing.
    found = loss([unit([0], target)], [[-100.0]], [logits])
    assert found == pytest.approx(expected, rel=1e-5)


def test_of_an_unsupported_sentence_neutral_and_contradiction_are_one_class() -> None:
    logits = [1.0, -0.5, 2.0]
    total = math.log(sum(map(math.exp, logits)))
    rest = math.log(math.exp(-0.5) + math.exp(2.0))
    found = loss([unit([0], UNSUPPORTED)], [[-100.0]], [logits])
    assert found == pytest.approx(total - rest, rel=1e-5)
    half = loss([unit([0], (0.25, 0.75, UNKNOWN))], [[-100.0]], [logits])
    assert half == pytest.approx(total - 0.25 * 1.0 - 0.75 * rest, rel=1e-5)


def test_unknown_sentence_counts_nothing() -> None:
    assert loss([unit([0])], [[-100.0]], [[5.0, -5.0, 1.0]]) == pytest.approx(0, abs=1e-6)


def test_of_an_unsupported_sentence_without_labels_some_word_is_unsupported() -> None:
    words = [0.5, -1.0]
    none = -sum(map(softplus, words))  # log-probability that every word is supported
    some = -SOME_WORD * math.log(1 - math.exp(none))
    logits = [0.0, 0.0, 0.0]
    by_class = math.log(3) - math.log(2)
    found = loss([unit([UNKNOWN, UNKNOWN], UNSUPPORTED)], [words], [logits])
    assert found == pytest.approx(some + by_class, rel=1e-5)
    # Not where words are labelled, and not of a sentence that may be supported.
    labelled = loss([unit([0, UNKNOWN], UNSUPPORTED)], [[-100.0, 0.5]], [logits])
    assert labelled == pytest.approx(by_class, rel=1e-5)
    entailed = loss([unit([UNKNOWN], ENTAILED)], [[0.5]], [logits])
    assert entailed == pytest.approx(math.log(3), rel=1e-5)


def test_padded_words_are_no_words_that_may_be_unsupported() -> None:
    data = [unit([UNKNOWN], UNSUPPORTED), unit([0, 0, 0], ENTAILED)]
    alone = loss(data[:1], [[0.5]])
    both = loss(data, [[0.5, 9.0, 9.0], [-100.0] * 3])
    assert 2 * both == pytest.approx(alone + math.log(3), rel=1e-5)


def test_non_claims_are_told_from_claims() -> None:
    data = [unit([UNKNOWN], non_claim=True), unit([UNKNOWN])]
    found = loss(data, [[0.0], [0.0]], non_claim=[1.5, 0.5])
    assert found == pytest.approx(NON_CLAIM * (softplus(-1.5) + softplus(0.5)) / 2)


def test_gradients_are_finite_where_nothing_or_little_is_known() -> None:
    data = [unit([UNKNOWN, UNKNOWN]), unit([UNKNOWN, UNKNOWN], UNSUPPORTED), unit([0], ENTAILED)]
    words = torch.tensor([[0.0, 0.0], [-60.0, -60.0], [60.0, 0.0]], requires_grad=True)
    sentence = torch.zeros(3, 3, requires_grad=True)
    non_claim = torch.zeros(3, requires_grad=True)
    loss_of(data, words, sentence, non_claim).backward()
    for given in (words, sentence, non_claim):
        assert given.grad is not None and torch.isfinite(given.grad).all()
    assert words.grad[0].abs().sum() == 0 and words.grad[2, 1] == 0
