"""Shared parts of the readers of labelled files: rows, labels of words by spans or by edits.

Labels are about the *source*: what is true of the world but not in the source is unsupported, in
every file that distinguishes the two (EntFA, XSum annotations, FaithBench).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from faithkit.datasets import load
from faithkit.language.sentences import closed_sentences
from faithkit.language.words import has_word, words
from faithkit.records import DataError, Example, document_id
from faithkit.train.words import ENTAILED, UNKNOWN, UNSUPPORTED, Labelled, Labels, Target, edits

UNCERTAIN = 0.5
"""Label of words of an edit that may or may not be wrong: those around a deletion, and the new
words of a text that was largely rewritten."""

REWRITTEN = 0.5
"""A text with a larger share of new words counts as rewritten."""

PUNCTUATION = frozenset(",.;:!?…()[]\"'“”‘’«»–—-")


def examples(name: str, data: Path) -> Iterator[Example]:
    """The examples of a dataset."""
    return iter(load(name, data_dir=data))


def row(
    file: str, example: Example, labels: Iterable[tuple[int, int, float]], target: Target | None,
    *, summary: str | None = None, pair: str = "", context: str = "",
) -> Labelled:  # fmt: skip
    """A row with the example's source and, unless another is given, its summary."""
    return Labelled(
        file, document_id(example.source), example.source,
        example.summary if summary is None else summary, tuple(labels), target, pair, context,
    )  # fmt: skip


def probable(entailed: float) -> Target:
    """The target of a row that is entailed with this probability."""
    if entailed == 1:
        return ENTAILED
    return UNSUPPORTED if entailed == 0 else (entailed, 1 - entailed, UNKNOWN)


def by_spans(summary: str, spans: Iterable[tuple[int, int]]) -> Labels:
    """Labels of all words: 1 (unsupported) for those that overlap a span of offsets, else 0."""
    marked = list(spans)
    labels = [
        (word.start, word.end, float(any(a < word.end and b > word.start for a, b in marked)))
        for word in words(summary)
    ]
    return without_edge_punctuation(summary, labels)


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Corrects a span that was located by its text and cuts a word in two ("i" in "his"): the next
    occurrence, or else the first, as whole words; the span itself if there is none."""
    pattern = re.compile(rf"(?<!\w){re.escape(text[start:end])}(?!\w)")
    match = pattern.search(text, start) or pattern.search(text)
    return match.span() if match else (start, end)


def by_edit(supported_text: str, unsupported_text: str) -> Labels:
    """Labels of the words of a text that was made by editing a supported one.

    New words are unsupported (1), or `UNCERTAIN` if they are more than half of all, because the
    text was rewritten then. Where nothing is new, the words on either side of a deletion are
    `UNCERTAIN`. All other words are 0.
    """
    marks = edits(supported_text, unsupported_text)
    new = sum(edit == "new" for word, edit in marks if has_word(word.text))
    share = UNCERTAIN if new > REWRITTEN * len(marks) else 1.0
    shares = {"kept": 0.0, "new": share, "gap": 0.0 if new else UNCERTAIN}
    labels = [(word.start, word.end, shares[edit]) for word, edit in marks]
    return without_edge_punctuation(unsupported_text, labels)


def without_edge_punctuation(summary: str, labels: Labels) -> Labels:
    """The labels, in which punctuation at the ends of a run of unsupported words has the label of
    the word beside the run, because a comma is no error."""
    shares = [share for _, _, share in labels]
    marks = [summary[start:end] in PUNCTUATION for start, end, _ in labels]
    before = _nearest(shares, marks)
    after = _nearest(shares[::-1], marks[::-1])[::-1]
    return [
        (start, end, min(share, left, right) if mark else share)
        for (start, end, share), mark, left, right in zip(labels, marks, before, after, strict=True)
    ]


def _nearest(shares: Sequence[float], marks: Sequence[bool]) -> list[float]:
    """For each word, the label of the last one before it that is no punctuation; 0 at the start."""
    nearest = []
    last = 0.0
    for share, mark in zip(shares, marks, strict=True):
        nearest.append(last)
        last = last if mark else share
    return nearest


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a summary: its offsets, its text, and its label (1 supported, 0 not). `text` is
    longer than its span where the release cut off the summary within the sentence."""

    start: int
    end: int
    text: str
    label: int


def labelled_sentences(example: Example) -> list[Sentence]:
    """The sentences of `meta["sentences"]`, `[text, label]` in order, located in the summary
    whatever its white space. Raises DataError where one does not occur or a label is neither 0 nor
    1."""
    sentences = []
    position = 0
    for item in example.meta["sentences"]:
        text, label = item
        span = _locate(example.summary, text, position)
        if span is None or label not in (0, 1):
            raise DataError(
                f"row '{example.id}', field 'sentences': expected a sentence of the summary and "
                f"its label 0 or 1, found {item!r}"
            )
        start, end = span
        cut = len(text.split()) > len(example.summary[start:end].split())
        sentences.append(Sentence(start, end, text if cut else example.summary[start:end], label))
        position = end
    return sentences


def _locate(summary: str, sentence: str, position: int) -> tuple[int, int] | None:
    """The first span, from `position` on, of the sentence or of a prefix that ends the summary;
    None if it does not occur."""
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
    """(start, end, probability of being unsupported) of each sentence of a row's summary; nan where
    it is unknown.

    The target of a summary holds for each sentence where the summary is entailed or has one
    sentence. Otherwise the probability is the highest label of the sentence's words, if every word
    of the summary has a label.
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
