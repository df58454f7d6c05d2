"""Correlations against scipy, against values worked out by hand, and as properties."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from faithkit.meta import (
    KENDALL,
    PEARSON,
    SPEARMAN,
    SYSTEM_KENDALL,
    SYSTEM_PEARSON,
    SYSTEM_SPEARMAN,
    correlation_matrix,
    estimate,
    sample,
    system_means,
)
from faithkit.records import DataError

MEASURES = [PEARSON, SPEARMAN, KENDALL]
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
few = st.integers(-4, 4)
columns = st.integers(3, 40).flatmap(
    lambda n: st.tuples(
        st.lists(few, min_size=n, max_size=n), st.lists(few, min_size=n, max_size=n)
    )
)


def value(measure, x, y):
    return estimate(measure, sample(x, y)).value


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_summary_level_equals_scipy(measure, decimals):
    generator = np.random.default_rng(decimals)
    x = generator.normal(size=200).round(decimals)
    y = (x + generator.normal(size=200)).round(decimals)
    assert value(measure, x, y) == pytest.approx(SCIPY[measure.name](x, y).statistic, abs=1e-12)


def test_values_by_hand():
    # x = 1 2 3 4, y = 1 3 2 4: five of six pairs agree, one does not; rank differences 0 1 1 0.
    x, y = [1, 2, 3, 4], [1, 3, 2, 4]
    assert value(PEARSON, x, y) == pytest.approx(0.8)
    assert value(SPEARMAN, x, y) == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert value(KENDALL, x, y) == pytest.approx(4 / 6)
    # One tie in x: tau-b = (3 - 0) / sqrt((6 - 1) * 6) with pairs 5 concordant, 0 discordant.
    assert value(KENDALL, [1, 1, 2, 3], [1, 2, 3, 4]) == pytest.approx(5 / math.sqrt(5 * 6))


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 1, 1, 1], [1, 2, 3, 4], "the metric is constant over all 4 rows"),
        ([1, 2, 3, 4], [7, 7, 7, 7], "the human judgement is constant"),
        ([1, 2], [1, 2], "2 rows; a correlation needs at least 3"),
        ([], [], "0 rows"),
        ([1, None, None, 4], [1, 2, 3, 4], "2 rows"),
    ],
)
def test_an_undefined_correlation_is_none_with_its_reason(measure, x, y, reason):
    result = estimate(measure, sample(x, y, groups=[str(i) for i in range(len(x))]), draws=5)
    assert result.value is None
    assert reason in result.reason
    assert result.low is None


@settings(deadline=None)
@given(columns)
def test_correlations_are_never_nan_and_within_bounds(pair):
    for measure in MEASURES:
        result = value(measure, *pair)
        assert result is None or -1 <= result <= 1


@settings(deadline=None)
@given(columns)
def test_rank_statistics_do_not_change_under_a_monotone_map(pair):
    x, y = pair
    for measure in (SPEARMAN, KENDALL):
        before, after = value(measure, x, y), value(measure, [math.exp(v) for v in x], y)
        assert before == pytest.approx(after)


@settings(deadline=None)
@given(columns, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(pair, random):
    rows = list(zip(*pair, strict=True))
    random.shuffle(rows)
    shuffled = list(zip(*rows, strict=True))
    for measure in MEASURES:
        assert value(measure, *pair) == pytest.approx(value(measure, *shuffled), abs=1e-12)


@pytest.mark.slow
@settings(deadline=None)
@given(columns)
def test_turning_the_metric_round_turns_the_sign(pair):
    x, y = pair
    for measure in MEASURES:
        before = value(measure, x, y)
        if before is not None:
            assert value(measure, [-v for v in x], y) == pytest.approx(-before, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.floats(-1e307, 1e307), min_size=3, max_size=20), st.floats(-1e300, 1e300))
def test_extreme_magnitudes_give_a_number_or_a_reason(x, slope):
    y = list(range(len(x)))
    for measure in MEASURES:
        result = estimate(measure, sample(x, y))
        assert (result.value is None) == (result.reason is not None)
        assert result.value is None or math.isfinite(result.value)


SYSTEMS = ["a", "a", "b", "b", "c", "c", "d"]


def test_system_level_is_the_correlation_of_means():
    x, y = [1, 3, 4, 4, 0, 2, 9], [1, 1, 5, 3, 2, 2, 9]
    data = sample(x, y, systems=SYSTEMS)
    assert [part.tolist() for part in system_means(data)] == [[2, 4, 1, 9], [1, 4, 2, 9]]
    for measure, scipys in (
        (SYSTEM_PEARSON, stats.pearsonr),
        (SYSTEM_SPEARMAN, stats.spearmanr),
        (SYSTEM_KENDALL, stats.kendalltau),
    ):
        result = estimate(measure, data)
        assert result.value == pytest.approx(scipys([2, 4, 1, 9], [1, 4, 2, 9]).statistic)
        assert result.n == 4


def test_two_systems_have_no_system_level_correlation():
    data = sample([1, 2, 3, 4], [1, 2, 3, 4], systems=["a", "b", "a", "b"])
    result = estimate(SYSTEM_SPEARMAN, data)
    assert (result.value, result.n) == (None, 2)
    assert "2 systems" in result.reason


def test_system_level_without_systems_is_an_error():
    with pytest.raises(DataError, match="give `systems`"):
        estimate(SYSTEM_PEARSON, sample([1, 2, 3], [1, 2, 4]))


def test_the_matrix_is_pairwise_complete_and_counts_rows():
    scores = {"a": [1, 2, 3, 4, None], "b": [2, 1, 4, 3, 5], "c": [None, 5, 5, 5, 5]}
    matrix = correlation_matrix(scores)
    shown = matrix.to_dict()
    assert shown["n"] == [[4, 4, 3], [4, 5, 4], [3, 4, 4]]
    assert shown["values"][0][1] == shown["values"][1][0] == pytest.approx(0.6)
    assert shown["values"][0][0] == pytest.approx(1)
    assert shown["values"][2][1] is None
    assert "constant" in matrix.cells[2][1].reason


def test_kendall_of_very_many_documents_has_a_value_and_no_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("faithkit.meta.correlation.MOST_KENDALL_DOCUMENTS", 20)
    values = [float(row * 7 % 31) for row in range(31)]
    data = sample(values, list(range(31)), groups=list(range(31)))
    result = estimate(KENDALL, data, draws=50)
    assert result.value is not None and result.low is None
    assert "31 documents" in str(result.interval_reason)
    assert estimate(SPEARMAN, data, draws=50).low is not None


def test_the_cells_of_a_matrix_have_the_intervals_of_their_estimates():
    generator = np.random.default_rng(0)
    x = generator.normal(size=60)
    scores = {"x": list(x), "y": list(x + generator.normal(size=60)), "z": [None, *x[1:]]}
    groups = [f"d{row // 3}" for row in range(60)]
    matrix = correlation_matrix(scores, groups=groups, draws=100, seed=2)
    data = sample(scores["y"], scores["x"], groups=groups)
    assert matrix.cells[0][1] == matrix.cells[1][0] == estimate(SPEARMAN, data, draws=100, seed=2)
    saved = matrix.to_dict()
    assert saved["low"][0][1] < saved["values"][0][1] < saved["high"][0][1]
    assert saved["low"][0][0] is None and saved["n"][0][2] == 59
    assert "all resamples give 1" in saved["interval_reasons"][0][2]
