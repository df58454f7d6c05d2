"""The conditions of `--fail-if`: `not_consistent > 40%`, `value < .5`, `support value < .5`.

A condition is about single rows (`value < .5`: every row of which it is true fails) or about how
many rows there are of a kind (`not_consistent > 40%`, `consistent < 50%`, `unscored > 3`). Never
about a mean, which hides the rows that are wrong.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from faithkit.metrics.base import Metric
from faithkit.records import (
    VERDICTS,
    ConfigError,
    Outcome,
    Score,
    did_you_mean,
    nearest,
    probability_of,
    verdict_of,
)
from faithkit.report.marks import count_of_marks
from faithkit.run import Prepared

NEWLY_FAILING = "newly_failing"
UNSCORED = "unscored"
KINDS = {name.replace(" ", "_"): name for name in VERDICTS.values()}
"""Kinds of rows that a metric's verdict makes, as a condition and as a score name them."""

COUNTED = {*KINDS, UNSCORED, NEWLY_FAILING, *(str(o) for o in Outcome if o is not Outcome.OK)}

VALUE, PROBABILITY, MARKS = "value", "probability", "marks"
"""Numbers of each row beside the parts of its score."""

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_FORM = re.compile(
    r"(?:(?P<metric>[^\s<>][^<>]*?)\s+)?(?P<name>[^\s<>=%]+)\s*(?P<operator><=|>=|<|>)\s*"
    r"(?P<limit>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?P<percent>%?)"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """When a run fails.

    text     as it was given
    metric   the label of the metric that it is about; None: every metric that it can be about
    name     a kind of rows (`COUNTED`), or a number of each row: `value`, `probability`, `marks`
             (how many spans are marked as unsupported), or a part by its name
    limit    of rows of a kind: how many, or with `percent` which share, in percent
    """

    text: str
    metric: str | None
    name: str
    operator: str
    limit: float
    percent: bool

    @property
    def counts(self) -> bool:
        """Whether it is about how many rows there are of a kind."""
        return self.name in COUNTED

    @property
    def lower_bound(self) -> bool:
        """Whether it fails where there are too few rows of a kind."""
        return self.counts and self.operator in ("<", "<=")

    def holds(self, value: float) -> bool:
        """Whether the number is one that fails."""
        return _OPERATORS[self.operator](value, self.limit)

    def exceeded(self, count: int, rows: int) -> bool:
        """Whether so many rows of a kind, of so many rows, fail."""
        return self.holds(100 * count / rows if self.percent and rows else float(count))

    def is_about(self, label: str) -> bool:
        """Whether it is about the rows of this metric."""
        return self.metric is None or self.metric == label


def parse(text: str) -> Condition:
    """A condition from its text. Raises ConfigError on another form."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ConfigError(
            f"--fail-if wants [METRIC] NAME < NUMBER, such as 'value < .5' or "
            f"'not_consistent > 40%'; found '{text}'."
        )
    condition = Condition(
        text.strip(), match["metric"], match["name"], match["operator"], float(match["limit"]),
        bool(match["percent"]),
    )  # fmt: skip
    if condition.percent and not condition.counts:
        what = "% is for kinds of rows."
        if near := nearest(condition.name, COUNTED):
            what = f"there is no kind of rows '{condition.name}'. Did you mean '{near}'?"
        raise ConfigError(f"--fail-if '{text}': {what} Kinds: {', '.join(sorted(COUNTED))}.")
    if condition.counts:
        _check_count(condition)
    return condition


def _check_count(condition: Condition) -> None:
    """Raises ConfigError on a limit that is no number or share of rows, or that is never passed."""
    limit, shown = condition.limit, f"--fail-if '{condition.text}'"
    if condition.percent and not 0 <= limit <= 100:
        raise ConfigError(f"{shown}: a percentage of rows is from 0 to 100%")
    if not condition.percent and 0 < limit < 1:
        raise ConfigError(
            f"{shown} is about a number of rows, which is whole; did you mean {100 * limit:g}%?"
        )
    if not condition.percent and (limit < 0 or limit != int(limit)):
        raise ConfigError(f"{shown} is about a number of rows, which is whole and not below 0")
    never = ("<", 0.0), *([(">", 100.0)] if condition.percent else [])
    if (condition.operator, limit) in never:
        raise ConfigError(f"{shown} is never true")


def check(conditions: Sequence[Condition], prepared: Sequence[Prepared], baseline: bool) -> None:
    """Raises ConfigError on a condition that these metrics can never meet or that needs a
    baseline."""
    labels = [one.label for one in prepared]
    for condition in conditions:
        shown = f"--fail-if '{condition.text}'"
        if condition.metric is not None and condition.metric not in labels:
            raise ConfigError(
                f"{shown} names '{condition.metric}'.{did_you_mean(condition.metric, labels)}"
            )
        if condition.name == NEWLY_FAILING and not baseline:
            raise ConfigError(f"{shown}: rows fail newly where there is a --baseline")
        about = [one for one in prepared if condition.is_about(one.label)]
        if condition.name in KINDS and not any(one.metric.verdicts for one in about):
            raise ConfigError(
                f"{shown}: {', '.join(one.label for one in about)} gives no verdict; give a "
                "condition on its value, or calibrate it"
            )
        if condition.name == PROBABILITY and not any(map(_may_give_probability, about)):
            raise ConfigError(
                f"{shown}: {', '.join(one.label for one in about)} gives no probability; give a "
                "condition on its value, or calibrate it"
            )
        if condition.name == MARKS and not any(one.metric.marks_words for one in about):
            raise ConfigError(
                f"{shown}: {', '.join(one.label for one in about)} marks no unsupported words; "
                "give a condition on its value"
            )
        if condition.name == VALUE:
            for one in about:
                _check_bounds(shown, condition.limit, one)


def conditions_on(metric: Metric, baseline: bool) -> set[str]:
    """The names that a condition on this metric's rows may have, the parts of its scores not
    counted."""
    names = {*COUNTED, VALUE, PROBABILITY, MARKS}
    if not metric.verdicts:
        names -= {*KINDS, PROBABILITY}
    if not metric.marks_words:
        names.remove(MARKS)
    if not baseline:
        names.remove(NEWLY_FAILING)
    return names


def _may_give_probability(scorer: Prepared) -> bool:
    """Whether rows may have a probability: with a verdict, or as a part of a user's metric."""
    return scorer.metric.verdicts or "code" in scorer.signature.options


def _check_bounds(shown: str, limit: float, scorer: Prepared) -> None:
    low, high = scorer.metric.bounds
    if not low <= limit <= high:
        hint = f"; did you mean {limit / 100:g}?" if low <= limit / 100 <= high < limit else ""
        raise ConfigError(f"{shown}: the bounds of {scorer.label} are {low:g} to {high:g}{hint}")


def number_of(score: Score, name: str, unit: str) -> float | None:
    """The number of a row that a condition names; None if the row has none."""
    if name == VALUE:
        return score.value
    if name == PROBABILITY:
        return probability_of(score, unit)
    if name == MARKS:
        return count_of_marks(score)
    return score.parts.get(name)


def is_named(score: Score, condition: Condition) -> bool:
    """Whether a row is one of those for which a condition about a kind of rows fails: one of the
    kind, or, where too few are of it, one that is not. Of a verdict's rows those with a value."""
    of_kind = is_of_kind(score, condition.name)
    if not condition.lower_bound:
        return of_kind
    return not of_kind and (condition.name not in KINDS or score.value is not None)


def is_of_kind(score: Score, name: str) -> bool:
    """Whether a row is one of this kind, of those that a score says by itself."""
    if name in KINDS:
        return verdict_of(score.parts) == KINDS[name]
    return score.value is None if name == UNSCORED else str(score.outcome) == name
