"""Metrics of LlamaIndex (llama-index-core 0.14)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from faithkit.metrics.frameworks.base import FrameworkMetric
from faithkit.metrics.frameworks.judging import Questioner
from faithkit.records import JSON, Example

CONTEXT = 10_000_000
"""Tokens that LlamaIndex is told the judge can read, so that it does not divide the source; what is
too long for it is an outcome."""


class Faithfulness(FrameworkMetric):
    """LlamaIndex's `FaithfulnessEvaluator`: one question with a yes or a no, which it takes for yes
    where "yes" occurs anywhere in the answer. An answer without either word is unparsable."""

    name = "llama_index:Faithfulness"
    unit = "1 where the judge says that the source supports the summary, else 0"
    distribution = "llama-index-core"
    packages = ("llama_index",)

    @classmethod
    def verdict_from(cls, options: Mapping[str, JSON]) -> float | None:  # noqa: ARG003
        """Its own "yes"."""
        return 1.0

    def prepare(self) -> None:
        """Imports it."""
        from llama_index.core.evaluation import FaithfulnessEvaluator

        self._evaluator = FaithfulnessEvaluator

    async def value(self, example: Example, judge: Questioner) -> float | None:
        """See `FrameworkMetric`."""
        result = await self._evaluator(llm=_llm(judge)).aevaluate(
            response=example.summary, contexts=[example.source]
        )
        if not re.search(r"\b(?:yes|no)\b", result.feedback or "", re.IGNORECASE):
            raise ValueError(f"neither yes nor no: {result.feedback}")
        return float(result.score)


def _llm(judge: Questioner) -> Any:
    """The judge as a model of LlamaIndex."""
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata

    class Model(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(context_window=CONTEXT, model_name="faithkit")

        def complete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponse:
            raise NotImplementedError("it is asked asynchronously")

        def stream_complete(self, prompt: str, *_: Any, **__: Any) -> Any:
            raise NotImplementedError("it is asked asynchronously")

        async def acomplete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponse:
            return CompletionResponse(text=await judge.ask(prompt))

    return Model()
