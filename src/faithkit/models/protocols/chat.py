"""Chat models: prompts, settings of answers, and replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from faithkit.models.chat.limits import Limits
from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a prompt. slot: the text from which it comes; "" for the prompt's own words, the
    only ones in which special tokens of a chat template are allowed."""

    text: str
    slot: Literal["", "document", "summary"] = ""


Prompt = tuple[Piece, ...]
"""One message of the user. Only pieces of the slot `document` are ever truncated."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a prompt is to be answered. It is a part of the key of a transcript, with the prompt and
    the model.

    tokens           the most tokens of an answer
    first            lower-case words whose probability as the answer's first token is wanted; a
                     model that gives these may end its text after that token
    temperature      0: always the most probable token
    sample           the number of the answer, if several to the same prompt are sampled at a
                     temperature above 0
    document_tokens  the most tokens of the document (words, if its tokens are unknown)
    whole            whether the document must not be truncated; if it does not fit, the outcome is
                     too_long
    """

    tokens: int = 16
    first: tuple[str, ...] = ()
    temperature: float = 0.0
    sample: int = 0
    document_tokens: int | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a chat model.

    outcome            ok (for any text, even an empty one); refused, timeout or
                       model_error; truncated_summary if the prompt does not fit without its
                       document; too_long if it does not fit and was to be `whole`
    text               the answer or the refusal; else ""
    first              the probability of each word of `Asking.first` as the first token, summed
                       over its spellings, 0 for a word without a probability; empty if the model
                       gives no probabilities
    document_tokens    tokens of the document that were read (words, if tokens are unknown)
    document_cut       tokens or words that were cut from its end
    summary_tokens     tokens or words of the summary, which is never cut
    prompt_tokens      tokens of the whole prompt, as the model counts them; 0 if unknown
    completion_tokens  tokens of the answer, as the model counts them; 0 if unknown
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
    """A model that answers in words, on this machine or behind an API."""

    @property
    def id(self) -> str: ...

    def limited(self, limits: Limits) -> ChatModel:
        """The same model with other limits. Both share the count of requests."""
        ...

    def reply(self, prompts: Sequence[Prompt], asking: Asking) -> list[Reply]:
        """The reply to each prompt, in order. Stored answers are read from the transcripts; new
        answers are stored as soon as they arrive. Raises ModelError if prompts cannot be answered
        (a wrong key, no such model, no budget left)."""
        ...
