"""The mean of the weights of support models that were trained on from one another: between what an
earlier pass knew of other kinds of text and what a later one has learned [Wortsman et al. 2022,
Robust fine-tuning of zero-shot models, §3].

    python tools/average_support.py FIRST LAST -o OUT      # or more of them; any may be quantised
    faithkit models quantise OUT pairs.jsonl -o SUPPORT
    faithkit train support -o SUPPORT --only-calibrate --data-dir DATA

Of low-rank changes it is the mean of the factors. The settings and the card are the last one's,
with what was averaged.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from faithkit.models.identity import model_id
from faithkit.support.encoders import read_values
from faithkit.support.files import WEIGHTS, read_settings
from faithkit.support.network import save


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("models", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    for folder in arguments.models:
        if not (folder / WEIGHTS).is_file():
            parser.error(f"{folder} holds no support model")
    every = [read_values(folder) for folder in arguments.models]  # of quantised weights the values
    if any(values.keys() != every[0].keys() for values in every):
        parser.error("the models have other tensors than each other")
    mean = {
        name: torch.from_numpy(
            np.mean([values[name] for values in every], axis=0, dtype=np.float32)
        ).half()
        for name in every[0]
    }
    averaged = [model_id(folder, tokenizer=False) for folder in arguments.models]
    settings = read_settings(arguments.models[-1])
    card = {**settings.card, "mean_of": averaged}
    arguments.output.mkdir(parents=True, exist_ok=True)
    save(arguments.output, replace(settings, card=card), mean)


if __name__ == "__main__":
    with torch.inference_mode():
        main()
