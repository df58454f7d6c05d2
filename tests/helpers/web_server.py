"""The app over metrics that need no model, called in this process or listening on a free port."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.testclient import TestClient
from starlette.types import ASGIApp
from tests.helpers.marking_metric import Marking

from faithkit import run
from faithkit.cache import Cache
from faithkit.web import server
from faithkit.web.app import scoring_app

HERE = "http://127.0.0.1:8420"


def app(metrics: Sequence[Any] | None = None, **settings: Any) -> ASGIApp:
    """The app over these metrics, by default one that marks words without a model."""
    return scoring_app(run.prepare(metrics or [Marking()]), lambda: Cache(None), **settings)


@contextmanager
def client(*metrics: Any, **settings: Any) -> Iterator[TestClient]:
    """A program that talks to the app, as a browser on this computer would address it."""
    served = app(metrics, **settings)
    with TestClient(served, HERE, follow_redirects=False) as made:
        yield made


@contextmanager
def listening(served: ASGIApp, port: int = 0) -> Iterator[str]:
    """The address of the app, on a free port unless one is given."""
    with server.listen("127.0.0.1", port) as socket:
        config = uvicorn.Config(served, log_config=None, access_log=False, lifespan="on")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [socket]}, daemon=True)
        thread.start()
        while not running.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield server.address(socket).rstrip("/")
        finally:
            running.should_exit = True
            thread.join(10)
