"""agree: long and wide tables of annotations, statistics, disagreements and wrong input."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score
from tests.helpers.judged_pairs import invoke, refused, write_rows

from faithkit import FaithkitError, meta
from faithkit.evaluation.annotations import Fields, agreement, read_annotations

pytestmark = pytest.mark.slow


def annotations(
    path: Path, rows: list[tuple[object, ...]], header: str = "item,annotator,value"
) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([tuple(header.split(",")), *rows])
    return path


RATED = [(i, who, value) for i, row in enumerate(["113", "244", "355", "511", "233", "441"])
         for who, value in zip("ABC", row, strict=True)]  # fmt: skip


def test_kappas_agree_with_scikit_learn_and_alpha_with_meta(tmp_path: Path) -> None:
    result = agreement(read_annotations(annotations(tmp_path / "a.csv", RATED)))
    columns = {who: [int(v) for _, name, v in RATED if name == who] for who in "ABC"}
    first = result.kappas[0]
    assert (first.first, first.second) == ("A", "B") and first.weighted is not None
    assert first.plain.value == pytest.approx(cohen_kappa_score(columns["A"], columns["B"]))
    assert first.weighted.value == pytest.approx(
        cohen_kappa_score(columns["A"], columns["B"], weights="quadratic", labels=[1, 2, 3, 4, 5])
    )
    items = list(zip(*columns.values(), strict=True))
    assert [alpha.value for alpha in result.alphas] == [
        meta.krippendorff_alpha(items, level).value for level in ("nominal", "ordinal", "interval")
    ]
    assert result.shares is not None
    assert (result.shares.all_same, result.shares.two_same) == (0.0, 1.0)


LABELS_OF_TWO = [(f"d{i}", i % 3, i % 3 if i % 4 else (i + 1) % 3) for i in range(24)]


def test_wide_table_is_the_long_table_with_a_column_for_each_annotator(tmp_path: Path) -> None:
    wide = annotations(tmp_path / "wide.csv", list(LABELS_OF_TWO), "id,anna,ben")
    rows = [(i, who, v) for i, *both in LABELS_OF_TWO
            for who, v in zip(("anna", "ben"), both, strict=True)]  # fmt: skip
    long = annotations(tmp_path / "long.csv", list(rows))
    from_wide, from_long = (agreement(read_annotations(path), draws=100) for path in (wide, long))
    assert dataclasses.replace(from_wide, layout=from_long.layout) == from_long
    text = invoke("agree", wide)
    assert "Read as a row for each item ('id') with a column for each annotator: anna, ben" in text
    assert "75.0% [" in text and "24 items, 2 annotators, 48 annotations" in text


def test_wide_table_leaves_texts_alone_and_takes_the_columns_that_are_named(tmp_path: Path) -> None:
    rows = [("S.", "T.", f"x{i}", "yes", "no" if i else "yes", "hm") for i in range(3)]
    path = annotations(tmp_path / "a.csv", list(rows), "source,summary,id,anna,ben,note")
    assert read_annotations(path).annotators == ("anna", "ben", "note")
    result = json.loads(invoke("agree", path, "--annotators", "anna,ben", "--json"))
    assert result["annotators"] == ["anna", "ben"]
    assert result["kappa"][0]["raw"]["value"] == pytest.approx(1 / 3)
    assert "no column 'bem'. Did you mean 'ben'" in refused(
        "agree", path, "--annotators", "anna,bem"
    )
    assert "give the one or the other" in refused(
        "agree", path, "--annotators", "anna,ben", "--value", "note"
    )
    alone = annotations(tmp_path / "b.csv", [("x1", "yes")], "id,anna")
    assert "1 column of annotators beside 'id'" in refused("agree", alone)


def test_statistics_of_agreement_have_intervals_by_item(tmp_path: Path) -> None:
    path = annotations(tmp_path / "a.csv", list(LABELS_OF_TWO), "id,anna,ben")
    result = agreement(read_annotations(path), draws=200, seed=3)
    (kappa,) = result.kappas
    for statistic in (*result.alphas, kappa.raw, kappa.plain, kappa.weighted):
        assert statistic is not None and statistic.value is not None
        assert (
            statistic.low is not None
            and statistic.high is not None
            and statistic.low < statistic.value < statistic.high
        )
    text = invoke("agree", annotations(tmp_path / "few.csv", list(LABELS_OF_TWO[:6]), "id,a,b"))
    assert "No interval: only 6 items; an interval or a test needs 10 or more" in text


def test_disagreements_are_listed_largest_first_and_written_whole(tmp_path: Path) -> None:
    rows = [("a", 1, 1), ("b", 1, 2), ("c", 5, 1), ("d", 3, ""), ("e", 4, 2)]
    path = annotations(tmp_path / "a.csv", list(rows), "id,anna,ben")
    text = invoke("agree", path, "--top", 2, "--disagreements", tmp_path / "all.csv")
    assert "The 2 largest of 3 disagreements" in text
    shown = [line.split()[0] for line in text.splitlines() if line[:2] in ("c ", "e ", "b ")]
    assert shown == ["c", "e"]
    assert (tmp_path / "all.csv").read_text() == "item,size,anna,ben\nc,4,5,1\ne,2,4,2\nb,1,1,2\n"
    invoke("agree", path, "--disagreements", tmp_path / "all.jsonl")
    first = json.loads((tmp_path / "all.jsonl").read_text().splitlines()[0])
    assert first == {"item": "c", "size": 4.0, "answers": {"anna": "5", "ben": "1"}}
    assert "written as .csv" in refused("agree", path, "--disagreements", tmp_path / "all.txt")
    named = annotations(tmp_path / "n.csv", [("a", "low", "high"), ("b", "low", "mid")], "id,x,y")
    result = agreement(read_annotations(named, order=["low", "mid", "high"]), draws=0)
    assert [(item.item, item.size, dict(item.answers)) for item in result.disagreements] == [
        ("a", 2.0, {"x": "low", "y": "high"}), ("b", 1.0, {"x": "low", "y": "mid"})]  # fmt: skip


def test_missing_annotations_are_counted(tmp_path: Path) -> None:
    rows = [row if place != 2 else (0, "C", "") for place, row in enumerate(RATED)][:-1]
    text = invoke("agree", annotations(tmp_path / "a.csv", rows))
    assert "6 items, 3 annotators, 16 annotations; 2 missing (of them 1 empty in the file)" in text
    assert "4 items with three answers" in text


def test_columns_order_and_formats_are_options(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_rows(path, [{"text": i, "who": w, "grade": g} for i, w, g in
                 [(1, "A", "low"), (1, "B", "high"), (2, "A", "mid"), (2, "B", "mid")]]
          )  # fmt: skip
    row = json.loads(
        invoke("agree", path, "--item", "text", "--annotator", "who", "--value", "grade",
               "--order", "low,mid,high", "--level", "ordinal", "--json")
    )  # fmt: skip
    (alpha,) = row["alpha"]
    assert alpha["value"] == meta.krippendorff_alpha([[0, 2], [1, 1]], "ordinal").value


def test_an_empty_text_is_missing_unless_it_is_an_answer(tmp_path: Path) -> None:
    path = annotations(tmp_path / "a.csv", [(1, "A", ""), (1, "B", ""), (1, "C", "the cat")])
    assert read_annotations(path).empty == 2
    result = agreement(read_annotations(path, empty_is_answer=True))
    assert result.shares is not None and result.shares.two_same == 1.0


@pytest.mark.parametrize(
    "other", ["partly true ", " partly  true", "partly\ttrue", "partly\xa0true"]
)
def test_blanks_make_no_other_answer(other: str, tmp_path: Path) -> None:
    rows = [(item, who, answer) for item in range(12) for who, answer in
            (("A", "partly true" if item % 2 else "no"), ("B", other if item % 2 else "no "),
             ("C", "partly true" if item % 2 else " no"))]  # fmt: skip
    path = annotations(tmp_path / "a.csv", rows)
    result = agreement(read_annotations(path))
    assert [alpha.value for alpha in result.alphas] == [1.0]
    assert all(kappa.plain.value == kappa.raw.value == 1.0 for kappa in result.kappas)
    assert result.shares is not None and result.shares.all_same == 1.0
    assert result.disagreements == ()
    graded = read_annotations(path, order=["no", " partly  true"])
    assert graded.numeric and graded.values_of("B")[:2] == [0.0, 1.0]


def test_words_and_their_case_make_another_answer(tmp_path: Path) -> None:
    rows = [(1, "A", "partly true"), (1, "B", "partlytrue"), (2, "A", "No"), (2, "B", "no")]
    result = agreement(read_annotations(annotations(tmp_path / "a.csv", rows)))
    assert result.kappas[0].raw.value == 0.0
    assert len(result.disagreements) == 2


BAD_ANNOTATIONS = {
    "twice": ([(1, "A", 2), (1, "A", 3)], (), r"line 3: 'A' judged '1' already, on line 2"),
    "mixed": ([(1, "A", 2), (1, "B", "good")], (), r"line 3, field 'value': expected a number"),
    "grade": ([(1, "A", "lo"), (1, "B", "low")], ("--order", "low,high"), r"Did you mean 'low'"),
    "names": ([(1, "A", "x"), (1, "B", "y")], ("--level", "interval"), "--order"),
    "one": ([(1, "A", 2), (2, "A", 2)], (), "only one annotator"),
    "no name": ([(1, "", 2)], (), r"line 2, field 'annotator'"),
    "empty": ([(1, "A", "")], (), "no annotations; all 1 are empty"),
    "none": ([], (), "no annotations"),
    "level": ([(1, "A", 2)], ("--level", "ordnal"), "Did you mean 'ordinal'"),
    "column": ([(1, "A", 2)], ("--value", "vlue"), "no column 'vlue'. Did you mean 'value'"),
}


@pytest.mark.parametrize("case", BAD_ANNOTATIONS)
def test_wrong_annotations_are_named(case: str, tmp_path: Path) -> None:
    rows, options, message = BAD_ANNOTATIONS[case]
    with pytest.raises(FaithkitError, match=message):
        invoke("agree", annotations(tmp_path / "a.csv", list(rows)), *options)


def test_numbers_are_names_when_only_nominal_is_asked(tmp_path: Path) -> None:
    path = annotations(
        tmp_path / "a.csv", [(1, "A", 2), (1, "B", "good"), (2, "A", 2), (2, "B", 2)]
    )
    row = json.loads(invoke("agree", path, "--level", "nominal", "--json"))
    assert row["kappa"][0]["quadratic"] is None
    assert read_annotations(path, Fields(), names=True).count == 4
