"""Whole runs of `judge`: faulty servers, a kill, a real server."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import tiny_models
from tests.helpers.fake_chat import Response, fails, says, server
from tests.helpers.scoring import score

from faithkit import Example, Outcome, Score


def rows(*summaries: str) -> list[Example]:
    return [Example(one, "The source.", one) for one in summaries]


@pytest.mark.slow
def test_a_run_against_a_faulty_server_loses_no_row(tmp_path: Path) -> None:
    faults: dict[str, Response] = {
        "yes": says("Yes"), "no": says("No."), "both": says("Yes and no."), "empty": says(""),
        "refusal": says("I'm sorry, but I cannot help."), "language": says("Oui, tout est vrai."),
        "half": Response(says("Yes").body[:50]), "down": fails(500),
        "hang": Response(b"", wait=4),
        "probable": says("Yes", first={"Yes": -0.105360516, "No": -2.302585093}),
    }  # fmt: skip
    expected = {
        "yes": (1.0, "ok"), "no": (0.0, "ok"), "both": (None, "unparsable"),
        "empty": (None, "unparsable"), "refusal": (None, "refused"),
        "language": (None, "unparsable"), "half": (None, "model_error"),
        "down": (None, "model_error"), "hang": (None, "timeout"), "probable": (0.9, "ok"),
        "busy": (1.0, "ok"),
    }  # fmt: skip

    def behave(request: dict[str, Any], before: int) -> Response:
        name = request["messages"][0]["content"].partition("<summary>\n")[2].partition("\n")[0]
        if name == "busy":
            return fails(429) if before == 0 else says("Yes")
        return faults[name]

    with server(behave) as fake:
        metric = f"judge:model={fake.model},timeout=2.5,retries=1,transcripts={tmp_path / 'kept'}"
        found = list(score(rows(*expected), [metric], offline=True))
    assert [score.id for score in found] == list(expected)
    values = {score.id: (score.value, str(score.outcome)) for score in found}
    assert values.pop("probable") == (pytest.approx(0.9, abs=1e-6), "ok")
    assert values == {name: one for name, one in expected.items() if name != "probable"}


def wait_for(ready: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def stored(path: Path) -> int:
    try:
        with sqlite3.connect(path) as store:
            return int(store.execute("SELECT count(*) FROM scores").fetchone()[0])
    except sqlite3.Error:
        return 0


@pytest.mark.slow
def test_killed_and_started_again_no_answer_is_paid_for_twice(tmp_path: Path) -> None:
    answered, count = 7, 20
    go_on = threading.Event()

    def behave(request: dict[str, Any], before: int) -> Response:
        if len(fake.prompts) > answered and not go_on.is_set():
            go_on.wait(120)
        return says("Yes")

    pairs, out, kept = (tmp_path / name for name in ("pairs.jsonl", "out.jsonl", "kept.sqlite"))
    lines = [
        {"id": str(i), "source": f"Source {i}.", "summary": f"Said {i}."} for i in range(count)
    ]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with server(behave) as fake:
        metric = f"judge:model={fake.model},transcripts={kept},concurrency=1,timeout=300"
        command = [
            sys.executable, "-m", "faithkit.cli", "score", str(pairs), "-m", metric,
            "-o", str(out), "--offline",
        ]  # fmt: skip
        env = {**os.environ, "FAITHKIT_CACHE": str(tmp_path / "cache")}
        first = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: stored(kept) == answered and len(fake.prompts) == answered + 1)
        finally:
            first.send_signal(signal.SIGKILL)
            first.wait()
        paid = list(fake.prompts)[:answered]
        go_on.set()
        subprocess.run(command, env=env, check=True, capture_output=True, timeout=200)
    assert len(fake.prompts) == count
    assert {fake.prompts[prompt] for prompt in paid} == {1}
    assert sum(fake.prompts.values()) == count + 1  # the one that was not answered
    rows_out = [Score.from_row(json.loads(line)) for line in out.read_text().splitlines()]
    assert [score.id for score in rows_out] == [str(i) for i in range(count)]
    assert {score.value for score in rows_out} == {1.0}


@contextmanager
def transformers_serve(model: Path) -> Iterator[str]:
    """`transformers serve`, an OpenAI-compatible server, with this model; its `chat:` name."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("transformers")
    command = [str(program), "serve", str(model), "--device", "cpu", "--host", "127.0.0.1",
               "--port", str(port)]  # fmt: skip
    env = {**os.environ, "HF_HUB_OFFLINE": "1"}
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    def up() -> bool:
        assert process.poll() is None, "transformers serve ended by itself"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    try:
        wait_for(up, 240)
        yield f"http://127.0.0.1:{port}/v1#{model}"
    finally:
        process.terminate()
        process.wait(30)


def pairs_of(count: int) -> list[Example]:
    return [
        Example(str(i), tiny_models.text(i, 20 + i), tiny_models.text(i if i % 2 else i + 9, 6))
        for i in range(count)
    ]


needs_server = pytest.mark.skipif(
    not Path(sys.executable).with_name("transformers").exists(),
    reason="the command transformers is not there",
)


@pytest.mark.verify
@needs_server
def test_a_real_server_gives_what_the_same_model_gives_here(tmp_path: Path) -> None:
    folder = tiny_models.save_chat(tmp_path / "tiny")
    examples = pairs_of(20)
    # A rating is asked for in words, so that both write a text instead of giving probabilities.
    options = "scale=1-10,timeout=120"
    with transformers_serve(folder) as name:
        served = f"judge:model={name},{options},transcripts={tmp_path / 'served'}"
        there = list(score(examples, [served], offline=True))
    local = f"judge:model={folder},{options},transcripts={tmp_path / 'local'}"
    here = list(score(examples, [local], offline=True, device="cpu"))
    assert [(s.id, s.outcome, s.value) for s in there] == [(s.id, s.outcome, s.value) for s in here]
    assert texts(tmp_path / "served") == texts(tmp_path / "local")
    assert len(texts(tmp_path / "local")) == 20
    assert [s.parts["prompt_tokens"] for s in there] == [s.parts["prompt_tokens"] for s in here]


def texts(transcripts: Path) -> dict[str, str]:
    """Prompt to answer."""
    with sqlite3.connect(transcripts) as store:
        found = [json.loads(row) for (row,) in store.execute("SELECT row FROM scores")]
    return {row["prompt"]: row["reply"]["text"] for row in found}


def smollm() -> Path:
    from platformdirs import user_cache_path

    return Path(user_cache_path("faithkit")) / "models" / "smollm2-135m"


@pytest.mark.verify
@needs_server
@pytest.mark.skipif(
    not (smollm() / "model.safetensors").is_file(),
    reason="SmolLM2 is not there; run: faithkit models pull smollm2-135m",
)
def test_twenty_pairs_end_to_end_with_smollm2_behind_a_real_server(tmp_path: Path) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    lines = [{"id": e.id, "source": e.source, "summary": e.summary} for e in pairs_of(20)]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with transformers_serve(smollm()) as name:
        metric = f"judge:model={name},timeout=300,tokens=4,transcripts={tmp_path / 'kept'}"
        command = [shutil.which("faithkit", path=str(Path(sys.executable).parent)) or "faithkit"]
        command += ["score", str(pairs), "-m", metric, "-o", str(out), "--offline", "--no-cache"]
        subprocess.run(command, check=True, capture_output=True, timeout=600)
    found = [Score.from_row(json.loads(line)) for line in out.read_text().splitlines()]
    assert [score.id for score in found] == [str(i) for i in range(20)]
    assert {score.outcome for score in found} <= {Outcome.OK, Outcome.UNPARSABLE}
    assert sum(score.outcome is Outcome.OK for score in found) >= 10
    assert all(score.parts["prompt_tokens"] > 100 for score in found)
