"""The support network: a BERT encoder [Devlin et al. 2019, §3] over a claim and its evidence, with
a head for every word of the claim and one for the claim.

Its layers are written out here, since importing transformers takes longer than checking a summary;
a test holds them equal to transformers' own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from faithkit.models.batching import TokenBudget
from faithkit.models.protocols import Floats
from faithkit.models.shape import Shape
from faithkit.records import ModelError
from faithkit.support import low_rank
from faithkit.support.encoders import (
    distance_classes,
    encoder_tensors,
    rank_of,
    read_shape,
    read_values,
    read_words,
)
from faithkit.support.files import FORMAT, FROZEN, WEIGHTS, Settings
from faithkit.support.inputs import CODES, Batch


def differentiable_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor
) -> torch.Tensor:
    """`functional.scaled_dot_product_attention`, whose gradient takes longer on a processor than
    that of these operations."""
    logits = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
    if attn_mask.dtype == torch.bool:
        logits = logits.masked_fill(~attn_mask, -torch.inf)
    else:
        logits = logits + attn_mask
    return torch.softmax(logits, dim=-1).to(value.dtype) @ value


class Layer(nn.Module):
    """One layer of the encoder."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.attended = nn.Linear(width, width)
        self.attended_norm = nn.LayerNorm(width, eps=shape.epsilon)
        self.inner = nn.Linear(width, shape.inner)
        self.outer = nn.Linear(shape.inner, width)
        self.outer_norm = nn.LayerNorm(width, eps=shape.epsilon)
        self.dropout = nn.Dropout(0.0)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """[rows, tokens, width] from the same.

        mask  [rows, 1, 1, tokens], True of a token; or [rows, heads, tokens, tokens], what is added
              to the attention's logits
        """
        query, key, value = (
            part(states).view(*states.shape[:2], self.heads, -1).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        fused = functional.scaled_dot_product_attention
        on_processor = states.device.type == "cpu"
        attention = differentiable_attention if self.training and on_processor else fused
        mixed = attention(query, key, value, attn_mask=mask)
        changed = self.attended(mixed.transpose(1, 2).flatten(2))
        states = self.attended_norm(self.dropout(changed) + states)
        changed = self.outer(functional.gelu(self.inner(states)))
        out: torch.Tensor = self.outer_norm(self.dropout(changed) + states)
        return out


class SupportNetwork(nn.Module):
    """Logits of a claim's words and of the claim.

    The embedding of each token's code (`inputs.CODES`) is added to its input. Heads: `word`, the
    logit that the evidence does not support a word, over the mean of its tokens; `sentence`, logits
    of entailment, neutral and contradiction, over [CLS] and the mean of the claim's tokens;
    `non_claim`, the logit that the sentence claims nothing. The word embeddings are the encoder's
    and are never trained. Nothing is dropped out unless `drop` says so.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.words = nn.Embedding(shape.vocabulary, width)
        self.words.requires_grad_(False)
        self.positions = nn.Embedding(shape.positions, width)
        self.segments = nn.Embedding(2, width)
        self.codes = nn.Embedding(CODES, width, padding_idx=0)
        nn.init.zeros_(self.codes.weight)
        self.norm = nn.LayerNorm(width, eps=shape.epsilon)
        self.dropout = nn.Dropout(0.0)
        self.relative = nn.Embedding(shape.relative, shape.heads) if shape.relative else None
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.word = nn.Sequential(nn.Linear(width, width // 2), nn.GELU(), nn.Linear(width // 2, 1))
        self.sentence = nn.Sequential(nn.Linear(2 * width, width), nn.GELU(), nn.Linear(width, 3))
        self.non_claim = nn.Linear(width, 1)

    def forward(
        self,
        ids: torch.Tensor,
        codes: torch.Tensor,
        segments: torch.Tensor,
        mask: torch.Tensor,
        pool: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Word logits [rows, words], sentence logits [rows, 3], non-claim logits [rows]; the inputs
        are those of `inputs.Batch`."""
        places = self.positions.weight[: ids.shape[1]]
        states = self.norm(self.words(ids) + self.codes(codes) + self.segments(segments) + places)
        states = self.dropout(states)
        seen = mask[:, None, None, :].bool()
        if self.relative is not None:
            classes = distance_classes(ids.shape[1], self.relative.num_embeddings)
            distances = self.relative(torch.from_numpy(classes).to(ids.device))
            seen = distances.permute(2, 0, 1).masked_fill(~seen, -torch.inf)
        for layer in self.layers:
            states = layer(states, seen)
        states = states.float()
        in_claim = ((segments == 0) & (mask == 1)).float()
        in_claim[:, 0] = 0  # [CLS]
        mean = torch.einsum("rt,rtw->rw", in_claim, states) / in_claim.sum(1, keepdim=True)
        pooled = pool @ states[:, : pool.shape[2]]
        return (
            self.word(pooled).squeeze(-1),
            self.sentence(torch.cat([states[:, 0], mean], dim=-1)),
            self.non_claim(mean).squeeze(-1),
        )

    def drop(self, share: float) -> None:
        """Drops this share of the encoder's states in training, as BERT's own training did."""
        for part in self.modules():
            if isinstance(part, nn.Dropout):
                part.p = share


def tensors(batch: Batch, device: str | torch.device = "cpu") -> tuple[torch.Tensor, ...]:
    """A batch as the network's arguments."""
    arrays = (batch.ids, batch.codes, batch.segments, batch.mask, batch.pool)
    return tuple(torch.from_numpy(array).to(device) for array in arrays)


class TorchEngine:
    """A network as an `engine.Engine`, on any device; its layers in another precision than float32
    where a dtype is named."""

    multiple = 1
    threads = 1  # torch divides each operation among threads of its own
    batch = TokenBudget(2048, 4096)  # so that there is enough to divide

    def __init__(self, network: SupportNetwork, dtype: str = "float32") -> None:
        self.network = network
        self.dtype = dtype

    def logits(self, batch: Batch) -> tuple[Floats, Floats, Floats]:
        return logits(self.network, batch, self.dtype)


def logits(
    network: SupportNetwork, batch: Batch, dtype: str = "float32"
) -> tuple[Floats, Floats, Floats]:
    """The network's outputs for a batch as arrays."""
    device, lower = network.words.weight.device, getattr(torch, dtype)
    mixed = torch.autocast(device.type, dtype=lower, enabled=lower is not torch.float32)
    with torch.inference_mode(), mixed:
        out = network(*tensors(batch, device))
    words, sentence, non_claim = (one.float().cpu().numpy() for one in out)
    return words, sentence, non_claim


def from_encoder(folder: Path) -> SupportNetwork:
    """An untrained network on the encoder in a folder, float32. Raises ModelError."""
    network = SupportNetwork(read_shape(folder))
    encoder = {
        name: torch.from_numpy(np.array(value, dtype=np.float32))
        for name, value in encoder_tensors(folder).items()
    }
    missing, _ = network.load_state_dict(encoder, strict=False)
    heads = ("codes.", "word.", "sentence.", "non_claim.")
    if lacks := [name for name in missing if not name.startswith(heads)]:
        raise ModelError(f"{folder}: the encoder has no {lacks[0]}")
    return network


def read_network(folder: Path, encoder: Path, *, merged: bool = True) -> SupportNetwork:
    """The network of a folder on its encoder's word embeddings, or on its whole encoder where the
    folder has changes of it; float32, ready to judge. Raises ModelError on weights of another
    shape.

    merged  whether changes of the encoder become a part of its layers; else they can be trained
    """
    weights = {
        name: torch.from_numpy(np.array(value, dtype=np.float32))
        for name, value in read_values(folder).items()
    }
    try:
        if rank := rank_of({name: value.shape for name, value in weights.items()}):
            network = from_encoder(encoder)
            low_rank.add(network, rank)
            learned = {name for name, value in network.named_parameters() if value.requires_grad}
            if learned != weights.keys():
                raise ModelError(f"{folder}: {WEIGHTS} has other tensors than its encoder needs")
            network.load_state_dict(weights, strict=False)
            if merged:
                low_rank.merge(network)
            return network.eval()
        words = torch.from_numpy(np.array(read_words(encoder)[:], dtype=np.float32))
        with torch.device("meta"):
            network = SupportNetwork(read_shape(encoder))
        network.load_state_dict(weights | {FROZEN: words}, assign=True)
    except RuntimeError as error:
        raise ModelError(f"{folder}: the weights do not fit their encoder: {error}") from error
    return network.eval()


def write(folder: Path, settings: Settings, network: SupportNetwork) -> Path:
    """Writes a trained model's one file, what was trained of the network, in half precision."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: value.detach().half().contiguous()
        for name, value in network.named_parameters()
        if value.requires_grad
    }
    return save(folder, settings, weights)


def write_settings(folder: Path, settings: Settings) -> Path:
    """Replaces the settings of the model in a folder; its weights stay as they are."""
    from safetensors.torch import load_file

    return save(folder, settings, load_file(folder / WEIGHTS))


def save(folder: Path, settings: Settings, weights: Mapping[str, torch.Tensor]) -> Path:
    """Writes a model's one file."""
    from safetensors.torch import save_file

    described = json.dumps({"format": FORMAT, **asdict(settings)}, sort_keys=True)
    save_file(dict(weights), folder / WEIGHTS, metadata={"settings": described})
    return folder / WEIGHTS
