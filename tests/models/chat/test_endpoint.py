"""A chat model behind an API that fails in every way a server can."""

from __future__ import annotations

import json
import logging
import pickle
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.chat_prompts import OFF, WORD, ask
from tests.helpers.fake_chat import MODEL, Response, fails, says, server

from faithkit import models
from faithkit.models.chat.endpoint import Endpoint, connect
from faithkit.models.chat.responses import collecting
from faithkit.models.protocols import Asking, ChatModel, Limits, Prompt, Reply
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError, ModelError, Outcome

pytestmark = pytest.mark.slow


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
    assert "1 request failed; the last: BadRequestError" in caplog.text and "***" in caplog.text
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
    ],
)
def test_an_address_that_cannot_be_used_says_why(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as error:
        models.load(f"chat:{name}")
    assert "pass@" not in str(error.value) and "key=1" not in str(error.value)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://user:pass@localhost/v1", "neither a password nor a query"),
        ("http://user:pass@localhost:port/v1", "is no address"),
        ("localhost:8000/v1", "in OPENAI_BASE_URL http://host:port/v1"),
    ],
)
def test_an_address_in_the_environment_is_checked_as_any_other(
    monkeypatch: pytest.MonkeyPatch, address: str, said: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    with pytest.raises(ConfigError, match=said) as error:
        connect("openai/gpt-4o", offline=False)
    assert "pass@" not in str(error.value)


def test_one_model_is_loaded_once_so_that_its_requests_are_counted_together() -> None:
    one = models.load("chat:http://localhost:1/v1#m")
    assert isinstance(one, Endpoint) and isinstance(one, ChatModel)
    assert models.load("chat:http://localhost:1/v1#m") is one


def test_openai_models_are_asked_at_the_address_of_openai(
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


def test_a_model_elsewhere_than_at_openai_has_its_address_in_its_id(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    of_openai = models.load("chat:openai/gpt-4o")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    local = models.load("chat:openai/gpt-4o")
    assert local.id == "openai/gpt-4o@http://localhost:1/v1" and local is not of_openai
    assert models.load("chat:openai/gpt-4o") is local
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1/")
    assert models.load("chat:openai/gpt-4o") is of_openai and of_openai.id == "openai/gpt-4o"


def test_a_key_is_needed_only_where_something_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    chat = connect("openai/gpt-4o", offline=False).limited(OFF)
    requests: list[str] = []
    with collecting(lambda name, body: requests.append(name)):
        chat.reply([ask("a", "b")], WORD)
    assert len(requests) == 1
    with pytest.raises(ConfigError, match="needs a key in the environment: OPENAI_API_KEY"):
        chat.reply([ask("a", "b")], WORD)


@pytest.mark.parametrize(
    ("name", "allowed", "sent"),
    [
        ("https://example.org/v1#m", "", True),
        ("http://localhost:8000/v1#m", "", True),
        ("http://127.0.0.1:8000/v1#m", "", True),
        ("http://example.org/v1#m", "", False),
        ("http://192.168.0.7:8000/v1#m", "", False),
        ("http://example.org/v1#m", "1", True),
    ],
)
def test_the_key_goes_to_another_computer_over_https_only(
    name: str, allowed: str, sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = connect(name, offline=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert chat._key() == "none"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("FAITHKIT_PLAIN_HTTP", allowed)
    if sent:
        assert chat._key() == "sk-secret"
        return
    with pytest.raises(ConfigError, match=r"sent unencrypted.*FAITHKIT_PLAIN_HTTP=1") as refused:
        chat.limited(OFF).reply([ask("a", "b")], WORD)
    assert "sk-secret" not in str(refused.value)


def test_without_the_package_openai_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"faithkit\[judge\]"):
        connect("http://localhost:1/v1#m", offline=True)
