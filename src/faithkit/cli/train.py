"""The commands `faithkit train ...`: arguments in, a trained file and its figures out.

Nothing is computed here. Each command calls one file of `faithkit.train`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faithkit.cli import options
from faithkit.cli.common import check_writable, print_card, print_json
from faithkit.cli.lss import FIGURES
from faithkit.cli.options import (
    CacheOptions,
    DataOption,
    DeviceOptions,
    HeldOutOption,
    JsonOption,
    LearnedFilesOption,
    LssDataArgument,
    PairsArgument,
    RuntimeOptions,
    SeedOption,
)
from faithkit.cli.pairs import PairsOptions
from faithkit.records import ConfigError

if TYPE_CHECKING:
    from faithkit.train import adapters, support_rows

commands = typer.Typer(help="Train a model on your own data.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Adds `faithkit train` to the program."""
    app.add_typer(commands, name="train")
    options.register(commands, summac_conv, lss, support, difficulty, nli)


def summac_conv(
    pairs: PairsArgument,
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", help="The convolution, as JSON for summac_conv:file=.")
    ],
    nli: Annotated[str, typer.Option(help="The entailment model that it will be used with.")] = (
        "mini"
    ),
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Passes over the pairs. Default: 5, or enough for 1,500 steps."),
    ] = None,
    seed: SeedOption = 0,
    source: PairsOptions,
    runtime: RuntimeOptions,
    json_output: JsonOption = False,
) -> None:
    """Train SummaC-Conv on labelled pairs."""
    from faithkit import models, writing
    from faithkit.cli import terminal
    from faithkit.train import summac_conv as training

    check_writable(output, ending=".json", inputs=[pairs])
    columns = source.columns("system", "rating")
    with source.open(pairs, columns) as opened:
        model = models.load(f"nli:{nli}", runtime.record())
        with terminal.rows_progress(opened.count) as progress:
            trained = training.train(
                opened, model, data=pairs, seed=seed, epochs=epochs, progress=progress
            )
    writing.write_json(Path(output), trained.to_dict())
    if json_output:
        print_json(trained.to_dict())
    else:
        _show_fitted(trained.fitted)
        typer.echo(f"Wrote {output}\nUse it: -m summac_conv:file={output}")


def _show_fitted(fitted: Mapping[str, Any]) -> None:
    """Prints the data that a convolution was trained on, and its figures on held-out documents."""
    typer.echo(
        f"{fitted['data']}: {fitted['pairs']} pairs of {fitted['documents']} documents, "
        f"{fitted['consistent']} consistent"
    )
    for reason, count in fitted["left_out"].items():
        typer.echo(f"{count} left out: {reason}")
    if not fitted["held_out"]:
        typer.echo("One document only, so nothing can be said of others.")
        return
    for key, baseline in (("held_out", ""), ("length_alone", ", by the source's length alone")):
        for name in ("auc", "balanced_accuracy"):
            figure = fitted[key][name]
            interval = (
                "" if figure["low"] is None else f" [{figure['low']:.3f}, {figure['high']:.3f}]"
            )
            if figure["interval_reason"]:
                interval = f" (no interval: {figure['interval_reason']})"
            shown = "undefined" if figure["value"] is None else f"{figure['value']:.3f}{interval}"
            typer.echo(f"{name.replace('_', ' ')} on held-out documents{baseline}: {shown}")


def lss(
    data: LssDataArgument,
    *,
    model: Annotated[
        str, typer.Option("-m", "--model", help="Encoder-decoder to start from: folder or hub id.")
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", help="New folder for weights, tokenizer and card.json.")
    ],
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the rows.")] = 10,
    batch_size: Annotated[int, typer.Option(min=1, help="Rows in a step.")] = 8,
    lr: Annotated[float, typer.Option(help="Learning rate of AdamW.")] = 1e-4,
    seed: SeedOption = 0,
    star: Annotated[
        bool, typer.Option("--star", help="Learn LSS*, made grammatical, instead of LSS.")
    ] = False,
    keep_supported: Annotated[
        float,
        typer.Option(help="Share of the fully supported rows to train on; 1: all."),
    ] = 0.5,
    held_out: HeldOutOption = 0.1,
    data_dir: DataOption = None,
    runtime: DeviceOptions,
    json_output: JsonOption = False,
) -> None:
    """Fine-tune an encoder-decoder for -m lss_bleu."""
    from faithkit.cli import terminal
    from faithkit.train import lss as training

    settings = training.GeneratorOptions(
        epochs=epochs, batch_size=batch_size, learning_rate=lr, seed=seed, star=star,
        keep_supported=keep_supported, held_out=held_out,
    )  # fmt: skip
    with terminal.named_progress() as progress:
        card = training.train(
            data,
            model,
            Path(output),
            settings,
            runtime=runtime.record(),
            data_dir=data_dir,
            after_step=lambda step: progress("steps", step.number, step.total),
        )
    if json_output:
        print_json(card)
    else:
        _show_card(card)
        use = f"lss_bleu:generator=seq2seq,model={output}" + (",star=on" if star else "")
        typer.echo(f"Wrote {output}\nUse it: -m {use}")


def _show_card(card: Mapping[str, Any]) -> None:
    """Prints the data that a generator was trained on, its loss, and its figures on held-out
    documents."""
    data, loss = card["data"], card["loss"]
    typer.echo(
        f"{data['name']}: {data['rows']} rows of {data['documents']} documents; learned from "
        f"{card['rows']}"
    )
    supported = card["fully_supported"]
    typer.echo(f"fully supported: {supported['kept']} of {supported['rows']} kept")
    for reason, count in card["left_out"].items():
        typer.echo(f"{count} left out: {reason}")
    typer.echo(f"loss per token: {loss[0]:.4f} in the first epoch, {loss[-1]:.4f} in the last")
    if not card["held_out"]:
        typer.echo("Nothing was held out, so there are no figures.")
        return
    rows = card["held_out"]["rows"]
    for name in FIGURES:
        value = card["held_out"][name]
        shown = "undefined" if value is None else f"{value:.3f}"
        typer.echo(f"{name} on {rows} held-out rows: {shown}")


@dataclass(frozen=True)
class SupportOptions:
    """How the model behind `support` is trained."""

    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            help="A family of files to leave out and calibrate on; repeatable. "
            "Default: those of docs/support.md; none: no family, with the calibration of --start."
        ),
    ] = None
    encoder: Annotated[
        str, typer.Option(help="The encoder to start from, a BERT or an MPNet (`base`).")
    ] = "mini"
    start: Annotated[
        str | None,
        typer.Option(help="Folder of a support model to go on from."),
    ] = None
    teacher: Annotated[
        list[str] | None,
        typer.Option(
            help="Folder of a teacher, a support model to distil from too; repeatable: the mean "
            "of them."
        ),
    ] = None
    made: Annotated[int, typer.Option(min=0, help="Synthetic sentences per document.")] = 6
    documents: Annotated[
        int, typer.Option(min=0, help="Documents per family for which sentences are synthesised.")
    ] = 450
    edited: Annotated[
        int, typer.Option(min=0, help="Supported claims of which corrupted copies are added.")
    ] = 0
    units: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of sentences in all, for a trial.")
    ] = None
    most: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FAMILY=N", help="Maximum number of sentences per family, 0: none; repeatable."
        ),
    ] = None
    repeat: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FAMILY=N",
            help="Times a family's sentences are seen per epoch; repeatable. Default: claims=3.",
        ),
    ] = None
    evidence: Annotated[
        int,
        typer.Option(min=40, help="Maximum number of evidence tokens; sampled from 40 up."),
    ] = 120
    batch: Annotated[int, typer.Option(min=1, help="Sentences of a step.")] = 32
    lr: Annotated[float, typer.Option(help="Highest learning rate of the encoder.")] = 1e-4
    rank: Annotated[
        int,
        typer.Option(
            min=0,
            help="Rank of the changes (LoRA) of the encoder's layers; 0: fine-tune the layers.",
        ),
    ] = 0
    epochs: Annotated[int, typer.Option(min=1, help="Number of epochs.")] = 1
    dropout: Annotated[
        float,
        typer.Option(min=0, max=0.9, help="Dropout rate of the encoder."),
    ] = 0.0
    draws: Annotated[
        int,
        typer.Option(
            min=1,
            help="How often sentences are sampled anew, each with another seed.",
        ),
    ] = 1
    unlabelled: Annotated[
        bool,
        typer.Option(
            "--unlabelled",
            help="Use unlabelled pairs: claims without their best evidence, and sentences "
            "of the sources.",
        ),
    ] = False
    rounded: Annotated[
        bool, typer.Option("--rounded", help="Round matrices as `models quantise` without pairs.")
    ] = False
    frozen: Annotated[
        int,
        typer.Option(min=0, help="Lower layers of the encoder to freeze, to save time."),
    ] = 0
    seed: SeedOption = 0

    def settings(self) -> support_rows.Options:
        from faithkit.train.support_rows import HELD_OUT, Options

        families = () if self.leave_out == ["none"] else tuple(self.leave_out or HELD_OUT)
        settings = Options(
            leave_out=families, made=self.made, documents=self.documents,
            edited=self.edited, units=self.units, batch=self.batch, seed=self.seed, rate=self.lr,
            rank=self.rank, frozen=self.frozen, epochs=self.epochs, dropout=self.dropout,
            draws=self.draws, unlabelled=self.unlabelled, rounded=self.rounded,
            budget=(Options().budget[0], self.evidence),
        )  # fmt: skip
        most = dict(_family_count("--most", text) for text in self.most or ())
        repeat = dict(_family_count("--repeat", text) for text in self.repeat or ())
        return replace(
            settings, most={**settings.most, **most}, repeat={**settings.repeat, **repeat}
        )


def support(
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Folder of the model, for support:model=FOLDER.")
    ],
    file: LearnedFilesOption = None,
    how: SupportOptions,
    only_calibrate: Annotated[
        bool, typer.Option("--only-calibrate", help="Only calibrate the model in FOLDER again.")
    ] = False,
    data_dir: DataOption = None,
    runtime: RuntimeOptions,
    json_output: JsonOption = False,
) -> None:
    """Train the model behind `support` from labelled files.

    Killed and started again with the same options it goes on where it was."""
    from functools import partial

    from faithkit.train.support import recalibrate, train

    data, settings = _folder_of_data(data_dir), how.settings()
    folder, progress = Path(output), partial(typer.echo, err=True)
    start = Path(how.start) if how.start else None
    if only_calibrate:
        card = recalibrate(folder, data, settings, progress, runtime.record(), start=start)
    else:
        card = train(
            folder, data, settings, progress, files=file or (), encoder=how.encoder, start=start,
            teachers=list(map(Path, how.teacher or ())), runtime=runtime.record(),
        )  # fmt: skip
    if json_output:
        print_json(card)
    else:
        _show_support(card, folder)


def _show_support(card: Mapping[str, Any], folder: Path) -> None:
    """Prints the size of a support model's training, and its figures on each left-out family."""

    def share(part: float | None) -> str:
        return "–" if part is None else f"{part:.0%}"

    typer.echo(f"learned from {card['sentences']} sentences; steps: {card['steps']}")
    for family, figures in card.get("left_out", {}).items():
        auc = "–" if figures["auc"] is None else f"{figures['auc']:.1f}"
        typer.echo(
            f"{family}: {figures['rows']} rows, AUC x 100 {auc}; "
            f"{share(figures['called_consistent'])} called consistent, "
            f"{share(figures['even_consistent'])} of them right if half are; "
            f"{share(figures['called_not'])} called not, {share(figures['even_not'])} right"
        )
    typer.echo(f"Wrote {folder}; the whole card: --json\nUse it: -m support:model={folder}")


def _family_count(option: str, text: str) -> tuple[str, int]:
    """The two sides of FAMILY=N. Raises ConfigError on another text."""
    family, _, count = text.partition("=")
    if not family or not count.isdecimal():
        raise ConfigError(f"{option}: expected FAMILY=N, found '{text}'")
    return family, int(count)


def difficulty(
    pairs: PairsArgument,
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", help="The classifier, as JSON for stress --difficulty.")
    ],
    seed: SeedOption = 0,
    source: PairsOptions,
    runtime: RuntimeOptions,
    cache: CacheOptions,
    json_output: JsonOption = False,
) -> None:
    """Train the classifier of easy and hard rows."""
    from faithkit import run, writing
    from faithkit.cli import terminal
    from faithkit.stress.scores import features as shallow_features
    from faithkit.stress.suites.difficulty import labelled, metrics_needed
    from faithkit.train import difficulty as training

    check_writable(output, ending=".json", inputs=[pairs])
    columns = source.columns("system", "rating")
    with source.open(pairs, columns) as opened:
        rows = labelled(list(opened))
    helpers = run.prepare(metrics_needed(), runtime.record())
    with cache.open() as store, terminal.named_progress() as progress:
        texts = [(row.source, row.summary) for row in rows]
        features = shallow_features(texts, helpers, store, progress)
    trained = training.train(
        features,
        [int(row.label or 0) for row in rows],
        [row.document for row in rows],
        data=pairs,
        seed=seed,
    )
    writing.write_json(Path(output), trained.to_dict())
    use = f"Use it: stress --suite difficulty --difficulty {output}"
    print_card(trained.card, json_output, f"Wrote {output}", use)


@dataclass(frozen=True)
class AdapterOptions:
    """How an adapter or a judge is trained."""

    yes_no: Annotated[
        bool,
        typer.Option(
            "--yes-no",
            help="Teach a causal language model the judge's answer about whole summaries instead; "
            "a model for judge:model=FOLDER.",
        ),
    ] = False
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Passes over the sentences. Default: 2, with --yes-no 1."),
    ] = None
    batch_size: Annotated[int, typer.Option(min=1, help="Sentences in a step.")] = 16
    lr: Annotated[float, typer.Option(help="Highest learning rate of AdamW.")] = 5e-4
    lora_rank: Annotated[int, typer.Option(min=1, help="Rank of the adapter's changes.")] = 8
    limit: Annotated[
        int | None, typer.Option(min=1, help="Most sentences, as many of each file as there are.")
    ] = None
    made: Annotated[int, typer.Option(min=0, help="Synthetic sentences per document.")] = 10
    label: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL=KIND",
            help="What a label of a file of premises and hypotheses means: entailment, neutral, "
            "contradiction or not_entailment; repeatable. These four names mean themselves.",
        ),
    ] = None
    held_out: HeldOutOption = 0.1
    minutes: Annotated[
        float | None, typer.Option(help="End the training after so many minutes.")
    ] = None
    copy_after: Annotated[int, typer.Option(min=1, help="Steps until the early copy test.")] = 300
    require_copy: Annotated[
        float | None,
        typer.Option(help="Stop where the early copy test is less accurate; 0.5 is chance."),
    ] = None
    seed: SeedOption = 0

    def settings(self) -> adapters.AdapterOptions:
        from faithkit.train import adapters

        settings = adapters.AdapterOptions(
            epochs=self.epochs or (1 if self.yes_no else 2), batch_size=self.batch_size,
            learning_rate=self.lr, rank=self.lora_rank, limit=self.limit, made=self.made,
            seed=self.seed, held_out=self.held_out, minutes=self.minutes,
            copy_after=self.copy_after, require_copy=self.require_copy,
        )  # fmt: skip
        settings.check()
        return settings


def nli(
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", help="New folder of the adapter, for model=FOLDER.")
    ],
    base: Annotated[
        str,
        typer.Option(
            help="An encoder (mini, base, a folder, a hub id), or lm: and a causal language model."
        ),
    ] = "mini",
    file: LearnedFilesOption = None,
    how: AdapterOptions,
    data_dir: DataOption = None,
    runtime: DeviceOptions,
    json_output: JsonOption = False,
) -> None:
    """Train an entailment adapter, or a judge with --yes-no."""
    from functools import partial

    from faithkit.train import judge
    from faithkit.train import nli as training
    from faithkit.train.labels import labelled
    from faithkit.train.labels.entailed import parse_labels
    from faithkit.train.labels.exported import is_file
    from faithkit.train.words import FILES

    meaning = parse_labels(how.label or [])
    only_own_files = bool(file) and all(map(is_file, file or ()))
    data = Path() if only_own_files else _folder_of_data(data_dir)
    train = judge.train if how.yes_no else training.train
    card = train(
        labelled(file or [name for name in FILES if name != "begin"], data, meaning),
        base,
        Path(output),
        how.settings(),
        runtime=runtime.record(),
        report=partial(typer.echo, err=True),
    )
    metric = "judge" if how.yes_no else "entailment"
    print_card(card, json_output, f"Wrote {output}", f"Use it: -m {metric}:model={output}")


def _folder_of_data(data_dir: str | None) -> Path:
    """The folder of --data-dir, or of the environment. Raises ConfigError where neither is set."""
    import os

    data = data_dir or os.environ.get("FAITHKIT_DATA")
    if not data:
        raise ConfigError("Say where the files are: --data-dir, or FAITHKIT_DATA.")
    return Path(data)
