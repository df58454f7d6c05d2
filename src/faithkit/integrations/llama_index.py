"""LlamaIndex: faithkit as a `BaseEvaluator`. Made for llama-index-core 0.14.

`response` is the summary and `contexts` are its source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.prompts.mixin import PromptDictType

from faithkit.records import DataError
from faithkit.scorer import Scorer


class FaithkitEvaluator(BaseEvaluator):
    """In a result, `score` is the value, `passing` whether it is at least the threshold, and
    `feedback` the summary with its unsupported words marked. A summary that cannot be scored is an
    `invalid_result`, with the outcome as `invalid_reason`.

    threshold  the lowest value that passes
    metric     a metric of faithkit
    scorer     your own scorer, instead of `metric`
    """

    def __init__(
        self, threshold: float = 0.5, metric: str = "support", scorer: Scorer | None = None
    ) -> None:
        self._threshold = threshold
        self._scorer = scorer or Scorer(metric)

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        pass

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_: Any,
    ) -> EvaluationResult:
        """Evaluates a response against its contexts. Raises DataError if one of them is missing."""
        if response is None or contexts is None:
            raise DataError("a response and its contexts are wanted")
        result = await self._scorer.acheck("\n\n".join(contexts), response)
        value = result.value
        return EvaluationResult(
            query=query,
            response=response,
            contexts=contexts,
            score=value,
            passing=None if value is None else value >= self._threshold,
            feedback=str(result),
            invalid_result=value is None,
            invalid_reason=str(result.outcome) if value is None else None,
        )
