"""Pairs and runs for tests of gates: a metric with verdicts, one summary that it finds consistent
and one that it does not."""

from __future__ import annotations

import json
from pathlib import Path

from tests.helpers.command_line import faithkit
from tests.helpers.paths import HELPERS

JUDGED = f"{HELPERS / 'tiny_verdict_metric.py'}:Judged"
SOURCE = "Ann paid 74 pounds. Bob left in May."
GOOD, BAD = "Bob left in May.", "Ann paid 68 dollars"


def write(path: str, *summaries: tuple[str, str]) -> None:
    rows = ({"id": id, "source": SOURCE, "summary": summary} for id, summary in summaries)
    Path(path).write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def score(*options: str, pairs: str = "pairs.jsonl") -> tuple[int, list[str]]:
    """The exit code, and the lines of standard error."""
    found = faithkit("score", pairs, "-m", JUDGED, *options)
    return found.exit_code, found.stderr.splitlines()
