"""Metrics of ragas (0.4): those of `ragas.metrics.collections`."""

from __future__ import annotations

import math
import os
from typing import Any

from faithkit.metrics.frameworks.base import FrameworkMetric
from faithkit.metrics.frameworks.judging import Questioner
from faithkit.records import Example

QUIET = {"RAGAS_DO_NOT_TRACK": "true"}
"""The variable that keeps ragas from sending telemetry."""

QUESTION = "What does the document say?"
"""The question that the summary is an answer to, which ragas wants."""


class _Ragas(FrameworkMetric):
    distribution = "ragas"
    packages = ("ragas",)

    def prepare(self) -> None:
        """Imports it."""
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
        from ragas.metrics import collections

        self._measured: Any = getattr(collections, type(self).__name__)


class Faithfulness(_Ragas):
    """ragas' `Faithfulness`: the judge breaks the summary into statements, and judges of each
    whether it can be inferred from the source."""

    name = "ragas:Faithfulness"
    unit = "share of the summary's statements that the judge infers from the source"

    async def value(self, example: Example, judge: Questioner) -> float | None:
        """See `FrameworkMetric`."""
        result = await self._measured(llm=_llm(judge)).ascore(
            user_input=QUESTION, response=example.summary, retrieved_contexts=[example.source]
        )
        if not math.isnan(result.value):
            return float(result.value)
        if len(judge.replies) > 1:
            raise ValueError("no verdict on any statement")
        return None


class ResponseGroundedness(_Ragas):
    """ragas' `ResponseGroundedness`: two questions, each with a grade from 0 to 2, averaged; where
    one answer cannot be read, the other alone."""

    name = "ragas:ResponseGroundedness"
    unit = "how far the judge holds that the source supports the summary, in two questions"

    async def value(self, example: Example, judge: Questioner) -> float | None:
        """See `FrameworkMetric`."""
        # Asked again, the judge would say the same.
        result = await self._measured(llm=_llm(judge), max_retries=1).ascore(
            response=example.summary, retrieved_contexts=[example.source]
        )
        if math.isnan(result.value):
            raise ValueError("no grade")
        return float(result.value)


def _llm(judge: Questioner) -> Any:
    """The judge as a model of ragas, whose prompts have the schema of the answer in them."""
    from ragas.llms.base import InstructorBaseRagasLLM

    class Model(InstructorBaseRagasLLM):
        def generate(self, prompt: str, response_model: Any) -> Any:
            raise NotImplementedError("it is asked asynchronously")

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            answer = await judge.ask(prompt)
            opening, end = answer.find("{"), answer.rfind("}") + 1
            return response_model.model_validate_json(answer[max(0, opening) : end or None])

    return Model()
