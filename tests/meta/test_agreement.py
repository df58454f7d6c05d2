"""Agreement against the krippendorff package, scikit-learn, statsmodels, and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from faithkit.meta import (
    agreement,
    bootstrap,
    cohen_kappa,
    krippendorff_alpha,
    raw_agreement,
    shared_answers,
)
from faithkit.records import ConfigError, DataError

LEVELS = ["nominal", "ordinal", "interval"]
tables = st.lists(
    st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=3, max_size=3),
    min_size=1,
    max_size=15,
)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_alpha_equals_the_krippendorff_package(level):
    krippendorff = pytest.importorskip("krippendorff")

    @settings(deadline=None)
    @given(tables)
    def equal(items):
        compare_with(krippendorff, items, level)

    equal()


def compare_with(krippendorff, items, level):
    result = krippendorff_alpha(items, level)
    paired = [row for row in items if sum(v is not None for v in row) > 1]
    if len({v for row in paired for v in row if v is not None}) < 2:
        assert result.value is None
        return
    table = np.array([[np.nan if v is None else v for v in row] for row in items], dtype=float).T
    wanted = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
    assert result.value == pytest.approx(wanted, abs=1e-9)
    assert (result.items, result.left_out) == (len(paired), len(items) - len(paired))


# Krippendorff's own worked example (Computing Krippendorff's alpha-reliability, 2011, part C/D):
# four observers, twelve units, nominal alpha .743, ordinal .815, interval .849.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


@pytest.mark.parametrize(("level", "wanted"), zip(LEVELS, [0.743, 0.815, 0.849], strict=True))
def test_alpha_of_the_published_example(level, wanted):
    result = krippendorff_alpha(list(zip(*OBSERVERS, strict=True)), level)
    assert result.value == pytest.approx(wanted, abs=5e-4)
    assert (result.items, result.ratings, result.left_out) == (11, 40, 1)


def test_nominal_alpha_takes_names_and_others_do_not():
    items = [["yes", "yes"], ["no", "yes"], ["no", "no"]]
    # Coincidences: yes-yes 2, no-no 2, off-diagonal 1 + 1; expected 2 * 3 * 3 / 5.
    assert krippendorff_alpha(items).value == pytest.approx(1 - 2 / 3.6)
    with pytest.raises(DataError, match="item 0"):
        krippendorff_alpha(items, "ordinal")
    with pytest.raises(ConfigError, match="ratio"):
        krippendorff_alpha(items, "ratio")


@pytest.mark.parametrize("items", [[], [["a", None]], [["a", "a"], ["a", "a"]]])
def test_alpha_without_variation_is_none_with_a_reason(items):
    result = krippendorff_alpha(items)
    assert result.value is None
    assert result.reason


def test_a_nan_rating_is_refused():
    with pytest.raises(DataError, match="item 1: a missing rating is None"):
        krippendorff_alpha([[1, 2], [float("nan"), 1]], "interval")


pairs = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30)


@pytest.mark.slow
@settings(deadline=None)
@given(pairs)
def test_kappas_equal_scikit_learn(rows):
    first, second = (list(part) for part in zip(*rows, strict=True))
    for weights in ("none", "quadratic"):
        result = cohen_kappa(first, second, weights=weights)
        if len({*first, *second}) < 2:
            assert result.value is None
            continue
        wanted = cohen_kappa_score(
            first, second, weights=None if weights == "none" else weights, labels=[1, 2, 3, 4, 5]
        )
        assert result.value == pytest.approx(wanted, abs=1e-9)
        assert -1 <= result.value <= 1


def test_kappas_equal_statsmodels():
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    table = np.array([[20, 5, 1], [3, 15, 4], [0, 6, 18]])
    first, second = (
        [int(grade) for grade, n in zip(axis.ravel(), table.ravel(), strict=True) for _ in range(n)]
        for axis in np.indices((3, 3))
    )
    assert cohen_kappa(first, second).value == pytest.approx(
        inter_rater.cohens_kappa(table, return_results=False)
    )
    assert cohen_kappa(first, second, weights="quadratic").value == pytest.approx(
        inter_rater.cohens_kappa(table, wt="fc", return_results=False)
    )


def test_kappa_by_hand_leaves_out_items_with_one_rating():
    # 3 of 4 agree; chance (2/4 * 3/4) + (2/4 * 1/4) = 1/2.
    result = cohen_kappa(["y", "y", "n", "n", "y"], ["y", "y", "y", "n", None])
    assert result.value == pytest.approx(0.5)
    assert (result.items, result.left_out) == (4, 1)


def test_an_unused_grade_keeps_its_gap_in_the_weights():
    first, second = [1, 2, 5, 5], [1, 2, 5, 2]
    assert cohen_kappa(first, second, weights="quadratic").value == pytest.approx(
        cohen_kappa_score(first, second, weights="quadratic", labels=[1, 2, 3, 4, 5])
    )
    closed_up = cohen_kappa_score(first, second, weights="quadratic")
    assert cohen_kappa(first, second, weights="quadratic").value != pytest.approx(closed_up)


def test_unequal_annotators_are_an_error():
    with pytest.raises(DataError, match="found 1 and 2"):
        cohen_kappa([1], [1, 2])


def test_shared_answers_by_hand():
    result = shared_answers(
        [("a b", "a  b ", "a b"), ("a", "a", "b"), ("a", "b", ""), ("", "", ""), ("a", None, "a")]
    )
    assert (result.all_same, result.two_same, result.all_different) == (0.5, 0.25, 0.25)
    assert (result.items, result.left_out) == (4, 1)
    assert shared_answers([]).all_same is None
    with pytest.raises(DataError, match="item 0: expected three"):
        shared_answers([("a", "b")])


def copies(columns, counts):
    """Every item as often as it was drawn, in each column."""
    return [np.repeat(np.array(column, dtype=object), counts).tolist() for column in columns]


@pytest.mark.slow
@pytest.mark.parametrize("statistic", [*LEVELS, "kappa", "quadratic", "raw"])
def test_intervals_are_those_of_recomputing_every_resample(statistic, monkeypatch):
    generator = np.random.default_rng(3)
    truth = generator.integers(1, 6, size=24)
    columns = [np.clip(truth + generator.integers(-1, 2, size=24), 1, 5).tolist() for _ in "abc"]
    if statistic in LEVELS:
        columns[2][4] = columns[1][4] = columns[0][7] = None
    of = {
        "kappa": lambda first, second, _, **o: cohen_kappa(first, second, **o),
        "quadratic": lambda first, second, _, **o: cohen_kappa(
            first, second, weights="quadratic", **o
        ),
        "raw": lambda first, second, _, **o: raw_agreement(first, second, **o),
    }.get(
        statistic,
        lambda *of_three, **o: krippendorff_alpha(
            list(zip(*of_three, strict=True)), statistic, **o
        ),
    )
    result = of(*columns, draws=200, seed=5)
    kept = [row for row in range(24) if sum(column[row] is not None for column in columns) > 1]
    paired = [[column[row] for row in kept] for column in columns]
    (counts,) = bootstrap.cluster_counts(result.items, 200, 5, 1000)
    naive = [of(*copies(paired, counts[:, draw].astype(int))).value for draw in range(200)]
    assert (result.low, result.high) == pytest.approx(np.quantile(naive, [0.025, 0.975]), abs=1e-9)
    assert result.low < result.value < result.high and result.draws == 200
    monkeypatch.setattr(agreement, "BLOCK_ENTRIES", 400)
    assert of(*columns, draws=200, seed=5) == result


def test_few_items_and_full_agreement_have_no_interval():
    few = cohen_kappa([1, 2, 1, 2], [1, 2, 2, 2], draws=100)
    assert (few.value, few.low) == (0.5, None)
    assert few.interval_reason == "only 4 items; an interval or a test needs 10 or more"
    same = krippendorff_alpha([[value % 3] * 2 for value in range(30)], "ordinal", draws=100)
    assert (same.value, same.low) == (1.0, None)
    assert "all resamples give 1" in same.interval_reason


def test_agreement_by_chance_is_zero_without_rounding():
    # The first always says the same: whatever the second says, both agree as chance has it.
    second = ["x", "y", "y"] * 10
    result = cohen_kappa(["x"] * 30, second, draws=200)
    assert result.value == 0.0 and not np.signbit(result.value)
    assert result.interval_reason == (
        "all resamples give 0, so the data say nothing of its variation"
    )
    numbers = [[1.0, 2.0, 2.0][row % 3] for row in range(30)]
    weighted = cohen_kappa([1.0] * 30, numbers, weights="quadratic", draws=200)
    assert weighted.value == 0.0 and not np.signbit(weighted.value)


def test_raw_agreement_is_the_share_of_equal_ratings():
    result = raw_agreement(["a", "b", None, "c"], ["a", "c", "a", "c"])
    assert result.value == pytest.approx(2 / 3)
    assert (result.items, result.ratings, result.left_out) == (3, 6, 1)
    assert raw_agreement([None], ["a"]).reason == "no item has both ratings"
    with pytest.raises(DataError, match="found 1 and 2"):
        raw_agreement(["a"], ["a", "b"])
