"""What causal and encoder-decoder models share under teacher forcing: separately tokenised texts,
truncation of a document that does not fit, a cache of vectors, and log-probabilities from hidden
states without a matrix of tokens × vocabulary in memory.

The forward passes are in `causal.py` and `seq2seq.py`; the metrics use the vectors. The forced
sequences: [FFLM §3].
"""

from __future__ import annotations

import hashlib
import operator
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch

from faithkit.models import hf
from faithkit.models.batching import TokenBudget
from faithkit.models.protocols import PLAIN, Floats, Forced, Forcing, Ints, Vector
from faithkit.records import ConfigError, ModelError, Outcome

SEPARATOR = "TL;DR "
SPACE = " "
NO_IDS: Ints = np.zeros(0, dtype=np.int64)
JOINT_TOKENS = 8
"""Tokens kept free if texts are tokenised together, which may give a few more tokens."""
MEMO_BYTES = 64 * 2**20
"""Enough for about 8,000 pairs of 1,000 tokens, many more than a metric gets in one batch."""

BUDGET = TokenBudget(1024, 32_768)
"""One document keeps a few cores busy; larger batches add padding."""

LOGIT_ROWS, LOGIT_ROWS_ACCELERATOR = 128, 2048
"""Positions whose logits are in memory at once: 128 × a vocabulary of 49,152 × 4 bytes = 25 MB."""

Key = tuple[Vector, bytes, bytes]
Encoded = tuple[Ints, Ints]
"""The ids [tokens] of a text and their character offsets [tokens, 2]."""


class Sequences(NamedTuple):
    """The token sequences of a (source, summary) pair.

    source, summary   ids of each text as the forced text, with special tokens if these are forced
    summary_offsets   character offsets of `summary`, see `Forced`
    conditions        for each vector, the ids before the forced text. Causal models: after the
                      first token, with the separator; encoder-decoders: the encoder's input without
                      its special tokens
    """

    source: Ints
    summary: Ints
    summary_offsets: Ints
    conditions: dict[Vector, Ints]


class Pieces(NamedTuple):
    """The sequences of a pair whose source is truncated to what fits.

    source_tokens, source_cut, summary_tokens
                counts of the texts' own tokens, as in `Forced`
    special     whether special tokens are forced
    source_end  see `Forced`
    alone       see `protocols.LanguageModel.log_probs`
    """

    outcome: Outcome
    source: Ints
    summary: Ints
    summary_offsets: Ints
    conditions: Mapping[Vector, Ints]
    source_tokens: int
    source_cut: int
    summary_tokens: int
    special: bool
    source_end: int | None
    alone: bool = False

    def target(self, vector: Vector) -> Ints:
        """The ids that are forced for a vector."""
        return self.source if vector in ("source_lm", "source_s2s") else self.summary


class Ask(NamedTuple):
    """A request for the log-probabilities of `tokens`. The hidden state [row, first] predicts the
    first of them, the following states the others."""

    key: Key
    row: int
    first: int
    tokens: Ints


class Memo:
    """A cache of at most MEMO_BYTES of vectors, by key. The least recently used vector is dropped
    first. Thread-safe."""

    def __init__(self) -> None:
        self._bytes = 0
        self._vectors: OrderedDict[Key, Floats] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Memo], tuple[()]]:
        # A copy in another process starts empty, as the vectors can be computed again.
        return Memo, ()

    def get(self, key: Key) -> Floats | None:
        with self._lock:
            if key in self._vectors:
                self._vectors.move_to_end(key)
            return self._vectors.get(key)

    def put(self, key: Key, vector: Floats) -> None:
        with self._lock:
            previous = self._vectors.pop(key, None)
            self._bytes += vector.nbytes - (0 if previous is None else previous.nbytes)
            self._vectors[key] = vector
            while self._bytes > MEMO_BYTES:
                self._bytes -= self._vectors.popitem(last=False)[1].nbytes


class ForcedModel:
    """The base of models under teacher forcing. Satisfies `LanguageModel` once a subclass defines
    how many source tokens fit (`_fit`), the forward passes (`_run`) and a short test input
    (`_probe`).

    separator  the text between a condition and the forced text; empty if the two are in separate
               sequences
    step       a document that does not fit is cut to a multiple of so many tokens, or to what fits
               where that is fewer
    frame      the special tokens before and after a text, if they can be forced with it
    """

    separator: ClassVar[str] = ""
    step: ClassVar[int] = 1

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        id: str,
        frame: tuple[Ints, Ints] = (NO_IDS, NO_IDS),
    ) -> None:
        self.id = id
        self.trained_on: frozenset[str] = frozenset()
        self.context = hf.context_limit(model.config, tokenizer, id)
        self.mask: str = getattr(tokenizer, "mask_token", None) or "_"
        self._model = model.eval()
        self._tokenizer = tokenizer
        self._device: torch.device = next(model.parameters()).device
        cpu = self._device.type == "cpu"
        self._batch_tokens = BUDGET.on(self._device.type)
        self._logit_rows = LOGIT_ROWS if cpu else LOGIT_ROWS_ACCELERATOR
        self._memo = Memo()
        self._expected: frozenset[Vector] = frozenset()
        self._space = self._ids(SPACE)
        self._separator = self._ids(self.separator)
        self._frame = frame
        with torch.inference_mode():
            self._adjust = self._adjustment()

    def expect(self, wanted: frozenset[Vector], forcing: Forcing = PLAIN) -> None:
        """See `protocols.LanguageModel`."""
        self._check(forcing)
        self._expected |= wanted

    def log_probs(
        self,
        pairs: Sequence[tuple[str, str]],
        wanted: frozenset[Vector],
        *,
        context: int | None = None,
        forcing: Forcing = PLAIN,
        alone: bool = False,
    ) -> list[Forced]:
        """See `protocols.LanguageModel`."""
        self._check(forcing)
        limit = self._limit(context)
        pieces = self._pieces(pairs, limit, forcing, twice="summary_pref" in wanted)
        pieces = [piece._replace(alone=alone) for piece in pieces]
        usable = [piece for piece in pieces if piece.outcome is Outcome.OK]
        vectors: dict[Key, Floats] = {}
        for piece in usable:
            for key in (key_of(name, piece) for name in wanted | self._expected):
                if (cached := self._memo.get(key)) is not None:
                    vectors[key] = cached
        with torch.inference_mode():
            for key, values in self._run(usable, wanted, vectors):
                values.flags.writeable = False
                vectors[key] = values
                if np.isfinite(values).all():
                    self._memo.put(key, values)
        return [_forced(piece, wanted, vectors) for piece in pieces]

    def _limit(self, context: int | None) -> int:
        """The longest sequence in tokens. Raises ConfigError if `context` is out of range."""
        if context is not None and not 1 <= context <= self.context:
            raise ConfigError(
                f"context={context}: {self.id} takes 1 to {self.context} tokens; leave the option "
                "out for all of them"
            )
        return context or self.context

    def _check(self, forcing: Forcing) -> None:
        """Raises ConfigError if the model cannot force texts in this way."""
        if forcing.special_tokens and not any(map(len, self._frame)):
            raise ConfigError(
                f"special_tokens=on: {self.id} puts no special tokens around a text that could be "
                "forced with it; it needs an encoder-decoder such as BART"
            )
        if forcing.join != "ids" and not self._tokenizer.is_fast:
            raise ConfigError(
                f"join={forcing.join}: {self.id} needs a fast tokenizer (tokenizer.json) for that; "
                "use join=ids"
            )

    def _pieces(
        self, pairs: Sequence[tuple[str, str]], limit: int, forcing: Forcing, *, twice: bool
    ) -> list[Pieces]:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        encoded = dict(zip(texts, self._encode(texts), strict=True))
        return [
            self._piece(pair, (encoded[pair[0]], encoded[pair[1]]), limit, forcing, twice=twice)
            for pair in pairs
        ]

    def _piece(
        self,
        pair: tuple[str, str],
        encoded: tuple[Encoded, Encoded],
        limit: int,
        forcing: Forcing,
        *,
        twice: bool,
    ) -> Pieces:
        """The pieces of a pair; if they do not fit or have no tokens, with that outcome.

        encoded  source and summary tokenised separately
        limit    the longest sequence in tokens
        twice    whether the summary also comes before the source (`summary_pref`)
        """
        (source, source_offsets), (summary, offsets) = encoded
        source_limit = self._fit(len(summary), limit, twice=twice)
        source_limit -= 0 if forcing.join == "ids" else JOINT_TOKENS
        outcome = Outcome.OK
        if not len(source) or not len(summary):
            outcome = Outcome.NO_CONTENT
        elif source_limit < 1:
            outcome = Outcome.TRUNCATED_SUMMARY
        elif len(source) > source_limit >= self.step:
            source_limit -= source_limit % self.step
        truncated = source[: max(source_limit, 0)]
        cut, counts = len(source) - len(truncated), (len(truncated), len(summary))
        sequences = Sequences(truncated, summary, offsets, {})
        # A slow tokenizer has no offsets; `_check` leaves it join=ids only.
        located = len(truncated) and cut and len(source_offsets)
        source_end = int(source_offsets[len(truncated) - 1, 1]) if located else None
        if outcome is Outcome.OK:
            complete = self._sequences((pair[0][:source_end], pair[1]), sequences, forcing)
            outcome, sequences = (
                (outcome, complete) if complete else (Outcome.MODEL_ERROR, sequences)
            )
        return Pieces(
            outcome,
            *sequences,
            counts[0],
            cut,
            counts[1],
            forcing.special_tokens,
            source_end,
        )

    def _sequences(
        self, texts: tuple[str, str], separate: Sequences, forcing: Forcing
    ) -> Sequences | None:
        """The forced texts and what comes before them, tokenised as `forcing` says; None if the
        sequence cannot be tokenised as one text.

        separate  the two texts, tokenised separately
        """
        source, summary, offsets, _ = separate
        sequences: Sequences | None = Sequences(
            source, summary, offsets, self._separate_conditions(source, summary)
        )
        if forcing.join == "text" and self.separator:
            sequences = self._joined(*texts)
        elif forcing.join != "ids" and sequences:
            prefix = self._ids(f"{texts[1]}{SPACE}{texts[0]}")
            sequences.conditions["summary_pref"] = np.concatenate([prefix, self._separator])
        if forcing.special_tokens and sequences:
            before, after = self._frame
            sequences = Sequences(
                np.concatenate([before, sequences.source, after]),
                np.concatenate([before, sequences.summary, after]),
                np.pad(offsets, ((len(before), len(after)), (0, 0))) if len(offsets) else offsets,
                sequences.conditions,
            )
        return sequences

    def _separate_conditions(self, source: Ints, summary: Ints) -> dict[Vector, Ints]:
        """For each vector the ids before the forced text, if the texts are tokenised separately."""
        return {
            "source_lm": NO_IDS,
            "summary_lm": NO_IDS,
            "source_s2s": np.concatenate([summary, self._separator]),
            "summary_s2s": np.concatenate([source, self._separator]),
            "summary_pref": np.concatenate([summary, self._space, source, self._separator]),
        }

    def _joined(self, source: str, summary: str) -> Sequences | None:
        """Each sequence tokenised as one text; None if the tokenizer merges characters of the
        forced text with characters before the separator in one token."""
        targets: dict[str, tuple[Ints, Ints]] = {}
        for text in (source, summary):
            ids, offsets = self._encode([self.separator + text])[0]
            first = int(np.argmax(offsets[:, 1] > len(self.separator)))
            target_offsets = np.maximum(offsets[first:] - len(self.separator), 0)
            targets[text] = ids[first:], target_offsets
        conditions: dict[Vector, Ints] = {"source_lm": NO_IDS, "summary_lm": NO_IDS}
        sequences: list[tuple[Vector, str, str]] = [
            ("source_s2s", summary, source),
            ("summary_s2s", source, summary),
            ("summary_pref", summary + SPACE + source, summary),
        ]
        for vector, before, text in sequences:
            ids, target = self._ids(before + self.separator + text), targets[text][0]
            split = len(ids) - len(target)
            if split < 1 or not np.array_equal(ids[split:], target):
                return None
            conditions[vector] = ids[:split]
        return Sequences(targets[source][0], *targets[summary], conditions)

    def _encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Ids [tokens] and character offsets [tokens, 2] of each text, without special tokens."""
        if not texts:
            return []
        fast = bool(self._tokenizer.is_fast)
        encoded = self._tokenizer(
            list(texts), add_special_tokens=False, return_offsets_mapping=fast, verbose=False
        )
        offsets = encoded["offset_mapping"] if fast else [[]] * len(texts)
        return [
            (np.array(ids, dtype=np.int64), np.array(spans, dtype=np.int64).reshape(-1, 2))
            for ids, spans in zip(encoded["input_ids"], offsets, strict=True)
        ]

    def _ids(self, text: str) -> Ints:
        return self._encode([text])[0][0]

    def _fit(self, summary_tokens: int, limit: int, *, twice: bool) -> int:
        """The number of source tokens that fit beside the summary; below 1 if the summary alone
        does not fit.

        limit  the longest sequence in tokens
        twice  whether the summary also comes before the source
        """
        raise NotImplementedError

    def _run(
        self, pieces: Sequence[Pieces], wanted: frozenset[Vector], computed: Mapping[Key, Floats]
    ) -> Iterator[tuple[Key, Floats]]:
        """Computes the wanted vectors that are not in `computed`; returns them by key, in any
        order."""
        raise NotImplementedError

    def _probe(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The hidden states [tokens, width] of a short input, and the model's own logits for
        them."""
        raise NotImplementedError

    def _vectors_to_keep(
        self, vectors: Iterable[Vector], wanted: frozenset[Vector], piece: Pieces
    ) -> set[Vector]:
        """The vectors of a pass that are kept: the wanted ones, and those that another metric will
        want. Only the wanted ones if the document is truncated, as another metric may truncate it
        at another token."""
        only_wanted = piece.alone or piece.source_cut
        keep = wanted if only_wanted else wanted | self._expected
        return {vector for vector in vectors if vector in keep}

    def _padded(self, rows: Sequence[Ints]) -> torch.Tensor:
        """Ids [rows, longest], padded on the right with id 0. Causal models need no mask, since a
        token does not attend to tokens on its right."""
        return hf.pad(rows, 0)[0].to(self._device)

    def _read(self, hidden: torch.Tensor, asks: Sequence[Ask]) -> Iterator[tuple[Key, Floats]]:
        """The requested log-probabilities, from hidden states [rows, positions, width]."""
        if not asks:
            return
        width = hidden.shape[1]
        positions = np.concatenate(
            [ask.row * width + ask.first + np.arange(len(ask.tokens)) for ask in asks]
        )
        targets = torch.from_numpy(np.concatenate([ask.tokens for ask in asks])).to(self._device)
        states = hidden.flatten(0, 1)[torch.from_numpy(positions).to(self._device)]
        size = self._logit_rows
        values = torch.cat(
            [
                self._token_log_probs(states[start : start + size], targets[start : start + size])
                for start in range(0, len(targets), size)
            ]
        ).cpu()
        stops = np.cumsum([len(ask.tokens) for ask in asks])
        for ask, stop in zip(asks, stops, strict=True):
            # A copy, so that a memo of one vector does not keep a whole batch alive.
            yield ask.key, values[stop - len(ask.tokens) : stop].numpy().copy()

    def _token_log_probs(self, states: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """The log-probabilities [tokens] of the ids, from the states [tokens, width] before
        them."""
        logits = self._adjust(self._model.get_output_embeddings()(states)).float()
        chosen = logits.gather(1, ids[:, None])[:, 0]
        # log-sum-exp in place: a second array of this size costs more than the arithmetic.
        largest = logits.amax(dim=1)
        return chosen - largest - logits.sub_(largest[:, None]).exp_().sum(dim=1).log()

    def _adjustment(self) -> Callable[[torch.Tensor], torch.Tensor]:
        """The function that this model applies to its logits after the output layer (a cap, a
        scale, a bias), found by comparison with the model's own logits. Raises ModelError if none
        of the known functions gives them."""
        hidden, logits = self._probe()
        plain = self._model.get_output_embeddings()(hidden)
        tolerance = 1e-4 if plain.dtype is torch.float32 else 2e-2
        for adjust in _adjustments(self._model):
            adjusted, expected = adjust(plain).float(), logits.float()
            if torch.allclose(adjusted, expected, rtol=tolerance, atol=tolerance, equal_nan=True):
                return adjust
        raise ModelError(
            f"{self.id} ({type(self._model).__name__}) changes its logits in a way faithkit does "
            "not know, so its probabilities would be wrong; use another model or report it"
        )


def key_of(vector: Vector, piece: Pieces) -> Key:
    """The key of a vector in the cache: a hash of the forced ids and of the ids before them."""
    return vector, _digest(piece.conditions[vector]), _digest(piece.target(vector))


def _digest(ids: Ints) -> bytes:
    return hashlib.blake2b(ids.tobytes(), digest_size=16).digest()


def _forced(piece: Pieces, wanted: frozenset[Vector], computed: Mapping[Key, Floats]) -> Forced:
    """The result of a pair; model_error if a vector has NaN or infinity."""
    outcome = piece.outcome
    vectors: dict[Vector, Floats] = {}
    if outcome is Outcome.OK:
        vectors = {vector: computed[key_of(vector, piece)] for vector in sorted(wanted)}
        if not all(np.isfinite(values).all() for values in vectors.values()):
            outcome, vectors = Outcome.MODEL_ERROR, {}
    return Forced(
        outcome,
        vectors,
        piece.summary_offsets,
        piece.source_tokens,
        piece.source_cut,
        piece.summary_tokens,
        piece.source_end,
    )


def _adjustments(model: Any) -> Iterator[Callable[[torch.Tensor], torch.Tensor]]:
    """The functions that known models apply to their logits; those that the configuration declares
    come first. No lambdas, so that a model can be pickled for another process."""
    config = model.config.get_text_config()
    if cap := getattr(config, "final_logit_softcapping", None):
        yield partial(_capped, cap)
    if scale := getattr(config, "logit_scale", None):
        yield partial(operator.mul, scale)
    if divisor := getattr(config, "logits_scaling", None):
        yield partial(_divided, divisor)
    if (bias := getattr(model, "final_logits_bias", None)) is not None:
        yield partial(operator.add, bias)
    yield operator.pos
    if width := getattr(config, "d_model", None):
        yield partial(operator.mul, width**-0.5)


def _capped(cap: float, logits: torch.Tensor) -> torch.Tensor:
    return cap * torch.tanh(logits / cap)


def _divided(divisor: float, logits: torch.Tensor) -> torch.Tensor:
    return logits / divisor
