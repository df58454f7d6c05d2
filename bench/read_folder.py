"""What it costs to read a folder of shards: seconds and peak memory of `leaderboard`, `bench` and
`calibrate` by number of rows.

    python bench/read_folder.py [--rows 10000 100000] [--draws 200] [--only leaderboard bench]

The rows are made up: four systems on each document, a label, 40 words of source and 10 of summary;
scored with `rouge2` by two workers, without a cache. Each command is a process of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from shards import CHILD, measure

SYSTEMS = 4
COMMANDS = {
    "leaderboard": ["leaderboard", "pairs.jsonl", "--from", "out", "--json"],
    "bench": ["bench", "-d", "pairs.jsonl", "--from", "out", "--json"],
    "calibrate": ["calibrate", "pairs.jsonl", "--from", "out", "--json"],
}


def write_rows(path: Path, rows: int) -> None:
    """Rows in which a summary of label 1 has words of its source more often."""
    draw = random.Random(0)
    words = [f"word{i}" for i in range(2000)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            if number % SYSTEMS == 0:
                source = draw.choices(words, k=40)
            label = draw.randrange(2)
            start = draw.randrange(30)
            taken = draw.randrange(4 + 3 * label)
            summary = source[start : start + taken] + draw.choices(words, k=10 - taken)
            row = {
                "id": f"row {number}", "source": " ".join(source), "summary": " ".join(summary),
                "document": f"document {number // SYSTEMS}", "label": label,
                "system": f"system {number % SYSTEMS}",
            }  # fmt: skip
            file.write(json.dumps(row) + "\n")


def read(folder: Path, command: str, draws: int) -> tuple[bytes, float, float]:
    """What a command printed, its seconds, and its peak resident memory in MB."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *COMMANDS[command], "--draws", str(draws)],
        check=True, capture_output=True, cwd=folder,
    )  # fmt: skip
    seconds, peak, _ = map(float, done.stderr.split()[-3:])
    return done.stdout, seconds, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    given = parser.parse_args()
    print("rows      command       seconds      peak   output's sha256")
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_rows(folder / "pairs.jsonl", rows)
            measure(folder, "score", "pairs.jsonl", "-m", "rouge2", "-o", "out/", "--workers", "2",
                    "--no-cache", "--quiet")  # fmt: skip
            for command in given.only:
                output, seconds, peak = read(folder, command, given.draws)
                digest = hashlib.sha256(output).hexdigest()[:16]
                print(
                    f"{rows:<9} {command:<12} {seconds:8.1f} {peak:6.0f} MB   {digest}", flush=True
                )


if __name__ == "__main__":
    main()
