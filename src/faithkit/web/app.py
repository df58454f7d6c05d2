"""`faithkit serve`: the parts of the app put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from faithkit.cache import Cache
from faithkit.evaluation.results import Results
from faithkit.run import Prepared
from faithkit.web import openapi
from faithkit.web.api import API
from faithkit.web.files_api import FilesAPI
from faithkit.web.limits import Limits
from faithkit.web.live import Live
from faithkit.web.pages import render
from faithkit.web.results import ResultsPages
from faithkit.web.saved import Saved, Shelf
from faithkit.web.scoring import Scorer
from faithkit.web.security import Access
from faithkit.web.server import create_app
from faithkit.web.uploads import ENDINGS, Uploads


def scoring_app(
    prepared: Sequence[Prepared],
    open_cache: Callable[[], Cache],
    access: Access | None = None,
    limits: Limits | None = None,
    saved: Mapping[str, Results] | None = None,
) -> ASGIApp:
    """The app over these metrics, of which the first marks words while a person writes.

    open_cache  opens the store of scores that uploaded files use
    saved       saved scores to look at, by their titles, at `/results/saved-1` and so on
    """
    limits = limits or Limits()
    scorer = Scorer(prepared, limits)
    shelf = Shelf()
    for number, (title, rows) in enumerate((saved or {}).items(), 1):
        shelf.put(f"saved-{number}", title, partial(Saved, rows.metrics, rows, rows.files))
    uploads = Uploads(scorer, open_cache, shelf)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await uploads.close()
            scorer.close()
            shelf.close()

    write = Page("write.html", WRITE_SCRIPTS)
    choose = Page("files.html", FILES_SCRIPTS, limits=limits, metrics=prepared, endings=ENDINGS)
    describe = Page("api.html", document=openapi.document(limits))
    routes = [
        Route("/", write, methods=["GET"]),
        Route("/files", choose, methods=["GET"]),
        Route("/api", describe, methods=["GET"]),
        Route("/app/check", Live(scorer).check, methods=["POST"]),
        *ResultsPages(shelf).routes(),
        *API(scorer).routes(),
        *FilesAPI(uploads, limits).routes(),
    ]
    return create_app(routes, access, lifespan=lifespan)


WRITE_SCRIPTS = ("elements.js", "text.js", "pair.js", "requests.js", "editor.js", "write.js")
FILES_SCRIPTS = ("elements.js", "text.js", "requests.js", "files.js")


class Page:
    """The handler of a page that is the same for everybody."""

    def __init__(self, template: str, scripts: Sequence[str] = (), **values: object) -> None:
        self._template = template
        self._scripts = scripts
        self._values = values

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        request = Request(scope, receive)
        origin = str(request.base_url).rstrip("/")
        page = render(request, self._template, scripts=self._scripts, origin=origin, **self._values)
        await page(scope, receive, send)
