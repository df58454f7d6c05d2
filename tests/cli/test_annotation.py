"""annotate, export and agree on a store, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.helpers.annotation_server import write_pairs
from tests.helpers.annotation_stores import Annotator, store_of
from tests.helpers.command_line import faithkit, refused

from faithkit.annotation.store import Store
from faithkit.evaluation.examples import open_pairs


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Two annotators; they differ on the second of three items."""
    monkeypatch.chdir(tmp_path)
    store = store_of(tmp_path, "verdict")
    for name, verdicts in (("anna", (0, 1, 1)), ("ben", (0, 0, 1))):
        annotator = Annotator(store, name)
        for position, label in enumerate(verdicts, start=1):
            annotator.answer(position, verdict="consistent" if label else "not consistent")
    return store


def test_export_is_a_file_of_labelled_pairs(judged: Store) -> None:
    said = faithkit("export", "a.sqlite", "-o", "rows.jsonl").stdout
    assert (
        "3 rows" in said and "1 without a majority" in said and "1 items left out: not done" in said
    )
    with open_pairs("rows.jsonl") as pairs:
        assert [example.label for example in pairs] == [0, None, 1]
    assert "--shape long or treatfact as .csv or .tsv too" in refused(
        "export", "a.sqlite", "-o", "rows.csv"
    )


def test_agree_reads_a_store(judged: Store) -> None:
    found = faithkit("agree", "a.sqlite", "--draws", "20", "--json", "--disagreements", "d.csv")
    verdict = json.loads(found.stdout)[0]
    assert verdict["question"] == "verdict"
    assert verdict["answers"]["kappa"][0]["raw"]["value"] == pytest.approx(2 / 3)
    assert Path("d.csv").read_text() == (
        "question,item,size,anna,ben\nverdict,s2,1.0,consistent,not consistent\n"
    )
    said = faithkit("agree", "a.sqlite", "--draws", "20").stdout
    assert "== evidence ==" in said and "1 items to adjudicate" in said


def test_options_for_tables_are_refused_on_a_store(judged: Store) -> None:
    assert refused("agree", "a.sqlite", "--value", "verdict").startswith("--value is for tables")
    assert refused("agree", "a.sqlite", "--level", "nominal").startswith("--level is for tables")


def test_wrong_arguments_of_annotate_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_pairs(tmp_path)
    assert "Did you mean 'verdict'" in refused(
        "annotate", "verdct", "pairs.jsonl", "-o", "b.sqlite"
    )
    assert "needs PAIRS and -o STORE" in refused("annotate", "verdict")
    assert "this is written as .sqlite" in refused(
        "annotate", "verdict", "pairs.jsonl", "-o", "b.db"
    )
    assert "--overlap needs --annotators" in refused(
        "annotate", "verdict", "pairs.jsonl", "-o", "b.sqlite", "--overlap", "2", "--port", "0"
    )


def test_shipped_task_is_saved_as_a_file_to_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from faithkit.annotation.task_files import load

    monkeypatch.chdir(tmp_path)
    faithkit("annotate", "treatfact", "--save-task", "own.toml")
    assert load("own.toml") == load("treatfact")
    faithkit("annotate", "treatfact", "--save-task", "own.toml")
    with Path("own.toml").open("a") as file:
        file.write("# changed\n")
    error = refused("annotate", "treatfact", "--save-task", "own.toml")
    assert "own.toml exists and differs from the task 'treatfact'" in error
    assert Path("own.toml").read_text().endswith("# changed\n")
