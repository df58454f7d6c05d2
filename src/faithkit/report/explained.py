"""Texts that explain marks and verdicts, the same in the terminal, from Python, in a notebook and
in a gate.

`marks.py` decides which words are marked, and with which evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from faithkit.language.left_out import LEFT_OUT
from faithkit.language.sentences import speaker_at
from faithkit.records import Evidence, Example, Outcome, Score, probability_of
from faithkit.report.marks import Mark, best_evidence, least_supported, nearest_words
from faithkit.report.outcomes import reason
from faithkit.report.views import ShownMetric

DOUBTING = ("not consistent", "undecided")
"""Verdicts that doubt a summary, whether or not it has marked words."""

EMPTY = "(empty)"
"""Shown instead of a text without words."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A mark with its explanation.

    number    the number of the mark; 1 is the most doubtful
    words     the marked words, on one line
    doubtful  how doubtful they are, ` — 83% doubt`; "" if no metric gives a number
    details   lines about the evidence
    """

    number: int
    mark: Mark
    words: str
    doubtful: str
    details: tuple[str, ...]


def explained(
    example: Example,
    scores: Sequence[Score],
    marks: Sequence[Mark],
    metrics: Mapping[str, ShownMetric],
) -> Iterator[Explained]:
    """The marks of a summary (`marks_of`) with their explanations. A source sentence is quoted
    once; further marks refer to the first.

    metrics  how each metric is shown, by its label
    """
    items = [item for score in scores for item in score.evidence]
    quoted: dict[str, int] = {}
    for number, mark in enumerate(marks, start=1):
        words = " ".join(example.summary[mark.start : mark.end].split())
        details = []
        nearest: dict[str, Evidence] = {}
        for item in nearest_words(mark, items):
            nearest.setdefault(quoted_text(example.source, item, 60), item)
        if nearest:
            shown = ", ".join(
                quote if item.score is None else f"{quote} ({item.score:.2f})"
                for quote, item in nearest.items()
            )
            details.append(f"nearest in the source: {shown}")
        if best := best_evidence(mark, items):
            quote = quoted_text(example.source, best, 300)
            first = quoted.setdefault(quote, number)
            details.append(f"best evidence: {quote if first == number else f'that of {first}'}")
        yield Explained(number, mark, words, _doubtful(mark, metrics), tuple(details))


def _doubtful(mark: Mark, metrics: Mapping[str, ShownMetric]) -> str:
    """How doubtful the words are, in percent; with the metrics' names if there are several."""
    if len(metrics) == 1:
        return "" if mark.doubt is None else f" — {mark.doubt:.0%} doubt"
    shares = [
        f"marked by {metrics[label].title}"
        if share is None
        else f"{share:.0%} doubt by {metrics[label].title}"
        for label, share in mark.by.items()
    ]
    return f" — {', '.join(shares)}"


def least_supported_lines(example: Example, scores: Sequence[Score]) -> list[str]:
    """The lines about the least supported sentence; empty if no metric names one."""
    item = least_supported(scores)
    if item is None:
        return []
    words = " ".join(example.summary[item.summary_start : item.summary_end].split())
    likely = "" if item.score is None else f" ({item.score:.0%} likely)"
    return [
        f"Least supported sentence{likely}: “{words}”",
        f"best evidence: {quoted_text(example.source, item, 300)}",
    ]


def unmarked_line(scores: Sequence[Score], metrics: Mapping[str, ShownMetric]) -> str:
    """The line about a summary without marks. It says that no unsupported words were found only if
    no metric doubts the summary, and only of metrics that mark words; "" if none has scored it."""
    scored = [metrics[score.metric] for score in scores if score.outcome is Outcome.OK]
    marking = [metric.title for metric in scored if metric.marks_words]
    others = [metric.title for metric in scored if not metric.marks_words]
    least = least_supported(scores)
    if others and not marking and least is None:
        marks = "does not mark" if len(others) == 1 else "do not mark"
        return f"{', '.join(others)} {marks} unsupported words."
    doubts = {score.verdict for score in scores}
    if least is None and doubts.isdisjoint(DOUBTING):
        return f"No unsupported words found by {', '.join(marking)}." if marking else ""
    shown = "" if least is None else "; the least supported sentence is shown below"
    unsure = "" if least is None or "not consistent" in doubts else ", which need not be wrong"
    return f"No single word stands out{shown}{unsure}."


def verdict_line(score: Score, metric: ShownMetric, with_thresholds: bool = True) -> str:
    """`support: not consistent (12% likely to be consistent; undecided is from 30% to 68%)`; "" if
    the score has no verdict.

    with_thresholds  whether the thresholds of "undecided" are included
    """
    if score.verdict is None:
        return ""
    chance = probability_of(score, metric.unit)
    if chance is None:
        return f"{metric.title}: {score.verdict}"
    thresholds = metric.verdict_thresholds or ()
    likely = f"{_percent(chance, thresholds)} likely to be consistent"
    if thresholds and with_thresholds:
        likely += f"; {undecided(thresholds)}"
    return f"{metric.title}: {score.verdict} ({likely})"


def undecided(thresholds: tuple[float, float]) -> str:
    """`undecided is from 30% to 68%`."""
    low, high = (f"{100 * threshold:.3g}%" for threshold in thresholds)
    return f"undecided is from {low} to {high}"


def _percent(chance: float, thresholds: Sequence[float]) -> str:
    """The probability in percent, with up to three decimals if they are needed to show on which
    side of a threshold it is."""
    digits = 0
    while digits < 3 and any(
        (round(chance, digits + 2) >= threshold) != (chance >= threshold)
        for threshold in thresholds
    ):
        digits += 1
    return f"{chance:.{digits}%}"


def verdict_lines(
    example: Example, scores: Sequence[Score], metrics: Mapping[str, ShownMetric]
) -> list[tuple[str, str]]:
    """For each score, the line of its verdict and the line that explains why it has no ordinary
    value; "" for a line that does not apply."""
    return [
        (
            verdict_line(score, metrics[score.metric]),
            _why_line(example, score, metrics[score.metric].title),
        )
        for score in scores
    ]


def _why_line(example: Example, score: Score, name: str) -> str:
    """`support: no score. The summary is empty, ...`; "" for an ordinary score."""
    why = reason(example, score)
    none = "no score. " if score.value is None else ""
    return f"{name}: {none}{why}" if why else ""


def left_out_lines(scores: Sequence[Score], metrics: Mapping[str, ShownMetric]) -> list[str]:
    """`Left out before judging: 15 characters of the summary (“Confidence: 95%”)`, with the names
    of the metrics if others read them; empty if every word was read.

    metrics  how each metric is shown, by its label
    """
    titles_by_text: dict[str, list[str]] = {}
    for score in scores:
        if said := score.texts.get(LEFT_OUT):
            titles_by_text.setdefault(said, []).append(metrics[score.metric].title)
    lines = []
    for said, titles in titles_by_text.items():
        by = "" if len(titles) == len(scores) else f" by {', '.join(titles)}"
        lines.append(f"Left out before judging{by}: {said}")
    return lines


def with_marks(summary: str, marks: Sequence[Mark]) -> str:
    """The summary with each mark as `[1: words]`, without trailing white space."""
    pieces, position = [], 0
    for number, mark in sorted(enumerate(marks, start=1), key=lambda item: item[1].start):
        pieces.append(summary[position : mark.start])
        pieces.append(f"[{number}: {summary[mark.start : mark.end]}]")
        position = mark.end
    return "".join(pieces) + summary[position:].rstrip()


def quoted_text(source: str, item: Evidence, most: int) -> str:
    """The evidence in quotation marks on one line, truncated to `most` characters. In a dialogue it
    begins with the speaker's name, if the sentence itself does not."""
    text = " ".join(source[item.start : item.end].split())
    speaker = speaker_at(source, item.start)
    prefix = f"{speaker}: " if speaker else ""
    return prefix + (f"“{text}”" if len(text) <= most else f"“{text[: most - 1]}…”")
