"""`faithkit serve`: the parts of the app put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from faithkit.cache import Cache
from faithkit.run import Prepared
from faithkit.web import openapi
from faithkit.web.api import API
from faithkit.web.files_api import FilesAPI
from faithkit.web.limits import Limits
from faithkit.web.pages import render
from faithkit.web.scoring import Scorer
from faithkit.web.security import Access
from faithkit.web.server import create_app
from faithkit.web.uploads import Uploads


def scoring_app(
    prepared: Sequence[Prepared],
    open_cache: Callable[[], Cache],
    access: Access | None = None,
    limits: Limits | None = None,
) -> ASGIApp:
    """The app over these metrics, of which the first marks words while a person writes.

    open_cache  opens the store of scores that uploaded files use
    """
    limits = limits or Limits()
    scorer = Scorer(prepared, limits)
    uploads = Uploads(scorer, open_cache)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await uploads.close()
            scorer.close()

    routes = [
        *API(scorer).routes(),
        *FilesAPI(uploads, limits).routes(),
        Route("/", _page("write.html", limits=limits, metrics=prepared)),
        Route("/files", _page("files.html", limits=limits)),
        Route("/api", _page("api.html", document=openapi.document(limits))),
    ]
    return create_app(routes, access, lifespan=lifespan)


def _page(template: str, **values: object) -> Callable[[Request], Response]:
    def handler(request: Request) -> Response:
        return render(request, template, **values)

    return handler
