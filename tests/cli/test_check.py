"""`faithkit check`: one pair."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.helpers import tiny_calibration
from tests.helpers.command_line import KNOWN, OTHER, faithkit, refused
from tests.helpers.paths import HELPERS

from faithkit.records import Score, Span

JUDGED = f"{HELPERS / 'tiny_verdict_metric.py'}:Judged"

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


@pytest.fixture
def texts(here: Path) -> tuple[str, ...]:
    Path("source.txt").write_text("The old cat sat on the mat.")
    Path("summary.txt").write_text("The old dog sat.")
    return ("--source", "source.txt", "--summary", "summary.txt")


def test_check_marks_the_unsupported_words_readably_without_colour(texts: tuple[str, ...]) -> None:
    found = faithkit("check", *texts, "-m", KNOWN)
    assert found.exit_code == 0
    assert "The old [1: dog] sat." in found.stdout
    assert "  1: dog — 50% doubt\n" in found.stdout
    assert "\x1b" not in found.stdout
    assert "share of words that the source has [too]" in found.stdout


def test_check_calls_a_calibrated_metric_by_its_name(texts: tuple[str, ...]) -> None:
    file = tiny_calibration.write(Path("c.json"))
    found = faithkit("check", *texts, "-m", f"calibrated:file={file}")
    assert "novelty, calibrated: " in found.stdout
    assert "c.json" not in found.stdout


def test_check_as_json_is_a_row_of_scores_for_each_metric(texts: tuple[str, ...]) -> None:
    found = faithkit("check", *texts, "-m", KNOWN, "-m", OTHER, "--json")
    scores = [Score.from_row(json.loads(line)) for line in found.stdout.splitlines()]
    assert [one.metric for one in scores] == [KNOWN, OTHER]
    assert [(span.start, span.end) for span in scores[0].spans] == [(8, 11)]


def test_check_as_json_has_the_verdict_its_limits_and_the_words_as_the_api_has(
    texts: tuple[str, ...],
) -> None:
    row = json.loads(faithkit("check", *texts, "-m", JUDGED, "--json").stdout)
    assert (row["verdict"], row["probability"], row["limits"]) == ("not consistent", 0.8, None)
    assert [span["text"] for span in row["spans"]] == ["dog"]
    assert Score.from_row(row).spans == (Span(8, 11, score=0.2),)
    assert [item["text"] for item in row["evidence"]] == ["The old cat sat on the mat."]
    row = json.loads(faithkit("check", *texts, "-m", "support", "--json").stdout)
    assert row["verdict"] == "not consistent"
    assert row["probability"] == row["value"]
    limits = row["limits"]
    assert row["value"] < limits["undecided_from"] < limits["consistent_from"] < 1


def test_check_shows_the_texts_that_metrics_write_once(texts: tuple[str, ...]) -> None:
    Path("metrics.py").write_text("""
from faithkit import Score
class First:
    name, bounds, unit, needs = "first", (0.0, 1.0), "one", frozenset({"source", "summary"})
    texts = {"lss": "The old\tsat.", "note": ""}
    def score(self, examples):
        return [Score(e.id, self.name, 1.0, texts=self.texts) for e in examples]
class Second(First):
    name = "second"
    texts = {"lss": "The old\tsat."}
""")
    found = faithkit("check", *texts, "-m", "metrics.py:First", "-m", "metrics.py:Second")
    shown = [line.strip() for line in found.stdout.splitlines()]
    heading = "Longest supported subsequence (LSS), by metrics.py:First, metrics.py:Second"
    assert shown[shown.index(heading) + 1] == "The old sat."
    assert shown[shown.index("note, by metrics.py:First") + 1] == "(empty)"
    assert found.stdout.count("The old sat.") == 1


def test_score_writes_the_longest_supported_subsequence_into_its_rows() -> None:
    found = faithkit("score", "pairs.jsonl", "-m", "lss_share", "--json", "--limit", "1")
    (row,) = [json.loads(line) for line in found.stdout.splitlines()]
    assert list(row["texts"]) == ["lss"]
    assert set(row["texts"]["lss"].split()) <= {"the", "cat"}


def test_check_reads_the_summary_from_standard_input(texts: tuple[str, ...]) -> None:
    found = faithkit("check", *texts[:3], "-", "-m", KNOWN, "--json", stdin="The old cat sat.")
    assert json.loads(found.stdout)["value"] == 1.0


def test_check_reads_one_text_from_standard_input_not_both() -> None:
    message = refused("check", "--source", "-", "--summary", "-", "-m", KNOWN, stdin="The cat.")
    assert message == "--source and --summary cannot both be standard input (-)"


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        (("novelty",), "novelty does not mark unsupported words."),
        (("rouge2", "novelty"), "rouge2, novelty do not mark unsupported words."),
        (("rouge2", KNOWN), "No unsupported words found by known."),
    ],
)
def test_only_metrics_that_mark_words_are_said_to_find_none(
    metrics: tuple[str, ...], said: str
) -> None:
    Path("source.txt").write_text("The old cat sat on the mat.")
    Path("summary.txt").write_text("The old cat.")
    options = [option for metric in metrics for option in ("-m", metric)]
    found = faithkit("check", "--source", "source.txt", "--summary", "summary.txt", *options)
    assert said in found.stdout.splitlines()


def test_check_ends_with_code_1_under_the_gate(texts: tuple[str, ...]) -> None:
    assert faithkit("check", *texts, "-m", KNOWN, "--fail-under", "0.9").exit_code == 1
    assert faithkit("check", *texts, "-m", KNOWN, "--fail-under", "0.5").exit_code == 0


def test_check_of_nothing_claims_no_support() -> None:
    Path("empty.txt").write_text("")
    found = faithkit("check", "--source", "pairs.jsonl", "--summary", "empty.txt", "-m", KNOWN)
    assert found.exit_code == 0
    assert "known: no score. The summary is empty, so there is nothing to check.\n" in found.stdout
    assert "  (empty)\n" in found.stdout
    assert "no_content" in found.stdout
    assert "No unsupported words" not in found.stdout


@pytest.mark.parametrize(
    ("prepare", "what"),
    [
        (lambda path: None, "s.txt: No such file or directory"),
        (lambda path: path.mkdir(), "s.txt: Is a directory"),
        (lambda path: path.write_bytes(b"caf\xe9"), "s.txt: not UTF-8 (byte 4); save it as"),
        (lambda path: path.write_text("a", "utf-16"), "s.txt: this looks like UTF-16, as Excel"),
    ],
)
def test_check_names_a_text_that_cannot_be_read(
    prepare: Callable[[Path], object], what: str
) -> None:
    prepare(Path("s.txt"))
    assert refused("check", "--source", "s.txt", "--summary", "pairs.jsonl").startswith(what)
