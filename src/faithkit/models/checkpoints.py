"""Published consistency classifiers, whatever their architecture: AlignScore, MiniCheck, UniEval,
FactCC, HHEM, and token classifiers as LettuceDetect.

This module recognises the architecture in a folder and reads its output. How a pair is laid out,
truncated and run is in `pairs.py`; layouts, chunks of a document and the use of the answers are in
`metrics/checkpoints.py`. No code that comes with a checkpoint is run. Two releases have the weights
of a transformers model under other names and are read by renaming them: see `_open_alignscore` and
`_open_hhem`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from faithkit.models import hf
from faithkit.models.batching import map_distinct
from faithkit.models.identity import model_id, read_config, safetensors_files
from faithkit.models.pairs import ClaimInput, ClaimReader, Pair, PairClassifier
from faithkit.models.protocols import Floats, Layout, TokenLabels
from faithkit.records import ConfigError, ModelError, Outcome

TRI_LABELS = ("aligned", "neutral", "contradiction")
"""The outputs of AlignScore's three-way head, in the order of the authors' code."""

HHEM, HHEM_LABELS = "HHEMv2", ("hallucinated", "consistent")
"""The model type of HHEM-2.1-open's config, and its outputs in the order of its card."""


class FirstToken(PairClassifier):
    """A token classifier whose output at the first token is the result (HHEM-2.1)."""

    kind = "first token"

    def _logits(self, inputs: Mapping[str, torch.Tensor], layout: Layout) -> torch.Tensor:
        return super()._logits(inputs, layout)[:, 0]


class Answerer(PairClassifier):
    """An encoder-decoder whose first generated token is the answer (T5)."""

    kind = "answers"

    def _logits(self, inputs: Mapping[str, torch.Tensor], layout: Layout) -> torch.Tensor:
        if not layout.answers:
            raise ConfigError(f"{self.id}: an encoder-decoder needs a layout with answers")
        model = self.loaded.model
        start = torch.full_like(inputs["input_ids"][:, :1], model.config.decoder_start_token_id)
        logits: torch.Tensor = model(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            decoder_input_ids=start,
            use_cache=False,
        ).logits
        return logits[:, 0, self._answers(layout)]

    def _answers(self, layout: Layout) -> list[int]:
        """The first token of each answer of the layout. Raises ModelError if two are the same."""
        tokens = [answer.ids[0] for answer in self.encode(layout.answers)]
        if len(set(tokens)) < len(tokens):
            raise ModelError(f"{self.id}: its answers {layout.answers} begin with the same token")
        return tokens


class ClaimTokens(ClaimReader):
    """A classifier of each token of the claim. Satisfies `TokenClassifier`."""

    def classify(
        self, pairs: Sequence[Pair], layout: Layout, *, context: int | None = None
    ) -> list[TokenLabels]:
        """See `protocols.TokenClassifier`. Each distinct pair runs once."""
        return map_distinct(
            pairs, lambda distinct: self._classify(distinct, layout, self.limit(context))
        )

    def _classify(self, pairs: Sequence[Pair], layout: Layout, limit: int) -> list[TokenLabels]:
        inputs = self.inputs(pairs, layout, limit)
        results = [_token_labels(text, Outcome.TRUNCATED_SUMMARY) for text in inputs]
        for position, rows, first in self.probabilities(inputs, layout):
            text = inputs[position]
            probabilities = rows[first : first + len(text.claim)].numpy().astype(np.float32)
            hf.check_outputs(self.id, len(self.labels), probabilities.shape[1])
            finite = bool(np.isfinite(probabilities).all())
            results[position] = (
                _token_labels(text, Outcome.OK, probabilities)
                if finite
                else _token_labels(text, Outcome.MODEL_ERROR)
            )
        return results


def _token_labels(
    text: ClaimInput, outcome: Outcome, probabilities: Floats | None = None
) -> TokenLabels:
    if probabilities is None:
        probabilities = np.zeros((0, 0), dtype=np.float32)
    source_tokens = len(text.document) - text.cut
    return TokenLabels(
        outcome, probabilities, text.offsets, source_tokens, text.cut, len(text.claim)
    )


# --- loading -----------------------------------------------------------------------------------


def load_claim_model(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> PairClassifier:
    """The consistency classifier in a folder: a sequence classifier, an encoder-decoder that
    answers with a word, a T5 token classifier whose first token is read, AlignScore's weights under
    the authors' names, or HHEM-2.1-open as published.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError if the folder holds any
    other model.
    """
    config = read_config(path, name)
    id = model_id(path, name, dtype)
    architectures = ", ".join(config.get("architectures") or ())
    arguments = (path, name, device, dtype)
    read = partial(hf.read, path=path, name=name, role="classifier", device=device, dtype=dtype)
    if config.get("model_type") == HHEM:
        labels = labels_of(config, name) if "id2label" in config else HHEM_LABELS
        return FirstToken(id, labels, partial(_open_hhem, *arguments))
    if any(key.endswith("tri_layer.weight") for key in weight_names(path)):
        return PairClassifier(id, TRI_LABELS, partial(_open_alignscore, *arguments))
    labels = labels_of(config, name)
    if "ForTokenClassification" in architectures and config.get("model_type") == "t5":
        return FirstToken(id, labels, partial(read, "TokenClassification"))
    if "ForSequenceClassification" in architectures:
        return PairClassifier(id, labels, partial(read, "SequenceClassification"))
    if "ForConditionalGeneration" in architectures and "decoder_start_token_id" in config:
        return Answerer(id, (), partial(read, "Seq2SeqLM"))
    shown = architectures or config.get("model_type") or "none of them"
    raise ModelError(
        f"{name}: expected a sequence classifier, an encoder-decoder that answers, or the weights "
        f"of AlignScore or HHEM; found {shown}"
    )


def load_token_classifier(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> ClaimTokens:
    """The token classifier in a folder. dtype: float32 (the default), bfloat16 or float16. Raises
    ModelError if the folder holds another model."""
    config = read_config(path, name)
    architectures = ", ".join(config.get("architectures") or ())
    if "ForTokenClassification" not in architectures:
        raise ModelError(
            f"{name}: expected a token classifier, found {architectures or 'no architecture'}"
        )
    opener = partial(hf.read, "TokenClassification", path, name, "token classifier", device, dtype)
    return ClaimTokens(model_id(path, name, dtype), labels_of(config, name), opener)


def labels_of(config: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The names of the outputs, in order; for a single output, two names, as it becomes two
    probabilities. Raises ModelError if the config's labels are malformed."""
    names = hf.label_names(config, name)
    return ("LABEL_0", "LABEL_1") if len(names) == 1 else names


def weight_names(path: Path) -> list[str]:
    """The names of the tensors in a folder. Raises ModelError if a file of weights is damaged."""
    from safetensors import SafetensorError, safe_open

    names: list[str] = []
    for file in safetensors_files(path):
        try:
            with safe_open(file, framework="pt") as weights:
                names += weights.keys()
        except SafetensorError as error:
            raise ModelError(f"{file} is not whole: {error}") from error
    return names


def _open_alignscore(path: Path, name: str, device: str | None, dtype: str | None) -> hf.Loaded:
    """AlignScore's RoBERTa with its three-way head, from weights under the authors' names.

    Their head reads the pooler, which is called `dense` in RoBERTa's classifier, so a sequence
    classifier gives the same numbers. The masked-language, two-way and regression heads are left
    out.
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


def _open_hhem(path: Path, name: str, device: str | None, dtype: str | None) -> hf.Loaded:
    """HHEM-2.1-open: the weights of a T5 token classifier under the prefix `t5.`.

    Its config only names the base model, so the sizes are taken from the weights. The folder must
    hold the tokenizer of flan-t5-base.
    """
    from transformers import T5Config, T5ForTokenClassification

    tensors = {key.removeprefix("t5."): tensor for key, tensor in _tensors(path).items()}
    try:
        config = T5Config(**t5_sizes(tensors))
    except KeyError as error:
        raise ModelError(f"{name}: {path} has no weights of HHEM-2.1-open: no {error}") from error
    return _filled(T5ForTokenClassification(config), tensors, path, name, device, dtype)


def t5_sizes(tensors: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """The configuration of a T5 token classifier, derived from the shapes of its weights. Raises
    KeyError if a tensor is missing."""
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

    return {
        name: tensor for file in safetensors_files(path) for name, tensor in load_file(file).items()
    }


def _filled(
    model: Any,
    tensors: Mapping[str, torch.Tensor],
    path: Path,
    name: str,
    device: str | None,
    dtype: str | None,
) -> hf.Loaded:
    """The model with these weights, and the folder's tokenizer. Raises ModelError if weights are
    missing."""
    with hf.loading(name, path, "classifier"):
        report = model.load_state_dict(tensors, strict=False)
        tied = set(getattr(model, "all_tied_weights_keys", ()) or ())
        missing = [key for key in report.missing_keys if key not in tied]
        if missing:
            raise ModelError(f"{name}: the weights in {path} have no {', '.join(missing[:3])}")
        model.tie_weights()
        tokenizer = hf.read_tokenizer(path)
    return hf.Loaded(model.to(device or "cpu", getattr(torch, dtype or "float32")), tokenizer)
