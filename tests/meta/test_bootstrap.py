"""The vectorised bootstrap against resampling rows one draw at a time with scipy and sklearn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import balanced_accuracy_score

from faithkit.meta import (
    AUC,
    KENDALL,
    MEAN,
    PEARSON,
    RANKING,
    SPEARMAN,
    SYSTEM_KENDALL,
    SYSTEM_PEARSON,
    SYSTEM_SPEARMAN,
    balanced_accuracy,
    bootstrap,
    by_subset,
    estimate,
    resample,
    sample,
)
from faithkit.meta.bootstrap import undecided
from faithkit.records import DataError

CUT = 0.25


def compared(copies, documents):
    """Which rows are compared: those of one copy, or of different documents."""
    return (copies[:, None] == copies) | (documents[:, None] != documents)


def signs(x, pairs):
    return np.sign(x[:, None] - x) * pairs


def auc_of(x, y, pairs):
    pairs = pairs & ((y[:, None] == 1) & (y == 0))
    return ((1 + signs(x, pairs)) / 2)[pairs].mean() if pairs.any() else np.nan


def spearman_of(x, y, pairs):
    x, y = signs(x, pairs).sum(axis=1), signs(y, pairs).sum(axis=1)
    spread = np.sqrt((x @ x) * (y @ y))
    return x @ y / spread if spread else np.nan


def kendall_of(x, y, pairs):
    x, y = signs(x, pairs), signs(y, pairs)
    untied = np.sqrt(np.abs(x).sum() * np.abs(y).sum())
    return (x * y).sum() / untied if untied else np.nan


def strict_ranking(x, y, copies):
    pairs = [
        x[i] > x[j]
        for copy in np.unique(copies)
        for i in np.flatnonzero((copies == copy) & (y == 1))
        for j in np.flatnonzero((copies == copy) & (y == 0))
    ]
    return np.mean(pairs) if pairs else np.nan


def of_systems(function):
    def correlate(x, y, systems, *_):
        if len(set(systems)) < 4:
            return np.nan
        means = [(x[systems == s].mean(), y[systems == s].mean()) for s in sorted(set(systems))]
        # Twelve digits, so that means that are equal on paper tie in any order of summing.
        means = np.array(means)
        x, y = np.round(means / np.abs(means).max(axis=0), 12).T
        return function(x, y).statistic

    return correlate


def of_pairs(function):
    return lambda x, y, systems, copies, documents: function(x, y, compared(copies, documents))


def one_label(y):
    return y.min() == y.max()


NAIVE = {
    "mean": (MEAN, lambda x, y, s, c, d: x.mean()),
    "pearson": (PEARSON, lambda x, y, s, c, d: stats.pearsonr(x, y).statistic),
    "spearman": (SPEARMAN, of_pairs(spearman_of)),
    "kendall": (KENDALL, of_pairs(kendall_of)),
    "system_pearson": (SYSTEM_PEARSON, lambda x, y, s, c, d: of_systems(stats.pearsonr)(x, y, s)),
    "system_spearman": (
        SYSTEM_SPEARMAN,
        lambda x, y, s, c, d: of_systems(stats.spearmanr)(x, y, s),
    ),
    "system_kendall": (SYSTEM_KENDALL, lambda x, y, s, c, d: of_systems(stats.kendalltau)(x, y, s)),
    "auc": (AUC, of_pairs(auc_of)),
    "balanced_accuracy": (
        balanced_accuracy(CUT),
        lambda x, y, s, c, d: np.nan if one_label(y) else balanced_accuracy_score(y, x >= CUT),
    ),
    "ranking_accuracy": (RANKING, lambda x, y, s, c, d: strict_ranking(x, y, c)),
}
BINARY = {"auc", "balanced_accuracy", "ranking_accuracy"}


def some_data(name, *, rows=60, groups=12, decimals=1, seed=0):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=rows).round(decimals)
    y = (x + generator.normal(size=rows)).round(decimals)
    if name in BINARY:
        y = (y > 0).astype(float)
    cluster = np.concatenate([np.arange(groups), generator.integers(0, groups, rows - groups)])
    systems = np.array([f"s{row % 4}" for row in range(rows)])
    return x, y, cluster, systems


@pytest.mark.filterwarnings("ignore::scipy.stats.ConstantInputWarning")
@pytest.mark.parametrize(
    ("name", "rows", "groups", "decimals"),
    [
        (name, *shape)
        for name in NAIVE
        for shape in [(60, 12, 1), (40, 40, 8), (16, 4, 0)]
        if name != "ranking_accuracy" or shape[0] != shape[1]  # one row a group holds no pair
    ],
)
def test_each_draw_equals_resampling_the_rows_and_recomputing(name, rows, groups, decimals):
    measure, naive = NAIVE[name]
    x, y, cluster, systems = some_data(name, rows=rows, groups=groups, decimals=decimals)
    data = sample(x, y, groups=[f"g{code}" for code in cluster], systems=systems.tolist())
    names = np.array([f"g{code}" for code in cluster])
    order = [names[data.cluster == code][0] for code in range(data.clusters)]
    draws = 60
    (values,), (defined,) = resample([measure.kernel(data)], data, draws=draws, seed=3)
    blocks = bootstrap.cluster_counts(data.clusters, draws, 3, block=7)
    counts = np.concatenate(list(blocks), axis=1)
    assert (counts.sum(axis=0) == groups).all()
    for draw in range(draws):
        picked = [
            (np.flatnonzero(names == group), copy)
            for copy, group in enumerate(np.repeat(order, counts[:, draw].astype(int)))
        ]
        rows_drawn = np.concatenate([rows for rows, _ in picked])
        copies = np.concatenate([np.full(len(rows), copy) for rows, copy in picked])
        columns = x[rows_drawn], y[rows_drawn], systems[rows_drawn]
        wanted = naive(*columns, copies, names[rows_drawn])
        assert defined[draw] == np.isfinite(wanted)
        if defined[draw]:
            assert values[draw] == pytest.approx(wanted, abs=1e-9)
    assert defined.any()


def test_copies_of_a_document_are_not_compared_with_each_other():
    # a: 4 faithful, 3 not; b: 8 faithful, 7 not. Of a twice and b once, each copy wins its own pair
    # (3 of 3), the faithful row of b beats both others of a (2 of 2), those of a lose (0 of 2).
    data = sample([4, 3, 8, 7], [1, 0, 1, 0], groups=["a", "a", "b", "b"])
    twice = np.array([[2.0], [1.0]])
    assert AUC.kernel(data)(twice)[0] == pytest.approx(5 / 7)
    # tau-b: of these 7 pairs 5 agree and 2 do not; the 4 pairs of one label differ by score alone.
    assert KENDALL.kernel(data)(twice)[0] == pytest.approx(3 / np.sqrt(7 * 11))


@pytest.mark.slow
@pytest.mark.parametrize("measure", [AUC, SPEARMAN, KENDALL], ids=lambda measure: measure.name)
@pytest.mark.parametrize(("documents", "pairs"), [(12, 5), (40, 1)])
def test_intervals_of_pairs_in_documents_cover_the_mean_and_hold_the_value(
    measure, documents, pairs
):
    generator = np.random.default_rng(0)
    labels = np.tile([1.0, 0.0], documents * pairs)
    groups = np.repeat(np.arange(documents), 2 * pairs).tolist()

    def draw():
        document = generator.normal(size=(documents, 1, 1))
        pair = document + generator.normal(size=(documents, pairs, 1)) * 0.15
        noise = generator.normal(size=(documents, pairs)) * 0.05
        return np.stack([pair[..., 0] + 0.08, pair[..., 0] - 0.08 + noise], axis=2).ravel()

    samples = [sample(draw(), labels, groups=groups) for _ in range(60)]
    mean = np.mean([measure.point(data) for data in samples])
    estimates = [estimate(measure, data, draws=300) for data in samples]
    # 95% of 60 are 57; the comparison of copies with each other left about 45.
    assert sum(e.low <= mean <= e.high for e in estimates) >= 54
    assert all(e.low <= e.value <= e.high for e in estimates)


@pytest.mark.parametrize("name", NAIVE)
def test_every_document_once_is_the_point_estimate(name):
    measure, _ = NAIVE[name]
    x, y, cluster, systems = some_data(name)
    data = sample(x, y, groups=cluster.tolist(), systems=systems.tolist())
    values, defined = measure.kernel(data)(np.ones((data.clusters, 1)))
    assert defined[0]
    assert values[0] == pytest.approx(measure.point(data), abs=1e-12)


rows_of_data = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(0, 1), st.integers(0, 4), st.integers(0, 3)),
    min_size=3,
    max_size=30,
)


@pytest.mark.slow
@settings(deadline=None)
@given(rows_of_data)
def test_duplicating_every_document_leaves_the_point_estimate(rows):
    x, y, cluster, systems = (list(part) for part in zip(*rows, strict=True))
    for measure, _ in NAIVE.values():
        once = sample(x, y, groups=cluster, systems=systems)
        twice = sample(
            x * 2, y * 2, groups=[*cluster, *(c + 100 for c in cluster)], systems=systems * 2
        )
        before, after = estimate(measure, once), estimate(measure, twice)
        assert after.value == (
            None if before.value is None else pytest.approx(before.value, abs=1e-9)
        )


@pytest.mark.slow
@settings(deadline=None)
@given(rows_of_data, st.randoms(use_true_random=False))
def test_kernels_do_not_depend_on_the_order_of_rows(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    for measure, _ in NAIVE.values():
        values = []
        for version in (rows, shuffled):
            x, y, cluster, systems = (list(part) for part in zip(*version, strict=True))
            data = sample(x, y, groups=cluster, systems=systems)
            if measure.undefined(data):
                continue
            counts = np.array([[int(v) % 3 + 1.0] for v in range(5)])
            by_name = np.stack([counts[int(cluster[r])] for r in first_rows(data)])
            values.append([part[0] for part in measure.kernel(data)(by_name)])
        if values:
            assert values[0] == pytest.approx(values[1], abs=1e-9)


def first_rows(data):
    return [
        int(data.rows[np.flatnonzero(data.cluster == code)[0]]) for code in range(data.clusters)
    ]


def test_the_same_seed_gives_the_same_interval_whatever_the_block(monkeypatch):
    x, y, cluster, _ = some_data("spearman")
    data = sample(x, y, groups=cluster.tolist())
    result = estimate(SPEARMAN, data, draws=300, seed=5)
    monkeypatch.setattr(bootstrap, "BLOCK_ENTRIES", 1000)
    assert estimate(SPEARMAN, data, draws=300, seed=5) == result
    assert estimate(SPEARMAN, data, draws=300, seed=6) != result
    assert result.low < result.value < result.high
    assert (result.groups, result.draws) == (12, 300)


def test_the_interval_of_a_mean_is_as_wide_as_theory_says():
    # 200 independent groups of one row each: standard error of the mean = sd / sqrt(n).
    x = np.random.default_rng(1).normal(size=200)
    result = estimate(MEAN, sample(x, groups=list(range(200))), draws=10_000)
    theory = 2 * 1.96 * x.std() / np.sqrt(200)
    assert result.high - result.low == pytest.approx(theory, rel=0.03)


def test_rows_that_share_a_document_widen_the_interval():
    x = np.repeat(np.random.default_rng(1).normal(size=50), 8)
    alone = estimate(MEAN, sample(x, groups=list(range(400))), draws=2000)
    shared = estimate(MEAN, sample(x, groups=np.repeat(np.arange(50), 8).tolist()), draws=2000)
    assert (shared.high - shared.low) / (alone.high - alone.low) == pytest.approx(8**0.5, rel=0.1)


@pytest.mark.parametrize(
    ("documents", "shown"), [(1, "only 1 document;"), (9, "only 9 documents;")]
)
def test_few_documents_have_a_value_but_no_interval(documents, shown):
    x = list(range(30))
    data = sample(x, groups=[row % documents for row in x])
    result = estimate(MEAN, data, draws=100)
    assert (result.value, result.low, result.high) == (14.5, None, None)
    assert result.interval_reason.startswith(shown)
    ten = estimate(MEAN, sample(x, groups=[row % 10 for row in x]), draws=100)
    assert ten.low < 14.5 < ten.high and ten.interval_reason is None


def test_resamples_that_are_all_equal_are_no_interval():
    scores, labels = [0.1] * 20 + [0.9] * 20, [0] * 20 + [1] * 20
    result = estimate(AUC, sample(scores, labels, groups=list(range(40))), draws=500)
    assert (result.value, result.low) == (1.0, None)
    assert "all resamples give 1" in result.interval_reason
    constant = estimate(MEAN, sample([0.7] * 40, groups=list(range(40))), draws=500)
    assert (constant.value, constant.low) == (pytest.approx(0.7), None)
    assert "all resamples give 0.7" in constant.interval_reason


@pytest.mark.parametrize(
    ("value", "shown"), [(-2.22e-16, "0,"), (1e-13, "0,"), (-1e-9, "-1e-09,"), (0.25, "0.25,")]
)
def test_constant_resamples_are_shown_without_rounding(value, shown):
    reason = undecided(np.full(20, value), np.ones(20, dtype=bool), 0.95)
    assert reason.startswith(f"all resamples give {shown}")


def test_percentile_interval_of_ten_clusters_is_a_fifth_narrower_than_students():
    # What LEAST_DOCUMENTS says of itself: sqrt((k - 1) / k) z / t(k - 1).
    for clusters, narrower in ((20, 0.087), (10, 0.178), (6, 0.304)):
        share = np.sqrt((clusters - 1) / clusters)
        share *= stats.norm.ppf(0.975) / stats.t.ppf(0.975, clusters - 1)
        assert 1 - share == pytest.approx(narrower, abs=0.001)


def test_draws_without_a_value_are_left_out_and_counted():
    # Four of twenty documents hold an inconsistent row: absent from (16/20)^20 of draws.
    scores = [0.1, 0.6, 0.3, 0.2, *(0.1 + number / 20 for number in range(16))]
    data = sample(scores, [0] * 4 + [1] * 16, groups=list(range(20)))
    result = estimate(AUC, data, draws=4000)
    assert result.draws + result.undefined_draws == 4000
    assert result.undefined_draws / 4000 == pytest.approx(0.8**20, abs=0.005)
    assert result.low < result.value < result.high


def test_statistic_that_many_resamples_lack_has_no_interval():
    # The only inconsistent row is in one of twenty documents: absent from (19/20)^20 of draws.
    data = sample([0, *range(1, 20)], [0] + [1] * 19, groups=list(range(20)))
    result = estimate(AUC, data, draws=4000)
    assert result.undefined_draws / 4000 == pytest.approx(0.95**20, abs=0.03)
    assert (result.value, result.low) == (1.0, None)
    assert "too few documents hold what it needs" in result.interval_reason


def test_a_document_whose_rows_all_score_the_same_is_no_spurious_correlation():
    # A draw of document "a" alone is constant in both columns: undefined, not rounding noise.
    x, y = [0.1, 0.1, 0.1, 0.7, 0.2], [0.3, 0.3, 0.3, 0.9, 0.1]
    data = sample(x, y, groups=["a", "a", "a", "b", "b"])
    for measure in (PEARSON, SPEARMAN, KENDALL):
        values, defined = measure.kernel(data)(np.array([[2.0], [0.0]]))
        assert not defined[0]
        assert values[0] == 0


def test_an_average_by_subset_weighs_by_rows_and_draws_shared_documents_together():
    x = np.array([0.9, 0.2, 0.8, 0.4, 0.7, 0.6, 0.1, 0.3])
    y = [1, 0, 1, 0, 0, 1, 0, 1]
    subsets = ["p", "p", "p", "p", "p", "q", "q", "q"]
    groups = ["a", "a", "b", "b", "c", "a", "b", "c"]
    data = sample(x, y, groups=groups, subsets=subsets)
    measure = by_subset(AUC)
    # p: 2 x 3 pairs all right but none tied = 1; q: consistent .6 .3 against .1 = 1.
    assert estimate(measure, data).value == pytest.approx(1.0)
    cut = by_subset(balanced_accuracy(0.5))
    # p: both consistent kept, 2 of 3 rejected -> 5/6; q: 1 of 2 kept, 1 of 1 rejected -> 3/4.
    assert estimate(cut, data).value == pytest.approx((5 * 5 / 6 + 3 * 3 / 4) / 8)
    values, defined = cut.kernel(data)(np.array([[2.0], [1.0], [0.0]]))
    # a twice, b once, c never. p: kept 2+1 of 3, rejected 3 of 3; q: kept 2 of 2, rejected 1 of 1.
    assert (values[0], defined[0]) == (pytest.approx(1.0), True)


def test_a_subset_without_a_value_names_itself():
    data = sample([1, 2, 3], [1, 0, 1], subsets=["p", "p", "q"])
    assert "subset 'q': the only row is consistent" in estimate(by_subset(AUC), data).reason
    with pytest.raises(DataError, match="give `subsets`"):
        estimate(by_subset(AUC), sample([1, 2], [1, 0]))
