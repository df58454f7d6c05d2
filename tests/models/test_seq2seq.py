"""Encoder-decoder models against one pair at a time through the whole model, written out here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.helpers import tiny_models

from faithkit.metrics.probability import BartScore, Cop
from faithkit.models.protocols import Forcing, LanguageModel
from faithkit.models.seq2seq import Seq2SeqLM, load_seq2seq
from faithkit.records import ConfigError, Example, Outcome

pytestmark = pytest.mark.slow

ALL = frozenset({"source_lm", "source_s2s", "summary_lm", "summary_s2s", "summary_pref"})
MODELS = {"bart": (tiny_models.bart, True), "t5": (tiny_models.t5, False)}
PAIRS = [
    (tiny_models.text(source, 12 + 9 * source), tiny_models.text(source + 5 * k, 2 + 3 * k))
    for source in range(3)
    for k in range(3)
]


def make(kind: str) -> Seq2SeqLM:
    model, frame = MODELS[kind]
    return Seq2SeqLM(model(), tiny_models.tokenizer(frame=frame), id=f"{kind}@000000000000")


def one_by_one(lm: Seq2SeqLM, framed: bool, source: str, summary: str) -> dict[str, np.ndarray]:
    model: Any = lm._model

    def ids(text: str) -> list[int]:
        return list(lm._tokenizer(text, add_special_tokens=False)["input_ids"])

    def forced(condition: list[int], target: list[int]) -> np.ndarray:
        start = model.config.decoder_start_token_id
        encoder = [1, *condition, 2] if framed else condition or [start]
        decoder = [start, 1, *target] if framed else [start, *target]
        with torch.no_grad():
            output = model(
                input_ids=torch.tensor([encoder]), decoder_input_ids=torch.tensor([decoder])
            )
        logs = output.logits[0].double().log_softmax(-1)
        first = len(decoder) - len(target) - 1
        return np.array([logs[first + i, token].item() for i, token in enumerate(target)])

    x, y = ids(source), ids(summary)
    return {
        "source_lm": forced([], x),
        "source_s2s": forced(y, x),
        "summary_lm": forced([], y),
        "summary_s2s": forced(x, y),
        "summary_pref": forced(y + ids(" ") + x, y),
    }


@pytest.mark.parametrize("kind", list(MODELS))
@pytest.mark.parametrize("batch", [1, 4, 16])
def test_batches_equal_one_pair_at_a_time(kind: str, batch: int) -> None:
    lm = make(kind)
    assert isinstance(lm, LanguageModel)
    found = [
        one for start in range(0, len(PAIRS), batch)
        for one in lm.log_probs(PAIRS[start : start + batch], ALL)
    ]  # fmt: skip
    for pair, one in zip(PAIRS, found, strict=True):
        expected = one_by_one(lm, MODELS[kind][1], *pair)
        for name, values in expected.items():
            np.testing.assert_allclose(one.vectors[name], values, rtol=0, atol=1e-5, err_msg=name)


def released(lm: Seq2SeqLM, source: str, summary: str) -> float:
    """BARTScore as neulab/BARTScore's bart_score.py computes it: the model's own loss over labels
    that the tokenizer made, special tokens included, their mean, negated."""
    encoded, labels = (
        torch.tensor([lm._tokenizer(text)["input_ids"]]) for text in (source, summary)
    )
    with torch.no_grad():
        return -float(lm._model(input_ids=encoded, labels=labels).loss)


def test_bartscore_with_special_tokens_equals_the_released_scorer() -> None:
    lm = make("bart")
    examples = [Example(str(i), *pair) for i, pair in enumerate(PAIRS)]
    found = BartScore(lm, special_tokens=True).score(examples)
    for score, pair in zip(found, PAIRS, strict=True):
        assert score.value == pytest.approx(released(lm, *pair), abs=1e-5)
    plain = BartScore(make("bart")).score(examples)
    assert all(abs(a.value - b.value) > 1e-3 for a, b in zip(found, plain, strict=True))


def test_cop_by_the_preset_equals_the_released_script() -> None:
    # NJUNLP/CoP, reproduce.py: score(source) - score(summary + " " + source), special tokens in.
    lm = make("bart")
    examples = [Example(str(i), *pair) for i, pair in enumerate(PAIRS)]
    for score, (x, y) in zip(
        Cop(lm, join="condition", special_tokens=True).score(examples), PAIRS, strict=True
    ):
        expected = released(lm, x, y) - released(lm, f"{y} {x}", y)
        assert score.value == pytest.approx(expected, abs=1e-5)


def test_special_tokens_have_no_place_in_the_summary() -> None:
    lm = make("bart")
    (one,) = lm.log_probs(PAIRS[:1], ALL, forcing=Forcing(special_tokens=True))
    assert len(one.vectors["summary_s2s"]) == one.summary_tokens + 2 == len(one.summary_offsets)
    assert one.summary_offsets[[0, -1]].tolist() == [[0, 0], [0, 0]]
    t5 = make("t5")
    with pytest.raises(ConfigError, match="special tokens"):
        t5.expect(ALL, Forcing(special_tokens=True))


def test_summaries_of_one_source_encode_it_once() -> None:
    lm = make("bart")
    seen: list[int] = []
    lm._model.get_encoder().register_forward_pre_hook(
        lambda module, args, kwargs: seen.append(kwargs["input_ids"].shape[0]), with_kwargs=True
    )
    lm.log_probs(PAIRS[:3], frozenset({"summary_s2s"}))
    assert seen == [1]


def test_a_long_document_is_cut_and_a_long_summary_is_not_scored() -> None:
    lm = make("bart")
    long, short = tiny_models.text(1, 400), "the mayor"
    cut, refused = lm.log_probs([(long, short), (short, long)], ALL)
    assert cut.outcome is Outcome.OK
    assert cut.source_cut > 0
    assert refused.outcome is Outcome.TRUNCATED_SUMMARY


def test_as_much_of_a_long_document_is_read_as_fits() -> None:
    lm = make("bart")
    pair = (tiny_models.text(1, 400), "the mayor")
    (once,) = lm.log_probs([pair], frozenset({"summary_s2s"}))
    assert once.source_tokens == lm.context - 2  # beside <s> and </s>
    (twice,) = lm.log_probs([pair], ALL)
    before = twice.summary_tokens + len(lm._ids(" "))
    assert twice.source_tokens == lm.context - 2 - before


def test_a_saved_model_loads_and_agrees(tmp_path: Path) -> None:
    lm = make("t5")
    lm._model.save_pretrained(tmp_path)
    lm._tokenizer.save_pretrained(tmp_path)
    (tmp_path / "card.json").write_text('{"data": {"name": "lss_dev"}}', encoding="utf-8")
    loaded = load_seq2seq(tmp_path, "t5", device="cpu", dtype=None)
    assert loaded.trained_on == {"lss_dev"}
    for one, other in zip(loaded.log_probs(PAIRS, ALL), lm.log_probs(PAIRS, ALL), strict=True):
        for name in ALL:
            np.testing.assert_allclose(one.vectors[name], other.vectors[name], atol=1e-5)
