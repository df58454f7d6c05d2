"""Models that read two texts as one input: special tokens and layout, truncation of a document that
does not fit, batches, and probabilities.

The models themselves are in `entailment.py`, `checkpoints.py`, `labelling.py` and
`questions/spans.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import torch

from faithkit.models import hf
from faithkit.models.batching import TokenBudget, batches, map_distinct
from faithkit.models.protocols import Checked, Ints, Layout
from faithkit.records import ConfigError, ModelError, Outcome

BUDGET = TokenBudget(4096, 32_768)

PAIR, EOS, PAD = "{pair}", "{eos}", "{pad}"
"""Placeholders in a layout for special tokens of the tokenizer."""

Pair = tuple[str, str]
Tensors = dict[str, torch.Tensor]


class PairInput(NamedTuple):
    """The token ids of two texts, already truncated to what fits."""

    first: list[int]
    second: list[int]


class TokenTypes(NamedTuple):
    """The token types of the five parts of an input; all tokens of a text have the same type."""

    front: list[int]
    first: int
    middle: list[int]
    second: int
    back: list[int]


class Frame(NamedTuple):
    """The ids before, between and after two texts, and the token types if the model has them."""

    front: list[int]
    middle: list[int]
    back: list[int]
    types: TokenTypes | None = None

    @property
    def size(self) -> int:
        """The number of tokens without the two texts."""
        return len(self.front) + len(self.middle) + len(self.back)

    def length(self, pair: PairInput) -> int:
        """The number of tokens of an input."""
        return self.size + len(pair.first) + len(pair.second)

    def second_start(self, pair: PairInput) -> int:
        """The position of the second text's first token."""
        return len(self.front) + len(pair.first) + len(self.middle)

    def tensors(self, pairs: Sequence[PairInput], filler: int) -> Tensors:
        """The model's inputs, [pairs, longest], padded on the right with the id `filler`."""
        rows = [
            [*self.front, *pair.first, *self.middle, *pair.second, *self.back] for pair in pairs
        ]
        ids, mask = hf.pad(rows, filler)
        tensors = {"input_ids": ids, "attention_mask": mask}
        if types := self.types:
            rows = [
                [
                    *types.front,
                    *([types.first] * len(pair.first)),
                    *types.middle,
                    *([types.second] * len(pair.second)),
                    *types.back,
                ]
                for pair in pairs
            ]
            tensors["token_type_ids"] = hf.pad(rows, 0)[0]
        return tensors


def pair_frame(tokenizer: Any) -> Frame:
    """The special tokens that the tokenizer puts around a pair, found by encoding an example."""
    probe = tokenizer("one", "two")
    ids, sides = list(probe["input_ids"]), probe.sequence_ids()
    first, second = sides.index(0), sides.index(1)
    first_end, second_end = (len(sides) - sides[::-1].index(side) for side in (0, 1))
    types = None
    if "token_type_ids" in probe:
        kinds = list(probe["token_type_ids"])
        types = TokenTypes(
            kinds[:first],
            kinds[first],
            kinds[first_end:second],
            kinds[second],
            kinds[second_end:],
        )
    return Frame(ids[:first], ids[first_end:second], ids[second_end:], types)


class LayoutFrame(NamedTuple):
    """A layout in the ids of a tokenizer.

    leads        the space, or "", that is put before the document and before the claim
    claim_first  whether the claim comes before the document
    """

    frame: Frame
    leads: tuple[str, str]
    claim_first: bool


def layout_frame(tokenizer: Any, layout: Layout, name: str) -> LayoutFrame:
    """The layout in the tokenizer's ids. Raises ModelError if the tokenizer lacks a token that the
    layout names. name: the model's, for the error."""
    before, between = (text.rstrip(" ") for text in (layout.before, layout.between))
    leads = (layout.before[len(before) :], layout.between[len(between) :])
    tail, pair, head = between.partition(PAIR)
    if pair:
        joined = pair_frame(tokenizer)
    else:
        front, back = hf.special_tokens(tokenizer, name)
        joined = Frame(front, [], back)
    before_ids, tail_ids, head_ids, after_ids = (
        _layout_ids(tokenizer, text, name) for text in (before, tail, head, layout.after)
    )
    types = joined.types
    if types:
        types = TokenTypes(
            [*types.front, *([types.first] * len(before_ids))],
            types.first,
            [
                *([types.first] * len(tail_ids)),
                *types.middle,
                *([types.second] * len(head_ids)),
            ],
            types.second,
            [*([types.second] * len(after_ids)), *types.back],
        )
    frame = Frame(
        [*joined.front, *before_ids],
        [*tail_ids, *joined.middle, *head_ids],
        [*after_ids, *joined.back],
        types,
    )
    return LayoutFrame(frame, leads[::-1] if layout.claim_first else leads, layout.claim_first)


def _layout_ids(tokenizer: Any, text: str, name: str) -> list[int]:
    """The ids of a text of a layout, with special tokens for its placeholders."""
    if not text:
        return []
    special_tokens = ((EOS, tokenizer.eos_token or tokenizer.sep_token), (PAD, tokenizer.pad_token))
    for placeholder, token in special_tokens:
        if placeholder in text:
            if token is None:
                raise ModelError(
                    f"{name}: its tokenizer has no token for {placeholder} of the layout"
                )
            text = text.replace(placeholder, token)
    return list(map(int, hf.token_ids(tokenizer, text)))


class PairModel:
    """A model and its tokenizer, read at the first use, so that a run with all scores in the cache
    starts at once.

    opener  reads both (`hf.Opener`). Its ModelError is raised at the first use, as is the one for a
            tokenizer without offsets or padding
    """

    def __init__(self, id: str, opener: hf.Opener) -> None:
        self.id = id
        self._opener = opener

    @cached_property
    def loaded(self) -> hf.Loaded:
        """The model and its tokenizer."""
        model, tokenizer = self._opener()
        hf.require_batching(tokenizer, self.id)
        return hf.Loaded(model.eval(), tokenizer)

    @cached_property
    def frame(self) -> Frame:
        """The special tokens that the tokenizer puts around a pair."""
        return pair_frame(self.loaded.tokenizer)

    @cached_property
    def context(self) -> int:
        """The longest input in tokens, special tokens included."""
        model, tokenizer = self.loaded
        return hf.input_limit(model.config, tokenizer, self.id)

    def encode(self, texts: Sequence[str]) -> list[hf.Encoded]:
        """The tokens of each text, without special tokens."""
        return map_distinct(texts, lambda distinct: hf.encode(self.loaded.tokenizer, distinct))

    def batches(
        self, inputs: Sequence[PairInput], frame: Frame | None = None
    ) -> Iterator[tuple[list[int], Tensors]]:
        """For each batch, the positions of its rows in `inputs` and the tensors on the model's
        device.

        frame  the ids around the two texts; default: those of the tokenizer
        """
        frame = frame or self.frame
        model, tokenizer = self.loaded
        lengths = [frame.length(pair) for pair in inputs]
        for positions in batches(lengths, BUDGET.on(model.device.type)):
            tensors = frame.tensors([inputs[i] for i in positions], tokenizer.pad_token_id)
            yield positions, {name: tensor.to(model.device) for name, tensor in tensors.items()}


@dataclass(frozen=True, slots=True)
class ClaimInput:
    """The token ids of a document and a claim.

    offsets  character offsets [tokens, 2] of the claim's tokens
    seen     the number of document tokens that fit; below 1 if the claim alone does not fit
    """

    document: list[int]
    claim: list[int]
    offsets: Ints
    seen: int

    @property
    def cut(self) -> int:
        """The number of document tokens that do not fit."""
        return len(self.document) - max(0, self.seen)

    def pair(self, claim_first: bool) -> PairInput:
        """The truncated document and the claim, in the order of the layout."""
        document = self.document[: self.seen]
        return PairInput(self.claim, document) if claim_first else PairInput(document, self.claim)


class ClaimReader(PairModel):
    """A model that reads a document and a claim, of which only the document is ever truncated.

    labels  the names of its outputs in the config; empty for a model that answers with words
    """

    def __init__(self, id: str, labels: tuple[str, ...], opener: hf.Opener) -> None:
        super().__init__(id, opener)
        self.labels = labels
        self._frames: dict[Layout, LayoutFrame] = {}

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `protocols.ClaimModel`."""
        return [len(text.ids) for text in self.encode(texts)]

    def layout_frame(self, layout: Layout) -> LayoutFrame:
        """The layout in the tokenizer's ids; cached."""
        if layout not in self._frames:
            self._frames[layout] = layout_frame(self.loaded.tokenizer, layout, self.id)
        return self._frames[layout]

    def limit(self, context: int | None) -> int:
        """The longest input in tokens, special tokens included: at most `context`, if that is
        given. Raises ConfigError if it is below 1."""
        if context is not None and context < 1:
            raise ConfigError(f"context={context}: expected 1 or more tokens")
        model, tokenizer = self.loaded
        if hf.has_relative_positions(model.config):
            return context or hf.context_limit(model.config, tokenizer, self.id)
        return self.context if context is None else min(self.context, context)

    def inputs(self, pairs: Sequence[Pair], layout: Layout, limit: int) -> list[ClaimInput]:
        """The ids of each (document, claim). limit: the longest input in tokens."""
        framed = self.layout_frame(layout)
        before_document, before_claim = framed.leads
        documents = self.encode([before_document + document for document, _ in pairs])
        claims = self.encode([before_claim + claim for _, claim in pairs])
        inputs = []
        for (document, _), (claim, offsets) in zip(documents, claims, strict=True):
            document_limit = limit - framed.frame.size - len(claim)
            offsets = np.maximum(offsets - len(before_claim), 0)
            inputs.append(ClaimInput(document, claim, offsets, min(len(document), document_limit)))
        return inputs

    def probabilities(
        self, inputs: Sequence[ClaimInput], layout: Layout
    ) -> Iterator[tuple[int, torch.Tensor, int]]:
        """For each input that fits: its position, the model's probabilities ([labels], or [tokens,
        labels]) and the position of the claim's first token. NaN if the model gave no number."""
        frame, _, claim_first = self.layout_frame(layout)
        usable = [position for position, text in enumerate(inputs) if text.seen > 0]
        pairs = [inputs[position].pair(claim_first) for position in usable]
        for batch, tensors in self.batches(pairs, frame):
            with torch.inference_mode():
                rows = _probabilities(self._logits(tensors, layout).float().cpu().double())
            for index, row in zip(batch, rows, strict=True):
                first = len(frame.front) if claim_first else frame.second_start(pairs[index])
                yield usable[index], row, first

    def _logits(self, inputs: Mapping[str, torch.Tensor], layout: Layout) -> torch.Tensor:  # noqa: ARG002
        """The logits of a batch, [rows, labels] or [rows, tokens, labels]."""
        logits: torch.Tensor = self.loaded.model(**inputs).logits
        return logits


def _probabilities(logits: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension; NaN for a row with a logit that is not finite. A single
    output becomes two: one minus its sigmoid, and its sigmoid."""
    logits = torch.where(logits.isfinite().all(-1, keepdim=True), logits, torch.nan)
    if logits.shape[-1] == 1:
        logits = torch.cat([torch.zeros_like(logits), logits], dim=-1)
    return logits.softmax(-1)


class PairClassifier(ClaimReader):
    """A classifier of the pair of texts (BERT, RoBERTa, DeBERTa, ...). Satisfies `ClaimModel`."""

    kind: Literal["classifier", "first token", "answers"] = "classifier"

    def check(
        self, pairs: Sequence[Pair], layout: Layout, *, context: int | None = None
    ) -> list[Checked]:
        """See `protocols.ClaimModel`. Each distinct pair runs once."""
        return map_distinct(
            pairs, lambda distinct: self._check(distinct, layout, self.limit(context))
        )

    def _check(self, pairs: Sequence[Pair], layout: Layout, limit: int) -> list[Checked]:
        inputs = self.inputs(pairs, layout, limit)
        results = [_checked(text, Outcome.TRUNCATED_SUMMARY) for text in inputs]
        for position, row, _ in self.probabilities(inputs, layout):
            if self.labels:
                hf.check_outputs(self.id, len(self.labels), len(row))
            finite = bool(row.isfinite().all())
            results[position] = (
                _checked(inputs[position], Outcome.OK, tuple(row.tolist()))
                if finite
                else _checked(inputs[position], Outcome.MODEL_ERROR)
            )
        return results


def _checked(text: ClaimInput, outcome: Outcome, probabilities: tuple[float, ...] = ()) -> Checked:
    source_tokens = len(text.document) - text.cut
    return Checked(outcome, probabilities, source_tokens, text.cut, len(text.claim))
