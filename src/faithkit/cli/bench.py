"""The command `faithkit bench`: arguments in, tables out."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli import options
from faithkit.cli.options import (
    CacheOptions,
    DataOption,
    FieldOptions,
    JsonOption,
    MetricOption,
    RuntimeOptions,
    SeedOption,
)

if TYPE_CHECKING:
    from faithkit.evaluation.bench.statistics import BenchSettings
    from faithkit.evaluation.bench.tables import Results
    from faithkit.evaluation.judged import JudgedTable
    from faithkit.metrics.spec import MetricSpec
    from faithkit.records import Example


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    options.register(app, bench)


@dataclass(frozen=True)
class StatisticsOptions:
    """Behind the figures: thresholds, draws, scales."""

    thresholds: Annotated[
        str,
        typer.Option(
            help="Threshold of balanced accuracy. dataset: one for each, chosen on other rows; "
            "global: one for the whole benchmark; none: the metric's own verdict (judge, support, "
            "calibrated), a row without one counts as wrong; or a number, such as 0.5."
        ),
    ] = "dataset"
    error_cases: Annotated[
        int,
        typer.Option(
            min=1,
            help="Unfaithful rows of an error type (or group) that are sampled in each of 10 draws "
            "and mixed with all faithful rows; the FFLM paper has 50, and 10 for XSum.",
        ),
    ] = 50
    rating_scale: Annotated[
        str | None,
        typer.Option(
            help="Least and greatest rating that people could give, as 1,5; for over- and "
            "under-prediction on the raw scale. Default: 0,1."
        ),
    ] = None
    draws: Annotated[int, typer.Option(min=10, help="Bootstrap draws.")] = 1000
    seed: SeedOption = 0

    @cached_property
    def settings(self) -> BenchSettings:
        from faithkit.evaluation.bench.statistics import BenchSettings
        from faithkit.evaluation.bench.thresholds import parse_thresholds

        return BenchSettings(
            self.draws,
            self.seed,
            parse_thresholds(self.thresholds),
            self.error_cases,
            _scale(self.rating_scale),
        )


@dataclass(frozen=True)
class DataOptions(FieldOptions, StatisticsOptions):
    """Datasets and metrics, where the files are, and what the figures are computed with."""

    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "-d",
            "--dataset",
            help="NAME (see `datasets list`), NAME[split=val] for one split, "
            "NAME[key=value,...] (as frank[documents=20]), NAME+NAME to pool, or a file of "
            "labelled or rated pairs; repeatable.",
        ),
    ] = None
    metric: MetricOption = None
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first documents of each dataset.")
    ] = None
    data_dir: DataOption = None

    @cached_property
    def datasets(self) -> list[str]:
        return self.dataset or []

    @cached_property
    def specs(self) -> list[MetricSpec]:
        from faithkit.metrics.spec import MetricSpec

        return [MetricSpec.parse(text) for text in self.metric or ()]

    def table(self, name: str) -> JudgedTable:
        """A dataset's judged table, without scores and without any texts."""
        from faithkit.evaluation import examples
        from faithkit.evaluation.bench.thresholds import needs_no_choice, tested_rows

        table = examples.judged(name, self.data_dir, self.limit, self.columns())
        if not needs_no_choice(self.settings.thresholds):
            return table
        return table.take(*tested_rows(table))

    def read_all(self, name: str) -> tuple[tuple[str, ...], list[Example]]:
        """The tasks and the rows of a dataset."""
        from faithkit.evaluation import examples

        return examples.read(name, self.data_dir, self.limit, self.columns())

    def read(self, name: str) -> tuple[JudgedTable, list[Example]]:
        """A dataset's judged table, without scores, and its rows with their texts."""
        from faithkit.evaluation.bench.thresholds import needs_no_choice, tested_rows
        from faithkit.evaluation.judged import JudgedTable, judged_row

        tasks, texts = self.read_all(name)
        table = JudgedTable(name, [judged_row(example) for example in texts], tasks=tasks)
        if not needs_no_choice(self.settings.thresholds):
            return table, texts
        kept, notes = tested_rows(table)
        return table.take(kept, notes), [texts[number] for number in kept.tolist()]


@dataclass(frozen=True)
class ReportOptions:
    """What is computed and drawn besides the tables."""

    compare: Annotated[
        tuple[str, str] | None, typer.Option(help="Two metrics to compare, paired by row.")
    ] = None
    components: Annotated[
        bool,
        typer.Option(
            "--components",
            help="Correlate each metric's parts with one another, its value and people: Spearman, "
            "Pearson, Kendall.",
        ),
    ] = False
    worst: Annotated[
        int,
        typer.Option(min=0, help="Worst, and random, cases of over- and under-prediction to list."),
    ] = 5
    cases: Annotated[
        bool,
        typer.Option("--cases", help="Write these cases with their texts as well: cases.html."),
    ] = False
    plots: Annotated[bool, typer.Option("--plots", help="Draw the plots as well.")] = False


def bench(
    *,
    data: DataOptions,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder for values, tables and plots.")
    ] = "out/bench",
    results: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Recompute from an earlier output folder, or from what `faithkit score -o` wrote "
            "(with one -d). Nothing is scored.",
        ),
    ] = None,
    report: ReportOptions,
    runtime: RuntimeOptions,
    cache: CacheOptions,
    json_output: JsonOption = False,
) -> None:
    """Evaluate metrics against human judgements.

    Marks: † rows without a score are left out; ‡ rows without a verdict count as wrong; § texts
    were cut; ¶ the metric was trained on rows of this release.
    """
    from faithkit.evaluation.bench import tables
    from faithkit.records import ConfigError

    settings, folder = data.settings, Path(output)
    if results is not None:
        judged, texts = _saved(Path(results), data, report.cases)
    elif not data.datasets or not data.specs:
        raise ConfigError("bench needs -d DATASET and -m METRIC, or --from RESULTS.")
    else:
        judged, texts = _scored(data, folder, runtime, cache)
    computed = tables.compute(
        judged, settings, compare=report.compare, cases=report.worst, components=report.components
    )
    folder.mkdir(parents=True, exist_ok=True)
    tables.write(folder, computed, command=sys.argv[1:])
    paths = tables.plot(folder, computed) if report.plots else []
    tables.write_page(folder / "results.html", computed, paths)
    paths.append(folder / "results.html")
    if report.cases and computed.predictions:
        paths.append(_cases_page(folder, computed, texts))
    elif report.cases:
        typer.echo(
            "faithkit: --cases: no dataset here is rated, so nothing is over- or under-predicted",
            err=True,
        )
    if json_output:
        typer.echo((folder / "results.json").read_text(encoding="utf-8"), nl=False)
        return
    _show(computed, folder)
    for path in paths:
        typer.echo(f"{'Page' if path.suffix == '.html' else 'Plot'}: {path}")


def _scored(
    data: DataOptions,
    folder: Path,
    runtime: RuntimeOptions,
    cache: CacheOptions,
) -> tuple[list[JudgedTable], dict[str, list[Example]]]:
    """The datasets with the metrics' values, scored where the folder lacks them; and the texts."""
    from faithkit import run
    from faithkit.cli import terminal
    from faithkit.evaluation.bench.folder import score_dataset
    from faithkit.evaluation.bench.thresholds import refusal
    from faithkit.metrics import loading
    from faithkit.records import ConfigError

    for spec in loading.specs_of(data.specs):
        if data.settings.thresholds == "none" and not loading.gives_verdicts(spec):
            raise ConfigError(refusal(spec.label))
    named = {name: data.read(name) for name in data.datasets}
    prepared = run.prepare(data.specs, runtime.record())
    with cache.open() as store, terminal.named_progress() as progress:
        for table, texts in named.values():
            score_dataset(table, texts, prepared, folder, store, progress)
    return [table for table, _ in named.values()], {
        name: texts for name, (_, texts) in named.items()
    }


def _scale(text: str | None) -> tuple[float, float] | None:
    from faithkit.records import ConfigError

    if text is None:
        return None
    try:
        low, high = (float(piece) for piece in text.split(","))
        if not low < high:
            raise ValueError(text)
    except ValueError:
        raise ConfigError(
            f"--rating-scale wants the least and the greatest rating, as 1,5; found '{text}'"
        ) from None
    return low, high


def _show(computed: Results, folder: Path) -> None:
    from faithkit.cli import terminal
    from faithkit.evaluation.bench import predictions, tables

    titled = [(f"{table.title}, with 95% intervals", table) for table in tables.wide(computed)]
    more = tables.component_tables(computed) if computed.components else []
    titled += [
        (table.title, table) for table in (*predictions.tables_of(computed.predictions), *more)
    ]
    for title, table in titled:
        typer.echo(f"{title}\n")
        terminal.print_rows(table.header, table.rows)
        _echo_all([*table.footnotes, ""])
    if computed.comparison:
        rows, under = tables.comparison_rows(computed)
        terminal.print_comparison(rows)
        _echo_all([*under, ""])
    _echo_all(computed.all_notes())
    without = " without the comparison" if computed.compared else ""
    typer.echo(f"Every figure: {folder / 'results.md'} (.csv{without}, .json)")


def _echo_all(lines: Sequence[str]) -> None:
    for line in lines:
        typer.echo(line)


def _cases_page(folder: Path, computed: Results, texts: Mapping[str, Sequence[Example]]) -> Path:
    """cases.html. Raises ConfigError where there are no texts of the cases."""
    from faithkit.evaluation.bench import predictions
    from faithkit.records import ConfigError
    from faithkit.report import pages

    missing = [
        prediction.dataset for prediction in computed.predictions if prediction.dataset not in texts
    ]
    if missing:
        raise ConfigError(
            f"--cases: a folder of results has no texts; name the dataset as well, -d {missing[0]}"
        )
    path = folder / "cases.html"
    sections = predictions.case_sections(computed.predictions, texts)
    pages.cases_page(path, "Over- and under-prediction", sections)
    return path


def _saved(
    path: Path, data: DataOptions, with_texts: bool
) -> tuple[list[JudgedTable], dict[str, list[Example]]]:
    """The tables of an earlier run, narrowed to the datasets and metrics that were named; and the
    texts, where they were asked for and the datasets named."""
    from faithkit import manifests
    from faithkit.evaluation import examples, joining
    from faithkit.evaluation.bench import folder
    from faithkit.evaluation.bench.thresholds import needs_no_choice, tested_rows
    from faithkit.records import ConfigError, DataError, did_you_mean

    texts: dict[str, list[Example]] = {}
    if path.is_file() or manifests.is_sharded(path):
        if len(data.datasets) != 1:
            raise ConfigError(f"--from {path}: name the dataset it scores with one -d")
        name = data.datasets[0]
        if with_texts:
            table, texts[name] = data.read(name)
        else:
            table = data.table(name)
        with examples.open_file_of(name, data.columns()) as pairs:
            table.columns = joining.join_columns(table, pairs, [path], complete=True)
        tables = [table]
    elif path.is_dir():
        if data.columns().customised and not with_texts:
            raise ConfigError(f"--from {path}: its rows are saved; --column and --labels are for "
                              "files that are read")  # fmt: skip
        tables = folder.load_folder(path)
        names = [table.name for table in tables]
        for name in data.datasets:
            if name not in names:
                raise ConfigError(f"{path} has no dataset '{name}'.{did_you_mean(name, names)}")
        tables = [table for table in tables if not data.datasets or table.name in data.datasets]
        if needs_no_choice(data.settings.thresholds):
            tables = [table.take(*tested_rows(table)) for table in tables]
        if with_texts:
            texts = {table.name: _texts_of(table, data) for table in tables
                     if table.name in data.datasets}  # fmt: skip
    else:
        raise DataError(f"{path}: no such file or folder")
    labels = [spec.label for spec in data.specs]
    for table in tables:
        for label in labels:
            if label not in table.columns:
                raise ConfigError(f"{path}: {table.name} has no '{label}'."
                                  f"{did_you_mean(label, table.columns)}")  # fmt: skip
        if labels:
            table.columns = {label: table.columns[label] for label in labels}
    return tables, texts


def _texts_of(table: JudgedTable, data: DataOptions) -> list[Example]:
    """The examples of a saved table's rows. Raises DataError where they are no longer there."""
    from faithkit.records import DataError

    by_id = {row.id: row for row in data.read_all(table.name)[1]}
    missing = [identity for identity in table.ids if identity not in by_id]
    if missing:
        raise DataError(
            f"{table.name}: {len(missing)} of the {len(table.rows)} rows of the results are not "
            f"in the dataset, the first '{missing[0]}'; was it read with another --limit?"
        )
    return [by_id[identity] for identity in table.ids]
