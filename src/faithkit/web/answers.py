"""The answers that every part of the app gives: errors in one form, and bodies within bounds.

An error is `{"error": {"code": ..., "message": ...}}` to a program and a small page to a person.
"""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route

from faithkit.records import FaithkitError, ModelError, did_you_mean

BODY_SECONDS = 60
"""How long the body of a request may take to arrive."""

LONGEST_MESSAGE = 2000
"""Characters of an error."""

CODES = {
    400: "bad_request",
    401: "token_needed",
    403: "refused",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    409: "not_ready",
    413: "too_large",
    415: "wrong_media_type",
    422: "invalid",
    429: "too_many_requests",
    500: "failed",
    503: "unavailable",
}

log = logging.getLogger("faithkit")


class Refusal(Exception):
    """A request that is answered with an error.

    retry_after  seconds after which the same request may succeed; None if it never will
    """

    def __init__(self, status: int, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.retry_after = retry_after


def error(request: Request, status: int, message: str, **headers: str) -> Response:
    """The answer to a request that fails, as JSON or as a page."""
    # A message may quote what was sent, such as a name of a megabyte or half a surrogate pair.
    message = message[:LONGEST_MESSAGE].encode(errors="replace").decode()
    if wants_page(request):
        from faithkit.web.pages import render

        response = render(request, "error.html", status=status, message=message)
        response.status_code = status
        response.headers.update(headers)
        return response
    code = CODES.get(status, "failed")
    record = {"error": {"code": code, "message": message}}
    return JSONResponse(record, status_code=status, headers=headers)


def wants_page(request: Request) -> bool:
    """Whether a person opened this address in a browser."""
    accepted = request.headers.get("accept", "")
    return "text/html" in accepted and not request.url.path.startswith("/v1/")


async def on_error(request: Request, raised: Exception) -> Response:
    """The answer to whatever was raised while a request was handled."""
    if isinstance(raised, Refusal):
        retry = {} if raised.retry_after is None else {"Retry-After": str(raised.retry_after)}
        return error(request, raised.status, raised.message, **retry)
    if isinstance(raised, HTTPException):
        message = {404: f"There is nothing at {request.url.path}."}.get(
            raised.status_code, f"{raised.detail}."
        )
        headers = dict(raised.headers or {})
        if raised.status_code == 405:
            headers["Allow"] = _allowed(request)
        return error(request, raised.status_code, message, **headers)
    if isinstance(raised, FaithkitError):
        return error(request, 500 if isinstance(raised, ModelError) else 422, str(raised))
    return error(request, 500, "This failed inside faithkit; the server's log says where.")


def _allowed(request: Request) -> str:
    """The methods of every route at this address; a route alone names its own."""
    at_address = (
        route.methods or ()
        for route in request.app.routes
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE
    )
    return ", ".join(sorted({method for methods in at_address for method in methods}))


def log_failure(what: str, raised: Exception) -> None:
    """Says what failed and where. Not the exception's message: it may quote a user's text."""
    frames = traceback.extract_tb(raised.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown place"
    log.error("%s failed: %s at %s", what, type(raised).__name__, place)


async def body_of(request: Request, limit: int) -> AsyncIterator[bytes]:
    """The pieces of a body of at most `limit` bytes. Raises Refusal beyond, and where it takes
    longer than a minute."""
    too_large = Refusal(413, f"The request is larger than {_megabytes(limit)}.")
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared) > limit:
        raise too_large
    received = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                received += len(piece)
                if received > limit:
                    raise too_large
                yield piece
    except TimeoutError:
        raise Refusal(408, f"The request took longer than {BODY_SECONDS} seconds.") from None
    except ClientDisconnect:
        raise Refusal(400, "The request broke off.") from None


async def json_of(request: Request, limit: int) -> dict[str, Any]:
    """The JSON object in a body of at most `limit` bytes. Raises Refusal."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Refusal(415, "Send JSON, with the header Content-Type: application/json.")
    body = b"".join([piece async for piece in body_of(request, limit)])
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(400, "The body is not JSON.") from None
    if not isinstance(value, dict):
        raise Refusal(422, f"Expected a JSON object, found {type(value).__name__}.")
    return value


def text_field(row: Mapping[str, Any], name: str) -> str:
    """The text in a field. Raises Refusal."""
    if name not in row:
        raise Refusal(422, f"There is no '{name}'; expected 'source' and 'summary', both texts.")
    value = row[name]
    if not isinstance(value, str):
        raise Refusal(422, f"'{name}' should be text, found {type(value).__name__}.")
    return value


def only_fields(row: Mapping[str, Any], *names: str) -> None:
    """Raises Refusal for a field of another name, which would be ignored."""
    for name in row:
        if name not in names:
            raise Refusal(422, f"There is no field '{name}' here.{did_you_mean(name, names)}")


def _megabytes(size: int) -> str:
    return f"{size / 2**20:g} MB" if size >= 2**20 else f"{size:,} bytes"
