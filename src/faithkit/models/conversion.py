"""Converts pickle weights to safetensors, for checkpoints that are published as a pickle only.

Loading a pickle can run any code, so the weights are read in a separate process, by torch's loader
for tensors only (`conversion_child.py`), which writes safetensors. This module imports no model
library.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from faithkit import extras
from faithkit.models import conversion_child
from faithkit.models.cards import CARD
from faithkit.models.identity import (
    PICKLE_SUFFIXES,
    SETTINGS_SUFFIXES,
    VOCABULARIES,
    VOCABULARY_SUFFIXES,
    digest,
    safetensors_files,
)
from faithkit.records import ModelError
from faithkit.writing import new_folder

WEIGHTS = "model.safetensors"
NOT_WEIGHTS = ("training_args", "optimizer", "scheduler", "rng_state", "scaler")
"""The beginnings of the names of pickles that do not hold a model."""
KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT", "OMP_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Converted:
    """The result of a conversion.

    folder               the new folder
    files, sha256        the names of the pickles, and their SHA-256
    weights              the SHA-256 of the safetensors
    tensors, parameters  how many tensors and numbers were written
    names                the first names of tensors, which show whether a prefix must be removed
    settings             the names of the copied files of settings and tokenizer
    """

    folder: str
    files: tuple[str, ...]
    sha256: str
    weights: str
    tensors: int
    parameters: int
    names: tuple[str, ...]
    settings: tuple[str, ...]


def convert(
    source: Path, target: Path, *, settings: Path | None = None, prefix: str = ""
) -> Converted:
    """Reads pickle weights in a separate process and writes a folder from which a model can be
    loaded.

    source    a folder with pickle weights, or one such file
    target    the new folder, with model.safetensors, the settings, the tokenizer, and `card.json`,
              which describes the conversion; it is not created if anything fails
    settings  the folder of config.json and the tokenizer, if the source lacks them (such as that of
              the base model, for a checkpoint of training code)
    prefix    is removed from the names of tensors; tensors without it are left out

    Raises ModelError if the target exists, a file is missing, or the weights hold anything but
    tensors; ConfigError if torch is not installed.
    """
    extras.require(("torch", "safetensors"), "Reading pickle weights")
    if target.exists():
        raise ModelError(f"{target} is there already; name a new folder")
    pickles = _pickles(source)
    copied = _settings(settings or (source if source.is_dir() else source.parent))
    with new_folder(target) as written:
        written.mkdir()
        report = _read_in_child(pickles, written / WEIGHTS, prefix)
        for file in copied:
            shutil.copyfile(file, written / file.name)
        result = Converted(
            str(target),
            tuple(file.name for file in pickles),
            digest(pickles),
            digest([written / WEIGHTS]),
            report["tensors"],
            report["parameters"],
            tuple(report["names"]),
            tuple(file.name for file in copied),
        )
        card = {"task": "converted from pickle weights", "prefix": prefix, **asdict(result)}
        (written / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return result


def _pickles(source: Path) -> list[Path]:
    """The pickle files of a model. Raises ModelError if there are none, or if there are
    safetensors."""
    if source.is_file():
        if source.suffix not in PICKLE_SUFFIXES:
            raise ModelError(f"{source} is no pickle ({', '.join(sorted(PICKLE_SUFFIXES))})")
        return [source]
    if not source.is_dir():
        raise ModelError(f"there is no file or folder '{source}'")
    if any(source.glob("*.safetensors")):
        raise ModelError(
            f"{source} has safetensors already ({safetensors_files(source)[0].name}); it needs no "
            "conversion"
        )
    files = sorted(
        file for file in source.iterdir()
        if file.suffix in PICKLE_SUFFIXES and not file.name.startswith(NOT_WEIGHTS)
    )  # fmt: skip
    if not files:
        raise ModelError(f"{source} holds no pickle weights")
    suffixes = {file.suffix for file in files}
    if len(suffixes) > 1:
        shown = ", ".join(file.name for file in files)
        raise ModelError(f"{source} holds several sorts of pickles ({shown}); name the one file")
    return files


def _settings(folder: Path) -> list[Path]:
    """The files of settings and tokenizer in a folder. Raises ModelError if config.json or the
    tokenizer is missing."""
    files = [file for file in sorted(folder.iterdir())
             if file.is_file() and file.suffix in SETTINGS_SUFFIXES
             and not file.name.endswith(".index.json") and file.name != CARD]  # fmt: skip
    names = {file.name for file in files}
    vocabulary = any(n in VOCABULARIES or n.endswith(VOCABULARY_SUFFIXES) for n in names)
    if "config.json" not in names or not vocabulary:
        raise ModelError(
            f"{folder} lacks config.json or a tokenizer; name the folder that has them with "
            "--settings, as that of the model the checkpoint was trained from"
        )
    return files


def _read_in_child(pickles: list[Path], target: Path, prefix: str) -> Mapping[str, Any]:
    """Runs the child process and returns its report. Raises ModelError with its error."""
    command = [sys.executable, "-I", str(Path(conversion_child.__file__)), str(target), prefix]
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    done = subprocess.run(
        [*command, *(str(file.resolve()) for file in pickles)],
        capture_output=True, text=True, check=False, env=environment, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    shown = ", ".join(file.name for file in pickles)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        tail = done.stderr.strip().splitlines()[-1:] or ["no output"]
        raise ModelError(
            f"{shown}: the process that reads it ended with {done.returncode} ({tail[0]})"
        ) from None
    if error := report.get("error"):
        first = str(error).splitlines()[0]
        raise ModelError(
            f"{shown}: not converted, as it cannot be read as tensors alone ({first}). A pickle "
            "that holds other objects would run code when it is loaded; ask its authors for "
            "safetensors"
        )
    return dict(report)
