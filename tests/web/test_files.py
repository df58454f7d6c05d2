"""Uploaded files: scored in the background, bounded, downloaded and looked at."""

from __future__ import annotations

import asyncio
import csv
import gc
import gzip
import importlib.util
import io
import json
import logging
import time
import zipfile
from collections.abc import AsyncIterator
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from starlette.testclient import TestClient
from tests.helpers.marking_metric import Marking
from tests.helpers.web_server import client

from faithkit import run
from faithkit.cache import Cache
from faithkit.columns import Columns
from faithkit.web import uploads
from faithkit.web.answers import Refusal
from faithkit.web.limits import Limits
from faithkit.web.saved import Shelf
from faithkit.web.scoring import Scorer

ROWS = [
    {"id": "a", "source": "The bridge opened in May.", "summary": "The bridge opened in June."},
    {"id": "b", "source": "It cost much.", "summary": "It cost much."},
    {"id": "c", "source": "", "summary": "Words."},
]
PAIRS = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def upload(made: TestClient, content: bytes, name: str = "pairs.jsonl", *columns: str) -> Any:
    query = {"name": name, "column": list(columns)}
    return made.post("/v1/files", params=query, content=content)


def finished(made: TestClient, content: bytes, name: str = "pairs.jsonl", *columns: str) -> Any:
    """The file's record when there is no work left."""
    accepted = upload(made, content, name, *columns)
    assert accepted.status_code == 202, accepted.text
    deadline = time.monotonic() + 10
    while True:
        record = made.get(accepted.headers["location"]).json()
        if record["status"] in ("done", "failed"):
            return record
        assert time.monotonic() < deadline, record
        time.sleep(0.01)


def test_a_file_is_scored_and_its_scores_can_be_taken_in_every_format() -> None:
    with client() as made:
        record = finished(made, PAIRS)
        assert (record["rows"], record["done"], record["problem"]) == (3, 3, None)
        (summary,) = record["summary"]
        assert list(summary["verdicts"].items()) == [("consistent", 1), ("not consistent", 1)]
        assert summary["outcomes"] == {"ok": 2, "no_content": 1}
        place = f"/v1/files/{record['id']}/scores"
        lines = [json.loads(line) for line in made.get(f"{place}.jsonl").text.splitlines()]
        assert [(row["id"], row["value"]) for row in lines] == [("a", 0.6), ("b", 1.0), ("c", None)]
        table = made.get(f"{place}.csv")
        assert [row["id"] for row in csv.DictReader(io.StringIO(table.text))] == ["a", "b", "c"]
        assert "pairs.scores.csv" in table.headers["content-disposition"]
        assert made.get(f"{place}.exe").status_code == 404


def test_packed_files_tables_and_other_columns_are_read() -> None:
    table = b"article,tldr\nThe bridge opened.,The bridge opened.\n"
    with client() as made:
        packed = finished(made, gzip.compress(PAIRS), "pairs.jsonl.gz")
        assert packed["done"] == 3
        named = finished(made, table, "p.csv", "source=article", "summary=tldr")
        assert named["done"] == 1


def parquet(rows: list[dict[str, Any]]) -> bytes:
    held = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), held)
    return held.getvalue()


def test_parquet_is_read_as_other_files_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with client() as made:
        record = finished(made, parquet(ROWS), "p.parquet")
        assert (record["rows"], record["done"], record["problem"]) == (3, 3, None)
        assert finished(made, gzip.compress(parquet(ROWS)), "p.parquet.gz")["done"] == 3
        lists = finished(made, parquet([{**ROWS[0], "tags": ["a"]}]), "p.parquet")["problem"]
        assert lists.startswith("p.parquet: the column 'tags' has lists, which the app takes in")
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        for answer in (
            upload(made, parquet(ROWS), "p.parquet"),
            made.get(f"/v1/files/{record['id']}/scores.parquet"),
        ):
            assert answer.status_code == 422
            message = answer.json()["error"]["message"]
            assert message == "A Parquet file needs pyarrow: pip install 'faithkit[bench]'"


def test_rows_and_unpacked_bytes_of_parquet_are_bounded() -> None:
    repeated = [{"source": "x" * 1000, "summary": "y"}] * 2000
    content = parquet(repeated)
    assert len(content) < 10_000  # the source is stored once
    with client(limits=Limits(file=100_000)) as made:
        assert "when it is unpacked" in finished(made, content, "p.parquet")["problem"]
    with client(limits=Limits(file_rows=2)) as made:
        problem = finished(made, parquet(ROWS), "p.parquet")["problem"]
        assert "p.parquet: 3 rows; the app takes 2 at most" in problem


@pytest.mark.parametrize(
    ("content", "name", "problem"),
    [
        (b'{"source": "a"}\n', "p.jsonl", "p.jsonl, line 1: no field 'summary'"),
        (b'{"source": "a", "Summary": "b"}\n', "p.jsonl", "read that: column summary=Summary."),
        (
            gzip.compress(b"hi\n", mtime=0),
            "p.jsonl.gz",
            "for another format than JSONL: the file's ending",
        ),
        (b"{\n", "p.jsonl", "p.jsonl, line 1: not valid JSON"),
        (b"", "p.csv", "p.csv, line 1: expected a header, found an empty file"),
        (b"\x1f\x8bbroken", "p.jsonl", "gzip file is cut short"),
        (b"PKbroken", "p.xlsx", "not a whole XLSX file"),
        (b"PAR1broken", "p.parquet", "p.parquet: not a Parquet file that can be read"),
        (
            gzip.compress(gzip.compress(PAIRS, mtime=0), mtime=0),
            "p.jsonl.gz",
            "compressed twice",
        ),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_names_no_folder_of_the_server(
    content: bytes, name: str, problem: str
) -> None:
    with client() as made:
        record = finished(made, content, name)
    assert record["status"] == "failed"
    assert problem in record["problem"]
    assert "/tmp" not in record["problem"]


@pytest.mark.parametrize(
    "name", ["", "pairs", "pairs.exe", "pairs.docx", "../.jsonl", "a/b\\..jsonl"]
)
def test_a_name_without_an_ending_that_is_read_is_refused(name: str) -> None:
    with client() as made:
        answer = upload(made, PAIRS, name)
    assert answer.status_code == 422
    assert "should end in one of .jsonl" in answer.json()["error"]["message"]


def test_a_name_leads_to_no_other_folder() -> None:
    with client() as made:
        record = finished(made, PAIRS, "../../etc/<b>pairs</b>.jsonl")
    assert record["name"] == "b_.jsonl"
    assert record["status"] == "done"


def test_a_long_name_in_any_script_can_be_written() -> None:
    with client() as made:
        record = finished(made, PAIRS, "数" * 120 + ".jsonl")
    assert record["name"].endswith("数.jsonl")
    assert record["status"] == "done"


def test_a_failure_inside_is_logged_with_its_place_and_without_its_text(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("a patient's name")

    monkeypatch.setattr(logging.getLogger("faithkit"), "disabled", False)
    monkeypatch.setattr(uploads, "_unpack", fail)
    with caplog.at_level(logging.DEBUG):
        with client() as made:
            record = finished(made, PAIRS)
        gc.collect()  # asyncio logs what a task raised when the task goes
    assert record["problem"] == "This failed inside faithkit."
    assert "KeyError at test_files.py" in caplog.text
    assert "patient" not in caplog.text


def test_a_file_that_is_removed_while_it_arrives_is_not_scored() -> None:
    async def scored() -> int:
        limits = Limits()
        kept = uploads.Uploads(
            Scorer(run.prepare([Marking()]), limits), lambda: Cache(None), Shelf()
        )

        async def body() -> AsyncIterator[bytes]:
            yield PAIRS
            await kept.remove(kept.all()[0].id)

        with pytest.raises(Refusal, match="removed before"):
            await kept.add("pairs.jsonl", Columns(), body())
        left = len(kept._tasks)
        await kept.close()
        return left

    assert asyncio.run(scored()) == 0


def test_size_rows_and_what_is_packed_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "EXPANSION", 2)
    with client(limits=Limits(file=1000, file_rows=2)) as made:
        assert upload(made, b"x" * 1001).status_code == 413
        assert "3 rows; the app takes 2 at most" in finished(made, PAIRS)["problem"]
        bomb = gzip.compress(b" " * 100_000)
        assert len(bomb) < 1000
        assert "when it is unpacked" in finished(made, bomb, "p.jsonl.gz")["problem"]
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/sheet1.xml", b" " * 100_000)
        assert "when it is unpacked" in finished(made, held.getvalue(), "p.xlsx")["problem"]


def test_files_at_work_are_bounded_and_one_can_be_stopped() -> None:
    with client(Marking(slow=0.1), limits=Limits(files=1)) as made:
        first = upload(made, PAIRS * 1).json()
        again = upload(made, PAIRS)
        assert again.status_code == 429
        assert again.headers["retry-after"]
        assert made.get(f"/v1/files/{first['id']}/scores.jsonl").status_code == 409
        assert made.delete(f"/v1/files/{first['id']}").status_code == 204
        assert made.get(f"/v1/files/{first['id']}").status_code == 404
        assert upload(made, PAIRS).status_code == 202


def test_the_oldest_file_goes_when_there_are_too_many() -> None:
    with client(limits=Limits(kept=2)) as made:
        ids = [finished(made, PAIRS)["id"] for _ in range(3)]
        finished(made, PAIRS)
        kept = [record["id"] for record in made.get("/v1/files").json()["files"]]
        assert ids[0] not in kept
        assert made.get(f"/results/{ids[0]}").status_code == 404


def test_a_request_is_answered_between_the_batches_of_a_file() -> None:
    rows = "".join(json.dumps({"source": "A b.", "summary": f"B {n}."}) + "\n" for n in range(60))
    with client(Marking(slow=0.01)) as made:
        place = upload(made, rows.encode()).headers["location"]
        while made.get(place).json()["done"] == 0:
            time.sleep(0.005)
        answer = made.post("/v1/check", json={"source": "A.", "summary": "A."})
        assert answer.status_code == 200
        assert made.get(place).json()["status"] == "running"


def test_the_rows_of_a_file_can_be_looked_at_and_searched() -> None:
    with client() as made:
        id = finished(made, PAIRS)["id"]
        assert f"/results/{id}" in made.get("/results").text
        assert made.get(f"/results/{id}").status_code == 200
        found = made.get(f"/app/results/{id}/index").json()
        assert [row[0] for row in found["index"]["listed"]] == ["a", "b", "c"]
        assert found["overview"]["metrics"][0]["scored"] == 2
        row = made.get(f"/app/results/{id}/rows/0").json()
        assert row["source"] == ROWS[0]["source"]
        assert [(mark["start"], mark["end"]) for mark in row["marks"]] == [(21, 25)]
        assert made.get(f"/app/results/{id}/rows/3").status_code == 404
        assert made.get(f"/app/results/{id}/search", params={"q": "COST"}).json() == {"rows": [1]}


def test_the_folder_of_the_files_goes_with_the_server(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with client(Marking(slow=0.05)) as made:
        upload(made, PAIRS)
        assert [*tmp_path.glob("faithkit-app-*")]
    assert not [*tmp_path.glob("faithkit-app-*")]
