"""ROUGE, BLEU, METEOR against the packages whose numbers they must be; novelty by hand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.paths import EXAMPLES

from faithkit import Example, Outcome
from faithkit.metrics.novelty import Novelty, fragments, ngrams, novel_share
from faithkit.metrics.overlap import Bleu, Meteor, Rouge1, Rouge2, RougeL


@pytest.fixture(scope="module")
def pairs() -> list[Example]:
    lines = (EXAMPLES / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Example(row["id"], row["source"], row["summary"]) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("metric", [Rouge1, Rouge2, RougeL])
@pytest.mark.parametrize("stem", [False, True])
def test_rouge_equals_rouge_score(pairs: list[Example], metric: type[Rouge1], stem: bool) -> None:
    """rouge-score 0.1.2 with the source as the target."""
    from rouge_score.rouge_scorer import RougeScorer

    theirs = RougeScorer([metric.name], use_stemmer=stem)
    for example, score in zip(pairs, metric(stem=stem).score(pairs), strict=True):
        found = theirs.score(example.source, example.summary)[metric.name]
        assert score.value == found.fmeasure
        assert score.parts == {
            "precision": found.precision,
            "recall": found.recall,
            "f1": found.fmeasure,
        }


def test_bleu_by_nltk_equals_nltk(pairs: list[Example]) -> None:
    """NLTK's sentence_bleu with smoothing method 4 on white-space words, as evaluate.py of
    facebookresearch/lss_eval (ddfce7f) calls it, the source as the reference."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    for example, score in zip(pairs, Bleu("nltk").score(pairs), strict=True):
        expected = sentence_bleu(
            [example.source.split()],
            example.summary.split(),
            smoothing_function=SmoothingFunction().method4,
        )
        assert score.value == pytest.approx(expected)
        assert 0 <= score.parts["precision_4"] <= 1


def test_bleu_equals_sacrebleu(pairs: list[Example]) -> None:
    """sacreBLEU's sentence_bleu with the source as the reference, over 100."""
    import sacrebleu

    for example, score in zip(pairs, Bleu().score(pairs), strict=True):
        theirs = sacrebleu.sentence_bleu(example.summary, [example.source])
        assert score.value == pytest.approx(theirs.score / 100, abs=1e-12)
        assert score.parts["precision_2"] == pytest.approx(theirs.precisions[1] / 100)
        assert score.parts["brevity_penalty"] == theirs.bp


def test_meteor_by_hand() -> None:
    """Summary 'the cats sat', source 'the cat sat down': stems match all three words in order, one
    chunk. P = 1, R = 3/4, F = PR / (.9 P + .1 R) = .75 / .975, penalty .5 (1/3)^3."""
    (score,) = Meteor().score([Example("x", "the cat sat down", "the cats sat")])
    expected = (0.75 / (0.9 * 1 + 0.1 * 0.75)) * (1 - 0.5 * (1 / 3) ** 3)
    assert score.value == pytest.approx(expected)


def test_meteor_tells_letters_outside_a_to_z_apart() -> None:
    """One of three words does not match, and breaks the match into two chunks."""
    (score,) = Meteor().score([Example("x", "Anna Müller spoke.", "Anna Möller spoke.")])
    assert score.value == pytest.approx(2 / 3 * (1 - 0.5 * (2 / 2) ** 3))
    (cyrillic,) = Meteor().score([Example("x", "Анна говорила", "Анна говорила!")])
    assert cyrillic.value == pytest.approx(1 - 0.5 * (1 / 2) ** 3)


def test_meteor_compares_words_in_any_form_of_accents_and_apostrophes() -> None:
    (score,) = Meteor().score([Example("x", "Zoë didn't go", "Zoe\u0308 didn’t go")])
    assert score.value == pytest.approx(1 - 0.5 * (1 / 3) ** 3)


def test_measure_chooses_the_part(pairs: list[Example]) -> None:
    (score,) = Rouge2(measure="precision").score(pairs[:1])
    assert score.value == score.parts["precision"] != score.parts["f1"]


@pytest.mark.parametrize("metric", [Rouge2, Meteor, Novelty])
def test_text_without_a_word_is_no_content(metric: type[Rouge2]) -> None:
    (score,) = metric().score([Example("x", "Some words.", "?! …")])
    assert (score.value, score.outcome) == (None, Outcome.NO_CONTENT)


def test_novel_share_by_hand() -> None:
    source, summary = ["a", "b", "c", "d"], ["a", "b", "d", "c"]
    assert novel_share(summary, source, 1) == 0
    assert novel_share(summary, source, 2) == pytest.approx(2 / 3)
    assert novel_share(["a"], source, 2) is None


def test_fragments_by_hand() -> None:
    source = ["the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "slept"]
    assert fragments(["the", "cat", "slept", "on", "the", "mat"], source) == [3, 3]
    assert fragments(["dogs", "bark"], source) == []
    assert fragments(["the", "dog", "and", "the", "cat"], source) == [1, 3]


def naive_fragments(summary: list[str], source: list[str]) -> list[int]:
    lengths, i = [], 0
    while i < len(summary):
        best = 0
        for j in range(len(source)):
            k = 0
            while i + k < len(summary) and j + k < len(source) and summary[i + k] == source[j + k]:
                k += 1
            best = max(best, k)
        if best:
            lengths.append(best)
        i += max(best, 1)
    return lengths


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=20))
def test_fragments_equal_the_naive_search(summary: list[str], source: list[str]) -> None:
    assert fragments(summary, source) == naive_fragments(summary, source)


@given(st.lists(st.sampled_from("abcd"), max_size=9), st.integers(1, 4))
def test_there_are_length_minus_n_plus_one_ngrams(words: list[str], n: int) -> None:
    assert len(ngrams(words, n)) == max(0, len(words) - n + 1)


def test_novelty_by_hand() -> None:
    source = "The cat sat on the mat. It slept."
    (score,) = Novelty().score([Example("x", source, "The cat sat. It purred.")])
    # Pairs: the cat, cat sat, sat it*, it purred* (* novel); words: 4 of 5 known.
    assert score.value == pytest.approx(0.5)
    assert score.parts["novel_1gram"] == pytest.approx(0.2)
    assert score.parts["novel_sentence"] == pytest.approx(0.5)
    assert score.parts["coverage"] == pytest.approx(4 / 5)
    assert score.parts["density"] == pytest.approx((3**2 + 1) / 5)
    assert score.parts["conciseness"] == pytest.approx(8 / 5)
    assert [(span.start, span.end, span.label) for span in score.spans] == [(16, 22, "novel")]


DECOMPOSED = "Cafe\u0301 Noe\u0308l doesn't open"
COMPOSED = "Café Noël doesn’t open"


@pytest.mark.parametrize("source", [DECOMPOSED, COMPOSED])
@pytest.mark.parametrize("summary", [DECOMPOSED, COMPOSED])
def test_novelty_compares_words_in_any_form_of_accents_and_apostrophes(
    source: str, summary: str
) -> None:
    (score,) = Novelty().score([Example("x", f"{source}.", f"{summary} résumés.")])
    # 4 of 5 words and 3 of 4 pairs are the source's.
    assert score.value == pytest.approx(3 / 4)
    assert score.parts["novel_1gram"] == pytest.approx(1 / 5)
    (span,) = score.spans
    assert f"{summary} résumés."[span.start : span.end] == "résumés"


def test_novel_words_are_marked_with_their_accents() -> None:
    summary = "Le cafe\u0301 et l’e\u0301te\u0301."
    (score,) = Novelty().score([Example("x", "Le cafe et l'ete.", summary)])
    marked = [summary[span.start : span.end] for span in score.spans]
    assert marked == ["cafe\u0301", "l’e\u0301te\u0301"]


def test_novelty_tells_other_letters_and_marks_apart() -> None:
    (score,) = Novelty().score([Example("x", "its resume", "it's résumé")])
    assert (score.value, score.parts["novel_1gram"]) == (0, 1)
