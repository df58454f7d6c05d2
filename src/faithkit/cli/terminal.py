"""What the commands print: tables, what a metric or a model is, progress. Computes nothing.

Everything is readable without colour. Progress goes to stderr, and only where that is a terminal.
"""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from faithkit.cli.common import print_json as print_json
from faithkit.cli.console import Screen, Text
from faithkit.cli.screen import one_line
from faithkit.records import VERDICTS, Score

if TYPE_CHECKING:
    from faithkit.metrics.base import Metric
    from faithkit.models.store import Artefact, Status
    from faithkit.run import Prepared, Tally

NUMBERS = ("mean", "least", "greatest", "rows", "scored")
"""Columns of numbers, which end at the right."""


def screen(width: int = 160) -> Screen:
    # A file or a pipe has no width of its own; tables must not be folded for it.
    return Screen(width=None if sys.stdout.isatty() else width)


def print_rows(header: Sequence[str], rows: Iterable[Sequence[str]], as_json: bool = False) -> None:
    """A table, or a JSON list of objects."""
    if as_json:
        print_json([dict(zip(header, row, strict=True)) for row in rows])
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in header:
        justify: Literal["left", "right"] = "right" if name in NUMBERS else "left"
        table.add_column(Text(one_line(name)), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    screen(1000).print(table)


def print_tallies(tallies: Mapping[str, Tally], prepared: Sequence[Prepared]) -> None:
    """Per metric: rows, how many have a value, mean and range, and every other outcome's count."""
    rows = [
        [
            label, str(tally.rows), str(tally.valued),
            *(number(value if tally.valued else None)
              for value in (tally.mean, tally.least, tally.greatest)),
            tally.failures or "none",
        ]
        for label, tally in tallies.items()
    ]  # fmt: skip
    print_rows(["metric", "rows", "scored", "mean", "least", "greatest", "unscored"], rows)
    console = screen()
    console.print()
    for scorer in prepared:
        tally = tallies[scorer.label]
        if tally.verdicts:
            shown = ", ".join(f"{tally.verdicts[name]} {name}" for name in VERDICTS.values())
            console.print(Text(f"{scorer.label}, verdicts: {shown}"))
        if cut := str(tally.cut):
            console.print(Text(f"{scorer.label}, cut because it did not fit: {cut}"))
        console.print(Text(f"{scorer.label}: {scorer.metric.unit}"))
        console.print(Text(f"  {scorer.signature.short}", style="dim"), soft_wrap=True)


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def tallies_json(tallies: Mapping[str, Tally]) -> str:
    """The same numbers as `print_tallies`, as one JSON object."""
    return json.dumps(
        {
            label: {
                "rows": tally.rows,
                "scored": tally.valued,
                "mean": tally.mean,
                "least": tally.least if tally.valued else None,
                "greatest": tally.greatest if tally.valued else None,
                "outcomes": {str(o): n for o, n in sorted(tally.outcomes.items())},
                "verdicts": dict(sorted(tally.verdicts.items())),
                "cut": tally.cut.to_dict(),
            }
            for label, tally in tallies.items()
        }
    )


def tsv_row(score: Score) -> str:
    """id, metric, value, outcome with tabs between; tabs and line ends inside an id are spaces."""
    identity = " ".join(score.id.split())
    value = "" if score.value is None else repr(score.value)
    return f"{identity}\t{score.metric}\t{value}\t{score.outcome}"


def print_metric(
    metric: type[Metric], about: str, options: Sequence[tuple[str, str, str]], as_json: bool
) -> None:
    """A metric's declaration, what it is, its limitations, options and presets."""
    if as_json:
        print_json(
            {
                "name": metric.name,
                "bounds": [b if math.isfinite(b) else None for b in metric.bounds],
                "unit": metric.unit,
                "needs": sorted(metric.needs),
                "about": " ".join(about.split()),
                "limitations": metric.limitations,
                "options": [
                    dict(zip(("name", "takes", "default"), option, strict=True))
                    for option in options
                ],
                "presets": {name: dict(settings) for name, settings in metric.presets.items()},
            }
        )
        return
    console = screen()
    console.print(Text(metric.name, style="bold"))
    console.print(Text(f"{metric.unit}; {metric.bounds[0]:g} to {metric.bounds[1]:g}, higher is "
                       "more faithful"))  # fmt: skip
    console.print()
    console.print(Text(about), soft_wrap=True)
    console.print()
    if metric.limitations:
        limitations = textwrap.fill(f"Limitations: {metric.limitations}", 96)
        console.print(Text(limitations), soft_wrap=True)
        console.print()
    print_rows(["option", "takes", "default"], options, False)
    if metric.presets:
        console.print()
        rows = [
            [name, ", ".join(f"{key}={value}" for key, value in settings.items()) or "the defaults"]
            for name, settings in metric.presets.items()
        ]
        print_rows(["preset", "sets"], rows, False)


def print_comparison(rows: Sequence[Mapping[str, Any]]) -> None:
    """Two metrics on each dataset: the difference, its interval, and the corrected p-value."""
    from faithkit.evaluation.bench.tables import difference_interval

    shown = []
    for row in rows:
        if row["difference"] is None:
            shown.append([row["dataset"], row["statistic"], "–", "–", "–", str(row["reason"])])
            continue
        p = "–" if row["p_holm"] is None else f"{row['p_holm']:.4f}"
        interval = str(row["reason"] or "–")
        if row["low"] is not None:
            interval = difference_interval(row)
        least = row["minimum_detectable"]
        shown.append([
            row["dataset"], row["statistic"], f"{100 * row['difference']:+.1f}", interval, p,
            "–" if least is None else f"{100 * least:.1f}",
        ])  # fmt: skip
    console = screen()
    console.print()
    console.print(Text(f"{rows[0]['first']} minus {rows[0]['second']}", style="bold"))
    header = ["dataset", "statistic", "difference", "95% interval", "p (Holm)", "could find"]
    print_rows(header, shown, False)


def plain(value: object) -> str:
    """A JSON value as a person reads it."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not known" if value is None else str(value)


def model_row(item: Artefact, status: Status) -> list[str]:
    """name, roles, licence, size, ready, where: one row of `faithkit models list`."""
    size = status.size if status.size is not None else item.size
    where = str(status.path) if status.path else status.reason
    ready = "yes" if status.ready else "no"
    return [item.name, ", ".join(item.roles), item.licence, f"{size / 1e6:.0f} MB", ready, where]


def print_model(item: Artefact, status: Status, as_json: bool) -> None:
    """All that is known of an embedded model."""
    facts = {
        "name": item.name,
        "what": item.description,
        "roles": ", ".join(item.roles),
        "also called": ", ".join(item.aliases),
        "licence": item.licence,
        "origin": item.origin,
        "size": f"{(status.size if status.size is not None else item.size) / 1e6:.0f} MB",
        "sha256": item.sha256,
        "ready": "yes" if status.ready else f"no: {status.reason}",
        "where": str(status.path or ""),
    }
    if as_json:
        print_json(facts)
    else:
        print_rows(["", item.name], [[name, value] for name, value in facts.items()])


class _Rate(ProgressColumn):
    """Rows a second since the start."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.1f} rows/s" if speed else "– rows/s")


def _shows_bars(console: Screen) -> bool:
    """Whether standard error is a terminal. FORCE_COLOR, which notebooks set, is about colours: a
    file does not become a terminal by it."""
    return console.is_terminal and sys.stderr.isatty()


def _progress(console: Screen, *columns: ProgressColumn) -> Progress:
    """A bar on standard error where that is a terminal; standard output is not its business.

    columns  after the bar; default: rows, rows/s and time left
    """
    columns = columns or (MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *columns,
        console=console,
        disable=not _shows_bars(console),
        redirect_stdout=False,
    )


@contextmanager
def rows_progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar with rows, rows/s and time left, on stderr where that is a terminal."""
    with _progress(Screen(error=True)) as bar:
        task = bar.add_task("scoring", total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def named_progress() -> Iterator[Callable[[str, int, int], None]]:
    """As `rows_progress`, for several pieces of work one after the other, each with its name."""
    with _progress(Screen(error=True)) as bar:
        tasks: dict[str, TaskID] = {}

        def tell(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done)

        yield tell


@contextmanager
def bytes_progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for downloads and conversions; without a terminal, a line for each step."""
    console = Screen(error=True)
    last = ""
    with _progress(console, DownloadColumn()) as bar:
        task = bar.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            nonlocal last
            if not _shows_bars(console) and what != last:
                console.print(Text(what))
            last = what
            bar.update(task, description=what, completed=done, total=total or None)

        yield tell
