"""What a run costs beside the metric: time per cached row, and peak memory by number of rows.

    python bench/run_cost.py [--rows 10000 1000000]

Each measurement is a process of its own, on made-up short pairs, with `rouge2`.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

CHILD = """
import resource, sys, time
from faithkit import cli
start = time.perf_counter()
try:
    cli.main()
except SystemExit:
    pass
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{time.perf_counter() - start:.2f} {peak:.0f}", file=sys.stderr)
"""


def write_pairs(path: Path, rows: int) -> None:
    pick = random.Random(0)
    words = [f"word{i}" for i in range(2000)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            source = " ".join(pick.choices(words, k=40))
            summary = " ".join(pick.choices(words, k=10))
            file.write(json.dumps({"id": str(number), "source": source, "summary": summary}) + "\n")


def run(folder: Path, pairs: Path, output: str) -> tuple[float, float]:
    """Seconds and peak resident memory in MB of one `faithkit score`."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, "score", str(pairs), "-m", "rouge2", "--quiet",
         "-o", str(folder / output), "--cache", str(folder / "cache.sqlite")],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    seconds, peak = done.stderr.split()[-2:]
    return float(seconds), float(peak)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000])
    arguments = parser.parse_args()
    print("rows      first run           peak     cached run          peak")
    for rows in arguments.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_pairs(folder / "pairs.jsonl", rows)
            first = run(folder, folder / "pairs.jsonl", "one.jsonl")
            again = run(folder, folder / "pairs.jsonl", "two.jsonl")
        shown = [f"{s:7.1f} s ({1e6 * s / rows:5.0f} us/row) {peak:5.0f} MB"
                 for s, peak in (first, again)]  # fmt: skip
        print(f"{rows:<9} {shown[0]}  {shown[1]}", flush=True)


if __name__ == "__main__":
    main()
