"""The overview of saved results: what the rows of each metric, system and group add up to."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from faithkit.records import JSON, VERDICTS
from faithkit.report.human import FIELD
from faithkit.report.intervals import DRAWS, Part, mean_intervals
from faithkit.report.ranks import area_under_curve, spearman
from faithkit.report.row_index import RowIndex

NOT_CONSISTENT = VERDICTS[0.0]

BINS = 20
"""Bars of a metric's distribution."""


def overview(index: RowIndex, files: Sequence[Mapping[str, JSON]] = ()) -> dict[str, Any]:
    """All that is shown above the list, as the scripts read it.

    files  what the rows came from, each with `scores`, `pairs`, `rows` and `unscored` (rows of the
           pairs that were never scored)
    """
    metrics = [_metric(index, place) for place in range(len(index.metrics))]
    groups = [_groups(index, name) for name in index.group_fields()]
    _add_intervals(index, metrics, groups)
    return {
        "rows": len(index),
        "documents": len(set(index.documents)),
        "draws": DRAWS,
        "files": [dict(file) for file in files],
        "metrics": metrics,
        "groups": groups,
        "correlation": _correlation(index),
        "notes": _notes(index, files),
    }


def _metric(index: RowIndex, place: int) -> dict[str, Any]:
    metric = index.metrics[place]
    outcomes = Counter(outcome for outcome in index.outcomes[place] if outcome is not None)
    return {
        "label": metric.label,
        "unit": metric.unit,
        "signature": metric.signature.short if metric.signature else "",
        "trained_on": None if metric.trained_on is None else list(metric.trained_on),
        "outcomes": dict(sorted(outcomes.items())),
        "absent": index.outcomes[place].count(None),
        "cut": str(index.cut[place]),
        "histogram": histogram(index.values[place], metric.bounds),
        **_figures(index.values[place], index.verdicts[place]),
        "human": _human(index, place),
    }


def _figures(values: Sequence[float | None], verdicts: Sequence[str | None]) -> dict[str, Any]:
    scored = [value for value in values if value is not None]
    named = Counter(verdict for verdict in verdicts if verdict is not None)
    return {
        "scored": len(scored),
        "mean": math.fsum(scored) / len(scored) if scored else None,
        "median": statistics.median(scored) if scored else None,
        "least": min(scored, default=None),
        "greatest": max(scored, default=None),
        "verdicts": dict(named),
    }


def histogram(
    values: Sequence[float | None], bounds: tuple[float, float] | None
) -> dict[str, Any] | None:
    """How many values are in each of 20 equal parts of the bounds, or of the range that occurs
    where the bounds are not finite or unknown; None without a value. The part below 0 is left out
    where no value is there.

    A value on the border of two parts belongs to the upper one, but the greatest to the last.
    """
    scored = [value for value in values if value is not None]
    if not scored:
        return None
    low, high = bounds or (-math.inf, math.inf)
    low = low if math.isfinite(low) else min(scored)
    high = high if math.isfinite(high) else max(scored)
    if low < 0 < high and min(scored) >= 0:
        low = 0.0
    counts = [0] * BINS
    width = (high - low) / BINS
    for value in scored:
        part = int((value - low) / width) if width > 0 else 0
        counts[min(max(part, 0), BINS - 1)] += 1
    return {"low": low, "high": high, "counts": counts}


def _human(index: RowIndex, place: int) -> dict[str, Any] | None:
    """A metric beside the judgements of people; None without any."""
    values, verdicts = index.values[place], index.verdicts[place]
    judged: dict[str, Any] = {}
    if any(label is not None for label in index.labels):
        judged["auc"] = _figure(area_under_curve(values, index.labels))
        if any(verdict is not None for verdict in verdicts):
            judged["table"] = _verdict_table(verdicts, index.labels)
    if any(rating is not None for rating in index.ratings):
        judged["spearman"] = _figure(spearman(values, index.ratings))
    spans = index.spans[place]
    # A metric that marks nothing anywhere is not one that marks words.
    if spans.rows and spans.marks:
        judged["spans"] = spans.to_dict()
    return judged or None


def _verdict_table(
    verdicts: Sequence[str | None], labels: Sequence[int | None]
) -> dict[str, dict[str, int]]:
    """Human label to verdict to the number of rows."""
    counts = Counter(
        ("consistent" if label else "not consistent", verdict)
        for verdict, label in zip(verdicts, labels, strict=True)
        if label is not None and verdict is not None
    )
    table: dict[str, dict[str, int]] = {"consistent": {}, "not consistent": {}}
    for (label, verdict), count in sorted(counts.items()):
        table[label][verdict] = count
    return table


def _groups(index: RowIndex, field: str) -> dict[str, Any]:
    """The figures of each value of a field, the worst mean of the first metric first."""
    members: dict[str | None, list[int]] = {}
    for row, name in enumerate(index.groups[field]):
        members.setdefault(name, []).append(row)
    groups = []
    for name, rows in members.items():
        of_metrics = []
        for values, verdicts in zip(index.values, index.verdicts, strict=True):
            of_metrics.append(_figures([values[r] for r in rows], [verdicts[r] for r in rows]))
        labels = [index.labels[row] for row in rows]
        labelled = [label for label in labels if label is not None]
        groups.append(
            {
                "name": name,
                "rows": len(rows),
                "labelled": len(labelled),
                "consistent": sum(labelled),
                "metrics": of_metrics,
            }
        )
    groups.sort(key=_by_first_mean)
    return {"field": field, "values": groups}


def _add_intervals(
    index: RowIndex, metrics: Sequence[dict[str, Any]], groups: Sequence[dict[str, Any]]
) -> None:
    """Puts the intervals beside the means and the shares of "not consistent", of each metric over
    all rows and over those of each group: `mean_interval` and `failed_interval`, None where the
    data carry none."""
    cells: list[tuple[Sequence[dict[str, Any]], Sequence[int]]] = [(metrics, range(len(index)))]
    for group in groups:
        rows: dict[str | None, list[int]] = {value["name"]: [] for value in group["values"]}
        for row, name in enumerate(index.groups[group["field"]]):
            rows[name].append(row)
        cells += [(value["metrics"], rows[value["name"]]) for value in group["values"]]
    failed = [[_failed(verdict) for verdict in verdicts] for verdicts in index.verdicts]
    asked: list[tuple[dict[str, Any], str, Part]] = []
    for figures, chosen in cells:
        for place, of_metric in enumerate(figures):
            for name, column in (
                ("mean_interval", index.values[place]),
                ("failed_interval", failed[place]),
            ):
                kept = [row for row in chosen if column[row] is not None]
                asked.append((of_metric, name, Part(kept, [column[row] or 0.0 for row in kept])))
    found = mean_intervals(index.documents, [part for _, _, part in asked])
    for (of_metric, name, _), interval in zip(asked, found, strict=True):
        of_metric[name] = interval


def _failed(verdict: str | None) -> float | None:
    return None if verdict is None else float(verdict == NOT_CONSISTENT)


def _by_first_mean(group: Mapping[str, Any]) -> tuple[bool, float, str]:
    mean = group["metrics"][0]["mean"] if group["metrics"] else None
    return mean is None, mean or 0.0, str(group["name"])


def _figure(figure: tuple[float | None, int]) -> dict[str, float | None]:
    return {"value": figure[0], "n": figure[1]}


def _correlation(index: RowIndex) -> dict[str, Any] | None:
    """Spearman's rank correlation of every two metrics, over the rows that have both; None with one
    metric."""
    if len(index.metrics) < 2:
        return None
    figures = [[spearman(column, other) for other in index.values] for column in index.values]
    return {
        "names": [metric.label for metric in index.metrics],
        "values": [[value for value, _ in row] for row in figures],
        "n": [[count for _, count in row] for row in figures],
    }


def _notes(index: RowIndex, files: Sequence[Mapping[str, JSON]]) -> list[str]:
    """What a reader has to know before they trust the rest."""
    notes = [
        f"{file['pairs']}: {file['unscored']} of its rows were not scored, and are not shown."
        for file in files
        if file.get("unscored")
    ]
    if index.problems:
        identity, problem = index.problems[0]
        notes.append(
            f"{len(index.problems)} rows have a field '{FIELD}' that is not shown, the first "
            f"'{identity}': {problem}"
        )
    return notes
