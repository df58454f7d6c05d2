"""A chat model run here, against the model called by hand."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers import tiny_models
from tests.helpers.chat_prompts import OFF, PROMPTS, WORD, ask, local

from faithkit import models
from faithkit.models.chat.local import LocalChat, load_chat
from faithkit.models.chat.transcripts import defused
from faithkit.models.protocols import Asking, ChatModel, Prompt
from faithkit.models.runtime import Runtime
from faithkit.records import ModelError, Outcome

pytestmark = pytest.mark.slow


def test_the_prompt_is_framed_by_the_chat_template() -> None:
    chat = local()
    assert isinstance(chat, ChatModel)
    framed = chat.frame(ask("the mayor", "in paris"), None, 1)
    assert chat._tokenizer.decode(framed.ids) == (
        "<|im_start|>user\nIs this\nthe mayor\nsaid by\nin paris?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    count = [len(chat._tokenizer(text)["input_ids"]) for text in ("the mayor", "in paris")]
    assert (framed.document_tokens, framed.document_cut, framed.summary_tokens) == (
        count[0], 0, count[1],
    )  # fmt: skip


PARTS = [
    "<|im_end|>", "<|im_start|>", "<|endoftext|>", "<tool>", "<|im_", "end|>", "<", "\x02", "\x03",
    "0", "\n", " ", "assistant", "é", "the mayor",
]  # fmt: skip
TEXT = st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=4)), max_size=10).map("".join)


@settings(max_examples=100, deadline=None)
@given(TEXT, TEXT)
def test_no_text_makes_a_special_token_and_none_is_changed_but_by_broken_marks(
    document: str, summary: str
) -> None:
    chat = local()
    added = set(chat._tokenizer.get_added_vocab().values())
    plain = chat.frame(ask("", ""), None, 1).ids.tolist()
    ids = chat.frame(ask(document, summary), None, 1).ids.tolist()
    assert [one for one in ids if one in added] == [one for one in plain if one in added]
    for text in (document, summary):
        assert chat._tokenizer.decode(chat._text_ids(text)) == defused(text)


def test_only_the_document_is_cut_and_the_reply_says_so() -> None:
    chat = local(max_position_embeddings=120)
    document, summary = tiny_models.text(1, 300), tiny_models.text(2, 6)
    framed = chat.frame(ask(document, summary), None, 16)
    assert len(framed.ids) == 120 - 16
    shown = chat._tokenizer.decode(framed.ids)
    assert f"\nsaid by\n{summary}?<|im_end|>\n" in shown
    assert document.startswith(shown[len("<|im_start|>user\nIs this\n") :].split("\nsaid")[0])
    whole = len(chat._tokenizer(document)["input_ids"])
    assert framed.document_tokens + framed.document_cut == whole
    (reply,) = chat.limited(OFF).reply([ask(document, summary)], Asking())
    assert (reply.outcome, reply.document_cut) == (Outcome.OK, framed.document_cut)
    assert reply.prompt_tokens == 104


def test_a_summary_that_does_not_fit_is_not_asked_about() -> None:
    chat = local(max_position_embeddings=120)
    long, fits = chat.limited(OFF).reply([ask("june", tiny_models.text(1, 200)), PROMPTS[0]], WORD)
    assert (long.outcome, long.text, long.document_tokens) == (Outcome.TRUNCATED_SUMMARY, "", 0)
    assert long.summary_tokens > 120
    assert fits.outcome is Outcome.OK


def test_nothing_is_cut_and_nothing_asked_where_the_document_is_to_be_whole() -> None:
    chat = local(max_position_embeddings=120)
    long = ask(tiny_models.text(1, 300), tiny_models.text(2, 6))
    summary = ask("june", tiny_models.text(1, 200))
    prompts = [long, summary, PROMPTS[0]]
    replies = chat.limited(OFF).reply(prompts, Asking(16, whole=True))
    assert [one.outcome for one in replies] == [Outcome.TOO_LONG, Outcome.TOO_LONG, Outcome.OK]
    assert replies[0].document_cut > 0 and replies[0].text == ""
    (short,) = chat.limited(OFF).reply(PROMPTS[:1], Asking(16, document_tokens=3, whole=True))
    assert short.outcome is Outcome.TOO_LONG


def test_the_document_is_cut_to_what_was_asked_for() -> None:
    asking = Asking(first=("yes", "no"), document_tokens=7)
    (reply,) = local().limited(OFF).reply([PROMPTS[5]], asking)
    assert reply.document_tokens == 7 and reply.document_cut > 100


def test_first_words_have_the_softmax_of_the_last_logits_in_any_batch() -> None:
    chat = local()
    together = chat.limited(OFF).reply(PROMPTS, WORD)
    backwards = chat.limited(OFF).reply(PROMPTS[::-1], WORD)[::-1]
    vocabulary = chat._tokenizer.get_vocab()
    ids = {
        word: [vocabulary[t] for t in (word, word.title(), f"Ġ{word}", f"Ġ{word.title()}")
               if t in vocabulary]
        for word in ("yes", "no")
    }  # fmt: skip
    assert min(map(len, ids.values())) >= 3
    for prompt, one, other in zip(PROMPTS, together, backwards, strict=True):
        row = torch.tensor([chat.frame(prompt, None, 1).ids.tolist()])
        with torch.no_grad():
            even = chat._model(row).logits[0, -1].double().softmax(-1)
        for word in ("yes", "no"):
            assert one.first[word] == pytest.approx(even[ids[word]].sum().item(), abs=1e-7)
            assert other.first[word] == pytest.approx(one.first[word], abs=1e-8)
        assert (one.text, one.completion_tokens) == ("", 0)
    assert len({round(one.first["yes"], 4) for one in together}) == len(PROMPTS)


def test_the_text_is_the_greedy_one_in_any_batch() -> None:
    chat = local()
    together = chat.limited(OFF).reply(PROMPTS, Asking(12))
    alone = [chat.limited(OFF).reply([prompt], Asking(12))[0] for prompt in PROMPTS]
    assert [one.text for one in together] == [one.text for one in alone]
    assert len({one.text for one in together}) == len(PROMPTS)
    ids = greedy(chat, PROMPTS[2], 12)
    assert together[2].text == chat._tokenizer.decode(ids, skip_special_tokens=True)
    assert together[2].completion_tokens == 12


def greedy(chat: LocalChat, prompt: Prompt, count: int) -> list[int]:
    """The most probable token after the prompt, `count` times, without a cache."""
    ids = chat.frame(prompt, None, count).ids.tolist()
    with torch.no_grad():
        for _ in range(count):
            ids.append(int(chat._model(torch.tensor([ids])).logits[0, -1].argmax()))
    return ids[-count:]


def test_an_answer_ends_at_the_end_token_and_is_not_padded() -> None:
    chat = local()
    ids, others = greedy(chat, PROMPTS[0], 12), greedy(chat, PROMPTS[1], 12)
    end = next(one for one in ids[2:] if one not in others)
    chat._ends = [*chat._ends, end]
    short, whole = chat.limited(OFF).reply(PROMPTS[:2], Asking(12))
    assert short.completion_tokens == ids.index(end) < 12 == whole.completion_tokens
    assert short.text == chat._tokenizer.decode(ids[: ids.index(end)])


def test_a_checkpoints_own_settings_for_conversation_are_left_out() -> None:
    chat = local()
    expected = chat.limited(OFF).reply(PROMPTS[:2], Asking(12))
    model = tiny_models.chat()
    for name, value in {"do_sample": True, "temperature": 0.6, "repetition_penalty": 1.3}.items():
        setattr(model.generation_config, name, value)
    other = LocalChat(model, tiny_models.chat_tokenizer(), id="set@0")
    assert other.limited(OFF).reply(PROMPTS[:2], Asking(12)) == expected


def test_a_vocabulary_without_the_words_writes_instead() -> None:
    (reply,) = local().limited(OFF).reply(PROMPTS[:1], Asking(5, first=("yes", "perhaps")))
    assert reply.first == {} and reply.completion_tokens > 0


def test_samples_differ_and_each_is_the_same_in_any_batch() -> None:
    chat = local()

    def sampled(prompts: list[Prompt], sample: int) -> list[str]:
        asking = Asking(12, temperature=1.0, sample=sample)
        return [one.text for one in chat.limited(OFF).reply(prompts, asking)]

    before = torch.get_rng_state()
    first, second = sampled(PROMPTS[:3], 0), sampled(PROMPTS[:3], 1)
    assert torch.equal(torch.get_rng_state(), before)
    assert all(one != other for one, other in zip(first, second, strict=True))
    assert sampled(PROMPTS[2::-1], 0) == first[::-1]


def test_nan_in_one_row_is_an_outcome_and_not_in_the_others() -> None:
    chat = local()
    alone = chat.limited(OFF).reply(PROMPTS[1:2], WORD)
    real = chat._model.forward

    def broken(*args: Any, **kwargs: Any) -> Any:
        found = real(*args, **kwargs)
        found.logits[0] = torch.nan  # longest first
        return found

    chat._model.forward = broken
    good, bad = chat.limited(OFF).reply([PROMPTS[1], PROMPTS[5]], WORD)
    assert good.first == pytest.approx(alone[0].first, abs=1e-8)
    assert (bad.outcome, bad.first, bad.text) == (Outcome.MODEL_ERROR, {}, "")


def test_a_base_model_without_a_chat_template_is_asked_with_the_plain_prompt(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tokenizer = tiny_models.tokenizer()
    assert tokenizer.chat_template is None
    with caplog.at_level(logging.WARNING, logger="faithkit"):
        chat = LocalChat(tiny_models.llama(), tokenizer, id="base@0")
    assert "base@0 has no chat template" in caplog.text
    framed = chat.frame(ask("the mayor", "in paris"), None, 1)
    assert tokenizer.decode(framed.ids) == "<s>Is this\nthe mayor\nsaid by\nin paris?\n"
    (reply,) = chat.limited(OFF).reply(PROMPTS[:1], Asking(6))
    assert (reply.outcome, reply.completion_tokens) == (Outcome.OK, 6)
    assert tokenizer.chat_template is None


def test_a_chat_template_that_drops_words_is_refused() -> None:
    tokenizer = pickle.loads(pickle.dumps(tiny_models.chat_tokenizer()))
    tokenizer.chat_template = "{{ messages[0]['content'][:12] }}"
    chat = LocalChat(tiny_models.chat(), tokenizer, id="short@0")
    with pytest.raises(ModelError, match="does not keep a message"):
        chat.limited(OFF).reply(PROMPTS[:1], WORD)


def test_a_folder_is_loaded_with_its_weights_hash_and_answers_the_same(tmp_path: Path) -> None:
    folder = tiny_models.save_chat(tmp_path / "tiny")
    chat = models.load(f"chat:{folder}", Runtime("cpu", offline=True))
    assert chat.id.startswith("tiny@") and len(chat.id) == len("tiny@") + 12
    (expected,) = local().limited(OFF).reply(PROMPTS[:1], WORD)
    for one in (chat, pickle.loads(pickle.dumps(chat))):
        (reply,) = one.limited(OFF).reply(PROMPTS[:1], WORD)
        assert reply.first == pytest.approx(expected.first, abs=1e-9)
    with pytest.raises(ModelError, match="holds no tokenizer"):
        load_chat(tmp_path, "none", device="cpu", dtype=None)
