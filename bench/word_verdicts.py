"""How well does the support model find the words that people marked?

    FAITHKIT_DATA=DATA python bench/word_verdicts.py --model out/support --documents 100

On xsumfaith_dev (a word is unsupported where two of three annotators marked it) and wice_tokens_dev
(marked tokens), over content words. AUC with its interval over documents; precision, recall and F1
at the threshold from which `support` marks, and the best F1 of any threshold, chosen on the same
words, as a ceiling. The model should be cross-fitted. Beside it two things that need no training:
the distance (1 - cosine) to the source's nearest word, and whether the word's stem is missing in
the source.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from sklearn.metrics import precision_recall_curve, precision_recall_fscore_support

from data import DATA
from faithkit import meta, models
from faithkit.metrics.support import MARKED
from faithkit.models.protocols import Floats
from faithkit.models.runtime import Runtime
from faithkit.train.support_rows import Options, labels_of, units
from faithkit.train.words import Labelled, labelled

FILES = ("xsumfaith_dev", "wice_tokens_dev")


def by_document(rows: Sequence[Labelled], most: int | None) -> list[Labelled]:
    """All rows of the first documents."""
    documents = list(dict.fromkeys(row.document for row in rows))[:most]
    kept = [row for row in rows if row.document in set(documents)]
    return sorted(kept, key=lambda row: documents.index(row.document))


def judged(rows: Sequence[Labelled], name: str) -> tuple[list[str], dict[str, Floats]]:
    """The document of every known content word, and columns over these words."""
    model = models.load(f"support:{name}", Runtime("cpu", offline=True))
    settings = model.every.settings
    options = Options(layer=settings.layer)
    encoder = models.load(f"tokens:{settings.encoder}", Runtime("cpu", offline=True))
    groups: list[str] = []
    parts: dict[str, list[Floats]] = {}
    for _, batch in groupby(rows, key=lambda row: row.document):
        chunk = list(batch)
        verdicts = model.judge([(row.source, row.summary) for row in chunk])
        plain = iter(units(chunk, encoder, options, lambda _: None))
        for row, verdict in zip(chunk, verdicts, strict=True):
            for sentence in verdict.sentences:
                features = dict(zip(options.features(), next(plain).features.T, strict=True))
                labels = labels_of(sentence.words, row)
                kept = ~np.isnan(labels) & (features["content"] > 0)
                groups += [row.document] * int(kept.sum())
                for column, values in {
                    "labels": labels > 0.5,
                    "support": sentence.unsupported,
                    "1 - cosine": 1 - features["cosine"],
                    "stem not in source": 1 - features["in_source"],
                }.items():
                    parts.setdefault(column, []).append(values[kept].astype(np.float32))
    return groups, {column: np.concatenate(batch) for column, batch in parts.items()}


def best_f1(labels: Floats, scores: Floats) -> float:
    precision, recall, _ = precision_recall_curve(labels, scores)
    return float(np.max(2 * precision * recall / np.maximum(precision + recall, 1e-12)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="out/support")
    parser.add_argument("--documents", type=int)
    arguments = parser.parse_args()
    for name in FILES:
        rows = by_document(labelled([name], DATA), arguments.documents)
        groups, columns = judged(rows, arguments.model)
        labels = columns.pop("labels")
        print(f"{name}: {len(rows)} texts of {len(set(groups))} documents, {len(labels)} content "
              f"words, {100 * labels.mean():.0f}% unsupported")  # fmt: skip
        for column, scores in columns.items():
            data = meta.sample(scores.tolist(), labels.tolist(), groups=groups)
            auc = meta.estimate(meta.AUC, data, draws=1000)
            at = 100 * np.array(
                precision_recall_fscore_support(labels, scores >= MARKED, average="binary")[:3]
            )
            marked = f", at {MARKED} precision {at[0]:.0f}, recall {at[1]:.0f}, F1 {at[2]:.0f}"
            print(f"  {column:20s} AUC {100 * auc.value:.1f} ({100 * auc.low:.1f}–"
                  f"{100 * auc.high:.1f}), best F1 {100 * best_f1(labels, scores):.0f}"
                  f"{marked if column == 'support' else ''}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
