"""The commands `faithkit score` and `faithkit check`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli.common import (
    AllowUnscoredOption,
    BatchOption,
    CacheOption,
    DeviceOption,
    DocumentOption,
    DtypeOption,
    FormatOption,
    GateOption,
    IdOption,
    JsonOption,
    LabelOption,
    LabelsOption,
    MetricOption,
    NoCacheOption,
    OfflineOption,
    PairOption,
    PresetOption,
    RatingOption,
    SourceOption,
    StrictOption,
    SummaryOption,
    SystemOption,
    check_gates,
    exit_code,
    gates_of,
    metric_specs,
    open_store,
    progress_of,
    read_text,
)
from faithkit.cli.pairs import columns_of

if TYPE_CHECKING:
    from faithkit.cache import Cache
    from faithkit.files import Rows
    from faithkit.run import Prepared, Tally


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    app.command()(score)
    app.command()(check)


def score(
    pairs: Annotated[
        str,
        typer.Argument(
            help="JSONL, JSON, CSV, TSV, Parquet or XLSX by ending, plain or .gz; - for stdin."
        ),
    ],
    metric: MetricOption = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="JSONL, CSV, TSV or Parquet by ending.")
    ] = None,
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "id",
    document_column: DocumentOption = "document",
    pair_column: PairOption = "pair",
    system_column: SystemOption = "system",
    label_column: LabelOption = "label",
    labels: LabelsOption = None,
    rating_column: RatingOption = "score",
    input_format: FormatOption = "jsonl",
    fail_under: GateOption = None,
    allow_unscored: AllowUnscoredOption = False,
    strict: StrictOption = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first rows.")] = None,
    batch_size: BatchOption = None,
    resume: Annotated[
        bool, typer.Option(help="Go on with an output that an earlier run left.")
    ] = True,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    preset: PresetOption = None,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Tab-separated rows instead of a table.")
    ] = False,
) -> None:
    """Score a file of (source, summary) pairs."""
    from pathlib import Path

    from faithkit import files, run
    from faithkit.cli import terminal
    from faithkit.models.runtime import Runtime

    gates = gates_of(fail_under)
    columns = columns_of(
        source_column,
        summary_column,
        id_column,
        document_column,
        pair_column,
        system_column,
        label_column,
        rating_column,
        labels,
    )
    if output is not None:
        files.format_of(Path(output))
    # Before a long file is read.
    specs = metric_specs(metric or run.DEFAULT_METRICS, preset)
    # What is known of a pair is read for those metrics only that need it.
    with files.open_pairs(pairs, columns.without(*files.KNOWN), input_format) as rows:
        if rows.note:
            typer.echo(f"faithkit: {rows.note}", err=True)
        prepared = run.prepare(specs, Runtime(device, dtype, offline))
        needs = frozenset[str]().union(*(one.metric.needs for one in prepared))
        rows = rows.with_fields(needs, columns)
        check_gates(gates, prepared)
        with open_store(cache, no_cache) as store, progress_of(rows, limit) as progress:
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
    scored = run.scored_batches(
        prepared, islice(iter(rows), limit), store, batch_size=batch_size, progress=progress
    )
    for _, batch in scored:
        for found in (one for row in batch for one in row):
            tallies[found.metric].add(found)
            if json_output:
                typer.echo(files.to_line(found), nl=False)
            elif quiet:
                typer.echo(terminal.tsv_row(found))
    return tallies


def check(
    source: Annotated[str, typer.Option(help="File with the source text.")],
    summary: Annotated[str, typer.Option(help="File with the summary; - for standard input.")],
    metric: MetricOption = None,
    fail_under: GateOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    preset: PresetOption = None,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
) -> None:
    """Check one summary: its unsupported words, each with the best evidence in the source."""
    from faithkit import files, run
    from faithkit.cli import terminal
    from faithkit.models.runtime import Runtime
    from faithkit.records import Example

    gates = gates_of(fail_under)
    example = Example("summary", read_text(source), read_text(summary))
    prepared = run.prepare(
        metric_specs(metric or run.DEFAULT_METRICS, preset), Runtime(device, dtype, offline)
    )
    check_gates(gates, prepared)
    with open_store(cache, no_cache) as store:
        (scores,) = run.score_batch(prepared, [example], store)
    if json_output:
        for found in scores:
            typer.echo(files.to_line(found), nl=False)
    else:
        terminal.print_check(example, scores, prepared)
    tallies = run.tallies_of(prepared, scores)
    exit_code(tallies, gates, strict=False)
