"""Summaries to read: faithful and unfaithful ones of the files that the support model was not
trained on, with its value, verdict and marks beside what people marked.

    python bench/read_summaries.py [--model mini] [--each 25] [--threshold 0.5] [--seed 0]

As many of each label as `--each`, in turn from the files, no two of one document; drawn by the
seed. Marked words are in [brackets] with the per cent of doubt.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from itertools import chain, islice, zip_longest
from pathlib import Path

from data import DATA
from faithkit import Example, Score
from faithkit.evaluation import examples
from faithkit.models.runtime import Runtime
from faithkit.records import verdict_of
from faithkit.run import prepare

FILES = ("cogensumm_dev", "cliff[origin=cnndm]", "faithbench_dev", "storysumm_dev",
         "diasumfact_dev[part=SAMSum]", "diasumfact_dev[part=QMSum]", "faceval_dev")  # fmt: skip


def drawn(name: str, label: int, data: Path, seed: int) -> Iterator[Example]:
    """Rows of a file with a label in random order, one of each document."""
    _, rows = examples.read(name, str(data), None)
    shuffled = [row for row in rows if row.label == label]
    random.Random(f"{seed} {name} {label}").shuffle(shuffled)
    yield from {row.document: row for row in shuffled}.values()


def chosen(label: int, each: int, data: Path, seed: int) -> list[Example]:
    """Rows of a label, one of each file in turn."""
    turns = zip_longest(*(drawn(name, label, data, seed) for name in FILES))
    return list(islice((row for row in chain.from_iterable(turns) if row is not None), each))


def marked(text: str, score: Score) -> str:
    for span in sorted(score.spans, key=lambda span: -span.start):
        words = f"[{100 * (1 - (span.score or 0)):.0f}: {text[span.start : span.end]}]"
        text = text[: span.start] + words + text[span.end :]
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="mini", help="A support model or its folder.")
    parser.add_argument("--data-dir", type=Path, default=DATA)
    parser.add_argument("--each", type=int, default=25)
    parser.add_argument("--threshold", type=float, help="Of the marks, instead of the model's.")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    threshold = "" if arguments.threshold is None else f",threshold={arguments.threshold}"
    asked = f"support:model={arguments.model}{threshold}"
    (prepared,) = prepare([asked], Runtime(offline=True))
    for label in (1, 0):
        rows = chosen(label, arguments.each, arguments.data_dir, arguments.seed)
        for row, score in zip(rows, prepared.metric.score(rows), strict=True):
            value = "–" if score.value is None else f"{score.value:.2f}"
            verdict = verdict_of(score.parts) or score.outcome
            print(f"{row.id}: {'faithful' if label else 'unfaithful'}; {value} {verdict}")
            print(marked(row.summary.strip(), score))
            if row.spans:
                print("people marked:", "; ".join(row.summary[s.start : s.end] for s in row.spans))
            print(flush=True)


if __name__ == "__main__":
    main()
