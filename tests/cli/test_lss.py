"""`faithkit lss evaluate`: a generator's figures beside those of the whole claim."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.helpers.command_line import faithkit, refused
from tests.helpers.recipes import write_pairs

from faithkit.reproduce.kinds.generators import named


@pytest.fixture
def data(tmp_path: Path) -> str:
    source = "The bank opened a branch in May."
    texts = {"The bank opened a branch in Rome.": "The bank opened a branch.",
             "The bank opened a branch.": "The bank opened a branch."}  # fmt: skip
    rows = [
        {"id": claim, "source": source, "summary": claim,
         "annotations": [{"lss": lss, "lss_star": lss}]}
        for claim, lss in texts.items()
    ]  # fmt: skip
    return str(write_pairs(tmp_path / "lss.jsonl", rows))


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`refused` looks whether files were left in the current folder: no other test writes here."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_the_figures_of_a_generator_are_beside_those_of_the_whole_claim(data: str) -> None:
    result = json.loads(faithkit("lss", "evaluate", "words", data, "--json").stdout)
    assert result["rows"] == sum(result["outcomes"].values()) == 2
    assert result["whole_claim"]["precision"] == pytest.approx((5 / 7 + 1) / 2)
    assert result["violations"] == 0 and 0 < result["f1"] <= 1
    lines = faithkit("lss", "evaluate", "words", data).stdout.splitlines()
    assert lines[1].startswith("words") and lines[2].startswith("the whole claim")


def test_generators_are_named_by_themselves(tmp_path: Path) -> None:
    assert named("words") == "lss_share:generator=words"
    assert named("chat:mini", star=True) == "lss_share:generator=chat,model=mini,star=on"
    assert named(str(tmp_path)) == f"lss_share:generator=seq2seq,model={tmp_path}"


@pytest.mark.slow
def test_what_is_no_generator_is_refused(data: str) -> None:
    assert "LSS* is not for the generator words" in refused(
        "lss", "evaluate", "words", data, "--star"
    )
    assert "/no/such" in refused("lss", "evaluate", "/no/such", data, "--offline")


def test_a_missing_file_is_named_as_such() -> None:
    assert refused("lss", "evaluate", "words", "no.csv").strip().endswith("no.csv: no such file")
