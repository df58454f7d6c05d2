"""The kinds of tables: each runs a plan with the statistics of one command.

judgements    metrics against human judgements, as `bench` (correlation, detection, ranking, errors)
combination   metrics combined, as `combine`
annotators    how far annotators agree, as `agree`
generators    generated longest supported subsequences against people's [LSS]
systems       the mean of a metric for each summariser, as `leaderboard`
matrix        metrics against one another
stress        figures of stress suites, as `stress`
distribution  how often each value of a field or of a metric occurs, as a histogram
coding        cases for people to code by cause of error, and the tally of their codes [MFAS]
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from faithkit.reproduce.plans import Plan
from faithkit.reproduce.tables import Filled

if TYPE_CHECKING:
    from faithkit.cache import Cache
    from faithkit.models.runtime import Runtime

KINDS: dict[str, str] = {
    "judgements": "faithkit.reproduce.kinds.judgements",
    "combination": "faithkit.reproduce.kinds.combination",
    "annotators": "faithkit.reproduce.kinds.annotators",
    "generators": "faithkit.reproduce.kinds.generators",
    "systems": "faithkit.reproduce.kinds.systems",
    "matrix": "faithkit.reproduce.kinds.matrix",
    "stress": "faithkit.reproduce.kinds.stress",
    "distribution": "faithkit.reproduce.kinds.distribution",
    "coding": "faithkit.reproduce.kinds.coding",
}
"""Name to module; each has `run(plan, setting)`."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how a plan runs.

    limit     the first documents of each dataset (stress: rows); None: all
    limits    of the datasets that have a limit of their own, by name
    draws     of the bootstrap by document
    folder    for what a run writes beside its table
    progress  called with a name, rows done and rows in all
    """

    data_dir: str | None
    runtime: Runtime
    store: Cache
    folder: Path
    limit: int | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    draws: int = 1000
    seed: int = 0
    progress: Callable[[str, int, int], None] = lambda _name, _done, _all: None

    def limit_of(self, dataset: str) -> int | None:
        """The limit of a dataset by name."""
        return self.limits.get(dataset, self.limit)


def run(plan: Plan, setting: Setting) -> Filled:
    """The cells of a plan. Raises DataError, ModelError and ConfigError as what it runs."""
    filled: Filled = importlib.import_module(KINDS[plan.recipe.kind]).run(plan, setting)
    return filled
