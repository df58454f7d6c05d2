"""What is fitted on top of a trained support network and written into its files: the claim head,
the scaling of word probabilities, and the decision about a summary.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from faithkit.language.sentences import closed_sentences
from faithkit.language.words import Segment
from faithkit.meta.calibration import fit_calibration
from faithkit.metrics.support import value_of
from faithkit.models import load
from faithkit.models.protocols import Floats, SentenceVerdict, TokenEncoder, Verdict
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError, DataError
from faithkit.support import model as support_model
from faithkit.support.model import Reader
from faithkit.support.network import SupportNetwork, claim_inputs
from faithkit.train.corruptions import non_claims
from faithkit.train.support_rows import Progress, is_pairs, labels_of, limited
from faithkit.train.words import Labelled

UNSCALED = (1.0, 0.0, 0.0)

UNDECIDED = (-1.0, 2.0, 0.0, 0.0)
"""A decision that gives no verdict: what a model has before it is calibrated."""

ROWS_A_FILE = 600
"""Rows of a file that calibrate, drawn at random: every file counts alike."""

WRONG_CONSISTENT, WRONG_INCONSISTENT = 0.2, 0.4
"""Shares of wrong verdicts allowed outside the band of abstention, where half of the summaries are
consistent: a false alarm costs a look at the marked words, a missed error more."""


def calibrate(
    folder: Path,
    rows: Sequence[Labelled],
    seed: int,
    *,
    device: str | None = "cpu",
    progress: Progress = lambda _: None,
) -> dict[str, Any]:
    """Fits what stands on top of a trained network, and writes it into its files: the claim head
    (on empty talk and the rows' own sentences), the scaling of word probabilities and the decision
    (on labelled summaries). Returns the card. A cross-fitted model is judged by the parts that
    have not seen the row; of any other the figures are those of its own training rows, and the
    card says so."""
    found = _calibrate_claims(folder, rows, seed, device, progress)
    model = support_model.load_support(folder, folder.name, device=device, dtype=None)
    parts = (
        [model]
        if isinstance(model, support_model.Support)
        else [model.every, *model.without.values()]
    )
    for part in parts:
        part.settings = replace(part.settings, word=UNSCALED)
    rows = [row for row in rows if not is_pairs(row.file)]
    rows = sorted(limited(rows, ROWS_A_FILE, seed), key=lambda row: row.document)
    judged: list[Verdict] = []
    for start in range(0, len(rows), 64):
        if start % 1280 == 0:
            progress(f"judging row {start} of {len(rows)}")
        judged += model.judge([(row.source, row.summary) for row in rows[start : start + 64]])
    slope, weight, shift = scaling(*_known_words(rows, judged))
    word = (slope, weight, shift)
    decision, figures = _decision(rows, [_scaled(one, word) for one in judged], seed)
    added = {
        "calibrated_on": "rows of documents that the judging model has not seen"
        if isinstance(model, support_model.CrossFitted)
        else "the training rows themselves",
        "decision": figures,
        "empty_talk_found": found,
    }
    for place in _places(folder):
        old = support_model.read_settings(place)
        new = replace(old, word=word, decision=decision, card={**old.card, **added})
        support_model.write(place, new, support_model.read_network(place, old))
    return dict(support_model.read_settings(folder).card)


def _places(folder: Path) -> list[Path]:
    """The folder and those of its folds."""
    if not (folder / support_model.FOLDS).is_file():
        return [folder]
    return [folder, *(path.parent for path in sorted(folder.glob(f"*/{support_model.WEIGHTS}")))]


def _calibrate_claims(
    folder: Path, rows: Sequence[Labelled], seed: int, device: str | None, progress: Progress
) -> float:
    """Fits the claim heads; returns the share of held-out empty talk that is recognised."""
    progress("telling claims from talk")
    settings = support_model.read_settings(folder)
    encoder = load(f"tokens:{settings.encoder}", Runtime(device))
    said = sorted({piece.text for row in rows for piece in closed_sentences(row.summary)})
    drawn = random.Random(seed)
    samples = [
        non_claims(4000, seed=seed, held_out=False),
        drawn.sample(said, min(8000, len(said))),
        non_claims(1000, seed=seed, held_out=True),
    ]
    talk, real, held_out = (read_claims(texts, encoder, settings.layer) for texts in samples)
    recognised = 0.0
    for place in _places(folder):
        old = support_model.read_settings(place)
        network = support_model.read_network(place, old)
        claim = fit_claim(network, talk, real)
        support_model.write(place, replace(old, claim=claim), network)
        recognised = float((best_claims(network, held_out) < claim).mean())
    return recognised


def fit_claim(
    network: SupportNetwork, talk: Sequence[Floats], real: Sequence[Floats], allowed: float = 0.005
) -> float:
    """Fits the claim head on sentences that state nothing (`talk`) against real ones, each as the
    [windows, width + 2] of `claim_inputs`; returns the logit that the best window of at most
    `allowed` of the real ones does not reach."""
    from sklearn.linear_model import LogisticRegression

    inputs = np.concatenate([*talk, *real])
    sizes = sum(map(len, talk)), sum(map(len, real))
    model = LogisticRegression(C=10.0, max_iter=1000, class_weight="balanced")
    model.fit(inputs, np.repeat([0, 1], sizes))
    with torch.no_grad():
        network.claim.weight.copy_(torch.from_numpy(model.coef_.astype(np.float32)))
        network.claim.bias.copy_(torch.from_numpy(model.intercept_.astype(np.float32)))
    # A little lower than a sentence of the data, so that rounding does not decide about it.
    return float(np.quantile(best_claims(network, real), allowed, method="lower")) - 1e-4


def best_claims(network: SupportNetwork, sentences: Sequence[Floats]) -> Floats:
    """[sentences], the greatest claim logit of each one's windows."""
    with torch.inference_mode():
        logits = [network.claim(torch.from_numpy(one)).max() for one in sentences]
    return np.array(logits, dtype=np.float32)


def read_claims(texts: Sequence[str], encoder: TokenEncoder, layer: int) -> list[Floats]:
    """The claim head's input of each text that has a word, each text being one sentence."""
    reader = Reader(encoder, layer)
    pieces = [Segment(0, len(text), text) for text in texts]
    reader.prepare([], pieces)
    return [claim_inputs(sentence) for sentence in reader.summary(pieces)]


def _known_words(
    rows: Sequence[Labelled], judged: Sequence[Verdict]
) -> tuple[Floats, Floats, list[str]]:
    """What `Settings.word` scales, [words, 2], the labels and the files of the words of files that
    mark unsupported ones; of unscaled verdicts."""
    marking = {row.file for row in rows if any(share > 0 for _, _, share in row.labels)}
    inputs, labels = [], []
    files: list[str] = []
    for row, verdict in zip(rows, judged, strict=True):
        if row.file not in marking:
            continue
        for one in verdict.sentences:
            known = labels_of(one.words, row)
            told = ~np.isnan(known)
            inputs.append(_unscaled(one)[told])
            labels.append(known[told])
            files += [row.file] * int(told.sum())
    if not labels:
        raise ConfigError("no word is marked as unsupported, so there is nothing to calibrate on")
    return np.concatenate(inputs), np.concatenate(labels), files


def scaling(
    inputs: Floats, labels: Floats, files: Sequence[str] | None = None
) -> tuple[float, ...]:
    """Logistic scaling (Platt 1999) of inputs [rows, k] on shares 0..1: k weights and a shift.

    files  the file of each row: each counts alike and has a shift of its own while the weights are
           fitted, or else they would learn which file a row is of; what is returned is their mean
    """
    from scipy.optimize import minimize

    names, place = np.unique(files or [""] * len(labels), return_inverse=True)
    share = 1 / (len(names) * np.bincount(place)[place])
    columns = np.concatenate([inputs, np.eye(len(names))[place]], axis=1)

    def loss(values: Any) -> tuple[float, Any]:
        scaled = columns @ values
        error = 1 / (1 + np.exp(-scaled)) - labels
        return float(share @ (np.logaddexp(0, scaled) - labels * scaled)), columns.T @ (
            share * error
        )

    found = minimize(loss, np.zeros(columns.shape[1]), jac=True, method="BFGS").x
    k = inputs.shape[1]
    return (*(float(value) for value in found[:k]), float(found[k:].mean()))


def _unscaled(one: SentenceVerdict) -> Floats:
    """[words, 2], the logit and the distance of the words of an unscaled verdict."""
    p = np.clip(one.unsupported.astype(np.float64), 1e-6, 1 - 1e-6)
    found: Floats = np.stack([np.log(p / (1 - p)), 1 - one.similarities], axis=1)
    return found


def _scaled(verdict: Verdict, word: tuple[float, float, float]) -> Verdict:
    """An unscaled verdict with its words scaled."""
    sentences = []
    for one in verdict.sentences:
        logit = _unscaled(one) @ np.array(word[:2]) + word[2]
        sentences.append(replace(one, unsupported=(1 / (1 + np.exp(-logit))).astype(np.float32)))
    return replace(verdict, sentences=tuple(sentences))


Judgement = tuple[str, float, int]
"""Of a row: its document, the value of its summary, and 1 where that is consistent, else 0."""


def balanced(
    rows: Sequence[Labelled], judged: Sequence[Verdict], seed: int
) -> tuple[list[str], list[float], list[int]]:
    """Documents, values and labels of rows with a clear label: of each file as many consistent as
    not, drawn at random, so that neither a file's style nor how common errors are in it decides."""
    known: dict[str, tuple[list[Judgement], list[Judgement]]] = {}
    for row, verdict in zip(rows, judged, strict=True):
        value = value_of(verdict)
        if row.target is None or 0.2 < row.target[0] < 0.8 or value is None:
            continue
        label = int(row.target[0] > 0.5)
        known.setdefault(row.file, ([], []))[label].append((row.document, value, label))
    drawn: list[Judgement] = []
    for name, both in sorted(known.items()):
        chance = random.Random(f"{seed} decision {name}")
        for some in both:
            drawn += chance.sample(some, min(map(len, both)))
    documents, values, labels = zip(*drawn, strict=True) if drawn else ((), (), ())
    return list(documents), list(values), list(labels)


def _decision(
    rows: Sequence[Labelled], judged: Sequence[Verdict], seed: int
) -> tuple[tuple[float, float, float, float], dict[str, Any]]:
    """Threshold, band and probability of a summary's value, on `balanced` rows."""
    documents, values, labels = balanced(rows, judged, seed)
    if not labels:
        return UNDECIDED, {"rows": 0, "why": "no file has labels of both kinds"}
    try:
        strict, lenient = (
            fit_calibration(values, labels, documents, max_error=most, seed=seed)
            for most in (WRONG_CONSISTENT, WRONG_INCONSISTENT)
        )
    except (ConfigError, DataError) as error:  # too few documents, or one kind in some fold
        return UNDECIDED, {"rows": len(labels), "why": str(error)}
    slope, shift = scaling(np.array(values)[:, None], np.array(labels, dtype=np.float64))
    lower, upper = lenient.calibration.lower, strict.calibration.upper
    upper = UNDECIDED[1] if upper is None else upper
    lower = UNDECIDED[0] if lower is None else min(lower, upper)
    return (lower, upper, slope, shift), {
        "rows": len(labels),
        "threshold": strict.calibration.threshold,
        "wrong_consistent": strict.wrong_consistent,
        "wrong_inconsistent": lenient.wrong_inconsistent,
    }
