"""Longest supported subsequences written by a chat model, from an instruction with four worked
examples: deletions only for LSS, made grammatical for LSS* [LSS §4]. An LSS is repaired in
`lss.py`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from faithkit.metrics.judge import prompts
from faithkit.metrics.judge.answers import is_refusal, written
from faithkit.models.protocols import Asking, ChatModel, Generated, Reply
from faithkit.records import Outcome

TOKENS = 128
"""The most that is written for a sentence, as for the encoder-decoder of [LSS]."""

_NONE = re.compile(r"^\W*none\W*$", re.IGNORECASE)
_LABEL = re.compile(r"^(?:answer|output|claim|remaining words)\s*:\s*", re.IGNORECASE)


class ChatGenerator:
    """A chat model that writes the LSS of a claim, or with `star` its LSS*. Satisfies
    `Generator`."""

    def __init__(self, model: ChatModel, star: bool = False) -> None:
        self._model = model
        name = "lss-star" if star else "lss"
        self._template = prompts.packaged(name, prompts.lss_examples(star))
        self.prompt = self._template.hash

    @property
    def id(self) -> str:
        return self._model.id

    def generate(self, pairs: Sequence[tuple[str, str]]) -> list[Generated]:
        """See `protocols.Generator`. Further outcomes: refused; unparsable where nothing was
        written (NONE is how a model says that nothing is supported); timeout."""
        asked = [self._template.prompt(source, claim) for source, claim in pairs]
        return [_generated(reply) for reply in self._model.reply(asked, Asking(TOKENS))]


def _generated(reply: Reply) -> Generated:
    outcome = reply.outcome
    text = _LABEL.sub("", written(reply.text)).strip().strip('"“”').strip()
    if outcome is Outcome.OK and not text:
        outcome = Outcome.UNPARSABLE
    elif outcome is Outcome.OK and is_refusal(text):
        outcome = Outcome.REFUSED
    kept = "" if outcome is not Outcome.OK or _NONE.match(text) else text
    return Generated(outcome, kept, reply.document_tokens, reply.document_cut, reply.summary_tokens)
