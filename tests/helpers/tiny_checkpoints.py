"""Texts and models of the tests of published checkpoints. No test is in here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tests.helpers import tiny_models

from faithkit import Example, Score
from faithkit.models.checkpoints import load_claim_model, load_token_classifier

D = [
    "Anna met Ben in Rome.",
    "The fair opened on Monday.",
    "It rained all day long.",
    "Ben flew home on Friday.",
    "The mayor of Paris said two new schools open in June.",
]
SOURCE = " ".join(D)
S = ["The council met Ben.", "The mayor went to Paris.", "It did not rain."]
EXAMPLES = [
    Example("three", SOURCE, " ".join(S)),
    Example("one", SOURCE, S[1]),
    Example("short", D[0], S[0]),
    Example("same", SOURCE, " ".join(S)),
    Example("blank", SOURCE, " "),
]
LONG = " ".join(tiny_models.text(i, 12).capitalize() for i in range(12))


def claims_of(path: Path) -> Any:
    return load_claim_model(path, path.name, device="cpu", dtype=None)


def tokens_of(path: Path) -> Any:
    return load_token_classifier(path, path.name, device="cpu", dtype=None)


def directly(path: Path, kind: str) -> tuple[Any, Any]:
    import transformers

    model = getattr(transformers, f"AutoModelFor{kind}").from_pretrained(path).eval()
    return model, transformers.AutoTokenizer.from_pretrained(path)


def softmax(logits: torch.Tensor) -> list[float]:
    return logits.double().softmax(-1).tolist()


def value(scores: Sequence[Score], place: int = 0) -> float:
    found = scores[place].value
    assert found is not None, scores[place]
    return found
