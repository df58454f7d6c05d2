"""What `faithkit bench` says beside its figures: types of error, cut texts, training data, parts of
a metric, over- and under-prediction, and a line for every table that is not there."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import tiny_calibration
from tests.helpers.bench_runs import DECIDED, STATED, TINY, faithkit, figures, notes, pairs, run
from tests.helpers.paths import SHARED_DATA

from faithkit import models
from faithkit import run as runs
from faithkit.cut_tally import CutTally
from faithkit.datasets.releases import same_release
from faithkit.evaluation.judged import judged_row
from faithkit.metrics.support import Support
from faithkit.models.cards import named_in, of_folder
from faithkit.models.runtime import Runtime
from faithkit.records import Coverage, DataError, Example

pytestmark = pytest.mark.slow

CUT, TAUGHT, COMPOSED = f"{TINY}:Cut", f"{TINY}:Taught", f"{TINY}:Composed"
DATA = SHARED_DATA


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "300")
    return tmp_path


def lines(path: str, rows: list[dict[str, Any]]) -> str:
    made = [{"id": str(i), "source": f"Document {i}.", **row} for i, row in enumerate(rows)]
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    return path


# Types of error


def frank(rows: list[tuple[float, tuple[str, ...]]]) -> None:
    """FRANK's two files. A row: the metric's number and the errors that people found."""
    from faithkit.datasets.frank import GROUPS, TYPES

    Path("frank").mkdir()
    benchmark, judged = [], []
    for number, (value, errors) in enumerate(rows):
        key = {"hash": f"hash{number:x}", "model_name": "bart", "split": "test"}
        benchmark.append({**key, "article": f"Document {number}.", "summary": f"{value} said"})
        judged.append({
            **key, "dataset": "cnndm", "Factuality": 1.0 - 0.25 * len(errors),
            **{name: 0.0 if name in errors else 1.0 for name in (*GROUPS, *TYPES)},
        })  # fmt: skip
    Path("frank/benchmark_data.json").write_text(json.dumps(benchmark), encoding="utf-8")
    Path("frank/human_annotations.json").write_text(json.dumps(judged), encoding="utf-8")


ENTITY = ("Semantic_Frame_Errors", "EntE")
LINK = ("Discourse_Errors", "LinkE")
FRANK = [
    *[(0.9, ())] * 4,
    *[(0.1 * i, ENTITY) for i in range(6)],
    (0.5, (*ENTITY, *LINK)), (0.95, LINK),
]  # fmt: skip


def test_rated_rows_without_a_label_have_figures_by_type_and_group_of_error() -> None:
    frank(FRANK)
    shown = run("-d", "frank", "-m", STATED, "--data-dir", ".", "--error-cases", "3")
    result = {key[2:]: figure for key, figure in figures().items()}
    entity = result["spearman_of_type", "EntE"]
    # Seven such errors; three in each of ten draws, with the four faithful rows.
    assert (entity["available"], entity["used"], entity["draws"], entity["n"]) == (7, 3, 10, 7)
    assert entity["value"] > 0.7
    group = result["spearman_of_group", "Semantic_Frame_Errors"]
    assert (group["available"], group["faithful"]) == (7, 4)
    assert result["spearman_of_type", "LinkE"]["value"] < entity["value"]
    assert "fewer than 3 error cases, so all of them once: LinkE (2)" in shown
    assert "spearman_of_group, by part" in Path("out/bench/results.md").read_text()


def test_error_cases_are_fifty_unless_asked_otherwise() -> None:
    frank([*[(0.9, ())] * 4, *[(0.01 * i, ENTITY) for i in range(60)]])
    run("-d", "frank", "-m", STATED, "--data-dir", ".")
    assert figures()["frank", STATED, "spearman_of_type", "EntE"]["used"] == 50


def test_a_file_of_pairs_may_name_errors_as_a_list_or_as_one_name() -> None:
    rows = [{"summary": "0.9 said", "label": 1}, {"summary": "0.8 said", "label": 1},
            {"summary": "0.2 said", "label": 0, "error_types": ["name", "date"]},
            {"summary": "0.1 said", "label": 0, "error_types": "date", "error_groups": ["word"]},
            {"summary": "0.1 said", "label": 0, "error_types": []}]  # fmt: skip
    run("-d", lines("own.jsonl", rows), "-m", STATED)
    parts = {
        key[2:]: figure["available"] for key, figure in figures().items() if "spearman" in key[2]
    }
    assert parts == {
        ("spearman_of_type", "date"): 2, ("spearman_of_type", "name"): 1,
        ("spearman_of_group", "word"): 1,
    }  # fmt: skip


def test_errors_that_are_no_names_are_refused() -> None:
    row = Example("x", "a", "b", document="a", label=0, meta={"error_types": [1]})
    with pytest.raises(DataError, match="row 'x', field 'error_types': expected a list of names"):
        judged_row(row)


@pytest.mark.skipif(not DATA.is_dir(), reason="no real data here (../shared)")
def test_real_annotations_of_frank_have_figures_by_type() -> None:
    """The release's articles are not there, so the texts are made up; the judgements are real."""
    judged = json.loads((DATA / "raw/frank/human_annotations.json").read_text())
    keys = ("hash", "model_name", "split")
    made = [{**{key: row[key] for key in keys}, "article": row["hash"],
             "summary": f"{row['Factuality']} said"} for row in judged]  # fmt: skip
    Path("frank").mkdir()
    Path("frank/benchmark_data.json").write_text(json.dumps(made), encoding="utf-8")
    Path("frank/human_annotations.json").write_text(json.dumps(judged), encoding="utf-8")
    run("-d", "frank_xsum", "-m", STATED, "--data-dir", ".", "--error-cases", "10")
    result = {key[3]: figure for key, figure in figures().items() if "spearman_of" in key[2]}
    assert len(result) == 8 + 3
    semantic = result["Semantic_Frame_Errors"]
    assert (semantic["available"], semantic["faithful"], semantic["used"]) == (479, 78, 10)
    assert semantic["value"] == pytest.approx(1.0), "the metric is the rating itself"


# No table disappears without a line


LINES = {
    "errors alone": (
        "aggrefact_errors_val", [{"summary": "0.1 said", "label": 0, "error_types": ["a"]}] * 2,
        ("figures by type of error only", "no faithful row to mix the error cases with"),
    ),
    "no errors": (
        "cliff", [{"summary": "0.1 said", "label": i % 2, "error_types": []} for i in range(4)],
        ("no figure by type of error: no unfaithful row names an error",),
    ),
    "few systems": (
        "qags_xsum", [{"summary": "0.1 said", "score": 1.0, "system": "one"}] * 3,
        ("no correlation by system: 1 systems, and a correlation needs at least 3",),
    ),
    "nameless systems": (
        "qags_xsum", [{"summary": "0.1 said", "score": 1.0, "system": s} for s in ("a", None)],
        ("no correlation by system: 1 of 2 rows name no system",),
    ),
    "no systems": (
        "qags_xsum", [{"summary": "0.1 said", "score": 1.0}] * 2, ("no row names its system",),
    ),
    "unrated": (
        "qags_xsum", [{"summary": "0.1 said", "score": s} for s in (1.0, None)],
        ("1 of 2 rows have no rating and are left out",),
    ),
    "ratings of another scale": (
        "qags_xsum", [{"summary": "0.1 said", "score": s} for s in (1.0, 5.0)],
        ("the ratings run from 1 to 5, not within 0 to 1; give the ratings' range with "
         "--rating-scale LOW,HIGH",),
    ),
    "values of another scale": (
        "qags_xsum", [{"summary": "-2 said", "score": s} for s in (1.0, 0.0)],
        ("the metric's values run from -2 to -2, not within 0 to 1",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_what_is_not_computed_has_a_note_with_the_reason(name: str) -> None:
    dataset, rows, words = LINES[name]
    lines(f"bench/{dataset}.jsonl", rows)
    shown = run("-d", dataset, "-m", STATED, "--data-dir", ".")
    for line in words:
        assert line in shown and line in notes(dataset)
        assert line in Path("out/bench/results.md").read_text()


def test_compare_lists_the_datasets_it_leaves_out() -> None:
    lines("bench/aggrefact_errors_val.jsonl", LINES["errors alone"][1])
    shown = run("-d", "aggrefact_errors_val", "-m", STATED, "-m", DECIDED, "--data-dir", ".",
                "--compare", STATED, DECIDED)  # fmt: skip
    assert "aggrefact_errors_val: not compared" in shown


def test_saved_values_of_other_rows_are_named() -> None:
    run("-d", pairs("own.jsonl", [("0.9", 1), ("0.1", 0)]), "-m", STATED, "-m", DECIDED)
    run("-d", pairs("own.jsonl", [("0.9", 1), ("0.1", 0), ("0.2", 0)]), "-m", STATED)
    shown = run("--from", "out/bench")
    assert "is left out: its values are of other rows" in shown and "Decided" in shown


# Cut texts


def test_a_tally_of_what_was_cut_by_hand() -> None:
    tally = CutTally()
    assert str(tally) == ""
    tally.add(Coverage(source_tokens=60, source_tokens_cut=40, summary_tokens=5))
    tally.add({"source_tokens": 100, "summary_tokens": 5})
    assert str(tally) == "1 of 2 rows (50.0%), 20.0% of source tokens"
    assert tally.to_dict() == {"rows": 2, "rows_cut": 1, "source_tokens_cut": 0.2}
    # A metric that does not count the sentences it saw has no share of them.
    tally.add(Coverage(source_sentences_cut=3))
    assert str(tally).endswith("20.0% of source tokens, 3 source sentences")


def test_every_table_carries_the_share_of_rows_and_tokens_cut() -> None:
    rows = [{"summary": f"{0.1 * i} said", "score": 0.1 * i, "label": i % 2} for i in range(6)]
    shown = run("-d", lines("own.jsonl", rows), "-m", CUT, "-m", STATED, "--compare", CUT, STATED)
    cut = f"{CUT} on own.jsonl 6 of 6 rows (100.0%), 75.0% of source tokens"
    tables = shown.split("with 95% intervals")[1:]
    assert len(tables) == 2 and all(cut in shown_table for shown_table in tables)
    assert shown.count(cut) == 5, "also over- and under-prediction, twice, and the comparison"
    assert f"{STATED} on own.jsonl" not in shown
    auc = figures()["own.jsonl", CUT, "spearman", ""]
    assert auc["cut"] == {"rows": 6, "rows_cut": 6, "source_tokens_cut": 0.75}
    assert "source_tokens=0.7500" in Path("out/bench/results.csv").read_text()


def test_score_reports_truncation() -> None:
    path = pairs("own.jsonl", [("0.9", 1), ("0.1", 0)])
    for more in ([], ["-o", "scores.jsonl"], ["-o", "scores.jsonl"]):
        shown = faithkit("score", path, "-m", CUT, *more).stdout
        assert f"{CUT}, cut because it did not fit: 2 of 2 rows (100.0%), 75.0% of" in shown
    result = faithkit("score", path, "-m", CUT, "-o", "scores.jsonl", "--json").stdout
    assert json.loads(result)[CUT]["cut"]["source_tokens_cut"] == 0.75
    assert "cut because" not in faithkit("score", path, "-m", STATED).stdout


def test_calibrate_reports_truncation() -> None:
    path = pairs("own.jsonl", [(f"0.{i % 7}", i % 2) for i in range(12)])
    shown = faithkit("calibrate", path, "-m", CUT).stdout
    assert f"{CUT}, cut because it did not fit: 12 of 12 rows" in shown


# Training data


def test_a_metric_that_was_trained_on_the_dataset_is_marked() -> None:
    rows = [{"summary": f"0.{i} said", "label": i % 2} for i in range(4)]
    lines("bench/cliff.jsonl", rows)
    lines("bench/wice_dev.jsonl", rows)
    shown = run("-d", "cliff", "-d", "wice_dev", "-m", TAUGHT, "-m", STATED, "--data-dir", ".")
    assert f"¶ trained on rows of this release, so no measure of new texts: {TAUGHT} on cliff " \
        "(cliff)." in shown  # fmt: skip
    result = figures()
    assert result["cliff", TAUGHT, "auc", ""]["trained_on"] == ["cliff"]
    assert result["wice_dev", TAUGHT, "auc", ""]["trained_on"] == []
    assert result["cliff", STATED, "auc", ""]["trained_on"] == []
    again = run("--from", "out/bench")
    assert "TAUGHT on cliff (cliff)".replace("TAUGHT", TAUGHT) in again


@pytest.mark.parametrize("metric", ["support", "entailment", "summac_zs", "mnli_doc", "lss_bleu",
                                    "dae", "qgqa"])  # fmt: skip
def test_metrics_on_the_shipped_model_list_its_training_data(metric: str) -> None:
    (prepared,) = runs.prepare([metric], Runtime(offline=True))
    assert {"bump1", "summedits_news", "xsumfaith_dev", "wice_dev"} <= prepared.trained_on
    assert same_release(prepared.trained_on, "aggrefact[split=test]")
    assert not same_release(prepared.trained_on, "cliff")  # which states no licence
    assert not same_release(prepared.trained_on, "tofueval_mediasum")


def test_metric_given_as_an_object_lists_its_training_data() -> None:
    (prepared,) = runs.prepare([Support(models.load("support:mini", Runtime("cpu", offline=True)))])
    assert "bump1" in prepared.trained_on


def test_fitted_metric_lists_its_own_data_and_that_of_its_model(tmp_path: Path) -> None:
    fitted_on = "tofueval_mediasum[split=val]"
    file = tiny_calibration.write(tmp_path / "c.json", "support", pairs=fitted_on)
    (prepared,) = runs.prepare([f"calibrated:file={file}"], Runtime(offline=True))
    assert {"bump1", fitted_on} <= prepared.trained_on
    assert same_release(prepared.trained_on, "tofueval_mediasum") == (fitted_on,)


def test_cards_of_trained_models_name_their_data(tmp_path: Path) -> None:
    assert named_in({"learned": {"own_file": {"a": 1}}}) == {"own_file"}
    assert named_in({"data": {"name": "rows.jsonl"}, "rows": 12}) == {"rows.jsonl"}
    assert of_folder(tmp_path) == frozenset()
    (tmp_path / "card.json").write_text('["no card of ours"]')
    assert of_folder(tmp_path) == frozenset()
    (tmp_path / "card.json").write_text('{"learned": {"wice_dev": {}}}')
    assert of_folder(tmp_path) == {"wice_dev"}
    assert models.trained_on(None, object()) == frozenset()


@pytest.mark.parametrize(
    ("trained", "name", "related"),
    [
        ("cliff", "cliff[origin=xsum]", True),
        ("bench/cliff.jsonl", "cliff", True),
        ("out/rows.jsonl", "other/rows.jsonl", True),
        ("out/rows.jsonl", "lines.jsonl", False),
        ("xsumfaith_dev", "summac_xsumfaith", True),
        ("xsumfaith_dev", "summac_frank", False),
        ("wice_tokens_train", "hf:lytang/LLM-AggreFact?split=dev", True),
        ("qags_xsum+cliff", "begin+cliff[label=1]", True),
        ("summedits_news", "summedits_podcast", False),
    ],
)
def test_datasets_of_one_release_are_related_by_name(
    trained: str, name: str, related: bool
) -> None:
    assert same_release([trained], name) == ((trained,) if related else ())


def test_training_data_of_saved_scores_is_in_their_manifest() -> None:
    rows = [{"summary": f"0.{i} said", "label": i % 2} for i in range(4)]
    path = lines("bench/cliff.jsonl", rows)
    faithkit("score", path, "-m", TAUGHT, "-o", "scores.jsonl")
    arguments = ("--from", "scores.jsonl", "-d", "cliff", "--data-dir", ".")
    assert f"{TAUGHT} on cliff (cliff)" in run(*arguments)
    Path("scores.jsonl.manifest.json").unlink()
    assert f"what {TAUGHT} was trained on is not known" in run(*arguments)


# Parts of a metric, over- and under-prediction


def test_components_are_correlated_with_one_another_and_with_ratings() -> None:
    rows = [{"summary": f"0.{i} said", "score": 0.1 * i * i} for i in range(4)]
    path = lines("own.jsonl", rows)
    shown = run("-d", path, "-m", COMPOSED, "-m", STATED, "--components")
    for name in ("spearman", "pearson", "kendall"):
        assert f"Components of {COMPOSED} on own.jsonl, {name} × 100" in shown
    result = json.loads(Path("out/bench/results.json").read_text())["components"]["own.jsonl"]
    matrix = result[COMPOSED]["pearson"]
    assert matrix["names"] == ["value", "plain", "square", "human rating"]
    assert matrix["values"][2][3] == pytest.approx(1.0) and matrix["values"][1][2] < 0.99
    assert result[STATED] == {}
    assert f"{STATED} has no components." in Path("out/bench/results.md").read_text()


def test_over_prediction_is_of_the_raw_scale_and_the_cases_have_their_texts() -> None:
    rows = [{"summary": "0.9 <b>said</b>", "score": 2 + 0.1 * i} for i in range(5)]
    rows += [{"summary": "0.1 said", "score": 4.0}]
    path = lines("own.jsonl", rows)
    shown = run("-d", path, "-m", STATED, "--rating-scale", "1,5", "--cases", "--plots",
                "--worst", "2")  # fmt: skip
    assert "raw scale from 0 to 1" in shown and "by construction" in shown
    assert "83.3%" in shown, "five of six are over-predicted"
    (prediction,) = json.loads(Path("out/bench/results.json").read_text())["predictions"][
        "own.jsonl"
    ]
    assert (prediction["raw"]["over"], prediction["raw"]["under"]) == (5, 1)
    assert prediction["raw"]["worst_over"][0] == {
        "id": "0", "score": 0.9, "human": 2.0, "difference": pytest.approx(0.65)
    }  # fmt: skip
    assert len(prediction["raw"]["random_over"]) == 2
    page = Path("out/bench/cases.html").read_text()
    assert "&lt;b&gt;said" in page and "Document 0." in page and "Compared on the raw scale" in page
    assert "people\n2.000, difference on the scale from 0 to 1 +0.650" in page
    assert Path("out/bench/predictions-own.jsonl.png").stat().st_size > 5000


def test_predictions_components_and_matrices_have_intervals() -> None:
    pick = random.Random(0)
    rows = [{"summary": f"0.{pick.randrange(100):02} said", "score": pick.random()}
            for _ in range(40)]  # fmt: skip
    shown = run("-d", lines("own.jsonl", rows), "-m", COMPOSED, "-m", STATED, "--components")
    assert re.search(r"\d\d\.\d% \(\d\d\.\d–\d\d\.\d\) +", shown), "a share"
    record = json.loads(Path("out/bench/results.json").read_text())
    for scale in ("raw", "quantile"):
        over = record["predictions"]["own.jsonl"][0][scale]["estimates"]["over"]
        assert over["low"] < over["value"] < over["high"] and over["groups"] == 40
    assert record["components"]["own.jsonl"][COMPOSED]["spearman"]["low"][0][3] is not None
    assert record["matrices"]["own.jsonl"]["kendall"].keys() >= {"low", "high"}
    few = run("-d", lines("few.jsonl", rows[:4]), "-m", STATED)
    assert "No interval (only 4 documents; an interval or a test needs 10 or more): " in few


def test_a_difference_of_quantiles_is_called_so_beside_the_values() -> None:
    rows = [{"summary": f"0.{i} said", "score": 9.0 - i} for i in range(1, 4)]
    run("-d", lines("own.jsonl", rows), "-m", STATED, "--cases")
    page = Path("out/bench/cases.html").read_text()
    # The lowest of three values is rated highest: quantiles 1/6 and 5/6.
    assert "metric 0.100, people\n8.000, difference of quantiles -0.667" in page
    assert "Compared on quantiles, since" in page


def test_cases_of_saved_results_need_the_texts() -> None:
    path = lines("own.jsonl", [{"summary": f"0.{i} said", "score": 0.1} for i in range(3)])
    run("-d", path, "-m", STATED)
    result = faithkit("bench", "--from", "out/bench", "--cases")
    assert result.exit_code == 2 and "name the dataset as well, -d own.jsonl" in result.stderr
    run("--from", "out/bench", "-d", path, "--cases")
    assert Path("out/bench/cases.html").is_file()


@pytest.mark.parametrize("text", ["5", "5,1", "a,b"])
def test_a_rating_scale_is_two_numbers(text: str) -> None:
    result = faithkit("bench", "-d", "x", "-m", "rouge1", "--rating-scale", text)
    assert result.exit_code == 2 and "the least and the greatest rating, as 1,5" in result.stderr


def test_calibrate_combine_and_stress_name_a_metric_that_was_trained_on_the_dataset() -> None:
    rows = [{"summary": f"0.{i % 7} said", "label": i % 2} for i in range(12)]
    path = lines("bench/cliff.jsonl", rows)
    words = f"{TAUGHT} was trained on rows of this release (cliff)"
    assert words in faithkit("calibrate", "cliff", "-m", TAUGHT, "--data-dir", ".").stderr
    faithkit("score", path, "-m", TAUGHT, "-o", "scores.jsonl")
    assert words in faithkit("calibrate", path, "--from", "scores.jsonl").stderr
    assert words in faithkit("stress", "-d", path, "-m", TAUGHT, "--suite", "gaming").stderr
    assert "trained on" not in faithkit("calibrate", path, "-m", STATED).stderr
