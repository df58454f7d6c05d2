"""Fixtures of the tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers.command_line import PAIRS


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test works in a folder of its own, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    Path("pairs.jsonl").write_text(PAIRS)
    return tmp_path
