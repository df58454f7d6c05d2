"""The base class of metrics that were fitted on the scores of other metrics and saved in a file.

What lives here: the options `file` and `drift`, loading the other metrics, and refusing one that is
no longer what the file was fitted with. What does not: reading a file (`components.py`) and what a
subclass computes of the scores (`combine.py`, `calibrated.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Generic, Literal, TypeVar

from faithkit.metrics import loading
from faithkit.metrics.base import Metric, ModelLoader
from faithkit.metrics.learned.components import check_drift, trained_on
from faithkit.metrics.spec import MetricSpec
from faithkit.records import JSON, ConfigError, Signature

Saved = TypeVar("Saved")


class FittedMetric(Metric, Generic[Saved]):
    """A metric that applies what a command fitted on the scores of other metrics, its components.

    command   the `faithkit` command that writes the file
    saved_as  name of the file in examples, without its ending
    kind      what no component may be itself: "a combination", "calibrated"
    """

    command: ClassVar[str]
    saved_as: ClassVar[str]
    kind: ClassVar[str]

    def __init__(self, file: str = "", drift: Literal["refuse", "allow"] = "refuse") -> None:
        if not file:
            example = f"{self.saved_as}.json"
            raise ConfigError(
                f"metric '{self.name}' needs a file: {self.name}:file={example}, which "
                f"`faithkit {self.command} -o {example}` writes"
            )
        self._file = file
        self._refuse = drift == "refuse"
        self._saved = self._read(Path(file))
        self._metrics: dict[str, Metric] = {}
        self.resolved: dict[str, JSON] = {}

    def _read(self, path: Path) -> Saved:
        """The contents of the file. Raises DataError where it is not one of `command`."""
        raise NotImplementedError

    def _fitted_with(self) -> Sequence[tuple[str, Signature]]:
        """The request of each component and the signature that it was fitted with; several parts of
        one metric have the same request."""
        raise NotImplementedError

    def _pairs(self) -> JSON:
        """The name of the pairs that the file was fitted to; empty or None if it is not saved."""
        raise NotImplementedError

    def _resolve(self, signatures: Mapping[str, Signature]) -> None:
        """Sets `resolved`, and what else depends on the loaded components.

        signatures  of the components as they were loaded now, by request
        """
        raise NotImplementedError

    def load_components(self, load_model: ModelLoader) -> None:
        """Creates the components. Raises ConfigError where one differs from the one fitted with."""
        fitted_with = self._fitted_with()
        specs = {request: MetricSpec.parse(request) for request, _ in fitted_with}
        for request, spec in specs.items():
            if issubclass(loading.class_of(spec), type(self)):
                raise ConfigError(f"{self._file}: component '{request}' is {self.kind} itself")
        loading.specs_of(list(specs.values()))
        loaded = {request: loading.load(spec, load_model) for request, spec in specs.items()}
        self._metrics = {request: component.metric for request, component in loaded.items()}
        signatures = {request: component.signature for request, component in loaded.items()}
        if self._refuse:
            for request, signature in fitted_with:
                check_drift(self._file, request, signature, signatures[request], self.command)
        metrics = self._metrics.values()
        self.needs = frozenset[str]().union(*(metric.needs for metric in metrics))
        self.marks_words = any(metric.marks_words for metric in metrics)
        self.trained_on = trained_on(self._pairs(), metrics)
        self._resolve(signatures)
