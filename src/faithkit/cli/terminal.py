"""What the commands print: tables, a checked summary, progress. Reads results, computes none.

Everything is readable without colour. Progress goes to stderr, and only where that is a terminal.
"""

from __future__ import annotations

import inspect
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.color import Color
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
from rich.style import Style
from rich.table import Table

from faithkit.cli.console import Screen, Text
from faithkit.cli.screen import one_line
from faithkit.records import VERDICTS, Evidence, Example, Outcome, Score, verdict_of

if TYPE_CHECKING:
    from faithkit.metrics.base import Metric
    from faithkit.models.store import Artefact, Status
    from faithkit.run import Prepared, Tally

BEST_MATCH, FURTHER, MARKED_WORDS = "best match", "evidence", "marked words"
"""Labels of source sentences: for a summary sentence, the first and further ones, and for marked
words. Any other evidence is words that stand for the words themselves."""


def _console(width: int = 160) -> Screen:
    # A file or a pipe has no width of its own; tables must not be folded for it.
    return Screen(width=None if sys.stdout.isatty() else width)


def _print(console: Screen, text: Text, indent: int = 0) -> None:
    """Wraps to at most 100 columns, indented, without trailing spaces."""
    width = min(console.width, 100)
    for line in text.wrap(console, width - indent):
        line.rstrip()
        console.print(Text(" " * indent).append_text(line))


def print_rows(header: Sequence[str], rows: Sequence[Sequence[str]], as_json: bool) -> None:
    """A table, or a JSON list of objects."""
    if as_json:
        found = [dict(zip(header, row, strict=True)) for row in rows]
        sys.stdout.write(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
        return
    table = _table(header)
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    _console(1000).print(table)


def _table(header: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in header:
        number = name in ("mean", "least", "greatest", "rows", "scored")
        table.add_column(
            Text(one_line(name)), justify="right" if number else "left", overflow="fold"
        )
    return table


def print_tallies(tallies: Mapping[str, Tally], prepared: Sequence[Prepared]) -> None:
    """Per metric: rows, how many have a value, mean and range, and every other outcome's count."""
    table = _table(["metric", "rows", "scored", "mean", "least", "greatest", "unscored"])
    for label, tally in tallies.items():
        numbers = (tally.mean, tally.least, tally.greatest) if tally.valued else (None,) * 3
        table.add_row(
            Text(label),
            str(tally.rows),
            str(tally.valued),
            *(_number(n) for n in numbers),
            tally.failures or "none",
        )
    console = _console()
    console.print(table)
    console.print()
    for one in prepared:
        verdicts = tallies[one.label].verdicts
        if verdicts:
            shown = ", ".join(f"{verdicts[name]} {name}" for name in VERDICTS.values())
            console.print(Text(f"{one.label}, verdicts: {shown}"))
        if cut := str(tallies[one.label].cut):
            console.print(Text(f"{one.label}, cut because it did not fit: {cut}"))
        console.print(Text(f"{one.label}: {one.metric.unit}"))
        console.print(Text(f"  {one.signature.short}", style="dim"), soft_wrap=True)


def _number(value: float | None) -> str:
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


@dataclass(slots=True)
class Doubt:
    """A run of summary words that some metric does not find in the source.

    by  metric to its doubt, 0..1: one minus the least score of its spans; None if they have none
    """

    start: int
    end: int
    by: dict[str, float | None] = field(default_factory=dict)

    @property
    def most(self) -> float | None:
        """The greatest doubt of any metric."""
        return max((doubt for doubt in self.by.values() if doubt is not None), default=None)


def doubts(summary: str, scores: Sequence[Score]) -> list[Doubt]:
    """The unsupported spans of all metrics, those that overlap or are side by side joined; the most
    doubtful first, those without a number last."""
    spans = sorted(
        (
            (span.start, span.end, score.metric, span.score)
            for score in scores
            for span in score.spans
            if span.label == "unsupported"
        ),
        key=lambda span: span[:2],
    )
    found: list[Doubt] = []
    for start, end, metric, number in spans:
        last = found[-1] if found else None
        if last is None or summary[last.end : start].strip(" \t\n-–—'’.,/"):
            last = Doubt(start, end)
            found.append(last)
        last.end = max(last.end, end)
        doubt = None if number is None else min(max(1 - number, 0.0), 1.0)
        known = [n for n in (last.by.get(metric), doubt) if n is not None]
        last.by[metric] = max(known) if known else None
    return sorted(found, key=lambda one: -1.0 if one.most is None else one.most, reverse=True)


def _names(prepared: Sequence[Prepared]) -> dict[str, str]:
    """A metric's label to the name that is shown: its own, unless another has the same."""
    own = {one.label: one.metric.title or one.metric.name for one in prepared}
    count = Counter(own.values())
    return {label: name if count[name] == 1 else label for label, name in own.items()}


def print_check(example: Example, scores: Sequence[Score], prepared: Sequence[Prepared]) -> None:
    """The summary with its doubtful words marked `[1: words]`, then for each, the most doubtful
    first, how doubtful it is and what the source says instead, then the scores."""
    console = _console()
    names = _names(prepared)
    found = doubts(example.summary, scores)
    console.print(Text("Summary", style="bold"))
    _print(console, _marked(example.summary, found), 2)
    console.print()
    if found:
        console.print(Text("Words in doubt, the most doubtful first", style="bold"))
    elif any(score.outcome is Outcome.OK for score in scores):
        shown = ", ".join(names[score.metric] for score in scores if score.outcome is Outcome.OK)
        console.print(Text(f"No unsupported words found by {shown}."))
    quoted: dict[str, int] = {}
    for number, doubt in enumerate(found, start=1):
        heading, *details = _explained(number, doubt, example, scores, names, quoted)
        _print(console, heading, 2)
        for line in details:
            _print(console, line, 5)
    console.print()
    for score in scores:
        if verdict := verdict_of(score.parts):
            chance = score.parts["probability"]
            shown = f"{names[score.metric]}: {verdict} ({chance:.0%} likely to be consistent)"
            console.print(Text(shown, "bold"))
    _print_scores(console, scores, prepared)
    _print_texts(console, scores)


TEXTS = {
    "lss": "Longest supported subsequence (LSS)",
    "lss_star": "LSS*, the same made grammatical",
}
"""Headings of the texts that metrics write; any other text is headed by its name."""


def _print_texts(console: Screen, scores: Sequence[Score]) -> None:
    """Every text that a metric wrote about the summary, once, with the metrics that wrote it."""
    by: dict[tuple[str, str], list[str]] = {}
    for score in scores:
        for name, text in score.texts.items():
            by.setdefault((name, " ".join(text.split())), []).append(score.metric)
    for (name, text), metrics in by.items():
        console.print()
        console.print(Text(f"{TEXTS.get(name, name)}, by {', '.join(metrics)}", style="bold"))
        _print(console, Text(text or "(empty)"), 2)


def _print_scores(console: Screen, scores: Sequence[Score], prepared: Sequence[Prepared]) -> None:
    table = _table(["metric", "score", "what the number means"])
    names = _names(prepared)
    for score, one in zip(scores, prepared, strict=True):
        shown = _number(score.value)
        if score.outcome is not Outcome.OK:
            shown = f"{shown} ({score.outcome})"
        table.add_row(Text(names[score.metric]), shown, Text(one.metric.unit))
    console.print(table)
    for score in scores:
        cut = score.coverage.source_tokens_cut
        if cut:
            console.print(
                Text(f"{names[score.metric]}: {cut} tokens of the source did not fit and were cut.")
            )


def _marked(summary: str, found: Sequence[Doubt]) -> Text:
    text = Text()
    place = 0
    for number, doubt in sorted(enumerate(found, start=1), key=lambda item: item[1].start):
        text.append(summary[place : doubt.start])
        text.append(f"[{number}: {summary[doubt.start : doubt.end]}]", style=_shade(doubt.most))
        place = doubt.end
    text.append(summary[place:].rstrip())
    return text


def _shade(doubt: float | None) -> Style:
    """From black on pale to white on deep red with the doubt, for light and dark screens alike."""
    if doubt is None:
        return Style(bold=True, underline=True)
    pale = round(220 * (1 - doubt))
    return Style(
        bold=True,
        color="white" if doubt >= 0.5 else "black",
        bgcolor=Color.from_rgb(255 - round(75 * doubt), pale, pale),
    )


def _said(doubt: Doubt, names: Mapping[str, str]) -> str:
    """How doubtful the words are, in percent; by which metric where there are several."""
    if len(names) == 1:
        return "" if doubt.most is None else f" — {doubt.most:.0%} doubt"
    said = [
        f"marked by {names[metric]}" if share is None else f"{share:.0%} doubt by {names[metric]}"
        for metric, share in doubt.by.items()
    ]
    return f" — {', '.join(said)}"


def _explained(
    number: int,
    doubt: Doubt,
    example: Example,
    scores: Sequence[Score],
    names: Mapping[str, str],
    quoted: dict[str, int],
) -> Iterator[Text]:
    """The lines about a mark. `quoted`: source sentences shown before, with the mark's number."""
    words = " ".join(example.summary[doubt.start : doubt.end].split())
    yield Text(f"{number}: {words}", style="bold").append(_said(doubt, names), style="not bold")
    items = [item for score in scores for item in score.evidence]
    near = [
        i
        for i in items
        if i.label not in (BEST_MATCH, FURTHER, MARKED_WORDS)
        and i.summary_start < doubt.end
        and doubt.start < i.summary_end
    ]
    seen: dict[str, Evidence] = {}
    for item in near:
        seen.setdefault(_quote(example.source, item, 60), item)
    if seen:
        nearest = ", ".join(
            quote if item.score is None else f"{quote} ({item.score:.2f})"
            for quote, item in seen.items()
        )
        yield Text(f"nearest in the source: {nearest}")
    if best := _best(doubt, items):
        quote = _quote(example.source, best, 300)
        if quote in quoted:
            yield Text(f"best evidence: that of {quoted[quote]}")
        else:
            quoted[quote] = number
            yield Text(f"best evidence: {quote}")


def _best(doubt: Doubt, items: Sequence[Evidence]) -> Evidence | None:
    """The source sentence for the marked words; without one that for the summary's sentence."""
    own = [
        item
        for item in items
        if item.label == MARKED_WORDS
        and item.summary_start < doubt.end
        and doubt.start < item.summary_end
    ]
    if own:
        return max(own, key=lambda item: item.score or 0.0)
    sentences = (
        item
        for item in items
        if item.label == BEST_MATCH and item.summary_start <= doubt.start < item.summary_end
    )
    return next(sentences, None)


def _quote(source: str, item: Evidence, most: int) -> str:
    text = " ".join(source[item.start : item.end].split())
    return f"“{text}”" if len(text) <= most else f"“{text[: most - 1]}…”"


def print_metric(
    metric: type[Metric], options: Sequence[tuple[str, str, str]], as_json: bool
) -> None:
    """A metric's declaration, docstring, options and presets."""
    about = " ".join((metric.__doc__ or "").split())
    if as_json:
        sys.stdout.write(
            json.dumps(
                {
                    "name": metric.name,
                    "bounds": [b if math.isfinite(b) else None for b in metric.bounds],
                    "unit": metric.unit,
                    "needs": sorted(metric.needs),
                    "about": about,
                    "options": [
                        dict(zip(("name", "takes", "default"), option, strict=True))
                        for option in options
                    ],
                    "presets": {name: dict(settings) for name, settings in metric.presets.items()},
                },
                indent=2,
            )
            + "\n"
        )
        return
    console = _console()
    console.print(Text(metric.name, style="bold"))
    console.print(Text(f"{metric.unit}; {metric.bounds[0]:g} to {metric.bounds[1]:g}, higher is "
                       "more faithful"))  # fmt: skip
    console.print()
    console.print(Text(inspect.cleandoc(metric.__doc__ or "")), soft_wrap=True)
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
    shown = []
    for row in rows:
        if row["difference"] is None:
            shown.append([row["dataset"], row["statistic"], "–", "–", "–", str(row["reason"])])
            continue
        p = "–" if row["p_holm"] is None else f"{row['p_holm']:.4f}"
        interval = str(row["reason"] or "–")
        if row["low"] is not None:
            interval = f"{100 * row['low']:+.1f} to {100 * row['high']:+.1f}"
        least = row["minimum_detectable"]
        shown.append([
            row["dataset"], row["statistic"], f"{100 * row['difference']:+.1f}", interval, p,
            "–" if least is None else f"{100 * least:.1f}",
        ])  # fmt: skip
    console = _console()
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
    known = {
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
        sys.stdout.write(json.dumps(known, indent=2, ensure_ascii=False) + "\n")
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in known.items():
        table.add_row(Text(name, style="bold"), Text(value))
    _console().print(table)


class _Rate(ProgressColumn):
    """Rows a second since the start."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.1f} rows/s" if speed else "– rows/s")


def _progress(console: Screen, *columns: ProgressColumn) -> Progress:
    """A bar on standard error where that is a terminal; standard output is not its business."""
    return Progress(
        *columns, console=console, disable=not console.is_terminal, redirect_stdout=False
    )


@contextmanager
def rows_progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar with rows, rows/s and time left, on stderr where that is a terminal."""
    console = Screen(error=True)
    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), _Rate(),
        TimeRemainingColumn(),
    )  # fmt: skip
    with _progress(console, *columns) as bar:
        task = bar.add_task("scoring", total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def named_progress() -> Iterator[Callable[[str, int, int], None]]:
    """As `rows_progress`, for several pieces of work one after the other, each with its name."""
    console = Screen(error=True)
    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), _Rate(),
        TimeRemainingColumn(),
    )  # fmt: skip
    with _progress(console, *columns) as bar:
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
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    with _progress(console, *columns) as bar:
        task = bar.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            nonlocal last
            if not console.is_terminal and what != last:
                console.print(Text(what))
            last = what
            bar.update(task, description=what, completed=done, total=total or None)

        yield tell
