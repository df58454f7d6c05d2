"""A stress suite in one file: the last point becomes an exclamation mark."""

from __future__ import annotations

from collections.abc import Sequence

from faithkit.records import JSON, Example
from faithkit.stress.suites.base import (
    FAILS,
    PASSES,
    Case,
    CaseValues,
    Figures,
    Judgement,
    Rule,
    Suite,
    change_of,
    interval,
    value_of,
)
from faithkit.stress.suites.choosing import consistent, ordered
from faithkit.stress.suites.figures import figure

NAME = "exclamation"


def cases(examples: Sequence[Example], *, seed: int, limit: int | None) -> list[Case]:
    return [
        Case(
            id=example.id,
            suite=NAME,
            kind="mark",
            document=example.document,
            texts={
                "before": (example.source, example.summary),
                "after": (example.source, example.summary.removesuffix(".") + "!"),
            },
        )
        for example in ordered(consistent(examples), seed)[:limit]
    ]


def summarise(cases: Sequence[Case], values: Sequence[CaseValues]) -> dict[str, JSON]:
    changes = [change_of(of_case) for of_case in values]
    return {"figures": [figure("mark", "mean change", changes, [c.document for c in cases])]}


def stays(figures: Figures) -> list[Judgement]:
    return [
        (PASSES if value_of(row) == 0 else FAILS, f"An exclamation mark: {interval(row)}.")
        for row in figures.each("mean change")
    ]


def moved(_case: Case, values: CaseValues) -> float | None:
    change = change_of(values)
    return abs(change) if change else None


SUITE = Suite(
    name=NAME,
    title="Exclamation marks",
    about="The last point becomes an exclamation mark, which changes nothing.",
    cases=cases,
    summarise=summarise,
    rules=(Rule("an exclamation mark does not move it", "the mean change is 0", stays, moved),),
)
