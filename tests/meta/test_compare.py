"""Paired comparisons: what they find, what they leave out, Holm against statsmodels."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faithkit.meta import MEAN, SPEARMAN, SharedRows, compare, compare_all, holm, win_matrix
from faithkit.records import DataError


def metrics(rows=200, seed=0):
    generator = np.random.default_rng(seed)
    human = generator.normal(size=rows)
    good = human + generator.normal(size=rows) * 0.5
    poor = human + generator.normal(size=rows) * 3
    return good, poor, SharedRows(human, groups=[f"d{row // 2}" for row in range(rows)])


def test_a_clearly_better_metric_is_found_better():
    good, poor, rows = metrics()
    result = compare(SPEARMAN, good, poor, rows, names=("good", "poor"), draws=2000)
    assert result.difference == pytest.approx(result.first_value - result.second_value)
    assert result.low > 0
    assert result.p_value == pytest.approx(2 / 2001)
    assert result.difference > result.minimum_detectable
    assert (result.n, result.groups, result.left_out) == (200, 100, 0)


def test_swapping_the_metrics_turns_the_sign_and_keeps_the_p_value():
    good, poor, rows = metrics()
    first = compare(SPEARMAN, good, poor, rows, draws=500)
    second = compare(SPEARMAN, poor, good, rows, draws=500)
    assert second.difference == pytest.approx(-first.difference)
    assert second.low == pytest.approx(-first.high)
    assert second.p_value == pytest.approx(first.p_value)


def test_a_metric_does_not_differ_from_itself():
    good, _, rows = metrics()
    result = compare(SPEARMAN, good, good, rows, draws=100)
    assert (result.difference, result.p_value, result.low) == (0.0, None, None)
    assert result.reason == "all resamples give 0, so the data say nothing of its variation"


def test_two_documents_have_a_difference_but_no_test():
    rows = SharedRows(groups=["a", "b"] * 20)
    result = compare(MEAN, list(range(40)), [0.0] * 40, rows, draws=200)
    assert (result.difference, result.p_value, result.low, result.minimum_detectable) == (
        19.5, None, None, None)  # fmt: skip
    assert result.reason == "only 2 documents; an interval or a test needs 10 or more"


@pytest.mark.parametrize(("documents", "least"), [(10, 2**-9), (12, 2**-11), (40, 2 / 10_001)])
def test_p_value_is_never_below_what_so_many_documents_can_show(documents, least):
    better = [1 + number / 100 for number in range(documents)]
    rows = SharedRows(groups=list(range(documents)))
    result = compare(MEAN, better, [0.0] * documents, rows)
    assert result.p_value == pytest.approx(least)


def test_the_p_value_and_detectable_difference_of_a_mean_match_the_z_test():
    generator = np.random.default_rng(4)
    difference = generator.normal(0.15, 1, size=400)
    second = generator.normal(size=400)
    rows = SharedRows(groups=list(range(400)))
    result = compare(MEAN, difference + second, second, rows, draws=20_000)
    error = difference.std() / math.sqrt(400)
    z = abs(difference.mean()) / error
    assert result.standard_error == pytest.approx(error, rel=0.03)
    assert result.p_value == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.01)
    # z_.975 + z_.80 = 1.95996 + 0.84162
    assert result.minimum_detectable == pytest.approx(2.80158 * result.standard_error, rel=1e-5)


def test_under_no_difference_p_values_are_not_too_small():
    p_values = []
    for seed in range(200):
        generator = np.random.default_rng(seed)
        first, second = generator.normal(size=(2, 60))
        rows = SharedRows(groups=list(range(60)))
        p_values.append(compare(MEAN, first, second, rows, draws=200, seed=seed).p_value)
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.04)


def test_rows_unscored_by_either_are_left_out_and_counted():
    first = [1.0, None, 3.0, 4.0, 5.0, None]
    second = [2.0, 1.0, None, 4.0, 3.0, None]
    rows = SharedRows([1, 2, 3, 4, None, 6], groups=list("abcdef"))
    result = compare(MEAN, first, second, rows, draws=50)
    assert (result.n, result.left_out, result.unlabelled) == (2, 3, 1)
    assert (result.unscored_first, result.unscored_second) == (2, 2)
    assert result.first_value == 2.5
    assert result.second_value == 3.0


def test_an_undefined_side_is_a_reason_that_names_it():
    rows = SharedRows([1, 2, 3, 4], groups=list("abcd"))
    result = compare(SPEARMAN, [1, 2, 3, 4], [5, 5, 5, 5], rows, names=("a", "b"))
    assert (result.p_value, result.difference) == (None, None)
    assert result.reason.startswith("b: the metric is constant")


def test_columns_that_share_no_row_are_not_said_to_be_empty():
    values = [1, 2, None, None]
    result = compare(MEAN, values, values[::-1], SharedRows(groups=list("abcd")))
    assert (result.reason, result.n, result.left_out) == ("no row has a value of both", 0, 4)
    nothing = compare(MEAN, values, [None] * 4, SharedRows(groups=list("abcd")), names=("a", "b"))
    assert nothing.reason.endswith("b: no row has a value")


def test_a_comparison_without_groups_is_an_error():
    with pytest.raises(DataError, match="give `groups`"):
        compare(MEAN, [1, 2, 3], [1, 2, 3], SharedRows())


def test_all_pairs_are_compared_and_corrected():
    good, poor, rows = metrics()
    scores = {"good": good, "poor": poor, "again": poor + good / 5}
    result = compare_all(SPEARMAN, scores, rows, draws=300)
    assert [(item.first, item.second) for item in result] == [
        ("good", "poor"),
        ("good", "again"),
        ("poor", "again"),
    ]
    assert [item.adjusted for item in result] == holm([item.p_value for item in result])
    assert result[0].adjusted == pytest.approx(3 * result[0].p_value)


def test_holm_by_hand():
    # Sorted .01 .03 .04 -> 3 x .01, 2 x .03, max(.06, .04)
    assert holm([0.04, 0.01, None, 0.03]) == [
        pytest.approx(0.06),
        pytest.approx(0.03),
        None,
        pytest.approx(0.06),
    ]


p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=20)


# Ties, the ends of the range, and p-values that Holm's running maximum must raise.
@pytest.mark.slow
@pytest.mark.parametrize("p_values", [[0.04, 0.01, 0.03, 0.01, 0.9], [1.0, 0.0, 0.5], [0.2]])
def test_holm_equals_statsmodels(p_values):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    wanted = multitest.multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(list(wanted))


@settings(deadline=None)
@given(p_lists)
def test_holm_is_monotone_and_never_lowers_a_p_value(p_values):
    adjusted = holm(p_values)
    pairs = sorted(zip(p_values, adjusted, strict=True))
    assert all(first[1] <= second[1] for first, second in pairwise(pairs))
    assert all(p <= q <= 1 for p, q in pairs)


def test_the_win_matrix_counts_strict_wins_and_ties_of_rows_both_have():
    result = win_matrix({"a": [1, 2, 3, None], "b": [0, 2, 4, 1]})
    assert result.wins == ((0, 1), (1, 0))
    assert result.ties == ((3, 1), (1, 4))
    assert result.n == ((3, 3), (3, 4))
