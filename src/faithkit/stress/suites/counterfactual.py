"""Does a metric judge by the source, or by what it knows? [STRESS §3.4]

Four conditions of each item: (a) factual source and its claim; (b) counterfactual source and its
claim; (c) factual source, counterfactual claim; (d) counterfactual source, factual claim. (a) and
(b) are supported alike, so (a - c) should equal (b - d).

Items come from ConflictBank's layout, or are made: names, numbers and dates of a consistent summary
are exchanged in it and in its source by one map (`substitution.py`). Nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from faithkit.meta.bootstrap import too_few
from faithkit.records import JSON, DataError, Example
from faithkit.stress.suites.base import (
    FAILS,
    PASSES,
    RISE,
    UNDETERMINED,
    Case,
    CaseValues,
    Figures,
    Judgement,
    Pair,
    Rule,
    Scored,
    Suite,
    above_zero,
    because,
    by_kind,
    capitalised,
    ends_of,
    holds_zero,
    interval,
    judge_rate,
    percent,
    real,
    value_of,
)
from faithkit.stress.suites.choosing import SCANNED, chance, consistent, distinct, ordered
from faithkit.stress.suites.figures import figure
from faithkit.stress.suites.substitution import substitute, substitution

NAME = "counterfactual"
CONDITIONS = ("a", "b", "c", "d")
SUPPORTED, OTHERWISE = "mean (a - c)", "mean (b - d)"
BETWEEN = "mean (a - c) - (b - d)"
"""The differences of conditions that the figures and rules name."""

MADE = "made from the source"
"""The kind of cases that are made; those of ConflictBank are named after its kinds of conflict."""


def cases(examples: Sequence[Example], *, seed: int, limit: int | None) -> list[Case]:
    """At most `limit` items of each kind: the four conditions that examples name in `meta` (with
    the pair they belong to), or else items made from the consistent summaries."""
    annotated = [example for example in examples if example.meta.get("condition") in CONDITIONS]
    if annotated:
        return _annotated_cases(annotated, seed, limit)
    return _generated_cases(examples, seed, limit)


def _annotated_cases(examples: Sequence[Example], seed: int, limit: int | None) -> list[Case]:
    pairs: dict[str, dict[str, Example]] = {}
    for example in ordered(examples, seed):
        if example.pair is None:
            raise DataError(f"row '{example.id}' has a condition but no pair that it belongs to")
        pairs.setdefault(example.pair, {})[example.meta["condition"]] = example
    made: dict[str, list[Case]] = {}
    for pair, rows in pairs.items():
        if len(rows) < len(CONDITIONS):
            continue
        kind = str(rows["a"].meta.get("split") or NAME)
        texts = {name: (rows[name].source, rows[name].summary) for name in CONDITIONS}
        of_kind = made.setdefault(kind, [])
        if limit is None or len(of_kind) < limit:
            of_kind.append(Case(f"{kind}/{pair}", NAME, kind, rows["a"].document, texts))
    return [case for of_kind in made.values() for case in of_kind]


def _generated_cases(examples: Sequence[Example], seed: int, limit: int | None) -> list[Case]:
    made: list[Case] = []
    rows = distinct(ordered(consistent(examples), seed))
    for example in rows if limit is None else rows[: SCANNED * limit]:
        if limit is not None and len(made) >= limit:
            break
        exchanged = substitution(example.source, example.summary, chance(seed, MADE, example))
        if not exchanged:
            continue
        source, claim = (substitute(text, exchanged) for text in (example.source, example.summary))
        texts: dict[str, Pair] = {
            "a": (example.source, example.summary),
            "b": (source, claim),
            "c": (example.source, claim),
            "d": (source, example.summary),
        }
        note = "; ".join(f"{old} → {new}" for old, new in exchanged.items())
        made.append(Case(f"{MADE}/{example.id}", NAME, MADE, example.document, texts, note=note))
    return made


# Figures


def summarise(cases: Sequence[Case], values: Sequence[CaseValues]) -> dict[str, JSON]:
    """Of every kind, over the items with all four values: the means of (a) to (d), of (a - c) and
    (b - d) and of their difference, with intervals by document; the paired t-test of the difference
    over documents (each document's mean) and Cohen's d (mean over standard deviation of the same);
    the inversion rates d > b and c > a (by more than 1e-6); and the share of items left out."""
    groups = by_kind(cases, values)
    return {"figures": [row for kind, scored in groups.items() for row in _figures(kind, scored)]}


def _figures(kind: str, scored: Scored) -> list[JSON]:
    complete = [
        (case.document, four) for case, values in scored if (four := _four(values)) is not None
    ]
    documents, items = [document for document, _ in complete], [four for _, four in complete]
    differences = [a - c - b + d for a, b, c, d in items]
    shown: dict[str, list[float]] = {
        **{f"mean value ({name})": [four[index] for four in items]
           for index, name in enumerate(CONDITIONS)},
        SUPPORTED: [a - c for a, _, c, _ in items],
        OTHERWISE: [b - d for _, b, _, d in items],
        BETWEEN: differences,
        "inversions d > b": [float(d > b + RISE) for _, b, _, d in items],
        "inversions c > a": [float(c > a + RISE) for a, _, c, _ in items],
    }  # fmt: skip
    rows: list[JSON] = [figure(kind, name, column, documents) for name, column in shown.items()]
    rows += _tests(kind, differences, documents)
    missing = [float(_four(values) is None) for _, values in scored]
    every = [case.document for case, _ in scored]
    rows.append(figure(kind, "share without a value", missing, every))
    return rows


def _tests(kind: str, differences: Sequence[float], documents: Sequence[str]) -> list[JSON]:
    """t, p and Cohen's d of the documents' mean differences against 0; none of them on fewer than
    10 documents."""
    from scipy.stats import ttest_1samp

    by_document: dict[str, list[float]] = {}
    for difference, document in zip(differences, documents, strict=True):
        by_document.setdefault(document, []).append(difference)
    means = np.array([sum(column) / len(column) for column in by_document.values()])
    spread = float(means.std(ddof=1)) if len(means) > 1 else 0.0
    reason: str | None = None
    statistics: dict[str, float | None] = {"t": None, "p": None, "Cohen's d": None}
    if few := too_few(len(means)):
        reason = few
    elif spread <= RISE:
        reason = "the difference is the same in every document"
    else:
        test = ttest_1samp(means, 0.0)
        statistics = {"t": float(test.statistic), "p": float(test.pvalue),
                      "Cohen's d": float(means.mean()) / spread}  # fmt: skip
    return [
        {"kind": kind, "statistic": name, "value": value, "n": len(means), "reason": reason}
        for name, value in statistics.items()
    ]


# Rules

INVERTED = {
    "inversions d > b": "with a counterfactual source",
    "inversions c > a": "with a true one",
}
MOST_INVERTED = 0.1
"""The share of items in which the claim that the source denies may score higher."""

SMALL_SHARE = 0.2
"""What is true in the world may make this share of the difference that the source makes."""


def _source_decides(figures: Figures) -> list[Judgement]:
    judgements: list[Judgement] = []
    for kind in dict.fromkeys(str(row["kind"]) for row in figures.rows):
        rows = [row for name in (SUPPORTED, OTHERWISE) if (row := figures.get(kind, name))]
        if len(rows) < 2:
            continue
        words = (f"{capitalised(kind)}: the claim that the source supports is ahead of the other "
                 f"by {interval(rows[0])} with a true source, by {interval(rows[1])} with a "
                 "counterfactual one")  # fmt: skip
        ends = [ends_of(row) for row in rows]
        reasons = [of_row for of_row in ends if isinstance(of_row, str)]
        passes = all(not isinstance(of_row, str) and above_zero(of_row) for of_row in ends)
        verdict = UNDETERMINED if reasons else PASSES if passes else FAILS
        judgements.append((verdict, f"{words}{because(reasons[0] if reasons else None)}."))
    return judgements


def _knows_nothing(figures: Figures) -> list[Judgement]:
    judgements: list[Judgement] = []
    for row in figures.each(BETWEEN):
        kind = str(row["kind"])
        scale = figures.get(kind, SUPPORTED)
        ends = ends_of(row)
        words = (f"{capitalised(kind)}: being true in the world makes a difference of "
                 f"{interval(row)} to that")  # fmt: skip
        if scale is None or isinstance(ends, str):
            reason = ends if isinstance(ends, str) else None
            judgements.append((UNDETERMINED, f"{words}{because(reason)}."))
            continue
        test = figures.get(kind, "p")
        shown = "" if test is None else f", paired t-test p = {real(test['value']):.3f}"
        small = abs(value_of(row)) <= SMALL_SHARE * abs(value_of(scale))
        judgements.append((PASSES if holds_zero(ends) or small else FAILS, f"{words}{shown}."))
    return judgements


def _inversions(figures: Figures) -> list[Judgement]:
    return [
        judge_rate(
            row,
            MOST_INVERTED,
            f"{capitalised(row['kind'])}: {conditions}, the claim that it denies scores higher in "
            f"{percent(row['value'])} of items",
        )
        for statistic, conditions in INVERTED.items()
        for row in figures.each(statistic)
    ]


def _four(values: CaseValues) -> tuple[float, float, float, float] | None:
    a, b, c, d = (values.get(name) for name in "abcd")
    return None if a is None or b is None or c is None or d is None else (a, b, c, d)


def _inverted(_case: Case, values: CaseValues) -> float | None:
    if (four := _four(values)) is None:
        return None
    a, b, c, d = four
    most = max(c - a, d - b)
    return most if most > RISE else None


def _leans_on_knowledge(_case: Case, values: CaseValues) -> float | None:
    if (four := _four(values)) is None:
        return None
    a, b, c, d = four
    most = abs(a - c - b + d)
    return most if most > RISE else None


RULES: tuple[Rule, ...] = (
    Rule("the source decides",
         "the intervals of (a - c) and of (b - d) lie above 0: a true source with its claim less "
         "with the other claim, and a counterfactual one likewise",
         _source_decides, _inverted),
    Rule("what is true in the world does not show",
         "the interval of (a - c) - (b - d) holds 0, or it is at most a fifth of (a - c), up or "
         "down",
         _knows_nothing, _leans_on_knowledge),
    Rule("the claim that the source denies is seldom ahead",
         "d > b in at most 10% of items, and c > a in at most 10%",
         _inversions, _inverted),
)  # fmt: skip


SUITE = Suite(
    name=NAME,
    title="What the model knows already",
    about=(
        "The same claim against a source that says so and one that says otherwise: "
        "(a) a true source and the claim it supports, (c) the same source and the "
        "claim it denies; (b) and (d) likewise with a counterfactual source. The "
        "source should decide, not what is true in the world: a above c, b above d, "
        "and as far."
    ),
    cases=cases,
    summarise=summarise,
    rules=RULES,
    plotted=(SUPPORTED, OTHERWISE, BETWEEN),
    dotted="no difference",
)  # fmt: skip
