"""What shards cost: a plain run against runs into a folder with 1 and 2 workers, and peak memory by
number of rows.

    python bench/shards.py [--rows 10000 1000000] [--repeats 1] [--workers 1 2] [--metric rouge2]

Each measurement is a process of its own, on the made-up short pairs of run_cost.py, without a
cache. Of several repeats the quickest counts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from run_cost import write_pairs

CHILD = """
import resource, sys, time
from faithkit import cli
start = time.perf_counter()
try:
    cli.main()
except SystemExit:
    pass
seconds = time.perf_counter() - start
peaks = [resource.getrusage(who).ru_maxrss / 1024
         for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(f"{seconds:.2f} {peaks[0]:.0f} {peaks[1]:.0f}", file=sys.stderr)
"""


def run(pairs: Path, output: str, metric: str, *options: str) -> tuple[float, float, float]:
    """Seconds, and peak resident memory in MB of the process and of its largest worker."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, "score", str(pairs), "-m", metric, "--quiet", "--no-cache",
         "-o", output, *options],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    seconds, own, largest = map(float, done.stderr.split()[-3:])
    return seconds, own, largest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--metric", default="rouge2")
    given = parser.parse_args()
    print("rows      run          seconds   rows/s   against plain   peak   largest worker")
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_pairs(folder / "pairs.jsonl", rows)
            runs = [("plain", ())] + [
                (f"{n} worker{'s' * (n > 1)}", ("--workers", str(n))) for n in given.workers
            ]
            quickest: dict[str, tuple[float, float, float]] = {}
            for repeat in range(given.repeats):
                for label, options in runs:
                    output = folder / f"{label}-{repeat}{'' if options else '.jsonl'}"
                    target = f"{output}/" if options else str(output)
                    taken = run(folder / "pairs.jsonl", target, given.metric, *options)
                    quickest[label] = min(taken, quickest.get(label, taken))
        plain = quickest["plain"][0]
        for label, (seconds, own, largest) in quickest.items():
            worker = f"{largest:.0f} MB" if label != "plain" else "–"
            print(
                f"{rows:<9} {label:<10} {seconds:9.1f} {rows / seconds:8.0f} "
                f"{plain / seconds:15.2f} {own:4.0f} MB   {worker}",
                flush=True,
            )


if __name__ == "__main__":
    main()
