"""Open information extraction and semantic role labelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Fact:
    """A (subject, relation, object) that a text states, in words; `pieces` are the character
    offsets in the text that it was read from."""

    subject: str
    relation: str
    object: str
    pieces: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What was read in one text. outcome: ok; timeout or model_error, with no facts, where the
    extractor gave no answer that can be used."""

    outcome: Outcome
    facts: tuple[Fact, ...] = ()


@runtime_checkable
class FactExtractor(Protocol):
    """Open information extraction."""

    @property
    def id(self) -> str: ...

    def extract(self, texts: Sequence[str]) -> list[Facts]:
        """The facts of each text, in order. Raises ModelError if it cannot be reached."""
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
        """The phrases of each (sentence, start, end of a predicate's verb), in order, the same in
        any batch."""
        ...
