"""What metrics over one model cost alone and together: tokens that the network reads, counted for
each layer that they go through.

    python bench/sharing.py [-d qags_xsum] [--limit 16] [support,entailment bertscore,sentsim ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from unittest.mock import patch

import numpy as np

from data import examples
from faithkit import models
from faithkit.cache import Cache
from faithkit.models.bert_onnx import OnnxBert
from faithkit.models.protocols import Floats, Ints
from faithkit.models.runtime import Runtime
from faithkit.records import Example
from faithkit.run import prepare, score_batch
from faithkit.support.engine import OnnxEngine
from faithkit.support.inputs import Batch

TOGETHER = ("support,entailment,lss_bleu", "bertscore,sentsim")


def tokens_read(metrics: Sequence[str], rows: list[Example]) -> int:
    """Tokens times layers of the passes for these metrics, with nothing remembered before."""
    prepared = prepare(list(metrics), Runtime("cpu", offline=True))
    for kept in models._loaded.values():
        if hasattr(kept.model, "forget"):
            kept.model.forget()
    total = 0
    run, logits = OnnxBert._run, OnnxEngine.logits

    def counted_run(self: OnnxBert, states: Floats, mask: Ints, start: int, stop: int) -> Floats:
        nonlocal total
        total += len(states) * (stop - start)
        return run(self, states, mask, start, stop)

    def counted_logits(self: OnnxEngine, batch: Batch) -> tuple[np.ndarray, ...]:
        nonlocal total
        total += int(batch.mask.sum())  # all its layers are one pass
        return logits(self, batch)

    with (
        patch.object(OnnxBert, "_run", counted_run),
        patch.object(OnnxEngine, "logits", counted_logits),
        Cache(None) as store,
    ):
        score_batch(prepared, rows, store)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("metrics", nargs="*", default=TOGETHER)
    parser.add_argument("-d", "--dataset", default="qags_xsum")
    parser.add_argument("--limit", type=int, default=16)
    arguments = parser.parse_args()
    rows = examples(arguments.dataset)[: arguments.limit]
    print(f"{arguments.dataset}: {len(rows)} rows; tokens read, times the layers of an encoder")
    for together in arguments.metrics:
        names = together.split(",")
        alone = {name: tokens_read([name], rows) for name in names}
        whole = tokens_read(names, rows)
        shown = ", ".join(f"{name} {count}" for name, count in alone.items())
        print(f"  {shown}; together {whole} ({whole / sum(alone.values()):.0%})")


if __name__ == "__main__":
    main()
