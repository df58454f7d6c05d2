"""Where models run: a record that the command line and `score` create and pass on."""

from __future__ import annotations

from dataclasses import dataclass

from faithkit.records import ConfigError, did_you_mean

DEVICES = ("cpu", "cuda", "mps")
DTYPES = ("float32", "float16", "bfloat16")


@dataclass(frozen=True, slots=True)
class Runtime:
    """Device, number format and network access of all models of a run.

    device   cpu, cuda (or cuda:N) or mps; None: the best available
    dtype    float32, float16 or bfloat16; None: the loader's default
    offline  whether the network must not be used; FAITHKIT_OFFLINE=1 has the same effect
    Raises ConfigError on another device or dtype; whether it is available is seen when a model is
    loaded.
    """

    device: str | None = None
    dtype: str | None = None
    offline: bool = False

    def __post_init__(self) -> None:
        kind, _, number = (self.device or "cpu").partition(":")
        if kind not in DEVICES or (number and not number.isdecimal()):
            hint = did_you_mean(self.device or "", DEVICES)
            raise ConfigError(f"There is no device '{self.device}'.{hint}")
        if self.dtype is not None and self.dtype not in DTYPES:
            hint = did_you_mean(self.dtype, DTYPES)
            raise ConfigError(f"There is no dtype '{self.dtype}'.{hint}")


DEFAULT_RUNTIME = Runtime()
