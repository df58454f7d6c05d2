"""Rows of scores, written and read in every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from faithkit import files
from faithkit.columns import Columns
from faithkit.files import Rows
from faithkit.records import (
    Coverage,
    DataError,
    Evidence,
    Example,
    Outcome,
    Score,
    Signature,
    Span,
)
from faithkit.report.views import ShownMetric
from tests.helpers.flat_rows import flattened
from tests.helpers.pair_files import (
    ROWS,
    pairs,
    write_jsonl,
)

KNOWN = "known:power=2,letters=true"
SCORES = [
    Score(
        "a,\t\"b\"\n1",
        KNOWN,
        0.1 + 0.2,
        parts={"words": 3.0, "naïve": -1e-300},
        spans=(Span(0, 3, "unsupported", 0.125), Span(4, 5)),
        evidence=(Evidence(1, 2, 0, 3, score=0.5),),
        coverage=Coverage(source_tokens=7, source_tokens_cut=2),
        signature=Signature("known", {"power": 2.0, "none": None}, {"model": "mini@53"}, "senter"),
        texts={"lss": "a,\t\"b\"\nc"},
    ),
    Score("2", KNOWN, None, Outcome.NO_CONTENT, signature=Signature("known")),
    Score("\u2028\x00", KNOWN, 1.0, Outcome.NO_CLAIMS),
]  # fmt: skip
EXAMPLES = [Example(score.id, "source", "summary") for score in SCORES]
METRICS = {KNOWN: ShownMetric(KNOWN, "share of words")}


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_scores_come_back_as_they_were_written_in_each_format(tmp_path: Path, ending: str) -> None:
    journal = tmp_path / "journal.jsonl"
    journal.write_text("".join(map(files.to_line, SCORES)), encoding="utf-8", newline="")
    target = tmp_path / f"out.{ending}"
    if ending == "jsonl":
        target = journal
    else:
        files.export(journal, target, EXAMPLES, METRICS)
    assert list(files.score_lines(target)) == (SCORES if ending == "jsonl" else flattened(SCORES))
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"journal.jsonl", target.name}


@pytest.mark.slow
def test_a_large_parquet_is_written_in_blocks(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    lines = (files.to_line(Score(str(n), "m", n / 2)) for n in range(5000))
    journal.write_text("".join(lines))
    examples = [Example(str(n), "source", "summary") for n in range(5000)]
    files.export(journal, tmp_path / "out.parquet", examples, {"m": ShownMetric("m", "share")})
    found = list(files.score_lines(tmp_path / "out.parquet"))
    assert [(s.id, s.value) for s in found] == [(str(n), n / 2) for n in range(5000)]


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("s.jsonl", '{"id": "1"}\n', "line 1: this is not a row of scores"),
        ("s.jsonl", "{\n", "line 1: not valid JSON"),
        ("s.csv", "id,metric\n1,m\n", "line 2: this is not a row of scores"),
        ("s.csv", "id,metric,outcome,value\n1,m,ok,high\n", "line 2: this is not a row of scores"),
        ("s.csv", "id,metric,outcome,signature\n1,m,no_content,[\n", "line 2: this is not"),
    ],
)
def test_a_file_that_holds_no_scores_is_named_with_its_line(
    tmp_path: Path, name: str, text: str, what: str
) -> None:
    path = pairs(tmp_path / name, text)
    with pytest.raises(DataError) as caught:
        list(files.score_lines(path))
    assert str(caught.value).startswith(f"{path}, {what}")


@pytest.mark.parametrize("name", ["no.csv", "no"])
def test_a_missing_file_of_scores_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=rf"{name}: no such file"):
        list(files.score_lines(tmp_path / name))


def test_rows_can_be_read_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write_jsonl(path, ROWS)
    rows = files.check(path, "jsonl", Columns())
    assert isinstance(rows, Rows)
    assert list(rows) == list(rows)
