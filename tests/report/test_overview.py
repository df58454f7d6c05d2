"""The overview: what rows add up to by metric, system and group, and beside people."""

from __future__ import annotations

import random
import statistics
from typing import Any

import pytest
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score
from tests.helpers.shown_rows import OTHER, SUMMARY, SUPPORT, example, other, place, support

from faithkit.records import Coverage, Example, Score
from faithkit.report.overview import overview
from faithkit.report.ranks import area_under_curve, spearman
from faithkit.report.row_index import RowIndex
from faithkit.report.sketches import Quantiles
from faithkit.report.totals import MOST_GROUPS, Distribution, Totals
from faithkit.report.views import row_view


def totals_of(rows: list[tuple[Example, list[Score]]]) -> Totals:
    totals = Totals([SUPPORT, OTHER])
    for row, scores in rows:
        totals.add(row_view(row, scores, [SUPPORT, OTHER]), scores)
    return totals


def index_of(rows: list[tuple[Example, list[Score]]]) -> RowIndex:
    index = RowIndex([SUPPORT, OTHER])
    for row, scores in rows:
        index.add(row_view(row, scores, [SUPPORT, OTHER]), scores)
    return index


def histogram(
    values: list[float], bounds: tuple[float, float] | None, exact: int = 100
) -> dict[str, Any] | None:
    distribution, quantiles = Distribution(bounds), Quantiles(exact)
    for value in values:
        distribution.add(value)
        quantiles.add(value)
    return distribution.to_dict(quantiles)


def test_unscored_rows_are_counted_by_outcome_and_left_out_of_the_mean() -> None:
    rows = [(example(name), [support(name), other(name, value)])
            for name, value in zip("abc", (0.5, None, 0.7), strict=True)]  # fmt: skip
    metric = overview(totals_of(rows))["metrics"][1]
    assert metric["outcomes"] == {"no_claims": 1, "ok": 2}
    assert (metric["scored"], metric["mean"]) == (2, pytest.approx(0.6))


def test_a_row_that_a_metric_never_saw_is_absent() -> None:
    rows = [(example("a"), [support("a"), other("a")]), (example("b"), [support("b")])]
    assert [metric["absent"] for metric in overview(totals_of(rows))["metrics"]] == [0, 1]


def test_what_was_cut_is_in_the_overview() -> None:
    cut = Score("a", "support", 0.5, coverage=Coverage(source_tokens=30, source_tokens_cut=10))
    metric = overview(totals_of([(example(), [cut])]))["metrics"][0]
    assert metric["cut"] == "1 of 1 rows (100.0%), 25.0% of source tokens"


def test_groups_are_fields_of_few_values_with_the_worst_mean_first() -> None:
    rows = [
        (
            example(str(n), system=f"s{n % 2}", meta={"day": str(n)}),
            [support(str(n), 0.2 + n % 2 / 2)],
        )
        for n in range(8)
    ]
    (group,) = overview(totals_of(rows))["groups"]
    assert group["field"] == "system"
    assert [(one["name"], one["rows"]) for one in group["values"]] == [("s0", 4), ("s1", 4)]
    assert group["values"][1]["metrics"][0]["mean"] == pytest.approx(0.7)


def test_a_field_that_differs_in_most_rows_is_no_group_and_one_that_comes_late_is() -> None:
    many = 3 * MOST_GROUPS + 400
    rows = [(example(str(n), meta={"day": str(n), **({"late": n % 2} if n > 300 else {})}),
             [support(str(n))]) for n in range(many)]  # fmt: skip
    index = RowIndex([SUPPORT])
    for row, scores in rows:
        index.add(row_view(row, scores, [SUPPORT]), scores)
    assert index.totals.group_fields() == ["late"]
    assert len(index.groups["late"]) == many
    assert index.groups["late"][:2] == [None, None]


def test_verdicts_are_counted_against_human_labels() -> None:
    rows = [
        (example("a", label=1), [support("a", 0.9, verdict=1.0)]),
        (example("b", label=1), [support("b", 0.1, verdict=0.0)]),
        (example("c", label=0), [support("c", 0.2, verdict=0.5)]),
        (example("d"), [support("d", 0.2)]),
    ]
    human = overview(totals_of(rows))["metrics"][0]["human"]
    assert human["table"] == {
        "consistent": {"consistent": 1, "not consistent": 1},
        "not consistent": {"undecided": 1},
    }
    assert human["auc"] == {"value": 0.5, "n": 3}


def test_marks_are_compared_with_human_spans_on_annotated_rows_only() -> None:
    june = [*place(SUMMARY, "in June"), "date"]
    ann = [*place(SUMMARY, "Ann"), "entity"]
    rows = [
        (example("a", meta={"spans": [june, ann]}), [support("a")]),
        (example("b", meta={"spans": []}), [support("b")]),
        (example("c"), [support("c")]),
    ]
    spans = overview(totals_of(rows))["metrics"][0]["human"]["spans"]
    assert spans == {"rows": 2, "marks": 4, "confirmed": 1, "spans": 2, "found": 1}


def test_spans_that_cannot_be_shown_are_noted() -> None:
    (note,) = overview(totals_of([(example(meta={"spans": "x"}), [support()])]))["notes"]
    assert "1 rows" in note
    assert "'a'" in note


def test_rows_that_were_not_scored_are_noted() -> None:
    files = [{"pairs": "p.jsonl", "scores": [], "rows": 1, "unscored": 4, "finished": ""}]
    (note,) = overview(totals_of([(example(), [support()])]), files)["notes"]
    assert note == "p.jsonl: 4 of its rows were not scored, and are not shown."
    files = [{**files[0], "unscored": 0, "unfinished": ["s.jsonl: the run has not ended."]}]
    assert overview(Totals([]), files)["notes"] == ["s.jsonl: the run has not ended."]


def test_histogram_counts_every_value_once_and_borders_upwards() -> None:
    shown = histogram([0.0, 0.05, 0.999, 1.0, 0.15, 0.0999999999], (0.0, 1.0))
    assert shown is not None
    # 0.0999999999 is 0.1 in the list, so it is on a border, as 0.15 is.
    assert shown["counts"] == [1, 1, 1, 1, *[0] * 15, 2]
    assert shown["edges"][:4] == [0.0, 0.05, 0.1, 0.15]
    assert histogram([], (0.0, 1.0)) is None


def test_histogram_of_a_metric_without_bounds_takes_the_range_that_occurs() -> None:
    shown = histogram([-3.0, 5.0], (float("-inf"), 5.0))
    assert shown is not None
    assert (shown["edges"][0], shown["edges"][-1], sum(shown["counts"])) == (-3.0, 5.0, 2)
    constant = histogram([2.0, 2.0], None)
    assert constant is not None
    assert constant["counts"][0] == 2


def test_histogram_of_a_similarity_that_is_never_negative_begins_at_zero() -> None:
    shown = histogram([0.2, 0.8], (-1.0, 1.0))
    assert shown is not None
    assert (shown["edges"][0], shown["edges"][-1]) == (0.0, 1.0)
    negative = histogram([-0.2, 0.8], (-1.0, 1.0))
    assert negative is not None
    assert negative["edges"][0] == -1.0


def test_rank_figures_are_those_of_scipy_and_scikit_learn() -> None:
    draw = random.Random(3)
    values = [round(draw.random(), 1) for _ in range(60)]
    labels = [draw.randint(0, 1) for _ in range(60)]
    ratings = [draw.randint(1, 5) for _ in range(60)]
    auc, _ = area_under_curve([*values, None], [*labels, 1])
    assert auc == pytest.approx(roc_auc_score(labels, values))
    rho, rows = spearman([*values, 0.5], [*ratings, None])
    assert (rho, rows) == (pytest.approx(spearmanr(values, ratings).statistic), 60)


def test_rank_figures_are_undefined_where_nothing_can_be_ranked() -> None:
    assert area_under_curve([0.1, 0.2], [1, 1]) == (None, 2)
    assert spearman([0.1, 0.1], [1, 2]) == (None, 2)
    assert spearman([], []) == (None, 0)


def test_means_have_the_interval_of_a_bootstrap_of_documents() -> None:
    draw, values, rows = random.Random(4), [], []
    for document in range(30):
        level = draw.random()
        for system in ("a", "b"):
            value = min(1.0, max(0.0, level + draw.gauss(0, 0.05)))
            name = f"{document}{system}"
            row = Example(name, f"source {document}", SUMMARY, system=system)
            rows.append((row, [support(name, value, float(value > 0.5)), other(name, None)]))
            values.append((document, system, value))
    index = index_of(rows)
    found = overview(index.totals, rows=index)
    groups = {group["name"]: group["metrics"][0] for group in found["groups"][0]["values"]}
    for chosen, figures in (("ab", found["metrics"][0]), *groups.items()):
        held = [(document, value) for document, system, value in values if system in chosen]
        by_document = [[v for d, v in held if d == document] for document in range(30)]
        means = sorted(
            statistics.fmean(v for many in draw.choices(by_document, k=30) for v in many)
            for _ in range(2000)
        )
        low, high = figures["mean_interval"]
        width = means[1949] - means[50]
        assert low == pytest.approx(means[50], abs=0.2 * width)
        assert high == pytest.approx(means[1949], abs=0.2 * width)
        assert figures["failed_interval"][0] < figures["verdicts"]["not consistent"] / len(held)
    assert found["metrics"][1]["mean_interval"] is None  # unscored


def test_a_group_of_few_documents_has_no_interval() -> None:
    rows = [
        (Example(f"{n}", f"source {n}", SUMMARY, system="ab"[n > 8]), [support(f"{n}", n / 20)])
        for n in range(20)
    ]
    index = index_of(rows)
    found = overview(index.totals, rows=index)
    few, many = found["groups"][0]["values"]
    assert few["metrics"][0]["mean_interval"] is None
    assert many["metrics"][0]["mean_interval"] is not None
