"""The command `faithkit check`: one pair, or the worst of a file."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli import options
from faithkit.cli.common import (
    check_gates,
    check_writable,
    exit_code,
    gates_of,
    metric_specs,
    progress_of,
    read_text,
)
from faithkit.cli.options import (
    CacheOptions,
    ColumnOptions,
    DefaultMetricOption,
    GateOption,
    HtmlOption,
    JsonOption,
    PresetOption,
    RuntimeOptions,
)

if TYPE_CHECKING:
    from faithkit.cache import Cache
    from faithkit.files import Rows
    from faithkit.records import Example, Outcome, Score
    from faithkit.report.results_page import ResultsPage
    from faithkit.run import Prepared, Tally

WORST = 10
"""Rows of a file that are shown where no number is given."""

MAX_LISTED_IDS = 20
"""Rows without a value that are named, of each reason."""


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    options.register(app, check)


@dataclass(frozen=True)
class TextOptions(ColumnOptions):
    """What is checked: two texts, or the rows of a file."""

    source: Annotated[
        str | None, typer.Option(help="File with the source text; - for standard input.")
    ] = None
    summary: Annotated[
        str | None, typer.Option(help="File with the summary; - for standard input.")
    ] = None
    worst: Annotated[
        int | None,
        typer.Option(min=1, help=f"Rows of PAIRS to show, the lowest first. Default: {WORST}."),
    ] = None

    def check(self, pairs: str | None) -> None:
        """Refuses anything but a file of pairs, or both texts."""
        from faithkit.records import ConfigError

        if pairs is None and (self.source is None or self.summary is None):
            raise ConfigError("name a file of pairs, or both --source and --summary")
        if self.source == self.summary == "-":
            raise ConfigError("--source and --summary cannot both be standard input (-)")
        if pairs is not None and (self.source or self.summary):
            raise ConfigError("--source and --summary are one pair, so there is no file beside it")
        if pairs is None and (self.worst is not None or self.columns().customised):
            raise ConfigError("--worst, --column and --labels are for a file of pairs")

    def open(self, pairs: str, all_fields: bool) -> AbstractContextManager[Rows]:
        """The checked file; all_fields: with all that is known of a pair, not the texts alone."""
        from faithkit import files
        from faithkit.columns import OPTIONAL_FIELDS

        columns = self.columns() if all_fields else self.columns().without(*OPTIONAL_FIELDS)
        return files.open_pairs(pairs, columns, self.input_format)

    def example(self) -> Example:
        """The one pair."""
        from faithkit.records import Example

        return Example("summary", read_text(self.source or ""), read_text(self.summary or ""))


def check(
    pairs: Annotated[
        str | None,
        typer.Argument(help="A file of pairs, of which the worst are shown; as `score` reads it."),
    ] = None,
    *,
    texts: TextOptions,
    metric: DefaultMetricOption = None,
    fail_under: GateOption = None,
    html: HtmlOption = None,
    runtime: RuntimeOptions,
    preset: PresetOption = None,
    cache: CacheOptions,
    json_output: JsonOption = False,
) -> None:
    """Check one summary, or the worst of a file, word by word."""
    from faithkit import run
    from faithkit.records import Example

    texts.check(pairs)
    check_writable(html, ending=".html", inputs=[pairs, texts.source, texts.summary])
    gates = gates_of(fail_under)
    specs = metric_specs(metric or run.DEFAULT_METRICS, preset)
    with ExitStack() as stack:
        # A file is read before models are loaded.
        given = stack.enter_context(texts.open(pairs, bool(html))) if pairs else texts.example()
        prepared = run.prepare(specs, runtime.record())
        check_gates(gates, prepared)
        store = stack.enter_context(cache.open())
        most = texts.worst or WORST
        page = stack.enter_context(_page(prepared, most)) if html else None
        if isinstance(given, Example):
            checked = _single(given, prepared, store, page)
        else:
            needs = frozenset[str]().union(*(scorer.metric.needs for scorer in prepared))
            rows = given.with_fields({*given.columns.by_field, *needs}, texts.columns())
            if rows.note:
                typer.echo(f"faithkit: {rows.note}", err=True)
            checked = _worst(rows, prepared, store, most, page)
        _show(checked, prepared, json_output, of_file=pairs is not None)
        if html and page is not None:
            title = f"The worst rows of {Path(pairs).name}" if pairs else "Checked summary"
            page.write(Path(html), title=title)
            typer.echo(f"Page: {html}", err=json_output)
    exit_code(checked.tallies, gates, strict=False)


@dataclass
class Unscored:
    """Rows without a value for the same reason; `ids` are the first of them."""

    outcome: Outcome
    reason: str
    count: int = 0
    ids: list[str] = field(default_factory=list)

    def add(self, identity: str) -> None:
        self.count += 1
        if len(self.ids) < MAX_LISTED_IDS:
            self.ids.append(identity)


@dataclass(frozen=True)
class Checked:
    """Rows with their scores, as they are shown, what all rows of the file add up to, and those
    that the first metric gives no value. `numbers`: the place of each row in its file, from 1."""

    rows: Sequence[tuple[Example, Sequence[Score]]]
    tallies: dict[str, Tally]
    unscored: Sequence[Unscored] = ()
    numbers: Sequence[int] = ()


def _page(prepared: Sequence[Prepared], most: int) -> ResultsPage:
    """The page that takes every row and lists `most` of them."""
    from faithkit.report.results_page import ResultsPage
    from faithkit.results import shown_metrics

    return ResultsPage(shown_metrics(prepared), most)


def _single(
    example: Example, prepared: Sequence[Prepared], store: Cache, page: ResultsPage | None
) -> Checked:
    from faithkit import run

    (scores,) = run.score_batch(prepared, [example], store)
    if page is not None:
        page.add(example, scores)
    return Checked([(example, scores)], run.tallies_of(prepared, scores))


def _worst(
    rows: Rows, prepared: Sequence[Prepared], store: Cache, most: int, page: ResultsPage | None
) -> Checked:
    """The rows with the lowest values of the first metric, the lowest first; every row goes to the
    page."""
    from faithkit import run
    from faithkit.report.outcomes import reason

    tallies = run.tallies_of(prepared)
    unscored: dict[str, Unscored] = {}
    # A heap with the greatest of the lowest on top: negated values, and of equal rows the first.
    heap: list[tuple[float, int, Example, Sequence[Score]]] = []
    number = 0
    with progress_of(rows, None) as progress:
        for batch, scored in run.scored_batches(prepared, rows, store, progress=progress):
            for example, scores in zip(batch, scored, strict=True):
                number += 1
                if page is not None:
                    page.add(example, scores)
                for score in scores:
                    tallies[score.metric].add(score)
                if scores[0].value is None:
                    why = reason(example, scores[0])
                    unscored.setdefault(why, Unscored(scores[0].outcome, why)).add(example.id)
                else:
                    heapq.heappush(heap, (-scores[0].value, -number, example, scores))
                    if len(heap) > most:
                        heapq.heappop(heap)
    heap.sort(reverse=True)
    worst = [(row, scores) for _, _, row, scores in heap]
    return Checked(worst, tallies, list(unscored.values()), [-place for _, place, _, _ in heap])


def _show(checked: Checked, prepared: Sequence[Prepared], json_output: bool, of_file: bool) -> None:
    from faithkit.cli import terminal_check

    if json_output:
        _show_json(checked, prepared)
    elif of_file:
        terminal_check.print_worst(checked, prepared)
    else:
        for example, scores in checked.rows:
            terminal_check.print_check(example, scores, prepared)


def _show_json(checked: Checked, prepared: Sequence[Prepared]) -> None:
    """The rows of scores, each with its verdict and the words of its spans and evidence; on
    standard error, the rows that have no value."""
    from faithkit import files
    from faithkit.cli import terminal_check
    from faithkit.results import check_fields

    for example, scores in checked.rows:
        for score, scorer in zip(scores, prepared, strict=True):
            unit, thresholds = scorer.metric.unit, scorer.verdict_thresholds
            said = check_fields(example, score, unit, thresholds)
            typer.echo(files.line_of({**score.to_row(), **said}), nl=False)
    lines = terminal_check.unscored_lines(checked.unscored, checked.tallies[prepared[0].label])
    if lines:
        typer.echo(f"faithkit: {'; '.join(map(str.strip, lines))}", err=True)
