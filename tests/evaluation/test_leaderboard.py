"""leaderboard: means, intervals and paired tests of summarisers, and what is written."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.helpers.judged_pairs import (
    invoke,
    judged_rows,
    refused,
    saved_scores,
    table_of,
    write_rows,
)

from faithkit import meta
from faithkit.evaluation.leaderboard import board, notes, systems_of
from faithkit.metrics.novelty import Novelty

pytestmark = pytest.mark.slow


def per_system(tmp_path: Path) -> list[Path]:
    rows = {name: [row for row in judged_rows() if row["system"] == name] for name in "CAB"}
    return [
        write_rows(tmp_path / f"{name}.jsonl", of_system, drop=("system",))
        for name, of_system in rows.items()
    ]


def test_the_mean_the_interval_and_the_tests_are_those_of_meta(pairs: Path) -> None:
    table = table_of(pairs, "novelty")
    result = board([table], "novelty", draws=500)
    rows = list(zip(table.systems, table.columns["novelty"].values, strict=True))
    values = {name: [value for system, value in rows if system == name] for name in "ABC"}
    assert [standing.system for standing in result.standings] == ["A", "B", "C"]
    groups = list(dict.fromkeys(table.documents))
    assert result.standings[0].mean == meta.estimate(
        meta.MEAN, meta.sample(values["A"], groups=groups), draws=500
    )
    assert result.pairs == tuple(
        meta.compare_all(meta.MEAN, values, meta.SharedRows(groups=groups), draws=500)
    )
    assert all(pair.adjusted is not None and pair.minimum_detectable for pair in result.pairs)
    assert result.wins == meta.win_matrix(values)
    assert (result.documents, result.shared) == (20, 20)
    assert notes(result) == [f"Before you rank by it: {Novelty.limitations}"]
    assert notes(replace(result, limitations="")) == []


def test_a_file_for_each_system_is_as_good_as_a_column(pairs: Path, tmp_path: Path) -> None:
    together = json.loads(invoke("leaderboard", pairs, "-m", "novelty", "--draws", 200, "--json"))
    apart = json.loads(
        invoke("leaderboard", *per_system(tmp_path), "-m", "novelty", "--draws", 200, "--json")
    )
    for row in (together, apart):
        row[0]["systems"].sort(key=lambda item: item["system"])
    assert [s["mean"]["value"] for s in together[0]["systems"]] == pytest.approx(
        [s["mean"]["value"] for s in apart[0]["systems"]]
    )
    assert {p["first"] + p["second"]: p["n"] for p in apart[0]["pairs"]} == dict.fromkeys(
        ("AB", "AC", "BC"), 20
    )


def test_one_file_of_systems_with_an_id_for_each_document(pairs: Path, tmp_path: Path) -> None:
    rows = [row | {"id": row["id"].split("/")[0]} for row in judged_rows()]
    file = write_rows(tmp_path / "p.jsonl", rows)
    options = ("-m", "rouge2", "--draws", 100)
    wanted = invoke("leaderboard", pairs, *options)
    assert invoke("leaderboard", file, *options) == wanted
    # Saved scores of such a file are joined again.
    scores = saved_scores(file, "rouge2")
    ids = [json.loads(line)["id"] for line in Path(scores).read_text().splitlines()]
    assert ids[:3] == ["0/A", "0/B", "0/C"]
    assert invoke("leaderboard", file, "--from", scores, "--draws", 100) == wanted


def test_documents_that_not_all_have_are_counted_and_left_out_of_the_tests(tmp_path: Path) -> None:
    rows = [row for row in judged_rows() if row["id"] not in ("0/A", "1/A")]
    rows[0]["summary"] = ""
    text = invoke(
        "leaderboard", write_rows(tmp_path / "p.jsonl", rows), "-m", "novelty", "--draws", 100
    )
    assert "20 documents, 18 with a score of every system" in text
    assert "mean on shared" in text and "1 no_content" in text
    row = json.loads(
        invoke("leaderboard", tmp_path / "p.jsonl", "-m", "novelty", "--draws", 100, "--json")
    )
    counted = {s["system"]: (s["rows"], s["mean"]["n"]) for s in row[0]["systems"]}
    assert counted == {"A": (18, 18), "B": (20, 19), "C": (20, 20)}
    unscored = {s["system"]: s["mean"]["unscored"] for s in row[0]["systems"]}
    assert unscored == {"A": 0, "B": 1, "C": 0}  # a row that does not exist is not unscored
    of_pairs = {(p["first"], p["unscored_first"]) for p in row[0]["pairs"]}
    of_pairs |= {(p["second"], p["unscored_second"]) for p in row[0]["pairs"]}
    assert of_pairs == set(unscored.items())
    left_out = {frozenset((p["first"], p["second"])): p["left_out"] for p in row[0]["pairs"]}
    assert left_out == {frozenset("AB"): 2, frozenset("AC"): 2, frozenset("BC"): 1}


def test_a_name_is_no_markup_in_the_markdown(tmp_path: Path) -> None:
    names = {"A": "<script>alert(1)</script>", "B": "a|b_c-1+", "C": "[x](y)"}
    rows = [row | {"system": names[row["system"]]} for row in judged_rows()]
    file, output = write_rows(tmp_path / "p.jsonl", rows), tmp_path / "board.md"
    invoke("leaderboard", file, "-m", "novelty", "-o", output, "--draws", 50)
    text = output.read_text(encoding="utf-8")
    assert "<script>" not in text and "](y)" not in text
    assert r"| &lt;script&gt;alert\(1\)&lt;/script&gt; |" in text
    assert r"| a\|b\_c-1+ |" in text and r"| \[x\]\(y\) |" in text


def test_leaderboard_of_two_documents_gives_means_and_no_test(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "p.jsonl", judged_rows(documents=2))
    output = tmp_path / "board.md"
    text = invoke("leaderboard", file, "-m", "novelty", "-o", output)
    assert "novelty: 2 documents, 2 with" in text
    single = write_rows(tmp_path / "one.jsonl", judged_rows(documents=1))
    assert "novelty: 1 document, 1 with" in invoke("leaderboard", single, "-m", "novelty")
    few = "only 2 documents; an interval or a test needs 10 or more"
    for shown in (text, output.read_text(encoding="utf-8")):
        assert f"No interval ({few}): A, " in shown and f"No test ({few}): A and" in shown
    (result,) = json.loads(invoke("leaderboard", file, "-m", "novelty", "--json"))
    assert {(p["p_value"], p["adjusted"], p["low"], p["reason"]) for p in result["pairs"]} == {
        (None, None, None, few)
    }
    assert {s["mean"]["low"] for s in result["systems"]} == {None}
    assert all(s["mean"]["value"] is not None for s in result["systems"])


def test_summarisers_of_different_documents_are_not_said_to_lack_scores(tmp_path: Path) -> None:
    rows = [row for row in judged_rows() if row["system"] == "AB"[int(row["id"][:-2]) % 2]]
    text = invoke("leaderboard", write_rows(tmp_path / "p.jsonl", rows), "-m", "novelty")
    assert "No test (no document has a score of both): A and B" in text


def test_a_system_whose_mean_is_zero_is_last_not_lost(tmp_path: Path) -> None:
    summaries = {"none": "x y", "all": "one two"}
    rows = [{"id": f"{d}{s}", "source": f"one two {d}", "summary": text, "system": s}
            for d in range(4) for s, text in summaries.items()]  # fmt: skip
    result = board(
        [table_of(write_rows(tmp_path / "p.jsonl", rows), "novelty")], "novelty", draws=50
    )
    assert [(standing.system, standing.mean.value) for standing in result.standings] == [
        ("all", 1.0),
        ("none", 0.0),
    ]


def test_several_rows_of_a_document_are_averaged(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "source": "a b c", "summary": "a b c", "system": "x"},
        {"id": "2", "source": "a b c", "summary": "d e f", "system": "x"},
        {"id": "3", "source": "a b c", "summary": "a b c", "system": "y"},
        {"id": "4", "source": "q r s", "summary": "q r s", "system": "x"},
    ]
    result = board(
        [table_of(write_rows(tmp_path / "p.jsonl", rows), "novelty")], "novelty", draws=50
    )
    by_name = {standing.system: standing for standing in result.standings}
    assert by_name["x"].mean.value == 0.75 and by_name["x"].rows == 3
    assert by_name["x"].shared == 0.5
    assert result.wins.n[0][1] == 1


@pytest.mark.parametrize("ending", ["md", "csv", "json", "html"])
def test_a_leaderboard_is_written_by_ending(ending: str, pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / f"board.{ending}"
    invoke("leaderboard", pairs, "-m", "novelty", "-m", "rouge2", "--draws", 100, "-o", output)
    text = output.read_text(encoding="utf-8")
    if ending == "json":
        assert [board_record["metric"] for board_record in json.loads(text)] == [
            "novelty",
            "rouge2",
        ]
    elif ending == "md":
        assert "## novelty" in text and "| A |" in text and "Signature: `rouge2" in text
    elif ending == "html":
        assert "<h2>novelty</h2>" in text and '<th scope="row">A</th>' in text
        assert "Paired tests" in text and "Signature: rouge2" in text
    else:
        rows = list(csv.DictReader(text.splitlines()))
        assert [row["system"] for row in rows[:3]] == ["A", "B", "C"] and len(rows) == 6
        tests = list(csv.DictReader((tmp_path / "board.pairs.csv").read_text().splitlines()))
        assert len(tests) == 6 and float(tests[0]["p_holm"]) <= 1


def test_saved_scores_make_a_leaderboard(tmp_path: Path) -> None:
    files = per_system(tmp_path)
    sources = [arg for file in files for arg in ("--from", saved_scores(file, "novelty"))]
    fresh = invoke("leaderboard", *files, "-m", "novelty", "--draws", 100)
    assert invoke("leaderboard", *files, *sources, "--draws", 100) == fresh


def test_ambiguous_systems_are_refused(tmp_path: Path, pairs: Path) -> None:
    first = per_system(tmp_path)[0]
    assert "only one summariser ('C')" in refused("leaderboard", first, "-m", "rouge2")
    assert "both have the system 'C'" in refused("leaderboard", first, first, "-m", "rouge2")
    partly_named = write_rows(
        tmp_path / "some.jsonl",
        [judged_rows()[0], *({**r, "system": None} for r in judged_rows()[1:])],
    )
    assert "59 of 60 rows name no system, the first '0/B'" in refused(
        "leaderboard", partly_named, "-m", "rouge2"
    )
    grouped = write_rows(
        tmp_path / "D.jsonl", [r | {"document": "g", "system": "D"} for r in judged_rows()]
    )
    assert "cannot be paired" in refused("leaderboard", pairs, grouped, "-m", "rouge2")
    assert systems_of([table_of(pairs, "rouge2")])[0][:3] == ["A", "B", "C"]
