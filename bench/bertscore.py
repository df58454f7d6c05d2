"""`bertscore` against the bert-score package: the same model, layer, texts, machine and process.

    python bench/bertscore.py [--limit 160] [--model mini] [--layer 6] [--dtype float32]

Two settings of ours: sentence by sentence (the default; reads whole documents) and whole documents
(the package's own layout, cut at the model's context; the values are equal to 1e-4). "alone" is the
network over the tokens that we read, tokenised beforehand: no metric over it is faster. Each other
timing includes tokenising and, for the sentences, splitting; models are loaded before. Ratios over
1 mean that faithkit is faster.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import bert_score

from data import examples
from faithkit import models
from faithkit.language import sentences
from faithkit.metrics.bertscore import BertScore
from faithkit.models import pulling, store
from faithkit.models.embeddings import Encoder
from faithkit.models.runtime import Runtime
from faithkit.records import Example


def timed(works: dict[str, Callable[[], Any]], tries: int) -> dict[str, float]:
    """The best of some tries of each, in turn, so that other work on the machine meets all."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(tries):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=160)
    parser.add_argument("--model", default="mini")
    parser.add_argument("--layer", type=int, default=6)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--dtype", action="append", choices=("float32", "bfloat16"))
    arguments = parser.parse_args()
    folder = pulling.ensure(store.get(arguments.model))
    package = bert_score.BERTScorer(
        model_type=str(folder), num_layers=arguments.layer, device="cpu", batch_size=64
    )
    sentences.sentences("Load the splitter before the clock runs.")
    for name in ("summeval_dev", "qags_xsum"):
        rows = examples(name)[: arguments.limit]
        works: dict[str, Callable[[], Any]] = {"package": partial(in_package, package, rows)}
        for dtype in arguments.dtype or ("float32", "bfloat16"):
            encoder = models.load(f"tokens:{arguments.model}", Runtime("cpu", dtype))
            for layout in ("sentences", "document"):
                metric = BertScore(encoder, layer=arguments.layer, source=layout)
                shown = f"{dtype:8s} {layout:9s}"
                works[shown] = partial(in_batches, metric, encoder, rows)
                works[f"{shown} alone"] = alone(metric, encoder, rows)
        best = timed(works, arguments.tries)
        theirs = best.pop("package")
        print(f"{name}: {len(rows)} rows, {len({e.source for e in rows})} sources; "
              f"bert-score float32 {theirs:.2f} s ({len(rows) / theirs:.1f} rows/s)")  # fmt: skip
        for shown, ours in best.items():
            print(f"  faithkit {shown:24s} {ours:6.2f} s ({len(rows) / ours:5.1f} rows/s)  "
                  f"ratio {theirs / ours:.2f}x", flush=True)  # fmt: skip


def in_package(package: bert_score.BERTScorer, rows: list[Example]) -> None:
    package.score([e.summary for e in rows], [e.source for e in rows])


def alone(metric: BertScore, encoder: Encoder, rows: list[Example]) -> Callable[[], None]:
    """Each distinct piece of a batch through the network, and nothing else."""
    batches = []
    for start in range(0, len(rows), 64):
        texts = dict.fromkeys(
            piece.text
            for row in rows[start : start + 64]
            for text in (row.source, row.summary)
            for piece in metric._pieces(text)
        )
        batches.append([ids[: encoder.max_tokens] for ids in encoder.token_ids(list(texts))])

    def run() -> None:
        encoder.forget()
        for inputs in batches:
            for _ in encoder._forward(inputs, metric._layer):
                pass

    return run


def in_batches(metric: BertScore, encoder: Encoder, rows: list[Example]) -> None:
    encoder.forget()
    sentences.sentences.cache_clear()
    for start in range(0, len(rows), 64):
        metric.score(rows[start : start + 64])


if __name__ == "__main__":
    main()
