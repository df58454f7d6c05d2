"""The overview of saved results: figures of each metric, system and group of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from faithkit.records import VERDICTS
from faithkit.report.human import FIELD
from faithkit.report.intervals import DRAWS, Part, mean_intervals
from faithkit.report.ranks import area_under_curve, spearman
from faithkit.report.row_index import RowIndex
from faithkit.report.totals import MetricTotals, Totals

NOT_CONSISTENT = VERDICTS[0.0]


def overview(
    totals: Totals,
    files: Sequence[Mapping[str, Any]] = (),
    rows: RowIndex | None = None,
) -> dict[str, Any]:
    """The overview, in the form that the scripts read.

    files  the files of the rows, each with `scores`, `pairs`, `rows`, `unscored` (the number of
           pairs that were not scored) and `unfinished` (what is said of runs that have not ended)
    rows   the listed rows; means have intervals only if all rows are listed
    """
    metrics = [_metric(totals, index) for index in range(len(totals.metrics))]
    groups = [_groups(totals, name) for name in totals.group_fields()]
    all_listed = rows is not None and len(rows) == totals.rows
    if rows is not None and all_listed:
        _add_intervals(rows, metrics, groups)
    return {
        "rows": totals.rows,
        "documents": totals.documents.count(),
        "draws": DRAWS if all_listed else 0,
        "files": [dict(file) for file in files],
        "metrics": metrics,
        "groups": groups,
        "correlation": _correlation(totals),
        "notes": _notes(totals, files),
    }


def _metric(totals: Totals, index: int) -> dict[str, Any]:
    of_metric = totals.metrics[index]
    metric = of_metric.metric
    return {
        "label": metric.label,
        "unit": metric.unit,
        "signature": metric.signature.short if metric.signature else "",
        "trained_on": None if metric.trained_on is None else list(metric.trained_on),
        "outcomes": dict(sorted(of_metric.outcomes.items())),
        "absent": of_metric.absent,
        "cut": str(of_metric.cut),
        "histogram": of_metric.distribution.to_dict(of_metric.figures.values),
        **of_metric.figures.to_dict(),
        "human": _human(totals, index),
    }


def _human(totals: Totals, index: int) -> dict[str, Any] | None:
    """The agreement of a metric with human judgements; None if there are none."""
    of_metric, metrics = totals.metrics[index], len(totals.metrics)
    judged: dict[str, Any] = {}
    if totals.labelled:
        labels = totals.sample.column(metrics)
        judged["auc"] = _figure(area_under_curve(totals.sample.column(index), labels))
        if of_metric.figures.verdicts:
            judged["table"] = _verdict_table(of_metric)
    if totals.rated:
        ratings = totals.sample.column(metrics + 1)
        judged["spearman"] = _figure(spearman(totals.sample.column(index), ratings))
    spans = of_metric.spans
    # A metric without a mark in any row is not one that marks words.
    if spans.rows and spans.marks:
        judged["spans"] = spans.to_dict()
    return judged or None


def _verdict_table(of_metric: MetricTotals) -> dict[str, dict[str, int]]:
    """The number of rows by human label and by verdict."""
    table: dict[str, dict[str, int]] = {"consistent": {}, "not consistent": {}}
    for (label, verdict), count in sorted(of_metric.judged.items()):
        table["consistent" if label else "not consistent"][verdict] = count
    return table


def _groups(totals: Totals, field: str) -> dict[str, Any]:
    """The figures of each value of a field, sorted by the mean of the first metric, the lowest
    first."""
    groups = [
        {
            "name": name,
            "rows": group.rows,
            "labelled": group.labelled,
            "consistent": group.consistent,
            "metrics": [figures.to_dict() for figures in group.figures],
        }
        for name, group in totals.groups[field].items()
    ]
    groups.sort(key=_by_first_mean)
    return {"field": field, "values": groups}


def _add_intervals(
    index: RowIndex, metrics: Sequence[dict[str, Any]], groups: Sequence[dict[str, Any]]
) -> None:
    """Adds `mean_interval` and `failed_interval`, the intervals of the mean and of the share of
    "not consistent", to each metric's figures over all rows and over each group; None if the data
    carry no interval."""
    tables: list[tuple[Sequence[dict[str, Any]], Sequence[int]]] = [(metrics, range(len(index)))]
    for group in groups:
        rows: dict[str | None, list[int]] = {value["name"]: [] for value in group["values"]}
        for row, name in enumerate(index.groups[group["field"]]):
            rows[name].append(row)
        tables += [(value["metrics"], rows[value["name"]]) for value in group["values"]]
    failed = [[_failed(verdict) for verdict in verdicts] for verdicts in index.verdicts]
    requests: list[tuple[dict[str, Any], str, Part]] = []
    for figures, numbers in tables:
        for metric, of_metric in enumerate(figures):
            for name, column in (
                ("mean_interval", index.values[metric]),
                ("failed_interval", failed[metric]),
            ):
                valued = [row for row in numbers if column[row] is not None]
                requests.append(
                    (of_metric, name, Part(valued, [column[row] or 0.0 for row in valued]))
                )
    intervals = mean_intervals(index.documents, [part for _, _, part in requests])
    for (of_metric, name, _), interval in zip(requests, intervals, strict=True):
        of_metric[name] = interval


def _failed(verdict: str | None) -> float | None:
    """1 for "not consistent", 0 for another verdict, None without one."""
    return None if verdict is None else float(verdict == NOT_CONSISTENT)


def _by_first_mean(group: Mapping[str, Any]) -> tuple[bool, float, str]:
    mean = group["metrics"][0]["mean"] if group["metrics"] else None
    return mean is None, mean or 0.0, str(group["name"])


def _figure(figure: tuple[float | None, int]) -> dict[str, float | None]:
    return {"value": figure[0], "n": figure[1]}


def _correlation(totals: Totals) -> dict[str, Any] | None:
    """Spearman's rank correlation of each pair of metrics, over the rows that have both; None if
    there are fewer than two metrics."""
    if len(totals.metrics) < 2:
        return None
    columns = [totals.sample.column(index) for index in range(len(totals.metrics))]
    figures = [[spearman(column, other) for other in columns] for column in columns]
    return {
        "names": [of_metric.metric.label for of_metric in totals.metrics],
        "values": [[value for value, _ in row] for row in figures],
        "n": [[count for _, count in row] for row in figures],
    }


def _notes(totals: Totals, files: Sequence[Mapping[str, Any]]) -> list[str]:
    """Notes on rows that are not shown, and on figures that are not exact."""
    notes = [said for file in files for said in file.get("unfinished", ())]
    notes += [
        f"{file['pairs']}: {file['unscored']} of its rows were not scored, and are not shown."
        for file in files
        if file.get("unscored")
    ]
    if totals.first_problem:
        identity, problem = totals.first_problem
        notes.append(
            f"{totals.problems} rows have a field '{FIELD}' that is not shown, the first "
            f"'{identity}': {problem}"
        )
    return [*notes, *totals.notes()]
