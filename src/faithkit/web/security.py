"""Whom the app answers, and what its pages may do.

Every request passes `Guard` first: its Host must be a name of this server (DNS rebinding), its
Origin this server itself (requests forged by other sites), and, where there is a token, it must
carry it or the cookie of a person who gave it. Every answer leaves with headers under which a page
runs the app's scripts only and is shown in no other site's frame.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import socket
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address
from urllib.parse import parse_qs, quote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faithkit.records import ConfigError
from faithkit.web import answers
from faithkit.web.answers import Refusal

LEAST_TOKEN = 16
"""Characters of the shortest token: one that nobody tries out."""

LOGIN = "/login"
OPEN_PATHS = (LOGIN, "/static/")
"""What is answered without the token: the page that asks for it, and what that page looks like."""

WRONG_TOKEN_SECONDS = 0.5
"""How long a wrong token waits for its answer."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?", re.ASCII)


@dataclass(frozen=True)
class Access:
    """Whom a server answers.

    host   the name or address that it listens on
    token  what a request has to carry; None: nothing, which is allowed on this computer only
    names  names of the server beside its own, such as that of a proxy before it

    Raises ConfigError for a host beyond this computer without a token, and for a token that is too
    short or holds what no header can carry.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    names: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.token is None:
            if not self.local:
                raise ConfigError(
                    f"'{self.host}' can be reached from other computers, so a token is needed: put "
                    "one into FAITHKIT_TOKEN or into a file for --token-file. Without one the app "
                    "answers on 127.0.0.1 only."
                )
        elif len(self.token) < LEAST_TOKEN or not re.fullmatch(r"[!-~]+", self.token):
            raise ConfigError(
                f"a token has {LEAST_TOKEN} or more letters, digits and signs of ASCII, without "
                "spaces. `openssl rand -hex 32` makes one."
            )

    @cached_property
    def local(self) -> bool:
        """Whether only this computer can reach the server."""
        return self.host == "localhost" or _is_loopback(self.host)

    @cached_property
    def _names(self) -> frozenset[str]:
        names = {"localhost", *(name.lower() for name in self.names)}
        if not self.local:
            names |= {self.host.lower(), socket.gethostname().lower()}
        return frozenset(names)

    def accepts_host(self, name: str) -> bool:
        """Whether a Host names this server. Beyond this computer any address does: another site
        can make its own name lead here, and no address."""
        if name in self._names:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return _is_loopback(name) or not self.local

    def is_token(self, given: str) -> bool:
        """Whether this is the token, compared in constant time."""
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())

    @cached_property
    def cookie(self) -> tuple[str, str]:
        """Name and value of the cookie of a person who gave the token; neither shows it."""
        key = (self.token or "").encode()
        name, value = (hmac.digest(key, use, "sha256").hex() for use in (b"name", b"session"))
        return f"faithkit-{name[:12]}", value


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """The app, for those it answers. The outermost layer, so that every answer has the headers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request, or answers why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, _with_headers(send, scope["path"]))
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        app: ASGIApp = self._app
        try:
            self._check_host(request)
            self._check_origin(request)
            if self._access.token is not None:
                app = await self._login(request) or self._app
        except Refusal as refusal:
            app = await answers.on_error(request, refusal)
        try:
            await app(scope, receive, send)
        except Exception as raised:
            # It was answered; here it is kept from the server's log, which would quote texts.
            answers.log_failure(f"{request.method} {request.url.path}", raised)

    def _check_host(self, request: Request) -> None:
        given = request.headers.getlist("host")
        match = _HOST.fullmatch(given[0].lower()) if len(given) == 1 else None
        if match is None or not self._access.accepts_host(match["name"].strip("[]")):
            raise Refusal(
                403, "This server does not answer under this name; --allow-host NAME adds one."
            )

    def _check_origin(self, request: Request) -> None:
        """A browser says where a request comes from, in Origin or Sec-Fetch-Site; a program sends
        neither. A link from another site may open a page, and nothing else."""
        headers = request.headers
        origin = headers.get("origin")
        foreign = origin is not None and not _is_of_host(origin, headers["host"])
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            opens = headers.get("sec-fetch-mode") == "navigate" and request.method == "GET"
            foreign = foreign or not opens
        if foreign:
            raise Refusal(403, "This request comes from another site.")

    async def _login(self, request: Request) -> Response | None:
        """The answer to a request for the login page or without the token; None: the app's."""
        name, value = self._access.cookie
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        known = hmac.compare_digest(request.cookies.get(name, "").encode(), value.encode())
        known = known or (scheme.lower() == "bearer" and self._access.is_token(token.strip()))
        path = request.url.path
        if path == LOGIN:
            return await self._login_page(request)
        if known or path.startswith(OPEN_PATHS):
            return None
        if answers.wants_page(request) and request.method == "GET":
            return RedirectResponse(f"{LOGIN}?next={quote(_local(request), safe='')}", 303)
        message = "This server wants its token: send the header Authorization: Bearer TOKEN."
        return answers.error(request, 401, message, **{"WWW-Authenticate": "Bearer"})

    async def _login_page(self, request: Request) -> Response:
        from faithkit.web.pages import render

        target = _safe(request.query_params.get("next", "/"))
        if request.method != "POST":
            return render(request, "login.html", next=target, wrong=False)
        body = b"".join([piece async for piece in answers.body_of(request, 4096)])
        form = parse_qs(body.decode("utf-8", "replace"))
        if not self._access.is_token(form.get("token", [""])[0].strip()):
            await asyncio.sleep(WRONG_TOKEN_SECONDS)
            page = render(request, "login.html", next=target, wrong=True)
            page.status_code = 401
            return page
        response = RedirectResponse(target, 303)
        secure = request.url.scheme == "https"
        name, value = self._access.cookie
        response.set_cookie(name, value, httponly=True, samesite="strict", secure=secure)
        return response


def _is_of_host(origin: str, host: str) -> bool:
    """Whether an Origin, which may be "null" or no address at all, names this host and port."""
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def _local(request: Request) -> str:
    query = request.url.query
    return f"{request.url.path}?{query}" if query else request.url.path


def _safe(target: str) -> str:
    """The path of this server that a login leads to; the first page for anything else."""
    return target if re.fullmatch(r"/(?![/\\])[!-~]*", target) else "/"


def _with_headers(send: Send, path: str) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers["Cache-Control"] = "no-cache" if path.startswith("/static/") else "no-store"
        await send(message)

    return wrapped
