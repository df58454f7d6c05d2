"""Rows in: nothing is dropped silently, guessed, or let through as NaN."""

import subprocess
import sys

import numpy as np
import pytest

from faithkit.meta import PEARSON, estimate, sample
from faithkit.records import DataError


def test_rows_without_a_value_or_a_judgement_are_counted_apart():
    data = sample([1.0, None, 3.0, None, 5.0], [1, 2, None, None, 5])
    assert (data.n, data.unscored, data.unlabelled) == (2, 2, 1)
    assert data.rows.tolist() == [0, 4]


def test_an_estimate_carries_the_counts_of_left_out_rows():
    result = estimate(PEARSON, sample([1, 2, 3, None], [2, 4, 6, 8]))
    assert result.value == pytest.approx(1.0)
    assert (result.n, result.unscored, result.reason) == (3, 1, None)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "0.5", [1.0]])
def test_a_value_that_is_no_finite_number_is_refused_with_its_row(bad):
    with pytest.raises(DataError, match="scores, row 1"):
        sample([1.0, bad, 2.0])


def test_nan_inside_an_array_is_refused_too():
    with pytest.raises(DataError, match="human, row 2"):
        sample(np.arange(3.0), np.array([1.0, 2.0, np.nan]))


@pytest.mark.parametrize("missing", [None, ""])
def test_a_missing_group_is_an_error_even_on_an_unscored_row(missing):
    with pytest.raises(DataError, match="row 1 has no group"):
        sample([1.0, None, 2.0], groups=["a", missing, "b"])


def test_an_interval_without_groups_is_an_error():
    with pytest.raises(DataError, match="give `groups`"):
        estimate(PEARSON, sample([1, 2, 3], [1, 2, 4]), draws=10)


def test_unequal_columns_are_an_error_that_names_their_lengths():
    with pytest.raises(DataError, match="scores 2, human 3"):
        sample([1, 2], [1, 2, 3])


def test_groups_that_lost_all_their_rows_are_not_resampled():
    data = sample([None, 1, 2], [1, 1, 1], groups=["gone", "a", "b"], systems=["x", "y", "x"])
    assert data.clusters == 2
    assert data.cluster.tolist() == [0, 1]
    assert data.systems == ("y", "x") or data.systems == ("x", "y")
    assert [data.systems[code] for code in data.system] == ["y", "x"]


def test_labels_must_be_zero_or_one():
    with pytest.raises(DataError, match="row 1: expected label"):
        sample([1, 2, 3], [0, 0.5, 1]).labels()


def test_groups_that_print_alike_stay_apart():
    assert sample([1, 2], groups=["1", 1]).clusters == 2


@pytest.mark.slow
def test_importing_the_package_loads_neither_scipy_nor_scikit_learn():
    code = "import sys, faithkit.meta; print({'scipy', 'sklearn'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
