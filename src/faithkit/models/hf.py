"""What all Hugging Face models share: reading a model from a folder, token ids, special tokens,
padding, and the longest input.

Nothing is read from the network, no code that comes with a checkpoint is run, and pickle weights
are refused. Batches by tokens are in `batching.py`, classifiers of two texts in `pairs.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from faithkit.models.batching import padded
from faithkit.models.identity import require_tokenizer
from faithkit.models.protocols import Ints
from faithkit.records import ModelError

PADDING_POSITIONS = frozenset({"roberta", "xlm-roberta", "mpnet", "camembert"})
"""Model types whose positions begin after the id of the padding token."""

NO_LIMIT = 10**9
"""The least `model_max_length` that means that a tokenizer has no limit."""


class Loaded(NamedTuple):
    """A model in evaluation mode on its device, and its tokenizer."""

    model: Any
    tokenizer: Any

    @property
    def device(self) -> torch.device:
        device: torch.device = next(self.model.parameters()).device
        return device


Opener = Callable[[], tuple[Any, Any]]
"""Reads a model and its tokenizer; called once, at the first use."""


# --- reading ------------------------------------------------------------------------------------


@contextmanager
def loading(name: str, path: Path, role: str) -> Iterator[None]:
    """Replaces the errors of transformers on a bad folder by a ModelError that says what to do."""
    try:
        yield
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelError(
            f"{name}: cannot be loaded as a {role} from {path}: {error}. It needs config.json, "
            "tokenizer.json and model.safetensors (pickle weights are refused)"
        ) from error


def read(
    task: str,
    path: Path,
    name: str,
    role: str,
    device: str | None,
    dtype: str | None,
    *,
    unread: str | None = None,
) -> Loaded:
    """The model and the tokenizer in a folder.

    task    the end of the transformers class: "CausalLM" for AutoModelForCausalLM, "" for AutoModel
    role    the kind of model, for error messages
    dtype   float32 (the default), bfloat16 or float16
    unread  the prefix of weights that may be missing, because they are not used

    Raises ModelError if the folder holds no such model or no tokenizer, or if a part of the weights
    is missing, which transformers would initialise at random.
    """
    import transformers

    kind = getattr(transformers, f"AutoModelFor{task}" if task else "AutoModel")
    with loading(name, path, role):
        tokenizer = read_tokenizer(path)
        model, report = kind.from_pretrained(
            path,
            local_files_only=True,
            dtype=getattr(torch, dtype or "float32"),
            use_safetensors=True,
            output_loading_info=True,
        )
    missing = sorted(
        key for key in report["missing_keys"] if not (unread and key.startswith(unread))
    )
    if missing:
        raise ModelError(
            f"{name}: the weights in {path} have no {', '.join(missing[:3])}; this checkpoint is "
            f"not a {role}"
        )
    return Loaded(model.to(device or "cpu").eval(), tokenizer)


def read_tokenizer(path: Path) -> Any:
    """The tokenizer in a folder. Raises ModelError if the folder holds no vocabulary."""
    from transformers import AutoTokenizer
    from transformers.utils import logging as transformers_logging

    # Standard error is for our own progress and errors.
    transformers_logging.disable_progress_bar()
    require_tokenizer(path)
    return AutoTokenizer.from_pretrained(path, local_files_only=True)


def label_names(config: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The names of a classifier's outputs, in order. Raises ModelError if `id2label` is
    malformed."""
    labels = config.get("id2label") or {i: f"LABEL_{i}" for i in range(config.get("num_labels", 2))}
    try:
        return tuple(str(labels[key]) for key in sorted(labels, key=int))
    except (ValueError, TypeError) as error:
        raise ModelError(f"{name}: id2label is {labels!r}") from error


def check_outputs(name: str, labels: int, outputs: int) -> None:
    """Raises ModelError if the number of labels in the config is not the model's number of
    outputs."""
    if labels != outputs:
        raise ModelError(
            f"{name}: its config.json names {labels} labels, but the model gives {outputs} numbers"
        )


def require_batching(tokenizer: Any, name: str) -> None:
    """Raises ModelError if the tokenizer has no character offsets or no padding token."""
    if not tokenizer.is_fast:
        raise ModelError(f"{name}: needs a fast tokenizer (tokenizer.json)")
    if tokenizer.pad_token_id is None:
        raise ModelError(
            f"{name}: its tokenizer has no padding token, so texts cannot be batched; set "
            "pad_token in tokenizer_config.json"
        )


# --- ids ----------------------------------------------------------------------------------------


class Encoded(NamedTuple):
    """The token ids of a text, and their character offsets [tokens, 2]."""

    ids: list[int]
    offsets: Ints


def encode(tokenizer: Any, texts: Sequence[str]) -> list[Encoded]:
    """The tokens of each text, without special tokens. Characters that spell one, such as "[SEP]",
    are treated as ordinary text."""
    if not texts:
        return []
    encoded = tokenizer(
        list(texts),
        add_special_tokens=False,
        split_special_tokens=True,
        return_offsets_mapping=True,
        verbose=False,
    )
    offsets = [
        np.array(pairs, dtype=np.int64).reshape(-1, 2) for pairs in encoded["offset_mapping"]
    ]
    return [Encoded(*text) for text in zip(encoded["input_ids"], offsets, strict=True)]


def token_ids(tokenizer: Any, text: str) -> Ints:
    """The ids [tokens] of a text, without special tokens around it. Characters that spell a special
    token become that token."""
    ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    return np.array(ids, dtype=np.int64)


def special_tokens(tokenizer: Any, name: str) -> tuple[list[int], list[int]]:
    """The ids that a tokenizer puts before and after a text."""
    plain = list(tokenizer("a", add_special_tokens=False)["input_ids"])
    return around(plain, list(tokenizer("a")["input_ids"]), name)


def around(plain: list[int], full: list[int], name: str) -> tuple[list[int], list[int]]:
    """The ids before and after `plain` in `full`. Raises ModelError if `full` does not contain
    it."""
    for start in range(len(full) - len(plain) + 1):
        if full[start : start + len(plain)] == plain:
            return full[:start], full[start + len(plain) :]
    raise ModelError(
        f"{name}: its tokenizer changes a text's tokens when it adds special tokens around them, "
        "so an input cannot be put together from the tokens of its texts; use another model"
    )


def pad(
    rows: Sequence[Sequence[int] | Ints], filler: int, *, left: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """As `batching.padded`, but returns tensors."""
    ids, mask = padded(rows, filler, left=left)
    return torch.from_numpy(ids), torch.from_numpy(mask)


# --- context ------------------------------------------------------------------------------------


def context_limit(config: Any, tokenizer: Any, name: str) -> int:
    """The longest input in tokens, special tokens included: the model's number of positions, or the
    tokenizer's limit if the configuration does not give it. Raises ModelError if neither does."""
    config = config.get_text_config()
    for field in ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"):
        positions = getattr(config, field, None)
        if isinstance(positions, int) and positions > 0:
            is_offset = config.model_type in PADDING_POSITIONS
            return positions - (int(config.pad_token_id or 0) + 1 if is_offset else 0)
    if int(tokenizer.model_max_length) < NO_LIMIT:
        return int(tokenizer.model_max_length)
    raise ModelError(
        f"{name}: neither its config.json (max_position_embeddings) nor its tokenizer "
        "(model_max_length) says how many tokens it takes; add one of them"
    )


def input_limit(config: Any, tokenizer: Any, name: str) -> int:
    """The lower one of `context_limit` and the tokenizer's limit."""
    return min(context_limit(config, tokenizer, name), int(tokenizer.model_max_length))


def has_relative_positions(config: Any) -> bool:
    """Whether a model has relative positions (T5) and so takes inputs of any length. A number of
    positions in its configuration is then only that of its pre-training."""
    relative = hasattr(config, "relative_attention_num_buckets")
    return relative and not hasattr(config, "max_position_embeddings")
