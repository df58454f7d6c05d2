"""Models that write a text about a source and a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote about one (source, claim).

    outcome        ok; truncated_summary if the claim does not fit beside the prompt, or is
                   longer than what the model may write, so that it could not be written out
                   again; model_error on NaN
    text           what it wrote, possibly nothing; "" unless ok
    source_tokens  tokens of the source that were seen
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
    """Writes a text about a source and a claim, always the same one: nothing is sampled."""

    @property
    def id(self) -> str: ...

    def generate(self, pairs: Sequence[tuple[str, str]]) -> list[Generated]:
        """One for each (source, claim), in order, the same in any batch."""
        ...
