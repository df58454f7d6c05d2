"""`support` against a bare forward pass of its encoder over the same tokens, in one process.

    python bench/support.py [--limit 160] [--model mini] [--tries 3]

"bare" runs the encoder over the tokens of the claims and their evidence, tokenised and batched
beforehand and nothing else; `support` splits, tokenises, selects evidence and judges. The share is
bare time divided by the metric's: 100% would be as fast as the encoder alone.
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
from faithkit.models.batching import batches
from faithkit.models.embeddings import BUDGET
from faithkit.models.runtime import Runtime
from faithkit.records import Example
from faithkit.support.evidence import Source
from faithkit.support.inputs import encode, read_evidence
from faithkit.support.model import Support as Model
from faithkit.support.sentences import read_sentences


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


def inputs_of(rows: Sequence[Example], model: Model) -> list[list[int]]:
    """The tokens that the model reads, of each claim with its evidence."""
    inputs = []
    for row in rows:
        pieces = sentences.source_sentences(row.source)
        source = Source(read_sentences(pieces, model.tokenizer))
        for claim in read_sentences(sentences.closed_sentences(row.summary), model.tokenizer):
            reading = read_evidence(claim, source, model.settings.budget)
            inputs.append(encode(reading).ids.tolist())
    return inputs


def main() -> None:
    from transformers import AutoModel

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=160)
    parser.add_argument("--model", default="mini")
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--threads", type=int, default=None)
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    support = models.load(f"support:{arguments.model}", Runtime("cpu", offline=True))
    folder, _ = models.resolve("tokens", support.settings.encoder)
    encoder = AutoModel.from_pretrained(folder)
    for name in ("summeval_dev", "bump1", "qags_xsum"):
        rows = examples(name)[: arguments.limit]
        inputs = inputs_of(rows, support)
        tokens = sum(map(len, inputs))

        def fresh() -> None:
            sentences.source_sentences.cache_clear()
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
            f"{name}: {len(rows)} rows, {len({e.source for e in rows})} sources, {tokens} tokens, "
            f"{tokens / len(rows):.0f} a verdict\n"
            f"  bare encoder {alone:6.2f} s ({tokens / alone:7.0f} tokens/s)\n"
            f"  support      {ours:6.2f} s ({len(rows) / ours:7.1f} rows/s)  "
            f"share of bare {alone / ours:.0%}"
        )


if __name__ == "__main__":
    main()
