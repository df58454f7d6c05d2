"""Values of `support`, `bertscore` and `sentsim` by the two engines, onnxruntime and torch, in one
process: how far they are apart, what each engine takes, and whether a row alone has the same bits
as among 64.

    python bench/engines.py [-d summeval_dev ...] [-m bertscore ...] [--limit 200]

Differences are of the values, of their parts and of the scores of marked spans and evidence. Times
are of whole metrics, the processor's seconds beside the clock's; sentences are split beforehand,
since both engines read the same ones.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch

from data import examples
from faithkit import models
from faithkit.language import sentences
from faithkit.metrics import marks, sentsim
from faithkit.metrics.base import Metric
from faithkit.metrics.bertscore import BertScore
from faithkit.metrics.sentsim import SentSim
from faithkit.metrics.support import Support
from faithkit.models.embeddings_torch import TorchEngine as TorchEncoder
from faithkit.models.identity import read_config
from faithkit.models.runtime import Runtime
from faithkit.records import Example, Score
from faithkit.support.network import TorchEngine, read_network

ROWS = 64
"""Rows that a metric gets at once."""

METRICS = {"support": Support, "bertscore": BertScore, "sentsim": SentSim}


def engines_of(name: str) -> tuple[Any, dict[str, Any]]:
    """The model of a metric, and its engines by name."""
    kind: type[Metric] = METRICS[name]
    (spec,) = kind.models.values()
    role, _, model_name = spec.partition(":")
    folder, _ = models.resolve(role, model_name, offline=True)
    model = models.load(spec, Runtime(offline=True))
    by_torch: Any
    if name == "support":
        by_torch = TorchEngine(read_network(folder, model.encoder))
    else:
        by_torch = TorchEncoder(folder, read_config(folder, model.id), model.id, "cpu", "float32")
    return model, {"onnxruntime": model.engine, "torch": by_torch}


def scored(metric: Metric, rows: Sequence[Example], at_once: int = ROWS) -> list[Score]:
    return [
        score
        for start in range(0, len(rows), at_once)
        for score in metric.score(rows[start : start + at_once])
    ]


def numbers_of(score: Score) -> Iterator[float]:
    """Its value and parts."""
    if score.value is not None:
        yield score.value
    yield from score.parts.values()


def marks_of(score: Score) -> dict[tuple[object, ...], float | None]:
    marked: list[tuple[tuple[object, ...], float | None]] = [
        ((one.start, one.end, one.label), one.score) for one in score.spans
    ]
    marked += [
        ((one.start, one.end, one.summary_start, one.summary_end, one.label), one.score)
        for one in score.evidence
    ]
    return dict(marked)


def compare(first: Sequence[Score], second: Sequence[Score]) -> str:
    greatest, near, apart, outcomes = 0.0, 0.0, 0, 0
    for one, other in zip(first, second, strict=True):
        outcomes += one.outcome != other.outcome
        pairs = zip(numbers_of(one), numbers_of(other), strict=True)
        greatest = max([greatest, *(abs(a - b) for a, b in pairs)])
        ours, theirs = marks_of(one), marks_of(other)
        apart += ours.keys() != theirs.keys()
        near = max([near, *(abs((ours[key] or 0) - (theirs[key] or 0))
                            for key in ours.keys() & theirs.keys())])  # fmt: skip
    return (
        f"  values and parts differ by at most {greatest:.1e}, scores of the same marks by "
        f"{near:.1e}; rows with other marks: {apart}, with other outcomes: {outcomes}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-d", "--dataset", action="append")
    parser.add_argument("-m", "--metric", action="append", choices=METRICS)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    if threads := os.environ.get("OMP_NUM_THREADS"):
        torch.set_num_threads(int(threads))
    split = cache(sentences.sentences.__wrapped__)
    for module in (sentences, marks, sentsim):
        module.sentences = split  # type: ignore[attr-defined]
    for name in arguments.dataset or ("summeval_dev",):
        rows = examples(name)[: arguments.limit]
        print(f"{name}: {len(rows)} rows, {len({row.source for row in rows})} sources")
        for metric_name in arguments.metric or METRICS:
            measure(metric_name, rows)


def measure(name: str, rows: Sequence[Example]) -> None:
    model, engines = engines_of(name)
    metric = METRICS[name](model)
    scored(metric, rows[:2])
    for row in rows if name != "support" else ():
        for text in (row.source, row.summary):
            sentences.sentences(text)
    print(f"{name}, {model.id}")
    scores: dict[str, list[Score]] = {}
    for engine_name, engine in engines.items():
        model.engine = engine
        model.forget()
        before = time.perf_counter(), time.process_time()
        scores[engine_name] = scored(metric, rows)
        wall, cpu = time.perf_counter() - before[0], time.process_time() - before[1]
        print(f"  {engine_name:11} {wall:6.1f} s ({len(rows) / wall:5.1f} rows/s), processor "
              f"{cpu:6.1f} s", flush=True)  # fmt: skip
    print(compare(scores["onnxruntime"], scores["torch"]))
    model.engine = engines["onnxruntime"]
    model.forget()
    alone = scored(metric, rows[:ROWS], 1)
    same = all(
        np.array_equal(list(numbers_of(one)), list(numbers_of(other)))
        and marks_of(one) == marks_of(other)
        for one, other in zip(alone, scores["onnxruntime"], strict=False)
    )
    print(f"  onnxruntime: the same bits alone and among {ROWS}: {'yes' if same else 'no'}")


if __name__ == "__main__":
    main()
