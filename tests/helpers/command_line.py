"""The command line, called in this process or in one of its own, on three pairs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.helpers.paths import HELPERS
from typer.testing import CliRunner

from faithkit.cli import app

TINY = HELPERS / "tiny_metrics.py"
KNOWN, OTHER = f"{TINY}:Known", f"{TINY}:Other"

PAIRS = """\
{"id": "a", "source": "the cat sat", "summary": "the cat"}
{"id": "b", "source": "a dog ran", "summary": "a cat ran"}
{"id": "c", "source": "", "summary": "words"}
"""


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
