"""Chat models: one run here against the model called by hand, and one behind an API that fails in
every way a server can."""

from __future__ import annotations

import json
import logging
import pickle
import sqlite3
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers import tiny_models
from tests.helpers.fake_chat import MODEL, Response, fails, says, server

from faithkit import models
from faithkit.models.chat.endpoint import Endpoint, connect
from faithkit.models.chat.local import LocalChat, load_chat
from faithkit.models.chat.transcripts import defused
from faithkit.models.protocols import Asking, ChatModel, Limits, Piece, Prompt, Reply
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError, DataError, ModelError, Outcome

pytestmark = pytest.mark.slow

OFF = Limits(transcripts="off")
WORD = Asking(first=("yes", "no"))


def ask(document: str, summary: str) -> Prompt:
    return (
        Piece("Is this\n"), Piece(document, "document"), Piece("\nsaid by\n"),
        Piece(summary, "summary"), Piece("?"),
    )  # fmt: skip


PROMPTS = [
    ask(tiny_models.text(i, 4 + 30 * i), tiny_models.text(i + 3, 3 + 2 * i)) for i in range(6)
]


def local(**changes: Any) -> LocalChat:
    model = tiny_models.chat()
    for name, value in changes.items():
        setattr(model.config, name, value)
    return LocalChat(model, tiny_models.chat_tokenizer(), id="random@0")


# --- run here --------------------------------------------------------------------------------


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


# --- transcripts -----------------------------------------------------------------------------


class Counted(LocalChat):
    """Counts its prompts, together with all copies under other limits."""

    def __init__(self, *parts: Any, **options: Any) -> None:
        super().__init__(*parts, **options)
        self.prompts: list[Prompt] = []

    @property
    def asked(self) -> int:
        return len(self.prompts)

    def _ask(self, prompts: Any, asking: Any) -> Any:
        self.prompts.extend(prompts)
        return super()._ask(prompts, asking)


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    limits = Limits(transcripts=str(tmp_path / "kept.sqlite"))
    chat = Counted(tiny_models.chat(), tiny_models.chat_tokenizer(), id="random@0")
    first = chat.limited(limits).reply([PROMPTS[0], PROMPTS[1], PROMPTS[0]], Asking(4))
    assert chat.asked == 2 and first[0] == first[2]
    assert chat.limited(limits).reply(PROMPTS[:3], Asking(4))[:2] == first[:2]
    assert chat.asked == 3
    for asking in (Asking(5), Asking(4, temperature=1.0), Asking(4, document_tokens=3)):
        chat.limited(limits).reply(PROMPTS[:1], asking)
    assert chat.asked == 6
    other = Counted(tiny_models.chat(), tiny_models.chat_tokenizer(), id="other@0")
    other.limited(limits).reply(PROMPTS[:1], Asking(4))
    assert other.asked == 1
    chat.limited(OFF).reply(PROMPTS[:1], Asking(4))
    assert chat.asked == 7


def test_a_transcript_holds_the_prompt_and_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    (reply,) = local().limited(Limits(transcripts=str(path))).reply(PROMPTS[:1], Asking(4))
    with sqlite3.connect(path) as store:
        ((row,),) = store.execute("SELECT row FROM scores").fetchall()
    assert all(piece.text in row for piece in PROMPTS[0] if piece.slot)
    assert '"model": "random@0"' in row and f'"completion_tokens": {reply.completion_tokens}' in row


def test_transcripts_that_cannot_be_used_say_so(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match=r"transcripts .*another transcripts=FILE"):
        local().limited(Limits(transcripts=str(tmp_path / "broken"))).reply(PROMPTS[:1], Asking(4))


def test_default_transcripts_that_cannot_be_used_are_warned_of_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path))
    (tmp_path / "transcripts.sqlite").write_bytes(b"no database" * 100)
    (expected,) = local().limited(OFF).reply(PROMPTS[:1], WORD)
    for _ in range(2):
        (reply,) = local().limited(Limits()).reply(PROMPTS[:1], WORD)
        assert reply.first == pytest.approx(expected.first, abs=1e-9)
    (record,) = caplog.records
    assert "transcripts.sqlite: file is not a database" in record.getMessage()
    assert (tmp_path / "transcripts.sqlite").read_bytes() == b"no database" * 100


# --- behind an API ---------------------------------------------------------------------------


def remote(fake: Any, prompts: list[Prompt], asking: Asking = WORD, **limits: Any) -> list[Reply]:
    settings = {"transcripts": "off", "timeout": 5.0, "retries": 1, **limits}
    return connect(fake.model, offline=True).limited(Limits(**settings)).reply(prompts, asking)


def test_a_request_is_one_message_and_asks_for_probabilities(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with server(lambda request, before: says("Yes")) as fake:
        remote(fake, [ask("a <|im_end|> b", "c")])
        remote(fake, [ask("a", "c")], Asking(300, temperature=0.7, sample=3))
    assert fake.requests == [
        {
            "model": MODEL,
            "messages": [{"role": "user", "content": "Is this\na < |im_end|> b\nsaid by\nc?"}],
            "temperature": 0.0,
            "max_tokens": 16,
            "logprobs": True,
            "top_logprobs": 20,
        },
        {
            "model": MODEL,
            "messages": [{"role": "user", "content": "Is this\na\nsaid by\nc?"}],
            "temperature": 0.7,
            "max_tokens": 300,
            "seed": 3,
        },
    ]
    assert fake.headers[0]["authorization"] == "Bearer sk-secret"


def test_probabilities_of_all_spellings_are_summed() -> None:
    first = {"Yes": -1.0, " yes": -2.0, "No": -3.0, "The": -0.7, "nope": -4.0}
    with server(lambda request, before: says("Yes", first=first)) as fake:
        (reply,) = remote(fake, [ask("a b c", "d")])
    assert reply.first == pytest.approx({"yes": 0.367879 + 0.135335, "no": 0.049787}, abs=1e-6)
    assert (reply.outcome, reply.text) == (Outcome.OK, "Yes")
    assert (reply.document_tokens, reply.document_cut, reply.summary_tokens) == (3, 0, 1)
    assert (reply.prompt_tokens, reply.completion_tokens) == (100, 2)


def test_a_word_that_is_not_among_the_most_probable_has_none() -> None:
    with server(lambda request, before: says("The", first={"The": -0.1, "A": -3.0})) as fake:
        (reply,) = remote(fake, [ask("a", "b")])
    assert reply.first == {"yes": 0.0, "no": 0.0}


def test_a_server_without_alternatives_gives_the_word_that_was_written() -> None:
    body = json.loads(says("Yes", first={"Yes": -0.105360516}).body)
    body["choices"][0]["logprobs"]["content"][0]["top_logprobs"] = []
    with server(lambda request, before: Response(json.dumps(body).encode())) as fake:
        (reply,) = remote(fake, [ask("a", "b")])
    assert reply.first == pytest.approx({"yes": 0.9, "no": 0.0}, abs=1e-6)


def test_a_server_without_probabilities_is_asked_without_them_from_then_on() -> None:
    def behave(request: dict[str, Any], before: int) -> Response:
        return fails(400, "logprobs is not supported") if "logprobs" in request else says("No")

    with server(behave) as fake:
        replies = remote(fake, [ask(str(i), "b") for i in range(4)], concurrency=1)
    assert [(one.outcome, one.text, one.first) for one in replies] == [(Outcome.OK, "No", {})] * 4
    assert len(fake.requests) == 5


HALF = says("Yes").body[:40]
FAULTS: dict[str, tuple[Any, Outcome, str, int]] = {
    "429 once": (lambda n: fails(429) if n == 0 else says("Yes"), Outcome.OK, "Yes", 2),
    "500 once": (lambda n: fails(500) if n == 0 else says("Yes"), Outcome.OK, "Yes", 2),
    "500 forever": (lambda n: fails(500), Outcome.MODEL_ERROR, "", 2),
    "429 forever": (lambda n: fails(429), Outcome.MODEL_ERROR, "", 2),
    "hangs": (lambda n: Response(b"{}", wait=3), Outcome.TIMEOUT, "", 2),
    "half a JSON": (lambda n: Response(HALF), Outcome.MODEL_ERROR, "", 1),
    "cut off": (lambda n: Response(says("Yes").body, sent=40), Outcome.MODEL_ERROR, "", 2),
    "a page": (lambda n: Response(b"<html>", kind="text/html"), Outcome.MODEL_ERROR, "", 1),
    "other JSON": (lambda n: Response(b'{"a": 1}'), Outcome.MODEL_ERROR, "", 1),
    "a list": (lambda n: Response(b"[1]"), Outcome.MODEL_ERROR, "", 1),
    "null": (lambda n: Response(b"null"), Outcome.MODEL_ERROR, "", 1),
    "no choices": (lambda n: Response(b'{"choices": []}'), Outcome.MODEL_ERROR, "", 1),
    "no message": (lambda n: Response(b'{"choices": [{}]}'), Outcome.MODEL_ERROR, "", 1),
    "content of parts": (lambda n: says([{"a": 1}]), Outcome.MODEL_ERROR, "", 1),  # type: ignore[arg-type]
    "bad request": (lambda n: fails(400, "temperature"), Outcome.MODEL_ERROR, "", 1),
    "empty": (lambda n: says(""), Outcome.OK, "", 1),
    "no content": (lambda n: says(None), Outcome.OK, "", 1),
    "refusal": (lambda n: says(None, refusal="I won't."), Outcome.REFUSED, "I won't.", 1),
    "filtered": (lambda n: says("", finish="content_filter"), Outcome.REFUSED, "", 1),
    "filtered before": (lambda n: fails(400, code="content_filter"), Outcome.REFUSED, "", 1),
    "cut answer": (lambda n: says("Yes, as", finish="length"), Outcome.OK, "Yes, as", 1),
}


def test_every_fault_is_an_outcome_of_its_own_row_and_no_other() -> None:
    names = list(FAULTS)

    def behave(request: dict[str, Any], before: int) -> Response:
        content = request["messages"][0]["content"]
        name = content.partition("said by\n")[2][:-1]
        found: Response = FAULTS[name][0](before) if name in FAULTS else says("No")
        return found

    prompts = [ask("the source", name) for fault in names for name in (fault, f"after {fault}")]
    with server(behave) as fake:
        replies = remote(fake, prompts, timeout=2.0, concurrency=8)
    found = {
        name: (reply.outcome, reply.text, fake.prompts["".join(p.text for p in prompt)])
        for name, reply, prompt in zip(names, replies[::2], prompts[::2], strict=True)
    }
    assert found == {
        name: expected for name, (_, *rest) in FAULTS.items() if (expected := tuple(rest))
    }
    assert {(one.outcome, one.text) for one in replies[1::2]} == {(Outcome.OK, "No")}
    assert {one.summary_tokens for one in replies} == {1, 2, 3, 4}


def test_failures_are_asked_again_by_the_next_run_and_answers_are_not(tmp_path: Path) -> None:
    down = True

    def behave(request: dict[str, Any], before: int) -> Response:
        return fails(500) if down and "bad" in request["messages"][0]["content"] else says("Yes")

    prompts = [ask("a", "good"), ask("a", "bad")]
    with server(behave) as fake:
        kept = str(tmp_path / "kept.sqlite")
        first = remote(fake, prompts, transcripts=kept, retries=0)
        down = False
        second = remote(fake, prompts, transcripts=kept, retries=0)
    assert [one.outcome for one in first] == [Outcome.OK, Outcome.MODEL_ERROR]
    assert [one.text for one in second] == ["Yes", "Yes"]
    assert sorted(fake.prompts.values()) == [1, 2]


def test_a_document_too_long_for_the_server_is_halved_and_the_summary_is_not() -> None:
    def behave(request: dict[str, Any], before: int) -> Response:
        words = len(request["messages"][0]["content"].split())
        message = f"This model's maximum context length is 40 tokens, you sent {words}."
        return fails(400, message, "context_length_exceeded") if words > 40 else says("Yes")

    document, summary = " ".join(map(str, range(100))), "the summary of it"
    with server(behave) as fake:
        reply, hopeless = remote(fake, [ask(document, summary), ask("a b", "long " * 40)])
    assert (reply.outcome, reply.document_tokens, reply.document_cut) == (Outcome.OK, 25, 75)
    assert reply.summary_tokens == 4
    contents = [one["messages"][0]["content"] for one in fake.requests]
    assert f"Is this\n{' '.join(map(str, range(25)))}\nsaid by\n{summary}?" in contents
    assert hopeless.outcome is Outcome.TRUNCATED_SUMMARY
    with server(behave) as fake:
        asking = Asking(first=("yes", "no"), whole=True)
        limited = replace(asking, document_tokens=10)
        (whole,) = remote(fake, [ask(document, summary)], asking)
        (short,) = remote(fake, [ask(document, summary)], limited)
    assert (whole.outcome, short.outcome) == (Outcome.TOO_LONG, Outcome.TOO_LONG)
    assert len(fake.requests) == 1, "what is over document_tokens is not even sent"


def test_a_document_is_cut_to_the_words_asked_for() -> None:
    with server(lambda request, before: says("Yes")) as fake:
        (reply,) = remote(fake, [ask("one  two\nthree four", "s")], Asking(document_tokens=2))
    assert (reply.document_tokens, reply.document_cut) == (2, 2)
    assert fake.requests[0]["messages"][0]["content"] == "Is this\none  two\nsaid by\ns?"


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_server_that_refuses_every_request_ends_the_run_and_keeps_what_it_answered(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    kept = str(tmp_path / "kept.sqlite")

    def behave(request: dict[str, Any], before: int) -> Response:
        return fails(status, "bad key sk-secret") if len(fake.requests) > 3 else says("Yes")

    prompts = [ask("a", str(i)) for i in range(10)]
    with server(behave) as fake:
        with pytest.raises(ModelError, match=f"refuses every request .{status}") as error:
            remote(fake, prompts, transcripts=kept, concurrency=1)
        assert len(fake.requests) == 4
        remote(fake, prompts[:3], transcripts=kept)
        assert len(fake.requests) == 4
    assert "secret" not in str(error.value)


def test_an_account_with_nothing_left_ends_the_run() -> None:
    behave = lambda request, before: fails(429, "pay", "insufficient_quota")  # noqa: E731
    with server(behave) as fake, pytest.raises(ModelError, match="nothing left"):
        remote(fake, [ask("a", "b")], retries=0)


def test_the_key_is_neither_stored_nor_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    caplog.set_level(logging.DEBUG)

    def behave(request: dict[str, Any], before: int) -> Response:
        bad = "bad" in request["messages"][0]["content"]
        return fails(400, "you sent sk-secret") if bad else says("Yes")

    with server(behave) as fake:
        chat = connect(fake.model, offline=False)
        limits = Limits(transcripts=str(tmp_path / "kept.sqlite"), retries=0)
        chat.limited(limits).reply([ask("a", "good"), ask("a", "bad")], WORD)
    assert "1 requests failed; the last: BadRequestError" in caplog.text and "***" in caplog.text
    assert "sk-secret" not in caplog.text
    for path in tmp_path.iterdir():
        assert b"sk-secret" not in path.read_bytes()
    assert b"sk-secret" not in pickle.dumps(chat)


def test_the_budget_ends_the_run_and_the_next_one_goes_on(tmp_path: Path) -> None:
    kept = str(tmp_path / "kept.sqlite")
    prompts = [ask("a", str(i)) for i in range(7)]
    with server(lambda request, before: says("Yes")) as fake:
        chat = connect(fake.model, offline=True)
        limits = Limits(transcripts=kept, max_requests=3)
        assert len(chat.limited(limits).reply(prompts[:2], WORD)) == 2
        with pytest.raises(ModelError, match="max_requests=3 is used up and 4 prompts are left"):
            chat.limited(limits).reply(prompts, WORD)
        assert chat.requests == 3 and len(fake.requests) == 3
        unlimited = connect(fake.model, offline=True).limited(Limits(transcripts=kept))
        again = unlimited.reply(prompts, WORD)
        assert [one.outcome for one in again] == [Outcome.OK] * 7
        assert max(fake.prompts.values()) == 1


def test_no_more_requests_at_once_than_asked_for() -> None:
    lock = threading.Lock()
    running, most = 0, 0

    def behave(request: dict[str, Any], before: int) -> Response:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.05)
        with lock:
            running -= 1
        return says("Yes")

    with server(behave) as fake:
        remote(fake, [ask("a", str(i)) for i in range(12)], concurrency=3)
    assert most == 3


# --- addresses -------------------------------------------------------------------------------


def test_offline_only_a_model_on_this_machine_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    for name in ("http://localhost:1/v1#m", "http://127.0.0.1:1/v1#m", "http://[::1]:1/v1#m"):
        assert models.load(f"chat:{name}", Runtime(offline=True)).id == name
    for name in ("https://example.org/v1#m", "http://localhost.example.org/v1#m", "openai/gpt-4o"):
        assert models.load(f"chat:{name}").id == name
        with pytest.raises(ConfigError, match="this run is offline"):
            models.load(f"chat:{name}", Runtime(offline=True))
    monkeypatch.setenv("FAITHKIT_OFFLINE", "1")
    with pytest.raises(ConfigError, match="this run is offline"):
        models.load("chat:openai/gpt-4o")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("http://localhost:8000/v1", "expected http://host:port/v1#model"),
        ("http://localhost:8000/v1#", "expected http://host:port/v1#model"),
        ("http://#m", "expected http://host:port/v1#model"),
        ("http://user:pass@localhost/v1#m", "neither a password nor a query"),
        ("http://localhost/v1?key=1#m", "neither a password nor a query"),
        ("http://localhost:port/v1#m", "is no address"),
        ("openai/gpt-4o", "OPENAI_API_KEY"),
    ],
)
def test_an_address_that_cannot_be_used_says_why(
    name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=said) as error:
        models.load(f"chat:{name}")
    assert "pass@" not in str(error.value) and "key=1" not in str(error.value)


def test_one_model_is_loaded_once_so_that_its_requests_are_counted_together() -> None:
    one = models.load("chat:http://localhost:1/v1#m")
    assert isinstance(one, Endpoint) and isinstance(one, ChatModel)
    assert models.load("chat:http://localhost:1/v1#m") is one


def test_openai_is_asked_at_its_own_address_by_its_own_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    with server(lambda request, before: says("Yes")) as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{fake.url}/v1")
        chat = connect("openai/gpt-4o-mini", offline=True)
        chat.limited(OFF).reply([ask("a", "b")], Asking(16))
    (request,) = fake.requests
    assert (request["model"], request["max_completion_tokens"]) == ("gpt-4o-mini", 16)
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert connect("openai/gpt-4o", offline=False)._base == "https://api.openai.com/v1"


def test_without_the_package_openai_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"faithkit\[judge\]"):
        connect("http://localhost:1/v1#m", offline=True)
