"""The app as a whole: routes behind the guard, the socket it listens on, and its end."""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from faithkit.records import ConfigError, FaithkitError
from faithkit.web import answers
from faithkit.web.security import Access, Guard

PORT = 8420
STOP_SECONDS = 3
"""How long requests that are being answered may take when the server is stopped."""

CONNECTIONS = 200
"""Connections at once; more are answered 503."""

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]


ASSETS: list[str | tuple[str, str]] = [("faithkit.web", "static"), ("faithkit.report", "assets")]
"""Packages and their folders of style sheets and scripts, all at `/static/`."""


class _Assets(StaticFiles):
    """Style sheets and scripts, and nothing else that is beside them."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """See StaticFiles."""
        return super().lookup_path(path) if path.endswith((".css", ".js")) else ("", None)


@asynccontextmanager
async def _nothing(_: Starlette) -> AsyncIterator[None]:
    yield


def create_app(
    routes: Sequence[BaseRoute], access: Access | None = None, *, lifespan: Lifespan = _nothing
) -> ASGIApp:
    """The app of these routes, with `/static`, behind the guard.

    access    whom it answers; None: whoever is on this computer
    lifespan  what begins and ends with the server
    """
    static = Mount("/static", _Assets(packages=ASSETS))
    handlers = dict.fromkeys(
        (answers.Refusal, FaithkitError, HTTPException, Exception), answers.on_error
    )
    app = Starlette(routes=[*routes, static], exception_handlers=handlers, lifespan=lifespan)
    return Guard(app, access or Access())


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Port 0: any that is free. Raises ConfigError where that cannot be."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            message = f"port {port} of {host} is in use. Give another --port; 0 is any free one."
        elif error.errno in (errno.EACCES, errno.EPERM):
            message = f"port {port} needs administrator rights; give a --port from 1024 up."
        else:
            message = f"cannot listen on {host}: {error.strerror or error}"
        raise ConfigError(message) from error


def address(listening: socket.socket) -> str:
    """The address of the app for a browser on this computer."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Answers until the program is interrupted or ended (SIGINT, SIGTERM), then ends what it began.

    Nothing of a request is logged.
    """
    import uvicorn

    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=STOP_SECONDS,
        lifespan="on",
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        return
    finally:
        listening.close()
