"""Why a number or a table is not there, in words: one line each, for the screen and results.md.

Every rule by which `statistics.py` and `predictions.py` leave something out has its line here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from faithkit import meta
from faithkit.evaluation.bench.columns import Table
from faithkit.evaluation.bench.predictions import Prediction
from faithkit.evaluation.bench.statistics import (
    ERRORS,
    Figure,
    Settings,
    headline,
    no_errors,
    no_systems,
    one_label,
    subsets,
)
from faithkit.evaluation.bench.thresholds import Margins

LABELS = ("inconsistent", "consistent")
Decided = Mapping[tuple[str, str], Margins]


def notes(
    table: Table,
    figures: Sequence[Figure],
    found: Sequence[Prediction],
    decided: Decided,
    words: Mapping[str, str],
    settings: Settings,
) -> list[str]:
    """The lines of one dataset. figures, found: of any datasets; words: of `thresholds.margins`."""
    lines = [*table.notes]
    if not table.columns:
        return [*lines, "no metric has values on this set"]
    if headline(table) is None:
        lines.append("this set allows figures by type of error only; there is no headline figure")
    lines += _unjudged(table)
    if "rating" in table.tasks and (reason := no_systems(table)):
        lines.append(f"no correlation by system: {reason}")
    if "detection" in table.tasks:
        lines += _detection(table, decided, words)
    if "error_types" in table.tasks:
        lines += _errors(table, figures, settings)
    lines += [
        f"over- and under-prediction of {one.metric} on the raw scale: {one.raw.reason}"
        + (
            "; give the ratings' range with --rating-scale LOW,HIGH"
            if one.raw.reason and one.raw.reason.startswith("the ratings") else ""
        )
        for one in found
        if one.dataset == table.name and one.raw.reason
    ]  # fmt: skip
    unknown = [column.label for column in table.columns if column.trained_on is None]
    if unknown:
        lines.append(
            f"what {', '.join(unknown)} was trained on is not known: the scores came without the "
            "manifest of their run, or it does not say"
        )
    return lines


def comparison_notes(tables: Sequence[Table]) -> list[str]:
    """The datasets that --compare has no figure for."""
    return [
        f"{table.name}: not compared; it allows figures by type of error only"
        for table in tables
        if headline(table) is None
    ]


def interval_notes(figures: Sequence[Figure]) -> list[str]:
    """Why figures of one dataset have a value and no interval: a line for each reason."""
    lacking: dict[str, list[str]] = {}
    for figure in figures:
        if reason := figure.estimate.get("interval_reason"):
            name = " ".join(filter(None, (figure.metric, figure.statistic, figure.part)))
            lacking.setdefault(reason, []).append(name)
    return [
        f"no interval ({reason}): {', '.join(names[:6])}"
        + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        for reason, names in lacking.items()
    ]


def inverted_notes(figures: Sequence[Figure]) -> list[str]:
    """A hint where an AUC on the whole of a dataset says that its labels mean the opposite."""
    names = [
        f.metric
        for f in figures
        if f.statistic == "auc" and not f.part
        and meta.looks_inverted(f.value, f.estimate.get("high"))
    ]  # fmt: skip
    if not names:
        return []
    return [
        f"the labels look inverted to {', '.join(names)}: a label of 1 means consistent, 0 not; "
        "use a file with 1 and 0 exchanged if they mean the opposite"
    ]


def _unjudged(table: Table) -> list[str]:
    lines = []
    rows = len(table.truth)
    for task, what, missing in (
        ("rating", "rating", sum(t.rating is None for t in table.truth)),
        ("detection", "label", sum(t.label is None for t in table.truth)),
        ("ranking", "label", sum(t.label is None for t in table.truth)),
    ):
        line = f"{missing} of {rows} rows have no {what} and are left out"
        if task in table.tasks and missing and line not in lines:
            lines.append(line)
    return lines


def _detection(table: Table, decided: Decided, words: Mapping[str, str]) -> list[str]:
    truth = table.truth
    lines = []
    if outside := sum(t.outside for t in truth):
        lines.append(
            f"{outside} of {len(truth)} rows are of no era (no summariser wrote them, or none that "
            "AggreFact dates): they count for the whole set, and in no part, average by part or "
            "choice of a threshold"
        )
    parts = subsets(truth)
    lacking = sum(not t.subset and not t.outside for t in truth)
    if parts and lacking:
        lines.append(f"{lacking} rows belong to no part and are in no table or average by part")
    lines.append(f"balanced accuracy, thresholds: {words[table.name]}")
    columns = [decided[table.name, column.label] for column in table.columns]
    tested = columns[0].tested
    for name, numbers in (("AUC", range(len(truth))), ("balanced accuracy", tested)):
        single = one_label(truth, numbers) if parts else {}
        if single:
            shown = ", ".join(f"{part} (all {LABELS[label]})" for part, label in single.items())
            lines.append(
                f"{name}: parts of one label have no figure and are in no average: {shown}"
            )
    for column, one in zip(table.columns, columns, strict=True):
        if one.reason:
            lines.append(f"balanced accuracy of {column.label}: {one.reason}")
        if one.wrong:
            counts = ", ".join(f"{n} {why}" for why, n in sorted(one.counted_wrong(tested).items()))
            lines.append(
                f"balanced accuracy of {column.label}: {len(one.wrong)} of {len(tested)} rows "
                f"without a verdict count as wrong ({counts})"
            )
    return lines


def _errors(table: Table, figures: Sequence[Figure], settings: Settings) -> list[str]:
    if reason := no_errors(table):
        return [f"no figure by type of error: {reason}"]
    lines = []
    for statistic in ERRORS:
        own = [f for f in figures if f.dataset == table.name and f.statistic == statistic]
        first = [f for f in own if f.metric == table.columns[0].label]
        fewer = [f"{f.part} ({f.estimate['available']})" for f in first if f.estimate["fewer"]]
        if fewer:
            lines.append(
                f"{statistic}: fewer than {settings.error_cases} error cases, so all of them once: "
                + ", ".join(fewer)
            )
    return lines
