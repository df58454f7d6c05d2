"""faithkit: how faithful a summary is to its source, word by word, and how far to trust the number.

    from faithkit import score
    for row in score([(source, summary)], ["bertscore", "ner"]):
        print(row.metric, row.value, row.spans)

Importing this loads neither torch nor spaCy.
"""

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
from faithkit.run import score

__all__ = [
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
    "Signature",
    "Span",
    "score",
]
