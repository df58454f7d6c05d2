"""The tutorial of `examples/` runs as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT


@pytest.mark.slow
def test_the_tutorial_runs_and_writes_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    found = subprocess.run(
        [sys.executable, str(ROOT / "examples/tutorial.py"), str(page)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "Scores of 6 examples" in found.stdout
    assert "6 rows of" in found.stdout
    assert page.stat().st_size > 10_000
