"""Figures of many values in little memory: how far they are from the exact ones."""

from __future__ import annotations

import random
import statistics
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.shown_rows import OTHER, SUPPORT, example, other, support

from faithkit.report.overview import overview
from faithkit.report.sketches import ACCURACY, Distinct, Quantiles, Sample
from faithkit.report.totals import Distribution, Totals
from faithkit.report.views import row_view

FLOATS = st.floats(-1e9, 1e9).filter(lambda value: value == 0 or abs(value) > 1e-9)


def quantiles(values: list[float], exact: int) -> Quantiles:
    made = Quantiles(exact)
    for value in values:
        made.add(value)
    return made


@given(st.lists(FLOATS, min_size=1, max_size=50))
def test_values_of_a_sketch_are_in_order_and_within_its_accuracy(values: list[float]) -> None:
    assert quantiles(values, 50).median() == statistics.median(values)
    sketch = quantiles(values, 0)
    shown = [value for value, count in sketch.counted() for _ in range(count)]
    assert shown == pytest.approx(sorted(values), rel=ACCURACY * 1.0001, abs=0)
    assert all(first <= second for first, second in pairwise(shown))
    assert (sketch.least, sketch.greatest) == (min(values), max(values))


def test_distinct_texts_are_counted_exactly_and_then_estimated() -> None:
    few, many = Distinct(5000), Distinct(5000)
    for number in range(60_000):
        few.add(str(number % 4999))
        many.add(str(number % 30_000))
    assert few.count() == 4999
    assert many.count() == pytest.approx(30_000, rel=3 / 5000**0.5)
    assert many.count() != 30_000


def test_a_sample_is_all_rows_and_then_each_with_the_same_chance() -> None:
    whole, drawn = Sample(2, 10), Sample(1, 2000)
    whole.add([1.0, None])
    assert np.isnan(whole.column(1)).tolist() == [True]
    for number in range(20_000):
        drawn.add([float(number)])
    assert not drawn.is_whole
    assert len(set(drawn.column(0).tolist())) == 2000
    assert drawn.column(0).mean() == pytest.approx(10_000, rel=0.05)


def test_bars_of_a_bounded_metric_are_exact_however_many_values_there_are() -> None:
    draw = random.Random(1)
    values = [round(draw.random(), 2) for _ in range(500)]
    shown = []
    for exact in (500, 10):
        distribution = Distribution((-1.0, 1.0))
        for value in values:
            distribution.add(value)
        shown.append(distribution.to_dict(quantiles(values, exact)))
    assert shown[0] == shown[1]
    unbounded = Distribution(None).to_dict(quantiles(values, 10))
    assert unbounded is not None
    assert sum(unbounded["counts"]) == 500


def test_an_overview_of_more_rows_than_are_kept_says_which_figures_are_not_exact() -> None:
    whole, sketched = (Totals([SUPPORT, OTHER], exact) for exact in (1000, 100))
    draw = random.Random(2)
    for number in range(1000):
        row = example(str(number), document=f"d{number % 40}", system=f"s{number % 3}",
                      label=number % 2, rating=float(number % 5))  # fmt: skip
        value = draw.random()
        scores = [support(str(number), value), other(str(number), value**2)]
        view = row_view(row, scores, [SUPPORT, OTHER])
        whole.add(view, scores)
        sketched.add(view, scores)
    exact, shown = overview(whole), overview(sketched)
    assert exact["notes"] == []
    (note,) = shown["notes"]
    assert "100 rows drawn at random" in note
    assert shown["documents"] == exact["documents"] == 40
    for one, other_one in zip(exact["metrics"], shown["metrics"], strict=True):
        assert one.pop("median") == pytest.approx(other_one.pop("median"), rel=ACCURACY)
        assert one["human"].pop("auc")["n"] == 1000
        assert other_one["human"].pop("auc")["n"] == 100
        del one["human"]["spearman"], other_one["human"]["spearman"]
        assert one == other_one
    for group, sketched_group in zip(
        exact["groups"][0]["values"], shown["groups"][0]["values"], strict=True
    ):
        assert (group["name"], group["rows"]) == (sketched_group["name"], sketched_group["rows"])
        assert group["metrics"][0]["mean"] == sketched_group["metrics"][0]["mean"]
