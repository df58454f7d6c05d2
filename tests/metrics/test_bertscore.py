"""BERTScore against the bert-score package and by hand."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.helpers.paths import EXAMPLES

from faithkit import ConfigError, Example, Outcome, models
from faithkit.language.words import Segment
from faithkit.metrics.bertscore import BertScore, Tokens, match, rescale
from faithkit.models import pulling, store
from faithkit.models.protocols import TokenStates
from faithkit.models.runtime import Runtime


def tokens(vectors: Any, weights: Any = None, starts: tuple[int, ...] = (0,)) -> Tokens:
    array = np.asarray(vectors, dtype=np.float32)
    offsets = np.array([[2 * i, 2 * i + 1] for i in range(len(array))])
    weight = np.ones(len(array)) if weights is None else np.asarray(weights)
    pieces = tuple(Segment(2 * start, 2 * start + 1, "x") for start in starts)
    return Tokens(array, offsets, weight.astype(np.float32), starts, pieces, 0)


def pairs(most: int) -> list[Example]:
    rows = [json.loads(line) for line in (EXAMPLES / "pairs.jsonl").read_text().splitlines()]
    return [Example(row["id"], row["source"], row["summary"]) for row in rows[:most]]


@pytest.fixture(scope="module")
def mini() -> Any:
    return models.load("tokens:mini", Runtime("cpu", offline=True))


def test_match_by_hand() -> None:
    # Summary tokens: (1,0) and (0,1). Source tokens: (1,0), (0.6,0.8), (-1,0).
    # Best for (1,0) is 1, for (0,1) is 0.8: precision 0.9. Best for the source tokens: 1, 0.8 and
    # max(-1, 0) = 0: recall 0.6.
    found = match(tokens([[1, 0], [0, 1]]), tokens([[1, 0], [0.6, 0.8], [-1, 0]]))
    assert found.precision == pytest.approx(0.9)
    assert found.recall == pytest.approx(0.6)
    assert found.best_token.tolist() == [0, 1]


def test_match_weighs_tokens_by_idf() -> None:
    found = match(tokens([[1, 0], [0, 1]], weights=[3, 1]), tokens([[1, 0]]))
    assert found.precision == pytest.approx((3 * 1 + 1 * 0) / 4)


def test_match_knows_the_best_token_of_each_source_sentence() -> None:
    found = match(tokens([[1, 0]]), tokens([[0, 1], [0.6, 0.8], [1, 0]], starts=(0, 2)))
    assert found.by_sentence.tolist() == [[pytest.approx(0.6), pytest.approx(1.0)]]


@given(
    arrays(np.float32, (5, 3), elements=st.floats(-1, 1, width=32)),
    arrays(np.float32, (7, 3), elements=st.floats(-1, 1, width=32)),
)
def test_match_is_bounded_and_symmetric(left: Any, right: Any) -> None:
    one, other = (tokens(_unit(vectors)) for vectors in (left, right))
    found, turned = match(one, other), match(other, one)
    assert -1 <= found.precision <= 1 and -1 <= found.recall <= 1
    assert found.precision == pytest.approx(turned.recall, abs=1e-6)
    assert match(one, one).precision == pytest.approx(1, abs=1e-5)


def _unit(vectors: Any) -> Any:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(norms > 1e-3, vectors / np.maximum(norms, 1e-12), np.array([[1.0, 0, 0]]))


class Corners:
    """Each word's vector by its first letter; special tokens around a text, which are like "z"."""

    id, layers, default_layer, max_tokens = "corners@0", 1, 1, 100

    def encode_tokens(self, texts: Any, *, layer: int, windows: bool) -> list[TokenStates]:
        vectors = {"a": (1.0, 0.0), "b": (0.0, 1.0), "z": (0.6, 0.8)}
        found = []
        for text in texts:
            words = [(m.group()[0], m.span()) for m in re.finditer(r"\w+", text)]
            tokens = [("z", (0, 0)), *words, ("z", (0, 0))]
            found.append(
                TokenStates(
                    np.array([vectors[letter] for letter, _ in tokens], dtype=np.float32),
                    np.array([offsets for _, offsets in tokens]),
                    np.arange(len(tokens)),
                    0,
                )
            )
        return found


def test_special_tokens_are_matched_where_the_package_does_so_alone() -> None:
    encoder: Any = Corners()
    example = Example("1", "aa.", "aa bb.")
    precision = {
        source: BertScore(encoder, source=source).score([example])[0].value
        for source in ("sentences", "document", "document_tokens")
    }
    # "bb" is like the special tokens (0.8) and unlike "aa".
    assert precision == pytest.approx({"sentences": 0.5, "document": 0.9, "document_tokens": 0.5})
    # bigabig/faithfulness, BERTScore.py: method=DOC by default, embeddings[1:-1].
    assert BertScore.presets["paper"]["source"] == "document_tokens"


def test_rescale_by_hand() -> None:
    assert rescale(0.9, 0.8) == pytest.approx(0.5)
    assert rescale(0.8, 0.8) == 0.0


@pytest.mark.verify
@pytest.mark.parametrize("layer", [2, 6])
def test_whole_documents_equal_the_bert_score_package(mini: Any, layer: int) -> None:
    """bert-score 0.3.13, the same weights (all-MiniLM-L6-v2, sha256 53aa5117…), no idf."""
    bert_score = pytest.importorskip("bert_score")
    examples = pairs(20)
    folder = pulling.ensure(store.get("mini"))
    theirs = bert_score.score(
        [e.summary for e in examples],
        [e.source for e in examples],
        model_type=str(folder),
        num_layers=layer,
        device="cpu",
    )
    ours = BertScore(mini, layer=layer, source="document").score(examples)
    for name, values in zip(("precision", "recall", "f1"), theirs, strict=True):
        for score, value in zip(ours, values.tolist(), strict=True):
            assert score.parts[name] == pytest.approx(value, abs=1e-4), (score.id, name)


@pytest.mark.verify
def test_idf_equals_the_bert_score_package(mini: Any, tmp_path: Path) -> None:
    """bert-score 0.3.13 with idf=True, whose idf is that of the references, cut to the context."""
    bert_score = pytest.importorskip("bert_score")
    examples = [example for example in pairs(40) if len(example.source.split()) < 300]
    folder = pulling.ensure(store.get("mini"))
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(" ".join(e.source.split()) for e in examples), encoding="utf-8")
    theirs = bert_score.score(
        [e.summary for e in examples],
        [e.source for e in examples],
        model_type=str(folder),
        num_layers=4,
        idf=True,
        device="cpu",
    )
    ours = BertScore(mini, layer=4, source="document", idf=str(corpus)).score(examples)
    for score, precision, f in zip(ours, theirs[0].tolist(), theirs[2].tolist(), strict=True):
        assert score.parts["precision"] == pytest.approx(precision, abs=1e-4)
        assert score.parts["f1"] == pytest.approx(f, abs=1e-4)


def test_a_copied_summary_matches_itself(mini: Any) -> None:
    text = "The bridge opened in May. It cost £3m."
    (score,) = BertScore(mini).score([Example("copy", text, text)])
    assert score.value == pytest.approx(1.0, abs=1e-5)
    assert score.spans == ()


@pytest.mark.slow
def test_the_value_is_the_part_asked_for(mini: Any) -> None:
    example = pairs(1)[0]
    for measure in ("precision", "recall", "f1"):
        (score,) = BertScore(mini, measure=measure).score([example])
        assert score.value == score.parts[measure]
    parts = BertScore(mini).score([example])[0].parts
    harmonic = 2 / (1 / parts["precision"] + 1 / parts["recall"])
    assert parts["f1"] == pytest.approx(harmonic)


@pytest.mark.slow
def test_a_long_document_is_cut_and_says_so_but_sentences_are_not(mini: Any) -> None:
    source = " ".join(f"House {i} stands on the hill." for i in range(200))
    example = Example("long", source, "House 199 stands on the hill.")
    (whole,) = BertScore(mini, source="document").score([example])
    (split,) = BertScore(mini).score([example])
    seen = whole.coverage.source_tokens + whole.coverage.source_tokens_cut
    assert whole.coverage.source_tokens_cut > 0
    assert split.coverage.source_tokens_cut == 0
    assert split.coverage.source_tokens == seen
    assert split.value == pytest.approx(1.0, abs=1e-5)


@pytest.mark.slow
def test_a_summary_longer_than_the_context_is_not_scored_as_one_document(mini: Any) -> None:
    summary = " ".join(f"House {i} stands on the hill." for i in range(200))
    (score,) = BertScore(mini, source="document").score([Example("long", "A house.", summary)])
    assert (score.value, score.outcome) == (None, Outcome.TRUNCATED_SUMMARY)
    assert score.coverage.summary_tokens_cut > 0


@pytest.mark.slow
def test_a_sentence_longer_than_the_context_is_encoded_in_windows(mini: Any) -> None:
    source = " ".join(f"number{i}" for i in range(400))
    (score,) = BertScore(mini).score([Example("long", source, "number399")])
    assert score.coverage.source_tokens_cut == 0
    assert score.coverage.source_tokens > mini.max_tokens


def test_an_unmatched_word_is_marked_with_its_nearest_word_and_best_sentence(mini: Any) -> None:
    source = "Rain fell all day. The bridge opened in May."
    (score,) = BertScore(mini).score([Example("x", source, "The volcano opened in May.")])
    assert [("The volcano opened in May."[s.start : s.end]) for s in score.spans] == ["volcano"]
    best = [item for item in score.evidence if item.label == "best match"]
    assert source[best[0].start : best[0].end] == "The bridge opened in May."
    assert any(item.label == "nearest word" for item in score.evidence)


@pytest.mark.slow
def test_rescaled_values_follow_the_baseline(mini: Any) -> None:
    example = pairs(1)[0]
    plain = BertScore(mini).score([example])[0].parts
    rescaled = BertScore(mini, baseline="0.1,0.2,0.3").score([example])[0].parts
    assert rescaled["precision"] == pytest.approx((plain["precision"] - 0.1) / 0.9)
    assert rescaled["recall"] == pytest.approx((plain["recall"] - 0.2) / 0.8)
    assert rescaled["f1"] == pytest.approx((plain["f1"] - 0.3) / 0.7)
    assert BertScore(mini).bounds == (-1.0, 1.0)
    bounds = BertScore(mini, baseline="0.1,0.2,0.5", measure="f1").bounds
    assert bounds == (pytest.approx(-3.0), 1.0)


@pytest.mark.parametrize("baseline", ["high", "1", "0.1,0.2"])
def test_a_bad_baseline_is_refused(mini: Any, baseline: str) -> None:
    with pytest.raises(ConfigError, match="baseline should be"):
        BertScore(mini, baseline=baseline)


def test_a_layer_that_is_not_there_is_refused(mini: Any) -> None:
    with pytest.raises(ConfigError, match="layers 0 to 6"):
        BertScore(mini, layer=7)


def test_an_idf_file_without_text_is_refused(mini: Any, tmp_path: Path) -> None:
    empty = tmp_path / "idf.txt"
    empty.write_text("\n \n")
    with pytest.raises(ConfigError, match="has no text"):
        BertScore(mini, idf=str(empty))
    with pytest.raises(ConfigError, match="cannot be read"):
        BertScore(mini, idf=str(tmp_path / "none.txt"))


def test_idf_names_the_file_and_its_content_in_the_signature(mini: Any, tmp_path: Path) -> None:
    file = tmp_path / "idf.txt"
    file.write_text("one text\nanother text\n")
    first = BertScore(mini, idf=str(file)).resolved["idf"]
    file.write_text("one text\nanother\n")
    assert first != BertScore(mini, idf=str(file)).resolved["idf"]
    assert str(first).startswith("idf.txt@")
    assert math.isfinite(BertScore(mini, idf=str(file)).score(pairs(1))[0].value or math.nan)


@pytest.mark.parametrize("summary", ["?!", "…", "👍"])
def test_a_summary_without_a_word_claims_nothing(mini: Any, summary: str) -> None:
    (score,) = BertScore(mini).score([Example("x", "Two schools open.", summary)])
    assert (score.value, score.outcome) == (None, Outcome.NO_CLAIMS)
