"""How a check grows with the source: one summary beside sources of 1,000 to 50,000 words, each in a
new process of `faithkit check` and once more in a running one.

    python bench/long_source.py [--dataset qags_xsum] [--words 1000 10000 50000] [--tries 3]

A source is the articles of the dataset one after the other, the summary's own first. Peak memory is
that of the new process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

from data import examples
from faithkit import Example, score

MB = 1024


def source_of(articles: list[str], words: int) -> str:
    """The first articles that have as many words together, the last one cut."""
    lengths = list(accumulate(len(article.split()) for article in articles))
    if lengths[-1] < words:
        sys.exit(f"the dataset has {lengths[-1]} words, {words} are asked for")
    count = next(i for i, length in enumerate(lengths, 1) if length >= words)
    return "\n\n".join(articles[:count])


def cold(folder: Path) -> tuple[float, float]:
    """Seconds and peak MB of one check in a new process."""
    program = [
        str(Path(sys.executable).with_name("faithkit")), "check", "--source", "source.txt",
        "--summary", "summary.txt", "--no-cache", "--offline",
    ]  # fmt: skip
    start = time.perf_counter()
    process = subprocess.Popen(program, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("the check failed")
    return time.perf_counter() - start, usage.ru_maxrss / MB


def warm(source: str, summary: str, number: int) -> float:
    """Seconds of one check in this process; the number keeps it from being remembered."""
    start = time.perf_counter()
    pair = Example("1", f"{source}\n\nNumber {number}.", summary)
    list(score([pair], "support", offline=True, no_cache=True))
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", default="qags_xsum")
    parser.add_argument("--words", type=int, nargs="+", default=[1_000, 3_000, 10_000, 50_000])
    parser.add_argument("--tries", type=int, default=3)
    options = parser.parse_args()
    rows = examples(options.dataset)
    articles = list(dict.fromkeys(row.source for row in rows))
    summary = rows[0].summary
    warm("A source.", summary, 0)
    print("source words   new process    peak memory   running process")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "summary.txt").write_text(summary, encoding="utf-8")
        for words in options.words:
            source = source_of(articles, words)
            (folder / "source.txt").write_text(source, encoding="utf-8")
            runs = [cold(folder) for _ in range(options.tries)]
            again = min(warm(source, summary, number) for number in range(options.tries))
            print(
                f"{len(source.split()):12}   {min(run[0] for run in runs):9.2f} s   "
                f"{max(run[1] for run in runs):8.0f} MB   {again:13.3f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
