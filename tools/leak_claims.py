"""Can the labels of the claims set be guessed from the claims alone? They should not: below 55%.

    python tools/leak_claims.py

Balanced accuracy of two classifiers that never see a source, in five folds by source: the claim's
words and word pairs, and its length; of the written claims, and with the sentences of generated
summaries. Reads data/claims/written and data/claims/generated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import build_claims


def lengths(claims: list[str]) -> np.ndarray:
    return np.array([[len(claim), len(claim.split())] for claim in claims], dtype=float)


def main() -> None:
    files = sorted((build_claims.FOLDER / "written").glob("*.txt"))
    written = [row for path in files for row in build_claims.of_file(path)]
    generated = build_claims.all_generated(written)
    show("written", written)
    show("written and generated", [*written, *generated])


def show(title: str, rows: Sequence[dict[str, object]]) -> None:
    """Prints the accuracy of both classifiers on the rows."""
    claims = [str(row["summary"]) for row in rows]
    labels = np.array([int(str(row["label"])) for row in rows])
    sources = [str(row["document"]) for row in rows]
    classifiers = {
        "words and word pairs": TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
        "length": make_pipeline(FunctionTransformer(lengths), StandardScaler()),
    }
    print(f"{title}: {len(rows)} rows, {labels.mean():.1%} supported")
    for name, features in classifiers.items():
        model = make_pipeline(features, LogisticRegression(class_weight="balanced", max_iter=2000))
        guessed = cross_val_predict(model, claims, labels, groups=sources, cv=GroupKFold(5))
        print(f"  {name}: {100 * balanced_accuracy_score(labels, guessed):.1f}")


if __name__ == "__main__":
    main()
