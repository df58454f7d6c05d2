"""A chat model that asks and answers by a script. No test is in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from faithkit import Example, Outcome, Score
from faithkit.metrics.qgqa import Qgqa
from faithkit.models.protocols import (
    Asking,
    ChatModel,
    Limits,
    Prompt,
    Reply,
)

SUMMARY = "Anna Smith bought a boat in Lyon."


SOURCE = "Anna Smith sold her house in Paris. Anna Smith then bought a small boat."


ROW = Example("1", SOURCE, SUMMARY)


WHO, WHAT, WHERE = "Who bought a boat?", "What did Anna Smith buy?", "Where did Anna buy a boat?"


ASKED = {"Anna Smith": WHO, "a boat": WHAT, "Lyon": WHERE}


ANSWERED = {
    (WHO, SUMMARY): "Anna Smith", (WHAT, SUMMARY): "a boat", (WHERE, SUMMARY): "Lyon",
    (WHO, SOURCE): "Anna Smith", (WHAT, SOURCE): "a small boat", (WHERE, SOURCE): "unanswerable",
}  # fmt: skip


Said = str | Reply


class Script:
    """A chat model that asks what `asked` has for a phrase, and answers what `answered` has for a
    (question, text); where they have nothing, "Nothing to ask." and "unanswerable"."""

    id = "script@0"

    def __init__(
        self,
        asked: Mapping[str, Said] | None = None,
        answered: Mapping[tuple[str, str], Said] | None = None,
    ) -> None:
        self.asked = ASKED if asked is None else asked
        self.answered = ANSWERED if answered is None else answered
        self.prompts: list[tuple[Prompt, Asking]] = []

    def limited(self, limits: Limits) -> Self:
        self.limits = limits
        return self

    def reply(self, prompts: Sequence[Prompt], asking: Asking) -> list[Reply]:
        self.prompts += [(prompt, asking) for prompt in prompts]
        return [self._reply(prompt) for prompt in prompts]

    def _reply(self, prompt: Prompt) -> Reply:
        texts = [piece for piece in prompt if piece.slot]
        (first, second) = texts
        if first.slot == "document":
            said = self.answered.get((second.text, first.text), "unanswerable")
        else:
            said = self.asked.get(second.text, "Nothing to ask.")
        return said if isinstance(said, Reply) else Reply(Outcome.OK, said)


def score(chat: Script, example: Example = ROW, **options: Any) -> Score:
    assert isinstance(chat, ChatModel)
    (found,) = Qgqa(chat, chat, **options).score([example])
    return found
