"""Scores as a table gives them back. No test is in here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from faithkit.records import Score


def flattened(scores: Iterable[Score]) -> list[Score]:
    """The scores without what only JSONL has: spans and evidence."""
    return [replace(score, spans=(), evidence=()) for score in scores]
