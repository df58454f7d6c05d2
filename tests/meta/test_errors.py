"""Error types, over- and under-prediction, on rows small enough to check by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from faithkit.meta import (
    SPEARMAN,
    error_type_correlations,
    estimate,
    prediction_report,
    sample,
)
from faithkit.meta.bootstrap import cluster_counts
from faithkit.records import ConfigError, DataError


def benchmark(noun=80, verb=7, faithful=40, seed=0):
    """Noun errors score far below the faithful rows, verb errors like them."""
    generator = np.random.default_rng(seed)
    scores = np.concatenate(
        [
            generator.normal(5, 1, faithful),
            generator.normal(3, 1, noun),
            generator.normal(5, 1, verb),
        ]
    )
    labels = [1] * faithful + [0] * (noun + verb)
    types = [[]] * faithful + [["noun"]] * noun + [["verb"]] * verb
    return list(scores), labels, types


def test_a_type_the_metric_sees_correlates_and_one_it_does_not_see_does_not():
    noun, verb = error_type_correlations(*benchmark())
    assert (noun.error_type, verb.error_type) == ("noun", "verb")
    assert noun.spearman > 0.5
    assert abs(verb.spearman) < 0.3
    assert (noun.available, noun.used, noun.fewer, noun.draws) == (80, 50, False, 10)
    assert (verb.available, verb.used, verb.fewer, verb.draws) == (7, 7, True, 1)
    assert noun.spread > 0
    assert verb.spread is None


def test_a_type_with_fewer_cases_is_plain_spearman_over_all_of_them():
    scores, labels, types = benchmark(noun=5, verb=0)
    (result,) = error_type_correlations(scores, labels, types)
    assert result.spearman == pytest.approx(spearmanr(scores, labels).statistic)
    assert result.faithful == 40


def test_draws_are_seeded_and_do_not_depend_on_other_types():
    scores, labels, types = benchmark()
    first = error_type_correlations(scores, labels, types)
    assert error_type_correlations(scores, labels, types) == first
    assert error_type_correlations(scores, labels, types, seed=1)[0].spearman != first[0].spearman
    renamed = [["axe"] if names == ["verb"] else names for names in types]
    assert error_type_correlations(scores, labels, renamed)[1] == first[0]


def test_unscored_cases_are_counted_and_a_row_counts_for_each_of_its_types():
    scores = [5, 4, 1, None, 2]
    result = error_type_correlations(scores, [1, 1, 0, 0, 0], [[], [], ["a", "b"], ["a"], ["b"]])
    assert [(item.available, item.unscored) for item in result] == [(1, 1), (2, 0)]


def test_faithful_rows_stay_faithful_whatever_types_they_carry():
    (result,) = error_type_correlations([3, 2, 1], [1, 1, 0], [["a"], ["b"], ["a"]])
    assert (result.error_type, result.available, result.faithful) == ("a", 1, 2)


def test_ratings_replace_labels_as_what_is_correlated_with():
    scores, ratings = [4, 3, 2, 1], [4, 3, 1, 2]
    (result,) = error_type_correlations(
        scores, [1, 1, 0, 0], [[], [], ["a"], ["a"]], ratings=ratings
    )
    assert result.spearman == pytest.approx(0.8)


def test_an_error_type_without_a_correlation_has_a_reason():
    (result,) = error_type_correlations([1, 1, 1], [1, 1, 0], [[], [], ["a"]])
    assert (result.spearman, result.undefined_draws) == (None, 1)
    assert "constant" in result.reason


def test_a_bare_string_is_not_a_list_of_types():
    with pytest.raises(DataError, match="row 1: error_types"):
        error_type_correlations([1, 2], [1, 0], [[], "noun"])


def test_over_and_under_prediction_on_the_raw_scale_by_hand():
    # Ratings from 1 to 5 become 0, .25 and 1; the metric is above, below and equal.
    result = prediction_report([0.5, 0.25, 0.125, None], [1, 2, 5, 3], human_range=(1, 5), cases=1)
    assert (result.scale, result.n, result.unscored) == ("raw", 3, 1)
    assert (result.over, result.under, result.equal) == (1, 1, 1)
    assert result.mean_over == 0.5 and result.mean_under == 0.875
    assert result.mean_difference == pytest.approx((0.5 + 0 - 0.875) / 3)
    assert result.differences == (-0.875, 0.0, 0.5)
    (over,) = result.worst_over
    assert (over.row, over.score_placed, over.human_placed, over.difference) == (0, 0.5, 0.0, 0.5)
    assert [case.row for case in result.random_under] == [2]


def test_over_prediction_shows_on_the_raw_scale_alone():
    scores, human = [0.8, 0.9, 1.0, 0.95], [0.0, 0.1, 0.2, 0.3]
    assert prediction_report(scores, human).over == 4
    mapped = prediction_report(scores, human, scale="quantile")
    assert (mapped.over, mapped.under) == (1, 1), "half and half, by construction"


def test_another_scale_is_refused():
    with pytest.raises(ConfigError, match="scale is raw or quantile, found 'rank'"):
        prediction_report([0.5], [1.0], scale="rank")


@pytest.mark.parametrize(
    ("scores", "human", "words"),
    [
        ([-2.0, -1.0], [0, 1], "the metric's values run from -2 to -1, not within 0 to 1"),
        ([0.5, 1.0], [1, 5], "the ratings run from 1 to 5, not within 0 to 1"),
    ],
)
def test_what_leaves_the_raw_scale_has_a_reason_instead_of_figures(scores, human, words):
    result = prediction_report(scores, human)
    assert result.reason == words
    assert (result.n, result.over, result.mean_over, result.differences) == (0, 0, None, ())


def test_random_cases_are_of_both_signs_and_drawn_by_the_seed():
    generator = np.random.default_rng(0)
    scores, human = generator.random(100).tolist(), generator.random(100).tolist()
    result = prediction_report(scores, human, cases=5)
    assert len(result.random_over) == len(result.random_under) == 5
    assert all(case.difference < 0 for case in result.random_under)
    assert prediction_report(scores, human, cases=5) == result
    assert prediction_report(scores, human, cases=5, seed=1).random_over != result.random_over


def test_over_and_under_prediction_by_quantiles_by_hand():
    # Metric quantiles .25 .5 .75 1; human .625 .625 .25 1 (a tie at 3 shares ranks 2 and 3).
    result = prediction_report([1, 2, 3, 4, None], [3, 3, 1, 5, 2], scale="quantile", cases=1)
    assert (result.n, result.unscored) == (4, 1)
    assert (result.over, result.under, result.equal) == (1, 2, 1)
    assert result.mean_over == pytest.approx(0.5)
    assert result.mean_under == pytest.approx((0.375 + 0.125) / 2)
    assert result.mean_absolute == pytest.approx(0.25)
    (over,) = result.worst_over
    assert (over.row, over.score_placed, over.human_placed) == (2, 0.75, 0.25)
    (under,) = result.worst_under
    assert (under.row, under.difference) == (0, pytest.approx(-0.375))


def test_nothing_to_report_is_none_not_nan():
    result = prediction_report([None], [1])
    assert (result.n, result.mean_absolute, result.worst_over) == (0, None, ())
    assert result.reason == "no row has both a score and a rating"


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 5)), min_size=1, max_size=30))
def test_over_and_under_cancel_and_monotone_maps_change_nothing(rows):
    scores, human = (list(part) for part in zip(*rows, strict=True))
    result = prediction_report(scores, human, scale="quantile")
    assert result.over + result.under + result.equal == len(rows)
    total = result.over * (result.mean_over or 0) - result.under * (result.mean_under or 0)
    assert total == pytest.approx(0, abs=1e-9)
    mapped = prediction_report([v**3 for v in scores], [np.exp(v) for v in human], scale="quantile")
    assert (mapped.over, mapped.mean_absolute) == (result.over, result.mean_absolute)


def test_an_error_type_has_the_interval_of_resampled_documents():
    scores, labels, types = benchmark(noun=20, verb=0)
    groups = [f"d{row // 2}" for row in range(60)]
    more = {"groups": groups, "resamples": 200, "seed": 1}
    (every,) = error_type_correlations(scores, labels, types, **more)
    whole = estimate(SPEARMAN, sample(scores, labels, groups=groups), draws=200, seed=1)
    assert (every.spearman, every.low, every.high) == (whole.value, whole.low, whole.high)
    (drawn,) = error_type_correlations(scores, labels, types, cases=10, **more)
    assert drawn.draws == 10 and drawn.low < drawn.spearman < drawn.high and drawn.groups == 30
    (few,) = error_type_correlations(
        [1, 2, 3, 0], [1, 1, 1, 0], [[], [], [], ["a"]], groups=list("abcd"), resamples=20
    )
    assert few.low is None and "only 4 documents" in few.interval_reason


def test_named_error_cases_are_drawn_whatever_the_order_of_rows():
    scores, labels, types = benchmark()
    ids = [f"row {row}" for row in range(len(scores))]
    order = np.random.default_rng(0).permutation(len(scores))
    moved = [[column[row] for row in order] for column in (scores, labels, types, ids)]
    first = error_type_correlations(scores, labels, types, ids=ids)
    again = error_type_correlations(*moved[:3], ids=moved[3])
    assert [item.spearman for item in again] == pytest.approx([item.spearman for item in first])


@pytest.mark.parametrize("scale", ["raw", "quantile"])
def test_shares_and_sizes_of_prediction_have_the_intervals_of_resampled_documents(scale):
    generator = np.random.default_rng(0)
    scores, human = generator.uniform(size=(2, 60)).round(1)
    groups = np.arange(60) // 3
    more = {"groups": groups.tolist(), "draws": 100, "seed": 4}
    report = prediction_report(scores, human, scale=scale, **more)
    counts = np.concatenate([*cluster_counts(20, 100, 4, 100)], axis=1)
    drawn = []
    for draw in counts.T:
        rows = np.repeat(np.arange(60), draw[groups].astype(int))
        resampled = prediction_report(scores[rows], human[rows], scale=scale)
        drawn.append([resampled.over / 60, resampled.mean_under, resampled.mean_absolute])
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    found = [report.estimates[name] for name in ("over", "mean_under", "mean_absolute")]
    assert [item.low for item in found] == pytest.approx(low)
    assert [item.high for item in found] == pytest.approx(high)
    assert found[0].value == report.over / 60 and found[1].value == report.mean_under
    assert ("mean_difference" in report.estimates) == (scale == "raw")
