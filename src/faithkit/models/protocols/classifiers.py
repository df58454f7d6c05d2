"""Published classifiers of a document and a claim, of the pair or of the claim's tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from faithkit.models.protocols.base import Floats, Ints
from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Layout:
    """How a document and a claim are written before a model that was trained on pairs of them.

    `before`, `between` and `after` come before, between and after them; in these, `{eos}` and
    `{pad}` are the tokenizer's own special tokens and `{pair}` is what it puts between two texts. A
    blank at the end of one of them belongs to the text after it.

    claim_first  the claim comes before the document
    answers      what an encoder-decoder may answer; the first token of each is read
    """

    before: str = ""
    between: str = "{pair}"
    after: str = ""
    claim_first: bool = False
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """What a published classifier says of one (document, claim).

    outcome        ok; truncated_summary if the claim alone does not fit; model_error on NaN
    probabilities  one for each label, or for each answer of the layout; they sum to 1; empty
                   unless ok
    source_tokens  tokens of the document that were seen
    source_cut     tokens of the document that did not fit, cut from its end
    claim_tokens   tokens of the claim; it is never cut
    """

    outcome: Outcome
    probabilities: tuple[float, ...]
    source_tokens: int
    source_cut: int
    claim_tokens: int


@runtime_checkable
class ClaimModel(Protocol):
    """A published classifier of (document, claim), whatever its architecture."""

    @property
    def id(self) -> str: ...

    @property
    def kind(self) -> Literal["classifier", "first token", "answers"]:
        """Labels of its own for two texts, or read at the first token of a prompt; or it answers a
        question with a word."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels as its config names them; none if it answers."""
        ...

    def check(
        self,
        pairs: Sequence[tuple[str, str]],
        layout: Layout,
        *,
        context: int | None = None,
    ) -> list[Checked]:
        """One for each (document, claim), in order, the same in any batch.

        context  tokens of the longest input, where the model itself has no such limit or a higher
        """
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special ones left out."""
        ...


@dataclass(frozen=True, slots=True)
class TokenLabels:
    """What a token classifier says of a claim's tokens, given the document.

    outcome        as in `Checked`
    probabilities  [tokens, labels]; each row sums to 1; empty unless ok
    offsets        [tokens, 2], character offsets into the claim
    source_tokens, source_cut, claim_tokens  as in `Checked`
    """

    outcome: Outcome
    probabilities: Floats
    offsets: Ints
    source_tokens: int
    source_cut: int
    claim_tokens: int


@runtime_checkable
class TokenClassifier(Protocol):
    """A published classifier of a claim's tokens."""

    @property
    def id(self) -> str: ...

    @property
    def labels(self) -> tuple[str, ...]: ...

    def classify(
        self,
        pairs: Sequence[tuple[str, str]],
        layout: Layout,
        *,
        context: int | None = None,
    ) -> list[TokenLabels]:
        """One for each (document, claim), in order, the same in any batch; `context` as in
        `ClaimModel.check`."""
        ...
