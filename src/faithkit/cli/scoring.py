"""The command `faithkit score`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import (
    check_apart,
    check_writable,
    metric_specs,
    progress_of,
)
from faithkit.cli.folder import FolderOptions
from faithkit.cli.gates import GateOptions
from faithkit.cli.options import (
    BatchOption,
    CacheOptions,
    ColumnOptions,
    DefaultMetricOption,
    HtmlOption,
    JsonOption,
    PresetOption,
    RuntimeOptions,
)

if TYPE_CHECKING:
    from faithkit.cache import Cache
    from faithkit.files import Rows
    from faithkit.records import Example, Score
    from faithkit.run import Prepared, Scoring, Tally, Watch


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    options.register(app, score)


@dataclass(frozen=True)
class OutputOptions:
    """Where the rows go, and which."""

    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="JSONL, CSV, TSV or Parquet by ending; or FOLDER/, for any number of files.",
        ),
    ] = None
    limit: Annotated[int | None, typer.Option(min=1, help="Score only the first rows.")] = None
    resume: Annotated[bool, typer.Option(help="Resume an interrupted run.")] = True
    keep_columns: Annotated[
        bool,
        typer.Option(
            "--keep-columns",
            help="CSV, TSV and Parquet have the texts and the other columns of the input too.",
        ),
    ] = False
    batch_size: BatchOption = None
    html: HtmlOption = None
    json_output: JsonOption = False
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Tab-separated rows instead of a table.")
    ] = False

    @property
    def into_folder(self) -> bool:
        """Whether the output is a folder, of which the rows of any number of files are shards."""
        return self.output is not None and (
            self.output.endswith("/")
            or "://" in self.output
            or (Path(self.output).is_dir() and not Path(self.output).suffix)
        )

    def check(self) -> None:
        from faithkit import extras, files
        from faithkit.records import ConfigError

        if self.into_folder:
            for option, given in (
                ("--limit", self.limit), ("--keep-columns", self.keep_columns),
                ("--html", self.html),
            ):  # fmt: skip
                if given:
                    raise ConfigError(f"{option} is for an output file, not for -o FOLDER/")
            return
        format = None if self.output is None else files.format_of(Path(self.output))
        if format == "parquet":
            extras.require(("pyarrow",), f"{self.output}: writing Parquet")
        if self.keep_columns and format in (None, "jsonl"):
            raise ConfigError(
                "--keep-columns is for an --output of flat columns: .csv, .tsv or .parquet"
            )
        check_writable(self.html, ending=".html")

    def score(
        self,
        rows: Rows,
        prepared: Sequence[Prepared],
        store: Cache,
        watch: Watch,
        scoring: Scoring,
    ) -> dict[str, Tally]:
        """Scores the rows into the file, or onto the screen, and into the page; `watch` sees
        each."""
        if self.html is None:
            return self._scored(rows, prepared, store, watch, scoring)
        from faithkit.report.results_page import ResultsPage
        from faithkit.results import shown_metrics

        with ResultsPage(shown_metrics(prepared)) as page:

            def watch_and_add(example: Example, scores: Sequence[Score]) -> None:
                watch(example, scores)
                page.add(example, scores)

            tallies = self._scored(rows, prepared, store, watch_and_add, scoring)
            output = [] if self.output is None else [Path(self.output).name]
            unscored = rows.count - len(page)
            shown = {"pairs": rows.path.name, "scores": output, "rows": len(page)}
            page.write(Path(self.html), files=[{**shown, "unscored": unscored, "finished": ""}])
        return tallies

    def _scored(
        self,
        rows: Rows,
        prepared: Sequence[Prepared],
        store: Cache,
        watch: Watch,
        scoring: Scoring,
    ) -> dict[str, Tally]:
        from faithkit import run

        with progress_of(rows, self.limit) as progress:
            if self.output is None:
                return self._to_screen(rows, prepared, store, watch, progress, scoring)
            return run.run_to_file(
                rows,
                prepared,
                Path(self.output),
                store,
                limit=self.limit,
                batch_size=self.batch_size,
                resume=self.resume,
                keep_columns=self.keep_columns,
                watch=watch,
                progress=progress,
                scoring=scoring,
            )

    def _to_screen(
        self,
        rows: Rows,
        prepared: Sequence[Prepared],
        store: Cache,
        watch: Watch,
        progress: Callable[[int], None],
        scoring: Scoring,
    ) -> dict[str, Tally]:
        """Without an output file rows go to standard output as JSON or TSV, or nowhere."""
        from faithkit import files, run
        from faithkit.cli import terminal

        tallies = run.tallies_of(prepared)
        if self.quiet and not self.json_output:
            typer.echo("id\tmetric\tvalue\toutcome")
        examples = islice(iter(rows), self.limit)
        for batch, scored in scoring(
            prepared, examples, store, batch_size=self.batch_size, progress=progress
        ):
            for example, scores in zip(batch, scored, strict=True):
                watch(example, scores)
                for score in scores:
                    tallies[score.metric].add(score)
                    if self.json_output:
                        typer.echo(files.to_line(score), nl=False)
                    elif self.quiet:
                        typer.echo(terminal.tsv_row(score))
        return tallies

    def show(self, tallies: dict[str, Tally], prepared: Sequence[Prepared]) -> None:
        """What came of it, where no rows were shown."""
        from faithkit.cli import terminal

        if self.output is not None and self.json_output:
            typer.echo(terminal.tallies_json(tallies))
        elif not (self.json_output or self.quiet):
            terminal.print_tallies(tallies, prepared)
            if self.output is not None:
                typer.echo(f"Rows: {self.output}")
            if self.html is not None:
                typer.echo(f"Page: {self.html}")


def score(
    pairs: Annotated[
        str,
        typer.Argument(
            help="JSONL, JSON, CSV, TSV, Parquet or XLSX by ending, plain or .gz; - for stdin; "
            "with -o FOLDER/ also a folder, a pattern such as 'dir/*.parquet', or a URL."
        ),
    ],
    *,
    metric: DefaultMetricOption = None,
    output: OutputOptions,
    folder: FolderOptions,
    gate: GateOptions,
    layout: ColumnOptions,
    runtime: RuntimeOptions,
    preset: PresetOption = None,
    cache: CacheOptions,
) -> None:
    """Score a file of (source, summary) pairs."""
    from faithkit import files, run
    from faithkit.columns import OPTIONAL_FIELDS

    gate.check()
    columns = layout.columns()
    output.check()
    outputs = (output.output, output.html, gate.junit, gate.sarif)
    check_apart([pairs, gate.baseline], outputs)
    folder.check(pairs, output.into_folder, gate)
    # Before a long file is read.
    specs = metric_specs(metric or run.DEFAULT_METRICS, preset)
    if output.into_folder:
        prepared = run.prepare(specs, runtime.record())
        gate.start(prepared)
        tallies = folder.score(
            pairs, specs, prepared, output, columns=columns, runtime=runtime.record(), cache=cache
        )
        output.show(tallies, prepared)
        gate.exit(tallies, [])
        return
    # What is known of a pair is read for those metrics only that need it, and for the page.
    read = columns if output.html else columns.without(*OPTIONAL_FIELDS)
    with files.open_pairs(pairs, read, layout.input_format) as rows:
        scoring = folder.scoring(specs, runtime.record())
        prepared = run.prepare(specs, runtime.record())
        needs = frozenset[str]().union(*(scorer.metric.needs for scorer in prepared))
        rows = rows.with_fields(OPTIONAL_FIELDS if output.html else needs, columns)
        if rows.note:
            typer.echo(f"faithkit: {rows.note}", err=True)
        watched = gate.start(prepared, rows, output.limit)
        with cache.open() as store:
            tallies = output.score(rows, prepared, store, watched.add, scoring)
        failed = gate.end(watched, rows, tallies)
    output.show(tallies, prepared)
    gate.exit(tallies, failed)
