"""The commands `faithkit score` and `faithkit check`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import (
    check_choice,
    check_gates,
    exit_code,
    gates_of,
    metric_specs,
    progress_of,
    read_text,
)
from faithkit.cli.options import (
    BatchOption,
    CacheOptions,
    ColumnOptions,
    GateOption,
    JsonOption,
    PresetOption,
    RuntimeOptions,
    StrictOption,
)

if TYPE_CHECKING:
    from faithkit.cache import Cache
    from faithkit.files import Columns, Rows
    from faithkit.metrics.spec import MetricSpec
    from faithkit.models.runtime import Runtime
    from faithkit.run import Prepared, Tally

DefaultMetricOption = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        help="NAME[:key=value,...] or path.py:Class; repeatable. Default: support.",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    options.register(app, score, check)


@dataclass(frozen=True)
class GateOptions:
    """When a finished run fails."""

    fail_under: GateOption = None
    allow_unscored: Annotated[
        bool,
        typer.Option(
            "--allow-unscored",
            help="Rows without a score do not fail --fail-under while others have.",
        ),
    ] = False
    strict: StrictOption = False

    def gates(self) -> dict[str, float]:
        return gates_of(self.fail_under)


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
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that score into a FOLDER/. Default: 1.")
    ] = None
    engine: Annotated[
        str,
        typer.Option(
            help="What runs the workers of a FOLDER/: local, or ray, a cluster whose machines all "
            "see the files."
        ),
    ] = "local"
    address: Annotated[
        str | None,
        typer.Option(help="Of the Ray cluster. Default: RAY_ADDRESS, or a new one here."),
    ] = None
    allow_duplicate_ids: Annotated[
        bool,
        typer.Option(
            "--allow-duplicate-ids", help="Into a FOLDER/: score rows whose ids are used twice."
        ),
    ] = False
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first rows.")] = None
    resume: Annotated[bool, typer.Option(help="Go on with an output that an earlier run left.")] = (
        True
    )
    batch_size: BatchOption = None
    json_output: JsonOption = False
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Tab-separated rows instead of a table.")
    ] = False

    @property
    def into_folder(self) -> bool:
        """Whether the output is a folder, of which the rows of any number of files are shards."""
        return self.output is not None and (
            self.output.endswith("/") or "://" in self.output or Path(self.output).is_dir()
        )

    def check(self, pairs: str) -> None:
        """Refuses, before a long file is read, what does not go together."""
        from faithkit import files
        from faithkit.records import ConfigError

        check_choice("--engine", self.engine, ("local", "ray"))
        if self.address and self.engine != "ray":
            raise ConfigError("--address is that of a cluster for --engine ray")
        if self.into_folder:
            if pairs == "-":
                raise ConfigError("standard input is scored into a file; -o FOLDER/ is for files")
            if self.limit is not None:
                raise ConfigError("--limit is for an output file, not for -o FOLDER/")
            return
        if self.workers or self.allow_duplicate_ids or self.engine != "local":
            raise ConfigError("--workers, --engine and --allow-duplicate-ids need -o FOLDER/")
        if self.output is not None:
            files.format_of(Path(self.output))
        if (
            "://" in pairs
            or Path(pairs).is_dir()
            or (set("*?[|") & set(pairs) and not Path(pairs).is_file())
        ):
            raise ConfigError(f"{pairs} may be several files: score them with -o FOLDER/")

    def score(self, rows: Rows, prepared: Sequence[Prepared], store: Cache) -> dict[str, Tally]:
        """Scores the rows into the file, or onto the screen."""
        from faithkit import run

        with progress_of(rows, self.limit) as progress:
            if self.output is None:
                return self._to_screen(rows, prepared, store, progress)
            return run.run_to_file(
                rows,
                prepared,
                Path(self.output),
                store,
                limit=self.limit,
                batch_size=self.batch_size,
                resume=self.resume,
                progress=progress,
            )

    def _to_screen(
        self,
        rows: Rows,
        prepared: Sequence[Prepared],
        store: Cache,
        progress: Callable[[int], None],
    ) -> dict[str, Tally]:
        """Without an output file rows go to standard output as JSON or TSV, or nowhere."""
        from faithkit import files, run
        from faithkit.cli import terminal

        tallies = run.tallies_of(prepared)
        if self.quiet and not self.json_output:
            typer.echo("id\tmetric\tvalue\toutcome")
        examples = islice(iter(rows), self.limit)
        for _, batch in run.scored_batches(
            prepared, examples, store, batch_size=self.batch_size, progress=progress
        ):
            for score in chain.from_iterable(batch):
                tallies[score.metric].add(score)
                if self.json_output:
                    typer.echo(files.to_line(score), nl=False)
                elif self.quiet:
                    typer.echo(terminal.tsv_row(score))
        return tallies

    def score_folder(
        self,
        pairs: str,
        specs: Sequence[MetricSpec],
        prepared: Sequence[Prepared],
        columns: Columns,
        runtime: Runtime,
        cache: Path | None,
    ) -> dict[str, Tally]:
        """Scores files into a folder, shard by shard."""
        from faithkit import scale
        from faithkit.cli import terminal

        settings = scale.Settings(
            self.workers or 1, cache, self.batch_size, self.resume, self.allow_duplicate_ids,
            engine="ray" if self.engine == "ray" else "local", address=self.address,
        )  # fmt: skip
        with terminal.named_progress() as progress:
            return scale.score_files(
                pairs, specs, prepared, self.output or "", columns=columns, runtime=runtime,
                settings=settings, progress=progress,
            )  # fmt: skip

    def show(self, tallies: dict[str, Tally], prepared: Sequence[Prepared]) -> None:
        """What came of it, where no rows were shown."""
        from faithkit.cli import terminal

        if self.output is not None and self.json_output:
            typer.echo(terminal.tallies_json(tallies))
        elif not (self.json_output or self.quiet):
            terminal.print_tallies(tallies, prepared)
            if self.output is not None:
                typer.echo(f"Rows: {self.output}")


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
    gate: GateOptions,
    layout: ColumnOptions,
    runtime: RuntimeOptions,
    preset: PresetOption = None,
    cache: CacheOptions,
) -> None:
    """Score a file of (source, summary) pairs."""
    from faithkit import files, run

    gates = gate.gates()
    columns = layout.columns()
    output.check(pairs)
    # Before a long file is read.
    specs = metric_specs(metric or run.DEFAULT_METRICS, preset)
    if output.into_folder:
        prepared = run.prepare(specs, runtime.record())
        check_gates(gates, prepared)
        tallies = output.score_folder(
            pairs, specs, prepared, columns, runtime.record(), cache.path()
        )
        output.show(tallies, prepared)
        exit_code(tallies, gates, gate.strict, gate.allow_unscored)
        return
    # What is known of a pair is read for those metrics only that need it.
    with files.open_pairs(pairs, columns.without(*files.KNOWN), layout.input_format) as rows:
        if rows.note:
            typer.echo(f"faithkit: {rows.note}", err=True)
        prepared = run.prepare(specs, runtime.record())
        needs = frozenset[str]().union(*(scorer.metric.needs for scorer in prepared))
        rows = rows.with_fields(needs, columns)
        check_gates(gates, prepared)
        with cache.open() as store:
            tallies = output.score(rows, prepared, store)
    output.show(tallies, prepared)
    exit_code(tallies, gates, gate.strict, gate.allow_unscored)


def check(
    *,
    source: Annotated[str, typer.Option(help="File with the source text.")],
    summary: Annotated[str, typer.Option(help="File with the summary; - for standard input.")],
    metric: DefaultMetricOption = None,
    fail_under: GateOption = None,
    runtime: RuntimeOptions,
    preset: PresetOption = None,
    cache: CacheOptions,
    json_output: JsonOption = False,
) -> None:
    """Check one summary: its unsupported words, each with the best evidence in the source."""
    from faithkit import files, run
    from faithkit.cli import terminal_check
    from faithkit.records import Example

    gates = gates_of(fail_under)
    example = Example("summary", read_text(source), read_text(summary))
    specs = metric_specs(metric or run.DEFAULT_METRICS, preset)
    prepared = run.prepare(specs, runtime.record())
    check_gates(gates, prepared)
    with cache.open() as store:
        (scores,) = run.score_batch(prepared, [example], store)
    if json_output:
        for score in scores:
            typer.echo(files.to_line(score), nl=False)
    else:
        terminal_check.print_check(example, scores, prepared)
    exit_code(run.tallies_of(prepared, scores), gates, strict=False)
