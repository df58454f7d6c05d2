"""Metrics made ready to score: names checked, models loaded, signatures made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from faithkit.metrics import loading
from faithkit.metrics.base import Metric
from faithkit.metrics.loading import LoadedMetric, MetricLike
from faithkit.records import Signature

if TYPE_CHECKING:
    from faithkit.models.runtime import Runtime

DEFAULT_METRICS = ("support",)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A metric ready to score.

    label               what its rows carry as `metric`
    signature           of its numbers
    trained_on          names of the data that it or its models were trained on, as far as they are
                        stated
    chats               whether a chat model answers for it
    verdict_thresholds  the probabilities from which its verdict is "undecided" and "consistent";
                        None if it gives none, or does not say from where
    """

    label: str
    metric: Metric
    signature: Signature
    trained_on: frozenset[str] = frozenset()
    chats: bool = False
    verdict_thresholds: tuple[float, float] | None = None

    @property
    def gives_verdicts(self) -> bool:
        """Whether rows have verdicts: the metric's own, or by the threshold that it declares."""
        declared = self.metric.verdict_from(self.signature.options)
        return self.metric.verdicts or declared is not None


def prepare(
    metrics: MetricLike | Iterable[MetricLike], runtime: Runtime | None = None
) -> list[Prepared]:
    """Metrics by name (`bertscore:layer=3`), by spec or as objects, ready to score. All names are
    checked before any model loads.

    runtime  where models run; None: on the best device, with the network allowed
    Raises ConfigError on an unknown name or option and on what is no metric, ModelError on a
    missing model.
    """
    from faithkit import models
    from faithkit.models.runtime import DEFAULT_RUNTIME

    load_model = partial(models.load, runtime=runtime or DEFAULT_RUNTIME)
    prepared = []
    for spec in loading.specs_of(metrics):
        loaded = loading.load(spec, load_model)
        trained_on = models.trained_on(loaded.metric, *loaded.models)
        chats = any(hasattr(model, "reply") for model in loaded.models)
        thresholds = _verdict_thresholds_of(loaded)
        prepared.append(
            Prepared(spec.label, loaded.metric, loaded.signature, trained_on, chats, thresholds)
        )
    return prepared


def _verdict_thresholds_of(loaded: LoadedMetric) -> tuple[float, float] | None:
    """The thresholds of a metric whose verdicts are those of its own support model. A metric over
    others (`calibrated`) loads their models, and has no thresholds of these."""
    from faithkit.models.protocols import Decision

    shipped = any(default.startswith("support:") for default in loaded.metric.models.values())
    if loaded.metric.verdicts and shipped:
        for model in loaded.models:
            if isinstance(decision := getattr(model, "decision", None), Decision):
                return decision.lower, decision.upper
    return None
