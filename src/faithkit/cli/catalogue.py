"""The commands that list what there is: `faithkit metrics|models|datasets`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faithkit.cli.options import DataOption, JsonOption, OfflineOption

if TYPE_CHECKING:
    from faithkit.evaluation.leaks import LeakReport

metrics_app = typer.Typer(no_args_is_help=True, help="List and describe the metrics.")
models_app = typer.Typer(no_args_is_help=True, help="The models that come with faithkit.")
datasets_app = typer.Typer(no_args_is_help=True, help="List and describe the benchmark datasets.")

DatasetArgument = Annotated[
    str,
    typer.Argument(
        help="Of `datasets list`; DATASET[split=val] for one split. With --leak also a file of "
        "labelled pairs."
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    app.add_typer(metrics_app, name="metrics")
    app.add_typer(models_app, name="models")
    app.add_typer(datasets_app, name="datasets")


@metrics_app.command("list")
def metrics_list(json_output: JsonOption = False) -> None:
    """Every metric: its name and what its number means."""
    from faithkit.cli import terminal
    from faithkit.metrics import loading, registry
    from faithkit.metrics.spec import MetricSpec

    metrics = [(name, loading.class_of(MetricSpec.parse(name))) for name in registry.names()]
    terminal.print_rows(
        ["metric", "range", "what the number means"],
        [[name, "{:g} to {:g}".format(*metric.bounds), metric.unit] for name, metric in metrics],
        json_output,
    )


@metrics_app.command("info")
def metrics_info(
    name: Annotated[str, typer.Argument(help="Of `metrics list`, or path.py:Class.")],
    json_output: JsonOption = False,
) -> None:
    """One metric: what it is, its options and their defaults."""
    from faithkit.cli import terminal
    from faithkit.metrics import loading, options
    from faithkit.metrics.spec import MetricSpec

    metric = loading.class_of(MetricSpec.parse(name))
    terminal.print_metric(metric, options.about(metric), options.describe(metric), json_output)


@models_app.command("list")
def models_list(json_output: JsonOption = False) -> None:
    """List the models that come with faithkit.

    First the embedded models: role, licence, size, whether each is ready, and its path; then what
    needs no weights of its own."""
    from faithkit import models
    from faithkit.cli import terminal
    from faithkit.models import store

    rows = [terminal.model_row(item, store.status(item)) for item in store.ARTEFACTS]
    for spec, what in models.BUILT_IN.items():
        role, _, name = spec.partition(":")
        ready = "yes" if spec in models.RULES else "–"
        rows.append([name, role, "–", "–", ready, what])
    terminal.print_rows(["model", "roles", "licence", "size", "ready", "where"], rows, json_output)


@models_app.command("info")
def models_info(
    name: Annotated[str, typer.Argument(help="Of `models list`.")], json_output: JsonOption = False
) -> None:
    """One embedded model: origin, licence, size and hash."""
    from faithkit.cli import terminal
    from faithkit.models import store

    item = store.get(name)
    terminal.print_model(item, store.status(item), json_output)


@models_app.command("pull")
def models_pull(
    names: Annotated[list[str], typer.Argument(help="Models of `faithkit models list`.")],
    offline: OfflineOption = False,
) -> None:
    """Download embedded models.

    They are checked by hash and kept in the user's cache directory."""
    from faithkit.cli import terminal
    from faithkit.models import pulling, store

    for item in [store.get(name) for name in names]:
        with terminal.bytes_progress() as progress:
            folder = pulling.pull(item, progress=progress, offline=offline)
        typer.echo(f"{item.name}: ready in {folder}")


@models_app.command("export")
def models_export(
    folder: Annotated[
        Path,
        typer.Argument(help="A support model, as `faithkit train` wrote it, or a BERT encoder."),
    ],
) -> None:
    """Make a support model or a BERT encoder run without torch.

    The graph, and what a support model needs of its encoder, are written beside its weights. Every
    export is compared with torch."""
    from faithkit.models import bert_graph
    from faithkit.support import export

    is_encoder = (folder / "config.json").is_file()
    difference = bert_graph.export(folder) if is_encoder else export.export(folder)
    what = "a state" if is_encoder else "a logit"
    typer.echo(f"{folder}: exported; largest difference of {what} from torch {difference:.1e}")


@models_app.command("quantise")
def models_quantise(
    folder: Annotated[Path, typer.Argument(help="A support model, as `faithkit train` wrote it.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="New folder to write.")],
    pairs: Annotated[
        str | None,
        typer.Argument(
            help="Pairs to quantise for, a file as `score` reads it. Leave it out for a model that "
            "was trained with --rounded: its numbers are rounded to the nearest."
        ),
    ] = None,
) -> None:
    """Write a support model with quantised weights.

    It has a quarter of the bytes of half precision, needs no torch and is twice as fast. It is
    compared with torch, like an export."""
    from faithkit import files
    from faithkit.support.export import quantised

    texts = None
    if pairs is not None:
        with files.open_pairs(pairs) as rows:
            texts = [(row.source, row.summary) for row in rows]
    difference = quantised(folder, output, texts)
    typer.echo(f"{output}: exported; largest difference of a logit from torch {difference:.1e}")


@models_app.command("convert")
def models_convert(
    source: Annotated[Path, typer.Argument(help="A folder with pickle weights, or one file.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="New folder to write.")],
    settings: Annotated[
        Path | None,
        typer.Option(help="Folder with config.json and the tokenizer, where the source has none."),
    ] = None,
    prefix: Annotated[
        str,
        typer.Option(help="Prefix to strip from tensor names, as model.; others are left out."),
    ] = "",
    json_output: JsonOption = False,
) -> None:
    """Write pickle weights as safetensors.

    They are read in a process of their own by torch's
    loader for weights only, which refuses anything but tensors: no code of a pickle runs."""
    from dataclasses import asdict

    from faithkit.cli.common import print_card
    from faithkit.models.conversion import convert

    converted = convert(source, output, settings=settings, prefix=prefix)
    print_card(asdict(converted), json_output, f"Use it where an option takes a model: {output}")


@datasets_app.command("list")
def datasets_list(data_dir: DataOption = None, json_output: JsonOption = False) -> None:
    """Every dataset, its licence and whether it is found."""
    from faithkit import datasets
    from faithkit.cli import terminal

    rows = []
    for name in datasets.DATASETS:
        entry = datasets.entry(name)
        specs = [*entry.files, *entry.split_files.values()]
        here = [datasets.find_file(spec, data_dir=data_dir) is not None for spec in specs]
        state = "yes" if all(here) else "some splits" if any(here) and entry.split_files else "no"
        licence = str(datasets.sources()[entry.source]["licence"] or datasets.UNVERIFIED)
        rows.append([name, ", ".join(entry.tasks), state, licence, entry.title])
    terminal.print_rows(["dataset", "evaluates", "found", "licence", "what"], rows, json_output)
    if not json_output:
        typer.echo("\nhf:ID names any Hugging Face dataset. `faithkit datasets info NAME` says "
                   "where to get one and where to put it.")  # fmt: skip


@datasets_app.command("info")
def datasets_info(
    name: DatasetArgument,
    leak: Annotated[
        bool,
        typer.Option(
            "--leak",
            help="Test for label leakage too: classifiers that see only the claims, only the "
            "sources, or only the claims' lengths.",
        ),
    ] = False,
    data_dir: DataOption = None,
    json_output: JsonOption = False,
) -> None:
    """One dataset: origin, licence, files and where to put them."""
    from faithkit import datasets
    from faithkit.cli import terminal

    report = _leaks(name, data_dir) if leak else None
    facts: dict[str, Any] = {"name": name, "files": []}
    if report is None or not Path(name).suffix:
        facts = datasets.info(name.partition("[")[0], data_dir=data_dir)
        facts["licence"] = facts["licence"] or datasets.UNVERIFIED
    if report is not None:
        facts["leak"] = report.to_dict()
    if json_output:
        terminal.print_json(facts)
        return
    rows = [[key, terminal.plain(value)] for key, value in facts.items()
            if key not in ("files", "leak")]  # fmt: skip
    for item in facts["files"]:
        state = item["path"] or f"not found: put it at DATA/{item['name']}"
        seen = f", {item['rows']} rows" if item["rows"] else ""
        same = {True: ", as expected", False: ", another version than ours", None: ""}[item["same"]]
        rows.append(["file", f"{item['name']}{seen}: {state}{same}"])
    terminal.print_rows(["", name], rows)
    if report is not None:
        _show_leaks(report)


def _leaks(name: str, data_dir: str | None) -> LeakReport:
    """The leak test of a dataset as `bench -d` names it, or of a file of labelled pairs."""
    from faithkit.evaluation import examples, leaks

    return leaks.leak_test(examples.read(name, data_dir, None)[1])


def _show_leaks(report: LeakReport) -> None:
    from faithkit.cli import terminal

    typer.echo(f"\nLeak test: {report.rows} rows ({report.consistent} consistent) of "
               f"{report.documents} documents, held out by document")  # fmt: skip
    rows = []
    for item in report.leaks:
        interval = ("" if item.auc.low is None or item.auc.high is None
                    else f" [{item.auc.low:.3f}, {item.auc.high:.3f}]")  # fmt: skip
        verdict = "leaks" if item.leaks else "no leak found"
        rows.append([item.sees, f"{terminal.number(item.auc.value)}{interval}",
                     terminal.number(item.balanced_accuracy), verdict])  # fmt: skip
    terminal.print_rows(["a classifier that sees the", "AUC", "balanced accuracy", ""], rows)


@datasets_app.command("examples")
def datasets_examples(
    name: Annotated[str, typer.Argument(help="Of `datasets list`, with a validation split.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL file to write.")],
    seed: Annotated[int, typer.Option(help="Another seed draws other rows.")] = 0,
    words: Annotated[int, typer.Option(help="The most words of a document.")] = 400,
    data_dir: DataOption = None,
) -> None:
    """Draw examples for a few-shot judge.

    From a validation split: for each origin one consistent summary and one inconsistent. Use them
    with `-m judge:setting=few-shot,examples=FILE`."""
    from faithkit import datasets, writing
    from faithkit.datasets import worked
    from faithkit.records import ConfigError

    if output.exists():
        raise ConfigError(f"{output} is there already; give another --output")
    drawn = worked.draw(name, datasets.load(name, data_dir=data_dir), seed=seed, words=words)
    rows = [
        {"id": example.id, "origin": example.meta.get("origin"), "source": example.source,
         "summary": example.summary, "label": example.label}
        for example in drawn
    ]  # fmt: skip
    writing.write_jsonl(output, rows)
    typer.echo(f"{output}: {len(drawn)} examples. Use them: "
               f"-m judge:setting=few-shot,examples={output}")  # fmt: skip
