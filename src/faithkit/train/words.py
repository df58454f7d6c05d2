"""Labelled words and sentences out of the benchmark and training files: what `support` learns from.

One `Labelled` is a summary with what is known of its words (`labels`, nan where nothing is) and of
its claim as a whole (`target`). What a file knows is a function below; `FILES` names them all.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class Labelled:
    """A summary (or claim) with labels.

    file      the file's name; nothing learned from it may be reported on it
    document  identity of the source's text
    labels    (start, end, share) over the summary: how sure it is that this word is *unsupported*;
              words that no label covers are unknown
    target    probability of (entailment, neutral, contradiction) for the whole summary, or None.
              Where only "not supported" is known, neutral and contradiction are joined in the
              second place and the third is nan.
    pair      what a row shares with its minimally different copies ("" if it has none)
    context   the text of the summary before this sentence, where a row is one sentence of it
    """

    file: str
    document: str
    source: str
    summary: str
    labels: tuple[tuple[int, int, float], ...]
    target: tuple[float, float, float] | None
    pair: str = ""
    context: str = ""

    @property
    def is_supported(self) -> bool:
        """Whether its claims surely are: the probability of entailment is known and at least
        SURE."""
        return self.target is not None and self.target[0] >= SURE


ENTAILED = (1.0, 0.0, 0.0)
NEUTRAL = (0.0, 1.0, 0.0)
CONTRADICTED = (0.0, 0.0, 1.0)
UNSUPPORTED = (0.0, 1.0, UNKNOWN)

ANNOTATORS = 3
"""Of each summary of the XSum hallucination set [MFAS]."""


def _labelled(
    file: str,
    source: str,
    summary: str,
    labels: Iterable[tuple[int, int, float]],
    target: tuple[float, float, float] | None,
) -> Labelled:
    return Labelled(file, document_id(source), source, summary, tuple(labels), target)


def _told(name: str, data: Path) -> Iterator[Example]:
    """The rows that have a label."""
    return (one for one in load(name, data_dir=data) if one.label is not None)


def _every(summary: str, share: float) -> list[tuple[int, int, float]]:
    return [(word.start, word.end, share) for word in words(summary)]


def _xsumfaith(data: Path) -> Iterator[Labelled]:
    """Each word's label is the share of annotators whose spans cover it."""
    for one in load("xsumfaith_dev", data_dir=data):
        try:
            spans = [(start, end, who) for start, end, _, who in one.meta["spans"]]
        except (KeyError, ValueError) as error:
            wanted = "spans as [start, end, kind, annotator]"
            raise DataError(f"xsumfaith_dev, row '{one.id}': expected {wanted}") from error
        labels = []
        for word in words(one.summary):
            marked = {who for start, end, who in spans if start < word.end and end > word.start}
            labels.append((word.start, word.end, len(marked) / ANNOTATORS))
        worst = max((share for _, _, share in labels), default=0.0)
        target = (1 - worst, worst, UNKNOWN)
        yield _labelled("xsumfaith_dev", one.source, one.summary, labels, target)


def _aggrefact(data: Path) -> Iterator[Labelled]:
    """Words of the annotated spans are unsupported, others hold as far as one knows; without a
    span nothing is known of the words."""
    name = "aggrefact_errors_val"
    for one in load(name, data_dir=data):
        labels = _by_spans(one) if one.spans else []
        yield _labelled(name, one.source, one.summary, labels, UNSUPPORTED)


def edits(before: str, after: str) -> list[tuple[Segment, Edit]]:
    """The words of `after`, each with what an edit of `before` made of it: a diff of runs of
    letters and of marks, whatever the white space between them; letter case and accents are
    ignored. `gap` is a kept word on either side of a pure deletion of words."""
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
    """The runs of letters and the marks of words, without accents, each with its word's place."""
    return [
        (piece, place)
        for place, word in enumerate(segments)
        for piece in re.findall(r"\w+|[^\w\s]", _without_accents(word.text.lower()))
    ]


def _without_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def changed(before: str, after: str) -> list[tuple[Segment, bool]]:
    """The words of `after`, each with whether it is new against `before`; a pure deletion marks
    the words on either side of the gap."""
    return [(word, edit != "kept") for word, edit in edits(before, after)]


def _bump(data: Path) -> Iterator[Labelled]:
    """The reference holds; of its edited copy the words that were changed do not."""
    pairs: dict[str, list[Example]] = {}
    for one in _told("bump1", data):
        pairs.setdefault(str(one.pair), []).append(one)
    for pair, some in pairs.items():
        reference = next((one for one in some if one.label == 1), None)
        if reference is None:
            raise DataError(f"bump1: the pair '{pair}' has no reference (a row of label 1)")
        for one in some:
            if one is reference:
                labels = _every(one.summary, 0.0)
                yield _labelled("bump1", one.source, one.summary, labels, ENTAILED)
                continue
            marks = changed(reference.summary, one.summary)
            labels = [(w.start, w.end, float(new)) for w, new in marks]
            yield _labelled("bump1", one.source, one.summary, labels, UNSUPPORTED)


def _summedits(name: str) -> Callable[[Path], Iterator[Labelled]]:
    """A changed word of an inconsistent edit is unsupported, unless a consistent edit of the same
    seed has it too; half sure where the edit changed more than four words."""

    def read(data: Path) -> Iterator[Labelled]:
        by_seed: dict[str, list[Example]] = {}
        for one in _told(name, data):
            by_seed.setdefault(str(one.pair), []).append(one)
        for seed, some in by_seed.items():
            harmless = {
                w.text.lower() for one in some if one.label == 1 for w in words(one.summary)
            }
            for one in some:
                if one.label == 1:
                    labels = _every(one.summary, 0.0)
                    yield _labelled(name, one.source, one.summary, labels, ENTAILED)
                    continue
                marks = changed(seed, one.summary)
                guilty = [w for w, new in marks if new and w.text.lower() not in harmless]
                guilty = guilty or [w for w, new in marks if new]
                share = 1.0 if len(guilty) <= 4 else 0.5
                labels = [(w.start, w.end, share if w in guilty else 0.0) for w, _ in marks]
                yield _labelled(name, one.source, one.summary, labels, UNSUPPORTED)

    return read


def _marked(name: str) -> Callable[[Path], Iterator[Labelled]]:
    """Claims of which the unsupported words are marked, and all of them."""

    def read(data: Path) -> Iterator[Labelled]:
        for one in load(name, data_dir=data):
            target = ENTAILED if one.label == 1 else UNSUPPORTED
            yield _labelled(name, one.source, one.summary, _by_spans(one), target)

    return read


def _by_spans(one: Example) -> list[tuple[int, int, float]]:
    return [
        (w.start, w.end, float(any(s.start < w.end and s.end > w.start for s in one.spans)))
        for w in words(one.summary)
    ]


def _by_label(name: str) -> Callable[[Path], Iterator[Labelled]]:
    """A consistent summary's words all hold; of an inconsistent one only that it is."""

    def read(data: Path) -> Iterator[Labelled]:
        for one in _told(name, data):
            if one.label == 1:
                labels = _every(one.summary, 0.0)
                yield _labelled(name, one.source, one.summary, labels, ENTAILED)
            else:
                yield _labelled(name, one.source, one.summary, (), UNSUPPORTED)

    return read


NLI_TARGETS = {"entailment": ENTAILED, "neutral": NEUTRAL, "contradiction": CONTRADICTED}


def _nli(data: Path) -> Iterator[Labelled]:
    for row in _training_rows("nli_pairs.jsonl", data):
        target = NLI_TARGETS[row.one_of("label", list(NLI_TARGETS))]
        hypothesis = row.text("hypothesis")
        labels = _every(hypothesis, 0.0) if target is ENTAILED else []
        name = f"nli_{row.text('origin')}"
        yield _labelled(name, row.text("premise"), hypothesis, labels, target)


STANCES = {
    "completely-support": ENTAILED,
    "partially-support": UNSUPPORTED,
    "refute": CONTRADICTED,
    "irrelevant": NEUTRAL,
}


def _stances(data: Path) -> Iterator[Labelled]:
    for row in _training_rows("factcheck_gpt_stance.jsonl", data):
        target = STANCES[row.one_of("stance", list(STANCES))]
        labels = _every(row.text("summary"), 0.0) if target is ENTAILED else []
        yield _labelled(
            "factcheck_gpt_stance", row.text("source"), row.text("summary"), labels, target
        )


def _training_rows(name: str, data: Path) -> Iterator[Row]:
    places = [data / "train" / name, data / name]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise DataError(f"{name} is in none of: {', '.join(map(str, places))}")
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
    """Everything that these files say, in their order; of two that have the same source and
    summary the first. Raises ConfigError on an unknown file, DataError on a broken one."""
    for name in files:
        if name not in readers:
            raise ConfigError(f"Nothing is learned from '{name}'.{did_you_mean(name, readers)}")
    found: dict[tuple[str, str], Labelled] = {}
    for name in files:
        for one in readers[name](data):
            found.setdefault((one.source, one.summary), one)
    return list(found.values())
