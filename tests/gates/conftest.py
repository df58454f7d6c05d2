"""Each test of gates runs in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
