"""Published classifiers of a document and a claim, or of the claim's tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from faithkit.models.protocols.base import Floats, Ints
from faithkit.records import Outcome


@dataclass(frozen=True, slots=True)
class Layout:
    """How a document and a claim are combined to the input of a model that was trained on such
    pairs.

    before, between, after
                 the texts before, between and after the two. In them, `{eos}` and `{pad}` are
                 special tokens of the tokenizer, and `{pair}` is what it puts between two texts. A
                 space at the end of one belongs to the text that follows
    claim_first  whether the claim comes before the document
    answers      the possible answers of an encoder-decoder; the first token of each is read
    """

    before: str = ""
    between: str = "{pair}"
    after: str = ""
    claim_first: bool = False
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """The output of a published classifier for one (document, claim).

    outcome        ok; truncated_summary if the claim alone does not fit; model_error on NaN
    probabilities  one for each label, or for each answer of the layout; they sum to 1; empty
                   unless ok
    source_tokens  tokens of the document that were read
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
        """Where the result is read: from a classifier of the pair, from the labels of the first
        token, or from the first word of an answer."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its labels in its config; empty if it answers with words."""
        ...

    def check(
        self,
        pairs: Sequence[tuple[str, str]],
        layout: Layout,
        *,
        context: int | None = None,
    ) -> list[Checked]:
        """The output for each (document, claim), in order; it does not depend on the batch.

        context  the longest input in tokens, if the model has no limit or a higher one
        """
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, without special tokens."""
        ...


@dataclass(frozen=True, slots=True)
class TokenLabels:
    """The output of a token classifier for the tokens of a claim, given the document.

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
        """The output for each (document, claim), in order; it does not depend on the batch.
        context: as in `ClaimModel.check`."""
        ...
