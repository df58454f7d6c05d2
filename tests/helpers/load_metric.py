"""A metric by its text, with its models. No test is in here."""

from __future__ import annotations

from faithkit.metrics.base import ModelLoader
from faithkit.metrics.loading import LoadedMetric, load
from faithkit.metrics.spec import MetricSpec


def load_metric(text: str, load_model: ModelLoader) -> LoadedMetric:
    return load(MetricSpec.parse(text), load_model)
