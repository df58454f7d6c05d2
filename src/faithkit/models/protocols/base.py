"""What the protocols share."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

Ints = NDArray[np.int64]

Bools = NDArray[np.bool_]

ENGLISH = "en"
"""What a model that knows English only has as its attribute `language`. A model without that
attribute says nothing of the languages it knows."""


@runtime_checkable
class Trained(Protocol):
    """A model that says what it was trained on; any of those here may. A benchmark marks its
    figures on these data."""

    @property
    def trained_on(self) -> frozenset[str]:
        """Names of files and datasets; empty if nothing is known."""
        ...
