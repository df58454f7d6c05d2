"""The API for programs: `/v1/check` for one pair, `/v1/score` for rows, and its description."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from faithkit import inputs
from faithkit.records import JSON, ConfigError, Example, Score, did_you_mean
from faithkit.results import check_fields
from faithkit.run import Prepared
from faithkit.web import openapi
from faithkit.web.answers import Refusal, json_of, only_fields, text_field
from faithkit.web.scoring import Scorer


class API:
    """The handlers of the API."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def routes(self) -> list[Route]:
        """What it answers."""
        return [
            Route("/v1/check", self.check, methods=["POST"]),
            Route("/v1/score", self.score, methods=["POST"]),
            Route("/v1/metrics", self.metrics),
            Route("/v1/openapi.json", self.description),
        ]

    async def check(self, request: Request) -> Response:
        """One summary: value, verdict, probability, marked words and evidence."""
        row = await json_of(request, self._scorer.limits.body)
        only_fields(row, "source", "summary", "metric")
        scorer = self._chosen(row.get("metric"))
        example = Example("summary", text_field(row, "source"), text_field(row, "summary"))
        ((score,),) = await self._scorer.score([example], [scorer])
        return JSONResponse(checked(example, score, scorer))

    async def score(self, request: Request) -> Response:
        """Rows: for each, in order, the output row of each metric."""
        limits = self._scorer.limits
        body = await json_of(request, limits.body)
        only_fields(body, "rows", "metrics")
        rows = body.get("rows")
        if not isinstance(rows, list) or not rows:
            raise Refusal(422, "'rows' should be a list of objects with 'source' and 'summary'.")
        if len(rows) > limits.rows:
            raise Refusal(413, f"{len(rows)} rows in one request; {limits.rows} are the most.")
        if not all(isinstance(row, Mapping) and _is_object(row.get("meta")) for row in rows):
            raise Refusal(422, "Each of 'rows' should be an object with 'source' and 'summary'.")
        names = body.get("metrics", [scorer.label for scorer in self._scorer.prepared])
        if not (isinstance(names, list) and names and all(isinstance(n, str) for n in names)):
            raise Refusal(422, "'metrics' should be a list of names.")
        metrics = [self._chosen(name) for name in names]
        # Spans of people are no input of the API: they would have to be records.
        given = [{key: row[key] for key in row if key != "spans"} for row in rows]
        examples = inputs.unique_examples_of(given)
        scores = await self._scorer.score(examples, metrics)
        return JSONResponse({"scores": [score.to_row() for row in scores for score in row]})

    async def metrics(self, _: Request) -> Response:
        """The metrics that this server was started with."""
        return JSONResponse({"metrics": [described(scorer) for scorer in self._scorer.prepared]})

    async def description(self, _: Request) -> Response:
        """The OpenAPI document."""
        return JSONResponse(openapi.document(self._scorer.limits))

    def _chosen(self, name: object) -> Prepared:
        by_label = {scorer.label: scorer for scorer in self._scorer.prepared}
        if name is None:
            return self._scorer.prepared[0]
        if not isinstance(name, str) or name not in by_label:
            raise ConfigError(
                f"this server has no metric {name!r}.{did_you_mean(str(name), by_label)}"
            )
        return by_label[name]


def described(scorer: Prepared) -> dict[str, JSON]:
    """A metric as `/v1/metrics` shows it."""
    return {
        "name": scorer.label,
        "unit": scorer.metric.unit,
        "bounds": [*scorer.metric.bounds],
        "signature": scorer.signature.short,
    }


def checked(example: Example, score: Score, scorer: Prepared) -> dict[str, JSON]:
    """The answer of `/v1/check`. Offsets count characters (Unicode code points)."""
    row = score.to_row()
    return {
        "metric": score.metric,
        "value": score.value,
        "outcome": str(score.outcome),
        **check_fields(example, score, scorer.metric.unit, scorer.verdict_thresholds),
        "parts": row["parts"],
        "coverage": row["coverage"],
        "signature": scorer.signature.short,
    }


def _is_object(meta: object) -> bool:
    return meta is None or isinstance(meta, Mapping)
