"""The split of examples into training and held-out documents."""

from __future__ import annotations

import pytest

from faithkit.records import ConfigError, Example
from faithkit.train.held_out import check_share, split

ROWS = [Example(str(i), "s", "c", document=f"g{i // 3}") for i in range(30)]
DOCUMENTS = [f"g{i}" for i in range(10)]


def test_a_document_is_either_trained_on_or_held_out() -> None:
    training, held_out = split(ROWS, DOCUMENTS, 0.2, seed=1)
    assert len(held_out) == 6 and len(training) == 24
    assert not {row.document for row in training} & {row.document for row in held_out}
    assert sorted([*training, *held_out], key=ROWS.index) == ROWS


def test_seed_and_order_of_documents_decide_the_split() -> None:
    first = split(ROWS, DOCUMENTS, 0.2, seed=1)
    assert split(ROWS, DOCUMENTS, 0.2, seed=1) == first
    assert split(ROWS, DOCUMENTS, 0.2, seed=2) != first
    assert split(ROWS, DOCUMENTS[::-1], 0.2, seed=1) != first


def test_at_least_one_document_is_in_each_part_unless_nothing_is_held_out() -> None:
    assert split(ROWS, DOCUMENTS, 0, seed=1) == (ROWS, [])
    assert len(split(ROWS, DOCUMENTS, 0.001, seed=1)[1]) == 3
    assert len(split(ROWS, DOCUMENTS, 0.999, seed=1)[0]) == 3
    assert split(ROWS[:3], DOCUMENTS[:1], 0.5, seed=1) == (ROWS[:3], [])


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_that_leaves_nothing_to_train_on_is_refused(share: float) -> None:
    with pytest.raises(ConfigError, match="held-out share"):
        check_share(share)
