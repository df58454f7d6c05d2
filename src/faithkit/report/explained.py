"""Marks and verdicts in words: what is said of each doubt and of a score, the same in the terminal,
from Python, in a notebook and in a gate.

Which words are marked, and their evidence, is decided in `marks.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from faithkit.language.sentences import speaker_at
from faithkit.records import Evidence, Example, Outcome, Score, probability_of
from faithkit.report.marks import Mark, best_evidence, least_supported, nearest_words
from faithkit.report.outcomes import reason

DOUBTING = ("not consistent", "undecided")
"""Verdicts that doubt a summary, whether or not words of it are marked."""

EMPTY = "(empty)"
"""Shown in the place of a text without words."""

Limits = tuple[float, float]
"""The probabilities from which a verdict is "undecided" and "consistent"."""


@dataclass(frozen=True, slots=True)
class Named:
    """How a metric is called, what its number means, the limits of its verdict (None if it gives
    none, or does not say from where), and whether it marks unsupported words."""

    name: str
    unit: str
    limits: Limits | None = None
    marks_words: bool = True


@dataclass(frozen=True, slots=True)
class Explained:
    """A mark in words.

    number    1 is the most doubtful
    words     the summary's, on one line
    doubtful  how doubtful they are, ` — 83% doubt`; "" if no metric has a number
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
    """Each mark of a summary (`marks_of`) in words. A source sentence is quoted once.

    names  how each metric is shown, by its label
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
    """How doubtful the words are, in percent; by which metric where there are several."""
    if len(names) == 1:
        return "" if mark.doubt is None else f" — {mark.doubt:.0%} doubt"
    shares = [
        f"marked by {names[metric]}" if share is None else f"{share:.0%} doubt by {names[metric]}"
        for metric, share in mark.by.items()
    ]
    return f" — {', '.join(shares)}"


def least_supported_lines(example: Example, scores: Sequence[Score]) -> list[str]:
    """What is said of the least supported sentence; nothing if no metric names one."""
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
    """What is said of a summary without marks: that nothing was found only where no metric doubts
    it, and only by those that mark words; "" if none has scored it."""
    scored = [metrics[score.metric] for score in scores if score.outcome is Outcome.OK]
    marking = [metric.name for metric in scored if metric.marks_words]
    others = [metric.name for metric in scored if not metric.marks_words]
    least = least_supported(scores)
    if others and not marking and least is None:
        marks = "does not mark" if len(others) == 1 else "do not mark"
        return f"{', '.join(others)} {marks} unsupported words."
    if least is None and not any(score.verdict in DOUBTING for score in scores):
        return f"No unsupported words found by {', '.join(marking)}." if marking else ""
    shown = "" if least is None else "; the least supported sentence is shown below"
    return f"No single word stands out{shown}."


def verdict_line(score: Score, metric: Named, with_limits: bool = True) -> str:
    """`support: not consistent (12% likely to be consistent; undecided is from 30% to 68%)`; "" of
    a metric without verdicts.

    with_limits  whether it says from where to where the verdict is undecided
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
    """In whole percent, or with the digits that show on which side of a limit it is."""
    digits = 0
    while digits < 3 and any(
        (round(chance, digits + 2) >= limit) != (chance >= limit) for limit in limits
    ):
        digits += 1
    return f"{chance:.{digits}%}"


def verdict_lines(
    example: Example, scores: Sequence[Score], metrics: Mapping[str, Named]
) -> list[tuple[str, str]]:
    """Of each score its verdict, and why it is no ordinary one; each "" if there is none."""
    return [
        (
            verdict_line(score, metrics[score.metric]),
            _why_line(example, score, metrics[score.metric].name),
        )
        for score in scores
    ]


def _why_line(example: Example, score: Score, name: str) -> str:
    """`support: no score. The summary is empty, ...`; "" of an ordinary score."""
    why = reason(example, score)
    none = "no score. " if score.value is None else ""
    return f"{name}: {none}{why}" if why else ""


def with_marks(summary: str, marks: Sequence[Mark]) -> str:
    """The summary with each mark as `[1: words]`, without white space at its end."""
    pieces, place = [], 0
    for number, mark in sorted(enumerate(marks, start=1), key=lambda item: item[1].start):
        pieces.append(summary[place : mark.start])
        pieces.append(f"[{number}: {summary[mark.start : mark.end]}]")
        place = mark.end
    return "".join(pieces) + summary[place:].rstrip()


def quoted_text(source: str, item: Evidence, most: int) -> str:
    """The evidence in quotation marks on one line, cut to `most` characters; of a dialogue with who
    says it, where the sentence itself does not."""
    text = " ".join(source[item.start : item.end].split())
    speaker = speaker_at(source, item.start)
    said = f"{speaker}: " if speaker else ""
    return said + (f"“{text}”" if len(text) <= most else f"“{text[: most - 1]}…”")
