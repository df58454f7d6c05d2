"""Metrics that are given as objects, from Python: whether they are metrics, and what names their
numbers.

A metric that is asked for by name has its options; an object has whatever its maker gave it. Its
state is read into plain parts, models by their ids. An object whose state cannot be read so is
never taken for another, nor for itself at another time: its values are not reused.
"""

from __future__ import annotations

import hashlib
import re
import typing
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from pathlib import PurePath
from typing import Any
from uuid import uuid4

from faithkit.metrics import base, outside, registry
from faithkit.metrics.base import Metric
from faithkit.records import JSON, ConfigError, Signature, canonical_json

SCALARS = (type(None), bool, int, float, str)
WANTED = "an object with name, bounds, unit, needs and a method score(examples)"


def checked(given: Any) -> base.Metric:
    """The object, once it is known to be a metric. Raises ConfigError."""
    kind = type(given).__name__
    if isinstance(given, type):
        raise ConfigError(
            f"the class {given.__name__} is given; give an object of it, {given.__name__}()"
        )
    if not hasattr(given, "score") and not hasattr(given, "name"):
        raise ConfigError(f"a metric should be a name or {WANTED}, found {kind}")
    registry.check_declaration(kind, given)
    return typing.cast("Metric", given)


def label_of(metric: base.Metric) -> str:
    """What rows are named by: the name, and the options that are not as by default."""
    defaults = registry.options_of(type(metric))
    given = {key: value for key, value in _options(metric).items()
             if value != defaults[key].default}  # fmt: skip
    shown = ",".join(f"{key}={value}" for key, value in sorted(given.items()))
    return f"{metric.name}:{shown}" if shown else metric.name


def signature_of(metric: base.Metric) -> Signature:
    """The signature of an object: its class, its options as far as they are found, its models, and
    hashes of its code and state."""
    found = type(metric)
    options: dict[str, JSON] = {**_options(metric), "class": found.__qualname__}
    code = outside.code_of(found)
    if not found.__module__.startswith("faithkit."):
        options["code"] = code
    try:
        if code is None:
            raise _UnreadableError
        state = canonical_json(_plain(metric))
        options["state"] = hashlib.sha256(state.encode()).hexdigest()[:12]
    except (_UnreadableError, RecursionError):
        options["object"] = uuid4().hex[:12]
    options |= getattr(metric, "resolved", {})
    ids = {
        name: value.id
        for name, value in _attributes(metric).items()
        if isinstance(getattr(value, "id", None), str)
    }
    return registry.signature_of(metric, options, ids)


class _UnreadableError(Exception):
    """A state with a part that has no plain form."""


def _attributes(metric: base.Metric) -> dict[str, Any]:
    """The options that the object keeps where classes usually do: under the option's name, or with
    a _ before it."""
    state = getattr(metric, "__dict__", {})
    places = {name: name if name in state else f"_{name}"
              for name in registry.options_of(type(metric))}  # fmt: skip
    return {name: state[place] for name, place in places.items() if place in state}


def _options(metric: base.Metric) -> dict[str, JSON]:
    found = _attributes(metric)
    return {name: value for name, value in found.items() if type(value) in SCALARS}


def _plain(value: Any) -> JSON:
    """The value in JSON; a model as its id, another object as its class and state. Raises
    _UnreadableError on what may hold more than can be seen: a function, an array, a handle."""
    kind = type(value)
    if kind in SCALARS:
        return typing.cast("JSON", value)
    if kind in (list, tuple):
        return [kind.__name__, *map(_plain, value)]
    if kind in (set, frozenset):
        return [kind.__name__, *sorted(canonical_json(_plain(item)) for item in value)]
    if kind is dict:
        return [kind.__name__, *([_plain(key), _plain(item)] for key, item in value.items())]
    if isinstance(value, Enum):
        return [kind.__qualname__, value.name]
    if isinstance(value, PurePath):
        return [kind.__qualname__, str(value)]
    if isinstance(value, re.Pattern):
        return [kind.__qualname__, _plain(value.pattern), value.flags]
    if isinstance(identity := getattr(value, "id", None), str):
        return ["model", identity]
    name = f"{kind.__module__}.{kind.__qualname__}"
    return [name, {key: _plain(item) for key, item in _state(value).items()}]


def _state(value: Any) -> dict[str, Any]:
    kind = type(value)
    if is_dataclass(value) and not hasattr(value, "__dict__"):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    # An object with room for more than its attributes keeps something that cannot be seen.
    if not hasattr(value, "__dict__") or kind.__basicsize__ > _Plain.__basicsize__:
        raise _UnreadableError
    derived = {name for one in kind.__mro__ for name, item in vars(one).items()
               if isinstance(item, cached_property)}  # fmt: skip
    return {name: item for name, item in vars(value).items() if name not in derived}


class _Plain:
    """An object of Python's own, for its size."""
