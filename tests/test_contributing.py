"""The example of CONTRIBUTING.md runs as it is pasted."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from faithkit import score
from tests.helpers.paths import ROOT

PAGE = ROOT / "CONTRIBUTING.md"


@pytest.fixture
def pasted(tmp_path: Path) -> Path:
    (block,) = re.findall(r"^ *```python\n(.*?)^ *```", PAGE.read_text("utf-8"), re.M | re.S)
    path = tmp_path / "shouting.py"
    path.write_text(textwrap.dedent(block), encoding="utf-8")
    return path


def test_the_example_metric_runs_as_pasted(pasted: Path) -> None:
    pairs = [("a source", "two WORDS here"), ("a source", ""), ("a source", "a b")]
    found = list(score(pairs, f"{pasted}:Shouting"))
    assert [(one.value, str(one.outcome)) for one in found] == [
        (pytest.approx(2 / 3), "ok"), (None, "no_content"), (None, "no_claims"),
    ]  # fmt: skip
    assert found[0].coverage.summary_tokens == 3
    (one,) = score(pairs[:1], f"{pasted}:Shouting:minimum=5")
    assert one.value == 0.0
