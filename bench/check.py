"""How long one summary takes: `faithkit check` in a new process, and scoring in a warm one.

    python bench/check.py
    python bench/check.py -m bertscore -m support --tries 9 --imports

The articles are those of --dataset nearest to 700 words. Cold is the first of them, in a process of
its own each time; warm is another article each time, in one process with the models loaded. Beside
wall time is processor time, which is more reliable on a machine that is shared.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from data import examples
from faithkit import Example, score

WORDS = 700
HEAVY = 0.02
"""Seconds; imports that take less are not listed."""


def near(rows: Iterable[Example], count: int) -> list[Example]:
    """One summary each of the `count` documents nearest to WORDS words."""
    by_source = {row.source: row for row in rows}
    nearest = sorted(by_source.values(), key=lambda e: abs(len(e.source.split()) - WORDS))
    return nearest[:count]


def spent() -> tuple[float, float]:
    """Wall clock, and processor seconds of this process and of those it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return time.perf_counter(), sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(name: str, tries: int, work: Callable[[int], object]) -> None:
    times = []
    for number in range(tries):
        before = spent()
        work(number)
        times.append([after - start for start, after in zip(before, spent(), strict=True)])
    wall, cpu = zip(*times, strict=True)
    print(
        f"  {name:5} best {min(wall):6.3f} s  median {median(wall):6.3f} s  "
        f"processor: best {min(cpu):6.3f} s  median {median(cpu):6.3f} s",
        flush=True,
    )


def heavy_imports(command: list[str]) -> None:
    """The modules that the command imports at top level, by the time they take with all they need;
    a module that another one imported first counts there."""
    program = [sys.executable, "-X", "importtime", "-m", "faithkit.cli", *command]
    messages = subprocess.run(program, check=True, capture_output=True, text=True).stderr
    rows = [line.removeprefix("import time:").split("|") for line in messages.splitlines()[1:]]
    taken = {
        name.strip(): int(microseconds) / 1e6
        for _, microseconds, name in rows
        if not name.startswith("  ")
    }
    print("imports (timed one by one, which itself takes time):")
    for name, seconds in sorted(taken.items(), key=lambda item: -item[1]):
        if seconds >= HEAVY:
            print(f"  {name:24} {seconds:6.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-m", "--metric", action="append")
    parser.add_argument("--dataset", default="bump1")
    parser.add_argument("--tries", type=int, default=7)
    parser.add_argument("--imports", action="store_true", help="list what the imports take")
    options = parser.parse_args()
    articles = near(examples(options.dataset), options.tries + 1)
    first = articles[0]
    program = str(Path(sys.executable).with_name("faithkit"))
    print(
        f"{options.dataset}, {first.id}: {len(first.source.split())} words, summary of "
        f"{len(first.summary.split())}; {options.tries} tries"
    )
    with tempfile.TemporaryDirectory() as folder:
        source, summary = Path(folder, "source.txt"), Path(folder, "summary.txt")
        source.write_text(first.source, encoding="utf-8")
        summary.write_text(first.summary, encoding="utf-8")
        texts = ["--source", str(source), "--summary", str(summary), "--no-cache", "--offline"]
        for metric in options.metric or ["support"]:
            command = ["check", *texts, "-m", metric]

            def cold(_: int, command: list[str] = command) -> None:
                subprocess.run([program, *command], check=True, stdout=subprocess.DEVNULL)

            def warm(number: int, metric: str = metric) -> None:
                list(score([articles[number]], [metric], offline=True, no_cache=True))

            print(f"{metric} (aims: cold under 1 s, warm under 0.1 s)")
            measure("cold", options.tries, cold)
            warm(options.tries)
            measure("warm", options.tries, warm)
            if options.imports:
                heavy_imports(command)


if __name__ == "__main__":
    main()
