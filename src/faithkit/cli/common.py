"""What several commands share: options, exit codes, gates, the score store, progress.

Exit codes: 0 done, 1 below the gate, 2 bad usage or input, 3 incomplete (some rows unscored and
--strict), 130 interrupted.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from faithkit.cache import Cache
    from faithkit.files import Rows
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
IdOption = Annotated[str, typer.Option(help="Column of the id. Without one: row numbers.")]
GroupOption = Annotated[
    str, typer.Option(help="Column of the source's identity. Without one: the source's text.")
]
SystemOption = Annotated[str, typer.Option(help="Column of the summariser.")]
LabelOption = Annotated[str, typer.Option(help="Column of the label, 1 or 0.")]
RatingOption = Annotated[str, typer.Option(help="Column of the human rating.")]
FormatOption = Annotated[str, typer.Option(help="Format of standard input: jsonl, csv or tsv.")]
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


def with_preset(requests: Sequence[str], preset: str | None) -> list[str]:
    from faithkit import metrics
    from faithkit.records import ConfigError, did_you_mean

    if preset is None:
        return list(requests)
    known = metrics.presets_of(requests)
    if preset not in known:
        hint = did_you_mean(preset, known) if known else " They have none."
        raise ConfigError(f"No metric that is asked for has the preset '{preset}'.{hint}")
    return [metrics.add_preset(request, preset) for request in requests]


def exit_code(tallies: dict[str, Tally], gates: dict[str, float], strict: bool) -> None:
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
def progress_of(rows: Rows, limit: int | None) -> Iterator[Callable[[int], None]]:
    from faithkit.cli import terminal

    total = rows.count if limit is None else min(limit, rows.count)
    with terminal.rows_progress(total) as progress:
        yield progress
