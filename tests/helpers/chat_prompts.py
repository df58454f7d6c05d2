"""Prompts for chat models, and a random one to answer them."""

from __future__ import annotations

from typing import Any

from tests.helpers import tiny_models

from faithkit.models.chat.local import LocalChat
from faithkit.models.protocols import Asking, Limits, Piece, Prompt

OFF = Limits(transcripts="off")
WORD = Asking(first=("yes", "no"))


def ask(document: str, summary: str) -> Prompt:
    return (
        Piece("Is this\n"), Piece(document, "document"), Piece("\nsaid by\n"),
        Piece(summary, "summary"), Piece("?"),
    )  # fmt: skip


PROMPTS = [
    ask(tiny_models.text(i, 4 + 30 * i), tiny_models.text(i + 3, 3 + 2 * i)) for i in range(6)
]


def local(**changes: Any) -> LocalChat:
    model = tiny_models.chat()
    for name, value in changes.items():
        setattr(model.config, name, value)
    return LocalChat(model, tiny_models.chat_tokenizer(), id="random@0")
