"""`faithkit bench` and `faithkit datasets`: values kept and reused, statistics by hand, tables."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.paths import HELPERS
from typer.testing import CliRunner

from faithkit import ConfigError, DataError, meta
from faithkit.caveats import Caveats
from faithkit.cli import app
from faithkit.evaluation import examples
from faithkit.evaluation.bench import statistics, tables
from faithkit.evaluation.bench.statistics import BenchSettings, Figure
from faithkit.evaluation.judged import JudgedRow, JudgedTable, MetricColumn, judged_row
from faithkit.records import document_id

pytestmark = pytest.mark.slow

TINY = HELPERS / "tiny_metrics.py"
KNOWN, OTHER = f"{TINY}:Known", f"{TINY}:Other:power=2"
WORDS = ["red", "blue", "green", "small", "large", "old", "new", "house", "tree", "river", "stone"]


def faithkit(*arguments: str) -> Any:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small made-up files in the unified shape, under the names of three kinds of benchmark."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    folder = tmp_path / "data" / "bench"
    folder.mkdir(parents=True)
    pick = random.Random(3)
    rating, pairs, labels = [], [], []
    for number in range(30):
        source = " ".join(pick.sample(WORDS, 6))
        copied = pick.sample(source.split(), 3)
        absent = pick.sample([w for w in WORDS if w not in source.split()], 3)
        wrong = pick.randrange(1, 3)
        bad = copied[wrong:] + absent[:wrong]
        share = (3 - wrong) / 3
        for system, words, score in (("one", copied, 1.0), ("two", bad, share)):
            rating.append({"id": f"r{number}{system}", "dataset": "x", "group": f"g{number}",
                           "system": system, "source": source, "summary": " ".join(words),
                           "score": score})  # fmt: skip
            pairs.append({"id": f"p{number}{system}", "dataset": "x", "group": f"g{number}",
                          "source": source, "summary": " ".join(words),
                          "label": int(score == 1), "error_types": []})  # fmt: skip
            labels.append({"id": f"c{number}{system}", "dataset": "x", "group": f"g{number}",
                           "source": source, "summary": " ".join(words), "label": int(score == 1),
                           "error_types": [] if score == 1 else ["intrinsic-NP"],
                           "origin": "xsum" if number % 2 else "cnndm"})  # fmt: skip
    rating[0]["summary"] = ""
    for name, rows in (("qags_xsum", rating), ("bump1", pairs), ("cliff", labels)):
        lines = [json.dumps(row) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "data"


def figures(folder: str = "out/bench") -> dict[tuple[str, str, str, str], dict[str, Any]]:
    result = json.loads(Path(folder, "results.json").read_text())["figures"]
    return {(f["dataset"], f["metric"], f["statistic"], f["part"]): f for f in result}


def bench(data: Path, *more: str) -> Any:
    return faithkit(
        "bench", "-d", "qags_xsum", "-d", "bump1", "-d", "cliff", "-m", KNOWN, "-m", OTHER,
        "--data-dir", str(data), "--draws", "50", *more,
    )  # fmt: skip


def test_a_perfect_metric_gets_full_marks_everywhere(data: Path) -> None:
    assert bench(data).exit_code == 0
    result = figures()
    assert result["bump1", KNOWN, "ranking_accuracy", ""]["value"] == 1.0
    assert result["cliff", KNOWN, "auc", ""]["value"] == 1.0
    assert result["cliff", KNOWN, "balanced_accuracy", ""]["value"] == 1.0
    spearman = result["qags_xsum", KNOWN, "spearman", ""]
    assert spearman["value"] == pytest.approx(1.0)
    assert (spearman["n"], spearman["unscored"]) == (59, 1)
    assert spearman["outcomes_without_value"] == {"no_content": 1}
    assert spearman["groups"] == 30 and spearman["low"] is None
    assert "all resamples give 1" in spearman["interval_reason"]
    assert "all resamples give 1" in Path("out/bench/results.md").read_text()
    assert result["cliff", KNOWN, "spearman_of_type", "intrinsic-NP"]["value"] > 0.9
    assert ("cliff", KNOWN, "auc", "xsum") in result


def test_every_figure_is_in_the_csv_and_the_tables_count_left_out_rows(data: Path) -> None:
    bench(data)
    with Path("out/bench/results.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(figures())
    text = Path("out/bench/results.md").read_text()
    assert "1 no_content" in text and "†" in text
    assert "|v0." in text.replace("\\|", "|"), "the signatures are under the tables"


def test_the_page_has_the_tables_of_every_dataset(data: Path) -> None:
    assert "Page: out/bench/results.html" in bench(data).stdout
    text = Path("out/bench/results.html").read_text(encoding="utf-8")
    for title in ("<h2>bump1</h2>", "<h2>cliff</h2>", "<h2>qags_xsum</h2>", "<h2>Signatures</h2>"):
        assert title in text
    assert "1 no_content" in text and "†" in text and "<script" not in text


def test_a_second_run_scores_nothing_and_gives_the_same_figures(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TINY_LOG", str(tmp_path / "log"))
    bench(data)
    first = figures()
    scored = (tmp_path / "log").read_text()
    assert scored.count("\n") > 0
    bench(data, "--no-cache")
    assert (tmp_path / "log").read_text() == scored
    assert figures() == first


def test_an_outcome_that_another_try_may_change_is_tried_again(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TINY_LOG", str(tmp_path / "log"))
    arguments = ("bench", "-d", "bump1", "-m", f"{TINY}:Flaky", "--data-dir", str(data))
    faithkit(*arguments)
    first = (tmp_path / "log").read_text().count("\n")
    faithkit(*arguments)
    assert (tmp_path / "log").read_text().count("\n") == 2 * first > 0


def test_another_metric_adds_its_own_values(data: Path) -> None:
    arguments = ("bench", "-d", "bump1", "--data-dir", str(data), "--draws", "20")
    faithkit(*arguments, "-m", KNOWN)
    before = {path.name for path in Path("out/bench").glob("*.values.jsonl")}
    faithkit(*arguments, "-m", KNOWN, "-m", OTHER)
    after = {path.name for path in Path("out/bench").glob("*.values.jsonl")}
    assert before < after and len(after) == 2


def test_values_of_other_rows_are_not_reused(data: Path) -> None:
    arguments = ("bench", "-d", "bump1", "-m", KNOWN, "--data-dir", str(data), "--draws", "20")
    faithkit(*arguments)
    path = data / "bench" / "bump1.jsonl"
    path.write_text("\n".join(path.read_text().splitlines()[:20]) + "\n")
    faithkit(*arguments)
    assert figures()["bump1", KNOWN, "ranking_accuracy", ""]["n"] == 10


def test_a_changed_metric_takes_the_place_of_its_old_values(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    arguments = ("bench", "-d", "bump1", "-m", f"{file}:Known", "--data-dir", str(data))
    file.write_text(TINY.read_text())
    faithkit(*arguments)
    file.write_text(TINY.read_text() + "\n# changed\n")
    faithkit(*arguments)
    assert len(list(Path("out/bench").glob("*.values.jsonl"))) == 1


def test_from_a_folder_needs_neither_data_nor_models(data: Path) -> None:
    bench(data)
    first = figures()
    for path in (data / "bench").iterdir():
        path.unlink()
    result = faithkit("bench", "--from", "out/bench", "-o", "out/again", "--draws", "50")
    assert result.exit_code == 0
    assert figures("out/again") == first


def test_from_a_results_file_joins_by_id(data: Path) -> None:
    faithkit("score", str(data / "bench" / "bump1.jsonl"), "-m", KNOWN, "-o", "scores.jsonl")
    faithkit("bench", "--from", "scores.jsonl", "-d", "bump1", "--data-dir", str(data),
             "--draws", "20")  # fmt: skip
    assert figures()["bump1", KNOWN, "ranking_accuracy", ""]["value"] == 1.0
    again = ("bench", "--from", "scores.jsonl", "--data-dir", str(data))
    assert "no score for" in refused(*again, "-d", "cliff")
    lines = Path("scores.jsonl").read_text().splitlines(keepends=True)
    Path("scores.jsonl").write_text("".join([*lines, lines[0]]))
    assert "two rows of" in refused(*again, "-d", "bump1")


def refused(*arguments: str) -> str:
    """The one line that a wrong command gives; it ends with code 2."""
    result = faithkit(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    return str(result.stderr)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-m", "rouge2"], "needs -d DATASET"),
        (["-d", "qags", "-m", "rouge2"], "Did you mean 'qags_xsum'"),
        (["-d", "cliff[origin]", "-m", "rouge2"], "expected NAME[key=value,...]"),
        (["-d", "cliff[origin=mars]", "-m", "rouge2"], "none of 60 rows is left"),
        (["-d", "cliff[documents=many]", "-m", "rouge2"], "whole number"),
        (["-d", "summeval_dev", "-m", "rouge2"], "summeval_dev.jsonl"),
        (["-d", "cliff", "-m", "rouge2", "--thresholds", "each"], "--thresholds cannot be 'each'"),
        (["-d", "cliff", "-m", "rouge2", "--compare", "rouge2", "rouge1"], "--compare names"),
        (["--from", "nowhere"], "no such file or folder"),
        (["--from", "."], "no benchmark results"),
        (["--from", ".", "--labels", "a=0"], "its rows are saved; --column and --labels are for"),
        (["-d", "cliff", "-m", "rouge2", "--labels", "a=0"], "column options are for files"),
    ],
)
def test_a_wrong_request_is_one_clear_line(data: Path, arguments: list[str], words: str) -> None:
    assert words in refused("bench", *arguments, "--data-dir", str(data), "--draws", "20")


def test_pooled_datasets_keep_their_rows_apart(data: Path) -> None:
    tasks, rows = examples.read("bump1+cliff[origin=xsum,label=1]", str(data), None)
    assert len(rows) == 60 + 15 and len({row.id for row in rows}) == 75
    assert set(tasks) == {"ranking", "detection", "error_types"}
    _, first_four = examples.read("cliff[documents=4]", str(data), None)
    assert len({row.document for row in first_four}) == 4 and len(first_four) == 8


def test_a_file_of_judged_pairs_is_a_dataset(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    rows = [
        {"source": f"It rained {i // 2}.", "summary": "It rained.", "label": i % 2}
        for i in range(4)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    tasks, result = examples.read(str(file), None, None)
    assert tasks == ("detection",)
    # Rows of one source without a document are one document.
    assert [row.document for row in result] == [document_id(row.source) for row in result]
    tasks, result = examples.read(f"{file}[label=1]", None, None)
    assert len(result) == 2
    arguments = ["-d", str(file), "-m", "rouge1", "-o", str(tmp_path / "out"), "--draws", "20"]
    figures = json.loads(faithkit("bench", *arguments, "--json").stdout)["figures"]
    auc = next(figure for figure in figures if figure["statistic"] == "auc")
    assert (auc["n"], auc["value"]) == (4, 0.5)  # four equal scores
    other = tmp_path / "other.jsonl"
    other.write_text(
        file.read_text().replace("summary", "tldr").replace('"label": 1', '"label": "ok"')
    )
    arguments[1] = str(other)
    named = ["--column", "summary=tldr", "--labels", "ok=1,0=0"]
    same = json.loads(faithkit("bench", *arguments, *named, "--json").stdout)["figures"]
    assert [f["value"] for f in same] == [f["value"] for f in figures]
    scores = str(tmp_path / "scores.jsonl")
    faithkit("score", str(other), *named[:2], "-m", "rouge1", "-o", scores)
    joined = faithkit("bench", *arguments, *named, "--from", scores, "--json").stdout
    assert [f["value"] for f in json.loads(joined)["figures"]] == [f["value"] for f in figures]

    file.write_text('{"source": "It rained.", "summary": "It did.", "score": 0.5}\n')
    assert examples.read(str(file), None, None)[0] == ("rating",)
    file.write_text('{"source": "It rained.", "summary": "It did."}\n')
    with pytest.raises(DataError, match="no row has a label or a rating"):
        examples.read(str(file), None, None)
    with pytest.raises(DataError, match=r"gone\.jsonl: no such file"):
        examples.read(str(tmp_path / "gone.jsonl"), None, None)


def table(scores: list[float | None], labels: list[int], **more: Any) -> JudgedTable:
    rows = [
        JudgedRow(str(i), f"d{i // 2}", label=label, **{k: v[i] for k, v in more.items()})
        for i, label in enumerate(labels)
    ]
    outcomes = tuple("ok" if score is not None else "unparsable" for score in scores)
    column = MetricColumn("m", "m|v0", "", tuple(scores), outcomes)
    return JudgedTable("t", rows, {"m": column}, ("detection",))


def computed(result: list[JudgedTable], settings: BenchSettings) -> list[Figure]:
    return list(tables.compute(result, settings).figures)


def accuracy(result: JudgedTable, settings: BenchSettings) -> float | None:
    (figure,) = [
        f for f in computed([result], settings)
        if f.statistic == "balanced_accuracy" and not f.part
    ]  # fmt: skip
    return figure.value


def test_thresholds_come_from_the_validation_rows_where_there_are_any() -> None:
    # Validation says that 5 and more is consistent; on the rest that is right for 3 of 4.
    scores: list[float | None] = [1, 9, 2, 8, 6, 7, 4, 3]
    labels = [0, 1, 0, 1, 0, 1, 0, 0]
    result = table(scores, labels, validation=[True] * 4 + [False] * 4)
    assert accuracy(result, BenchSettings(draws=10)) == pytest.approx((1 + 2 / 3) / 2)
    (figure,) = [f for f in computed([result], BenchSettings(draws=10))
              if f.statistic == "balanced_accuracy"]  # fmt: skip
    assert (figure.estimate["n"], figure.estimate["unscored"]) == (4, 0)


def test_without_validation_rows_no_row_is_judged_by_its_own_half() -> None:
    pick = random.Random(0)
    labels = [i % 2 for i in range(400)]
    noise: list[float | None] = [pick.random() for _ in labels]
    value = accuracy(table(noise, labels), BenchSettings(draws=10))
    # Fitted on the rows themselves, noise would do better than chance.
    fitted = meta.choose_threshold(noise, labels).balanced_accuracy
    assert value is not None and fitted is not None
    assert abs(value - 0.5) < 0.05 < fitted - 0.46


@pytest.mark.parametrize("outcome", ["unparsable", "refused", "off_topic", "too_long", "timeout"])
def test_row_without_a_verdict_counts_as_wrong_in_balanced_accuracy(outcome: str) -> None:
    scores: list[float | None] = [0, 1, 0, 1, 0, 1, 0, None]
    labels = [0, 1, 0, 1, 0, 1, 0, 1]
    result = table(scores, labels, validation=[True] * 4 + [False] * 4)
    result.columns["m"] = replace(result.columns["m"], outcomes=("ok",) * 7 + (outcome,))
    assert accuracy(result, BenchSettings(draws=10)) == pytest.approx((0.5 + 1) / 2)
    result.columns["m"] = replace(result.columns["m"], outcomes=("ok",) * 7 + ("no_content",))
    assert accuracy(result, BenchSettings(draws=10)) == 1.0


def test_a_global_threshold_is_chosen_on_all_datasets_together() -> None:
    low = table([1, 2, 1, 2], [0, 1, 0, 1], validation=[True, True, False, False])
    high = table([11, 12, 11, 12], [0, 1, 0, 1], validation=[True, True, False, False])
    high.name = "u"
    separate = computed([low, high], BenchSettings(draws=10))
    pooled = computed([low, high], BenchSettings(draws=10, thresholds="global"))
    assert [f.value for f in separate if f.statistic == "balanced_accuracy"] == [1.0, 1.0]
    assert [f.value for f in pooled if f.statistic == "balanced_accuracy"] != [1.0, 1.0]


def test_subsets_are_averaged_by_their_rows() -> None:
    # In 'a' (4 rows) every pair is right, in 'b' (2 rows) the only one is wrong.
    result = computed(
        [table([1, 2, 1, 2, 2, 1], [0, 1, 0, 1, 0, 1], subset=["a"] * 4 + ["b"] * 2)],
        BenchSettings(draws=10),
    )
    auc = {f.part: f.value for f in result if f.statistic == "auc"}
    assert auc["a"] == 1.0 and auc["b"] == 0.0
    assert auc[statistics.WEIGHTED] == pytest.approx(4 / 6)


def test_validation_rows_of_one_kind_give_no_threshold() -> None:
    labels = [0, 0, 0, 0, 0, 1, 0, 1]
    scores: list[float | None] = [1, 1, 1, 1, 1, 2, 1, 2]
    result = table(scores, labels, validation=[True] * 4 + [False] * 4)
    assert accuracy(result, BenchSettings(draws=10)) == 1.0  # from 1.5, chosen on other documents


def test_pairs_are_ranked_within_the_pair_and_resampled_by_document() -> None:
    # Two pairs of one document. Within pairs: one right, one tied, which is wrong.
    rows = [
        JudgedRow("a", "d", pair="1", label=1),
        JudgedRow("b", "d", pair="1", label=0),
        JudgedRow("c", "d", pair="2", label=1),
        JudgedRow("d", "d", pair="2", label=0),
        JudgedRow("e", "f", pair="3", label=1),
        JudgedRow("f", "f", pair="3", label=0),
    ]
    column = MetricColumn("m", "m", "", (5, 4, 1, 1, 2, 1), ("ok",) * 6)
    ranked = JudgedTable("t", rows, {"m": column}, ("ranking",))
    result = computed([ranked], BenchSettings(draws=50))
    assert result[0].value == pytest.approx(2 / 3)
    assert (result[0].estimate["n"], result[0].estimate["groups"]) == (3, 2)


def test_compare_pairs_rows_and_corrects_for_the_number_of_datasets(data: Path) -> None:
    result = bench(data, "--compare", KNOWN, OTHER)
    assert result.exit_code == 0
    rows = json.loads(Path("out/bench/results.json").read_text())["comparison"]
    assert [row["dataset"] for row in rows] == ["qags_xsum", "bump1", "cliff"]
    assert all(abs(row["difference"]) < 1e-9 for row in rows), "a power keeps the order"


def test_the_interval_of_a_difference_is_in_every_table_of_it(data: Path) -> None:
    shown = faithkit(
        "bench", "-d", "qags_xsum", "-m", KNOWN, "-m", "novelty", "--data-dir", str(data),
        "--draws", "50", "--compare", "novelty", KNOWN,
    ).stdout  # fmt: skip
    (row,) = json.loads(Path("out/bench/results.json").read_text())["comparison"]
    interval = tables.difference_interval(row)
    assert interval == f"{100 * row['low']:+.1f} to {100 * row['high']:+.1f}"
    assert interval in shown
    assert f"| {interval} |" in Path("out/bench/results.md").read_text()
    assert f"<td>{interval}</td>" in Path("out/bench/results.html").read_text()
    assert "(.csv without the comparison, .json)" in shown


def test_no_figure_is_a_negative_zero() -> None:
    assert tables.difference_interval({"low": -0.0003, "high": 0.1}) == "+0.0 to +10.0"
    found = {"value": 0.1, "low": -0.0003, "high": 0.2}
    figure = Figure("set", "metric", "auc", "", found, Caveats(), "s")
    assert tables.cell(figure) == "10.0 (0.0–20.0)"


def test_the_json_has_the_matrices_and_the_cases_of_over_and_under_prediction(data: Path) -> None:
    bench(data)
    record = json.loads(Path("out/bench/results.json").read_text())
    assert record["matrices"]["bump1"].keys() == {"spearman", "pearson", "kendall"}
    assert record["matrices"]["bump1"]["kendall"]["names"] == [KNOWN, OTHER]
    assert record["predictions"]["qags_xsum"][0]["metric"] == KNOWN


def test_plots_are_of_estimates_matrices_and_predictions_and_the_page_requests_none(
    data: Path,
) -> None:
    shown = faithkit(
        "bench", "-d", "qags_xsum", "-m", KNOWN, "-m", OTHER, "--data-dir", str(data),
        "--draws", "10", "--plots",
    ).stdout  # fmt: skip
    names = {path.name for path in Path("out/bench").glob("*.png")}
    assert names == {
        "estimates.png", "matrix-qags_xsum.png", "matrix-qags_xsum-pearson.png",
        "matrix-qags_xsum-kendall.png", "predictions-qags_xsum.png",
    }  # fmt: skip
    assert all(f"Plot: out/bench/{name}" in shown for name in names)
    assert Path("out/bench/estimates.png").stat().st_size > 10_000
    text = Path("out/bench/results.html").read_text(encoding="utf-8")
    assert text.count('src="data:image/png;base64,') == text.count("<img")
    assert "<img" in text and "<script" not in text


def test_split_is_selected_by_any_of_its_names_and_a_wrong_one_lists_the_choices(
    tmp_path: Path,
) -> None:
    rows = [{"source": f"It rained {i}.", "summary": "It did.", "label": i % 2,
             "split": "dev" if i < 2 else "test"} for i in range(6)]  # fmt: skip
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("val", "validation", "dev"):
        assert len(examples.read(f"{file}[split={name}]", None, None)[1]) == 2
    assert len(examples.read(f"{file}[split=test]", None, None)[1]) == 4
    with pytest.raises(DataError, match="none of 6 rows is left; 'split' can be dev, test"):
        examples.read(f"{file}[split=train]", None, None)
    with pytest.raises(DataError, match="no row has 'era'"):
        examples.read(f"{file}[era=OLD]", None, None)


def test_labels_that_look_inverted_give_a_note(tmp_path: Path) -> None:
    rows = [{"source": f"It rained in town {i}.", "label": i % 2,
             "summary": "Nothing else." if i % 2 else f"It rained in town {i}."}
            for i in range(30)]  # fmt: skip
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["-d", str(file), "-m", "rouge1", "-o", str(tmp_path / "out"), "--draws", "50"]
    text = faithkit("bench", *arguments).stdout
    for shown in (text, (tmp_path / "out" / "results.md").read_text()):
        assert "the labels look inverted to rouge1: a label of 1" in " ".join(shown.split())
    assert "look inverted" not in faithkit("bench", *arguments, "--labels", "1=0,0=1").stdout
    less = tmp_path / "less.py"
    less.write_text(
        "class Less:\n"
        "    name, bounds, unit = 'less', (-1e9, 0.0), 'minus the length of the summary'\n"
        "    def score(self, examples):\n"
        "        from faithkit import Score\n"
        "        return [Score(e.id, 'less', -float(len(e.summary))) for e in examples]\n"
    )
    done = faithkit("bench", *arguments, "-m", f"{less}:Less", "--cases")
    said = " ".join(done.stdout.split())
    assert "look inverted" not in said and "rouge1 ranks rows against the labels, " in said
    assert "--cases: no dataset here is rated" in done.stderr


def test_file_that_names_the_document_of_some_rows_only_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    rows = [{"source": "It rained.", "summary": "It did.", "label": 1, "document": name}
            for name in ("a", None)]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataError, match="1 of 2 rows have no document, the first '2'"):
        examples.read(str(file), None, None)


def test_minimal_pairs_are_resampled_by_document(data: Path) -> None:
    from faithkit import Example

    row = Example("x", "a", "b", document="article", pair="7")
    judged = judged_row(row)
    assert (judged.document, judged.pair) == ("article", "7")


def test_cells_without_a_value_hold_the_reason() -> None:
    estimate = {"value": None, "reason": "one class only"}
    figure = Figure("d", "m", "auc", "", estimate, Caveats(), "s")
    assert tables.cell(figure) == "– (one class only)"
    assert tables.cell(None) == "–"


def test_datasets_are_listed_with_where_to_get_and_put_them(data: Path) -> None:
    rows = json.loads(faithkit("datasets", "list", "--data-dir", str(data), "--json").stdout)
    result = {row["dataset"]: row["found"] for row in rows}
    assert result["qags_xsum"] == "yes" and result["summeval_dev"] == "no"
    info = faithkit("datasets", "info", "frank", "--data-dir", str(data)).stdout
    assert "https://" in info and "not found: put it at" in info
    with pytest.raises(ConfigError, match="Did you mean 'frank'"):
        examples.read("frnk", str(data), None)
