"""What the support model owes to what: features, states, made sentences, amount of data.

    FAITHKIT_DATA=DATA python bench/ablate.py [--most 500] [--made 3] [--epochs 2] [--layer 6 ...]
        [--hidden 64 ...] [--seed 0 ...] [--only VARIANT]

Trains small models (at most --most rows of a file) that have not seen a family of files, and
reports on that family: AUC over its labelled words, and over its sentences (supported or not, by
the mean over words and by the sentence head). Averages over the held-out families. Of several
layers, sizes or seeds each combination is tried; --seed is the network's alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from data import DATA
from faithkit import models
from faithkit.models.runtime import Runtime
from faithkit.support import evidence
from faithkit.train.support import SupportNetwork, fit, tensors
from faithkit.train.support_rows import FAMILIES, MADE, Options, Unit, limited, prepare
from faithkit.train.words import FILES, labelled

HELD_OUT = ("xsum", "bump", "summedits", "wice")
Change = Callable[[Sequence[Unit]], list[Unit]]


def without_group(name: str, features: Sequence[str]) -> Change:
    places = [i for i, feature in enumerate(features) if feature not in evidence.GROUPS[name]]
    return lambda units: [replace(unit, features=unit.features[:, places]) for unit in units]


def blind(units: Sequence[Unit]) -> list[Unit]:
    return [replace(unit, words=np.zeros_like(unit.words)) for unit in units]


def only(keep: Callable[[Unit], bool]) -> Change:
    return lambda units: [unit for unit in units if keep(unit)]


def share_of_documents(share: float) -> Change:
    return only(lambda unit: int(unit.document, 16) % 1000 < 1000 * share)


def for_both(features: Sequence[str]) -> dict[str, Change]:
    """Variants that are applied to what is learned from and to what is judged; those of the groups
    that are among the features."""
    groups = [name for name, some in evidence.GROUPS.items() if set(some) & set(features)]
    return {
        "everything": list,
        **{f"without the features '{name}'": without_group(name, features) for name in groups},
        "without states (features only)": blind,
    }


FOR_TRAINING: dict[str, Change] = {
    "without made sentences": only(lambda unit: unit.file != MADE),
    "without inference pairs": only(lambda unit: not unit.file.startswith("nli")),
    "a quarter of the documents": share_of_documents(0.25),
    "half of the documents": share_of_documents(0.5),
}


def figures(network: SupportNetwork, units: Sequence[Unit]) -> list[float]:
    """AUC x 100: words; sentences by the mean over words; sentences by the sentence head."""
    words: list[tuple[float, float]] = []
    sentences: list[tuple[bool, float, float]] = []
    for start in range(0, len(units), 64):
        batch = units[start : start + 64]
        *inputs, _, _ = tensors(batch)
        with torch.inference_mode():
            word, classes = network(*inputs)
        for row, unit in enumerate(batch):
            p = torch.sigmoid(word[row, : len(unit.labels)]).numpy()
            labelled = ~np.isnan(unit.labels)
            words += zip(unit.labels[labelled] > 0.5, p[labelled], strict=True)
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
    parser.add_argument("--layer", type=int, nargs="+", default=[6])
    parser.add_argument("--encoder", default="mini")
    parser.add_argument("--hidden", type=int, nargs="+", default=[64], help="network size")
    parser.add_argument("--seed", type=int, nargs="+", default=[0], help="of the network")
    parser.add_argument("--only", nargs="+", default=[""], help="variants whose name holds one")
    arguments = parser.parse_args()
    options = Options(
        epochs=arguments.epochs,
        most=arguments.most,
        made=arguments.made,
        varied=False,  # the same texts for all, as they are
    )
    rows = labelled([name for name in FILES if name != "begin"], DATA)
    rows = limited(rows, options.most, options.seed)
    encoder = models.load(f"tokens:{arguments.encoder}", Runtime("cpu", offline=True))
    both = for_both(options.features())
    print(f"held out in turn: {', '.join(HELD_OUT)}\n")
    print("| variant | words | sentences, mean | sentences, head |\n| --- | --- | --- | --- |")
    for layer in arguments.layer:
        data = prepare(rows, encoder, replace(options, layer=layer), lambda _: None)
        sizes = product(arguments.hidden, arguments.seed, {**both, **FOR_TRAINING}.items())
        for hidden, seed, (name, change) in sizes:
            if not any(part in name for part in arguments.only):
                continue
            tried = replace(options, layer=layer, hidden=hidden, seed=seed)
            averages = np.mean(list(held_out(data, tried, change, both=name in both)), axis=0)
            shown = " | ".join(f"{value:.1f}" for value in averages)
            print(f"| {name}, layer {layer}, size {hidden}, seed {seed} | {shown} |", flush=True)


def held_out(
    data: Sequence[Unit], options: Options, change: Change, both: bool
) -> Iterator[list[float]]:
    """The figures on each family of a network that has not seen it."""
    for family in HELD_OUT:
        family_files = FAMILIES[family]
        documents = {unit.document for unit in data if unit.file in family_files}
        seen = change([unit for unit in data if unit.document not in documents])
        judged = [unit for unit in data if unit.file in family_files]
        network = fit(seen, options, lambda _: None)
        yield figures(network, change(judged) if both else judged)


if __name__ == "__main__":
    main()
