"""What a suite declares: cases with a known answer, figures of a metric's values, and rules of pass
and fail on these figures.

A suite is a file that names a `Suite` SUITE, and a line of the table in `suites/__init__.py`. Cases
are scored in `stress/scores.py`, rules applied in `stress/verdicts.py`, figures shown in
`stress/page.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from faithkit.meta.bootstrap import CONSTANT, too_few
from faithkit.records import JSON, DataError, Example

PASSES, FAILS, UNDETERMINED = "passes", "fails", "undetermined"

RISE = 1e-6
"""A change counts from here on: metrics promise the same value in every batch up to this."""

Pair = tuple[str, str]
"""A source and a summary."""

CaseValues = Mapping[str, float | None]
"""A metric's value of a case under each condition, None where it has none."""

Figure = Mapping[str, JSON]
"""A number with its interval, as `figures.figure` makes it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One comparison within one metric.

    id        unique in its suite and the same in every run
    suite     the suite's name
    kind      what was done, for example "correction" or "shuffled sentences"
    document  the source document's identity, which the bootstrap resamples
    texts     condition to (source, summary): {"before", "after"} of an edit, {"a", "b", "c", "d"}
              of the four conditions with and without a counterfactual source, {"row"} of one row
    label     1 consistent, 0 not, where the suite needs it
    note      what the page shows beside it, for example the words that were exchanged
    """

    id: str
    suite: str
    kind: str
    document: str
    texts: Mapping[str, Pair]
    label: int | None = None
    note: str = ""


Judgement = tuple[str, str]
"""PASSES, FAILS or UNDETERMINED, and why in words."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one suite and metric, looked up by kind and statistic.

    phrases  the figures of single phrases, of the suite gaming
    """

    rows: Sequence[Figure]
    phrases: Sequence[Figure] = ()

    def get(self, kind: str, statistic: str) -> Figure | None:
        """The figure; None if it is absent or has no value."""
        for row in self.each(statistic):
            if row["kind"] == kind:
                return row
        return None

    def each(self, statistic: str) -> list[Figure]:
        return [r for r in self.rows if r["statistic"] == statistic and r["value"] is not None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that a good metric does.

    name     what it does
    passes   when that is so, literally
    judge    the judgements on the figures; none where the suite has no figure for it
    badness  how far one case breaks it, None where it does not; the worst cases are shown
    """

    name: str
    passes: str
    judge: Callable[[Figures], list[Judgement]]
    badness: Callable[[Case, CaseValues], float | None]


class MakeCases(Protocol):
    """The cases of a suite, see `Suite.cases`."""

    def __call__(
        self, examples: Sequence[Example], *, seed: int, limit: int | None
    ) -> list[Case]: ...


class Summarise(Protocol):
    """The figures of a suite, see `Suite.summarise`."""

    def __call__(
        self, cases: Sequence[Case], values: Sequence[CaseValues]
    ) -> Mapping[str, JSON]: ...


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite of stress tests.

    name        as `--suite` names it
    title       of its section of the page, and `about`, what it asks
    cases       the cases that can be made from examples, at most `limit` of each kind. Raises
                DataError where the rows cannot be used
    summarise   {"figures": [...]} of cases and a metric's values; further keys are kept in the
                summary
    rules       in the order of the page
    plotted     the statistics that its plot shows, and `dotted`, what the plot's dotted line is
    """

    name: str
    title: str
    about: str
    cases: MakeCases
    summarise: Summarise
    rules: Sequence[Rule]
    plotted: Sequence[str] = ("mean change",)
    dotted: str = "no change"


# Reading figures


def real(value: JSON) -> float:
    """The number that a figure holds. Raises DataError on anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataError(f"a figure of a suite should be a number, found {value!r}")
    return float(value)


def number(value: JSON, *, sign: bool = True, places: int = 3) -> str:
    """The number with a proper minus sign and, for a change, a plus; without a sign if it rounds to
    0."""
    signed = real(value)
    text = f"{abs(signed):.{places}f}"
    if float(text) == 0:
        return text
    return ("−" if signed < 0 else "+" if sign else "") + text


def interval(row: Figure, *, sign: bool = True) -> str:
    """`+0.120 [+0.100, +0.140]`, or the value alone; with five places where three would hide on
    which side of 0 a number is."""
    values = [real(row[key]) for key in ("value", "low", "high") if row.get(key) is not None]
    places = 5 if any(RISE < abs(value) < 0.0005 for value in values) else 3
    shown = [number(value, sign=sign, places=places) for value in values]
    return f"{shown[0]} [{shown[1]}, {shown[2]}]" if len(shown) == 3 else shown[0]


def percent(value: JSON) -> str:
    share = real(value)
    return "under 1%" if 0 < share < 0.01 else f"{100 * share:.0f}%"


def value_of(row: Figure) -> float:
    return real(row["value"])


def lacking(row: Figure) -> str | None:
    """Why a figure has no value or no interval; None if it has both, or is the same in all
    resamples (no case changes, say)."""
    reason = row.get("reason") or row.get("interval_reason")
    return None if reason is None or str(reason).startswith(CONSTANT) else str(reason)


Ends = tuple[float, float]


def ends_of(row: Figure) -> Ends | str:
    """The ends of the interval, or why it has none; where all resamples give the value, it is
    both ends."""
    if reason := lacking(row):
        return reason
    low, high = (row["value"] if row[key] is None else row[key] for key in ("low", "high"))
    return real(low), real(high)


def few_documents(row: Figure) -> str | None:
    """Why a figure that is judged by its value is of too few documents; None if it is not."""
    return too_few(int(real(row["groups"])))


def because(reason: str | None) -> str:
    return f" ({reason})" if reason else ""


def capitalised(text: JSON) -> str:
    return str(text)[:1].upper() + str(text)[1:]


def above_zero(ends: Ends) -> bool:
    return ends[0] > RISE


def holds_zero(ends: Ends) -> bool:
    return ends[0] <= RISE and ends[1] >= -RISE


def judge_rate(row: Figure, most: float, words: str) -> Judgement:
    """Whether a share is at most `most`, which as few as nine documents cannot tell from 0."""
    if few := few_documents(row):
        return UNDETERMINED, f"{words} ({few})."
    return PASSES if value_of(row) <= most else FAILS, f"{words}."


def change_of(values: CaseValues, before: str = "before", after: str = "after") -> float | None:
    """The value under one condition minus that under another; None if either is missing."""
    first, second = values.get(before), values.get(after)
    return None if first is None or second is None else second - first


Scored = Sequence[tuple[Case, CaseValues]]
"""Cases with a metric's values."""


def by_kind(cases: Sequence[Case], values: Sequence[CaseValues]) -> dict[str, Scored]:
    """Cases with their values by kind, kinds and cases in order."""
    groups: dict[str, list[tuple[Case, CaseValues]]] = {}
    for scored in zip(cases, values, strict=True):
        groups.setdefault(scored[0].kind, []).append(scored)
    return dict(groups)


def never(_case: Case, _values: CaseValues) -> float | None:
    """The badness of a rule that no single case breaks."""
    return None
