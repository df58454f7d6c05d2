"""Worked examples of consistency for a few-shot judge: two of each origin, one consistent and one
not [FCLLM §3].

The package's own are made up in the manner of CNN/DM articles and XSum summaries. A user's file,
also one that `faithkit datasets examples` drew from a validation split, takes their place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from faithkit.metrics.judge.prompts import Worked, shipped_examples
from faithkit.records import ConfigError

ANY = ""
"""Names the examples of a file without origins; they serve every row."""

CLOSING = "Therefore, the answer is {}."

ByOrigin = dict[str, tuple[Worked, ...]]


def shipped(reasoning: bool) -> ByOrigin:
    """The package's own, of cnndm and xsum. reasoning: the answer is a chain of thought with its
    closing sentence."""
    return _by_origin(shipped_examples()["consistency"], reasoning)


def from_file(path: str, reasoning: bool) -> ByOrigin:
    """A user's, JSONL with `source`, `summary` and `label` (1 or 0), in the order of the file;
    `origin` where rows should see those of their own origin only; `reasoning`, which leads to the
    answer, where it is to be shown.

    Raises ConfigError, naming the line, where a field is missing or not what it should be, and
    where the examples of an origin are all consistent or all inconsistent.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"examples {path}: cannot be read as UTF-8 text: {error}") from error
    rows = [
        _row(f"examples {path}, line {number}", line, reasoning)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not rows:
        raise ConfigError(f"examples {path}: no rows; give one consistent and one inconsistent")
    examples = _by_origin(rows, reasoning)
    for origin in examples:
        answers = {row["answer"] for row in rows if row["origin"] == origin}
        if len(answers) < 2:
            raise ConfigError(
                f"examples {path}: those of origin '{origin}' are all '{answers.pop()}'; give at "
                "least one with label 1 and one with label 0"
            )
    if ANY in examples and len(examples) > 1:
        raise ConfigError(
            f"examples {path}: some rows have an origin and some have none; give it to all or none"
        )
    return examples


def _row(location: str, line: str, reasoning: bool) -> dict[str, str]:
    try:
        row: Any = json.loads(line)
    except ValueError as error:
        raise ConfigError(f"{location}: not valid JSON ({error})") from error
    if not isinstance(row, dict):
        raise ConfigError(f"{location}: expected a JSON object, found {type(row).__name__}")
    for name in ("source", "summary", *(("reasoning",) if reasoning else ())):
        if not isinstance(row.get(name), str) or not row[name].strip():
            why = ", which cot=on shows" if name == "reasoning" else ""
            raise ConfigError(f"{location}: field '{name}'{why} should be text that is not empty")
    if row.get("label") not in (0, 1):
        raise ConfigError(f"{location}: field 'label' should be 1 (consistent) or 0")
    return {
        "origin": str(row.get("origin") or ANY),
        "document": row["source"],
        "summary": row["summary"],
        "reasoning": str(row.get("reasoning") or "").strip(),
        "answer": "yes" if row["label"] else "no",
    }


def _by_origin(rows: Iterable[Mapping[str, str]], reasoning: bool) -> ByOrigin:
    examples: ByOrigin = {}
    for row in rows:
        answer = row["answer"]
        if reasoning:
            answer = f"{row['reasoning']} {CLOSING.format(answer)}"
        worked = Worked(row["document"], row["summary"], answer)
        examples[row["origin"]] = (*examples.get(row["origin"], ()), worked)
    return examples
