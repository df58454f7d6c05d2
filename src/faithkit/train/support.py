"""`faithkit train support`: the support model's network, learned from labelled words.

In: labelled summaries (`words.py`), made ready by `support_rows.py`. Out: a folder with one
safetensors file that `support/model.py` reads, calibrated by `support_calibration.py`. With
`families`, `train` also fits a model for each family of files that leaves the family and its
documents out, so that what is reported of a file never comes from a model that saw it.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from faithkit.models.protocols import TokenEncoder
from faithkit.records import ConfigError
from faithkit.support import model as support_model
from faithkit.support.model import Settings
from faithkit.support.network import SupportNetwork, padded
from faithkit.train.support_calibration import UNDECIDED, UNSCALED, calibrate
from faithkit.train.support_rows import Options, Progress, Unit, limited, pieces_of, prepare
from faithkit.train.words import Labelled


@dataclass(frozen=True, slots=True)
class Weights:
    """How much a file's rows count: an unsupported word, a supported one, a sentence."""

    unsupported: float
    supported: float
    sentence: float


def _weights(data: Sequence[Unit]) -> dict[str, Weights]:
    """Files count by the square root of their size, so that none drowns the others; unsupported
    words count more where they are rare. A file whose known words all hold would teach that its
    style is faithful, so its words are not used, only its sentences."""
    words: dict[str, list[float]] = {}
    for unit in data:
        entry = words.setdefault(unit.file, [0.0, 0.0, 0.0])
        told = unit.labels[~np.isnan(unit.labels)]
        entry[0] += len(told)
        entry[1] += float(told.sum())
        entry[2] += 1
    both = [entry[0] for entry in words.values() if entry[1] > 0]
    typical = sum(both) / max(1, len(both))
    found: dict[str, Weights] = {}
    for name, (known, marked, count) in words.items():
        sentence = min(1.0, 3000 / count)
        if marked == 0:
            found[name] = Weights(0.0, 0.0, sentence)
            continue
        marked_share, size = marked / known, math.sqrt(typical / known)
        rare = math.sqrt((1 - marked_share) / marked_share)
        found[name] = Weights(size * rare, size, sentence)
    return found


def tensors(batch: Sequence[Unit]) -> tuple[torch.Tensor, ...]:
    """features, words, found, is_word, is_found, labels, target; padded to the longest."""
    inputs = padded(
        [unit.features for unit in batch],
        [unit.words for unit in batch],
        [unit.found for unit in batch],
    )
    labels = np.full(inputs[3].shape, np.nan, dtype=np.float32)
    for row, unit in zip(labels, batch, strict=True):
        row[: len(unit.labels)] = unit.labels
    target = np.stack([unit.target for unit in batch])
    return (*inputs, torch.from_numpy(labels), torch.from_numpy(target))


def loss_of(
    word: torch.Tensor,
    sentence: torch.Tensor,
    labels: torch.Tensor,
    target: torch.Tensor,
    weights: Sequence[Weights],
) -> torch.Tensor:
    """Cross-entropy of the known words, plus half that of the known sentences. Where only "not
    entailed" is known, neutral and contradiction are taken together."""
    known = ~torch.isnan(labels)
    labels = labels.nan_to_num()
    up = torch.tensor([w.unsupported for w in weights])[:, None]
    down = torch.tensor([w.supported for w in weights])[:, None]
    each = functional.binary_cross_entropy_with_logits(word, labels, reduction="none")
    words = (each * (labels * up + (1 - labels) * down) * known).sum() / known.sum().clamp(min=1)
    told = ~torch.isnan(target[:, 0])
    joined = torch.isnan(target[:, 2])
    logs, wanted = sentence.log_softmax(-1), target.nan_to_num()
    three = -(wanted * logs).sum(-1)
    two = -(wanted[:, 0] * logs[:, 0] + wanted[:, 1] * torch.logsumexp(logs[:, 1:], dim=-1))
    share = torch.tensor([w.sentence for w in weights]) * told
    rest = (torch.where(joined, two, three) * share).sum() / share.sum().clamp(min=1)
    return words + 0.5 * rest


def fit(data: Sequence[Unit], options: Options, progress: Progress) -> SupportNetwork:
    """The network after `options.epochs` passes over the data; the same seed gives the same
    weights on the same machine. Raises ConfigError without a labelled word."""
    data = [u for u in data if not (np.isnan(u.labels).all() and np.isnan(u.target[0]))]
    if not any((unit.labels > 0).any() for unit in data):
        raise ConfigError("there is no unsupported word to learn from")
    rng = random.Random(options.seed)
    weights = _weights(data)
    with torch.random.fork_rng():
        torch.manual_seed(options.seed)
        network = SupportNetwork(data[0].features.shape[1], data[0].words.shape[1], options.hidden)
        rows = np.concatenate([unit.features for unit in data]).astype(np.float32)
        network.mean.copy_(torch.from_numpy(rows.mean(axis=0)))
        network.spread.copy_(torch.from_numpy(rows.std(axis=0) + 0.05))
        learned = [p for name, p in network.named_parameters() if not name.startswith("claim")]
        optimizer = torch.optim.AdamW(learned, lr=options.rate, weight_decay=0.01)
        per_epoch = math.ceil(len(data) / options.batch) + len(data) // (20 * options.batch) + 1
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, options.rate, total_steps=options.epochs * per_epoch
        )
        network.train()
        for epoch in range(options.epochs):
            losses = []
            for batch in _shuffled(data, options.batch, rng):
                *inputs, labels, target = tensors(batch)
                word, sentence = network(*inputs)
                loss = loss_of(word, sentence, labels, target, [weights[u.file] for u in batch])
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(learned, 1.0)
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
            progress(f"epoch {epoch + 1} of {options.epochs}: loss {np.mean(losses):.4f}")
    return network.eval()


def _shuffled(data: Sequence[Unit], size: int, rng: random.Random) -> list[list[Unit]]:
    """Batches in random order, each of sentences with about as much evidence."""
    order = list(data)
    rng.shuffle(order)
    batches: list[list[Unit]] = []
    for start in range(0, len(order), 20 * size):
        block = sorted(order[start : start + 20 * size], key=lambda unit: len(unit.found))
        batches += [block[i : i + size] for i in range(0, len(block), size)]
    rng.shuffle(batches)
    return batches


def train(
    rows: Sequence[Labelled],
    encoder: TokenEncoder,
    encoder_name: str,
    folder: Path,
    options: Options,
    *,
    families: Mapping[str, Sequence[str]] | None = None,
    device: str | None = "cpu",
    progress: Progress = lambda _: None,
) -> dict[str, Any]:
    """Trains on all rows, writes the model to `folder`, calibrates it and returns its card.

    families  also trains, for each of these families of files, a model that has seen neither its
              files nor its documents, and writes them below `folder` with `folds.json`, so that the
              folder is a cross-fitted model (`support.model.CrossFitted`)
    device    where it is calibrated
    Raises ConfigError where no word is labelled.
    """
    rows = limited(rows, options.most, options.seed)
    data = prepare(rows, encoder, options, progress)
    progress(f"{len(data)} sentences; training on all of them")
    networks = {"": fit(data, options, progress)}
    owner: dict[str, str] = {}
    for name, some in (families or {}).items():
        documents = {unit.document for unit in data if unit.file in some}
        if not documents:
            continue
        kept = [unit for unit in data if unit.document not in documents]
        progress(f"{len(kept)} sentences; training without {name}")
        networks[name] = fit(kept, options, progress)
        texts = {row.source for row in rows if row.document in documents}
        owner = dict.fromkeys(pieces_of(texts), name) | owner
    (folder / support_model.FOLDS).unlink(missing_ok=True)  # of an earlier training
    for name, network in networks.items():
        settings = Settings(
            encoder=encoder_name,
            layer=options.layer,
            encoder_id=support_model.without_dtype(encoder.id),
            features=options.features(),
            width=int(network.project.in_features),
            hidden=options.hidden,
            word=UNSCALED,
            claim=-1e9,
            decision=UNDECIDED,
            card={
                "options": asdict(options),
                "rows": _counts(rows),
                "sentences": len(data),
                "without": name,
            },
        )
        support_model.write(folder / name, settings, network)
    if owner:
        described = json.dumps({"owner": owner}, sort_keys=True)
        (folder / support_model.FOLDS).write_text(described + "\n", encoding="utf-8")
    return calibrate(folder, rows, options.seed, device=device, progress=progress)


def _counts(rows: Sequence[Labelled]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        entry = counts.setdefault(row.file, {"rows": 0, "labelled_words": 0})
        entry["rows"] += 1
        entry["labelled_words"] += len(row.labels)
    return counts
