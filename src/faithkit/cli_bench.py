"""The commands `faithkit bench` and `faithkit datasets list|info`: arguments in, tables out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

if TYPE_CHECKING:
    from faithkit.benchmark.scoring import Table

DATA_HELP = "Folder with the datasets' files; FAITHKIT_DATA does the same."
DataOption = Annotated[str | None, typer.Option("--data-dir", help=DATA_HELP)]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON on standard output.")]

datasets_app = typer.Typer(no_args_is_help=True, help="The benchmarks there are.")


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    app.command()(bench)
    app.add_typer(datasets_app, name="datasets")


def bench(
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "-d",
            "--dataset",
            help="NAME, NAME[key=value,...] or NAME+NAME to pool; repeatable. See `datasets list`.",
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
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, mps.")] = None,
    dtype: Annotated[str | None, typer.Option(help="float32, bfloat16 or float16.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never touch the network.")] = False,
    cache: Annotated[str | None, typer.Option(help="SQLite file of scores.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no scores.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Which metric should I trust? Metrics × datasets against human judgements, with intervals."""
    from faithkit import cli, terminal
    from faithkit.benchmark import scoring, statistics, tables
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
        with cli.open_store(cache, no_cache) as store, terminal.named_progress() as progress:
            found = [
                scoring.score_dataset(name, tasks, rows, prepared, folder, store, progress)
                for name, tasks, rows in named
            ]
    figures = statistics.figures(found, settings)
    comparison = statistics.compare(found, *compare, settings) if compare else []
    folder.mkdir(parents=True, exist_ok=True)
    tables.write(folder, found, figures, comparison, settings, command=sys.argv[1:], worst=worst)
    made = tables.plot(folder, found, figures) if plots else []
    if json_output:
        typer.echo((folder / "results.json").read_text(encoding="utf-8"), nl=False)
        return
    header, rows_ = tables.wide(found, figures)
    terminal.print_rows(header, rows_, False)
    if comparison:
        terminal.print_comparison(comparison)
    typer.echo(f"\nEvery figure: {folder / 'results.md'} (.csv, .json)")
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


@datasets_app.command("list")
def datasets_list(data_dir: DataOption = None, json_output: JsonOption = False) -> None:
    """Every dataset: what it can evaluate, its licence, and whether its files are found."""
    from faithkit import datasets, terminal

    rows = []
    for name in datasets.DATASETS:
        found = datasets.entry(name)
        specs = [*found.files, *found.split_files.values()]
        here = [datasets.find_file(spec, data_dir=data_dir) is not None for spec in specs]
        there = "yes" if all(here) else "some splits" if any(here) and found.split_files else "no"
        licence = str(datasets.sources()[found.source].get("licence") or "none stated")
        rows.append([name, ", ".join(found.tasks), there, licence, found.title])
    terminal.print_rows(["dataset", "evaluates", "found", "licence", "what"], rows, json_output)
    if not json_output:
        typer.echo("\nhf:ID names any Hugging Face dataset. `faithkit datasets info NAME` says "
                   "where to get one and where to put it.")  # fmt: skip


@datasets_app.command("info")
def datasets_info(name: str, data_dir: DataOption = None, json_output: JsonOption = False) -> None:
    """One dataset: origin, licence, files, and where they should lie."""
    import json

    from faithkit import datasets, terminal

    found = datasets.info(name, data_dir=data_dir)
    if json_output:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    rows = [[key, terminal.plain(value)] for key, value in found.items() if key != "files"]
    for item in found["files"]:
        state = item["path"] or f"not found: put it at DATA/{item['name']}"
        seen = f", {item['rows']} rows" if item["rows"] else ""
        same = {True: ", as expected", False: ", another version than ours", None: ""}[item["same"]]
        rows.append(["file", f"{item['name']}{seen}: {state}{same}"])
    terminal.print_rows(["", name], rows, False)
