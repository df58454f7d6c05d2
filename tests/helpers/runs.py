"""Runs of tiny metrics over 23 pairs, and what they leave on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.helpers.paths import HELPERS

from faithkit import files, run
from faithkit.cache import Cache
from faithkit.columns import Columns
from faithkit.records import Example

TINY = HELPERS / "tiny_metrics.py"
KNOWN, OTHER = f"{TINY}:Known", f"{TINY}:Other"

SOURCES = ["the cat sat on the mat", "a dog ran", "", "naïve “words”\nhere"]
SUMMARIES = ["the cat", "a dog flew", "words here", "", "naïve cats"]
EXAMPLES = [
    Example(f"id {number}", SOURCES[number % 4], SUMMARIES[number % 5]) for number in range(23)
]


def write_pairs(path: Path, examples: Iterable[Example] = EXAMPLES) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for example in examples:
            row = {"id": example.id, "source": example.source, "summary": example.summary}
            file.write(json.dumps(row) + "\n")
    return path


def to_file(
    pairs: Path, output: Path, metrics: tuple[str, ...] = (KNOWN, OTHER), **options: Any
) -> dict[str, run.Tally]:
    rows = files.check(pairs, files.format_of(pairs), Columns())
    with Cache(options.pop("cache", None)) as store:
        return run.run_to_file(rows, run.prepare(metrics), output, store, **options)


def manifest(output: Path) -> dict[str, Any]:
    path = output.with_name(output.name + ".manifest.json")
    loaded = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def mark_unfinished(output: Path) -> None:
    """Makes a complete run one that was killed."""
    path = output.with_name(output.name + ".manifest.json")
    path.write_text(json.dumps({**manifest(output), "status": "running"}), encoding="utf-8")
