"""Probability-change scores as pure functions of log-probability vectors: FFLM and its components
[FFLM §3], CoP, HaRiM, BARTScore and CoCo, which that paper compares with (its §4).

Vectors are natural-log probabilities of the tokens of one text: `summary_s2s` given the source,
`summary_lm` given nothing, `summary_pref` given the summary itself and the source; `source_s2s`
given the summary, `source_lm` given nothing. No model is here, nor a metric class: those are in
`probability.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from faithkit.language.words import Segment, is_content, words
from faithkit.models.protocols import Floats, Ints, Vector
from faithkit.records import ConfigError, Span, did_you_mean

Component = Literal["prior_y", "prior_x", "cond_y"]
COMPONENTS: tuple[Component, ...] = ("prior_y", "prior_x", "cond_y")
NAMED_WEIGHTS = {"rating": (0.25, 0.25, 0.5), "equal": (1 / 3, 1 / 3, 1 / 3)}
"""`rating`: the default of [FFLM §4.2] for human ratings."""

Weight = Literal["paper", "code", "none"]
"""How a token's change counts, p being its probability with the condition.

paper  e^p, as the formula is printed [FFLM §3.2]: probable tokens count up to e times
code   e^(1-p), as in the scripts the authors released (JiaQiSJTU/FaithEval-FFLM, for rating,
       detection and the system level alike): improbable tokens count more, which is what the text
       of §2.2 asks for
none   1, the ablation without weights

The tables of the paper were most likely made with `code`: each released script that prints one of
their figures has that weight, none has the other, and it is the one the text argues for.
"""

Mask = Literal["token", "span", "sentence", "document"]
SPAN_WORDS = 2
"""Words on each side that a masked span takes along with a related word."""

# Content words of 120 summaries of xsumfaith_dev (24 documents) under SmolLM2-135M; 40% of them
# are marked by two of three annotators. The first rule marks 418 of 1,322, 52% of them rightly
# (`bench/words.py -m harim --documents 24`)
# (the gain over 40%: 12 points, 95% interval 8 to 17 by document); the second 407, 48% rightly.
UNLIKELY = -3.0
"""Natural log; a word the source makes likelier than 5% is not marked."""
RAISED = 1.0
"""Nats; nor is one that the source raises by more."""
LOST = -5.0
"""Nats against having seen the summary; where there are no probabilities without the source."""


def probability_change(
    given: Floats, without: Floats, *, weight: Weight = "paper", log: bool = True
) -> float:
    """How much a condition raises the probability of a text's tokens [FFLM §3.2].

    given    [tokens], log-probabilities with the condition
    without  [tokens], log-probabilities without it (or with another)
    log      differences of log-probabilities; else of probabilities
    weight   what each token's difference is multiplied by, see `Weight`; within [1, e]

    Unbounded with `log`; without log or weight within [-1, 1]. Higher: the condition helps more.
    """
    high, low = given.astype(np.float64), without.astype(np.float64)
    change = high - low if log else np.exp(high) - np.exp(low)
    if weight != "none":
        probability = np.exp(high)
        change = np.exp(probability if weight == "paper" else 1 - probability) * change
    return float(change.mean())


def fflm(changes: Mapping[Component, float], weights: Mapping[Component, float]) -> float:
    """α Δ_Y^prior + β Δ_X^prior + δ Δ_Y^cond over the components that have a weight [FFLM §3.3]."""
    return sum(weight * changes[name] for name, weight in weights.items())


def cop(summary_s2s: Floats, summary_pref: Floats) -> float:
    """Mean log-probability lost by not having shown the summary before; mostly below 0, unbounded.
    Close to 0: the source alone already makes the summary likely."""
    return probability_change(summary_s2s, summary_pref, weight="none")


def harim(summary_s2s: Floats, summary_lm: Floats) -> float:
    """HaRiM's hallucination risk, negated: -mean (1 - p_s2s)(1 - (p_s2s - p_lm)), in [-2, 0]."""
    conditional = np.exp(summary_s2s.astype(np.float64))
    alone = np.exp(summary_lm.astype(np.float64))
    return float(-((1 - conditional) * (1 - (conditional - alone))).mean())


def bartscore(summary_s2s: Floats) -> float:
    """Mean log-probability of the summary's tokens given the source, at most 0."""
    return float(summary_s2s.astype(np.float64).mean())


def coco(summary_s2s: Floats, summary_masked: Floats) -> float:
    """Mean probability that the summary's tokens lose when what the summary mentions is hidden
    in the source, in [-1, 1]."""
    return probability_change(summary_s2s, summary_masked, weight="none", log=False)


def parse_components(text: str) -> tuple[Component, ...]:
    """`prior_y+cond_y` to names, in the paper's order. Raises ConfigError."""
    asked = [name.strip() for name in text.split("+")]
    for name in asked:
        if name not in COMPONENTS:
            raise ConfigError(f"There is no component '{name}'.{did_you_mean(name, COMPONENTS)}")
    return tuple(name for name in COMPONENTS if name in asked)


def parse_weights(text: str, components: Sequence[Component]) -> dict[Component, float]:
    """The weight of each component: `rating`, `equal` or `α,β,δ` (prior_y, prior_x, cond_y; at
    least 0, summing to 1). Where some components are left out, the others are scaled to sum to 1.
    Raises ConfigError."""
    if text in NAMED_WEIGHTS:
        three: Sequence[float] = NAMED_WEIGHTS[text]
    else:
        try:
            three = [float(piece) for piece in text.split(",")]
        except ValueError:
            three = []
        good = len(three) == 3 and all(weight >= 0 for weight in three)
        if not good or abs(sum(three) - 1) > 1e-6:
            raise ConfigError(
                "weights should be 'rating', 'equal' or three numbers of at least 0 that sum to 1 "
                f"(prior_y,prior_x,cond_y, as .25,.25,.5), found '{text}'"
            )
    chosen = {name: three[COMPONENTS.index(name)] for name in components}
    total = sum(chosen.values())
    if total <= 0:
        raise ConfigError(
            f"weights '{text}' give nothing to the components asked for, {'+'.join(components)}"
        )
    return {name: weight / total for name, weight in chosen.items()}


SMALL = frozenset({"the", "a", "this", "there", "an", "in", "on"})
"""Words that `recased` leaves as they are, though the source begins a sentence with them."""


def recased(summary: str, source: str) -> str:
    """A summary without a capital letter as the loaders of [FFLM], which follow those of CoP, write
    FRANK's: its first letter a capital, and that of every word whose capitalised form, without ".",
    "," and "'s", is anywhere in the source, but for SMALL. Any other summary as it is. The length
    stays the same.

    Their rule looks for letters, not words, so "art" becomes "Art" where the source has "Arthur";
    and it lowers capitals, which a summary without any has not got.
    """
    if summary != summary.lower():
        return summary
    pieces = _capital(summary).split(" ")
    return " ".join(
        _capital(piece) if _occurs(piece, source) and piece.lower() not in SMALL else piece
        for piece in pieces
    )


def _capital(text: str) -> str:
    first = text[:1].upper()
    # "ß" would become two letters.
    return first + text[1:] if len(first) == 1 else text


def _occurs(word: str, source: str) -> bool:
    return _capital(word).replace(".", "").replace("'s", "").replace(",", "") in source


def masked_source(
    source: str, summary: str, how: Mask, mask: str, sentences: Sequence[Segment] = ()
) -> str:
    """The source with what the summary mentions hidden: each run of hidden words becomes one
    `mask`. Related words are the source's content words that the summary has too, in any case.

    token     the related words
    span      those and SPAN_WORDS words on either side
    sentence  every sentence of `sentences` (the source's) that holds a related word
    document  everything

    With no related word the source comes back as it is (except for `document`).
    """
    if how == "document":
        return mask
    spoken = {word.text.casefold() for word in words(summary) if is_content(word.text)}
    inside = words(source)
    related = [i for i, word in enumerate(inside) if word.text.casefold() in spoken]
    hidden: list[tuple[int, int]]
    if how == "sentence":
        starts = [inside[i].start for i in related]
        hidden = [(s.start, s.end) for s in sentences if any(s.start <= a < s.end for a in starts)]
    else:
        reach = SPAN_WORDS if how == "span" else 0
        hidden = [
            (inside[max(0, i - reach)].start, inside[min(len(inside) - 1, i + reach)].end)
            for i in related
        ]
    pieces: list[str] = []
    at = 0
    for start, end in _merged(hidden, source):
        pieces += [source[at:start], mask]
        at = end
    return "".join([*pieces, source[at:]])


def _merged(ranges: Iterable[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Overlapping ranges, and those with only white space between them, as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def can_mark(vectors: Collection[Vector]) -> bool:
    """Whether `unsupported_words` can mark anything with these vectors."""
    return "summary_s2s" in vectors and ("summary_lm" in vectors or "summary_pref" in vectors)


def unsupported_words(text: str, offsets: Ints, vectors: Mapping[Vector, Floats]) -> list[Span]:
    """The content words of a summary that its source does not make likely, as spans scored with
    the word's probability given the source, in [0, 1].

    offsets  [tokens, 2], each token's characters in `text`
    vectors  `summary_s2s` [tokens], and one of
             `summary_lm`: marked are words under e^UNLIKELY that the source raises by less than
             RAISED; or else `summary_pref`: those that fall by more than LOST without the summary
             in front. With neither, or without offsets, there are no spans: a word may be unlikely
             and right.
    """
    if not len(offsets) or not can_mark(vectors):
        return []
    inside = words(text)
    # A token belongs to the word its last character is in; a space may come before it.
    starts, ends = np.array([(word.start, word.end) for word in inside], dtype=np.int64).T
    owner = np.searchsorted(starts, offsets[:, 1] - 1, side="right") - 1
    # White space alone belongs to none.
    owner[offsets[:, 0] >= ends[owner]] = -1

    def by_word(vector: Vector) -> Floats:
        total = np.zeros(len(inside), dtype=np.float32)
        np.add.at(total, np.maximum(owner, 0), np.where(owner >= 0, vectors[vector], 0))
        return total

    log_probabilities = by_word("summary_s2s")
    if "summary_lm" in vectors:
        marked = (log_probabilities < UNLIKELY) & (
            log_probabilities - by_word("summary_lm") < RAISED
        )
    else:
        marked = log_probabilities - by_word("summary_pref") < LOST
    return [
        Span(word.start, word.end, "unsupported", float(np.exp(log_probabilities[i])))
        for i, word in enumerate(inside)
        if marked[i] and is_content(word.text)
    ]
