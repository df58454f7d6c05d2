"""What the page asks for while a person writes: a row as the scripts of all pages show it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from faithkit.records import Example
from faithkit.report.views import row_view
from faithkit.results import shown_metrics
from faithkit.web.answers import json_of, only_fields, text_field
from faithkit.web.scoring import Scorer


class Live:
    """The handler of `/app/check`, which is for the app's pages; programs use `/v1/check`."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._metrics = shown_metrics(scorer.prepared)

    async def check(self, request: Request) -> Response:
        """A `report.views.RowView` of the texts, with the scores of every metric."""
        row = await json_of(request, self._scorer.limits.body)
        only_fields(row, "source", "summary")
        example = Example("summary", text_field(row, "source"), text_field(row, "summary"))
        (scores,) = await self._scorer.score([example], self._scorer.prepared)
        return JSONResponse(row_view(example, scores, self._metrics))
