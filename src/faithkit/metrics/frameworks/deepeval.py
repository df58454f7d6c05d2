"""Metrics of deepeval (4.3)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from faithkit.metrics.frameworks.base import FrameworkMetric
from faithkit.metrics.frameworks.judging import Questioner
from faithkit.records import JSON, Example

QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_DISABLE_DOTENV": "1"}
"""Variables that keep deepeval from sending telemetry and from reading files named .env."""


QUESTION = "Summarise the document."
"""The input of a test case; neither metric reads it."""


class _DeepEval(FrameworkMetric):
    distribution = "deepeval"
    packages = ("deepeval",)

    @classmethod
    def verdict_from(cls, options: Mapping[str, JSON]) -> float | None:  # noqa: ARG003
        """deepeval's default threshold."""
        return 0.5

    def prepare(self) -> None:
        """Imports it."""
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
        from deepeval import metrics

        self._measured: Any = getattr(metrics, f"{type(self).__name__}Metric")

    async def _measure(self, example: Example, judge: Questioner) -> Any:
        """deepeval's metric object, after it has measured the example."""
        from deepeval.test_case import LLMTestCase

        case = LLMTestCase(
            input=QUESTION,
            actual_output=example.summary,
            retrieval_context=[example.source],
            context=[example.source],
        )
        metric = self._measured(model=_llm(judge), eval_mode="llm", include_reason=False)
        await metric.a_measure(case, _show_indicator=False)
        if metric.score is None:
            raise ValueError(metric.error or "no score")
        return metric


class Faithfulness(_DeepEval):
    """deepeval's `FaithfulnessMetric`: the judge lists the truths of the source and the claims of
    the summary, and judges for each claim whether the truths agree with it. What the truths say
    nothing about passes, as deepeval has it."""

    name = "deepeval:Faithfulness"
    unit = "share of the summary's claims that do not contradict the source, as the judge says"

    async def value(self, example: Example, judge: Questioner) -> float | None:
        """See `FrameworkMetric`."""
        metric = await self._measure(example, judge)
        if not metric.claims:
            return None
        if not any(verdict is not None for verdict in metric.verdicts):
            raise ValueError("no verdict on any claim")
        return float(metric.score)


class Hallucination(_DeepEval):
    """deepeval's `HallucinationMetric`: the judge says whether the summary agrees with the source.
    The value is 1 where it does, else 0."""

    name = "deepeval:Hallucination"
    unit = "1 where the judge says that the summary agrees with the source, else 0"

    async def value(self, example: Example, judge: Questioner) -> float | None:
        """See `FrameworkMetric`."""
        metric = await self._measure(example, judge)
        if not any(verdict is not None for verdict in metric.verdicts):
            raise ValueError("no verdict")
        return float(metric.score)


def _llm(judge: Questioner) -> Any:
    """The judge as a model of deepeval."""
    from deepeval.models import DeepEvalBaseLLM

    class Model(DeepEvalBaseLLM):
        def load_model(self) -> Any:
            return judge

        def get_model_name(self) -> str:
            return "faithkit"

        def generate(self, prompt: str) -> str:
            raise NotImplementedError("it is asked asynchronously")

        async def a_generate(self, prompt: str) -> str:
            return await judge.ask(prompt)

    return Model()
