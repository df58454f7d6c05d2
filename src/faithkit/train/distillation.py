"""The judgements of support networks as labels for another one [Hinton et al. 2015,
Distilling the Knowledge in a Neural Network, §2]: every word and every sentence that is learned
from has a label then, and one that says how sure it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch

from faithkit.models.batching import TokenBudget, batches
from faithkit.models.protocols import Floats
from faithkit.support.inputs import Input, batch_of
from faithkit.support.network import SupportNetwork, logits
from faithkit.train.loop import Checkpoint
from faithkit.train.support_rows import Progress, Unit

SHARE = 0.5
"""How much of a label is the teacher's, where people (or an edit) have said something too."""

BATCH = TokenBudget(4096, 65_536)
"""Padded tokens that the teacher reads at a time."""

CHUNK = 2_000
"""Sentences between two checkpoints."""

Judgement = tuple[Floats, Floats]
"""Of a sentence, probabilities: [words] that the word is unsupported; [3] of the classes."""


def judgements(
    inputs: Sequence[Input],
    teacher: SupportNetwork,
    checkpoint: Checkpoint,
    progress: Progress,
    dtype: str = "bfloat16",
) -> list[Judgement]:
    """What the teacher says of each input. Killed, it goes on from its checkpoint, which stays: it
    is the judgements. Raises ModelError where that cannot be read."""
    done = _stored(checkpoint)
    device = teacher.words.weight.device.type
    while len(done) < len(inputs):
        chunk = inputs[len(done) : len(done) + CHUNK]
        found: dict[int, Judgement] = {}
        for batch in batches([len(one.ids) for one in chunk], BATCH.on(device)):
            given = batch_of([chunk[place] for place in batch])
            words, sentence, _ = logits(teacher, given, dtype)
            classes = torch.from_numpy(sentence).double().softmax(-1).float().numpy()
            for row, place in enumerate(batch):
                own = words[row, : chunk[place].words]
                found[place] = (1 / (1 + np.exp(-own))).astype(np.float32), classes[row]
        done += [found[place] for place in range(len(chunk))]
        _store(checkpoint, done)
        progress(f"the teacher judged {len(done)} of {len(inputs)} sentences")
    return done


def _store(checkpoint: Checkpoint, done: Sequence[Judgement]) -> None:
    tensors = {
        "words": np.concatenate([words for words, _ in done]),
        "counts": np.array([len(words) for words, _ in done]),
        "classes": np.stack([classes for _, classes in done]),
    }
    named = {name: torch.from_numpy(value) for name, value in tensors.items()}
    checkpoint.write(named, {"training": checkpoint.identity})


def _stored(checkpoint: Checkpoint) -> list[Judgement]:
    """The judgements of an earlier run, none where there is none or it was of something else."""
    if not checkpoint.path.exists():
        return []
    tensors, metadata = checkpoint.read()
    if metadata.get("training") != checkpoint.identity:
        return []
    ends = np.cumsum(tensors["counts"].numpy())[:-1]
    words = np.split(tensors["words"].numpy(), ends)
    return list(zip(words, tensors["classes"].numpy(), strict=True))


def together(judged: Sequence[Judgement]) -> Judgement:
    """The mean of what several teachers say of a sentence."""
    words, classes = zip(*judged, strict=True)
    return np.mean(words, axis=0), np.mean(classes, axis=0)


def taught(units: Sequence[Unit], judged: Sequence[Judgement]) -> Iterator[Unit]:
    """The units with the teacher's judgements in their labels: alone where nothing was known,
    mixed with what was (SHARE). Sentences that claim nothing stay as they are."""
    for unit, (words, classes) in zip(units, judged, strict=True):
        if unit.non_claim:
            yield unit
            continue
        labels = np.where(
            np.isnan(unit.labels), words, SHARE * words + (1 - SHARE) * np.nan_to_num(unit.labels)
        )
        yield replace(unit, labels=labels.astype(np.float32), target=_mixed(unit.target, classes))


def _mixed(target: Floats, classes: Floats) -> Floats:
    """[3], the mean of a target as in `Labelled` and the teacher's classes. What is known to be
    unsupported is neutral or contradicted as the teacher finds it."""
    if np.isnan(target[0]):
        return classes
    known = target
    if np.isnan(target[2]):
        rest = classes[1:] / max(float(classes[1:].sum()), 1e-6)
        known = np.concatenate([target[:1], target[1] * rest])
    mixed: Floats = (SHARE * classes + (1 - SHARE) * known).astype(np.float32)
    return mixed
