"""The stress suites: pure functions that make cases from examples and figures from values.

A suite is a file that names a `Suite` SUITE (`base.py`) and a line of SUITES. Beside them is what
suites share: `choosing`, `figures`, the edits by `surface` and `wording`, `rewriting` by a chat
model, `famous` names, the `phrases` of gaming and the `substitution` of counterfactual sources.
"""

from __future__ import annotations

import importlib

from faithkit.stress.suites.base import Suite

SUITES: dict[str, str] = {
    "edits": "faithkit.stress.suites.edits",
    "gaming": "faithkit.stress.suites.gaming",
    "counterfactual": "faithkit.stress.suites.counterfactual",
    "probes": "faithkit.stress.suites.probes",
    "difficulty": "faithkit.stress.suites.difficulty",
}
"""Name to module, in the order of the page."""


def load(name: str) -> Suite:
    """The suite of this name. Raises KeyError on an unknown one."""
    suite: Suite = importlib.import_module(SUITES[name]).SUITE
    return suite
