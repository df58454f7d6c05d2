"""`bertscore` against the bert-score package: the same model, layer, texts, machine and process.

    python bench/bertscore.py [--limit 160] [--model mini] [--layer 6]

Two settings of ours: sentence by sentence (the default; reads whole documents) and whole documents
(the package's own layout, cut at the model's context; the values are equal to 1e-4). Each timing
includes tokenising and, for the sentences, splitting; models are loaded before. Ratios over 1 mean
that faithkit is faster.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import bert_score

from data import examples
from faithkit import models
from faithkit.language import sentences
from faithkit.metrics.bertscore import BertScore
from faithkit.models import pulling, store
from faithkit.models.runtime import Runtime
from faithkit.records import Example


def timed(work: Callable[[], Any], tries: int, forget: Callable[[], None]) -> float:
    """The best of some tries, with what is remembered dropped before each."""
    best = float("inf")
    for _ in range(tries):
        sentences.sentences.cache_clear()
        forget()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=160)
    parser.add_argument("--model", default="mini")
    parser.add_argument("--layer", type=int, default=6)
    parser.add_argument("--tries", type=int, default=3)
    arguments = parser.parse_args()
    folder = pulling.ensure(store.get(arguments.model))
    package = bert_score.BERTScorer(
        model_type=str(folder), num_layers=arguments.layer, device="cpu", batch_size=64
    )
    sentences.sentences("Load the splitter before the clock runs.")
    for name in ("summeval_dev", "qags_xsum"):
        rows = examples(name)[: arguments.limit]
        theirs = timed(lambda rows=rows: in_package(package, rows), arguments.tries, lambda: None)
        print(f"{name}: {len(rows)} rows, {len({e.source for e in rows})} sources; "
              f"bert-score float32 {theirs:.2f} s ({len(rows) / theirs:.1f} rows/s)")  # fmt: skip
        for dtype in ("float32", "bfloat16"):
            encoder = models.load(f"tokens:{arguments.model}", Runtime("cpu", dtype))
            for layout in ("sentences", "document"):
                metric = BertScore(encoder, layer=arguments.layer, source=layout)
                ours = timed(lambda metric=metric, rows=rows: in_batches(metric, rows),
                             arguments.tries, encoder.forget)  # fmt: skip
                print(f"  faithkit {dtype:8s} {layout:9s} {ours:6.2f} s "
                      f"({len(rows) / ours:5.1f} rows/s)  ratio {theirs / ours:.2f}x",
                      flush=True)  # fmt: skip


def in_package(package: bert_score.BERTScorer, rows: list[Example]) -> None:
    package.score([e.summary for e in rows], [e.source for e in rows])


def in_batches(metric: BertScore, rows: list[Example]) -> None:
    for start in range(0, len(rows), 64):
        metric.score(rows[start : start + 64])


if __name__ == "__main__":
    main()
