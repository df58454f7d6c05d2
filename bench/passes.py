"""What the metrics of a published table cost on one language model (`faithkit.models.causal`):
together, as a run has them, and each by itself, as if none shared a pass.

    python bench/passes.py fflm-table4 --dataset qags_xsum --limit 4 --threads 1

Counts the model's forward passes and the tokens in them, which depend on nothing but the texts,
and measures processor time. The values of both ways are compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import torch

from data import examples
from faithkit import run
from faithkit.metrics.base import Metric
from faithkit.models import load
from faithkit.models.causal import CausalLM
from faithkit.models.runtime import Runtime
from faithkit.models.teacher_forcing import Memo
from faithkit.records import Example
from faithkit.reproduce import plans, recipes


class Count:
    """Passes, tokens and processor seconds since it was made."""

    def __init__(self, lm: CausalLM) -> None:
        self.passes = self.tokens = 0
        self._begin = time.process_time()
        self._hook = lm._model.base_model.register_forward_pre_hook(self._add)

    def _add(self, _: object, inputs: tuple[torch.Tensor, ...]) -> None:
        self.passes += 1
        self.tokens += inputs[0].numel()

    def stop(self) -> None:
        self._hook.remove()
        self.seconds = time.process_time() - self._begin

    def __str__(self) -> str:
        return f"{self.passes:6} passes {self.tokens:8} tokens {self.seconds:8.1f} s"


def values(metrics: Sequence[Metric], rows: Sequence[Example]) -> list[list[float | None]]:
    return [[score.value for score in metric.score(rows)] for metric in metrics]


def fresh(lm: CausalLM) -> None:
    """Makes the model forget what it has computed and what will be asked for."""
    lm._memo, lm._expected = Memo(), frozenset()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe", help="with one language model, such as fflm-table4")
    parser.add_argument("--dataset", default="qags_xsum", help="a file of --data, without .jsonl")
    parser.add_argument("--limit", type=int, default=4, help="pairs")
    parser.add_argument("--threads", type=int, help="torch's threads")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    runtime = Runtime(offline=True)
    plan = plans.plan(recipes.load(options.recipe), stand_in=True, offline=True)
    lm = load("lm:mini", runtime)
    rows = examples(options.dataset)[: options.limit]

    together = Count(lm)
    prepared = run.prepare(list(dict.fromkeys(plan.metrics.values())), runtime)
    shared = values([one.metric for one in prepared], rows)
    together.stop()

    apart, worst = [], 0.0
    for one, expected in zip(prepared, shared, strict=True):
        fresh(lm)
        count = Count(lm)
        found = values([one.metric], rows)[0]
        count.stop()
        apart.append(count)
        print(f"{count}  {one.label}", flush=True)
        for value, other in zip(found, expected, strict=True):
            worst = max(worst, abs((value or 0) - (other or 0)))
    tokens, seconds = sum(one.tokens for one in apart), sum(one.seconds for one in apart)
    print(
        f"{options.dataset}: {len(rows)} pairs, {len(prepared)} metrics, {lm.id}, "
        f"{torch.get_num_threads()} threads\n"
        f"each by itself {sum(one.passes for one in apart):6} passes {tokens:8} tokens "
        f"{seconds:8.1f} s\n"
        f"together       {together}\n"
        f"{tokens / together.tokens:.1f} times the tokens, {seconds / together.seconds:.1f} times "
        f"the time by itself; largest difference of a value {worst:.1e}"
    )


if __name__ == "__main__":
    main()
