"""Selection of evidence and runs of shared words: by hand, and against slow plain versions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.tiny_support import read

from faithkit.language.mapped import identity_map
from faithkit.models.protocols import Floats, Ints
from faithkit.models.wordpiece import Encoding, WordPiece
from faithkit.support.evidence import (
    BIGRAM_WEIGHT,
    LENGTH_ADDED,
    LENGTH_POWER,
    LONGEST_RUN,
    MAX_RANKED,
    REPEAT_WEIGHT,
    WEIGHTS,
    Source,
    nearest_evidence,
    neighbours,
    rank_evidence,
    select_evidence,
    shared_runs,
)
from faithkit.support.sentences import Kind, Sentence


class Counting(WordPiece):
    """Gives every text as many tokens."""

    def __init__(self, count: int) -> None:
        super().__init__({})
        self.count = count

    def encode(self, text: str) -> Encoding:
        return Encoding([0] * self.count, [(0, 1)] * self.count)


def sentence(text: str, tokens: int | None = None) -> Sentence:
    """A sentence of words that are their own keys, each a token; capitals are names."""
    words = text.split()
    kinds = [
        Kind.NUMBER if word.isdigit()
        else Kind.FUNCTION if word in ("the", "of", "it")
        else Kind.NAME if word[0].isupper()
        else Kind.CONTENT
        for word in words
    ]  # fmt: skip
    count = len(words) if tokens is None else tokens
    ends = list(accumulate(len(word) + 1 for word in words))
    offsets = tuple((end - len(word) - 1, end - 1) for word, end in zip(words, ends, strict=True))
    return Sentence(
        0, len(text), identity_map(" ".join(words)), offsets, tuple(words),
        np.array([int(kind) for kind in kinds], dtype=np.int64), Counting(count),
    )  # fmt: skip


def source(*texts: str) -> Source:
    return Source([sentence(text) for text in texts])


# --- ranking -------------------------------------------------------------------------------------


def test_source_knows_the_sentences_of_words_and_pairs() -> None:
    both = source("a b a", "b a")
    assert both.words == {"a": [0, 1], "b": [0, 1]}
    assert both.pairs == {("a", "b"): [0], ("b", "a"): [0, 1]}


def test_sentence_with_most_comes_first_then_what_adds_most() -> None:
    claim = sentence("cat dog bird fish")
    assert rank_evidence(claim, source("cat", "cat dog bird", "fish", "cat dog")) == [1, 2, 3, 0]


def test_sentences_that_share_nothing_are_left_out() -> None:
    assert rank_evidence(sentence("cat"), source("dog", "cat", "bird")) == [1]
    assert rank_evidence(sentence("cat"), source("dog")) == []
    assert rank_evidence(sentence("cat"), Source([])) == []


def test_of_sentences_that_say_as_much_the_earlier_comes_first() -> None:
    assert rank_evidence(sentence("cat dog"), source("x", "cat", "dog")) == [1, 2]


def test_a_sentence_that_repeats_another_is_left_out() -> None:
    header = source("cat dog", "x", "cat dog", "cat bird", "cat dog")
    assert rank_evidence(sentence("cat dog bird"), header) == [0, 3]


@pytest.mark.parametrize(("low", "high"), [("the", "cat"), ("cat", "5"), ("5", "Lyon")])
def test_content_outweighs_function_words_and_names_and_numbers_outweigh_content(
    low: str, high: str
) -> None:
    assert rank_evidence(sentence(f"{low} x {high}"), source(low, high)) == [1, 0]


def test_rare_word_outweighs_common_one() -> None:
    others = source("cat x", "cat y", "dog z", "cat w")
    assert rank_evidence(sentence("cat q dog"), others)[0] == 2


def test_pair_of_neighbours_counts_beside_its_words() -> None:
    assert rank_evidence(sentence("cat dog"), source("dog cat", "cat dog")) == [1, 0]


def test_at_most_so_many_sentences_are_ranked() -> None:
    others = source(*[f"cat {number}" for number in range(30)])
    assert len(rank_evidence(sentence("cat"), others)) == MAX_RANKED


def gains(claim: Sentence, other: Source, before: list[int]) -> list[float]:
    """What each sentence adds to those before, sentence by sentence."""
    count = len(other.sentences)
    has = [set(one.keys) for one in other.sentences]
    pairs = [set(zip(one.keys, one.keys[1:], strict=False)) for one in other.sentences]
    single = []
    for key, kind in zip(claim.keys, claim.kinds.tolist(), strict=True):
        frequency = sum(key in some for some in has)
        single.append(WEIGHTS[Kind(kind)] * math.log(1 + count / (0.5 + frequency)))
    terms = [(weight, [key in some for some in has]) for key, weight in zip(claim.keys, single)]  # noqa: B905
    for i, pair in enumerate(zip(claim.keys, claim.keys[1:], strict=False)):
        terms.append(
            (BIGRAM_WEIGHT * (single[i] + single[i + 1]), [pair in some for some in pairs])
        )
    covered = {
        number for number, (_, there) in enumerate(terms) if any(there[place] for place in before)
    }
    return [
        sum(
            weight * (REPEAT_WEIGHT + (number not in covered))
            for number, (weight, there) in enumerate(terms)
            if there[place]
        )
        / (len(other.sentences[place].ids) + LENGTH_ADDED) ** LENGTH_POWER
        for place in range(count)
    ]


some_words = st.lists(
    st.sampled_from(["cat", "dog", "the", "Lyon", "7", "sun", "of", "tree"]), min_size=1, max_size=7
).map(" ".join)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(some_words, st.lists(some_words, max_size=16, unique=True))
def test_each_sentence_of_a_ranking_adds_most_to_those_before(claim: str, texts: list[str]) -> None:
    one, other = sentence(claim), source(*texts)
    order = rank_evidence(one, other)
    assert len(set(order)) == len(order) <= MAX_RANKED
    for step, place in enumerate(order):
        every = gains(one, other, order[:step])
        rest = [gain for number, gain in enumerate(every) if number not in order[:step]]
        # Gains that are this near to each other count as equal.
        assert every[place] > 0 and every[place] >= max(rest) - 1e-3
    if len(order) < min(MAX_RANKED, len(texts)):
        every = gains(one, other, order)
        assert all(gain < 1e-3 for number, gain in enumerate(every) if number not in order)


# --- selection within a budget -------------------------------------------------------------------


def test_first_is_selected_whatever_its_length_and_others_as_they_fit() -> None:
    claim = sentence("cat dog bird fish")
    others = Source([sentence("cat dog bird", 50), sentence("cat dog", 30), sentence("fish", 9)])
    assert rank_evidence(claim, others) == [0, 2, 1]
    assert select_evidence(claim, others, 10) == [0]
    assert select_evidence(claim, others, 61) == [0, 2]  # 51 and 10
    assert select_evidence(claim, others, 60) == [0]
    assert select_evidence(claim, others, 91) == [0, 2]
    assert select_evidence(claim, others, 92) == [0, 2, 1]


def test_of_sentences_that_have_the_same_the_shorter_comes_first() -> None:
    others = Source([sentence("cat dog", 40), sentence("cat dog x", 8), sentence("bird", 5)])
    assert rank_evidence(sentence("cat dog bird"), others) == [1, 2, 0]


def test_what_does_not_fit_is_passed_over() -> None:
    claim = sentence("cat dog bird fish")
    others = Source([sentence("cat dog bird", 5), sentence("fish", 90), sentence("cat", 3)])
    assert select_evidence(claim, others, 20) == [0, 2]


def test_sentence_before_a_pronoun_is_selected_after_the_next_best() -> None:
    others = source("Anna left", "it cat dog bird", "fish sun", "tree blue")
    assert select_evidence(sentence("cat dog bird fish tree"), others) == [1, 2, 0, 3]
    late = source("Anna left", "a b c d it cat dog bird", "fish")
    assert 0 not in select_evidence(sentence("cat dog bird fish"), late)


def test_pronoun_of_the_first_sentence_asks_for_nothing() -> None:
    assert select_evidence(sentence("cat"), source("it cat", "dog")) == [0]


def test_without_a_shared_word_the_first_sentence_is_evidence() -> None:
    assert select_evidence(sentence("cat"), source("dog", "sun")) == [0]
    assert select_evidence(sentence("cat"), Source([])) == []


@settings(max_examples=100, deadline=None)
@given(some_words, st.lists(some_words, max_size=10), st.integers(0, 40))
def test_selection_fits_its_budget_without_repetition(
    claim: str, texts: list[str], budget: int
) -> None:
    other = source(*texts)
    chosen = select_evidence(sentence(claim), other, budget)
    assert len(set(chosen)) == len(chosen)
    assert bool(chosen) == bool(texts)
    sizes = [len(other.sentences[place].ids) + 1 for place in chosen]
    assert len(chosen) <= 1 or sum(sizes) <= budget
    whole = select_evidence(sentence(claim), other, 10_000)
    assert set(chosen) <= set(whole) and chosen[:1] == whole[:1]


def test_what_is_left_of_the_budget_is_for_the_sentences_around() -> None:
    others = source("a", "b", "c", "cat", "d", "e", "f", "dog", "g")
    selected = select_evidence(sentence("cat dog dog"), others)
    assert selected == [7, 3]
    # Around the more useful one first, before it rather than after, then those two away.
    assert neighbours(selected, others) == [6, 8, 2, 4, 5, 1, 0]
    assert neighbours(selected, others, 8) == [6, 8]
    assert neighbours([], others) == []


def test_a_neighbour_that_does_not_fit_is_passed_over() -> None:
    others = Source([sentence("a", 3), sentence("b", 50), sentence("cat", 1), sentence("c", 2)])
    assert neighbours([2], others, 12) == [3, 0]


def test_evidence_of_a_real_claim() -> None:
    texts = (
        "The council met on Tuesday.", "Mayor Anna Reyes opened the new library.",
        "It cost £1.9m.", "Nobody was hurt in the flood.",
    )  # fmt: skip
    (claim,) = read("Anna Reyes said the library cost 1.9 million pounds.")
    assert set(select_evidence(claim, Source(read(*texts)), 40)) >= {1, 2}
    assert select_evidence(claim, Source(read(*texts)), 40)[0] in (1, 2)


# --- runs ----------------------------------------------------------------------------------------


def test_run_is_the_longest_row_of_shared_words_through_a_word() -> None:
    claim, other = sentence("a b c x d b"), sentence("z a b d b c")
    of_claim, of_other = shared_runs(claim, other)
    assert of_claim.tolist() == [2, 2, 2, 0, 2, 2]
    assert of_other.tolist() == [0, 2, 2, 2, 2, 2]


def test_runs_are_capped() -> None:
    same = sentence("a b c d e f g")
    of_claim, of_other = shared_runs(same, same)
    assert of_claim.tolist() == of_other.tolist() == [LONGEST_RUN] * 7


def plain_runs(own: Sequence[str], other: Sequence[str]) -> list[int]:
    runs = [0] * len(own)
    for start in range(len(own)):
        for end in range(start + 1, len(own) + 1):
            part = own[start:end]
            if any(other[i : i + len(part)] == part for i in range(len(other))):
                for place in range(start, end):
                    runs[place] = max(runs[place], end - start)
    return [min(run, LONGEST_RUN) for run in runs]


letters = st.lists(st.sampled_from("abc"), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("claim", "other", "runs"),
    [
        ("Mr Williams left Rome", "Mr William left Rome", [1, 0, 2, 2]),  # names differ
        ("an import tax", "an important tax", [1, 0, 1]),  # no inflection
        ("dogs were banned", "the dog was banned", [3, 3, 3]),
        ("Dogs bark", "the dog barked", [2, 2]),  # a sentence's beginning
        ("he planned it", "they were planning it", [0, 2, 2]),
        ("Anna's dog", "Anna dog", [2, 2]),
        ("1,200 people", "1200 people", [2, 2]),
    ],
)
def test_names_in_common_have_one_spelling(claim: str, other: str, runs: list[int]) -> None:
    ((first,), (second,)) = read(claim), read(other)
    assert shared_runs(first, second)[0].tolist() == runs


@settings(max_examples=200, deadline=None)
@given(letters, letters)
def test_runs_equal_those_of_trying_every_part(own: list[str], other: list[str]) -> None:
    of_claim, of_other = shared_runs(sentence(" ".join(own)), sentence(" ".join(other)))
    assert of_claim.tolist() == plain_runs(own, other)
    assert of_other.tolist() == plain_runs(other, own)


# --- the nearest evidence of a word --------------------------------------------------------------


def nearest(runs: Ints, weights: Floats) -> Ints:
    """Within one clause."""
    return nearest_evidence(runs, weights, np.zeros(len(weights), dtype=np.int64))


def test_word_is_nearest_to_the_sentence_that_has_it_and_its_neighbours() -> None:
    runs = np.array([[2, 2, 0, 0, 0], [0, 0, 0, 3, 3]])
    # The third by its neighbours: the longer run.
    assert nearest(runs, np.ones(5, dtype=np.float32)).tolist() == [0, 0, 1, 1, 1]


def test_words_of_another_clause_say_less() -> None:
    runs = np.array([[1, 0, 0, 0], [0, 0, 2, 2]])
    one_clause, two = np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1])
    ones = np.ones(4, dtype=np.float32)
    assert nearest_evidence(runs, ones, one_clause).tolist() == [0, 1, 1, 1]
    assert nearest_evidence(runs, ones, two).tolist() == [0, 0, 1, 1]


def test_weights_say_how_much_a_word_counts() -> None:
    runs = np.array([[1, 0, 0], [0, 0, 1]])
    assert nearest(runs, np.ones(3, dtype=np.float32)).tolist() == [0, 0, 1]
    assert nearest(runs, np.array([1, 1, 0.1], dtype=np.float32)).tolist() == [0, 0, 0]
    assert nearest(runs, np.array([0.1, 1, 1], dtype=np.float32)).tolist() == [1, 1, 1]


def test_of_equal_sentences_the_first_is_nearest() -> None:
    assert nearest(np.array([[0], [0]]), np.ones(1, dtype=np.float32)).tolist() == [0]
    assert nearest(np.array([[4, 4], [4, 4]]), np.ones(2, dtype=np.float32)).tolist() == [
        0,
        0,
    ]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda rows: st.integers(1, 14).flatmap(
            lambda columns: st.lists(
                st.lists(st.integers(0, LONGEST_RUN), min_size=columns, max_size=columns),
                min_size=rows, max_size=rows,
            )
        )
    )
)  # fmt: skip
def test_nearest_equals_a_plain_sum_over_neighbours(runs: list[list[int]]) -> None:
    columns = len(runs[0])
    best = []
    for word in range(columns):
        sums = [
            round(
                sum(
                    (1 + row[at] / LONGEST_RUN) * 0.5 ** (abs(at - word) / 1.5)
                    for at in range(columns)
                    if row[at] and abs(at - word) <= 8
                ),
                4,
            )
            for row in runs
        ]
        best.append(sums.index(max(sums)))
    assert nearest(np.array(runs), np.ones(columns, dtype=np.float32)).tolist() == best
