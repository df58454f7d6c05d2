"""What `faithkit check` prints: the summary with its doubtful words marked, evidence and scores.

Everything is readable without colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.color import Color
from rich.style import Style

from faithkit.cli import terminal
from faithkit.cli.console import Screen, Text
from faithkit.control import one_line
from faithkit.language.left_out import LEFT_OUT
from faithkit.records import Example, Outcome, Score
from faithkit.report.explained import (
    EMPTY,
    explained,
    least_supported_lines,
    left_out_lines,
    undecided,
    unmarked_line,
    verdict_line,
    verdict_lines,
)
from faithkit.report.marks import Mark, marks_of

if TYPE_CHECKING:
    from faithkit.cli.checking import Checked, Unscored
    from faithkit.report.views import ShownMetric
    from faithkit.run import Prepared, Tally


def _print_wrapped(console: Screen, text: Text, indent: int = 0) -> None:
    """Wraps to at most 100 columns, indented, without trailing spaces."""
    width = min(console.width, 100)
    for line in text.wrap(console, width - indent):
        line.rstrip()
        console.print(Text(" " * indent).append_text(line))


def print_check(example: Example, scores: Sequence[Score], prepared: Sequence[Prepared]) -> None:
    """The summary with its doubtful words marked `[1: words]`, then for each, the most doubtful
    first, how doubtful it is and what the source says instead, then the scores."""
    from faithkit.results import shown_metrics

    console = terminal.screen()
    metrics = {metric.label: metric for metric in shown_metrics(prepared)}
    console.print(Text("Summary", style="bold"))
    _print_marks(console, example, scores, metrics)
    console.print()
    for verdict, why in verdict_lines(example, scores, metrics):
        if verdict:
            console.print(Text(verdict, "bold"))
        if why:
            _print_wrapped(console, Text(why))
    _print_scores(console, scores, metrics)
    _print_left_out(console, scores, metrics)
    _print_texts(console, scores)


def print_worst(checked: Checked, prepared: Sequence[Prepared]) -> None:
    """Each row's id (its number, if it has none), scores and marked summary, the lowest first; then
    the rows without a value."""
    from faithkit.results import shown_metrics

    console = terminal.screen()
    metrics = {metric.label: metric for metric in shown_metrics(prepared)}
    first = metrics[prepared[0].label]
    tally = checked.tallies[first.label]
    heading = _heading(len(checked.rows), tally, first.title)
    if first.verdict_thresholds and checked.rows:
        heading += f"; {undecided(first.verdict_thresholds)}"
    console.print(Text(heading, style="bold"))
    for number, (example, scores) in zip(checked.numbers, checked.rows, strict=True):
        console.print()
        name = f"Row {number}" if example.id == str(number) else example.id
        system = f", {example.system}" if example.system else ""
        console.print(Text(one_line(name + system), style="bold"))
        verdicts = (
            verdict_line(score, metrics[score.metric], with_thresholds=False) for score in scores
        )
        numbers = [
            f"{metrics[score.metric].title} {terminal.number(score.value)}" for score in scores
        ]
        _print_wrapped(console, Text("; ".join([*filter(None, verdicts), *numbers])), 2)
        _print_marks(console, example, scores, metrics)
        _print_left_out(console, scores, metrics, 2)
    if lines := unscored_lines(checked.unscored, tally):
        console.print()
        for line in lines:
            indent = len(line) - len(line.lstrip())
            _print_wrapped(console, Text(line.lstrip()), indent)


def _heading(shown: int, tally: Tally, name: str) -> str:
    """What of a file is shown, of the rows that have a value."""
    scored = "" if tally.valued == tally.rows else "scored "
    if tally.valued == 0:
        return f"No row has a value of {name}"
    if tally.valued == 1:
        return f"The only {scored}row, by {name}"
    lowest = "lowest" if shown == 1 else f"{shown} lowest"
    return f"The {lowest} of {tally.valued} {scored}rows by {name}"


def unscored_lines(unscored: Sequence[Unscored], tally: Tally) -> list[str]:
    """How many rows have no value, and of each reason the ids."""
    if not unscored:
        return []
    missing = sum(rows.count for rows in unscored)
    counted = f"{missing} of {tally.rows} rows" if tally.rows > 1 else "The row"
    lines = [f"{counted} {'has' if missing == 1 else 'have'} no score"]
    for rows in unscored:
        more = rows.count - len(rows.ids)
        ids = ", ".join(map(one_line, rows.ids)) + (f" and {more} more" if more else "")
        lines += [f"  {rows.count} {rows.outcome}: {ids}", f"    {rows.reason}"]
    return lines


def _print_marks(
    console: Screen, example: Example, scores: Sequence[Score], metrics: Mapping[str, ShownMetric]
) -> None:
    marked = marks_of(example.summary, scores)
    _print_wrapped(console, _marked(example.summary, marked) or Text(EMPTY), 2)
    if marked:
        console.print(Text("\nWords in doubt, the most doubtful first", style="bold"))
    elif line := unmarked_line(scores, metrics):
        console.print(Text(f"\n{line}"))
    for mark in explained(example, scores, marked, metrics):
        heading = Text(f"{mark.number}: {mark.words}", style="bold")
        _print_wrapped(console, heading.append(mark.doubtful, style="not bold"), 2)
        for line in mark.details:
            _print_wrapped(console, Text(line), 5)
    for line, indent in zip(least_supported_lines(example, scores), (0, 2), strict=False):
        _print_wrapped(console, Text(line), indent)


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
            if name != LEFT_OUT:
                by.setdefault((name, " ".join(text.split())), []).append(score.metric)
    for (name, text), metrics in by.items():
        console.print()
        console.print(Text(f"{TEXTS.get(name, name)}, by {', '.join(metrics)}", style="bold"))
        _print_wrapped(console, Text(text or EMPTY), 2)


def _print_left_out(
    console: Screen, scores: Sequence[Score], metrics: Mapping[str, ShownMetric], indent: int = 0
) -> None:
    for line in left_out_lines(scores, metrics):
        _print_wrapped(console, Text(line, style="dim"), indent)


def _print_scores(
    console: Screen, scores: Sequence[Score], metrics: Mapping[str, ShownMetric]
) -> None:
    rows = []
    for score in scores:
        metric = metrics[score.metric]
        outcome = "" if score.outcome is Outcome.OK else f" ({score.outcome})"
        rows.append([metric.title, f"{terminal.number(score.value)}{outcome}", metric.unit])
    terminal.print_rows(["metric", "score", "what the number means"], rows)
    for score in scores:
        cut = score.coverage.source_tokens_cut
        if cut:
            title = metrics[score.metric].title
            console.print(Text(f"{title}: {cut} tokens of the source did not fit and were cut."))


def _marked(summary: str, marks: Sequence[Mark]) -> Text:
    text = Text()
    place = 0
    for number, mark in sorted(enumerate(marks, start=1), key=lambda item: item[1].start):
        text.append(summary[place : mark.start])
        text.append(f"[{number}: {summary[mark.start : mark.end]}]", style=_shade(mark.doubt))
        place = mark.end
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
