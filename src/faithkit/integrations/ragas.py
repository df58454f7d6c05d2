"""ragas: faithkit as a metric of `ragas.metrics.collections`. Made for ragas 0.4."""

from __future__ import annotations

from ragas.metrics.collections.base import BaseMetric
from ragas.metrics.result import MetricResult

from faithkit.scorer import Scorer


class FaithkitMetric(BaseMetric):
    """Compares a response with its contexts. The result's `value` is None if the response cannot be
    scored; its `reason` is the response with its unsupported words marked.

    metric  a metric of faithkit
    scorer  your own scorer, instead of `metric`
    """

    def __init__(self, metric: str = "support", scorer: Scorer | None = None) -> None:
        self._scorer = scorer or Scorer(metric)
        shown = self._scorer.metrics[0]
        super().__init__(name=f"faithkit_{shown.title}", allowed_values=shown.bounds or (0.0, 1.0))

    async def ascore(self, response: str, retrieved_contexts: list[str]) -> MetricResult:
        """The score of a response; its source is the contexts, joined in their order."""
        result = await self._scorer.acheck("\n\n".join(retrieved_contexts), response)
        return MetricResult(value=result.value, reason=str(result))
