"""Each framework's own runner with faithkit's metric, offline. A framework that is not installed is
skipped."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.helpers.tiny_verdict_metric import Judged

from faithkit import DataError, Scorer

pytestmark = pytest.mark.slow

SOURCE, GOOD, BAD = "Ann paid 74 pounds. Bob left.", "Bob left.", "Ann paid 68 dollars"


@pytest.fixture
def scorer() -> Scorer:
    return Scorer(Judged(), no_cache=True)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Frameworks write where they are, and ask home: neither is to be the user's."""
    monkeypatch.chdir(tmp_path)
    for name in ("DEEPEVAL_TELEMETRY_OPT_OUT", "RAGAS_DO_NOT_TRACK", "HF_HUB_OFFLINE",
                 "MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK"):  # fmt: skip
        monkeypatch.setenv(name, "1" if name != "RAGAS_DO_NOT_TRACK" else "true")
    yield


def test_deepeval_evaluates_test_cases(scorer: Scorer) -> None:
    deepeval = pytest.importorskip("deepeval")
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.test_case import LLMTestCase

    from faithkit.integrations.deepeval import FaithkitMetric

    cases = [
        LLMTestCase(input=SOURCE, actual_output=GOOD),
        LLMTestCase(input="?", actual_output=BAD, retrieval_context=SOURCE.split(". ")),
    ]
    for in_turn in (True, False):
        found = deepeval.evaluate(
            cases,
            [FaithkitMetric(0.6, scorer=scorer)],
            async_config=AsyncConfig(run_async=in_turn),
            cache_config=CacheConfig(write_cache=False),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
        )
        rows = {row.input: row.metrics_data[0] for row in found.test_results}
        assert (rows[SOURCE].score, rows[SOURCE].success) == (1.0, True)
        assert (rows["?"].score, rows["?"].success) == (0.5, False)
        assert "Ann paid [1: 68 dollars]" in rows["?"].reason
    metric = FaithkitMetric(scorer=scorer)
    assert metric.measure(LLMTestCase(input="", actual_output="x")) is None
    assert (metric.is_successful(), metric.error) == (False, "no score: no_content")


def test_ragas_scores_a_batch(scorer: Scorer) -> None:
    pytest.importorskip("ragas")
    from faithkit.integrations.ragas import FaithkitMetric

    metric = FaithkitMetric(scorer=scorer)
    rows = [{"response": text, "retrieved_contexts": [SOURCE]} for text in (GOOD, BAD, "")]
    results = metric.batch_score(rows)
    assert [result.value for result in results] == [1.0, 0.5, None]
    assert "Ann paid [1: 68 dollars]" in results[1].reason
    assert asyncio.run(metric.ascore(BAD, [SOURCE])).value == 0.5


def test_inspect_evaluates_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model

    from faithkit.integrations.inspect_ai import faithful

    # Inspect counts a mock's tokens with a vocabulary that it would download.
    monkeypatch.setattr("inspect_ai.model._model.count_text_tokens", len)
    answers = [GOOD, BAD, "words"]
    samples = [
        Sample("Summarise it.", metadata={"article": source}) for source in (SOURCE, SOURCE, "")
    ]
    model = get_model(
        "mockllm/model",
        custom_outputs=[ModelOutput.from_content("mockllm/model", text) for text in answers],
    )
    metric = str(Path(sys.modules[Judged.__module__].__file__ or "")) + ":Judged"
    task = inspect_ai.Task(dataset=samples, scorer=faithful(metric, source="article"))
    (log,) = inspect_ai.eval(
        task, model=model, log_dir="logs", display="none", max_connections=1, max_samples=1
    )
    assert log.status == "success", log.error
    scores = [next(iter(sample.scores.values())) for sample in log.samples]
    assert [score.value for score in scores[:2]] == [1.0, 0.5]
    assert scores[2].value != scores[2].value
    assert scores[2].reason == "no_content"
    assert scores[1].metadata["marked"] == ["68 dollars"]
    assert log.results.scores[0].metrics["mean"].value == 0.75


def test_evaluate_computes(scorer: Scorer) -> None:
    pytest.importorskip("evaluate")
    from faithkit.integrations.evaluate import FaithkitMetric

    metric = FaithkitMetric(scorer=scorer, cache_dir="cache")
    metric.add(prediction=GOOD, reference=SOURCE)
    metric.add_batch(predictions=[BAD, "x"], references=[SOURCE, ""])
    assert metric.compute() == {
        "mean": 0.75, "scores": [1.0, 0.5, None],
        "verdicts": ["consistent", "not consistent", None], "unscored": 1,
    }  # fmt: skip


def test_langchain_evaluates_strings(scorer: Scorer) -> None:
    pytest.importorskip("langchain_classic")
    from faithkit.integrations.langchain import FaithkitEvaluator

    evaluator = FaithkitEvaluator(scorer=scorer)
    found = evaluator.evaluate_strings(prediction=BAD, input=SOURCE)
    assert (found["score"], found["value"]) == (0.5, "not consistent")
    assert "Ann paid [1: 68 dollars]" in found["reasoning"]
    assert asyncio.run(evaluator.aevaluate_strings(prediction=BAD, input=SOURCE)) == found
    assert evaluator.evaluate_strings(prediction="x", input="")["value"] == "no_content"
    with pytest.raises(ValueError, match="requires an input string"):
        evaluator.evaluate_strings(prediction=BAD)


def test_llama_index_evaluates_a_batch(scorer: Scorer) -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.evaluation import BatchEvalRunner

    from faithkit.integrations.llama_index import FaithkitEvaluator

    evaluator = FaithkitEvaluator(0.6, scorer=scorer)
    found = asyncio.run(
        BatchEvalRunner({"faithful": evaluator}).aevaluate_response_strs(
            response_strs=[GOOD, BAD, "x"], contexts_list=[[SOURCE], SOURCE.split(". "), [""]]
        )
    )["faithful"]
    assert [(row.score, row.passing) for row in found] == [(1.0, True), (0.5, False), (None, None)]
    assert "Ann paid [1: 68 dollars]" in found[1].feedback
    assert (found[2].invalid_result, found[2].invalid_reason) == (True, "no_content")
    assert evaluator.evaluate(response=GOOD, contexts=[SOURCE]).score == 1.0
    with pytest.raises(DataError, match="a response and its contexts"):
        evaluator.evaluate(response=GOOD)


def test_a_data_frame_scores_its_rows(scorer: Scorer) -> None:
    pandas = pytest.importorskip("pandas")
    import faithkit.integrations.pandas  # noqa: F401

    frame = pandas.DataFrame(
        {"article": [SOURCE, SOURCE, None], "summary": [GOOD, BAD, "x"]}, index=[7, 8, 9]
    )
    found = frame.faithkit.score(scorer=scorer, column={"source": "article"})
    assert frame.join(found).verdict.tolist()[:2] == ["consistent", "not consistent"]
    assert found.loc[8, "marked"] == "68 dollars"
    assert found.loc[9, "outcome"] == "no_content"
    several = frame.faithkit.score(
        [Judged(), "novelty"], column={"source": "article"}, keep_columns=True, no_cache=True
    )
    assert several.index.tolist() == [7, 7, 8, 8, 9, 9]
    assert several.summary.tolist()[:2] == [GOOD, GOOD]


def test_mlflow_evaluates_a_table(
    scorer: Scorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow")
    pandas = pytest.importorskip("pandas")
    from faithkit.integrations.mlflow import faithkit_metric

    # The skinny package has no database.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(f"file://{tmp_path}/mlruns")
    frame = pandas.DataFrame({"article": [SOURCE, SOURCE, ""], "summary": [GOOD, BAD, "x"]})
    with mlflow.start_run():
        result = mlflow.models.evaluate(
            data=frame,
            predictions="summary",
            extra_metrics=[faithkit_metric(scorer=scorer)],
            evaluator_config={"col_mapping": {"sources": "article"}},
        )
    assert result.metrics == {"faithkit_judged/mean": 0.75, "faithkit_judged/unscored": 1.0}
