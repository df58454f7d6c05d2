"""Models that generate a text about a source and a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Generated:
    """The text that a model generated about one (source, claim).

    outcome        ok; truncated_summary if the claim does not fit beside the prompt, or is
                   longer than what the model may write, so that it could not be written out
                   again; model_error on NaN
    text           the generated text, which may be empty; "" unless ok
    source_tokens  tokens of the source that were read
    source_cut     tokens of the source that did not fit, cut from its end
    claim_tokens   tokens of the claim; it is never cut
    """

    outcome: Outcome
    text: str
    source_tokens: int
    source_cut: int
    claim_tokens: int


@runtime_checkable
class Generator(Protocol):
    """Generates a text about a source and a claim, deterministically."""

    @property
    def id(self) -> str: ...

    def generate(self, pairs: Sequence[tuple[str, str]]) -> list[Generated]:
        """The text for each (source, claim), in order; it does not depend on the batch."""
        ...
