"""What several commands share: options, exit codes, gates, the score store, progress.

Exit codes: 0 done, 1 below the gate, 2 bad usage or input, 3 incomplete (some rows unscored and
--strict), 130 interrupted.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from faithkit.cache import Cache
    from faithkit.files import Rows
    from faithkit.metrics.spec import MetricSpec
    from faithkit.run import Prepared, Tally

BELOW, BAD, INCOMPLETE, INTERRUPTED = 1, 2, 3, 130

MetricOption = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        help="NAME[:key=value,...] or path.py:Class; repeatable. Default: support.",
    ),
]
GateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        help="Exit 1 where a metric's mean is under X, or a row has no score; METRIC=X for one "
        "metric; repeatable.",
    ),
]
AllowUnscoredOption = Annotated[
    bool,
    typer.Option(
        "--allow-unscored", help="Rows without a score do not fail --fail-under while others have."
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
DataOption = Annotated[
    str | None,
    typer.Option(help="Folder with the datasets' files; FAITHKIT_DATA does the same."),
]
CacheOption = Annotated[
    str | None, typer.Option(help="SQLite file of scores. Default: in the user's cache directory.")
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Reuse only what this run itself has scored.")
]
SourceOption = Annotated[str, typer.Option(help="Column of the source text.")]
SummaryOption = Annotated[str, typer.Option(help="Column of the summary.")]
IdOption = Annotated[
    str, typer.Option(help="Column of the id; none: row numbers, as without the column.")
]
DocumentOption = Annotated[
    str,
    typer.Option(
        help="Column of the source document's identity; none: the source's text, as without the "
        "column."
    ),
]
PairOption = Annotated[
    str, typer.Option(help="Column that joins the members of a minimal pair; none: not read.")
]
SystemOption = Annotated[str, typer.Option(help="Column of the summariser; none: not read.")]
LabelOption = Annotated[
    str, typer.Option(help="Column of the label, 1 (consistent) or 0; none: not read.")
]
LabelsOption = Annotated[
    str | None,
    typer.Option(
        help="What the labels mean where they are not 1 (consistent) and 0: "
        "hallucinated=0,ok=1,unsure=none."
    ),
]
RatingOption = Annotated[str, typer.Option(help="Column of the human rating; none: not read.")]
FormatOption = Annotated[
    str, typer.Option(help="Format of standard input: jsonl, json, csv, tsv, parquet or xlsx.")
]
BatchOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Rows handed to a metric at once. Default: what takes two seconds, 8 to 64.",
    ),
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Exit 3 if a row has no score.")]


def read_text(path: str) -> str:
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


def gates_of(texts: list[str] | None) -> dict[str, float]:
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


def check_gates(gates: dict[str, float], prepared: Sequence[Prepared]) -> None:
    from faithkit.records import ConfigError, did_you_mean

    labels = [one.label for one in prepared]
    for label in gates:
        if label and label not in labels:
            raise ConfigError(f"--fail-under names '{label}'.{did_you_mean(label, labels)}")
    for one in prepared:
        gate = gates.get(one.label, gates.get(""))
        low, high = one.metric.bounds
        if gate is not None and not low <= gate <= high:
            hint = f"; did you mean {gate / 100:g}?" if low <= gate / 100 <= high < gate else ""
            raise ConfigError(
                f"--fail-under {gate:g}: the bounds of {one.label} are {low:g} to {high:g}{hint}"
            )


def metric_specs(metrics: Sequence[str], preset: str | None = None) -> list[MetricSpec]:
    """The metrics that are asked for, checked, each with the preset if its metric has it."""
    from faithkit.metrics import loading
    from faithkit.metrics.spec import MetricSpec
    from faithkit.records import ConfigError, did_you_mean

    specs = [MetricSpec.parse(text) for text in metrics]
    if preset is not None:
        presets = [loading.class_of(spec).presets for spec in specs]
        choices = {name for names in presets for name in names}
        if preset not in choices:
            hint = did_you_mean(preset, choices) if choices else " They have none."
            raise ConfigError(f"No metric that is asked for has the preset '{preset}'.{hint}")
        for number, names in enumerate(presets):
            if preset in names:
                specs[number] = specs[number].with_preset(preset)
            else:
                unchanged = f"{specs[number].label} has no preset '{preset}'"
                typer.echo(f"{unchanged}: it runs as it is asked for", err=True)
    return loading.specs_of(specs)


def exit_code(
    tallies: dict[str, Tally], gates: dict[str, float], strict: bool, allow_unscored: bool = False
) -> None:
    from faithkit import run

    failed = run.failed_gates(tallies, gates, allow_unscored=allow_unscored)
    for line in failed:
        typer.echo(f"faithkit: {line}", err=True)
    missing = run.incomplete(tallies)
    if strict and missing:
        typer.echo(f"faithkit: {missing} rows have no score (--strict)", err=True)
    if failed:
        sys.exit(BELOW)
    if strict and missing:
        sys.exit(INCOMPLETE)


def say_trained_on(trained_on: Mapping[str, Collection[str]], datasets: Sequence[str]) -> None:
    """A line on stderr for each metric that was trained on rows of one of these datasets.

    trained_on  of each metric, the names of its data
    """
    from faithkit.datasets.releases import same_release

    for label, names in trained_on.items():
        for dataset in datasets:
            if seen := same_release(names, dataset):
                typer.echo(
                    f"faithkit: {label} was trained on rows of this release ({', '.join(seen)}), "
                    f"so what it reaches on {dataset} is no measure of new texts.",
                    err=True,
                )


def open_store(path: str | None, none: bool) -> Cache:
    from pathlib import Path

    from faithkit.cache import Cache, default_folder

    if none:
        return Cache(None)
    return Cache(Path(path) if path else default_folder() / "scores.sqlite")


@contextmanager
def progress_of(rows: Rows, limit: int | None) -> Iterator[Callable[[int], None]]:
    from faithkit.cli import terminal

    total = rows.count if limit is None else min(limit, rows.count)
    with terminal.rows_progress(total) as progress:
        yield progress
