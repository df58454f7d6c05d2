"""Thresholds, balanced accuracy, AUC and ranking, against brute force, scikit-learn and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from faithkit.meta import (
    AUC,
    RANKING,
    balanced_accuracy,
    choose_threshold,
    estimate,
    ranking_counts,
    sample,
    unscored_as_wrong,
)
from faithkit.records import DataError

labelled = st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 1)), min_size=2, max_size=40)


def split(rows):
    scores, labels = zip(*rows, strict=True)
    return list(scores), list(labels)


@pytest.mark.slow
@settings(deadline=None)
@given(labelled)
def test_the_threshold_is_the_best_of_all_and_the_lowest_of_the_best(rows):
    scores, labels = split(rows)
    result = choose_threshold(scores, labels)
    if len(set(labels)) < 2:
        assert result.value is None
        assert "all" in result.reason
        return
    x = np.array(scores)
    cuts = [*sorted(set(scores)), max(scores) + 1]
    accuracies = [balanced_accuracy_score(labels, x >= cut) for cut in cuts]
    assert result.balanced_accuracy == pytest.approx(max(accuracies))
    first = next(i for i, a in enumerate(accuracies) if a > max(accuracies) - 1e-12)
    assert ((x >= result.value) == (x >= cuts[first])).all()


@settings(deadline=None)
@given(labelled)
def test_a_monotone_map_of_scores_keeps_every_decision(rows):
    scores, labels = split(rows)
    mapped = [float(np.exp(v)) for v in scores]
    before, after = choose_threshold(scores, labels), choose_threshold(mapped, labels)
    if before.value is not None:
        assert [s >= before.value for s in scores] == [s >= after.value for s in mapped]


@settings(deadline=None)
@given(labelled)
def test_the_chosen_threshold_never_falls_below_chance(rows):
    result = choose_threshold(*split(rows))
    assert result.balanced_accuracy is None or result.balanced_accuracy >= 0.5


def test_a_threshold_by_hand_lies_halfway():
    result = choose_threshold([0.1, 0.2, 0.6, 0.8, None], [0, 0, 1, 1, 1])
    assert result.value == pytest.approx(0.4)
    assert (result.balanced_accuracy, result.n, result.positives, result.unscored) == (1.0, 4, 2, 1)


def test_neighbouring_floats_are_still_separated():
    low = 1.0
    high = float(np.nextafter(low, 2))
    result = choose_threshold([low, high], [0, 1])
    assert low < result.value <= high


def test_a_metric_that_is_upside_down_gets_a_threshold_at_chance():
    result = choose_threshold([3, 2, 1], [0, 0, 1])
    assert (result.value, result.balanced_accuracy) == (1.0, 0.5)


def test_balanced_accuracy_equals_scikit_learn():
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=300), generator.integers(0, 2, 300)
    result = estimate(balanced_accuracy(0.3), sample(x, y))
    assert result.value == pytest.approx(balanced_accuracy_score(y, x >= 0.3))


def test_calling_everything_consistent_is_half_right():
    result = estimate(balanced_accuracy(-1), sample([1, 2, 3, 4], [1, 1, 1, 0]))
    assert result.value == 0.5


def test_unscored_rows_can_be_made_to_count_as_wrong():
    decided = unscored_as_wrong([0.9, None, 0.1, None, None], [1, 1, 0, 0, None], 0.5)
    assert decided == [1.0, 0.0, 0.0, 1.0, None]
    result = estimate(balanced_accuracy(0.5), sample(decided, [1, 1, 0, 0, None]))
    assert (result.value, result.n) == (0.5, 4)


@pytest.mark.slow
@settings(deadline=None)
@given(labelled)
def test_auc_of_the_reversed_metric_is_one_minus_auc(rows):
    scores, labels = split(rows)
    result = estimate(AUC, sample(scores, labels)).value
    if result is None:
        assert len(set(labels)) == 1
        return
    assert result == pytest.approx(roc_auc_score(labels, scores))
    assert estimate(AUC, sample([-s for s in scores], labels)).value == pytest.approx(1 - result)


def test_auc_counts_a_tie_half():
    # Pairs: 2>1 won, 2=2 tied, 3>1 won, 3>2 won.
    assert estimate(AUC, sample([2, 3, 1, 2], [1, 1, 0, 0])).value == pytest.approx(3.5 / 4)


def test_detection_on_ratings_is_an_error_that_names_the_row():
    with pytest.raises(DataError, match="row 2: expected label"):
        estimate(AUC, sample([1, 2, 3], [0, 1, 3.5]))


def test_ranking_is_strict_and_ties_are_wrong_but_counted():
    scores = [0.9, 0.1, 0.5, 0.5, 0.2, 0.8, 0.7, None]
    labels = [1, 0, 1, 0, 1, 0, 1, 0]
    groups = ["a", "a", "b", "b", "c", "c", "d", "d"]
    result = estimate(RANKING, sample(scores, labels, groups=groups))
    assert result.value == pytest.approx(1 / 3)
    assert (result.n, result.unscored) == (3, 1)
    counts = ranking_counts(scores, labels, groups)
    assert (counts.pairs, counts.right, counts.wrong, counts.ties) == (3, 1, 1, 1)
    assert (counts.unscored_pairs, counts.groups_without_pair) == (1, 0)


def test_all_pairs_of_a_group_count():
    result = estimate(RANKING, sample([3, 1, 2, 0], [1, 1, 0, 0], groups=["a"] * 4))
    assert result.value == pytest.approx(3 / 4)


def test_groups_without_a_pair_have_no_ranking_accuracy():
    result = estimate(RANKING, sample([1, 2], [1, 0], groups=["a", "b"]))
    assert result.value is None
    assert "no group holds both" in result.reason
