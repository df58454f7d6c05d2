"""Language models under teacher forcing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from faithkit.models.protocols.base import Floats, Ints
from faithkit.records import Outcome

Vector = Literal["source_lm", "source_s2s", "summary_lm", "summary_s2s", "summary_pref"]
"""Which text is forced, and what comes before it: nothing (`_lm`), the other text (`_s2s`), or the
summary itself followed by the source (`_pref`) [FFLM §3]."""

Join = Literal["ids", "condition", "text"]
"""How source, separator and summary become the ids of one sequence.

ids        each text is tokenised separately, and the ids are concatenated
condition  as ids, but if the summary comes before the source, the two are tokenised as one text
           with a space between them, as in the scripts released with [FFLM] and with CoP
text       the whole sequence is tokenised as one text. A token with a character of the forced text
           belongs to it; the ids after the separator are also those that are forced without a
           condition. In an encoder-decoder, where the forced text is a separate sequence, this is
           the same as condition
"""


@dataclass(frozen=True, slots=True)
class Forcing:
    """How the sequences of teacher forcing are made.

    join            how the ids of a sequence are made
    special_tokens  whether the special tokens around a text (BART's <s> and </s>) are forced and
                    counted too, as in the released BARTScore; for encoder-decoder models only
    """

    join: Join = "ids"
    special_tokens: bool = False


PLAIN = Forcing()


@dataclass(frozen=True, slots=True)
class Forced:
    """One (source, summary) pair under teacher forcing.

    outcome          ok; no_content, truncated_summary or model_error if there are no vectors
    vectors          natural-log probabilities of the forced tokens: `source_*` [source_tokens],
                     `summary_*` [summary_tokens], longer if special tokens are forced too; float32,
                     read-only
    summary_offsets  one row [start, end] for each of a `summary_*` vector's tokens, 0 and 0 for
                     special ones; [0, 2] if the tokenizer has none
    source_tokens    tokens of the source that were read
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
    """A causal or encoder-decoder model that gives the log-probability of each token of a text."""

    @property
    def id(self) -> str: ...

    @property
    def context(self) -> int:
        """The longest sequence in tokens, special tokens included."""
        ...

    @property
    def mask(self) -> str:
        """The replacement for hidden words: the tokenizer's mask token, else "_"."""
        ...

    def expect(self, wanted: frozenset[Vector], forcing: Forcing = PLAIN) -> None:
        """Announces the vectors that will be wanted, so that a pass for one metric also keeps those
        that another needs. Affects the cost, not the values. Raises ConfigError if the model cannot
        force texts in this way."""
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
        """The wanted vectors for each (source, summary), in order.

        context  the longest sequence in tokens; default: the model's own limit
        alone    whether no other metric will need these pairs, so that only the wanted vectors are
                 kept; affects the cost, not the values

        Raises ConfigError if the context is above the model's limit, or the model cannot force
        texts in this way.
        """
        ...
