"""Language models under teacher forcing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from faithkit.models.protocols.base import Floats, Ints
from faithkit.records import Outcome

Vector = Literal["source_lm", "source_s2s", "summary_lm", "summary_s2s", "summary_pref"]
"""Whose tokens are forced and what comes before them: `_lm` nothing, `_s2s` the other text,
`_pref` the summary itself and then the source [FFLM §3]."""

Join = Literal["ids", "condition", "text"]
"""How source, separator and summary become the ids of one sequence.

ids        each is tokenised by itself and their ids are concatenated
condition  the same, but where the summary comes before the source, the two with a space between
           them are tokenised as one text: the scripts released with [FFLM], and those of CoP
text       the whole sequence is tokenised as one text; a token that has a character of the forced
           text belongs to it, and its ids after the separator are also forced without it. In an
           encoder-decoder the forced text is a sequence of its own, so this is `condition`
"""


@dataclass(frozen=True, slots=True)
class Forcing:
    """How the sequences of teacher forcing are made.

    special_tokens  the tokens that the tokenizer puts around a text (BART's <s> and </s>) are
                    forced and counted with it, as in the released BARTScore; for encoder-decoder
                    models only
    """

    join: Join = "ids"
    special_tokens: bool = False


PLAIN = Forcing()


@dataclass(frozen=True, slots=True)
class Forced:
    """One (source, summary) pair under teacher forcing.

    outcome          ok; no_content, truncated_summary or model_error if there are no vectors
    vectors          natural-log probabilities: `source_*` [source_tokens], `summary_*`
                     [summary_tokens], and of the special tokens where these are forced; float32,
                     not to be written to
    summary_offsets  one row [start, end] for each of a `summary_*` vector's tokens, 0 and 0 for
                     special ones; [0, 2] if the tokenizer has none
    source_tokens    tokens of the source that were seen
    source_cut       tokens of the source that did not fit, cut from its end
    summary_tokens   tokens of the summary; it is never cut
    source_end       characters of the source that were seen, where it was cut; None where it was
                     not, or the tokenizer has no offsets
    """

    outcome: Outcome
    vectors: Mapping[Vector, Floats]
    summary_offsets: Ints
    source_tokens: int
    source_cut: int
    summary_tokens: int
    source_end: int | None = None


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
        """What replaces words hidden from it: the tokenizer's mask token, else "_"."""
        ...

    def expect(self, wanted: frozenset[Vector], forcing: Forcing = PLAIN) -> None:
        """Says early what will be asked for, so that a pass made for one metric also keeps what
        another will want. Changes the cost, never a value. Raises ConfigError if the model
        cannot do this forcing."""
        ...

    def log_probs(
        self,
        pairs: Sequence[tuple[str, str]],
        wanted: frozenset[Vector],
        *,
        context: int | None = None,
        forcing: Forcing = PLAIN,
        alone: bool = False,
    ) -> list[Forced]:
        """Every vector of `wanted` for each (source, summary), in order.

        context  lowers the model's own limit
        alone    no other metric will ask for these pairs, so nothing more than is wanted is
                 computed; changes the cost, never a value
        Raises ConfigError if the context is above the model's limit, or where the model cannot
        do this forcing.
        """
        ...
