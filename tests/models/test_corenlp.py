"""Triples from a CoreNLP server, and `openie` with them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.helpers.load_metric import load_metric

from faithkit import ConfigError, Example, ModelError, Outcome, models
from faithkit.language.words import words
from faithkit.metrics.openie import OpenIe
from faithkit.models.corenlp import CoreNlp, read_answer
from faithkit.models.protocols import Fact
from faithkit.models.runtime import Runtime

pytestmark = pytest.mark.slow


STATED = {
    "Acme bought Globex.": [("Acme", "bought", "Globex", (0, 1), (1, 2), (2, 3))],
    "🎉 Globex was bought.": [("Globex", "was", "bought", (1, 2), (2, 3), (3, 4))],
    "Hello.": [],
}


def answer_to(text: str, codepoints: bool = True) -> dict[str, Any]:
    """An answer in the layout of CoreNLP's openie annotator with outputFormat=json, made here."""
    tokens = []
    for index, word in enumerate(words(text), start=1):
        before = len(text[: word.start].encode("utf-16-le")) // 2
        token = {
            "index": index,
            "word": word.text,
            "originalText": word.text,
            "lemma": word.text.lower(),
            "characterOffsetBegin": before,
            "characterOffsetEnd": before + len(word.text.encode("utf-16-le")) // 2,
            "pos": "NNP",
            "before": "",
            "after": " ",
        }
        if codepoints:
            token |= {"codepointOffsetBegin": word.start, "codepointOffsetEnd": word.end}
        tokens.append(token)
    facts = [
        {
            "subject": subject,
            "subjectSpan": list(first),
            "relation": relation,
            "relationSpan": list(second),
            "object": thing,
            "objectSpan": list(third),
        }
        for subject, relation, thing, first, second, third in STATED[text]
    ]
    return {"sentences": [{"index": 0, "openie": facts, "tokens": tokens}]}


@contextmanager
def server(reply: Callable[[BaseHTTPRequestHandler, str], None]) -> Iterator[str]:
    """A server on this machine whose every answer `reply` writes; its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            reply(self, body)

        def log_message(self, *_: Any) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def answering(handler: BaseHTTPRequestHandler, text: str) -> None:
    assert "openie" in handler.path
    send(handler, json.dumps(answer_to(text)).encode())


def test_corenlp_s_facts_with_their_places() -> None:
    with server(answering) as url:
        found = CoreNlp(url).extract(["Acme bought Globex.", "Hello.", "🎉 Globex was bought."])
    assert [one.outcome for one in found] == [Outcome.OK] * 3
    assert found[0].facts == (Fact("Acme", "bought", "Globex", ((0, 4), (5, 11), (12, 18))),)
    assert found[1].facts == ()
    assert found[2].facts[0].pieces == ((2, 8), (9, 12), (13, 19))


def test_utf16_offsets_of_older_servers_are_counted_again() -> None:
    text = "🎉 Globex was bought."
    (fact,) = read_answer(answer_to(text, codepoints=False), text)
    assert [text[start:end] for start, end in fact.pieces] == ["Globex", "was", "bought"]


def test_openie_with_an_extractor_by_url() -> None:
    load = models.load
    with server(answering) as url:
        metric, signature, _ = load_metric(f"openie:extractor={url}/", load)
        example = Example("x", "Acme bought Globex.", "Acme bought Globex.")
        (score,) = metric.score([example])
    assert signature.models == {"extractor": url}
    assert (score.value, score.parts["rmr1"]) == (1.0, 1.0)
    assert (score.evidence[0].start, score.evidence[0].end) == (0, 18)


def broken(handler: BaseHTTPRequestHandler, text: str) -> None:
    send(handler, b"java.lang.OutOfMemoryError", status=500)


def not_json(handler: BaseHTTPRequestHandler, text: str) -> None:
    send(handler, b"<html>hello</html>")


def other_layout(handler: BaseHTTPRequestHandler, text: str) -> None:
    send(handler, b'{"sentences": [{"tokens": []}]}')


def redirecting(handler: BaseHTTPRequestHandler, text: str) -> None:
    handler.send_response(302)
    handler.send_header("Location", "http://127.0.0.1:1/elsewhere")
    handler.end_headers()


def too_large(handler: BaseHTTPRequestHandler, text: str) -> None:
    send(handler, b" " * 200_000)


def closing(handler: BaseHTTPRequestHandler, text: str) -> None:
    handler.close_connection = True


def hanging(handler: BaseHTTPRequestHandler, text: str) -> None:
    time.sleep(2)


def dripping(handler: BaseHTTPRequestHandler, text: str) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(20):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (broken, Outcome.MODEL_ERROR),
        (not_json, Outcome.MODEL_ERROR),
        (other_layout, Outcome.MODEL_ERROR),
        (redirecting, Outcome.MODEL_ERROR),
        (too_large, Outcome.MODEL_ERROR),
        (closing, Outcome.MODEL_ERROR),
        (hanging, Outcome.TIMEOUT),
        (dripping, Outcome.TIMEOUT),
    ],
)
def test_a_faulty_server_is_an_outcome(reply: Any, outcome: Outcome) -> None:
    with server(reply) as url:
        metric = OpenIe(extractor=CoreNlp(url, seconds=0.5, most=100_000))
        began = time.monotonic()
        (score,) = metric.score([Example("x", "Acme bought Globex.", "Hello.")])
    assert (score.value, score.outcome) == (None, outcome)
    assert time.monotonic() - began < 10


def test_no_server_at_all_is_an_error_that_says_so() -> None:
    with server(answering) as url:
        pass
    with pytest.raises(ModelError, match="No server answers"):
        CoreNlp(url).extract(["Hello."])


@pytest.mark.parametrize("url", ["corenlp", "file:///etc/passwd", "http://me:secret@host:9000"])
def test_an_extractor_that_is_no_plain_url_is_a_config_error(url: str) -> None:
    with pytest.raises(ConfigError) as error:
        models.load(f"openie:{url}")
    assert "secret" not in str(error.value)


def test_offline_asks_no_other_machine() -> None:
    with pytest.raises(ModelError, match="offline"):
        models.load("openie:http://example.org:9000", Runtime(offline=True))
    assert (
        models.load("openie:http://localhost:9000", Runtime(offline=True)).id
        == "http://localhost:9000"
    )
