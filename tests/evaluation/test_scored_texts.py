"""Saved scores are refused where they are of other texts than the pairs have."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.bench_runs import faithkit
from tests.helpers.inline_pool import InlinePool
from tests.helpers.judged_pairs import judged_rows, split_in_two, write_rows

pytestmark = pytest.mark.slow

Rows = list[dict[str, Any]]
UNCOMPARED = "the texts were not compared"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with pairs; folders are scored without processes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("faithkit.scale.run.Pool", InlinePool)
    write_rows(Path("pairs.jsonl"), judged_rows())


def saved(name: str = "pairs.jsonl", output: str = "scores.jsonl") -> str:
    metrics = ("-m", "rouge2", "-m", "novelty")
    assert faithkit("score", name, *metrics, "-o", output, "--no-cache", "-q").exit_code == 0
    return output


def joined(command: str, name: str, scores: str, code: int = 0) -> str:
    """What the command says on standard error."""
    metric = () if command == "combine" else ("-m", "rouge2")
    given = ("-d", name) if command == "bench" else (name,)
    result = faithkit(command, *given, "--from", scores, *metric, "--draws", "20")
    assert result.exit_code == code, result.output
    return str(result.stderr)


def refused(command: str, name: str, scores: str) -> str:
    return joined(command, name, scores, code=2)


def changed(rows: Rows) -> Rows:
    return [row | {"summary": f"Then {row['summary']}"} for row in rows]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("bench", "scores.jsonl"),
        ("bench", "scores/"),
        ("calibrate", "scores/"),
        ("combine", "scores.csv"),
        ("leaderboard", "scores.jsonl"),
    ],
)
def test_scores_of_texts_that_were_changed_since_are_refused(command: str, output: str) -> None:
    saved(output=output)
    assert UNCOMPARED not in joined(command, "pairs.jsonl", output)
    write_rows(Path("pairs.jsonl"), changed(judged_rows()))
    assert "the file was changed since" in refused(command, "pairs.jsonl", output)


def test_a_text_of_a_shard_that_keeps_its_length_is_compared() -> None:
    saved(output="scores/")
    text = Path("pairs.jsonl").read_text()
    Path("pairs.jsonl").write_text(text.replace("Paris", "Milan"))
    assert "the file was changed since" in refused("bench", "pairs.jsonl", "scores/")


@pytest.mark.parametrize("output", ["scores.jsonl", "scores/"])
def test_other_columns_may_change_and_a_copy_is_the_same_texts(output: str) -> None:
    write_rows(Path("pairs.jsonl"), split_in_two(judged_rows()))
    saved(output=output)
    shutil.copy("pairs.jsonl", "copy.jsonl")
    assert joined("calibrate", "copy.jsonl", output) == ""
    write_rows(
        Path("pairs.jsonl"), [row | {"note": "read again"} for row in split_in_two(judged_rows())]
    )
    assert joined("calibrate", "pairs.jsonl", output) == ""
    assert joined("bench", "pairs.jsonl[split=val]", output) == ""


@pytest.mark.parametrize("output", ["scores.jsonl", "scores/"])
@pytest.mark.parametrize("command", ["bench", "calibrate"])
def test_rows_without_ids_are_not_joined_with_those_of_another_file(
    command: str, output: str
) -> None:
    write_rows(Path("n1.jsonl"), judged_rows(), drop=("id",))
    write_rows(Path("n2.jsonl"), judged_rows()[::-1], drop=("id",))
    saved("n1.jsonl", output)
    assert "the rows have no ids to join them by" in refused(command, "n2.jsonl", output)
    assert joined(command, "n1.jsonl", output) == ""


def test_texts_of_another_file_with_the_same_ids_are_said_to_be_uncompared() -> None:
    saved()
    write_rows(Path("other.jsonl"), changed(judged_rows()))
    for command in ("bench", "calibrate"):
        assert UNCOMPARED in joined(command, "other.jsonl", "scores.jsonl")
    Path("scores.jsonl.manifest.json").unlink()
    assert "no manifest of its run" in joined("calibrate", "pairs.jsonl", "scores.jsonl")


def test_the_validation_rows_are_compared_as_a_part_of_their_file() -> None:
    write_rows(Path("pairs.jsonl"), split_in_two(judged_rows()))
    saved()
    assert joined("calibrate", "pairs.jsonl", "scores.jsonl") == ""
    write_rows(Path("pairs.jsonl"), split_in_two(changed(judged_rows())))
    assert "changed since" in refused("calibrate", "pairs.jsonl", "scores.jsonl")


def test_scores_beside_a_moved_file_are_of_it() -> None:
    Path("moved").mkdir()
    saved()
    for name in ("pairs.jsonl", "scores.jsonl", "scores.jsonl.manifest.json"):
        Path(name).rename(f"moved/{name}")
    assert joined("calibrate", "moved/pairs.jsonl", "moved/scores.jsonl") == ""
    rows = changed(judged_rows())
    write_rows(Path("moved/pairs.jsonl"), rows)
    assert "changed since" in refused("calibrate", "moved/pairs.jsonl", "moved/scores.jsonl")
