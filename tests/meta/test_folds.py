"""Folds of cross-validation that never split a source document."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faithkit.meta import grouped_folds
from faithkit.records import ConfigError


@settings(deadline=None)
@given(st.integers(2, 8), st.integers(8, 30), st.integers(0, 5))
def test_folds_never_split_a_document_and_are_even(folds, groups, seed):
    splits = grouped_folds(np.repeat(np.arange(groups), 3), folds, seed)
    held_out = np.stack([test for _, test in splits])
    assert (held_out.sum(axis=0) == 1).all()
    assert all((train == ~test).all() for train, test in splits)
    by_group = held_out.reshape(folds, groups, 3)
    assert (by_group == by_group[:, :, :1]).all()
    sizes = by_group[:, :, 0].sum(axis=1)
    assert sizes.max() - sizes.min() <= 1


def test_folds_depend_on_the_seed_alone():
    groups = np.arange(12)
    first, again, other = (
        np.stack([test for _, test in grouped_folds(groups, 4, seed)]) for seed in (0, 0, 1)
    )
    assert (first == again).all() and (first != other).any()


def test_folds_do_not_depend_on_the_order_of_rows():
    names = [f"d{number // 2}" for number in range(24)]
    order = np.random.default_rng(0).permutation(24)
    for (_, test), (_, moved) in zip(
        grouped_folds(names, 4, 0),
        grouped_folds([names[row] for row in order], 4, 0),
        strict=True,
    ):
        assert (test[order] == moved).all()


@pytest.mark.parametrize("folds", [1, 4])
def test_folds_are_at_least_two_and_at_most_the_documents(folds):
    said = f"{folds} folds cannot be made of 3 source documents.* or --folds 2 to 3$"
    with pytest.raises(ConfigError, match=said):
        grouped_folds(np.array([0, 1, 2, 2]), folds, 0)
