"""Which layer of an encoder, and which threshold, should `bertscore` use by default?

    python bench/layers.py [--model mini] [--pairs 300]

Chosen on bump1 (are minimal pairs ranked right; are the edited words found) and qags_xsum
(Spearman), so nothing else that docs/results.md reports was looked at.
"""

from __future__ import annotations

import argparse
import difflib

import numpy as np
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from data import examples
from faithkit import models
from faithkit.language.words import is_content, words
from faithkit.metrics.bertscore import BertScore
from faithkit.records import Example, Score


def edited_words(wrong: str, right: str) -> list[tuple[int, int, bool]]:
    """Content words of `wrong`: start, end, and whether the edit put them there."""
    ours, theirs = words(wrong), words(right)
    matcher = difflib.SequenceMatcher(
        a=[w.text.lower() for w in theirs], b=[w.text.lower() for w in ours], autojunk=False
    )
    kept = {
        i for block in matcher.get_matching_blocks() for i in range(block.b, block.b + block.size)
    }
    return [
        (word.start, word.end, index not in kept)
        for index, word in enumerate(ours)
        if is_content(word.text)
    ]


def word_similarity(result: Score) -> dict[int, float]:
    """With a threshold above 1 every content word is a span, which carries its similarity."""
    return {span.start: span.score for span in result.spans if span.score is not None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="mini")
    parser.add_argument("--pairs", type=int, default=300)
    arguments = parser.parse_args()
    encoder = models.load(f"tokens:{arguments.model}")
    bump = [e for e in examples("bump1") if int(e.pair or 0) < arguments.pairs]
    qags = examples("qags_xsum")
    print("layer  bump1 pairs %  qags_xsum rho  bump1 word AUC  best F1 (threshold)")
    for layer in range(1, encoder.layers + 1):
        metric = BertScore(encoder, layer=layer, threshold=2.0)
        pairs = report_pairs(bump, metric.score(bump))
        rho = spearmanr([s.value for s in metric.score(qags)], [e.rating for e in qags])[0]
        print(f"{layer:5d}  {pairs[0]:13.1f}  {100 * rho:13.1f}  {pairs[1]:14.3f}  "
              f"{pairs[2]:.3f} ({pairs[3]:.2f})", flush=True)  # fmt: skip


def report_pairs(rows: list[Example], scores: list[Score]) -> tuple[float, float, float, float]:
    """% of pairs ranked right (ties wrong), AUC over words, best F1 over words and where."""
    pairs: dict[str, dict[int, tuple[Example, Score]]] = {}
    for example, result in zip(rows, scores, strict=True):
        pairs.setdefault(str(example.pair), {})[int(example.label or 0)] = (example, result)
    right = total = 0
    distances: list[float] = []
    edited: list[bool] = []
    for pair in pairs.values():
        if len(pair) < 2 or pair[0][1].value is None or pair[1][1].value is None:
            continue
        total += 1
        right += pair[1][1].value > pair[0][1].value
        similarity = word_similarity(pair[0][1])
        for start, _, wrong in edited_words(pair[0][0].summary, pair[1][0].summary):
            if start in similarity:
                distances.append(-similarity[start])
                edited.append(wrong)
    scores_, truth = np.array(distances), np.array(edited)
    best = (0.0, 0.0)
    for threshold in np.arange(0.3, 0.95, 0.01):
        flagged = -scores_ < threshold
        hits = (flagged & truth).sum()
        best = max(best, (2 * hits / max(flagged.sum() + truth.sum(), 1), threshold))
    return 100 * right / total, float(roc_auc_score(truth, scores_)), float(best[0]), float(best[1])


if __name__ == "__main__":
    main()
