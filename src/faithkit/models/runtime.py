"""Where models run: one record, made once by the command line and by `score`, and passed down."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Runtime:
    """Device, number format and network of all models of a run.

    device   cpu, cuda (or cuda:N) or mps; None: the best available
    dtype    float32, float16 or bfloat16; None: the loader's default
    offline  never use the network; FAITHKIT_OFFLINE=1 does the same
    """

    device: str | None = None
    dtype: str | None = None
    offline: bool = False


DEFAULT_RUNTIME = Runtime()
