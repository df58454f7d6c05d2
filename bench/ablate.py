"""What the support model owes to what: features, states, made sentences, amount of data.

    FAITHKIT_DATA=DATA python bench/ablate.py [--most 500] [--made 3] [--epochs 2]

Trains small models (at most --most rows of a file) that have not seen a family of files, and
reports on that family: AUC over its labelled words, and over its sentences (supported or not, by
the mean over words and by the sentence head). Averages over the held-out families. One run, one
seed: look at differences of several points, not of one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from data import DATA
from faithkit import models
from faithkit.models import evidence
from faithkit.train import support as training
from faithkit.train.words import FILES, labelled

HELD_OUT = ("xsum", "bump", "summedits", "wice")
Change = Callable[[Sequence[training.Unit]], list[training.Unit]]


def without_group(name: str) -> Change:
    places = [i for i, one in enumerate(evidence.FEATURES) if one not in evidence.GROUPS[name]]
    return lambda units: [replace(unit, features=unit.features[:, places]) for unit in units]


def blind(units: Sequence[training.Unit]) -> list[training.Unit]:
    return [replace(unit, words=np.zeros_like(unit.words)) for unit in units]


def only(keep: Callable[[training.Unit], bool]) -> Change:
    return lambda units: [unit for unit in units if keep(unit)]


def share_of_documents(share: float) -> Change:
    return only(lambda unit: int(unit.document, 16) % 1000 < 1000 * share)


FOR_BOTH: dict[str, Change] = {
    "everything": list,
    **{f"without the features '{name}'": without_group(name) for name in evidence.GROUPS},
    "without states (features only)": blind,
}
"""Applied to what is learned from and to what is judged."""

FOR_TRAINING: dict[str, Change] = {
    "without made sentences": only(lambda unit: unit.file != training.MADE),
    "without inference pairs": only(lambda unit: not unit.file.startswith("nli")),
    "a quarter of the documents": share_of_documents(0.25),
    "half of the documents": share_of_documents(0.5),
}


def figures(network: training.Verdicts, units: Sequence[training.Unit]) -> list[float]:
    """AUC x 100: words; sentences by the mean over words; sentences by the sentence head."""
    words: list[tuple[float, float]] = []
    sentences: list[tuple[bool, float, float]] = []
    for start in range(0, len(units), 64):
        batch = units[start : start + 64]
        *inputs, _, _ = training.tensors(batch)
        with torch.inference_mode():
            word, classes = network(*inputs)
        for row, unit in enumerate(batch):
            p = torch.sigmoid(word[row, : len(unit.labels)]).numpy()
            told = ~np.isnan(unit.labels)
            words += zip(unit.labels[told] > 0.5, p[told], strict=True)
            if not np.isnan(unit.target[0]):
                entailed = float(classes[row].softmax(-1)[0])
                sentences.append((unit.target[0] > 0.5, 1 - float(p.mean()), entailed))
    marked, doubts = zip(*words, strict=True)
    holds, means, heads = zip(*sentences, strict=True)
    return [
        100 * float(value)
        for value in (
            roc_auc_score(marked, doubts),
            roc_auc_score(holds, means),
            roc_auc_score(holds, heads),
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=500)
    parser.add_argument("--made", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--layer", type=int, default=5)
    parser.add_argument("--encoder", default="mini")
    parser.add_argument("--only", help="variants whose name holds this")
    arguments = parser.parse_args()
    options = training.Options(
        layer=arguments.layer,
        epochs=arguments.epochs,
        most=arguments.most,
        made=arguments.made,
        drop=(),
        varied=False,  # the same texts for all, as they are
    )
    rows = labelled([name for name in FILES if name != "begin"], DATA)
    rows = training.limited(rows, options.most, options.seed)
    encoder = models.load(f"tokens:{arguments.encoder}", device="cpu", offline=True)
    data = training.prepare(rows, encoder, options, print)
    print(f"{len(data)} sentences; held out in turn: {', '.join(HELD_OUT)}\n")
    print("| variant | words | sentences, mean | sentences, head |\n| --- | --- | --- | --- |")
    for name, change in {**FOR_BOTH, **FOR_TRAINING}.items():
        if arguments.only and arguments.only not in name:
            continue
        found = []
        for family in HELD_OUT:
            own = training.FAMILIES[family]
            documents = {unit.document for unit in data if unit.file in own}
            seen = change([unit for unit in data if unit.document not in documents])
            judged = [unit for unit in data if unit.file in own]
            judged = change(judged) if name in FOR_BOTH else judged
            network = training.fit(seen, options, lambda _: None)
            found.append(figures(network, judged))
        shown = " | ".join(f"{value:.1f}" for value in np.mean(found, axis=0))
        print(f"| {name} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
