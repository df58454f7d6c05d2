"""Texts of the user's on the screen: nothing in them commands the terminal, all of it is seen."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from tests.helpers.paths import HELPERS
from typer.testing import CliRunner

from faithkit.cli import app, screen
from faithkit.cli.console import Screen, Text

TINY = HELPERS / "tiny_metrics.py"
KNOWN, OTHER = f"{TINY}:Known", f"{TINY}:Other"
HOSTILE = "\x1b[2J\x1b]0;gone\x07\x00\x9b31m\x7f\u202eab\u2066[red]x[/red] :smile:"
COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    rows = [
        {
            "id": f"{number} {HOSTILE}", "source": f"the cat {number} sat. {HOSTILE}",
            "summary": f"the dog {HOSTILE} {number * 'sat '}", "system": f"{number % 2}{HOSTILE}",
            "group": f"{number % 4}{HOSTILE}", "label": number % 3 % 2, "score": number % 5,
            HOSTILE: HOSTILE,
        }
        for number in range(12)
    ]  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    Path("pairs.jsonl").write_text(lines)
    Path("a.jsonl").write_text("".join(lines.splitlines(True)[::2]))
    Path("b.jsonl").write_text("".join(lines.splitlines(True)[::2]).replace("0", "1"))
    Path("text.txt").write_text(f"the old cat {HOSTILE} sat.")
    Path("marks.jsonl").write_text(
        "".join(
            json.dumps({"item": f"{i}{HOSTILE}", "annotator": f"{who}{HOSTILE}", "value": i % 2})
            + "\n"
            for i in range(6)
            for who in "abc"
        )
    )
    return tmp_path


def faithkit(*arguments: str) -> Any:
    found = CliRunner().invoke(app, list(arguments))
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


PRINTING = {
    "score": ("score", "pairs.jsonl", "-m", KNOWN, "-m", OTHER),
    "score-json": ("score", "pairs.jsonl", "-m", KNOWN, "--json"),
    "score-quiet": ("score", "pairs.jsonl", "-m", KNOWN, "-q"),
    "check": ("check", "--source", "text.txt", "--summary", "pairs.jsonl", "-m", KNOWN),
    "check-json": ("check", "--source", "text.txt", "--summary", "text.txt", "-m", KNOWN, "--json"),
    "bench": ("bench", "-d", "pairs.jsonl", "-m", KNOWN, "-m", OTHER, "-o", "out", "--draws", "50"),
    "calibrate": ("calibrate", "pairs.jsonl", "-m", KNOWN, "--folds", "2", "--draws", "50"),
    "combine": (
        "combine", "pairs.jsonl", "-m", KNOWN, "-m", "rouge2", "--folds", "2", "--draws", "50",
    ),
    "agree": ("agree", "marks.jsonl"),
    "agree-json": ("agree", "marks.jsonl", "--json"),
    "leaderboard": ("leaderboard", "pairs.jsonl", "-m", KNOWN, "--draws", "50"),
    "stress": ("stress", "-m", KNOWN, "-d", "pairs.jsonl", "--suite", "probes", "--limit", "2"),
    "metrics-info": ("metrics", "info", KNOWN),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("arguments", PRINTING.values(), ids=PRINTING)
def test_nothing_in_a_text_commands_the_terminal(arguments: tuple[str, ...]) -> None:
    found = faithkit(*arguments)
    shown = found.stdout + found.stderr
    assert found.exit_code == 0, shown
    assert not COMMANDS.search(shown), repr(COMMANDS.search(shown))
    assert shown


WRONG = {
    "file": ("score", f"{HOSTILE}.csv".replace("\x00", "")),
    "ending": ("score", "pairs.jsonl", "-o", f"x.{HOSTILE}".replace("\x00", "")),
    "column": ("score", "pairs.jsonl", "--column", f"source={HOSTILE}x"),
    "label": ("calibrate", "pairs.jsonl", "-m", KNOWN, "--column", "label=id"),
    "rating": ("combine", "pairs.jsonl", "-m", KNOWN, "-m", OTHER, "--column", "rating=id"),
    "duplicate": ("score", "twice.jsonl"),
    "metric": ("score", "pairs.jsonl", "-m", HOSTILE),
    "metric-info": ("metrics", "info", HOSTILE),
    "model": ("models", "info", HOSTILE),
    "dataset": ("datasets", "info", HOSTILE),
    "command": (HOSTILE,),
    "option": ("score", f"--{HOSTILE}"),
    "gate": ("score", "pairs.jsonl", "--fail-under", HOSTILE),
}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
def test_an_error_shows_what_the_user_gave_and_obeys_none_of_it(arguments: tuple[str, ...]) -> None:
    row = json.dumps({"id": HOSTILE, "source": "a", "summary": "b"}) + "\n"
    Path("twice.jsonl").write_text(row * 2)
    found = faithkit(*arguments)
    assert found.exit_code == 2
    assert not COMMANDS.search(found.stdout + found.stderr)
    assert "\\" in found.stderr


def test_what_is_neutralised_can_be_seen() -> None:
    found = faithkit("check", "--source", "text.txt", "--summary", "text.txt", "-m", KNOWN)
    assert r"\u001b[2J\u001b]0;gone\u0007\u0000\u009b31m\u007f\u202e" in found.stdout
    assert "[red]x[/red]" in found.stdout
    assert ":smile:" in found.stdout


def test_json_means_the_same_text() -> None:
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "--json")
    assert json.loads(found.stdout.splitlines()[3])["id"] == f"3 {HOSTILE}"


def test_a_line_end_in_a_cell_makes_no_row_and_one_in_an_error_no_line() -> None:
    Path("lines.jsonl").write_text('{"id": "a\\nb", "source": "a", "summary": "b"}\n' * 2)
    assert r"id 'a\nb' was already used" in faithkit("score", "lines.jsonl").stderr
    Path("marks.csv").write_text('item,annotator,value\n1,"a\nb",x\n1,c,x\n2,"a\nb",x\n2,c,y\n')
    assert r"a\nb" in faithkit("agree", "marks.csv").stdout


@given(st.text())
def test_a_neutral_text_has_no_commands_and_loses_nothing(text: str) -> None:
    shown = screen.neutral(text)
    assert not COMMANDS.search(shown)
    assert screen.neutral(shown) == shown
    plain = text.replace("\\", "/")
    quoted = screen.neutral(plain).replace('"', r"\"").replace("\n", r"\n").replace("\t", r"\t")
    assert json.loads(f'"{quoted}"') == plain.replace("\r\n", "\n")


def test_half_a_surrogate_pair_is_shown_and_does_not_stop_the_program() -> None:
    assert screen.neutral("a\ud800b") == r"a\ud800b"


def guarded(monkeypatch: pytest.MonkeyPatch, encoding: str = "utf-8") -> io.BytesIO:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding, write_through=True)
    monkeypatch.setattr(sys, "stderr", stream)
    return written


def test_progress_bars_of_other_libraries_may_go_back_to_the_start_of_their_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = guarded(monkeypatch)
    with screen.guarded():
        sys.stderr.write("\r50%\r\x1b[2J")
        sys.stderr.write("\x1b[A")
    assert written.getvalue() == b"\r50%\\u000d\\u001b[2J\x1b[A"


def test_what_an_encoding_lacks_is_shown_as_json_escapes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = guarded(monkeypatch, "ascii")
    with screen.guarded():
        sys.stderr.write("é – 😀")
    assert written.getvalue() == rb"\u00e9 \u2013 \ud83d\ude00"
    assert json.loads(f'"{written.getvalue().decode()}"') == "é – 😀"


def test_the_streams_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.stdout, sys.stderr
    with screen.guarded():
        assert (sys.stdout, sys.stderr) != before
        assert not hasattr(sys.stdout, "buffer")
    assert (sys.stdout, sys.stderr) == before


def test_a_handler_that_closes_its_stream_leaves_standard_error_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """absl's does at exit, when the guarded stream no longer is standard error."""
    error = io.StringIO()
    monkeypatch.setattr(sys, "stderr", error)
    with screen.guarded():
        held = sys.stderr
    held.close()
    assert not error.closed


def test_a_screen_takes_no_text_for_markup_and_keeps_its_own_colours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    written = guarded(monkeypatch)
    table = Table()
    table.add_column(Text(HOSTILE))
    table.add_row(Text(HOSTILE))
    console = Screen(error=True, width=300)
    console.print(table)
    console.print(HOSTILE)
    console.print(Text(HOSTILE, style="bold").append(HOSTILE))
    shown = written.getvalue().decode()
    assert "\x1b[1m" in shown
    assert not COMMANDS.search(re.sub(r"\x1b\[[\d;]*m", "", shown))
    assert "\x1b[31m" not in shown
    assert shown.count("[red]x[/red] :smile:") == 5
