"""Calibration of a trained support network on families of files that it was not trained on:
probabilities for its logits, the values from which a summary is called consistent or not, and the
probability from which words are marked.

Fitted by maximum likelihood over rows. All families have the same weight, and in each family the
consistent rows the same as the others: the share of faithful summaries in a release says nothing
about those of a user. A probability is therefore valid where half of the summaries are faithful.
The table in the card leaves each family out of the fit in turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from faithkit.language.mapped import Mapped
from faithkit.language.normalise import plain_source, plain_summary
from faithkit.language.sentences import closed_sentences
from faithkit.meta import AUC, estimate, reliability, sample
from faithkit.models.protocols import Bools, Floats, Ints
from faithkit.records import JSON, ConfigError
from faithkit.support.calibration import (
    MARK_LOGIT,
    SENTENCE_FEATURES,
    Calibration,
    combined_doubt,
    max_logit,
    sentence_features,
)
from faithkit.support.evidence import Source
from faithkit.support.files import Settings
from faithkit.support.inputs import ClaimWithEvidence, encode
from faithkit.support.model import Logits, Support, adjust_logits
from faithkit.support.sentences import read_sentences, read_source
from faithkit.train.corruptions import non_claims
from faithkit.train.labels import FAMILIES, family, labelled
from faithkit.train.support_rows import CHOOSING, Progress, files_of, labels_of
from faithkit.train.words import Labelled

PRECISION = 0.79
"""Least share of right verdicts among "consistent", and among "not", on the families on which the
bands are fitted, where half of the summaries are faithful. On a family that was left out about
seven in ten are right then (docs/support.md)."""

DECIDED = 0.5
"""Target from which a row counts as consistent, and label from which a word counts as marked."""

MISTAKEN = 0.002
"""Largest share of claims that may be taken for non-claims, in each family of CLAIMING."""

MADE_NON_CLAIMS = 400
"""Non-claims, of templates that are held out of training, on which recall is measured."""

CLAIMING = ("claims", "dialogue", "meetings", "stories")
"""Families of which every sentence is a claim; summaries of news begin with "Click here", those of
chat models with "Here is a summary"."""

UNREACHABLE = 1.01
"""An upper band that no value reaches: nothing is called consistent."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled row with the network's outputs.

    file       as in `Labelled`
    family     of the file; the claims set is one
    target     labelled probability that every sentence is supported
    doubts     [sentences, SENTENCE_FEATURES], `calibration.sentence_features`
    worst      [sentences], `calibration.max_logit`
    non_claim  [sentences] logits
    words      [words] logits of the labelled content words of all sentences
    labels     [words] their labels, 0..1
    owner      [words] index of the sentence of each
    """

    file: str
    family: str
    document: str
    target: float
    doubts: Floats
    worst: Floats
    non_claim: Floats
    words: Floats
    labels: Floats
    owner: Ints

    def claims(self, threshold: float) -> Judged | None:
        """The row without the sentences whose non-claim logit is at least `threshold`; None if none
        is left."""
        claim = self.non_claim < threshold
        if not claim.any():
            return None
        words = claim[self.owner]
        return replace(
            self, doubts=self.doubts[claim], worst=self.worst[claim],
            non_claim=self.non_claim[claim], words=self.words[words], labels=self.labels[words],
            owner=self.owner[words],
        )  # fmt: skip


def calibration_rows(data: Path, families: Sequence[str]) -> list[Labelled]:
    """The labelled rows of these families and of the claims set's dev split. Raises ConfigError on
    an unknown family or where no row has a target, DataError on a file that is missing or
    broken."""
    rows = [row for row in labelled([*files_of(families), *CHOOSING], data)
            if family(row.file) in families or row.file.startswith("claims")]  # fmt: skip
    if not any(row.target for row in rows):
        raise ConfigError(f"No labelled row of {', '.join(families)}: nothing to calibrate on.")
    return rows


def check_unseen(trained_on: Iterable[str], families: Collection[str]) -> None:
    """Raises ConfigError where one of these `Labelled.file`s belongs to one of the families."""
    if seen := sorted(file for file in trained_on if FAMILIES.get(file) in families):
        raise ConfigError(f"The model was trained on {seen[0]}; calibrate it on other files.")


def judge(rows: Sequence[Labelled], model: Support) -> list[Judged]:
    """The rows that have a target and a sentence with a word, by source, with the model's outputs.
    Both texts are read in plain form, as the metric reads them."""
    read: list[tuple[Labelled, Mapped, list[ClaimWithEvidence]]] = []
    text, source = None, Source([])
    for row in sorted(rows, key=lambda row: (row.source, row.file, row.summary)):
        if row.target is None:
            continue
        if row.source != text:
            text = row.source
            source = _read_source(text, model)
        summary = plain_summary(row.summary, row.source)
        if source.sentences and (readings := _readings(summary.text, source, model)):
            read.append((row, summary, readings))
    outputs = iter(_logits([reading for _, _, readings in read for reading in readings], model))
    return [_judged(row, summary, readings, list(islice(outputs, len(readings))))
            for row, summary, readings in read]  # fmt: skip


def _read_source(text: str, model: Support) -> Source:
    plain = plain_source(text).text
    return Source(read_source(plain, model.tokenizer, named=model.settings.named))


def _readings(summary: str, source: Source, model: Support) -> list[ClaimWithEvidence]:
    """Each sentence of a summary with its evidence."""
    claims = read_sentences(closed_sentences(summary), model.tokenizer)
    return [model.read(claim, source) for claim in claims]


def _logits(readings: Sequence[ClaimWithEvidence], model: Support) -> list[Logits]:
    """The logits of each, after `model.adjust_logits`. The non-claim logit of a sentence that is
    only about a text is infinite: the metric excludes it whatever the network says."""
    outputs = map(adjust_logits, readings, model.logits(list(map(encode, readings))))
    return [
        (
            words,
            sentence,
            np.inf if reading.claim.is_meta_statement(reading.in_source) else non_claim,
        )
        for reading, (words, sentence, non_claim) in zip(readings, outputs, strict=True)
    ]


def _judged(
    row: Labelled, summary: Mapped, readings: Sequence[ClaimWithEvidence], outputs: Sequence[Logits]
) -> Judged:
    doubts, worst, words, labels, owner, non_claim = [], [], [], [], [], []
    for number, (reading, output) in enumerate(zip(readings, outputs, strict=True)):
        claim, (by_word, classes, talk) = reading.claim, output
        content = claim.content
        doubts.append(sentence_features(by_word, content, classes))
        worst.append(max_logit(by_word, claim.checkable))
        offsets = [summary.span(start, end) for start, end in claim.char_offsets().tolist()]
        of_words = labels_of(np.array(offsets, dtype=np.int64), row)
        labelled_words = content & ~np.isnan(of_words)
        words.append(by_word[labelled_words])
        labels.append(of_words[labelled_words])
        owner.append(np.full(int(labelled_words.sum()), number))
        non_claim.append(talk)
    target = row.target[0] if row.target else np.nan
    return Judged(
        row.file,
        family(row.file), row.document, target, np.array(doubts), np.array(worst),
        np.array(non_claim), np.concatenate(words), np.concatenate(labels), np.concatenate(owner),
    )  # fmt: skip


def calibrate(model: Support, rows: Sequence[Labelled], progress: Progress) -> Settings:
    """The model's settings, calibrated on the rows (of `calibration_rows`). Raises ConfigError
    where it was trained on one of their families, or no row is of a family of CLAIMING."""
    families = {family(row.file) for row in rows if not row.file.startswith("claims")}
    check_unseen(model.trained_on, families)
    progress(f"calibrating on {len(rows)} rows of {', '.join(sorted(families))} and the claims set")
    with_non_claims = judge(rows, model)
    made_logits = non_claim_logits(rows, model)
    if not (claims := claim_logits(with_non_claims)):
        raise ConfigError(f"no row of {', '.join(CLAIMING)} has a sentence to tell claims by")
    non_claim = max(map(non_claim_threshold, claims))
    judged = [claimed for row in with_non_claims if (claimed := row.claims(non_claim))]
    calibration, decision, marked = fitted(judged)
    card = {
        **model.settings.card,
        "calibrated_on": sorted({row.family for row in judged}),
        "non_claims": {
            "noticed": _share(made_logits >= non_claim),
            "mistaken": _share(np.concatenate(claims) >= non_claim),
        },
        "left_out": left_out(judged),
    }
    return replace(
        model.settings, calibration=calibration, non_claim=non_claim, decision=decision,
        marked=marked, card=card,
    )  # fmt: skip


def non_claim_logits(rows: Sequence[Labelled], model: Support) -> Floats:
    """The non-claim logits of generated non-claims, of the templates held out of training, each
    with one of the rows' sources."""
    sources = sorted({row.source for row in rows})
    readings: list[ClaimWithEvidence] = []
    for number, text in enumerate(non_claims(MADE_NON_CLAIMS, seed=0, held_out=True)):
        source = _read_source(sources[number % len(sources)], model)
        readings += _readings(text, source, model)
    return np.array([non_claim for _, _, non_claim in _logits(readings, model)])


def claim_logits(judged: Sequence[Judged]) -> list[Floats]:
    """The non-claim logits of the sentences of each family of CLAIMING that has rows, without those
    that the metric excludes whatever the network says."""
    by_family = [
        [row.non_claim[np.isfinite(row.non_claim)] for row in judged if row.family == name]
        for name in CLAIMING
    ]
    return [logits for rows in by_family if rows and len(logits := np.concatenate(rows))]


def non_claim_threshold(claims: Floats) -> float:
    """The logit from which a sentence is taken for a non-claim: the lowest that at most a share of
    MISTAKEN of these logits of claims reach."""
    allowed = int(MISTAKEN * len(claims))
    first = np.sort(claims)[::-1][allowed]
    return float(np.floor(10_000 * first + 1) / 10_000)


def fitted(judged: Sequence[Judged]) -> tuple[Calibration, tuple[float, float], float]:
    """The calibration, the bands (lower, upper), and the probability from which words are
    marked."""
    calibration = Calibration(_word_scaling(judged), *_sentence_scaling(judged))
    return calibration, bands(judged, values_of(judged, calibration)), _marked(calibration)


def values_of(judged: Sequence[Judged], calibration: Calibration) -> Floats:
    """[rows], the probability that every sentence is supported."""
    doubts = np.concatenate([row.doubts for row in judged])
    worst = np.concatenate([row.worst for row in judged])
    return calibration.all_supported(doubts, worst, _first(judged))


def _first(judged: Sequence[Judged]) -> Ints:
    """[rows], the index of each row's first sentence among the sentences of all rows."""
    return np.cumsum([0, *(len(row.doubts) for row in judged[:-1])])


def _word_weights(judged: Sequence[Judged]) -> Floats:
    """[rows], the weight of a word of each row, so that all families have the same weight."""
    total: dict[str, float] = {}
    for row in judged:
        total[row.family] = total.get(row.family, 0.0) + len(row.words)
    weights = np.array([1 / max(total[row.family], 1) for row in judged])
    shares: Floats = (weights / len(total)).astype(np.float32)
    return shares


def _even_weights(judged: Sequence[Judged], targets: Floats) -> tuple[Floats, Floats]:
    """[rows], the weights of each row as consistent and as inconsistent (in proportion to the
    target and its complement), so that all families have the same weight, and in each family both
    labels."""
    families = np.array([row.family for row in judged])
    names = sorted(set(families.tolist()))
    consistent: Floats = targets.astype(np.float32)
    inconsistent: Floats = 1 - consistent
    for share in (consistent, inconsistent):
        for name in names:
            of_family = families == name
            share[of_family] /= max(float(share[of_family].sum()), 1e-9) * 2 * len(names)
    return consistent, inconsistent


DEPENDENCES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
"""Dependences of a summary's sentences that are tried."""


def _sentence_scaling(judged: Sequence[Judged]) -> tuple[tuple[float, float], float]:
    """The weights of a sentence's doubts, and the dependence of a summary's sentences, of maximum
    likelihood."""
    from scipy.optimize import minimize

    consistent, inconsistent = _even_weights(judged, np.array([row.target for row in judged]))
    doubts, first = np.concatenate([row.doubts for row in judged]), _first(judged)

    def fit(dependence: float) -> tuple[float, tuple[float, float], float]:
        def loss(weights: Floats) -> float:
            log_all = -np.maximum(combined_doubt(doubts @ weights, first, dependence), 1e-9)
            log_not = np.log(-np.expm1(log_all))
            return -float((consistent * log_all + inconsistent * log_not).sum())

        bounds = [(0, None)] * SENTENCE_FEATURES
        best = minimize(loss, np.ones(SENTENCE_FEATURES), method="Nelder-Mead", bounds=bounds)
        of_words, of_sentence = (round(float(weight), 4) for weight in best.x)
        return float(best.fun), (of_words, of_sentence), dependence

    _, weights, dependence = min(map(fit, DEPENDENCES))
    return weights, dependence


def _with_marked_words(judged: Sequence[Judged]) -> list[Judged]:
    """The rows of files in which people marked words. In other files only the words of faithful
    summaries are labelled."""
    files = {row.file for row in judged if (row.labels >= DECIDED).any()}
    return [row for row in judged if row.file in files]


def _word_scaling(judged: Sequence[Judged]) -> tuple[float, float]:
    """(slope, shift) of the words' logits of maximum likelihood; (1, 0) where no word is marked."""
    from scipy.optimize import minimize

    rows = _with_marked_words(judged)
    if not rows:
        return 1.0, 0.0
    sizes = [len(row.words) for row in rows]
    weights = np.repeat(_word_weights(rows), sizes)
    logits = np.concatenate([row.words for row in rows]).astype(np.float64)
    labels = np.concatenate([row.labels for row in rows])

    def loss(scaling: Floats) -> float:
        odds = scaling[0] * logits + scaling[1]
        return float((weights * (np.logaddexp(0, odds) - labels * odds)).sum())

    best = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B", bounds=[(0.1, None), (-9, 9)])
    return round(float(best.x[0]), 4), round(float(best.x[1]), 4)


STEPS = tuple(round(step / 100, 2) for step in range(2, 99))


def bands(judged: Sequence[Judged], values: Floats) -> tuple[float, float]:
    """(lower, upper): upper is the least value from which at least PRECISION of the rows are
    consistent, lower the greatest below which at least PRECISION are not. Families and labels have
    the same weight. Where there is no such value, the verdict is never given: upper is UNREACHABLE,
    lower is 0."""
    good = np.array([row.target >= DECIDED for row in judged])
    weights = np.add(*_even_weights(judged, good))

    def share(inside: np.ndarray, right: np.ndarray) -> float:
        return float((weights * (inside & right)).sum() / max((weights * inside).sum(), 1e-9))

    uppers = [step for step in STEPS if share(values >= step, good) >= PRECISION]
    lowers = [step for step in STEPS if share(values < step, ~good) >= PRECISION]
    upper = min(uppers, default=UNREACHABLE)
    return min(max(lowers, default=0.0), upper), upper


def _marked(calibration: Calibration) -> float:
    """The calibrated probability from which words are marked, that of MARK_LOGIT. It is not
    fitted: a threshold fitted on some families would mean nothing on another, because the share of
    marked words that people mark too differs too much (docs/support.md)."""
    return calibration.probability(MARK_LOGIT)


def left_out(judged: Sequence[Judged]) -> dict[str, JSON]:
    """Figures of each family, calibrated on the others: rows, share of consistent ones, AUC, the
    shares of right verdicts among "consistent" and "not" (`even_`: if half of the rows were
    consistent), `reliability` (for each of BINS bins of the value: rows, mean value, share of
    consistent ones), precision and recall of the marked words, and the same for each threshold of
    MARKING (`marks`)."""
    table: dict[str, JSON] = {}
    for name in sorted({row.family for row in judged}):
        held_out = [row for row in judged if row.family == name]
        others = [row for row in judged if row.family != name]
        if others:
            table[name] = _figures(held_out, *fitted(others))
    return table


BINS = 5
MARKING = (0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def _figures(
    judged: Sequence[Judged],
    calibration: Calibration,
    thresholds: tuple[float, float],
    marked: float,
) -> dict[str, JSON]:
    """See `left_out`."""
    values = values_of(judged, calibration)
    good = np.array([row.target >= DECIDED for row in judged])
    lower, upper = thresholds
    yes, no = values >= upper, values < lower
    even = np.add(*_even_weights(judged, good))
    in_marked_files = _with_marked_words(judged) or judged
    labels = np.concatenate([row.labels for row in in_marked_files]) >= DECIDED
    unsupported = calibration.unsupported(np.concatenate([row.words for row in in_marked_files]))
    is_marked = unsupported >= marked
    truth = good.astype(float).tolist()
    auc = estimate(AUC, sample(values.tolist(), truth)).value
    table = reliability(values.tolist(), truth, bins=BINS)
    return {
        "rows": len(judged),
        "consistent": round(float(good.mean()), 3),
        "auc": None if auc is None else round(100 * auc, 1),
        "called_consistent": round(float(yes.mean()), 3),
        "right_consistent": _share(good[yes]),
        "even_consistent": _share(good[yes], even[yes]),
        "called_not": round(float(no.mean()), 3),
        "right_not": _share(~good[no]),
        "even_not": _share(~good[no], even[no]),
        "calibration_error": round(table.expected_calibration_error or 0.0, 3),
        "reliability": [
            [row.n, _rounded(row.mean_probability), _rounded(row.share_consistent)]
            for row in table.bins
        ],
        "marked_words": int(is_marked.sum()),
        "marks_precision": _share(labels[is_marked]) if labels.any() else None,
        "marks_recall": _share(is_marked[labels]),
        "marks": [
            [step, int((unsupported >= step).sum()),
             _share(labels[unsupported >= step]) if labels.any() else None,
             _share((unsupported >= step)[labels])]
            for step in MARKING
        ],
    }  # fmt: skip


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _share(flags: Bools, weights: Floats | None = None) -> float | None:
    return _rounded(float(np.average(flags, weights=weights))) if len(flags) else None
