"""An OpenAI-compatible server that answers, and fails, as a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "fake"


@dataclass(frozen=True)
class Response:
    """What the server sends: `body` as it is, cut off after `sent` bytes where that is less."""

    body: bytes
    status: int = 200
    wait: float = 0.0
    sent: int | None = None
    kind: str = "application/json"


def says(
    text: str | None, *, first: dict[str, float] | None = None, finish: str = "stop", **message: Any
) -> Response:
    """A completion. first: token to log-probability at the first place."""
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": text, **message},
    }
    if first is not None:
        top = [{"token": token, "logprob": log, "bytes": None} for token, log in first.items()]
        choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
    completion = {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102},
    }
    return Response(json.dumps(completion).encode())


def fails(status: int, message: str = "no", code: str | None = None) -> Response:
    return Response(json.dumps({"error": {"message": message, "code": code}}).encode(), status)


Behaviour = Callable[[dict[str, Any], int], Response]
"""From a request, and how often its prompt was sent before, to what is sent back."""


@dataclass
class Fake:
    """A running server. requests: the bodies it was sent, in order."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def model(self) -> str:
        return f"{self.url}/v1#{MODEL}"

    @property
    def prompts(self) -> Counter[str]:
        return Counter(request["messages"][0]["content"] for request in self.requests)


@contextmanager
def server(behave: Behaviour) -> Iterator[Fake]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                before = fake.prompts[request["messages"][0]["content"]]
                fake.requests.append(request)
                fake.headers.append(dict(self.headers))
            response = behave(request, before)
            time.sleep(response.wait)
            try:
                self.send_response(response.status)
                self.send_header("content-type", response.kind)
                self.send_header("content-length", str(len(response.body)))
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(response.body[: response.sent])
            except OSError:
                pass  # the client has gone
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    http.block_on_close = False
    fake = Fake(f"http://127.0.0.1:{http.server_port}")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield fake
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
