"""The judged table: rows clustered by document, labels, and scores joined by id."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from tests.helpers.judged_pairs import (
    invoke,
    judged_rows,
    refused,
    saved_scores,
    table_of,
    write_rows,
)

from faithkit import ConfigError, DataError
from faithkit.evaluation.examples import judged, open_pairs, read
from faithkit.evaluation.joining import join_results
from faithkit.evaluation.judged import NO_SCORE, judged_row, labels_of

pytestmark = pytest.mark.slow


def test_rows_without_a_document_are_clustered_by_their_source_text(pairs: Path) -> None:
    table = table_of(pairs, "rouge2")
    assert len(set(table.documents)) == 20 and not table.documents_named
    assert len(table.rows) == len(table.columns["rouge2"].values) == 60


def test_document_that_only_some_rows_name_is_an_error(tmp_path: Path) -> None:
    rows = judged_rows()
    rows[7]["document"] = "7"
    with pytest.raises(DataError, match="59 of 60 rows have no document, the first '0/A'"):
        table_of(write_rows(tmp_path / "p.jsonl", rows), "rouge2")


def test_saved_scores_give_the_table_that_scoring_gives(pairs: Path) -> None:
    fresh = table_of(pairs, "rouge2", "novelty")
    with open_pairs(str(pairs)) as opened:
        joined = join_results(opened, [saved_scores(pairs, "rouge2", "novelty")])
    for name in ("rouge2", "novelty"):
        saved_column, scored = joined.columns[name], fresh.columns[name]
        assert dataclasses.replace(saved_column, unit=scored.unit) == scored
    assert joined.documents == fresh.documents


def test_saved_scores_are_joined_in_any_order(pairs: Path) -> None:
    output = saved_scores(pairs, "rouge2")
    with open_pairs(str(pairs)) as opened:
        expected = join_results(opened, [output])
    lines = output.read_text().splitlines(keepends=True)
    stranger = lines[3].replace('"id": "1/A"', '"id": "stranger"')
    assert stranger != lines[3]
    output.write_text("".join([lines[7], stranger, *lines[:7][::-1], *lines[8:]]))
    with open_pairs(str(pairs)) as opened:
        assert join_results(opened, [output]).columns == expected.columns


def test_a_file_is_the_same_table_whether_its_texts_are_held_or_not(pairs: Path) -> None:
    for name in (str(pairs), f"{pairs}[label=1]"):
        tasks, rows = read(name, None, None)
        table = judged(name, None, None)
        assert (table.name, table.tasks) == (name, tasks)
        assert list(table.rows) == [judged_row(example) for example in rows]


def test_eras_of_a_file_are_read_as_those_of_a_release(tmp_path: Path) -> None:
    rows = [row | {"era": "FTSOTA" if row["label"] else "reference"} for row in judged_rows()]
    path = write_rows(tmp_path / "p.jsonl", rows)
    table = judged(str(path), None, None)
    assert list(table.rows) == [judged_row(e) for e in read(str(path), None, None)[1]]
    assert {row.outside for row in table.rows} == {True, False}


def test_a_pair_without_a_saved_score_is_counted(pairs: Path) -> None:
    output = saved_scores(pairs, "rouge2")
    output.write_text("".join(output.read_text().splitlines(keepends=True)[:-2]))
    with open_pairs(str(pairs)) as opened:
        table = join_results(opened, [output])
    assert table.unscored("rouge2") == {NO_SCORE: ["19/B", "19/C"]}


def test_row_numbers_are_not_joined_with_the_scores_of_other_pairs(tmp_path: Path) -> None:
    first = write_rows(tmp_path / "first.jsonl", judged_rows(), drop=("id",))
    other = write_rows(tmp_path / "other.jsonl", judged_rows(seed=2), drop=("id",))
    output = saved_scores(first, "rouge2")
    assert "holds scores of" in refused("calibrate", other, "--from", output)
    assert "Threshold" in invoke("calibrate", first, "--from", output)


def test_results_that_cannot_be_joined_are_named(pairs: Path, tmp_path: Path) -> None:
    output = saved_scores(pairs, "rouge2")
    lines = output.read_text().splitlines(keepends=True)
    twice = tmp_path / "twice.jsonl"
    twice.write_text("".join([*lines, lines[0]]))
    assert "two rows of rouge2 for '0/A'" in refused("calibrate", pairs, "--from", twice)
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text("".join([lines[0].replace('"stem": false', '"stem": true'), *lines[1:]]))
    assert "two signatures" in refused("calibrate", pairs, "--from", mixed)
    renamed = [row | {"id": f"x{row['id']}"} for row in judged_rows()]
    strangers = write_rows(tmp_path / "x.jsonl", renamed)
    assert "were other pairs scored" in refused("calibrate", strangers, "--from", output)
    assert "Choices: rouge2" in refused("calibrate", pairs, "--from", output, "-m", "bleu")


def test_a_cut_off_makes_labels_of_ratings(tmp_path: Path) -> None:
    table = table_of(write_rows(tmp_path / "p.jsonl", judged_rows(), drop=("label",)), "rouge2")
    assert labels_of(table, 6) == [int(row["score"] >= 6) for row in judged_rows()]
    with pytest.raises(DataError, match=r"ratings \(0 to 8\) but no labels.*--consistent-from"):
        labels_of(table)


def test_a_part_that_no_row_has_is_a_config_error(pairs: Path) -> None:
    with pytest.raises(ConfigError, match="has no part 'x'"):
        table_of(pairs, "novelty").column("novelty").part("x")
