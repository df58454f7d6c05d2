"""What `faithkit bench` writes: results.json (every figure), results.csv (all but the comparison),
results.md (tables to read), and plots. From figures only; `cases.html`, on request, has texts as
well.

Marks in the cells: † rows without a score are left out; ‡ rows without a verdict count as wrong;
§ texts were cut; ¶ the metric was trained on rows of this release. Footnotes under each table give
the counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faithkit import writing
from faithkit.caveats import caveat_lines, marks
from faithkit.evaluation.bench import predictions, statistics
from faithkit.evaluation.bench.notes import comparison_notes, interval_notes, inverted_notes, notes
from faithkit.evaluation.bench.predictions import Prediction
from faithkit.evaluation.bench.statistics import BenchSettings, Figure, caveats_of
from faithkit.evaluation.bench.thresholds import Margins, margins, needs_no_choice
from faithkit.evaluation.judged import JudgedTable
from faithkit.evaluation.markdown import shortened, table_lines
from faithkit.meta import CorrelationMatrix
from faithkit.records import UNITS
from faithkit.report import pages
from faithkit.report.pages import Table

NAMES = {
    "spearman": "Spearman × 100 with the human rating",
    "auc": "AUC × 100",
    "ranking_accuracy": "% of pairs ranked right (a tie is wrong)",
    "balanced_accuracy": "Balanced accuracy × 100",
}
FIELDS = ("dataset", "metric", "statistic", "part", "value", "low", "high", "n", "groups",
          "unscored", "unlabelled", "counted_wrong", "thresholds", "rows_cut", "tokens_cut",
          "trained_on", "reason", "interval_reason", "signature")  # fmt: skip
UNSCORED, WRONG = "†", "‡"


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that is computed of a benchmark.

    words       of each dataset, how the thresholds of balanced accuracy were chosen
    components  of each (dataset, metric), its parts with one another; empty where not asked for
    """

    tables: Sequence[JudgedTable]
    settings: BenchSettings
    figures: Sequence[Figure]
    predictions: Sequence[Prediction]
    comparison: Sequence[Mapping[str, Any]]
    decided: Mapping[tuple[str, str], Margins]
    words: Mapping[str, str]
    compared: bool = False
    components: Mapping[tuple[str, str], Mapping[str, CorrelationMatrix]] = field(
        default_factory=dict
    )

    def notes(self, table: JudgedTable, *, headlines: bool = False) -> list[str]:
        """Lines that say what is missing on a dataset, and why. headlines: whether missing
        intervals are listed only for the figures in `wide`."""
        lines = notes(
            table, self.figures, self.predictions, self.decided, self.words, self.settings
        )
        figures = [figure for figure in self.figures if figure.dataset == table.name]
        wide = wide_of(table)
        shown = [f for f in figures if not headlines or (not f.part and f.statistic in wide)]
        return lines + interval_notes(shown) + inverted_notes(figures)

    def all_notes(self) -> list[str]:
        """The notes of every dataset, each with the dataset's name; of missing intervals, only
        those of headlines."""
        lines = [
            f"{table.name}: {line}"
            for table in self.tables
            for line in self.notes(table, headlines=True)
        ]
        return lines + (comparison_notes(self.tables) if self.compared else [])


def compute(
    tables: Sequence[JudgedTable],
    settings: BenchSettings,
    *,
    compare: tuple[str, str] | None = None,
    cases: int = 5,
    components: bool = False,
) -> Results:
    """Every statistic. cases: of each sort that over- and under-prediction list."""
    decided, words = margins(tables, settings.thresholds, settings.seed)
    return Results(
        tables,
        settings,
        statistics.figures(tables, settings, decided),
        predictions.predictions(tables, settings, cases),
        statistics.compare(tables, *compare, settings, decided) if compare else [],
        decided,
        words,
        compare is not None,
        {
            (table.name, label): statistics.components(table, column, settings)
            for table in (tables if components else ())
            for label, column in table.columns.items()
        },
    )


def cell(figure: Figure | None) -> str:
    """`56.0 (52.1–59.8) †`: value, interval and marks; a dash with the reason if there is no
    value."""
    if figure is None:
        return "–"
    estimate = figure.estimate
    if estimate["value"] is None:
        text = f"– ({estimate.get('reason') or 'not defined'})"
    else:
        text = _hundred(estimate["value"])
        if estimate.get("low") is not None:
            text += f" ({_hundred(estimate['low'])}–{_hundred(estimate['high'])})"
    shown = UNSCORED if figure.unscored else ""
    shown += (WRONG if figure.counted_wrong else "") + marks(figure.caveats)
    return f"{text} {shown}".rstrip()


def footnotes(figures: Sequence[Figure]) -> list[str]:
    """The meaning of the marks in the cells of these figures."""
    lines = []
    if any(f.unscored for f in figures):
        missing = [(f, _counts(f.unscored)) for f in figures if f.unscored]
        lines.append(f"{UNSCORED} rows without a score are left out: {_by_metric(missing)}.")
    lines += wrong_lines(figures)
    return lines + caveat_lines([(f.metric, f.dataset, f.caveats) for f in figures])


def wrong_lines(figures: Sequence[Figure]) -> list[str]:
    """The meaning of ‡, where figures on whole datasets have it."""
    wrong = [
        (f, f"{_counts(f.counted_wrong)} {'in' if ranked else 'of'} {f.estimate['n']}"
            f"{' pairs' if ranked else ''}")
        for f in figures
        if f.counted_wrong and not f.part
        for ranked in [f.statistic == "ranking_accuracy"]
    ]  # fmt: skip
    return [f"{WRONG} rows without a verdict count as wrong: {_by_metric(wrong)}."] if wrong else []


def _counts(outcomes: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items()))


def _by_metric(counted: Sequence[tuple[Figure, str]]) -> str:
    """The counts of each metric on each dataset. Where the figures of a metric differ in them, each
    count names its statistics or parts."""
    named: dict[tuple[str, str], dict[str, list[str]]] = {}
    for f, counts in counted:
        of_metric = named.setdefault((f.metric, f.dataset), {})
        of_metric.setdefault(counts, []).append(f.part or f.statistic)
    lines = []
    for (metric, dataset), by_counts in named.items():
        shown = [
            counts if len(by_counts) == 1 else f"{counts} ({shortened(names)})"
            for counts, names in by_counts.items()
        ]
        lines.append(f"{metric} on {dataset} {', '.join(shown)}")
    return "; ".join(lines)


def wide_of(table: JudgedTable) -> list[str]:
    """The statistics of a dataset that `wide` has a table of."""
    names = [name] if (name := statistics.headline(table)) else []
    return names + (["balanced_accuracy"] if "detection" in table.tasks else [])


def wide(results: Results) -> list[Table]:
    """One table for each headline statistic and for balanced accuracy: a row for each metric, with
    its figure and interval on each dataset and the mean over the datasets."""
    heads: dict[str, list[str]] = {}
    for table in results.tables:
        for name in wide_of(table):
            heads.setdefault(name, []).append(table.name)
    index = {(f.metric, f.dataset, f.statistic): f for f in results.figures if not f.part}
    metrics = list(dict.fromkeys(label for table in results.tables for label in table.columns))
    tables = []
    for name, datasets in heads.items():
        rows, present = [], []
        for metric in metrics:
            figures = [index.get((metric, dataset, name)) for dataset in datasets]
            present += [f for f in figures if f is not None]
            values = [f.value for f in figures if f is not None and f.value is not None]
            row = [metric, *map(cell, figures)]
            if len(datasets) > 1:
                complete = len(values) == len(datasets)
                row.append(f"{100 * sum(values) / len(values):.1f}" if complete else "–")
            rows.append(row)
        header = ["metric", *datasets, *(["mean"] if len(datasets) > 1 else [])]
        tables.append(Table(_title(name, results.settings), header, rows, footnotes(present)))
    return tables


def _title(name: str, settings: BenchSettings) -> str:
    chosen = settings.thresholds
    if name != "balanced_accuracy":
        return NAMES[name]
    if chosen == "none":
        return f"{NAMES[name]}, the metrics' own verdicts"
    if needs_no_choice(chosen):
        return f"{NAMES[name]} at the threshold {chosen:g}"
    return f"{NAMES[name]}, thresholds chosen on other rows ({chosen})"


def markdown(results: Results) -> str:
    """The tables to read: headlines, then each dataset in full, error types, the comparison."""
    lines = [_settings(results), ""]
    lines += _titled(wide(results))
    for table in results.tables:
        lines += _dataset(results, table)
    lines += _titled(predictions.tables_of(results.predictions))
    if results.components:
        lines += _components(results)
    if results.compared:
        lines += _comparison(results)
    lines += ["Signatures:", ""]
    lines += [f"- `{metric}`: `{signature}`" for metric, signature in _signatures(results)]
    return "\n".join(lines) + "\n"


def _settings(results: Results) -> str:
    settings = results.settings
    return (
        f"Intervals: 95%, {settings.draws} bootstrap draws by source document, seed "
        f"{settings.seed}. Thresholds of balanced accuracy: {settings.thresholds}."
    )


def _signatures(results: Results) -> list[tuple[str, str]]:
    columns = [column for table in results.tables for column in table.columns.values()]
    return list(dict.fromkeys((column.label, column.signature) for column in columns))


def write_page(path: Path, results: Results, plots: Sequence[Path] = ()) -> None:
    """Writes the tables and plots as an HTML page. Raises DataError if it cannot be written."""
    sections = [pages.Section("Which metric agrees with people?", [], wide(results), plots)]
    for table in results.tables:
        lines = [_rows_of(table), *results.notes(table)]
        sections.append(pages.Section(table.name, lines, dataset_tables(results, table)))
    if predicted := predictions.tables_of(results.predictions):
        sections.append(pages.Section("Over- and under-prediction", [], predicted))
    if results.components:
        sections.append(pages.Section("Components", [], component_tables(results)))
    if results.compared:
        compared = comparison_table(results)
        tables = [compared] if compared.rows else []
        lines = [] if compared.rows else compared.footnotes
        sections.append(pages.Section("Comparison", lines, tables))
    signatures = [list(row) for row in _signatures(results)]
    shown = Table("", ["metric", "signature"], signatures)
    sections.append(pages.Section("Signatures", [], [shown]))
    pages.tables_page(path, "Metrics against human judgements", sections, [_settings(results)])


def _dataset(results: Results, table: JudgedTable) -> list[str]:
    lines = [f"### {table.name}", "", _rows_of(table), ""]
    lines += [f"- {line}" for line in results.notes(table)] + [""]
    for shown in dataset_tables(results, table):
        lines += [f"{shown.title}:", ""] if shown.title else []
        lines += _markdown(shown)
    return lines


def _rows_of(table: JudgedTable) -> str:
    return f"{len(table.rows)} rows, {len(set(table.documents))} documents."


def dataset_tables(results: Results, table: JudgedTable) -> list[Table]:
    """Every statistic of a dataset, and then each by its parts."""
    figures = [f for f in results.figures if f.dataset == table.name]
    tables = []
    unpartitioned = [f for f in figures if not f.part]
    names = list(dict.fromkeys(f.statistic for f in unpartitioned))
    if names:
        rows = []
        for label, column in table.columns.items():
            by_name = {f.statistic: f for f in unpartitioned if f.metric == label}
            missing = ", ".join(f"{n} {o}" for o, n in sorted(column.missing().items())) or "0"
            rows.append([label, *(cell(by_name.get(name)) for name in names), missing])
        header = ["metric", *names, "rows without a score"]
        tables.append(Table("", header, rows, footnotes(unpartitioned)))
    parts = [f for f in figures if f.part]
    for name in dict.fromkeys(f.statistic for f in parts):
        by_part = [f for f in parts if f.statistic == name]
        heads = list(dict.fromkeys(f.part for f in by_part))
        index = {(f.metric, f.part): f for f in by_part}
        sizes = {f.part: f.estimate["n"] for f in by_part}
        rows = [[label, *(cell(index.get((label, part))) for part in heads)]
                for label in table.columns]  # fmt: skip
        header = ["metric", *(f"{part} (n={sizes[part]})" for part in heads)]
        tables.append(Table(f"{name}, by part", header, rows, footnotes(by_part)))
    return tables


def component_tables(results: Results) -> list[Table]:
    """Each metric's value, parts and the human judgement with one another, on each dataset."""
    tables = []
    for table in results.tables:
        for label, column in table.columns.items():
            notes = caveat_lines([(label, table.name, caveats_of(table, column))])
            for name, matrix in results.components[table.name, label].items():
                rows = [[first, *map(predictions.spanned, row)]
                        for first, row in zip(matrix.names, matrix.cells, strict=True)]  # fmt: skip
                title = f"Components of {label} on {table.name}, {name} × 100"
                tables.append(Table(title, ["", *matrix.names], rows, notes))
    return tables


def _components(results: Results) -> list[str]:
    columns = [column for table in results.tables for column in table.columns.values()]
    bare = dict.fromkeys(column.label for column in columns if not any(column.parts))
    lines = [line for name in bare for line in (f"{name} has no components.", "")]
    return _titled(component_tables(results)) + lines


def comparison_rows(results: Results) -> tuple[list[dict[str, Any]], list[str]]:
    """The comparison, with the marks of both metrics after each dataset's name, and the
    footnotes."""
    caveats_by_name = {(f.dataset, f.metric): f.caveats for f in results.figures}
    rows, under = [], []
    for row in results.comparison:
        cited = [(row[key], row["dataset"], caveats_by_name[row["dataset"], row[key]])
                for key in ("first", "second")]  # fmt: skip
        under += cited
        all_marks = "".join(dict.fromkeys("".join(marks(caveats) for _, _, caveats in cited)))
        rows.append({**row, "dataset": f"{row['dataset']} {all_marks}".rstrip()})
    return rows, caveat_lines(under)


def _comparison(results: Results) -> list[str]:
    table = comparison_table(results)
    if not table.rows:
        return [f"### {table.title}", "", *table.footnotes, ""]
    return [f"### {table.title}", "", *_markdown(table)]


def comparison_table(results: Results) -> Table:
    """The paired tests of two metrics on each dataset; without rows where none could be made."""
    rows, under = comparison_rows(results)
    lines = [f"{line}." for line in comparison_notes(results.tables)]
    if not rows:
        return Table("Comparison", [], [], lines)
    first, second = rows[0]["first"], rows[0]["second"]
    header = ["dataset", "statistic", first, second, "difference", "95% interval", "p", "p (Holm)",
              "smallest difference it could find"]  # fmt: skip
    body = [
        [
            str(row["dataset"]),
            str(row["statistic"]),
            *(_hundred(row[key]) for key in ("first_value", "second_value", "difference")),
            difference_interval(row),
            *("–" if row[key] is None else f"{row[key]:.4f}" for key in ("p_value", "p_holm")),
            _hundred(row.get("minimum_detectable")),
        ]
        for row in rows
    ]
    notes = [f"No test on {row['dataset']}: {row['reason']}" for row in rows if row["reason"]]
    return Table(f"{first} against {second}", header, body, [*under, *notes, *lines])


def difference_interval(row: Mapping[str, Any]) -> str:
    """`-2.9 to +12.2`, or a dash."""
    if row["low"] is None:
        return "–"
    return f"{100 * row['low']:+z.1f} to {100 * row['high']:+z.1f}"


def _hundred(value: float | None) -> str:
    """One place, without a negative zero."""
    return "–" if value is None else f"{100 * value:z.1f}"


def _markdown(shown: Table) -> list[str]:
    lines = table_lines(shown.header, shown.rows)
    return lines + [text for note in shown.footnotes for text in (note, "")]


def _titled(tables: Sequence[Table]) -> list[str]:
    return [line for table in tables for line in (f"### {table.title}", "", *_markdown(table))]


def write(folder: Path, results: Results, *, command: Sequence[str]) -> None:
    """results.json, results.csv and results.md in `folder`."""
    writing.write_json(folder / "results.json", _record(results, command), indent=1)
    writing.write_csv(folder / "results.csv", map(_csv_row, results.figures), FIELDS)
    writing.write_text(folder / "results.md", markdown(results))


def _record(results: Results, command: Sequence[str]) -> dict[str, Any]:
    tables, settings = results.tables, results.settings
    record: dict[str, Any] = {
        "command": list(command),
        "settings": {"draws": settings.draws, "seed": settings.seed,
                     "thresholds": settings.thresholds, "error_cases": settings.error_cases,
                     "rating_scale": settings.rating_scale},
        "figures": [figure.to_dict() for figure in results.figures],
        "comparison": list(results.comparison),
        "notes": {t.name: results.notes(t) for t in tables},
        "matrices": {
            t.name: {
                name: matrix.to_dict()
                for name, matrix in statistics.matrices(t, settings.draws, settings.seed).items()
            }
            for t in tables
            if len(t.columns) > 1
        },
        "predictions": {
            t.name: [p.to_dict(t.ids) for p in results.predictions if p.dataset == t.name]
            for t in tables
            if "rating" in t.tasks
        },
    }  # fmt: skip
    if results.components:
        record["components"] = {
            t.name: {
                label: {name: matrix.to_dict()
                        for name, matrix in results.components[t.name, label].items()}
                for label in t.columns
            }
            for t in tables
        }  # fmt: skip
    return record


def _csv_row(figure: Figure) -> dict[str, Any]:
    row, cut = figure.to_dict(), figure.caveats.cut
    tokens = {name: cut.share(name) for name in UNITS if cut.cut.get(name)}
    wrong, trained_on = row["counted_wrong"], row["trained_on"]
    return row | {
        "counted_wrong": ";".join(f"{why}={n}" for why, n in sorted(wrong.items())),
        "thresholds": ";".join(f"{threshold:.6g}" for threshold in row["thresholds"]),
        "rows_cut": cut.rows_cut,
        "tokens_cut": ";".join(f"{name}={share:.4f}" for name, share in tokens.items()),
        "trained_on": "not known" if trained_on is None else ";".join(trained_on),
    }


def plot(folder: Path, results: Results) -> list[Path]:
    """estimates.png; for each dataset with two metrics or more matrix-NAME.png (Spearman) and the
    same for Pearson and Kendall; for each rated one predictions-NAME.png."""
    from faithkit.report import plots

    paths = []
    heads = {t.name: statistics.headline(t) for t in results.tables}
    rows = [
        (f.dataset, f.metric, {**f.estimate, "statistic": f.statistic})
        for f in results.figures
        if not f.part and heads[f.dataset] == f.statistic
    ]
    if rows:
        paths.append(folder / "estimates.png")
        plots.estimates_plot(paths[-1], "Agreement with human judgements", rows)
    for table in results.tables:
        name = table.name.replace("/", "_")
        if len(table.columns) > 1:
            for statistic, matrix in statistics.matrices(table).items():
                ending = "" if statistic == "spearman" else f"-{statistic}"
                paths.append(folder / f"matrix-{name}{ending}.png")
                plots.matrix_plot(paths[-1], matrix)
        curves = {
            p.metric: {scale: (report.differences, report.reason)
                       for scale, report in (("raw", p.raw), ("quantile", p.quantile))}
            for p in results.predictions
            if p.dataset == table.name
        }  # fmt: skip
        if curves:
            paths.append(folder / f"predictions-{name}.png")
            plots.prediction_plot(paths[-1], curves, title=f"Metric − human on {table.name}")
    return paths
