"""calibrate and combine: what they compute, print and write."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from tests.helpers.judged_pairs import (
    invoke,
    judged_rows,
    refused,
    saved_scores,
    split_in_two,
    table_of,
    write_rows,
)

from faithkit import meta
from faithkit.cache import Cache
from faithkit.evaluation.examples import open_pairs, validation_rows
from faithkit.evaluation.learning import CalibrationSettings, calibrate, combine, learn
from faithkit.evaluation.scoring import score_columns
from faithkit.models.runtime import Runtime
from faithkit.run import prepare

pytestmark = pytest.mark.slow


def test_calibration_agrees_with_scikit_learn(pairs: Path) -> None:
    table = table_of(pairs, "novelty")
    result = learn(table, CalibrationSettings()).calibrated
    assert result is not None
    values, labels = np.array(table.columns["novelty"].values, dtype=float), np.array(table.labels)
    assert result.auc.value == pytest.approx(roc_auc_score(labels, values))
    decided = values >= result.result.calibration.threshold
    assert result.accuracy == pytest.approx(balanced_accuracy_score(labels, decided))
    squares = np.empty(60)
    for train, held_out in meta.grouped_folds(table.documents, 5, 0):
        squares[held_out] = (labels[train].mean() - labels[held_out]) ** 2
    assert result.constant.brier == pytest.approx(squares.mean())
    assert result.before is not None
    assert result.before.brier == pytest.approx(float(((values - labels) ** 2).mean()))


def test_a_score_outside_0_to_1_is_not_read_as_a_probability(pairs: Path) -> None:
    table = table_of(pairs, "novelty")
    shifted = [None if value is None else value + 1 for value in table.columns["novelty"].values]
    assert calibrate("novelty", shifted, table.labels, table.documents).before is None


def test_calibrate_writes_a_calibration_that_loads_and_a_plot(pairs: Path, tmp_path: Path) -> None:
    output, plot = tmp_path / "cal.json", tmp_path / "rel.png"
    text = invoke("calibrate", pairs, "-m", "novelty", "-o", output, "--plot", plot)
    row = json.loads(output.read_text())
    loaded = meta.Calibration.from_dict(row["calibration"])
    result = learn(table_of(pairs, "novelty"), CalibrationSettings()).calibrated
    assert result is not None and loaded == result.result.calibration
    assert row["signature"]["metric"] == "novelty" and plot.stat().st_size > 1000
    for wanted in ("60 rows, 20 documents", "Threshold", "Abstention band", "Brier", "0.9 to 1.0"):
        assert wanted in text


def test_calibration_uses_the_validation_split_and_reports_it(tmp_path: Path) -> None:
    file, output = (
        write_rows(tmp_path / "p.jsonl", split_in_two(judged_rows(40))),
        tmp_path / "cal.json",
    )
    options = ("-m", "novelty", "-o", output, "--draws", 50)
    text = invoke("calibrate", file, *options)
    used = "60 of 120 rows used, those of the validation split; left out: 60 of test"
    assert f"{used} (--all-rows takes them too)" in text and "fitted on 60 rows" in text
    saved = json.loads(output.read_text())
    assert (saved["rows"], saved["rows_used"]) == (60, used)
    alone = write_rows(
        tmp_path / "val.jsonl", [r for r in split_in_two(judged_rows(40)) if r["split"] == "val"]
    )
    assert "rows used" not in invoke("calibrate", alone, *options)
    assert json.loads(output.read_text())["calibration"] == saved["calibration"]
    assert "fitted on 120 rows" in invoke("calibrate", file, *options, "--all-rows")


def test_only_validation_rows_are_scored_and_saved_scores_are_cut_alike(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "p.jsonl", split_in_two(judged_rows(40)), drop=("id",))
    with open_pairs(str(file)) as opened, Cache(None) as store:
        kept = validation_rows(opened)
        prepared = prepare(["novelty"], Runtime(offline=True))
        (column,) = score_columns(kept, prepared, store).values()
        assert len(column.values) == 60 and kept.table().ids[0] == "4"
    fresh = invoke("calibrate", file, "-m", "novelty", "--draws", 50)
    assert (
        invoke("calibrate", file, "--from", saved_scores(file, "novelty"), "--draws", 50) == fresh
    )


def test_combination_is_learned_from_the_validation_split(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "p.jsonl", split_in_two(judged_rows(40)))
    options = ("combine", file, "-m", "novelty", "-m", "rouge2", "--folds", 5, "--draws", 50)
    assert json.loads(invoke(*options, "--json"))["n"] == 60
    result = json.loads(invoke(*options, "--json", "--all-rows"))
    assert (result["n"], result["rows_used"]) == (120, "all")


def test_inverted_labels_get_a_hint(pairs: Path, tmp_path: Path) -> None:
    turned = [row | {"label": 1 - row["label"]} for row in judged_rows()]
    text = invoke(
        "calibrate", write_rows(tmp_path / "t.jsonl", turned), "-m", "novelty", "--draws", 100
    )
    assert "The labels look inverted (AUC 0." in text and "--labels 1=0,0=1" in text
    assert "look inverted" not in invoke("calibrate", pairs, "-m", "novelty", "--draws", 100)


@pytest.mark.parametrize("kind", ["label", "score"])
def test_combine_says_that_labels_look_inverted_and_nothing_of_ratings(
    tmp_path: Path, kind: str
) -> None:
    other = "score" if kind == "label" else "label"
    turned = [row | {kind: (1 if kind == "label" else 8) - row[kind]} for row in judged_rows()]
    file = write_rows(tmp_path / "t.jsonl", turned, drop=(other,))
    page = tmp_path / "c.html"
    arguments = ("combine", file, "-m", "novelty", "-m", "rouge2", "--draws", 100)
    text = invoke(*arguments, "--html", page)
    row = json.loads(invoke(*arguments, "--json"))
    assert max(row["alone"].values()) < -0.5 < 0.5 < row["mean_spearman"]
    assert ("The labels look inverted to novelty (AUC 0." in text) == (kind == "label")
    assert ("look inverted" in page.read_text()) == bool(row["warnings"]) == (kind == "label")


@pytest.mark.parametrize(
    ("kind", "value", "said"), [("label", 1, "every label is 1"), ("score", 2.5, "rating is 2.5")]
)
def test_nothing_is_learned_from_judgements_that_are_all_the_same(
    tmp_path: Path, kind: str, value: float, said: str
) -> None:
    rows = [row | {kind: value} for row in judged_rows()]
    file = write_rows(tmp_path / "p.jsonl", rows, drop=("score" if kind == "label" else "label",))
    output = tmp_path / "c.json"
    assert said in refused("combine", file, "-m", "novelty", "-m", "rouge2", "-o", output)
    assert not output.exists()


def test_judgements_that_differ_only_on_rows_without_a_score_are_said_so(tmp_path: Path) -> None:
    rows = [row | {"label": 1} for row in judged_rows()]
    rows[4] |= {"label": 0, "summary": ""}
    file = write_rows(tmp_path / "p.jsonl", rows, drop=("score",))
    message = refused("combine", file, "-m", "novelty", "-m", "rouge2")
    assert "every label of the rows that every metric scored (1 left out) is 1, so" in message


def test_a_combination_worse_than_one_of_its_metrics_is_not_recommended(tmp_path: Path) -> None:
    pairs, output, page = Path("examples/pairs.jsonl"), tmp_path / "c.json", tmp_path / "c.html"
    arguments = ("combine", pairs, "-m", "novelty", "-m", "rouge2", "--draws", 100)
    text = invoke(*arguments, "-o", output, "--html", page)
    assert output.exists() and "Use it" not in text
    for said in (text, page.read_text(), *json.loads(invoke(*arguments, "--json"))["warnings"]):
        assert "Held out, all together rank worse than novelty alone (0." in said


def test_no_combination_where_every_fold_holds_one_row(tmp_path: Path) -> None:
    rows = [row for row in judged_rows(10) if row["system"] == "C"]
    file = write_rows(tmp_path / "p.jsonl", rows)
    text = refused("combine", file, "-m", "novelty", "-m", "rouge2", "--folds", 10)
    assert "undefined in every fold" in text and "fewer --folds" in text


def test_a_verdict_that_cannot_be_shown_is_never_given_and_the_output_says_so(
    pairs: Path, tmp_path: Path
) -> None:
    page = tmp_path / "c.html"
    arguments = ("calibrate", pairs, "-m", "novelty", "--draws", 50, "--html", page)
    needed = "A verdict needs 59 or more held-out rows that get it, at most 5% of them wrong"
    text = invoke(*arguments, "--max-error", 0.05)
    assert "never not consistent, never consistent" in text and needed in text
    assert needed in page.read_text()
    assert "shows that a verdict is never wrong" in invoke(*arguments, "--max-error", 0)
    assert "A verdict needs" not in invoke(*arguments, "--max-error", 0.4)


def test_verdicts_that_held_out_rows_do_not_bear_out_give_a_warning(pairs: Path) -> None:
    result = learn(table_of(pairs, "novelty"), CalibrationSettings(max_error=0.4)).calibrated
    assert result is not None and not any("rows" in line for line in result.warnings())

    def warned(**changes: object) -> str:
        changed = dataclasses.replace(result.result, **changes)
        return "\n".join(dataclasses.replace(result, result=changed).warnings())

    assert "Held out, 50.0% of 'consistent' were wrong, more than the 40% asked for" in warned(
        wrong_consistent=0.5
    )
    assert "No held-out row was called inconsistent" in warned(wrong_inconsistent=None)
    never = dataclasses.replace(result.result.calibration, upper=None)
    assert "called rows consistent, which the calibration itself never does" in warned(
        calibration=never
    )


def test_held_out_calibration_worse_than_the_score_gives_a_warning(tmp_path: Path) -> None:
    # The labels are drawn at random, so whatever is fitted loses on other documents.
    draw = random.Random(5)
    rows = [row | {"label": draw.randint(0, 1)} for row in judged_rows(20)]
    table = table_of(write_rows(tmp_path / "p.jsonl", rows), "novelty")
    result = learn(table, CalibrationSettings(draws=50)).calibrated
    assert result is not None and result.result.reliability.brier is not None
    assert result.constant.brier is not None
    assert result.result.reliability.brier > result.constant.brier
    text = "\n".join(result.warnings())
    assert "Held out, the calibrated probability is worse than always giving the share" in text
    exact = dataclasses.replace(result, before=result.constant)
    assert "worse than the score itself (Brier 0." in "\n".join(exact.warnings())


def test_unscored_and_unlabelled_rows_are_named(tmp_path: Path) -> None:
    rows = judged_rows()
    rows[4]["summary"] = ""
    del rows[9]["label"]
    path = write_rows(tmp_path / "p.jsonl", rows)
    text = invoke("calibrate", path, "-m", "rouge2")
    assert "rouge2: 1 unscored, no_content: 1/B" in text
    assert "1 unscored, 1 unlabelled" in text
    row = json.loads(invoke("calibrate", path, "-m", "rouge2", "--json"))
    assert row["unscored_rows"] == {"no_content": ["1/B"]}
    assert row["unlabelled_rows"] == ["3/A"]
    invoke("calibrate", path, "-m", "rouge2", "--strict", code=3)


def test_weights_of_parts_are_fitted_cross_validated_and_loadable(
    pairs: Path, tmp_path: Path
) -> None:
    file = tmp_path / "w.json"
    arguments = ("calibrate", pairs, "-m", "novelty", "--parts", "coverage,novel_2gram")
    row = json.loads(invoke(*arguments, "--save-weights", file, "--json"))
    weights = row["weights"]["weights"]
    table = table_of(pairs, "novelty")
    columns = {part: table.columns["novelty"].part(part) for part in weights}
    best = meta.search_weights(columns, list(table.labels))
    assert weights == best.weights and row["weights"]["held_out"] is not None
    (prepared,) = prepare([f"combine:file={file}"])
    with open_pairs(str(pairs)) as opened:
        scores = prepared.metric.score(list(opened.examples))
    assert [score.value for score in scores] == pytest.approx(best.combination().apply(columns))


def test_held_out_weights_never_see_the_rows_they_are_judged_on(tmp_path: Path) -> None:
    # Labels that say nothing: searched they look learnable, held out they do not.
    draw = random.Random(5)
    rows = [row | {"label": draw.randint(0, 1)} for row in judged_rows(documents=60)]
    table = table_of(write_rows(tmp_path / "p.jsonl", rows), "novelty")
    parts = ("coverage", "novel_2gram", "density", "conciseness")
    result = learn(table, CalibrationSettings(parts=parts)).weights
    assert result is not None and result.held_out is not None and result.search.value is not None
    assert result.search.value > 0.55 and result.held_out < result.search.value


def test_weights_for_spearman_need_ratings_only(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "p.jsonl", judged_rows(), drop=("label",))
    arguments = ("calibrate", path, "-m", "novelty", "--parts", "coverage,density",
                 "--objective", "spearman")  # fmt: skip
    row = json.loads(invoke(*arguments, "--json"))
    table = table_of(path, "novelty")
    columns = {part: table.columns["novelty"].part(part) for part in ("coverage", "density")}
    sums = sum(
        weight * np.array(columns[part]) for part, weight in row["weights"]["weights"].items()
    )
    assert row["weights"]["value"] == pytest.approx(spearmanr(sums, table.ratings).statistic)
    assert "calibration" not in row
    assert "--consistent-from" in refused(*arguments, "-o", tmp_path / "c.json")


def test_the_combination_is_the_statistic_of_meta(pairs: Path) -> None:
    table = table_of(pairs, "rouge2", "novelty")
    result = combine(table, folds=5, growing=True)
    columns = {name: table.columns[name].values for name in ("rouge2", "novelty")}
    expected = meta.learn_combination(
        columns, list(table.ratings), table.documents, folds=5, draws=2000
    )
    assert result.target == "rating" and result.result == expected
    assert len(result.growth) == 2
    assert result.growth[0].mean_spearman == max(
        alone.value for alone in result.alone.values() if alone.value is not None
    )


def test_combination_is_fitted_to_labels_without_ratings(tmp_path: Path) -> None:
    table = table_of(
        write_rows(tmp_path / "p.jsonl", judged_rows(), drop=("score",)), "rouge2", "novelty"
    )
    assert combine(table, folds=5).target == "label"


def test_a_saved_combination_scores_as_it_was_fitted(pairs: Path, tmp_path: Path) -> None:
    file, plot = tmp_path / "comb.json", tmp_path / "growth.svg"
    text = invoke("combine", pairs, "-m", "rouge2", "-m", "novelty", "--folds", 5, "--growing",
                  "-o", file, "--plot", plot)  # fmt: skip
    table = table_of(pairs, "rouge2", "novelty")
    fitted = combine(table, folds=5).result.combination
    expected = fitted.apply({name: table.columns[name].values for name in ("rouge2", "novelty")})
    assert table_of(pairs, f"combine:file={file}").columns[
        f"combine:file={file}"
    ].values == pytest.approx(expected)
    assert f"-m combine:file={file}" in text and "Spearman alone" in text and "growing" in text
    assert plot.read_bytes().startswith(b"<?xml")


def test_combining_saved_scores_gives_the_same_file(pairs: Path, tmp_path: Path) -> None:
    scored, joined = tmp_path / "scored.json", tmp_path / "joined.json"
    invoke("combine", pairs, "-m", "rouge2", "-m", "novelty", "-o", scored)
    invoke("combine", pairs, "--from", saved_scores(pairs, "rouge2", "novelty"), "-o", joined)
    assert scored.read_text() == joined.read_text()


def test_calibration_of_eight_rows_has_an_auc_and_no_interval(tmp_path: Path) -> None:
    rows = [row for row in judged_rows(8) if row["system"] == "C"]
    for place, row in enumerate(rows):
        row |= {"label": place % 2}
        row["summary"] = row["source"] if place % 2 else "Nothing like it."
    file = write_rows(tmp_path / "p.jsonl", rows)
    text = invoke("calibrate", file, "-m", "novelty", "--folds", 2)
    assert "AUC 1.000 (no interval: only 8 documents;" in text


def test_combination_of_few_documents_has_no_interval(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "p.jsonl", judged_rows(documents=6))
    text = invoke("combine", file, "-m", "novelty", "-m", "rouge2", "--folds", 3)
    assert text.count("only 6 documents;") == 1 and "\nNo interval: only 6 documents;" in text


def test_labels_of_one_kind_cannot_be_calibrated(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "p.jsonl", [row | {"label": 1} for row in judged_rows()])
    assert "all 60 rows are consistent" in refused("calibrate", path, "-m", "rouge2")


def test_a_dataset_is_named_like_a_file(tmp_path: Path) -> None:
    rows = [{k: v for k, v in row.items() if k != "label"} for row in judged_rows()]
    write_rows(tmp_path / "qags_xsum.jsonl", rows)
    text = invoke("calibrate", "qags_xsum", "-m", "novelty", "--data-dir", tmp_path,
                  "--consistent-from", 6)  # fmt: skip
    assert "qags_xsum: 60 rows, 20 documents, 0 labels, 60 ratings" in text
