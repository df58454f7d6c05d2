"""Align and score, its similarities, and the metrics built on it: sentsim, ner, ner_overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from faithkit import Example, Outcome, models
from faithkit.metrics.align import (
    Normalise,
    Similarities,
    align,
    bertscore_f1,
    exact,
    f1,
    normalised,
    token_f1,
)
from faithkit.metrics.facts import Ner, NerOverlap
from faithkit.metrics.options import options_of
from faithkit.metrics.sentsim import SentSim
from faithkit.metrics.spec import MetricSpec
from faithkit.models.runtime import Runtime


class LetterEmbedder:
    """Counts of the letters a, b, c as a unit vector: cosines that can be worked out by hand."""

    id = "letters@0"

    def embed(self, texts: Sequence[str]) -> Any:
        counts = np.array([[text.lower().count(letter) for letter in "abc"] for text in texts])
        norms = np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)
        return (counts / norms).astype(np.float32)


def test_align_by_hand() -> None:
    found = align(np.array([[0.2, 0.9, 0.1], [0.5, 0.4, 0.5]], dtype=np.float32))
    assert found.best_source == (1, 0)
    assert found.similarity == pytest.approx((0.9, 0.5))
    assert found.precision == pytest.approx(0.7)
    assert found.recall == pytest.approx((0.5 + 0.9 + 0.5) / 3)
    assert found.f1 == pytest.approx(2 * 0.7 * (1.9 / 3) / (0.7 + 1.9 / 3))


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_f1_of_cosines_stays_between_0_and_1(precision: float, recall: float) -> None:
    assert 0 <= f1(precision, recall) <= 1
    if min(precision, recall) > 1e-3:
        assert f1(precision, recall) == pytest.approx(2 / (1 / precision + 1 / recall))


def test_align_refuses_an_empty_side() -> None:
    with pytest.raises(ValueError, match="items on both sides"):
        align(np.zeros((0, 3), dtype=np.float32))


matrices = arrays(
    np.float32,
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    elements=st.floats(-1, 1, width=32),
)


@given(matrices)
def test_align_turned_round_swaps_precision_and_recall(matrix: Any) -> None:
    found, turned = align(matrix), align(matrix.T)
    assert found.precision == pytest.approx(turned.recall, abs=1e-6)
    assert found.recall == pytest.approx(turned.precision, abs=1e-6)


@given(matrices, st.randoms(use_true_random=False))
def test_align_does_not_depend_on_the_order_of_the_source(matrix: Any, random: Any) -> None:
    order = list(range(matrix.shape[1]))
    random.shuffle(order)
    assert align(matrix).precision == pytest.approx(align(matrix[:, order]).precision, abs=1e-6)


@given(matrices)
def test_another_source_item_never_lowers_precision(matrix: Any) -> None:
    assert align(matrix).precision >= align(matrix[:, :1]).precision - 1e-6


def test_exact_ignores_case_and_spacing() -> None:
    assert exact(["New  York"], ["new york", "york"]).tolist() == [[1.0, 0.0]]


def test_token_f1_by_hand() -> None:
    # {the, red, car} against {the, car, stopped, here}: 2 shared of 3 and 4 words.
    assert token_f1(["The red car!"], ["the car stopped here"])[0, 0] == pytest.approx(4 / 7)
    assert token_f1(["a a b"], ["a c"])[0, 0] == pytest.approx(2 / 5)
    assert token_f1(["%"], ["%"])[0, 0] == 1.0


# What normalize_text of bigabig/faithfulness (utils/utils.py at 2072cf1) makes of these texts.
SQUAD = {
    "The  U.S. President, an old man!": "us president old man",
    "15-year-old": "15yearold",
    "the": "",
    "O\u2019Neil\u2019s a-team": "o\u2019neil\u2019s ateam",
}


@pytest.mark.parametrize("text", list(SQUAD))
def test_squad_normaliser_deletes_punctuation_and_articles(text: str) -> None:
    assert normalised(text, "squad") == SQUAD[text]


def test_normalisers_by_hand() -> None:
    assert normalised("The  U.S. President!", "words") == "u s president"
    assert normalised("The  U.S. President!", "none") == "The  U.S. President!"


def test_token_f1_drops_articles_and_punctuation_with_the_option() -> None:
    def one(how: Normalise) -> list[float]:
        sides = ["the red U.S. house"], ["a red US house", "house", "the"]
        return [round(float(number), 4) for number in token_f1(*sides, how)[0]]

    # Three words of "us red house": all in the first; one in the second; none against nothing.
    assert one("squad") == [1.0, 0.5, 0.0]
    # the, red, U.S., house: two of four and four; one of four and one; one of four and one.
    assert one("none") == [0.5, 0.4, 0.4]


def test_two_texts_of_articles_alone_are_the_same_as_in_squad() -> None:
    assert token_f1(["the"], ["an"], "squad")[0, 0] == 1.0
    assert token_f1(["the"], ["cat"], "squad")[0, 0] == 0.0


def test_exact_match_compares_what_is_left() -> None:
    assert exact(["The U.S."], ["US"], "squad")[0, 0] == 1.0
    assert exact(["The U.S."], ["US"])[0, 0] == 0.0


def test_sentsim_normalises() -> None:
    example = Example("x", "The cat sat.", "A cat sat!")
    plain, squad = (
        SentSim(similarity="f1", normalise=how).score([example])[0] for how in ("none", "squad")
    )
    assert plain.value == pytest.approx(2 / 3)
    assert squad.value == pytest.approx(1.0)


def test_bertscore_f1_by_hand() -> None:
    left = [np.array([[1, 0], [0, 1]], dtype=np.float32)]
    right = [
        np.array([[1, 0]], dtype=np.float32),
        np.zeros((0, 2), dtype=np.float32),
        np.array([[0.6, 0.8]], dtype=np.float32),
    ]
    # First: P = (1 + 0) / 2, R = 1, F = 2/3. Third: P = (.6 + .8) / 2, R = .8.
    expected = [2 / 3, 0.0, 2 * 0.7 * 0.8 / 1.5]
    assert bertscore_f1(left, right)[0].tolist() == pytest.approx(expected)


def test_bertscore_f1_of_opposed_vectors_stays_between_0_and_1() -> None:
    angles = np.linspace(0, 2 * np.pi, 40)
    texts = [np.array([[np.cos(a), np.sin(a)], [1.0, 0.0]], dtype=np.float32) for a in angles]
    found = bertscore_f1(texts, [one[:1] for one in texts])
    assert found.min() >= 0 and found.max() <= 1 + 1e-6


def test_a_similarity_that_needs_a_model_says_so() -> None:
    with pytest.raises(TypeError, match="cosine"):
        Similarities("cosine", None)
    with pytest.raises(TypeError, match="bertscore"):
        Similarities("bertscore", LetterEmbedder())


def test_sentsim_by_hand_with_its_alignment() -> None:
    source, summary = "Aaa. Bbb. Ccc bbb.", "Bb. Aab."
    (score,) = SentSim(LetterEmbedder()).score([Example("x", source, summary)])
    # 'Bb' is 'Bbb'; 'Aab' is (2,1)/sqrt5 against (1,0): 2/sqrt5.
    assert score.value == pytest.approx((1 + 2 / 5**0.5) / 2)
    aligned = [source[item.start : item.end] for item in score.evidence]
    assert aligned == ["Bbb.", "Aaa."]
    assert score.coverage.source_sentences == 3


def test_sentsim_marks_a_sentence_without_a_match() -> None:
    summary = "Bb\n\nCc"
    (score,) = SentSim(LetterEmbedder()).score([Example("x", "Bbb", summary)])
    assert [summary[span.start : span.end] for span in score.spans] == ["Cc"]


@pytest.mark.parametrize("summary", ["?!", "…", "👍"])
def test_sentsim_of_a_summary_without_a_word_is_no_claims(summary: str) -> None:
    (score,) = SentSim(similarity="f1").score([Example("x", "Two schools open.", summary)])
    assert (score.value, score.outcome) == (None, Outcome.NO_CLAIMS)


SOURCE = "Maria Silva moved from Lisbon to Berlin in 2019. She earned $4 million at Siemens."


def test_ner_matches_within_the_label() -> None:
    summary = "Maria Silva left Lisbon in 2021."
    (score,) = Ner(similarity="exact").score([Example("x", SOURCE, summary)])
    assert score.outcome is Outcome.OK
    assert score.value == pytest.approx(2 / 3)
    assert [summary[span.start : span.end] for span in score.spans] == ["2021"]
    assert score.parts["summary_entities"] == 3


def test_ner_with_token_f1_gives_part_of_the_credit() -> None:
    # 'Silva' against 'Maria Silva' and 'May 2019' against '2019': F1 2/3 each; 'Lisbon': 1.
    example = Example("x", SOURCE, "Mr Silva went to Lisbon in May 2019.")
    (exactly,) = Ner(similarity="exact").score([example])
    (partly,) = Ner(similarity="f1").score([example])
    assert exactly.value == pytest.approx(1 / 3)
    assert partly.value == pytest.approx((2 / 3 + 1 + 2 / 3) / 3)


# Three labels of the summary, two of them in the source: GPE Berlin, Lisbon (1), Paris (0); DATE
# 2019 (1); PERCENT, which the source lacks.
GROUPS = Example("x", SOURCE, "Berlin, Paris and Lisbon grew by 5 percent in 2019.")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (1 + 0 + 1 + 1 + 0) / 5),
        ({"absent": "skip"}, (1 + 0 + 1 + 1) / 4),
        ({"mean": "labels"}, ((1 + 0 + 1) / 3 + 1 + 0) / 3),
        ({"absent": "skip", "mean": "labels"}, ((1 + 0 + 1) / 3 + 1) / 2),
    ],
)
def test_ner_with_and_without_labels_that_the_source_lacks(
    options: dict[str, str], expected: float
) -> None:
    (score,) = Ner(similarity="exact", **options).score([GROUPS])
    assert score.value == pytest.approx(expected)


def test_ner_by_the_preset_as_the_authors_code() -> None:
    # bigabig/faithfulness, NER.py at d36a677: align_and_score per common label, then the mean of
    # each of the three; 1 without a common label. GPE: P 2/3, R 1, F .8; DATE: all 1.
    options = options_of(MetricSpec.parse("ner:preset=paper"), Ner).typed
    (score,) = Ner(**options).score([GROUPS])
    assert score.value == pytest.approx((2 / 3 + 1) / 2)
    assert score.parts["recall"] == pytest.approx(1.0)
    assert score.parts["f1"] == pytest.approx((0.8 + 1) / 2)
    (none,) = Ner(**options).score([Example("x", SOURCE, "It cost 5 percent.")])
    assert (none.value, none.outcome) == (1.0, Outcome.NO_CONTENT)


@pytest.mark.parametrize(
    ("summary", "outcome"),
    [("she moved there later", Outcome.NO_CLAIMS), ("It cost 5 percent.", Outcome.NO_CONTENT)],
)
def test_ner_degenerate_cases_are_outcomes_with_an_optional_default(
    summary: str, outcome: Outcome
) -> None:
    example = Example("x", SOURCE, summary)
    (plain,) = Ner().score([example])
    (filled,) = Ner(default=0.0).score([example])
    assert (plain.value, plain.outcome) == (None, outcome)
    assert (filled.value, filled.outcome) == (0.0, outcome)


def test_ner_does_not_mark_an_entity_that_the_source_names_under_another_label() -> None:
    (score,) = Ner().score([Example("x", "The Amazon is long.", "Amazon hired Maria Silva.")])
    marked = ["Amazon hired Maria Silva."[span.start : span.end] for span in score.spans]
    assert "Amazon" not in marked and "Maria Silva" in marked


def test_ner_overlap_by_hand() -> None:
    summary = "Maria Silva moved to Paris in 2019."
    (score,) = NerOverlap().score([Example("x", SOURCE, summary)])
    assert score.value == pytest.approx(2 / 3)
    assert [summary[span.start : span.end] for span in score.spans] == ["Paris"]


@pytest.mark.verify
def test_embeddings_are_those_of_sentence_transformers() -> None:
    """sentence-transformers, the same weights (all-MiniLM-L6-v2)."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    from faithkit.models import pulling, store

    texts = ["The council voted.", "A much longer sentence about ships, sails and the sea.", "No"]
    theirs = sentence_transformers.SentenceTransformer(
        str(pulling.ensure(store.get("mini"))), device="cpu"
    ).encode(texts, normalize_embeddings=True)
    ours = models.load("embed:mini", Runtime("cpu", offline=True)).embed(texts)
    assert np.abs(ours - theirs).max() < 1e-5


def test_ner_marks_a_number_that_the_source_does_not_have() -> None:
    summary = "She earned $6 million, two thousand more than in 2019."
    (score,) = Ner().score([Example("x", SOURCE, summary)])
    marked = [summary[span.start : span.end] for span in score.spans]
    # "$6 million" is half like "$4 million", so only its number is marked.
    assert marked == ["6", "two thousand"]
