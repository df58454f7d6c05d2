"""A saved combination of cheap metrics, for the tests of `combine`. No test is in here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from faithkit.meta import Combination
from faithkit.metrics.learned.combine import Component, SavedCombination
from faithkit.models.runtime import Runtime
from faithkit.run import prepare


def write(
    path: Path,
    weights: Mapping[str, float],
    *,
    intercept: float = 0.0,
    means: float = 0.0,
    scales: float = 1.0,
) -> Path:
    """`weights` by metric, or by `metric#part`."""
    components = []
    for name in weights:
        request, _, part = name.partition("#")
        (one,) = prepare([request], Runtime(offline=True))
        components.append(Component(request, part or None, one.signature))
    size = len(weights)
    saved = SavedCombination(
        tuple(components),
        Combination(
            tuple(component.label for component in components),
            tuple(weights.values()),
            (means,) * size,
            (scales,) * size,
            intercept,
        ),
        {},
    )
    path.write_text(json.dumps(saved.to_dict()), encoding="utf-8")
    return path
