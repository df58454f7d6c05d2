"""What `faithkit bench` writes: results.json and results.csv (every figure), results.md (tables to
read), and plots. From figures only."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from faithkit.benchmark import statistics
from faithkit.benchmark.scoring import Table
from faithkit.benchmark.statistics import Figure, Settings
from faithkit.meta import looks_inverted

NAMES = {
    "spearman": "Spearman × 100 with the human rating",
    "auc": "AUC × 100",
    "ranking_accuracy": "% of pairs ranked right (a tie is wrong)",
}
FIELDS = ("dataset", "metric", "statistic", "part", "value", "low", "high", "n", "groups",
          "unscored", "unlabelled", "reason", "interval_reason", "signature")  # fmt: skip


def cell(figure: Figure | None) -> str:
    """`56.0 (52.1–59.8)`, with what is missing said: a dash with the reason, or † for rows left
    out."""
    if figure is None:
        return "–"
    found = figure.estimate
    if found["value"] is None:
        return f"– ({found.get('reason') or 'not defined'})"
    text = f"{100 * found['value']:.1f}"
    if found.get("low") is not None:
        text += f" ({100 * found['low']:.1f}–{100 * found['high']:.1f})"
    return f"{text} †" if found.get("unscored") else text


def interval_notes(figures: Sequence[Figure]) -> list[str]:
    """Why figures have a value and no interval: a line for each dataset and reason."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for figure in figures:
        if reason := figure.estimate.get("interval_reason"):
            name = " ".join(filter(None, (figure.metric, figure.statistic, figure.part)))
            lacking.setdefault((figure.dataset, reason), []).append(name)
    return [
        f"No interval on {dataset} ({reason}): {', '.join(names[:6])}"
        + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        for (dataset, reason), names in lacking.items()
    ]


def inverted_notes(figures: Sequence[Figure]) -> list[str]:
    """A hint for each dataset on which an AUC says that the labels mean the opposite."""
    found: dict[str, list[str]] = {}
    for figure in figures:
        high = figure.estimate.get("high")
        if figure.statistic == "auc" and not figure.part and looks_inverted(figure.value, high):
            found.setdefault(figure.dataset, []).append(figure.metric)
    return [
        f"The labels of {dataset} look inverted to {', '.join(names)}: a label of 1 means "
        "consistent, 0 not; use a file with 1 and 0 exchanged if they mean the opposite."
        for dataset, names in found.items()
    ]


def wide(
    tables: Sequence[Table], figures: Sequence[Figure]
) -> list[tuple[str, list[str], list[list[str]]]]:
    """For each headline statistic its name, header and rows: a metric a row, each dataset's figure
    with its interval, and the mean over the datasets."""
    heads: dict[str, list[str]] = {}
    for table in tables:
        if name := statistics.headline(table):
            heads.setdefault(name, []).append(table.name)
    index = {(f.metric, f.dataset, f.statistic): f for f in figures if not f.part}
    metrics = list(dict.fromkeys(c.label for t in tables for c in t.columns))
    found = []
    for name, datasets in heads.items():
        rows = []
        for metric in metrics:
            own = [index.get((metric, dataset, name)) for dataset in datasets]
            values = [f.value for f in own if f is not None and f.value is not None]
            row = [metric, *(cell(f) for f in own)]
            if len(datasets) > 1:
                whole = len(values) == len(datasets)
                row.append(f"{100 * sum(values) / len(values):.1f}" if whole else "–")
            rows.append(row)
        header = ["metric", *datasets, *(["mean"] if len(datasets) > 1 else [])]
        found.append((NAMES[name], header, rows))
    return found


def markdown(
    tables: Sequence[Table],
    figures: Sequence[Figure],
    comparison: Sequence[Mapping[str, Any]],
    settings: Settings,
) -> str:
    """The tables to read: headlines, then each dataset in full, error types, the comparison."""
    lines = [
        f"Intervals: 95%, {settings.draws} bootstrap draws by source document, seed "
        f"{settings.seed}. Thresholds of balanced accuracy: chosen on other rows "
        f"({settings.thresholds}). † some rows have no score and are left out: see the counts.",
        "",
    ]
    for title, header, rows in wide(tables, figures):
        lines += [f"### {title}", "", *_markdown_table(header, rows), ""]
    for table in tables:
        lines += _dataset(table, [f for f in figures if f.dataset == table.name])
    if comparison:
        lines += _comparison(comparison)
    lines += ["Signatures:", ""]
    signatures = dict.fromkeys((f.metric, f.signature) for f in figures)
    lines += [f"- `{metric}`: `{signature}`" for metric, signature in signatures]
    return "\n".join(lines) + "\n"


def _dataset(table: Table, figures: Sequence[Figure]) -> list[str]:
    documents = len({t.document for t in table.truth})
    lines = [f"### {table.name}", "", f"{len(table.truth)} rows, {documents} documents.", ""]
    whole = [f for f in figures if not f.part]
    names = list(dict.fromkeys(f.statistic for f in whole))
    if names:
        rows = []
        for column in table.columns:
            own = {f.statistic: f for f in whole if f.metric == column.label}
            missing = ", ".join(f"{n} {o}" for o, n in sorted(column.missing().items())) or "0"
            rows.append([column.label, *(cell(own.get(name)) for name in names), missing])
        lines += [*_markdown_table(["metric", *names, "rows without a score"], rows), ""]
    parts = [f for f in figures if f.part]
    for name in dict.fromkeys(f.statistic for f in parts):
        some = [f for f in parts if f.statistic == name]
        heads = list(dict.fromkeys(f.part for f in some))
        index = {(f.metric, f.part): f for f in some}
        sizes = {f.part: f.estimate["n"] for f in some}
        rows = [[c.label, *(cell(index.get((c.label, part))) for part in heads)]
                for c in table.columns]  # fmt: skip
        header = ["metric", *(f"{part} (n={sizes[part]})" for part in heads)]
        lines += [f"{name}, by part:", "", *_markdown_table(header, rows), ""]
    for note in interval_notes(figures) + inverted_notes(figures):
        lines += [note, ""]
    return lines


def _comparison(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    first, second = rows[0]["first"], rows[0]["second"]
    header = ["dataset", "statistic", first, second, "difference", "p", "p (Holm)",
              "smallest difference it could find"]  # fmt: skip
    body = [
        [
            str(row["dataset"]),
            str(row["statistic"]),
            *(_hundred(row[key]) for key in ("first_value", "second_value", "difference")),
            *("–" if row[key] is None else f"{row[key]:.4f}" for key in ("p_value", "p_holm")),
            _hundred(row.get("minimum_detectable")),
        ]
        for row in rows
    ]
    notes = [f"No test on {row['dataset']}: {row['reason']}" for row in rows if row.get("reason")]
    table = _markdown_table(header, body)
    return [f"### {first} against {second}", "", *table, "", *(f"{note}\n" for note in notes)]


def _hundred(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [line(header), "|" + " --- |" * len(header), *(line(row) for row in rows)]


def write(
    folder: Path,
    tables: Sequence[Table],
    figures: Sequence[Figure],
    comparison: Sequence[Mapping[str, Any]],
    settings: Settings,
    *,
    command: Sequence[str],
    worst: int,
) -> None:
    """results.json, results.csv and results.md in `folder`."""
    record = {
        "command": list(command),
        "settings": {"draws": settings.draws, "seed": settings.seed,
                     "thresholds": settings.thresholds},
        "figures": [figure.to_dict() for figure in figures],
        "comparison": list(comparison),
        "matrices": {t.name: statistics.matrix(t).to_dict() for t in tables if len(t.columns) > 1},
        "worst_cases": {
            t.name: [case for c in t.columns if (case := statistics.worst_cases(t, c, worst))]
            for t in tables
            if "rating" in t.tasks
        },
    }  # fmt: skip
    (folder / "results.json").write_text(
        json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    with (folder / "results.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(figure.to_dict() for figure in figures)
    text = markdown(tables, figures, comparison, settings)
    (folder / "results.md").write_text(text, encoding="utf-8")


def plot(folder: Path, tables: Sequence[Table], figures: Sequence[Figure]) -> list[Path]:
    """estimates.png, and for each dataset with two metrics or more matrix-NAME.png."""
    from faithkit import report

    made = []
    heads = {t.name: statistics.headline(t) for t in tables}
    rows = [
        (f.dataset, f.metric, {**f.estimate, "statistic": f.statistic})
        for f in figures
        if not f.part and heads[f.dataset] == f.statistic and f.value is not None
    ]
    if rows:
        made.append(folder / "estimates.png")
        report.estimates_plot(made[-1], "Agreement with human judgements", rows)
    for table in tables:
        if len(table.columns) > 1:
            made.append(folder / f"matrix-{table.name.replace('/', '_')}.png")
            report.matrix_plot(made[-1], statistics.matrix(table))
    return made
