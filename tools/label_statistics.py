"""What the labelled files hold: a table, the documents that families share, rows to read.

    FAITHKIT_DATA=data python tools/label_statistics.py ../shared/data             # the table
    FAITHKIT_DATA=data python tools/label_statistics.py ../shared/data --read 20 --file lss_dev

FAITHKIT_DATA is where the claims set is (`data/claims/claims.jsonl`). In the rows to read,
unsupported words are in [brackets], words that are half so in (parentheses), and words of which
nothing is known are _underlined_.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import defaultdict
from pathlib import Path
from statistics import mean

from faithkit.language.words import words
from faithkit.train.labels import (
    FILES,
    Labelled,
    family,
    labelled,
    overlaps,
    sentence_targets,
)

HEADER = (
    "| file | family | rows | sentences | with a target | supported % | words | labelled % | "
    "unsupported % | words of a source |\n|" + "---|" * 10
)


def statistics(file: str, rows: list[Labelled]) -> str:
    """A line of the table. A sentence is supported, and a word unsupported, by more than half."""
    targets = [share for row in rows for _, _, share in sentence_targets(row)]
    numbers = [share for share in targets if not math.isnan(share)]
    labels = [share for row in rows for _, _, share in row.labels]
    total = sum(len(words(row.summary)) for row in rows)
    length = mean(len(row.source.split()) for row in rows)
    supported = _percent(sum(share < 0.5 for share in numbers), len(numbers))
    unsupported = _percent(sum(share > 0.5 for share in labels), len(labels))
    return (
        f"| {file} | {family(file)} | {len(rows):,} | {len(targets):,} | {len(numbers):,} | "
        f"{supported} | {total:,} | {_percent(len(labels), total)} | {unsupported} | {length:.0f} |"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else "–"


def marked(row: Labelled) -> str:
    """The summary with its words marked by their labels."""
    shares = {(start, end): share for start, end, share in row.labels}
    pieces = []
    position = 0
    for word in words(row.summary):
        share = shares.get((word.start, word.end), math.nan)
        text = f"_{word.text}_"
        if not math.isnan(share):
            text = word.text if share == 0 else f"({word.text})"
            text = f"[{word.text}]" if share > 0.5 else text
        pieces += [row.summary[position : word.start], text]
        position = word.end
    return "".join([*pieces, row.summary[position:]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="the folder with bench, train and raw")
    parser.add_argument("--file", action="append", choices=list(FILES), help="only this file")
    parser.add_argument("--read", type=int, default=0, help="rows to print of each file")
    parser.add_argument("--source", type=int, default=0, help="characters of the source to print")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--overlaps", action="store_true", help="documents that families share")
    options = parser.parse_args()
    rows = labelled(options.file or list(FILES), options.data)
    files: dict[str, list[Labelled]] = defaultdict(list)
    for row in rows:
        files[row.file].append(row)
    if options.read:
        for file, of_file in files.items():
            print(f"== {file}")
            chosen = random.Random(options.seed).sample(of_file, min(options.read, len(of_file)))
            for row in chosen:
                print(f"{row.target} {row.pair}\n  {marked(row)}")
                if options.source:
                    print(f"  < {row.source[: options.source]}")
        return
    if options.overlaps:
        of_document = defaultdict(set)
        for row in rows:
            of_document[row.document].add(row.file)
        for first, second, share in overlaps(rows):
            names = [", ".join(sorted(of_document[name])) for name in (first, second)]
            print(f"{share:.2f}  {names[0]}  |  {names[1]}")
        return
    print(HEADER)
    for file, of_file in files.items():
        print(statistics(file, of_file))


if __name__ == "__main__":
    main()
