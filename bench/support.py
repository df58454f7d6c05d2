"""`support` by its two engines, onnxruntime and torch, in one process: rows a second, how near each
comes to its network alone, and how far their numbers are apart.

    python bench/support.py [--model mini] [--limit 200] [--tries 3] [-d qags_xsum ...]
                            [--processor] [--bfloat16]

"alone" runs the network over the tokens of the claims with their evidence, tokenised and batched
beforehand and nothing else; `support` normalises, splits, tokenises, selects evidence and judges.
The share is the time alone divided by the metric's. Both engines take OMP_NUM_THREADS threads.
--processor counts processor seconds instead of the clock's, for a machine that is shared;
--bfloat16 runs torch in that precision too.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from data import examples
from faithkit import models
from faithkit.language.normalise import plain_source, plain_summary
from faithkit.language.sentences import closed_sentences, source_sentences
from faithkit.metrics.support import Support
from faithkit.models.batching import batches, map_in_threads
from faithkit.models.runtime import Runtime
from faithkit.records import Example
from faithkit.support.engine import Engine, OnnxEngine
from faithkit.support.evidence import Source
from faithkit.support.inputs import Input, batch_of, encode
from faithkit.support.model import Support as Model
from faithkit.support.network import TorchEngine, read_network
from faithkit.support.sentences import read_sentences, read_source

ROWS = 64
"""Rows that the metric gets at once."""


def best(
    work: Callable[[], Any], before: Callable[[], Any], tries: int, clock: Callable[[], float]
) -> float:
    """The best of some tries, each from a cold start of everything but the weights."""
    fastest = float("inf")
    for _ in range(tries):
        before()
        start = clock()
        work()
        fastest = min(fastest, clock() - start)
    return fastest


def inputs_of(rows: Sequence[Example], model: Model) -> list[Input]:
    """What the network reads, for each claim; once where several read the same."""
    inputs = {}
    for row in rows:
        plain = plain_source(row.source).text
        source = Source(read_source(plain, model.tokenizer, named=model.settings.named))
        claims = closed_sentences(plain_summary(row.summary, row.source).text)
        for claim in read_sentences(claims, model.tokenizer):
            one = encode(model.read(claim, source))
            inputs[one.ids.tobytes(), one.codes.tobytes()] = one
    return list(inputs.values())


def alone(engine: Engine, inputs: Sequence[Input]) -> Callable[[], None]:
    places = batches([len(one.ids) for one in inputs], engine.batch.cpu)
    ready = [batch_of([inputs[i] for i in batch], engine.multiple) for batch in places]

    def run() -> None:
        for _ in map_in_threads(engine.logits, ready, engine.threads):
            pass

    return run


def measure(
    name: str,
    rows: Sequence[Example],
    model: Model,
    engine: Engine,
    tries: int,
    clock: Callable[[], float],
) -> tuple[float, np.ndarray]:
    """Prints a line; returns rows a second and the values."""
    model.engine = engine
    metric = Support(model)
    inputs = inputs_of(rows, model)
    values: list[float] = []

    def fresh() -> None:
        source_sentences.cache_clear()
        model.forget()
        values.clear()

    def score() -> None:
        for start in range(0, len(rows), ROWS):
            scores = metric.score(rows[start : start + ROWS])
            values.extend(np.nan if one.value is None else one.value for one in scores)

    bare = best(alone(engine, inputs), lambda: None, tries, clock)
    whole = best(score, fresh, tries, clock)
    tokens = sum(len(one.ids) for one in inputs)
    print(
        f"  {name:11}  support {whole:6.2f} s ({len(rows) / whole:6.1f} rows/s)   alone "
        f"{bare:6.2f} s ({tokens / bare:6.0f} tokens/s)   share {bare / whole:.0%}",
        flush=True,
    )
    return len(rows) / whole, np.array(values)


def is_batch_invariant(model: Model, inputs: Sequence[Input]) -> bool:
    """Whether each of the inputs has the same bits alone and among all."""
    together = model.logits(inputs)
    return all(
        np.array_equal(words, other[0]) and np.array_equal(sentence, other[1])
        for one, other in zip(inputs, together, strict=True)
        for words, sentence, _ in model.logits([one])
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-d", "--dataset", action="append")
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--processor", action="store_true", help="processor seconds")
    parser.add_argument("--model", default="mini", help="a support model")
    parser.add_argument("--bfloat16", action="store_true", help="torch in bfloat16 too")
    arguments = parser.parse_args()
    clock = time.process_time if arguments.processor else time.perf_counter
    if threads := os.environ.get("OMP_NUM_THREADS"):
        torch.set_num_threads(int(threads))
    folder, _ = models.resolve("support", arguments.model, offline=True)
    model = models.load(f"support:{arguments.model}", Runtime("cpu", offline=True))
    network = read_network(folder, model.encoder)
    engines: dict[str, Engine] = {
        "onnxruntime": OnnxEngine(folder, model.encoder),
        "torch": TorchEngine(network),
    }
    if arguments.bfloat16:
        engines["bfloat16"] = TorchEngine(network, "bfloat16")
    for name in arguments.dataset or ("summeval_dev", "bump1", "qags_xsum"):
        rows = examples(name)[: arguments.limit]
        print(f"{name}: {len(rows)} rows, {len({row.source for row in rows})} sources")
        speeds, values = zip(
            *(measure(name, rows, model, engine, arguments.tries, clock) for name, engine in
              engines.items()), strict=True
        )  # fmt: skip
        model.engine = engines["onnxruntime"]
        same = is_batch_invariant(model, inputs_of(rows, model)[:64])
        print(
            f"  onnxruntime {speeds[0] / speeds[1]:.2f} times as fast; values differ by at most "
            f"{np.nanmax(np.abs(values[0] - values[1])):.1e}; the same bits alone and among 64: "
            f"{'yes' if same else 'no'}"
        )


if __name__ == "__main__":
    main()
