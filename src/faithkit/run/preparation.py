"""Metrics made ready to score: names checked, models loaded, signatures made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from faithkit.metrics import base, objects, registry
from faithkit.records import ConfigError, Signature

if TYPE_CHECKING:
    from faithkit.models.runtime import Runtime

DEFAULT_METRICS = ("support",)

MetricName = str | base.Metric
"""A metric by its name and options (`bertscore:layer=8`), or as an object."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A metric ready to score.

    label       what its rows carry as `metric`
    signature   of its numbers
    trained_on  names of the data that it or its models were trained on, as far as they are stated
    chats       whether a chat model answers for it
    """

    label: str
    metric: base.Metric
    signature: Signature
    trained_on: frozenset[str] = frozenset()
    chats: bool = False


def check_requests(
    metrics: MetricName | Iterable[MetricName],
) -> dict[str, registry.MetricRequest | base.Metric]:
    """The requested metrics by label, their names and options checked; no model is loaded. Raises
    ConfigError on an unknown name or option, on what is no metric, on none at all, and on one that
    is there twice."""
    alone = isinstance(metrics, str) or not isinstance(metrics, Iterable)
    requests: dict[str, registry.MetricRequest | base.Metric] = {}
    for metric in cast("Iterable[MetricName]", [metrics] if alone else metrics):
        request: registry.MetricRequest | base.Metric
        if isinstance(metric, str):
            request = registry.parse_request(metric)
            label = request.label
        else:
            request = objects.checked(metric)
            label = objects.label_of(request)
        if label in requests:
            raise ConfigError(f"Metric '{label}' is asked for twice.")
        requests[label] = request
    if not requests:
        raise ConfigError("No metric is asked for.")
    for request in requests.values():
        if isinstance(request, registry.MetricRequest):
            registry.check(request)
    return requests


def prepare(
    metrics: MetricName | Iterable[MetricName], runtime: Runtime | None = None
) -> list[Prepared]:
    """Metrics from the text the user gave (`bertscore:layer=8`), or as objects. All names are
    checked before any model loads.

    runtime  where models run; None: on the best device, with the network allowed
    Raises ConfigError on an unknown name or option and on what is no metric, ModelError on a
    missing model.
    """
    from faithkit import models
    from faithkit.models.runtime import DEFAULT_RUNTIME

    prepared = []
    for label, request in check_requests(metrics).items():
        loaded: list[Any] = []
        if isinstance(request, registry.MetricRequest):
            load = _recording(loaded, runtime or DEFAULT_RUNTIME)
            metric, options, ids = registry.create(request, load)
            signature = registry.signature_of(metric, options, ids)
        else:
            metric, signature = request, objects.signature_of(request)
            loaded += getattr(request, "__dict__", {}).values()
        trained_on = models.trained_on(metric, *loaded)
        chats = any(hasattr(model, "reply") for model in loaded)
        prepared.append(Prepared(label, metric, signature, trained_on, chats))
    return prepared


def _recording(loaded: list[Any], runtime: Runtime) -> Callable[[str], Any]:
    """`models.load` that also appends to `loaded`: the models of a metric, and those of the metrics
    that it is made of."""
    from faithkit import models

    def load(spec: str) -> Any:
        loaded.append(models.load(spec, runtime))
        return loaded[-1]

    return load
