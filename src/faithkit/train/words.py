"""Labelled words and sentences out of the benchmark and training files: what `support` learns from.

One `Labelled` is a summary with labels of its words (`labels`) and of the whole (`target`). Each
file has a reader below; `FILES` names them all.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from faithkit.datasets import load
from faithkit.datasets.rows import Row, read_rows
from faithkit.language.words import Segment, words
from faithkit.records import ConfigError, DataError, Example, did_you_mean, document_id

UNKNOWN = float("nan")

SURE = 0.8
"""A row's probability of entailment from which its claims count as supported."""

Edit = Literal["kept", "new", "gap"]

Labels = list[tuple[int, int, float]]
"""(start, end, probability of being unsupported) of words; see `Labelled.labels`."""

Target = tuple[float, float, float]
"""See `Labelled.target`."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A summary (or claim) with labels.

    file      the file's name; a model trained on it must not be evaluated on it
    document  identity of the source's text
    labels    (start, end, probability that the word is *unsupported*), offsets into the summary;
              words that no label covers are unlabelled
    target    probabilities of (entailment, neutral, contradiction) for the whole summary, or None.
              Where only "not supported" is known, the second is of neutral and contradiction
              together and the third is nan.
    pair      what a row shares with its minimally different copies; "" if it has none
    context   the text of the summary before this sentence, where the row is one sentence of it
    """

    file: str
    document: str
    source: str
    summary: str
    labels: tuple[tuple[int, int, float], ...]
    target: Target | None
    pair: str = ""
    context: str = ""

    @property
    def is_supported(self) -> bool:
        """Whether the probability of entailment is known and at least SURE."""
        return self.target is not None and self.target[0] >= SURE


ENTAILED = (1.0, 0.0, 0.0)
NEUTRAL = (0.0, 1.0, 0.0)
CONTRADICTED = (0.0, 0.0, 1.0)
UNSUPPORTED = (0.0, 1.0, UNKNOWN)

ANNOTATORS = 3
"""Of each summary of the XSum hallucination set [MFAS]."""


def supported(summary: str) -> Labels:
    """Labels that say that every word is supported."""
    return [(word.start, word.end, 0.0) for word in words(summary)]


def _row(file: str, source: str, summary: str, labels: Labels, target: Target) -> Labelled:
    return Labelled(file, document_id(source), source, summary, tuple(labels), target)


def _of_example(file: str, example: Example, labels: Labels, target: Target) -> Labelled:
    return _row(file, example.source, example.summary, labels, target)


def _supported(file: str, example: Example) -> Labelled:
    """The row of a consistent example: it is entailed, and every word is supported."""
    return _of_example(file, example, supported(example.summary), ENTAILED)


def _by_class(file: str, source: str, text: str, target: Target) -> Labelled:
    """The row of an entailment class: words are labelled only where the text is entailed."""
    return _row(file, source, text, supported(text) if target is ENTAILED else [], target)


def _with_label(name: str, data: Path) -> Iterator[Example]:
    """The examples of a dataset that have a label."""
    return (example for example in load(name, data_dir=data) if example.label is not None)


def _pairs(name: str, data: Path) -> dict[str, list[Example]]:
    """The labelled examples of a dataset by their `pair`."""
    pairs: dict[str, list[Example]] = {}
    for example in _with_label(name, data):
        pairs.setdefault(str(example.pair), []).append(example)
    return pairs


def _xsumfaith(data: Path) -> Iterator[Labelled]:
    """Each word's label is the share of annotators whose spans cover it."""
    for example in load("xsumfaith_dev", data_dir=data):
        try:
            spans = [(start, end, who) for start, end, _, who in example.meta["spans"]]
        except (KeyError, ValueError) as error:
            wanted = "spans as [start, end, kind, annotator]"
            raise DataError(f"xsumfaith_dev, row '{example.id}': expected {wanted}") from error
        labels = []
        for word in words(example.summary):
            marked = {who for start, end, who in spans if start < word.end and end > word.start}
            labels.append((word.start, word.end, len(marked) / ANNOTATORS))
        worst = max((share for _, _, share in labels), default=0.0)
        yield _of_example("xsumfaith_dev", example, labels, (1 - worst, worst, UNKNOWN))


def _aggrefact(data: Path) -> Iterator[Labelled]:
    """Words of the annotated spans are unsupported, all others count as supported; without a span
    the words are unlabelled."""
    name = "aggrefact_errors_val"
    for example in load(name, data_dir=data):
        labels = _by_spans(example) if example.spans else []
        yield _of_example(name, example, labels, UNSUPPORTED)


def edits(before: str, after: str) -> list[tuple[Segment, Edit]]:
    """The words of `after`, each with how it was edited from `before`, by a diff of runs of letters
    and of punctuation marks. White space, letter case and accents are ignored. `gap` is a kept word
    on either side of a pure deletion of words."""
    old = [piece for piece, _ in _pieces(words(before))]
    segments = words(after)
    new = _pieces(segments)
    matcher = difflib.SequenceMatcher(a=old, b=[piece for piece, _ in new], autojunk=False)
    marks: list[Edit] = ["kept"] * len(segments)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind in ("replace", "insert"):
            for _, word in new[start:end]:
                marks[word] = "new"
        elif kind == "delete" and any(piece[0].isalnum() for piece in old[first:last]):
            for _, word in new[max(0, start - 1) : start + 1]:
                marks[word] = "new" if marks[word] == "new" else "gap"
    return list(zip(segments, marks, strict=True))


def _pieces(segments: Sequence[Segment]) -> list[tuple[str, int]]:
    """The runs of letters and the punctuation marks of words, without accents, each with the index
    of its word."""
    return [
        (piece, index)
        for index, word in enumerate(segments)
        for piece in re.findall(r"\w+|[^\w\s]", _without_accents(word.text.lower()))
    ]


def _without_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def changed(before: str, after: str) -> list[tuple[Segment, bool]]:
    """The words of `after`, each with whether it is new compared with `before`; a pure deletion
    marks the words on either side of the gap."""
    return [(word, edit != "kept") for word, edit in edits(before, after)]


def _bump(data: Path) -> Iterator[Labelled]:
    """The reference is supported; in its edited copy the words that were changed are not."""
    for pair, examples in _pairs("bump1", data).items():
        reference = next((example for example in examples if example.label == 1), None)
        if reference is None:
            raise DataError(f"bump1: the pair '{pair}' has no reference (a row of label 1)")
        for example in examples:
            if example is reference:
                yield _supported("bump1", example)
                continue
            marks = changed(reference.summary, example.summary)
            labels = [(word.start, word.end, float(new)) for word, new in marks]
            yield _of_example("bump1", example, labels, UNSUPPORTED)


def _summedits(name: str) -> Callable[[Path], Iterator[Labelled]]:
    """A changed word of an inconsistent edit is unsupported, unless a consistent edit of the same
    seed has it too; with probability one half where the edit changed more than four words."""

    def read(data: Path) -> Iterator[Labelled]:
        for seed, examples in _pairs(name, data).items():
            consistent = [example.summary for example in examples if example.label == 1]
            harmless = {word.text.lower() for text in consistent for word in words(text)}
            for example in examples:
                if example.label == 1:
                    yield _supported(name, example)
                    continue
                marks = changed(seed, example.summary)
                all_new = [word for word, new in marks if new]
                wrong = [word for word in all_new if word.text.lower() not in harmless] or all_new
                share = 1.0 if len(wrong) <= 4 else 0.5
                labels = [
                    (word.start, word.end, share if word in wrong else 0.0) for word, _ in marks
                ]
                yield _of_example(name, example, labels, UNSUPPORTED)

    return read


def _marked(name: str) -> Callable[[Path], Iterator[Labelled]]:
    """Claims in which all unsupported words are marked."""

    def read(data: Path) -> Iterator[Labelled]:
        for example in load(name, data_dir=data):
            target = ENTAILED if example.label == 1 else UNSUPPORTED
            yield _of_example(name, example, _by_spans(example), target)

    return read


def _by_spans(example: Example) -> Labels:
    return [
        (
            word.start,
            word.end,
            float(any(span.start < word.end and span.end > word.start for span in example.spans)),
        )
        for word in words(example.summary)
    ]


def _by_label(name: str) -> Callable[[Path], Iterator[Labelled]]:
    """All words of a consistent summary are supported; those of an inconsistent one are
    unlabelled."""

    def read(data: Path) -> Iterator[Labelled]:
        for example in _with_label(name, data):
            if example.label == 1:
                yield _supported(name, example)
            else:
                yield _of_example(name, example, [], UNSUPPORTED)

    return read


NLI_TARGETS = {"entailment": ENTAILED, "neutral": NEUTRAL, "contradiction": CONTRADICTED}


def _nli(data: Path) -> Iterator[Labelled]:
    for row in _training_rows("nli_pairs.jsonl", data):
        target = NLI_TARGETS[row.one_of("label", list(NLI_TARGETS))]
        hypothesis, file = row.text("hypothesis"), f"nli_{row.text('origin')}"
        yield _by_class(file, row.text("premise"), hypothesis, target)


STANCES = {
    "completely-support": ENTAILED,
    "partially-support": UNSUPPORTED,
    "refute": CONTRADICTED,
    "irrelevant": NEUTRAL,
}


def _stances(data: Path) -> Iterator[Labelled]:
    for row in _training_rows("factcheck_gpt_stance.jsonl", data):
        target = STANCES[row.one_of("stance", list(STANCES))]
        summary = row.text("summary")
        yield _by_class("factcheck_gpt_stance", row.text("source"), summary, target)


def _training_rows(name: str, data: Path) -> Iterator[Row]:
    paths = [data / "train" / name, data / name]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise DataError(f"{name} is in none of: {', '.join(map(str, paths))}")
    return read_rows(path)


Readers = Mapping[str, Callable[[Path], Iterator[Labelled]]]

FILES: Readers = {
    "xsumfaith_dev": _xsumfaith,
    "aggrefact_errors_val": _aggrefact,
    "bump1": _bump,
    **{name: _summedits(name) for name in (
        "summedits_news", "summedits_podcast", "summedits_sales_email", "summedits_sales_call"
    )},
    "wice_tokens_train": _marked("wice_tokens_train"),
    "wice_tokens_dev": _marked("wice_tokens_dev"),
    "wice_dev": _by_label("wice_dev"),
    "cliff": _by_label("cliff"),
    "begin": _by_label("begin"),
    "nli_pairs": _nli,
    "factcheck_gpt_stance": _stances,
}  # fmt: skip


def labelled(files: Sequence[str], data: Path, readers: Readers = FILES) -> list[Labelled]:
    """The rows of these files, in their order; of rows with the same source and summary the first.
    Raises ConfigError on an unknown file, DataError on a broken one."""
    for name in files:
        if name not in readers:
            raise ConfigError(f"Nothing is learned from '{name}'.{did_you_mean(name, readers)}")
    rows: dict[tuple[str, str], Labelled] = {}
    for name in files:
        for row in readers[name](data):
            rows.setdefault((row.source, row.summary), row)
    return list(rows.values())
