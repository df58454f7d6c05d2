"""How a metric becomes ready to score, whether it is asked for by name, as a class of a user's file
or of another package, or given as an object; and the signature that names its numbers.

A metric that is asked for by name has its options; an object has whatever its maker gave it. Its
state is read into plain parts, models by their ids. An object whose state cannot be read so is
never taken for another, nor for itself at another time: its values are not reused.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import typing
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import Any, NamedTuple
from uuid import uuid4

from faithkit import extras
from faithkit.metrics import user_code
from faithkit.metrics.base import (
    Metric,
    ModelLoader,
    adapted,
    adapted_class,
    missing_declarations,
)
from faithkit.metrics.options import options_of, parameters_of
from faithkit.metrics.spec import MetricSpec
from faithkit.records import (
    JSON,
    ConfigError,
    FaithkitError,
    Signature,
    canonical_json,
    did_you_mean,
)

MetricLike = str | MetricSpec | Metric
"""A metric by its name and options (`bertscore:layer=3`), as a spec, or as an object of any class
that declares what a metric does."""

EXPECTED = "an object with name, bounds, unit and a method score(examples)"
SCALARS = (type(None), bool, int, float, str)


class LoadedMetric(NamedTuple):
    """A metric that is ready to score, its signature, and the models that were loaded for it."""

    metric: Metric
    signature: Signature
    models: tuple[Any, ...] = ()


def specs_of(metrics: MetricLike | Iterable[MetricLike]) -> list[MetricSpec]:
    """The metrics that are asked for, with their names and options checked; no model is loaded.
    Raises ConfigError on an unknown name or option, on what is no metric, on none at all, and on
    one that is given twice."""
    if isinstance(metrics, str | MetricSpec) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    specs: dict[str, MetricSpec] = {}
    for metric in metrics:
        spec = _spec_of(metric)
        if spec.label in specs:
            raise ConfigError(f"Metric '{spec.label}' is given twice.")
        specs[spec.label] = spec
    if not specs:
        raise ConfigError("No metric is given.")
    for spec in specs.values():
        if spec.metric is None:
            options_of(spec, class_of(spec))
    return list(specs.values())


def _spec_of(metric: MetricLike) -> MetricSpec:
    if isinstance(metric, MetricSpec):
        return metric
    if isinstance(metric, str):
        return MetricSpec.parse(metric)
    kind = type(metric)
    if isinstance(metric, type):
        raise ConfigError(
            f"the class {metric.__name__} is given; give an object of it, {metric.__name__}()"
        )
    if not hasattr(metric, "score") and not hasattr(metric, "name"):
        raise ConfigError(f"a metric should be a name or {EXPECTED}, found {kind.__name__}")
    check_declaration(kind.__name__, metric)
    defaults = parameters_of(kind)
    options = {key: str(value) for key, value in _scalar_options(metric).items()
               if value != defaults[key].default}  # fmt: skip
    return MetricSpec(metric.name, f"{kind.__module__}:{kind.__qualname__}", options, metric)


def class_of(spec: MetricSpec) -> type[Metric]:
    """The metric's class with the contract's defaults. Raises ConfigError if there is none, or it
    does not declare what a metric does."""
    return adapted_class(_class_as_given(spec))


def _class_as_given(spec: MetricSpec) -> type:
    if spec.metric is not None:
        return type(spec.metric)
    location, _, class_name = spec.target.rpartition(":")
    with _importing(location):
        if location.endswith(".py"):
            if not Path(location).is_file():
                raise ConfigError(f"No such file: {location} (wanted for a metric).")
            module = user_code.module_from_file(Path(location))
        else:
            module = importlib.import_module(location)
    metric = getattr(module, class_name, None)
    if not isinstance(metric, type):
        defined = {name: value for name, value in vars(module).items() if isinstance(value, type)}
        classes = sorted(name for name, kind in defined.items() if not missing_declarations(kind))
        if not classes:
            raise ConfigError(f"{location} has no class that is a metric.")
        if not class_name:
            raise ConfigError(
                f"{location}: name its class too, as {location}:{classes[0]}. Choices: "
                f"{', '.join(classes)}."
            )
        raise ConfigError(
            f"No class '{class_name}' in {location}.{did_you_mean(class_name, classes)}"
        )
    check_declaration(spec.target, metric)
    return metric


@contextmanager
def _importing(location: str) -> Iterator[None]:
    # Whatever is in a user's file may go wrong; a library that is missing is the commonest.
    try:
        with extras.explained(location):
            yield
    except FaithkitError:
        raise
    except Exception as error:
        raise ConfigError(
            f"{location}, wanted for a metric, cannot be imported: {type(error).__name__}: {error}"
        ) from error


def check_declaration(name: str, metric: Any) -> None:
    """Raises ConfigError unless a class or an object declares what a metric does."""
    if missing := missing_declarations(metric):
        raise ConfigError(
            f"{name} is not a metric: it lacks {', '.join(missing)}. A metric declares name, "
            "bounds, unit and has a method score(examples)."
        )
    if getattr(metric, "higher_is_better", True) is not True:
        raise ConfigError(
            f"{name}: higher_is_better should be True; a metric of errors negates its value"
        )
    if isinstance(getattr(metric, "limits", None), str):
        raise ConfigError(f"{name}: the text `limits` is called `limitations` now; rename it")
    bounds, needs = metric.bounds, getattr(metric, "needs", Metric.needs)
    if isinstance(bounds, property):  # depends on the metric's options
        return
    numbers = isinstance(bounds, tuple | list) and all(isinstance(b, int | float) for b in bounds)
    if not numbers or len(bounds) != 2 or not bounds[0] < bounds[1]:
        raise ConfigError(
            f"{name}: bounds should be two numbers, the least first, found {bounds!r}"
        )
    if not isinstance(needs, Set | property):
        raise ConfigError(f"{name}: needs should be a set of fields' names, found {needs!r}")


def load(spec: MetricSpec, load_model: ModelLoader) -> LoadedMetric:
    """The metric of a spec with its models. Raises ConfigError on an option that is unknown or does
    not fit, ModelError on a missing model."""
    if spec.metric is not None:
        metric, signature = adapted(spec.metric), _signature_of_object(spec.metric)
        return LoadedMetric(metric, signature, tuple(getattr(spec.metric, "__dict__", {}).values()))
    models: list[Any] = []

    def load_and_keep(name: str) -> Any:
        models.append(load_model(name))
        return models[-1]

    as_given = _class_as_given(spec)
    contract = adapted_class(as_given)
    extras.require(contract.packages, f"Metric '{spec.label}'")
    given, keywords, signed = options_of(spec, contract)
    ids: dict[str, str] = {}
    for key, default in contract.models_for(signed).items():
        role, _, name = default.partition(":")
        if name := given.get(key, name):
            keywords[key] = load_and_keep(f"{role}:{name}")
            ids[key] = keywords[key].id
    try:
        with extras.explained(f"Metric '{spec.label}'"):
            instance = as_given(**keywords)
    except FaithkitError:
        raise
    except (TypeError, ValueError) as error:
        raise ConfigError(f"Metric '{spec.label}' does not take its options: {error}") from error
    adapted(instance).load_components(load_and_keep)
    metric = adapted(instance)
    # A metric may settle an option from its model (a default layer); the signature says which.
    options = {**signed, **metric.resolved}
    if not as_given.__module__.startswith("faithkit."):
        # A user's metric has no version of ours: its numbers are named by its code.
        options |= {"class": as_given.__qualname__, "code": user_code.code_of(as_given)}
    return LoadedMetric(metric, signature_of(metric, options, ids), tuple(models))


def gives_verdicts(spec: MetricSpec) -> bool:
    """Whether the metric says itself what is consistent. Loads no model."""
    metric = class_of(spec)
    return metric.verdicts or metric.verdict_from(options_of(spec, metric).signed) is not None


def signature_of(metric: Metric, options: Mapping[str, JSON], ids: Mapping[str, str]) -> Signature:
    """The signature of a metric with these options and these ids of its models."""
    return Signature(
        metric=metric.name,
        options=options,
        models=ids,
        splitter="+".join(filter(None, (metric.normaliser, metric.splitter))) or None,
        prompt=metric.prompt,
        version=version("faithkit"),
    )


# --- objects -----------------------------------------------------------------------------------


def _signature_of_object(metric: Any) -> Signature:
    """The signature of an object: its class, its options as far as they are found, its models, and
    hashes of its code and state."""
    kind = type(metric)
    options: dict[str, JSON] = {**_scalar_options(metric), "class": kind.__qualname__}
    code = user_code.code_of(kind)
    if not kind.__module__.startswith("faithkit."):
        options["code"] = code
    try:
        if code is None:
            raise _UnreadableError
        state = canonical_json(_state(metric))
        options["state"] = hashlib.sha256(state.encode()).hexdigest()[:12]
    except (_UnreadableError, RecursionError):
        options["object"] = uuid4().hex[:12]
    contract = adapted(metric)
    ids = {
        name: value.id
        for name, value in _options_of_object(metric).items()
        if isinstance(getattr(value, "id", None), str)
    }
    return signature_of(contract, {**options, **contract.resolved}, ids)


class _UnreadableError(Exception):
    """A state with a part that has no plain form."""


def _options_of_object(metric: Any) -> dict[str, Any]:
    """The options that an object keeps where classes usually do: under the option's name, or with
    a _ before it."""
    attributes = getattr(metric, "__dict__", {})
    names = {name: name if name in attributes else f"_{name}"
             for name in parameters_of(type(metric))}  # fmt: skip
    return {name: attributes[key] for name, key in names.items() if key in attributes}


def _scalar_options(metric: Any) -> dict[str, JSON]:
    options = _options_of_object(metric)
    return {name: value for name, value in options.items() if type(value) in SCALARS}


def _state(value: Any) -> JSON:
    """The value in JSON; a model as its id, another object as its class and state. Raises
    _UnreadableError on what may hold more than can be seen: a function, an array, a handle."""
    kind = type(value)
    if kind in SCALARS:
        return typing.cast("JSON", value)
    if kind in (list, tuple):
        return [kind.__name__, *map(_state, value)]
    if kind in (set, frozenset):
        return [kind.__name__, *sorted(canonical_json(_state(item)) for item in value)]
    if kind is dict:
        return [kind.__name__, *([_state(key), _state(item)] for key, item in value.items())]
    if isinstance(value, Enum):
        return [kind.__qualname__, value.name]
    if isinstance(value, PurePath):
        return [kind.__qualname__, str(value)]
    if isinstance(value, re.Pattern):
        return [kind.__qualname__, _state(value.pattern), value.flags]
    if isinstance(identity := getattr(value, "id", None), str):
        return ["model", identity]
    name = f"{kind.__module__}.{kind.__qualname__}"
    return [name, {key: _state(item) for key, item in _attributes(value).items()}]


def _attributes(value: Any) -> dict[str, Any]:
    kind = type(value)
    if is_dataclass(value) and not hasattr(value, "__dict__"):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    # An object with space for more than its attributes keeps something that cannot be seen.
    if not hasattr(value, "__dict__") or kind.__basicsize__ > _Plain.__basicsize__:
        raise _UnreadableError
    derived = {name for base in kind.__mro__ for name, item in vars(base).items()
               if isinstance(item, cached_property)}  # fmt: skip
    return {name: item for name, item in vars(value).items() if name not in derived}


class _Plain:
    """An object of a plain class, for its size."""
