"""What a metric may ask of a model, as protocols. Importing this loads no model library.

A metric names the protocol it needs in its constructor, so it runs on a fake in a test, on an
embedded model or on a published checkpoint. Loading is `faithkit.models.load`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from faithkit.records import Coverage, Evidence, Outcome

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TokenStates:
    """Contextual token vectors of one text.

    vectors  [tokens, width], unit length
    offsets  [tokens, 2], character offsets into the text; special tokens have start == end
    ids      [tokens], the tokenizer's ids
    cut      tokens of the text that did not fit the model's context and were left out
    """

    vectors: Floats
    offsets: Ints
    ids: Ints
    cut: int = 0


@runtime_checkable
class TokenEncoder(Protocol):
    """A bidirectional encoder seen token by token, at any of its layers (0 = embeddings)."""

    @property
    def id(self) -> str:
        """`name@first-12-of-the-weights'-sha256`, for the signature."""
        ...

    @property
    def layers(self) -> int: ...

    @property
    def default_layer(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """Tokens of text that fit beside the special tokens."""
        ...

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int, windows: bool = False
    ) -> list[TokenStates]:
        """States of each text, in order. A text over `max_tokens` is cut and says so in `cut`;
        with `windows=True` it is encoded in consecutive windows instead and nothing is cut."""
        ...

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokenizer's ids of each text, without special tokens."""
        ...


@runtime_checkable
class SentenceEmbedder(Protocol):
    """Texts to unit vectors whose dot product is their cosine similarity."""

    @property
    def id(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """[texts, width], each row of unit length."""
        ...


Vector = Literal["source_lm", "source_s2s", "summary_lm", "summary_s2s", "summary_pref"]
"""Whose tokens are forced and what stands before them: `_lm` nothing, `_s2s` the other text,
`_pref` the summary itself and then the source [FFLM §3]."""


@dataclass(frozen=True, slots=True)
class Forced:
    """One (source, summary) pair under teacher forcing.

    outcome          ok; no_content, truncated_summary or model_error where there are no vectors
    vectors          natural-log probabilities: `source_*` [source_tokens], `summary_*`
                     [summary_tokens]; float32, not to be written to
    summary_offsets  [summary_tokens, 2], character offsets; [0, 2] where the tokenizer has none
    source_tokens    tokens of the source that were seen
    source_cut       tokens of the source that did not fit, cut from its end
    summary_tokens   tokens of the summary; it is never cut
    """

    outcome: Outcome
    vectors: Mapping[Vector, Floats]
    summary_offsets: Ints
    source_tokens: int
    source_cut: int
    summary_tokens: int


@runtime_checkable
class LanguageModel(Protocol):
    """A causal or an encoder-decoder model that gives each token of a text its log-probability."""

    @property
    def id(self) -> str: ...

    @property
    def context(self) -> int:
        """Tokens of the longest sequence it takes, special ones included."""
        ...

    @property
    def mask(self) -> str:
        """What stands for words hidden from it: the tokenizer's mask token, else "_"."""
        ...

    def expect(self, wanted: frozenset[Vector]) -> None:
        """Says early what will be asked for, so that a pass made for one metric also keeps what
        another will want. Changes the cost, never a value."""
        ...

    def log_probs(
        self,
        pairs: Sequence[tuple[str, str]],
        wanted: frozenset[Vector],
        *,
        context: int | None = None,
    ) -> list[Forced]:
        """Every vector of `wanted` for each (source, summary), in order. `context` lowers the
        model's own limit. Raises ConfigError where it is above that limit."""
        ...


@dataclass(frozen=True, slots=True)
class Entailed:
    """Whether one premise entails one hypothesis.

    outcome            ok; truncated_summary where the hypothesis alone does not fit beside the
                       special tokens; model_error on NaN; no_claims where the hypothesis has
                       nothing that can be judged
    probabilities      entailment, neutral, contradiction; they sum to 1; zeros unless ok
    premise_tokens     tokens of the premise that were seen
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
        """One for each pair, in order. The same pair gives the same numbers in any batch."""
        ...


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """What a source says of one sentence of a summary.

    start, end     characters of the sentence in the summary
    has_claim      False for talk that states nothing the source could support
    probabilities  entailment, neutral, contradiction; they sum to 1
    words          [words, 2] character offsets into the summary, punctuation left out
    unsupported    [words] calibrated probability that the source does not support the word
    evidence       the source sentences it was judged against, best first
    similarity     mean over its words of the greatest cosine with a word of the source
    """

    start: int
    end: int
    has_claim: bool
    probabilities: tuple[float, float, float]
    words: Ints
    unsupported: Floats
    evidence: tuple[Evidence, ...]
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """A summary judged sentence by sentence; `coverage` says what was read."""

    sentences: tuple[SentenceVerdict, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Decision:
    """From a value of `support` to a verdict, as calibrated on labelled summaries.

    lower, upper  a value below `lower` is inconsistent, from `upper` up consistent
    slope, shift  probability of being consistent = sigmoid(slope * value + shift)
    """

    lower: float
    upper: float
    slope: float
    shift: float

    def probability(self, value: float) -> float:
        return 0.5 + 0.5 * math.tanh((self.slope * value + self.shift) / 2)

    def verdict(self, value: float) -> float:
        """1 consistent, 0 not, 0.5 undecided."""
        return 1.0 if value >= self.upper else 0.0 if value < self.lower else 0.5


@runtime_checkable
class SupportModel(Protocol):
    """A trained verdict for every word and every sentence of a summary."""

    @property
    def id(self) -> str: ...

    @property
    def decision(self) -> Decision:
        """What a value of the metric `support` over these verdicts means."""
        ...

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """One verdict for each (source, summary), in order, the same in any batch. A source
        without a sentence leaves nothing supported; a summary without one has no sentence."""
        ...


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote about one (source, claim).

    outcome        ok; truncated_summary where the claim does not fit beside the prompt, or is
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
