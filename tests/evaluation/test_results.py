"""Saved scores joined with their pairs: one file or several, in the order of the pairs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.helpers import runs

from faithkit import files
from faithkit.columns import Columns
from faithkit.evaluation.results import open_results
from faithkit.metrics import loading
from faithkit.metrics.spec import MetricSpec
from faithkit.records import DataError


def scored(folder: Path, name: str = "scores", metrics: tuple[str, ...] = (runs.KNOWN,)) -> Path:
    """Scores of `pairs.jsonl` in the folder."""
    pairs = folder / "pairs.jsonl"
    if not pairs.exists():
        runs.write_pairs(pairs)
    runs.to_file(pairs, folder / f"{name}.jsonl", metrics)
    return folder / f"{name}.jsonl"


def without_manifest(scores: Path) -> Path:
    scores.with_name(f"{scores.name}.manifest.json").unlink()
    return scores


def test_rows_come_with_their_texts_and_all_their_scores(tmp_path: Path) -> None:
    results = open_results([scored(tmp_path, metrics=(runs.KNOWN, runs.OTHER))])
    rows = list(results)
    assert [row.summary for row, _ in rows] == [row.summary for row in runs.EXAMPLES]
    assert [metric.label for metric in results.metrics] == [runs.KNOWN, runs.OTHER]
    assert all([one.metric for one in of_row] == [runs.KNOWN, runs.OTHER] for _, of_row in rows)
    (described,) = results.files()
    assert (described["pairs"], described["scores"]) == ("pairs.jsonl", ["scores.jsonl"])
    assert (described["rows"], described["unscored"]) == (23, 0)


def test_files_of_the_same_pairs_are_columns_side_by_side(tmp_path: Path) -> None:
    paths = [scored(tmp_path, "a"), scored(tmp_path, "b", (runs.OTHER,))]
    rows = list(open_results(paths))
    assert len(rows) == 23
    assert {len(of_row) for _, of_row in rows} == {2}


def test_one_label_with_two_signatures_is_named_by_its_file(tmp_path: Path) -> None:
    first = scored(tmp_path, "a")
    second = scored(tmp_path, "b")
    manifest = runs.manifest(second)
    manifest["metrics"][runs.KNOWN]["version"] = "0"
    second.with_name("b.jsonl.manifest.json").write_text(json.dumps(manifest))
    results = open_results([first, second])
    labels = [f"{runs.KNOWN} (a)", f"{runs.KNOWN} (b)"]
    assert [metric.label for metric in results.metrics] == labels
    assert all([one.metric for one in of_row] == labels for _, of_row in results)


def test_the_same_scores_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="both hold the scores of"):
        open_results([scored(tmp_path, "a"), scored(tmp_path, "b")])


def test_files_of_other_pairs_are_further_rows_of_another_system(tmp_path: Path) -> None:
    first = scored(tmp_path)
    runs.write_pairs(tmp_path / "bart.jsonl", runs.EXAMPLES[:4])
    runs.to_file(tmp_path / "bart.jsonl", tmp_path / "s2.jsonl", (runs.KNOWN,))
    rows = list(open_results([first, tmp_path / "s2.jsonl"]))
    assert len(rows) == 27
    assert {row.system for row, _ in rows} == {"pairs", "bart"}


def test_rows_that_were_not_scored_are_counted(tmp_path: Path) -> None:
    pairs = runs.write_pairs(tmp_path / "pairs.jsonl")
    runs.to_file(pairs, tmp_path / "scores.jsonl", (runs.KNOWN,), limit=5)
    results = open_results([tmp_path / "scores.jsonl"])
    assert len(list(results)) == 5
    assert results.files()[0]["unscored"] == 18


def stop_after(output: Path, rows: int) -> None:
    """Stops a run into this file after so many rows of two metrics."""

    def stop(done: int) -> None:
        if done == rows:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.to_file(output.parent / "pairs.jsonl", output, progress=stop, batch_size=4)


@pytest.mark.parametrize("name", ["scores.jsonl", "scores.csv"])
def test_a_run_that_has_not_ended_is_said_to_be_so(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    runs.write_pairs(tmp_path / "pairs.jsonl")
    output = tmp_path / name
    stop_after(output, 8)
    where = "" if output.is_file() else " (in scores.csv.partial.jsonl)"
    said = f"the run has not ended; 8 of 23 rows are scored{where}. The command that began it goes"
    if not output.is_file():
        for read in (lambda: open_results([output]), lambda: list(files.score_lines(output))):
            with pytest.raises(DataError, match=re.escape(f"scores.csv: no such file; {said}")):
                read()
        return
    results = open_results([output])
    assert len(list(results)) == 8
    (note,) = results.files()[0]["unfinished"]
    assert note.startswith(f"scores.jsonl: {said}")
    assert [record.getMessage() for record in caplog.records] == [f"{tmp_path}/{note[:-1]}"]
    stop_after(output, 23)  # all rows are there now, but the run has not said so
    assert "; 23 of 23 rows" in open_results([output]).files()[0]["unfinished"][0]
    runs.to_file(tmp_path / "pairs.jsonl", output)
    assert open_results([output]).files()[0]["unfinished"] == []


def test_columns_are_read_as_the_run_read_them(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"article": "a b", "summary": "a", "label": 1}\n')
    rows = files.check(pairs, "jsonl", Columns(source="article", labels={"1": 0}))
    from faithkit import run
    from faithkit.cache import Cache

    with Cache(None) as store:
        run.run_to_file(rows, run.prepare(runs.KNOWN), tmp_path / "scores.jsonl", store)
    ((row, _),) = open_results([tmp_path / "scores.jsonl"])
    assert (row.source, row.label) == ("a b", 0)


def test_pairs_that_changed_since_are_refused(tmp_path: Path) -> None:
    scores = scored(tmp_path)
    runs.write_pairs(tmp_path / "pairs.jsonl", runs.EXAMPLES[:5])
    with pytest.raises(DataError, match="it was changed since"):
        open_results([scores])


def test_without_a_manifest_the_pairs_must_be_named(tmp_path: Path) -> None:
    scores = without_manifest(scored(tmp_path))
    with pytest.raises(DataError, match="--pairs"):
        open_results([scores])
    results = open_results([scores], tmp_path / "pairs.jsonl")
    assert len(list(results)) == 23
    assert [metric.label for metric in results.metrics] == [runs.KNOWN]


def test_pairs_that_moved_are_found_beside_the_scores_or_named_in_the_error(
    tmp_path: Path,
) -> None:
    scores = scored(tmp_path)
    folder = tmp_path / "moved"
    folder.mkdir()
    for path in list(tmp_path.glob("*.json*")):
        path.rename(folder / path.name)
    assert len(list(open_results([folder / scores.name]))) == 23
    (folder / "pairs.jsonl").unlink()
    with pytest.raises(DataError, match=r"pairs\.jsonl, is not there"):
        open_results([folder / scores.name])


def test_rows_in_another_order_or_of_other_pairs_are_an_error(tmp_path: Path) -> None:
    scores = scored(tmp_path)
    lines = scores.read_text().splitlines(keepends=True)
    scores.write_text("".join(reversed(lines)))
    with pytest.raises(DataError, match=r"row 'id 2\d*' is not in .*pairs\.jsonl"):
        list(open_results([scores]))


def test_a_row_that_is_there_twice_is_an_error(tmp_path: Path) -> None:
    scores = scored(tmp_path)
    lines = scores.read_text().splitlines(keepends=True)
    scores.write_text("".join([lines[0], *lines]))
    with pytest.raises(DataError, match="two rows of"):
        list(open_results([scores]))


@pytest.mark.slow
def test_a_metric_of_the_package_is_shown_with_its_unit_and_bounds(tmp_path: Path) -> None:
    pairs = runs.write_pairs(tmp_path / "pairs.jsonl")
    runs.to_file(pairs, tmp_path / "scores.jsonl", ("novelty",))
    (metric,) = open_results([tmp_path / "scores.jsonl"]).metrics
    assert metric.bounds == (0.0, 1.0)
    assert metric.unit == loading.class_of(MetricSpec.parse("novelty")).unit
    assert metric.signature is not None


@pytest.mark.parametrize("text", ["", "{}\n"])
def test_a_file_that_holds_no_scores_is_an_error(tmp_path: Path, text: str) -> None:
    runs.write_pairs(tmp_path / "pairs.jsonl")
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(DataError, match=r"x\.jsonl"):
        open_results([tmp_path / "x.jsonl"], tmp_path / "pairs.jsonl")
