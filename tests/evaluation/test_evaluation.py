"""calibrate, combine, agree and leaderboard: what they compute, print and write, and what they say
of wrong input. Commands run in this process, on a program of their own."""

from __future__ import annotations

import csv
import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from scipy.stats import spearmanr
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, roc_auc_score
from tests.helpers.paths import HELPERS
from typer.testing import CliRunner

from faithkit import ConfigError, DataError, FaithkitError, meta
from faithkit.cache import Cache
from faithkit.cli import evaluation as cli_evaluation
from faithkit.evaluation.annotations import Fields, agreement, read_annotations
from faithkit.evaluation.judged import (
    NO_ROW,
    Table,
    join_results,
    labels_of,
    open_pairs,
    score_pairs,
    validation_rows,
)
from faithkit.evaluation.leaderboard import board, systems_of
from faithkit.evaluation.learning import Recipe, combine, learn, weighted
from faithkit.models.runtime import Runtime
from faithkit.run import prepare, run_to_file

pytestmark = pytest.mark.slow

TINY = HELPERS / "tiny_metrics.py"
WORDS = (
    "council", "library", "mayor", "vote", "budget", "school", "river", "bridge", "road", "market",
    "train", "station", "park",
)  # fmt: skip
app = typer.Typer()
cli_evaluation.register(app)


def made(documents: int = 20, seed: int = 1) -> list[dict[str, Any]]:
    """Sixty pairs whose faithfulness is the number of words that were left alone."""
    draw = random.Random(seed)
    rows = []
    for document in range(documents):
        words = [draw.choice(WORDS) for _ in range(40)]
        for system, most in (("A", 2), ("B", 5), ("C", 8)):
            wrong = draw.randint(0, most)
            summary = words[:8]
            for place in draw.sample(range(8), wrong):
                summary[place] = f"Paris{place}"
            rows.append({"id": f"{document}/{system}", "source": " ".join(words) + ".",
                         "summary": " ".join(summary) + ".", "system": system,
                         "score": 8 - wrong, "label": int(wrong < 3)})  # fmt: skip
    return rows


def write(path: Path, rows: list[dict[str, Any]], drop: tuple[str, ...] = ()) -> Path:
    lines = [json.dumps({k: v for k, v in row.items() if k not in drop}) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write(tmp_path / "pairs.jsonl", made())


def table_of(path: Path, *metrics: str) -> Table:
    with open_pairs(str(path)) as found, Cache(None) as store:
        return score_pairs(found, prepare(metrics, Runtime(offline=True)), store)


def invoke(*arguments: object, code: int = 0) -> str:
    found = CliRunner().invoke(app, [str(one) for one in arguments])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == code, found.output
    return found.stdout


def refused(*arguments: object) -> str:
    with pytest.raises(FaithkitError) as error:
        invoke(*arguments)
    return str(error.value)


# --- pairs and their scores ---


def test_rows_without_a_document_are_clustered_by_their_source_text(pairs: Path) -> None:
    table = table_of(pairs, "rouge2")
    assert len(set(table.documents)) == 20 and not table.declared
    assert [len(column) for column in (table.ids, table.labels, table.scores["rouge2"])] == [60] * 3


def test_document_that_only_some_rows_name_is_an_error(tmp_path: Path) -> None:
    rows = made()
    rows[7]["document"] = "7"
    with pytest.raises(DataError, match="59 of 60 rows have no document, the first '0/A'"):
        table_of(write(tmp_path / "p.jsonl", rows), "rouge2")


def saved(path: Path, *metrics: str) -> Path:
    output = path.with_suffix(".out.jsonl")
    from faithkit import files

    with files.open_pairs(str(path)) as rows, Cache(None) as store:
        run_to_file(rows, prepare(metrics, Runtime(offline=True)), output, store)
    return output


def test_saved_scores_give_the_table_that_scoring_gives(pairs: Path) -> None:
    fresh = table_of(pairs, "rouge2", "novelty")
    with open_pairs(str(pairs)) as found:
        joined = join_results(found, [saved(pairs, "rouge2", "novelty")])
    for name in ("rouge2", "novelty"):
        assert joined.values(name) == fresh.values(name)
        assert joined.signatures[name] == fresh.signatures[name]
    assert joined.documents == fresh.documents


def test_a_pair_without_a_saved_score_is_counted(pairs: Path) -> None:
    output = saved(pairs, "rouge2")
    output.write_text("".join(output.read_text().splitlines(keepends=True)[:-2]))
    with open_pairs(str(pairs)) as found:
        table = join_results(found, [output])
    assert table.unscored("rouge2") == {NO_ROW: ["19/B", "19/C"]}


def test_row_numbers_are_not_joined_with_the_scores_of_other_pairs(tmp_path: Path) -> None:
    first = write(tmp_path / "first.jsonl", made(), drop=("id",))
    other = write(tmp_path / "other.jsonl", made(seed=2), drop=("id",))
    output = saved(first, "rouge2")
    assert "holds scores of" in refused("calibrate", other, "--from", output)
    assert "Threshold" in invoke("calibrate", first, "--from", output)


def test_results_that_cannot_be_joined_are_named(pairs: Path, tmp_path: Path) -> None:
    output = saved(pairs, "rouge2")
    lines = output.read_text().splitlines(keepends=True)
    twice = tmp_path / "twice.jsonl"
    twice.write_text("".join([*lines, lines[0]]))
    assert "two rows of rouge2 for '0/A'" in refused("calibrate", pairs, "--from", twice)
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text("".join([lines[0].replace('"stem": false', '"stem": true'), *lines[1:]]))
    assert "two signatures" in refused("calibrate", pairs, "--from", mixed)
    strangers = write(tmp_path / "x.jsonl", [row | {"id": f"x{row['id']}"} for row in made()])
    assert "were other pairs scored" in refused("calibrate", strangers, "--from", output)
    assert "Choices: rouge2" in refused("calibrate", pairs, "--from", output, "-m", "bleu")


# --- calibrate ---


def test_a_cut_off_makes_labels_of_ratings(tmp_path: Path) -> None:
    table = table_of(write(tmp_path / "p.jsonl", made(), drop=("label",)), "rouge2")
    assert labels_of(table, 6) == [int(row["score"] >= 6) for row in made()]
    with pytest.raises(DataError, match=r"ratings \(0 to 8\) but no labels.*--consistent-from"):
        labels_of(table)


def test_calibration_agrees_with_scikit_learn(pairs: Path) -> None:
    table = table_of(pairs, "novelty")
    found = learn(table, Recipe()).calibrated
    assert found is not None
    values, labels = np.array(table.values("novelty"), dtype=float), np.array(table.labels)
    assert found.auc.value == pytest.approx(roc_auc_score(labels, values))
    decided = values >= found.result.calibration.threshold
    assert found.accuracy == pytest.approx(balanced_accuracy_score(labels, decided))
    share = labels.mean()
    assert found.constant.brier == pytest.approx(share * (1 - share))
    assert found.before is not None
    assert found.before.brier == pytest.approx(float(((values - labels) ** 2).mean()))


def test_a_score_outside_0_to_1_is_not_read_as_a_probability(pairs: Path) -> None:
    table = table_of(pairs, "novelty")
    shifted = [None if value is None else value + 1 for value in table.values("novelty")]
    from faithkit.evaluation.learning import calibrate

    assert calibrate("novelty", shifted, table.labels, table.documents).before is None


def test_calibrate_writes_a_calibration_that_loads_and_a_plot(pairs: Path, tmp_path: Path) -> None:
    output, plot = tmp_path / "cal.json", tmp_path / "rel.png"
    text = invoke("calibrate", pairs, "-m", "novelty", "-o", output, "--plot", plot)
    row = json.loads(output.read_text())
    loaded = meta.Calibration.from_dict(row["calibration"])
    found = learn(table_of(pairs, "novelty"), Recipe()).calibrated
    assert found is not None and loaded == found.result.calibration
    assert row["signature"]["metric"] == "novelty" and plot.stat().st_size > 1000
    for wanted in ("60 rows, 20 documents", "Threshold", "Abstention band", "Brier", "0.9 to 1.0"):
        assert wanted in text


def split_in_two(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every other document is of the validation split."""
    return [row | {"split": "val" if int(row["id"].split("/")[0]) % 2 else "test"} for row in rows]


def test_calibration_uses_the_validation_split_and_says_so(tmp_path: Path) -> None:
    file, output = write(tmp_path / "p.jsonl", split_in_two(made(40))), tmp_path / "cal.json"
    options = ("-m", "novelty", "-o", output, "--draws", 50)
    text = invoke("calibrate", file, *options)
    used = "60 of 120 rows used, those of the validation split; left out: 60 of test"
    assert f"{used} (--all-rows takes them too)" in text and "fitted on 60 rows" in text
    saved = json.loads(output.read_text())
    assert (saved["rows"], saved["rows_used"]) == (60, used)
    own = write(tmp_path / "val.jsonl", [r for r in split_in_two(made(40)) if r["split"] == "val"])
    assert "rows used" not in invoke("calibrate", own, *options)
    assert json.loads(output.read_text())["calibration"] == saved["calibration"]
    assert "fitted on 120 rows" in invoke("calibrate", file, *options, "--all-rows")


def test_only_validation_rows_are_scored_and_saved_scores_are_cut_alike(tmp_path: Path) -> None:
    file = write(tmp_path / "p.jsonl", split_in_two(made(40)), drop=("id",))
    with open_pairs(str(file)) as found, Cache(None) as store:
        table = score_pairs(
            validation_rows(found), prepare(["novelty"], Runtime(offline=True)), store
        )
        assert len(table.ids) == 60 and table.ids[0] == "4"
    fresh = invoke("calibrate", file, "-m", "novelty", "--draws", 50)
    assert invoke("calibrate", file, "--from", saved(file, "novelty"), "--draws", 50) == fresh


def test_combination_is_learned_from_the_validation_split(tmp_path: Path) -> None:
    file = write(tmp_path / "p.jsonl", split_in_two(made(40)))
    options = ("combine", file, "-m", "novelty", "-m", "rouge2", "--folds", 5, "--draws", 50)
    assert json.loads(invoke(*options, "--json"))["n"] == 60
    found = json.loads(invoke(*options, "--json", "--all-rows"))
    assert (found["n"], found["rows_used"]) == (120, "all")


def test_inverted_labels_get_a_hint(pairs: Path, tmp_path: Path) -> None:
    turned = [row | {"label": 1 - row["label"]} for row in made()]
    text = invoke("calibrate", write(tmp_path / "t.jsonl", turned), "-m", "novelty", "--draws", 100)
    assert "The labels look inverted (AUC 0." in text and "--labels 1=0,0=1" in text
    assert "look inverted" not in invoke("calibrate", pairs, "-m", "novelty", "--draws", 100)


def test_held_out_calibration_worse_than_the_score_is_said(tmp_path: Path) -> None:
    # The labels are drawn at random, so whatever is fitted loses on other documents.
    draw = random.Random(5)
    rows = [row | {"label": draw.randint(0, 1)} for row in made(20)]
    table = table_of(write(tmp_path / "p.jsonl", rows), "novelty")
    found = learn(table, Recipe(draws=50)).calibrated
    assert found is not None and found.result.reliability.brier is not None
    assert found.constant.brier is not None
    assert found.result.reliability.brier > found.constant.brier
    text = "\n".join(found.warnings())
    assert "Held out, the calibrated probability is worse than always giving the share" in text
    exact = dataclasses.replace(found, before=found.constant)
    assert "worse than the score itself (Brier 0." in "\n".join(exact.warnings())


def test_unscored_and_unlabelled_rows_are_named(tmp_path: Path) -> None:
    rows = made()
    rows[4]["summary"] = ""
    del rows[9]["label"]
    path = write(tmp_path / "p.jsonl", rows)
    text = invoke("calibrate", path, "-m", "rouge2")
    assert "rouge2: 1 unscored, no_content: 1/B" in text
    assert "1 unscored, 1 unlabelled" in text
    row = json.loads(invoke("calibrate", path, "-m", "rouge2", "--json"))
    assert row["unscored_rows"] == {"no_content": ["1/B"]}
    assert row["unlabelled_rows"] == ["3/A"]
    invoke("calibrate", path, "-m", "rouge2", "--strict", code=3)


def test_weights_of_parts_are_found_held_out_and_loadable(pairs: Path, tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    arguments = ("calibrate", pairs, "-m", "novelty", "--parts", "coverage,novel_2gram")
    row = json.loads(invoke(*arguments, "--save-weights", file, "--json"))
    weights = row["weights"]["weights"]
    table = table_of(pairs, "novelty")
    columns = {part: table.part("novelty", part) for part in weights}
    best = meta.search_weights(columns, list(table.labels))
    assert weights == best.weights and row["weights"]["held_out"] is not None
    (one,) = prepare([f"combine:file={file}"])
    with open_pairs(str(pairs)) as found:
        scores = one.metric.score(list(found.examples))
    assert [score.value for score in scores] == pytest.approx(weighted(columns, weights))


def test_held_out_weights_never_see_the_rows_they_are_judged_on(tmp_path: Path) -> None:
    # Labels that say nothing: searched they look learnable, held out they do not.
    draw = random.Random(5)
    rows = [row | {"label": draw.randint(0, 1)} for row in made(documents=60)]
    table = table_of(write(tmp_path / "p.jsonl", rows), "novelty")
    parts = ("coverage", "novel_2gram", "density", "conciseness")
    found = learn(table, Recipe(parts=parts)).weights
    assert found is not None and found.held_out is not None and found.search.value is not None
    assert found.search.value > 0.55 and found.held_out < found.search.value


def test_weights_for_spearman_need_ratings_only(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", made(), drop=("label",))
    arguments = ("calibrate", path, "-m", "novelty", "--parts", "coverage,density",
                 "--objective", "spearman")  # fmt: skip
    row = json.loads(invoke(*arguments, "--json"))
    table = table_of(path, "novelty")
    columns = {part: table.part("novelty", part) for part in ("coverage", "density")}
    sums = weighted(columns, row["weights"]["weights"])
    assert row["weights"]["value"] == pytest.approx(spearmanr(sums, table.ratings).statistic)
    assert "calibration" not in row
    assert "--consistent-from" in refused(*arguments, "-o", tmp_path / "c.json")


# --- combine ---


def test_the_combination_is_the_statistic_of_meta(pairs: Path) -> None:
    table = table_of(pairs, "rouge2", "novelty")
    found = combine(table, folds=5, growing=True)
    columns = {name: table.values(name) for name in ("rouge2", "novelty")}
    expected = meta.learn_combination(columns, list(table.ratings), table.documents, folds=5)
    assert found.target == "rating" and found.result == expected
    assert len(found.growth) == 2
    assert found.growth[0].mean_spearman == max(
        value for value in found.alone.values() if value is not None
    )


def test_labels_stand_in_where_there_are_no_ratings(tmp_path: Path) -> None:
    table = table_of(write(tmp_path / "p.jsonl", made(), drop=("score",)), "rouge2", "novelty")
    assert combine(table, folds=5).target == "label"


def test_a_saved_combination_scores_as_it_was_fitted(pairs: Path, tmp_path: Path) -> None:
    file, plot = tmp_path / "comb.json", tmp_path / "growth.svg"
    text = invoke("combine", pairs, "-m", "rouge2", "-m", "novelty", "--folds", 5, "--growing",
                  "-o", file, "--plot", plot)  # fmt: skip
    table = table_of(pairs, "rouge2", "novelty")
    fitted = combine(table, folds=5).result.combination
    expected = fitted.apply({name: table.values(name) for name in ("rouge2", "novelty")})
    assert table_of(pairs, f"combine:file={file}").values(f"combine:file={file}") == pytest.approx(
        expected
    )
    assert f"-m combine:file={file}" in text and "Spearman alone" in text and "growing" in text
    assert plot.read_bytes().startswith(b"<?xml")


def test_combining_saved_scores_gives_the_same_file(pairs: Path, tmp_path: Path) -> None:
    scored, joined = tmp_path / "scored.json", tmp_path / "joined.json"
    invoke("combine", pairs, "-m", "rouge2", "-m", "novelty", "-o", scored)
    invoke("combine", pairs, "--from", saved(pairs, "rouge2", "novelty"), "-o", joined)
    assert scored.read_text() == joined.read_text()


# --- agree ---


def annotations(
    path: Path, rows: list[tuple[object, ...]], header: str = "item,annotator,value"
) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([tuple(header.split(",")), *rows])
    return path


RATED = [(i, who, value) for i, row in enumerate(["113", "244", "355", "511", "233", "441"])
         for who, value in zip("ABC", row, strict=True)]  # fmt: skip


def test_kappas_agree_with_scikit_learn_and_alpha_with_meta(tmp_path: Path) -> None:
    found = agreement(read_annotations(annotations(tmp_path / "a.csv", RATED)))
    columns = {who: [int(v) for _, name, v in RATED if name == who] for who in "ABC"}
    first = found.kappas[0]
    assert (first.first, first.second) == ("A", "B") and first.weighted is not None
    assert first.plain.value == pytest.approx(cohen_kappa_score(columns["A"], columns["B"]))
    assert first.weighted.value == pytest.approx(
        cohen_kappa_score(columns["A"], columns["B"], weights="quadratic", labels=[1, 2, 3, 4, 5])
    )
    items = list(zip(*columns.values(), strict=True))
    assert [alpha.value for alpha in found.alphas] == [
        meta.krippendorff_alpha(items, level).value for level in ("nominal", "ordinal", "interval")
    ]
    assert found.shares is not None
    assert (found.shares.all_same, found.shares.two_same) == (0.0, 1.0)


LABELS_OF_TWO = [(f"d{i}", i % 3, i % 3 if i % 4 else (i + 1) % 3) for i in range(24)]


def test_wide_table_is_the_long_table_with_a_column_for_each_annotator(tmp_path: Path) -> None:
    wide = annotations(tmp_path / "wide.csv", list(LABELS_OF_TWO), "id,anna,ben")
    rows = [(i, who, v) for i, *both in LABELS_OF_TWO
            for who, v in zip(("anna", "ben"), both, strict=True)]  # fmt: skip
    long = annotations(tmp_path / "long.csv", list(rows))
    one, two = (agreement(read_annotations(path), draws=100) for path in (wide, long))
    assert dataclasses.replace(one, layout=two.layout) == two
    text = invoke("agree", wide)
    assert "Read as a row for each item ('id') with a column for each annotator: anna, ben" in text
    assert "75.0% [" in text and "24 items, 2 annotators, 48 annotations" in text


def test_wide_table_leaves_texts_alone_and_takes_the_columns_that_are_named(tmp_path: Path) -> None:
    rows = [("S.", "T.", f"x{i}", "yes", "no" if i else "yes", "hm") for i in range(3)]
    path = annotations(tmp_path / "a.csv", list(rows), "source,summary,id,anna,ben,note")
    assert read_annotations(path).annotators == ("anna", "ben", "note")
    found = json.loads(invoke("agree", path, "--annotators", "anna,ben", "--json"))
    assert found["annotators"] == ["anna", "ben"]
    assert found["kappa"][0]["raw"]["value"] == pytest.approx(1 / 3)
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
    found = agreement(read_annotations(path), draws=200, seed=3)
    (kappa,) = found.kappas
    for one in (*found.alphas, kappa.raw, kappa.plain, kappa.weighted):
        assert one is not None and one.value is not None
        assert one.low is not None and one.high is not None and one.low < one.value < one.high
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
    found = agreement(read_annotations(named, order=["low", "mid", "high"]), draws=0)
    assert [(one.item, one.size, dict(one.answers)) for one in found.disagreements] == [
        ("a", 2.0, {"x": "low", "y": "high"}), ("b", 1.0, {"x": "low", "y": "mid"})]  # fmt: skip


def test_missing_annotations_are_counted(tmp_path: Path) -> None:
    rows = [row if place != 2 else (0, "C", "") for place, row in enumerate(RATED)][:-1]
    text = invoke("agree", annotations(tmp_path / "a.csv", rows))
    assert "6 items, 3 annotators, 16 annotations; 2 missing (of them 1 empty in the file)" in text
    assert "4 items with three answers" in text


def test_columns_order_and_formats_are_options(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write(path, [{"text": i, "who": w, "grade": g} for i, w, g in
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
    found = agreement(read_annotations(path, empty_is_answer=True))
    assert found.shares is not None and found.shares.two_same == 1.0


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
    assert read_annotations(path, Fields(), names=True).given == 4


# --- leaderboard ---


def per_system(tmp_path: Path) -> list[Path]:
    return [
        write(tmp_path / f"{name}.jsonl", [row for row in made() if row["system"] == name],
              drop=("system",))
        for name in "CAB"
    ]  # fmt: skip


def test_the_mean_the_interval_and_the_tests_are_those_of_meta(pairs: Path) -> None:
    table = table_of(pairs, "novelty")
    found = board([table], "novelty", draws=500)
    rows = list(zip(table.systems, table.values("novelty"), strict=True))
    values = {name: [value for own, value in rows if own == name] for name in "ABC"}
    assert [one.system for one in found.standings] == ["A", "B", "C"]
    groups = list(dict.fromkeys(table.documents))
    assert found.standings[0].mean == meta.estimate(
        meta.MEAN, meta.sample(values["A"], groups=groups), draws=500
    )
    assert found.pairs == tuple(
        meta.compare_all(meta.MEAN, values, meta.Rows(groups=groups), draws=500)
    )
    assert all(pair.adjusted is not None and pair.minimum_detectable for pair in found.pairs)
    assert found.wins == meta.win_matrix(values)
    assert (found.documents, found.shared) == (20, 20)


def test_a_file_for_each_system_is_as_good_as_a_column(pairs: Path, tmp_path: Path) -> None:
    one = json.loads(invoke("leaderboard", pairs, "-m", "novelty", "--draws", 200, "--json"))
    many = json.loads(
        invoke("leaderboard", *per_system(tmp_path), "-m", "novelty", "--draws", 200, "--json")
    )
    for row in (one, many):
        row[0]["systems"].sort(key=lambda item: item["system"])
    assert [s["mean"]["value"] for s in one[0]["systems"]] == pytest.approx(
        [s["mean"]["value"] for s in many[0]["systems"]]
    )
    assert {p["first"] + p["second"]: p["n"] for p in many[0]["pairs"]} == dict.fromkeys(
        ("AB", "AC", "BC"), 20
    )


def test_one_file_of_systems_with_an_id_for_each_document(pairs: Path, tmp_path: Path) -> None:
    rows = [row | {"id": row["id"].split("/")[0]} for row in made()]
    file = write(tmp_path / "p.jsonl", rows)
    options = ("-m", "rouge2", "--draws", 100)
    wanted = invoke("leaderboard", pairs, *options)
    assert invoke("leaderboard", file, *options) == wanted
    # Saved scores of such a file are joined again.
    scores = saved(file, "rouge2")
    ids = [json.loads(line)["id"] for line in Path(scores).read_text().splitlines()]
    assert ids[:3] == ["0/A", "0/B", "0/C"]
    assert invoke("leaderboard", file, "--from", scores, "--draws", 100) == wanted


def test_documents_that_not_all_have_are_counted_and_left_out_of_the_tests(tmp_path: Path) -> None:
    rows = [row for row in made() if row["id"] not in ("0/A", "1/A")]
    rows[0]["summary"] = ""
    text = invoke("leaderboard", write(tmp_path / "p.jsonl", rows), "-m", "novelty", "--draws", 100)
    assert "20 documents, 18 with a score of every system" in text
    assert "mean on shared" in text and "1 no_content" in text
    row = json.loads(
        invoke("leaderboard", tmp_path / "p.jsonl", "-m", "novelty", "--draws", 100, "--json")
    )
    counted = {s["system"]: (s["rows"], s["mean"]["n"]) for s in row[0]["systems"]}
    assert counted == {"A": (18, 18), "B": (20, 19), "C": (20, 20)}


def test_leaderboard_of_two_documents_gives_means_and_no_test(tmp_path: Path) -> None:
    file = write(tmp_path / "p.jsonl", made(documents=2))
    output = tmp_path / "board.md"
    text = invoke("leaderboard", file, "-m", "novelty", "-o", output)
    few = "only 2 documents; an interval or a test needs 10 or more"
    for shown in (text, output.read_text(encoding="utf-8")):
        assert f"No interval ({few}): A, " in shown and f"No test ({few}): A and" in shown
    (found,) = json.loads(invoke("leaderboard", file, "-m", "novelty", "--json"))
    assert {(p["p_value"], p["adjusted"], p["low"], p["reason"]) for p in found["pairs"]} == {
        (None, None, None, few)
    }
    assert {s["mean"]["low"] for s in found["systems"]} == {None}
    assert all(s["mean"]["value"] is not None for s in found["systems"])


def test_calibration_of_eight_rows_has_an_auc_and_no_interval(tmp_path: Path) -> None:
    rows = [row for row in made(8) if row["system"] == "C"]
    for place, row in enumerate(rows):
        row |= {"label": place % 2}
        row["summary"] = row["source"] if place % 2 else "Nothing like it."
    file = write(tmp_path / "p.jsonl", rows)
    text = invoke("calibrate", file, "-m", "novelty", "--folds", 2)
    assert "AUC 1.000 (no interval: only 8 documents;" in text


def test_combination_of_few_documents_has_no_interval(tmp_path: Path) -> None:
    file = write(tmp_path / "p.jsonl", made(documents=6))
    text = invoke("combine", file, "-m", "novelty", "-m", "rouge2", "--folds", 3)
    assert "(no interval: only 6 documents;" in text


def test_a_system_whose_mean_is_zero_is_last_not_lost(tmp_path: Path) -> None:
    summaries = {"none": "x y", "all": "one two"}
    rows = [{"id": f"{d}{s}", "source": f"one two {d}", "summary": text, "system": s}
            for d in range(4) for s, text in summaries.items()]  # fmt: skip
    found = board([table_of(write(tmp_path / "p.jsonl", rows), "novelty")], "novelty", draws=50)
    assert [(one.system, one.mean.value) for one in found.standings] == [
        ("all", 1.0),
        ("none", 0.0),
    ]


def test_several_rows_of_a_document_are_averaged(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "source": "a b c", "summary": "a b c", "system": "x"},
        {"id": "2", "source": "a b c", "summary": "d e f", "system": "x"},
        {"id": "3", "source": "a b c", "summary": "a b c", "system": "y"},
        {"id": "4", "source": "q r s", "summary": "q r s", "system": "x"},
    ]
    found = board([table_of(write(tmp_path / "p.jsonl", rows), "novelty")], "novelty", draws=50)
    by_name = {one.system: one for one in found.standings}
    assert by_name["x"].mean.value == 0.75 and by_name["x"].rows == 3
    assert by_name["x"].shared == 0.5
    assert found.wins.n[0][1] == 1


@pytest.mark.parametrize("ending", ["md", "csv", "json"])
def test_a_leaderboard_is_written_by_ending(ending: str, pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / f"board.{ending}"
    invoke("leaderboard", pairs, "-m", "novelty", "-m", "rouge2", "--draws", 100, "-o", output)
    text = output.read_text(encoding="utf-8")
    if ending == "json":
        assert [one["metric"] for one in json.loads(text)] == ["novelty", "rouge2"]
    elif ending == "md":
        assert "## novelty" in text and "| A |" in text and "Signature: `rouge2" in text
    else:
        rows = list(csv.DictReader(text.splitlines()))
        assert [row["system"] for row in rows[:3]] == ["A", "B", "C"] and len(rows) == 6
        tests = list(csv.DictReader((tmp_path / "board.pairs.csv").read_text().splitlines()))
        assert len(tests) == 6 and float(tests[0]["p_holm"]) <= 1


def test_saved_scores_make_a_leaderboard(tmp_path: Path) -> None:
    files = per_system(tmp_path)
    sources = [arg for file in files for arg in ("--from", saved(file, "novelty"))]
    fresh = invoke("leaderboard", *files, "-m", "novelty", "--draws", 100)
    assert invoke("leaderboard", *files, *sources, "--draws", 100) == fresh


def test_systems_must_be_told_apart(tmp_path: Path, pairs: Path) -> None:
    first = per_system(tmp_path)[0]
    assert "only one summariser ('C')" in refused("leaderboard", first, "-m", "rouge2")
    assert "both have the system 'C'" in refused("leaderboard", first, first, "-m", "rouge2")
    some = write(tmp_path / "some.jsonl", [made()[0], *({**r, "system": None} for r in made()[1:])])
    assert "59 of 60 rows name no system, the first '0/B'" in refused(
        "leaderboard", some, "-m", "rouge2"
    )
    grouped = write(tmp_path / "D.jsonl", [r | {"document": "g", "system": "D"} for r in made()])
    assert "cannot be paired" in refused("leaderboard", pairs, grouped, "-m", "rouge2")
    assert systems_of([table_of(pairs, "rouge2")])[0][:3] == ("A", "B", "C")


# --- wrong input, before anything is scored ---

WRONG = [
    (("calibrate", "PAIRS"), "name a metric with -m"),
    (("calibrate", "PAIRS", "-m", "rouge2", "-m", "novelty"), "one metric, found 2"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--method", "plat"), "Did you mean 'platt'"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--max-error", "20"), "from 0 to 1, found 20"),
    (("calibrate", "PAIRS", "-m", "CRASH", "-o", "cal.yaml"), "written as .json"),
    (("calibrate", "PAIRS", "-m", "CRASH", "-o", "nowhere/c.json"), "no folder nowhere"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--plot", "x.jpg"), ".png or .svg"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--parts", "a"), "two or more different parts"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--save-weights", "w.json"), "name some"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--label-column", "gold"), "no field 'gold'"),
    (("calibrate", "UNJUDGED", "-m", "CRASH"), "no row has a label or a rating"),
    (("calibrate", "RATED", "-m", "CRASH"), "--consistent-from"),
    (("calibrate", "qags_xsun", "-m", "CRASH"), "Did you mean 'qags_xsum'"),
    (("calibrate", "qags_xsum", "-m", "CRASH", "--id-column", "key"), "reader of its own"),
    (("calibrate", "gone.jsonl", "-m", "CRASH"), "no such file"),
    (("calibrate", "PAIRS", "-m", "rogue2"), "Did you mean 'rouge"),
    (("calibrate", "PAIRS", "-m", "novelty", "--parts", "coverage,densty"), "mean 'density'"),
    (("calibrate", "PAIRS", "-m", "rouge2", "--folds", "50"), "50 folds over 20 groups"),
    (("combine", "PAIRS", "-m", "CRASH"), "2 metrics or more, found 1"),
    (("combine", "UNJUDGED", "-m", "CRASH", "-m", "rouge2"), "no row has a rating or a label"),
    (("combine", "PAIRS", "-m", "CRASH", "-m", "rouge2", "--plot", "g.png"), "--growing"),
    (("leaderboard", "PAIRS", "-m", "CRASH", "-o", "x.xlsx"), ".md, .csv, .json"),
    (("leaderboard", "PAIRS", "--from", "a", "--from", "b"), "given 2 times for 1 files"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input_is_named_before_anything_is_scored(
    arguments: tuple[str, ...], message: str, pairs: Path, tmp_path: Path
) -> None:
    names = {
        "PAIRS": pairs,
        "RATED": write(tmp_path / "rated.jsonl", made(), drop=("label",)),
        "UNJUDGED": write(tmp_path / "unjudged.jsonl", made(), drop=("label", "score")),
        "CRASH": f"{TINY}:Crashing",
    }
    assert message in refused(*(names.get(one, one) for one in arguments))


def test_labels_of_one_kind_cannot_be_calibrated(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [row | {"label": 1} for row in made()])
    assert "all 60 rows are consistent" in refused("calibrate", path, "-m", "rouge2")


def test_a_part_that_no_row_has_is_a_config_error(pairs: Path) -> None:
    with pytest.raises(ConfigError, match="has no part 'x'"):
        table_of(pairs, "novelty").part("novelty", "x")


def test_a_dataset_is_named_like_a_file(tmp_path: Path) -> None:
    rows = [{k: v for k, v in row.items() if k != "label"} for row in made()]
    write(tmp_path / "qags_xsum.jsonl", rows)
    text = invoke("calibrate", "qags_xsum", "-m", "novelty", "--data-dir", tmp_path,
                  "--consistent-from", 6)  # fmt: skip
    assert "qags_xsum: 60 rows, 20 documents, 0 labels, 60 ratings" in text
