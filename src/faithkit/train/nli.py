"""`faithkit train nli`: an adapter that makes an encoder or a causal language model judge summary
sentences against their evidence, learned from labelled words.

In: labelled summaries (`words.py`) and sentences made from their documents (`corruptions`), as in
`support_rows.py`. Out: a folder that loads as `nli:FOLDER`; its network, windows
and files are in `support/adapter.py`. The low-rank changes (Hu
et al. 2021, LoRA) are put in by `peft`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from faithkit import extras, models
from faithkit.language.words import words
from faithkit.models.identity import model_id
from faithkit.models.protocols import EntailmentModel, Floats
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.models.store import find
from faithkit.records import JSON, ConfigError, DataError, ModelError, Outcome
from faithkit.support import adapter
from faithkit.support.adapter import (
    AdaptedEntailment,
    Job,
    Judged,
    Network,
    PairReader,
    Settings,
    Window,
)
from faithkit.train import support_rows
from faithkit.train.copy_test import CopyCheck
from faithkit.train.held_out import check_share, split
from faithkit.train.loop import (
    Checkpoint,
    Report,
    Step,
    Training,
    TrainingOptions,
    seeded,
    trainable,
)
from faithkit.train.loop import train as optimise
from faithkit.train.nli_pairs import (
    Pair,
    counts,
    identity_of,
    sampled,
    sentence_pairs,
)
from faithkit.train.output import check_new, versions
from faithkit.train.words import Labelled
from faithkit.writing import new_folder

SCALE = 2.0
"""Of the low-rank changes: alpha is twice the rank."""

LEAST_HELD_OUT = 100
"""Pairs that figures are made of, if there are as many, however small the limit."""

STEPS_REPORTED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterOptions(TrainingOptions):
    """How an adapter, or the adapter of a judge, is trained.

    rank          of the low-rank changes
    limit         pairs at most, as many of each origin as there are; None: all
    made          sentences made from each long document
    held_out      share of the documents that are reported on and not learned from; 0: none
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


def split_and_sample(
    pairs: Sequence[Pair], options: AdapterOptions
) -> tuple[list[Pair], list[Pair]]:
    """Pairs to learn from and pairs to report on, of other documents, both `sampled`. Raises
    DataError where there is nothing to learn from."""
    documents = sorted({pair.document for pair in pairs})
    training, held_out = split(pairs, documents, options.held_out, options.seed)
    most = options.limit and max(LEAST_HELD_OUT, math.ceil(options.limit * options.held_out))
    training = sampled(training, options.seed, options.limit)
    if not training:
        raise DataError("no file has entailed sentences and others, so there is nothing to learn")
    return training, sampled(held_out, options.seed, most)


# --- training ----------------------------------------------------------------------------------


def adapt(network: Network, rank: int) -> None:
    """Puts low-rank changes into every linear layer of the base, which is frozen; the heads start
    anew. Both depend on torch's seed. Raises ConfigError without peft, ModelError on a base
    without linear layers."""
    with extras.explained("Training an adapter"):
        from peft import LoraConfig, inject_adapter_in_model
    layers = [
        name
        for name, module in network.base.named_modules()
        if isinstance(module, torch.nn.Linear) and not name.startswith("pooler")
    ]
    if not layers:
        raise ModelError(f"{type(network.base).__name__} has no linear layer to adapt")
    network.classes.reset_parameters()
    network.words.reset_parameters()
    config = LoraConfig(r=rank, lora_alpha=SCALE * rank, target_modules=layers, lora_dropout=0.0)
    inject_adapter_in_model(config, network.base)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A training, and the pairs left out of it because the sentence does not fit."""

    training: Training
    too_long: int


def fit(
    reader: PairReader,
    pairs: Sequence[Pair],
    windows: Sequence[str],
    options: AdapterOptions,
    after_step: Callable[[Step], None] = lambda _: None,
    checkpoint: Checkpoint | None = None,
) -> Fitted:
    """Trains the reader's network in place on pairs with their windows. The same seed gives the
    same weights on the same machine, unless `minutes` ends it. Raises DataError without a pair, and
    as `loop.train`."""
    texts = [(window, pair.sentence) for window, pair in zip(windows, pairs, strict=True)]
    examples = [
        (job, pair) for job, pair in zip(reader.jobs(texts), pairs, strict=True) if job.fits
    ]
    if not examples:
        raise DataError("no pair is left to learn from")
    weights = _word_weights(pairs)

    def losses(batch: list[tuple[Job, Pair]]) -> Iterator[torch.Tensor]:
        yield _loss(reader, batch, weights)

    with seeded(options.seed, reader.device):
        adapt(reader.network, options.rank)
        # Without dropout: in a base that is frozen it costs time, on long inputs most of it.
        network = reader.network.to(reader.device).eval()
        training = optimise(
            examples,
            losses,
            trainable(network),
            options,
            length=lambda example: reader.size(example[0]),
            after_step=after_step,
            checkpoint=checkpoint,
        )
    return Fitted(training, len(pairs) - len(examples))


@dataclass(frozen=True, slots=True)
class Weights:
    """How much an origin's rows count: an unsupported word, a supported one, a sentence."""

    unsupported: float
    supported: float
    sentence: float


def loss_of(
    word: torch.Tensor,
    sentence: torch.Tensor,
    labels: torch.Tensor,
    target: torch.Tensor,
    weights: Sequence[Weights],
) -> torch.Tensor:
    """Cross-entropy of the labelled words, plus half that of the labelled sentences. Where only
    "not entailed" is known, neutral and contradiction are taken together."""
    is_labelled = ~torch.isnan(labels)
    labels = labels.nan_to_num()
    up = torch.tensor([w.unsupported for w in weights])[:, None]
    down = torch.tensor([w.supported for w in weights])[:, None]
    each = functional.binary_cross_entropy_with_logits(word, labels, reduction="none")
    by_word = each * (labels * up + (1 - labels) * down) * is_labelled
    has_target = ~torch.isnan(target[:, 0])
    joined = torch.isnan(target[:, 2])
    logs, wanted = sentence.log_softmax(-1), target.nan_to_num()
    three = -(wanted * logs).sum(-1)
    two = -(wanted[:, 0] * logs[:, 0] + wanted[:, 1] * torch.logsumexp(logs[:, 1:], dim=-1))
    share = torch.tensor([w.sentence for w in weights]) * has_target
    rest = (torch.where(joined, two, three) * share).sum() / share.sum().clamp(min=1)
    return by_word.sum() / is_labelled.sum().clamp(min=1) + 0.5 * rest


def _word_weights(pairs: Sequence[Pair]) -> dict[str, Weights]:
    """By origin. Unsupported words count more where they are rare. Where every labelled word is
    supported, words are not learned from: the style of an origin must not count as faithful."""
    labels: dict[str, list[Floats]] = {}
    for pair in pairs:
        labels.setdefault(pair.origin, []).append(pair.labels[~np.isnan(pair.labels)])
    weights = {}
    for origin, by_pair in labels.items():
        labelled = np.concatenate(by_pair)
        share = float(labelled.mean()) if len(labelled) else 0.0
        both = 0 < share < 1
        rare = math.sqrt((1 - share) / share) if both else 0.0
        weights[origin] = Weights(rare, float(both), 1.0)
    return weights


def _loss(
    reader: PairReader,
    batch: Sequence[tuple[Job, Pair]],
    weights: Mapping[str, Weights],
) -> torch.Tensor:
    """`loss_of` a batch; on the CPU, where the labels are."""
    word, classes = reader.network(*reader.tensors([job for job, _ in batch]))
    labels = np.full(word.shape, np.nan, dtype=np.float32)
    for row, (_, pair) in enumerate(batch):
        labels[row, : len(pair.labels)] = pair.labels
    return loss_of(
        word.cpu(),
        classes.cpu(),
        torch.from_numpy(labels),
        torch.from_numpy(np.stack([pair.target for _, pair in batch])),
        [weights[pair.origin] for _, pair in batch],
    )


# --- figures -----------------------------------------------------------------------------------


def figures(judged: Sequence[Judged], pairs: Sequence[Pair]) -> dict[str, JSON]:
    """How judgements agree with the labels of their pairs; None where a figure is undefined.

    accuracy, auc  of entailed (probability over a half) against not; also by origin
    three_way      accuracy of the likeliest class where the label is one of all three
    word_auc       of the word head, over the labelled words
    Pairs whose sentence did not fit are left out, and counted.
    """
    both = [(one, pair) for one, pair in zip(judged, pairs, strict=True)
            if one.outcome is Outcome.OK]  # fmt: skip
    origins: dict[str, list[bool]] = {}
    for one, pair in both:
        right = (one.probabilities[0] > 0.5) == (pair.target[0] > 0.5)
        origins.setdefault(pair.origin, []).append(bool(right))
    three = [
        int(np.argmax(one.probabilities)) == int(pair.target.argmax())
        for one, pair in both
        if not np.isnan(pair.target).any()
    ]
    nothing = np.zeros(0, dtype=np.float32)
    probabilities = np.concatenate([nothing, *(one.unsupported for one, _ in both)])
    labels = np.concatenate([nothing, *(pair.labels for _, pair in both)])
    labelled = ~np.isnan(labels)
    return {
        "pairs": len(both),
        "left_out": len(pairs) - len(both),
        "accuracy": _mean([right for by_pair in origins.values() for right in by_pair]),
        "auc": _auc([one.probabilities[0] for one, _ in both],
                    [bool(pair.target[0] > 0.5) for _, pair in both]),
        "by_origin": {
            name: {"pairs": len(right), "accuracy": _mean(right)}
            for name, right in sorted(origins.items())
        },
        "three_way": {"pairs": len(three), "accuracy": _mean(three)},
        "word_auc": _auc(probabilities[labelled], labels[labelled] > 0.5),
    }  # fmt: skip


def _mean(values: Sequence[bool]) -> float | None:
    return float(np.mean(values)) if values else None


def _auc(values: Any, labels: Any) -> float | None:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(labels, values)) if len(set(labels)) == 2 else None


# --- the whole ---------------------------------------------------------------------------------


def train(
    rows: Sequence[Labelled],
    base: str,
    folder: Path,
    options: AdapterOptions,
    *,
    runtime: Runtime = DEFAULT_RUNTIME,
    report: Report = lambda _: None,
) -> dict[str, JSON]:
    """Trains an adapter on labelled summaries and sentences made from their documents, and writes
    it to a new folder, whole or not at all; returns its card. Its figures are of the adapter as
    written and loaded again. Killed and started again with the same arguments, it goes on from its
    last checkpoint.

    base  an embedded encoder, a folder or hub id of one, or `lm:` and a causal language model
    Raises ConfigError (also where the folder is there, or the copy test fails), DataError,
    ModelError.
    """
    options.check()
    check_new(folder)
    role, name = base_of(base)
    path, shown = models.resolve(role, name, offline=runtime.offline)
    base_id = model_id(path, shown)  # refuses a base without a tokenizer before it is trained
    device = runtime.device or ("cuda" if torch.cuda.is_available() else "cpu")
    pairs, held_out = split_and_sample(
        sentence_pairs(with_corruptions(rows, options, report)), options
    )
    sources = (pair.source for pair in held_out or pairs)
    check = CopyCheck(sources, options.require_copy, options.copy_after, options.seed, report)
    window = Window()
    network, tokenizer = adapter.open_base(path, shown, causal=role == adapter.CAUSAL)
    reader = PairReader(network.to(device), tokenizer, id=shown)
    report(f"choosing the evidence of {len(pairs)} pairs")
    windows = window.premises([(pair.source, pair.sentence) for pair in pairs])
    checkpoint = Checkpoint.beside(folder, base_id, *map(identity_of, pairs))
    unfinished = AdaptedEntailment(lambda: reader, window, id="unfinished")
    after_step = step_reporter(check, unfinished, report)
    fitted = fit(reader, pairs, windows, options, after_step, checkpoint)
    settings = Settings(
        base=f"{role}:{_lasting(role, name)}",
        base_id=base_id,
        labels=adapter.LABELS,
        rank=options.rank,
        scale=SCALE,
        budget=window.budget,
        whole=window.whole,
        card=card_of(fitted, pairs, options, check),
    )
    with new_folder(folder) as written:
        tensors = adapter.learned(reader.network)
        adapter.write(written, settings, tensors)
        loaded = adapter.load_adapter(written, folder.name, device=device, dtype=None)
        asked = [(pair.source, pair.sentence) for pair in held_out]
        card = {
            **settings.card,
            "copy": check.at_end(fitted.training.steps, loaded),
            "held_out": figures(loaded.judge_sentences(asked), held_out) if held_out else None,
        }
        adapter.write(written, replace(settings, card=card), tensors)
    checkpoint.delete()
    return card


def step_reporter(
    check: CopyCheck, model: EntailmentModel, report: Report
) -> Callable[[Step], None]:
    """What to do after each step: report the loss now and then, and make the early copy test."""

    def after_step(step: Step) -> None:
        if step.number % STEPS_REPORTED == 0:
            report(f"epoch {step.epoch}, step {step.number} of {step.total}: "
                   f"loss {step.mean_loss(STEPS_REPORTED):.4f}")  # fmt: skip
        check.after_step(step.number, model)

    return after_step


def card_of(
    fitted: Fitted, pairs: Sequence[Pair], options: AdapterOptions, check: CopyCheck
) -> dict[str, JSON]:
    """How an adapter, or a judge, was trained."""
    training = fitted.training
    return {
        "options": asdict(options),
        "learned": counts(pairs),
        "steps": training.steps,
        "loss": list(training.loss),
        "too_long": fitted.too_long,
        "seconds_per_1000_pairs": round(1000 * training.seconds / training.examples, 1),
        "copy_early": check.early,
        "versions": versions("peft"),
    }


def base_of(name: str) -> tuple[str, str]:
    """Role and name of a base: `lm:` and a causal language model, else an encoder."""
    role, colon, rest = name.partition(":")
    return (role, rest) if colon and role in ("tokens", adapter.CAUSAL) else ("tokens", name)


def _lasting(role: str, name: str) -> str:
    """A name that loads the base again from elsewhere: a folder by its whole path."""
    folder = Path(name).expanduser()
    return str(folder.resolve()) if find(role, name) is None and folder.is_dir() else name


def with_corruptions(
    rows: Sequence[Labelled], options: AdapterOptions, report: Report
) -> list[Labelled]:
    """The rows and what is made from their long sources; where there is a limit, only from as many
    sources as can matter."""
    sources = list(dict.fromkeys(row.source for row in rows if _is_long(row.source)))
    if options.limit is not None and options.made:
        enough = min(len(sources), math.ceil(options.limit / options.made))
        sources = random.Random(options.seed).sample(sources, enough)
    report(f"making sentences from {len(sources)} documents")
    made = support_rows.made_rows(sources, seed=options.seed, per_document=options.made)
    return [*rows, *(row for row in made if row.target is not None)]


def _is_long(source: str) -> bool:
    return len(words(source)) > adapter.WHOLE_WORDS
