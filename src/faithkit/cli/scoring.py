"""The commands `faithkit score` and `faithkit check`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli.common import (
    BatchOption,
    CacheOption,
    DeviceOption,
    DtypeOption,
    FormatOption,
    GateOption,
    GroupOption,
    IdOption,
    JsonOption,
    LabelOption,
    MetricOption,
    NoCacheOption,
    OfflineOption,
    PresetOption,
    RatingOption,
    SourceOption,
    StrictOption,
    SummaryOption,
    SystemOption,
    check_gates,
    exit_code,
    gates_of,
    open_store,
    progress_of,
    read_text,
    with_preset,
)

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
        str, typer.Argument(help="JSONL, CSV, TSV or Parquet by ending; - for stdin.")
    ],
    metric: MetricOption = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="JSONL, CSV, TSV or Parquet by ending.")
    ] = None,
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "id",
    group_column: GroupOption = "group",
    system_column: SystemOption = "system",
    label_column: LabelOption = "label",
    rating_column: RatingOption = "score",
    input_format: FormatOption = "jsonl",
    fail_under: GateOption = None,
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

    gates = gates_of(fail_under)
    columns = files.Columns(
        source=source_column,
        summary=summary_column,
        id=id_column,
        group=group_column,
        system=system_column,
        label=label_column,
        rating=rating_column,
    )
    if output is not None:
        files.format_of(Path(output))
    requests = with_preset(metric or run.DEFAULT_METRICS, preset)
    run.check_requests(requests)  # before a long file is read
    with files.open_pairs(pairs, columns, input_format) as rows:
        prepared = run.prepare(requests, device=device, dtype=dtype, offline=offline)
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
    exit_code(tallies, gates, strict)


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

    tallies = {one.label: run.Tally() for one in prepared}
    if quiet and not json_output:
        typer.echo("id\tmetric\tvalue\toutcome")
    scored = run.scored_batches(
        prepared, islice(iter(rows), limit), store, batch_size=batch_size, progress=progress
    )
    for _, batch in scored:
        for found in (one for row in batch for one in row):
            tallies[found.metric].add(found.value, found.outcome, found.parts)
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
    from faithkit.records import Example

    gates = gates_of(fail_under)
    example = Example("summary", read_text(source), read_text(summary))
    prepared = run.prepare(
        with_preset(metric or run.DEFAULT_METRICS, preset),
        device=device,
        dtype=dtype,
        offline=offline,
    )
    check_gates(gates, prepared)
    with open_store(cache, no_cache) as store:
        (scores,) = run.score_batch(prepared, [example], store)
    if json_output:
        for found in scores:
            typer.echo(files.to_line(found), nl=False)
    else:
        terminal.print_check(example, scores, prepared)
    tallies = {one.label: run.Tally() for one in prepared}
    for found in scores:
        tallies[found.metric].add(found.value, found.outcome, found.parts)
    exit_code(tallies, gates, strict=False)
