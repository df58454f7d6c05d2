"""The command `faithkit stress`: arguments in, a page out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faithkit.cli import options
from faithkit.cli.common import (
    INCOMPLETE,
    metric_specs,
    say_without_score,
    warn_trained_on,
)
from faithkit.cli.options import (
    CacheOptions,
    DataOption,
    FieldOptions,
    JsonOption,
    NeededMetricOption,
    RuntimeOptions,
    SeedOption,
)

if TYPE_CHECKING:
    from faithkit.metrics.judge.prompts import Template
    from faithkit.models.runtime import Runtime
    from faithkit.stress.run import Dataset, StressOptions
    from faithkit.stress.suites.rewriting import Rewriter


def register(app: typer.Typer) -> None:
    """Adds the command of this file to the program."""
    options.register(app, stress)


@dataclass(frozen=True)
class RewritingOptions:
    """Who rewrites summaries, and who checks the rewritings."""

    rewriter: Annotated[
        str | None,
        typer.Option(
            help="Chat model that rewrites both members of pairs in eight ways, as further edits: "
            "mini, a folder, http://host:port/v1#name, openai/NAME. Default: none."
        ),
    ] = None
    checker: Annotated[
        str | None,
        typer.Option(
            help="Entailment model that discards rewritings which changed the facts. "
            "Default: mini, the support model's own."
        ),
    ] = None
    prompts: Annotated[
        str | None,
        typer.Option(
            help="Folder of the rewriter's prompts, NAME.txt with {summary} and if needed "
            "{document}, asked instead of the eight."
        ),
    ] = None
    transcripts: Annotated[
        str | None,
        typer.Option(
            help="File of the rewriter's answers, or off. Default: in the user's cache directory."
        ),
    ] = None

    def check(self) -> None:
        from faithkit.records import ConfigError

        if self.rewriter is None and (self.checker or self.transcripts or self.prompts):
            raise ConfigError("--checker, --prompts and --transcripts are for --rewriter.")
        self.templates()

    def templates(self) -> Mapping[str, Template]:
        from faithkit.stress.suites.rewriting import packaged, read_templates

        return read_templates(Path(self.prompts)) if self.prompts else packaged()

    def load(self, runtime: Runtime) -> Rewriter | None:
        from faithkit import models
        from faithkit.models.protocols import Limits
        from faithkit.stress.suites.rewriting import Rewriter

        if self.rewriter is None:
            return None
        chat = models.load(f"chat:{self.rewriter}", runtime)
        return Rewriter(
            chat.limited(Limits(self.transcripts or "")),
            models.load(f"nli:{self.checker or 'mini'}", runtime),
            self.templates(),
        )


@dataclass(frozen=True)
class SuiteOptions:
    """Which cases are made."""

    suite: Annotated[
        list[str] | None,
        typer.Option(
            help="edits, gaming, counterfactual, probes or difficulty; repeatable. Default: all "
            "that the datasets allow."
        ),
    ] = None
    limit: Annotated[
        int, typer.Option(min=0, help="Rows of each dataset that a suite takes; 0: all.")
    ] = 20
    seed: SeedOption = 0
    difficulty: Annotated[
        str | None,
        typer.Option(
            help="File of `faithkit train difficulty`. Without one: learned from the rows "
            "themselves, each by a network that did not see its document."
        ),
    ] = None
    phrases: Annotated[
        str | None,
        typer.Option(
            help="File of phrases, one a line, that the suite gaming puts into summaries besides "
            "its own."
        ),
    ] = None

    def settings(self) -> StressOptions:
        from faithkit.stress.run import StressOptions
        from faithkit.stress.suites.phrases import read as read_phrases

        return StressOptions(
            tuple(self.suite or ()),
            self.seed,
            self.limit or None,
            Path(self.difficulty) if self.difficulty else None,
            read_phrases(Path(self.phrases)) if self.phrases else (),
        )


def stress(
    *,
    metric: NeededMetricOption = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "-d",
            "--dataset",
            help="A dataset as for `bench`, DATASET[split=val] for one split, or a file of pairs; "
            "repeatable.",
        ),
    ] = None,
    suites: SuiteOptions,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder for the page, rows and figures.")
    ] = "out/stress",
    rewriting: RewritingOptions,
    layout: FieldOptions,
    data_dir: DataOption = None,
    runtime: RuntimeOptions,
    cache: CacheOptions,
    json_output: JsonOption = False,
) -> None:
    """Stress-test metrics on cases with a known answer."""
    from functools import partial

    from faithkit import run
    from faithkit.cli import terminal
    from faithkit.records import ConfigError
    from faithkit.stress import page
    from faithkit.stress import run as stress_run
    from faithkit.stress.suites.difficulty import metrics_needed

    if not metric or not dataset:
        raise ConfigError("stress needs -m METRIC and -d DATASET.")
    settings = suites.settings()
    settings.check(rewriting=rewriting.rewriter is not None)
    rewriting.check()
    specs = metric_specs(metric)
    if twice := [name for name in dataset if dataset.count(name) > 1]:
        raise ConfigError(f"Dataset '{twice[0]}' is given twice.")
    datasets = [stress_run.read(name, data_dir, layout.columns()) for name in dataset]
    folder, rewriter = Path(output), rewriting.load(runtime.record())
    load = partial(run.prepare, runtime=runtime.record())
    prepared = load(specs)
    warn_trained_on({scorer.label: scorer.trained_on for scorer in prepared}, dataset)
    _warn_few(datasets, settings.limit)
    with cache.open() as store, terminal.named_progress() as progress:
        summary = stress_run.run(
            datasets, prepared, settings, folder, store,
            helpers=lambda: load(metrics_needed()), progress=progress, rewriter=rewriter,
        )  # fmt: skip
    pages = page.write(folder, summary)
    if json_output:
        typer.echo((folder / "summary.json").read_text(encoding="utf-8"), nl=False)
    else:
        _show(summary, pages)
    say_without_score(summary["without_score"])
    if summary["without_score"]:
        raise typer.Exit(INCOMPLETE)


def _warn_few(datasets: Sequence[Dataset], limit: int | None) -> None:
    """A line on stderr for each dataset of too few documents for an interval."""
    from faithkit.meta.bootstrap import too_few

    for data in datasets:
        documents = len({example.document for example in data.examples})
        if few := too_few(min(documents, limit or documents)):
            typer.echo(f"faithkit: {data.name}: {few}; most rules will be undetermined", err=True)


def _show(summary: Mapping[str, Any], pages: Sequence[Path]) -> None:
    """What was not run, each metric's findings and both tables of its edits, with their
    footnotes, and the pages."""
    from faithkit.cli import terminal
    from faithkit.stress import page

    for skipped in summary["skipped"]:
        typer.echo(f"Not run: {skipped['suite']} on {skipped['dataset']}: {skipped['reason']}")
    if summary["rewriting"]:
        for finding in next(iter(summary["rewriting"]["figures"].values()))[-1:]:
            why = "".join(f"; {reason}: {count}" for reason, count in finding["reasons"].items())
            typer.echo(f"Rewritings kept: {finding['kept']} of {finding['asked']}{why}")
    for label, findings in summary["findings"].items():
        typer.echo(f"\n{label}")
        for finding in findings:
            typer.echo(f"  {finding['verdict']}: {finding['words']}")
        header, rows, without = page.edit_rows(summary, label)
        if rows:
            typer.echo("")
            terminal.print_rows(header, rows, as_json=False)
        for line in filter(None, (without, *page.footnotes(summary, label))):
            typer.echo(line)
    typer.echo("")
    for path in pages:
        typer.echo(f"Page: {path}")
