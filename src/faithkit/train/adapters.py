"""What the two trainings of `faithkit train nli` share: options, choice of pairs, base model,
reports, figures and card.

Both teach low-rank changes of a base model on pairs of `nli_pairs.py`: `nli.py` an adapter with a
word head, `judge.py` a causal language model that answers the judge's question.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch

from faithkit import models
from faithkit.language.words import words
from faithkit.models.identity import model_id
from faithkit.models.protocols import Bools, EntailmentModel, Floats
from faithkit.models.runtime import Runtime
from faithkit.records import JSON, ConfigError, DataError, Outcome
from faithkit.support.adapter import WHOLE_WORDS
from faithkit.train import support_rows
from faithkit.train.copy_test import CopyCheck
from faithkit.train.held_out import check_share, split
from faithkit.train.loop import Report, Step, Training, TrainingOptions
from faithkit.train.nli_pairs import Pair, counts, sampled
from faithkit.train.output import versions
from faithkit.train.words import Labelled

SCALE = 2.0
"""Of the low-rank changes: alpha is twice the rank."""

LEAST_HELD_OUT = 100
"""Held-out pairs that figures are computed on, if there are as many, however small the limit."""

STEPS_REPORTED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterOptions(TrainingOptions):
    """How an adapter or a judge is trained.

    rank          of the low-rank changes
    limit         maximum number of pairs, as many of each origin as there are; None: all
    made          sentences made from each long document
    held_out      share of the documents to evaluate on and not to train on; 0: none
    copy_after    steps until the early copy test
    require_copy  accuracy of the copy test under which training ends with an error, at the early
                  test or after a shorter training; None: never
    """

    rank: int = 8
    limit: int | None = None
    made: int = 10
    held_out: float = 0.1
    copy_after: int = 300
    require_copy: float | None = None

    def check(self) -> None:
        """Raises ConfigError on a number outside its range."""
        TrainingOptions.check(self)
        if min(self.rank, self.copy_after) < 1:
            raise ConfigError("an adapter needs a rank and steps to the copy test above 0")
        check_share(self.held_out)
        if self.require_copy is not None and not 0 <= self.require_copy <= 1:
            raise ConfigError(f"copy test: expected 0 to 1, found {self.require_copy}")


@dataclass(frozen=True, slots=True)
class Base:
    """The model that a training starts from.

    path    its folder
    name    shown in messages
    id      identity of its files
    device  on which it is trained
    """

    path: Path
    name: str
    id: str
    device: str


def resolve_base(role: str, name: str, runtime: Runtime) -> Base:
    """The base of this name, on a GPU if there is one, unless the runtime names a device. Raises
    ModelError where there is no such model or it has no tokenizer."""
    path, shown = models.resolve(role, name, offline=runtime.offline)
    device = runtime.device or ("cuda" if torch.cuda.is_available() else "cpu")
    return Base(path, shown, model_id(path, shown), device)


@dataclass(frozen=True, slots=True)
class Prepared:
    """The pairs of a training, the held-out ones of other documents, and the copy test."""

    pairs: list[Pair]
    held_out: list[Pair]
    check: CopyCheck


def prepare(pairs: Sequence[Pair], options: AdapterOptions, report: Report) -> Prepared:
    """Splits and samples the pairs, and makes the copy test of sources that are not trained on, if
    there are any. Raises DataError without a pair to train on, and as `CopyCheck`."""
    training, held_out = split_and_sample(pairs, options)
    sources = (pair.source for pair in held_out or training)
    check = CopyCheck(sources, options.require_copy, options.copy_after, options.seed, report)
    return Prepared(training, held_out, check)


def split_and_sample(
    pairs: Sequence[Pair], options: AdapterOptions
) -> tuple[list[Pair], list[Pair]]:
    """(training, held out) by document, both `sampled`. Raises DataError where there is nothing to
    train on."""
    documents = sorted({pair.document for pair in pairs})
    training, held_out = split(pairs, documents, options.held_out, options.seed)
    most = options.limit and max(LEAST_HELD_OUT, math.ceil(options.limit * options.held_out))
    training = sampled(training, options.seed, options.limit)
    if not training:
        raise DataError("no file has entailed sentences and others, so there is nothing to learn")
    return training, sampled(held_out, options.seed, most)


def with_corruptions(
    rows: Sequence[Labelled], options: AdapterOptions, report: Report
) -> list[Labelled]:
    """The rows and sentences made from their long sources; where there is a limit, only from as
    many sources as are needed to reach it."""
    sources = list(dict.fromkeys(row.source for row in rows if _is_long(row.source)))
    if options.limit is not None and options.made:
        enough = min(len(sources), math.ceil(options.limit / options.made))
        sources = random.Random(options.seed).sample(sources, enough)
    report(f"making sentences from {len(sources)} documents")
    made = support_rows.made_rows(sources, seed=options.seed, per_document=options.made)
    return [*rows, *(row for row in made if row.target is not None)]


def _is_long(source: str) -> bool:
    return len(words(source)) > WHOLE_WORDS


def step_reporter(
    check: CopyCheck, model: EntailmentModel, report: Report
) -> Callable[[Step], None]:
    """A function to call after each step: it reports the loss of every STEPS_REPORTED steps and
    runs the early copy test of the model in training."""

    def after_step(step: Step) -> None:
        if step.number % STEPS_REPORTED == 0:
            report(f"epoch {step.epoch}, step {step.number} of {step.total}: "
                   f"loss {step.mean_loss(STEPS_REPORTED):.4f}")  # fmt: skip
        check.after_step(step.number, model)

    return after_step


@dataclass(frozen=True, slots=True)
class Fitted:
    """A training, and the number of pairs left out because the sentence does not fit."""

    training: Training
    too_long: int


def card_of(fitted: Fitted, prepared: Prepared, options: AdapterOptions) -> dict[str, JSON]:
    """How an adapter or a judge was trained, for its card."""
    training = fitted.training
    return {
        "options": asdict(options),
        "learned": counts(prepared.pairs),
        "steps": training.steps,
        "loss": list(training.loss),
        "too_long": fitted.too_long,
        "seconds_per_1000_pairs": round(1000 * training.seconds / training.examples, 1),
        "copy_early": prepared.check.early,
        "versions": versions("peft"),
    }


# --- figures -----------------------------------------------------------------------------------


class Judgement(Protocol):
    """The judgement of a model about a pair; the probabilities are of (entailment, neutral,
    contradiction)."""

    @property
    def outcome(self) -> Outcome: ...

    @property
    def probabilities(self) -> tuple[float, float, float]: ...


def entailment_figures(judgements: Sequence[Judgement], pairs: Sequence[Pair]) -> dict[str, JSON]:
    """How judgements agree with the labels of their pairs; None where a figure is undefined.

    accuracy, auc  of entailed (probability over a half) against not; accuracy also by origin
    Pairs whose judgement has another outcome than ok are left out, and counted.
    """
    probabilities: list[float] = []
    labels: list[bool] = []
    correct: dict[str, list[bool]] = {}
    for judgement, pair in zip(judgements, pairs, strict=True):
        if judgement.outcome is Outcome.OK:
            probabilities.append(judgement.probabilities[0])
            labels.append(bool(pair.target[0] > 0.5))
            correct.setdefault(pair.origin, []).append((probabilities[-1] > 0.5) == labels[-1])
    return {
        "pairs": len(labels),
        "left_out": len(pairs) - len(labels),
        "accuracy": mean([flag for flags in correct.values() for flag in flags]),
        "auc": auc(probabilities, labels),
        "by_origin": {
            origin: {"pairs": len(flags), "accuracy": mean(flags)}
            for origin, flags in sorted(correct.items())
        },
    }


def mean(flags: Sequence[bool]) -> float | None:
    """The share of true flags; None if there are none."""
    return float(np.mean(flags)) if flags else None


def auc(values: Sequence[float] | Floats, labels: Sequence[bool] | Bools) -> float | None:
    """The area under the ROC curve of values against labels; None unless both labels occur."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(labels, values)) if len(set(labels)) == 2 else None
