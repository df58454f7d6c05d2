"""The command `faithkit bench`: arguments in, tables out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from faithkit.cli.common import (
    CacheOption,
    DataOption,
    DeviceOption,
    DtypeOption,
    JsonOption,
    NoCacheOption,
    OfflineOption,
    open_store,
)

if TYPE_CHECKING:
    from faithkit.benchmark.scoring import Table


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    app.command()(bench)


def bench(
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "-d",
            "--dataset",
            help="NAME (see `datasets list`), NAME[split=val] for one split, NAME[key=value,...], "
            "NAME+NAME to pool, or a file of labelled or rated pairs; repeatable.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", help="NAME[:key=value,...]; repeatable."),
    ] = None,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder for values, tables and plots.")
    ] = "out/bench",
    results: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Recompute from an earlier output folder, or from a file of `faithkit score -o` "
            "(with one -d). Nothing is scored.",
        ),
    ] = None,
    compare: Annotated[
        tuple[str, str] | None, typer.Option(help="Two metrics to compare, paired by row.")
    ] = None,
    thresholds: Annotated[
        str, typer.Option(help="dataset: each its own; global: one for the whole benchmark.")
    ] = "dataset",
    draws: Annotated[int, typer.Option(min=10, help="Bootstrap draws.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 0,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first documents of each dataset.")
    ] = None,
    worst: Annotated[int, typer.Option(min=0, help="Worst cases listed in results.json.")] = 5,
    plots: Annotated[bool, typer.Option("--plots", help="Draw the plots as well.")] = False,
    data_dir: DataOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
) -> None:
    """Which metric should I trust? Metrics × datasets against human judgements, with intervals."""
    from faithkit.benchmark import scoring, statistics, tables
    from faithkit.cli import terminal
    from faithkit.records import ConfigError, did_you_mean

    if thresholds not in ("dataset", "global"):
        raise ConfigError(f"--thresholds cannot be '{thresholds}'."
                          f"{did_you_mean(thresholds, ('dataset', 'global'))}")  # fmt: skip
    settings = statistics.Settings(draws, seed, cast("Literal['dataset', 'global']", thresholds))
    folder = Path(output)
    if results is not None:
        found = _saved(Path(results), dataset or [], metric or [], data_dir, limit)
    elif not dataset or not metric:
        raise ConfigError("bench needs -d DATASET and -m METRIC, or --from RESULTS.")
    else:
        from faithkit import run

        named = [(name, *scoring.read(name, data_dir, limit)) for name in dataset]
        prepared = run.prepare(metric, device=device, dtype=dtype, offline=offline)
        with open_store(cache, no_cache) as store, terminal.named_progress() as progress:
            found = [
                scoring.score_dataset(name, tasks, examples, prepared, folder, store, progress)
                for name, tasks, examples in named
            ]
    figures = statistics.figures(found, settings)
    comparison = statistics.compare(found, *compare, settings) if compare else []
    folder.mkdir(parents=True, exist_ok=True)
    tables.write(folder, found, figures, comparison, settings, command=sys.argv[1:], worst=worst)
    made = tables.plot(folder, found, figures) if plots else []
    if json_output:
        typer.echo((folder / "results.json").read_text(encoding="utf-8"), nl=False)
        return
    for title, header, rows in tables.wide(found, figures):
        typer.echo(f"{title}, with 95% intervals\n")
        terminal.print_rows(header, rows, False)
        typer.echo("")
    heads = {table.name: statistics.headline(table) for table in found}
    shown = [one for one in figures if not one.part and one.statistic == heads[one.dataset]]
    for note in tables.interval_notes(shown) + tables.inverted_notes(figures):
        typer.echo(note)
    if comparison:
        terminal.print_comparison(comparison)
    typer.echo(f"Every figure: {folder / 'results.md'} (.csv, .json)")
    for path in made:
        typer.echo(f"Plot: {path}")


def _saved(
    path: Path, names: list[str], wanted: list[str], data_dir: str | None, limit: int | None
) -> list[Table]:
    """The tables of an earlier run, narrowed to the datasets and metrics that were named."""
    from faithkit.benchmark import scoring
    from faithkit.metrics import parse_request
    from faithkit.records import ConfigError, DataError, did_you_mean

    if path.is_file():
        if len(names) != 1:
            raise ConfigError(f"--from {path}: name the dataset it scores with one -d")
        tasks, rows = scoring.read(names[0], data_dir, limit)
        truth = [scoring.truth_of(example) for example in rows]
        found = [scoring.Table(names[0], tasks, truth, scoring.columns_from(path, truth))]
    elif path.is_dir():
        found = scoring.load_folder(path)
        known = [table.name for table in found]
        for name in names:
            if name not in known:
                raise ConfigError(f"{path} has no dataset '{name}'.{did_you_mean(name, known)}")
        found = [table for table in found if not names or table.name in names]
    else:
        raise DataError(f"{path}: no such file or folder")
    labels = [parse_request(text).label for text in wanted]
    for table in found:
        have = {column.label: column for column in table.columns}
        for label in labels:
            if label not in have:
                raise ConfigError(f"{path}: {table.name} has no '{label}'."
                                  f"{did_you_mean(label, have)}")  # fmt: skip
        if labels:
            table.columns = [have[label] for label in labels]
    return found
