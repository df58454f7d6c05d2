"""Question generation and question answering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from faithkit.records import Outcome

GAP = "____"
"""Stands for the answer in a question's cloze form."""

AnswerKind = Literal["who", "when", "where", "how many", "what", ""]
"""The sort of answer that a question asks for; "" if it is not known."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a text, made for one answer in it.

    text         as it is asked; where no question could be made well, the cloze form itself
    probability  in 0..1, how sure its generator is of it; to be compared with those of the same
                 generator only
    cloze        the statement that it asks about, with GAP for the answer; "" if the generator
                 gives none
    kind         what is asked for, as far as the wording says
    outcome      ok; anything else says why there is no question, and `text` is ""
    """

    text: str
    probability: float
    cloze: str = ""
    kind: AnswerKind = ""
    outcome: Outcome = Outcome.OK


@runtime_checkable
class QuestionGenerator(Protocol):
    """Asks for a given piece of a text."""

    @property
    def id(self) -> str: ...

    def ask(self, requests: Sequence[tuple[str, int, int]]) -> list[list[Question]]:
        """Questions about each (context, start, end) whose answer is `context[start:end]`, the
        most probable first, in order of the requests; none if it can ask nothing. The same in
        any batch."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What a text answers to a question.

    text         the answer; "" unless answerable
    start, end   its characters in the text; None if the model writes instead of pointing
    probability  in 0..1, how sure the model is that the text answers the question at all
    answerable   False if the text does not say
    outcome      ok; truncated_summary if the question does not fit the model; model_error, or
                 what else kept the model from saying anything
    strayed      the model wrote an answer that the text does not have, so there is none
    context_tokens, context_cut
                 tokens of the text that were seen, and those cut from its end; 0 and 0 from a model
                 that always reads all of it
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
    """Answers questions from a text, or says that the text does not."""

    @property
    def id(self) -> str: ...

    def answer(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        """One for each (question, context), in order, the same in any batch. Raises ConfigError
        on a question that it cannot read, as one without the cloze form that it needs."""
        ...
