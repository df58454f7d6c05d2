"""What the support network reads: a summary sentence and its evidence as token ids, with a code for
each token that says what sort of word it is and how it is copied.

Arrays only. The codes are the network's vocabulary of features: changing them changes what trained
weights mean (`files.FORMAT`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from faithkit.models.protocols import Floats, Ints
from faithkit.support.evidence import (
    BUDGET,
    LENGTH_POWER,
    Source,
    neighbours,
    select_evidence,
    shared_runs,
)
from faithkit.support.sentences import Sentence

CLS, SEP, PADDING = 101, 102, 0
"""BERT's special tokens."""

LIMIT = 510
"""Tokens of an input at most."""

ABSENT, ELSEWHERE = 0, 1
_LEVEL_OF_RUN = np.array([0, 2, 3, 4, 4, 5])
LEVELS = 6
"""How a claim's word is copied: absent in the source, in the source but not in the evidence, in the
evidence alone, in a run of two words, of three or four, of five and more."""

_CLAIM, _CLAIM_PUNCTUATION = 1, 25
_EVIDENCE, _EVIDENCE_PUNCTUATION, _SPECIAL = 26, 42, 43
_EVIDENCE_RUNS = 3
CODES = 44
"""0 padding; of claim words 1 + kind * LEVELS + level; of evidence words _EVIDENCE + kind * 4 + the
run up to 3."""


@dataclass(frozen=True, slots=True)
class ClaimWithEvidence:
    """A claim beside its evidence.

    claim          the summary's sentence
    indices        which sentences of the source: those selected, the most useful first, then their
                   neighbours
    selected       how many are selected
    evidence       these sentences
    in_source      [words], whether the source has the word anywhere
    claim_runs     [evidence, words], `shared_runs` with each sentence
    evidence_runs  of each evidence sentence [its words]
    copied         whether a sentence of the source is the claim, word for word
    """

    claim: Sentence
    indices: tuple[int, ...]
    selected: int
    evidence: tuple[Sentence, ...]
    in_source: Ints
    claim_runs: Ints
    evidence_runs: tuple[Ints, ...]
    copied: bool


def attach_evidence(
    claim: Sentence, source: Source, budget: int = BUDGET, length_power: float = LENGTH_POWER
) -> ClaimWithEvidence:
    """The claim beside the evidence that is selected within a budget of tokens and, where that
    leaves room, the sentences around it (`evidence.py`)."""
    selected = select_evidence(claim, source, budget, length_power)
    indices = [*selected, *neighbours(selected, source, budget)]
    evidence = tuple(source.sentences[index] for index in indices)
    runs = [shared_runs(claim, sentence) for sentence in evidence]
    return ClaimWithEvidence(
        claim,
        tuple(indices),
        len(selected),
        evidence,
        np.array([key in source.words for key in claim.keys], dtype=np.int64),
        np.array([run for run, _ in runs], dtype=np.int64).reshape(-1, len(claim.keys)),
        tuple(run for _, run in runs),
        source.has(claim),
    )


def count_within_budget(reading: ClaimWithEvidence, budget: int) -> int:
    """How many of the evidence sentences, from the first on, fit a budget of tokens; at least the
    first."""
    used = np.cumsum([len(sentence.ids) + 1 for sentence in reading.evidence])
    return max(min(1, len(used)), int((used <= budget).sum()))


@dataclass(frozen=True, slots=True)
class Input:
    """A reading in tokens: [CLS] claim [SEP] evidence [SEP] evidence [SEP] ..., the evidence in the
    order of the source.

    ids, codes  [tokens]
    claim       tokens up to the first [SEP], that one included
    words       words of the claim
    owner       [tokens of the claim without special ones], the word of each, -1 of punctuation
    cut         tokens of the evidence that did not fit
    """

    ids: Ints
    codes: Ints
    claim: int
    words: int
    owner: Ints
    cut: int


def encode(reading: ClaimWithEvidence, sentences: int | None = None) -> Input:
    """A reading with its most useful evidence sentences, so many or all."""
    claim = reading.claim
    count = len(reading.evidence) if sentences is None else sentences
    runs = reading.claim_runs[:count].max(axis=0, initial=0)
    level = np.where(runs > 0, _LEVEL_OF_RUN[runs], reading.in_source)
    word = _CLAIM + claim.kinds * LEVELS + level
    ids = [np.array([CLS]), claim.ids, np.array([SEP])]
    special = np.array([_SPECIAL])
    codes = [special, _of_tokens(word, claim.owner, _CLAIM_PUNCTUATION), special]
    for rank in sorted(range(count), key=reading.indices.__getitem__):
        sentence, run = reading.evidence[rank], reading.evidence_runs[rank]
        word = _EVIDENCE + sentence.kinds * (_EVIDENCE_RUNS + 1) + np.minimum(run, _EVIDENCE_RUNS)
        ids += [sentence.ids, np.array([SEP])]
        codes += [
            _of_tokens(word, sentence.owner, _EVIDENCE_PUNCTUATION),
            np.array([_EVIDENCE_PUNCTUATION]),
        ]
    joined = np.concatenate(ids)
    return Input(
        joined[:LIMIT],
        np.concatenate(codes)[:LIMIT],
        len(claim.ids) + 2,
        len(claim.keys),
        claim.owner,
        max(0, len(joined) - LIMIT),
    )


def _of_tokens(of_words: Ints, owner: Ints, punctuation: int) -> Ints:
    return np.where(owner >= 0, of_words[np.maximum(owner, 0)], punctuation)


@dataclass(frozen=True, slots=True)
class Batch:
    """Inputs as rectangles.

    ids, codes  [inputs, tokens]
    segments    [inputs, tokens], 0 up to the first [SEP], 1 after it
    mask        [inputs, tokens], 1 of a token, 0 of padding
    pool        [inputs, words, tokens of the longest claim], each word's row its mean over tokens
    """

    ids: Ints
    codes: Ints
    segments: Ints
    mask: Ints
    pool: Floats


def batch_of(inputs: Sequence[Input], multiple: int = 1) -> Batch:
    """The inputs, padded on the right, to tokens and words in multiples of a number."""
    rows, longest = len(inputs), _up(max(len(item.ids) for item in inputs), multiple)
    ids, codes, segments, mask = (np.zeros((rows, longest), dtype=np.int64) for _ in range(4))
    most_words = _up(max(item.words for item in inputs), multiple)
    claim = _up(max(item.claim for item in inputs), multiple)
    pool = np.zeros((rows, most_words, claim), dtype=np.float32)
    for row, item in enumerate(inputs):
        length = len(item.ids)
        ids[row, :length], codes[row, :length], mask[row, :length] = item.ids, item.codes, 1
        segments[row, item.claim : length] = 1
        tokens = np.flatnonzero(item.owner >= 0)
        pool[row, item.owner[tokens], tokens + 1] = 1
    pool /= np.maximum(pool.sum(axis=2, keepdims=True), 1)
    return Batch(ids, codes, segments, mask, pool)


def _up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple
