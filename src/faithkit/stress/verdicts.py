"""When does a metric pass? The rules of all suites, applied to figures, and the cases that fail.

No rule passes or fails on figures of fewer than 10 documents, but one that a single case breaks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from faithkit.records import JSON
from faithkit.stress.suites import SUITES, edits, load
from faithkit.stress.suites.base import Case, CaseValues, Figure, Figures

WORST = 3
"""Cases shown for each rule."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a rule for a metric: `verdict` passes, fails or undetermined; `words` why."""

    suite: str
    rule: str
    verdict: str
    words: str


def judge(suites: Mapping[str, Mapping[str, JSON]]) -> list[Finding]:
    """The findings of all rules for one metric, in the order of the page.

    suites  suite to what its `summarise` returned
    """
    return [
        Finding(name, rule.name, *judgement)
        for name in SUITES
        if name in suites
        for rule in load(name).rules
        for judgement in rule.judge(
            Figures(_rows(suites[name], "figures"), _rows(suites[name], "phrases"))
        )
    ]


def _rows(summary: Mapping[str, JSON], key: str) -> list[Figure]:
    rows = summary.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def worst(
    suite: str, cases: Sequence[Case], values: Sequence[CaseValues]
) -> list[tuple[str, list[tuple[int, float]]]]:
    """For each rule of a suite, the indices of at most three cases of different documents that
    break it most, with the size of the violation."""
    judged = {"", edits.judged_member(case.kind for case in cases)}
    by_rule = []
    for rule in load(suite).rules:
        broken = [
            (badness, index)
            for index, (case, case_values) in enumerate(zip(cases, values, strict=True))
            if edits.member_of(case.kind) in judged
            and (badness := rule.badness(case, case_values)) is not None
        ]
        chosen: dict[str, tuple[int, float]] = {}
        for badness, index in sorted(broken, key=lambda item: (-item[0], item[1])):
            if len(chosen) < WORST:
                chosen.setdefault(cases[index].document, (index, badness))
        if chosen:
            by_rule.append((rule.name, list(chosen.values())))
    return by_rule
