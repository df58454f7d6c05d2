"""Many short pairs scored by a model, by worker processes into a folder of shards: rows a second,
peak memory of the driver and of its largest worker, outcomes, rows lost and doubled.

    python bench/many_rows.py FOLDER --data-dir DATA [--rows 100000] [--metric support]
                              [--workers 2] [--seed 0]

The pairs are those of DATA/train (NLI and fact checking) with sources of at most 400 characters,
each text pair once; what lacks is made of the source of one and the summary of another, drawn by
the seed. FOLDER keeps the pairs, the scores and the time and memory of every attempt: after any
interruption the same command goes on. Its seconds are the sum over all attempts.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kills import workers_of

FILES = {
    "nli_pairs.jsonl": ("premise", "hypothesis"),
    "fever_symmetric.jsonl": ("source", "summary"),
    "fm2.jsonl": ("source", "summary"),
    "climate_fever.jsonl": ("source", "summary"),
    "covidfact.jsonl": ("source", "summary"),
}
MOST_CHARACTERS = 400
Pair = tuple[str, str]


def published(data: Path) -> Iterator[Pair]:
    """(source, summary) of every row that is short."""
    for name, (source, summary) in FILES.items():
        with (data / "train" / name).open(encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if len(row[source]) <= MOST_CHARACTERS:
                    yield row[source], row[summary]


def write_pairs(path: Path, data: Path, rows: int, seed: int) -> None:
    """`rows` different pairs in an order drawn by the seed; the id says whether a pair was made."""
    draw = random.Random(seed)
    real = list(dict.fromkeys(published(data)))
    pairs = dict.fromkeys(draw.sample(real, min(rows, len(real))), "given")
    while len(pairs) < rows:
        pairs.setdefault((draw.choice(real)[0], draw.choice(real)[1]), "made")
    order = list(pairs.items())
    draw.shuffle(order)
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        for number, ((source, summary), kind) in enumerate(order):
            row = {"id": f"{kind}/{number}", "source": source, "summary": summary}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    partial.rename(path)


def peak(pid: int) -> float:
    """Peak resident memory of a process in MB; 0 where it has ended."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def busy(pid: int, workers: list[int]) -> float:
    """Seconds of a core that a process, its ended children and its workers have used."""
    ticks = 0
    for process in (pid, *workers):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def attempt(folder: Path, metric: str, workers: int) -> int:
    """Scores, or goes on. Keeps seconds and peaks in a file, written anew every few seconds so
    that they survive a kill. Returns the exit code."""
    attempts = folder / "attempts"
    attempts.mkdir(exist_ok=True)
    report = attempts / f"{len(list(attempts.iterdir())):03d}.json"
    began = time.monotonic()
    run = subprocess.Popen(
        [sys.executable, "-m", "faithkit.cli", "score", "pairs.jsonl", "-m", metric,
         "-o", "out/", "--workers", str(workers), "--no-cache"],
        cwd=folder,
    )  # fmt: skip
    driver = largest = core = 0.0
    code: int | None = None

    def stop(*_: object) -> None:
        run.kill()
        sys.exit(143)

    signal.signal(signal.SIGTERM, stop)
    while code is None:
        children = workers_of(run.pid)
        driver = max(driver, peak(run.pid))
        largest = max([largest, *map(peak, children)])
        core = max(core, busy(run.pid, children))
        figures = {
            "seconds": round(time.monotonic() - began, 1), "core_seconds": round(core, 1),
            "driver_mb": driver, "worker_mb": largest, "code": code,
        }  # fmt: skip
        report.write_text(json.dumps(figures) + "\n", encoding="utf-8")
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = run.wait(timeout=2)
    figures |= {"seconds": round(time.monotonic() - began, 1), "code": code}
    report.write_text(json.dumps(figures) + "\n", encoding="utf-8")
    return code


def show(folder: Path) -> bool:
    """Prints what came of the run; whether every row is there once."""
    given = Counter(identity(line) for line in (folder / "pairs.jsonl").open(encoding="utf-8"))
    found, outcomes, size = Counter[str](), Counter[str](), 0
    for shard in sorted((folder / "out").glob("[0-9]*.jsonl")):
        size += shard.stat().st_size
        with shard.open(encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                found[row["id"]] += 1
                outcomes[row["outcome"]] += 1
    lost = len(given.keys() - found.keys())
    doubled = sum(count > 1 for count in found.values())
    attempts = [json.loads(p.read_text()) for p in sorted((folder / "attempts").iterdir())]
    seconds = sum(figures["seconds"] for figures in attempts)
    core = sum(figures["core_seconds"] for figures in attempts)
    made = sum(name.startswith("made/") for name in given)
    print(
        f"{len(given)} rows ({len(given) - made} given, {made} made) in {seconds:.0f} s over "
        f"{len(attempts)} attempt(s): {len(given) / seconds:.1f} rows/s\n"
        f"{core:.0f} s of a core: {len(given) / core:.1f} rows/s of a core\n"
        f"peak memory: driver {max(f['driver_mb'] for f in attempts):.0f} MB, largest worker "
        f"{max(f['worker_mb'] for f in attempts):.0f} MB\n"
        f"outcomes {dict(outcomes)}; rows lost {lost}, doubled {doubled}; "
        f"scores {size / 1e6:.0f} MB"
    )
    return not lost and not doubled


def identity(line: str) -> str:
    """The id of a row."""
    return str(json.loads(line)["id"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--metric", default="support")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if not (given.folder / "pairs.jsonl").exists():
        write_pairs(given.folder / "pairs.jsonl", given.data_dir, given.rows, given.seed)
    code = attempt(given.folder, given.metric, given.workers)
    if code:
        sys.exit(code)
    sys.exit(not show(given.folder))


if __name__ == "__main__":
    main()
