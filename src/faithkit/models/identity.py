"""`model_id`: the id of a model folder in signatures, cache keys and trained files.

The id covers every file that affects a number: weights, config, tokenizer, chat template, pooling,
an adapter's settings. Every loader of `faithkit.models` gets its id, and the files of its weights,
from here. Where models are stored is in `store.py`. This file imports no model library.
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
"""The endings of the files that loaders read, besides the weights."""

SETTINGS_BELOW = ("1_Pooling/config.json", "additional_chat_templates/*.jinja")
"""The files that loaders read in subfolders of the model's folder."""

UNREAD = frozenset(
    {MANIFEST, "card.json", "trainer_state.json", "data_config.json", "README.txt", "LICENSE.txt",
     "NOTICE.txt", "requirements.txt"}
)  # fmt: skip
"""Files with these endings that no loader reads, so that they do not affect the id."""

VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json")
VOCABULARY_SUFFIXES = (".model", ".spm", ".vocab", ".bpe", ".codes", ".tiktoken")
"""The names, and the endings, of files that hold a tokenizer's vocabulary."""


def safetensors_files(path: Path) -> list[Path]:
    """The safetensors files from which the model in a folder is loaded, sorted by name. Like
    transformers, prefers model.safetensors to an index of shards.

    Raises ModelError if there are none. Also refuses pickle weights, because loading them runs
    code, and PEFT adapters, because transformers would load a base model from elsewhere.
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
            named = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
            shards = sorted({path / name for name in named})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{index} is not an index of safetensors ({error!r}).") from error
        missing = [shard.name for shard in shards if not shard.is_file()]
        if missing:
            raise ModelError(f"{path} lacks {', '.join(missing)}, which {index.name} names.")
        return shards
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
    """The SHA-256 of the concatenated files, as hex digits; cached until a size or time changes."""
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
    """The files in a model's folder that a loader may read, besides the weights, sorted by name."""
    top_level = [
        file
        for file in path.iterdir()
        if file.suffix in SETTINGS_SUFFIXES and file.name not in UNREAD
    ]
    nested = [file for pattern in SETTINGS_BELOW for file in path.glob(pattern)]
    return sorted(file for file in [*top_level, *nested] if file.is_file())


def settings_digest(path: Path) -> str:
    """The SHA-256 of the names and contents of `settings_files`; "" if there are none."""
    files = settings_files(path)
    lines = [f"{file.relative_to(path).as_posix()} {digest([file])}\n" for file in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest() if lines else ""


def stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """The names, sizes and times of the files that the id covers: fast to read, and different after
    any edit."""
    files = [*safetensors_files(path), *settings_files(path)] if path.is_dir() else []
    return tuple((str(file), (s := file.stat()).st_size, s.st_mtime_ns) for file in files)


def model_id(
    path: Path, name: str | None = None, dtype: str | None = None, *, tokenizer: bool = True
) -> str:
    """The id of a model, `name@` and 12 hex digits of a SHA-256 over the weights and every other
    file that affects a number, followed by `/dtype` if that is not float32.

    name       default: the folder's name
    tokenizer  whether a model of this kind needs a tokenizer in its folder

    An unchanged embedded model has the first 12 digits of the SHA-256 of its published weights,
    even if they were converted, so that its id is the same on every machine. A folder with nothing
    but weights has the digits of their SHA-256. Raises ModelError if the folder has no safetensors,
    no tokenizer, or a pulled model that has been changed.
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
        hashed = str(manifest["weights_sha256"])
        name = name or str(manifest.get("name", path.name))
    elif not settings or (weights, settings) in {
        (artefact.sha256, artefact.settings) for artefact in ARTEFACTS
    }:
        hashed = weights
    else:
        hashed = hashlib.sha256(f"{weights} {settings}".encode()).hexdigest()
    suffix = "" if dtype in (None, "float32") else f"/{dtype}"
    return f"{name or path.name}@{hashed[:12]}{suffix}"


def is_as_pulled(path: Path) -> bool:
    """Whether the files of a pulled model have the hashes in its manifest. An older manifest may
    have the hash of the weights only."""
    manifest = read_manifest(path)
    if manifest is None:
        return False
    weights, settings = digest(safetensors_files(path)), settings_digest(path)
    return (
        weights == manifest.get("safetensors_sha256")
        and manifest.get("settings_sha256", settings) == settings
    )


def require_tokenizer(path: Path) -> None:
    """Raises ModelError if the folder holds no vocabulary; transformers might then build an empty
    tokenizer, for which every text is unknown."""
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
    """The contents of the folder's config.json. Raises ModelError if it is missing or malformed.
    name: the model's, for the error."""
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{name}: {path} has no config.json of a model: {error!r}") from error
    if not isinstance(config, dict):
        raise ModelError(f"{name}: {path}/config.json is not an object")
    return config
