"""Speed and memory of the likelihood plan (`faithkit.models.causal`).

Compares, in one process and turn by turn on the same pairs,
  plan    three passes for five vectors, shared prefixes, logits only where they are needed
  naive   the five passes of the definition, one pair at a time, all logits
  bare    the transformer over as many tokens as the plan fed it: alone, and with all its logits

    python bench/likelihood.py --dataset summeval_dev --limit 32
    python bench/likelihood.py --dataset qags_xsum --limit 24 --threads 1 --clock cpu
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from data import examples
from faithkit.models import load
from faithkit.models.causal import CausalLM
from faithkit.models.forcing import Memo

ALL = frozenset({"source_lm", "source_s2s", "summary_lm", "summary_s2s", "summary_pref"})
MEMORY_TOKENS = 4000


def turns(pairs: list[tuple[str, str]], least: int = 32) -> Iterator[list[tuple[str, str]]]:
    """The pairs in turns of at least `least`, those of one source together."""
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for pair in pairs:
        groups[pair[0]].append(pair)
    turn: list[tuple[str, str]] = []
    for group in groups.values():
        turn += group
        if len(turn) >= least:
            yield turn
            turn = []
    if turn:
        yield turn


class Bench:
    def __init__(self, lm: CausalLM, clock: Callable[[], float]) -> None:
        self.lm = lm
        self.model, self.device = lm._model, lm._device
        self.clock = clock
        self.seconds: dict[str, float] = defaultdict(float)
        self.worst = 0.0

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        self.synchronise()
        begin = self.clock()
        result = work()
        self.synchronise()
        self.seconds[name] += self.clock() - begin
        return result

    def synchronise(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def plan(self, pairs: list[tuple[str, str]]) -> list[Any]:
        self.lm._memo = Memo()
        return self.lm.log_probs(pairs, ALL)

    def naive(self, pairs: list[tuple[str, str]]) -> list[dict[str, np.ndarray]]:
        start = self.lm._start.tolist()
        separator, space = self.lm._ids("TL;DR ").tolist(), self.lm._ids(" ").tolist()
        results = []
        for source, summary in pairs:
            x, y = self.lm._ids(source).tolist(), self.lm._ids(summary).tolist()
            results.append(
                {
                    "source_lm": self.forced(start, x),
                    "source_s2s": self.forced(start + y + separator, x),
                    "summary_lm": self.forced(start, y),
                    "summary_s2s": self.forced(start + x + separator, y),
                    "summary_pref": self.forced(start + y + space + x + separator, y),
                }
            )
        return results

    def forced(self, condition: list[int], target: list[int]) -> np.ndarray:
        ids = torch.tensor([condition + target], device=self.device)
        with torch.inference_mode():
            logs = self.model(ids, use_cache=False).logits[0].float().log_softmax(-1)
        rows = logs[len(condition) - 1 : -1]
        return rows.gather(1, torch.tensor(target, device=self.device)[:, None])[:, 0].cpu().numpy()

    def bare(self, tokens: int, length: int, body: bool) -> None:
        """A forward pass over `tokens` tokens in full batches of sequences of this length."""
        forward = self.model.base_model if body else self.model
        rows = max(1, self.lm._batch_tokens // length)
        with torch.inference_mode():
            while tokens > 0:
                some = min(rows, -(-tokens // length))
                ids = torch.randint(10, 1000, (some, min(length, tokens)), device=self.device)
                forward(ids, use_cache=False)
                tokens -= some * length

    def turn(self, pairs: list[tuple[str, str]]) -> tuple[int, int]:
        """One turn of every contestant. Returns the pairs' tokens and those the plan ran."""
        fed: list[int] = []
        hook = self.model.base_model.register_forward_pre_hook(
            lambda _, inputs: fed.append(inputs[0].numel())
        )
        found = self.timed("plan", lambda: self.plan(pairs))
        hook.remove()
        for one, expected in zip(
            found, self.timed("naive", lambda: self.naive(pairs)), strict=True
        ):
            for name, values in expected.items():
                self.worst = max(self.worst, float(np.abs(one.vectors[name] - values).max()))
        size = sum(one.source_tokens + one.summary_tokens for one in found)
        length = size // len(found)
        self.timed("bare body", lambda: self.bare(sum(fed), length, body=True))
        self.timed("bare with logits", lambda: self.bare(sum(fed), length, body=False))
        return size, sum(fed)


def peak_memory(bench: Bench) -> None:
    """Memory over the loaded model while a document of MEMORY_TOKENS tokens is scored."""
    lm = bench.lm
    source = "The mayor said on Monday that two new schools open in June. " * MEMORY_TOKENS
    ids = lm._ids(source[: 8 * MEMORY_TOKENS])[:MEMORY_TOKENS]
    text = lm._tokenizer.decode(ids)
    before, cuda = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, lm._device.type == "cuda"
    if cuda:
        torch.cuda.reset_peak_memory_stats()
        at = torch.cuda.memory_allocated()
    (one,) = lm.log_probs([(text, "Two schools open in June, the mayor said.")], ALL)
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    if cuda:
        used = (torch.cuda.max_memory_allocated() - at) / 2**20
    full = one.source_tokens * lm._model.config.vocab_size * 4 / 2**20
    print(
        f"peak memory over the loaded model at {one.source_tokens} source tokens: {used:.0f} MB "
        f"(one pass's logits alone would take {full:.0f} MB)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--dataset", default="summeval_dev", help="a file of --data, without .jsonl"
    )
    parser.add_argument("--limit", type=int, default=32, help="pairs")
    parser.add_argument("--model", default="lm:mini")
    parser.add_argument("--device")
    parser.add_argument("--dtype")
    parser.add_argument("--threads", type=int, help="torch's threads")
    parser.add_argument(
        "--clock",
        choices=["wall", "cpu"],
        default="wall",
        help="cpu: processor time of this process, for a machine that is shared",
    )
    parser.add_argument("--no-memory", action="store_true", help="leave peak memory out")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    lm = load(options.model, device=options.device, dtype=options.dtype)
    bench = Bench(lm, time.process_time if options.clock == "cpu" else time.perf_counter)
    if not options.no_memory:
        peak_memory(bench)
    pairs = [(e.source, e.summary) for e in examples(options.dataset)[: options.limit]]
    bench.plan(pairs[:1])
    sizes = [bench.turn(turn) for turn in turns(pairs)]
    size, fed = sum(a for a, _ in sizes), sum(b for _, b in sizes)
    plan = bench.seconds["plan"]
    print(
        f"{options.dataset}: {len(pairs)} pairs, {size} tokens; the plan ran {fed}; {lm.id}, "
        f"{lm._device}, {torch.get_num_threads()} threads, {options.clock} clock"
    )
    for name, seconds in bench.seconds.items():
        print(f"  {name:17} {seconds:8.1f} s {size / seconds:8.0f} pair tokens/s  "
              f"plan is {seconds / plan:.2f} x as fast")  # fmt: skip
    print(f"largest difference between plan and naive: {bench.worst:.1e} (log-probability)")


if __name__ == "__main__":
    main()
