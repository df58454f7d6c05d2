"""Spearman with the human scores, and rows a second, for the metrics of a plain install.

    python bench/human.py [--data summeval_dev xsumfaith_dev] [-m rouge2 bertscore ...]

Every row that has a value counts; how many have none is printed. `faithkit bench` does this with
intervals; this script only shows that the numbers can be had in twenty lines.
"""

from __future__ import annotations

import argparse
import time

from scipy.stats import spearmanr

from data import examples
from faithkit.cache import Cache
from faithkit.models.runtime import Runtime
from faithkit.run import batched, prepare, score_batch

METRICS = ["rouge1", "rouge2", "rougeL", "bleu", "meteor", "novelty", "bertscore", "sentsim", "ner",
           "ner_overlap"]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["summeval_dev", "xsumfaith_dev"])
    parser.add_argument("-m", "--metrics", nargs="+", default=METRICS)
    arguments = parser.parse_args()
    for name in arguments.data:
        rows = examples(name)
        print(f"{name}: {len(rows)} rows")
        for metric in arguments.metrics:
            prepared = prepare([metric], Runtime(offline=True))
            start = time.perf_counter()
            with Cache(None) as store:
                scores = [r[0] for b in batched(rows, 64) for r in score_batch(prepared, b, store)]
            speed = len(rows) / (time.perf_counter() - start)
            both = [(s.value, e.rating) for s, e in zip(scores, rows, strict=True)
                    if s.value is not None]  # fmt: skip
            rho = spearmanr(*zip(*both, strict=True))[0]
            print(f"  {metric:14s} rho {100 * rho:5.1f}   scored {len(both)}, "
                  f"unscored {len(rows) - len(both)}   {speed:.0f} rows/s", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
