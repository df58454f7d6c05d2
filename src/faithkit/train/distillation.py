"""The judgements of support networks as labels for another one [Hinton et al. 2015,
Distilling the Knowledge in a Neural Network, §2]. Every word and every sentence of the training set
then has a label, and that label is a probability.
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
"""Weight of the teacher in the label of what people, or an edit, have labelled too."""

BATCH = TokenBudget(4096, 65_536)
"""Padded tokens of a batch of the teacher."""

DTYPE = "bfloat16"
"""Of the teacher's forward pass."""

CHUNK = 2_000
"""Sentences between two checkpoints."""

Judgement = tuple[Floats, Floats]
"""Probabilities of a sentence: [words] that the word is unsupported, and [3] of the classes."""


def judgements(
    inputs: Sequence[Input],
    teacher: SupportNetwork,
    checkpoint: Checkpoint,
    progress: Progress,
) -> list[Judgement]:
    """The teacher's judgement of each input. If killed, it resumes from its checkpoint, which holds
    the judgements so far and is not deleted. Raises ModelError where that cannot be read."""
    done = _stored(checkpoint)
    device = teacher.words.weight.device.type
    while len(done) < len(inputs):
        chunk = inputs[len(done) : len(done) + CHUNK]
        judged: dict[int, Judgement] = {}
        for indices in batches([len(item.ids) for item in chunk], BATCH.on(device)):
            batch = batch_of([chunk[index] for index in indices])
            words, sentence, _ = logits(teacher, batch, DTYPE)
            classes = torch.from_numpy(sentence).double().softmax(-1).float().numpy()
            for row, index in enumerate(indices):
                by_word = words[row, : chunk[index].words]
                judged[index] = (1 / (1 + np.exp(-by_word))).astype(np.float32), classes[row]
        done += [judged[index] for index in range(len(chunk))]
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
    """The judgements of an earlier run; none if there was none or its inputs were others."""
    if not checkpoint.path.exists():
        return []
    tensors, metadata = checkpoint.read()
    if metadata.get("training") != checkpoint.identity:
        return []
    ends = np.cumsum(tensors["counts"].numpy())[:-1]
    words = np.split(tensors["words"].numpy(), ends)
    return list(zip(words, tensors["classes"].numpy(), strict=True))


def mean_judgement(judged: Sequence[Judgement]) -> Judgement:
    """The mean of several teachers' judgements of a sentence."""
    words, classes = zip(*judged, strict=True)
    return np.mean(words, axis=0), np.mean(classes, axis=0)


def with_teacher_labels(units: Sequence[Unit], judged: Sequence[Judgement]) -> Iterator[Unit]:
    """The units with the teacher's judgements in their labels: where a word or sentence has no
    label, the judgement alone, otherwise the mean of both, weighted by SHARE. Non-claims stay as
    they are."""
    for unit, (words, classes) in zip(units, judged, strict=True):
        if unit.non_claim:
            yield unit
            continue
        labels = np.where(
            np.isnan(unit.labels), words, SHARE * words + (1 - SHARE) * np.nan_to_num(unit.labels)
        )
        yield replace(unit, labels=labels.astype(np.float32), target=_mixed(unit.target, classes))


def _mixed(target: Floats, classes: Floats) -> Floats:
    """[3], the weighted mean of a target as in `Labelled` and the teacher's classes. Where the
    target joins neutral and contradiction, the teacher decides how they share it."""
    if np.isnan(target[0]):
        return classes
    labelled = target
    if np.isnan(target[2]):
        rest = classes[1:] / max(float(classes[1:].sum()), 1e-6)
        labelled = np.concatenate([target[:1], target[1] * rest])
    mixed: Floats = (SHARE * classes + (1 - SHARE) * labelled).astype(np.float32)
    return mixed
