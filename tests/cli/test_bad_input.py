"""Bad usage and input: exit code 2, one line that says what is wrong."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.helpers.command_line import KNOWN, OTHER, PAIRS, TINY, faithkit, refused

from faithkit import cache

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


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
        ((".",), ". is a folder: name a file in it (pairs.jsonl), or score all of them with -o"),
        (("empty",), "empty is a folder, and no file in it ends as a file of pairs does (.jsonl, "),
        (("*.jsonl",), "*.jsonl may be several files: score them with -o FOLDER/"),
        (
            ("pairs.jsonl", "-m", "rouge2:stemm=on"),
            "Metric 'rouge2:stemm=on' has no option 'stemm'. Did",
        ),
        (
            ("pairs.jsonl", "-m", "rouge2:stem=x"),
            "Metric 'rouge2:stem=x': option 'stem' (on | off) cannot be",
        ),
        (
            ("pairs.jsonl", "-m", "rouge2:measure=f2"),
            "Metric 'rouge2:measure=f2': option 'measure'",
        ),
        (("pairs.jsonl", "-m", "rouge2", "-m", "rouge2"), "Metric 'rouge2' is given twice."),
        (("pairs.jsonl", "-m", "no.py:Own"), "No such file: no.py (wanted for a metric)."),
        (("pairs.jsonl", "-m", f"{TINY}:Nothing"), "No class 'Nothing' in"),
        (("pairs.jsonl", "-m", f"{TINY}:Crashing"), "metric '"),
        (
            ("pairs.jsonl", "-m", "novelty", "--preset", "papr"),
            "No given metric has the",
        ),
        (
            ("pairs.jsonl", "-m", "bertscore", "--preset", "papr"),
            "No given metric has the preset 'papr'. Did",
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
    Path("empty").mkdir()
    assert refused("score", *arguments, stdin="").startswith(what)


@pytest.mark.parametrize("command", [("score",), ("check",), ("bench", "-d"), ("calibrate",)])
def test_an_unknown_metric_gets_the_nearest_and_the_command_that_lists_them(
    command: tuple[str, ...],
) -> None:
    assert refused(*command, "pairs.jsonl", "-m", "suport") == (
        "Unknown metric 'suport'. Did you mean 'support'? `faithkit metrics list` shows all."
    )


def test_check_names_what_it_lacks() -> None:
    message = refused("check", "--source", "pairs.jsonl", stdin="")
    assert message.startswith("name a file of pairs, or both --source and --summary")


@pytest.mark.parametrize(
    "arguments",
    [
        ("score",),
        ("score", "pairs.jsonl", "--limit", "0"),
        ("score", "pairs.jsonl", "--batch-size", "0"),
        ("score", "pairs.jsonl", "--no-such-option"),
        ("scroe", "pairs.jsonl"),
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
