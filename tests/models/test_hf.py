"""The parts that every Hugging Face model is run with, by hand and on tiny models."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import tiny_models

from faithkit import ModelError
from faithkit.models import hf
from faithkit.models.batching import TokenBudget, batches, map_distinct


@given(st.lists(st.integers(1, 50)), st.integers(1, 200))
def test_batches_hold_each_row_once_and_stay_within_the_budget(
    lengths: list[int], budget: int
) -> None:
    groups = list(batches(lengths, budget))
    assert sorted(position for group in groups for position in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[i] for i in group) <= budget


def test_the_budget_depends_on_the_device() -> None:
    assert [TokenBudget(1, 2).on(device) for device in ("cpu", "cuda", "mps")] == [1, 2, 2]


def test_equal_items_run_once_and_results_keep_their_order() -> None:
    calls: list[list[str]] = []

    def lengths(items: list[str]) -> list[int]:
        calls.append(items)
        return [len(item) for item in items]

    assert map_distinct(["aa", "b", "aa"], lengths) == [2, 1, 2]
    assert map_distinct([], lengths) == []
    assert calls == [["aa", "b"]]


def test_padding_fills_up_on_either_side() -> None:
    ids, mask = hf.pad([[1, 2, 3], [4], []], 9)
    assert ids.tolist() == [[1, 2, 3], [4, 9, 9], [9, 9, 9]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0], [0, 0, 0]]
    ids, mask = hf.pad([[1, 2], [3]], 0, left=True)
    assert (ids.tolist(), mask.tolist()) == ([[1, 2], [0, 3]], [[1, 1], [0, 1]])


def config(**fields: object) -> SimpleNamespace:
    made = SimpleNamespace(model_type="bert", pad_token_id=1, **fields)
    made.get_text_config = lambda: made
    return made


def test_the_context_is_the_positions_or_what_the_tokenizer_says() -> None:
    unlimited, short = (SimpleNamespace(model_max_length=n) for n in (10**30, 100))
    bert, roberta = config(max_position_embeddings=512), config(max_position_embeddings=514)
    roberta.model_type = "roberta"  # its first position is the one after the padding's
    assert hf.context_limit(bert, unlimited, "x") == 512
    assert hf.context_limit(roberta, unlimited, "x") == 512
    assert hf.input_limit(bert, short, "x") == 100
    assert hf.context_limit(config(), short, "x") == 100
    with pytest.raises(ModelError, match="how many tokens"):
        hf.context_limit(config(), unlimited, "x")


def test_special_tokens_are_read_off_a_text() -> None:
    assert hf.special_tokens(tiny_models.tokenizer(frame=True), "x") == ([1], [2])
    assert hf.special_tokens(tiny_models.tokenizer(), "x") == ([], [])
    with pytest.raises(ModelError, match="x: its tokenizer changes"):
        hf.around([5], [1, 6, 2], "x")


def test_letters_that_spell_a_special_token_are_text() -> None:
    (text,) = hf.encode(tiny_models.tokenizer(frame=True), ["a</s>"])
    assert 2 not in text.ids and text.offsets[-1].tolist()[1] == 5


def test_weights_that_lack_a_part_of_the_model_are_refused(tmp_path: Path) -> None:
    tiny_models.save_classifier(tmp_path)
    with pytest.raises(ModelError, match=r"qa_outputs.*not a question-answering model"):
        hf.read("QuestionAnswering", tmp_path, "x", "question-answering model", None, None)
    loaded = hf.read("SequenceClassification", tmp_path, "x", "classifier", "cpu", "bfloat16")
    assert str(next(loaded.model.parameters()).dtype) == "torch.bfloat16"
    assert loaded.device.type == "cpu" and not loaded.model.training
