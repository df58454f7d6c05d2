"""What an annotator is asked: a task is a list of questions about a summary and its source.

What lives here: the records of a task, and which questions apply given the answers so far. What
does not: reading a task file (`task_files.py`) and the answers themselves (`answers.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from faithkit.records import JSON, canonical_json

Kind = Literal["spans", "deletion", "text", "choice", "tick", "scale"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Side = Literal["summary", "source"]
SIDES: tuple[Side, ...] = get_args(Side)
Items = Literal["summaries", "pairs"]
ITEMS: tuple[Items, ...] = get_args(Items)

RESERVED_KEYS = frozenset("npuklcghmx?")
"""Letters that the annotation page uses for itself."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer, an error type, a severity or a grade.

    value  what is stored
    words  what the annotator reads
    key    the key that gives it
    means  1 or 0 where this answer says that the summary is consistent or not
    """

    value: str
    words: str
    key: str
    hint: str = ""
    means: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a task.

    kind        spans: marks of characters; deletion: words struck out of the summary; text; choice:
                one of `choices`; tick: yes or nothing; scale: a whole number from `low` to `high`
    when        the question applies where each of these questions has one of these answers
    side        the text that `spans` are in
    choices     answers of a choice, error types of spans, grades of a scale
    severities  of spans; empty: none is asked
    ordered     whether the choices are grades, the lowest first
    start_from  the deletion whose remaining text a text begins with
    gives       what the answer becomes in an export: the example's label, its rating or neither;
                spans that give the label mean 0 where there is one
    consistent_from  the rating from which on the label is 1
    """

    name: str
    kind: Kind
    ask: str
    hint: str = ""
    required: bool = True
    when: Mapping[str, tuple[JSON, ...]] = field(default_factory=dict)
    side: Side = "summary"
    choices: tuple[Choice, ...] = ()
    severities: tuple[Choice, ...] = ()
    ordered: bool = False
    low: int = 0
    high: int = 0
    start_from: str = ""
    gives: Literal["", "label", "rating"] = ""
    consistent_from: int | None = None

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the choices."""
        return tuple(choice.value for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Pilot:
    """A worked example: the texts, the reference answers by question, and why they are right."""

    source: str
    summaries: tuple[str, ...]
    answers: Mapping[str, JSON]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """What annotators are asked about every item.

    items  "summaries": an item is a summary with its source; "pairs": two summaries of one source
    shows  fields of a row that annotators see beside its texts
    """

    name: str
    title: str
    about: str
    guidelines: str
    questions: tuple[Question, ...]
    items: Items = "summaries"
    pilots: tuple[Pilot, ...] = ()
    shows: tuple[str, ...] = ()

    def question(self, name: str) -> Question | None:
        """The question of this name, if there is one."""
        return next((question for question in self.questions if question.name == name), None)

    @property
    def shape(self) -> str:
        """SHA-256 of what the answers depend on: stored answers fit every task of this shape."""
        kept: list[JSON] = [
            [
                question.name, question.kind, question.side, *question.values, "/",
                *(severity.value for severity in question.severities), question.low, question.high,
            ]
            for question in self.questions
        ]  # fmt: skip
        return hashlib.sha256(canonical_json([self.items, kept]).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The task as JSON; `from_dict` is the inverse."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Task:
        """A task out of what `to_dict` gave."""
        questions = tuple(
            Question(
                **{
                    **item,
                    "choices": _choices(item["choices"]),
                    "severities": _choices(item["severities"]),
                    "when": {name: tuple(answers) for name, answers in item["when"].items()},
                }
            )
            for item in values["questions"]
        )
        pilots = tuple(
            Pilot(**{**item, "summaries": tuple(item["summaries"])}) for item in values["pilots"]
        )
        shows = tuple(values.get("shows", ()))
        return cls(**{**values, "questions": questions, "pilots": pilots, "shows": shows})


def _choices(items: list[dict[str, Any]]) -> tuple[Choice, ...]:
    return tuple(Choice(**item) for item in items)


def applies(question: Question, values: Mapping[str, Any]) -> bool:
    """Whether the question is asked, given the answers to the others.

    values  question to answer; a question that does not apply itself is not in it
    """
    return all(values.get(name) in answers for name, answers in question.when.items())
