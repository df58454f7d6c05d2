"""A run that is killed before its first row, and its manifest, are whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers.runs import mark_unfinished, to_file


@pytest.mark.parametrize("rows", ["", '{"id": "id 0", "metr'])
def test_a_run_killed_before_its_first_row_is_whole_goes_on(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: str
) -> None:
    """Killed twice: the second time between the journal and its manifest."""
    whole, output = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    to_file(pairs, whole)
    if rows:
        to_file(pairs, output)
        mark_unfinished(output)
        output.write_text(rows, encoding="utf-8")

    def killed(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as killing, pytest.raises(SystemExit):
        killing.setattr("faithkit.run.output._Saved._save", killed)
        to_file(pairs, output)
    assert output.read_bytes() == b""
    to_file(pairs, output)
    assert output.read_bytes() == whole.read_bytes()
