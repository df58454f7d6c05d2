"""MLflow: faithkit as an extra metric of `mlflow.models.evaluate`. Made for MLflow 3.17.

metric = faithkit_metric()
mlflow.models.evaluate(
data=frame, predictions="summary", extra_metrics=[metric],
evaluator_config={"col_mapping": {"sources": "article"}},
)
"""

from __future__ import annotations

from typing import Any

from mlflow.metrics import MetricValue, make_metric
from mlflow.models import EvaluationMetric

from faithkit.scorer import Scorer


def faithkit_metric(metric: str = "support", scorer: Scorer | None = None) -> EvaluationMetric:
    """A metric whose `predictions` are the summaries and whose column `sources` (see `col_mapping`)
    has their sources. The value of a row that cannot be scored is None, and is left out of the
    mean.

    metric  a metric of faithkit
    scorer  your own scorer, instead of `metric`
    """
    loaded = scorer or Scorer(metric)

    def eval_fn(predictions: Any, sources: Any) -> MetricValue:
        # Columns of a table, in which a text may be missing.
        checks = loaded.score({"source": list(sources), "summary": list(predictions)}).checks
        values = [check.value for check in checks if check.value is not None]
        results = {"unscored": float(len(checks) - len(values))}
        if values:
            results["mean"] = sum(values) / len(values)
        return MetricValue(
            scores=[check.value for check in checks],
            justifications=[str(check) for check in checks],
            aggregate_results=results,
        )

    name = f"faithkit_{loaded.metrics[0].title}"
    return make_metric(eval_fn=eval_fn, greater_is_better=True, name=name)
