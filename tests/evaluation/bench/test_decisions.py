"""The decisions behind balanced accuracy in `faithkit bench`: own verdicts, fixed and chosen
thresholds, and the parts of a benchmark they are tested on."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.bench_runs import DECIDED, STATED, faithkit, figures, notes, pairs, run
from tests.helpers.fake_chat import Fake, Response, says, server

from faithkit.evaluation.bench.statistics import BenchSettings
from faithkit.evaluation.bench.tables import cell, compute, footnotes
from faithkit.evaluation.bench.thresholds import plan
from faithkit.evaluation.judged import JudgedRow, JudgedTable, MetricColumn
from faithkit.metrics.loading import gives_verdicts
from faithkit.metrics.spec import MetricSpec


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    return tmp_path


# A row of a SummaC file: what the judge answers, the label, and the part it belongs to.
VALIDATION = [("Yes", 1, "xsum"), ("No", 0, "xsum"), ("Yes", 0, "cnndm"), ("Yes", 1, "cnndm")]
TEST = [
    ("Yes", 1, "xsum"), ("Yes", 1, "xsum"), ("No", 1, "xsum"), ("", 1, "xsum"),
    ("No", 0, "xsum"), ("Yes", 0, "xsum"), ("", 0, "xsum"), ("No", 0, "xsum"),
    ("Yes", 1, "cnndm"), ("Yes", 1, "cnndm"),
]  # fmt: skip


def summac(folder: Path) -> None:
    """summac/factcc_val.jsonl and summac/factcc_test.jsonl; `origin` makes the parts."""
    (folder / "summac").mkdir()
    for split, rows in (("val", VALIDATION), ("test", TEST)):
        lines = [
            json.dumps({"document": f"The {split} document {i}.", "cut": split, "label": label,
                        "claim": f"answer={answer}; claim {i}", "origin": origin})
            for i, (answer, label, origin) in enumerate(rows)
        ]  # fmt: skip
        path = folder / "summac" / f"factcc_{split}.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def scripted(request: dict[str, Any], _: int) -> Response:
    """A judge that answers what the summary tells it to."""
    prompt = request["messages"][0]["content"]
    return says(prompt.rpartition("answer=")[2].partition(";")[0])


def bench_summac(fake: Fake, *more: str) -> Any:
    return faithkit("bench", "-d", "summac_factcc", "-m", judge(fake), "--data-dir", ".",
                    "--draws", "20", *more)  # fmt: skip


def judge(fake: Fake) -> str:
    return f"judge:model={fake.model},transcripts=off"


@pytest.mark.slow
def test_a_yes_no_judge_is_reported_by_its_own_answers_on_test_rows_alone(folder: Path) -> None:
    summac(folder)
    with server(scripted) as fake:
        result = bench_summac(fake, "--thresholds", "none")
        label = "judge:" + judge(fake).partition(":")[2]
        sent = list(fake.prompts)
    assert result.exit_code == 0, result.output
    assert not [prompt for prompt in sent if "The val document" in prompt]
    accuracy = figures()["summac_factcc", label, "balanced_accuracy", ""]
    # Of six consistent rows four are called so, of four inconsistent ones two; no answer is wrong.
    assert accuracy["value"] == pytest.approx((4 / 6 + 2 / 4) / 2)
    assert (accuracy["n"], accuracy["unscored"]) == (10, 0)
    assert accuracy["counted_wrong"] == {"unparsable": 2}
    assert "58.3 (" in result.stdout and "‡" in result.stdout
    assert "2 of 10 rows without a verdict count as wrong (2 unparsable)" in result.stdout
    assert "4 validation rows are left out" in result.stdout


@pytest.mark.slow
def test_a_part_of_one_label_is_listed_with_its_reason_beside_the_others(
    folder: Path,
) -> None:
    summac(folder)
    with server(scripted) as fake:
        result = bench_summac(fake, "--thresholds", "none")
        label = judge(fake)
    results = figures()
    single = results["summac_factcc", label, "balanced_accuracy", "cnndm"]
    assert (single["value"], single["reason"]) == (None, "all 2 rows are consistent")
    whole = results["summac_factcc", label, "balanced_accuracy", "xsum"]["value"]
    assert whole == pytest.approx((2 / 4 + 2 / 4) / 2)
    # The average is over the part that has a figure.
    assert results["summac_factcc", label, "balanced_accuracy", "average by rows"]["value"] == whole
    assert "cnndm (all consistent)" in notes("summac_factcc")
    assert "cnndm (all consistent)" in result.stdout
    assert "– (all 2 rows are consistent)" in Path("out/bench/results.md").read_text()


@pytest.mark.slow
def test_a_saved_judge_is_reported_by_its_own_answers_too(folder: Path) -> None:
    summac(folder)
    with server(scripted) as fake:
        bench_summac(fake)
        label = judge(fake)
        assert len(fake.prompts) == len(VALIDATION) + len(TEST), "thresholds need validation rows"
    result = faithkit("bench", "--from", "out/bench", "--thresholds", "none", "--draws", "20",
                     "-o", "out/again")  # fmt: skip
    assert result.exit_code == 0
    accuracy = figures("out/again")["summac_factcc", label, "balanced_accuracy", ""]
    assert accuracy["value"] == pytest.approx((4 / 6 + 2 / 4) / 2)
    assert "4 validation rows are left out" in notes("summac_factcc", "out/again")


def test_an_undecided_or_missing_verdict_counts_as_wrong_and_is_shown() -> None:
    rows = [("0.9", 1), ("0.3", 1), ("-", 1), ("0.1", 0), ("0.6", 0), ("0.4", 0)]
    shown = run("-d", pairs("own.jsonl", rows), "-m", DECIDED, "--thresholds", "none")
    accuracy = figures()["own.jsonl", DECIDED, "balanced_accuracy", ""]
    assert accuracy["value"] == pytest.approx(1 / 3)
    assert accuracy["counted_wrong"] == {"undecided": 2, "no_claims": 1}
    assert "3 of 6 rows without a verdict count as wrong (1 no_claims, 2 undecided)" in shown


@pytest.mark.parametrize("metric", [STATED, "rouge1", "judge:scale=1-5"])
def test_a_metric_without_a_verdict_is_refused_before_anything_is_scored(metric: str) -> None:
    path = pairs("own.jsonl", [("0.9", 1), ("0.1", 0)])
    result = faithkit("bench", "-d", path, "-m", metric, "--thresholds", "none")
    assert result.exit_code == 2
    assert f"{metric} gives none" in result.stderr and "--thresholds 0.5" in result.stderr
    assert not Path("out").exists()


@pytest.mark.slow
def test_a_saved_metric_without_a_verdict_is_refused() -> None:
    path = pairs("own.jsonl", [("0.9", 1), ("0.1", 0)])
    run("-d", path, "-m", STATED)
    result = faithkit("bench", "--from", "out/bench", "--thresholds", "none")
    assert result.exit_code == 2 and "gives none" in result.stderr


@pytest.mark.slow
def test_a_fixed_number_is_the_threshold_and_rows_without_a_score_are_left_out() -> None:
    rows = [("0.9", 1), ("0.6", 1), ("-", 1), ("0.8", 0), ("0.7", 0), ("0.1", 0)]
    shown = run("-d", pairs("own.jsonl", rows), "-m", STATED, "--thresholds", "0.75")
    accuracy = figures()["own.jsonl", STATED, "balanced_accuracy", ""]
    assert accuracy["value"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert (accuracy["unscored"], accuracy["thresholds"]) == (1, [0.75])
    assert "at the threshold 0.75" in shown


@pytest.mark.parametrize(
    ("metric", "gives"),
    [
        ("judge", True), ("judge:cot=on", True), ("judge:protocol=clinical", True),
        ("judge:scale=1-10", False), ("support", True), ("calibrated:file=x.json", True),
        ("bertscore", False), (DECIDED, True), (STATED, False),
    ],
)  # fmt: skip
def test_metrics_declare_verdicts_without_a_model(metric: str, gives: bool) -> None:
    assert gives_verdicts(MetricSpec.parse(metric)) is gives


@pytest.mark.parametrize("text", ["each", "nan", "0,5"])
def test_another_word_for_thresholds_is_refused(text: str) -> None:
    result = faithkit("bench", "-d", "x", "-m", "rouge1", "--thresholds", text)
    assert result.exit_code == 2
    assert f"--thresholds cannot be '{text}'" in result.stderr
    assert "a number, such as 0.5" in result.stderr


@pytest.mark.slow
def test_compare_without_a_choice_of_thresholds_is_about_balanced_accuracy() -> None:
    rows = [("0.9", 1), ("0.3", 1), ("0.8", 1), ("0.1", 0), ("0.2", 0), ("0.6", 0)]
    run("-d", pairs("own.jsonl", rows), "-m", DECIDED, "-m", STATED, "--thresholds", "0.5",
        "--compare", DECIDED, STATED)  # fmt: skip
    (row,) = json.loads(Path("out/bench/results.json").read_text())["comparison"]
    assert (row["statistic"], row["first_value"]) == ("balanced_accuracy", pytest.approx(2 / 3))


# Sets with a validation split and sets without


def split_file(path: str, rows: list[tuple[str, int | None, str]], source: str = "Article") -> str:
    lines = [json.dumps({"id": str(i), "source": f"{source} {i}.", "label": label, "split": split,
                         "summary": f"{first} said"}) for i, (first, label, split)
             in enumerate(rows)]  # fmt: skip
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_global_threshold_is_one_for_sets_with_a_validation_split_and_without() -> None:
    # The validation rows of the first say 5; the other set alone would say 15.
    first = split_file("split.jsonl", [("4", 0, "val"), ("6", 1, "val"), ("1", 0, "test"),
                                       ("9", 1, "test")])  # fmt: skip
    second = pairs("whole.jsonl", [("1", 0), ("2", 0), ("8", 0), ("9", 1)])
    shown = run("-d", first, "-d", second, "-m", STATED, "--thresholds", "global")
    result = figures()
    split = result["split.jsonl", STATED, "balanced_accuracy", ""]
    whole = result["whole.jsonl", STATED, "balanced_accuracy", ""]
    assert split["thresholds"] == whole["thresholds"] == [5.0]
    assert (split["n"], split["value"]) == (2, 1.0)
    assert (whole["n"], whole["value"]) == (4, pytest.approx((1 + 2 / 3) / 2))
    assert "one for all, chosen on the 2 validation rows of split.jsonl" in shown
    assert "whole.jsonl: balanced accuracy, thresholds: one for all" in shown
    assert "this set has no validation split, so all of its rows are tested" in shown


def test_global_threshold_is_not_chosen_on_documents_that_the_set_tests() -> None:
    # The documents of the last two validation rows are the first two of the set without a split:
    # for it the threshold lies between 1 and 8, else between 4 and 6.
    first = split_file("split.jsonl", [("1", 0, "test"), ("9", 1, "test"), ("4", 0, "val"),
                                       ("6", 1, "val")], "Document")  # fmt: skip
    other = split_file("other.jsonl", [("1", 0, "val"), ("8", 1, "val"), ("1", 0, "test"),
                                       ("9", 1, "test")])  # fmt: skip
    path = Path("whole.jsonl")
    path.write_text("".join(
        json.dumps({"id": str(i), "source": f"Document {i}.", "label": i % 2, "summary": f"{i} x"})
        + "\n" for i in (2, 3, 4, 5)
    ))  # fmt: skip
    shown = run("-d", first, "-d", other, "-d", str(path), "-m", STATED, "--thresholds", "global")
    thresholds = {key[0]: f["thresholds"] for key, f in figures().items()
                  if key[2] == "balanced_accuracy"}  # fmt: skip
    assert thresholds == {"split.jsonl": [5.0], "other.jsonl": [5.0], "whole.jsonl": [4.5]}
    assert "chosen on the 2 validation rows of split.jsonl, other.jsonl, without 2 more" in shown
    run("-d", first, "-d", str(path), "-m", STATED, "--thresholds", "global", "-o", "out/two")
    whole = figures("out/two")["whole.jsonl", STATED, "balanced_accuracy", ""]
    assert whole["reason"] == "no threshold can be chosen: no other rows"


def test_documents_of_several_sets_are_halved_together() -> None:
    tables = [
        JudgedTable(name, [JudgedRow(f"{i}", f"d{i % 10}", label=i % 2) for i in order])
        for name, order in (("a", range(20)), ("b", range(19, -1, -1)), ("c", [3, 13]))
    ]
    plans = plan(tables, "global", 0)
    by_name = {table.name: table for table in tables}
    for table in tables:
        tested = []
        for fold in plans[table.name].folds:
            documents = {table.rows[row].document for row in fold.testing}
            for name, rows in fold.fitting.items():
                assert documents.isdisjoint(by_name[name].rows[row].document for row in rows)
            tested += fold.testing.tolist()
        assert sorted(tested) == list(range(len(table.rows)))
    # The only document of the last is in one half: it is tested by what the others say.
    assert len(plans["c"].folds) == 1


def test_a_global_threshold_without_validation_splits_is_two_thresholds() -> None:
    path = pairs("own.jsonl", [(str(i), i % 2) for i in range(8)])
    assert "two thresholds for all" in run("-d", path, "-m", STATED, "--thresholds", "global")


def test_one_document_has_no_other_rows_to_choose_a_threshold_on() -> None:
    path = pairs("own.jsonl", [("1", 0), ("2", 1)], group="one")
    assert "one document only" in run("-d", path, "-m", STATED)
    result = figures()["own.jsonl", STATED, "balanced_accuracy", ""]
    assert result["reason"] == "one document only: no other rows to choose a threshold on"


@pytest.mark.slow
def test_no_threshold_is_chosen_on_a_half_with_one_label() -> None:
    path = pairs("own.jsonl", [("1", 0), ("2", 1), ("3", 1), ("4", 1)])
    assert "no threshold can be chosen: all 2 rows are consistent" in run("-d", path, "-m", STATED)


# Reasons, and the mark of rows without a score


@pytest.mark.parametrize(
    ("label", "word"), [(1, "consistent"), (0, "inconsistent")], ids=["consistent", "inconsistent"]
)
@pytest.mark.parametrize("thresholds", ["dataset", "global"])
def test_one_label_is_the_reason_and_no_row_is_said_to_lack_a_score(
    label: int, word: str, thresholds: str
) -> None:
    path = pairs("own.jsonl", [(str(i), label) for i in range(4)])
    run("-d", path, "-m", STATED, "--thresholds", thresholds)
    accuracy = figures()["own.jsonl", STATED, "balanced_accuracy", ""]
    assert (accuracy["reason"], accuracy["unscored"]) == (f"all 4 rows are {word}", 0)
    text = Path("out/bench/results.md").read_text()
    assert f"– (all 4 rows are {word}) |" in text and "†" not in text
    run("-d", pairs("own.jsonl", [(i, label) for i in "12-4"]), "-m", STATED)
    accuracy = figures()["own.jsonl", STATED, "balanced_accuracy", ""]
    assert (accuracy["reason"], accuracy["unscored"]) == (f"all 3 rows are {word}", 1)
    assert f"– (all 3 rows are {word}) † |" in Path("out/bench/results.md").read_text()


def test_without_a_threshold_only_rows_without_a_score_are_marked() -> None:
    run("-d", pairs("own.jsonl", [("1", 0), ("2", 1), ("3", 1), ("4", 1)]), "-m", STATED)
    accuracy = figures()["own.jsonl", STATED, "balanced_accuracy", ""]
    assert accuracy["reason"] == "no threshold can be chosen: all 2 rows are consistent"
    assert accuracy["unscored"] == 0
    assert "†" not in Path("out/bench/results.md").read_text()


def test_footnote_counts_the_rows_of_its_figures() -> None:
    # Without a score: two validation rows, one row that is tested, and one without a label.
    path = split_file("own.jsonl", [("1", 0, "val"), ("5", 1, "val"), ("-", 0, "val"),
                                    ("-", 1, "val"), ("1", 0, "test"), ("5", 1, "test"),
                                    ("-", 1, "test"), ("-", None, "test")])  # fmt: skip
    run("-d", path, "-m", STATED)
    by_statistic = {key[2]: figure for key, figure in figures().items()}
    assert by_statistic["auc"]["outcomes_without_value"] == {"no_claims": 3}
    assert by_statistic["balanced_accuracy"]["outcomes_without_value"] == {"no_claims": 1}
    assert by_statistic["balanced_accuracy"]["unscored"] == 1
    auc, accuracy, dataset = (
        part for part in Path("out/bench/results.md").read_text().split("### ")[1:4]
    )
    assert f"† rows without a score are left out: {STATED} on own.jsonl 3 no_claims." in auc
    assert f"† rows without a score are left out: {STATED} on own.jsonl 1 no_claims." in accuracy
    assert f"{STATED} on own.jsonl 3 no_claims (auc), 1 no_claims (balanced_accuracy)." in dataset


# AggreFact: origins and eras


def aggrefact(rows: list[tuple[str, str, str, int, str]]) -> None:
    """aggrefact/aggre_fact_final.csv. A row: origin, model, cut, label, number of the metric."""
    Path("aggrefact").mkdir()
    with Path("aggrefact/aggre_fact_final.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["dataset", "origin", "id", "doc", "summary", "model_name", "label", "cut"])
        for number, (origin, model, cut, label, value) in enumerate(rows):
            writer.writerow(["SummEval", origin, number, f"Document {number}.", f"{value} said",
                             model, label, cut])  # fmt: skip


def rows_of(origin: str, model: str, *labels: int) -> list[tuple[str, str, str, int, str]]:
    return [(origin, model, cut, label, "0.9" if label else "0.1")
            for cut in ("val", "test") for label in labels]  # fmt: skip


@pytest.mark.slow
def test_rows_of_no_era_are_in_no_part_average_or_threshold() -> None:
    aggrefact([
        *rows_of("cnndm", "BART", 0, 1), *rows_of("cnndm", "PtGen", 0, 1),
        *rows_of("xsum", "BertSum", 1, 1), *rows_of("xsum", "BART", 0, 1),
        # No era. Their values would spoil every threshold.
        *[("cnndm", "lead3", cut, label, "0.9") for cut in ("val", "test") for label in (0, 0, 0)],
        ("xsum", "Gold", "test", 0, "0.9"),
    ])  # fmt: skip
    shown = run("-d", "aggrefact", "-m", STATED, "--data-dir", ".")
    result = {key[2:]: figure for key, figure in figures().items()}
    assert {part for _, part in result} == {
        "", "cnndm/FTSOTA", "cnndm/OLD", "xsum/EXFORMER", "xsum/FTSOTA", "average by rows"
    }  # fmt: skip
    for statistic, rows in (("auc", 12), ("balanced_accuracy", 6)):
        average = result[statistic, "average by rows"]
        assert (average["value"], average["n"]) == (1.0, rows), "the part of one label is left out"
    whole = result["balanced_accuracy", ""]
    assert (whole["thresholds"], whole["n"]) == ([0.5], 12)
    # All five consistent rows are right, and three of the seven others: not those of no era.
    assert whole["value"] == pytest.approx((1 + 3 / 7) / 2)
    assert result["auc", ""]["n"] == 23
    assert result["auc", "xsum/EXFORMER"]["reason"] == "all 4 rows are consistent"
    assert "7 of 23 rows are of no era" in shown
    assert "xsum/EXFORMER (all consistent)" in shown


def test_no_average_over_parts_of_one_label_and_the_reason() -> None:
    aggrefact([*rows_of("cnndm", "BART", 0, 0), *rows_of("xsum", "BART", 1, 1)])
    run("-d", "aggrefact", "-m", STATED, "--data-dir", ".")
    result = {key[2:]: figure for key, figure in figures().items()}
    assert result["auc", ""]["value"] == 1.0
    assert result["auc", "average by rows"]["reason"] == "no part holds both labels"


def test_a_pool_with_a_dataset_without_eras_keeps_all_of_its_rows() -> None:
    aggrefact([*rows_of("xsum", "BART", 0, 1), *rows_of("xsum", "PtGen", 0, 1)])
    other = pairs("own.jsonl", [("0.9", 1), ("0.1", 0)])
    run("-d", f"aggrefact+{other}", "-m", STATED, "--data-dir", ".")
    result = figures()[f"aggrefact+{other}", STATED, "auc", ""]
    assert result["n"] == 10
    assert "2 rows belong to no part" in notes(f"aggrefact+{other}")


# What counts as wrong in pair ranking and AUC


def judged_pairs(missing: str, *, count: int = 40, answered: int = 10) -> JudgedTable:
    """Pairs of a judge that is right on the first ones, and without a score (`missing`, an outcome)
    on the unfaithful row of the others."""
    rows, scores, outcomes = [], [], []
    for number in range(count):
        for label in (1, 0):
            has_score = label == 1 or number < answered
            rows.append(JudgedRow(f"{number}/{label}", f"d{number}", f"p{number}", label=label))
            scores.append(float(label) if has_score else None)
            outcomes.append("ok" if has_score else missing)
    column = MetricColumn("judge", "s", "probability", scores, outcomes, verdicts=scores)
    right = MetricColumn("right", "s", "", [float(r.label or 0) for r in rows], ["ok"] * len(rows))
    right = replace(right, verdicts=right.values)
    return JudgedTable("x", rows, {"judge": column, "right": right}, ("ranking", "detection"))


@pytest.mark.parametrize("thresholds", ["none", "dataset", 0.5])
@pytest.mark.parametrize("outcome", ["refused", "unparsable", "off_topic", "too_long", "timeout"])
def test_a_row_without_a_verdict_is_wrong_in_every_statistic(outcome: str, thresholds: Any) -> None:
    settings = BenchSettings(draws=20, thresholds=thresholds)
    results = compute([judged_pairs(outcome)], settings, compare=("judge", "right"))
    shown = {f.statistic: f for f in results.figures if f.metric == "judge"}
    ranked, auc, accuracy = (
        shown[name] for name in ("ranking_accuracy", "auc", "balanced_accuracy")
    )
    assert (ranked.value, ranked.estimate["n"]) == (pytest.approx(0.25), 40)
    # As if the judge had said yes to each of the 30: half a point for each tie.
    assert auc.value == accuracy.value == pytest.approx(0.625)
    for figure in (ranked, auc, accuracy):
        assert (figure.counted_wrong, figure.unscored) == ({outcome: 30}, {})
        assert cell(figure).endswith("‡")
    assert f"judge on x 30 {outcome} in 40 pairs." in footnotes([ranked])[0]
    assert f"judge on x 30 {outcome} of 80." in footnotes([auc])[0]
    (compared,) = results.comparison
    assert (compared["statistic"], compared["first_value"]) == ("ranking_accuracy", 0.25)
    assert compared["n"] == 40


def test_pairs_without_a_score_are_left_out_and_the_share_of_all_pairs_is_shown() -> None:
    results = compute([judged_pairs("no_claims")], BenchSettings(draws=20))
    (ranked,) = [f for f in results.figures if f.statistic == "ranking_accuracy"][:1]
    assert (ranked.value, ranked.unscored) == (1.0, {"no_claims": 30})
    assert ranked.counted_wrong == {} and cell(ranked).endswith("†")
    (line,) = [line for line in results.notes(results.tables[0]) if line.startswith("ranking by")]
    assert line == (
        "ranking by judge: 30 of 40 pairs have a row without a score and are left out; with them "
        "as wrong, 25.0% of all pairs are ranked right"
    )


def test_no_labels_look_inverted_to_a_judge_that_gives_no_verdict() -> None:
    table = judged_pairs("refused", answered=0)
    table.columns["judge"] = replace(
        table.columns["judge"], values=[None] * 80, outcomes=["refused"] * 80, verdicts=[None] * 80
    )
    table = replace(table, columns={"judge": table.columns["judge"]})
    results = compute([table], BenchSettings(draws=20, thresholds=0.5))
    assert all(f.value in (0.0, 0.5) for f in results.figures)
    assert not any("inverted" in line for line in results.notes(table))


def test_halves_and_error_types_do_not_depend_on_the_order_of_rows() -> None:
    pick = random.Random(5)
    rows = [
        JudgedRow(f"r{i}", f"d{i // 2}", label=i % 2, error_types=() if i % 2 else ("name",))
        for i in range(60)
    ]
    column = MetricColumn("m", "m", "", [pick.random() for _ in rows], ["ok"] * 60)
    table = JudgedTable("x", rows, {"m": column}, ("detection", "error_types"))
    moved = table.take(pick.sample(range(60), 60))
    settings = BenchSettings(draws=20, error_cases=10)
    first, again = (
        {(f.statistic, f.part): f.value for f in compute([of], settings).figures}
        for of in (table, moved)
    )
    assert first == pytest.approx(again)
    (of_type,) = [f for f in compute([table], settings).figures if f.part == "name"]
    assert of_type.estimate["low"] < of_type.value < of_type.estimate["high"]
