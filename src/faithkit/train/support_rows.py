"""The training set of the support network: labelled rows of every file and sentences made from
their documents, each summary sentence with its evidence (`Unit`).
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
from faithkit.support.inputs import ClaimWithEvidence, attach_evidence
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
"""The files of rows made from documents by `corruptions`."""

FROM_DOCUMENTS = (MADE, NON_CLAIMS, PARAPHRASED, EDITED, SPEAKERS, RELATIONS)
"""The files, and families, of all rows made by rule."""

Progress = Callable[[str], None]

HELD_OUT = ("cnndm", "stories", "chat_models", "meetings", "dialogue")
"""Families that the shipped model is not trained on, but calibrated and evaluated on."""

CHOOSING = ("claims_dev",)
"""Files that are never trained on."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to train on and how.

    leave_out   families to leave out, with all rows of other families that share their documents
    most        maximum number of units of a family, all where it is not named; 0: nothing is made
                from the family's rows either
    repeat      how often the units of a family are seen in an epoch; 1 where it is not named
    made        sentences made from each document
    edited      supported claims of which copies with planted errors are made
    documents   maximum number of documents of a family from which sentences are made
    batch       units in a step
    rate        highest learning rate of the encoder; the heads have a higher one
    budget      (lowest, highest) number of tokens of evidence; sampled for each unit
    seed        of all sampling, and of the initialisation
    threads     shares of a batch that are computed at the same time
    units       maximum number of units in all, for trials; None: no limit
    rank        of the low-rank changes of the encoder's layers; 0: the layers are fine-tuned
    frozen      number of first layers of the encoder that are not trained
    epochs      passes over the units
    dropout     dropout rate of the encoder
    draws       how often sentences are made and units sampled, each time with the next seed
    unlabelled  whether teachers judge unlabelled sentences too (`unlabelled.py`)
    rounded     whether matrices are rounded in training as in a quantised file
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
    """A summary sentence with its evidence and labels.

    labels     [words], probability that the word is unsupported; nan where it is unlabelled
    target     [3] as in `Labelled`; all nan where it is unlabelled
    non_claim  whether the sentence claims nothing
    draw       number of its draw, from 0; see `Options.draws`
    """

    family: str
    document: str
    reading: ClaimWithEvidence
    labels: Floats
    target: Floats
    non_claim: bool
    draw: int = 0


DOUBTFUL_KINDS = frozenset({"hedge_weaker"})
"""Kinds of made sentences that a lenient reader would often still accept."""


def made_rows(documents: Sequence[str], *, seed: int, per_document: int) -> list[Labelled]:
    """Sentences made from documents by `corrupt`, with their word labels, as training rows.
    Non-claims are of the file NON_CLAIMS and have no labels."""
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
    """Every labelled row of the families that are not left out, and the rows made from these rows
    and their long documents. The files of the families that are left out are read too, for their
    documents.

    files  to read; empty: all but those of CHOOSING
    Raises ConfigError on an unknown file or family, DataError on a broken one.
    """
    for name in (*options.most, *options.repeat):
        _check_family(name, (*FAMILIES.values(), *FROM_DOCUMENTS))
    names = list(files) or [name for name in FILES if name not in CHOOSING]
    left_out = [name for name in files_of(options.leave_out) if name not in names]
    allowed = without(labelled([*names, *left_out], data), options.leave_out)
    rows = [row for row in allowed if _read_from(row.file) in names and _is_wanted(row, options)]
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
    """Whether the options allow units of its family."""
    return options.most.get(family(row.file)) != 0


def _is_inference(row: Labelled) -> bool:
    """Whether the row is a pair of premise and hypothesis."""
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
    """The file of `labels.FILES` whose reader gives rows with this `Labelled.file`."""
    if file.startswith("claims["):
        return "claims_train" if "train" in file else "claims_dev"
    return "nli_pairs" if file.startswith("nli_") else file.partition("[")[0]


def without(rows: Sequence[Labelled], families: Sequence[str]) -> list[Labelled]:
    """The rows that are neither of these families nor of a document that shares text with one of
    theirs."""
    remaining = list(rows)
    shared = overlaps(remaining)
    present = {family(row.file) for row in remaining}
    for name in families:
        if name in present:
            remaining, _ = leave_out(remaining, name, shared)
    return remaining


LONG = 300
"""Sentences are made from documents of more characters."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A labelled summary sentence, before its source is read.

    family  of its file; for rows made by rule the file itself
    row     with the summary
    text    the sentence in the summary
    target  as in `Unit`
    """

    family: str
    row: Labelled
    text: Segment
    target: Floats


def pieces(rows: Iterable[Labelled]) -> Iterator[Piece]:
    """Every sentence of the rows' summaries that has a target or a labelled word, and every
    non-claim."""
    for row in rows:
        name = row.file if row.file in FROM_DOCUMENTS else family(row.file)
        for text, target in zip(closed_sentences(row.summary), targets_of(row), strict=True):
            has_label = any(a < text.end and b > text.start for a, b, _ in row.labels)
            if has_label or row.file == NON_CLAIMS or not np.isnan(target[0]):
                yield Piece(name, row, text, target)


def sampled(data: Iterable[Piece], options: Options) -> list[Piece]:
    """At most `options.most` sentences of each family, sampled, and repeated as `options.repeat`
    says, in random order."""
    drawn = random.Random(options.seed)
    families: dict[str, list[Piece]] = {}
    for piece in data:
        families.setdefault(piece.family, []).append(piece)
    sample: list[Piece] = []
    for name in sorted(families):
        group = families[name]
        drawn.shuffle(group)
        sample += group[: options.most.get(name, len(group))] * options.repeat.get(name, 1)
    drawn.shuffle(sample)
    return sample[: options.units]


def units(data: Sequence[Piece], tokenizer: WordPiece, budget: int) -> list[Unit]:
    """The sentences with their evidence of at most `budget` tokens, in the order given. One that is
    given repeatedly is read once, and repeats the same `Unit`. A source without a word has no
    units."""
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
        labels = labels_of(claim.char_offsets(), row)
        if non_claim or not (np.isnan(piece.target[0]) and np.isnan(labels).all()):
            reading = attach_evidence(claim, source, budget)
            yield Unit(piece.family, row.document, reading, labels, piece.target, non_claim)


def labels_of(offsets: Ints, row: Labelled) -> Floats:
    """[words], the row's labels of the words at these offsets of its summary; nan if unlabelled.

    offsets  [words, 2], start and end
    """
    labels = np.full(len(offsets), np.nan, dtype=np.float32)
    for start, end, share in row.labels:
        inside = (offsets[:, 0] < end) & (offsets[:, 1] > start)
        labels[inside] = np.fmax(labels[inside], share)
    return labels


def targets_of(row: Labelled) -> list[Floats]:
    """[3] for each sentence of a row's summary, a target as in `Labelled`; all nan if unlabelled.
    In a summary of several sentences it follows `labels.sentence_targets`."""
    pieces = closed_sentences(row.summary)
    if row.target is not None and len(pieces) == 1:
        return [np.array(row.target, dtype=np.float32)]
    if row.target is None and not row.labels:
        return [np.full(3, np.nan, dtype=np.float32)] * len(pieces)
    return [
        np.array([1 - unsupported, unsupported, UNKNOWN], dtype=np.float32)
        for _, _, unsupported in sentence_targets(row)
    ]
