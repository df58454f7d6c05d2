"""Reading pairs: formats, columns, ids, documents and labels."""

from __future__ import annotations

import builtins
import gzip
import io
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import openpyxl  # type: ignore[import-untyped,import-not-found,unused-ignore]
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from faithkit import files
from faithkit.columns import Columns, parse_labels
from faithkit.files import open_pairs
from faithkit.records import (
    ConfigError,
    DataError,
    Example,
    document_id,
)
from tests.helpers.pair_files import (
    ROWS,
    WRITERS,
    pairs,
    read,
    refused,
    write_jsonl,
    write_xlsx,
)


@pytest.mark.parametrize("format", WRITERS)
def test_each_format_gives_the_same_examples(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"pairs.{format}"
    WRITERS[format](path, ROWS)
    assert [(e.id, e.source, e.summary) for e in read(path)] == [
        (row["id"], row["source"], row["summary"]) for row in ROWS
    ]


# csv.writer cannot say "\r" outside quotes and pyarrow knows no lone surrogate; all else must pass.
unicode_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@pytest.mark.slow
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(unicode_text, unicode_text), min_size=1, max_size=4))
@example([('"', "'"), ("\x00", "\ufeff"), ("\r", "\r\n"), ("\u2028", "\x85")])
@example([("\ufeffa", ""), ("", "\n"), ("a,b\tc", '""'), ("\\", "{")])
@pytest.mark.parametrize("format", WRITERS)
def test_any_unicode_text_comes_through_each_format(
    tmp_path: Path, format: str, texts: list[tuple[str, str]]
) -> None:
    path = tmp_path / f"pairs.{format}"
    WRITERS[format](path, [{"source": one, "summary": two} for one, two in texts])
    assert [(e.source, e.summary) for e in read(path)] == texts


def test_a_spreadsheet_gives_the_same_examples(tmp_path: Path) -> None:
    write_xlsx(tmp_path / "p.xlsx", ROWS)
    assert [(e.id, e.source, e.summary) for e in read(tmp_path / "p.xlsx")] == [
        (row["id"], row["source"], row["summary"]) for row in ROWS
    ]


def test_every_sheet_with_rows_is_read_and_named_in_errors(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    path = tmp_path / "p.xlsx"
    for name in ("one", "two"):
        sheet = book.create_sheet(name)
        for cells in ([], ["id", "source", "summary", None], [name, "a", None], [], [None, "", 7]):
            sheet.append(cells)
    book["two"]["C5"] = "text"
    book.save(path)
    assert (
        refused(path) == f"{path}, sheet one, line 5, field 'summary': expected text, found int '7'"
    )
    book["one"]["C5"] = "text"
    book.save(path)
    found = read(path)
    assert [(e.id, e.source, e.summary) for e in found] == [
        ("one", "a", ""), ("2", "", "text"), ("two", "a", ""), ("4", "", "text"),
    ]  # fmt: skip
    assert [e.meta["sheet"] for e in found] == ["one", "one", "two", "two"]


def test_a_spreadsheet_without_openpyxl_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_xlsx(tmp_path / "p.xlsx", ROWS)
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name == "openpyxl":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    assert "pip install openpyxl (or faithkit[datasets])" in refused(tmp_path / "p.xlsx")


@pytest.mark.parametrize("format", [*WRITERS, "xlsx"])
def test_a_gzipped_file_is_read_like_the_plain_one(tmp_path: Path, format: str) -> None:
    plain = tmp_path / f"p.{format}"
    (write_xlsx if format == "xlsx" else WRITERS[format])(plain, ROWS)
    packed = pairs(tmp_path / f"q.{format}.gz", gzip.compress(plain.read_bytes()))
    assert read(packed) == read(plain)


def test_gzip_on_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = gzip.compress(b'{"source": "a", "summary": "b"}')
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with open_pairs("-") as rows:
        assert [e.summary for e in rows] == ["b"]


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_torn_gzip_is_one_error(tmp_path: Path, format: str) -> None:
    plain = tmp_path / f"p.{format}"
    WRITERS[format](plain, ROWS)
    packed = gzip.compress(plain.read_bytes())
    path = pairs(tmp_path / f"q.{format}.gz", packed[: len(packed) // 2])
    assert refused(path).startswith(f"{path}: gzip file is cut short or damaged (")
    path = pairs(tmp_path / f"r.{format}.gz", packed[:20] + b"\xff" * 20 + packed[40:])
    assert refused(path).startswith(f"{path}")


@pytest.mark.parametrize(
    "text",
    [
        '{"source": ["a", "c"], "summary": ["b", null]}',
        '{"source": {"0": "a", "1": "c"}, "summary": {"0": "b", "1": null}}',
        '[{"source": "a", "summary": "b"}, {"source": "c", "summary": ""}]',
        '{"source": "a", "summary": "b"}\n{"source": "c", "summary": ""}\n',
    ],
    ids=["columns", "pandas", "objects", "lines"],
)
def test_json_may_be_rows_or_columns_or_lines(tmp_path: Path, text: str) -> None:
    found = read(pairs(tmp_path / "p.json", text))
    assert [(e.source, e.summary) for e in found] == [("a", "b"), ("c", "")]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", ", line 1: not valid JSON"),
        ("[]", ": no rows"),
        (
            '{"source": "a", "summary": "b"}',
            ", line 1: expected a JSON list of objects, or one obj",
        ),
        ('"a"', ", line 1: expected a JSON list of objects"),
        ('{"source": ["a"], "summary": []}', ", field 'summary': 0 values where the column 'sourc"),
        ('{"source": {"0": "a"}, "summary": {"1": "b"}}', ", field 'summary': its rows"),
        ('{"source": ["a"], "sumary": ["b"]}', ": no column 'summary'. Did you mean 'sumary'?"),
        ('[{"source": "a", "summary": "b"}] x', ", line 1: not valid JSON (text after the end"),
        ('[{"source": "a"}]', ", line 1 (item 1): no field 'summary'"),
        ('{"source": ["a"], "summary": [3]}', ", row 1, field 'summary': expected text, found int"),
        ('{"a": ', ", line 1: not valid JSON"),
        ("[" * 100_000, ", line 1: invalid JSON"),
    ],
)
def test_a_bad_json_file_is_one_error(tmp_path: Path, text: str, what: str) -> None:
    path = pairs(tmp_path / "p.json", text)
    assert refused(path).startswith(f"{path}{what}")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_what_separates_the_cells_is_told_by_the_header(
    tmp_path: Path, delimiter: str, format: str
) -> None:
    text = "id,source,summary\n1,'a;b|c',\"d\n,e\"\n".replace(",", delimiter)
    path = pairs(tmp_path / f"p.{format}", text.replace("'a;b|c'", "a b"))
    with open_pairs(str(path)) as rows:
        assert [(e.source, e.summary) for e in rows] == [("a b", f"d\n{delimiter}e")]
        own = {"csv": ",", "tsv": "\t"}[format]
        told = f"{path}: cells are separated by {delimiter!r}"
        assert rows.note == ("" if delimiter == own else told)


def test_a_comma_is_preferred_where_the_header_has_the_columns_either_way(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", "source,summary,a;b\nx;y,z,1;2\n")
    assert read(path) == [Example("1", "x;y", "z", meta={"a;b": "1;2"})]


def test_a_csv_without_a_header_is_said_to_have_none(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", "The old cat sat on the mat.,A cat.\nA dog ran.,A dog.\n")
    assert refused(path) == (
        f"{path}, line 1: no column 'source'. This line looks like a row of texts ('The old cat "
        "sat on the mat.', 'A cat.'); the first line should name the columns, such as: "
        "source,summary"
    )


def test_a_column_without_a_name_is_called_by_its_number(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", ",source,summary,\n0,a,b,c\n")
    assert read(path) == [Example("1", "a", "b", meta={"column 1": "0", "column 4": "c"})]


def test_without_ids_rows_are_numbered_and_blank_lines_do_not_count(tmp_path: Path) -> None:
    text = '\n{"source": "a", "summary": "b"}\n\n  \n{"source": "c", "summary": "d"}\n\n'
    assert [e.id for e in read(pairs(tmp_path / "p.jsonl", text))] == ["1", "2"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
@pytest.mark.parametrize("last", [True, False], ids=["ended", "unended"])
@pytest.mark.parametrize("format", ["jsonl", "csv", "tsv"])
def test_line_ends_and_byte_order_marks_do_not_matter(
    tmp_path: Path, end: str, mark: bytes, last: bool, format: str
) -> None:
    cell = "\t" if format == "tsv" else ","
    lines = {
        "jsonl": ['{"source": "a b", "summary": "é"}', '{"source": "c", "summary": "d"}'],
    }.get(format, [f"source{cell}summary", f"a b{cell}é", "", f"c{cell}d"])
    text = end.join(lines) + (end if last else "")
    path = pairs(tmp_path / f"p.{format}", mark + text.encode())
    assert [(e.source, e.summary) for e in read(path)] == [("a b", "é"), ("c", "d")]


def test_a_quoted_cell_keeps_its_line_ends(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", 'source,summary\r\n"a\nb\r\n""c""",d\r\n')
    assert [(e.source, e.summary) for e in read(path)] == [('a\nb\r\n"c"', "d")]


def test_a_csv_may_begin_with_blank_lines(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", "\n\nsource,summary\na,b\n")
    assert [(e.source, e.summary) for e in read(path)] == [("a", "b")]


def test_columns_are_mapped_and_the_rest_goes_to_meta(tmp_path: Path) -> None:
    row = {
        "doc": "a", "text": "bcd", "key": 7, "article": "g", "model": "s", "ok": 1, "mark": 4,
        "spans": [[0, 2, "intrinsic", "annotator-1"]], "topic": "sport",
    }  # fmt: skip
    path = tmp_path / "p.jsonl"
    write_jsonl(path, [row])
    (found,) = read(
        path, source="doc", summary="text", id="key", document="article", system="model",
        label="ok", rating="mark",
    )  # fmt: skip
    assert found == Example(
        "7", "a", "bcd", document="g", system="s", label=1, rating=4.0,
        meta={"spans": [[0, 2, "intrinsic", "annotator-1"]], "topic": "sport"},
    )  # fmt: skip


def grouped(path: Path, *rows: tuple[str, str]) -> list[tuple[str, str | None]]:
    write_jsonl(path, [{"source": s, "summary": "y", "group": g} for s, g in rows])
    return [(example.document, example.pair) for example in read(path)]


def test_group_of_whole_sources_is_read_as_the_document(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    assert grouped(path, ("s", "g"), ("s", "g"), ("t", "h")) == [("g", None)] * 2 + [("h", None)]
    assert grouped(path, ("s", "g"), ("t", "g")) == [("g", None)] * 2, "two parts of one document"


def test_groups_that_share_a_source_are_read_as_pairs(tmp_path: Path) -> None:
    path, document = tmp_path / "p.jsonl", document_id("s")
    found = grouped(path, ("s", "g"), ("s", "g"), ("s", "h"), ("t", "i"))
    assert found == [(document, "g"), (document, "g"), (document, "h"), (document_id("t"), "i")]


def test_group_that_is_neither_document_nor_pair_must_be_named(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with pytest.raises(DataError, match="--column document=group or --column pair=group"):
        grouped(path, ("s", "g"), ("s", "h"), ("t", "h"))
    found = [(example.document, example.pair) for example in read(path, document="group")]
    assert found == [("g", None), ("h", None), ("h", None)]
    found = [(example.document, example.pair) for example in read(path, pair="group")]
    assert found == [(document_id("s"), "g"), (document_id("s"), "h"), (document_id("t"), "h")]


def test_group_beside_a_document_column_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write_jsonl(path, [{"source": "s", "summary": "y", "group": "g", "document": "d"}])
    (found,) = read(path)
    assert (found.document, found.pair, found.meta["group"]) == ("d", None, "g")


def test_id_may_repeat_across_systems_and_then_names_them(tmp_path: Path) -> None:
    rows = [{"id": i, "source": f"s{i}", "summary": f"{i} by {system}", "system": system}
            for i in ("1", "2") for system in ("A", "B")]  # fmt: skip
    path = tmp_path / "p.jsonl"
    write_jsonl(path, rows)
    assert [example.id for example in read(path)] == ["1/A", "1/B", "2/A", "2/B"]
    write_jsonl(path, [*rows, rows[1]])
    with pytest.raises(DataError, match="line 5, field 'id': id '1' was already used on line 2"):
        read(path)
    write_jsonl(path, [{**row, "id": f"{number}"} for number, row in enumerate(rows)])
    assert [example.id for example in read(path)] == ["0", "1", "2", "3"], "ids that do not repeat"


def test_an_empty_source_or_summary_is_read_because_it_becomes_an_outcome(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", "source,summary\n,b\na,\n")
    assert [(e.source, e.summary) for e in read(path)] == [("", "b"), ("a", "")]


@pytest.mark.parametrize("format", ["parquet", "xlsx"])
def test_a_missing_text_of_a_table_is_an_empty_one(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"p.{format}"
    rows = [{"source": "a", "summary": None}, {"source": None, "summary": "b"}]
    (write_xlsx if format == "xlsx" else WRITERS[format])(path, rows)
    assert [(e.source, e.summary) for e in read(path)] == [("a", ""), ("", "b")]


def test_a_column_that_is_not_wanted_is_not_checked_and_goes_to_meta(tmp_path: Path) -> None:
    row = {"source": "a", "summary": "b", "label": "sports", "score": "good", "group": [1]}
    path = tmp_path / "p.jsonl"
    write_jsonl(path, [row])
    with open_pairs(str(path), Columns().without("label", "rating", "document", "pair")) as rows:
        assert list(rows) == [
            Example("1", "a", "b", meta={"label": "sports", "score": "good", "group": [1]})
        ]
        with pytest.raises(DataError, match="field 'label'"):
            rows.with_fields({"source", "label"}, Columns())
        assert rows.note.startswith(
            f"labels are not read here. {path}, line 1, field 'label': expected 1 (consistent) or "
            "0, found str 'sports'; say what your labels mean, such as --labels ok=1,wrong=0, or "
        )


def test_labels_that_could_be_read_or_are_not_wanted_by_name_are_passed_over(
    tmp_path: Path,
) -> None:
    path = tmp_path / "p.jsonl"
    write_jsonl(path, [{"source": "a", "summary": "b", "label": label} for label in ("bad", None)])
    for columns in (Columns(labels={"bad": 0}).without("label"), Columns(label="none")):
        with open_pairs(str(path), columns) as rows:
            assert rows.note == ""


def test_a_column_that_is_named_is_wanted_after_all() -> None:
    assert Columns(label="mark").without("label", "rating") == Columns(label="mark", rating=None)


def test_none_names_no_column(tmp_path: Path) -> None:
    row = {"id": "a", "source": "a", "summary": "b", "label": "sports", "none": "x"}
    path = tmp_path / "p.jsonl"
    write_jsonl(path, [row])
    (found,) = read(path, id="none", label="none", system="none")
    assert (found.id, found.label, found.system) == ("1", None, None)
    assert found.meta == {"id": "a", "label": "sports", "none": "x"}


@pytest.mark.parametrize(
    ("labels", "values", "found"),
    [
        ("yes=1,no=0", ["yes", "No ", "", None], [1, 0, None, None]),
        ("hallucinated=0,ok=1,unsure=none", ["OK", "Hallucinated", "unsure"], [1, 0, None]),
        ("1=0,0=1", [1, 0, "1", 0.0, "1.0"], [0, 1, 0, 1, 0]),
        ("true=0,false=1", [True, False, "true"], [0, 1, 0]),
        ("a=b=1, =0=0", ["a=b", "=0"], [1, 0]),
    ],
)
def test_labels_mean_what_the_user_says(
    tmp_path: Path, labels: str, values: list[Any], found: list[int | None]
) -> None:
    path = tmp_path / "p.jsonl"
    write_jsonl(path, [{"source": "a", "summary": "b", "label": value} for value in values])
    with open_pairs(str(path), Columns(labels=parse_labels(labels))) as rows:
        assert [e.label for e in rows] == found


def test_a_label_without_a_meaning_is_named(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", "source,summary,label\na,b,ok\na,b,bad\n")
    with (
        pytest.raises(DataError) as caught,
        open_pairs(str(path), Columns(labels={"ok": 1, "wrong": 0})),
    ):
        pass
    assert str(caught.value) == (
        f"{path}, line 3, field 'label': expected 'ok' or 'wrong', found str 'bad'; say what your "
        "labels mean, such as --labels ok=1,wrong=0, or --column label=none"
    )


def test_empty_cells_of_optional_columns_are_missing_values(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", "source,summary,id,document,pair,label,score\na,b,,,,,\n")
    assert read(path) == [Example("1", "a", "b")]


@pytest.mark.parametrize("text", ["1", "1.0", "true", "True", " 1 "])
def test_labels_are_read_as_people_write_them(tmp_path: Path, text: str) -> None:
    assert read(pairs(tmp_path / "p.csv", f"source,summary,label\na,b,{text}\n"))[0].label == 1


@pytest.mark.parametrize("format", ["jsonl", "csv", "tsv"])
def test_standard_input_is_read_like_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    path = tmp_path / f"p.{format}"
    WRITERS[format](path, ROWS)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    with open_pairs("-", stdin_format=format) as rows:
        assert [e.summary for e in rows] == [row["summary"] for row in ROWS]
        assert [e.summary for e in rows] == [row["summary"] for row in ROWS]
        piped = rows.sha256
    with open_pairs(str(path)) as rows:
        assert rows.sha256 == piped


def test_an_error_in_standard_input_says_so_and_not_a_temporary_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    with (
        pytest.raises(DataError, match=r"^standard input, line 1: not valid JSON"),
        open_pairs("-"),
    ):
        pass


def test_an_unknown_format_of_standard_input_lists_the_formats() -> None:
    nearest = r"'jsonp'. Did you mean 'json[l]?'\? Choices: csv, json, jsonl"
    with pytest.raises(ConfigError, match=nearest), open_pairs("-", stdin_format="jsonp"):
        pass


def test_the_hash_is_of_ids_and_texts_whatever_the_format(tmp_path: Path) -> None:
    hashes = set()
    for format, write in WRITERS.items():
        path = tmp_path / f"p.{format}"
        write(path, ROWS)
        with open_pairs(str(path)) as rows:
            hashes.add(rows.sha256)
    assert len(hashes) == 1
    for field in ("id", "source", "summary"):
        path = tmp_path / f"other-{field}.jsonl"
        write_jsonl(path, [{**ROWS[0], field: "9"}, *ROWS[1:]])
        with open_pairs(str(path)) as rows:
            hashes.add(rows.sha256)
    assert len(hashes) == 4


@pytest.mark.slow
def test_checking_a_large_file_streams(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with path.open("w") as file:
        for number in range(5_000):
            file.write(f'{{"id": "{number}", "source": "{"word " * 320}", "summary": "a word"}}\n')
    assert path.stat().st_size > 8_000_000
    tracemalloc.start()
    try:
        rows = files.check(path, "jsonl", Columns())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert rows.count == 5_000
    assert peak < 500_000  # 8 bytes a row, sorted copies of them, and a few lines
