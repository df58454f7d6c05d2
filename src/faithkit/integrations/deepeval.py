"""deepeval: faithkit as a `BaseMetric`, for `evaluate` and `assert_test`. Made for deepeval 4.3."""

from __future__ import annotations

from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from faithkit.records import DataError
from faithkit.results import Check
from faithkit.scorer import Scorer


class FaithkitMetric(BaseMetric):
    """Compares `actual_output` with its source: the test case's `retrieval_context` if it has one,
    else its `context`, else its `input`. An empty list of passages is an empty source.

    threshold  the lowest value that passes
    metric     a metric of faithkit
    scorer     your own scorer, instead of `metric`

    A test case that cannot be scored has the score None, does not succeed, and has the outcome as
    its `error`.
    """

    def __init__(
        self, threshold: float = 0.5, metric: str = "support", scorer: Scorer | None = None
    ) -> None:
        self.threshold = threshold
        self.async_mode = True
        self.include_reason = True
        # deepeval copies a metric for every test case, by the attributes that are named as these
        # arguments: so the models are loaded once.
        self.metric = metric
        self.scorer = scorer or Scorer(metric)

    @property
    def __name__(self) -> str:
        return f"faithkit {self.scorer.metrics[0].title}"

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float | None:
        """Scores a test case and returns the value. Sets `score`, `success`, `reason` and `error`.
        Raises DataError if the test case has no actual_output."""
        return self._take(self.scorer.check(*_texts(test_case)))

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float | None:
        """As `measure`, but in a thread."""
        return self._take(await self.scorer.acheck(*_texts(test_case)))

    def is_successful(self) -> bool:
        """Whether the last test case passed."""
        return bool(self.success)

    def _take(self, result: Check) -> float | None:
        self.score = result.value
        self.success = result.value is not None and result.value >= self.threshold
        self.reason = str(result)
        self.error = None if result.value is not None else f"no score: {result.outcome}"
        return result.value


def _texts(test_case: LLMTestCase) -> tuple[str, str]:
    """The source and the summary of a test case."""
    if test_case.actual_output is None:
        raise DataError("the test case has no actual_output")
    passages = test_case.retrieval_context
    if passages is None:
        passages = test_case.context if test_case.context is not None else [test_case.input]
    return "\n\n".join(map(_passage, passages)), test_case.actual_output


def _passage(passage: Any) -> str:
    return passage if isinstance(passage, str) else str(passage.context)
