"""The command `faithkit stress`: arguments in, a page out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from faithkit.cli.common import (
    CacheOption,
    DataOption,
    DeviceOption,
    DtypeOption,
    JsonOption,
    NoCacheOption,
    OfflineOption,
    metric_specs,
    open_store,
    say_trained_on,
)


def register(app: typer.Typer) -> None:
    """Adds the command of this file to the program."""
    app.command()(stress)


def stress(
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", help="NAME[:key=value,...] or path.py:Class; repeatable."),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "-d",
            "--dataset",
            help="A dataset as for `bench`, DATASET[split=val] for one split, or a file of pairs; "
            "repeatable.",
        ),
    ] = None,
    suite: Annotated[
        list[str] | None,
        typer.Option(
            help="edits, gaming, counterfactual, probes or difficulty; repeatable. Default: all "
            "that the datasets allow."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=0, help="Rows of each dataset that a suite takes; 0: all.")
    ] = 20,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder for the page, rows and figures.")
    ] = "out/stress",
    difficulty: Annotated[
        str | None,
        typer.Option(
            help="File of `faithkit train difficulty`. Without one: learned from the rows "
            "themselves, each by a network that did not see its document."
        ),
    ] = None,
    phrases: Annotated[
        str | None,
        typer.Option(
            help="File of phrases, one a line, that the suite gaming puts into summaries besides "
            "its own."
        ),
    ] = None,
    rewriter: Annotated[
        str | None,
        typer.Option(
            help="Chat model that rewrites both members of pairs in eight ways, as further edits: "
            "mini, a folder, http://host:port/v1#name, openai/NAME. Default: none."
        ),
    ] = None,
    checker: Annotated[
        str | None,
        typer.Option(
            help="Entailment model that discards rewritings which changed the facts. "
            "Default: mini, the support model's own."
        ),
    ] = None,
    prompts: Annotated[
        str | None,
        typer.Option(
            help="Folder of the rewriter's prompts, NAME.txt with {summary} and if needed "
            "{document}, asked instead of the eight."
        ),
    ] = None,
    transcripts: Annotated[
        str | None,
        typer.Option(
            help="File of the rewriter's answers, or off. Default: in the user's cache directory."
        ),
    ] = None,
    data_dir: DataOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
) -> None:
    """What can a metric be trusted with? Tests with a known answer, one page that says so."""
    from functools import partial

    from faithkit import models, run
    from faithkit.cli import terminal
    from faithkit.models.protocols import Limits
    from faithkit.models.runtime import Runtime
    from faithkit.records import ConfigError
    from faithkit.stress import page
    from faithkit.stress import run as stress_run
    from faithkit.stress.suites.difficulty import metrics_needed
    from faithkit.stress.suites.phrases import read as read_phrases
    from faithkit.stress.suites.rewriting import Rewriter, packaged, read_templates

    if not metric or not dataset:
        raise ConfigError("stress needs -m METRIC and -d DATASET.")
    options = stress_run.StressOptions(
        tuple(suite or ()),
        seed,
        limit or None,
        Path(difficulty) if difficulty else None,
        read_phrases(Path(phrases)) if phrases else (),
    )
    options.check(rewriting=rewriter is not None)
    if rewriter is None and (checker or transcripts or prompts):
        raise ConfigError("--checker, --prompts and --transcripts are for --rewriter.")
    specs = metric_specs(metric)
    if twice := [name for name in dataset if dataset.count(name) > 1]:
        raise ConfigError(f"Dataset '{twice[0]}' is asked for twice.")
    templates = read_templates(Path(prompts)) if prompts else packaged()
    datasets = [stress_run.read(name, data_dir) for name in dataset]
    by_chat = None
    if rewriter is not None:
        load_model = partial(models.load, runtime=Runtime(device, dtype, offline))
        by_chat = Rewriter(
            load_model(f"chat:{rewriter.removeprefix('chat:')}").limited(Limits(transcripts or "")),
            load_model(f"nli:{(checker or 'mini').removeprefix('nli:')}"),
            templates,
        )
    load = partial(run.prepare, runtime=Runtime(device, dtype, offline))
    folder = Path(output)
    prepared = load(specs)
    say_trained_on({one.label: one.trained_on for one in prepared}, dataset)
    with open_store(cache, no_cache) as store, terminal.named_progress() as progress:
        summary = stress_run.run(
            datasets,
            prepared,
            options,
            folder,
            store,
            helpers=lambda: load(metrics_needed()),
            progress=progress,
            rewriter=by_chat,
        )
    made = page.write(folder, summary)
    if json_output:
        typer.echo((folder / "summary.json").read_text(encoding="utf-8"), nl=False)
        return
    _show(summary, made)


def _show(summary: Mapping[str, Any], made: Sequence[Path]) -> None:
    """What was not run, each metric's findings and both tables of its edits, with their
    footnotes, and the pages."""
    from faithkit.cli import terminal
    from faithkit.stress import page

    for one in summary["skipped"]:
        typer.echo(f"Not run: {one['suite']} on {one['dataset']}: {one['reason']}")
    if summary["rewriting"]:
        for one in next(iter(summary["rewriting"]["figures"].values()))[-1:]:
            why = "".join(f"; {reason}: {count}" for reason, count in one["reasons"].items())
            typer.echo(f"Rewritings kept: {one['kept']} of {one['asked']}{why}")
    for label, findings in summary["findings"].items():
        typer.echo(f"\n{label}")
        for one in findings:
            typer.echo(f"  {one['verdict']}: {one['words']}")
        header, rows, without = page.edit_rows(summary, label)
        if rows:
            typer.echo("")
            terminal.print_rows(header, rows, as_json=False)
        for line in filter(None, (without, *page.footnotes(summary, label))):
            typer.echo(line)
    typer.echo("")
    for path in made:
        typer.echo(f"Page: {path}")
