"""What an adapter does with a text that is missing, by stand-ins for its framework, which need not
be installed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.helpers.tiny_verdict_metric import Judged

from faithkit import Scorer

SOURCE, GOOD = "Ann paid 74 pounds. Bob left.", "Bob left."

StandIn = Callable[..., ModuleType]


@pytest.fixture
def scorer() -> Scorer:
    return Scorer(Judged(), no_cache=True)


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The adapter of this name, over modules that have these attributes."""

    def load(name: str, **modules: dict[str, Any]) -> ModuleType:
        for module, attributes in modules.items():
            made = ModuleType(module.replace("__", "."))
            vars(made).update(attributes)
            monkeypatch.setitem(sys.modules, made.__name__, made)
        path = f"faithkit.integrations.{name}"
        monkeypatch.delitem(sys.modules, path, raising=False)
        return importlib.import_module(path)

    return load


@dataclass
class MetricValue:
    scores: list[float | None]
    justifications: list[str]
    aggregate_results: dict[str, float]


def test_mlflow_leaves_a_missing_text_unscored(adapter: StandIn, scorer: Scorer) -> None:
    metrics = {"MetricValue": MetricValue, "make_metric": SimpleNamespace}
    mlflow = adapter(
        "mlflow", mlflow={}, mlflow__metrics=metrics, mlflow__models={"EvaluationMetric": object}
    )
    evaluate = mlflow.faithkit_metric(scorer=scorer).eval_fn
    value = evaluate([GOOD, None, GOOD, float("nan")], [SOURCE, SOURCE, None, SOURCE])
    assert value.scores == [1.0, None, None, None]
    assert value.aggregate_results == {"unscored": 3.0, "mean": 1.0}


@pytest.mark.parametrize(
    ("metric", "summary", "value"),
    [
        (Judged(), GOOD, "consistent"),
        (Judged(), "", "no_content"),
        ("novelty", GOOD, None),
        ("novelty", "", "no_content"),
    ],
)
def test_langchain_has_no_verdict_of_a_metric_that_gives_none(
    adapter: StandIn, metric: Any, summary: str, value: str | None
) -> None:
    langchain = adapter(
        "langchain", langchain_classic={}, langchain_classic__evaluation={"StringEvaluator": object}
    )
    evaluator = langchain.FaithkitEvaluator(scorer=Scorer(metric, no_cache=True))
    answer = evaluator._evaluate_strings(prediction=summary, input=SOURCE)
    assert answer["value"] == value


@pytest.mark.parametrize(
    ("retrieved", "context", "score"),
    [
        (None, None, 0.0),
        ([SOURCE], None, 1.0),
        (None, [SOURCE], 1.0),
        ([], [SOURCE], None),
        (None, [], None),
    ],
)
def test_deepeval_takes_an_empty_context_for_an_empty_source(
    adapter: StandIn,
    scorer: Scorer,
    retrieved: list[str] | None,
    context: list[str] | None,
    score: float | None,
) -> None:
    deepeval = adapter(
        "deepeval", deepeval={}, deepeval__metrics={"BaseMetric": object},
        deepeval__test_case={"LLMTestCase": object},
    )  # fmt: skip
    case = SimpleNamespace(
        actual_output=GOOD, input="Who?", retrieval_context=retrieved, context=context
    )
    assert deepeval.FaithkitMetric(scorer=scorer).measure(case) == score
