"""The page of a folder of shards: the worst rows, and an overview of all."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.helpers.command_line import faithkit
from tests.helpers.runs import KNOWN, OTHER
from tests.helpers.sharded import rows_of, score, scores, write_jsonl, write_parquet
from tests.helpers.shown_rows import data_of

from faithkit.records import DataError
from faithkit.report.results_page import ResultsPage
from faithkit.scale.saved import open_folder

pytestmark = pytest.mark.usefixtures("inline")


def test_rows_of_all_files_come_with_their_scores(inputs: Path, tmp_path: Path) -> None:
    score(inputs, tmp_path / "out", (KNOWN, OTHER))
    results = open_folder(tmp_path / "out")
    rows = list(results)
    assert [e.id for e, _ in rows] == [s.id for s in scores(tmp_path / "out")][::2]
    assert {example.summary for example, _ in rows} >= {"the 0 a", "cat 1 b", "on 2 c"}
    assert all([one.metric for one in of_row] == [KNOWN, OTHER] for _, of_row in rows)
    assert [metric.label for metric in results.metrics] == [KNOWN, OTHER]
    (described,) = results.files()
    assert (described["pairs"], described["rows"]) == ("3 files", 60)


def test_a_page_lists_the_worst_rows_and_counts_all(inputs: Path, tmp_path: Path) -> None:
    score(inputs, tmp_path / "out")
    results = open_folder(tmp_path / "out")
    with ResultsPage(results.metrics, worst=7) as page:
        for example, row in results:
            page.add(example, row)
        page.write(tmp_path / "page.html", files=results.files())
    data = data_of(tmp_path / "page.html")
    values = [one.value for one in scores(tmp_path / "out")]
    assert all(value is not None for value in values)
    assert data["overview-data"]["rows"] == 60
    assert data["overview-data"]["metrics"][0]["scored"] == 60
    assert "7 rows with the lowest" in data["overview-data"]["notes"][0]
    assert len(data["rows-0"]) == data["index"]["rows"] == 7
    listed = sorted(data["index"]["values"][0])
    assert listed == pytest.approx(sorted(values)[:7], abs=1e-5)  # type: ignore[type-var]


def test_the_command_reads_a_folder_and_what_is_known_of_its_rows(tmp_path: Path) -> None:
    rows = [{**row, "system": f"s{n % 2}", "label": n % 2} for n, row in enumerate(rows_of("a", 9))]
    moved = write_jsonl(tmp_path / "in" / "a.jsonl", rows).parent
    score(moved, tmp_path / "out", shard_bytes=300)
    shutil.move(moved, tmp_path / "there")
    page = tmp_path / "page.html"
    refused = faithkit("report", str(tmp_path / "out"), "-o", str(page))
    assert refused.exit_code == 2
    done = faithkit("report", str(tmp_path / "out"), "-o", str(page),
                  "--pairs", str(tmp_path / "there"), "--worst", "4")  # fmt: skip
    assert done.exit_code == 0, done.output
    data = data_of(page)
    assert [group["field"] for group in data["index"]["groups"]] == ["system"]
    (groups,) = data["overview-data"]["groups"]
    assert [one["rows"] for one in groups["values"]] in ([5, 4], [4, 5])
    assert data["overview-data"]["metrics"][0]["human"]["auc"]["n"] == 9
    assert data["index"]["rows"] == 4


def test_a_folder_is_shown_alone(inputs: Path, tmp_path: Path) -> None:
    score(inputs, tmp_path / "out")
    done = faithkit("report", str(tmp_path / "out"), "x.jsonl", "-o", str(tmp_path / "p.html"))
    assert done.exit_code == 2
    assert "a page of its own" in done.stderr


def test_an_input_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", rows_of("a", 30))
    score(path, tmp_path / "out")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(" 17 a", " 71 a"), encoding="utf-8")
    with pytest.raises(DataError, match="the rows were changed"):
        list(open_folder(tmp_path / "out"))
    write_jsonl(path, rows_of("a", 31))
    with pytest.raises(DataError, match=r"not there as they were.*--pairs"):
        open_folder(tmp_path / "out")


def test_scores_that_were_changed_are_refused(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", rows_of("a", 30))
    score(path, tmp_path / "out")
    shard = tmp_path / "out" / "000001.jsonl"
    shard.write_text("".join(shard.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    with pytest.raises(DataError, match=r"000001\.jsonl: expected the scores of"):
        list(open_folder(tmp_path / "out"))


def test_a_run_that_is_not_complete_has_no_page(inputs: Path, tmp_path: Path) -> None:
    score(inputs, tmp_path / "out")
    manifest = tmp_path / "out" / "manifest.json"
    record = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps({**record, "status": "running"}), "utf-8")
    with pytest.raises(DataError, match="not complete"):
        open_folder(tmp_path / "out")


def test_repeated_ids_and_systems_are_joined_row_by_row(tmp_path: Path) -> None:
    rows = rows_of("a", 12)
    repeated = [{**row, "id": "same"} for row in rows]
    path = write_parquet(tmp_path / "a.parquet", repeated)
    score(path, tmp_path / "out", repeats=True)
    assert [e.summary for e, _ in open_folder(tmp_path / "out")] == [r["summary"] for r in rows]
