"""Evidence about each word of a summary sentence, by hand on made-up vectors, without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faithkit.language.reading import read
from faithkit.language.words import Segment, words
from faithkit.models.protocols import Floats
from faithkit.support.evidence import (
    FEATURES,
    GROUPS,
    HALVED,
    Alignment,
    Sentence,
    SourceWords,
    features,
    nearest_sentences,
    read_sentence,
    read_source,
    select_evidence,
    similarities,
    stem,
)

WIDTH = 64
AXES: dict[str, int] = {}


def vector(word: str, like: Mapping[str, tuple[str, float]]) -> Floats:
    """An axis for each different word; `like` says of which other word, and how much, it has."""

    def axis(name: str) -> Floats:
        return np.eye(WIDTH, dtype=np.float32)[AXES.setdefault(name, len(AXES)) % WIDTH]

    if word not in like:
        return axis(word)
    other, share = like[word]
    return np.float32(share) * axis(other) + np.float32(np.sqrt(1 - share**2)) * axis(word)


def sentence(
    text: str,
    start: int = 0,
    like: Mapping[str, tuple[str, float]] | None = None,
    rare: Mapping[str, float] | None = None,
) -> Sentence:
    """The sentence read from one token a word, with a special token on either side."""
    tokens = words(read(text).text)
    middle = [vector(token.text.lower(), like or {}) for token in tokens]
    odd = np.full(WIDTH, 9, dtype=np.float32)
    offsets = [(0, 0), *((token.start, token.end) for token in tokens), (0, 0)]
    rarity = [1.0, *((rare or {}).get(token.text.lower(), 0.5) for token in tokens), 1.0]
    found = read_sentence(
        Segment(start, start + len(text), text),
        np.stack([odd, *middle, odd]),
        np.array(offsets),
        np.array(rarity, dtype=np.float32),
    )
    assert found is not None
    return found


def source(*texts: str, like: Mapping[str, tuple[str, float]] | None = None) -> SourceWords:
    return read_source([sentence(text, like=like) for text in texts])


def shown(
    summary: str,
    *texts: str,
    limit: int = 3,
    like: Mapping[str, tuple[str, float]] | None = None,
    rare: Mapping[str, float] | None = None,
) -> dict[str, list[float]]:
    own, other = sentence(summary, like=like, rare=rare), source(*texts, like=like)
    found = features(own, other, select_evidence(own, other, limit))
    return {name: [round(float(value), 5) for value in column] for name, column in found.items()}


@pytest.fixture(autouse=True)
def fresh_axes() -> None:
    AXES.clear()


# --- words and stems -----------------------------------------------------------------------------


def test_a_sentence_is_taken_apart() -> None:
    found = sentence("The U.S. didn’t pay £1,200 to Zoë's shop.", start=100)
    assert found.lower == (
        "the", "u.s", "did", "not", "pay", "1200", "pounds", "to", "zoë's", "shop",
    )  # fmt: skip
    assert found.values == ("", "", "", "", "", "1200", "", "", "", "")
    assert found.stems[5] == "1200" and found.stems[8] == "zoë"
    # "did" and "n’t" of "didn’t", "1,200" and the "£" before it.
    places = [[100, 103], [104, 107], [109, 112], [112, 115], [121, 126], [120, 121], [136, 140]]
    assert found.offsets[[0, 1, 2, 3, 5, 6, 9]].tolist() == places
    assert (found.start, found.end) == (100, 141)
    assert np.flatnonzero(found.capital).tolist() == [0, 1, 8]
    assert np.flatnonzero(found.content).tolist() == [1, 4, 5, 6, 8, 9]
    assert np.flatnonzero(found.negation).tolist() == [3]
    # Three words on either side of the fourth.
    assert np.flatnonzero(found.near_negation).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert not found.near_hedge.any()


def test_a_hedge_bears_on_three_words_on_either_side() -> None:
    found = sentence("one two three four perhaps five six seven eight")
    assert found.near_hedge.tolist() == [False, *[True] * 7, False]
    assert not found.near_negation.any()


def test_a_word_of_several_tokens_has_their_mean_and_the_rarity_of_the_rarest() -> None:
    axes = np.eye(3, dtype=np.float32)
    found = read_sentence(
        Segment(0, 8, "unwell I"),
        axes[[2, 0, 1, 2, 2]],
        np.array([(0, 0), (0, 2), (2, 6), (7, 8), (0, 0)]),
        np.array([1.0, 0.2, 0.7, 0.1, 1.0], dtype=np.float32),
    )
    assert found is not None
    half = np.sqrt(0.5)
    assert found.vectors == pytest.approx(np.array([[half, half, 0], [0, 0, 1]]))
    assert found.rarity.tolist() == pytest.approx([0.7, 0.1])


def test_a_word_without_a_token_is_left_out_and_a_text_without_a_word_is_none() -> None:
    ones = np.ones((3, 2), dtype=np.float32)
    half = np.full(3, 0.5, dtype=np.float32)
    found = read_sentence(
        Segment(0, 9, "one x red"), ones, np.array([(0, 0), (0, 3), (6, 9)]), half
    )
    assert found is not None and found.lower == ("one", "red")
    assert found.vectors.shape == (2, 2) and found.offsets.tolist() == [[0, 3], [6, 9]]
    marks = np.array([(0, 0), (0, 3), (4, 5)])
    assert read_sentence(Segment(0, 5, "... !"), ones, marks, half) is None
    special = np.zeros((3, 2), dtype=np.int64)
    assert read_sentence(Segment(0, 3, "one"), ones, special, half) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("organised", "organized"),
        ("organisation", "organization"),
        ("colour", "color"),
        ("Anna's".lower(), "anna"),
        ("anna’s", "anna"),
        ("teachers'", "teacher"),
        ("houses", "house"),
        ("went", "going"),
        ("bought", "buys"),
    ],
)
def test_spelling_variants_and_endings_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("four", "for"), ("hour", "hor"), ("rise", "rize")])
def test_short_words_are_not_taken_for_spelling_variants(one: str, other: str) -> None:
    assert stem(one) != stem(other)


# --- the choice of evidence ----------------------------------------------------------------------


def chosen(summary: str, *texts: str, limit: int = 3, **rare: float) -> tuple[int, ...]:
    return select_evidence(sentence(summary, rare=rare), source(*texts), limit).chosen


def test_the_sentence_that_covers_most_comes_first_then_what_adds_most() -> None:
    texts = ("cat dog", "cat dog bird", "fish", "tree")
    assert chosen("cat dog bird fish", *texts) == (1, 2, 0)
    assert chosen("cat dog bird fish", *texts, limit=1) == (1,)
    # "cat dog" would cover two words, but they are covered.
    assert chosen("cat dog bird fish", *texts, limit=2) == (1, 2)


def test_a_rare_word_outweighs_common_ones() -> None:
    texts = ("cat dog", "bird")
    assert chosen("cat dog bird", *texts) == (0, 1)
    assert chosen("cat dog bird", *texts, cat=0.1, dog=0.1, bird=0.9) == (1, 0)


def test_of_equal_sentences_the_earlier_is_taken() -> None:
    assert chosen("cat dog", "tree", "dog", "cat", "dog") == (1, 2, 0)
    assert chosen("cat", "tree", "cat", "cat", "fish") == (1, 0, 2)
    assert chosen("cat", "tree", "fish") == (0, 1)


def test_an_alignment_says_where_the_evidence_stands() -> None:
    other = source("cat dog", "fish", "bird tree")
    laid = select_evidence(sentence("tree cat"), other, limit=2)
    assert laid.chosen == (0, 2)
    assert laid.words.tolist() == [0, 1, 3, 4]
    assert laid.cosine.tolist() == [[0, 0, 0, 0, 1], [1, 0, 0, 0, 0]]
    assert laid.by_sentence.tolist() == [[0, 0, 1], [1, 0, 0]]


def test_the_nearest_sentence_of_a_word_is_that_of_the_words_around_it() -> None:
    other = source("cat dog fish", "bird tree sun", "moon sun")
    laid = select_evidence(sentence("cat dog new bird tree sun"), other)
    best, nearness = nearest_sentences(sentence("cat dog new bird tree sun"), laid)
    assert best.tolist() == [0, 0, 1, 1, 1, 1]
    # Of "new" the neighbours' weights are 2 ** -(distance / 1.5); its own counts as nothing.
    kernel = [0.5 ** (distance / HALVED) for distance in (2, 1, 0, 1, 2, 3)]
    assert nearness[2] == pytest.approx(sum(kernel[3:]) / sum(kernel))
    assert ((nearness > 0) & (nearness <= 1)).all()


def test_the_nearest_sentence_of_one_word_and_of_equal_sentences_is_the_first() -> None:
    other = source("fish", "cat", "cat")
    best, nearness = nearest_sentences(sentence("cat"), select_evidence(sentence("cat"), other))
    assert (best.tolist(), nearness.tolist()) == ([1], [pytest.approx(1)])


# --- features ------------------------------------------------------------------------------------


def test_every_feature_by_hand() -> None:
    """One summary sentence against two source sentences; words have rarity 0.5, so all weigh the
    same. Source words: anna 0 reyes 1 bought 2 300 3 red 4 chairs 5 in 6 june 7 | bob 8 did 9
    not 10 sell 11 the 12 table 13."""
    found = shown(
        "Anna Reyes painted 300 chairs.",
        "Anna Reyes bought 300 red chairs in June.",
        "Bob did not sell the table.",
        like={"painted": ("sell", 0.8)},
    )
    expected = {
        "in_source": [1, 1, 0, 1, 1],
        "in_evidence": [1, 1, 0, 1, 1],
        "in_best": [1, 1, 0, 1, 1],
        "run": [0.25, 0.25, 0, 0.125, 0.125],
        "run_evidence": [0.25, 0.25, 0, 0.125, 0.125],
        "left_pair": [0, 1, 0, 0, 0],
        "right_pair": [1, 0, 0, 0, 0],
        "triple": [0, 0, 0, 0, 0],
        "left_content_pair": [1, 1, 0, 0, 0],
        "right_content_pair": [1, 0, 0, 0, 1],
        "cosine": [1, 1, 0.8, 1, 1],
        "cosine_evidence": [1, 1, 0.8, 1, 1],
        "cosine_best": [1, 1, 0, 1, 1],
        "cosine_second": [0, 0, 0, 0, 0],
        "cosine_other_words": [0, 0, 0.8, 0, 0],
        "cosine_left": [1, 1, 1, 0.8, 1],
        "cosine_right": [1, 0.8, 1, 1, 1],
        "number": [0, 0, 0, 1, 0],
        "number_known": [0, 0, 0, 1, 0],
        "number_in_context": [0, 0, 0, 1, 0],
        "number_conflict": [0, 0, 0, 0, 0],
        "synonym": [0, 0, 0, 0, 0],
        "antonym": [0, 0, 0, 0, 0],
        "capital": [1, 1, 0, 0, 0],
        "name_known": [1, 1, 0, 0, 0],
        "name_unknown": [0, 0, 0, 0, 0],
        "name_run_known": [1, 1, 0, 0, 0],
        "content": [1, 1, 1, 1, 1],
        "rarity": [0.5, 0.5, 0.5, 0.5, 0.5],
        "negation": [0, 0, 0, 0, 0],
        "negation_added": [0, 0, 0, 0, 0],
        "negation_lost": [0, 0, 1, 0, 0],
        "hedge_added": [0, 0, 0, 0, 0],
        "hedge_lost": [0, 0, 0, 0, 0],
        "sentence_negation": [1, 1, 1, 1, 1],
        # Partners: 0 1 11 3 5; content words before: own 0 1 11 3, after: 1 11 3 5 own.
        "before_same_sentence": [1, 1, 0, 0, 1],
        "before_in_order": [0, 1, 0, 0, 1],
        "before_distance": [0, 0.1, 1, 1, 0.2],
        "after_same_sentence": [1, 0, 0, 1, 1],
        "after_in_order": [1, 0, 0, 1, 0],
        "after_distance": [0.1, 1, 1, 0.2, 0],
        "partner_in_best": [1, 1, 0, 1, 1],
        "sentence_in_source": [0.8] * 5,
        "sentence_in_evidence": [0.8] * 5,
        "sentence_in_best": [0.8] * 5,
        "sentence_cosine": [0.96] * 5,
        "sentence_cosine_best": [0.8] * 5,
        "sentence_pairs": [0.25] * 5,
        "sentence_length": [round(5 / 60, 5)] * 5,
    }
    assert found == {name: pytest.approx(values) for name, values in expected.items()}
    assert tuple(expected) == FEATURES  # in their order, none forgotten here


def test_the_groups_hold_every_feature_once() -> None:
    assert len(set(FEATURES)) == len(FEATURES) == sum(map(len, GROUPS.values()))


def test_source_evidence_and_best_sentence_are_told_apart() -> None:
    found = shown("cat dog bird", "cat dog tree", "bird", limit=1)
    assert found["in_source"] == [1, 1, 1]
    assert found["in_evidence"] == found["in_best"] == [1, 1, 0]
    assert found["cosine"] == [1, 1, 1]
    assert found["cosine_evidence"] == found["cosine_best"] == [1, 1, 0]
    assert found["cosine_left"] == [1, 1, 1] and found["cosine_right"] == [1, 0, 0]
    assert found["run"] == [0.25, 0.25, 0.125] and found["run_evidence"] == [0.25, 0.25, 0]
    wide = shown("cat dog bird", "cat dog tree", "bird", limit=2)
    assert wide["in_evidence"] == [1, 1, 1] and wide["in_best"] == [1, 1, 0]
    assert wide["partner_in_best"] == [1, 1, 0]


def test_a_run_is_the_longest_stretch_of_equal_words_through_a_word() -> None:
    found = shown("x b c d b y", "a b c d e", "z d b")
    eighth = 1 / 8
    assert found["run"] == [0, 3 * eighth, 3 * eighth, 3 * eighth, 2 * eighth, 0]
    assert found["triple"] == [0, 1, 1, 1, 0, 0]
    assert found["left_pair"] == [0, 0, 1, 1, 1, 0]
    assert found["right_pair"] == [0, 1, 1, 1, 0, 0]
    assert found["sentence_pairs"] == [0.6] * 6
    long = " ".join(f"w{i}" for i in range(12))
    assert shown(long, long)["run"] == [1.0] * 12


def test_equal_words_are_equal_stems() -> None:
    assert shown("Houses organised", "house organizing")["in_source"] == [1, 1]


def test_content_pairs_look_past_stop_words_and_stay_in_a_sentence() -> None:
    found = shown("cat of the dog bird", "the cat and a dog", "bird")
    assert found["left_content_pair"] == [1, 1, 1, 1, 0]
    assert found["right_content_pair"] == [1, 1, 1, 0, 1]


def test_a_number_is_known_by_its_value_and_by_what_stands_around_it() -> None:
    text = "Lee paid 1,200 pounds and got four sheep last year"
    same = shown("paid 1200 pounds", text)
    assert same["number_known"] == same["number_in_context"] == [0, 1, 0]
    assert shown("4 sheep", text)["number_in_context"] == [1, 0]
    # Known, but of something else: no content word near both.
    moved = shown("year 1200", text)
    assert moved["number_known"] == [0, 1] and moved["number_in_context"] == [0, 0]
    other = shown("paid 1300 pounds", text)
    assert other["number"] == [0, 1, 0] and other["number_known"] == [0, 0, 0]
    assert other["number_conflict"] == [0, 1, 0]
    assert shown("paid 1300 pounds", "Lee paid pounds")["number_conflict"] == [0, 0, 0]


def test_a_number_conflicts_with_those_of_the_evidence_only() -> None:
    found = shown("cat dog 7", "cat dog", "bird 9", limit=1)
    assert found["number_conflict"] == [0, 0, 0]
    found = shown("cat dog 7", "cat dog", "bird 9", limit=2)
    assert found["number_conflict"] == [0, 0, 1]


def test_names_are_known_one_by_one_and_together() -> None:
    text = "Anna Lee met Bob Day"
    found = shown("Anna Lee left", text)
    assert found["name_known"] == found["name_run_known"] == [1, 1, 0]
    mixed = shown("Anna Day left", text)
    assert mixed["name_known"] == [1, 1, 0] and mixed["name_run_known"] == [0, 0, 0]
    strange = shown("Anna Cole left The Lee", text)
    assert strange["name_unknown"] == [0, 1, 0, 0, 0]
    assert strange["name_run_known"] == [0, 0, 0, 0, 1]
    assert strange["capital"] == [1, 1, 0, 1, 1]  # "The" is written so and is no name
    assert strange["name_known"] == [1, 0, 0, 0, 1]


def test_a_word_has_the_case_that_the_source_gives_it() -> None:
    text = "When Anna met the Mayor, the mayor waved and the mayor left"
    found = shown("anna Met The Mayor of york", text)
    # "mayor" is mostly small in the source, "met" always; "of" and "york" it does not have.
    assert found["capital"] == [1, 0, 0, 0, 0, 0]
    assert found["name_known"] == [1, 0, 0, 0, 0, 0]
    # Nothing is said by the capital at the start of a sentence of the source.
    assert shown("Cats sleep", "Cats sleep")["capital"] == [1, 0]


def test_in_a_headline_capitals_make_no_names() -> None:
    text = "Crews fought a blaze in Leeds"
    found = shown("Firefighters Battle Fierce Blaze in Leeds", text)
    assert found["capital"] == found["name_known"] == [0, 0, 0, 0, 0, 1]
    assert found["name_unknown"] == [0] * 6
    # One longer word in small letters, or fewer than four such words, and capitals mean names.
    assert shown("Firefighters Battle Fierce blaze in Leeds", text)["name_unknown"][:3] == [1] * 3
    assert shown("Anna Cole left", text)["name_unknown"] == [1, 1, 0]
    # Figures and short words have no say.
    assert shown("Fire Kills Nine Pets at 12 Inns", text)["name_unknown"] == [0] * 7


def near(
    summary: str,
    *texts: str,
    like: Mapping[str, tuple[str, float]] | None = None,
    cosine: str = "cosine",
) -> Any:
    own, other = sentence(summary, like=like), source(*texts, like=like)
    found = similarities(features(own, other, select_evidence(own, other)), cosine)
    return pytest.approx(found.tolist(), abs=1e-6)


def test_a_name_or_number_that_the_source_lacks_resembles_nothing() -> None:
    like = {"paris": ("london", 0.8), "13": ("12", 0.9), "town": ("city", 0.7)}
    text = "In London 12 people like the city."
    assert near("in London 12 like the town", text, like=like) == [1, 1, 1, 1, 1, 0.7]
    assert near("in Paris 13 like the town", text, like=like) == [1, 0, 0, 1, 1, 0.7]
    assert near("in paris", text, like=like) == [1, 0.8]  # in small letters it is no name


@pytest.mark.parametrize(
    ("summary", "text", "known"),
    [
        ("on 3 February", "on February 3", True),
        ("on 3 February", "on 4 February and 3 March", False),
        ("on 3 February", "on the 3rd", True),
        ("on the 23rd", "on 23 February", True),
        ("2.5m people", "2,500,000 people", True),
        ("2.5m people", "2.5bn people", False),
        ("£3", "three pounds", True),
    ],
)
def test_a_number_is_known_by_what_it_is_worth(summary: str, text: str, known: bool) -> None:
    found = shown(summary, text)
    assert sum(found["number"]) == 1
    assert sum(found["number_known"]) == float(known)


def test_the_evidence_may_lack_what_the_source_has() -> None:
    """Four words, one a sentence: three are chosen, the fourth is no evidence."""
    texts = ["cat", "dog", "bird", "cow"]
    assert near("cat dog bird cow", *texts) == [1, 1, 1, 1]
    assert near("cat dog bird cow", *texts, cosine="cosine_evidence") == [1, 1, 1, 0]


def test_a_content_word_negated_on_one_side_only_counts_half() -> None:
    assert near("mayor never resigned", "the mayor has resigned") == [0.5, 0, 0.5]
    assert near("the mayor resigned", "the mayor never resigned") == [1, 0.5, 0.5]
    assert near("the mayor never resigned", "the mayor never resigned") == [1, 1, 1, 1]


def test_a_synonym_is_near_and_an_antonym_is_not() -> None:
    like = {"purchased": ("bought", 0.6), "falling": ("rising", 0.9), "won": ("lost", 0.9)}
    found = shown("Anna purchased falling flats", "Anna bought rising flats", like=like)
    assert found["synonym"] == [0, 1, 0, 0]
    assert found["antonym"] == [0, 0, 1, 0]
    assert near("purchased falling", "bought rising", like=like) == [0.8, 0.45]
    # Negated on one side only, an antonym says the same.
    assert near("Anna never won", "Anna lost", like=like) == [0.5, 0, 0.9]
    # What the evidence has itself is neither.
    assert shown("won", "Anna won and Ben lost")["antonym"] == [0]


def test_negation_and_hedge_are_compared_with_those_of_the_partner() -> None:
    lost = shown("the mayor resigned", "the mayor never resigned")
    assert lost["negation_lost"] == [1, 1, 1] and lost["negation_added"] == [0, 0, 0]
    added = shown("the mayor never resigned", "the mayor resigned")
    assert added["negation_added"] == [1, 1, 1, 1] and added["negation"] == [0, 0, 1, 0]
    assert added["sentence_negation"] == [1] * 4
    both = shown("the mayor never resigned", "the mayor has not resigned")
    assert both["negation_added"] == both["negation_lost"] == both["sentence_negation"] == [0] * 4
    sure = shown("the mayor resigned", "the mayor reportedly resigned")
    assert sure["hedge_lost"] == [1, 1, 1] and sure["negation_lost"] == [0, 0, 0]
    unsure = shown("the mayor reportedly resigned", "the mayor resigned")
    assert unsure["hedge_added"] == [1, 1, 1, 1]


def test_a_negation_far_from_the_partner_is_not_its_own() -> None:
    found = shown("cat dog", "cat dog w1 w2 w3 w4 not")
    assert found["negation_lost"] == [0, 0]
    assert found["sentence_negation"] == [1, 1]


def test_a_partner_is_the_same_word_before_a_nearer_vector() -> None:
    like = {"dogs": ("wolf", 0.9)}  # the stem of "dogs" is "dog", its vector is nearer to "wolf"
    found = shown("dogs", "wolf", "dog", like=like)
    assert found["partner_in_best"] == [0]  # best covers by vector: "wolf"
    assert found["cosine_best"] == pytest.approx([0.9])
    assert found["cosine_other_words"] == pytest.approx([0.9])


def test_neighbours_are_content_words_and_their_order_shows() -> None:
    found = shown("dog of cat", "cat saw the dog")
    # Partners: dog 3, of: nothing alike (0), cat 0.
    assert found["before_in_order"] == [0, 0, 0] and found["after_in_order"][0] == 0
    assert found["before_same_sentence"] == [1, 1, 1]
    assert found["before_distance"] == pytest.approx([0, 0.3, 0.3])
    assert found["after_distance"] == pytest.approx([0.3, 0, 0])


def test_a_partner_far_away_in_the_sentence_is_not_near() -> None:
    between = " ".join(f"w{i}" for i in range(25))
    found = shown("cat dog", f"cat {between} dog")
    assert found["after_same_sentence"] == [1, 1]
    assert found["after_in_order"] == [0, 0]
    assert found["after_distance"] == [1, 0]


def test_one_word_against_one_word() -> None:
    same, other = shown("cat", "Cat"), shown("cat", "dog")
    assert all(len(column) == 1 for column in (*same.values(), *other.values()))
    assert same["sentence_pairs"] == [1] and same["left_content_pair"] == [1]
    assert same["run"] == [0.125] and same["cosine"] == same["cosine_second"] == [1]
    assert same["cosine_left"] == same["cosine_right"] == [1]
    assert same["cosine_other_words"] == [-1]  # there is no other word
    assert (other["in_source"], other["cosine"], other["run"]) == ([0], [0], [0])


def test_a_summary_of_unknown_words_only() -> None:
    found = shown("cat dog bird", "tree fish", "stone")
    for name in GROUPS["match"]:
        if "content" not in name:
            assert found[name] == [0, 0, 0], name
    assert found["left_content_pair"] == [1, 0, 0] and found["right_content_pair"] == [0, 0, 1]
    assert found["sentence_in_source"] == found["sentence_cosine"] == [0, 0, 0]


def test_weights_of_the_sentence_follow_rarity() -> None:
    found = shown("cat dog", "cat", rare={"cat": 0.95, "dog": 0.2})
    assert found["sentence_in_source"] == pytest.approx([0.8, 0.8])  # 1.0 of 1.25


# --- properties ----------------------------------------------------------------------------------

VOCABULARY = (
    "cat dogs Anna Lee not never might perhaps the of 4 four 1,200 2.5% don't U.S. - . £3m Zoë’s "
    "organised colour 漢字 _ x"
)
texts_of_words = st.lists(st.sampled_from(VOCABULARY.split()), min_size=1, max_size=9).map(" ".join)


def random_sentence(text: str, rng: np.random.Generator) -> Sentence | None:
    tokens = words(text)
    vectors = rng.normal(size=(len(tokens) + 2, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    offsets = np.array([(0, 0), *((token.start, token.end) for token in tokens), (0, 0)])
    rarity = rng.random(len(tokens) + 2, dtype=np.float32)
    return read_sentence(Segment(0, len(text), text), vectors, offsets, rarity)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(texts_of_words, st.lists(texts_of_words, min_size=1, max_size=5), st.integers(0, 1000))
def test_features_are_one_finite_number_a_word_within_their_range(
    summary: str, texts: Sequence[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    own = random_sentence(summary, rng)
    others = [one for one in (random_sentence(text, rng) for text in texts) if one is not None]
    if own is None or not others:
        return
    read = read_source(others)
    laid = select_evidence(own, read)
    assert len(laid.chosen) == min(3, len(others)) == len(set(laid.chosen))
    found = features(own, read, laid)
    assert tuple(found) == FEATURES
    for name, column in found.items():
        assert column.shape == (len(own.stems),) and column.dtype == np.float32, name
        assert np.isfinite(column).all(), name
        low = -1 if "cosine" in name else 0
        assert (column >= low - 1e-5).all() and (column <= 1 + 1e-5).all(), name


@settings(max_examples=60, deadline=None)
@given(texts_of_words, st.lists(texts_of_words, max_size=3), st.integers(0, 1000))
def test_a_sentence_of_the_source_matches_itself(
    text: str, others: Sequence[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    own = random_sentence(text, rng)
    if own is None:
        return
    rest = [one for one in (random_sentence(other, rng) for other in others) if one is not None]
    read = read_source([*rest, own])
    found = features(own, read, select_evidence(own, read))
    count = len(own.stems)
    assert found["in_source"].all() and found["in_evidence"].all() and found["in_best"].all()
    assert found["cosine_best"] == pytest.approx(np.ones(count), abs=1e-5)
    assert (found["run"] >= min(count, 8) / 8).all()
    assert found["left_content_pair"].all() and found["right_content_pair"].all()
    assert not found["number_conflict"].any() and not found["name_unknown"].any()


def longest_run(own: Sequence[str], other: Sequence[str], place: int) -> int:
    """By trying every stretch of the summary around the place."""
    found = 0
    for start in range(place + 1):
        for end in range(place + 1, len(own) + 1):
            piece = list(own[start:end])
            if any(list(other[i : i + len(piece)]) == piece for i in range(len(other))):
                found = max(found, end - start)
    return found


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=7),
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=12),
)
def test_runs_are_those_found_by_trying(own: Sequence[str], other: Sequence[str]) -> None:
    found = shown(" ".join(own), " ".join(other))
    expected = [longest_run(own, other, place) for place in range(len(own))]
    assert found["run"] == [value / 8 for value in expected]
    assert found["triple"] == [float(value >= 3) for value in expected]


@settings(max_examples=60, deadline=None)
@given(texts_of_words, st.lists(texts_of_words, min_size=1, max_size=6), st.integers(0, 1000))
def test_the_choice_is_greedy(summary: str, texts: Sequence[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    own = random_sentence(summary, rng)
    others = [one for one in (random_sentence(text, rng) for text in texts) if one is not None]
    if own is None or not others:
        return
    laid: Alignment = select_evidence(own, read_source(others))
    best = np.stack([(own.vectors @ one.vectors.T).max(axis=1) for one in others])
    weights = own.rarity + 0.05
    covered = np.zeros(len(own.stems))
    left = list(range(len(others)))
    for taken in laid.chosen:
        gains = {i: float(weights @ np.maximum(best[i], covered)) for i in left}
        assert gains[taken] >= max(gains.values()) - 1.1e-4
        covered = np.maximum(covered, best[taken])
        left.remove(taken)
