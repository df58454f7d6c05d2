"""What the support model's network learns from: labelled rows and sentences made from their
documents, some in other forms, each summary sentence with its features (`Unit`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from faithkit.language.normalise import plain_source
from faithkit.language.sentences import closed_sentences, sentences, source_sentences
from faithkit.models.protocols import Floats, Ints, TokenEncoder
from faithkit.records import ConfigError, did_you_mean, document_id
from faithkit.support import evidence
from faithkit.support.model import Reader
from faithkit.train.corruptions import corrupt
from faithkit.train.paraphrased import PARAPHRASED, paraphrased_documents, paraphrased_rows
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

FAMILIES: dict[str, tuple[str, ...]] = {
    "xsum": ("xsumfaith_dev", "aggrefact_errors_val"),
    "bump": ("bump1",),
    "summedits": (
        "summedits_news", "summedits_podcast", "summedits_sales_email", "summedits_sales_call",
    ),
    "wice": ("wice_tokens_train", "wice_tokens_dev", "wice_dev"),
    "cliff": ("cliff",),
    "other": ("nli_pairs", "factcheck_gpt_stance"),
}  # fmt: skip
"""Files that belong together: what is learned from one of them says too much about the others."""

MADE = "made"
STATES = "states"

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How to train. `most` caps the rows of a file; `made` is sentences made per document; `drop`
    names groups of `evidence.GROUPS` that the network is not shown, or `states`: then it sees no
    vectors, features only; `varied`: whether some texts are put in another form or order."""

    layer: int = 6
    hidden: int = 64
    epochs: int = 3
    batch: int = 64
    rate: float = 2e-3
    most: int = 8_000
    made: int = 10
    seed: int = 0
    drop: tuple[str, ...] = ()
    varied: bool = True

    def features(self) -> tuple[str, ...]:
        """The features that are used. Raises ConfigError on an unknown group."""
        known = (*evidence.GROUPS, STATES)
        for name in self.drop:
            if name not in known:
                raise ConfigError(
                    f"There is no group of features '{name}'.{did_you_mean(name, known)}"
                )
        left = [some for name, some in evidence.GROUPS.items() if name not in self.drop]
        return tuple(name for some in left for name in some)


@dataclass(frozen=True, slots=True)
class Unit:
    """One summary sentence ready for the network.

    features [words, features], words and found [words or evidence words, width], all float16;
    labels [words] with nan where nothing is known; target [3] as in `Labelled`, nan throughout
    where nothing is known
    """

    file: str
    document: str
    features: np.ndarray
    words: np.ndarray
    found: np.ndarray
    labels: Floats
    target: Floats


def limited(rows: Sequence[Labelled], most: int, seed: int) -> list[Labelled]:
    """At most `most` rows of each file, drawn at random."""
    by_file: dict[str, list[Labelled]] = {}
    for row in rows:
        by_file.setdefault(row.file.partition("_")[0] if row.file.startswith("nli") else row.file,
                           []).append(row)  # fmt: skip
    kept: list[Labelled] = []
    for name, some in by_file.items():
        drawn = random.Random(f"{seed} {name}")
        kept += some if len(some) <= most else drawn.sample(some, most)
    return kept


DOUBTFUL_KINDS = frozenset({"hedge_weaker"})
"""Kinds of made sentences that a lenient reader would often still accept."""


def made_rows(documents: Sequence[str], options: Options) -> list[Labelled]:
    """Sentences made from documents, with their word labels, as training rows; of verbatim
    sentences, which are the easiest, one a document."""
    rows: list[Labelled] = []
    copied: set[str] = set()
    for one in corrupt(documents, seed=options.seed, per_document=options.made):
        again = one.kind == "verbatim" and one.source in copied
        if one.label is None or one.kind in DOUBTFUL_KINDS or again:
            continue
        if one.kind == "verbatim":
            copied.add(one.source)
        labels = tuple((start, end, float(label)) for start, end, label in one.words)
        target = ENTAILED if one.label == 1 else UNSUPPORTED
        document = document_id(one.source)
        rows.append(Labelled(MADE, document, one.source, one.text, labels, target))
    return rows


PADDED, LOWERED = 6, 12
"""One document in so many stands behind another, one summary in so many is in small letters."""

PADDING_CHARACTERS = 6_000


def varied(rows: Sequence[Labelled], seed: int) -> list[Labelled]:
    """The rows, some in another form that changes no label: documents behind the beginning of
    another one of their own file, summaries in small letters. Which, the texts and the seed decide.
    """
    sources: dict[str, dict[str, str]] = {}
    for row in rows:
        if row.file not in (MADE, PARAPHRASED) and not is_pairs(row.file):
            sources.setdefault(row.file, {}).setdefault(row.document, row.source)
    padded: dict[str, str] = {}
    for some in sources.values():
        documents = sorted(some)
        for document, other in zip(documents, [*documents[1:], documents[0]], strict=True):
            if document != other and _drawn(PADDED, f"{seed} padded {document}"):
                before = some[other][:PADDING_CHARACTERS].rsplit(maxsplit=1)[0]
                padded.setdefault(document, f"{before}\n\n{some[document]}")
    found = []
    for row in rows:
        lower = row.summary.lower()
        if len(lower) == len(row.summary) and _drawn(LOWERED, f"{seed} lower {row.summary}"):
            row = replace(row, summary=lower)
        found.append(replace(row, source=padded.get(row.document, row.source)))
    return found


def _drawn(one_in: int, text: str) -> bool:
    return random.Random(text).randrange(one_in) == 0


def prepare(
    rows: Sequence[Labelled],
    encoder: TokenEncoder,
    options: Options,
    progress: Progress,
) -> list[Unit]:
    """Every sentence of labelled summaries, and of sentences made from their documents (not from
    the premises of inference pairs, nor from a few lines)."""
    documents = list(
        dict.fromkeys(
            row.source for row in rows if len(row.source) > 300 and not is_pairs(row.file)
        )
    )
    progress(f"making sentences from {len(documents)} documents")
    every = [*rows, *made_rows(documents, options)]
    if options.varied:
        progress("saying sentences in another order")
        every += [
            *paraphrased_rows(rows, options.seed),
            *paraphrased_documents(documents, options.seed),
        ]
        every = varied(every, options.seed)
    every.sort(key=lambda row: (row.document, row.file))  # so that each source is read once
    return list(units(every, encoder, options, progress))


def units(
    rows: Sequence[Labelled],
    encoder: TokenEncoder,
    options: Options,
    progress: Progress,
) -> Iterator[Unit]:
    """Every sentence of the rows' summaries against its source; sources without a word are left
    out. Rows of one source should stand together: then it is read once."""
    reader = Reader(encoder, options.layer)
    last, source = None, None
    for start in range(0, len(rows), 64):
        batch = rows[start : start + 64]
        if start % 6400 == 0:
            progress(f"reading row {start} of {len(rows)}")
        reader.prepare(
            (row.source for row in batch),
            (piece for row in batch for piece in closed_sentences(row.summary)),
        )
        for row in batch:
            if row.source != last:
                source = reader.source(row.source)
                last = row.source
            if source is not None:
                yield from _units(row, reader, source, options)


def _units(
    row: Labelled, reader: Reader, source: evidence.SourceWords, options: Options
) -> Iterator[Unit]:
    own = reader.summary(closed_sentences(row.summary))
    shown = options.features()
    blind = STATES in options.drop
    for sentence in own:
        laid = evidence.select_evidence(sentence, source)
        found = evidence.features(sentence, source, laid)
        labels = labels_of(sentence.offsets, row)
        yield Unit(
            row.file,
            row.document,
            np.stack([found[name] for name in shown], axis=1).astype(np.float16),
            np.zeros_like(sentence.vectors, dtype=np.float16)
            if blind
            else sentence.vectors.astype(np.float16),
            source.vectors[laid.words].astype(np.float16),
            labels,
            target_of(row, labels, alone=len(own) == 1),
        )


def labels_of(offsets: Ints, row: Labelled) -> Floats:
    """[words], what the row says of the words at these places of its summary; nan where nothing."""
    labels = np.full(len(offsets), np.nan, dtype=np.float32)
    for start, end, share in row.labels:
        inside = (offsets[:, 0] < end) & (offsets[:, 1] > start)
        labels[inside] = np.fmax(labels[inside], share)
    return labels


def target_of(row: Labelled, labels: Floats, alone: bool) -> Floats:
    """What is known of this sentence: of a summary of several only what its words tell."""
    nothing = np.full(3, np.nan, dtype=np.float32)
    if row.target is None:
        return nothing
    if alone:
        return np.array(row.target, dtype=np.float32)
    if np.isnan(labels).any():
        return nothing
    if labels.max() > 0.5:
        return np.array(UNSUPPORTED, dtype=np.float32)
    return np.array(ENTAILED, dtype=np.float32) if labels.max() < 0.2 else nothing


def pieces_of(texts: Iterable[str]) -> set[str]:
    """The ids of these documents and of their sentences, by either way of splitting, as they were
    given and in the plain form that metrics read."""
    found = set()
    for text in {form for given in texts for form in (given, plain_source(given).text)}:
        pieces = (*sentences(text), *source_sentences(text))
        found |= {document_id(text), *(document_id(piece.text) for piece in pieces)}
    return found


def is_pairs(file: str) -> bool:
    return file.startswith("nli") or file in FAMILIES["other"]
