"""The contract of a metric: what a metric class declares, with the defaults.

A metric derives from `Metric`, declares `name`, `bounds` and `unit`, and has one method, `score`.
The constructor's keyword arguments are its options. A class that does not derive from `Metric` but
declares the same works as well: `adapted_class` and `adapted` give it the defaults.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, cast

from faithkit.records import JSON, Example, Score

NO_OPTIONS: Mapping[str, Any] = types.MappingProxyType({})


class ModelLoader(Protocol):
    """`role:name` to a model, as `faithkit.models.load`."""

    def __call__(self, spec: str, /) -> Any: ...


class Metric:
    """A metric. Higher values are more faithful.

    name              what it is asked for by
    bounds            the least and the greatest value it can give
    unit              one sentence: what the number means
    limitations       what the number does not mean, and where it goes wrong
    needs             the fields of an Example that it reads
    higher_is_better  always True; a metric of errors negates its value
    models            options that are models, each with the role and name of its default:
                      `{"model": "tokens:mini"}`
    presets           named settings of options, as `faithkit score --preset` takes them
    unsigned          options that change no number (a time limit, a file of transcripts); the
                      signature leaves them out
    marks_words       whether its spans may be labelled "unsupported", which is what is shown as a
                      mark
    verdicts          whether `parts` hold a `verdict`: 1 consistent, 0 not, 0.5 undecided
    trained_on        names of the data that it was trained on, besides what its models say
    splitter          the rules that split the texts into sentences, None if it does not split
    language          the one language that it reads, None for any
    prompt            hash of the prompts that its chat models get, None without any
    resolved          options that it settled itself (a default layer), for the signature
    title             how it is shown to people; its name if empty
    field_hints       by a field of `needs`: what to do about a row without it
    packages          optional packages that it imports when it scores (`faithkit.extras`)
    """

    name: str
    bounds: tuple[float, float]
    unit: str
    limitations: ClassVar[str] = ""
    needs: frozenset[str] = frozenset({"source", "summary"})
    higher_is_better: ClassVar[bool] = True
    models: ClassVar[Mapping[str, str]] = NO_OPTIONS
    presets: ClassVar[Mapping[str, Mapping[str, str]]] = NO_OPTIONS
    unsigned: ClassVar[frozenset[str]] = frozenset()
    marks_words: bool = True
    verdicts: ClassVar[bool] = False
    trained_on: frozenset[str] = frozenset()
    splitter: str | None = None
    language: str | None = None
    prompt: str | None = None
    resolved: Mapping[str, JSON] = NO_OPTIONS
    packages: ClassVar[tuple[str, ...]] = ()
    title: str = ""
    field_hints: Mapping[str, str] = NO_OPTIONS

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """One Score for each example, in order; the same value alone or among a thousand."""
        raise NotImplementedError

    @classmethod
    def models_for(cls, options: Mapping[str, JSON]) -> Mapping[str, str]:  # noqa: ARG003
        """The models that are needed with these other options, with their defaults."""
        return cls.models

    @classmethod
    def verdict_from(cls, options: Mapping[str, JSON]) -> float | None:  # noqa: ARG003
        """The value from which the metric itself says "consistent" with these options of its
        signature; None if it does not say, or says so in its parts."""
        return None

    def load_components(self, load_model: ModelLoader) -> None:
        """Creates the metrics that this one is made of, with the run's models."""

    @property
    def normaliser(self) -> str | None:
        """The rules of the plain form of the texts (`plain.py`); None if `score` reads the texts as
        they are given."""
        return getattr(self.score, "normaliser", None)


REQUIRED = ("name", "bounds", "unit", "score")
DECLARATIONS = {name for name in vars(Metric) if not name.startswith("_")} - {"normaliser"}


def missing_declarations(metric: object) -> list[str]:
    """The names of required declarations that this class or object lacks."""
    missing = [name for name in REQUIRED if not hasattr(metric, name)]
    score = getattr(metric, "score", None)
    if getattr(score, "__func__", score) is Metric.score:
        missing.append("score")
    return missing


def adapted_class(metric: type) -> type[Metric]:
    """The class with the contract's defaults for whatever it does not declare, to be read; itself
    if it derives from `Metric`. Instances are made of the class as it was given."""
    if issubclass(metric, Metric):
        return metric
    copied = {key: getattr(metric, key) for key in ("__module__", "__qualname__", "__doc__")}
    adapted = types.new_class(
        metric.__name__, (metric, Metric), {}, lambda namespace: namespace.update(copied)
    )
    return cast("type[Metric]", adapted)


class _Adapted(Metric):
    """An object of a class that does not derive from `Metric`, as it declares itself now."""

    def __init__(self, metric: Any) -> None:
        for name in {*REQUIRED, *DECLARATIONS}:
            if hasattr(metric, name):
                setattr(self, name, getattr(metric, name))


def adapted(metric: Any) -> Metric:
    """The object with the contract's defaults for whatever it does not declare; itself if its class
    derives from `Metric`."""
    return metric if isinstance(metric, Metric) else _Adapted(metric)
