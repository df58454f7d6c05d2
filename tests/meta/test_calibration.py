"""Probability maps, bands and reliability, against scikit-learn and on known distributions."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from faithkit.meta import (
    Calibration,
    choose_threshold,
    fit_calibration,
    grouped_folds,
    least_decided,
    reliability,
)
from faithkit.records import ConfigError, DataError


def benchmark(rows=2000, groups=400, seed=0, slope=2.0):
    """Scores whose true P(consistent) is a sigmoid."""
    generator = np.random.default_rng(seed)
    scores = generator.normal(size=rows)
    labels = (generator.random(rows) < expit(slope * scores + 0.5)).astype(int)
    return scores, labels, [f"d{row % groups}" for row in range(rows)]


def test_platt_recovers_the_sigmoid_the_labels_came_from():
    scores, labels, groups = benchmark(rows=8000)
    result = fit_calibration(scores, labels, groups)
    at = [-1.5, 0.0, 1.5]
    assert result.calibration.apply(at) == pytest.approx(expit(2 * np.array(at) + 0.5), abs=0.03)
    assert result.reliability.expected_calibration_error < 0.03


def test_platt_reaches_the_optimum_of_its_smoothed_likelihood():
    scores, labels, groups = benchmark(rows=60, groups=60)
    fitted = fit_calibration(scores, labels, groups).calibration
    positives = labels.sum()
    target = np.where(
        labels == 1, (positives + 1) / (positives + 2), 1 / (len(labels) - positives + 2)
    )
    gap = np.array(fitted.apply(scores)) - target
    # At the optimum the gradient in intercept and slope is zero.
    assert gap.mean() == pytest.approx(0, abs=1e-4)
    assert (gap * scores).mean() == pytest.approx(0, abs=1e-4)


def test_separable_scores_still_give_finite_parameters():
    fitted = fit_calibration(np.arange(20.0), [0] * 10 + [1] * 10, list(range(20))).calibration
    p = fitted.apply([0, 19])
    assert 0 < p[0] < 0.5 < p[1] < 1


def test_isotonic_equals_scikit_learn():
    scores, labels, groups = benchmark(rows=300)
    fitted = fit_calibration(scores, labels, groups, method="isotonic").calibration
    at = np.linspace(-4, 4, 101)
    wanted = IsotonicRegression(out_of_bounds="clip").fit(scores, labels).predict(at)
    assert fitted.apply(at) == pytest.approx(wanted)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_probabilities_rise_with_the_score_even_for_a_metric_that_falls(method):
    scores, labels, groups = benchmark(rows=300, slope=-2.0)
    fitted = fit_calibration(scores, labels, groups, method=method).calibration
    p = np.array(fitted.apply(np.linspace(-5, 5, 50)))
    assert (np.diff(p) >= 0).all()
    assert p[25] == pytest.approx(np.mean(labels), abs=0.15)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_calibration_survives_json(method):
    scores, labels, groups = benchmark(rows=300)
    fitted = fit_calibration(scores, labels, groups, method=method, max_error=0.1).calibration
    again = Calibration.from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert again == fitted
    assert again.apply(scores) == fitted.apply(scores)
    assert again.verdicts(scores) == fitted.verdicts(scores)


@pytest.mark.parametrize(
    "change",
    [
        {"method": "magic"},
        {"slope": -1.0},
        {"scale": 0.0},
        {"threshold": None},
        {"knots": [1.0]},
        {"knots": [2.0, 1.0], "levels": [0.0, 1.0]},
        {"method": "isotonic"},
        {"lower": "low"},
        {"surplus": 1},
    ],
)
def test_a_broken_saved_calibration_is_refused(change):
    with pytest.raises(DataError):
        Calibration.from_dict(Calibration("platt", 0.5, 0.4, 0.6, slope=1.0).to_dict() | change)


def test_without_a_band_the_threshold_decides_every_row():
    scores, labels, groups = benchmark(rows=300)
    result = fit_calibration(scores, labels, groups)
    threshold = choose_threshold(scores, labels).value
    assert result.calibration.threshold == result.calibration.lower == threshold
    assert result.calibration.upper == threshold
    assert (result.abstained, result.decided) == (0, 300)
    verdicts = result.calibration.verdicts([threshold, threshold - 1e-6, None])
    assert verdicts == ["consistent", "inconsistent", None]


@pytest.mark.parametrize("max_error", [0.2, 0.1, 0.05])
def test_the_band_keeps_errors_near_the_rate_on_held_out_and_on_fresh_rows(max_error):
    scores, labels, groups = benchmark()
    result = fit_calibration(scores, labels, groups, max_error=max_error)
    for wrong in (result.wrong_consistent, result.wrong_inconsistent):
        assert wrong is not None and wrong < max_error + 0.02
    assert result.decided + result.abstained == 2000
    fitted = result.calibration
    assert fitted.lower <= fitted.threshold <= fitted.upper
    fresh_scores, fresh_labels, _ = benchmark(rows=20_000, seed=9)
    verdicts = np.array(fitted.verdicts(fresh_scores))
    assert (fresh_labels[verdicts == "consistent"] == 0).mean() < max_error + 0.03
    assert (fresh_labels[verdicts == "inconsistent"] == 1).mean() < max_error + 0.03


@pytest.mark.slow
def test_a_stricter_rate_abstains_more():
    scores, labels, groups = benchmark()
    result = [fit_calibration(scores, labels, groups, max_error=rate) for rate in (0.2, 0.1, 0.05)]
    assert result[0].abstained < result[1].abstained < result[2].abstained


def test_an_uninformative_metric_abstains():
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, 500)
    result = fit_calibration(generator.normal(size=500), labels, list(range(500)), max_error=0.02)
    assert result.abstained > 450


def test_the_labels_of_a_fold_have_no_part_in_its_held_out_figures():
    scores, labels, groups = benchmark(rows=120, groups=120, slope=1.0)
    before = fit_calibration(scores, labels, groups, max_error=0.2)
    for _, test in grouped_folds(groups, 5, 0):
        changed = np.where(test, 1 - labels, labels)
        after = fit_calibration(scores, changed, groups, max_error=0.2)
        for column in ("probabilities", "shares", "decisions"):
            kept, found = (np.array(getattr(result, column)) for result in (before, after))
            assert (kept[test] == found[test]).all()


@pytest.mark.slow
def test_held_out_verdicts_are_as_often_wrong_as_those_on_fresh_rows():
    fresh_scores, fresh_labels, _ = benchmark(slope=1.0, seed=999)
    decided, wrong, fresh_decided, fresh_wrong = 0, 0, 0, 0
    for seed in range(100):
        scores, labels, groups = benchmark(rows=100, groups=100, slope=1.0, seed=seed)
        result = fit_calibration(scores, labels, groups, method="isotonic", max_error=0.2)
        decided, wrong = decided + result.decided, wrong + result.errors
        verdicts = np.array(result.calibration.verdicts(fresh_scores))
        fresh_decided += (verdicts != "uncertain").sum()
        fresh_wrong += ((verdicts == "consistent") & (fresh_labels == 0)).sum()
        fresh_wrong += ((verdicts == "inconsistent") & (fresh_labels == 1)).sum()
    assert wrong / decided == pytest.approx(fresh_wrong / fresh_decided, abs=0.05)


@pytest.mark.parametrize(
    ("max_error", "least"), [(0.0, None), (0.05, 59), (0.1, 29), (0.2, 14), (0.25, 11), (0.5, 5)]
)
def test_fewest_rows_whose_being_right_throughout_refutes_a_rate(max_error, least):
    assert least_decided(max_error) == least
    if least is not None:
        assert (1 - max_error) ** least <= 0.05 < (1 - max_error) ** (least - 1)


@pytest.mark.parametrize("max_error", [-0.1, 1.0, 1.5, float("nan")])
def test_a_share_of_wrong_verdicts_is_from_0_to_below_1(max_error):
    with pytest.raises(ConfigError, match="max_error is a share in"):
        least_decided(max_error)


@pytest.mark.parametrize(
    ("zeros", "ones", "given"),
    [(13, 13, (False, False)), (14, 13, (True, False)), (13, 14, (False, True))],
)
def test_a_verdict_that_too_few_held_out_rows_get_is_never_given(zeros, ones, given):
    # Separable with a wide gap: every fold decides all of its rows rightly; 14 are wanted at .2.
    scores = [0.0] * zeros + [1.0] * ones
    labels = [0] * zeros + [1] * ones
    fitted = fit_calibration(scores, labels, list(range(len(scores))), max_error=0.2).calibration
    assert (fitted.lower is not None, fitted.upper is not None) == given


def test_a_document_that_is_all_training_rows_of_a_fold_leaves_no_verdict_held_out():
    scores, labels = [0.0, 1.0] * 40, [0, 1] * 40
    groups = ["a"] * 40 + ["b"] * 40
    result = fit_calibration(scores, labels, groups, max_error=0.2, folds=2)
    assert (result.decided, result.abstained) == (0, 80)
    assert (result.calibration.lower, result.calibration.upper) == (0.5, 0.5)


def test_shares_are_those_of_the_training_rows_by_hand():
    labels = [1, 1, 1, 0, 0, 1, 0, None]
    groups = ["a", "a", "a", "a", "b", "b", "b", "b"]
    result = fit_calibration([1, 2, 3, 4, 5, 6, 7, 8], labels, groups, folds=2)
    a, b = pytest.approx(1 / 3), 0.75
    assert list(result.shares) == [a, a, a, a, b, b, b, None]


def test_the_band_by_hand():
    # Threshold 4.5 (lowest best cut); the one error above it is at 5, the one below at 4.
    scores = list(range(1, 9)) * 20
    labels = [0, 0, 0, 1, 0, 1, 1, 1] * 20
    result = fit_calibration(scores, labels, list(range(160)), max_error=0.1, folds=2)
    assert (result.calibration.lower, result.calibration.upper) == (3.5, 5.5)
    assert result.calibration.verdicts([3, 4, 5, 6]) == [
        "inconsistent",
        "uncertain",
        "uncertain",
        "consistent",
    ]


def test_unscored_rows_have_no_probability_and_are_counted():
    scores, labels, groups = benchmark(rows=100)
    holed = [None if row == 4 else value for row, value in enumerate(scores)]
    result = fit_calibration(holed, labels.tolist(), groups)
    assert (result.n, result.unscored, result.probabilities[4]) == (99, 1, None)
    assert result.reliability.unscored == 1


def test_calibration_needs_both_labels_and_sensible_options():
    with pytest.raises(DataError, match="both labels"):
        fit_calibration([1, 2, 3], [1, 1, 0], ["a", "b", "c"], folds=3)
    with pytest.raises(ConfigError, match="platt, isotonic"):
        fit_calibration([1, 2], [1, 0], ["a", "b"], method="beta")
    with pytest.raises(ConfigError, match="max_error"):
        fit_calibration([1, 2], [1, 0], ["a", "b"], max_error=1.5)


def test_the_reliability_table_by_hand():
    result = reliability([0.1, 0.2, 0.9, 1.0, None], [0, 1, 1, 1, 1], bins=2)
    low, high = result.bins
    assert (low.n, low.mean_probability, low.share_consistent) == (2, pytest.approx(0.15), 0.5)
    assert (high.n, high.mean_probability, high.share_consistent) == (2, 0.95, 1.0)
    assert result.expected_calibration_error == pytest.approx((2 * 0.35 + 2 * 0.05) / 4)
    assert result.brier == pytest.approx((0.01 + 0.64 + 0.01 + 0) / 4)
    assert (result.n, result.unscored) == (4, 1)


@pytest.mark.parametrize("tenth", range(11))
def test_a_probability_on_an_edge_belongs_to_the_bin_that_begins_there(tenth):
    bins = reliability([tenth / 10], [1]).bins
    assert [bin.n for bin in bins].index(1) == min(tenth, 9)
    assert bins[min(tenth, 9)].low == min(tenth, 9) / 10


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=2, max_size=50))
def test_reliability_equals_scikit_learn(rows):
    p, y = (np.array(part) for part in zip(*rows, strict=True))
    result = reliability(p, y, bins=5)
    assert result.brier == pytest.approx(brier_score_loss(y, p, pos_label=1))
    assert sum(b.n for b in result.bins) == len(rows)
    on_edge = np.isclose(p[:, None], [0.2, 0.4, 0.6, 0.8]).any()
    if len(set(y.tolist())) == 2 and not on_edge:
        share, mean = calibration_curve(y, p, n_bins=5)
        filled = [b for b in result.bins if b.n]
        assert [b.share_consistent for b in filled] == pytest.approx(list(share))
        assert [b.mean_probability for b in filled] == pytest.approx(list(mean))


def test_scores_that_are_no_probabilities_are_refused():
    with pytest.raises(DataError, match="row 1: a probability"):
        reliability([0.5, 1.5], [0, 1])


def test_empty_bins_are_none():
    result = reliability([], [])
    assert (result.brier, result.bins[0].mean_probability) == (None, None)
    assert result.reason
