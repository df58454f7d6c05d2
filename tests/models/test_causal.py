"""Causal models against the five passes of the definition, one pair at a time, written out here."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tests.helpers import tiny_models

from faithkit.models import teacher_forcing
from faithkit.models.causal import CausalLM, load_causal
from faithkit.models.protocols import Forced, Forcing, Join, LanguageModel, Vector
from faithkit.models.seq2seq import Seq2SeqLM
from faithkit.records import ConfigError, ModelError, Outcome

pytestmark = pytest.mark.slow

ALL = frozenset({"source_lm", "source_s2s", "summary_lm", "summary_s2s", "summary_pref"})
MODELS = {"llama": tiny_models.llama, "gpt2": tiny_models.gpt2, "gemma2": tiny_models.gemma2}
# Four sources with four summaries each, of different lengths; one source stands alone.
PAIRS = [
    (tiny_models.text(source, 20 + 9 * source), tiny_models.text(source + 5 * k, 3 + 2 * k))
    for source in range(4)
    for k in range(4)
] + [(tiny_models.text(9, 30), tiny_models.text(2, 6))]


def make(kind: str = "llama", **options: Any) -> CausalLM:
    tokenizer = tiny_models.tokenizer(**options)
    return CausalLM(MODELS[kind](), tokenizer, id=f"{kind}@000000000000")


def five_passes(
    model: Any, tokenizer: Any, source: str, summary: str, start: int, keep: int | None = None
) -> dict[str, np.ndarray]:
    """methods of [FFLM §3], literally: five sequences, all their logits."""

    def ids(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    def forced(condition: list[int], target: list[int]) -> np.ndarray:
        sequence = torch.tensor([[start, *condition, *target]])
        with torch.no_grad():
            logs = model(sequence).logits[0].double().log_softmax(-1)
        first = len(condition)
        return np.array([logs[first + i, token].item() for i, token in enumerate(target)])

    x, y, separator = ids(source)[:keep], ids(summary), ids("TL;DR ")
    return {
        "source_lm": forced([], x),
        "source_s2s": forced(y + separator, x),
        "summary_lm": forced([], y),
        "summary_s2s": forced(x + separator, y),
        "summary_pref": forced(y + ids(" ") + x + separator, y),
    }


def same(found: Forced, expected: dict[str, np.ndarray], tolerance: float = 1e-5) -> None:
    assert found.outcome is Outcome.OK
    assert set(found.vectors) == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(
            found.vectors[name], values, rtol=0, atol=tolerance, err_msg=name
        )


def count_tokens(lm: CausalLM) -> list[int]:
    """Tokens of every forward pass from here on."""
    seen: list[int] = []
    body = lm._model.base_model
    body.register_forward_pre_hook(
        lambda module, args, kwargs: seen.append(
            (args[0] if args else kwargs["input_ids"]).numel()
        ),
        with_kwargs=True,
    )
    return seen


@pytest.fixture(scope="module", params=list(MODELS))
def reference(request: pytest.FixtureRequest) -> tuple[str, list[dict[str, np.ndarray]]]:
    lm = make(request.param)
    return request.param, [five_passes(lm._model, lm._tokenizer, *pair, 1) for pair in PAIRS]


@pytest.mark.parametrize("batch", [1, 4, 16])
@pytest.mark.parametrize("shared", [True, False])
def test_the_plan_equals_the_five_passes(
    reference: tuple[str, list[dict[str, np.ndarray]]], batch: int, shared: bool
) -> None:
    kind, expected = reference
    lm = make(kind)
    lm._shares_prefix = lm._shares_prefix and shared
    found = [
        one for start in range(0, len(PAIRS), batch)
        for one in lm.log_probs(PAIRS[start : start + batch], ALL)
    ]  # fmt: skip
    for one, values in zip(found, expected, strict=True):
        same(one, values)


def test_small_token_budgets_and_logit_chunks_change_nothing() -> None:
    lm = make()
    expected = [five_passes(lm._model, lm._tokenizer, *pair, 1) for pair in PAIRS]
    lm._batch_tokens, lm._logit_rows = 70, 3
    for one, values in zip(lm.log_probs(PAIRS, ALL), expected, strict=True):
        same(one, values)


def test_a_cache_too_large_to_copy_is_continued_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = make().log_probs(PAIRS, ALL)
    monkeypatch.setattr("faithkit.models.causal.CACHE_BYTES", 1)
    for one, whole in zip(make().log_probs(PAIRS, ALL), expected, strict=True):
        same(one, dict(whole.vectors))


def test_it_is_a_language_model() -> None:
    assert isinstance(make(), LanguageModel)


def test_llama_and_gpt2_share_prefixes_and_a_sliding_window_does_not() -> None:
    assert make("llama")._shares_prefix
    assert make("gpt2")._shares_prefix
    assert not make("gemma2")._shares_prefix


def test_summaries_of_one_source_run_its_prefix_once() -> None:
    lm = make()
    pairs = PAIRS[12:16]
    seen = count_tokens(lm)
    found = lm.log_probs(pairs, frozenset({"summary_s2s"}))
    summaries = [one.summary_tokens for one in found]
    prefix = 1 + found[0].source_tokens + len(lm._ids("TL;DR "))
    # The last summary token predicts nothing, and the batch is padded to the longest.
    assert seen == [prefix, 4 * (max(summaries) - 1)]


def test_three_passes_give_five_vectors() -> None:
    lm = make()
    seen = count_tokens(lm)
    (found,) = lm.log_probs(PAIRS[-1:], ALL)
    n, m, s = found.source_tokens, found.summary_tokens, len(lm._ids("TL;DR "))
    space = len(lm._ids(" "))
    assert sum(seen) <= 3 * (n + 2 * m + s + space)
    assert len(seen) <= 3


def test_a_second_metric_on_the_same_pairs_runs_nothing() -> None:
    lm = make()
    lm.log_probs(PAIRS, ALL)
    seen = count_tokens(lm)
    lm.log_probs(PAIRS, frozenset({"summary_s2s", "summary_pref"}))
    lm.log_probs(PAIRS[::-1], frozenset({"summary_lm"}))
    assert seen == []


def test_what_is_expected_makes_the_order_of_metrics_cost_the_same() -> None:
    cop, costs = frozenset({"summary_s2s", "summary_pref"}), []
    for order in ([ALL, cop], [cop, ALL]):
        lm = make()
        lm._batch_tokens = 1  # one sequence at a time, so that padding is not counted
        for wanted in order:
            lm.expect(wanted)
        seen = count_tokens(lm)
        for wanted in order:
            lm.log_probs(PAIRS[-1:], wanted)
        costs.append(sum(seen))
    assert costs[0] == costs[1]


def test_what_is_expected_is_not_computed_for_pairs_that_are_asked_for_alone() -> None:
    wanted: frozenset[Vector] = frozenset({"summary_s2s"})
    for alone in (False, True):
        lm = make()
        lm.expect(ALL)
        lm.log_probs(PAIRS[-1:], wanted, alone=alone)
        seen = count_tokens(lm)
        lm.log_probs(PAIRS[-1:], frozenset({"source_lm"}))
        assert bool(seen) == alone


def test_what_is_expected_changes_no_value() -> None:
    wanted = frozenset({"summary_lm"})
    lm = make()
    lm.expect(ALL)
    for one, plain in zip(
        lm.log_probs(PAIRS, wanted), make().log_probs(PAIRS, wanted), strict=True
    ):
        same(one, dict(plain.vectors))


def test_a_pair_alone_and_among_many_has_the_same_values() -> None:
    many = make().log_probs(PAIRS, ALL)
    for pair, one in zip(PAIRS, many, strict=True):
        same(make().log_probs([pair], ALL)[0], dict(one.vectors))


def test_a_memo_that_holds_almost_nothing_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = make()
    monkeypatch.setattr(teacher_forcing, "MEMO_BYTES", 200)
    expected = make().log_probs(PAIRS, ALL)
    for _ in range(2):
        for one, whole in zip(lm.log_probs(PAIRS, ALL), expected, strict=True):
            same(one, dict(whole.vectors))
    assert lm._memo._bytes <= 200
    assert lm._memo._bytes == sum(vector.nbytes for vector in lm._memo._vectors.values())


def test_vectors_cannot_be_written_to() -> None:
    (found,) = make().log_probs(PAIRS[:1], ALL)
    with pytest.raises(ValueError, match="read-only"):
        found.vectors["summary_lm"][0] = 0.0


def joint(lm: CausalLM, source: str, summary: str, join: str) -> dict[str, np.ndarray]:
    """The five passes where texts are tokenised together, by the tokenizer's own offsets."""
    tokenizer, separator = lm._tokenizer, "TL;DR "

    def split(before: str, text: str) -> tuple[list[int], list[int]]:
        found = tokenizer(before + text, add_special_tokens=False, return_offsets_mapping=True)
        ids, ends = found["input_ids"], [end for _, end in found["offset_mapping"]]
        first = next(i for i, end in enumerate(ends) if end > len(before))
        return ids[:first], ids[first:]

    def apart(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    def forced(condition: list[int], target: list[int]) -> np.ndarray:
        with torch.no_grad():
            sequence = torch.tensor([[1, *condition, *target]])
            logs = lm._model(sequence).logits[0].double().log_softmax(-1)
        return np.array([logs[len(condition) + i, t].item() for i, t in enumerate(target)])

    if join == "condition":
        x, y, sep = apart(source), apart(summary), apart(separator)
        found = five_passes(lm._model, tokenizer, source, summary, 1)
        return found | {"summary_pref": forced(apart(f"{summary} {source}") + sep, y)}
    x, y = split(separator, source)[1], split(separator, summary)[1]
    return {
        "source_lm": forced([], x),
        "source_s2s": forced(*split(summary + separator, source)),
        "summary_lm": forced([], y),
        "summary_s2s": forced(*split(source + separator, summary)),
        "summary_pref": forced(*split(f"{summary} {source}{separator}", summary)),
    }


@pytest.mark.parametrize("join", ["condition", "text"])
@pytest.mark.parametrize("batch", [1, 17])
def test_joint_tokenisation_equals_the_five_passes(join: Join, batch: int) -> None:
    lm = make()
    expected = [joint(lm, *pair, join) for pair in PAIRS]
    found = [
        one for start in range(0, len(PAIRS), batch)
        for one in lm.log_probs(PAIRS[start : start + batch], ALL, forcing=Forcing(join))
    ]  # fmt: skip
    for one, values in zip(found, expected, strict=True):
        same(one, values)
        assert len(one.summary_offsets) == len(one.vectors["summary_s2s"])


def test_joint_tokenisation_gives_other_numbers_than_ids_put_together() -> None:
    lm = make()
    plain, condition, text = (
        lm.log_probs(PAIRS[:1], ALL, forcing=Forcing(join))[0].vectors
        for join in ("ids", "condition", "text")
    )
    assert condition["summary_s2s"] is plain["summary_s2s"]  # the memo's
    assert not np.allclose(condition["summary_pref"], plain["summary_pref"])
    assert text["summary_s2s"].shape != plain["summary_s2s"].shape or not np.allclose(
        text["summary_s2s"], plain["summary_s2s"]
    )


@pytest.mark.parametrize("join", ["condition", "text"])
def test_a_long_document_is_cut_where_texts_are_tokenised_together(join: Join) -> None:
    lm = make()
    source, summary = tiny_models.text(1, 400), PAIRS[0][1]
    (found,) = lm.log_probs([(source, summary)], ALL, forcing=Forcing(join))
    assert found.outcome is Outcome.OK
    assert found.source_tokens + found.source_cut == len(lm._ids(source))
    end = lm._encode([source])[0][1][found.source_tokens - 1, 1]
    same(found, joint(lm, source[:end], summary, join))


def test_special_tokens_and_slow_tokenizers_are_refused_where_they_cannot_be_done() -> None:
    lm = make()
    with pytest.raises(ConfigError, match=r"special_tokens=on: llama.*encoder-decoder"):
        lm.expect(ALL, Forcing(special_tokens=True))
    lm._tokenizer = SimpleNamespace(is_fast=False)
    with pytest.raises(ConfigError, match=r"join=text: llama.*fast tokenizer"):
        lm.log_probs(PAIRS[:1], ALL, forcing=Forcing("text"))


def test_without_bos_a_text_starts_after_eos() -> None:
    lm = make(bos=False)
    expected = five_passes(lm._model, lm._tokenizer, *PAIRS[0], start=2)
    same(lm.log_probs(PAIRS[:1], ALL)[0], expected)


def test_without_bos_and_eos_the_model_is_refused() -> None:
    with pytest.raises(ModelError, match="neither a BOS nor an EOS"):
        make(bos=False, eos=False)


def test_one_token_texts_have_one_probability_each() -> None:
    lm = make()
    pair = ("the", "a")
    expected = five_passes(lm._model, lm._tokenizer, *pair, 1)
    (found,) = lm.log_probs([pair], ALL)
    assert (found.source_tokens, found.summary_tokens) == (
        len(lm._ids("the")),
        len(lm._ids("a")),
    )
    assert found.summary_tokens == 1
    same(found, expected)


def test_two_one_token_summaries_of_a_shared_source() -> None:
    lm = make()
    pairs = [(PAIRS[12][0], "a"), (PAIRS[12][0], "e")]
    for pair, found in zip(pairs, lm.log_probs(pairs, ALL), strict=True):
        same(found, five_passes(lm._model, lm._tokenizer, *pair, 1))


def test_empty_texts_have_no_content() -> None:
    found = make().log_probs([("", "a b"), ("a b", ""), PAIRS[0]], ALL)
    assert [one.outcome for one in found] == [
        Outcome.NO_CONTENT,
        Outcome.NO_CONTENT,
        Outcome.OK,
    ]
    assert found[0].vectors == {}


def test_a_document_that_does_not_fit_is_cut_from_its_end_and_says_so() -> None:
    lm = make()
    source, summary = tiny_models.text(1, 400), PAIRS[0][1]
    (found,) = lm.log_probs([(source, summary)], ALL)
    whole = len(lm._ids(source))
    assert found.source_cut > 0
    assert found.source_tokens + found.source_cut == whole
    used = 2 * found.summary_tokens + found.source_tokens + len(lm._ids("TL;DR ")) + 1
    assert lm.context - 66 < used + len(lm._ids(" ")) <= lm.context
    keep = found.source_tokens
    same(found, five_passes(lm._model, lm._tokenizer, source, summary, 1, keep))


def test_summaries_of_a_long_document_are_cut_alike_alone_and_together() -> None:
    lm = make()
    source = tiny_models.text(1, 400)
    pairs = [(source, tiny_models.text(3, words)) for words in (4, 5, 6)]
    together = [one.source_tokens for one in lm.log_probs(pairs, ALL)]
    assert together == [lm.log_probs([pair], ALL)[0].source_tokens for pair in pairs]
    assert len(set(together)) == 1 and together[0] % 64 == 0


def test_a_lower_context_cuts_more_and_a_higher_one_is_refused() -> None:
    lm = make()
    pair = (tiny_models.text(1, 80), PAIRS[0][1])
    plain, short = lm.log_probs([pair], ALL)[0], lm.log_probs([pair], ALL, context=100)[0]
    assert plain.source_cut == 0 < short.source_cut
    same(short, five_passes(lm._model, lm._tokenizer, *pair, 1, short.source_tokens))
    with pytest.raises(ConfigError, match="1 to 256"):
        lm.log_probs([pair], ALL, context=257)


def test_a_summary_that_does_not_fit_is_not_scored_and_twice_counts_double() -> None:
    lm = make()
    summary = tiny_models.text(3, 60)
    assert lm.context / 2 < len(lm._ids(summary)) < lm.context - 20
    once = lm.log_probs([("the mayor", summary)], frozenset({"summary_s2s"}))
    twice = lm.log_probs([("the mayor", summary)], ALL)
    assert once[0].outcome is Outcome.OK
    assert twice[0].outcome is Outcome.TRUNCATED_SUMMARY
    assert twice[0].vectors == {}


def test_a_document_of_50_000_words_is_cut_and_quick() -> None:
    lm = make()
    source = " ".join(tiny_models.WORDS[i % 20] for i in range(50_000))
    begin = time.monotonic()
    (found,) = lm.log_probs([(source, "the mayor")], ALL)
    assert time.monotonic() - begin < 30
    assert found.outcome is Outcome.OK
    assert found.source_cut > 50_000


def test_not_a_number_is_an_outcome_of_its_own_row_only() -> None:
    lm = make()
    bad = int(lm._ids("z")[0])
    with torch.no_grad():
        lm._model.base_model.embed_tokens.weight[bad] = float("nan")
    # Both in one batch, with one source, so through the shared prefix too.
    found = lm.log_probs([(PAIRS[12][0], "a z a"), PAIRS[12], PAIRS[13]], ALL)
    assert [one.outcome for one in found] == [Outcome.MODEL_ERROR, Outcome.OK, Outcome.OK]
    assert found[0].vectors == {}


def test_a_model_that_returns_only_nan_loads_and_every_row_says_so() -> None:
    model = tiny_models.llama()
    with torch.no_grad():
        model.lm_head.weight.fill_(float("nan"))
    lm = CausalLM(model, tiny_models.tokenizer(), id="broken@000000000000")
    found = lm.log_probs(PAIRS[:2], ALL)
    assert [one.outcome for one in found] == [Outcome.MODEL_ERROR] * 2


def test_logits_changed_in_an_unknown_way_are_refused() -> None:
    model = tiny_models.gpt2()
    forward = model.forward

    def changed(*args: Any, **kwargs: Any) -> Any:
        output = forward(*args, **kwargs)
        output.logits = output.logits**3
        return output

    model.forward = changed
    with pytest.raises(ModelError, match="changes its logits"):
        CausalLM(model, tiny_models.tokenizer(), id="odd@000000000000")


def save(path: Path, model: Any, tokenizer: Any) -> Path:
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def test_a_saved_model_loads_with_the_hash_of_its_weights(tmp_path: Path) -> None:
    lm = make()
    path = save(tmp_path, lm._model, lm._tokenizer)
    loaded = load_causal(path, "tiny", device="cpu", dtype=None)
    assert loaded.id.startswith("tiny@")
    assert len(loaded.id) == len("tiny@") + 12
    assert loaded.context == tiny_models.CONTEXT
    same(loaded.log_probs(PAIRS[:1], ALL)[0], dict(lm.log_probs(PAIRS[:1], ALL)[0].vectors))
    assert load_causal(path, "tiny", device="cpu", dtype="bfloat16").id == loaded.id + "/bfloat16"


def test_bfloat16_stays_near_float32(tmp_path: Path) -> None:
    lm = make()
    path = save(tmp_path, lm._model, lm._tokenizer)
    half = load_causal(path, "tiny", device="cpu", dtype="bfloat16")
    for one, whole in zip(half.log_probs(PAIRS, ALL), lm.log_probs(PAIRS, ALL), strict=True):
        assert abs(one.vectors["summary_s2s"].mean() - whole.vectors["summary_s2s"].mean()) < 0.5


def test_an_encoder_decoder_asked_for_as_lm_is_loaded_as_one(tmp_path: Path) -> None:
    path = save(tmp_path, tiny_models.bart(), tiny_models.tokenizer(frame=True))
    assert isinstance(load_causal(path, "bart", device="cpu", dtype=None), Seq2SeqLM)


def test_weights_without_an_output_layer_are_refused(tmp_path: Path) -> None:
    path = save(tmp_path, tiny_models.llama().base_model, tiny_models.tokenizer())
    with pytest.raises(ModelError, match="lm_head"):
        load_causal(path, "headless", device="cpu", dtype=None)


def test_a_folder_without_a_model_says_what_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        load_causal(tmp_path, "nothing", device="cpu", dtype=None)
