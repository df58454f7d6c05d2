"""faithkit: how faithful a summary is to its source, word by word, and how far to trust the number.

    import faithkit
    result = faithkit.check(source, summary)
    print(result)                      # the summary with its unsupported words marked
    result.verdict, result.probability, result.spans, result.evidence

    scores = faithkit.score(rows)      # dicts, tuples, a DataFrame, a datasets.Dataset, ...
    scores.to_pandas()
    scores.worst(20)

Importing this loads nothing: each name is imported from its module when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from faithkit.metrics.base import Metric
    from faithkit.metrics.spec import MetricSpec
    from faithkit.records import (
        ConfigError,
        Coverage,
        DataError,
        Evidence,
        Example,
        FaithkitError,
        ModelError,
        Outcome,
        Score,
        Signature,
        Span,
    )
    from faithkit.results import Check, Scores
    from faithkit.scorer import Scorer, check, score

__all__ = [
    "Check",
    "ConfigError",
    "Coverage",
    "DataError",
    "Evidence",
    "Example",
    "FaithkitError",
    "Metric",
    "MetricSpec",
    "ModelError",
    "Outcome",
    "Score",
    "Scorer",
    "Scores",
    "Signature",
    "Span",
    "check",
    "score",
]

_MODULES = {
    "Metric": "faithkit.metrics.base",
    "MetricSpec": "faithkit.metrics.spec",
    **dict.fromkeys(("Check", "Scores"), "faithkit.results"),
    **dict.fromkeys(("Scorer", "check", "score"), "faithkit.scorer"),
}
"""Where the public names are that are not in `records.py`."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("faithkit")
    if name not in __all__:
        raise AttributeError(f"module 'faithkit' has no attribute '{name}'")
    value = getattr(import_module(_MODULES.get(name, "faithkit.records")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
