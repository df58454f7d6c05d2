"""The tutorial notebook of `examples/` runs as it is, in a kernel of its own."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.paths import ROOT

NOTEBOOK = ROOT / "examples/tutorial.ipynb"
FILES = ("source.txt", "summary.txt", "pairs.jsonl")


def cells() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def test_the_notebook_is_kept_without_outputs() -> None:
    assert all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in cells())


@pytest.mark.verify
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("nbclient", "ipykernel", "pandas"):
        pytest.importorskip(package)
    import nbformat
    from nbclient import NotebookClient

    for name in FILES:
        shutil.copy(NOTEBOOK.parent / name, tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "faithkit").write_text(f'#!/bin/sh\nexec {sys.executable} -m faithkit.cli "$@"\n')
    (programs / "faithkit").chmod(0o755)
    for name, value in {
        "PYTHONPATH": str(ROOT / "src"), "FAITHKIT_CACHE": str(tmp_path / "cache"),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "IPYTHONDIR": str(tmp_path / "i"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()  # raises where a cell fails
    shown = [
        json.dumps(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"
    ]  # of each cell
    assert "faithkit-mark" in shown[0] and "text/html" in shown[0]
    assert "scored 9 of 9" in shown[2] and "Scores of 9 examples" in shown[2]
    assert "warning" not in "".join(shown).lower()
    assert "probability" in shown[3]
    assert "best evidence" in shown[4]
    assert (tmp_path / "scores.html").stat().st_size > 10_000
    assert "gate failed: value < .2" in shown[8] and "exit code: 1" in shown[8]
    assert "rows/s" not in shown[8]  # a notebook sets FORCE_COLOR, and is no terminal
    assert "is less than 0.5" in shown[9]
