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

DOUBTING = ("not consistent", "undecided")
"""Verdicts that doubt a summary, whether or not it has marked words."""

EMPTY = "(empty)"
"""Shown instead of a text without words."""

Limits = tuple[float, float]
"""The probabilities at which the verdicts "undecided" and "consistent" begin."""


@dataclass(frozen=True, slots=True)
class Named:
    """A metric as it is shown.

    name         its title
    unit         what its number means
    limits       the limits of its verdict; None if it gives no verdict, or has no limits
    marks_words  whether it marks unsupported words
    """

    name: str
    unit: str
    limits: Limits | None = None
    marks_words: bool = True


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
    example: Example, scores: Sequence[Score], marks: Sequence[Mark], names: Mapping[str, str]
) -> Iterator[Explained]:
    """The marks of a summary (`marks_of`) with their explanations. A source sentence is quoted
    once; further marks refer to the first.

    names  the title of each metric, by its label
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
        yield Explained(number, mark, words, _doubtful(mark, names), tuple(details))


def _doubtful(mark: Mark, names: Mapping[str, str]) -> str:
    """How doubtful the words are, in percent; with the metrics' names if there are several."""
    if len(names) == 1:
        return "" if mark.doubt is None else f" — {mark.doubt:.0%} doubt"
    shares = [
        f"marked by {names[metric]}" if share is None else f"{share:.0%} doubt by {names[metric]}"
        for metric, share in mark.by.items()
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


def unmarked_line(scores: Sequence[Score], metrics: Mapping[str, Named]) -> str:
    """The line about a summary without marks. It says that no unsupported words were found only if
    no metric doubts the summary, and only of metrics that mark words; "" if none has scored it."""
    scored = [metrics[score.metric] for score in scores if score.outcome is Outcome.OK]
    marking = [metric.name for metric in scored if metric.marks_words]
    others = [metric.name for metric in scored if not metric.marks_words]
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


def verdict_line(score: Score, metric: Named, with_limits: bool = True) -> str:
    """`support: not consistent (12% likely to be consistent; undecided is from 30% to 68%)`; "" if
    the score has no verdict.

    with_limits  whether the limits of "undecided" are included
    """
    if score.verdict is None:
        return ""
    chance = probability_of(score, metric.unit)
    if chance is None:
        return f"{metric.name}: {score.verdict}"
    limits = f"; {undecided(metric.limits)}" if metric.limits and with_limits else ""
    likely = f"{_percent(chance, metric.limits or ())} likely to be consistent"
    return f"{metric.name}: {score.verdict} ({likely}{limits})"


def undecided(limits: Limits) -> str:
    """`undecided is from 30% to 68%`."""
    low, high = (f"{100 * limit:.3g}%" for limit in limits)
    return f"undecided is from {low} to {high}"


def _percent(chance: float, limits: Sequence[float]) -> str:
    """The probability in percent, with up to three decimals if they are needed to show on which
    side of a limit it is."""
    digits = 0
    while digits < 3 and any(
        (round(chance, digits + 2) >= limit) != (chance >= limit) for limit in limits
    ):
        digits += 1
    return f"{chance:.{digits}%}"


def verdict_lines(
    example: Example, scores: Sequence[Score], metrics: Mapping[str, Named]
) -> list[tuple[str, str]]:
    """For each score, the line of its verdict and the line that explains why it has no ordinary
    value; "" for a line that does not apply."""
    return [
        (
            verdict_line(score, metrics[score.metric]),
            _why_line(example, score, metrics[score.metric].name),
        )
        for score in scores
    ]


def _why_line(example: Example, score: Score, name: str) -> str:
    """`support: no score. The summary is empty, ...`; "" for an ordinary score."""
    why = reason(example, score)
    none = "no score. " if score.value is None else ""
    return f"{name}: {none}{why}" if why else ""


def left_out_lines(scores: Sequence[Score], names: Mapping[str, str]) -> list[str]:
    """`Left out before judging: 15 characters of the summary (“Confidence: 95%”)`, with the names
    of the metrics if others read them; empty if every word was read.

    names  the title of each metric, by its label
    """
    metrics: dict[str, list[str]] = {}
    for score in scores:
        if said := score.texts.get(LEFT_OUT):
            metrics.setdefault(said, []).append(names[score.metric])
    lines = []
    for said, titles in metrics.items():
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
