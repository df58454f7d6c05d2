"""A learned combination of metrics as a metric of its own [MFAS Table 4], and its file.

What lives here: the saved combination (component requests, their signatures, the fitted weights)
and the class that scores with it. What does not: loading the components (`fitted.py`), the fitting
(`meta/combination.py`) and the command that saves it (`evaluation/learning.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from faithkit.meta.combination import Combination
from faithkit.metrics.learned.components import content_hash, fields_of, read_saved, scores_of
from faithkit.metrics.learned.fitted import FittedMetric
from faithkit.records import (
    JSON,
    Coverage,
    DataError,
    Example,
    Outcome,
    Score,
    Signature,
    scored,
    unscored,
)

KIND = "faithkit combination"


@dataclass(frozen=True, slots=True)
class Component:
    """One column of a combination: a metric's value, or one of its parts.

    request    the metric, as `-m` takes it
    part       the part that is used, None for the value
    signature  of the metric when the combination was fitted
    """

    request: str
    part: str | None
    signature: Signature

    @property
    def label(self) -> str:
        """The column's name, and that of its part in a score: `fflm`, or `fflm.prior_y`."""
        return self.request if self.part is None else f"{self.request}.{self.part}"

    def to_dict(self) -> dict[str, JSON]:
        return {
            "request": self.request,
            "part": self.part,
            "digest": self.signature.digest,
            "signature": self.signature.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class SavedCombination:
    """A combination file.

    components   the columns that are combined, in the order of the weights
    combination  the fitted weights
    fitted       the name of the pairs it was fitted to (`pairs`) and the results of the fit
    """

    components: tuple[Component, ...]
    combination: Combination
    fitted: Mapping[str, JSON]

    def __post_init__(self) -> None:
        labels = tuple(component.label for component in self.components)
        if labels != self.combination.names:
            raise DataError(
                f"a combination of {', '.join(self.combination.names)} needs these components in "
                f"this order, found {', '.join(labels) or 'none'}"
            )

    def to_dict(self) -> dict[str, JSON]:
        return {
            "kind": KIND,
            "components": [component.to_dict() for component in self.components],
            "combination": self.combination.to_dict(),
            "fitted": dict(self.fitted),
        }


def read_combination(path: Path) -> SavedCombination:
    """The combination that `faithkit combine -o` wrote. Raises DataError naming file and field."""
    row = read_saved(path, KIND, "combine")
    with fields_of(path, "combination"):
        return SavedCombination(
            tuple(_component(item) for item in row["components"]),
            Combination.from_dict(row["combination"]),
            dict(row["fitted"]),
        )


def _component(row: Mapping[str, Any]) -> Component:
    signature = Signature(**row["signature"])
    if not isinstance(row["request"], str) or not isinstance(row["part"], str | None):
        raise DataError("a component's request and part should be text")
    if signature.digest != row["digest"]:
        raise DataError(
            f"component '{row['request']}': signature and digest do not belong together"
        )
    return Component(row["request"], row["part"], signature)


class Combined(FittedMetric[SavedCombination]):
    """A linear combination of metrics, learned from human ratings by `faithkit combine` [MFAS §5].

    file   the file that `faithkit combine -o` wrote
    drift  `refuse` to score when a component's signature (options, model weights, version) is not
           the one the weights were fitted with, or `allow` it

    Parts: the components' values. Spans and evidence: those of all components. A row that a
    component does not score has that component's outcome and no value.
    """

    name = "combine"
    bounds = (-float("inf"), float("inf"))
    unit = "metrics in a learned linear combination, on the scale of the ratings it was fitted to"
    limitations = (
        "Holds for texts and ratings like those it was fitted to. A row that one component cannot "
        "score has no value."
    )

    command = "combine"
    saved_as = "combination"
    kind = "a combination"

    def _read(self, path: Path) -> SavedCombination:
        return read_combination(path)

    def _fitted_with(self) -> list[tuple[str, Signature]]:
        return [(component.request, component.signature) for component in self._saved.components]

    def _pairs(self) -> JSON:
        return self._saved.fitted.get("pairs")

    def _resolve(self, signatures: Mapping[str, Signature]) -> None:
        combination = self._saved.combination
        self.resolved = {
            # The numbers depend on what the file holds, not on where it is.
            "file": content_hash(combination.to_dict()),
            "components": [
                f"{component.label}@{signatures[component.request].digest[:12]}"
                for component in self._saved.components
            ],
            "weights": [float(f"{weight:.4g}") for weight in combination.weights],
        }

    def score(self, examples: Sequence[Example]) -> list[Score]:
        if not examples:
            return []
        by_request = {
            text: scores_of(metric, text, self._file, examples)
            for text, metric in self._metrics.items()
        }
        columns = [
            [_value(score, component.part) for score in by_request[component.request]]
            for component in self._saved.components
        ]
        labels = self._saved.combination.names
        combined = self._saved.combination.apply(dict(zip(labels, columns, strict=True)))
        rows = zip(*by_request.values(), strict=True)
        parts = [dict(zip(labels, row, strict=True)) for row in zip(*columns, strict=True)]
        return [
            _joined(example, value, part, row)
            for example, value, part, row in zip(examples, combined, parts, rows, strict=True)
        ]


def _value(score: Score, part: str | None) -> float | None:
    return score.value if part is None else score.parts.get(part)


def _joined(
    example: Example,
    value: float | None,
    parts: Mapping[str, float | None],
    row: Sequence[Score],
) -> Score:
    """The score of one example.

    value  the combined value, None if a component has none
    parts  the value of each column
    row    the score of each component
    """
    present = {label: part for label, part in parts.items() if part is not None}
    outcomes = [score.outcome for score in row if score.outcome is not Outcome.OK]
    coverage = Coverage(
        **{
            item.name: max(getattr(score.coverage, item.name) for score in row)
            for item in fields(Coverage)
        }
    )
    spans = tuple(dict.fromkeys(span for score in row for span in score.spans))
    if value is None or outcomes:
        # A part may be missing where its metric has a value: nothing there to combine.
        outcome = outcomes[0] if outcomes else Outcome.NO_CLAIMS
        return unscored(
            example,
            Combined.name,
            outcome,
            default=value,
            parts=present,
            spans=spans,
            coverage=coverage,
        )
    evidence = tuple(dict.fromkeys(item for score in row for item in score.evidence))
    return scored(
        example,
        Combined.name,
        value,
        parts=present,
        spans=spans,
        evidence=evidence,
        coverage=coverage,
    )
