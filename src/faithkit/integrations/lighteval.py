"""lighteval: faithkit as a `SampleLevelMetric` of a task. Made for lighteval 0.13.

LightevalTaskConfig(..., metrics=[faithkit_metric(source="article")])
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from faithkit.records import DataError
from faithkit.scorer import Scorer


class Faithful(SampleLevelComputation):
    """The value of each response's first text; NaN if it has no score."""

    def __init__(self, scorer: Scorer, source: str | None) -> None:
        self._scorer, self._source = scorer, source

    def compute(self, docs: Sequence[Doc], responses: Sequence[ModelResponse]) -> list[float]:
        """Raises DataError on a document without its source."""
        texts = [response.final_text[0] for response in responses]
        pairs = [(self._source_of(doc), text) for doc, text in zip(docs, texts, strict=True)]
        checks = self._scorer.score(pairs, progress=False).checks
        return [math.nan if check.value is None else check.value for check in checks]

    def __deepcopy__(self, _: dict[int, Any]) -> Faithful:
        """Itself: lighteval copies tasks, whose metrics share their models."""
        return self

    def _source_of(self, doc: Doc) -> str:
        if self._source is None:
            return str(doc.query)
        if self._source not in (doc.specific or {}):
            raise DataError(f"{doc.task_name}, {doc.id}: `specific` has no '{self._source}'")
        return str(doc.specific[self._source])


def faithkit_metric(
    metric: str = "support", source: str | None = None, scorer: Scorer | None = None
) -> SampleLevelMetric:
    """The metric: a value for each sample, NaN if it cannot be scored; the task's value is the
    mean of those that can be, NaN if none can.

    metric  a metric of faithkit, or `scorer`, one of your own
    source  the key of the document's `specific` that holds the source; None: its query
    """
    loaded = scorer or Scorer(metric)
    return SampleLevelMetric(
        metric_name=f"faithkit_{loaded.metrics[0].title}",
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=Faithful(loaded, source),
        corpus_level_fn=mean,
        batched_compute=True,
    )


def mean(values: Sequence[float]) -> float:
    """Of the values that are numbers; NaN if none is."""
    numbers = [value for value in values if not math.isnan(value)]
    return math.fsum(numbers) / len(numbers) if numbers else math.nan
