"""Rows of files with their places, and human-marked spans."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.datasets.rows import Names, Row, read_rows
from faithkit.datasets.spans import from_texts, locate, share_outside, texts, union
from faithkit.records import DataError, Example, document_id

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(st.text(), JSON_VALUES, max_size=3), max_size=5)


@pytest.mark.slow
@given(records=OBJECTS, indent=st.sampled_from([None, 0, 3]), ascii_only=st.booleans())
def test_a_json_list_gives_back_its_objects_however_it_is_laid_out(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[dict[str, object]],
    indent: int | None,
    ascii_only: bool,
) -> None:
    path = tmp_path_factory.mktemp("json") / "a.json"
    text = json.dumps(records, indent=indent, ensure_ascii=ascii_only)
    path.write_bytes(text.encode("utf-8", "surrogatepass") if ascii_only else text.encode())
    assert [row.values for row in read_rows(path)] == records


def test_items_of_a_json_list_know_the_line_they_start_on(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"a": 1},\n {"a":\n 2}, {"a": 3}]')
    assert [row.place for row in read_rows(path)] == [
        f"{path}, line 1 (item 1)",
        f"{path}, line 2 (item 2)",
        f"{path}, line 3 (item 3)",
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"a": 1}\n{"a": }\n', "line 2: not valid JSON"),
        ("a.jsonl", '{"a": 1}\n\n[2]\n', "line 3: expected a JSON object, found list"),
        ("a.json", '[{"a": 1},\n{"a": ]\n', "line 2: not valid JSON"),
        ("a.json", '[{"a": 1},\n{"a": 2}\n', "line 3: not valid JSON"),
        ("a.json", '[{"a": 1}\n{"a": 2}]', "line 2: not valid JSON"),
        ("a.json", '{"a": 1}', "line 1: expected a JSON list"),
        ("a.json", "[1]", "line 1 .item 1.: expected a JSON object, found int"),
        ("a.csv", 'a,b\n1,"two\nlines"\n3\n', "line 4: 1 cells where the header has 2"),
        ("a.csv", 'a,b\n1,"open\n', "line 2: a quoted cell of the row that begins here is never"),
        ("a.csv", "", "line 1: expected a header"),
        ("a.tsv", "a\tb\n1\t2\t3\n", "line 2: 3 cells where the header has 2"),
        ("a.parquet", "nonsense", "not a Parquet file"),
        ("a.txt", "x", "cannot tell the format"),
    ],
)
def test_a_broken_file_is_named_with_the_line_that_breaks(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        list(read_rows(path))
    assert str(path) in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeffid,text\n1,é\n".encode())
    assert [row.values for row in read_rows(path, ("id",))] == [{"id": "1", "text": "é"}]


def test_a_lone_quotation_mark_in_tsv_is_a_character(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b'a\tb\r\n"x\ty\r\nz\t12"\r\n')
    assert [row.values for row in read_rows(path)] == [
        {"a": '"x', "b": "y"},
        {"a": "z", "b": '12"'},
    ]


@pytest.mark.parametrize(
    ("method", "value"),
    [("text", 1), ("text", "\ud800"), ("name", " "), ("name", True), ("number", "x"),
     ("number", float("nan")), ("number", True), ("number", None), ("whole", 1.5), ("items", "[]")],
)  # fmt: skip
def test_a_value_of_another_kind_is_named_with_place_and_field(method: str, value: object) -> None:
    with pytest.raises(DataError, match=r"^f, line 3, field 'x': expected "):
        getattr(Row("f, line 3", {"x": value}), method)("x")


def test_a_number_out_of_range_says_the_range() -> None:
    with pytest.raises(DataError, match="a number from 1 to 5, found int '6'"):
        Row("f, line 3", {"x": 6}).number("x", 1, 5)


def test_a_choice_is_not_made_by_truth_or_by_a_float() -> None:
    for value in (True, 1.0, None, "2"):
        with pytest.raises(DataError, match="expected '1' or '0'"):
            Row("f", {"x": value}).choice("x", {"1": 1, "0": 0})
    assert Row("f", {"x": " 1 "}).choice("x", {"1": 1, "0": 0}) == 1


def test_an_example_that_cannot_be_is_said_with_its_place() -> None:
    with pytest.raises(DataError, match=r"^f, line 3: field 'id' is empty"):
        Row("f, line 3", {}).example("", "s", "t")


def test_the_same_text_is_the_same_document() -> None:
    # sha256("abc") as in FIPS 180-2, appendix B.1.
    assert document_id("abc") == "ba7816bf8f01cfea"
    assert document_id("abc ") != document_id("abc")


def test_repeated_names_are_numbered_in_order() -> None:
    named = Names()
    assert [named(name) for name in ("a", "b", "a", "a")] == ["a", "b", "a#2", "a#3"]


@pytest.mark.parametrize(
    ("piece", "near", "expected"),
    [("men", 0, (4, 7)), ("men", 20, (17, 20)), (" men ", 0, (4, 7)), ("women", 0, None),
     ("", 0, None), ("a", 0, (8, 9))],
)  # fmt: skip
def test_a_piece_is_found_at_its_place_nearest_to_the_offset(
    piece: str, near: int, expected: tuple[int, int] | None
) -> None:
    assert locate("two men and four men", piece, near) == expected


def test_the_union_takes_the_kind_that_marks_most_and_trims_white_space() -> None:
    marks = [(0, 4, "b"), (8, 20, "a"), (9, 12, "b"), (11, 30, "a")]
    spans = union("two     men here today", marks)
    assert [(span.start, span.end, span.label) for span in spans] == [(0, 3, "b"), (8, 22, "a")]


MARKS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 12), st.sampled_from("xy")).map(
        lambda mark: (mark[0], mark[0] + mark[1], mark[2])
    ),
    max_size=6,
)


@given(text=st.text("ab ", max_size=25), marks=MARKS)
def test_the_union_covers_what_is_marked_and_nothing_else_but_white_space(
    text: str, marks: list[tuple[int, int, str]]
) -> None:
    spans = union(text, marks)
    covered = {at for span in spans for at in range(span.start, span.end)}
    marked = {at for start, end, _ in marks for at in range(start, min(end, len(text)))}
    assert covered <= marked
    assert all(text[at] == " " for at in marked - covered)
    assert all(earlier.end < following.start for earlier, following in pairwise(spans))


@given(text=st.text("ab ", max_size=25), marks=MARKS)
def test_marking_more_never_frees_a_word(text: str, marks: list[tuple[int, int, str]]) -> None:
    edges = [(start, end) for start, end, _ in marks]
    shares = [share_outside(text, edges[:count]) for count in range(len(edges) + 1)]
    assert shares[0] == 1.0
    assert shares == sorted(shares, reverse=True)
    assert 0.0 <= shares[-1] <= 1.0


def test_a_word_is_inside_where_a_mark_touches_any_of_it() -> None:
    # one two three four: "w" of "two", and the space after "three".
    assert share_outside("one two three four", [(5, 6), (13, 14)]) == 0.75


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("['a', \"b's\"]", ["a", "b's"]), ("[nan, 'a']", ["a"]), ("[]", []), ("correct", None),
     ("['a'", None), ("[1]", None), ("{'a'}", None)],
)  # fmt: skip
def test_a_list_in_a_cell_is_read_without_running_it(cell: str, expected: list[str] | None) -> None:
    assert texts(cell) == expected


def test_pieces_that_the_summary_does_not_hold_are_given_back() -> None:
    spans, lost = from_texts("two men", ["men", "women"], "k")
    assert [(span.start, span.end) for span in spans] == [(4, 7)]
    assert lost == ["women"]


def test_rows_make_examples(tmp_path: Path) -> None:
    assert Row("f", {}).example("i", "s", "t", label=1) == Example("i", "s", "t", label=1)
