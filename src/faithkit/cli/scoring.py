"""The commands `faithkit score` and `faithkit check`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import (
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
    from faithkit.files import Rows
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


def score(
    pairs: Annotated[
        str,
        typer.Argument(
            help="JSONL, JSON, CSV, TSV, Parquet or XLSX by ending, plain or .gz; - for stdin."
        ),
    ],
    *,
    metric: DefaultMetricOption = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="JSONL, CSV, TSV or Parquet by ending.")
    ] = None,
    layout: ColumnOptions,
    fail_under: GateOption = None,
    allow_unscored: Annotated[
        bool,
        typer.Option(
            "--allow-unscored",
            help="Rows without a score do not fail --fail-under while others have.",
        ),
    ] = False,
    strict: StrictOption = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first rows.")] = None,
    batch_size: BatchOption = None,
    resume: Annotated[
        bool, typer.Option(help="Go on with an output that an earlier run left.")
    ] = True,
    runtime: RuntimeOptions,
    preset: PresetOption = None,
    cache: CacheOptions,
    json_output: JsonOption = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Tab-separated rows instead of a table.")
    ] = False,
) -> None:
    """Score a file of (source, summary) pairs."""
    from pathlib import Path

    from faithkit import files, run
    from faithkit.cli import terminal

    gates = gates_of(fail_under)
    columns = layout.columns()
    if output is not None:
        files.format_of(Path(output))
    # Before a long file is read.
    specs = metric_specs(metric or run.DEFAULT_METRICS, preset)
    # What is known of a pair is read for those metrics only that need it.
    with files.open_pairs(pairs, columns.without(*files.KNOWN), layout.input_format) as rows:
        if rows.note:
            typer.echo(f"faithkit: {rows.note}", err=True)
        prepared = run.prepare(specs, runtime.record())
        needs = frozenset[str]().union(*(scorer.metric.needs for scorer in prepared))
        rows = rows.with_fields(needs, columns)
        check_gates(gates, prepared)
        with cache.open() as store, progress_of(rows, limit) as progress:
            if output is not None:
                tallies = run.run_to_file(
                    rows,
                    prepared,
                    Path(output),
                    store,
                    limit=limit,
                    batch_size=batch_size,
                    resume=resume,
                    progress=progress,
                )
            else:
                tallies = _run_to_screen(
                    rows, prepared, store, limit, batch_size, progress, json_output, quiet
                )
    if output is not None and json_output:
        typer.echo(terminal.tallies_json(tallies))
    elif not (json_output or quiet):
        terminal.print_tallies(tallies, prepared)
        if output is not None:
            typer.echo(f"Rows: {output}")
    exit_code(tallies, gates, strict, allow_unscored)


def _run_to_screen(
    rows: Rows,
    prepared: Sequence[Prepared],
    store: Cache,
    limit: int | None,
    batch_size: int | None,
    progress: Callable[[int], None],
    json_output: bool,
    quiet: bool,
) -> dict[str, Tally]:
    """Scores without an output file: rows go to standard output as JSON or TSV, or nowhere."""
    from itertools import islice

    from faithkit import files, run
    from faithkit.cli import terminal

    tallies = run.tallies_of(prepared)
    if quiet and not json_output:
        typer.echo("id\tmetric\tvalue\toutcome")
    batches = run.scored_batches(
        prepared, islice(iter(rows), limit), store, batch_size=batch_size, progress=progress
    )
    for _, batch in batches:
        for score in (score for row in batch for score in row):
            tallies[score.metric].add(score)
            if json_output:
                typer.echo(files.to_line(score), nl=False)
            elif quiet:
                typer.echo(terminal.tsv_row(score))
    return tallies


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
