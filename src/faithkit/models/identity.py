"""What a model folder is named by in signatures, cache keys and trained files: `model_id`.

The id covers every file that changes a number: weights, config, tokenizer, chat template, pooling,
an adapter's settings. Every loader of `faithkit.models` takes its id, and the files of its weights,
from here. Where a model is kept is in `store.py`. This file imports no model library.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from faithkit.models.store import ARTEFACTS, MANIFEST, read_manifest
from faithkit.records import ModelError

PEFT_SETTINGS = "adapter_config.json"
PICKLE_SUFFIXES = frozenset({".bin", ".pt", ".pth", ".ckpt", ".pkl"})
BLOCK = 1 << 20

SETTINGS_SUFFIXES = (
    ".json", ".txt", ".model", ".jinja", ".spm", ".vocab", ".bpe", ".codes", ".tiktoken",
)  # fmt: skip
"""Endings of the files, weights aside, that loaders read."""

SETTINGS_BELOW = ("1_Pooling/config.json", "additional_chat_templates/*.jinja")
"""What loaders read in folders of the model's folder."""

UNREAD = frozenset(
    {MANIFEST, "card.json", "trainer_state.json", "data_config.json", "README.txt", "LICENSE.txt",
     "NOTICE.txt", "requirements.txt"}
)  # fmt: skip
"""Files of these endings that no loader reads, so that a note beside a model leaves its id."""

VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json")
VOCABULARY_SUFFIXES = (".model", ".spm", ".vocab", ".bpe", ".codes", ".tiktoken")
"""Files that hold a tokenizer's vocabulary: of these names, or of these endings."""


def safetensors_files(path: Path) -> list[Path]:
    """The safetensors files a model in this folder is loaded from, sorted by name. As transformers
    does, model.safetensors is taken before an index of shards.

    Raises ModelError if there are none; pickle weights are refused, as loading them runs code,
    and PEFT adapters, as transformers would load a base from elsewhere.
    """
    if (path / PEFT_SETTINGS).is_file():
        raise ModelError(
            f"{path} holds {PEFT_SETTINGS}, so it is a PEFT adapter, whose base is elsewhere. "
            "Merge the two into one folder: PeftModel.merge_and_unload().save_pretrained(folder), "
            "and the tokenizer's save_pretrained(folder)."
        )
    if (path / "model.safetensors").is_file():
        return [path / "model.safetensors"]
    index = path / "model.safetensors.index.json"
    if index.is_file():
        try:
            shards = sorted(
                set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
            )
        except (ValueError, KeyError, AttributeError) as error:
            raise ModelError(f"{index} is not an index of safetensors ({error!r}).") from error
        missing = [name for name in shards if not (path / name).is_file()]
        if missing:
            raise ModelError(f"{path} lacks {', '.join(missing)}, which {index.name} names.")
        return [path / name for name in shards]
    files = sorted(path.glob("*.safetensors"))
    if files:
        return files
    pickles = sorted(item.name for item in path.glob("*") if item.suffix in PICKLE_SUFFIXES)
    if pickles:
        raise ModelError(
            f"{path} has only pickle weights ({', '.join(pickles)}), which are refused because "
            "loading them can run any code. Convert them once: "
            f"faithkit models convert {path} -o NEW_FOLDER reads tensors alone, in a process of "
            "its own."
        )
    raise ModelError(
        f"{path} holds no model: expected model.safetensors (or shards with an index), config.json "
        "and a tokenizer."
    )


_digests: dict[tuple[tuple[str, int, int], ...], str] = {}


def digest(paths: Sequence[Path]) -> str:
    """SHA-256 over the files' bytes, one after the other; remembered while they stay untouched."""
    stats = [(str(path), path.stat()) for path in paths]
    key = tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)
    if key not in _digests:
        hashed = hashlib.sha256()
        for path in paths:
            with path.open("rb") as file:
                while block := file.read(BLOCK):
                    hashed.update(block)
        _digests[key] = hashed.hexdigest()
    return _digests[key]


def settings_files(path: Path) -> list[Path]:
    """The files of a model's folder, weights aside, that a loader may read, sorted by name."""
    here = [
        file
        for file in path.iterdir()
        if file.suffix in SETTINGS_SUFFIXES and file.name not in UNREAD
    ]
    below = [file for pattern in SETTINGS_BELOW for file in path.glob(pattern)]
    return sorted(file for file in [*here, *below] if file.is_file())


def settings_digest(path: Path) -> str:
    """SHA-256 over the names and contents of `settings_files`; empty if there are none."""
    files = settings_files(path)
    lines = [f"{file.relative_to(path).as_posix()} {digest([file])}\n" for file in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest() if lines else ""


def stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, sizes and times of the files that the id covers: cheap, and changed by any edit."""
    files = [*safetensors_files(path), *settings_files(path)] if path.is_dir() else []
    return tuple((str(file), (s := file.stat()).st_size, s.st_mtime_ns) for file in files)


def model_id(
    path: Path, name: str | None = None, dtype: str | None = None, *, tokenizer: bool = True
) -> str:
    """`name@12-hex-digits` of a SHA-256 over the weights and every other file that changes a
    number, with `/dtype` where that is not float32.

    name       default the folder's
    tokenizer  whether a model of this kind has its tokenizer in its folder; one that lacks it is
               refused, because transformers may make an empty tokenizer in its place

    An embedded model as it was published has the first 12 digits of its weights' SHA-256, also
    where it was converted, so that its id is the same on every machine; so has a folder that holds
    nothing but weights. Raises ModelError if the folder has no safetensors or only pickle
    weights, no tokenizer, or a pulled model that was changed since.
    """
    weights, settings = digest(safetensors_files(path)), settings_digest(path)
    if tokenizer:
        require_tokenizer(path)
    manifest = read_manifest(path)
    if manifest is not None and "safetensors_sha256" in manifest:
        if not is_as_pulled(path):
            pulled = manifest.get("name", path.name)
            raise ModelError(
                f"The model in {path} was changed since it was pulled. "
                f"Run: faithkit models pull {pulled}"
            )
        whole = str(manifest["weights_sha256"])
        name = name or str(manifest.get("name", path.name))
    elif not settings or (weights, settings) in {
        (artefact.sha256, artefact.settings) for artefact in ARTEFACTS
    }:
        whole = weights
    else:
        whole = hashlib.sha256(f"{weights} {settings}".encode()).hexdigest()
    suffix = "" if dtype in (None, "float32") else f"/{dtype}"
    return f"{name or path.name}@{whole[:12]}{suffix}"


def is_as_pulled(path: Path) -> bool:
    """Whether a pulled model's files have the hashes that its manifest names. An older manifest
    may name those of the weights only."""
    manifest = read_manifest(path)
    if manifest is None:
        return False
    weights, settings = digest(safetensors_files(path)), settings_digest(path)
    return (
        weights == manifest.get("safetensors_sha256")
        and manifest.get("settings_sha256", settings) == settings
    )


def require_tokenizer(path: Path) -> None:
    """Raises ModelError if the folder holds no vocabulary: transformers may build an empty
    tokenizer then, and score every text as unknown."""
    vocabularies = [
        file
        for file in settings_files(path)
        if file.name in VOCABULARIES or file.suffix in VOCABULARY_SUFFIXES
    ]
    if not any(file.stat().st_size for file in vocabularies):
        raise ModelError(
            f"{path} holds no tokenizer: expected tokenizer.json (or vocab.txt, vocab.json, a "
            "sentencepiece model). Put the tokenizer that the model was trained with beside its "
            "weights: AutoTokenizer.from_pretrained(its_name).save_pretrained(folder)."
        )


def read_config(path: Path, name: str) -> dict[str, Any]:
    """The folder's config.json. Raises ModelError."""
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{name}: {path} has no config.json of a model: {error!r}") from error
    if not isinstance(config, dict):
        raise ModelError(f"{name}: {path}/config.json is not an object")
    return config
