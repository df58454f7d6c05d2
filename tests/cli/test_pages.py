"""`faithkit report`, `score --html`, `check --html` and `check --worst`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.helpers.command_line import KNOWN, OTHER, faithkit, refused
from tests.helpers.shown_rows import data_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]

LABELLED = """\
{"id": "a", "source": "the cat sat", "summary": "the cat", "label": 1, "domain": "pets"}
{"id": "b", "source": "a dog ran", "summary": "a cat ran", "label": 0, "domain": "pets"}
{"id": "c", "source": "", "summary": "words", "domain": "none"}
"""


@pytest.fixture(autouse=True)
def labelled(here: Path) -> None:
    Path("labelled.jsonl").write_text(LABELLED)


def test_score_writes_a_page_with_and_without_an_output_file() -> None:
    shown = faithkit("score", "labelled.jsonl", "-m", KNOWN, "--html", "1.html")
    assert "Page: 1.html" in shown.stdout
    faithkit("score", "labelled.jsonl", "-m", KNOWN, "-o", "s.jsonl", "--html", "2.html")
    first, second = data_of(Path("1.html")), data_of(Path("2.html"))
    assert first["rows-0"] == second["rows-0"]
    assert first["index"]["labels"] == [1, 0, None]
    assert [row["label"] for row in first["rows-0"]] == [1, 0, None]


def test_the_page_of_a_finished_run_is_that_of_the_run_itself() -> None:
    faithkit("score", "labelled.jsonl", "-m", KNOWN, "-o", "s.jsonl", "--html", "1.html")
    shown = faithkit("report", "s.jsonl", "-o", "2.html", "--title", "Pets")
    assert shown.stdout == "Page: 2.html\n"
    first, second = data_of(Path("1.html")), data_of(Path("2.html"))
    assert first["rows-0"] == second["rows-0"]
    assert "<h1>Pets</h1>" in Path("2.html").read_text(encoding="utf-8")


def test_report_puts_metrics_of_two_files_side_by_side() -> None:
    faithkit("score", "labelled.jsonl", "-m", KNOWN, "-o", "1.jsonl")
    faithkit("score", "labelled.jsonl", "-m", OTHER, "-o", "2.jsonl")
    faithkit("report", "1.jsonl", "2.jsonl", "-o", "page.html")
    assert data_of(Path("page.html"))["index"]["metrics"] == [KNOWN, OTHER]


def test_what_cannot_be_a_page_is_refused_before_anything_is_scored() -> None:
    assert "is written as .html" in refused("score", "labelled.jsonl", "--html", "page.txt")
    assert "no folder" in refused("check", "labelled.jsonl", "--html", "none/page.html")
    assert "s.jsonl: no such file" in refused("report", "s.jsonl", "-o", "page.html")


def test_a_label_that_is_not_understood_is_refused_before_anything_is_scored() -> None:
    Path("x.jsonl").write_text('{"source": "a", "summary": "b", "label": "wrong"}\n')
    assert "--labels" in refused("score", "x.jsonl", "-m", KNOWN, "--html", "page.html")
    for command in ("score", "check"):
        found = faithkit(command, "x.jsonl", "-m", KNOWN)
        assert found.exit_code == 0
        assert found.stderr.startswith(
            "faithkit: labels are not read here. x.jsonl, line 1, field 'label'"
        )
        assert "--labels ok=1,wrong=0" in found.stderr
        assert faithkit(command, "x.jsonl", "-m", KNOWN, "--labels", "wrong=0").stderr == ""
        assert faithkit(command, "x.jsonl", "-m", KNOWN, "--column", "label=none").stderr == ""


def test_check_shows_the_worst_rows_of_a_file_and_counts_the_unscored() -> None:
    shown = faithkit("check", "labelled.jsonl", "-m", KNOWN, "--worst", "1").stdout
    assert "The lowest of 2 scored rows by known\n" in shown
    assert "\nb\n" in shown
    assert "a [1: cat] ran" in shown
    assert "the cat" not in shown
    assert shown.endswith(
        "\n1 of 3 rows has no score\n  1 no_content: c\n"
        "    The source is empty, so there is nothing to compare the summary with.\n"
    )


def rows_of(*summaries: str) -> None:
    rows = [{"source": "the cat sat", "summary": summary} for summary in summaries]
    Path("x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("summaries", "heading"),
    [
        ([""], "No row has a value of known"),
        (["a"], "The only row, by known"),
        (["a", ""], "The only scored row, by known"),
        (["a", "b"], "The 2 lowest of 2 rows by known"),
        (["a", "b", "", ""], "The 2 lowest of 2 scored rows by known"),
    ],
)
def test_the_heading_of_the_worst_rows_counts_those_with_a_value(
    summaries: list[str], heading: str
) -> None:
    rows_of(*summaries)
    shown = faithkit("check", "x.jsonl", "-m", KNOWN).stdout
    assert shown.startswith(f"{heading}\n")


def test_of_many_rows_without_a_value_the_first_are_named() -> None:
    rows_of("a", *[""] * 25)
    shown = faithkit("check", "x.jsonl", "-m", KNOWN).stdout
    assert "\n25 of 26 rows have no score\n  25 no_content: 2, 3, 4, " in shown
    assert " 20, 21 and 5 more\n" in shown
    found = faithkit("check", "x.jsonl", "-m", KNOWN, "--json")
    assert len(found.stdout.splitlines()) == 1
    assert found.stderr.startswith("faithkit: 25 of 26 rows have no score; 25 no_content: 2, 3")
    assert found.stderr.count("\n") == 1


def test_equal_rows_are_shown_in_the_order_of_the_file() -> None:
    rows = [{"id": name, "source": "a", "summary": "b"} for name in "xyz"]
    Path("x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    shown = faithkit("check", "x.jsonl", "-m", KNOWN, "--worst", "2").stdout
    assert shown.index("\nx\n") < shown.index("\ny\n")
    assert "z" not in shown


def test_a_row_without_an_id_is_headed_by_its_number_in_the_file() -> None:
    rows_of("the", "a b", "the a")
    shown = faithkit("check", "x.jsonl", "-m", KNOWN).stdout
    headings = [line for line in shown.splitlines() if line.startswith("Row ")]
    assert headings == ["Row 2", "Row 3", "Row 1"]


def test_the_page_of_a_check_has_the_rows_that_were_shown() -> None:
    faithkit("check", "labelled.jsonl", "-m", KNOWN, "--worst", "1", "--html", "worst.html")
    data = data_of(Path("worst.html"))
    assert [row["id"] for row in data["rows-0"]] == ["b"]
    assert (data["overview-data"]["rows"], data["overview-data"]["documents"]) == (3, 3)
    assert "are of all rows" in data["overview-data"]["notes"][0]
    Path("s.txt").write_text("the cat")
    faithkit("check", "--source", "s.txt", "--summary", "s.txt", "-m", KNOWN, "--html", "1.html")
    assert data_of(Path("1.html"))["rows-0"][0]["summary"] == "the cat"


def test_check_of_a_file_prints_rows_as_json_and_obeys_the_gate_of_all_rows() -> None:
    found = faithkit("check", "labelled.jsonl", "-m", KNOWN, "--worst", "1", "--json",
                     "--fail-under", "0.9")  # fmt: skip
    assert [json.loads(line)["id"] for line in found.stdout.splitlines()] == ["b"]
    assert found.exit_code == 1
    assert "the mean is 0.833333" in found.stderr


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ((), "name a file of pairs, or both"),
        (("--source", "pairs.jsonl"), "name a file of pairs, or both"),
        (("pairs.jsonl", "--source", "pairs.jsonl"), "are one pair"),
        (("--source", "pairs.jsonl", "--summary", "pairs.jsonl", "--worst", "3"), "--worst"),
    ],
)
def test_check_takes_one_pair_or_a_file(arguments: tuple[str, ...], what: str) -> None:
    assert what in refused("check", *arguments)
