"""Scores as a table gives them back. No test is in here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from faithkit.records import Score
from faithkit.report.marks import count_of_marks


def flattened(scores: Iterable[Score]) -> list[Score]:
    """The scores without what only JSONL has: spans, of which a table has the number, and
    evidence."""
    return [
        replace(score, spans=(), evidence=(), unlisted_marks=count_of_marks(score))
        for score in scores
    ]
