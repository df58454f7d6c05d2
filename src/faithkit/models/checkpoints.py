"""Published consistency classifiers, whatever their architecture: AlignScore, MiniCheck, UniEval,
FactCC, HHEM, and token classifiers as LettuceDetect.

What lives here: which architecture a folder holds, how a pair is laid out and cut, batches. What
does not: layouts, chunks of a document and what is made of the answers (`metrics/checkpoints.py`).
No code that comes with a checkpoint is run. Two releases whose weights are only named differently
from a model of transformers are read by renaming them: see `_open_alignscore` and `_open_hhem`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from faithkit.models.embeddings import batches
from faithkit.models.entailment import (
    TOKENS_PER_BATCH,
    TOKENS_PER_BATCH_ACCELERATOR,
    Frame,
    PairInput,
    frame_of,
    pair_context,
)
from faithkit.models.identity import model_id
from faithkit.models.protocols import Checked, Floats, Ints, Layout, TokenLabels
from faithkit.models.seq2seq import frame
from faithkit.models.store import safetensors_files
from faithkit.models.teacher_forcing import context_limit, loading, read_model
from faithkit.records import ConfigError, ModelError, Outcome

Pair = tuple[str, str]
Opened = tuple[Any, Any]
"""A model and its tokenizer."""

PAIR, EOS, PAD = "{pair}", "{eos}", "{pad}"
"""What a layout may name of the tokenizer's."""

TRI_LABELS = ("aligned", "neutral", "contradiction")
"""Outputs of AlignScore's three-way head, in the order of the authors' code."""

HHEM, HHEM_LABELS = "HHEMv2", ("hallucinated", "consistent")
"""The model type of HHEM-2.1-open's config, and its outputs in the order of its card."""


@dataclass(frozen=True, slots=True)
class Framed:
    """A layout in a tokenizer's ids.

    frame        what stands around and between the texts
    leads        the blank, or nothing, that belongs in front of document and claim
    claim_first  the claim stands before the document
    """

    frame: Frame
    leads: tuple[str, str]
    claim_first: bool


@dataclass(frozen=True, slots=True)
class Input:
    """A pair in ids. seen: tokens of the document that fit; under 1 where the claim does not."""

    document: list[int]
    claim: list[int]
    offsets: Ints
    seen: int

    @property
    def cut(self) -> int:
        return len(self.document) - max(0, self.seen)


class Checkpoint(ABC):
    """A model with its tokenizer, read at the first pair.

    labels  as the config names them
    opened  reads model and tokenizer
    """

    def __init__(self, id: str, labels: tuple[str, ...], opened: Callable[[], Opened]) -> None:
        self.id = id
        self.labels = labels
        self._open = opened
        self._framed: dict[Layout, Framed] = {}

    @cached_property
    def _opened(self) -> Opened:
        model, tokenizer = self._open()
        if not tokenizer.is_fast:
            raise ModelError(f"{self.id}: needs a fast tokenizer (tokenizer.json)")
        if tokenizer.pad_token_id is None:
            raise ModelError(f"{self.id}: its tokenizer has no padding token; set pad_token")
        return model.eval(), tokenizer

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `protocols.ClaimModel`."""
        return [len(ids) for ids, _ in self._encoded(texts)]

    def _encoded(self, texts: Sequence[str]) -> list[tuple[list[int], Ints]]:
        """Ids and character offsets [tokens, 2] of each text."""
        if not texts:
            return []
        _, tokenizer = self._opened
        # Letters that spell a special token, as "[SEP]", are text like any other.
        found = tokenizer(
            list(texts),
            add_special_tokens=False,
            split_special_tokens=True,
            return_offsets_mapping=True,
            verbose=False,
        )
        offsets = (np.array(one, dtype=np.int64).reshape(-1, 2) for one in found["offset_mapping"])
        return list(zip(found["input_ids"], offsets, strict=True))

    def _limit(self, context: int | None) -> int:
        """Tokens of the longest input, special ones included."""
        model, tokenizer = self._opened
        if context is not None and context < 1:
            raise ConfigError(f"context={context}: expected 1 or more tokens")
        if hasattr(model.config, "relative_attention_num_buckets"):
            # T5 has no positions to run out of; the number in its config is that of pre-training.
            return context or context_limit(model.config, tokenizer, self.id)
        own = pair_context(model.config, tokenizer, self.id)
        return own if context is None else min(own, context)

    def _inputs(self, pairs: Sequence[Pair], framed: Framed, limit: int) -> list[Input]:
        documents = list(dict.fromkeys(document for document, _ in pairs))
        claims = list(dict.fromkeys(claim for _, claim in pairs))
        before, lead = framed.leads
        left = dict(zip(documents, self._encoded([before + one for one in documents]), strict=True))
        right = dict(zip(claims, self._encoded([lead + one for one in claims]), strict=True))
        found = []
        for document, claim in pairs:
            source, (own, offsets) = left[document][0], right[claim]
            room = limit - framed.frame.size - len(own)
            offsets = np.maximum(offsets - len(lead), 0)
            found.append(Input(source, own, offsets, min(len(source), room)))
        return found

    def _laid_out(self, layout: Layout) -> Framed:
        if layout not in self._framed:
            self._framed[layout] = framed(self._opened[1], layout, self.id)
        return self._framed[layout]

    def _runs(
        self, inputs: Sequence[Input], laid: Framed, layout: Layout
    ) -> Iterator[tuple[int, torch.Tensor, int]]:
        """For each input that fits: its place, the model's probabilities ([labels], or [tokens,
        labels]) and the place of the claim's first token. NaN where the model gave no number."""
        model, tokenizer = self._opened
        cpu = model.device.type == "cpu"
        budget = TOKENS_PER_BATCH if cpu else TOKENS_PER_BATCH_ACCELERATOR
        usable = [place for place, one in enumerate(inputs) if one.seen > 0]
        lengths = [laid.frame.size + inputs[i].seen + len(inputs[i].claim) for i in usable]
        for batch in batches(lengths, budget):
            places = [usable[position] for position in batch]
            rows = [_row(inputs[place], laid.claim_first) for place in places]
            tensors = laid.frame.padded(rows, tokenizer.pad_token_id)
            with torch.inference_mode():
                logits = self._logits(
                    {name: one.to(model.device) for name, one in tensors.items()}, layout
                )
            shares = _shares(logits.float().cpu().double())
            for place, row, own in zip(places, rows, shares, strict=True):
                first = len(laid.frame.front)
                if not laid.claim_first:
                    first += row.premise_seen + len(laid.frame.middle)
                yield place, own, first

    @abstractmethod
    def _logits(self, inputs: Mapping[str, torch.Tensor], layout: Layout) -> torch.Tensor:
        """[rows, labels], or [rows, tokens, labels]."""


def _row(one: Input, claim_first: bool) -> PairInput:
    document = one.document[: one.seen]
    first, second = (one.claim, document) if claim_first else (document, one.claim)
    return PairInput(first, second, len(first))


def _shares(logits: torch.Tensor) -> torch.Tensor:
    """Probabilities over the last dimension; of a single output, its sigmoid and what is left."""
    logits = torch.where(logits.isfinite().all(-1, keepdim=True), logits, torch.nan)
    if logits.shape[-1] == 1:
        logits = torch.cat([torch.zeros_like(logits), logits], dim=-1)
    return logits.softmax(-1)


class PairChecker(Checkpoint):
    """One set of probabilities for each pair. Satisfies `ClaimModel`."""

    kind: Literal["classifier", "first token", "answers"] = "classifier"

    def check(
        self, pairs: Sequence[Pair], layout: Layout, *, context: int | None = None
    ) -> list[Checked]:
        """See `protocols.ClaimModel`. Each distinct pair runs once."""
        unique = list(dict.fromkeys(pairs))
        if not unique:
            return []
        laid = self._laid_out(layout)
        inputs = self._inputs(unique, laid, self._limit(context))
        found = [_checked(one, Outcome.TRUNCATED_SUMMARY) for one in inputs]
        for place, shares, _ in self._runs(inputs, laid, layout):
            if self.labels and len(shares) != len(self.labels):
                raise ModelError(
                    f"{self.id}: its config.json names {len(self.labels)} labels, but the model "
                    f"gives {len(shares)} numbers"
                )
            good = bool(shares.isfinite().all())
            outcome = Outcome.OK if good else Outcome.MODEL_ERROR
            found[place] = _checked(inputs[place], outcome, tuple(shares.tolist()) if good else ())
        by_pair = dict(zip(unique, found, strict=True))
        return [by_pair[pair] for pair in pairs]


def _checked(one: Input, outcome: Outcome, shares: tuple[float, ...] = ()) -> Checked:
    return Checked(outcome, shares, len(one.document) - one.cut, one.cut, len(one.claim))


class SequenceClassifier(PairChecker):
    """Labels over the whole input (BERT, RoBERTa, DeBERTa, ...)."""

    def _logits(self, inputs: Mapping[str, torch.Tensor], layout: Layout) -> torch.Tensor:  # noqa: ARG002
        logits: torch.Tensor = self._opened[0](**inputs).logits
        return logits


class FirstToken(PairChecker):
    """A token classifier of which the first token's labels are read, as HHEM-2.1 is."""

    kind = "first token"

    def _logits(self, inputs: Mapping[str, torch.Tensor], layout: Layout) -> torch.Tensor:  # noqa: ARG002
        logits: torch.Tensor = self._opened[0](**inputs).logits
        return logits[:, 0]


class Answerer(PairChecker):
    """An encoder-decoder whose first written token is the answer (T5)."""

    kind = "answers"

    def _logits(self, inputs: Mapping[str, torch.Tensor], layout: Layout) -> torch.Tensor:
        model, _ = self._opened
        if not layout.answers:
            raise ConfigError(f"{self.id}: an encoder-decoder needs a layout with answers")
        start = torch.full_like(inputs["input_ids"][:, :1], model.config.decoder_start_token_id)
        logits: torch.Tensor = model(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            decoder_input_ids=start,
            use_cache=False,
        ).logits
        return logits[:, 0, self._answers(layout)]

    def _answers(self, layout: Layout) -> list[int]:
        """The first token of each answer."""
        ids = [encoded[0] for encoded, _ in self._encoded(layout.answers)]
        if len(set(ids)) < len(ids):
            raise ModelError(f"{self.id}: its answers {layout.answers} begin with the same token")
        return ids


class ClaimTokens(Checkpoint):
    """Labels of each token of the claim. Satisfies `TokenClassifier`."""

    def classify(
        self, pairs: Sequence[Pair], layout: Layout, *, context: int | None = None
    ) -> list[TokenLabels]:
        """See `protocols.TokenClassifier`. Each distinct pair runs once."""
        unique = list(dict.fromkeys(pairs))
        if not unique:
            return []
        laid = self._laid_out(layout)
        inputs = self._inputs(unique, laid, self._limit(context))
        found = [_token_labels(one, Outcome.TRUNCATED_SUMMARY) for one in inputs]
        for place, shares, first in self._runs(inputs, laid, layout):
            one = inputs[place]
            own = shares[first : first + len(one.claim)].numpy().astype(np.float32)
            if own.shape[1] != len(self.labels):
                raise ModelError(
                    f"{self.id}: its config.json names {len(self.labels)} labels, but the model "
                    f"gives {own.shape[1]} numbers"
                )
            good = bool(np.isfinite(own).all())
            found[place] = (
                _token_labels(one, Outcome.OK, own)
                if good
                else _token_labels(one, Outcome.MODEL_ERROR)
            )
        by_pair = dict(zip(unique, found, strict=True))
        return [by_pair[pair] for pair in pairs]

    def _logits(self, inputs: Mapping[str, torch.Tensor], layout: Layout) -> torch.Tensor:  # noqa: ARG002
        logits: torch.Tensor = self._opened[0](**inputs).logits
        return logits


def _token_labels(one: Input, outcome: Outcome, shares: Floats | None = None) -> TokenLabels:
    if shares is None:
        shares = np.zeros((0, 0), dtype=np.float32)
    seen = len(one.document) - one.cut
    return TokenLabels(outcome, shares, one.offsets, seen, one.cut, len(one.claim))


# --- layouts -----------------------------------------------------------------------------------


def framed(tokenizer: Any, layout: Layout, name: str) -> Framed:
    """A layout in the ids of a tokenizer. Raises ModelError where the tokenizer lacks a token that
    the layout names."""
    parts, leads = [], []
    for text in (layout.before, layout.between):
        bare = text.rstrip(" ")
        parts.append(bare)
        leads.append(text[len(bare) :])
    first, second = leads
    before, between = parts
    tail, pair, head = between.partition(PAIR)
    if pair:
        own = frame_of(tokenizer)
        left, middle, right = own.front, own.middle, own.back
    else:
        outer_left, outer_right = frame(tokenizer)
        left, middle, right = outer_left.tolist(), [], outer_right.tolist()
        own = None
    front = [*left, *_ids(tokenizer, before, name)]
    tail_ids, head_ids = _ids(tokenizer, tail, name), _ids(tokenizer, head, name)
    back_ids = _ids(tokenizer, layout.after, name)
    types = None
    if own is not None and own.types:
        start, one, between_types, two, end = own.types
        types = (
            [*start, *([one] * (len(front) - len(start)))],
            one,
            [*([one] * len(tail_ids)), *between_types, *([two] * len(head_ids))],
            two,
            [*([two] * len(back_ids)), *end],
        )
    found = Frame(front, [*tail_ids, *middle, *head_ids], [*back_ids, *right], types)
    return Framed(found, (second, first) if layout.claim_first else (first, second),
                  layout.claim_first)  # fmt: skip


def _ids(tokenizer: Any, text: str, name: str) -> list[int]:
    if not text:
        return []
    for slot, token in (
        (EOS, tokenizer.eos_token or tokenizer.sep_token),
        (PAD, tokenizer.pad_token),
    ):
        if slot in text:
            if token is None:
                raise ModelError(f"{name}: its tokenizer has no token for {slot} of the layout")
            text = text.replace(slot, token)
    return list(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


# --- loading -----------------------------------------------------------------------------------


def load_claim_model(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> PairChecker:
    """The consistency classifier in a folder: a sequence classifier, an encoder-decoder that
    answers, a T5 token classifier whose first token is read, AlignScore's weights under their own
    names, or HHEM-2.1-open as it is published.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError on anything else.
    """
    config = read_config(path, name)
    own = model_id(path, name, dtype)
    kinds = ", ".join(config.get("architectures") or ())
    where = (path, name, device, dtype)
    if config.get("model_type") == HHEM:
        labels = labels_of(config, name) if "id2label" in config else HHEM_LABELS
        return FirstToken(own, labels, partial(_open_hhem, *where))
    if any(key.endswith("tri_layer.weight") for key in weight_names(path)):
        return SequenceClassifier(own, TRI_LABELS, partial(_open_alignscore, *where))
    labels = labels_of(config, name)
    if "ForTokenClassification" in kinds and config.get("model_type") == "t5":
        return FirstToken(own, labels, partial(_open_auto, "TokenClassification", *where))
    if "ForSequenceClassification" in kinds:
        opened = partial(_open_auto, "SequenceClassification", *where)
        return SequenceClassifier(own, labels, opened)
    if "ForConditionalGeneration" in kinds and "decoder_start_token_id" in config:
        return Answerer(own, (), partial(_open_auto, "Seq2SeqLM", *where))
    raise ModelError(
        f"{name}: expected a sequence classifier, an encoder-decoder that answers, or the weights "
        f"of AlignScore or HHEM; found {kinds or config.get('model_type') or 'none of them'}"
    )


def load_token_classifier(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> ClaimTokens:
    """The token classifier in a folder. dtype as above. Raises ModelError."""
    config = read_config(path, name)
    kinds = ", ".join(config.get("architectures") or ())
    if "ForTokenClassification" not in kinds:
        raise ModelError(f"{name}: expected a token classifier, found {kinds or 'no architecture'}")
    opened = partial(_open_auto, "TokenClassification", path, name, device, dtype)
    return ClaimTokens(model_id(path, name, dtype), labels_of(config, name), opened)


def read_config(path: Path, name: str) -> dict[str, Any]:
    """The folder's config.json. Raises ModelError."""
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{name}: {path} has no config.json of a model: {error!r}") from error
    if not isinstance(config, dict):
        raise ModelError(f"{name}: {path}/config.json is not an object")
    return config


def labels_of(config: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The names of the outputs, in their order; of a single output, what it says and does not say.
    Raises ModelError."""
    labels = config.get("id2label") or {i: f"LABEL_{i}" for i in range(config.get("num_labels", 2))}
    try:
        names = tuple(str(labels[key]) for key in sorted(labels, key=int))
    except (ValueError, TypeError) as error:
        raise ModelError(f"{name}: id2label is {labels!r}") from error
    return ("LABEL_0", "LABEL_1") if len(names) == 1 else names


def weight_names(path: Path) -> list[str]:
    """The names of the tensors in a folder."""
    from safetensors import SafetensorError, safe_open

    found: list[str] = []
    for file in safetensors_files(path):
        try:
            with safe_open(file, framework="pt") as opened:
                found += opened.keys()
        except SafetensorError as error:
            raise ModelError(f"{file} is not whole: {error}") from error
    return found


def _open_auto(task: str, path: Path, name: str, device: str | None, dtype: str | None) -> Opened:
    import transformers

    kind = getattr(transformers, f"AutoModelFor{task}")
    with loading(name, path, "classifier"):
        return read_model(kind, path, name, device=device, dtype=dtype)


def _open_alignscore(path: Path, name: str, device: str | None, dtype: str | None) -> Opened:
    """AlignScore's RoBERTa with its three-way head, from weights under the authors' names.

    Their head reads the pooler, which is what RoBERTa's classifier calls `dense`, so the numbers
    are those of a sequence classifier. The masked-language, two-way and regression heads are left.
    """
    from transformers import RobertaConfig, RobertaForSequenceClassification

    tensors = _tensors(path)
    anchor = "embeddings.word_embeddings.weight"
    base = next((key.removesuffix(anchor) for key in tensors if key.endswith(anchor)), None)
    tri = next(key.removesuffix("weight") for key in tensors if key.endswith("tri_layer.weight"))
    if base is None:
        raise ModelError(f"{name}: {path} has AlignScore's head without its encoder")
    renamed = {}
    for key, tensor in tensors.items():
        if key.startswith(tri):
            renamed["classifier.out_proj." + key.removeprefix(tri)] = tensor
        elif key.startswith(f"{base}pooler.dense."):
            renamed["classifier.dense." + key.removeprefix(f"{base}pooler.dense.")] = tensor
        elif key.startswith((f"{base}embeddings.", f"{base}encoder.")):
            renamed["roberta." + key.removeprefix(base)] = tensor
    config = RobertaConfig.from_dict({**read_config(path, name), "num_labels": len(TRI_LABELS)})
    return _filled(RobertaForSequenceClassification(config), renamed, path, name, device, dtype)


def _open_hhem(path: Path, name: str, device: str | None, dtype: str | None) -> Opened:
    """HHEM-2.1-open, whose weights are those of a T5 token classifier behind the prefix `t5.`.

    Its config names its base only, so the sizes are read from the weights. The tokenizer is
    flan-t5-base's; its files must be in the folder.
    """
    from transformers import T5Config, T5ForTokenClassification

    tensors = {key.removeprefix("t5."): tensor for key, tensor in _tensors(path).items()}
    try:
        config = T5Config(**t5_sizes(tensors))
    except KeyError as error:
        raise ModelError(f"{name}: {path} has no weights of HHEM-2.1-open: no {error}") from error
    return _filled(T5ForTokenClassification(config), tensors, path, name, device, dtype)


def t5_sizes(tensors: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """The configuration of a T5 token classifier, from its weights. Raises KeyError."""
    block = "transformer.encoder.block"
    shared = tensors["transformer.shared.weight"]
    buckets, heads = tensors[
        f"{block}.0.layer.0.SelfAttention.relative_attention_bias.weight"
    ].shape
    gated = f"{block}.0.layer.1.DenseReluDense.wi_0.weight" in tensors
    inner = tensors[f"{block}.0.layer.1.DenseReluDense.{'wi_0' if gated else 'wi'}.weight"]
    layers = {
        key.removeprefix(f"{block}.").split(".")[0] for key in tensors if key.startswith(block)
    }
    return {
        "vocab_size": shared.shape[0],
        "d_model": shared.shape[1],
        "d_kv": tensors[f"{block}.0.layer.0.SelfAttention.q.weight"].shape[0] // heads,
        "d_ff": inner.shape[0],
        "num_layers": len(layers),
        "num_heads": heads,
        "relative_attention_num_buckets": buckets,
        "feed_forward_proj": "gated-gelu" if gated else "relu",
        "num_labels": tensors["classifier.weight"].shape[0],
    }


def _tensors(path: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return {key: one for file in safetensors_files(path) for key, one in load_file(file).items()}


def _filled(
    model: Any,
    tensors: Mapping[str, torch.Tensor],
    path: Path,
    name: str,
    device: str | None,
    dtype: str | None,
) -> Opened:
    """The model with these weights, and the folder's tokenizer. Raises ModelError."""
    from transformers import AutoTokenizer

    with loading(name, path, "classifier"):
        report = model.load_state_dict(tensors, strict=False)
        tied = set(getattr(model, "all_tied_weights_keys", ()) or ())
        lacking = [key for key in report.missing_keys if key not in tied]
        if lacking:
            raise ModelError(f"{name}: the weights in {path} have no {', '.join(lacking[:3])}")
        model.tie_weights()
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
    return model.to(device or "cpu", getattr(torch, dtype or "float32")), tokenizer
