"""What annotators said as rows, and the readers that take them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.helpers.annotation_stores import Annotator, store_of, without_pilots

from faithkit import ConfigError, datasets, writing
from faithkit.annotation.export import export
from faithkit.annotation.store import ADJUDICATOR
from faithkit.datasets import treatfact, unified
from faithkit.evaluation.examples import open_pairs
from faithkit.train.labels import family, labelled


def saved(path: Path, rows: list[dict[str, object]]) -> Path:
    writing.write_jsonl(path, rows)
    return path


def verdicts(folder: Path, *by_annotator: str) -> list[Annotator]:
    """c: consistent, n: not; a letter for each item."""
    store = store_of(folder, "verdict")
    annotators = [Annotator(store, name) for name in ("anna", "ben", "chloe")[: len(by_annotator)]]
    for annotator, letters in zip(annotators, by_annotator, strict=True):
        for position, letter in enumerate(letters, start=1):
            words = {"c": "consistent", "n": "not consistent"}
            if letter in words:
                annotator.answer(position, verdict=words[letter])
    return annotators


def test_label_is_the_majoritys_and_empty_on_a_tie(tmp_path: Path) -> None:
    anna, *_ = verdicts(tmp_path, "nccc", "nnc", "ncc")
    anna.finish(4, "unclear")
    exported = export(anna.store)
    assert [row["label"] for row in exported.rows] == [0, 1, 1]
    assert exported.rows[1]["votes"] == {"0": 1, "1": 2}
    assert exported.left_out == {"unclear": 1}


def test_tie_is_counted_and_the_adjudicator_decides_it(tmp_path: Path) -> None:
    anna, _ = verdicts(tmp_path, "nc", "cc")
    exported = export(anna.store)
    assert [row["label"] for row in exported.rows] == [None, 1] and exported.undecided == 1
    Annotator(anna.store, ADJUDICATOR).answer(1, verdict="not consistent")
    exported = export(anna.store)
    assert [row["label"] for row in exported.rows] == [0, 1]
    assert (exported.undecided, exported.decided) == (0, 1)
    assert [a["annotator"] for a in exported.rows[0]["annotations"]] == [ADJUDICATOR]
    assert [a["annotator"] for a in exported.rows[0]["not_counted"]] == ["anna", "ben"]


def test_rows_are_read_as_labelled_pairs(tmp_path: Path) -> None:
    anna, *_ = verdicts(tmp_path, "nccn")
    path = saved(tmp_path / "rows.jsonl", export(anna.store).rows)
    with open_pairs(str(path)) as pairs:
        rows = pairs.table().rows
    assert [row.label for row in rows] == [0, 1, 1, 0]
    assert {row.document for row in rows} == {"library"}


def test_majority_spans_are_the_words_that_most_marked(tmp_path: Path) -> None:
    store = store_of(tmp_path, "spans")
    for name, text, kind in [
        ("anna", "eleven months", "intrinsic-NP"),
        ("ben", "months.", "intrinsic-NP"),
        ("chloe", "months", "extrinsic-NP"),
    ]:
        annotator = Annotator(store, name)
        annotator.mark(1, "errors", text, kind, "major")
        annotator.finish(1)
        annotator.finish(2)
    rows = export(store).rows
    summary = rows[0]["summary"]
    (span,) = rows[0]["spans"]
    assert (summary[span[0] : span[1]], *span[2:]) == ("months", "intrinsic-NP", "majority")
    assert [row["label"] for row in rows] == [0, 1]
    example = next(unified.read([saved(tmp_path / "rows.jsonl", rows)]))
    assert [(s.start, s.end, s.label) for s in example.spans] == [(span[0], span[1], span[2])]
    assert example.meta["error_types"] == ["intrinsic-NP"]


def test_training_reads_majority_words_and_shares_of_struck_words(tmp_path: Path) -> None:
    store = store_of(tmp_path, "lss")
    for name, text in (("anna", "eleven months"), ("ben", "months")):
        annotator = Annotator(store, name)
        annotator.strike(1, "lss", text)
        annotator.answer(1, rating=3)
        annotator.answer(2, rating=5)
    rows = export(store).rows
    assert [(row["label"], row["score"]) for row in rows] == [(0, 3.0), (1, 5.0)]
    assert rows[0]["annotations"][0]["lss"] == "The council will close the library for ."
    path = saved(tmp_path / "rows.jsonl", rows)
    first, second = labelled([str(path)], tmp_path)
    shares = {first.summary[a:b]: share for a, b, share in first.labels}
    assert (shares["eleven"], shares["months"], shares["library"], shares["."]) == (0.5, 1, 0, 0)
    assert {share for *_, share in second.labels} == {0.0}
    assert first.target is not None and first.target[0] == 0.0 and family(first.file) == "own"


@pytest.mark.slow
def test_lss_rows_have_the_shape_that_the_generator_is_trained_on(tmp_path: Path) -> None:
    from faithkit.train.lss import gold, read

    store = store_of(tmp_path, "lss")
    anna = Annotator(store, "anna")
    anna.strike(1, "lss", "for eleven months")
    anna.answer(1, rating=3)
    path = saved(tmp_path / "rows.jsonl", export(store).rows)
    (row,) = read(str(path))
    assert gold(row) == "The council will close the library ."


def test_treatfact_rows_are_read_by_its_dataset(tmp_path: Path) -> None:
    store = store_of(tmp_path, "treatfact")
    anna = Annotator(store, "anna")
    for name in ("population", "intervention", "comparison", "outcomes"):
        anna.do(1, "set", f"{name}_mentioned", "no")
    anna.do(1, "set", "other", True)
    anna.mark(1, "other_span", "months", "misrepresentation")
    anna.mark(1, "other_truth", "weeks", "truth", side="source")
    anna.answer(1, strength_right="NA", direction_right="no", direction_summary="positive",
                direction_abstract="no effect", overall=1)  # fmt: skip
    exported = export(store, "treatfact")
    path = tmp_path / "rows.csv"
    writing.write_csv(path, exported.rows, exported.fields)
    (example,) = treatfact.read([path])
    assert (example.rating, example.label, example.document) == (1, 0, "library")
    assert example.meta["protocol"]["direction_abstract"] == "no effect"
    assert "population_consistent" not in example.meta["protocol"]
    assert (example.meta["other_span"], example.meta["other_truth"]) == ("months", "weeks")
    assert "treatfact" in datasets.DATASETS


def test_shape_that_the_task_has_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has not the questions of TreatFact"):
        export(store_of(tmp_path, "rating"), "treatfact")


def test_pairwise_rows_name_the_preferred_summary(tmp_path: Path) -> None:
    store = store_of(tmp_path, "pairwise")
    anna, ben = Annotator(store, "anna"), Annotator(store, "ben")
    for annotator in (anna, ben):
        annotator.answer(1, better="second")
    anna.answer(2, better="first")
    ben.answer(2, better="same")
    exported = export(store)
    assert [row["preferred"] for row in exported.rows] == [0, 1, None, None]
    assert [row["example"] for row in exported.rows] == ["s1", "s2", "s1", "s3"]


def test_pairs_of_a_task_that_asks_for_no_preference_are_long_rows_only(tmp_path: Path) -> None:
    task = without_pilots("rating")
    store = store_of(tmp_path, replace(task, items="pairs"))
    Annotator(store, "anna").answer(1, rating=3)
    with pytest.raises(ConfigError, match="no question with the choices first and second"):
        export(store)
    assert [row["value"] for row in export(store, "long").rows] == [3]


def test_long_rows_have_every_answer_and_nothing_of_pilots(tmp_path: Path) -> None:
    from faithkit.annotation.task_files import load

    store = store_of(tmp_path, load("spans"))
    anna = Annotator(store, "anna")
    anna.finish(1)
    anna.mark(2, "errors", "months", "intrinsic-NP", "minor")
    anna.finish(2)
    (row,) = export(store, "long").rows
    assert (row["item"], row["annotator"], row["question"]) == ("s1", "anna", "errors")
    assert '"severity": "minor"' in row["value"]
