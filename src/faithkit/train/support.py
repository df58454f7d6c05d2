"""Training of the support network (`faithkit train support`): it reads a claim with its evidence,
and has three losses: of the words, of the sentence, and of whether the sentence claims anything.

The data are made in `support_rows.py`, the loop is `loop.py`, calibration is
`support_calibration.py`. A training that was killed is resumed from its last checkpoint when
started with the same options.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
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
from faithkit.support.inputs import Input, batch_of, count_within_budget, encode
from faithkit.support.network import (
    SupportNetwork,
    from_encoder,
    read_network,
    tensors,
    write,
    write_settings,
)
from faithkit.train import loop
from faithkit.train.distillation import judgements, mean_judgement, with_teacher_labels
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
"""Weights of the losses; that of the sentence has weight 1."""

HEADS = ("codes.", "word.", "sentence.", "non_claim.")
INPUTS = ("codes.", "segments.", "positions.", "norm.", "relative.")
"""Parameters before the first layer, and those that all layers share."""

HEADS_RATE = 5.0
"""Factor on the encoder's learning rate for the heads and the codes."""

LOW_RANK_RATE = 4.0
"""Factor on the encoder's learning rate for low-rank changes of the encoder."""

REPORTED_STEPS = 50

NOTHING_LEFT_OUT = "Without a family that is left out there is nothing to calibrate on."


def input_of(unit: Unit, options: Options) -> Input:
    """The tokens of a unit. How much evidence it has is sampled by its text and the seed."""
    drawn = random.Random(
        f"{options.seed + unit.draw} {unit.document} {unit.reading.claim.form.text}"
    )
    return encode(unit.reading, count_within_budget(unit.reading, drawn.randint(*options.budget)))


def loss_of(
    units: Sequence[Unit], words: torch.Tensor, sentence: torch.Tensor, non_claim: torch.Tensor
) -> torch.Tensor:
    """The mean loss of a batch from the network's outputs (float32).

    Words: binary cross-entropy with the probability that the word is unsupported, the mean over
    labelled words. Sentence: cross-entropy; where only "unsupported" is known, neutral and
    contradiction are one class. An unsupported sentence without labelled words: at least one word
    is unsupported.
    """
    labels = np.full(tuple(words.shape), np.nan, dtype=np.float32)
    not_padding = np.zeros(tuple(words.shape), dtype=bool)
    for row, unit in enumerate(units):
        labels[row, : len(unit.labels)] = unit.labels
        not_padding[row, : len(unit.labels)] = True
    label, is_labelled, is_word, target, is_non_claim = (
        torch.from_numpy(array).to(words.device)
        for array in (
            np.nan_to_num(labels), ~np.isnan(labels), not_padding,
            np.stack([unit.target for unit in units]),
            np.array([unit.non_claim for unit in units], dtype=np.float32),
        )
    )  # fmt: skip
    by_word = functional.binary_cross_entropy_with_logits(words, label, reduction="none")
    by_word = by_word * is_labelled
    total = WORDS * (by_word.sum(1) / is_labelled.sum(1).clamp(min=1)).sum()
    log = sentence.log_softmax(-1)
    has_target = ~torch.isnan(target[:, 0])
    three = has_target & ~torch.isnan(target[:, 2])
    two = has_target & torch.isnan(target[:, 2])
    total = total - (target[three] * log[three]).sum()
    rest = torch.logsumexp(log[two][:, 1:], -1)
    total = total - (target[two][:, 0] * log[two][:, 0] + target[two][:, 1] * rest).sum()
    only_sentence = has_target & (target[:, 0] < 0.2) & ~is_labelled.any(1)
    log_none = (functional.logsigmoid(-words) * is_word)[only_sentence].sum(1)
    total = total - SOME_WORD * torch.log1p(-torch.exp(log_none.clamp(max=-1e-4))).sum()
    total = total + NON_CLAIM * functional.binary_cross_entropy_with_logits(
        non_claim, is_non_claim, reduction="sum"
    )
    return total / len(units)


def _rate(name: str) -> float:
    """Factor on the learning rate of the encoder for a parameter."""
    if name.startswith(HEADS):
        return HEADS_RATE
    return LOW_RANK_RATE if name.endswith((f".{DOWN}", f".{UP}")) else 1.0


@dataclass(frozen=True, slots=True)
class ModelFolders:
    """Folders of the models that a training reads.

    encoder   of the network
    start     a support model on the same encoder, whose weights the training starts from. With rank
              0 its low-rank changes are merged into its layers, and those are trained; where it has
              whole layers (quantised ones too), so has the network, and the changes of a rank are
              merged at the end. None: the training starts from the encoder
    teachers  support models; the mean of their judgements is learned too (`distillation.py`)
    """

    encoder: Path
    start: Path | None = None
    teachers: Sequence[Path] = ()


def fit(
    units: Sequence[Unit],
    model_folders: ModelFolders,
    options: Options,
    folder: Path,
    progress: Progress,
    device: str = "cpu",
) -> tuple[SupportNetwork, loop.Training]:
    """A network trained on the units, and its training.

    folder  of the model to be written. The checkpoint, which is deleted at the end, and the
            teachers' judgements, which are kept, are files beside it
    Computed in bfloat16 with float32 weights. Raises ConfigError without a unit or on another rank
    than that of the changes in the start, and as `loop.train`.
    """
    if not units:
        raise ConfigError("No labelled sentence to learn from.")
    start, teachers = model_folders.start, model_folders.teachers
    by_id = {id(unit): input_of(unit, options) for unit in units}  # a unit may occur repeatedly
    inputs = [by_id[id(unit)] for unit in units]
    documents: list[JSON] = [unit.document for unit in units]
    first = model_id(start, tokenizer=False) if start else model_id(model_folders.encoder)
    identity = [json.loads(json.dumps(asdict(options))), first, documents]
    if teachers:
        identity.append([model_id(teacher, tokenizer=False) for teacher in teachers])
        units = _with_judgements(units, by_id, teachers, options, folder, progress, device)
    checkpoint = loop.Checkpoint.beside(folder, *identity)

    def losses(batch: list[tuple[Unit, Input]]) -> Iterator[torch.Tensor]:
        outputs = network(*tensors(batch_of([tokens for _, tokens in batch]), device))
        yield loss_of([unit for unit, _ in batch], *(output.float() for output in outputs))

    def report(step: loop.Step) -> None:
        if step.number % REPORTED_STEPS == 0:
            loss = step.mean_loss(REPORTED_STEPS)
            progress(f"step {step.number} of {step.total}: loss {loss:.4f}")

    with loop.seeded(options.seed, torch.device(device)):
        network = _first_network(model_folders, options.rank).to(device).train()
        network.drop(options.dropout)
        frozen = _freeze(network, options.frozen)
        groups = _groups(network)
        with rounded(network) if options.rounded else nullcontext():
            trained = loop.train(
                list(zip(units, inputs, strict=True)), losses, groups, _training(options),
                length=lambda example: len(example[1].ids), after_step=report,
                checkpoint=checkpoint,
            )  # fmt: skip
    checkpoint.delete()
    for parameter in frozen:
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
    by_id: Mapping[int, Input],
    teachers: Sequence[Path],
    options: Options,
    folder: Path,
    progress: Progress,
    device: str,
) -> list[Unit]:
    """The units with the mean judgement of the teachers in these folders in their labels.

    by_id  the input of each unit by its `id`, in the order in which they are judged
    """
    identity: list[JSON] = [
        list(options.budget), options.seed,
        [unit.document for unit in units], [unit.reading.claim.form.text for unit in units],
    ]  # fmt: skip
    by_teacher = []
    for number, teacher in enumerate(teachers, start=1):
        beside = folder.with_name(f"{folder.name}.teacher_{number}")
        stored = loop.Checkpoint.beside(beside, model_id(teacher, tokenizer=False), *identity)
        network = read_teacher(teacher).to(device)
        by_teacher.append(judgements(list(by_id.values()), network, stored, progress))
    by_unit = dict(zip(by_id, map(mean_judgement, zip(*by_teacher, strict=True)), strict=True))
    return list(with_teacher_labels(units, [by_unit[id(unit)] for unit in units]))


def _first_network(model_folders: ModelFolders, rank: int) -> SupportNetwork:
    """The network before training, with changes of this rank beside its layers; with rank 0 the
    changes of the start are merged into its layers. Raises ConfigError where the start has changes
    of another rank."""
    start, encoder = model_folders.start, model_folders.encoder
    if start:
        _check_rank(start, rank)
    network = read_network(start, encoder, merged=not rank) if start else from_encoder(encoder)
    if rank and not (start and read_rank(start)):
        low_rank.add(network, rank)
    return network


def _freeze(network: SupportNetwork, layers: int) -> list[torch.nn.Parameter]:
    """Excludes this number of first layers and all before them from training, which saves time as
    they need no gradient; returns their parameters. Raises ConfigError where the network has fewer
    layers."""
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
    """Raises ConfigError where the model in a folder has changes of another rank."""
    if rank and (earlier := read_rank(start)) not in (0, rank):
        raise ConfigError(
            f"{start} has changes of rank {earlier}; go on with this rank, not {rank}"
        )


def _check_start(start: Path, rank: int, encoder: str) -> None:
    """Raises ConfigError where a training with this rank and the encoder of this id cannot start
    from the model in a folder; ModelError where it holds no support model."""
    if (trained := read_settings(start).encoder_id) != encoder:
        raise ConfigError(f"{start} was trained on the encoder {trained}, and {encoder} is named")
    _check_rank(start, rank)


def _groups(network: SupportNetwork) -> list[loop.ParameterGroup]:
    """The parameters in training, one group for each learning rate."""
    by_rate: dict[float, dict[str, torch.nn.Parameter]] = {}
    for name, value in network.named_parameters():
        if value.requires_grad:
            by_rate.setdefault(_rate(name), {})[name] = value
    return [loop.ParameterGroup(named, rate) for rate, named in by_rate.items()]


def read_teacher(folder: Path) -> SupportNetwork:
    """The network of a support model in a folder. Raises ModelError."""
    return read_network(folder, read_encoder(folder, folder.name, read_settings(folder)))


def _earlier(folder: Path) -> JSON:
    """Id and card of the model in a folder, for the card of one that was trained from it."""
    return {
        "id": model_id(folder, tokenizer=False), "card": dict(read_settings(folder).card),
    }  # fmt: skip


def _earlier_models(model_folders: ModelFolders) -> dict[str, JSON]:
    """Ids and cards of the start and of the teachers, for the card of the trained model."""
    entries: dict[str, JSON] = {}
    if model_folders.start:
        entries["start"] = _earlier(model_folders.start)
    if model_folders.teachers:
        entries["teachers"] = list(map(_earlier, model_folders.teachers))
    return entries


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
    writes the model to `folder` and returns its card.

    files     names of `labels.FILES`, or paths of files; empty: all but those of CHOOSING
    encoder   name or folder of a BERT or an MPNet
    start     folder of a support model whose weights the training starts from. Where no family is
              left out, its calibration is kept
    teachers  folders of support models; the mean of their judgements is learned beside the labels.
              The files that they were trained on count as trained on

    Raises ConfigError on an unknown file or family, options that exclude each other, or a `start`
    on another encoder or of another rank, DataError on a broken or missing file (those of the
    calibration are read first), ModelError where the encoder is no BERT or MPNet.
    """
    _check_options(options, start, teachers)
    path, shown = models.resolve("tokens", encoder, offline=runtime.offline)
    model_folders = ModelFolders(
        path, start.expanduser().resolve() if start else None,
        [teacher.expanduser().resolve() for teacher in teachers],
    )  # fmt: skip
    if model_folders.start:
        _check_start(model_folders.start, options.rank, model_id(path, shown))
    if options.leave_out:
        _check_left_out(options.leave_out, data, model_folders)
    rows, learned = _drawn(data, files, path, options, progress)
    device = runtime.device or "cpu"
    network, trained = fit(learned, model_folders, options, folder, progress, device)
    card: dict[str, JSON] = {
        "options": json.loads(json.dumps(asdict(options))),
        "rows": {**rows},
        "sentences": len(learned),
        "steps": trained.steps,
        "seconds": round(trained.seconds),
        **_earlier_models(model_folders),
    }
    if model_folders.start and not options.leave_out:
        settings = _calibrated_as(read_settings(model_folders.start), card)
        write(folder, settings, network)
        return dict(settings.card)
    is_folder = path == Path(encoder).expanduser().resolve()
    name = str(path) if is_folder else encoder
    write(folder, _uncalibrated(name, model_id(path, shown), card), network)
    return recalibrate(folder, data, options, progress, runtime)


def _uncalibrated(encoder: str, encoder_id: str, card: Mapping[str, JSON]) -> Settings:
    """The settings of a model that is yet to be calibrated."""
    return Settings(
        encoder=encoder, encoder_id=encoder_id, calibration=Calibration((1.0, 0.0), (1.0, 0.0)),
        non_claim=0.0, decision=(0.5, 0.5), marked=0.5, budget=BUDGET, card=card,
        length_power=LENGTH_POWER, named=True,
    )  # fmt: skip


def _check_options(options: Options, start: Path | None, teachers: Sequence[Path]) -> None:
    """Raises ConfigError where options exclude each other."""
    if start is None and not options.leave_out:
        raise ConfigError(NOTHING_LEFT_OUT)
    if options.unlabelled and not teachers:
        raise ConfigError("Sentences without a label are learned from a teacher; name one.")
    if options.rounded and options.rank:
        raise ConfigError("Whole matrices are rounded, not changes of a rank; use rank 0.")


def _check_left_out(families: Sequence[str], data: Path, model_folders: ModelFolders) -> None:
    """Raises ConfigError where the start or a teacher was trained on one of these families, or they
    have no rows to calibrate on; DataError where a file of theirs is missing or broken."""
    for earlier in filter(None, (model_folders.start, *model_folders.teachers)):
        check_unseen(named_in(read_settings(earlier).card), families)
    calibration_rows(data, families)


def _drawn(
    data: Path, files: Sequence[str], encoder: Path, options: Options, progress: Progress
) -> tuple[dict[str, int], list[Unit]]:
    """(rows of each file, units): the largest number of rows that a draw has of each file, and the
    units of all draws."""
    counts = Counter[str]()
    learned: list[Unit] = []
    tokenizer, budget = read_tokenizer(encoder), max(options.budget) + 50
    for draw in range(options.draws):
        seeded = replace(options, seed=options.seed + draw)
        rows = training_rows(data, seeded, progress, files)
        counts |= Counter(row.file for row in rows)
        drawn = sampled(pieces(rows), seeded)
        progress(f"reading {len(drawn)} sentences beside their evidence")
        of_draw = units(drawn, tokenizer, budget)
        if options.unlabelled:
            of_draw += unlabelled(drawn, tokenizer, budget, seeded.seed)
        learned += [replace(unit, draw=draw) for unit in of_draw] if draw else of_draw
    return dict(sorted(counts.items())), learned


CALIBRATION = ("calibrated_on", "non_claims", "left_out")
"""Keys of a card about the calibration."""


def _calibrated_as(settings: Settings, card: Mapping[str, JSON]) -> Settings:
    """The settings with another card, to which the calibration keys of their own are added."""
    calibration = {name: settings.card[name] for name in CALIBRATION if name in settings.card}
    return replace(settings, card={**card, **calibration})


def recalibrate(
    folder: Path,
    data: Path,
    options: Options,
    progress: Progress,
    runtime: Runtime = DEFAULT_RUNTIME,
    *,
    start: Path | None = None,
) -> dict[str, JSON]:
    """Calibrates the model in a folder again, on the families that it was not trained on, or, if
    none is left out, with the calibration of the model in the folder `start`; returns its card.
    Raises ModelError where a folder holds no support model, otherwise as `train`."""
    if start is None and not options.leave_out:
        raise ConfigError(NOTHING_LEFT_OUT)
    model = models.load(f"support:{folder.expanduser().resolve()}", runtime)
    if start and not options.leave_out:
        settings = _calibrated_as(read_settings(start), read_settings(folder).card)
    else:
        settings = calibrate(model, calibration_rows(data, options.leave_out), progress)
    write_settings(folder, settings)
    return dict(settings.card)
