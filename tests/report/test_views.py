"""The view of a row: marks with their evidence, human spans, offsets as JavaScript counts them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.shown_rows import (
    SOURCE,
    SUMMARY,
    SUPPORT,
    example,
    marked,
    other,
    place,
    support,
)

from faithkit.records import LEAST_SUPPORTED, Coverage, Evidence, Example, Score, Span
from faithkit.report.explained import with_marks
from faithkit.report.human import human_spans
from faithkit.report.marks import marks_of
from faithkit.report.views import row_view


def test_marks_are_in_the_order_of_the_text_with_their_best_evidence_first() -> None:
    view = row_view(example(), [support()], [SUPPORT])
    words = [SUMMARY[mark["start"] : mark["end"]] for mark in view["marks"]]
    assert words == ["68", "June"]
    assert [mark["doubt"] for mark in view["marks"]] == [pytest.approx(0.96), pytest.approx(0.55)]
    first = view["marks"][1]["evidence"][0]
    assert SOURCE[first["start"] : first["end"]] == "Bob left in May."


def test_marks_are_numbered_from_the_most_doubtful_as_check_numbers_them() -> None:
    spans = (marked("Ann", 0.9), marked("68", 0.5), marked("June", 0.1), marked("pounds", None))
    score = Score("a", "support", 0.1, spans=spans)
    view = row_view(example(), [score], [SUPPORT])
    numbered = {SUMMARY[one["start"] : one["end"]]: one["number"] for one in view["marks"]}
    assert numbered == {"Ann": 3, "68 pounds": 2, "June": 1}
    in_terminal = with_marks(SUMMARY, marks_of(SUMMARY, [score]))
    assert in_terminal == "[3: Ann] paid [2: 68 pounds] and Bob left in [1: June]."


def test_a_score_without_a_value_says_why() -> None:
    views = row_view(Example("a", "", SUMMARY), [other(value=None), support()])["scores"]
    assert [view["why"] for view in views] == [
        "The summary claims nothing that can be checked.",
        "",
    ]


def test_a_sentence_has_what_was_read_for_it_and_a_mark_only_what_is_for_its_words() -> None:
    view = row_view(example(), [support()], [SUPPORT])
    (sentence,) = view["sentences"]
    assert (sentence["start"], sentence["end"]) == (0, len(SUMMARY))
    assert [item["label"] for item in sentence["evidence"]] == ["best match", "evidence"]
    assert [len(mark["evidence"]) for mark in view["marks"]] == [1, 1]


def test_the_least_supported_sentence_is_shown_beside_the_nearest_of_the_source() -> None:
    assert row_view(example(), [support()], [SUPPORT])["least_supported"] is None
    item = Evidence(1, 3, 2, 4, LEAST_SUPPORTED, 0.2)
    view = row_view(Example("a", "😀bcd", "😀😀cd"), [Score("a", "m", 0.5, evidence=(item,))])
    assert view["least_supported"] == {
        "start": 4, "end": 6, "supported": 0.2, "source_start": 2, "source_end": 4,
    }  # fmt: skip
    assert view["marks"] == [] and view["sentences"] == []


@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=30),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=30),
    st.data(),
)
def test_offsets_count_utf16_code_units(source: str, summary: str, data: Any) -> None:
    def range_of(text: str) -> tuple[int, int]:
        start = data.draw(st.integers(0, len(text) - 1))
        return start, data.draw(st.integers(start + 1, len(text)))

    def cut(text: str, start: int, end: int) -> str:
        return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")

    at, by = range_of(summary), range_of(source)
    score = Score("a", "m", 0.5, spans=(Span(*at, "unsupported", 0.2),),
                  evidence=(Evidence(*by, *at, "marked words"),))  # fmt: skip
    (mark,) = row_view(Example("a", source, summary), [score])["marks"]
    assert cut(summary, mark["start"], mark["end"]) == summary[slice(*at)]
    (item,) = mark["evidence"]
    assert cut(source, item["start"], item["end"]) == source[slice(*by)]


def test_what_was_cut_is_said_in_words() -> None:
    score = Score("a", "m", 0.5, coverage=Coverage(source_tokens=10, source_tokens_cut=7))
    (view,) = row_view(example(), [score])["scores"]
    assert view["cut"] == "7 source tokens"


@pytest.mark.parametrize(
    "span",
    [
        [9, 11, "number", "ann"],
        {"start": 9, "end": 11, "label": "number", "annotator": "ann"},
    ],
)
def test_human_spans_are_read_in_either_form(span: Any) -> None:
    (read,), problem = human_spans(example(meta={"spans": [span]}))
    assert (SUMMARY[read.start : read.end], read.kind, read.annotator) == ("68", "number", "ann")
    assert problem == ""


def test_spans_of_a_dataset_are_human_spans() -> None:
    (read,), _ = human_spans(example(spans=(Span(*place(SUMMARY, "68"), "extrinsic"),)))
    assert (read.kind, read.error) == ("extrinsic", True)


def test_a_span_that_is_marked_as_right_is_no_error() -> None:
    (read,), _ = human_spans(example(meta={"spans": [[0, 3, "Non-hallucinated"]]}))
    assert not read.error


@pytest.mark.parametrize(
    ("spans", "what"),
    [
        ("68", "expected a list"),
        ([[9, 400]], "item 1"),
        ([[0, 3], [5, 4, "x"]], "item 2"),
        ([["9", "11"]], "item 1"),
        ([7], "item 1"),
    ],
)
def test_spans_that_do_not_fit_are_said_and_not_shown(spans: Any, what: str) -> None:
    view = row_view(example(meta={"spans": spans}), [])
    assert what in view["problem"]
    assert view["human"] == []
    assert not view["annotated"]


def test_a_row_without_a_field_is_not_annotated_and_one_with_an_empty_list_is() -> None:
    assert not row_view(example(), [])["annotated"]
    assert row_view(example(meta={"spans": []}), [])["annotated"]
