"""`faithkit score`: what it prints and writes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests.helpers.command_line import KNOWN, OTHER, PAIRS, TINY, faithkit, program, refused
from tests.helpers.flat_rows import flattened

from faithkit import files
from faithkit.records import Score

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


def test_score_prints_a_table_with_every_outcome_and_what_the_number_means() -> None:
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN)
    assert found.exit_code == 0
    assert found.stderr == ""
    shown = [line.split() for line in found.stdout.splitlines()]
    assert shown[0] == ["metric", "rows", "scored", "mean", "least", "greatest", "unscored"]
    assert shown[1][-7:] == ["3", "2", "0.8333", "0.6667", "1.0000", "1", "no_content"]
    assert "share of words that the source has [too]" in found.stdout
    assert "known|power=1.0|letters=false|class=Known|code=" in found.stdout


def test_json_gives_one_row_of_scores_a_line() -> None:
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "-m", OTHER, "--json")
    scores = [Score.from_row(json.loads(line)) for line in found.stdout.splitlines()]
    assert [(one.id, one.metric) for one in scores] == [
        (i, metric) for i in "abc" for metric in (KNOWN, OTHER)
    ]
    assert found.stderr == ""


def test_quiet_gives_tab_separated_rows_with_a_header() -> None:
    Path("odd.jsonl").write_text('{"id": "a\\tb\\nc", "source": "x", "summary": "x"}\n')
    found = faithkit("score", "odd.jsonl", "-m", KNOWN, "--quiet")
    rows = list(csv.DictReader(io.StringIO(found.stdout), delimiter="\t"))
    assert rows == [{"id": "a b c", "metric": KNOWN, "value": "1.0", "outcome": "ok"}]
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "-q")
    rows = list(csv.DictReader(io.StringIO(found.stdout), delimiter="\t"))
    assert [(row["id"], row["value"], row["outcome"]) for row in rows] == [
        ("a", "1.0", "ok"), ("b", repr(2 / 3), "ok"), ("c", "", "no_content"),
    ]  # fmt: skip


def test_an_output_with_json_prints_the_tallies() -> None:
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "-o", "out.csv", "--json")
    (tally,) = json.loads(found.stdout).values()
    assert tally.pop("mean") == pytest.approx(5 / 6)
    assert tally == {
        "rows": 3, "scored": 2, "least": 2 / 3, "greatest": 1.0,
        "outcomes": {"no_content": 1, "ok": 2}, "verdicts": {},
        "cut": {"rows": 3, "rows_cut": 0},
    }  # fmt: skip
    assert faithkit("score", "pairs.jsonl", "-m", KNOWN, "-o", "out.csv", "-q").stdout == ""


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_each_output_format_holds_the_same_scores(ending: str) -> None:
    direct = faithkit("score", "pairs.jsonl", "-m", KNOWN, "--json").stdout
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "-o", f"new/out.{ending}")
    assert found.exit_code == 0
    assert f"Rows: new/out.{ending}" in found.stdout
    expected = [Score.from_row(json.loads(line)) for line in direct.splitlines()]
    saved = list(files.score_lines(Path(f"new/out.{ending}")))
    assert saved == (expected if ending == "jsonl" else flattened(expected))


def test_a_table_has_the_columns_of_the_input_on_demand() -> None:
    rows = '{"id": "a", "source": "s t", "summary": "s u v", "topic": "x", "value": [1]}\n'
    Path("own.jsonl").write_text(rows + '{"id": "b", "source": "", "summary": "w"}\n')
    plain = ("score", "own.jsonl", "-m", KNOWN, "-o", "out.csv")
    assert faithkit(*plain).exit_code == 0
    (first, second) = csv.DictReader(Path("out.csv").read_text().splitlines())
    assert list(first) == [
        "id", "metric", "value", "outcome", "verdict", "probability", "marked", "marks",
        "part.words", "source_tokens", "summary_tokens", "signature",
    ]  # fmt: skip
    assert (first["marks"], second["marks"]) == ("2", "")
    assert (first["marked"], first["part.words"], first["source_tokens"]) == ("u v", "3.0", "2")
    assert (second["value"], second["outcome"], second["marked"]) == ("", "no_content", "")
    assert faithkit(*plain, "--keep-columns", "--no-resume").exit_code == 0
    kept = list(csv.DictReader(Path("out.csv").read_text().splitlines()))
    assert [*kept[0]][-4:] == ["source", "summary", "topic", "input.value"]
    assert [row["input.value"] for row in kept] == ["[1]", ""]
    assert "its --keep-columns differs" in refused(*plain)
    assert faithkit("score", "own.jsonl", "-m", "rouge2", "-o", "rouge2.csv").exit_code == 0
    unmarked = csv.DictReader(Path("rouge2.csv").read_text().splitlines())
    assert [row["marks"] for row in unmarked] == ["", ""]
    message = refused("score", "own.jsonl", "-m", KNOWN, "-o", "x.jsonl", "--keep-columns")
    assert message.startswith("--keep-columns is for an --output of flat columns")


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        ((), PAIRS),
        ((), "\ufeff" + PAIRS.replace("\n", "\r\n")),
        (("--input-format", "csv"), "id,source,summary\na,the cat sat,the cat\nb,a dog,a cat\n"),
        (("--input-format", "tsv"), "id\tsource\tsummary\na\tthe cat sat\tthe cat\n"),
    ],
)
def test_standard_input_is_scored(arguments: tuple[str, ...], stdin: str) -> None:
    found = faithkit("score", "-", "-m", KNOWN, "--json", *arguments, stdin=stdin)
    assert found.exit_code == 0
    assert json.loads(found.stdout.splitlines()[0])["value"] == 1.0


def test_a_run_from_standard_input_goes_on_like_one_from_a_file() -> None:
    for _ in range(2):
        found = faithkit("score", "-", "-m", KNOWN, "-o", "out.jsonl", stdin=PAIRS)
        assert found.exit_code == 0
    assert len(list(files.score_lines(Path("out.jsonl")))) == 3
    less = PAIRS.splitlines(keepends=True)[0]
    assert "differs" in refused("score", "-", "-m", KNOWN, "-o", "out.jsonl", stdin=less)


def test_columns_and_limit_are_taken() -> None:
    Path("own.csv").write_text("key,doc,text\nx,a b,a\ny,a b,c\n")
    found = faithkit(
        "score", "own.csv", "-m", KNOWN, "--column", "source=doc", "--column", "summary=text",
        "--column", "id=key", "--limit", "1", "-q",
    )  # fmt: skip
    assert [line.split("\t")[0] for line in found.stdout.splitlines()] == ["id", "x"]


def test_progress_is_silent_where_standard_error_is_no_terminal() -> None:
    assert program("score", "pairs.jsonl", "-m", KNOWN).stderr == b""


def test_the_cache_is_used_and_can_be_left_out_or_moved(
    monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    log = here / "calls.log"
    monkeypatch.setenv("TINY_LOG", str(log))

    def calls(*arguments: str) -> int:
        log.write_text("")
        assert faithkit("score", "pairs.jsonl", "-m", KNOWN, *arguments).exit_code == 0
        return len(log.read_text().splitlines())

    assert [calls(), calls(), calls("--no-cache"), calls()] == [3, 0, 3, 0]
    assert [calls("--cache", "own.sqlite"), calls("--cache", "own.sqlite")] == [3, 0]
    assert (here / "cache" / "scores.sqlite").exists()


def test_score_reads_no_column_that_it_does_not_need() -> None:
    Path("odd.csv").write_text(
        "source,summary,label,score,group,system\nthe cat,the cat,sports,good,,\n"
    )
    assert faithkit("score", "odd.csv", "-m", KNOWN).exit_code == 0
    labelled = ("score", "odd.csv", "-m", f"{TINY}:Labelled", "-q")
    message = refused(*labelled)
    assert message.startswith("odd.csv, line 2, field 'label': expected 1 (consistent) or 0, found")
    assert "--labels" in message
    shown = faithkit(*labelled, "--labels", "sports=1,news=0").stdout
    assert shown.splitlines()[1].split("\t")[2] == "1.0"


def test_a_label_column_that_is_named_is_read() -> None:
    Path("odd.csv").write_text("source,summary,verdict\nthe cat,the cat,maybe\n")
    message = refused("score", "odd.csv", "-m", KNOWN, "--column", "label=verdict")
    assert message.startswith("odd.csv, line 2, field 'verdict': expected 1 (consistent) or 0")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("sourc=a",), "--column sourc=a: there is no field 'sourc'. Did you mean 'source'? Ch"),
        (("source",), "--column wants FIELD=NAME, such as source=article, found 'source'. Fields:"),
        (("source=",), "--column wants FIELD=NAME, such as source=article, found 'source='. Fi"),
        (("id=a", "id=b"), "--column names the field 'id' twice: id=a, id=b"),
    ],
)
def test_a_column_that_is_not_named_by_its_field_is_refused_with_the_fields(
    options: tuple[str, ...], message: str
) -> None:
    named = [piece for text in options for piece in ("--column", text)]
    error = refused("score", "pairs.jsonl", "-m", KNOWN, *named)
    assert error.startswith(message)
    assert "twice" in message or "document, id, label" in error or "source, summary, id" in error


def test_a_command_refuses_the_name_of_a_column_that_it_does_not_read() -> None:
    for options, message in (
        (("--column", "label=gold"), "--column label=gold: this command reads no 'label'. Fields"),
        (("--labels", "ok=1"), "--labels: this command reads no labels."),
    ):
        assert refused("leaderboard", "pairs.jsonl", "-m", KNOWN, *options).startswith(message)


def test_a_name_of_a_column_may_hold_an_equals_sign() -> None:
    Path("own.csv").write_text("a=b,summary\nthe cat,the cat\n")
    assert faithkit("score", "own.csv", "-m", KNOWN, "--column", "source=a=b").exit_code == 0


@pytest.mark.parametrize("text", ["ok", "ok=", "=1", "ok=2", "ok=1,ok=0", ""])
def test_labels_that_are_no_mapping_are_refused(text: str) -> None:
    message = refused("score", "pairs.jsonl", "-m", KNOWN, "--labels", text)
    assert message.startswith("--labels wants each label once with its meaning")


def test_what_separates_the_cells_is_said_where_it_is_not_a_comma() -> None:
    Path("odd.csv").write_text("source;summary\nthe cat, sat;the cat\n")
    found = faithkit("score", "odd.csv", "-m", KNOWN, "-q")
    assert found.stderr == "faithkit: odd.csv: cells are separated by ';'\n"
    assert found.stdout.splitlines()[1] == f"1\t{KNOWN}\t1.0\tok"


def test_a_torn_row_of_a_complete_output_says_how_to_start_over() -> None:
    command = ("score", "pairs.jsonl", "-m", KNOWN, "-o", "out.jsonl")
    assert faithkit(*command).exit_code == 0
    Path("out.jsonl").write_bytes(Path("out.jsonl").read_bytes()[:-20])
    message = refused(*command)
    assert message.startswith("out.jsonl, line 3: not valid JSON")
    assert message.endswith("changed since the run ended. Use --no-resume to start over.")
    assert faithkit(*command, "--no-resume").exit_code == 0
