"""The reasons of two findings of docs/results.md, from the values of `bench/benchmark.sh`.

    python bench/why.py out/bench

Ties of the metrics on bump1's pairs, and how much of consistent and of inconsistent summaries is
copied on SummEdits (mean `novelty`: the share of word pairs that stand in the source).
"""

from __future__ import annotations

import sys
from pathlib import Path

from faithkit import meta
from faithkit.evaluation.bench.folder import load_folder


def main() -> None:
    for table in load_folder(Path(sys.argv[1])):
        labels = table.labels
        for column in table.columns.values():
            if table.name == "bump1":
                pairs = [str(row.pair) for row in table.rows]
                counts = meta.ranking_counts(column.values, labels, pairs)
                print(f"bump1 {column.label:12s} {counts.pairs} pairs: {counts.right} right, "
                      f"{counts.wrong} wrong, {counts.ties} ties")  # fmt: skip
            if table.name.startswith("summedits") and column.label == "novelty":
                for label, name in ((1, "consistent"), (0, "inconsistent")):
                    group = [v for v, truth in zip(column.values, labels, strict=True)
                           if truth == label and v is not None]  # fmt: skip
                    print(
                        f"{table.name:22s} {name:12s} {100 * sum(group) / len(group):.1f}% copied"
                    )


if __name__ == "__main__":
    main()
