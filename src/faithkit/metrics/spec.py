"""A metric as it was asked for: its text is parsed once, and the spec travels from there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from faithkit.metrics import registry
from faithkit.records import ConfigError


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """A metric and its options.

    name     as asked for: a name of the registry, or `path.py:Class`
    target   `module:Class` or `path.py:Class`
    options  the options as text, `preset` among them
    metric   the object, if one was given from Python instead of a name
    """

    name: str
    target: str
    options: Mapping[str, str] = field(default_factory=dict)
    metric: Any = None

    @property
    def label(self) -> str:
        """The name of the metric in output rows, independent of the order of its options."""
        options = ",".join(f"{key}={value}" for key, value in sorted(self.options.items()))
        return f"{self.name}:{options}" if options else self.name

    @classmethod
    def parse(cls, text: str) -> MetricSpec:
        """`NAME[:key=value,...]`, `PACKAGE:METRIC[:key=value,...]` of another package's metric, or
        `path.py:Class[:key=value,...]`.

        A piece without `=` belongs to the value before it, so `weights=.25,.25,.5` is one option.
        Raises ConfigError on an unknown name, a malformed option or one given twice.
        """
        in_file = re.match(r"^(?P<file>.+\.py)(?::(?P<class>\w+))?(?::(?P<options>.*))?$", text)
        if in_file:
            name = target = f"{in_file['file']}:{in_file['class'] or ''}"
            tail = in_file["options"] or ""
        else:
            name, tail = registry.split(text)
            target = registry.target_of(name)
        return cls(name, target, _options(text, tail))

    def with_preset(self, preset: str) -> MetricSpec:
        """The spec with a preset that its metric has, unless it names one."""
        if "preset" in self.options:
            return self
        return replace(self, options={**self.options, "preset": preset})


def _options(text: str, tail: str) -> dict[str, str]:
    options: dict[str, str] = {}
    last = ""
    for piece in filter(None, tail.split(",")):
        key, equals, value = piece.partition("=")
        if equals:
            last = key.strip()
            if last in options:
                raise ConfigError(f"metric '{text}': option '{last}' is given twice.")
            options[last] = value.strip()
        elif last:
            options[last] += f",{piece.strip()}"
        else:
            raise ConfigError(
                f"metric '{text}': expected key=value after ':', found '{piece}'; a model is named "
                f"by model={piece}."
            )
    return options
