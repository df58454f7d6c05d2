"""`support` against a bare forward pass of its encoder over the same tokens, in one process.

    python bench/support.py [--limit 160] [--model mini] [--tries 3]

"bare" runs the whole encoder (all its layers) over the distinct sentences' tokens, tokenised and
batched beforehand and nothing else; `support` splits, tokenises, encodes, chooses evidence,
computes features and verdicts, and reads up to the layer it was trained on. The share is bare time
divided by the metric's: 100% would be as fast as the encoder alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from data import examples
from faithkit import models
from faithkit.language import sentences
from faithkit.metrics.support import Support
from faithkit.models import pulling, store
from faithkit.models.batching import batches
from faithkit.models.embeddings import BUDGET
from faithkit.models.runtime import Runtime
from faithkit.records import Example


def best(work: Callable[[], Any], before: Callable[[], Any], tries: int) -> float:
    """The best of some tries, each from a cold start of everything but the weights."""
    fastest = float("inf")
    for _ in range(tries):
        before()
        start = time.perf_counter()
        work()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def bare(model: Any, inputs: Sequence[list[int]]) -> None:
    with torch.inference_mode():
        for batch in batches([len(ids) for ids in inputs], BUDGET.cpu):
            width = len(inputs[batch[0]])
            ids = torch.zeros((len(batch), width), dtype=torch.long)
            mask = torch.zeros((len(batch), width), dtype=torch.long)
            for row, number in enumerate(batch):
                ids[row, : len(inputs[number])] = torch.tensor(inputs[number])
                mask[row, : len(inputs[number])] = 1
            model(ids, attention_mask=mask)


def distinct_sentences(rows: Sequence[Example]) -> list[str]:
    pieces = [piece for row in rows for piece in sentences.sentences(row.source)]
    pieces += [piece for row in rows for piece in sentences.closed_sentences(row.summary)]
    return list(dict.fromkeys(piece.text for piece in pieces))


def main() -> None:
    from transformers import AutoModel, AutoTokenizer

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=160)
    parser.add_argument("--model", default="mini")
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--threads", type=int, default=None)
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    support = models.load(f"support:{arguments.model}", Runtime("cpu", offline=True))
    folder = pulling.ensure(store.get(f"tokens:{support.settings.encoder}"))
    encoder, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    for name in ("summeval_dev", "bump1", "qags_xsum"):
        rows = examples(name)[: arguments.limit]
        inputs = tokenizer(distinct_sentences(rows), verbose=False)["input_ids"]
        tokens = sum(map(len, inputs))

        def fresh() -> None:
            sentences.sentences.cache_clear()
            support.forget()

        metric = Support(support)
        metric.score(rows[:2])
        bare(encoder, inputs[:8])
        alone = best(lambda inputs=inputs: bare(encoder, inputs), lambda: None, arguments.tries)
        ours = best(
            lambda metric=metric, rows=rows: [
                metric.score(rows[start : start + 64]) for start in range(0, len(rows), 64)
            ],
            fresh,
            arguments.tries,
        )
        print(
            f"{name}: {len(rows)} rows, {len({e.source for e in rows})} sources, {tokens} tokens\n"
            f"  bare encoder {alone:6.2f} s ({tokens / alone:7.0f} tokens/s)\n"
            f"  support      {ours:6.2f} s ({len(rows) / ours:7.1f} rows/s)  "
            f"share of bare {alone / ours:.0%}"
        )


if __name__ == "__main__":
    main()
