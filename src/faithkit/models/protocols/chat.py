"""Chat models: prompts, how they are to be answered, and replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from faithkit.models.chat.limits import Limits
from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a prompt. slot: whose text it is; "" for the prompt's own words, which alone may
    hold a chat template's special tokens."""

    text: str
    slot: Literal["", "document", "summary"] = ""


Prompt = tuple[Piece, ...]
"""One message of the user. Only pieces of the slot `document` are ever cut."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a prompt is to be answered; with the prompt and the model it names a transcript.

    tokens           the most tokens of an answer
    first            lower-case words whose probability as the answer's first token is wanted; a
                     model that can give them may leave its text at that token
    temperature      0: the most probable token each time
    sample           which of several answers to the same prompt, where temperature is above 0
    document_tokens  the most tokens of the document (words, where the tokens are not known)
    whole            nothing is cut: what does not fit is not answered, outcome too_long
    """

    tokens: int = 16
    first: tuple[str, ...] = ()
    temperature: float = 0.0
    sample: int = 0
    document_tokens: int | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What a chat model answered.

    outcome            ok (whatever the text says, and if it is empty); refused, timeout or
                       model_error; truncated_summary if the prompt does not fit without its
                       document; too_long if it does not fit and was to be `whole`
    text               what it wrote, or how it refused; else ""
    first              probability of each word of `Asking.first` as the first token, over all of
                       its spellings, 0 for one that is not among the tokens that the model gives
                       probabilities of; empty if it gives none at all
    document_tokens    tokens of the document that were seen (words, where tokens are not known)
    document_cut       those cut from its end
    summary_tokens     of the summary; it is never cut
    prompt_tokens      of the whole prompt, and
    completion_tokens  of the answer, as the model counts them; 0 if it does not say
    """

    outcome: Outcome
    text: str = ""
    first: Mapping[str, float] = field(default_factory=dict)
    document_tokens: int = 0
    document_cut: int = 0
    summary_tokens: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@runtime_checkable
class ChatModel(Protocol):
    """A model that answers in words, here or behind an API."""

    @property
    def id(self) -> str: ...

    def limited(self, limits: Limits) -> ChatModel:
        """This model under other limits. Both count their requests together."""
        ...

    def reply(self, prompts: Sequence[Prompt], asking: Asking) -> list[Reply]:
        """One for each prompt, in order. What was answered before is read from the transcripts,
        and each answer is stored as soon as it is there. Raises ModelError if no prompt can be
        answered (a wrong key, no such model, the budget is used up)."""
        ...
