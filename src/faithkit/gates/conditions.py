"""The conditions of `--fail-if`: `not_consistent > 40%`, `value < .5`, `support value < .5`.

A condition is about single rows (`value < .5`: every row for which it is true fails) or about the
number of rows of a kind (`not_consistent > 40%`, `consistent < 50%`, `unscored > 3`). There are no
conditions about a mean, which would hide the rows that are wrong.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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
"""Kinds of rows by verdict: the name in a condition to the name in a score."""

COUNTED = {*KINDS, UNSCORED, NEWLY_FAILING, *(str(o) for o in Outcome if o is not Outcome.OK)}

VALUE, PROBABILITY, MARKS = "value", "probability", "marks"
"""Numbers of a row that a condition can name, besides the parts of its score."""

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_PRINTED = re.compile(
    rf"\b(?:{'|'.join(name.replace('_', ' ') for name in sorted(COUNTED))})(?=\s*[<>])"
)
_FORM = re.compile(
    r"(?:(?P<metric>[^\s<>][^<>]*?)\s+)?(?P<name>[^\s<>=%]+)\s*(?P<operator><=|>=|<|>)\s*"
    r"(?P<limit>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?P<percent>%?)"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition under which a run fails.

    text     the condition as the user wrote it
    metric   the label of its metric; None: every metric to which it applies
    name     a kind of rows (`COUNTED`), or a number of each row: `value`, `probability`, `marks`
             (the number of spans that are marked as unsupported), or the name of a part
    limit    the limit of the number; for a kind of rows, their number, or with `percent` their
             percentage
    """

    text: str
    metric: str | None
    name: str
    operator: str
    limit: float
    percent: bool

    @property
    def counts(self) -> bool:
        """Whether the condition is about the number of rows of a kind."""
        return self.name in COUNTED

    @property
    def lower_bound(self) -> bool:
        """Whether too few rows of a kind are a failure."""
        return self.counts and self.operator in ("<", "<=")

    def holds(self, value: float) -> bool:
        """Whether the condition is true of a number, which is a failure."""
        return _OPERATORS[self.operator](value, self.limit)

    def exceeded(self, count: int, rows: int) -> bool:
        """Whether `count` rows of a kind among `rows` rows are a failure."""
        return self.holds(100 * count / rows if self.percent and rows else float(count))

    def is_about(self, label: str) -> bool:
        """Whether the condition applies to the metric with this label."""
        return self.metric is None or self.metric == label


def parse(text: str) -> Condition:
    """Parses a condition. Raises ConfigError if the text is not a valid one."""
    match = _FORM.fullmatch(_printed(text.strip()))
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
        reason = "% is for kinds of rows."
        if near := nearest(condition.name, COUNTED):
            reason = f"there is no kind of rows '{condition.name}'. Did you mean '{near}'?"
        raise ConfigError(f"--fail-if '{text}': {reason} Kinds: {', '.join(sorted(COUNTED))}.")
    if condition.counts:
        _check_count(condition)
    return condition


def _printed(text: str) -> str:
    """A condition with the name of a verdict as it is printed, "not consistent", or of a kind of
    rows with a blank for the line below, in the form of a name."""
    return _PRINTED.sub(lambda match: match.group().replace(" ", "_"), text)


def _check_count(condition: Condition) -> None:
    """Raises ConfigError if the limit is not a number or percentage of rows, or can never be
    exceeded."""
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
    """Raises ConfigError if a condition can never be true of these metrics, or needs a baseline and
    there is none. baseline: whether there is one."""
    labels = [scorer.label for scorer in prepared]
    for condition in conditions:
        shown = f"--fail-if '{condition.text}'"
        if condition.metric is not None and condition.metric not in labels:
            raise ConfigError(
                f"{shown} names '{condition.metric}'.{did_you_mean(condition.metric, labels)}"
            )
        if condition.name == NEWLY_FAILING and not baseline:
            raise ConfigError(f"{shown}: rows fail newly where there is a --baseline")
        scorers = [scorer for scorer in prepared if condition.is_about(scorer.label)]
        names = ", ".join(scorer.label for scorer in scorers)
        if condition.name in KINDS and not any(scorer.gives_verdicts for scorer in scorers):
            raise ConfigError(
                f"{shown}: {names} gives no verdict; give a condition on its value, or calibrate it"
            )
        if condition.name == PROBABILITY and not any(map(_may_give_probability, scorers)):
            raise ConfigError(
                f"{shown}: {names} gives no probability; give a condition on its value, or "
                "calibrate it"
            )
        if condition.name == MARKS and not any(scorer.metric.marks_words for scorer in scorers):
            raise ConfigError(
                f"{shown}: {names} marks no unsupported words; give a condition on its value"
            )
        if condition.name == VALUE:
            for scorer in scorers:
                _check_bounds(shown, condition.limit, scorer)


def conditions_on(scorer: Prepared, baseline: bool) -> set[str]:
    """The names that a condition on this metric's rows may have, the parts of its scores not
    counted."""
    names = {*COUNTED, VALUE, PROBABILITY, MARKS}
    if not scorer.gives_verdicts:
        names -= {*KINDS, PROBABILITY}
    if not scorer.metric.marks_words:
        names.remove(MARKS)
    if not baseline:
        names.remove(NEWLY_FAILING)
    return names


def _may_give_probability(scorer: Prepared) -> bool:
    """Whether rows may have a probability: with a verdict, or as a part of a user's metric."""
    return scorer.gives_verdicts or "code" in scorer.signature.options


def _check_bounds(shown: str, limit: float, scorer: Prepared) -> None:
    """Raises ConfigError if the limit is outside the metric's bounds. shown: begins the message."""
    low, high = scorer.metric.bounds
    if not low <= limit <= high:
        hint = f"; did you mean {limit / 100:g}?" if low <= limit / 100 <= high < limit else ""
        raise ConfigError(f"{shown}: the bounds of {scorer.label} are {low:g} to {high:g}{hint}")


def number_of(score: Score, name: str, unit: str) -> float | None:
    """The number of a row with this name; None if the row has none. unit: of the metric's value."""
    if name == VALUE:
        return score.value
    if name == PROBABILITY:
        return probability_of(score, unit)
    if name == MARKS:
        return count_of_marks(score)
    return score.parts.get(name)


def is_named(score: Score, condition: Condition) -> bool:
    """Whether a row contributes to the failure of a condition about a kind of rows: it is of the
    kind, or, if too few rows are a failure, it is not. For the kind of a verdict, only rows with a
    value contribute in the latter case."""
    of_kind = is_of_kind(score, condition.name)
    if not condition.lower_bound:
        return of_kind
    return not of_kind and (condition.name not in KINDS or score.value is not None)


def is_of_kind(score: Score, name: str) -> bool:
    """Whether a row is of a kind that can be seen from its score alone: not `newly_failing`."""
    if name in KINDS:
        return verdict_of(score.parts) == KINDS[name]
    return score.value is None if name == UNSCORED else str(score.outcome) == name
