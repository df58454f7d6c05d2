"""Reads the arrays of a safetensors file, mapped into memory: only what is used is loaded.

For models that run without torch. All other loaders use the safetensors package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from faithkit.records import ModelError

TYPES: dict[str, np.dtype[Any]] = {
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
    "U8": np.dtype("u1"),
}
"""The supported number formats."""

LONGEST_HEADER = 100_000_000
"""The limit of the format, in bytes."""


@dataclass(frozen=True, slots=True)
class TensorFile:
    """The contents of a safetensors file.

    tensors   read-only, memory-mapped arrays by name
    metadata  the texts that are stored with them
    """

    tensors: Mapping[str, np.ndarray]
    metadata: Mapping[str, str]


def read_tensors(path: Path) -> TensorFile:
    """Reads a safetensors file. Raises ModelError if it is missing or damaged, or has a number
    format that is not in TYPES."""
    try:
        data = np.memmap(path, dtype=np.uint8, mode="r")
        length = int.from_bytes(data[:8].tobytes(), "little")
        if not 2 <= length <= min(LONGEST_HEADER, len(data) - 8):
            raise ModelError(f"{path} is no safetensors file")
        header = json.loads(data[8 : 8 + length].tobytes())
        metadata = header.pop("__metadata__", {})
        content = data[8 + length :]
        tensors = {name: _tensor(content, entry) for name, entry in header.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} is no safetensors file ({error!r})") from error
    return TensorFile(tensors, metadata)


def _tensor(content: np.ndarray, entry: Mapping[str, Any]) -> np.ndarray:
    """The array that an entry of the header describes. Raises ValueError if it does not fit the
    file."""
    start, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    kind = TYPES[entry["dtype"]]
    size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    if not 0 <= start <= end <= len(content) or end - start != size:
        raise ValueError(f"a tensor of {shape} at {start} to {end}")
    tensor: np.ndarray = content[start:end].view(kind).reshape(shape)
    return tensor
