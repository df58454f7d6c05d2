"""Generation by encoder-decoders: the prompt by hand, the texts against one unpadded row at a
time."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.helpers import tiny_models

from faithkit.models import load
from faithkit.models.generation import Seq2SeqGenerator, load_generator
from faithkit.models.protocols import Generator
from faithkit.models.runtime import Runtime
from faithkit.records import ModelError, Outcome

pytestmark = pytest.mark.slow

MODELS = {"bart": (tiny_models.bart, True), "t5": (tiny_models.t5, False)}
PAIRS = [
    (tiny_models.text(source, 10 + 17 * source), tiny_models.text(source + 5 * k, 2 + 4 * k))
    for source in range(3)
    for k in range(3)
]


def make(kind: str) -> Seq2SeqGenerator:
    model, framed = MODELS[kind]
    return short(Seq2SeqGenerator(model(), tiny_models.tokenizer(frame=framed), id=f"{kind}@0"))


def attentive(kind: str) -> Seq2SeqGenerator:
    """What a random model writes hardly depends on what it read; more weight on that, and it does,
    so that what goes wrong in a batch is seen in the text."""
    generator = make(kind)
    gains = {"encoder_attn.out_proj.weight": 4, "encoder_attn.q_proj.weight": 5}
    gains |= {"EncDecAttention.o.weight": 4, "EncDecAttention.q.weight": 5}
    with torch.no_grad():
        for name, weights in generator.model.named_parameters():
            weights.mul_(next((gain for end, gain in gains.items() if name.endswith(end)), 1))
    return generator


def short(generator: Seq2SeqGenerator) -> Seq2SeqGenerator:
    """A random model hardly ever ends by itself; 16 tokens show as much as 128."""
    assert generator.model.generation_config.max_new_tokens == generator.output_tokens
    generator.model.generation_config.max_new_tokens = 16
    return generator


def texts(generator: Seq2SeqGenerator, pairs: list[tuple[str, str]]) -> list[str]:
    found = generator.generate(pairs)
    assert {one.outcome for one in found} == {Outcome.OK}
    return [one.text for one in found]


def test_the_prompt_is_the_papers_layout_and_framed_as_the_tokenizer_does() -> None:
    for kind, (before, after) in {"bart": ("<s>", "</s>"), "t5": ("", "")}.items():
        generator = make(kind)
        (prompt,) = generator.prompts([("the mayor", " in paris\n")])
        shown = generator.tokenizer.decode(prompt.ids)
        assert shown == f"{before}Reference: the mayor\nClaim: in paris\nOutput:{after}"
        assert (prompt.source_tokens, prompt.source_cut, prompt.claim_tokens) == (
            len(generator.tokenizer(" the mayor", add_special_tokens=False)["input_ids"]),
            0,
            len(generator.tokenizer(" in paris", add_special_tokens=False)["input_ids"]),
        )


def test_a_target_ends_the_sequence_once() -> None:
    for kind, shown in {"bart": "<s>in june</s>", "t5": "in june</s>"}.items():
        generator = make(kind)
        assert generator.tokenizer.decode(generator.target(" in june ")) == shown
        assert generator.target("")[-1] == generator.tokenizer.eos_token_id


def test_only_the_source_is_cut_and_a_claim_that_does_not_fit_is_not_asked_about() -> None:
    generator = make("bart")
    assert (generator.input_tokens, generator.output_tokens) == (256, 128)
    source, claim = tiny_models.text(1, 400), tiny_models.text(2, 6)
    (cut,) = generator.prompts([(source, claim)])
    assert len(cut.ids) == 256 and cut.source_cut > 0
    shown = generator.tokenizer.decode(cut.ids)
    assert shown.startswith("<s>Reference: that") and shown.endswith(f"{claim}\nOutput:</s>")
    fits, too_long = generator.generate([(source, claim), ("the mayor", tiny_models.text(1, 200))])
    assert fits.outcome is Outcome.OK and fits.source_cut == cut.source_cut
    assert too_long.outcome is Outcome.TRUNCATED_SUMMARY and too_long.text == ""
    assert too_long.claim_tokens > 127


def test_a_model_of_relative_positions_takes_the_papers_528_tokens() -> None:
    generator = make("t5")
    assert (generator.input_tokens, generator.output_tokens) == (528, 128)
    (prompt,) = generator.prompts([(tiny_models.text(1, 900), "in june")])
    assert len(prompt.ids) == 528


@pytest.mark.parametrize("kind", list(MODELS))
def test_a_batch_writes_what_each_pair_gets_alone(kind: str) -> None:
    generator = attentive(kind)
    assert isinstance(generator, Generator)
    together = texts(generator, PAIRS)
    assert len(set(together)) == len(PAIRS)
    assert texts(attentive(kind), PAIRS[::-1]) == together[::-1]
    model: Any = generator.model
    for pair, text in zip(PAIRS, together, strict=True):
        (prompt,) = generator.prompts([pair])
        alone = model.generate(
            input_ids=torch.tensor([prompt.ids.tolist()]),
            attention_mask=torch.ones(1, len(prompt.ids), dtype=torch.long),
            num_beams=5,
            do_sample=False,
            max_new_tokens=16,
        )
        assert generator.tokenizer.decode(alone[0], skip_special_tokens=True).strip() == text


def test_a_checkpoints_own_settings_for_another_task_are_left_out() -> None:
    model, tokenizer = tiny_models.bart(), tiny_models.tokenizer(frame=True)
    expected = texts(short(Seq2SeqGenerator(model, tokenizer, id="plain@0")), PAIRS[:2])
    for name, value in {"min_length": 60, "no_repeat_ngram_size": 2, "num_beams": 2}.items():
        setattr(model.generation_config, name, value)
    assert texts(short(Seq2SeqGenerator(model, tokenizer, id="set@0")), PAIRS[:2]) == expected


def test_what_was_just_written_is_not_written_again() -> None:
    generator = make("t5")
    first = generator.generate(PAIRS[:3])
    calls: list[int] = []
    generator.model.get_encoder().register_forward_pre_hook(
        lambda module, args, kwargs: calls.append(kwargs["input_ids"].shape[0]), with_kwargs=True
    )
    assert generator.generate([*PAIRS[:3], PAIRS[0]]) == [*first, first[0]]
    assert calls == []
    generator.generate(PAIRS[2:4])
    assert calls == [1]


def test_nan_in_one_row_is_an_outcome_and_not_in_the_others() -> None:
    generator = make("t5")
    alone = texts(make("t5"), [("in june", "june")])
    real = generator.model.get_encoder().forward

    def broken(*args: Any, **kwargs: Any) -> Any:
        states = real(*args, **kwargs)
        states.last_hidden_state[0] = torch.nan
        return states

    generator.model.get_encoder().forward = broken  # longest first: row 0 is the long pair
    bad, good = generator.generate([(tiny_models.text(0, 30), "mayor"), ("in june", "june")])
    assert (bad.outcome, bad.text) == (Outcome.MODEL_ERROR, "")
    assert (good.outcome, good.text) == (Outcome.OK, alone[0])


def test_nothing_to_write_is_no_text() -> None:
    assert make("bart").generate([]) == []


def test_a_saved_model_is_loaded_by_role_and_writes_the_same(tmp_path: Path) -> None:
    generator = make("t5")
    generator.model.save_pretrained(tmp_path)
    generator.tokenizer.save_pretrained(tmp_path)
    loaded = load(f"generate:{tmp_path}", Runtime("cpu", offline=True))
    assert isinstance(loaded, Seq2SeqGenerator)
    assert texts(short(loaded), PAIRS) == texts(generator, PAIRS)
    assert texts(pickle.loads(pickle.dumps(loaded)), PAIRS[:2]) == texts(generator, PAIRS[:2])


def test_a_folder_without_an_encoder_decoder_is_refused(tmp_path: Path) -> None:
    tiny_models.llama().save_pretrained(tmp_path)
    tiny_models.tokenizer().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="cannot be loaded as a sequence-to-sequence model"):
        load_generator(tmp_path, "llama", device="cpu", dtype=None)
    with pytest.raises(ModelError, match="end-of-sequence"):
        Seq2SeqGenerator(tiny_models.t5(), tiny_models.tokenizer(eos=False), id="t5@0")
