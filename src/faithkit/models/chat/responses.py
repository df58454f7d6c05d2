"""Requests written to files and responses read from files, in the format of OpenAI's Batch API, for
providers that answer overnight at half the price.

`collecting` collects requests instead of sending them; `Responses` reads the responses. A request's
`custom_id` is the key of its transcript, so responses may be in any order and any number of files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from faithkit.cache import Cache
from faithkit.records import JSON, DataError, Outcome

URL = "/v1/chat/completions"
EXPIRED = "batch_expired"
CHUNK = 500
"""How many responses are stored at a time."""

Collect = Callable[[str, dict[str, Any]], None]
"""A function that takes the `custom_id` and the body of a request."""

_collector: ContextVar[Collect | None] = ContextVar("requests", default=None)


@contextmanager
def collecting(collect: Collect) -> Iterator[None]:
    """Within this context, models behind an API pass their requests to `collect` instead of sending
    them, and reply with model_error."""
    token = _collector.set(collect)
    try:
        yield
    finally:
        _collector.reset(token)


def collector() -> Collect | None:
    """The function that collects requests; None if requests are sent."""
    return _collector.get()


def request_line(custom_id: str, body: dict[str, Any]) -> dict[str, JSON]:
    """A line of a file of requests."""
    return {"custom_id": custom_id, "method": "POST", "url": URL, "body": body}


class Responses:
    """The responses in a file, or in the files `*.jsonl` of a folder, by `custom_id`. If a request
    has several responses, the first that succeeded is used. They are held on disk, not in memory.

    Raises DataError if a file is missing or a line is not a response.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._store = Cache(None)
        for succeeded in (True, False):
            batch: dict[bytes, dict[str, Any]] = {}
            for line in _lines(Path(path).expanduser()):
                if _succeeded(line) == succeeded:
                    batch.setdefault(line["custom_id"].encode(), line)
                if len(batch) >= CHUNK:
                    self._store.put(batch)
                    batch = {}
            self._store.put(batch)

    def __reduce__(self) -> tuple[Any, ...]:
        return Responses, (self.path,)

    def of(self, custom_id: str) -> dict[str, Any] | None:
        """The line with the response to a request; None if absent."""
        return self._store.get([custom_id.encode()]).get(custom_id.encode())


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The responses in a file, or in the files of a folder. Raises DataError."""
    if not path.exists():
        raise DataError(f"{path}: no such file of responses")
    paths = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not paths:
        raise DataError(f"{path}: no file .jsonl of responses")
    for file in paths:
        with file.open("rb") as opened:
            for number, text in enumerate(opened, start=1):
                if not text.isspace():
                    yield _line(text, f"{file}, line {number}")


def _line(text: bytes, place: str) -> dict[str, Any]:
    """A line as a response. Raises DataError, which names the `place` of the line, if it is not
    one."""
    try:
        line = json.loads(text)
    except ValueError as error:
        raise DataError(f"{place}: not JSON ({error})") from error
    if not isinstance(line, dict) or not isinstance(line.get("custom_id"), str):
        raise DataError(f"{place}, field 'custom_id': expected the text of a request's custom_id")
    if not isinstance(line.get("response"), dict) and not isinstance(line.get("error"), dict):
        raise DataError(f"{place}: expected a field 'response' or 'error'; are these the requests?")
    return line


def _succeeded(line: dict[str, Any]) -> bool:
    return (line.get("response") or {}).get("status_code") == 200


def failure(line: dict[str, Any] | None, too_long: Callable[[str], object]) -> tuple[Outcome, str]:
    """The outcome of a request without a completion, and the reason ("" if the model refused).

    line      the response; None if there is none
    too_long  whether an error message says that the prompt does not fit
    """
    if line is None:
        return Outcome.TIMEOUT, "no response in the files"
    response = line.get("response") or {}
    body = response.get("body")
    error = line.get("error") or (body.get("error") if isinstance(body, dict) else None) or {}
    code, message = (
        (str(error.get("code")), str(error.get("message")))
        if isinstance(error, dict)
        else ("", str(error))
    )
    reason = f"{response.get('status_code', '')} {code}: {message}".strip()[:500]
    if code == EXPIRED:
        return Outcome.TIMEOUT, reason
    if code == "content_filter":
        return Outcome.REFUSED, ""
    if response.get("status_code") in (400, 413, 422) and too_long(message):
        return Outcome.TOO_LONG, reason
    return Outcome.MODEL_ERROR, reason
