"""Agreement on a store, question by question, and what is left to adjudicate."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.annotation_stores import Annotator, store_of

from faithkit import DataError
from faithkit.annotation.agreement import disagreements, marked_words, store_agreement
from faithkit.meta.span_agreement import span_f1

sets = st.lists(st.frozensets(st.integers(0, 8)), min_size=1, max_size=20)


@given(sets)
def test_f1_with_oneself_is_one_or_undefined(marked: list[frozenset[int]]) -> None:
    result = span_f1(marked, marked)
    assert result.value == (1.0 if any(marked) else None)


def test_f1_is_counted_over_all_items_together() -> None:
    result = span_f1([{1, 2}, {1}, set(), None], [{2}, set(), set(), {3}], draws=50)
    assert result.value == pytest.approx(2 * 1 / (3 + 1))
    assert (result.items, result.left_out) == (3, 1)
    assert result.interval_reason is not None and "3 items" in result.interval_reason


def test_f1_has_an_interval_by_item() -> None:
    ours = [{1, 2}] * 30
    theirs = [{1, 2}] * 15 + [{3}] * 15
    result = span_f1(ours, theirs, draws=500)
    assert result.low is not None and result.high is not None and result.value is not None
    assert 0 < result.low < result.value < result.high < 1


def test_mark_of_half_a_word_marks_it_and_punctuation_is_no_word() -> None:
    assert marked_words("He didn't go, she did.", [(5, 9), (12, 13)]) == {1: ""}


def rated(folder: Path) -> tuple[Annotator, Annotator]:
    store = store_of(folder, "rating")
    anna, ben = Annotator(store, "anna"), Annotator(store, "ben")
    for position, ratings in enumerate([(1, 2), (5, 5), (2, 2), (4, 5)], start=1):
        anna.answer(position, rating=ratings[0])
        ben.answer(position, rating=ratings[1])
    return anna, ben


def test_ratings_have_alpha_and_quadratic_kappa(tmp_path: Path) -> None:
    anna, _ = rated(tmp_path)
    (result,) = store_agreement(anna.store, draws=20)
    assert result.report is not None
    kappa = result.report.kappas[0].weighted
    # Mean squared difference 2 / 4; by chance 11.5 + 14.5 - 2 * 3 * 3.5.
    assert kappa is not None and kappa.value == pytest.approx(1 - 0.5 / 5)
    assert [d.item for d in result.report.disagreements] == ["s1", "s4"]


def test_unclear_and_skipped_items_are_missing_values(tmp_path: Path) -> None:
    anna, ben = rated(tmp_path)
    ben.finish(1, "unclear")
    ben.finish(2, "skipped")
    (result,) = store_agreement(anna.store, draws=20)
    assert result.report is not None and result.report.kappas[0].raw.items == 2
    assert result.report.missing == 2


def test_spans_have_word_f1_with_and_without_type(tmp_path: Path) -> None:
    store = store_of(tmp_path, "spans")
    anna, ben = Annotator(store, "anna"), Annotator(store, "ben")
    anna.mark(1, "errors", "eleven months", "intrinsic-NP", "major")
    ben.mark(1, "errors", "months.", "extrinsic-NP", "minor")
    for annotator in (anna, ben):
        annotator.mark(3, "errors", "mayor", "intrinsic-NP", "major")
        for position in (1, 2, 3):
            annotator.finish(position)
    (result,) = store_agreement(store, draws=20)
    (pair,) = result.spans
    assert pair.words.value == pytest.approx(2 * 2 / 5)
    assert pair.typed is not None and pair.typed.value == pytest.approx(2 * 1 / 5)
    assert result.differ == (("s1", pytest.approx(2 / 3)),)
    assert result.report is not None and result.report.kappas[0].raw.value == 1.0
    assert disagreements(store) == [(1, ["errors"])]


def test_three_subsequences_have_shares(tmp_path: Path) -> None:
    store = store_of(tmp_path, "lss")
    for name, struck in (("anna", "months"), ("ben", "months"), ("chloe", "eleven months")):
        annotator = Annotator(store, name)
        annotator.strike(1, "lss", struck)
        annotator.answer(1, rating=4)
    results = {result.question: result for result in store_agreement(store, draws=20)}
    shares = results["lss"].report.shares  # type: ignore[union-attr]
    assert shares is not None and (shares.two_same, shares.items) == (1.0, 1)
    assert len(results["lss"].spans) == 3 and "lss_star" not in results


def test_question_that_applied_to_one_annotator_is_no_disagreement_of_its_own(
    tmp_path: Path,
) -> None:
    store = store_of(tmp_path, "verdict")
    anna, ben = Annotator(store, "anna"), Annotator(store, "ben")
    anna.do(1, "set", "verdict", "not consistent")
    anna.mark(1, "errors", "months", "unsupported")
    anna.finish(1)
    ben.answer(1, verdict="consistent")
    assert disagreements(store) == [(1, ["verdict"])]


def test_one_annotator_is_an_error(tmp_path: Path) -> None:
    anna = Annotator(store_of(tmp_path, "rating"), "anna")
    anna.answer(1, rating=3)
    with pytest.raises(DataError, match="no item is done by two annotators"):
        store_agreement(anna.store)
