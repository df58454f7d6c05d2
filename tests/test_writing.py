"""Files are written whole or not at all; a journal loses at most the batch being written."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from faithkit.records import DataError
from faithkit.rows import Table
from faithkit.writing import Journal, new_folder, replacing, write_csv, write_json, write_jsonl

ROWS = [{"id": "a", "text": 'one, "two"\nthree', "more": 1}, {"id": "b", "text": "\té", "more": 2}]


def failing() -> Iterator[dict[str, str]]:
    yield {"id": "new"}
    raise KeyboardInterrupt


def test_a_failed_write_leaves_the_earlier_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write_jsonl(path, [{"id": "old"}])
    with pytest.raises(KeyboardInterrupt):
        write_jsonl(path, failing())
    assert path.read_text() == '{"id": "old"}\n'
    assert list(tmp_path.iterdir()) == [path]


def test_the_data_is_on_disk_before_the_file_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "a.txt", []
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: seen.append(path.read_text()))
    with replacing(path) as partial:
        partial.write_text("new")
    assert seen == ["old"] and path.read_text() == "new"


def test_rows_are_written_by_the_ending(tmp_path: Path) -> None:
    for name, delimiter in (("a.csv", ","), ("a.TSV", "\t")):
        write_csv(tmp_path / name, ROWS, ("id", "text"))
        with (tmp_path / name).open(newline="", encoding="utf-8") as file:
            read = list(csv.DictReader(file, delimiter=delimiter))
        assert read == [{"id": row["id"], "text": row["text"]} for row in ROWS]
    write_jsonl(tmp_path / "a.jsonl", ROWS)
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == ROWS


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_every_line_break_in_a_cell_is_read_as_it_was_written(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    cells = ["a\rb", "a\nb", "a\r\nb", "a\r\n", "\r", 'a "b", c\td']
    write_csv(path, [{"n": n, "text": text} for n, text in enumerate(cells)], ["n", "text"])
    rows = Table(path, ending, "a").read()
    assert [row.values["text"] for row in rows] == cells
    assert path.read_bytes().startswith(b'n,text\n0,"a\rb"\n' if ending == "csv" else b"n\ttext\n")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write .*no/a\.json: No such file"):
        write_json(tmp_path / "no" / "a.json", {})


def test_nan_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "a.json", {"value": float("nan")})
    assert not list(tmp_path.iterdir())


def test_a_new_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "below" / "model"
    with pytest.raises(RuntimeError), new_folder(folder) as partial:
        partial.mkdir()
        raise RuntimeError
    assert not list(folder.parent.iterdir())
    with new_folder(folder) as partial:
        partial.mkdir()
        (partial / "a").touch()
    assert list(folder.parent.iterdir()) == [folder] and (folder / "a").exists()


@pytest.mark.parametrize(
    ("data", "whole"),
    [(b"", []), (b"torn", []), (b"a\nb\n", [b"a\n", b"b\n"]), ("é\nto".encode(), ["é\n".encode()])],
)
def test_a_torn_last_line_of_a_journal_is_not_read_and_is_dropped(
    tmp_path: Path, data: bytes, whole: list[bytes]
) -> None:
    journal = Journal(tmp_path / "j")
    journal.path.write_bytes(data)
    assert list(journal.lines()) == whole
    journal.cut()
    assert journal.path.read_bytes() == b"".join(whole)


def test_a_journal_goes_on_after_what_was_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    assert list(journal.lines()) == []
    journal.cut(0)
    journal.append(["one\n", "two\n"])
    journal.cut(4)
    journal.append(["drei é\n"])
    assert journal.path.read_text(encoding="utf-8") == "one\ndrei é\n"
