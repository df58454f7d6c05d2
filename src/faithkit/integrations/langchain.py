"""LangChain: faithkit as a `StringEvaluator`. Made for langchain-classic 1.0.

`prediction` is the summary and `input` its source.
"""

from __future__ import annotations

from typing import Any

from langchain_classic.evaluation import StringEvaluator

from faithkit.records import Outcome
from faithkit.results import Check
from faithkit.scorer import Scorer


class FaithkitEvaluator(StringEvaluator):
    """`evaluate_strings` returns `score` (None if the text cannot be scored), `value` (the verdict,
    None if the metric gives none; the outcome if the text cannot be scored) and `reasoning`, the
    summary with its unsupported words marked.

    metric  a metric of faithkit
    scorer  your own scorer, instead of `metric`
    """

    def __init__(self, metric: str = "support", scorer: Scorer | None = None) -> None:
        self._scorer = scorer or Scorer(metric)

    @property
    def requires_input(self) -> bool:
        """True, since the source is the input."""
        return True

    @property
    def evaluation_name(self) -> str:
        """The evaluator's name in a report."""
        return f"faithkit_{self._scorer.metrics[0].title}"

    def _evaluate_strings(self, *, prediction: str, input: str, **_: Any) -> dict[str, Any]:
        return _answer(self._scorer.check(input, prediction))

    async def _aevaluate_strings(self, *, prediction: str, input: str, **_: Any) -> dict[str, Any]:
        return _answer(await self._scorer.acheck(input, prediction))


def _answer(result: Check) -> dict[str, Any]:
    unscored = None if result.outcome is Outcome.OK else str(result.outcome)
    value = result.verdict or unscored
    return {"score": result.value, "value": value, "reasoning": str(result)}
