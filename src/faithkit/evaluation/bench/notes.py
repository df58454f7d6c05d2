"""Explanations of missing numbers and tables: one line each, for the screen and results.md.

Every rule by which `statistics.py` and `predictions.py` leave something out has its line here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from faithkit import meta
from faithkit.evaluation.bench.predictions import Prediction
from faithkit.evaluation.bench.statistics import (
    ERRORS,
    BenchSettings,
    Figure,
    headline,
    no_errors,
    no_systems,
    one_label,
    subsets,
)
from faithkit.evaluation.bench.thresholds import Margins, ranked_scores
from faithkit.evaluation.judged import JudgedTable
from faithkit.evaluation.markdown import shortened

CHANCE = 0.5
"""The AUC of a metric that knows nothing."""

LABELS = ("inconsistent", "consistent")
Decided = Mapping[tuple[str, str], Margins]


def notes(
    table: JudgedTable,
    figures: Sequence[Figure],
    predictions: Sequence[Prediction],
    decided: Decided,
    words: Mapping[str, str],
    settings: BenchSettings,
    *,
    systems: bool = True,
) -> list[str]:
    """The lines of one dataset.

    figures, predictions  of any datasets
    words                 of `thresholds.margins`
    systems               whether correlations by system are shown
    """
    lines = [*table.notes]
    if not table.columns:
        return [*lines, "no metric has values on this set"]
    if headline(table) is None:
        lines.append("this set allows figures by type of error only; there is no headline figure")
    lines += _unjudged(table)
    if systems and "rating" in table.tasks and (reason := no_systems(table)):
        lines.append(f"no correlation by system: {reason}")
    if "ranking" in table.tasks:
        lines += _ranking(table)
    if "detection" in table.tasks:
        lines += _detection(table, decided, words)
    if "error_types" in table.tasks:
        lines += _errors(table, figures, settings)
    lines += [
        f"over- and under-prediction of {prediction.metric} on the raw scale: {reason}"
        + (
            "; give the ratings' range with --rating-scale LOW,HIGH"
            if reason.startswith("the ratings") else ""
        )
        for prediction in predictions
        if prediction.dataset == table.name and (reason := prediction.raw.reason)
    ]  # fmt: skip
    unknown = [label for label, column in table.columns.items() if column.trained_on is None]
    if unknown:
        lines.append(
            f"what {', '.join(unknown)} was trained on is not known: the scores came without the "
            "manifest of their run, or it does not say"
        )
    return lines


def comparison_notes(tables: Sequence[JudgedTable]) -> list[str]:
    """The datasets that --compare has no figure for."""
    return [
        f"{table.name}: not compared; it allows figures by type of error only"
        for table in tables
        if headline(table) is None
    ]


def interval_notes(figures: Sequence[Figure]) -> list[str]:
    """Why figures of one dataset have a value and no interval: a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for figure in figures:
        if reason := figure.estimate.get("interval_reason"):
            name = " ".join(filter(None, (figure.metric, figure.statistic, figure.part)))
            by_reason.setdefault(reason, []).append(name)
    return [f"no interval ({reason}): {shortened(names)}" for reason, names in by_reason.items()]


def inverted_notes(figures: Sequence[Figure]) -> list[str]:
    """A hint where an AUC on a whole dataset suggests that its labels mean the opposite; where
    another metric ranks rows as they do, they hardly can. Rows that count as wrong pull an AUC
    down whatever the labels mean."""
    whole = [
        f
        for f in figures
        if f.statistic == "auc" and not f.part and f.value is not None and not f.counted_wrong
    ]
    names = [f.metric for f in whole if meta.looks_inverted(f.value, f.estimate.get("high"))]
    if not names:
        return []
    agreeing = [f.metric for f in whole if f.value is not None and f.value > CHANCE]
    if agreeing:
        return [
            f"{', '.join(names)} ranks rows against the labels, {', '.join(agreeing)} with them"
        ]
    return [
        f"the labels look inverted to {', '.join(names)}: a label of 1 means consistent, 0 not; "
        "--labels 1=0,0=1 reads a file whose labels mean the opposite"
    ]


def _unjudged(table: JudgedTable) -> list[str]:
    lines = []
    without_label = sum(label is None for label in table.labels)
    for task, what, missing in (
        ("rating", "rating", sum(rating is None for rating in table.ratings)),
        ("detection", "label", without_label),
        ("ranking", "label", without_label),
    ):
        line = f"{missing} of {len(table.rows)} rows have no {what} and are left out"
        if task in table.tasks and missing and line not in lines:
            lines.append(line)
    return lines


def _ranking(table: JudgedTable) -> list[str]:
    """The pairs that are left out, and the share of all pairs with these as wrong."""
    lines = []
    within = [row.ranked_within for row in table.rows]
    for label, column in table.columns.items():
        counts = meta.ranking_counts(ranked_scores(table, column).values, table.labels, within)
        if counts.unscored_pairs:
            every = counts.pairs + counts.unscored_pairs
            lines.append(
                f"ranking by {label}: {counts.unscored_pairs} of {every} pairs have a row without "
                f"a score and are left out; with them as wrong, {counts.right / every:.1%} of all "
                "pairs are ranked right"
            )
    return lines


def _detection(table: JudgedTable, decided: Decided, words: Mapping[str, str]) -> list[str]:
    lines = []
    if outside := sum(table.of_rows("outside")):
        lines.append(
            f"{outside} of {len(table.rows)} rows are of no era (no summariser wrote them, or none "
            "that AggreFact dates): they count for the whole set, and in no part, average by part "
            "or choice of a threshold"
        )
    parts = subsets(table)
    rows = zip(table.of_rows("subset"), table.of_rows("outside"), strict=True)
    of_no_part = sum(not subset and not is_outside for subset, is_outside in rows)
    if parts and of_no_part:
        lines.append(f"{of_no_part} rows belong to no part and are in no table or average by part")
    lines.append(f"balanced accuracy, thresholds: {words[table.name]}")
    margins = {label: decided[table.name, label] for label in table.columns}
    tested = next(iter(margins.values())).tested
    for name, numbers in (("AUC", np.arange(len(table.rows))), ("balanced accuracy", tested)):
        single = one_label(table, numbers) if parts else {}
        if single:
            shown = ", ".join(f"{part} (all {LABELS[label]})" for part, label in single.items())
            lines.append(
                f"{name}: parts of one label have no figure and are in no average: {shown}"
            )
    for label, margin in margins.items():
        if margin.reason:
            lines.append(f"balanced accuracy of {label}: {margin.reason}")
        if margin.wrong:
            by_reason = sorted(margin.counted_wrong(tested).items())
            counts = ", ".join(f"{n} {why}" for why, n in by_reason)
            lines.append(
                f"balanced accuracy of {label}: {len(margin.wrong)} of {len(tested)} rows "
                f"without a verdict count as wrong ({counts})"
            )
    return lines


def _errors(table: JudgedTable, figures: Sequence[Figure], settings: BenchSettings) -> list[str]:
    if reason := no_errors(table):
        return [f"no figure by type of error: {reason}"]
    lines = []
    first = next(iter(table.columns))
    for statistic in ERRORS:
        fewer = [
            f"{f.part} ({f.estimate['available']})"
            for f in figures
            if (f.dataset, f.metric, f.statistic) == (table.name, first, statistic)
            and f.estimate["fewer"]
        ]
        if fewer:
            lines.append(
                f"{statistic}: fewer than {settings.error_cases} error cases, so all of them once: "
                + ", ".join(fewer)
            )
    return lines
