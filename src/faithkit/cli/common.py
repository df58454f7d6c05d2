"""What several commands share: exit codes, gates, last checks, what they print of a record.

Exit codes: 0 done, 1 below the gate, 2 bad usage or input, 3 incomplete (a metric's model failed on
every row; or some rows unscored and --strict), 130 interrupted.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from faithkit.files import Rows
    from faithkit.metrics.spec import MetricSpec
    from faithkit.run import Prepared, Tally

EXIT_GATE_FAILED, EXIT_BAD_INPUT, INCOMPLETE, INTERRUPTED = 1, 2, 3, 130


def read_text(path: str) -> str:
    from pathlib import Path

    from faithkit import files, rows
    from faithkit.records import DataError

    try:
        text = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    if files.is_utf16(text[:4]):
        raise DataError(f"{path}: {files.utf16_problem(path)}")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: not UTF-8 (byte {error.start + 1}); save it as UTF-8, or convert it, if it "
            f"is Windows-1252: {rows.iconv(path, 'WINDOWS-1252')}"
        ) from error


def gates_of(texts: list[str] | None) -> dict[str, float]:
    """`X` for every metric (under the key ""), or `METRIC=X`."""
    from faithkit.records import ConfigError

    gates: dict[str, float] = {}
    for text in texts or ():
        label, _, number = text.rpartition("=")
        if label in gates:
            raise ConfigError(f"--fail-under gives {label or 'all metrics'} two limits.")
        try:
            gates[label] = float(number)
            if not math.isfinite(gates[label]):
                raise ValueError(number)
        except ValueError:
            raise ConfigError(f"--fail-under wants X or METRIC=X, found '{text}'.") from None
    return gates


def check_gates(gates: dict[str, float], prepared: Sequence[Prepared]) -> None:
    from faithkit.records import ConfigError, did_you_mean

    labels = [scorer.label for scorer in prepared]
    for label in gates:
        if label and label not in labels:
            raise ConfigError(f"--fail-under names '{label}'.{did_you_mean(label, labels)}")
    for scorer in prepared:
        gate = gates.get(scorer.label, gates.get(""))
        low, high = scorer.metric.bounds
        if gate is not None and not low <= gate <= high:
            hint = f"; did you mean {gate / 100:g}?" if low <= gate / 100 <= high < gate else ""
            raise ConfigError(
                f"--fail-under {gate:g}: the bounds of {scorer.label} are {low:g} to {high:g}{hint}"
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
            raise ConfigError(f"No given metric has the preset '{preset}'.{hint}")
        for number, names in enumerate(presets):
            if preset in names:
                specs[number] = specs[number].with_preset(preset)
            else:
                unchanged = f"{specs[number].label} has no preset '{preset}'"
                typer.echo(f"{unchanged}: it runs with its own settings", err=True)
    return loading.specs_of(specs)


def exit_code(
    tallies: dict[str, Tally], gates: dict[str, float], strict: bool, allow_unscored: bool = False
) -> None:
    from faithkit import run

    failed = run.failed_gates(tallies, gates, allow_unscored=allow_unscored)
    for line in failed:
        typer.echo(f"faithkit: {line}", err=True)
    missing = run.count_incomplete(tallies)
    if strict and missing:
        typer.echo(f"faithkit: {rows_have(missing)} no score (--strict)", err=True)
    dead = run.metrics_without_score(tallies)
    say_without_score(dead)
    if failed:
        sys.exit(EXIT_GATE_FAILED)
    if dead or (strict and missing):
        sys.exit(INCOMPLETE)


def say_without_score(labels: Iterable[str]) -> None:
    """A line on stderr for each metric that gave no value at all."""
    for label in labels:
        why = "its model failed, or its values are NaN or infinite"
        typer.echo(f"faithkit: {label} scored nothing, because {why}", err=True)


def rows_have(count: int) -> str:
    """`1 row has`, `2 rows have`."""
    return "1 row has" if count == 1 else f"{count} rows have"


def warn_trained_on(trained_on: Mapping[str, Collection[str]], datasets: Sequence[str]) -> None:
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


@contextmanager
def progress_of(rows: Rows, limit: int | None) -> Iterator[Callable[[int], None]]:
    from faithkit.cli import terminal

    total = rows.count if limit is None else min(limit, rows.count)
    with terminal.rows_progress(total) as progress:
        yield progress


def check_choice(option: str, value: str, allowed: Sequence[str]) -> None:
    from faithkit.records import ConfigError, did_you_mean

    if value not in allowed:
        raise ConfigError(f"{option} cannot be '{value}'.{did_you_mean(value, allowed)}")


def split_list(text: str | None) -> list[str]:
    return [piece.strip() for piece in (text or "").split(",") if piece.strip()]


def check_apart(inputs: Iterable[str | None], outputs: Iterable[str | None]) -> None:
    """Refuses an output that is an input, or the same file as another output."""
    from pathlib import Path

    from faithkit.records import ConfigError

    taken = [(Path(name), "is the input itself") for name in inputs if name]
    for path in map(Path, filter(None, outputs)):
        for other, what in taken:
            if _is_same_file(path, other):
                raise ConfigError(f"{path} {what}. Name another file to write.")
        taken.append((path, "is named for two outputs"))


def _is_same_file(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # one of them is not there
        return os.path.realpath(path) == os.path.realpath(other)


def check_writable(
    *outputs: str | None, ending: str = "", inputs: Iterable[str | None] = ()
) -> None:
    """Refuses, before anything is scored, a file that cannot be written, has another ending, or is
    an input."""
    from pathlib import Path

    from faithkit.records import ConfigError, DataError

    check_apart(inputs, outputs)
    for path in map(Path, filter(None, outputs)):
        if ending and path.suffix.lower() != ending:
            raise ConfigError(f"{path}: this is written as {ending}")
        if not path.absolute().parent.is_dir():
            raise DataError(f"cannot write {path}: there is no folder {path.parent}")


def check_plot(path: str | None) -> None:
    """As `check_writable`, for a plot."""
    from pathlib import Path

    from faithkit.report import plots

    if path:
        plots.check_ending(Path(path))
        check_writable(path)


def print_json(record: Mapping[str, Any] | Sequence[Any]) -> None:
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False))


def print_card(card: Mapping[str, Any], as_json: bool, *more: str) -> None:
    """What is known of a trained model, a line for each item, and more lines."""
    if as_json:
        print_json(card)
        return
    for line in (*(f"{name}: {value}" for name, value in card.items()), *more):
        typer.echo(line)
