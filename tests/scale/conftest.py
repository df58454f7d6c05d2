"""Fixtures of the tests of sharded runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.helpers.inline_pool import InlinePool
from tests.helpers.sharded import rows_of, write_jsonl, write_parquet


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """A folder of three files with 60 rows in all."""
    folder = tmp_path / "inputs"
    write_jsonl(folder / "a.jsonl", rows_of("a", 20))
    write_jsonl(folder / "b.jsonl", rows_of("b", 15))
    write_parquet(folder / "c.parquet", rows_of("c", 25), group=6)
    return folder


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs without processes, and without waiting for the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr("faithkit.scale.run.Pool", InlinePool)
