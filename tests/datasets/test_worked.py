"""Worked examples for a few-shot judge, drawn from a validation split."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from faithkit import datasets
from faithkit.cli import app
from faithkit.datasets import worked
from faithkit.metrics.judge.prompts import examples
from faithkit.records import DataError, Example


def _row(number: int, split: str, origin: str | None, label: int | None, words: int = 5) -> Example:
    source = f"Document {number}. " + "word " * words
    meta = {"split": split, "origin": origin} if origin else {"cut": split}
    return Example(str(number), source, f"Summary {number}.", label=label, meta=meta)


ROWS = [
    _row(number, split, origin, label, words)
    for number, (split, origin, label, words) in enumerate(
        (split, origin, label, words)
        for split in ("val", "test")
        for origin in ("cnndm", "xsum")
        for label in (0, 1, None)
        for words in (5, 10, 500)
    )
]


def test_worked_examples_are_two_of_each_origin_of_the_validation_split() -> None:
    drawn = worked.draw("d", ROWS)
    assert [(example.meta["origin"], example.label) for example in drawn] == [
        ("cnndm", 1), ("cnndm", 0), ("xsum", 1), ("xsum", 0),
    ]  # fmt: skip
    assert {example.meta["split"] for example in drawn} == {"val"}
    assert all(len(example.source.split()) <= 400 for example in drawn)
    assert worked.draw("d", ROWS) == drawn
    assert any(worked.draw("d", ROWS, seed=seed) != drawn for seed in range(1, 9))
    plain = worked.draw("d", [_row(1, "dev", None, 1), _row(2, "dev", None, 0)])
    assert [example.label for example in plain] == [1, 0]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([_row(1, "test", "xsum", 1), _row(2, "test", "xsum", 0)], "no labelled row is of a val"),
        ([_row(1, "val", "xsum", 1), _row(2, "val", "xsum", 1)], "of origin 'xsum' there is no"),
        ([_row(1, "val", "xsum", 1, 900), _row(2, "val", "xsum", 0)], "at most 400 words"),
    ],
)
def test_worked_examples_that_cannot_be_drawn_say_why(rows: list[Example], said: str) -> None:
    with pytest.raises(DataError, match=said):
        worked.draw("d", rows)


@pytest.mark.slow
def test_the_command_writes_examples_that_the_judge_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "load", lambda name, data_dir: ROWS)
    out = tmp_path / "examples.jsonl"
    result = CliRunner().invoke(app, ["datasets", "examples", "aggrefact", "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert f"examples={out}" in result.output.replace("\n", "")
    by_origin = examples.from_file(str(out), reasoning=False)
    assert {origin: [example.answer for example in pair] for origin, pair in by_origin.items()} == {
        "cnndm": ["yes", "no"], "xsum": ["yes", "no"],
    }  # fmt: skip
    again = CliRunner().invoke(app, ["datasets", "examples", "aggrefact", "-o", str(out)])
    assert again.exit_code == 2 and "is there already" in again.output
