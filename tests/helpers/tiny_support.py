"""A tiny BERT encoder and a support model on it, both of random weights. No test is in here; the
session's fixtures are in `conftest.py`."""

from __future__ import annotations

import json
import shutil
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from faithkit import models
from faithkit.language.words import Segment
from faithkit.models.identity import model_id
from faithkit.models.shape import Shape
from faithkit.models.wordpiece import WordPiece
from faithkit.support.calibration import Calibration
from faithkit.support.encoders import BERT_LAYER, EMBEDDINGS, read_tokenizer
from faithkit.support.files import TOKENIZER, WEIGHTS, Settings
from faithkit.support.network import SupportNetwork, from_encoder, write
from faithkit.support.sentences import Sentence, read_sentences

CONFIG = {
    "model_type": "bert", "hidden_act": "gelu", "vocab_size": 30_522, "hidden_size": 32,
    "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
    "max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
    "pad_token_id": 0,
}  # fmt: skip
CALIBRATION = Calibration((1.2, -0.4), (0.8, 0.3), 1.5)


def save_encoder(folder: Path, seed: int = 0, **changed: Any) -> Path:
    """A random BERT encoder with the WordPiece vocabulary of `mini` in a folder, which is returned;
    in the form in which transformers writes one, but without importing it, which takes seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG | changed), encoding="utf-8")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = SupportNetwork(Shape.of(folder))
    names = {ours: theirs for theirs, ours in EMBEDDINGS.items()}
    for number in range(len(network.layers)):
        names |= {f"layers.{number}.{ours}": f"encoder.layer.{number}.{theirs}"
                  for theirs, ours in BERT_LAYER.items()}  # fmt: skip
    weights = {
        f"{names[module]}.{part}": value
        for name, value in network.state_dict().items()
        for module, _, part in [name.rpartition(".")]
        if module in names
    }
    save_file(weights, folder / WEIGHTS)
    mini, _ = models.resolve("tokens", "mini", offline=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copy(mini / name, folder / name)
    return folder


def network(encoder: Path, seed: int = 0) -> SupportNetwork:
    """A network on an encoder with random heads and codes."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made = from_encoder(encoder)
        with torch.no_grad():
            made.codes.weight[1:].normal_(0, 0.3)
            for head in (made.word, made.sentence, made.non_claim):
                for weights in head.parameters():
                    weights.mul_(2)
    return made.eval()


def settings_of(encoder: Path, **changed: Any) -> Settings:
    """Settings of a model on an encoder's folder; every sentence claims something."""
    fields: dict[str, Any] = {
        "encoder": str(encoder),
        "encoder_id": model_id(*models.resolve("tokens", str(encoder))),
        "calibration": CALIBRATION,
        "non_claim": 1e9,
        "decision": (0.3, 0.7),
        "marked": 0.5,
        "budget": 60,
        "card": {"rows": {"storysumm_dev": 3}, "options": {"seed": 0}},
    }
    return Settings(**fields | changed)


def save_support(folder: Path, encoder: Path, seed: int = 0, **changed: Any) -> Path:
    """A random support model in a folder, which is returned."""
    write(folder, settings_of(encoder, **changed), network(encoder, seed))
    return folder


@lru_cache
def tokenizer() -> WordPiece:
    """That of the tiny encoder."""
    return read_tokenizer(models.resolve("tokens", "mini", offline=True)[0])


def read(*texts: str) -> list[Sentence]:
    """Each text as the sentences that the support model makes of it."""
    return read_sentences([Segment(0, len(text), text) for text in texts], tokenizer())


def save_mpnet(folder: Path) -> Path:
    """A random MPNet with the vocabulary of `base`: that of `mini` behind four pieces."""
    from transformers import MPNetConfig, MPNetModel

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = MPNetConfig(vocab_size=30_527, intermediate_size=48, max_position_embeddings=514,
                         layer_norm_eps=1e-5, **sizes)  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(0)
        made = MPNetModel(config, add_pooling_layer=False)
        for weights in made.parameters():
            weights.data.normal_(0, 0.3)
    made.save_pretrained(folder)
    tokenizer = json.loads((models.resolve("tokens", "mini")[0] / TOKENIZER).read_text())
    vocabulary = {piece: id + 4 for piece, id in tokenizer["model"]["vocab"].items()}
    specials = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 30_526}
    tokenizer["model"]["vocab"] = specials | vocabulary
    (folder / TOKENIZER).write_text(json.dumps(tokenizer))
    return folder
