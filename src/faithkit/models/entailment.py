"""Natural language inference from any Hugging Face sequence-classification checkpoint (BERT,
RoBERTa, DeBERTa, ALBERT, BART, ...). The role's loader, which also knows support models and
adapters, is `support/entailment.py`.

This module says what the outputs of a checkpoint mean. `pairs.py` runs the pairs;
`metrics/entailment.py` and `metrics/summac.py` choose them and use the answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from faithkit.models import hf
from faithkit.models.identity import model_id, read_config
from faithkit.models.pairs import Pair, PairClassifier
from faithkit.models.protocols import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    Checked,
    Entailed,
    Layout,
)
from faithkit.records import ModelError, Outcome

MEANINGS: dict[str, int] = {
    "entailment": ENTAILMENT,
    "entail": ENTAILMENT,
    "entails": ENTAILMENT,
    "entailed": ENTAILMENT,
    "supports": ENTAILMENT,
    "supported": ENTAILMENT,
    "neutral": NEUTRAL,
    "not enough info": NEUTRAL,
    # A model of two classes cannot tell the other two apart, so it never claims a contradiction.
    "not entailment": NEUTRAL,
    "not entailed": NEUTRAL,
    "non entailment": NEUTRAL,
    "not supported": NEUTRAL,
    "contradiction": CONTRADICTION,
    "contradicts": CONTRADICTION,
    "contradictory": CONTRADICTION,
    "refutes": CONTRADICTION,
    "refuted": CONTRADICTION,
}
"""The class of a label, by its name in lower case with spaces for - and _."""

UNNAMED: dict[str, tuple[int, ...]] = {
    "SNLI_roberta-base": (ENTAILMENT, NEUTRAL, CONTRADICTION),
    "SNLI_roberta-large": (ENTAILMENT, NEUTRAL, CONTRADICTION),
    "roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli": (ENTAILMENT, NEUTRAL, CONTRADICTION),
    "albert-base-vitaminc-mnli": (ENTAILMENT, CONTRADICTION, NEUTRAL),
    "albert-xlarge-vitaminc-mnli": (ENTAILMENT, CONTRADICTION, NEUTRAL),
    "albert-xlarge-vitaminc": (ENTAILMENT, CONTRADICTION, NEUTRAL),
}
"""The classes of LABEL_0, LABEL_1, ... in published checkpoints whose config does not name them, by
the checkpoint's name without its owner. From the table in the SummaC authors' package (summac
0.0.4)."""

FIX = (
    'write what its outputs mean into its config.json, for example "id2label": '
    '{"0": "contradiction", "1": "neutral", "2": "entailment"}'
)


class CrossEncoder:
    """A sequence classifier that reads premise and hypothesis together. Satisfies
    `EntailmentModel`.

    classifier  the model that reads (premise, hypothesis)
    columns     the class of each of its outputs: entailment, neutral or contradiction
    """

    def __init__(self, classifier: PairClassifier, columns: Sequence[int]) -> None:
        self.id = classifier.id
        self.classifier = classifier
        self._columns = tuple(columns)

    def predict(self, pairs: Sequence[Pair]) -> list[Entailed]:
        """See `protocols.EntailmentModel`. Each distinct pair runs once.

        The outcome is truncated_summary if not one token of the premise fits beside the hypothesis,
        and model_error if the model gives NaN or infinity.
        """
        return [self._entailed(checked) for checked in self.classifier.check(pairs, Layout())]

    def _entailed(self, checked: Checked) -> Entailed:
        classes = [0.0, 0.0, 0.0]
        if checked.outcome is Outcome.OK:
            for column, probability in zip(self._columns, checked.probabilities, strict=True):
                classes[column] += probability
        return Entailed(
            checked.outcome,
            three(classes),
            checked.source_tokens,
            checked.source_cut,
            checked.claim_tokens,
        )


def three(values: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """Three numbers as a tuple of floats, in the order of `protocols.CLASSES`."""
    entailment, neutral, contradiction = map(float, values)
    return entailment, neutral, contradiction


def columns_of(config: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """The class of each output of a checkpoint, from its config.json: `ENTAILMENT`, `NEUTRAL` or
    `CONTRADICTION`.

    Labels may be in any case and order. A model of two classes has probability 0 for the third;
    `not_entailment` counts as neutral. Raises ModelError on labels without a meaning (LABEL_0, ...,
    except for the checkpoints in `UNNAMED`), on labels of another task, and on a single output.
    """
    names = hf.label_names(config, name)
    shown = ", ".join(names)
    if len(names) == 1:
        raise ModelError(
            f"{name}: gives a single number (label {shown}), as regression and ranking models do; "
            "entailment needs a model with an output each for entailment, neutral and contradiction"
        )
    if all(re.fullmatch(r"LABEL_\d+", label) for label in names):
        published = UNNAMED.get(name.rpartition("/")[2])
        if published and len(published) == len(names):
            return published
        raise ModelError(f"{name}: its labels {shown} do not say which is entailment; {FIX}")
    plain = [re.sub(r"[-_\s]+", " ", label.lower().strip()) for label in names]
    columns = tuple(MEANINGS[label] for label in plain if label in MEANINGS)
    if len(set(columns)) < len(names) or ENTAILMENT not in columns:
        raise ModelError(
            f"{name}: expected the labels entailment, neutral and contradiction (or entailment "
            f"and one other), found {shown}. If this is an entailment model, {FIX}"
        )
    return columns


def load_cross_encoder(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> CrossEncoder:
    """The entailment model in a folder of safetensors, config and tokenizer.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError if the folder holds no
    sequence classifier, or its labels do not say which is entailment (see `columns_of`).
    """
    config = read_config(path, name)
    architectures = ", ".join(config.get("architectures") or ())
    if architectures and "ForSequenceClassification" not in architectures:
        raise ModelError(
            f"{name}: expected a sequence classifier of entailment, neutral and contradiction, as "
            f"roberta-large-mnli; found {architectures}"
        )
    columns = columns_of(config, name)
    opener = partial(
        hf.read, "SequenceClassification", path, name, "sequence classifier", device, dtype
    )
    labels = hf.label_names(config, name)
    return CrossEncoder(PairClassifier(model_id(path, name, dtype), labels, opener), columns)
