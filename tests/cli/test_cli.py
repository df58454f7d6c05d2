"""The command line: exit codes, one line for each error, and outputs that a machine can read."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import tiny_calibration
from tests.helpers.paths import HELPERS
from typer.testing import CliRunner

from faithkit import cache, files
from faithkit.cli import app
from faithkit.records import Score

pytestmark = pytest.mark.slow

TINY = HELPERS / "tiny_metrics.py"
KNOWN, OTHER = f"{TINY}:Known", f"{TINY}:Other"

PAIRS = """\
{"id": "a", "source": "the cat sat", "summary": "the cat"}
{"id": "b", "source": "a dog ran", "summary": "a cat ran"}
{"id": "c", "source": "", "summary": "words"}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test works in a folder of its own, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    Path("pairs.jsonl").write_text(PAIRS)
    return tmp_path


def faithkit(*arguments: str, stdin: str | bytes | None = None) -> Any:
    """The program in this process."""
    found = CliRunner().invoke(app, list(arguments), input=stdin)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


def program(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The program as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "faithkit.cli", *arguments],
        input=stdin, capture_output=True, timeout=60, check=False,
    )  # fmt: skip


def refused(*arguments: str, stdin: str | bytes | None = None) -> str:
    """The one line that a bad command gives. It ends with code 2, prints no row and leaves every
    file as it was."""
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    found = faithkit(*arguments, stdin=stdin)
    assert found.exit_code == 2, found.output
    assert found.stdout == ""
    assert found.stderr.startswith("faithkit: ")
    assert found.stderr.count("\n") == 1
    for path, data in before.items():
        assert path.name.startswith("scores.sqlite") or path.read_bytes() == data
    return found.stderr.removeprefix("faithkit: ").rstrip("\n")


# score: what it prints and writes


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
    assert list(files.score_lines(Path(f"new/out.{ending}"))) == [
        Score.from_row(json.loads(line)) for line in direct.splitlines()
    ]


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


# The gate


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (("0.8",), 0),
        (("0.9",), 1),
        ((f"{KNOWN}=0.9",), 1),
        (("0.9", f"{KNOWN}=0.8"), 1),
        (("0.9", f"{KNOWN}=0.8", f"{OTHER}=0.8"), 0),
    ],
)
def test_a_mean_under_its_gate_ends_with_code_1(gates: tuple[str, ...], code: int) -> None:
    options = [part for gate in gates for part in ("--fail-under", gate)]
    options.append("--allow-unscored")
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "-m", OTHER, *options)
    assert found.exit_code == code
    below = "fails its gate of 0.9: the mean is 0.833333, 1 of 2 scored rows are below it; 1 more"
    assert (below in found.stderr) == (code == 1)


def test_a_gate_fails_where_no_row_has_a_score() -> None:
    Path("blank.jsonl").write_text('{"source": "", "summary": ""}\n')
    for more in ((), ("--allow-unscored",)):
        found = faithkit("score", "blank.jsonl", "-m", KNOWN, "--fail-under", "0", *more)
        assert found.exit_code == 1
        assert "none of its 1 rows has a score" in found.stderr


def test_a_gate_fails_where_most_rows_have_no_score() -> None:
    Path("most.jsonl").write_text(PAIRS + '{"source": "", "summary": "a"}\n' * 5)
    gate = ("score", "most.jsonl", "-m", KNOWN, "--fail-under", "0.5")
    found = faithkit(*gate)
    assert found.exit_code == 1
    assert "6 of 8 rows have no score (6 no_content)" in found.stderr
    assert faithkit(*gate, "--allow-unscored").exit_code == 0


def test_a_gate_outside_the_bounds_of_its_metric_is_refused() -> None:
    message = refused("score", "pairs.jsonl", "-m", KNOWN, "--fail-under", "75")
    assert message == (f"--fail-under 75: the bounds of {KNOWN} are 0 to 1; did you mean 0.75?")
    message = refused("score", "pairs.jsonl", "-m", KNOWN, "--fail-under", "-1")
    assert message == f"--fail-under -1: the bounds of {KNOWN} are 0 to 1"


def test_the_bounds_of_a_calibrated_metric_are_its_own() -> None:
    file = tiny_calibration.write(Path("c.json"))
    message = refused("score", "pairs.jsonl", "-m", f"calibrated:file={file}", "--fail-under", "75")
    assert "the bounds of calibrated:file=c.json are 0 to 1; did you mean 0.75?" in message


def test_strict_ends_with_code_3_where_a_row_has_no_score_and_a_gate_goes_before() -> None:
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "--strict")
    assert found.exit_code == 3
    assert "1 rows have no score" in found.stderr
    both = ("--strict", "--fail-under", "0.9")
    assert faithkit("score", "pairs.jsonl", "-m", KNOWN, *both).exit_code == 1
    assert faithkit("score", "pairs.jsonl", "-m", KNOWN, "--strict", "--limit", "2").exit_code == 0


@pytest.mark.parametrize("gate", ["high", "nan", "inf", f"{KNOWN}=", "knwn=0.5"])
def test_a_gate_that_is_no_number_or_for_no_metric_is_refused(gate: str) -> None:
    assert "--fail-under" in refused("score", "pairs.jsonl", "-m", KNOWN, "--fail-under", gate)


def test_a_gate_for_an_unknown_metric_names_the_nearest() -> None:
    message = refused("score", "pairs.jsonl", "-m", "rouge2", "--fail-under", "rogue2=1")
    assert message == "--fail-under names 'rogue2'. Did you mean 'rouge2'? Choices: rouge2."


# Bad input


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("p.jsonl", b"", "p.jsonl: no rows"),
        ("p.csv", b"id,source,summary\n", "p.csv: no rows"),
        (
            "p.jsonl",
            b'{"source": "", "summary": ""}\n{"source": \n',
            "p.jsonl, line 2: not valid JS",
        ),
        ("p.jsonl", b'{"source": "x"}\n', "p.jsonl, line 1: no field 'summary'."),
        ("p.jsonl", b'{"source": "x", "summary": 3}\n', "p.jsonl, line 1, field 'summary': expec"),
        (
            "p.jsonl",
            b'{"id": 1, "source": "", "summary": ""}\n' * 2,
            "p.jsonl, line 2, field 'id': id '1' was already used on line 1; ids must be unique",
        ),
        (
            "p.csv",
            b"source,sumary\na,b\n",
            "p.csv, line 1: no column 'summary'. Did you mean 'sumary'?",
        ),
        ("p.csv", b"source,summary\n\xe9,b\n", "p.csv, line 2: not UTF-8 (byte 1 of the line)"),
        ("p.csv", b"source,summary\na,b,c\n", "p.csv, line 2: 3 cells where the header has 2"),
        ("p.csv", b'source,summary\na,"b\n', "p.csv, line 2: a quoted cell of the row that begins"),
        ("p.parquet", b"PAR1", "p.parquet: not a Parquet file that can be read"),
        (
            "p.docx",
            b"",
            "p.docx: cannot tell the format from the ending '.docx'; use one of .jsonl",
        ),
    ],
)
@pytest.mark.parametrize("output", [(), ("-o", "out.jsonl")], ids=["screen", "file"])
def test_bad_input_is_one_line_before_anything_is_scored_or_written(
    name: str, data: bytes, what: str, output: tuple[str, ...]
) -> None:
    Path(name).write_bytes(data)
    assert refused("score", name, "-m", KNOWN, *output).startswith(what)
    assert not Path("out.jsonl").exists()


def test_bad_input_leaves_an_earlier_output_as_it_is() -> None:
    faithkit("score", "pairs.jsonl", "-m", KNOWN, "-o", "out.jsonl")
    Path("pairs.jsonl").write_text(PAIRS + "{torn")
    assert "line 4: not valid JSON" in refused(
        "score", "pairs.jsonl", "-m", KNOWN, "-o", "out.jsonl"
    )
    assert "line 4" in refused(
        "score", "pairs.jsonl", "-m", KNOWN, "-o", "out.jsonl", "--no-resume"
    )


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("nosuch.jsonl",), "nosuch.jsonl: no such file"),
        ((".",), ".: is a directory"),
        (("pairs.jsonl", "-m", "rogue2"), "Unknown metric 'rogue2'. Did you mean 'rouge2'?"),
        (
            ("pairs.jsonl", "-m", "rouge2:stemm=on"),
            "Metric 'rouge2:stemm=on' has no option 'stemm'. Did",
        ),
        (("pairs.jsonl", "-m", "rouge2:stem=x"), "Metric 'rouge2:stem=x': option 'stem' should be"),
        (
            ("pairs.jsonl", "-m", "rouge2:measure=f2"),
            "Metric 'rouge2:measure=f2': option 'measure'",
        ),
        (("pairs.jsonl", "-m", "rouge2", "-m", "rouge2"), "Metric 'rouge2' is asked for twice."),
        (("pairs.jsonl", "-m", "no.py:Own"), "No such file: no.py (wanted for a metric)."),
        (("pairs.jsonl", "-m", f"{TINY}:Nothing"), "No class 'Nothing' in"),
        (("pairs.jsonl", "-m", f"{TINY}:Crashing"), "metric '"),
        (
            ("pairs.jsonl", "-m", "novelty", "--preset", "papr"),
            "No metric that is asked for has the",
        ),
        (
            ("pairs.jsonl", "-m", "bertscore", "--preset", "papr"),
            "No metric that is asked for has the preset 'papr'. Did",
        ),
        (("pairs.jsonl", "-m", "rouge2", "-o", "out.doc"), "out.doc: cannot tell the format"),
        (
            ("pairs.jsonl", "-m", KNOWN, "-o", "folder.jsonl"),
            "cannot write folder.jsonl: it is a dir",
        ),
        (
            ("pairs.jsonl", "-m", KNOWN, "-o", "pairs.jsonl/o.jsonl"),
            "cannot write pairs.jsonl/o.jso",
        ),
        (("pairs.jsonl", "-m", KNOWN, "-o", "pairs.jsonl"), "pairs.jsonl is the input itself."),
        (
            ("pairs.jsonl", "-m", KNOWN, "-o", "pairs.jsonl", "--no-resume"),
            "pairs.jsonl is the input itself.",
        ),
        (
            ("pairs.jsonl", "-m", KNOWN, "--column", "id=idd"),
            "pairs.jsonl, line 1: no field 'idd'. Did",
        ),
        (
            ("-", "-m", KNOWN, "--input-format", "jsonp"),
            "Unknown input format 'jsonp'. Did you mean",
        ),
        (("-", "-m", KNOWN), "standard input: no rows"),
    ],
)
def test_a_bad_command_is_one_line_that_says_what_to_do(
    arguments: tuple[str, ...], what: str
) -> None:
    Path("folder.jsonl").mkdir()
    assert refused("score", *arguments, stdin="").startswith(what)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score",),
        ("score", "pairs.jsonl", "--limit", "0"),
        ("score", "pairs.jsonl", "--batch-size", "0"),
        ("score", "pairs.jsonl", "--no-such-option"),
        ("scroe", "pairs.jsonl"),
        ("check", "--source", "pairs.jsonl"),
    ],
)
def test_bad_usage_ends_with_code_2_and_says_how_it_is_used(arguments: tuple[str, ...]) -> None:
    found = faithkit(*arguments)
    assert found.exit_code == 2
    assert "Usage:" in found.stderr


def test_a_model_that_is_not_there_while_offline_says_what_is() -> None:
    message = refused("score", "pairs.jsonl", "-m", "bertscore:model=nonsense", "--offline")
    assert message.startswith("'nonsense' is no embedded model of the role 'tokens' and no folder")
    assert "this run is offline" in message
    assert "mini" in message
    message = refused("score", "pairs.jsonl", "-m", "bertscore:model=minni", "--offline")
    assert "Did you mean 'mini'?" in message


def test_an_embedded_model_that_is_not_pulled_says_how_to_while_offline() -> None:
    message = refused("score", "pairs.jsonl", "-m", "bertscore:model=base", "--offline")
    assert "faithkit models pull base" in message


def test_a_locked_cache_is_warned_of_once_and_the_run_goes_on(
    monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    monkeypatch.setattr(cache, "BUSY_SECONDS", 0.05)
    assert faithkit("score", "pairs.jsonl", "-m", KNOWN).exit_code == 0
    whole = faithkit("score", "pairs.jsonl", "-m", OTHER, "--json", "--no-cache").stdout
    other = sqlite3.connect(here / "cache" / "scores.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    found = faithkit("score", "pairs.jsonl", "-m", OTHER, "--json", "--batch-size", "1")
    other.execute("ROLLBACK")
    other.close()
    assert (found.exit_code, found.stdout) == (0, whole)
    assert found.stderr.startswith("faithkit: score cache ")
    assert "database is locked: another program holds it" in found.stderr
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize("place", [".", "bad.sqlite", "pairs.jsonl/s.sqlite"])
def test_a_cache_that_cannot_be_used_stops_no_command(place: str) -> None:
    Path("bad.sqlite").write_bytes(b"garbage " * 1000)
    Path("text.txt").write_text("The cat sat.")
    for command in (
        ("score", "pairs.jsonl", "-m", KNOWN),
        ("score", "pairs.jsonl", "-m", KNOWN, "-o", "out.jsonl", "--no-resume"),
        ("check", "--source", "text.txt", "--summary", "text.txt", "-m", KNOWN),
    ):
        found = faithkit(*command, "--cache", place)
        assert found.exit_code == 0
        assert found.stderr.startswith(f"faithkit: score cache {place}: ")
        assert found.stderr.endswith(". Going on without it.\n")
        assert found.stderr.count("\n") == 1
    assert Path("bad.sqlite").read_bytes() == b"garbage " * 1000


# As a process


def test_a_missing_file_is_exactly_one_line_and_code_2() -> None:
    found = program("score", "nosuch.jsonl")
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr == b"faithkit: nosuch.jsonl: no such file\n"


def test_the_process_ends_with_the_documented_codes() -> None:
    assert program("score", "pairs.jsonl", "-m", KNOWN).returncode == 0
    assert program("score", "pairs.jsonl", "-m", KNOWN, "--fail-under", "1").returncode == 1
    assert program("score", "pairs.jsonl", "-m", "rogue2").returncode == 2
    assert program("score", "pairs.jsonl", "-m", KNOWN, "--strict").returncode == 3


def test_a_reader_that_goes_away_is_no_failure_and_no_traceback() -> None:
    rows = "".join(PAIRS.replace('"a"', f'"a{n}"').splitlines(True)[0] for n in range(3000))
    Path("many.jsonl").write_text(rows)
    running = subprocess.Popen(
        [sys.executable, "-m", "faithkit.cli", "score", "many.jsonl", "-m", KNOWN, "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ,
    )  # fmt: skip
    assert running.stdout is not None
    assert running.stderr is not None
    assert running.stdout.readline()
    running.stdout.close()
    assert running.stderr.read() == b""
    assert running.wait(timeout=30) == 0


def test_an_input_that_fails_while_it_is_read_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error", "pairs.jsonl")

    monkeypatch.setattr(files, "check", broken)
    assert refused("score", "pairs.jsonl", "-m", KNOWN) == "pairs.jsonl: Input/output error"


# check


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


def test_check_ends_with_code_1_under_the_gate(texts: tuple[str, ...]) -> None:
    assert faithkit("check", *texts, "-m", KNOWN, "--fail-under", "0.9").exit_code == 1
    assert faithkit("check", *texts, "-m", KNOWN, "--fail-under", "0.5").exit_code == 0


def test_check_of_nothing_claims_no_support() -> None:
    Path("empty.txt").write_text("")
    found = faithkit("check", "--source", "pairs.jsonl", "--summary", "empty.txt", "-m", KNOWN)
    assert found.exit_code == 0
    assert "no_content" in found.stdout
    assert "No unsupported words" not in found.stdout


@pytest.mark.parametrize(
    ("prepare", "what"),
    [
        (lambda path: None, "s.txt: No such file or directory"),
        (lambda path: path.mkdir(), "s.txt: Is a directory"),
        (lambda path: path.write_bytes(b"caf\xe9"), "s.txt: not UTF-8 (byte 4)"),
    ],
)
def test_check_names_a_text_that_cannot_be_read(
    prepare: Callable[[Path], object], what: str
) -> None:
    prepare(Path("s.txt"))
    assert refused("check", "--source", "s.txt", "--summary", "pairs.jsonl").startswith(what)


# metrics and models


def test_metrics_list_and_info_are_readable_by_people_and_machines() -> None:
    listed = json.loads(faithkit("metrics", "list", "--json").stdout)
    assert {"rouge2", "bertscore", "ner"} <= {row["metric"] for row in listed}
    shown = faithkit("metrics", "list").stdout
    assert all(row["metric"] in shown and row["what the number means"] for row in listed)
    about = json.loads(faithkit("metrics", "info", "rouge2", "--json").stdout)
    assert about["bounds"] == [0.0, 1.0]
    assert [option["name"] for option in about["options"]] == ["measure", "stem"]
    assert about["presets"] == {"paper": {"measure": "f1", "stem": "off"}}
    assert "measure=f1, stem=off" in faithkit("metrics", "info", "rouge2").stdout
    assert "precision | recall | f1" in faithkit("metrics", "info", "rouge2").stdout
    own = faithkit("metrics", "info", KNOWN).stdout
    assert "share of words that the source has [too]" in own
    assert refused("metrics", "info", "rogue2").startswith("Unknown metric 'rogue2'. Did you mean")


def test_models_list_and_info_are_readable_by_people_and_machines() -> None:
    listed = json.loads(faithkit("models", "list", "--json").stdout)
    mini = next(row for row in listed if row["model"] == "mini")
    assert mini["licence"] == "Apache-2.0"
    about = json.loads(faithkit("models", "info", "base", "--json").stdout)
    assert about["ready"].startswith("no: ")
    assert "Apache-2.0" in faithkit("models", "info", "base").stdout
    assert "Did you mean 'base'?" in refused("models", "info", "bsae")
    assert "base" in refused("models", "pull", "base", "--offline")


def test_the_version_is_that_of_the_package() -> None:
    assert faithkit("--version").stdout == f"faithkit {version('faithkit')}\n"


def test_help_names_every_command() -> None:
    shown = faithkit("--help").stdout
    assert all(name in shown for name in ("score", "check", "metrics", "models"))
