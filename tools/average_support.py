"""The mean of two support models' weights, one of which was trained on from the other: between what
the first knew of other kinds of text and what the second has learned [Wortsman et al. 2022, Robust
fine-tuning of zero-shot models, §3].

    python tools/average_support.py FIRST SECOND -o OUT      # either may be quantised
    faithkit train support -o OUT --only-calibrate --data-dir DATA

The settings and the card are the second's, with what was averaged.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import torch

from faithkit.models.identity import model_id
from faithkit.support.encoders import read_values
from faithkit.support.files import WEIGHTS, read_settings
from faithkit.support.network import save


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs=2, type=Path, metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    for folder in arguments.models:
        if not (folder / WEIGHTS).is_file():
            parser.error(f"{folder} holds no support model")
    first, second = map(read_values, arguments.models)  # of quantised weights the values
    if first.keys() != second.keys():
        parser.error("the models have other tensors than each other")
    mean = {
        name: torch.from_numpy((first[name].astype("f4") + second[name].astype("f4")) / 2).half()
        for name in first
    }
    averaged = [model_id(folder, tokenizer=False) for folder in arguments.models]
    settings = read_settings(arguments.models[1])
    card = {**settings.card, "mean_of": averaged}
    arguments.output.mkdir(parents=True, exist_ok=True)
    save(arguments.output, replace(settings, card=card), mean)


if __name__ == "__main__":
    with torch.inference_mode():
        main()
