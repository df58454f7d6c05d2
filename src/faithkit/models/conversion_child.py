"""The process that reads pickle weights for `conversion.py` and writes safetensors.

Run as a script, `python -I conversion_child.py TARGET PREFIX FILE...`, so that it imports nothing
of this package. torch's loader for weights only keeps a pickle from running code: it refuses every
object but tensors and plain containers. Prints one JSON object: what was written, or `error`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

WRAPPERS = ("state_dict", "model_state_dict", "model", "module")
"""Keys under which training code keeps the tensors of a model."""


def tensors_of(loaded: Any) -> dict[str, Any]:
    """The tensors by name, in the mapping itself or in a mapping under one of WRAPPERS. Raises
    ValueError if there are none."""
    import torch

    while isinstance(loaded, Mapping):
        named = {str(key): value for key, value in loaded.items()
                 if isinstance(value, torch.Tensor)}  # fmt: skip
        if named:
            return named
        inner = [loaded[key] for key in WRAPPERS if isinstance(loaded.get(key), Mapping)]
        if not inner:
            break
        loaded = inner[0]
    raise ValueError("it holds no tensors by name")


def converted(paths: list[str], prefix: str) -> Iterator[tuple[str, Any]]:
    """The names and tensors in the files. prefix: the beginning of the names of the tensors to
    take; it is removed."""
    import torch

    for path in paths:
        loaded = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        for name, tensor in tensors_of(loaded).items():
            if name.startswith(prefix):
                # A copy of its own: safetensors refuses tensors that share their memory.
                yield name.removeprefix(prefix), tensor.detach().clone().contiguous()


def main(target: str, prefix: str, paths: list[str]) -> dict[str, Any]:
    """Writes the tensors to the file `target`. Returns counts and first names, or an `error`
    message."""
    try:
        from safetensors.torch import save_file

        tensors = dict(converted(paths, prefix))
        if not tensors:
            raise ValueError(f"no tensor's name begins with '{prefix}'")
        save_file(tensors, target, metadata={"format": "pt"})
    except Exception as error:  # a broken or hostile file may raise anything
        return {"error": f"{type(error).__name__}: {error}"[:2000]}
    numbers = sum(tensor.numel() for tensor in tensors.values())
    return {"tensors": len(tensors), "parameters": numbers, "names": sorted(tensors)[:3]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3:])))
