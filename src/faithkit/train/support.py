"""`faithkit train support`: the support model's network, learned from labelled words.

In: labelled summaries (`words.py`) and sentences made from their documents (`corruptions`). Out: a
folder with one safetensors file that `models/support.py` reads. `train` fits one model; `crossfit`
fits one for each family of files that leaves the family and its documents out, so that what is
reported of a file never comes from a model that saw it, and one on everything.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from faithkit.meta.calibration import fit_calibration
from faithkit.metrics.support import value_of
from faithkit.models import evidence, load
from faithkit.models import support as models
from faithkit.models.protocols import Floats, Ints, SentenceVerdict, TokenEncoder, Verdict
from faithkit.models.support import Reader, Settings, Verdicts, claim_inputs
from faithkit.records import ConfigError, DataError, did_you_mean, document_id
from faithkit.text import Segment, closed_sentences, sentences
from faithkit.train.corruptions import corrupt, empty_talk
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
DROPPED = ("dependency",)
"""Groups of features that are left out: they cost a parse and gain nothing (docs/results.md)."""

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How to train. `most` caps the rows of a file; `made` is sentences made per document; `drop`
    names groups of `evidence.GROUPS` that the network is not shown, or `states`: then it sees no
    vectors, features only; `varied`: whether some texts are put in another form."""

    layer: int = 5
    hidden: int = 64
    epochs: int = 3
    batch: int = 64
    rate: float = 2e-3
    most: int = 8_000
    made: int = 10
    seed: int = 0
    drop: tuple[str, ...] = DROPPED
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
        if row.file != MADE and not _is_pairs(row.file):
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


def units(
    rows: Sequence[Labelled], encoder: TokenEncoder, options: Options, progress: Progress
) -> Iterator[Unit]:
    """Every sentence of the rows' summaries against its source; sources without a word are left
    out. Rows of one source should stand together: then it is read once."""
    reader = Reader(encoder, options.layer, parsed="dependency" not in options.drop)
    last, source = None, None
    for start in range(0, len(rows), 64):
        batch = rows[start : start + 64]
        if start % 6400 == 0:
            progress(f"reading row {start} of {len(rows)}")
        reader.prepare(
            piece
            for row in batch
            for piece in (*sentences(row.source), *closed_sentences(row.summary))
        )
        for row in batch:
            if row.source != last:
                source = reader.source(row.source)
                last = row.source
            if source is not None:
                own = reader.summary(closed_sentences(row.summary))
                yield from _units(row, own, source, options)


def _units(
    row: Labelled,
    own: Sequence[evidence.Sentence],
    source: evidence.SourceWords,
    options: Options,
) -> Iterator[Unit]:
    shown = options.features()
    blind = STATES in options.drop
    for sentence in own:
        laid = evidence.lay(sentence, source)
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


@dataclass(frozen=True, slots=True)
class Weights:
    """How much a file's rows count: an unsupported word, a supported one, a sentence."""

    unsupported: float
    supported: float
    sentence: float


def _weights(data: Sequence[Unit]) -> dict[str, Weights]:
    """Files count by the square root of their size, so that none drowns the others; unsupported
    words count more where they are rare. A file whose known words all hold would teach that its
    style is faithful, so its words are not used, only its sentences."""
    words: dict[str, list[float]] = {}
    for unit in data:
        entry = words.setdefault(unit.file, [0.0, 0.0, 0.0])
        told = unit.labels[~np.isnan(unit.labels)]
        entry[0] += len(told)
        entry[1] += float(told.sum())
        entry[2] += 1
    both = [entry[0] for entry in words.values() if entry[1] > 0]
    typical = sum(both) / max(1, len(both))
    found: dict[str, Weights] = {}
    for name, (known, marked, count) in words.items():
        sentence = min(1.0, 3000 / count)
        if marked == 0:
            found[name] = Weights(0.0, 0.0, sentence)
            continue
        marked_share, size = marked / known, math.sqrt(typical / known)
        rare = math.sqrt((1 - marked_share) / marked_share)
        found[name] = Weights(size * rare, size, sentence)
    return found


def tensors(batch: Sequence[Unit]) -> tuple[torch.Tensor, ...]:
    """features, words, found, is_word, is_found, labels, target; padded to the longest."""
    rows = len(batch)
    longest = max(len(unit.features) for unit in batch)
    deepest = max(len(unit.found) for unit in batch)
    width = batch[0].words.shape[1]
    features = np.zeros((rows, longest, batch[0].features.shape[1]), dtype=np.float32)
    words = np.zeros((rows, longest, width), dtype=np.float32)
    found = np.zeros((rows, deepest, width), dtype=np.float32)
    is_word = np.zeros((rows, longest), dtype=bool)
    is_found = np.zeros((rows, deepest), dtype=bool)
    labels = np.full((rows, longest), np.nan, dtype=np.float32)
    for row, unit in enumerate(batch):
        size, depth = len(unit.features), len(unit.found)
        features[row, :size], words[row, :size] = unit.features, unit.words
        found[row, :depth] = unit.found
        is_word[row, :size], is_found[row, :depth] = True, True
        labels[row, :size] = unit.labels
    target = np.stack([unit.target for unit in batch])
    arrays = (features, words, found, is_word, is_found, labels, target)
    return tuple(torch.from_numpy(array) for array in arrays)


def loss_of(
    word: torch.Tensor,
    sentence: torch.Tensor,
    labels: torch.Tensor,
    target: torch.Tensor,
    weights: Sequence[Weights],
) -> torch.Tensor:
    """Cross-entropy of the known words, plus half that of the known sentences. Where only "not
    entailed" is known, neutral and contradiction are taken together."""
    known = ~torch.isnan(labels)
    labels = labels.nan_to_num()
    up = torch.tensor([w.unsupported for w in weights])[:, None]
    down = torch.tensor([w.supported for w in weights])[:, None]
    each = functional.binary_cross_entropy_with_logits(word, labels, reduction="none")
    words = (each * (labels * up + (1 - labels) * down) * known).sum() / known.sum().clamp(min=1)
    told = ~torch.isnan(target[:, 0])
    joined = torch.isnan(target[:, 2])
    logs, wanted = sentence.log_softmax(-1), target.nan_to_num()
    three = -(wanted * logs).sum(-1)
    two = -(wanted[:, 0] * logs[:, 0] + wanted[:, 1] * torch.logsumexp(logs[:, 1:], dim=-1))
    share = torch.tensor([w.sentence for w in weights]) * told
    rest = (torch.where(joined, two, three) * share).sum() / share.sum().clamp(min=1)
    return words + 0.5 * rest


def fit(data: Sequence[Unit], options: Options, progress: Progress) -> Verdicts:
    """The network after `options.epochs` passes over the data; the same seed gives the same
    weights on the same machine. Raises ConfigError without a labelled word."""
    data = [u for u in data if not (np.isnan(u.labels).all() and np.isnan(u.target[0]))]
    if not any((unit.labels > 0).any() for unit in data):
        raise ConfigError("there is no unsupported word to learn from")
    rng = random.Random(options.seed)
    weights = _weights(data)
    with torch.random.fork_rng():
        torch.manual_seed(options.seed)
        network = Verdicts(data[0].features.shape[1], data[0].words.shape[1], options.hidden)
        rows = np.concatenate([unit.features for unit in data]).astype(np.float32)
        network.mean.copy_(torch.from_numpy(rows.mean(axis=0)))
        network.spread.copy_(torch.from_numpy(rows.std(axis=0) + 0.05))
        learned = [p for name, p in network.named_parameters() if not name.startswith("claim")]
        optimizer = torch.optim.AdamW(learned, lr=options.rate, weight_decay=0.01)
        per_epoch = math.ceil(len(data) / options.batch) + len(data) // (20 * options.batch) + 1
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, options.rate, total_steps=options.epochs * per_epoch
        )
        network.train()
        for epoch in range(options.epochs):
            losses = []
            for batch in _shuffled(data, options.batch, rng):
                *inputs, labels, target = tensors(batch)
                word, sentence = network(*inputs)
                loss = loss_of(word, sentence, labels, target, [weights[u.file] for u in batch])
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(learned, 1.0)
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
            progress(f"epoch {epoch + 1} of {options.epochs}: loss {np.mean(losses):.4f}")
    return network.eval()


def _shuffled(data: Sequence[Unit], size: int, rng: random.Random) -> list[list[Unit]]:
    """Batches in random order, each of sentences with about as much evidence."""
    order = list(data)
    rng.shuffle(order)
    batches: list[list[Unit]] = []
    for start in range(0, len(order), 20 * size):
        block = sorted(order[start : start + 20 * size], key=lambda unit: len(unit.found))
        batches += [block[i : i + size] for i in range(0, len(block), size)]
    rng.shuffle(batches)
    return batches


def fit_claim(
    network: Verdicts, talk: Sequence[Floats], real: Sequence[Floats], allowed: float = 0.005
) -> float:
    """Fits the claim head on sentences that state nothing (`talk`) against real ones, each as the
    [windows, width + 2] of `claim_inputs`; returns the logit that the best window of at most
    `allowed` of the real ones does not reach."""
    from sklearn.linear_model import LogisticRegression

    inputs = np.concatenate([*talk, *real])
    sizes = sum(map(len, talk)), sum(map(len, real))
    model = LogisticRegression(C=10.0, max_iter=1000, class_weight="balanced")
    model.fit(inputs, np.repeat([0, 1], sizes))
    with torch.no_grad():
        network.claim.weight.copy_(torch.from_numpy(model.coef_.astype(np.float32)))
        network.claim.bias.copy_(torch.from_numpy(model.intercept_.astype(np.float32)))
    # A little lower than a sentence of the data, so that rounding does not decide about it.
    return float(np.quantile(best_claims(network, real), allowed, method="lower")) - 1e-4


def best_claims(network: Verdicts, sentences: Sequence[Floats]) -> Floats:
    """[sentences], the greatest claim logit of each one's windows."""
    with torch.inference_mode():
        logits = [network.claim(torch.from_numpy(one)).max() for one in sentences]
    return np.array(logits, dtype=np.float32)


def read_claims(texts: Sequence[str], encoder: TokenEncoder, layer: int) -> list[Floats]:
    """The claim head's input of each text that has a word, each text being one sentence."""
    reader = Reader(encoder, layer, parsed=False)
    pieces = [Segment(0, len(text), text) for text in texts]
    reader.prepare(pieces)
    return [claim_inputs(sentence) for sentence in reader.summary(pieces)]


def scaling(
    inputs: Floats, labels: Floats, files: Sequence[str] | None = None
) -> tuple[float, ...]:
    """Logistic scaling (Platt 1999) of inputs [rows, k] on shares 0..1: k weights and a shift.

    files  the file of each row: each counts alike and has a shift of its own while the weights are
           fitted, or else they would learn which file a row is of; what is returned is their mean
    """
    from scipy.optimize import minimize

    names, place = np.unique(files or [""] * len(labels), return_inverse=True)
    share = 1 / (len(names) * np.bincount(place)[place])
    columns = np.concatenate([inputs, np.eye(len(names))[place]], axis=1)

    def loss(values: Any) -> tuple[float, Any]:
        scaled = columns @ values
        error = 1 / (1 + np.exp(-scaled)) - labels
        return float(share @ (np.logaddexp(0, scaled) - labels * scaled)), columns.T @ (
            share * error
        )

    found = minimize(loss, np.zeros(columns.shape[1]), jac=True, method="BFGS").x
    k = inputs.shape[1]
    return (*(float(value) for value in found[:k]), float(found[k:].mean()))


def prepare(
    rows: Sequence[Labelled], encoder: TokenEncoder, options: Options, progress: Progress
) -> list[Unit]:
    """Every sentence of labelled summaries, and of sentences made from their documents (not from
    the premises of inference pairs, nor from a few lines)."""
    documents = list(
        dict.fromkeys(
            row.source for row in rows if len(row.source) > 300 and not _is_pairs(row.file)
        )
    )
    progress(f"making sentences from {len(documents)} documents")
    every = [*rows, *made_rows(documents, options)]
    if options.varied:
        every = varied(every, options.seed)
    every.sort(key=lambda row: (row.document, row.file))  # so that each source is read once
    return list(units(every, encoder, options, progress))


def train(
    rows: Sequence[Labelled],
    encoder: TokenEncoder,
    encoder_name: str,
    folder: Path,
    options: Options,
    *,
    families: Mapping[str, Sequence[str]] | None = None,
    progress: Progress = lambda _: None,
) -> dict[str, Any]:
    """Trains on all rows, writes the model to `folder`, calibrates it and returns its card.

    families  also trains, for each of these families of files, a model that has seen neither its
              files nor its documents, and writes them below `folder` with `folds.json`, so that the
              folder is a cross-fitted model (`models.support.CrossFitted`)
    Raises ConfigError where no word is labelled.
    """
    rows = limited(rows, options.most, options.seed)
    data = prepare(rows, encoder, options, progress)
    progress(f"{len(data)} sentences; training on all of them")
    networks = {"": fit(data, options, progress)}
    owner: dict[str, str] = {}
    for name, some in (families or {}).items():
        documents = {unit.document for unit in data if unit.file in some}
        if not documents:
            continue
        kept = [unit for unit in data if unit.document not in documents]
        progress(f"{len(kept)} sentences; training without {name}")
        networks[name] = fit(kept, options, progress)
        owner |= {document: name for document in documents if document not in owner}
    (folder / models.FOLDS).unlink(missing_ok=True)  # of an earlier training
    for name, network in networks.items():
        settings = Settings(
            encoder=encoder_name,
            layer=options.layer,
            encoder_id=models.without_dtype(encoder.id),
            features=options.features(),
            width=int(network.project.in_features),
            hidden=options.hidden,
            word=UNSCALED,
            claim=-1e9,
            decision=UNDECIDED,
            card={
                "options": asdict(options),
                "rows": _counts(rows),
                "sentences": len(data),
                "without": name,
            },
        )
        models.write(folder / name, settings, network)
    if owner:
        described = json.dumps({"documents": owner}, sort_keys=True)
        (folder / models.FOLDS).write_text(described + "\n", encoding="utf-8")
    return calibrate(folder, rows, options.seed, progress=progress)


def _is_pairs(file: str) -> bool:
    return file.startswith("nli") or file in FAMILIES["other"]


def _counts(rows: Sequence[Labelled]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        entry = counts.setdefault(row.file, {"rows": 0, "labelled_words": 0})
        entry["rows"] += 1
        entry["labelled_words"] += len(row.labels)
    return counts


UNSCALED = (1.0, 0.0, 0.0)
UNDECIDED = (-1.0, 2.0, 0.0, 0.0)
"""A decision that gives no verdict: what a model has before it is calibrated."""

ROWS_A_FILE = 600
"""Rows of a file that calibrate, drawn at random: every file counts alike."""

MOST_WRONG = 0.2
"""Share of wrong verdicts allowed outside the band of abstention."""


def calibrate(
    folder: Path, rows: Sequence[Labelled], seed: int, *, progress: Progress = lambda _: None
) -> dict[str, Any]:
    """Fits what stands on top of a trained network, and writes it into its files: the claim head
    (on empty talk and the rows' own sentences), the scaling of word probabilities and the decision
    (on labelled summaries). Returns the card. A cross-fitted model is judged by the parts that
    have not seen the row; of any other the figures are those of its own training rows, and the
    card says so."""
    found = _calibrate_claims(folder, rows, seed, progress)
    model = models.load_support(folder, folder.name, device="cpu", dtype=None)
    parts = [model] if isinstance(model, models.Support) else [model.every, *model.without.values()]
    for part in parts:
        part.settings = replace(part.settings, word=UNSCALED)
    rows = [row for row in rows if not _is_pairs(row.file)]
    rows = sorted(limited(rows, ROWS_A_FILE, seed), key=lambda row: row.document)
    judged: list[Verdict] = []
    for start in range(0, len(rows), 64):
        if start % 1280 == 0:
            progress(f"judging row {start} of {len(rows)}")
        judged += model.judge([(row.source, row.summary) for row in rows[start : start + 64]])
    slope, weight, shift = scaling(*_known_words(rows, judged))
    word = (slope, weight, shift)
    decision, figures = _decision(rows, [_scaled(one, word) for one in judged], seed)
    added = {
        "calibrated_on": "rows of documents that the judging model has not seen"
        if isinstance(model, models.CrossFitted)
        else "the training rows themselves",
        "decision": figures,
        "empty_talk_found": found,
    }
    for place in _places(folder):
        old = models.read_settings(place)
        new = replace(old, word=word, decision=decision, card={**old.card, **added})
        models.write(place, new, models.read_network(place, old))
    return dict(models.read_settings(folder).card)


def _places(folder: Path) -> list[Path]:
    """The folder and those of its folds."""
    if not (folder / models.FOLDS).is_file():
        return [folder]
    return [folder, *(path.parent for path in sorted(folder.glob(f"*/{models.WEIGHTS}")))]


def _calibrate_claims(
    folder: Path, rows: Sequence[Labelled], seed: int, progress: Progress
) -> float:
    """Fits the claim heads; returns the share of held-out empty talk that is recognised."""
    progress("telling claims from talk")
    settings = models.read_settings(folder)
    encoder = load(f"tokens:{settings.encoder}", device="cpu")
    said = sorted({piece.text for row in rows for piece in closed_sentences(row.summary)})
    drawn = random.Random(seed)
    samples = [
        empty_talk(4000, seed=seed, held_out=False),
        drawn.sample(said, min(8000, len(said))),
        empty_talk(1000, seed=seed, held_out=True),
    ]
    talk, real, held_out = (read_claims(texts, encoder, settings.layer) for texts in samples)
    recognised = 0.0
    for place in _places(folder):
        old = models.read_settings(place)
        network = models.read_network(place, old)
        claim = fit_claim(network, talk, real)
        models.write(place, replace(old, claim=claim), network)
        recognised = float((best_claims(network, held_out) < claim).mean())
    return recognised


def _known_words(
    rows: Sequence[Labelled], judged: Sequence[Verdict]
) -> tuple[Floats, Floats, list[str]]:
    """What `Settings.word` scales, [words, 2], the labels and the files of the words of files that
    mark unsupported ones; of unscaled verdicts."""
    marking = {row.file for row in rows if any(share > 0 for _, _, share in row.labels)}
    inputs, labels = [], []
    files: list[str] = []
    for row, verdict in zip(rows, judged, strict=True):
        if row.file not in marking:
            continue
        for one in verdict.sentences:
            known = labels_of(one.words, row)
            told = ~np.isnan(known)
            inputs.append(_unscaled(one)[told])
            labels.append(known[told])
            files += [row.file] * int(told.sum())
    if not labels:
        raise ConfigError("no word is marked as unsupported, so there is nothing to calibrate on")
    return np.concatenate(inputs), np.concatenate(labels), files


def _unscaled(one: SentenceVerdict) -> Floats:
    """[words, 2], the logit and the distance of the words of an unscaled verdict."""
    p = np.clip(one.unsupported.astype(np.float64), 1e-6, 1 - 1e-6)
    found: Floats = np.stack([np.log(p / (1 - p)), 1 - one.similarities], axis=1)
    return found


def _scaled(verdict: Verdict, word: tuple[float, float, float]) -> Verdict:
    """An unscaled verdict with its words scaled."""
    sentences = []
    for one in verdict.sentences:
        logit = _unscaled(one) @ np.array(word[:2]) + word[2]
        sentences.append(replace(one, unsupported=(1 / (1 + np.exp(-logit))).astype(np.float32)))
    return replace(verdict, sentences=tuple(sentences))


def _decision(
    rows: Sequence[Labelled], judged: Sequence[Verdict], seed: int
) -> tuple[tuple[float, float, float, float], dict[str, Any]]:
    """Threshold, band and probability of a summary's value, on rows with a clear label."""
    values: list[float] = []
    labels: list[int] = []
    groups: list[str] = []
    for row, verdict in zip(rows, judged, strict=True):
        value = value_of(verdict)
        if row.target is None or 0.2 < row.target[0] < 0.8 or value is None:
            continue
        values.append(value)
        labels.append(int(row.target[0] > 0.5))
        groups.append(row.document)
    if len(set(labels)) < 2:
        return UNDECIDED, {"rows": len(values), "why": "labels of one kind only"}
    try:
        found = fit_calibration(values, labels, groups, max_error=MOST_WRONG, seed=seed)
    except (ConfigError, DataError) as error:  # too few documents, or one kind in some fold
        return UNDECIDED, {"rows": len(values), "why": str(error)}
    slope, shift = scaling(np.array(values)[:, None], np.array(labels, dtype=np.float64))
    lower, upper = found.calibration.lower, found.calibration.upper
    decision = (
        UNDECIDED[0] if lower is None else lower,
        UNDECIDED[1] if upper is None else upper,
        slope,
        shift,
    )
    return decision, {
        "rows": len(values),
        "threshold": found.calibration.threshold,
        "decided": found.decided,
        "wrong_consistent": found.wrong_consistent,
        "wrong_inconsistent": found.wrong_inconsistent,
    }
