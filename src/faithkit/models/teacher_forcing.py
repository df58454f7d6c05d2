"""What causal and encoder-decoder models share under teacher forcing: separately tokenised
pieces, the cut of a document that does not fit, the memo of vectors, and log-probabilities from
hidden states without ever holding tokens × vocabulary.

The passes themselves are in `causal.py` and `seq2seq.py`; what is made of the vectors is in
the metrics. Forcing of the sequences: [FFLM §3].
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
"""Tokens kept free where texts are tokenised together, which may give a few tokens more."""
MEMO_BYTES = 64 * 2**20
"""Enough for about 8,000 pairs of 1,000 tokens, far above the rows a run hands a metric at once."""

BUDGET = TokenBudget(1024, 32_768)
"""Few cores are full with one document; more is padding."""

LOGIT_ROWS, LOGIT_ROWS_ACCELERATOR = 128, 2048
"""Positions whose logits exist at once: 128 × a vocabulary of 49,152 × 4 bytes = 25 MB."""

Key = tuple[Vector, bytes, bytes]
Encoded = tuple[Ints, Ints]
"""Ids [tokens] of a text and their character offsets [tokens, 2]."""


class Sequences(NamedTuple):
    """The sequences of a pair.

    source, summary   ids of each text where it is forced, special tokens included where asked
    summary_offsets   of `summary`, see `Forced`
    conditions        what comes before the forced text of each vector: in a causal model after
                      its first token, the separator included; else in the encoder's frame
    """

    source: Ints
    summary: Ints
    summary_offsets: Ints
    conditions: dict[Vector, Ints]


class Pieces(NamedTuple):
    """A pair as `Sequences`, the source already cut to what fits. source_tokens, source_cut and
    summary_tokens are of the texts by themselves; special: with special tokens; alone: see
    `protocols.LanguageModel.log_probs`."""

    outcome: Outcome
    source: Ints
    summary: Ints
    summary_offsets: Ints
    conditions: Mapping[Vector, Ints]
    source_tokens: int
    source_cut: int
    summary_tokens: int
    special: bool
    alone: bool = False

    def target(self, vector: Vector) -> Ints:
        """The ids that are forced for a vector."""
        return self.source if vector in ("source_lm", "source_s2s") else self.summary


class Ask(NamedTuple):
    """Log-probabilities wanted: of `tokens`, the first predicted at hidden state [row, first]."""

    key: Key
    row: int
    first: int
    tokens: Ints


class Memo:
    """Vectors by key, the least recently used forgotten first. Safe under threads."""

    def __init__(self, limit: int = MEMO_BYTES) -> None:
        self._limit = limit
        self._bytes = 0
        self._kept: OrderedDict[Key, Floats] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Memo], tuple[int]]:
        # A copy in another process starts empty: what is remembered can be made again.
        return Memo, (self._limit,)

    def get(self, key: Key) -> Floats | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Key, vector: Floats) -> None:
        with self._lock:
            before = self._kept.pop(key, None)
            self._bytes += vector.nbytes - (0 if before is None else before.nbytes)
            self._kept[key] = vector
            while self._bytes > self._limit:
                self._bytes -= self._kept.popitem(last=False)[1].nbytes


class ForcedModel:
    """A model and tokenizer with everything but the passes. Satisfies `LanguageModel` once a
    subclass says how a sequence is framed (`_fit`) and run (`_run`).

    separator  the text between a condition and the forced text; empty if they are two sequences
    frame      the special tokens before and after a text that can be forced with it
    """

    separator: ClassVar[str] = ""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        id: str,
        context: int | None = None,
        frame: tuple[Ints, Ints] = (NO_IDS, NO_IDS),
    ) -> None:
        self.id = id
        self.trained_on: frozenset[str] = frozenset()
        self.context = context or hf.context_limit(model.config, tokenizer, id)
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
                if (kept := self._memo.get(key)) is not None:
                    vectors[key] = kept
        with torch.inference_mode():
            for key, values in self._run(usable, wanted, vectors):
                values.flags.writeable = False
                vectors[key] = values
                if np.isfinite(values).all():
                    self._memo.put(key, values)
        return [_forced(piece, wanted, vectors) for piece in pieces]

    def _limit(self, context: int | None) -> int:
        if context is not None and not 1 <= context <= self.context:
            raise ConfigError(
                f"context={context}: {self.id} takes 1 to {self.context} tokens; leave the option "
                "out for all of them"
            )
        return context or self.context

    def _check(self, forcing: Forcing) -> None:
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
        (source, source_offsets), (summary, offsets) = encoded
        left = self._fit(len(summary), limit, twice=twice)
        left -= 0 if forcing.join == "ids" else JOINT_TOKENS
        outcome = Outcome.OK
        if not len(source) or not len(summary):
            outcome = Outcome.NO_CONTENT
        elif left < 1:
            outcome = Outcome.TRUNCATED_SUMMARY
        elif len(source) > left >= 64:
            # Summaries of one long document that differ by a few tokens are cut alike, so
            # that they still share its pass.
            left -= left % 64
        seen = source[: max(left, 0)]
        cut, counts = len(source) - len(seen), (len(seen), len(summary))
        sequences = Sequences(seen, summary, offsets, {})
        if outcome is Outcome.OK:
            # A slow tokenizer has no offsets; `_check` leaves it join=ids only.
            joins = forcing.join != "ids"
            text = pair[0][: source_offsets[len(seen) - 1, 1]] if cut and joins else pair[0]
            made = self._sequences((text, pair[1]), sequences, forcing)
            outcome, sequences = (outcome, made) if made else (Outcome.MODEL_ERROR, sequences)
        return Pieces(outcome, *sequences, counts[0], cut, counts[1], forcing.special_tokens)

    def _sequences(
        self, texts: tuple[str, str], apart: Sequences, forcing: Forcing
    ) -> Sequences | None:
        """What is forced and what comes before it. apart: the two texts as they are tokenised by
        themselves. None if the whole cannot be tokenised as one text."""
        source, summary, offsets, _ = apart
        sequences: Sequences | None = Sequences(
            source, summary, offsets, self._apart(source, summary)
        )
        if forcing.join == "text" and self.separator:
            sequences = self._joined(*texts)
        elif forcing.join != "ids" and sequences:
            both = self._ids(f"{texts[1]}{SPACE}{texts[0]}")
            sequences.conditions["summary_pref"] = np.concatenate([both, self._separator])
        if forcing.special_tokens and sequences:
            before, after = self._frame
            sequences = Sequences(
                np.concatenate([before, sequences.source, after]),
                np.concatenate([before, sequences.summary, after]),
                np.pad(offsets, ((len(before), len(after)), (0, 0))) if len(offsets) else offsets,
                sequences.conditions,
            )
        return sequences

    def _apart(self, source: Ints, summary: Ints) -> dict[Vector, Ints]:
        """What comes before each vector's text, of texts that are tokenised by themselves."""
        return {
            "source_lm": NO_IDS,
            "summary_lm": NO_IDS,
            "source_s2s": np.concatenate([summary, self._separator]),
            "summary_s2s": np.concatenate([source, self._separator]),
            "summary_pref": np.concatenate([summary, self._space, source, self._separator]),
        }

    def _joined(self, source: str, summary: str) -> Sequences | None:
        """Each sequence tokenised as one text; None if the tokenizer joins the forced text's
        tokens with those before the separator."""
        targets: dict[str, tuple[Ints, Ints]] = {}
        for text in (source, summary):
            ids, offsets = self._encode([self.separator + text])[0]
            first = int(np.argmax(offsets[:, 1] > len(self.separator)))
            places = np.maximum(offsets[first:] - len(self.separator), 0)
            targets[text] = ids[first:], places
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
        """Source tokens that fit beside the summary; under 1 if the summary does not fit."""
        raise NotImplementedError

    def _run(
        self, pieces: Sequence[Pieces], wanted: frozenset[Vector], computed: Mapping[Key, Floats]
    ) -> Iterator[tuple[Key, Floats]]:
        """Every vector that is wanted and not computed yet, by key, in any order."""
        raise NotImplementedError

    def _probe(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Hidden states [tokens, width] of a short input, and the model's own logits of them."""
        raise NotImplementedError

    def _also(
        self, vectors: Iterable[Vector], wanted: frozenset[Vector], piece: Pieces
    ) -> set[Vector]:
        """Which of a pass's vectors to keep: those wanted, and those another metric will want (of
        the same text: where the document is cut, another metric may cut it elsewhere)."""
        apart = piece.alone or piece.source_cut
        keep = wanted if apart else wanted | self._expected
        return {vector for vector in vectors if vector in keep}

    def _padded(self, rows: Sequence[Ints]) -> torch.Tensor:
        """[rows, longest], padded on the right with id 0. A causal model's real tokens never see
        what is to their right, so no mask is needed there."""
        return hf.pad(rows, 0)[0].to(self._device)

    def _read(self, hidden: torch.Tensor, asks: Sequence[Ask]) -> Iterator[tuple[Key, Floats]]:
        """The log-probabilities asked for from hidden states [rows, positions, width]."""
        if not asks:
            return
        width = hidden.shape[1]
        places = np.concatenate(
            [ask.row * width + ask.first + np.arange(len(ask.tokens)) for ask in asks]
        )
        targets = torch.from_numpy(np.concatenate([ask.tokens for ask in asks])).to(self._device)
        states = hidden.flatten(0, 1)[torch.from_numpy(places).to(self._device)]
        size = self._logit_rows
        values = torch.cat(
            [
                self._chosen(states[start : start + size], targets[start : start + size])
                for start in range(0, len(targets), size)
            ]
        ).cpu()
        stops = np.cumsum([len(ask.tokens) for ask in asks])
        for ask, stop in zip(asks, stops, strict=True):
            # A copy, so that a memo of one vector does not keep a whole batch alive.
            yield ask.key, values[stop - len(ask.tokens) : stop].numpy().copy()

    def _chosen(self, states: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        logits = self._adjust(self._model.get_output_embeddings()(states)).float()
        chosen = logits.gather(1, ids[:, None])[:, 0]
        # log-sum-exp in place: a second array of this size costs more than the arithmetic.
        most = logits.amax(dim=1)
        return chosen - most - logits.sub_(most[:, None]).exp_().sum(dim=1).log()

    def _adjustment(self) -> Callable[[torch.Tensor], torch.Tensor]:
        """What this model does to its logits after the output layer (a cap, a scale, a bias),
        checked against the logits it gives itself. Raises ModelError on an unknown one."""
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
    """What a vector depends on: the forced ids and those before them."""
    return vector, _digest(piece.conditions[vector]), _digest(piece.target(vector))


def _digest(ids: Ints) -> bytes:
    return hashlib.blake2b(ids.tobytes(), digest_size=16).digest()


def _forced(piece: Pieces, wanted: frozenset[Vector], computed: Mapping[Key, Floats]) -> Forced:
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
    )


def _adjustments(model: Any) -> Iterator[Callable[[torch.Tensor], torch.Tensor]]:
    """What known models do to their logits; what the configuration declares comes first. Named
    functions, so that a model can be sent to another process."""
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
