"""Reads the benchmark files beside the project for the scripts in this folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from faithkit.columns import Columns
from faithkit.files import open_pairs
from faithkit.records import Example

DATA = Path(os.environ.get("FAITHKIT_DATA", Path(__file__).parents[2] / "shared" / "data"))


def examples(name: str) -> list[Example]:
    """The rows of bench/NAME.jsonl; exits with the reason where it is not there."""
    path = DATA / "bench" / f"{name}.jsonl"
    if not path.is_file():
        sys.exit(f"{path} is not there; set FAITHKIT_DATA to the folder that holds bench/")
    with open_pairs(str(path), Columns()) as rows:
        return list(rows)
