"""What the list shows of a summary, and which fields its rows are filtered by."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.shown_rows import OTHER, SUPPORT, example, marked, other, support

from faithkit.report.row_index import SNIPPET, RowIndex, marked_words, snippet
from faithkit.report.views import row_view


def test_a_summary_that_fits_is_shown_on_one_line_and_whole() -> None:
    assert snippet(" Two\n lines. ") == "Two lines."
    assert snippet("x" * SNIPPET) == "x" * SNIPPET


def test_a_long_summary_is_cut_after_a_whole_word_with_an_ellipsis() -> None:
    text = "twelve chars " * 20
    assert snippet(text) == "twelve chars " * 11 + "twelve chars…"
    words = ["word,"] * 60
    assert snippet(" ".join(words)).endswith(" word…")


def test_a_text_without_spaces_is_cut_at_a_character() -> None:
    assert snippet("字" * 400) == "字" * SNIPPET + "…"
    assert snippet("A " + "字" * 400) == "A " + "字" * (SNIPPET - 2) + "…"


def test_words_after_a_lot_of_white_space_are_said_to_be_cut() -> None:
    assert snippet("begin of it" + " " * 5000 + "end") == "begin of it…"


def test_the_list_names_the_most_doubtful_words_of_a_row() -> None:
    view = row_view(example(), [support()])
    view["summary"] = "Ann \U0001f600\n x" + "y" * 80
    view["marks"] = [
        {"start": start, "end": end, "number": number, "doubt": None, "by": {}, "evidence": []}
        for start, end, number in [(0, 3, 2), (4, 7, 1)]
    ]
    assert marked_words(view) == ["\U0001f600", "Ann"]
    view["marks"][0]["end"] = 90
    assert marked_words(view)[1] == f"Ann \U0001f600 x{'y' * 53}…"
    index = RowIndex([OTHER])
    index.show(view)
    assert index.to_dict()["listed"] == [["a", snippet(view["summary"]), marked_words(view)]]


def test_the_marks_of_several_metrics_are_counted_for_each() -> None:
    spans = (marked("68", 0.2), marked("Ann", 0.3), marked("left", 0.4))
    index = RowIndex([SUPPORT, OTHER])
    scores = [support(), replace(other(), spans=spans)]
    index.add(row_view(example(), scores, [SUPPORT, OTHER]), scores)
    index.add(row_view(example("b"), [support("b")], [SUPPORT, OTHER]), [support("b")])
    assert index.marks == [4, 2]  # 68 is marked by both
    assert index.to_dict()["marks_by"] == [[2, 2], [3, 0]]
    assert RowIndex([SUPPORT]).to_dict()["marks_by"] is None


@given(st.text(st.sampled_from("ab ,.\n字"), max_size=400))
def test_what_is_cut_has_an_ellipsis_and_what_is_whole_has_none(summary: str) -> None:
    flat, shown = " ".join(summary.split()), snippet(summary)
    assert len(shown) <= SNIPPET + 1
    assert flat == shown if len(flat) <= SNIPPET else flat.startswith(shown.removesuffix("…"))
    assert shown.endswith("…") == (len(flat) > SNIPPET)


@pytest.mark.parametrize(
    ("values", "grouped"),
    [
        (["", "", "number"], True),
        (["a", "b", "c"], False),
        (["a", "a", "a"], False),
        (["a", "b", None], False),
        (["a", "b", "b", None], True),
    ],
)
def test_a_field_of_several_values_groups_rows_if_one_is_of_several(
    values: list[str | None], grouped: bool
) -> None:
    index = RowIndex([OTHER])
    for number, value in enumerate(values):
        name = str(number)
        row = example(name, meta={} if value is None else {"error": value})
        index.add(row_view(row, [other(name)], [OTHER]), [other(name)])
    groups = index.to_dict()["groups"]
    assert isinstance(groups, list)
    if not grouped:
        assert groups == []
        return
    names = sorted({value for value in values if value is not None})
    codes = [-1 if value is None else names.index(value) for value in values]
    assert groups == [{"field": "error", "codes": codes, "names": names}]
