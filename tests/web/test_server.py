"""The program `faithkit serve`: its errors before it listens, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.helpers.command_line import refused
from tests.helpers.paths import HELPERS

from faithkit.records import ConfigError
from faithkit.web import server

METRIC = f"{HELPERS / 'marking_metric.py'}:Marking"


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The program and its address, once it listens."""
    command = [sys.executable, "-m", "faithkit.cli", "serve", "--port", "0", "-m", METRIC]
    environment = {**os.environ, "TMPDIR": str(folder), "FAITHKIT_CACHE": str(folder / "cache")}
    running = subprocess.Popen(
        [*command, *arguments], stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert running.stderr is not None
        line = running.stderr.readline()
        address = re.search(r"http://\S+", line)
        assert address, line + running.stderr.read()
        yield running, address[0]
    finally:
        running.kill()
        running.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_program_ends_cleanly_when_it_is_asked_to(tmp_path: Path, number: int) -> None:
    with serving(tmp_path) as (running, address):
        body = json.dumps({"source": "A secret.", "summary": "A secret."}).encode()
        headers = {"Content-Type": "application/json"}
        asked = urllib.request.Request(f"{address}v1/check", body, headers)
        with urllib.request.urlopen(asked, timeout=20) as answer:
            assert json.load(answer)["value"] == 1
        running.send_signal(number)
        _, said = running.communicate(timeout=20)
    assert running.returncode in (0, -signal.SIGTERM)
    assert said == ""
    assert not [*tmp_path.glob("faithkit-app-*")]


def test_a_port_in_use_is_one_error() -> None:
    with server.listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"port {port} of 127.0.0.1 is in use"):
            server.listen("127.0.0.1", port)
        assert refused("serve", "--port", str(port), "-m", METRIC).endswith("0 is any free one.")


def test_an_address_of_another_computer_is_one_error() -> None:
    with pytest.raises(ConfigError, match=r"cannot listen on 192\.0\.2\.1"):
        server.listen("192.0.2.1", 0)


def test_listening_beyond_this_computer_without_a_token_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FAITHKIT_TOKEN", raising=False)
    assert "a token is needed" in refused("serve", "--host", "0.0.0.0", "-m", METRIC)
    monkeypatch.setenv("FAITHKIT_TOKEN", "short")
    assert "16 or more" in refused("serve", "--host", "0.0.0.0", "-m", METRIC)


def test_an_unknown_metric_is_refused_before_anything_listens() -> None:
    assert "Unknown metric" in refused("serve", "-m", "nothing")
