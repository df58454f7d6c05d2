"""What the support network learns from: labelled rows of every file and sentences made from their
documents, each summary sentence beside its evidence (`Unit`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from faithkit.language.normalise import plain_source
from faithkit.language.sentences import closed_sentences
from faithkit.language.words import Segment
from faithkit.models.protocols import Floats, Ints
from faithkit.models.wordpiece import WordPiece
from faithkit.records import ConfigError, did_you_mean, document_id
from faithkit.support.evidence import Source
from faithkit.support.inputs import Reading, read_evidence
from faithkit.support.sentences import read_sentences, read_source
from faithkit.train.corruptions import NON_CLAIM, corrupt
from faithkit.train.edited import EDITED, edited_claims
from faithkit.train.labels import FAMILIES, FILES, family, labelled, sentence_targets
from faithkit.train.labels.families import leave_out, overlaps
from faithkit.train.paraphrased import PARAPHRASED, paraphrased_documents
from faithkit.train.relations import RELATIONS, relation_rows
from faithkit.train.speakers import SPEAKERS, speaker_claims
from faithkit.train.words import ENTAILED, UNKNOWN, UNSUPPORTED, Labelled

MADE, NON_CLAIMS = "made", "non_claims"
"""The files of rows that are made from documents."""

FROM_DOCUMENTS = (MADE, NON_CLAIMS, PARAPHRASED, EDITED, SPEAKERS, RELATIONS)
"""The files, and families, of all rows that are made by rule."""

Progress = Callable[[str], None]

HELD_OUT = ("cnndm", "stories", "chat_models", "meetings", "dialogue")
"""Families that the shipped model is not trained on: it is calibrated, and its figures are given,
on these."""

CHOOSING = ("claims_dev",)
"""Files that are never trained on."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to train on and how.

    leave_out  families of files, with the documents that they share with others
    most       units of a family at most, 0: nor is anything made of it; of others all
    edited     supported claims of which copies with planted errors are made
    repeat     how often a family's units are seen in one pass
    made       sentences made from a document
    documents  documents of a family from which sentences are made
    batch      units of a step
    rate       learning rate of the encoder at its height; the heads learn faster
    budget     tokens of evidence, drawn between these
    threads    shares of a step that are computed at the same time
    rank       of the changes of the encoder's layers that are learned; 0: the layers themselves
    frozen     of the encoder's layers the first so many, and what is before them, are not learned
    epochs     how often all of it is seen
    dropout    share of the encoder's states that are dropped in training
    draws      how often sentences are made and all of it is drawn anew, by further seeds
    unlabelled  whether teachers judge sentences without a label too (`unlabelled.py`)
    rounded    whether matrices are rounded in training as a quantised file has them
    seed       of everything that is drawn
    units      of all families at most, for trials; None: all
    """

    leave_out: tuple[str, ...] = HELD_OUT
    most: Mapping[str, int] = field(
        default_factory=lambda: {
            "nli": 4_000, "conjnli": 2_000, "knowledge_replies": 3_000, "science": 5_000,
            "web": 3_500, MADE: 7_000, NON_CLAIMS: 600, PARAPHRASED: 2_500, SPEAKERS: 3_000,
            RELATIONS: 0,
        }
    )  # fmt: skip
    repeat: Mapping[str, int] = field(default_factory=lambda: {"claims": 3})
    made: int = 6
    edited: int = 0
    documents: int = 450
    batch: int = 32
    rate: float = 1e-4
    budget: tuple[int, int] = (40, 120)
    seed: int = 0
    threads: int = 2
    units: int | None = None
    rank: int = 0
    frozen: int = 0
    epochs: int = 1
    dropout: float = 0.0
    draws: int = 1
    unlabelled: bool = False
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """One summary sentence to learn from.

    labels     [words], the share that is sure that the word is unsupported; nan where unknown
    target     [3] as in `Labelled`, nan throughout where unknown
    non_claim  whether the sentence claims nothing
    draw       of which of `Options.draws` it is
    """

    family: str
    document: str
    reading: Reading
    labels: Floats
    target: Floats
    non_claim: bool
    draw: int = 0


DOUBTFUL_KINDS = frozenset({"hedge_weaker"})
"""Kinds of made sentences that a lenient reader would often still accept."""


def made_rows(documents: Sequence[str], *, seed: int, per_document: int) -> list[Labelled]:
    """Sentences made from documents, with their word labels, as training rows; those that claim
    nothing are of the file NON_CLAIMS and have no labels."""
    rows: list[Labelled] = []
    for made in corrupt(documents, seed=seed, per_document=per_document):
        document = document_id(made.source)
        if made.kind == NON_CLAIM:
            rows.append(Labelled(NON_CLAIMS, document, made.source, made.text, (), None))
        elif made.label is not None and made.kind not in DOUBTFUL_KINDS:
            labels = tuple((start, end, float(label)) for start, end, label in made.words)
            target = ENTAILED if made.label == 1 else UNSUPPORTED
            rows.append(Labelled(MADE, document, made.source, made.text, labels, target))
    return rows


def training_rows(
    data: Path, options: Options, progress: Progress, files: Sequence[str] = ()
) -> list[Labelled]:
    """Every labelled row of the families that are not left out, and what is made from their long
    documents; of a family of which there are to be none nothing is made. The files of the families
    that are left out are read too, for their documents. Raises ConfigError on an unknown file or
    family, DataError on a broken one."""
    for name in (*options.most, *options.repeat):
        _check_family(name, (*FAMILIES.values(), *FROM_DOCUMENTS))
    names = list(files) or [name for name in FILES if name not in CHOOSING]
    left_out = [name for name in files_of(options.leave_out) if name not in names]
    kept = without(labelled([*names, *left_out], data), options.leave_out)
    rows = [row for row in kept if _read_from(row.file) in names and _is_wanted(row, options)]
    by_family: dict[str, dict[str, None]] = {}
    for row in rows:
        if len(row.source) > LONG and not _is_inference(row):
            by_family.setdefault(family(row.file), {})[row.source] = None
    drawn = random.Random(options.seed)
    documents: list[str] = []
    for name in sorted(by_family):
        texts = list(by_family[name])
        drawn.shuffle(texts)
        documents += texts[: options.documents]
    progress(f"{len(rows)} labelled rows; making sentences from {len(documents)} documents")
    made: list[Labelled] = []
    if options.made:
        made += made_rows(documents, seed=options.seed, per_document=options.made)
        made += paraphrased_documents(documents[::3], options.seed)
    written = [row for row in rows if not _is_inference(row)]
    made += edited_claims(written, options.seed, options.edited)
    if options.most.get(SPEAKERS) != 0:
        made += speaker_claims(written, options.seed)
    if options.most.get(RELATIONS, 0):
        made += relation_rows(documents, options.seed)
    return [*rows, *made]


def _is_wanted(row: Labelled, options: Options) -> bool:
    """Whether its family may be learned from; of one that may not nothing is made either."""
    return options.most.get(family(row.file)) != 0


def _is_inference(row: Labelled) -> bool:
    """Whether it is a pair of premise and hypothesis."""
    return row.file.startswith("nli_")


def files_of(families: Sequence[str]) -> list[str]:
    """The files, of `labels.FILES`, that have rows of these families. Raises ConfigError on an
    unknown family."""
    for name in families:
        _check_family(name, FAMILIES.values())
    rows = (file for file, name in FAMILIES.items() if name in families)
    return list(dict.fromkeys(map(_read_from, rows)))


def _check_family(name: str, families: Iterable[str]) -> None:
    """Raises ConfigError on a name that is none of these."""
    choices = dict.fromkeys(families)
    if name not in choices:
        raise ConfigError(f"Unknown family '{name}'.{did_you_mean(name, choices)}")


def _read_from(file: str) -> str:
    """The file of `labels.FILES` that has the rows of this `Labelled.file`."""
    if file.startswith("claims["):
        return "claims_train" if "train" in file else "claims_dev"
    return "nli_pairs" if file.startswith("nli_") else file.partition("[")[0]


def without(rows: Sequence[Labelled], families: Sequence[str]) -> list[Labelled]:
    """The rows that are neither of these families nor of a document that shares text with one of
    theirs."""
    kept = list(rows)
    shared = overlaps(kept)
    here = {family(row.file) for row in kept}
    for name in families:
        if name in here:
            kept, _ = leave_out(kept, name, shared)
    return kept


LONG = 300
"""Characters of a document from which sentences are made."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A summary sentence of which something is known, before its source is read.

    family  of its file; of made rows the file itself
    row     whose summary it is of
    text    the sentence in the summary
    target  as in `Unit`
    """

    family: str
    row: Labelled
    text: Segment
    target: Floats


def pieces(rows: Iterable[Labelled]) -> Iterator[Piece]:
    """Every sentence of the rows' summaries of which something is known."""
    for row in rows:
        name = row.file if row.file in FROM_DOCUMENTS else family(row.file)
        for text, target in zip(closed_sentences(row.summary), targets_of(row), strict=True):
            labelled = any(a < text.end and b > text.start for a, b, _ in row.labels)
            if labelled or row.file == NON_CLAIMS or not np.isnan(target[0]):
                yield Piece(name, row, text, target)


def sampled(data: Iterable[Piece], options: Options) -> list[Piece]:
    """At most `options.most` sentences of each family, drawn at random, each as often as
    `options.repeat` says."""
    drawn = random.Random(options.seed)
    families: dict[str, list[Piece]] = {}
    for piece in data:
        families.setdefault(piece.family, []).append(piece)
    kept: list[Piece] = []
    for name in sorted(families):
        group = families[name]
        drawn.shuffle(group)
        kept += group[: options.most.get(name, len(group))] * options.repeat.get(name, 1)
    drawn.shuffle(kept)
    return kept[: options.units]


def units(data: Sequence[Piece], tokenizer: WordPiece, budget: int) -> list[Unit]:
    """The sentences beside their evidence, in the order given; one that is given twice is read
    once and is the same `Unit`. Of a source without a word there is none."""
    read: dict[int, list[Unit]] = {}
    text, source = None, Source([])
    for piece in sorted(data, key=lambda piece: (piece.row.document, piece.row.file)):
        if piece.row.source != text:
            text = piece.row.source
            source = Source(read_source(plain_source(text).text, tokenizer, named=True))
        if id(piece) not in read:
            read[id(piece)] = list(_units(piece, source, tokenizer, budget))
    return [unit for piece in data for unit in read[id(piece)]]


def _units(piece: Piece, source: Source, tokenizer: WordPiece, budget: int) -> Iterator[Unit]:
    if not source.sentences:
        return
    row, non_claim = piece.row, piece.row.file == NON_CLAIMS
    for claim in read_sentences([piece.text], tokenizer):
        labels = labels_of(claim.places(), row)
        if non_claim or not (np.isnan(piece.target[0]) and np.isnan(labels).all()):
            reading = read_evidence(claim, source, budget)
            yield Unit(piece.family, row.document, reading, labels, piece.target, non_claim)


def labels_of(offsets: Ints, row: Labelled) -> Floats:
    """[words], what the row says of the words at these places of its summary; nan if unknown."""
    labels = np.full(len(offsets), np.nan, dtype=np.float32)
    for start, end, share in row.labels:
        inside = (offsets[:, 0] < end) & (offsets[:, 1] > start)
        labels[inside] = np.fmax(labels[inside], share)
    return labels


def targets_of(row: Labelled) -> list[Floats]:
    """[3] for each sentence of a row's summary, as in `Labelled`; nan throughout if unknown. Of a
    summary of several sentences what `labels.sentence_targets` says of each."""
    pieces = closed_sentences(row.summary)
    if row.target is not None and len(pieces) == 1:
        return [np.array(row.target, dtype=np.float32)]
    if row.target is None and not row.labels:
        return [np.full(3, np.nan, dtype=np.float32)] * len(pieces)
    return [
        np.array([1 - unsupported, unsupported, UNKNOWN], dtype=np.float32)
        for _, _, unsupported in sentence_targets(row)
    ]
