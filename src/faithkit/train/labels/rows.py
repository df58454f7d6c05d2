"""What the readers of labelled files share: building a row, labels of words by spans or by edits.

A row says what the *source* supports: what is true of the world and not in the source is
unsupported, in every file that tells the two apart (EntFA, XSum annotations, FaithBench).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from faithkit.datasets import load
from faithkit.language.sentences import closed_sentences
from faithkit.language.words import words
from faithkit.records import DataError, Example, document_id
from faithkit.train.words import ENTAILED, UNKNOWN, UNSUPPORTED, Labelled, Labels, Target, edits

UNCERTAIN = 0.5
"""Share of an edit's words of which one cannot say that they are wrong: the words around a
deletion, and the new words of a text that was largely rewritten."""

REWRITTEN = 0.5
"""Share of new words from which on a text counts as rewritten."""

PUNCTUATION = frozenset(",.;:!?…()[]\"'“”‘’«»–—-")


def examples(name: str, data: Path) -> Iterator[Example]:
    """The examples of a dataset of the registry."""
    return iter(load(name, data_dir=data))


def row(
    file: str, example: Example, labels: Iterable[tuple[int, int, float]], target: Target | None,
    *, summary: str | None = None, pair: str = "", context: str = "",
) -> Labelled:  # fmt: skip
    """A row of `example`'s source; `summary` where it is not the example's."""
    return Labelled(
        file, document_id(example.source), example.source,
        example.summary if summary is None else summary, tuple(labels), target, pair, context,
    )  # fmt: skip


def probable(entailed: float) -> Target:
    """The target of a row that is entailed with this probability, else unsupported."""
    if entailed == 1:
        return ENTAILED
    return UNSUPPORTED if entailed == 0 else (entailed, 1 - entailed, UNKNOWN)


def by_spans(summary: str, spans: Iterable[tuple[int, int]]) -> Labels:
    """The words that a span touches are unsupported (1), all others 0. Spans are offsets."""
    marked = list(spans)
    labels = [
        (word.start, word.end, float(any(a < word.end and b > word.start for a, b in marked)))
        for word in words(summary)
    ]
    return without_edge_punctuation(summary, labels)


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A span that was found by its text and cuts a word in two ("i" in "his") belongs to the next
    place, or else the first, where its text is whole words, if there is one."""
    pattern = re.compile(rf"(?<!\w){re.escape(text[start:end])}(?!\w)")
    match = pattern.search(text, start) or pattern.search(text)
    return match.span() if match else (start, end)


def by_edit(supported_text: str, unsupported_text: str) -> Labels:
    """Labels of the second text's words from what was edited in the first, which is supported.

    New words are unsupported (1), unless they are more than half of all: then the text was
    rewritten, and each is `UNCERTAIN`. So are the words on either side of a deletion, where
    nothing is new. Kept words are 0.
    """
    marks = edits(supported_text, unsupported_text)
    new = sum(edit == "new" for word, edit in marks if _is_word(word.text))
    share = UNCERTAIN if new > REWRITTEN * len(marks) else 1.0
    shares = {"kept": 0.0, "new": share, "gap": 0.0 if new else UNCERTAIN}
    labels = [(word.start, word.end, shares[edit]) for word, edit in marks]
    return without_edge_punctuation(unsupported_text, labels)


def without_edge_punctuation(summary: str, labels: Labels) -> Labels:
    """The labels of all words, with the punctuation at the ends of unsupported runs as supported
    as the word beside it: a comma is no error."""
    shares = [share for _, _, share in labels]
    marks = [summary[start:end] in PUNCTUATION for start, end, _ in labels]
    before = _nearest(shares, marks)
    after = _nearest(shares[::-1], marks[::-1])[::-1]
    return [
        (start, end, min(share, left, right) if mark else share)
        for (start, end, share), mark, left, right in zip(labels, marks, before, after, strict=True)
    ]


def _nearest(shares: Sequence[float], marks: Sequence[bool]) -> list[float]:
    """For each word the share of the last one before it that is no punctuation, 0 at the start."""
    nearest = []
    last = 0.0
    for share, mark in zip(shares, marks, strict=True):
        nearest.append(last)
        last = last if mark else share
    return nearest


def _is_word(text: str) -> bool:
    return any(letter.isalnum() for letter in text)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a summary, by offsets, with its text and its label (1 supported, 0 not).
    `text` is longer than its place where the release cut the summary short inside of it."""

    start: int
    end: int
    text: str
    label: int


def labelled_sentences(example: Example) -> list[Sentence]:
    """`meta["sentences"]`, `[text, label]` in order, found in the summary whatever its white space.
    Raises DataError where one does not occur or a label is neither 0 nor 1."""
    sentences = []
    position = 0
    for item in example.meta["sentences"]:
        text, label = item
        place = _place(example.summary, text, position)
        if place is None or label not in (0, 1):
            raise DataError(
                f"row '{example.id}', field 'sentences': expected a sentence of the summary and "
                f"its label 0 or 1, found {item!r}"
            )
        start, end = place
        cut = len(text.split()) > len(example.summary[start:end].split())
        sentences.append(Sentence(start, end, text if cut else example.summary[start:end], label))
        position = end
    return sentences


def _place(summary: str, sentence: str, position: int) -> tuple[int, int] | None:
    """Where the sentence, or a beginning of it that ends the summary, is from `position` on."""
    pattern = r"\s+".join(map(re.escape, sentence.split()))
    match = re.compile(pattern).search(summary, position)
    if match is not None:
        return match.span()
    rest = summary[position:].strip()
    if rest and " ".join(sentence.split()).startswith(" ".join(rest.split())):
        start = summary.index(rest, position)
        return start, start + len(rest)
    return None


def sentence_targets(labelled: Labelled) -> list[tuple[int, int, float]]:
    """What a row says of each sentence of its summary: (start, end, probability of being
    unsupported), nan where it says nothing.

    A target is of the summary as a whole. It is of each sentence too where the summary is entailed
    or has one sentence. Otherwise a sentence is as unsupported as the worst of its words, if every
    word of the summary has a label.
    """
    summary, target = labelled.summary, labelled.target
    sentences = closed_sentences(summary)
    if target is not None and (target[0] == 1 or len(sentences) == 1):
        return [(piece.start, piece.end, 1 - target[0]) for piece in sentences]
    complete = len(labelled.labels) == len(words(summary))
    return [
        (piece.start, piece.end, _worst(labelled.labels, piece) if complete else UNKNOWN)
        for piece in sentences
    ]


def _worst(labels: Sequence[tuple[int, int, float]], piece: tuple[int, int, str]) -> float:
    start, end, _ = piece
    return max((share for a, b, share in labels if a < end and b > start), default=UNKNOWN)
