"""Training of the support network (`faithkit train support`): a claim beside its evidence, losses
over its words, over the sentence, and over whether it claims anything.

Data is `support_rows.py`, calibration `support_calibration.py`. Killed and started again with the
same options it goes on from its last checkpoint, in the same order of data.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from faithkit import models
from faithkit.models.identity import model_id
from faithkit.records import JSON, ConfigError
from faithkit.support.calibration import Calibration
from faithkit.support.evidence import BUDGET
from faithkit.support.inputs import batch_of, encode, within
from faithkit.support.model import FROZEN, Settings, load_support, read_tokenizer, write
from faithkit.support.network import SupportNetwork, from_encoder, tensors
from faithkit.train.support_calibration import calibrate
from faithkit.train.support_rows import Options, Progress, Unit, training_rows, units

WORDS, NON_CLAIM, SOME_WORD = 2.0, 0.2, 0.3
"""Weights of the losses beside the sentence's."""

HEADS = 5.0
"""How much faster the heads and the codes learn than the encoder."""

WARM_UP, LEAST_RATE = 0.04, 0.02
EARLY_INFERENCE = 0.8
"""Share of the inference pairs that comes in the first part of the pass, whose last part is of the
kinds of text that matter."""
FIRST_PART = 0.35

BLOCK = 40
"""Batches whose units are sorted by length together."""

SAVED_EVERY = 200
CHECKPOINT = "checkpoint.pt"


def size(unit: Unit) -> int:
    """About how many tokens a unit has."""
    return len(unit.reading.claim.ids) + sum(len(s.ids) + 1 for s in unit.reading.evidence[:3])


def in_order(data: Sequence[Unit], options: Options) -> list[list[Unit]]:
    """The batches of one pass, each of units of about one length."""
    drawn = random.Random(options.seed)
    families: dict[str, list[Unit]] = {}
    for unit in data:
        families.setdefault(unit.family, []).append(unit)
    early: list[Unit] = []
    late: list[Unit] = []
    for name in sorted(families):
        group = families[name]
        drawn.shuffle(group)
        group = group[: options.most.get(name, len(group))] * options.repeat.get(name, 1)
        cut = int(EARLY_INFERENCE * len(group)) if name == "nli" else 0
        early += group[:cut]
        late += group[cut:]
    drawn.shuffle(late)
    cut = int(FIRST_PART * len(late))
    first = early + late[:cut]
    drawn.shuffle(first)
    batches = list(_batches(first + late[cut:], options.batch, drawn))
    return batches[: options.steps]


def _batches(order: Sequence[Unit], count: int, drawn: random.Random) -> Iterator[list[Unit]]:
    for start in range(0, len(order), BLOCK * count):
        block = sorted(order[start : start + BLOCK * count], key=size)
        batches = [block[i : i + count] for i in range(0, len(block), count)]
        drawn.shuffle(batches)
        yield from batches


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
    share, known = torch.from_numpy(np.nan_to_num(labels)), torch.from_numpy(~np.isnan(labels))
    by_word = functional.binary_cross_entropy_with_logits(words, share, reduction="none") * known
    total = WORDS * (by_word.sum(1) / known.sum(1).clamp(min=1)).sum()
    target = torch.from_numpy(np.stack([unit.target for unit in units]))
    log = sentence.log_softmax(-1)
    told = ~torch.isnan(target[:, 0])
    three = told & ~torch.isnan(target[:, 2])
    two = told & torch.isnan(target[:, 2])
    total = total - (target[three] * log[three]).sum()
    rest = torch.logsumexp(log[two][:, 1:], -1)
    total = total - (target[two][:, 0] * log[two][:, 0] + target[two][:, 1] * rest).sum()
    some = told & (target[:, 0] < 0.2) & ~known.any(1)
    none_is = (functional.logsigmoid(-words) * torch.from_numpy(is_word))[some].sum(1)
    total = total - SOME_WORD * torch.log1p(-torch.exp(none_is.clamp(max=-1e-4))).sum()
    is_non_claim = torch.tensor([float(unit.non_claim) for unit in units])
    total = total + NON_CLAIM * functional.binary_cross_entropy_with_logits(
        non_claim, is_non_claim, reduction="sum"
    )
    return total / len(units)


def fit(
    data: Sequence[Unit],
    encoder: Path,
    options: Options,
    folder: Path,
    progress: Progress,
    device: str = "cpu",
) -> SupportNetwork:
    """A network on the BERT encoder in a folder, trained in one pass over the data.

    folder  where the checkpoint lies, which is removed at the end
    Computed in bfloat16 with float32 weights. Raises ConfigError without a sentence to learn from,
    ModelError where the encoder is no BERT.
    """
    if not data:
        raise ConfigError("No labelled sentence to learn from.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(options.seed)
        network = from_encoder(encoder).to(device).train()
    batches = in_order(data, options)
    optimizer, schedule = _optimizer(network, options.rate, len(batches))
    checkpoint = folder / CHECKPOINT
    key = _key(options, data, encoder)
    start = _resumed(checkpoint, key, network, optimizer, schedule)
    progress(f"{len(data)} sentences, {len(batches)} steps, from step {start}")
    began, losses = time.monotonic(), list[float]()
    for step in range(start, len(batches)):
        units = batches[step]
        drawn = random.Random(f"{options.seed} {step}")
        inputs = [encode(u.reading, within(u.reading, drawn.randint(*options.budget)))
                  for u in units]  # fmt: skip
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16):
            outputs = network(*tensors(batch_of(inputs), device))
        loss = loss_of(units, *(output.float().cpu() for output in outputs))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 50 == 49:
            left = (len(batches) - step - 1) * (time.monotonic() - began) / (step + 1 - start)
            progress(f"step {step + 1}: loss {np.mean(losses):.4f}, {left / 60:.0f} minutes left")
            losses.clear()
        if step % SAVED_EVERY == SAVED_EVERY - 1:
            _save(checkpoint, key, step + 1, network, optimizer, schedule)
    checkpoint.unlink(missing_ok=True)
    return network.eval()


def _optimizer(
    network: SupportNetwork, rate: float, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    heads = ("codes.", "word.", "sentence.", "non_claim.")
    learned = [(name, p) for name, p in network.named_parameters() if p.requires_grad]
    groups = [
        {"params": [p for name, p in learned if not name.startswith(heads)], "lr": rate},
        {"params": [p for name, p in learned if name.startswith(heads)], "lr": HEADS * rate},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)

    def share(step: int) -> float:
        return min(1.0, (step + 1) / (WARM_UP * steps)) * max(LEAST_RATE, 1 - step / steps)

    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, share)


def _key(options: Options, data: Sequence[Unit], encoder: Path) -> str:
    """What a checkpoint is of."""
    documents = [unit.document for unit in data]
    described = json.dumps([asdict(options), documents, model_id(encoder)], sort_keys=True)
    return sha256(described.encode()).hexdigest()


def _save(
    path: Path,
    key: str,
    step: int,
    network: SupportNetwork,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
) -> None:
    weights = {name: value for name, value in network.state_dict().items() if name != FROZEN}
    state = {"key": key, "step": step, "network": weights, "optimizer": optimizer.state_dict(),
             "schedule": schedule.state_dict()}  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(state, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def _resumed(
    path: Path,
    key: str,
    network: SupportNetwork,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
) -> int:
    """The step to go on from; 0 without a checkpoint of the same options, data and encoder."""
    if not path.is_file():
        return 0
    state = torch.load(path, weights_only=True)  # arrays and numbers only, no other objects
    if state["key"] != key:
        return 0
    network.load_state_dict(state["network"], strict=False)
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    return int(state["step"])


UNCALIBRATED = Calibration((1.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def train(
    folder: Path,
    data: Path,
    options: Options,
    progress: Progress,
    *,
    files: Sequence[str] = (),
    encoder: str = "mini",
    device: str = "cpu",
    offline: bool = False,
) -> dict[str, JSON]:
    """Trains on the labelled files of a data folder, calibrates on the families that were left out,
    writes the model to `folder` and returns its card. Raises ConfigError on an unknown file or
    family and without a sentence to learn from, DataError on a broken file, ModelError where the
    encoder is no BERT."""
    place, shown = models.resolve("tokens", encoder, offline=offline)
    rows = training_rows(data, options, progress, files)
    tokenizer = read_tokenizer(place)
    learned = list(units(rows, tokenizer, max(options.budget) + 50))
    network = fit(learned, place, options, folder, progress, device)
    card: dict[str, JSON] = {
        "options": json.loads(json.dumps(asdict(options))),
        "rows": dict(sorted(Counter(row.file for row in rows).items())),
        "sentences": len(learned),
    }
    settings = Settings(
        encoder=encoder,
        encoder_id=model_id(place, shown),
        calibration=UNCALIBRATED,
        non_claim=0.0,
        decision=(0.5, 0.5),
        marked=0.5,
        budget=BUDGET,
        card=card,
    )
    write(folder, settings, network)
    return recalibrate(folder, data, options, progress)


def recalibrate(folder: Path, data: Path, options: Options, progress: Progress) -> dict[str, JSON]:
    """Calibrates the model in a folder anew on the families that it was not trained on; returns its
    card."""
    model = load_support(folder, folder.name, device=None, dtype=None)
    settings = calibrate(model, data, progress, options.leave_out)
    write(folder, settings, model.network)
    return dict(settings.card)
