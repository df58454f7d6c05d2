"""Questions about a text, and what the texts answer to them: the records that `qgqa` is computed
from, what is asked about, and how answers are counted [MFAS §3].
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from faithkit.language.parse import entities, noun_phrases, parse
from faithkit.language.sentences import sentences
from faithkit.language.words import Segment, is_content, word_coverage, words
from faithkit.metrics.align import normalised
from faithkit.models.protocols import Answer, Question
from faithkit.records import Coverage, Example, Outcome

Candidates = Literal["both", "entities", "noun_phrases"]


def normal(text: str) -> str:
    """An answer's words in lower case, without punctuation and articles."""
    return normalised(text, "words")


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question about a text, the piece `start:end` of it that it was made for, and what the text
    itself answers."""

    question: Question
    start: int
    end: int
    text: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The questions about one text.

    candidates  pieces of the text that could be asked about
    made        different questions about them
    kept        those that were kept, the most probable first; none where a model failed
    answers     of the text itself to every question made
    failed      why pieces have no question, and questions no answer from the text itself
    """

    candidates: int
    made: int
    kept: tuple[AnsweredQuestion, ...]
    answers: tuple[Answer, ...]
    failed: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class ComparedAnswers:
    """A question of one text with the other's answer, and how similar the answers are."""

    question: AnsweredQuestion
    answer: Answer
    similarity: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Direction:
    """The questions about one text with the other text's answers.

    inquiry   the questions about the text
    answers   of the other text to the questions that were kept
    compared  the answers of both texts, but for questions that a chat model could not answer
    """

    inquiry: Inquiry
    answers: tuple[Answer, ...]
    compared: tuple[ComparedAnswers, ...]

    @property
    def failed(self) -> list[Outcome]:
        """Why questions or answers are missing."""
        return [*self.inquiry.failed, *failures(answer.outcome for answer in self.answers)]


def failures(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """The outcomes that are not ok."""
    return [outcome for outcome in outcomes if outcome is not Outcome.OK]


def mean(compared: Sequence[ComparedAnswers], *, answerable: bool = False) -> float:
    """The weighted mean of the similarities; with `answerable` of the probabilities that the other
    text answers."""
    values = [pair.answer.probability if answerable else pair.similarity for pair in compared]
    weights = [pair.weight for pair in compared]
    total = math.fsum(value * weight for value, weight in zip(values, weights, strict=True))
    return total / math.fsum(weights)


def coverage_of(example: Example, directions: Mapping[str, Direction]) -> Coverage:
    """Every word of both texts; of one that a chat model read, its tokens, the fewest that it saw
    for a question."""
    read: dict[str, list[Answer]] = {"source": [], "summary": []}
    for name, direction in directions.items():
        about, other = ("summary", "source") if name == "precision" else ("source", "summary")
        read[about] += direction.inquiry.answers
        read[other] += direction.answers
    coverage = word_coverage(example)
    if source := max(read["source"], key=_tokens, default=None):
        coverage = replace(
            coverage,
            source_tokens=source.context_tokens or coverage.source_tokens,
            source_tokens_cut=source.context_cut,
        )
    if summary := max(read["summary"], key=_tokens, default=None):
        coverage = replace(
            coverage,
            summary_tokens=summary.context_tokens or coverage.summary_tokens,
            summary_tokens_cut=summary.context_cut,
        )
    return coverage


def _tokens(answer: Answer) -> tuple[int, int]:
    return answer.context_cut, answer.context_tokens


def candidates_of(texts: Sequence[str], kind: Candidates) -> dict[str, list[Segment]]:
    """The pieces of each text to ask about, first one of each sentence, then each one's second, and
    so on; in a sentence entities come before noun phrases. What is the same but for an article, in
    one sentence, is there once."""
    candidates: dict[str, list[Segment]] = {text: [] for text in texts}
    if kind != "noun_phrases":
        for text, names in zip(texts, entities(texts), strict=True):
            # A name may be spelled like a stop-word: "May", "US".
            candidates[text] += [Segment(*name[:3]) for name in names if normal(name.text)]
    if kind != "entities":
        for text, tokens in zip(texts, parse(texts), strict=True):
            candidates[text] += [
                Segment(phrase.start, phrase.end, text[phrase.start : phrase.end])
                for phrase in noun_phrases(tokens)
                if tokens[phrase.head].pos != "PRON"
                and _has_content(text[phrase.start : phrase.end])
            ]
    return {text: _in_turn(text, pieces) for text, pieces in candidates.items()}


def _has_content(text: str) -> bool:
    return any(is_content(word.text) for word in words(text))


def _in_turn(text: str, pieces: Sequence[Segment]) -> list[Segment]:
    ends = [sentence.end for sentence in sentences(text)]
    seen: set[tuple[int, str]] = set()
    ranked: list[tuple[int, int, Segment]] = []
    count: dict[int, int] = {}
    for piece in pieces:
        sentence = bisect_right(ends, piece.start)
        key = (sentence, normal(piece.text))
        if key not in seen:
            seen.add(key)
            count[sentence] = count.get(sentence, 0) + 1
            ranked.append((count[sentence], sentence, piece))
    return [piece for *_, piece in sorted(ranked)]


def mentions(answer: str, text: str) -> float:
    """Share of a text's sentences that have every content word of an answer, in (0, 1]."""
    wanted = {word.text.lower() for word in words(answer) if is_content(word.text)}
    pieces = sentences(text)
    having = sum(wanted <= {word.text.lower() for word in words(piece.text)} for piece in pieces)
    return max(having, 1) / max(len(pieces), 1)
