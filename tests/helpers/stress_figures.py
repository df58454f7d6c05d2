"""Figures of stress suites, made by hand."""

from __future__ import annotations

from typing import Any


def row(kind: str, statistic: str, value: float | None, *bounds: float, **more: Any) -> Any:
    low, high = bounds or (None, None)
    return {"kind": kind, "statistic": statistic, "value": value, "low": low, "high": high,
            "n": 10, "groups": 10, **more}  # fmt: skip


FEW = "only 9 documents; an interval or a test needs 10 or more"


def few(kind: str, statistic: str, value: float, **more: Any) -> Any:
    """A figure of nine documents."""
    return row(kind, statistic, value, groups=9, interval_reason=FEW, **more)


def same(kind: str, statistic: str, value: float) -> Any:
    """A figure that every resample agrees on."""
    reason = f"all resamples give {value:.4g}, so the data say nothing of its variation"
    return row(kind, statistic, value, interval_reason=reason)
