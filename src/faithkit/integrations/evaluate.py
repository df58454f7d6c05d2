"""Hugging Face evaluate: faithkit as an `evaluate.Metric`. Made for evaluate 0.4.

`predictions` are the summaries and `references` their sources.
"""

from __future__ import annotations

from typing import Any

import evaluate

import datasets
from faithkit.scorer import Scorer


class FaithkitMetric(evaluate.Metric):
    """`compute` returns `scores` and `verdicts` for each row (None if it has none), the `mean` of
    the scores, and the number of `unscored` rows.

    metric   a metric of faithkit
    scorer   your own scorer, instead of `metric`
    options  arguments of `evaluate.Metric`
    """

    def __init__(
        self, metric: str = "support", scorer: Scorer | None = None, **options: Any
    ) -> None:
        self._scorer = scorer or Scorer(metric)
        super().__init__(**options)

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=f"{self._scorer.metrics[0].title}: {self._scorer.metrics[0].unit}",
            citation="",
            inputs_description="predictions: summaries; references: their sources",
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def _compute(
        self, *, predictions: list[str], references: list[str], **_: Any
    ) -> dict[str, Any]:
        checks = self._scorer.score(list(zip(references, predictions, strict=True))).checks
        values = [check.value for check in checks if check.value is not None]
        return {
            "mean": sum(values) / len(values) if values else None,
            "scores": [check.value for check in checks],
            "verdicts": [check.verdict for check in checks],
            "unscored": len(checks) - len(values),
        }
