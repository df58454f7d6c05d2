"""The pages of saved results, and what their scripts ask for."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from faithkit.report import assets
from faithkit.web.answers import Refusal
from faithkit.web.pages import render
from faithkit.web.saved import Saved, Shelf

SCRIPTS = (*assets.SCRIPTS, "requests.js", "saved.js")


class ResultsPages:
    """The handlers of `/results`, and of `/app/results` for its scripts."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def routes(self) -> list[Route]:
        """What it answers."""
        data = "/app/results/{id}"
        return [
            Route("/results", self.all),
            Route("/results/{id}", self.page),
            Route(f"{data}/index", self.index),
            Route(f"{data}/rows/{{number:int}}", self.row),
            Route(f"{data}/search", self.search),
        ]

    async def all(self, request: Request) -> Response:
        """What there is to look at."""
        return render(request, "results.html", results=self._shelf.titles())

    async def page(self, request: Request) -> Response:
        """One set of results; its script asks for the rest."""
        id = request.path_params["id"]
        titles = self._shelf.titles()
        if id not in titles:
            raise _absent()
        return render(request, "saved.html", scripts=SCRIPTS, id=id, title=titles[id])

    async def index(self, request: Request) -> Response:
        """The overview and the columns of the list."""
        return JSONResponse((await self._saved(request)).data)

    async def row(self, request: Request) -> Response:
        """One row, as a `report.views.RowView`."""
        saved = await self._saved(request)
        try:
            row = await asyncio.to_thread(saved.row, request.path_params["number"])
        except (IndexError, ValueError):  # no such row, or removed meanwhile
            raise Refusal(404, "There is no such row.") from None
        return Response(row, media_type="application/json")

    async def search(self, request: Request) -> Response:
        """The numbers of the rows that have a text."""
        saved = await self._saved(request)
        try:
            rows = await asyncio.to_thread(saved.search, request.query_params.get("q", ""))
        except ValueError:  # removed meanwhile
            raise _absent() from None
        return JSONResponse({"rows": rows})

    async def _saved(self, request: Request) -> Saved:
        saved = await asyncio.to_thread(self._shelf.get, request.path_params["id"])
        if saved is None:
            raise _absent()
        return saved


def _absent() -> Refusal:
    return Refusal(404, "There are no such results; uploaded files go when the server ends.")
