"""The support model: a trained verdict for every word and sentence of a summary.

A frozen encoder gives every word a vector, `evidence.py` finds the source sentences that speak to a
summary sentence and turns the comparison into numbers, and a small network (`network.py`, under a
megabyte) reads both. It is trained by `faithkit.train.support`; weights, features, calibration and
the figures it reached lie beside each other in one folder, without pickle.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from faithkit.language import reading
from faithkit.language.sentences import closed_sentences, source_sentences
from faithkit.language.words import Segment
from faithkit.models.cards import named_in
from faithkit.models.identity import model_id
from faithkit.models.protocols import (
    ENGLISH,
    Decision,
    Floats,
    Ints,
    SentenceVerdict,
    TokenEncoder,
    Verdict,
)
from faithkit.models.runtime import Runtime
from faithkit.records import Coverage, Evidence, ModelError, document_id
from faithkit.support import evidence
from faithkit.support.network import SupportNetwork, claim_inputs, padded

WEIGHTS = "model.safetensors"
FOLDS = "folds.json"
FORMAT = 4
"""Raised when reading, features or network change so that older files no longer mean the same."""

SOURCE_CHARACTERS = 400_000
"""Source text held as vectors at once."""

SENTENCES_PER_BATCH = 32
"""Summary sentences that the network reads at once."""

REMEMBERED = 5000
"""Pairs whose verdicts are kept, so that several metrics over one model cost one of them."""

FIRST_WORD_ID = 1996
"""BERT's vocabulary is sorted by frequency from here on, so an id says how rare a token is."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a trained support model needs beside its weights. It is the metadata of the weights'
    file, so that the file's hash covers it.

    encoder, layer   whose token states it reads
    encoder_id       the weights it was trained on
    features         names of `evidence.features`, in the order of the network's input
    width, hidden    of the encoder's states and of the network
    word             scaling of a word: probability of being unsupported = sigmoid(slope * logit +
                     weight * (1 - similarity) + shift), as (slope, weight, shift)
    claim            a sentence of which no window's claim logit reaches this states nothing
    decision         lower, upper, slope and shift of `protocols.Decision`
    card             how it was trained and what it reached
    """

    encoder: str
    layer: int
    encoder_id: str
    features: tuple[str, ...]
    width: int
    hidden: int
    word: tuple[float, float, float]
    claim: float
    decision: tuple[float, float, float, float]
    card: Mapping[str, Any]


class Reader:
    """Texts to sentences with word vectors; each distinct sentence is encoded once a batch."""

    def __init__(self, encoder: TokenEncoder, layer: int) -> None:
        self._encoder = encoder
        self._layer = layer
        self._read: dict[str, tuple[Floats, Ints, Floats]] = {}

    def prepare(self, sources: Iterable[str], pieces: Iterable[Segment]) -> None:
        """Encodes the sentences of these sources and these of summaries; forgets all others."""
        own = (piece for source in dict.fromkeys(sources) for piece in source_sentences(source))
        texts = dict.fromkeys(piece.text for piece in (*own, *pieces))
        kept = {text: self._read[text] for text in texts if text in self._read}
        missing = [text for text in texts if text not in kept]
        plain = [reading.read(text).text for text in missing]
        states = self._encoder.encode_tokens(plain, layer=self._layer, windows=True)
        for text, state in zip(missing, states, strict=True):
            kept[text] = (state.vectors, state.offsets, rarities(state.ids))
        self._read = kept

    def source(self, text: str) -> evidence.SourceWords | None:
        """A prepared source, taken apart; None without a word."""
        pieces = source_sentences(text)
        read = [evidence.read_sentence(one, *self._read[one.text]) for one in pieces]
        found = [one for one in read if one is not None]
        return evidence.read_source(found) if found else None

    def summary(self, pieces: Sequence[Segment]) -> list[evidence.Sentence]:
        """Prepared sentences of a summary, taken apart; those without a word are left out."""
        read = (evidence.read_sentence(one, *self._read[one.text]) for one in pieces)
        return [one for one in read if one is not None]


def rarities(ids: Ints) -> Floats:
    """0 for the vocabulary's most frequent words to 1 for its rarest, by the logarithm of rank."""
    low, high = np.log(FIRST_WORD_ID), np.log(30_522)
    rank = np.log(np.maximum(ids, 1))
    rarity: Floats = np.clip((rank - low) / (high - low), 0, 1).astype(np.float32)
    return rarity


class Support:
    """A trained support model over an encoder. Satisfies `protocols.SupportModel`. What it reads a
    sentence with (numbers, negations, synonyms) is English."""

    language = ENGLISH

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        encoder: TokenEncoder,
        id: str,
    ) -> None:
        self.id = id
        self.settings = settings
        self.decision = Decision(*settings.decision)
        self.trained_on = named_in(settings.card)
        self._folder = folder
        # Keeps what it read last: another summary of the same source costs that summary only.
        self._reader = Reader(encoder, settings.layer)
        self._judged: dict[tuple[str, str], Verdict] = {}

    @cached_property
    def _network(self) -> SupportNetwork:
        return read_network(self._folder, self.settings)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """See `protocols.SupportModel`."""
        if len(self._judged) + len(pairs) > REMEMBERED:
            self._judged.clear()
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in self._judged]
        reader = self._reader
        for chunk in _by_source(missing):
            reader.prepare(
                (source for source, _ in chunk),
                (piece for _, summary in chunk for piece in closed_sentences(summary)),
            )
            with _one_thread():
                self._judge_chunk(chunk)
        return [self._judged[pair] for pair in pairs]

    def _judge_chunk(self, chunk: Sequence[tuple[str, str]]) -> None:
        """Judges pairs whose sentences the reader has prepared."""
        sources = {text: self._reader.source(text) for text in dict.fromkeys(t for t, _ in chunk)}
        own = [self._reader.summary(closed_sentences(summary)) for _, summary in chunk]
        jobs = [
            (one, sources[text]) for (text, _), some in zip(chunk, own, strict=True) for one in some
        ]
        starts = range(0, len(jobs), SENTENCES_PER_BATCH)
        verdicts = (v for i in starts for v in self._sentences(jobs[i : i + SENTENCES_PER_BATCH]))
        for pair, some in zip(chunk, own, strict=True):
            coverage = _coverage(sources[pair[0]], some)
            self._judged[pair] = Verdict(tuple(islice(verdicts, len(some))), coverage)

    def forget(self) -> None:
        """Drops the remembered verdicts and sentences."""
        self._judged.clear()
        self._reader.prepare([], [])

    def _sentences(
        self, jobs: Sequence[tuple[evidence.Sentence, evidence.SourceWords | None]]
    ) -> Iterator[SentenceVerdict]:
        """A verdict for each sentence and the source it is held against."""
        known = [(one, read) for one, read in jobs if read is not None]
        laid = [evidence.select_evidence(one, read) for one, read in known]
        found = [evidence.features(*job, lay) for job, lay in zip(known, laid, strict=True)]
        judged = zip(laid, found, self._forward(known, laid, found), strict=True)
        for sentence, read in jobs:
            has_claim = self._has_claim(sentence)
            if read is None:
                yield _unknown(sentence, has_claim)
                continue
            lay, own, (logits, classes) = next(judged)
            slope, weight, shift = self.settings.word
            near = evidence.similarities(own, "cosine")
            unsupported = 1 / (1 + np.exp(-(slope * logits + weight * (1 - near) + shift)))
            entailed, neutral, contradicted = (float(value) for value in classes)
            order = _in_order(sentence)
            nearest, nearness = evidence.nearest_sentences(sentence, lay)
            places = np.array([(one.start, one.end) for one in read.sentences])
            yield SentenceVerdict(
                sentence.start,
                sentence.end,
                has_claim,
                (entailed, neutral, contradicted),
                sentence.offsets[order],
                unsupported.astype(np.float32)[order],
                _evidence(sentence, read, lay),
                near[order],
                evidence.similarities(own, "cosine_evidence")[order],
                sentence.content[order],
                places[nearest][order],
                nearness[order],
            )

    def _has_claim(self, sentence: evidence.Sentence) -> bool:
        with torch.inference_mode():
            claims = self._network.claim(torch.from_numpy(claim_inputs(sentence)))
        return float(claims.max()) >= self.settings.claim

    def _forward(
        self,
        known: Sequence[tuple[evidence.Sentence, evidence.SourceWords]],
        laid: Sequence[evidence.Alignment],
        found: Sequence[Mapping[str, Floats]],
    ) -> list[tuple[Floats, Floats]]:
        """Of each sentence the word logits and the three probabilities."""
        if not known:
            return []
        columns = [np.stack([own[n] for n in self.settings.features], axis=1) for own in found]
        words = [sentence.vectors for sentence, _ in known]
        others = [read.vectors[lay.words] for (_, read), lay in zip(known, laid, strict=True)]
        with torch.inference_mode():
            logits, classes = self._network(*padded(columns, words, others))
            probabilities = classes.softmax(-1).numpy()
        return [
            (row[: len(own)].numpy(), three)
            for row, own, three in zip(logits, words, probabilities, strict=True)
        ]


def _in_order(sentence: evidence.Sentence) -> Ints:
    """Its words by their place in the text, which reading may have changed."""
    order: Ints = np.lexsort((sentence.offsets[:, 1], sentence.offsets[:, 0]))
    return order


def _unknown(sentence: evidence.Sentence, has_claim: bool) -> SentenceVerdict:
    """Of a sentence without a source: nothing is supported."""
    order = _in_order(sentence)
    nothing = np.zeros(len(order), dtype=np.float32)
    return SentenceVerdict(
        sentence.start, sentence.end, has_claim, (0.0, 1.0, 0.0), sentence.offsets[order],
        1 - nothing, (), nothing, nothing, sentence.content[order],
    )  # fmt: skip


def _coverage(read: evidence.SourceWords | None, own: Sequence[evidence.Sentence]) -> Coverage:
    return Coverage(
        source_tokens=len(read.owner) if read else 0,
        source_sentences=len(read.sentences) if read else 0,
        summary_tokens=sum(len(one.stems) for one in own),
        summary_sentences=len(own),
    )


_THREADS = threading.RLock()  # a support model may be asked by another one


@contextmanager
def _one_thread() -> Iterator[None]:
    """The network is so small that handing its work to threads takes longer than the work. One
    caller at a time, so that none restores what another has set."""
    with _THREADS:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def _evidence(
    sentence: evidence.Sentence, read: evidence.SourceWords, laid: evidence.Alignment
) -> tuple[Evidence, ...]:
    """The chosen source sentences, each with how well it covers the summary sentence's words."""
    weights = sentence.rarity + 0.05
    return tuple(
        Evidence(
            read.sentences[index].start,
            read.sentences[index].end,
            sentence.start,
            sentence.end,
            "best match" if rank == 0 else "evidence",
            float(np.average(laid.by_sentence[:, index], weights=weights)),
        )
        for rank, index in enumerate(laid.chosen)
    )


def _by_source(pairs: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """The pairs in chunks, those of one source together, each chunk's sources of bounded size."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs:
        groups.setdefault(pair[0], []).append(pair)
    chunks: list[list[tuple[str, str]]] = []
    size = 0
    for source, members in groups.items():
        if not chunks or size + len(source) > SOURCE_CHARACTERS:
            chunks.append([])
            size = 0
        chunks[-1] += members
        size += len(source)
    return chunks


def read_settings(folder: Path) -> Settings:
    """What the weights' file says of itself. Raises ModelError where it is no support model."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(folder / WEIGHTS, framework="pt") as file:
            raw = json.loads((file.metadata() or {})["settings"])
        if raw.pop("format") != FORMAT:
            raise ModelError(f"{folder / WEIGHTS} was made for another version of faithkit")
        for unused in ("likelihood", "likelihood_id", "inference", "inference_id"):
            if raw.pop(unused, ""):
                raise ModelError(f"{folder} was trained with features of another model: {unused}")
        raw |= {name: tuple(raw[name]) for name in ("features", "word", "decision")}
        if unknown := set(raw["features"]) - set(evidence.FEATURES):
            raise ModelError(f"{folder} wants features that are not here: {sorted(unknown)}")
        return Settings(**raw)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError) as error:
        raise ModelError(f"{folder} holds no support model ({error!r})") from error


def read_network(folder: Path, settings: Settings) -> SupportNetwork:
    """The network of a folder, ready to judge. Raises ModelError on weights of another shape."""
    from safetensors.torch import load_file

    made = SupportNetwork(len(settings.features), settings.width, settings.hidden)
    try:
        made.load_state_dict(load_file(folder / WEIGHTS))
    except (RuntimeError, OSError) as error:
        raise ModelError(f"{folder}: the weights do not fit their settings: {error}") from error
    return made.eval()


def write(folder: Path, settings: Settings, network: SupportNetwork) -> Path:
    """Writes a trained model's one file, model.safetensors."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    described = json.dumps({"format": FORMAT, **asdict(settings)}, sort_keys=True)
    weights = {name: value.contiguous() for name, value in network.state_dict().items()}
    save_file(weights, folder / WEIGHTS, metadata={"settings": described})
    return folder / WEIGHTS


class CrossFitted:
    """Several support models of one training, each judging what it was not trained on: for honest
    tables of files that the shipped model has seen. Satisfies `SupportModel`.

    `trained_on` is empty: no row is judged by a model that has seen its document.

    owner  the fold of each document and of each of its sentences, by `document_id` of the text. A
           source that is no such document, as one sentence of it or one that a stress test has
           changed, is of the fold of its first sentence that is known; of none, it goes to `every`
    """

    language = ENGLISH

    def __init__(self, every: Support, without: Mapping[str, Support], owner: Mapping[str, str]):
        self.every = every
        self.without = without
        self._owner = owner
        self.decision = every.decision
        self.trained_on: frozenset[str] = frozenset()
        folds = "+".join(model.id.partition("@")[2][:6] for model in without.values())
        self.id = f"{every.id}/without:{folds}"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """See `protocols.SupportModel`."""
        names = [self._fold(source) for source, _ in pairs]
        verdicts: dict[int, Verdict] = {}
        for name in dict.fromkeys(names):
            places = [place for place, own in enumerate(names) if own == name]
            model = self.without.get(name, self.every)
            judged = model.judge([pairs[place] for place in places])
            verdicts |= dict(zip(places, judged, strict=True))
        return [verdicts[place] for place in range(len(pairs))]

    def _fold(self, source: str) -> str:
        texts = (source, *(piece.text for piece in source_sentences(source)))
        return next((self._owner[id] for id in map(document_id, texts) if id in self._owner), "")


def load_support(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> Support | CrossFitted:
    """The support model in a folder, with the encoder it was trained on; with the models of its
    folds where there is a folds.json. Raises ModelError where the encoder's weights are others."""
    every = _load_one(path, name, device, dtype)
    if not (path / FOLDS).is_file():
        return every
    try:
        owner = json.loads((path / FOLDS).read_text(encoding="utf-8"))["owner"]
        names = sorted(set(owner.values()))
        if not all(isinstance(name, str) for name in names):
            raise TypeError("a fold is named by text")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path / FOLDS} cannot be read ({error!r})") from error
    without = {one: _load_one(path / one, one, device, dtype) for one in names}
    return CrossFitted(every, without, owner)


def without_dtype(id: str) -> str:
    """An encoder's id, `name@hash/dtype`, as `name@hash`; the name may have slashes too."""
    name, at, tail = id.rpartition("@")
    return name + at + tail.partition("/")[0]


def _load_one(path: Path, name: str, device: str | None, dtype: str | None) -> Support:
    from faithkit import models

    settings = read_settings(path)
    encoder = models.load(f"tokens:{settings.encoder}", Runtime(device, dtype))
    if without_dtype(encoder.id) != settings.encoder_id:
        raise ModelError(
            f"{name} was trained on the encoder {settings.encoder_id}, and {encoder.id} is here"
        )
    own = model_id(path, name, tokenizer=False)
    return Support(path, settings, encoder, f"{own}+{encoder.id}")
