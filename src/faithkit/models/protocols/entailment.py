"""Natural language inference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from faithkit.records import Outcome

CLASSES = ("entailment", "neutral", "contradiction")
"""The classes in the order of every triple of probabilities."""

ENTAILMENT, NEUTRAL, CONTRADICTION = range(len(CLASSES))


@dataclass(frozen=True, slots=True)
class Entailed:
    """Whether one premise entails one hypothesis.

    outcome            ok; truncated_summary if the hypothesis alone does not fit beside the
                       special tokens; model_error on NaN; no_claims if the hypothesis has
                       nothing that can be judged
    probabilities      of `CLASSES`; they sum to 1; zeros unless ok
    premise_tokens     tokens of the premise that were read
    premise_cut        tokens of the premise that did not fit, cut from its end
    hypothesis_tokens  tokens of the hypothesis; it is never cut
    """

    outcome: Outcome
    probabilities: tuple[float, float, float]
    premise_tokens: int
    premise_cut: int
    hypothesis_tokens: int


@runtime_checkable
class EntailmentModel(Protocol):
    """Natural language inference over (premise, hypothesis) pairs."""

    @property
    def id(self) -> str: ...

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        """The output for each pair, in order; it does not depend on the batch."""
        ...
