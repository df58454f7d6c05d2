"""Assertions for test suites: the output of a summariser is faithful to its source.

The pytest fixture and marker over these are in `integrations/pytest_plugin.py`; here is what any
test runner can use.
"""

from __future__ import annotations

from functools import lru_cache

from faithkit.records import ConfigError, Outcome
from faithkit.results import Check
from faithkit.scorer import Scorer


@lru_cache(maxsize=4)
def shared_scorer(metric: str = "support") -> Scorer:
    """The scorer of this process for a metric; loaded at the first use. Never uses the network."""
    return Scorer(metric, offline=True)


def _shared(metric: str) -> Scorer:
    if isinstance(metric, list | set | dict):
        raise ConfigError(
            f"metric= takes one metric, found a {type(metric).__name__}; for several give "
            "scorer=faithkit.Scorer([...]), whose first counts"
        )
    return shared_scorer(metric)


def graded(
    summary: str,
    source: str,
    *,
    at_least: float | None = None,
    metric: str = "support",
    scorer: Scorer | None = None,
) -> tuple[Check, str]:
    """The check of a summary, and why it fails: "" if it passes. See `assert_faithful`."""
    if isinstance(at_least, bool) or not isinstance(at_least, int | float | None):
        raise ConfigError(f"at_least should be a number, found {at_least!r}")
    scorer = scorer or _shared(metric)
    shown = scorer.metrics[0]
    if at_least is not None and shown.bounds and not shown.bounds[0] <= at_least <= shown.bounds[1]:
        low, high = shown.bounds
        raise ConfigError(
            f"at_least={at_least:g}: the bounds of {shown.label} are {low:g} to {high:g}"
        )
    result = scorer.check(source, summary)
    if result.outcome is not Outcome.OK:
        return result, f"the summary has no score ({result.outcome})"
    if at_least is not None:
        below = result.value is None or result.value < at_least
        return result, f"{result.value} is less than {at_least:g}" if below else ""
    if result.verdict is None:
        raise ConfigError(f"{shown.label} gives no verdict: say at_least=")
    return result, "the summary is not consistent" if result.verdict == "not consistent" else ""


def assert_faithful(
    summary: str,
    source: str,
    *,
    at_least: float | None = None,
    metric: str = "support",
    scorer: Scorer | None = None,
) -> Check:
    """Raises AssertionError where the summary is not faithful to its source; the message has the
    unsupported words marked, with the evidence for each. Returns the check.

    at_least  the least value that passes, within the metric's bounds; None: any verdict but "not
              consistent"
    scorer    one of your own, instead of the shared one of `metric`; its first metric counts
    A summary that cannot be scored (see `Outcome`) fails. Raises ConfigError where `at_least` is
    no number or out of bounds, and without one where the metric gives no verdict.
    """
    __tracebackhide__ = True
    result, reason = graded(summary, source, at_least=at_least, metric=metric, scorer=scorer)
    if reason:
        raise AssertionError(f"{reason}\n\n{result}")
    return result
