"""Where models run: a record that the command line and `score` create and pass on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Runtime:
    """Device, number format and network access of all models of a run.

    device   cpu, cuda (or cuda:N) or mps; None: the best available
    dtype    float32, float16 or bfloat16; None: the loader's default
    offline  whether the network must not be used; FAITHKIT_OFFLINE=1 has the same effect
    """

    device: str | None = None
    dtype: str | None = None
    offline: bool = False


DEFAULT_RUNTIME = Runtime()
