"""A metric's options: the keyword arguments of its constructor, out of text.

What they may be is read off the constructor's type hints and the contract (`base.py`).
"""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Mapping
from typing import Any, NamedTuple

from faithkit.metrics.base import Metric
from faithkit.metrics.spec import MetricSpec
from faithkit.records import JSON, ConfigError, did_you_mean

Parameters = Mapping[str, inspect.Parameter]


class Options(NamedTuple):
    """The options of a spec.

    given   all that are named, the preset's included, as text
    typed   those that are not models, converted to their types
    signed  those of the signature: all but models and unsigned ones, defaults included
    """

    given: dict[str, str]
    typed: dict[str, Any]
    signed: dict[str, JSON]


def parameters_of(metric: type) -> Parameters:
    """The constructor's keyword arguments, which are the metric's options."""
    if metric.__init__ is object.__init__:  # type: ignore[misc]
        return {}
    parameters = inspect.signature(metric).parameters
    collecting = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {name: p for name, p in parameters.items() if p.kind not in collecting}


def options_of(spec: MetricSpec, metric: type[Metric]) -> Options:
    """The options of a spec. Raises ConfigError on an unknown or missing option, an unknown preset,
    or a value that does not fit."""
    parameters, hints = parameters_of(metric), _hints(metric)
    typed: dict[str, Any] = {}
    given = _with_preset(spec, metric)
    for key, text in given.items():
        if key not in parameters:
            hint = did_you_mean(key, parameters or ["(none)"])
            raise ConfigError(f"Metric '{spec.label}' has no option '{key}'.{hint}")
        if key not in metric.models:
            typed[key] = _converted(spec.label, key, text, hints.get(key, str))
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in given and key not in metric.models:
            raise ConfigError(f"Metric '{spec.label}' needs the option '{key}'.")
    signed = {
        key: typed.get(key, parameter.default)
        for key, parameter in parameters.items()
        if key not in {*metric.models, *metric.unsigned}
    }
    _check_models(spec, metric, signed)
    return Options(given, typed, signed)


class _Consulted(dict[str, JSON]):
    """Options that remember which of them were looked up."""

    def __init__(self, options: Mapping[str, JSON]) -> None:
        super().__init__(options)
        self.read: list[str] = []

    def __getitem__(self, key: str) -> JSON:
        self.read.append(key)
        return super().__getitem__(key)


def _check_models(spec: MetricSpec, metric: type[Metric], signed: Mapping[str, JSON]) -> None:
    """Raises ConfigError on a model that is named and with the other options not used. One that a
    preset names may be unused."""
    options = _Consulted(signed)
    used = metric.models_for(options)
    for key in spec.options:
        if key in metric.models and key not in used:
            settings = ", ".join(f"{name}={signed[name]}" for name in dict.fromkeys(options.read))
            settings = settings or "these options"
            raise ConfigError(f"Metric '{spec.label}': {key} is of no use with {settings}.")


def check_range(metric: str, option: str, value: float | None, bounds: tuple[float, float]) -> None:
    """Raises ConfigError where a metric's option is a number outside of these bounds."""
    low, high = bounds
    if value is not None and not low <= value <= high:
        raise ConfigError(f"{metric}: {option} should lie from {low:g} to {high:g}, found {value}")


def describe(metric: type[Metric]) -> list[tuple[str, str, str]]:
    """Each option's name, what it takes, and its default, as text."""
    hints = _hints(metric)
    rows = []
    for name, parameter in parameters_of(metric).items():
        if name in metric.models:
            role, _, default = metric.models[name].partition(":")
            rows.append((name, f"a model of the role {role}", default))
        else:
            taken = _values(hints.get(name, str))
            rows.append((name, taken, _default(parameter.default)))
    return rows


def _default(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value).lower()


def about(metric: type[Metric]) -> str:
    """The metric's docstring, or that of the class it is a kind of; never the contract's."""
    below_contract = metric.__mro__[: metric.__mro__.index(Metric)]
    return inspect.cleandoc(next((kind.__doc__ for kind in below_contract if kind.__doc__), ""))


def _hints(metric: type) -> dict[str, Any]:
    return typing.get_type_hints(metric.__init__) if parameters_of(metric) else {}  # type: ignore[misc]


def _values(hint: Any) -> str:
    """The values that an option with this type hint accepts, in words."""
    choices = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return " | ".join(map(str, choices))
    if choices:
        return " | ".join(_values(kind) for kind in choices if kind is not type(None))
    names = {int: "whole number", float: "number", bool: "on | off", str: "text"}
    return names.get(hint, str(hint))


def _with_preset(spec: MetricSpec, metric: type[Metric]) -> dict[str, str]:
    """The spec's options over those of its `preset` (a paper's settings)."""
    given = dict(spec.options)
    name = given.pop("preset", None)
    if name is None:
        return given
    if name not in metric.presets:
        hint = did_you_mean(name, metric.presets) if metric.presets else " It has no presets."
        raise ConfigError(f"Metric '{spec.label}' has no preset '{name}'.{hint}")
    return {**metric.presets[name], **given}


def _converted(label: str, key: str, text: str, hint: Any) -> JSON:
    """An option's text as the type that its constructor declares."""
    choices = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        if text not in choices:
            raise ConfigError(
                f"Metric '{label}': option '{key}' cannot be '{text}'.{did_you_mean(text, choices)}"
            )
        return text
    kinds = [kind for kind in choices if kind is not type(None)] if choices else [hint]
    if choices and text.lower() in ("none", "null"):
        return None
    for kind in kinds:
        if kind is bool and text.lower() in ("true", "on", "yes", "1"):
            return True
        if kind is bool and text.lower() in ("false", "off", "no", "0"):
            return False
        if kind in (int, float):
            try:
                number = typing.cast("float", kind(text))
            except ValueError:
                continue
            if math.isfinite(number):
                return number
        if kind is str:
            return text
        if typing.get_origin(kind) is typing.Literal and text in typing.get_args(kind):
            return text
    wanted = _values(hint)
    raise ConfigError(f"Metric '{label}': option '{key}' ({wanted}) cannot be '{text}'.")
