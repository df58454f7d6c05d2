"""Speed and memory of the likelihood plan (`faithkit.models.causal`).

Compares, in one process and turn by turn on the same pairs,
  plan    three passes for five vectors, shared prefixes, logits only where they are needed
  naive   the five passes of the definition, one pair at a time, all logits
  bare    the transformer over as many tokens as the plan fed it: alone, and with all its logits

    python bench/likelihood.py --dataset summeval_dev --limit 32
    python bench/likelihood.py --dataset qags_xsum --limit 24 --threads 1 --clock cpu

or, with --batches, how far the plan's vectors and FFLM are from the naive ones, at each number of
rows in a forward pass, with and without shared prefixes:

    python bench/likelihood.py --dataset xsumfaith_dev --batches 1 4 16 --threads 1
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from data import examples
from faithkit.metrics.probability import Fflm
from faithkit.models import load
from faithkit.models.causal import CausalLM
from faithkit.models.protocols.likelihood import Vector
from faithkit.models.runtime import Runtime
from faithkit.models.teacher_forcing import Memo
from faithkit.records import Example, Score

ALL: frozenset[Vector] = frozenset(
    {"source_lm", "source_s2s", "summary_lm", "summary_s2s", "summary_pref"}
)
MEMORY_TOKENS = 4000
DOCUMENTS, SOURCE_CHARACTERS = 10, 1000


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

    def naive(self, pairs: list[tuple[str, str]]) -> list[dict[Vector, np.ndarray]]:
        start = self.lm._start.tolist()
        separator, space = self.lm._ids("TL;DR ").tolist(), self.lm._ids(" ").tolist()
        results: list[dict[Vector, np.ndarray]] = []
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
        logs_of = rows.gather(1, torch.tensor(target, device=self.device)[:, None])[:, 0]
        values: np.ndarray = logs_of.cpu().numpy()
        return values

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
        planned = self.timed("plan", lambda: self.plan(pairs))
        hook.remove()
        for actual, expected in zip(
            planned, self.timed("naive", lambda: self.naive(pairs)), strict=True
        ):
            for name, values in expected.items():
                self.worst = max(self.worst, float(np.abs(actual.vectors[name] - values).max()))
        size = sum(actual.source_tokens + actual.summary_tokens for actual in planned)
        length = size // len(planned)
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
    (actual,) = lm.log_probs([(text, "Two schools open in June, the mayor said.")], ALL)
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    if cuda:
        used = (torch.cuda.max_memory_allocated() - at) / 2**20
    full = actual.source_tokens * lm._model.config.vocab_size * 4 / 2**20
    print(
        f"peak memory over the loaded model at {actual.source_tokens} source tokens: {used:.0f} MB "
        f"(one pass's logits alone would take {full:.0f} MB)"
    )


def spread(rows: list[Example]) -> list[Example]:
    """Every summary of DOCUMENTS documents, evenly spaced by length among the documents of at most
    SOURCE_CHARACTERS characters."""
    short = sorted({e.source for e in rows if len(e.source) <= SOURCE_CHARACTERS}, key=len)
    places = np.linspace(0, len(short) - 1, min(DOCUMENTS, len(short))).round().astype(int)
    order = {short[place]: rank for rank, place in enumerate(places)}
    return sorted((e for e in rows if e.source in order), key=lambda e: order[e.source])


def value_of(score: Score) -> float:
    if score.value is None:
        raise SystemExit(f"{score.id} has no value: {score.outcome}")
    return score.value


def naive_fflm(vectors: dict[Vector, np.ndarray]) -> float:
    """FFLM with the weights for ratings, as it is defined."""
    logs = {name: values.astype(np.float64) for name, values in vectors.items()}

    def change(given: Vector, without: Vector) -> float:
        return float(np.mean(np.exp(np.exp(logs[given])) * (logs[given] - logs[without])))

    return (
        0.25 * change("summary_s2s", "summary_lm")
        + 0.25 * change("source_s2s", "source_lm")
        + 0.5 * change("summary_s2s", "summary_pref")
    )


def rows_of(size: int) -> Callable[[Sequence[int], int], list[list[int]]]:
    """A stand-in for the plan's batches by tokens: `size` sequences each, longest first."""

    def batches(lengths: Sequence[int], _budget: int) -> list[list[int]]:
        order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
        return [order[start : start + size] for start in range(0, len(order), size)]

    return batches


def equality(lm: CausalLM, rows: list[Example], sizes: Sequence[int]) -> None:
    """The largest differences between plan and definition, for every number of rows in a pass."""
    chosen = spread(rows)
    pairs = [(e.source, e.summary) for e in chosen]
    naive = Bench(lm, time.perf_counter).naive(pairs)
    lengths = [len(actual["source_lm"]) for actual in naive]
    print(
        f"{len(pairs)} pairs: all summaries of {len({e.source for e in chosen})} documents, "
        f"evenly spaced by length\namong those of at most {SOURCE_CHARACTERS} characters; sources "
        f"of {min(lengths)} to {max(lengths)} tokens; {lm.id}, {lm._device}\n"
        "largest difference from the five passes of the definition\n"
        "rows  prefixes  passes  tokens run  log-probability     FFLM",
        flush=True,
    )
    shares = lm._shares_prefix
    fed: list[tuple[int, ...]] = []
    hook = lm._model.base_model.register_forward_pre_hook(
        lambda _, inputs: fed.append(tuple(inputs[0].shape))
    )
    for size in sizes:
        for shared in (True, False):
            fed.clear()
            lm._memo, lm._shares_prefix = Memo(), shares and shared
            with patch("faithkit.models.causal.batches", rows_of(size)):
                # The vectors are then read from the memory that the metric filled.
                scores = Fflm(lm).score(chosen)
                planned = lm.log_probs(pairs, ALL)
            assert max(rows for rows, _ in fed) == size
            logs = max(
                float(np.abs(actual.vectors[name] - values).max())
                for actual, expected in zip(planned, naive, strict=True)
                for name, values in expected.items()
            )
            last = max(
                abs(value_of(score) - naive_fflm(expected))
                for score, expected in zip(scores, naive, strict=True)
            )
            print(
                f"{size:4}  {'shared' if lm._shares_prefix else 'repeated':8}  {len(fed):6}  "
                f"{sum(rows * width for rows, width in fed):10}  {logs:15.1e}  {last:7.1e}",
                flush=True,
            )
    hook.remove()
    lm._shares_prefix = shares


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
    parser.add_argument(
        "--batches", type=int, nargs="+", metavar="ROWS", help="compare the numbers, not the speed"
    )
    parser.add_argument("--no-memory", action="store_true", help="leave peak memory out")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    lm = load(options.model, Runtime(options.device, options.dtype))
    if options.batches:
        equality(lm, examples(options.dataset), options.batches)
        return
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
