"""Columns in few bytes read like the lists they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.meta import columns, sample
from faithkit.meta.columns import FloatBuilder, FloatColumn, TextBuilder, coded
from faithkit.meta.sample import codes, narrow
from faithkit.records import DataError

numbers = st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False, width=64))
names = st.lists(st.none() | st.text(max_size=3))


def floats(values: list[float | None]) -> FloatColumn:
    made = FloatBuilder()
    for value in values:
        made.append(value)
    return made.done()


@given(numbers)
def test_numbers_are_the_same_again(values: list[float | None]) -> None:
    column = floats(values)
    assert list(column) == values == column[:]
    assert column.numbers.nbytes == 8 * len(values)
    rows = list(range(len(values)))[::-2]
    assert list(columns.take(column, rows)) == [values[row] for row in rows]


@given(names)
def test_names_are_the_same_again_with_codes_in_order_of_appearance(
    values: list[str | None],
) -> None:
    column = coded(values)
    assert list(column) == values
    assert list(column.values) == list(dict.fromkeys(values))
    assert column.codes.itemsize == 1
    rows = list(range(len(values)))[1::2]
    assert list(column.take(rows)) == [values[row] for row in rows]


@given(st.lists(st.text(max_size=8)))
def test_texts_are_the_same_again(values: list[str]) -> None:
    made = TextBuilder()
    for value in values:
        made.append(value)
    column = made.done()
    assert list(column) == values
    assert list(column.take(np.arange(len(values))[::-1])) == values[::-1]


@given(st.lists(st.sampled_from("abcd"), min_size=1), st.randoms(use_true_random=False))
def test_codes_of_a_column_are_those_of_its_list(values: list[str], draw: object) -> None:
    rows = draw.sample(range(len(values)), len(values))  # type: ignore[attr-defined]
    column = coded(values).take(rows)
    found, found_names = codes(column, "group", "")
    expected, expected_names = codes(list(column), "group", "")
    assert found.tolist() == expected.tolist() and found_names == expected_names


def test_a_missing_name_is_refused_with_its_row() -> None:
    with pytest.raises(DataError, match="row 2 has no group: why"):
        codes(coded(["a", "b", "", None, "b"]), "group", "why")


@given(st.lists(st.tuples(st.none() | st.floats(0, 1), st.none() | st.integers(0, 1))))
def test_a_sample_of_columns_is_that_of_lists(rows: list[tuple[float | None, int | None]]) -> None:
    values, labels = [value for value, _ in rows], [label for _, label in rows]
    groups = [f"document {number // 3}" for number in range(len(rows))]
    one = sample(values, labels, groups=groups)
    two = sample(floats(values), coded(labels), groups=coded(groups))
    for name in ("scores", "human", "cluster", "rows", "unscored", "unlabelled", "clusters"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_chained_numbers_stay_a_column() -> None:
    chained = columns.chained([floats([1.0]), floats([None, 2.0])])
    assert isinstance(chained, FloatColumn) and list(chained) == [1.0, None, 2.0]
    assert columns.chained([[1], (2,)]) == [1, 2]


def test_a_kernel_of_many_rows_is_given_few_draws_at_once() -> None:
    widths = []

    def kernel(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        widths.append(counts.shape[1])
        return counts.sum(axis=0), np.ones(counts.shape[1], dtype=bool)

    counts = np.arange(20.0).reshape(2, 10)
    values, defined = narrow(kernel, 1 << 18)(counts)
    assert widths == [4, 4, 2] and defined.all()
    assert values.tolist() == counts.sum(axis=0).tolist()
