"""The program as a process, and the lists of metrics and models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.helpers.command_line import KNOWN, PAIRS, faithkit, program, refused
from tests.helpers.paths import ROOT

from faithkit import files

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


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


def test_an_interruption_of_the_imports_is_one_line() -> None:
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from faithkit.__main__ import main\n"
        "main()"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"] == {
        "faithkit": "faithkit.__main__:main"
    }
    assert (found.returncode, found.stdout) == (130, b"")
    assert found.stderr == b"faithkit: interrupted.\n"


def test_an_input_that_fails_while_it_is_read_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error", "pairs.jsonl")

    monkeypatch.setattr(files, "check", broken)
    assert refused("score", "pairs.jsonl", "-m", KNOWN) == "pairs.jsonl: Input/output error"


def test_metrics_list_and_info_are_readable_by_people_and_machines() -> None:
    listed = json.loads(faithkit("metrics", "list", "--json").stdout)
    assert {"rouge2", "bertscore", "ner"} <= {row["metric"] for row in listed}
    shown = faithkit("metrics", "list").stdout
    assert all(row["metric"] in shown and row["what the number means"] for row in listed)
    about = json.loads(faithkit("metrics", "info", "rouge2", "--json").stdout)
    assert about["bounds"] == [0.0, 1.0]
    assert about["limitations"].startswith("Compares words, not meaning")
    assert [option["name"] for option in about["options"]] == ["measure", "stem"]
    assert about["presets"] == {"paper": {"measure": "f1", "stem": "off"}}
    assert "measure=f1, stem=off" in faithkit("metrics", "info", "rouge2").stdout
    assert "precision | recall | f1" in faithkit("metrics", "info", "rouge2").stdout
    assert "Limitations: Compares words" in faithkit("metrics", "info", "rouge2").stdout
    own = faithkit("metrics", "info", KNOWN).stdout
    assert "share of words that the source has [too]" in own
    assert refused("metrics", "info", "rogue2") == (
        "Unknown metric 'rogue2'. Did you mean 'rouge2'? `faithkit metrics list` shows all."
    )


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
