"""`faithkit score ... -o FOLDER/`: any number of files, in shards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.helpers.command_line import KNOWN, faithkit, program, refused
from tests.helpers.inline_pool import InlinePool
from tests.helpers.sharded import rows_of, write_jsonl, write_parquet

from faithkit import files


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files in `in/`, and runs without processes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("faithkit.scale.run.Pool", InlinePool)
    write_jsonl(tmp_path / "in" / "a.jsonl", [{**row, "label": 1} for row in rows_of("a", 8)])
    write_parquet(tmp_path / "in" / "b.parquet", [{**row, "label": 0} for row in rows_of("b", 5)])


def test_a_folder_of_files_is_scored_into_a_folder() -> None:
    found = faithkit("score", "in", "-m", KNOWN, "-o", "out/", "--no-cache")
    assert found.exit_code == 0, found.output
    assert "13" in found.stdout
    assert "Rows: out/" in found.stdout
    assert len(list(files.score_lines(Path("out")))) == 13
    as_json = faithkit("score", "in", "-m", KNOWN, "-o", "out/", "--no-cache", "--json")
    (tally,) = json.loads(as_json.stdout).values()
    assert (tally["rows"], tally["outcomes"]) == (13, {"ok": 13})


@pytest.mark.slow
def test_the_program_scores_with_worker_processes() -> None:
    done = program("score", "in/*.jsonl|*.parquet", "-m", KNOWN, "-o", "out/", "--workers", "2")
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(list(files.score_lines(Path("out")))) == 13


def test_a_mean_below_its_gate_fails() -> None:
    found = faithkit("score", "in", "-m", KNOWN, "-o", "out/", "--fail-under", "1", "--no-cache")
    assert found.exit_code == 1
    assert "fails its gate of 1: the mean is 0." in found.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("in", "-o", "out.jsonl"),
            "in is a folder: name a file in it (a.jsonl, ...), or score all of them with -o",
        ),
        (("in/*.jsonl",), "in/*.jsonl may be several files"),
        (("s3://b/a.jsonl",), "s3://b/a.jsonl may be several files"),
        (("in/a.jsonl", "--engine", "ray"), "--engine needs -o"),
        (("in", "-o", "out/", "--limit", "3"), "--limit is for an output file"),
        (("in", "-o", "out/", "--engine", "spark"), "--engine cannot be 'spark'"),
        (("in", "-o", "out/", "--address", "x:1"), "--address is that of a cluster"),
        (("-", "-o", "out/"), "standard input is scored into a file"),
        (("*.csv", "-o", "out/"), "*.csv: no such file"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: tuple[str, ...], message: str) -> None:
    assert message in refused("score", *arguments, "-m", KNOWN)


@pytest.mark.slow
def test_saved_scores_are_read_from_a_folder_of_shards() -> None:
    rows = [
        {**row, "document": f"d{n % 20}", "system": "xy"[n // 20], "label": n % 2}
        for n, row in enumerate(rows_of("a", 40))
    ]
    pairs = str(write_jsonl(Path("pairs.jsonl"), rows))
    assert faithkit("score", pairs, "-m", KNOWN, "-o", "out/", "--no-cache").exit_code == 0
    assert faithkit("score", pairs, "-m", KNOWN, "-o", "out.jsonl", "--no-cache").exit_code == 0
    for command in (("leaderboard", pairs), ("calibrate", pairs), ("bench", "-d", pairs)):
        shown = []
        for saved in ("out", "out.jsonl"):
            found = faithkit(*command, "--from", saved, "--json")
            assert found.exit_code == 0, found.output
            shown.append(found.stdout.replace("out.jsonl", "out"))
        assert shown[0] == shown[1]


def test_a_run_that_is_not_complete_is_not_read() -> None:
    faithkit("score", "in", "-m", KNOWN, "-o", "out/", "--no-cache")
    manifest = Path("out/manifest.json")
    manifest.write_text(manifest.read_text("utf-8").replace('"complete"', '"running"'), "utf-8")
    message = refused("leaderboard", "in/a.jsonl", "--from", "out", "--column", "system=label")
    assert "out: the run is not complete; the command that began it goes on" in message
