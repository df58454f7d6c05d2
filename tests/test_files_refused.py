"""Pairs that are refused: every bad input is one error with its place."""

from __future__ import annotations

import csv
import gzip
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from faithkit import files, rows
from faithkit.columns import DEFAULTS, Columns
from faithkit.fields import OWN_NAMES
from faithkit.files import open_pairs
from faithkit.records import (
    DataError,
)
from tests.helpers.pair_files import (
    WRITERS,
    pairs,
    refused,
    write_xlsx,
)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.jsonl") == f"{tmp_path / 'no.jsonl'}: no such file"


def test_a_folder_is_said_to_be_one(tmp_path: Path) -> None:
    assert refused(tmp_path) == f"{tmp_path}: is a directory"


def test_a_pipe_is_refused_because_rows_are_read_twice(tmp_path: Path) -> None:
    assert "name it '-'" in refused(Path("/dev/null"))


def test_a_file_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pairs(tmp_path / "p.jsonl", "{}")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"p\.jsonl: cannot be read \(Permission denied\)"):
        files.check(path, "jsonl", Columns())


def test_an_unknown_ending_lists_the_formats(tmp_path: Path) -> None:
    message = refused(pairs(tmp_path / "p.docx", "x"))
    assert "cannot tell the format from the ending '.docx'" in message
    assert ".jsonl" in message
    assert ".parquet" in message


@pytest.mark.parametrize("text", ["", "\n", "\n \n"], ids=["empty", "line", "blank"])
@pytest.mark.parametrize("format", ["jsonl", "csv", "tsv"])
def test_a_file_without_rows_is_named(tmp_path: Path, format: str, text: str) -> None:
    path = pairs(tmp_path / f"p.{format}", text if format == "jsonl" else text.replace(" ", ""))
    what = "" if format == "jsonl" else ", line 1: expected a header, found an empty file"
    assert refused(path) == f"{path}{what or ': no rows'}"


def test_a_csv_with_a_header_only_has_no_rows(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", "id,source,summary\r\n")
    assert refused(path) == f"{path}: no rows"


def test_a_parquet_without_rows_is_named(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    schema = pa.schema([("source", pa.string()), ("summary", pa.string())])
    pa.parquet.write_table(schema.empty_table(), path)
    assert refused(path) == f"{path}: no rows"


GOOD = '{"id": "a", "source": "x", "summary": "y"}\n'


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"source": "x", "summary": }', "not valid JSON (Expecting value, column 28)"),
        ('{"source": "x", "summary": "y"', "(Expecting ',' delimiter, column 31)"),
        ('{"source": "x", "summ', "not valid JSON"),
        ("source,summary", "; for another format than JSONL: the file's ending"),
        ("{'source': 'x'}", "not valid JSON"),
        ('["x", "y"]', "expected a JSON object, found list"),
        ("null", "expected a JSON object, found NoneType"),
        ("[" * 100_000, "invalid JSON"),
        ('{"source": ' + "1" * 5000 + "}", "invalid JSON"),
        ('{"source": "", "summary": "a", "summary": "b"}', "invalid JSON (two fields 'summary')"),
        ('{"source": "", "summary": "", "a": [{"b": 1, "b": 1}]}', "JSON (two fields 'b')"),
        ('{"source": "x"}', "no field 'summary'. Choices: source."),
        ('{"source": "x", "sumary": "y"}', "no field 'summary'. Did you mean 'sumary'?"),
        ('{"source": "x", "summary": 3}', "field 'summary': expected text, found int '3'"),
        (
            '{"source": "x", "summary": null}',
            "field 'summary': expected text, found null; an empty text is \"\"",
        ),
        ('{"source": "x", "summary": ["y"]}', "field 'summary': expected text, found list"),
        ('{"source": {}, "summary": "y"}', "field 'source': expected text, found dict"),
        ('{"source": "\\ud800", "summary": "y"}', "field 'source': expected Unicode text"),
        (
            '{"id": "\\ud800", "source": "", "summary": ""}',
            "field 'id': expected a name",
        ),
        (
            '{"id": 1.5, "source": "", "summary": ""}',
            "field 'id': expected a name",
        ),
        ('{"id": true, "source": "", "summary": ""}', "field 'id': expected a name"),
        (
            '{"id": [], "source": "", "summary": ""}',
            "field 'id': expected a name",
        ),
        (
            '{"source": "", "summary": "", "document": {}}',
            "field 'document': expected a name or a whole",
        ),
        (
            '{"source": "", "summary": "", "label": 2}',
            "field 'label': expected 1 (consistent) or 0",
        ),
        ('{"source": "", "summary": "", "label": "ja"}', "field 'label': expected 1 (consistent)"),
        ('{"source": "", "summary": "", "label": [1]}', "field 'label': expected 1 (consistent)"),
        ('{"source": "", "summary": "", "score": NaN}', "field 'score': expected a number"),
        ('{"source": "", "summary": "", "score": Infinity}', "field 'score': expected a number"),
        ('{"source": "", "summary": "", "score": "good"}', "field 'score': expected a number"),
        ('{"source": "", "summary": "", "score": true}', "field 'score': expected a number"),
        (
            '{"source": "", "summary": "", "score": 1' + "0" * 400 + "}",
            "field 'score': expected a number",
        ),
    ],
)
def test_a_bad_line_is_named_by_file_line_and_field(tmp_path: Path, line: str, what: str) -> None:
    path = pairs(tmp_path / "p.jsonl", GOOD + "\n" + line + "\n" + GOOD.replace('"a"', '"b"'))
    message = refused(path)
    assert message.startswith(f"{path}, line 3")
    assert what in message
    assert len(message) < 400


def test_bytes_that_are_not_utf8_are_placed(tmp_path: Path) -> None:
    line = '{"source": "é", "summary": "y"}\n'
    path = pairs(tmp_path / "p.jsonl", line.encode() + line.encode("latin-1"))
    assert refused(path) == (
        f"{path}, line 2: not UTF-8 (byte 13 of the line); save it as UTF-8 (in Excel: 'CSV "
        f"UTF-8'), or convert it, if it is Windows-1252: iconv -f WINDOWS-1252 -t UTF-8 {path} > "
        f"{tmp_path}/p-utf8.jsonl"
    )


@pytest.mark.parametrize("name", ["my pairs.csv", "pairs.csv.gz"])
def test_the_command_for_a_file_of_excel_makes_one_that_is_read(tmp_path: Path, name: str) -> None:
    saved = "source,summary\r\nCafé à 5 €,“Café”\r\n".encode("cp1252")
    path = pairs(tmp_path / name, gzip.compress(saved) if name.endswith(".gz") else saved)
    command = refused(path).partition("if it is Windows-1252: ")[2]
    subprocess.run(command, shell=True, check=True)
    converted = path.with_name(f"{name.removesuffix('.gz').removesuffix('.csv')}-utf8.csv")
    with open_pairs(str(converted)) as rows:
        assert [(row.source, row.summary) for row in rows] == [("Café à 5 €", "“Café”")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_utf16_is_said_to_be_so_and_how_to_convert_it(
    tmp_path: Path, encoding: str, ending: str
) -> None:
    path = pairs(tmp_path / f"p.{ending}", "source,summary\né,y\n".encode(encoding))
    message = refused(path)
    assert message.startswith(f"{path}: this looks like UTF-16, as Excel writes 'Unicode Text'")
    assert message.endswith(f": iconv -f UTF-16 -t UTF-8 {path} > {tmp_path}/p-utf8.{ending}")


def test_a_file_with_the_wrong_ending_is_said_to_be_what_it_looks_like(tmp_path: Path) -> None:
    for ending, format in (("xlsx", "Excel (.xlsx)"), ("parquet", "Parquet (.parquet)")):
        {**WRITERS, "xlsx": write_xlsx}[ending](tmp_path / f"p.{ending}", [{"source": "a"}])
        path = (tmp_path / f"p.{ending}").rename(tmp_path / f"{ending}.csv")
        assert refused(path) == f"{path}: this looks like a file of {format}; name it so"
    path = pairs(tmp_path / "p.jsonl.gz", "hello\n")
    assert refused(path).endswith("; this is not a gzip file, so it is read as plain JSONL")


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_columns_with_other_capitals_are_proposed_as_options(
    tmp_path: Path, delimiter: str
) -> None:
    path = pairs(tmp_path / "p.csv", "Source,SUMMARY\na,b\n".replace(",", delimiter))
    assert refused(path) == (
        f"{path}, line 1: no column 'source'. Did you mean 'Source'? Choices: SUMMARY, Source. "
        "To read that: --column source=Source --column summary=SUMMARY."
    )
    with files.open_pairs(str(path), Columns(source="Source", summary="SUMMARY")) as found:
        assert [(e.source, e.summary) for e in found] == [("a", "b")]
    path = pairs(tmp_path / "p.jsonl", '{"source": "a", "the summary": "b"}\n')
    assert refused(path).endswith("To read that: --column 'summary=the summary'.")
    path = pairs(tmp_path / "q.jsonl", '{"source": "a", "x": "b"}\n')
    assert refused(path).endswith("no field 'summary'. Choices: source, x.")


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "parquet", "xlsx"])
def test_a_column_of_another_field_is_not_proposed(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"p.{ending}"
    {**WRITERS, "xlsx": write_xlsx}[ending](path, [{"article": "a", "Score": "3", "summary": "b"}])
    assert refused(path).endswith(" 'source'. Choices: Score, article, summary.")
    assert {*DEFAULTS.values()} == OWN_NAMES - {"rating"}


def test_texts_that_are_all_numbers_are_noted(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", "score,summary\n5.1,a\n3,7\n")
    with files.open_pairs(str(path), Columns(source="score")) as found:
        assert found.note == "every source is a number (column 'score')"


@pytest.mark.parametrize("format", WRITERS)
def test_duplicate_ids_name_both_places(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"p.{format}"
    WRITERS[format](path, [{"id": i, "source": "x", "summary": "y"} for i in "abcb"])
    unit, first, second = {
        "jsonl": ("line", 2, 4), "csv": ("line", 3, 5), "tsv": ("line", 3, 5),
        "parquet": ("row", 2, 4), "json": ("line", "7 (item 2)", "17 (item 4)"),
    }[format]  # fmt: skip
    assert refused(path).startswith(
        f"{path}, {unit} {second}, field 'id': id 'b' was already used on {unit} {first}; "
        "ids must be unique"
    )


def test_an_id_as_number_and_as_text_is_one_id(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.jsonl", GOOD.replace('"a"', "7") + GOOD.replace('"a"', '"7"'))
    assert "line 2, field 'id': id '7' was already used on line 1" in refused(path)


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("field", ["source", "id", "document", "pair", "label", "rating"])
def test_a_wrong_column_name_gets_the_nearest(tmp_path: Path, format: str, field: str) -> None:
    path = tmp_path / f"p.{format}"
    WRITERS[format](path, [{"document": "x", "source": "s", "summary": "y"}])
    message = refused(path, **{field: "documnet"})
    kind = "field" if format.startswith("json") else "column"
    assert message.startswith(str(path))
    assert f"no {kind} 'documnet'. Did you mean 'document'? Choices: document, source," in message


def test_a_row_with_the_wrong_number_of_cells_is_named(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", 'source,summary\n"a\nb",c\nd,e,f\n')
    assert refused(path) == f"{path}, line 4: 3 cells where the header has 2 columns"
    path = pairs(tmp_path / "p.tsv", "source\tsummary\na,b\n")
    assert refused(path) == f"{path}, line 2: 1 cells where the header has 2 columns"


def test_a_row_over_several_lines_is_named_by_the_line_it_begins_on(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", 'source,summary,label\n"a\nb\n",c,1\n"d\n\n",e,7\n')
    assert refused(path).startswith(f"{path}, line 5, field 'label'")


def test_a_quote_that_is_never_closed_is_named_where_it_begins(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", 'source,summary\na,b\nc,"d\ne,f\ng,h\n')
    assert refused(path) == (
        f"{path}, line 3: a quoted cell of the row that begins here is never closed"
    )
    path = pairs(tmp_path / "q.csv", 'source,"summary\na,b\n')
    assert refused(path).startswith(f"{path}, line 1: a quoted cell")


def test_text_behind_a_closing_quote_is_named(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", 'source,summary\n"a" b,c\n')
    assert refused(path).startswith(f"{path}, line 2: ")


def test_old_line_ends_of_a_single_return_are_an_error_and_not_one_long_row(tmp_path: Path) -> None:
    assert refused(pairs(tmp_path / "p.csv", "source,summary\ra,b\rc,d\r")).startswith(
        f"{tmp_path / 'p.csv'}, line 1: a line ends with CR alone, as on the old Macintosh; save"
    )


def test_a_column_that_is_there_twice_is_an_error(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", "source,summary,source\na,b,c\n")
    assert refused(path) == f"{path}, line 1: two columns 'source'"


@pytest.fixture
def small_cells(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cells of 100 characters at most. The csv module keeps its limit for the whole process."""
    before = csv.field_size_limit()
    monkeypatch.setattr(rows, "CELL_LIMIT", 100)
    yield
    csv.field_size_limit(before)


@pytest.mark.usefixtures("small_cells")
def test_a_cell_over_the_limit_is_named(tmp_path: Path) -> None:
    path = pairs(tmp_path / "p.csv", f"source,summary\na,b\n{'x' * 200},c\n")
    assert refused(path) == f"{path}, line 3: field larger than field limit (100)"


def test_a_broken_parquet_file_is_named(tmp_path: Path) -> None:
    path = pairs(tmp_path / "garbage.parquet", b"PAR1 this is not parquet PAR1")
    assert refused(path).startswith(f"{path}: not a Parquet file that can be read (")
    path = pairs(tmp_path / "empty.parquet", b"")
    assert refused(path).startswith(f"{path}: not a Parquet file that can be read (")
    whole = tmp_path / "whole.parquet"
    table = pa.Table.from_pylist([{"source": "a b c " * n, "summary": "d"} for n in range(500)])
    pa.parquet.write_table(table, whole, compression="snappy", use_dictionary=False)
    data = bytearray(whole.read_bytes())
    data[40 : len(data) // 2] = b"\xff" * (len(data) // 2 - 40)
    path = pairs(tmp_path / "torn.parquet", bytes(data))
    assert refused(path).startswith(f"{path}")


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (pa.array([1, 2]), "row 1, field 'source': expected text, found int"),
        (pa.array([b"a", b"b"]), "row 1, field 'source': expected text, found bytes"),
        (pa.array([["a"], ["b"]]), "row 1, field 'source': expected text, found list"),
    ],
)
def test_a_parquet_column_that_is_not_text_is_named(
    tmp_path: Path, column: pa.Array, what: str
) -> None:
    path = tmp_path / "p.parquet"
    pa.parquet.write_table(pa.table({"source": column, "summary": ["x", "y"]}), path)
    assert refused(path).startswith(f"{path}, {what}")
