"""Kills a sharded run with SIGKILL at random times, its workers and the process that drives them,
starts the same command again each time it is the latter, and compares the rows with those of a run
that was left alone.

    python bench/kills.py [--kills 200] [--rows 20000] [--metric rouge2] [--seed 0]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from faithkit import files

WORDS = "the council of a town said on monday that its library would close in may to save costs"


def write_inputs(folder: Path, rows: int, seed: int) -> None:
    """JSONL and Parquet files of rows with ids."""
    import pyarrow as pa
    import pyarrow.parquet

    draw, words = random.Random(seed), WORDS.split()
    folder.mkdir()
    for number in range(4):
        made = [
            {
                "id": f"{number}/{row}",
                "source": " ".join(draw.choices(words, k=120)),
                "summary": " ".join(draw.choices(words, k=15)),
            }
            for row in range(rows // 4)
        ]
        if number % 2:
            table = pa.Table.from_pylist(made)
            pyarrow.parquet.write_table(table, folder / f"{number}.parquet", row_group_size=700)
        else:
            lines = (json.dumps(row) + "\n" for row in made)
            (folder / f"{number}.jsonl").write_text("".join(lines), encoding="utf-8")


def start(inputs: Path, output: Path, metric: str) -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-m", "faithkit.cli", "score", str(inputs), "-m", metric, "-o",
        f"{output}/", "--workers", "2", "--no-cache", "--json",
    ]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def workers_of(pid: int) -> list[int]:
    """The processes that score."""
    try:
        names = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(n) for n in names if b"spawn_main" in Path(f"/proc/{n}/cmdline").read_bytes()]
    except OSError:
        return []


def digest(folder: Path) -> tuple[str, Counter[tuple[str, str]], Counter[str]]:
    """Hash of all rows in order, how often each (id, metric) occurs, and the outcomes."""
    hashed = hashlib.sha256()
    rows: Counter[tuple[str, str]] = Counter()
    outcomes: Counter[str] = Counter()
    for score in files.score_lines(folder):
        hashed.update(files.to_line(score).encode())
        rows[score.id, score.metric] += 1
        outcomes[score.outcome] += 1
    return hashed.hexdigest(), rows, outcomes


def pause(run: subprocess.Popen[bytes], draw: random.Random) -> None:
    """Until any moment of the start (one time in ten), or a moment after a worker is there."""
    if draw.random() < 0.1:
        time.sleep(draw.uniform(0.0, 3.0))
        return
    end = time.monotonic() + 60
    while not workers_of(run.pid) and run.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(draw.uniform(0.0, 1.5))


def killed_run(inputs: Path, output: Path, metric: str, kills: int, seed: int) -> Counter[str]:
    """A run that is killed so often, and goes on each time. Returns how often what was killed."""
    draw, killed = random.Random(seed), Counter[str]()
    run = start(inputs, output, metric)
    while killed.total() < kills:
        pause(run, draw)
        if run.poll() is not None:
            if run.returncode:
                raise SystemExit(f"the run ended with {run.returncode}")
            return killed  # complete before the last kill
        workers = workers_of(run.pid)
        if workers and draw.random() < 0.8:
            os.kill(draw.choice(workers), signal.SIGKILL)
            killed["worker"] += 1
        else:
            run.kill()
            if run.wait() > 0:
                raise SystemExit(f"the run ended with {run.returncode}")
            killed["driver"] += 1
            run = start(inputs, output, metric)
    if run.wait():
        raise SystemExit(f"the run ended with {run.returncode}")
    return killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--metric", default="rouge2")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder / "in", given.rows, given.seed)
        alone = folder / "alone"
        if start(folder / "in", alone, given.metric).wait():
            raise SystemExit("the run that was left alone failed")
        expected, rows, _ = digest(alone)
        total, runs, lost, doubled = Counter[str](), 0, 0, 0
        same = True
        while total.total() < given.kills:
            output = folder / f"killed{runs}"
            left = given.kills - total.total()
            total += killed_run(folder / "in", output, given.metric, left, given.seed + runs)
            found, killed_rows, outcomes = digest(output)
            lost += len(rows.keys() - killed_rows.keys())
            doubled += sum(count > 1 for count in killed_rows.values())
            same = same and found == expected
            runs += 1
            print(f"run {runs}: {dict(total)} kills so far, outcomes {dict(outcomes)}", flush=True)
    print(
        f"{total.total()} kills ({dict(total)}) over {runs} runs of {len(rows)} rows: "
        f"rows lost {lost}, doubled {doubled}; bytes the same as of a run left alone: {same}"
    )
    sys.exit(bool(lost or doubled or not same))


if __name__ == "__main__":
    main()
