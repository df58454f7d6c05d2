"""Learned combinations and weight search: leakage, saving, and the grid."""

import json
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from faithkit.meta import (
    SPEARMAN,
    Combination,
    choose_threshold,
    grouped_folds,
    growing_combinations,
    held_out_search,
    learn_combination,
    resample,
    sample,
    search_weights,
    simplex_grid,
    spearman_alone,
)
from faithkit.records import ConfigError, DataError


def benchmark(rows=300, groups=60, seed=0):
    generator = np.random.default_rng(seed)
    signal = generator.normal(size=(rows, 2))
    human = signal[:, 0] + signal[:, 1] + generator.normal(size=rows) * 0.3
    scores = {
        "a": signal[:, 0] * 10 + 3,
        "b": signal[:, 1] / 10,
        "noise": generator.normal(size=rows),
    }
    return scores, human, [f"d{row % groups}" for row in range(rows)]


def test_more_folds_than_documents_is_an_error():
    with pytest.raises(ConfigError, match="10 folds cannot be made of 3 source"):
        learn_combination({"a": [1, 2, 3]}, [1, 2, 3], ["x", "y", "z"])


def test_two_halves_of_the_signal_together_beat_either():
    scores, human, groups = benchmark()
    both = learn_combination({k: scores[k] for k in "ab"}, human, groups)
    alone = learn_combination({"a": scores["a"]}, human, groups)
    assert both.mean_spearman > 0.9 > 0.8 > alone.mean_spearman
    assert (len(both.fold_spearman), both.n, both.groups) == (10, 300, 60)


def test_the_fit_equals_scikit_learn_with_scaling_inside_each_fold():
    scores, human, groups = benchmark()
    result = learn_combination(scores, human, groups, folds=5, seed=2)
    x = np.stack(list(scores.values()), axis=1)
    pipeline = make_pipeline(StandardScaler(), LinearRegression())
    assert result.combination.apply(scores) == pytest.approx(pipeline.fit(x, human).predict(x))
    for train, test in grouped_folds(groups, 5, 2):
        wanted = pipeline.fit(x[train], human[train]).predict(x[test])
        assert np.array(result.held_out)[test] == pytest.approx(wanted)


def test_learning_noise_finds_nothing_on_held_out_rows():
    generator = np.random.default_rng(3)
    scores = {f"m{i}": generator.normal(size=120) for i in range(40)}
    result = learn_combination(scores, generator.normal(size=120), list(range(120)))
    fitted = np.array(result.combination.apply(scores))
    assert fitted.std() > 0.4
    assert abs(result.mean_spearman) < 0.3


def test_rows_without_some_column_are_left_out_and_stay_none():
    scores, human, groups = benchmark(rows=100, groups=20)
    holed = [None if row in (3, 5) else value for row, value in enumerate(scores["a"])]
    ratings = [None if row == 7 else value for row, value in enumerate(human)]
    result = learn_combination({"a": holed, "b": scores["b"]}, ratings, groups)
    assert (result.n, result.unscored, result.unlabelled) == (97, 2, 1)
    assert [row for row, v in enumerate(result.held_out) if v is None] == [3, 5, 7]
    applied = result.combination.apply({"a": holed, "b": scores["b"]})
    assert [row for row, v in enumerate(applied) if v is None] == [3, 5]


def test_a_constant_column_gets_no_weight():
    scores, human, groups = benchmark()
    result = learn_combination({"a": scores["a"], "flat": [0.1] * 300}, human, groups)
    assert result.combination.weights[1] == 0


def test_constant_ratings_are_a_reason_not_nan():
    scores, _, groups = benchmark()
    result = learn_combination(scores, [1.0] * 300, groups)
    assert (result.mean_spearman, set(result.fold_spearman)) == (None, {None})
    assert "every fold" in result.reason


def test_a_combination_survives_json():
    scores, human, groups = benchmark()
    fitted = learn_combination(scores, human, groups).combination
    again = Combination.from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert again == fitted
    assert again.apply(scores) == fitted.apply(scores)


def test_applying_by_hand():
    fitted = Combination(("a", "b"), (2.0, -1.0), (1.0, 0.0), (0.5, 4.0), 10.0)
    assert fitted.apply({"b": [8, None], "a": [2, 1], "other": []}) == [12.0, None]
    with pytest.raises(DataError, match="missing: b"):
        fitted.apply({"a": [1]})


@pytest.mark.parametrize(
    "change",
    [
        {"weights": [1.0]},
        {"scales": [1.0, 0.0]},
        {"means": [0.0, "x"]},
        {"intercept": None},
        {"names": "ab"},
        {"extra": 1},
        {"intercept": float("nan")},
    ],
)
def test_a_broken_saved_combination_is_refused(change):
    good = Combination(("a", "b"), (2.0, -1.0), (1.0, 0.0), (0.5, 4.0), 10.0).to_dict()
    with pytest.raises(DataError):
        Combination.from_dict(good | change)


def test_growing_combinations_take_the_useful_metrics_first():
    scores, human, groups = benchmark()
    steps = growing_combinations(scores, human, groups, folds=5)
    assert [len(step.combination.names) for step in steps] == [1, 2, 3]
    assert set(steps[1].combination.names) == {"a", "b"}
    assert steps[1].mean_spearman > steps[0].mean_spearman


def test_figures_over_folds_do_not_depend_on_the_order_of_rows():
    scores, human, groups = benchmark(rows=60, groups=30)
    order = np.random.default_rng(1).permutation(60)
    moved = {name: values[order] for name, values in scores.items()}
    result = learn_combination(scores, human, groups)
    again = learn_combination(moved, human[order], [groups[row] for row in order])
    assert again.fold_spearman == pytest.approx(result.fold_spearman)


def test_the_mean_over_folds_has_the_interval_of_resampled_documents():
    scores, human, groups = benchmark(rows=120, groups=40)
    result = learn_combination(scores, human, groups, folds=4, draws=300, seed=3)
    data = sample(result.held_out, human, groups=groups)
    kernels = [SPEARMAN.kernel(data.where(test)) for _, test in grouped_folds(groups, 4, 3)]
    values, _ = resample(kernels, data, draws=300, seed=3)
    low, high = np.quantile(values.mean(axis=0), [0.025, 0.975])
    assert (result.mean.low, result.mean.high) == pytest.approx((low, high))
    assert result.mean.low < result.mean_spearman < result.mean.high
    assert (result.mean.groups, result.mean.draws) == (40, 300)
    steps = growing_combinations(scores, human, groups, folds=4, draws=50)
    assert all(step.mean.low < step.mean_spearman < step.mean.high for step in steps)


def test_a_metric_that_falls_with_the_judgement_is_below_0_alone():
    # Two documents, a fold each: ranks 1 2 3 against 3 2 1 (-1), and 1 2 3 against 3 1 2 (-1/2).
    falling, human = [1, 2, 3, 1, 2, 3], [3, 2, 1, 3, 1, 2]
    per_fold, mean = spearman_alone(falling, human, list("aaabbb"), folds=2)
    assert sorted(per_fold) == pytest.approx([-1, -0.5]) and mean.value == pytest.approx(-0.75)
    (step,) = growing_combinations({"falling": falling}, human, list("aaabbb"), folds=2)
    assert (step.fold_spearman, step.mean) == (per_fold, mean)


def test_growing_combinations_begin_with_the_best_metric_as_it_is():
    scores, human, groups = benchmark()
    turned = {"falling": -human, "b": scores["b"]}
    first, both = growing_combinations(turned, human, groups, folds=5)
    assert first.combination.names == ("b",) and 0 < first.mean_spearman < 0.9
    assert both.mean_spearman == pytest.approx(1)


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 10))
def test_the_grid_is_every_weighting_that_sums_to_one(columns, steps):
    grid = simplex_grid(columns, steps)
    assert len(grid) == comb(steps + columns - 1, columns - 1)
    assert grid.sum(axis=1) == pytest.approx(1)
    assert (grid >= 0).all()
    assert len({tuple(row) for row in grid.tolist()}) == len(grid)


def test_the_grid_of_three_components_by_hand():
    assert len(simplex_grid(3)) == 66
    assert simplex_grid(2, 2).tolist() == [[0, 1], [0.5, 0.5], [1, 0]]


def test_the_search_finds_the_best_weights_of_the_grid():
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, 200)
    good = labels + generator.normal(size=200) * 0.8
    noise = generator.normal(size=200)
    result = search_weights({"good": good, "noise": noise}, labels)
    every = [
        choose_threshold(w * good + (1 - w) * noise, labels).balanced_accuracy
        for w in np.linspace(0, 1, 11)
    ]
    assert result.value == pytest.approx(max(every))
    assert result.tried == 11
    combined = result.weights["good"] * good + result.weights["noise"] * noise
    assert balanced_accuracy_score(labels, combined >= result.threshold) == result.value


def test_equally_good_weights_go_to_the_most_even():
    labels, column = [0, 0, 1, 1], [1, 2, 3, 4]
    result = search_weights({"a": column, "b": column}, labels)
    assert result.weights == {"a": 0.5, "b": 0.5}
    rated = search_weights({"a": column, "b": column}, [1, 2, 3, 5], objective="spearman")
    assert (rated.weights, rated.value, rated.threshold) == ({"a": 0.5, "b": 0.5}, 1.0, None)


def test_one_label_leaves_no_weights_but_a_reason():
    result = search_weights({"a": [1, 2, None]}, [1, 1, 1])
    assert (result.weights, result.value, result.unscored) == ({}, None, 1)
    assert "all 2 rows are consistent" in result.reason


def test_searched_weights_make_a_weighted_sum_of_the_components_as_they_are():
    result = search_weights({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, [0, 0, 1, 1])
    weights = np.array(list(result.weights.values()))
    rows = {"a": [3.0, 1.0, None], "b": [0.5, 2.0, 1.0]}
    sums = [weights @ [3.0, 0.5], weights @ [1.0, 2.0]]
    assert result.combination().apply(rows) == pytest.approx([*sums, None])


def test_held_out_search_of_noise_is_at_chance_where_the_search_itself_is_not():
    generator = np.random.default_rng(2)
    components = {name: generator.normal(size=200) for name in "abcd"}
    labels, groups = generator.integers(0, 2, 200), [row // 2 for row in range(200)]
    fitted = search_weights(components, labels).value
    held_out = held_out_search(components, labels, groups)
    assert held_out == pytest.approx(0.5, abs=0.06) and fitted > held_out + 0.03


def test_held_out_search_is_none_where_a_training_fold_holds_one_label():
    labels, groups = [1, 0, 0, 0], list("abcd")
    assert held_out_search({"a": [1, 2, 3, 4]}, labels, groups, folds=2) is None
