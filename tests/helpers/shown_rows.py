"""Rows with marks, evidence and human spans for the tests of pages, and pages of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from faithkit.records import Evidence, Example, Outcome, Score, Signature, Span
from faithkit.report.results_page import ResultsPage
from faithkit.report.views import ShownMetric

SOURCE = "Ann paid 74 pounds. Bob left in May. Nobody was hurt."
SUMMARY = "Ann paid 68 pounds and Bob left in June."

SUPPORT = ShownMetric("support", "probability that all is supported", (0.0, 1.0), Signature("s"))
OTHER = ShownMetric("other", "similarity", (0.0, 1.0), Signature("o"))


def place(text: str, words: str) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


def marked(words: str, score: float | None, summary: str = SUMMARY) -> Span:
    return Span(*place(summary, words), "unsupported", score)


def evidence(words: str, for_words: str, label: str = "marked words") -> Evidence:
    return Evidence(*place(SOURCE, words), *place(SUMMARY, for_words), label, 0.5)


def example(identity: str = "a", **fields: Any) -> Example:
    return Example(identity, SOURCE, SUMMARY, **fields)


def support(identity: str = "a", value: float = 0.1, verdict: float = 0.0) -> Score:
    """Marks 68 (the more doubtful) and June, each with its evidence."""
    return Score(
        identity, "support", value, parts={"verdict": verdict},
        spans=(marked("June", 0.45), marked("68", 0.04)),
        evidence=(
            evidence("Ann paid 74 pounds.", SUMMARY, "best match"),
            evidence("Bob left in May.", SUMMARY, "evidence"),
            evidence("Ann paid 74 pounds.", "68"),
            evidence("Bob left in May.", "June"),
        ),
    )  # fmt: skip


def other(identity: str = "a", value: float | None = 0.5) -> Score:
    outcome = Outcome.NO_CLAIMS if value is None else Outcome.OK
    return Score(identity, "other", value, outcome)


def write_page(
    path: Path,
    rows: Iterable[tuple[Example, Sequence[Score]]],
    metrics: Sequence[ShownMetric] = (SUPPORT, OTHER),
    **settings: Any,
) -> Path:
    with ResultsPage(metrics) as page:
        for row, scores in rows:
            page.add(row, scores)
        page.write(path, **settings)
    return path


def data_of(path: Path) -> dict[str, Any]:
    """The JSON of a page by the id of its script element."""
    text = path.read_text(encoding="utf-8")
    found = re.findall(r'<script type="application/json" id="([^"]+)">(.*?)</script>', text, re.S)
    return {name: json.loads(value) for name, value in found}
