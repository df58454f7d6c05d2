"""Is a metric right where shallow features are not? [STRESS]

A small network classifies summaries as consistent or not by six shallow features. Rows on which it
is right, and sure, are easy: overlap alone gives them away. Rows on which it is wrong, and sure,
are hard. What lives here: the features' definition, the network's forward pass and its file, the
buckets, the suite. What does not: fitting (`train/difficulty.py`), running the metrics that the
features are parts of (`stress/run.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from faithkit import meta
from faithkit.meta.sample import Floats
from faithkit.records import JSON, ConfigError, DataError, Example, Score, canonical_json, is_blank
from faithkit.stress.suites.base import (
    FAILS,
    PASSES,
    UNDETERMINED,
    Case,
    CaseValues,
    Figure,
    Figures,
    Judgement,
    Rule,
    Suite,
    ends_of,
    interval,
    never,
)
from faithkit.stress.suites.choosing import spread
from faithkit.stress.suites.figures import figure

NAME = "difficulty"

FEATURES: dict[str, tuple[str, str]] = {
    "rouge2": ("rouge2", "f1"),
    "entity_overlap": ("ner_overlap", "value"),
    "embedding_similarity": ("sentsim", "precision"),
    "novel_words": ("novelty", "novel_1gram"),
    "novel_sentences": ("novelty", "novel_sentence"),
    "conciseness": ("novelty", "conciseness"),
}
"""Feature to the metric and the part of its score: ROUGE-2 F1 to the source, share of entities
that occur in it, mean over summary sentences of the most similar source sentence, shares of novel
words and sentences, source words / summary words."""

EASY, MEDIUM, HARD = BUCKETS = ("easy", "medium", "hard")
UNSURE = 0.2
"""Share of the rows, those with the lowest confidence, that are called medium [STRESS]."""

ROWS = 10
"""Rows taken for each row of the limit: each costs one text, in other suites up to a hundred."""


def metrics_needed() -> list[str]:
    """The metrics that the features are parts of."""
    return list(dict.fromkeys(metric for metric, _ in FEATURES.values()))


def features_of(scores: Mapping[str, Score]) -> list[float | None]:
    """The six features, in the order of FEATURES; None where a metric has none (no entity, say).

    scores  the scores of one row by metric, those of `metrics_needed`
    """
    features: list[float | None] = []
    for metric, part in FEATURES.values():
        score = scores[metric]
        if score.value is None:
            features.append(None)
        else:
            features.append(score.value if part == "value" else score.parts.get(part))
    return features


@dataclass(frozen=True, slots=True)
class Difficulty:
    """A trained classifier: p(consistent) from six shallow features.

    means, scales  [6] of the training rows; a feature is standardised by them, and one that is
                   missing counts as the mean
    weights        [in, out] of each layer; biases [out]
    card           what it was trained on, and how well it does on other documents
    """

    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    card: Mapping[str, JSON] = field(default_factory=dict)

    def probabilities(self, rows: Sequence[Sequence[float | None]]) -> list[float]:
        """p(consistent) of each row of features, in [0, 1]."""
        states = standardised(rows, self.means, self.scales)
        for weights, biases in zip(self.weights[:-1], self.biases[:-1], strict=True):
            states = np.maximum(states @ weights + biases, 0.0)
        logits = (states @ self.weights[-1] + self.biases[-1])[:, 0]
        return [float(p) for p in 1 / (1 + np.exp(-np.clip(logits, -500, 500)))]

    def to_dict(self) -> dict[str, JSON]:
        """What the file holds; `sha256` is of everything else in it."""
        record: dict[str, JSON] = {
            "features": list(FEATURES),
            "means": list(self.means),
            "scales": list(self.scales),
            "weights": [layer.tolist() for layer in self.weights],
            "biases": [layer.tolist() for layer in self.biases],
            "card": dict(self.card),
        }
        return {**record, "sha256": _hash(record)}


def standardised(
    rows: Sequence[Sequence[float | None]], means: Sequence[float], scales: Sequence[float]
) -> Floats:
    """[rows, 6]: less the mean, over the scale; a missing feature is 0, the mean."""
    filled = [
        [0.0 if value is None else (value - mean) / scale
         for value, mean, scale in zip(row, means, scales, strict=True)]
        for row in rows
    ]  # fmt: skip
    return np.array(filled, dtype=float).reshape(len(rows), len(means))


def _hash(record: Mapping[str, JSON]) -> str:
    return hashlib.sha256(canonical_json(dict(record)).encode()).hexdigest()


def load(path: Path) -> Difficulty:
    """A file of `faithkit train difficulty`. Raises DataError where it is missing, broken, changed
    since it was written, or about other features."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        expected = record.pop("sha256")
        if expected != _hash(record):
            raise DataError(f"{path} was changed since it was written; train it again")
        if record["features"] != list(FEATURES):
            raise DataError(f"{path} is about the features {', '.join(record['features'])}; this "
                            f"version has {', '.join(FEATURES)}; train it again")  # fmt: skip
        return Difficulty(
            tuple(record["means"]),
            tuple(record["scales"]),
            tuple(np.array(layer, dtype=float) for layer in record["weights"]),
            tuple(np.array(layer, dtype=float) for layer in record["biases"]),
            record["card"],
        )
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path} is not a file of `faithkit train difficulty`") from error


def buckets(probabilities: Sequence[float], labels: Sequence[int]) -> list[str]:
    """easy, medium or hard for each row [STRESS].

    easy    right, and in the top 80% of confidence |p - .5|
    medium  right otherwise, or wrong in the bottom 20%
    hard    wrong otherwise
    Ties at the border of the bottom 20% count as above it.
    """
    confidence = [abs(p - 0.5) for p in probabilities]
    border = sorted(confidence)[int(UNSURE * len(confidence))] if confidence else 0.0
    named = []
    for p, sure, label in zip(probabilities, confidence, labels, strict=True):
        right = (p >= 0.5) == bool(label)
        named.append(MEDIUM if sure < border else EASY if right else HARD)
    return named


def labelled(examples: Sequence[Example]) -> list[Example]:
    """The rows that the suite and its training can use. Raises DataError where they are not of
    both labels."""
    rows = [row for row in examples if row.label is not None and not is_blank(row)]
    have = {row.label for row in rows}
    if have != {0, 1}:
        problem = "none has one" if not have else f"all are labelled {have.pop()}"
        raise DataError(
            f"difficulty needs rows labelled consistent (1) and not (0): of {len(examples)} rows "
            f"{problem}"
        )
    return rows


def cases(examples: Sequence[Example], *, seed: int, limit: int | None) -> list[Case]:
    """Labelled rows, spread over documents; `bucketed` tells them apart.

    Raises DataError where they are not of both labels.
    """
    most = None if limit is None else ROWS * limit
    rows = spread(labelled(examples), seed, most)
    return [
        Case(
            id=row.id,
            suite=NAME,
            kind=MEDIUM,
            document=row.document,
            texts={"row": (row.source, row.summary)},
            label=row.label,
        )
        for row in labelled(rows)
    ]


def bucketed(cases: Sequence[Case], probabilities: Sequence[float]) -> list[Case]:
    """The cases with their bucket as kind, and what the features say as note."""
    labels = [_label(case) for case in cases]
    return [
        replace(case, kind=bucket, note=f"shallow features give {p:.2f}")
        for case, bucket, p in zip(
            cases, buckets(probabilities, labels), probabilities, strict=True
        )
    ]


def _label(case: Case) -> int:
    if case.label is None:
        raise ConfigError(f"case '{case.id}' of the suite difficulty has no label")
    return case.label


def summarise(cases: Sequence[Case], values: Sequence[CaseValues]) -> dict[str, JSON]:
    """The AUC of each bucket and of all rows, with its interval by document, and `consistent`, the
    share of rows labelled 1."""
    figures: list[JSON] = []
    for kind in ("all", *BUCKETS):
        rows = [
            (case, of_case["row"])
            for case, of_case in zip(cases, values, strict=True)
            if kind in ("all", case.kind)
        ]
        labels = [_label(case) for case, _ in rows]
        auc = figure(
            kind,
            "auc",
            [value for _, value in rows],
            [case.document for case, _ in rows],
            labels=labels,
            measure=meta.AUC,
        )
        auc["consistent"] = sum(labels) / len(labels) if labels else None
        figures.append(auc)
    return {"figures": figures}


def _auc_of(bucket: str) -> Callable[[Figures], list[Judgement]]:
    def judge(figures: Figures) -> list[Judgement]:
        for row in figures.rows:
            if row["kind"] == bucket:
                return [_auc(row, bucket)]
        return []

    return judge


def _auc(row: Figure, bucket: str) -> Judgement:
    if row["value"] is None:
        return UNDETERMINED, f"On {bucket} rows it has no AUC: {row.get('reason')}."
    ends = ends_of(row)
    words = (f"On {bucket} rows its AUC is {interval(row, sign=False)} "
             f"({row['n']} rows; .5 is chance)")  # fmt: skip
    if isinstance(ends, str):
        return UNDETERMINED, f"{words}: {ends}."
    return PASSES if ends[0] > 0.5 else FAILS, f"{words}."


RULES: tuple[Rule, ...] = (
    Rule("it is right on easy rows",
         "the interval of the AUC on rows that shallow features get right lies above .5",
         _auc_of("easy"), never),
    Rule("it is right on medium rows",
         "the interval of the AUC on rows that shallow features are unsure of lies above .5",
         _auc_of("medium"), never),
    Rule("it is right on hard rows",
         "the interval of the AUC on rows that shallow features get wrong lies above .5",
         _auc_of("hard"), never),
)  # fmt: skip


SUITE = Suite(
    name=NAME,
    title="Difficulty",
    about=(
        "Rows by how well shallow features (overlap, entities, similarity, novelty, "
        "length) tell consistent from inconsistent: easy where they are right and sure, "
        "hard where they are wrong and sure. AUC in each."
    ),
    cases=cases,
    summarise=summarise,
    rules=RULES,
    plotted=("auc",),
    dotted="chance",
)  # fmt: skip
