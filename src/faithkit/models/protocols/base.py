"""Types that several protocols use."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

Ints = NDArray[np.int64]

Bools = NDArray[np.bool_]

ENGLISH = "en"
"""The attribute `language` of a model for English only. For a model without that attribute, the
languages are unknown."""


@runtime_checkable
class Trained(Protocol):
    """A model with a record of its training data; models of all roles may have one. Benchmarks mark
    the model's figures on these data."""

    @property
    def trained_on(self) -> frozenset[str]:
        """The names of files and datasets; empty if unknown."""
        ...
