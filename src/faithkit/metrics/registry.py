"""The table of metrics, and how a metric's name and options become an instance.

METRICS is literal: one line per metric, imported only when asked for. What a
metric is, is in `base.py`.
"""

from __future__ import annotations

import importlib
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faithkit.metrics import outside
from faithkit.metrics.base import Metric
from faithkit.records import (
    JSON,
    ConfigError,
    FaithkitError,
    Signature,
    did_you_mean,
)

METRICS: dict[str, str] = {
    "support": "faithkit.metrics.support:Support",
    "rouge1": "faithkit.metrics.overlap:Rouge1",
    "rouge2": "faithkit.metrics.overlap:Rouge2",
    "rougeL": "faithkit.metrics.overlap:RougeL",
    "bleu": "faithkit.metrics.overlap:Bleu",
    "meteor": "faithkit.metrics.overlap:Meteor",
    "novelty": "faithkit.metrics.novelty:Novelty",
    "bertscore": "faithkit.metrics.bertscore:BertScore",
    "sentsim": "faithkit.metrics.sentsim:SentSim",
    "ner": "faithkit.metrics.facts:Ner",
    "ner_overlap": "faithkit.metrics.facts:NerOverlap",
    "openie": "faithkit.metrics.relations:OpenIe",
    "srl": "faithkit.metrics.relations:Srl",
    "dae": "faithkit.metrics.arcs:Dae",
    "fflm": "faithkit.metrics.probability:Fflm",
    "delta_prior_y": "faithkit.metrics.probability:DeltaPriorY",
    "delta_prior_x": "faithkit.metrics.probability:DeltaPriorX",
    "delta_cond_y": "faithkit.metrics.probability:DeltaCondY",
    "cop": "faithkit.metrics.probability:Cop",
    "harim": "faithkit.metrics.probability:Harim",
    "bartscore": "faithkit.metrics.probability:BartScore",
    "coco": "faithkit.metrics.probability:Coco",
    "entailment": "faithkit.metrics.entailment:Entailment",
    "mnli_doc": "faithkit.metrics.entailment:MnliDoc",
    "summac_zs": "faithkit.metrics.summac:SummacZs",
    "summac_conv": "faithkit.metrics.summac:SummacConv",
    "qgqa": "faithkit.metrics.qgqa:Qgqa",
    "lss_bleu": "faithkit.metrics.lss:LssBleu",
    "lss_rouge1": "faithkit.metrics.lss:LssRouge1",
    "lss_rouge2": "faithkit.metrics.lss:LssRouge2",
    "lss_rougeL": "faithkit.metrics.lss:LssRougeL",
    "lss_share": "faithkit.metrics.lss:LssShare",
    "lss_bertscore": "faithkit.metrics.lss:LssBertScore",
    "alignscore": "faithkit.metrics.checkpoints:AlignScore",
    "minicheck": "faithkit.metrics.checkpoints:MiniCheck",
    "unieval": "faithkit.metrics.checkpoints:UniEval",
    "factcc": "faithkit.metrics.checkpoints:FactCC",
    "hhem": "faithkit.metrics.checkpoints:Hhem",
    "lettucedetect": "faithkit.metrics.checkpoints:LettuceDetect",
    "judge": "faithkit.metrics.judge.judge:Judge",
    "combine": "faithkit.metrics.learned.combine:Combined",
    "calibrated": "faithkit.metrics.learned.calibrated:Calibrated",
}

ENTRY_POINT_GROUP = "faithkit.metrics"


@dataclass(frozen=True, slots=True)
class MetricRequest:
    """A metric as the user asked for it: `label` is what output rows are named by."""

    label: str
    target: str
    options: Mapping[str, str]


def parse_request(text: str) -> MetricRequest:
    """`NAME[:key=value,...]`, or `path.py:Class[:key=value,...]`.

    A piece without `=` belongs to the value before it, so `weights=.25,.25,.5` is one option.
    Raises ConfigError on an unknown name, a malformed option or one given twice.
    """
    own = re.match(r"^(?P<target>.+\.py:\w+)(?::(?P<options>.*))?$", text)
    name, _, tail = (own["target"], "", own["options"] or "") if own else text.partition(":")
    target = own["target"] if own else _target(name)
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
            raise ConfigError(f"metric '{text}': expected key=value after ':', found '{piece}'.")
    shown = ",".join(f"{key}={value}" for key, value in sorted(options.items()))
    return MetricRequest(f"{name}:{shown}" if shown else name, target, options)


def _target(name: str) -> str:
    if name in METRICS:
        return METRICS[name]
    own = _entry_points()
    if name in own:
        return own[name]
    raise ConfigError(f"Unknown metric '{name}'.{did_you_mean(name, [*METRICS, *own])}")


def names() -> list[str]:
    """Every metric that can be asked for by name: the table's, then those of entry points."""
    return [*METRICS, *sorted(set(_entry_points()) - set(METRICS))]


def _entry_points() -> dict[str, str]:
    """Metrics that other installed packages offer, by name."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)}


def metric_class(target: str) -> type[Metric]:
    """The class behind `module:Class` or `path.py:Class`; its declaration is checked."""
    place, _, class_name = target.rpartition(":")
    if place.endswith(".py"):
        module = _module_from_file(Path(place))
    else:
        with _importing(place):
            module = importlib.import_module(place)
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        have = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise ConfigError(f"No class '{class_name}' in {place}.{did_you_mean(class_name, have)}")
    check_declaration(target, found)
    return typing.cast("type[Metric]", found)


def check_declaration(shown: str, metric: Any) -> None:
    """Raises ConfigError unless a class or an object declares what a metric does."""
    missing = [part for part in ("name", "bounds", "unit", "needs", "score")
               if not hasattr(metric, part)]  # fmt: skip
    if missing:
        raise ConfigError(
            f"{shown} is not a metric: it lacks {', '.join(missing)}. A metric declares name, "
            "bounds, unit, needs and has a method score(examples)."
        )
    bounds, needs = metric.bounds, metric.needs
    if isinstance(bounds, property):  # depends on the metric's options
        return
    numbers = isinstance(bounds, tuple | list) and all(isinstance(b, int | float) for b in bounds)
    if not numbers or len(bounds) != 2 or not bounds[0] < bounds[1]:
        raise ConfigError(
            f"{shown}: bounds should be two numbers, the least first, found {bounds!r}"
        )
    if not isinstance(needs, Set | property):
        raise ConfigError(f"{shown}: needs should be a set of fields' names, found {needs!r}")


@contextmanager
def _importing(place: str) -> Iterator[None]:
    # Whatever stands in a user's file may go wrong; a library that is missing is the commonest.
    try:
        yield
    except FaithkitError:
        raise
    except Exception as error:
        raise ConfigError(
            f"{place}, wanted for a metric, cannot be imported: {type(error).__name__}: {error}"
        ) from error


def _module_from_file(path: Path) -> types.ModuleType:
    if not path.is_file():
        raise ConfigError(f"No such file: {path} (wanted for a metric).")
    with _importing(str(path)):
        return outside.module_from_file(path)


def options_of(metric: type[Metric]) -> dict[str, inspect.Parameter]:
    """The constructor's keyword arguments, which are the metric's options."""
    if metric.__init__ is object.__init__:
        return {}
    parameters = inspect.signature(metric).parameters
    collecting = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {name: p for name, p in parameters.items() if p.kind not in collecting}


def model_options(metric: type[Metric], options: Mapping[str, JSON]) -> dict[str, str]:
    """Which options are models with these other options, and the `role:name` each defaults to.
    A metric that needs its model only sometimes says so with a static method `models_for`."""
    depends = getattr(metric, "models_for", None)
    return dict(depends(options) if depends else getattr(metric, "models", {}))


def create(
    request: MetricRequest, load_model: Callable[[str], Any]
) -> tuple[Metric, dict[str, JSON], dict[str, str]]:
    """Builds the metric. Returns it with its resolved options and its models' ids, for the
    signature.

    load_model: `role:name` to a model, as `faithkit.models.load`.
    """
    found, given, keywords = check(request)
    options = _signed_options(found, keywords)
    ids: dict[str, str] = {}
    for key, default in model_options(found, options).items():
        role, _, name = default.partition(":")
        name = given.get(key, name)
        if name:
            keywords[key] = load_model(f"{role}:{name}")
            ids[key] = keywords[key].id
    try:
        metric = found(**keywords)
    except FaithkitError:
        raise
    except (TypeError, ValueError) as error:
        raise ConfigError(f"Metric '{request.label}' does not take its options: {error}") from error
    # A metric made of other metrics creates them here, with the same models.
    if load_components := getattr(metric, "load_components", None):
        load_components(load_model)
    # A metric may settle an option from its model (a default layer); the signature says which.
    options |= getattr(metric, "resolved", {})
    if not found.__module__.startswith("faithkit."):
        # A metric from outside has no version of ours: its numbers are named by its code.
        options |= {"class": found.__qualname__, "code": outside.code_of(found)}
    return metric, options, ids


def _signed_options(metric: type[Metric], given: Mapping[str, JSON]) -> dict[str, JSON]:
    """The options of the signature: as given, else their defaults."""
    left = {*getattr(metric, "models", {}), *getattr(metric, "unsigned", ())}
    return {
        key: given.get(key, parameter.default)
        for key, parameter in options_of(metric).items()
        if key not in left
    }


def verdict_from(metric: type[Metric], options: Mapping[str, JSON]) -> float | None:
    """The value from which the metric itself says "consistent" with these options of its
    signature; None where it does not say, or says so in its parts."""
    declared = getattr(metric, "verdict_from", None)
    return None if declared is None else declared(options)


def gives_verdicts(request: MetricRequest) -> bool:
    """Whether the metric says itself what is consistent. Loads no model."""
    found, _, given = check(request)
    if getattr(found, "verdicts", False):
        return True
    return verdict_from(found, _signed_options(found, given)) is not None


def signature_of(metric: Metric, options: Mapping[str, JSON], ids: Mapping[str, str]) -> Signature:
    """The signature of a metric that `create` made, from what `create` returned."""
    from importlib.metadata import version

    rules = (getattr(metric.score, "normaliser", None), getattr(metric, "splitter", None))
    return Signature(
        metric=metric.name,
        options=options,
        models=ids,
        splitter="+".join(filter(None, rules)) or None,
        prompt=getattr(metric, "prompt", None),
        version=version("faithkit"),
    )


def check(request: MetricRequest) -> tuple[type[Metric], dict[str, str], dict[str, Any]]:
    """The metric's class, the options as given, and those that are not models converted to their
    types. Loads no model. Raises ConfigError on an unknown option or a value that does not fit."""
    found = metric_class(request.target)
    parameters = options_of(found)
    all_models = set(getattr(found, "models", {}))
    hints = typing.get_type_hints(found.__init__) if parameters else {}
    keywords: dict[str, Any] = {}
    given = _with_preset(request, found)
    for key, text in given.items():
        if key not in parameters:
            known = parameters or ["(none)"]
            raise ConfigError(
                f"Metric '{request.label}' has no option '{key}'.{did_you_mean(key, known)}"
            )
        if key not in all_models:
            keywords[key] = _convert(request.label, key, text, hints.get(key, str))
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in given and key not in all_models:
            raise ConfigError(f"Metric '{request.label}' needs the option '{key}'.")
    return found, given, keywords


def add_preset(request: str, preset: str) -> str:
    """The request with a preset added where its metric has it and the request names none."""
    parsed = parse_request(request)
    has = preset in getattr(metric_class(parsed.target), "presets", {})
    if not has or "preset" in parsed.options:
        return request
    return f"{request}{',' if parsed.options else ':'}preset={preset}"


def presets_of(requests: Sequence[str]) -> set[str]:
    """The names of all presets that the metrics asked for have."""
    classes = [metric_class(parse_request(request).target) for request in requests]
    return {name for found in classes for name in getattr(found, "presets", {})}


def describe_options(metric: type[Metric]) -> list[tuple[str, str, str]]:
    """Each option's name, what it takes, and its default, as text."""
    parameters = options_of(metric)
    hints = typing.get_type_hints(metric.__init__) if parameters else {}
    all_models: Mapping[str, str] = getattr(metric, "models", {})
    rows = []
    for name, parameter in parameters.items():
        if name in all_models:
            role, _, default = all_models[name].partition(":")
            rows.append((name, f"a model of the role {role}", default))
        else:
            default = "none" if parameter.default is None else str(parameter.default).lower()
            rows.append((name, _takes(hints.get(name, str)), default))
    return rows


def _takes(hint: Any) -> str:
    choices = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return " | ".join(map(str, choices))
    if choices:
        return " | ".join(_takes(kind) for kind in choices if kind is not type(None))
    return {int: "whole number", float: "number", bool: "on | off", str: "text"}.get(
        hint, str(hint)
    )


def _with_preset(request: MetricRequest, metric: type[Metric]) -> dict[str, str]:
    """The request's options, those of its `preset` (a paper's settings) put underneath."""
    given = dict(request.options)
    name = given.pop("preset", None)
    if name is None:
        return given
    presets: Mapping[str, Mapping[str, str]] = getattr(metric, "presets", {})
    if name not in presets:
        hint = did_you_mean(name, presets) if presets else " It has no presets."
        raise ConfigError(f"Metric '{request.label}' has no preset '{name}'.{hint}")
    return {**presets[name], **given}


def _convert(label: str, key: str, text: str, hint: Any) -> JSON:
    """The option's text as the type its constructor declares."""
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
    wanted = _takes(hint)
    raise ConfigError(f"Metric '{label}': option '{key}' should be {wanted}, found '{text}'.")
