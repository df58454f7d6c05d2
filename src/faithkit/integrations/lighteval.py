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
    """Scores the first text of each response; NaN if it cannot be scored.

    source  the key of the source in a document's `specific`; None: the source is its query
    """

    def __init__(self, scorer: Scorer, source: str | None) -> None:
        self._scorer, self._source = scorer, source

    def compute(self, docs: Sequence[Doc], responses: Sequence[ModelResponse]) -> list[float]:
        """The value of each response. Raises DataError if a document lacks its source."""
        texts = [response.final_text[0] for response in responses]
        pairs = [(self._source_of(doc), text) for doc, text in zip(docs, texts, strict=True)]
        checks = self._scorer.score(pairs, progress=False).checks
        return [math.nan if check.value is None else check.value for check in checks]

    def __deepcopy__(self, _: dict[int, Any]) -> Faithful:
        """The object itself, so that the copies of a task that lighteval makes share the models."""
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
    """A metric with a value for each sample, NaN if it cannot be scored. The value of a task is the
    mean of its samples' values, NaN if there are none.

    metric  a metric of faithkit
    source  the key of the source in a document's `specific`; None: the source is its query
    scorer  your own scorer, instead of `metric`
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
    """The mean of the values that are not NaN; NaN if there are none."""
    numbers = [value for value in values if not math.isnan(value)]
    return math.fsum(numbers) / len(numbers) if numbers else math.nan
