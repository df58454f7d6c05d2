"""A run: batches of examples through metrics, with de-duplication, cache, resume and a manifest.

`scored_batches` scores batches for `scorer.py` and the commands; `run_to_file` is what `faithkit
score -o` does. What a metric does is in `metrics/`, reading and writing rows in `files.py`,
printing in `cli/`.
"""

from __future__ import annotations

from faithkit.run.batches import (
    Progress,
    Scoring,
    batched,
    score_batch,
    scored_batches,
)
from faithkit.run.output import Watch, run_to_file
from faithkit.run.preparation import (
    DEFAULT_METRICS,
    Prepared,
    prepare,
)
from faithkit.run.tally import (
    Tally,
    count_incomplete,
    failed_gates,
    metrics_without_score,
    tallies_of,
)

__all__ = [
    "DEFAULT_METRICS",
    "Prepared",
    "Progress",
    "Scoring",
    "Tally",
    "Watch",
    "batched",
    "count_incomplete",
    "failed_gates",
    "metrics_without_score",
    "prepare",
    "run_to_file",
    "score_batch",
    "scored_batches",
    "tallies_of",
]
