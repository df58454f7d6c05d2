"""What shards cost: a plain run against runs into a folder with 1 and 2 workers, and peak memory by
number of rows.

    python bench/shards.py [--rows 10000 100000] [--large 1000000] [--repeats 1] [--workers 1 2]
                           [--metric rouge2]

Each measurement is a process of its own, on the made-up short pairs of run_cost.py, without a
cache. Of several repeats the quickest counts. The large number of rows is scored once, with the
most workers, and a page is made of it; --large 0 leaves it out.
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


def measure(folder: Path, *arguments: str) -> tuple[float, float, float]:
    """Seconds, and peak resident memory in MB of the process and of its largest worker."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments],
        check=True, capture_output=True, text=True, cwd=folder,
    )  # fmt: skip
    seconds, own, largest = map(float, done.stderr.split()[-3:])
    return seconds, own, largest


def score(folder: Path, output: str, metric: str, workers: int) -> tuple[float, float, float]:
    """One run, into a file (0 workers) or a folder."""
    into = ["-o", f"{output}/", "--workers", str(workers)] if workers else ["-o", f"{output}.jsonl"]
    return measure(folder, "score", "pairs.jsonl", "-m", metric, "--quiet", "--no-cache", *into)


def show(rows: int, label: str, taken: tuple[float, float, float], plain: float | None) -> None:
    seconds, own, largest = taken
    ratio = f"{plain / seconds:15.2f}" if plain else f"{'–':>15}"
    print(
        f"{rows:<9} {label:<10} {seconds:9.1f} {rows / seconds:8.0f} {ratio} {own:4.0f} MB   "
        + (f"{largest:.0f} MB" if "worker" in label else "–"),
        flush=True,
    )


def named(workers: int) -> str:
    return f"{workers} worker{'s' * (workers > 1)}" if workers else "plain"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--metric", default="rouge2")
    given = parser.parse_args()
    print("rows      run          seconds   rows/s   against plain   peak   largest worker")
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_pairs(folder / "pairs.jsonl", rows)
            quickest: dict[int, tuple[float, float, float]] = {}
            for repeat in range(given.repeats):
                for workers in (0, *given.workers):
                    taken = score(folder, f"out-{workers}-{repeat}", given.metric, workers)
                    quickest[workers] = min(taken, quickest.get(workers, taken))
        for workers, taken in quickest.items():
            show(rows, named(workers), taken, quickest[0][0])
    if given.large:
        with tempfile.TemporaryDirectory() as name:
            folder, workers = Path(name), max(given.workers)
            write_pairs(folder / "pairs.jsonl", given.large)
            taken = score(folder, "out", given.metric, workers)
            show(given.large, named(workers), taken, None)
            show(given.large, "page", measure(folder, "report", "out", "-o", "page.html"), None)
            print(f"page.html: {(folder / 'page.html').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
