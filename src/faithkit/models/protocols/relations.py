"""Open information extraction and semantic role labelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Fact:
    """A (subject, relation, object) that a text states, in words. pieces: the start and end in
    characters of the parts of the text from which it was extracted."""

    subject: str
    relation: str
    object: str
    pieces: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one text. outcome: ok; or timeout or model_error, without facts, if the
    extractor gave no usable answer."""

    outcome: Outcome
    facts: tuple[Fact, ...] = ()


@runtime_checkable
class FactExtractor(Protocol):
    """Open information extraction."""

    @property
    def id(self) -> str: ...

    def extract(self, texts: Sequence[str]) -> list[Facts]:
        """The facts of each text, in order. Raises ModelError if the extractor cannot be
        reached."""
        ...


@dataclass(frozen=True, slots=True)
class Labelled:
    """The phrases of one predicate with their PropBank labels (ARG0, ARGM-TMP, ...).

    outcome  ok; truncated_summary if the sentence is longer than the model takes; model_error
             on NaN
    phrases  start, end (characters of the sentence) and label, in the order of the sentence
    """

    outcome: Outcome
    phrases: tuple[tuple[int, int, str], ...] = ()


@runtime_checkable
class RoleLabeller(Protocol):
    """Semantic role labelling."""

    @property
    def id(self) -> str: ...

    def label(self, requests: Sequence[tuple[str, int, int]]) -> list[Labelled]:
        """The phrases of each (sentence, start of a predicate's verb, end of the verb), in order;
        the result does not depend on the batch."""
        ...
