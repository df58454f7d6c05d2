"""A chat model that answers by a table. No test is in here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from faithkit import Outcome
from faithkit.models.protocols import Asking, Limits, Prompt, Reply

FORM = """population mentioned: yes
population consistent: No
- intervention mentioned: yes (aspirin)
**comparison mentioned**: no
outcomes consistent: NA
strength in summary: strong
strength in abstract: no evidence
strength right: no
direction in summary: positive
direction in abstract: no effect
direction right: no
other misrepresentation: "in all women"
truth in abstract: "in 12 women"
overall: 1"""


class Says:
    """A chat model that answers by the summary: a text, a Reply, or one of these for each
    sample."""

    id = "says@0"

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[tuple[Prompt, Asking]] = []

    def limited(self, limits: Limits) -> Self:
        self.limits = limits
        return self

    def reply(self, prompts: Sequence[Prompt], asking: Asking) -> list[Reply]:
        self.asked += [(prompt, asking) for prompt in prompts]
        return [self._reply(prompt, asking.sample) for prompt in prompts]

    def _reply(self, prompt: Prompt, sample: int) -> Reply:
        (key,) = (piece.text for piece in prompt if piece.slot == "summary")
        answer = self.answers[key]
        answer = answer[sample] if isinstance(answer, list) else answer
        if isinstance(answer, Reply):
            return answer
        return Reply(Outcome.OK, answer, {}, 7, 3, 2, 100, 20)
