"""AUC of the scores that StorySumm's authors released for three checkers, beside `support`'s on the
same summaries.

    python bench/published_scores.py DATA/bench/storysumm_dev.jsonl [--model mini]

A checker that scores sentences counts with their mean. `--model`: a support model or its folder.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from faithkit import run
from faithkit.models.runtime import Runtime
from faithkit.records import Example


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", default="mini")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.file.read_text(encoding="utf-8").splitlines()]
    columns = {
        name: [float(np.mean(row["published"][name])) for row in rows]
        for name in rows[0]["published"]
    }
    examples = [Example(row["id"], row["source"], row["summary"]) for row in rows]
    prepared = run.prepare([f"support:model={arguments.model}"], Runtime("cpu", offline=True))
    scores = prepared[0].metric.score(examples)
    unscored = [f"{score.id} ({score.outcome})" for score in scores if score.value is None]
    if unscored:
        raise SystemExit(f"{arguments.file}: without a value: {', '.join(unscored)}")
    columns[f"support ({arguments.model})"] = [
        score.value for score in scores if score.value is not None
    ]
    for name, values in columns.items():
        labels = [float(row["label"]) for row in rows]
        print(f"{name:28} {100 * auc(values, labels):5.1f}")


def auc(values: list[float], labels: list[float]) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(labels, values))


if __name__ == "__main__":
    main()
