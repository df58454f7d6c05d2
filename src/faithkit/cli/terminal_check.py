"""What `faithkit check` prints: the summary with its doubtful words marked, evidence and scores.

Everything is readable without colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.color import Color
from rich.style import Style

from faithkit.cli import terminal
from faithkit.cli.console import Screen, Text
from faithkit.cli.screen import one_line
from faithkit.records import Evidence, Example, Outcome, Score, verdict_of
from faithkit.report.marks import Mark, best_evidence, marks_of, nearest_words

if TYPE_CHECKING:
    from faithkit.run import Prepared, Tally


def _print_wrapped(console: Screen, text: Text, indent: int = 0) -> None:
    """Wraps to at most 100 columns, indented, without trailing spaces."""
    width = min(console.width, 100)
    for line in text.wrap(console, width - indent):
        line.rstrip()
        console.print(Text(" " * indent).append_text(line))


def _names(prepared: Sequence[Prepared]) -> dict[str, str]:
    """A metric's label to the name that is shown: its own, unless another has the same."""
    titles = {scorer.label: scorer.metric.title or scorer.metric.name for scorer in prepared}
    count = Counter(titles.values())
    return {label: name if count[name] == 1 else label for label, name in titles.items()}


def print_check(example: Example, scores: Sequence[Score], prepared: Sequence[Prepared]) -> None:
    """The summary with its doubtful words marked `[1: words]`, then for each, the most doubtful
    first, how doubtful it is and what the source says instead, then the scores."""
    console = terminal.screen()
    names = _names(prepared)
    console.print(Text("Summary", style="bold"))
    _print_marks(console, example, scores, names)
    console.print()
    for line in _verdicts(scores, prepared):
        console.print(Text(line, "bold"))
    _print_scores(console, scores, prepared)
    _print_texts(console, scores)


def print_worst(
    rows: Sequence[tuple[Example, Sequence[Score]]], prepared: Sequence[Prepared], tally: Tally
) -> None:
    """Each row's id, scores and marked summary.

    rows   the lowest first
    tally  of the metric that they are sorted by, over all rows of the file
    """
    console = terminal.screen()
    names = _names(prepared)
    first = names[prepared[0].label]
    console.print(Text(f"The {len(rows)} lowest of {tally.valued} rows by {first}", style="bold"))
    for place, (example, scores) in enumerate(rows, start=1):
        console.print()
        system = f", {example.system}" if example.system else ""
        console.print(Text(f"{place}. {one_line(example.id + system)}", style="bold"))
        numbers = [f"{names[score.metric]} {terminal.number(score.value)}" for score in scores]
        _print_wrapped(console, Text("; ".join([*_verdicts(scores, prepared), *numbers])), 2)
        _print_marks(console, example, scores, names)
    if tally.valued < tally.rows:
        console.print()
        missing = tally.rows - tally.valued
        console.print(Text(f"{missing} of {tally.rows} rows have no score: {tally.failures}"))


def _print_marks(
    console: Screen, example: Example, scores: Sequence[Score], names: Mapping[str, str]
) -> None:
    marked = marks_of(example.summary, scores)
    _print_wrapped(console, _marked(example.summary, marked), 2)
    console.print()
    if marked:
        console.print(Text("Words in doubt, the most doubtful first", style="bold"))
    elif any(score.outcome is Outcome.OK for score in scores):
        shown = ", ".join(names[score.metric] for score in scores if score.outcome is Outcome.OK)
        console.print(Text(f"No unsupported words found by {shown}."))
    quoted: dict[str, int] = {}
    for number, mark in enumerate(marked, start=1):
        heading, *details = _explained(number, mark, example, scores, names, quoted)
        _print_wrapped(console, heading, 2)
        for line in details:
            _print_wrapped(console, line, 5)


def _verdicts(scores: Sequence[Score], prepared: Sequence[Prepared]) -> Iterator[str]:
    """What the metrics that give verdicts say, each in words."""
    names = _names(prepared)
    units = {one.label: one.metric.unit for one in prepared}
    for score in scores:
        if verdict := verdict_of(score.parts):
            # Of `support` the value is the probability; a calibrated metric has it as a part.
            is_probability = units[score.metric].startswith("probability")
            chance = score.parts.get("probability", score.value if is_probability else None)
            shown = f"{names[score.metric]}: {verdict}"
            yield shown if chance is None else f"{shown} ({chance:.0%} likely to be consistent)"


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
        _print_wrapped(console, Text(text or "(empty)"), 2)


def _print_scores(console: Screen, scores: Sequence[Score], prepared: Sequence[Prepared]) -> None:
    names = _names(prepared)
    rows = []
    for score, scorer in zip(scores, prepared, strict=True):
        outcome = "" if score.outcome is Outcome.OK else f" ({score.outcome})"
        rows.append(
            [names[score.metric], f"{terminal.number(score.value)}{outcome}", scorer.metric.unit]
        )
    terminal.print_rows(["metric", "score", "what the number means"], rows)
    for score in scores:
        cut = score.coverage.source_tokens_cut
        if cut:
            console.print(
                Text(f"{names[score.metric]}: {cut} tokens of the source did not fit and were cut.")
            )


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


def _said(mark: Mark, names: Mapping[str, str]) -> str:
    """How doubtful the words are, in percent; by which metric where there are several."""
    if len(names) == 1:
        return "" if mark.doubt is None else f" — {mark.doubt:.0%} doubt"
    shares = [
        f"marked by {names[metric]}" if share is None else f"{share:.0%} doubt by {names[metric]}"
        for metric, share in mark.by.items()
    ]
    return f" — {', '.join(shares)}"


def _explained(
    number: int,
    mark: Mark,
    example: Example,
    scores: Sequence[Score],
    names: Mapping[str, str],
    quoted: dict[str, int],
) -> Iterator[Text]:
    """The lines about a mark. `quoted`: source sentences shown before, with the mark's number."""
    words = " ".join(example.summary[mark.start : mark.end].split())
    yield Text(f"{number}: {words}", style="bold").append(_said(mark, names), style="not bold")
    items = [item for score in scores for item in score.evidence]
    seen: dict[str, Evidence] = {}
    for item in nearest_words(mark, items):
        seen.setdefault(_quote(example.source, item, 60), item)
    if seen:
        nearest = ", ".join(
            quote if item.score is None else f"{quote} ({item.score:.2f})"
            for quote, item in seen.items()
        )
        yield Text(f"nearest in the source: {nearest}")
    if best := best_evidence(mark, items):
        quote = _quote(example.source, best, 300)
        if quote in quoted:
            yield Text(f"best evidence: that of {quoted[quote]}")
        else:
            quoted[quote] = number
            yield Text(f"best evidence: {quote}")


def _quote(source: str, item: Evidence, most: int) -> str:
    text = " ".join(source[item.start : item.end].split())
    return f"“{text}”" if len(text) <= most else f"“{text[: most - 1]}…”"
