"""Rows by name: one split of a release with a file for each needs that file only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.helpers.releases_of_claims import FM2

from faithkit.evaluation.examples import read
from faithkit.records import ConfigError, DataError


@pytest.fixture
def data(tmp_path: Path) -> str:
    file = tmp_path / "fm2" / "dev.jsonl"
    file.parent.mkdir()
    file.write_text("".join(json.dumps(row) + "\n" for row in FM2), encoding="utf-8")
    return str(tmp_path)


@pytest.mark.parametrize("split", ["dev", "val"])
def test_a_split_is_read_without_the_files_of_the_others(data: str, split: str) -> None:
    _, rows = read(f"fm2_release[split={split}]", data, None)
    assert [row.label for row in rows] == [1, 0]
    _, rows = read(f"fm2_release[split={split},label=1]", data, None)
    assert len(rows) == 1


def test_all_splits_need_every_file_and_an_unknown_split_is_an_error(data: str) -> None:
    with pytest.raises(DataError, match=r"fm2/train\.jsonl is missing"):
        read("fm2_release", data, None)
    with pytest.raises(ConfigError, match="no split 'tset'"):
        read("fm2_release[split=tset]", data, None)
