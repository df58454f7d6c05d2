"""The choice of evidence: the few source sentences that can decide a summary sentence, within a
budget of tokens. By words alone; no model is loaded here.

Measured by `bench/evidence_recall.py` against sentences that people marked (docs/support.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from faithkit.language.inflection import uninflected
from faithkit.models.protocols import Bools, Floats, Ints
from faithkit.support.sentences import Kind, Sentence

BUDGET = 180
"""Tokens of evidence for one summary sentence."""

MAX_RANKED = 12
"""Sentences that are ranked at most."""

WEIGHTS = {Kind.FUNCTION: 0.05, Kind.CONTENT: 1.0, Kind.NUMBER: 1.3, Kind.NAME: 1.4}
"""How much it matters that the evidence has a word, times how few sentences have it."""

BIGRAM_WEIGHT = 0.5
"""How much a pair of neighbouring words adds to the two."""

REPEAT_WEIGHT = 0.3
"""Share that a word counts again where a chosen sentence has it already."""

LENGTH_POWER, LENGTH_ADDED = 0.7, 5
"""What a sentence has is divided by (its tokens + LENGTH_ADDED) to the LENGTH_POWER, so that
several short sentences are read rather than a long one. Chosen on wice_dev and defacto_dev; near
these values it matters little. A model says in its settings with which power it was
trained; adapters of `faithkit train nli` are with ANY_LENGTH."""

ANY_LENGTH = 0.0
"""The power with which a sentence's length makes no difference."""

PRONOUNS = frozenset(
    "he she it they him her them his its their this that these those".split()  # noqa: SIM905
)
PRONOUN_WINDOW = 4
"""Words at a sentence's beginning of which a pronoun asks for the sentence before it."""


class Source:
    """A source's sentences with an index of words and of pairs of words to the sentences that have
    them. It may be empty."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = tuple(sentences)
        words: dict[str, list[int]] = {}
        pairs: dict[tuple[str, str], list[int]] = {}
        for index, sentence in enumerate(self.sentences):
            for key in dict.fromkeys(sentence.keys):
                words.setdefault(key, []).append(index)
            for pair in dict.fromkeys(pairwise(sentence.keys)):
                pairs.setdefault(pair, []).append(index)
        self.words = words
        self.pairs = pairs

    def costs(self, length_power: float) -> Floats:
        """[sentences], by what a sentence's usefulness is divided for its length."""
        if length_power == ANY_LENGTH:
            return np.ones(len(self.sentences), dtype=np.float32)
        costs: Floats = (self._sizes + LENGTH_ADDED) ** length_power
        return costs

    def has(self, claim: Sentence) -> bool:
        """Whether one of the sentences is the claim, word for word."""
        return any(map(claim.is_copy_of, self._wordings.get(claim.wording, ())))

    @cached_property
    def first_duplicate(self) -> Ints:
        """[sentences], the index of the first sentence with the same words."""
        first: dict[tuple[str, ...], int] = {}
        indices = [first.setdefault(s.keys, i) for i, s in enumerate(self.sentences)]
        return np.array(indices, dtype=np.int64)

    @cached_property
    def _wordings(self) -> dict[tuple[str, ...], list[Sentence]]:
        """The sentences with each wording."""
        wordings: dict[tuple[str, ...], list[Sentence]] = {}
        for sentence in self.sentences:
            wordings.setdefault(sentence.wording, []).append(sentence)
        return wordings

    @cached_property
    def _sizes(self) -> Floats:
        """[sentences], their tokens."""
        return np.array([len(s.ids) for s in self.sentences], dtype=np.float32)


def rank_evidence(claim: Sentence, source: Source, length_power: float = LENGTH_POWER) -> list[int]:
    """Up to MOST sentences of the source, the most useful first: each the one that has most for its
    length of the claim's words and word pairs that no sentence before it has. Sentences that share
    nothing are left out, and those that repeat one; ties go to the earlier one."""
    count = len(source.sentences)
    single = [
        WEIGHTS[Kind(kind)] * np.log(1 + count / (0.5 + len(source.words.get(key, ()))))
        for key, kind in zip(claim.keys, claim.kinds.tolist(), strict=True)
    ]
    occurrences = [source.words.get(key) for key in claim.keys]
    weights = list(single)
    for i, pair in enumerate(pairwise(claim.keys)):
        occurrences.append(source.pairs.get(pair))
        weights.append(BIGRAM_WEIGHT * (single[i] + single[i + 1]))
    shared = [(at, weight) for at, weight in zip(occurrences, weights, strict=True) if at]
    if not shared:
        return []
    has = np.zeros((len(shared), count), dtype=np.float32)
    for row, (at, _) in enumerate(shared):
        has[row, at] = 1
    left = np.array([weight for _, weight in shared], dtype=np.float32)
    repeats = source.first_duplicate != np.arange(count)
    again = REPEAT_WEIGHT * (left @ has)
    cost = source.costs(length_power)
    order: list[int] = []
    while len(order) < min(count, MAX_RANKED):
        gain = (left @ has + again) / cost
        gain[order] = gain[repeats] = -1
        # Rounded, so that the last bit of a sum never decides between equal sentences.
        best = int(np.round(gain, 4).argmax())
        if gain[best] <= 1e-6:
            break
        order.append(best)
        left = left * (1 - has[:, best])
    return order


def select_evidence(
    claim: Sentence, source: Source, budget: int = BUDGET, length_power: float = LENGTH_POWER
) -> list[int]:
    """Indices of the source sentences that the claim is judged against, the most useful first.

    The first is taken whatever its length, the others as the budget of tokens allows. If one of the
    first two opens with a pronoun, the sentence before it comes next but one. If no sentence shares
    a word, the source's first is taken; of an empty source none."""
    queue = rank_evidence(claim, source, length_power) or [0][: len(source.sentences)]
    selected: list[int] = []
    used = 0
    for step, index in enumerate(queue):  # which may grow behind `step`
        sentence = source.sentences[index]
        size = len(sentence.ids) + 1
        if index in selected or (selected and used + size > budget):
            continue
        selected.append(index)
        used += size
        if index and len(selected) <= 2 and PRONOUNS.intersection(sentence.keys[:PRONOUN_WINDOW]):
            queue.insert(step + 2, index - 1)
    return selected


def neighbours(selected: Sequence[int], source: Source, budget: int = BUDGET) -> list[int]:
    """Indices of further sentences that are read with the selected ones, within the same budget of
    tokens: the nearest to a selected one first; of equally near ones those beside the more useful,
    and the one before rather than the one after."""
    if not selected:
        return []
    used = sum(len(source.sentences[index].ids) + 1 for index in selected)
    position = np.arange(len(source.sentences))
    distance = np.abs(position[:, None] - np.array(selected)[None, :])
    nearest_first = np.lexsort((position, distance.argmin(axis=1), distance.min(axis=1)))
    added: list[int] = []
    for index in nearest_first.tolist():
        size = len(source.sentences[index].ids) + 1
        if index not in selected and used + size <= budget:
            added.append(index)
            used += size
    return added


LONGEST_RUN = 5


def shared_runs(claim: Sentence, sentence: Sentence) -> tuple[Ints, Ints]:
    """[words of the claim] and [words of the sentence]: how many words in a row, the word among
    them, the two have in common, 0..LONGEST_RUN (extractive fragments, Grusky et al. 2018). Words
    in common have one spelling, or differ by an inflection and are not both names."""
    equal = _equal(claim.keys, sentence.keys)
    same = _equal(claim.spellings, sentence.spellings)
    if (equal & ~same).any():
        inflected = _equal(*(tuple(map(uninflected, each.spellings)) for each in (claim, sentence)))
        names = claim.has_capital[:, None] & sentence.has_capital[None, :]
        equal &= same | (inflected & ~names)
    runs = equal.astype(np.int64)
    for i in range(1, len(runs)):
        runs[i, 1:] += runs[i - 1, :-1] * equal[i, 1:]
    for i in range(len(runs) - 2, -1, -1):
        longer = runs[i + 1, 1:] * equal[i + 1, 1:] * equal[i, :-1]
        runs[i, :-1] = np.maximum(runs[i, :-1], longer)
    runs = np.minimum(runs, LONGEST_RUN)
    return runs.max(axis=1), runs.max(axis=0)


def _equal(words: Sequence[str], others: Sequence[str]) -> Bools:
    """[words, others], which are equal."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys(others))}
    own = np.array([numbers.get(word, -1) for word in words])
    other = np.array([numbers[word] for word in others])
    equal: Bools = own[:, None] == other[None, :]
    return equal


CONTEXT_WORDS = 8
"""Words to either side that say which evidence sentence a word is nearest to."""

OTHER_CLAUSE = 0.3
"""How much of its weight is left to a word of another clause."""


def nearest_evidence(claim_runs: Ints, weights: Floats, clauses: Ints) -> Ints:
    """[words] which evidence sentence has most of each claim word and those around it.

    claim_runs  [evidence, words], `shared_runs` of each
    weights     [words], how much a word says
    clauses     [words], the number of the clause that each is in
    """
    matched = (claim_runs > 0) * (1 + claim_runs / LONGEST_RUN) * weights
    position = np.arange(len(weights))
    distance = np.abs(position[:, None] - position[None, :])
    share = 0.5 ** (distance / 1.5) * (distance <= CONTEXT_WORDS)
    share *= np.where(clauses[:, None] == clauses[None, :], 1, OTHER_CLAUSE)
    best: Ints = np.round(matched @ share, 4).argmax(axis=0)
    return best
