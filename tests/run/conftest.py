"""Fixtures of the tests of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.helpers.runs import (
    write_pairs,
)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.jsonl")


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The ids of the examples that the tiny metrics have scored since the last time asked."""
    log = tmp_path / "calls.log"
    monkeypatch.setenv("TINY_LOG", str(log))

    def take() -> list[str]:
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    return take
