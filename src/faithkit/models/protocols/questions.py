"""Question generation and question answering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from faithkit.records import Outcome

GAP = "____"
"""The placeholder for the answer in the cloze form of a question."""

AnswerKind = Literal["who", "when", "where", "how many", "what", ""]
"""The kind of answer that a question asks for; "" if unknown."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a text, made for one answer in it.

    text         the wording; the cloze form if no good question could be made
    probability  0..1, the generator's confidence, comparable within the same generator only
    cloze        the statement that it asks about, with GAP for the answer; "" if the generator
                 gives none
    kind         the kind of answer, as far as the wording shows it
    outcome      ok; anything else says why there is no question, and `text` is ""
    """

    text: str
    probability: float
    cloze: str = ""
    kind: AnswerKind = ""
    outcome: Outcome = Outcome.OK


@runtime_checkable
class QuestionGenerator(Protocol):
    """Generates questions whose answer is a given part of a text."""

    @property
    def id(self) -> str: ...

    def ask(self, requests: Sequence[tuple[str, int, int]]) -> list[list[Question]]:
        """For each (context, start, end), in order, the questions whose answer is
        `context[start:end]`, the most probable first; empty if there is no question. The result
        does not depend on the batch."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a text to a question.

    text         the answer; "" unless answerable
    start, end   its characters in the text; None if the model generates answers
    probability  0..1, that the text answers the question at all
    answerable   False if the text does not answer the question
    outcome      ok; truncated_summary if the question does not fit the model; model_error, or
                 another reason for a missing answer
    strayed      whether the model generated an answer that is not in the text, which is discarded
    context_tokens, context_cut
                 tokens of the text that were read, and tokens cut from its end; both 0 for a model
                 that always reads the whole text
    """

    text: str
    start: int | None
    end: int | None
    probability: float
    answerable: bool
    outcome: Outcome = Outcome.OK
    strayed: bool = False
    context_tokens: int = 0
    context_cut: int = 0


@runtime_checkable
class QuestionAnswerer(Protocol):
    """Answers questions from a text, or finds that the text does not answer them."""

    @property
    def id(self) -> str: ...

    def answer(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        """The answer to each (question, context), in order; it does not depend on the batch. Raises
        ConfigError on a question that the model cannot read, such as one without a cloze form."""
        ...
