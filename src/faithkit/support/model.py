"""The support model: a verdict for every word and sentence of a summary.

Each sentence is read by the network beside the source sentences that can decide it (`evidence.py`),
and the logits become probabilities (`calibration.py`). The network runs in one of two engines
(`engine.py`); its files are in `files.py`. Trained by `faithkit.train.support`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from faithkit.language.fillers import says_nothing
from faithkit.models.batching import batches_for_threads, map_in_threads, windows
from faithkit.models.cards import named_in
from faithkit.models.identity import digest
from faithkit.models.protocols import (
    ENGLISH,
    Bools,
    Decision,
    Floats,
    Ints,
    SentenceVerdict,
    Verdict,
)
from faithkit.models.tensors import read_tensors
from faithkit.models.wordpiece import WordPiece
from faithkit.records import Coverage, Evidence, ModelError
from faithkit.support.calibration import (
    EVEN_ODDS_LOGIT,
    Calibration,
    max_logit,
    sentence_features,
)
from faithkit.support.contraries import with_contrary
from faithkit.support.encoders import is_quantised, read_tokenizer
from faithkit.support.engine import Engine, open_engine, runs_light
from faithkit.support.evidence import LONGEST_RUN, Source, nearest_evidence
from faithkit.support.files import (
    WEIGHTS,
    Settings,
    read_encoder,
    read_settings,
)
from faithkit.support.grades import in_other_grade
from faithkit.support.inputs import ClaimWithEvidence, Input, attach_evidence, batch_of, encode
from faithkit.support.number_rules import confirmed_and_refuted
from faithkit.support.points import percent_for_points
from faithkit.support.sentences import Sentence, read_source, read_summary
from faithkit.support.sign_rules import drops_decimals, has_opposite_sign, in_other_dollars

REMEMBERED_VERDICTS = 5000
"""Pairs whose verdicts are kept, so that several metrics over one model cost one of them."""

REMEMBERED_SOURCES = 16
"""Sources whose sentences are kept, so that further summaries cost those only."""

REMEMBERED_SENTENCES = 500
"""Sentences beside their evidence whose logits are kept (a few kilobytes each), so that a summary
that is being written costs the sentence that has changed."""

Key = tuple[bytes, bytes, bytes, int]
Logits = tuple[Floats, Floats, float]
"""Of one input the word logits, the sentence logits and the non-claim logit."""


class Support:
    """A trained support model. Satisfies `protocols.SupportModel`. What it reads a sentence with
    (numbers, negations, stems) is English."""

    language = ENGLISH

    def __init__(
        self,
        folder: Path,
        encoder: Path,
        settings: Settings,
        id: str,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        self.id = id
        self.settings = settings
        self.decision = Decision(*settings.decision, settings.calibration.dependence)
        self.marked = settings.marked
        self.doubtful = settings.calibration.probability(EVEN_ODDS_LOGIT)
        self.trained_on = named_in(settings.card)
        self._folder = folder
        self.encoder = encoder
        self._device, self._dtype = device, dtype
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        self._logits: dict[Key, Logits] = {}
        self._source = lru_cache(REMEMBERED_SOURCES)(self._read_source)

    @cached_property
    def engine(self) -> Engine:
        return open_engine(self._folder, self.encoder, self._device, self._dtype)

    @cached_property
    def tokenizer(self) -> WordPiece:
        return read_tokenizer(self.encoder)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """See `protocols.SupportModel`."""
        if len(self._verdicts) + len(pairs) > REMEMBERED_VERDICTS:
            self._verdicts.clear()
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in self._verdicts]
        if missing:
            # Sorted, so that the summaries of one source stand together and it is read once.
            self._judge(sorted(missing))
        return [self._verdicts[pair] for pair in pairs]

    def _judge(self, pairs: Sequence[tuple[str, str]]) -> None:
        readings: list[ClaimWithEvidence] = []
        are_fillers: list[bool] = []
        counts: list[int] = []
        coverage: list[Coverage] = []

        def read() -> Iterator[Input]:
            for text, summary in pairs:
                source = self._source(text)
                claims = read_summary(summary, self.tokenizer)
                counts.append(len(claims))
                coverage.append(_coverage(source, claims))
                are_fillers.extend(_are_fillers(claims))
                for claim in claims:
                    readings.append(self.read(claim, source))
                    yield encode(readings[-1])

        outputs = self._remembered(read())  # which reads further texts while the network runs
        verdicts = map(self._verdict, readings, outputs, are_fillers)
        for pair, count, seen in zip(pairs, counts, coverage, strict=True):
            self._verdicts[pair] = Verdict(tuple(islice(verdicts, count)), seen)

    def read(self, claim: Sentence, source: Source) -> ClaimWithEvidence:
        """A summary sentence beside its evidence, as the network was trained to read it."""
        settings = self.settings
        return attach_evidence(claim, source, settings.budget, settings.length_power)

    def _read_source(self, text: str) -> Source:
        return Source(read_source(text, self.tokenizer, named=self.settings.named))

    def __getstate__(self) -> dict[str, Any]:
        """Without what is opened or remembered: a copy opens its own."""
        state = dict(self.__dict__)
        for name in ("engine", "tokenizer", "_source"):
            state.pop(name, None)
        return {**state, "_verdicts": {}, "_logits": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._source = lru_cache(REMEMBERED_SOURCES)(self._read_source)

    def forget(self) -> None:
        """Drops the remembered verdicts, sentences and sources."""
        self._verdicts.clear()
        self._logits.clear()
        self._source.cache_clear()

    def _verdict(
        self, reading: ClaimWithEvidence, outputs: Logits, is_filler: bool
    ) -> SentenceVerdict:
        words, sentence, non_claim = adjust_logits(reading, outputs)
        is_talk = is_filler or reading.claim.is_meta_statement(reading.in_source)
        has_claim = non_claim < self.settings.non_claim and not is_talk
        return _verdict(reading, words, sentence, has_claim, self.settings.calibration)

    def _remembered(self, inputs: Iterable[Input]) -> list[Logits]:
        """As `logits`, which is asked for those that are not remembered."""
        keys: list[Key] = []
        known: dict[Key, Logits] = {}
        pending: dict[Key, None] = {}

        def missing() -> Iterator[Input]:
            for item in inputs:
                key = item.ids.tobytes(), item.codes.tobytes(), item.owner.tobytes(), item.words
                keys.append(key)
                if key in known or key in pending:
                    continue
                if logits := self._logits.get(key):
                    known[key] = logits
                else:
                    pending[key] = None
                    yield item

        known.update(zip(pending, self.logits(missing()), strict=True))
        for key in dict.fromkeys(keys):
            self._logits.pop(key, None)
            self._logits[key] = known[key]  # the most recently used is at the end
        for key in list(self._logits)[: max(0, len(self._logits) - REMEMBERED_SENTENCES)]:
            self._logits.pop(key, None)
        return [known[key] for key in keys]

    def logits(self, inputs: Iterable[Input]) -> list[Logits]:
        """What the network says of each input. They are taken as they are needed, while it runs on
        earlier ones."""
        engine = self.engine
        budget = engine.batch.on(self._device)
        received: list[Input] = []

        def work() -> Iterator[list[int]]:
            alone = engine.threads == 1  # then nothing would run meanwhile
            size = math.inf if alone else budget * engine.threads
            for window in windows(inputs, _length, size):
                start = len(received)
                received.extend(window)
                for indices in batches_for_threads(
                    list(map(_length, window)), budget, engine.threads
                ):
                    yield [start + index for index in indices]

        def run(indices: list[int]) -> tuple[list[int], tuple[Floats, Floats, Floats]]:
            return indices, engine.logits(
                batch_of([received[index] for index in indices], engine.multiple)
            )

        logits: dict[int, Logits] = {}
        for indices, outputs in map_in_threads(run, work(), engine.threads):
            words, sentence, non_claim = outputs
            if not all(np.isfinite(output).all() for output in (words, sentence, non_claim)):
                raise ModelError(f"{self.id}: the network gave a value that is no number")
            for row, index in enumerate(indices):
                own = words[row, : received[index].words]
                logits[index] = own, sentence[row], float(non_claim[row])
        return [logits[index] for index in range(len(received))]


SMALL_NUMBERS = frozenset(map(str, range(1, 13)))
"""Numbers that a sentence about something else often has too."""

CERTAIN = 60.0
"""A logit beyond doubt."""

IN_A_RUN = -2.0
"""The highest logit of a word in a run of LONGEST_RUN words and more that an evidence sentence has:
on labelled rows one of twelve such words that the network marked was wrong (docs/support.md)."""


LOOPED = 4.0
"""The least logit of a word that is repeated in a loop."""

OTHER_NUMBER = 4.0
"""The least logit of a number that the evidence has with the other sign or with decimals alone, and
of what it says the contrary way."""

REFUTED = 10.0
"""The least logit of words that numbers of the evidence refute, "most" of 38%: of 411 statements
that they refuted in pairs and benchmark files none was right (docs/support.md)."""

LOOP, LONGEST_LOOP = 5, 6
"""So many words in a row that are each the word a fixed number of places before, LONGEST_LOOP at
most, are a loop: a language model that does not end. Twice as many of numbers alone."""


def adjust_logits(reading: ClaimWithEvidence, outputs: Logits) -> Logits:
    """Applies rules to the logits of a sentence.

    A sentence copied from the source is entailed, without a mark. In other sentences words in a
    shared run of LONGEST_RUN or more are unmarked; marked are words that are repeated in a loop
    (unless the evidence repeats them as often), numbers with the opposite sign or with decimals
    dropped, what the evidence says the contrary way ("from 3 May" for "by 3 May"), and words that
    its numbers refute. If numbers only confirm the sentence, it is entailed. A sentence that
    shares MIN_SHARED_WORDS content words with one evidence sentence is a claim.
    """
    words, sentence, non_claim = outputs
    if reading.claim.is_surely_claim(reading.claim_runs > 0):
        non_claim = min(non_claim, -CERTAIN)
    if not reading.copied:
        in_a_run = reading.claim_runs.max(axis=0, initial=0) >= LONGEST_RUN
        words = np.where(in_a_run, np.minimum(words, IN_A_RUN), words)
        looped = _looped(reading.claim.keys)
        if looped.any() and not _repeats(reading.evidence, int(looped.sum())):
            words = np.where(looped, np.maximum(words, LOOPED), words)
        claim, evidence = reading.claim, reading.evidence
        changed = has_opposite_sign(claim, evidence) | drops_decimals(claim, evidence)
        changed |= in_other_dollars(claim, evidence)
        changed |= with_contrary(claim, evidence)
        changed |= percent_for_points(claim, evidence)
        changed |= in_other_grade(claim, evidence)
        words = np.where(changed, np.maximum(words, OTHER_NUMBER), words)
        right, wrong = confirmed_and_refuted(claim, evidence)
        words = np.where(wrong, np.maximum(words, REFUTED), words)
        if any(map(np.any, (changed, wrong, looped))) or not right.any():
            return words, sentence, non_claim
    entailed = np.array([CERTAIN, 0, 0], dtype=sentence.dtype)
    return np.full_like(words, -CERTAIN), entailed, non_claim


def _are_fillers(claims: Sequence[Sentence]) -> list[bool]:
    """[sentences of a summary], whether each says nothing where it stands (`fillers.py`)."""
    forms = [claim.form.text for claim in claims]
    return list(map(says_nothing, forms, ["", *forms]))


def _looped(keys: Sequence[str]) -> Bools:
    """[words], whether each is repeated in a loop."""
    looped = np.zeros(len(keys), dtype=np.bool_)
    for period in range(1, min(LONGEST_LOOP, len(keys) - 1) + 1):
        again, least = 0, max(LOOP, period + 1)
        for word in range(period, len(keys)):
            again = again + 1 if keys[word] == keys[word - period] else 0
            if again < least:
                continue
            if again >= 2 * least or not _is_score(keys[word - period + 1 : word + 1]):
                looped[word - again + 1 : word + 1] = True
    return looped


def _is_score(keys: Sequence[str]) -> bool:
    """Whether there are only numbers, as in "6-4, 6-4, 6-4", which are repeated with reason."""
    return all(key[0].isdigit() or key == "to" for key in keys)


def _repeats(evidence: Sequence[Sentence], count: int) -> bool:
    """Whether a sentence of the evidence has so many words in a loop itself."""
    return any(_looped(sentence.keys).sum() >= count for sentence in evidence)


def _length(item: Input) -> int:
    return len(item.ids)


def _verdict(
    reading: ClaimWithEvidence,
    words: Floats,
    sentence: Floats,
    has_claim: bool,
    calibration: Calibration,
) -> SentenceVerdict:
    claim = reading.claim
    content = claim.content
    spans = claim.char_offsets()
    order: Ints = np.lexsort((spans[:, 1], spans[:, 0]))  # reading may have changed it
    classes = np.exp(sentence.astype(np.float64) - sentence.max())
    entailed, neutral, contradicted = (classes / classes.sum()).tolist()
    unsupported = calibration.unsupported(words)
    supported = calibration.supported(
        sentence_features(words, content, sentence), max_logit(words, claim.checkable)
    )
    nearest = np.zeros((0, 2), dtype=np.int64)
    if reading.evidence:
        shown = np.array([(sentence.start, sentence.end) for sentence in reading.evidence])
        is_small = np.array([key in SMALL_NUMBERS for key in claim.keys], dtype=np.bool_)
        weights = np.where(content & ~is_small, 1.0, 0.1)
        nearest = shown[nearest_evidence(reading.claim_runs, weights, claim.clauses)][order]
    else:  # without a source nothing is supported
        entailed, neutral, contradicted, supported = 0.0, 1.0, 0.0, 0.0
        unsupported = np.ones_like(unsupported)
    return SentenceVerdict(
        start=claim.start,
        end=claim.end,
        has_claim=has_claim,
        probabilities=(entailed, neutral, contradicted),
        supported=supported,
        words=spans[order],
        unsupported=unsupported[order],
        evidence=_evidence(reading, content),
        content=content[order],
        nearest=nearest,
    )


def _evidence(reading: ClaimWithEvidence, content: np.ndarray) -> tuple[Evidence, ...]:
    """The selected evidence sentences, each with the share of the claim's words that it has."""
    claim = reading.claim
    weights = np.where(content, 1.0, 0.1)
    return tuple(
        Evidence(
            sentence.start,
            sentence.end,
            claim.start,
            claim.end,
            "evidence" if rank else "best match",
            float(np.average(reading.claim_runs[rank] > 0, weights=weights)),
        )
        for rank, sentence in enumerate(reading.evidence[: reading.selected])
    )


def _coverage(source: Source, claims: Sequence[Sentence]) -> Coverage:
    return Coverage(
        source_tokens=sum(len(s.keys) - s.named for s in source.sentences),
        source_sentences=len(source.sentences),
        summary_tokens=sum(len(claim.keys) for claim in claims),
        summary_sentences=len(claims),
    )


def load_support(path: Path, name: str, *, device: str | None, dtype: str | None) -> Support:
    """The support model in a folder, on the encoder that it was trained on: by onnxruntime where it
    was exported and neither another device than the processor nor another dtype than float32 is
    named, else by torch. Torch does not round what quantised weights are multiplied with, so that
    its id is another then. Raises ModelError where the encoder's weights are others.
    """
    settings = read_settings(path)
    encoder = read_encoder(path, name, settings)
    # The encoder's id stands for what an export put beside the weights.
    device, dtype = device or "cpu", dtype or "float32"
    light = device == "cpu" and runs_light(path, dtype)
    rounded = is_quantised(read_tensors(path / WEIGHTS).tensors)
    suffix = f"/{dtype}" if dtype != "float32" or (rounded and not light) else ""
    id = f"{name}@{digest([path / WEIGHTS])[:12]}+{settings.encoder_id}{suffix}"
    return Support(path, encoder, settings, id, device, dtype)
