"""Calibration of a trained support network on families of files that it was not trained on: what
its logits mean, from which value a summary is called consistent, and which words are shown.

Fitted by maximum likelihood over rows, each family counting the same; the table in the card leaves
each family out of the fit in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from faithkit.language.normalise import plain_source
from faithkit.language.sentences import closed_sentences, source_sentences
from faithkit.models.protocols import Floats
from faithkit.records import JSON, ConfigError
from faithkit.support.calibration import Calibration, sentence_features
from faithkit.support.evidence import Source
from faithkit.support.files import Settings
from faithkit.support.inputs import encode, read_evidence
from faithkit.support.model import Support
from faithkit.support.sentences import Kind, read_sentences
from faithkit.train.labels import FAMILIES, family, labelled
from faithkit.train.support_rows import CHOOSING, HELD_OUT, Progress, files_of, labels_of
from faithkit.train.words import Labelled

PRECISION = 0.8
"""Share of the verdicts "consistent", and of those "not", that should be right, families counting
the same."""

MARK_PRECISION = 0.6
"""Share of the marked words that people should have marked too."""

DECIDED = 0.5
"""A row's target from which it counts as consistent."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled row with what the network says of it.

    family     its family; the claims set is one
    target     probability that every sentence is supported, as people say
    features   [sentences, features], `calibration.sentence_features`
    words      logits of content words with a label, of all sentences
    labels     their labels, 0..1
    non_claim  [sentences] logits
    """

    family: str
    document: str
    target: float
    features: Floats
    words: Floats
    labels: Floats
    non_claim: Floats


def judge(rows: Sequence[Labelled], model: Support) -> list[Judged]:
    """The rows that have a target and a sentence with a word, in their order of documents."""
    judged = []
    text, source = None, Source([])
    tokenizer = model.tokenizer
    for row in sorted(rows, key=lambda row: (row.source, row.file, row.summary)):
        if row.target is None:
            continue
        if row.source != text:
            text = row.source
            plain = plain_source(row.source).text
            source = Source(read_sentences(source_sentences(plain), tokenizer))
        claims = read_sentences(closed_sentences(row.summary), tokenizer)
        if not claims or not source.sentences:
            continue
        readings = [read_evidence(claim, source, model.settings.budget) for claim in claims]
        outputs = model.logits([encode(reading) for reading in readings])
        features, words, labels = [], [], []
        for claim, (by_word, sentence, _) in zip(claims, outputs, strict=True):
            content = claim.kinds != Kind.FUNCTION
            features.append(sentence_features(by_word, sentence, content))
            labelled_words = labels_of(claim.places(), row)
            counted = content & ~np.isnan(labelled_words)
            words.append(by_word[counted])
            labels.append(labelled_words[counted])
        judged.append(
            Judged(
                family(row.file), row.document, row.target[0], np.array(features),
                np.concatenate(words), np.concatenate(labels),
                np.array([non_claim for *_, non_claim in outputs]),
            )
        )  # fmt: skip
    return judged


def calibrate(
    model: Support, data: Path, progress: Progress, families: Sequence[str] = HELD_OUT
) -> Settings:
    """The model's settings with what these families and the claims set's dev split say of it.
    Raises ConfigError where one is unknown, the model was trained on one of them or none has a
    row."""
    names = files_of(families)
    if seen := sorted(file for file in model.trained_on if FAMILIES.get(file) in families):
        raise ConfigError(f"The model was trained on {seen[0]}; calibrate it on other files.")
    rows = [row for row in labelled([*names, *CHOOSING], data)
            if family(row.file) in families or row.file.startswith("claims")]  # fmt: skip
    progress(f"calibrating on {len(rows)} rows of {', '.join(families)} and the claims set")
    judged = judge(rows, model)
    if not judged:
        raise ConfigError(f"No labelled row of {', '.join(families)}: nothing to calibrate on.")
    calibration, decision, marked = fitted(judged)
    card = {**model.settings.card, "calibrated_on": sorted({row.family for row in judged}),
            "left_out": left_out(judged)}  # fmt: skip
    return replace(
        model.settings, calibration=calibration, decision=decision, marked=marked, card=card
    )


def fitted(judged: Sequence[Judged]) -> tuple[Calibration, tuple[float, float], float]:
    """The calibration, the bands (lower, upper), and the probability from which words are shown."""
    calibration = Calibration(_word_scaling(judged), _sentence_weights(judged))
    values = np.array([value_of(row, calibration) for row in judged])
    return calibration, bands(judged, values), _marked(judged, calibration)


def _weights(judged: Sequence[Judged], sizes: Sequence[int] | None = None) -> Floats:
    """[rows], so that each family weighs the same. sizes: how much of each row counts."""
    counts = sizes or [1] * len(judged)
    total: dict[str, float] = {}
    for row, count in zip(judged, counts, strict=True):
        total[row.family] = total.get(row.family, 0.0) + count
    weights = np.array([1 / max(total[row.family], 1) for row in judged])
    shares: Floats = (weights / len(total)).astype(np.float32)
    return shares


def value_of(row: Judged, calibration: Calibration) -> float:
    """The probability that every sentence is supported."""
    odds = row.features @ np.array(calibration.sentence[:-1]) + calibration.sentence[-1]
    return float(np.exp(-np.logaddexp(0, -odds).sum()))


def _sentence_weights(judged: Sequence[Judged]) -> tuple[float, float, float, float]:
    """Weights of the features (none below 0) and the shift under which the rows' targets are most
    likely."""
    from scipy.optimize import minimize

    weights = _weights(judged)
    targets = np.array([row.target for row in judged])
    sizes = np.array([len(row.features) for row in judged])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    features = np.concatenate([row.features for row in judged])

    def loss(at: Floats) -> float:
        odds = features @ at[:-1] + at[-1]
        log_all = np.add.reduceat(-np.logaddexp(0, -odds), starts)
        log_not = np.log1p(-np.exp(np.minimum(log_all, -1e-9)))
        likelihood = targets * log_all + (1 - targets) * log_not
        return float(-(weights * likelihood).sum() + 1e-4 * (at**2).sum())

    start = np.array([0.5, 0.3, 0.3, 1.0])
    bounds = [(0, None)] * 3 + [(None, None)]
    best = minimize(loss, start, method="L-BFGS-B", bounds=bounds)
    one, two, three, shift = (round(float(value), 4) for value in best.x)
    return one, two, three, shift


def _word_scaling(judged: Sequence[Judged]) -> tuple[float, float]:
    """Slope and shift of the words' logits under which their labels are most likely."""
    from scipy.optimize import minimize

    sizes = [len(row.words) for row in judged]
    weights = np.repeat(_weights(judged, sizes), sizes)
    logits = np.concatenate([row.words for row in judged]).astype(np.float64)
    labels = np.concatenate([row.labels for row in judged])

    def loss(at: Floats) -> float:
        odds = at[0] * logits + at[1]
        return float((weights * (np.logaddexp(0, odds) - labels * odds)).sum())

    best = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B", bounds=[(0.1, None), (-9, 9)])
    return round(float(best.x[0]), 4), round(float(best.x[1]), 4)


STEPS = tuple(round(step / 100, 2) for step in range(2, 99))


def bands(judged: Sequence[Judged], values: Floats) -> tuple[float, float]:
    """(lower, upper): the least value from which at least PRECISION of the rows are consistent, and
    the greatest below which as many are not, each family weighing the same; where no value does,
    the one that comes nearest."""
    weights = _weights(judged)
    good = np.array([row.target >= DECIDED for row in judged])

    def share(inside: np.ndarray, right: np.ndarray) -> float:
        return float((weights * (inside & right)).sum() / max((weights * inside).sum(), 1e-9))

    uppers = [step for step in STEPS if share(values >= step, good) >= PRECISION]
    lowers = [step for step in STEPS if share(values < step, ~good) >= PRECISION]
    upper = min(uppers, default=max(STEPS, key=lambda step: share(values >= step, good)))
    lower = max(lowers, default=min(STEPS))
    return (min(lower, upper), upper)


def _marked(judged: Sequence[Judged], calibration: Calibration) -> float:
    """The least probability from which at least MARK_PRECISION of the words are labelled as
    unsupported, each family weighing the same; the greatest of STEPS where there is none."""
    sizes = [len(row.words) for row in judged]
    weights = np.repeat(_weights(judged, sizes), sizes)
    labels = np.concatenate([row.labels for row in judged]) >= DECIDED
    unsupported = calibration.unsupported(np.concatenate([row.words for row in judged]))
    for step in STEPS:
        inside = unsupported >= step
        right = (weights * inside * labels).sum()
        if inside.any() and right >= MARK_PRECISION * (weights * inside).sum():
            return step
    return STEPS[-1]


def left_out(judged: Sequence[Judged]) -> dict[str, JSON]:
    """Of each family, calibrated on the others: rows, share consistent, AUC, the shares of right
    verdicts among "consistent" and "not", and precision and recall of the marked words."""
    table: dict[str, JSON] = {}
    for name in sorted({row.family for row in judged}):
        own = [row for row in judged if row.family == name]
        rest = [row for row in judged if row.family != name]
        if rest:
            table[name] = _figures(own, *fitted(rest))
    return table


def _figures(
    own: Sequence[Judged], calibration: Calibration, limits: tuple[float, float], marked: float
) -> dict[str, JSON]:
    from sklearn.metrics import roc_auc_score

    values = np.array([value_of(row, calibration) for row in own])
    good = np.array([row.target >= DECIDED for row in own])
    lower, upper = limits
    yes, no = values >= upper, values < lower
    labels = np.concatenate([row.labels for row in own]) >= DECIDED
    shown = calibration.unsupported(np.concatenate([row.words for row in own])) >= marked
    both = bool(good.any() and not good.all())
    return {
        "rows": len(own),
        "consistent": round(float(good.mean()), 3),
        "auc": round(100 * float(roc_auc_score(good, values)), 1) if both else None,
        "called_consistent": round(float(yes.mean()), 3),
        "right_consistent": _share(good[yes]),
        "called_not": round(float(no.mean()), 3),
        "right_not": _share(~good[no]),
        "marked_words": int(shown.sum()),
        "marks_precision": _share(labels[shown]),
        "marks_recall": _share(shown[labels]),
    }


def _share(flags: np.ndarray) -> float | None:
    return round(float(flags.mean()), 3) if len(flags) else None
