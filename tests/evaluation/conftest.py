"""What the tests of the commands over judged pairs share."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers.judged_pairs import judged_rows, write_rows


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "pairs.jsonl", judged_rows())
