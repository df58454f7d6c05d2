"""The command line: reads arguments, calls the library, prints, and sets the exit code.

Nothing is computed here. Exit codes: 0 done, 1 below the gate, 2 bad usage or input, 3 incomplete
(some rows unscored and --strict), 130 interrupted. Commands import what they need when they run,
so that --help is quick.
"""

from __future__ import annotations

import math
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from faithkit.cache import Cache
    from faithkit.files import Rows
    from faithkit.run import Prepared, Tally

BELOW, BAD, INCOMPLETE, INTERRUPTED = 1, 2, 3, 130


class _Program(TyperGroup):
    """Where errors become one line on stderr and an exit code, before Typer's own endings."""

    def invoke(self, ctx: Any) -> Any:
        from faithkit.records import FaithkitError

        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except FaithkitError as error:
            _end(str(error), BAD)
        except KeyboardInterrupt:
            _end("interrupted; what was scored is kept.", INTERRUPTED)
        except BrokenPipeError:
            # The reader (head, less) has gone: there is nobody to tell, nor at the last flush.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        except OSError as error:
            _end(f"{error.filename or 'input or output'}: {error.strerror or error}", BAD)
        return result


def _end(message: str, code: int) -> NoReturn:
    typer.echo(f"faithkit: {message}", err=True)
    sys.exit(code)


app = typer.Typer(
    cls=_Program,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="How faithful is a summary to its source, which words are unsupported, and how far can "
    "the number be trusted?",
)
metrics_app = typer.Typer(no_args_is_help=True, help="The metrics there are.")
models_app = typer.Typer(no_args_is_help=True, help="The models that come with faithkit.")
app.add_typer(metrics_app, name="metrics")
app.add_typer(models_app, name="models")

MetricOption = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        help="NAME[:key=value,...] or path.py:Class; repeatable. Default: bertscore and ner.",
    ),
]
GateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        help="Exit 1 where a metric's mean is under X; METRIC=X for one metric; repeatable.",
    ),
]
DeviceOption = Annotated[
    str | None, typer.Option(help="cpu, cuda, cuda:1, mps. Default: the best there is.")
]
DtypeOption = Annotated[str | None, typer.Option(help="float32, bfloat16 or float16.")]
OfflineOption = Annotated[
    bool, typer.Option("--offline", help="Never touch the network; say what is missing.")
]
PresetOption = Annotated[
    str | None, typer.Option(help="Settings for every metric that has them: paper.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON on standard output.")]
CacheOption = Annotated[
    str | None, typer.Option(help="SQLite file of scores. Default: in the user's cache directory.")
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Reuse only what this run itself has scored.")
]


def main() -> None:
    """The `faithkit` program."""
    app()


@app.command()
def score(
    pairs: Annotated[
        str, typer.Argument(help="JSONL, CSV, TSV or Parquet by ending; - for stdin.")
    ],
    metric: MetricOption = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="JSONL, CSV, TSV or Parquet by ending.")
    ] = None,
    source_column: Annotated[str, typer.Option(help="Column of the source text.")] = "source",
    summary_column: Annotated[str, typer.Option(help="Column of the summary.")] = "summary",
    id_column: Annotated[
        str, typer.Option(help="Column of the row's id. Without one, ids are row numbers.")
    ] = "id",
    group_column: Annotated[str, typer.Option(help="Column of the source's identity.")] = "group",
    system_column: Annotated[str, typer.Option(help="Column of the summariser.")] = "system",
    label_column: Annotated[str, typer.Option(help="Column of the label, 1 or 0.")] = "label",
    rating_column: Annotated[str, typer.Option(help="Column of the human rating.")] = "score",
    input_format: Annotated[
        str, typer.Option(help="Format of standard input: jsonl, csv or tsv.")
    ] = "jsonl",
    fail_under: GateOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 3 if a row has no score.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first rows.")] = None,
    batch_size: Annotated[
        int, typer.Option(min=1, help="Rows handed to a metric at once; changes no value.")
    ] = 64,
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

    from faithkit import files, run, terminal

    gates = _gates(fail_under)
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
    with files.open_pairs(pairs, columns, input_format) as rows:
        prepared = run.prepare(
            _with_preset(metric or run.DEFAULT_METRICS, preset),
            device=device,
            dtype=dtype,
            offline=offline,
        )
        _known_gates(gates, prepared)
        with open_store(cache, no_cache) as store, _progress(rows, limit) as progress:
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
    _exit_code(tallies, gates, strict)


def _run_to_screen(
    rows: Rows,
    prepared: Sequence[Prepared],
    store: Cache,
    limit: int | None,
    batch_size: int,
    progress: Callable[[int], None],
    json_output: bool,
    quiet: bool,
) -> dict[str, Tally]:
    """Scores without an output file: rows go to standard output as JSON or TSV, or nowhere."""
    from itertools import islice

    from faithkit import files, run, terminal

    tallies = {one.label: run.Tally() for one in prepared}
    done = 0
    if quiet and not json_output:
        typer.echo("id\tmetric\tvalue\toutcome")
    for batch in run.batched(islice(iter(rows), limit), batch_size):
        for found in (one for row in run.score_batch(prepared, batch, store) for one in row):
            tallies[found.metric].add(found.value, found.outcome)
            if json_output:
                typer.echo(files.to_line(found), nl=False)
            elif quiet:
                typer.echo(terminal.tsv_row(found))
        done += len(batch)
        progress(done)
    return tallies


@app.command()
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
    from faithkit import files, run, terminal
    from faithkit.records import Example

    gates = _gates(fail_under)
    example = Example("summary", _read(source), _read(summary))
    prepared = run.prepare(
        _with_preset(metric or run.DEFAULT_METRICS, preset),
        device=device,
        dtype=dtype,
        offline=offline,
    )
    _known_gates(gates, prepared)
    with open_store(cache, no_cache) as store:
        (scores,) = run.score_batch(prepared, [example], store)
    if json_output:
        for found in scores:
            typer.echo(files.to_line(found), nl=False)
    else:
        terminal.print_check(example, scores, prepared)
    tallies = {one.label: run.Tally() for one in prepared}
    for found in scores:
        tallies[found.metric].add(found.value, found.outcome)
    _exit_code(tallies, gates, strict=False)


@metrics_app.command("list")
def metrics_list(json_output: JsonOption = False) -> None:
    """Every metric: its name and what its number means."""
    from faithkit import metrics, terminal

    found = [(name, metrics.metric_class(metrics.parse_request(name).target))
             for name in metrics.names()]  # fmt: skip
    terminal.print_rows(
        ["metric", "range", "what the number means"],
        [[name, "{:g} to {:g}".format(*one.bounds), one.unit] for name, one in found],
        json_output,
    )


@metrics_app.command("info")
def metrics_info(name: str, json_output: JsonOption = False) -> None:
    """One metric: what it is, its options and their defaults."""
    from faithkit import metrics, terminal

    found = metrics.metric_class(metrics.parse_request(name).target)
    terminal.print_metric(found, metrics.describe_options(found), json_output)


@models_app.command("list")
def models_list(json_output: JsonOption = False) -> None:
    """The embedded models: role, licence, size, where each lies, whether it is ready."""
    from faithkit import terminal
    from faithkit.models import store

    terminal.print_rows(
        ["model", "roles", "licence", "size", "ready", "where"],
        [terminal.model_row(item, store.status(item)) for item in store.ARTEFACTS],
        json_output,
    )


@models_app.command("info")
def models_info(name: str, json_output: JsonOption = False) -> None:
    """One embedded model, whole."""
    from faithkit import terminal
    from faithkit.models import store

    item = store.get(name)
    terminal.print_model(item, store.status(item), json_output)


@models_app.command("pull")
def models_pull(
    names: Annotated[list[str], typer.Argument(help="Models of `faithkit models list`.")],
    offline: OfflineOption = False,
) -> None:
    """Download embedded models: checked by hash, kept in the user's cache directory."""
    from faithkit import terminal
    from faithkit.models import store

    for item in [store.get(name) for name in names]:
        with terminal.bytes_progress() as progress:
            folder = store.pull(item, progress=progress, offline=offline)
        typer.echo(f"{item.name}: ready in {folder}")


def _read(path: str) -> str:
    from pathlib import Path

    from faithkit.records import DataError

    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        return Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 (byte {error.start + 1}); save it as UTF-8") from error


def _gates(texts: list[str] | None) -> dict[str, float]:
    """`X` for every metric (under the key ""), or `METRIC=X`."""
    from faithkit.records import ConfigError

    gates: dict[str, float] = {}
    for text in texts or ():
        label, _, number = text.rpartition("=")
        try:
            gates[label] = float(number)
            if not math.isfinite(gates[label]):
                raise ValueError(number)
        except ValueError:
            raise ConfigError(f"--fail-under wants X or METRIC=X, found '{text}'.") from None
    return gates


def _known_gates(gates: dict[str, float], prepared: Sequence[Prepared]) -> None:
    from faithkit.records import ConfigError, did_you_mean

    labels = [one.label for one in prepared]
    for label in gates:
        if label and label not in labels:
            raise ConfigError(f"--fail-under names '{label}'.{did_you_mean(label, labels)}")


def _with_preset(requests: Sequence[str], preset: str | None) -> list[str]:
    from faithkit import metrics
    from faithkit.records import ConfigError, did_you_mean

    if preset is None:
        return list(requests)
    known = metrics.presets_of(requests)
    if preset not in known:
        hint = did_you_mean(preset, known) if known else " They have none."
        raise ConfigError(f"No metric that is asked for has the preset '{preset}'.{hint}")
    return [metrics.add_preset(request, preset) for request in requests]


def _exit_code(tallies: dict[str, Tally], gates: dict[str, float], strict: bool) -> None:
    from faithkit import run

    failed = run.below(tallies, gates)
    for label, mean in failed.items():
        shown = "no score" if mean is None else f"{mean:.4f}"
        typer.echo(f"faithkit: {label} is under its gate: {shown}", err=True)
    missing = run.incomplete(tallies)
    if strict and missing:
        typer.echo(f"faithkit: {missing} rows have no score (--strict)", err=True)
    if failed:
        sys.exit(BELOW)
    if strict and missing:
        sys.exit(INCOMPLETE)


def open_store(path: str | None, none: bool) -> Cache:
    from pathlib import Path

    from faithkit.cache import Cache, default_folder

    if none:
        return Cache(None)
    return Cache(Path(path) if path else default_folder() / "scores.sqlite")


@contextmanager
def _progress(rows: Rows, limit: int | None) -> Iterator[Callable[[int], None]]:
    from faithkit import terminal

    total = rows.count if limit is None else min(limit, rows.count)
    with terminal.rows_progress(total) as progress:
        yield progress


if __name__ == "__main__":
    main()
