"""The options of a metric that are limits of its chat models (`models.protocols.Limits`)."""

from __future__ import annotations

from faithkit.models.protocols import Limits
from faithkit.records import ConfigError

LIMITS = frozenset({"transcripts", "timeout", "retries", "concurrency", "max_requests"})
"""Their names; they change no number."""


def limits_of(
    metric: str,
    transcripts: str,
    timeout: float,
    retries: int,
    concurrency: int,
    max_requests: int | None,
) -> Limits:
    """The limits. Raises ConfigError where one is too small."""
    for option, number in {"timeout": timeout, "concurrency": concurrency}.items():
        if number <= 0:
            raise ConfigError(f"{metric}: {option} should be above 0, found {number}")
    if retries < 0 or (max_requests or 0) < 0:
        raise ConfigError(f"{metric}: retries and max_requests should be 0 or more")
    return Limits(transcripts, timeout, retries, concurrency, max_requests)
