"""Training of the support network (`faithkit train support`): a claim beside its evidence, losses
over its words, over the sentence, and over whether it claims anything.

Data is `support_rows.py`, the loop `loop.py`, calibration `support_calibration.py`. Killed and
started again with the same options it goes on from its last checkpoint.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from faithkit import models
from faithkit.models.cards import named_in
from faithkit.models.identity import model_id
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.records import JSON, ConfigError
from faithkit.support import low_rank
from faithkit.support.calibration import Calibration
from faithkit.support.encoders import DOWN, UP, read_rank, read_tokenizer
from faithkit.support.evidence import BUDGET, LENGTH_POWER
from faithkit.support.files import Settings, read_encoder, read_settings
from faithkit.support.inputs import Input, batch_of, encode, within
from faithkit.support.network import (
    SupportNetwork,
    from_encoder,
    read_network,
    tensors,
    write,
    write_settings,
)
from faithkit.train import loop
from faithkit.train.distillation import judgements, taught, together
from faithkit.train.rounding import rounded
from faithkit.train.support_calibration import calibrate, calibration_rows, check_unseen
from faithkit.train.support_rows import (
    Options,
    Progress,
    Unit,
    pieces,
    sampled,
    training_rows,
    units,
)
from faithkit.train.unlabelled import unlabelled

WORDS, NON_CLAIM, SOME_WORD = 2.0, 0.2, 0.3
"""Weights of the losses beside the sentence's."""

HEADS = ("codes.", "word.", "sentence.", "non_claim.")
INPUTS = ("codes.", "segments.", "positions.", "norm.", "relative.")
"""What is before the layers, and what they share."""

HEADS_RATE = 5.0
"""How much faster the heads and the codes learn than the encoder."""

LOW_RANK_RATE = 4.0
"""How much faster a low-rank change of the encoder is learned than the encoder itself."""

REPORTED_STEPS = 50

NOTHING_LEFT_OUT = "Without a family that is left out there is nothing to calibrate on."


def input_of(unit: Unit, options: Options) -> Input:
    """The unit in tokens, with as much evidence as a budget that its text and the seed decide."""
    drawn = random.Random(
        f"{options.seed + unit.draw} {unit.document} {unit.reading.claim.form.text}"
    )
    return encode(unit.reading, within(unit.reading, drawn.randint(*options.budget)))


def loss_of(
    units: Sequence[Unit], words: torch.Tensor, sentence: torch.Tensor, non_claim: torch.Tensor
) -> torch.Tensor:
    """The mean loss of a batch from the network's outputs (float32).

    Words: binary cross-entropy with the share that calls the word unsupported, the mean over
    labelled words. Sentence: cross-entropy; where only "unsupported" is known, neutral and
    contradiction are one class. An unsupported sentence without labelled words: at least one word
    is unsupported.
    """
    labels = np.full(tuple(words.shape), np.nan, dtype=np.float32)
    is_word = np.zeros(tuple(words.shape), dtype=bool)
    for row, unit in enumerate(units):
        labels[row, : len(unit.labels)] = unit.labels
        is_word[row, : len(unit.labels)] = True
    share, known, counted, target, is_non_claim = (
        torch.from_numpy(array).to(words.device)
        for array in (
            np.nan_to_num(labels), ~np.isnan(labels), is_word,
            np.stack([unit.target for unit in units]),
            np.array([unit.non_claim for unit in units], dtype=np.float32),
        )
    )  # fmt: skip
    by_word = functional.binary_cross_entropy_with_logits(words, share, reduction="none") * known
    total = WORDS * (by_word.sum(1) / known.sum(1).clamp(min=1)).sum()
    log = sentence.log_softmax(-1)
    told = ~torch.isnan(target[:, 0])
    three = told & ~torch.isnan(target[:, 2])
    two = told & torch.isnan(target[:, 2])
    total = total - (target[three] * log[three]).sum()
    rest = torch.logsumexp(log[two][:, 1:], -1)
    total = total - (target[two][:, 0] * log[two][:, 0] + target[two][:, 1] * rest).sum()
    some = told & (target[:, 0] < 0.2) & ~known.any(1)
    none_is = (functional.logsigmoid(-words) * counted)[some].sum(1)
    total = total - SOME_WORD * torch.log1p(-torch.exp(none_is.clamp(max=-1e-4))).sum()
    total = total + NON_CLAIM * functional.binary_cross_entropy_with_logits(
        non_claim, is_non_claim, reduction="sum"
    )
    return total / len(units)


def _rate(name: str) -> float:
    """How fast a parameter is learned."""
    if name.startswith(HEADS):
        return HEADS_RATE
    return LOW_RANK_RATE if name.endswith((f".{DOWN}", f".{UP}")) else 1.0


def fit(
    units: Sequence[Unit],
    encoder: Path,
    options: Options,
    folder: Path,
    progress: Progress,
    device: str = "cpu",
    start: Path | None = None,
    teachers: Sequence[Path] = (),
) -> tuple[SupportNetwork, loop.Training]:
    """A network on the encoder in a folder, trained on the units.

    folder    what the checkpoint is of; it lies beside it and is removed at the end. The teachers'
              judgements, which lie there too, stay
    start     folder of a support model on the same encoder, whose weights are the first. Of rank 0
              its changes become a part of its layers, and those are learned; where it has whole
              layers (quantised ones too), so has the network, changes of a rank merged
    teachers  folders of support models the mean of whose judgements is learned from too
              (`distillation.py`)
    Computed in bfloat16 with float32 weights. Raises ConfigError without a sentence to learn from
    or on another rank than that of the changes in `start`, and as `loop.train`.
    """
    if not units:
        raise ConfigError("No labelled sentence to learn from.")
    read = {id(unit): input_of(unit, options) for unit in units}  # some are there several times
    inputs = [read[id(unit)] for unit in units]
    documents: list[JSON] = [unit.document for unit in units]
    began = model_id(start, tokenizer=False) if start else model_id(encoder)
    identity = [json.loads(json.dumps(asdict(options))), began, documents]
    if teachers:
        identity.append([model_id(teacher, tokenizer=False) for teacher in teachers])
        units = _with_judgements(units, read, teachers, options, folder, progress, device)
    checkpoint = loop.Checkpoint.beside(folder, *identity)

    def losses(batch: list[tuple[Unit, Input]]) -> Iterator[torch.Tensor]:
        outputs = network(*tensors(batch_of([one for _, one in batch]), device))
        yield loss_of([unit for unit, _ in batch], *(output.float() for output in outputs))

    def report(step: loop.Step) -> None:
        if step.number % REPORTED_STEPS == 0:
            loss = step.mean_loss(REPORTED_STEPS)
            progress(f"step {step.number} of {step.total}: loss {loss:.4f}")

    with loop.seeded(options.seed, torch.device(device)):
        network = _first_network(encoder, start, options.rank).to(device).train()
        network.drop(options.dropout)
        learned = _freeze(network, options.frozen)
        groups = _groups(network)
        with rounded(network) if options.rounded else nullcontext():
            trained = loop.train(
                list(zip(units, inputs, strict=True)), losses, groups, _training(options),
                length=lambda example: len(example[1].ids), after_step=report,
                checkpoint=checkpoint,
            )  # fmt: skip
    checkpoint.delete()
    for parameter in learned:
        parameter.requires_grad_(True)
    if start and options.rank and not read_rank(start):
        low_rank.merge(network)
    return network.eval(), trained


def _training(options: Options) -> loop.TrainingOptions:
    return loop.TrainingOptions(
        epochs=options.epochs, batch_size=options.batch, learning_rate=options.rate, bfloat16=True,
        seed=options.seed, threads=options.threads,
    )  # fmt: skip


def _with_judgements(
    units: Sequence[Unit],
    read: Mapping[int, Input],
    teachers: Sequence[Path],
    options: Options,
    folder: Path,
    progress: Progress,
    device: str,
) -> list[Unit]:
    """The units, with what the teachers in these folders say of each, in the mean, in its labels.
    `read` has the input of each by the unit's `id`, in the order in which they are judged."""
    judged: list[JSON] = [
        list(options.budget), options.seed,
        [unit.document for unit in units], [unit.reading.claim.form.text for unit in units],
    ]  # fmt: skip
    by_teacher = []
    for number, teacher in enumerate(teachers, start=1):
        at = folder.with_name(f"{folder.name}.teacher_{number}")
        kept = loop.Checkpoint.beside(at, model_id(teacher, tokenizer=False), *judged)
        network = read_teacher(teacher).to(device)
        by_teacher.append(judgements(list(read.values()), network, kept, progress))
    by_unit = dict(zip(read, map(together, zip(*by_teacher, strict=True)), strict=True))
    return list(taught(units, [by_unit[id(unit)] for unit in units]))


def _first_network(encoder: Path, start: Path | None, rank: int) -> SupportNetwork:
    """The network that a training begins with: the encoder, or `start`, with changes of this rank
    beside its layers; of rank 0 those of `start` are a part of its layers. Raises ConfigError where
    `start` has changes of another rank."""
    if start:
        _check_rank(start, rank)
    network = read_network(start, encoder, merged=not rank) if start else from_encoder(encoder)
    if rank and not (start and read_rank(start)):
        low_rank.add(network, rank)
    return network


def _freeze(network: SupportNetwork, layers: int) -> list[torch.nn.Parameter]:
    """Excludes so many of the first layers and what is before them from training, which then costs
    less, as no gradient is needed there; returns their parameters. Raises ConfigError where the
    network has fewer layers."""
    if layers > len(network.layers):
        raise ConfigError(
            f"{layers} layers are to be frozen; the encoder has {len(network.layers)}"
        )
    first = tuple(f"layers.{number}." for number in range(layers))
    frozen = [
        parameter
        for name, parameter in network.named_parameters()
        if layers and parameter.requires_grad and name.startswith((*first, *INPUTS))
    ]
    for parameter in frozen:
        parameter.requires_grad_(False)
    return frozen


def _check_rank(start: Path, rank: int) -> None:
    if rank and (found := read_rank(start)) not in (0, rank):
        raise ConfigError(f"{start} has changes of rank {found}; go on with this rank, not {rank}")


def _check_start(start: Path, rank: int, encoder: str) -> None:
    """Raises ConfigError where the model in a folder cannot be gone on from, with changes of this
    rank, on the encoder of this id; ModelError where it is none."""
    if (its := read_settings(start).encoder_id) != encoder:
        raise ConfigError(f"{start} was trained on the encoder {its}, and {encoder} is named")
    _check_rank(start, rank)


def _groups(network: SupportNetwork) -> list[loop.ParameterGroup]:
    """What is learned, by how fast it is."""
    by_rate: dict[float, dict[str, torch.nn.Parameter]] = {}
    for name, value in network.named_parameters():
        if value.requires_grad:
            by_rate.setdefault(_rate(name), {})[name] = value
    return [loop.ParameterGroup(named, rate) for rate, named in by_rate.items()]


def read_teacher(folder: Path) -> SupportNetwork:
    """The network of a support model in a folder. Raises ModelError."""
    return read_network(folder, read_encoder(folder, folder.name, read_settings(folder)))


def _earlier(folder: Path) -> JSON:
    """What the card of a later model says of the one in a folder."""
    return {
        "id": model_id(folder, tokenizer=False), "card": dict(read_settings(folder).card),
    }  # fmt: skip


def _before(start: Path | None, teachers: Sequence[Path]) -> dict[str, JSON]:
    """What the card of a later model says of the one that it began with and of its teachers."""
    said: dict[str, JSON] = {"start": _earlier(start)} if start else {}
    return said | ({"teachers": list(map(_earlier, teachers))} if teachers else {})


UNCALIBRATED = Calibration((1.0, 0.0), (1.0, 0.0))


def train(
    folder: Path,
    data: Path,
    options: Options,
    progress: Progress,
    *,
    files: Sequence[str] = (),
    encoder: str = "mini",
    start: Path | None = None,
    teachers: Sequence[Path] = (),
    runtime: Runtime = DEFAULT_RUNTIME,
) -> dict[str, JSON]:
    """Trains on the labelled files of a data folder, calibrates on the families that were left out,
    writes the model to `folder` and returns its card. Raises ConfigError on an unknown file or
    family, options that do not go together, or a `start` on another encoder or of another rank,
    DataError on a broken or missing file (those of the calibration are read first), ModelError
    where the encoder is no BERT or MPNet.

    start     folder of a support model from whose weights the training goes on. Where no family is
              left out, its calibration is taken over.
    teachers  folders of support models the mean of whose judgements is learned from beside the
              labels. What they were trained on counts as trained on.
    """
    _check_options(options, start, teachers)
    place, shown = models.resolve("tokens", encoder, offline=runtime.offline)
    start = start.expanduser().resolve() if start else None
    first = read_settings(start) if start else None
    teachers = [teacher.expanduser().resolve() for teacher in teachers]
    if start:
        _check_start(start, options.rank, model_id(place, shown))
    if options.leave_out:
        for before in filter(None, (start, *teachers)):
            check_unseen(named_in(read_settings(before).card), options.leave_out)
        calibration_rows(data, options.leave_out)
    rows, learned = _drawn(data, files, place, options, progress)
    network, trained = fit(
        learned, place, options, folder, progress, runtime.device or "cpu", start, teachers
    )
    card: dict[str, JSON] = {
        "options": json.loads(json.dumps(asdict(options))),
        "rows": {**rows},
        "sentences": len(learned),
        "steps": trained.steps,
        "seconds": round(trained.seconds),
        **_before(start, teachers),
    }
    if first and not options.leave_out:
        settings = _calibrated_as(first, card)
        write(folder, settings, network)
        return dict(settings.card)
    is_folder = place == Path(encoder).expanduser().resolve()
    name = str(place) if is_folder else encoder
    settings = Settings(
        encoder=name, encoder_id=model_id(place, shown), calibration=UNCALIBRATED, non_claim=0.0,
        decision=(0.5, 0.5), marked=0.5, budget=BUDGET, card=card, length_power=LENGTH_POWER,
        named=True,
    )  # fmt: skip
    write(folder, settings, network)
    return recalibrate(folder, data, options, progress, runtime)


def _check_options(options: Options, start: Path | None, teachers: Sequence[Path]) -> None:
    """Raises ConfigError where options do not go together."""
    if start is None and not options.leave_out:
        raise ConfigError(NOTHING_LEFT_OUT)
    if options.unlabelled and not teachers:
        raise ConfigError("Sentences without a label are learned from a teacher; name one.")
    if options.rounded and options.rank:
        raise ConfigError("Whole matrices are rounded, not changes of a rank; use rank 0.")


def _drawn(
    data: Path, files: Sequence[str], encoder: Path, options: Options, progress: Progress
) -> tuple[dict[str, int], list[Unit]]:
    """How many rows of each file a draw has, and the sentences of all draws to learn from, read
    beside their evidence."""
    counts = Counter[str]()
    learned: list[Unit] = []
    tokenizer, budget = read_tokenizer(encoder), max(options.budget) + 50
    for draw in range(options.draws):
        seeded = replace(options, seed=options.seed + draw)
        rows = training_rows(data, seeded, progress, files)
        counts |= Counter(row.file for row in rows)
        drawn = sampled(pieces(rows), seeded)
        progress(f"reading {len(drawn)} sentences beside their evidence")
        found = units(drawn, tokenizer, budget)
        if options.unlabelled:
            found += unlabelled(drawn, tokenizer, budget, seeded.seed)
        learned += [replace(unit, draw=draw) for unit in found] if draw else found
    return dict(sorted(counts.items())), learned


CALIBRATION = ("calibrated_on", "non_claims", "left_out")
"""What a card says of a calibration."""


def _calibrated_as(settings: Settings, card: Mapping[str, JSON]) -> Settings:
    """These settings, and what their card says of the calibration, for a model with another
    card."""
    taken = {name: settings.card[name] for name in CALIBRATION if name in settings.card}
    return replace(settings, card={**card, **taken})


def recalibrate(
    folder: Path,
    data: Path,
    options: Options,
    progress: Progress,
    runtime: Runtime = DEFAULT_RUNTIME,
    *,
    start: Path | None = None,
) -> dict[str, JSON]:
    """Calibrates the model in a folder anew on the families that it was not trained on, or, where
    none is left out, as the model in the folder `start` is; returns its card. Raises ModelError
    where a folder holds no support model, else as `train`."""
    if start is None and not options.leave_out:
        raise ConfigError(NOTHING_LEFT_OUT)
    model = models.load(f"support:{folder.expanduser().resolve()}", runtime)
    if start and not options.leave_out:
        settings = _calibrated_as(read_settings(start), read_settings(folder).card)
    else:
        settings = calibrate(model, calibration_rows(data, options.leave_out), progress)
    write_settings(folder, settings)
    return dict(settings.card)
