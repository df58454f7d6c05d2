"""The OpenAPI document of the app: what a program may send, and what it gets."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from faithkit.records import Outcome
from faithkit.web.answers import CODES
from faithkit.web.limits import Limits

Schema = dict[str, Any]

NUMBER: Schema = {"type": ["number", "null"]}
TEXT: Schema = {"type": "string"}
OFFSET: Schema = {"type": "integer", "minimum": 0}
ANY: Schema = {"type": "object"}
EXAMPLE = {
    "source": "The bridge opened in May. It cost £3m.",
    "summary": "The bridge opened in June.",
}


def document(limits: Limits) -> Schema:
    """The document, with the bounds of this server in its descriptions."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "faithkit",
            "version": version("faithkit"),
            "description": (
                "How faithful a summary is to its source, and which of its words are unsupported. "
                "Offsets count characters (Unicode code points) from 0; an end is the character "
                "after the last. Scores: higher is more faithful."
            ),
        },
        "paths": {
            "/v1/check": {"post": _check(limits)},
            "/v1/score": {"post": _score(limits)},
            "/v1/metrics": {"get": _metrics()},
            "/v1/files": {"get": _files(), "post": _upload(limits)},
            "/v1/files/{id}": {"get": _file(), "delete": _delete()},
            "/v1/files/{id}/scores.{format}": {"get": _download()},
        },
        "components": {"schemas": _schemas(), "securitySchemes": {"token": BEARER}},
        "security": [{}, {"token": []}],
    }


BEARER = {"type": "http", "scheme": "bearer", "description": "Only where the server has a token."}


def _check(limits: Limits) -> Schema:
    return _operation(
        "check",
        "One summary: value, verdict, probability, marked words and evidence",
        f"At most {limits.text:,} characters in both texts and {limits.seconds:g} seconds.",
        "Checked",
        (400, 401, 413, 415, 422, 429, 503),
        body={"CheckRequest": EXAMPLE},
    )


def _score(limits: Limits) -> Schema:
    example = {"rows": [{"id": "a", **EXAMPLE}]}
    return _operation(
        "score",
        "Rows: for each, in order, the output row of each metric",
        f"At most {limits.rows} rows, {limits.text:,} characters in each, "
        f"{limits.body // 2**20} MB and {limits.seconds:g} seconds. "
        "The rows of the answer are those that faithkit score writes.",
        "Scored",
        (400, 401, 413, 415, 422, 429, 503),
        body={"ScoreRequest": example},
    )


def _metrics() -> Schema:
    return _operation("metrics", "The metrics of this server", "", "Metrics", (401,))


def _files() -> Schema:
    return _operation("files", "The files that were uploaded", "", "Files", (401,))


def _upload(limits: Limits) -> Schema:
    operation = _operation(
        "upload",
        "A file of pairs, to be scored",
        f"The file itself is the body: JSONL, JSON, CSV, TSV, Parquet or XLSX, plain or .gz, "
        f"at most {limits.file // 2**20} MB and {limits.file_rows:,} rows. name is its name with "
        "its ending; column names a column, as source=article, and may be repeated.",
        "File",
        (401, 413, 422, 429),
        status=202,
    )
    operation["parameters"] = [
        {"name": "name", "in": "query", "required": True, "schema": TEXT},
        {"name": "column", "in": "query", "schema": _list(TEXT)},
    ]
    content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    operation["requestBody"] = {"required": True, "content": content}
    return operation


ID = {"name": "id", "in": "path", "required": True, "schema": TEXT}


def _file() -> Schema:
    return {
        **_operation("file", "How far a file is", "", "File", (401, 404)),
        "parameters": [ID],
    }


def _delete() -> Schema:
    operation = _operation("delete", "Stop scoring a file, and forget it", "", "File", (401, 404))
    operation["responses"]["204"] = {"description": "Forgotten."}
    del operation["responses"]["200"]
    return {**operation, "parameters": [ID]}


def _download() -> Schema:
    operation = _operation("download", "The scores of a file", "", "File", (401, 404, 409))
    operation["responses"]["200"] = {
        "description": "The rows that faithkit score writes.",
        "content": {"application/octet-stream": {"schema": TEXT}},
    }
    formats = {"type": "string", "enum": ["jsonl", "csv", "tsv", "parquet"]}
    format = {"name": "format", "in": "path", "required": True, "schema": formats}
    return {**operation, "parameters": [ID, format]}


def _operation(
    name: str,
    summary: str,
    description: str,
    answer: str,
    errors: tuple[int, ...],
    *,
    body: dict[str, Any] | None = None,
    status: int = 200,
) -> Schema:
    responses: Schema = {str(status): _json(answer, "The answer.")}
    for code in errors:
        responses[str(code)] = _json("Error", CODES[code].replace("_", " ").capitalize() + ".")
    operation: Schema = {"operationId": name, "summary": summary, "responses": responses}
    if description:
        operation["description"] = description
    for schema, example in (body or {}).items():
        content = {"schema": _of(schema), "example": example}
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    return operation


def _json(schema: str, description: str) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": _of(schema)}}}


def _of(schema: str) -> Schema:
    return {"$ref": f"#/components/schemas/{schema}"}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(required: str = "", **properties: Schema) -> Schema:
    """An object; `required` names those of its properties that must be there, "*" all."""
    names = [*properties] if required == "*" else required.split()
    record: Schema = {"type": "object", "properties": properties}
    return {**record, "required": names} if names else record


def _schemas() -> Schema:
    span = {"start": OFFSET, "end": OFFSET, "label": TEXT, "score": NUMBER}
    item = {**span, "summary_start": OFFSET, "summary_end": OFFSET}
    outcome = {"type": "string", "enum": [str(one) for one in Outcome]}
    verdict = {"enum": ["consistent", "not consistent", "undecided", None]}
    thresholds: Schema = _object("*", undecided_from=NUMBER, consistent_from=NUMBER)
    thresholds["type"] = ["object", "null"]
    row = {
        "id": TEXT, "metric": TEXT, "value": NUMBER, "outcome": outcome, "verdict": verdict,
        "parts": ANY,
        "spans": _list(_of("Span")), "evidence": _list(_of("Evidence")), "coverage": ANY,
        "signature": {"type": ["object", "null"]}, "texts": ANY,
    }  # fmt: skip
    return {
        "CheckRequest": _object("source summary", source=TEXT, summary=TEXT, metric=TEXT),
        "Checked": _object(
            "*", metric=TEXT, value=NUMBER, outcome=outcome, verdict=verdict, probability=NUMBER,
            limits=thresholds,
            spans=_list(_of("Span")), evidence=_list(_of("Evidence")), parts=ANY, coverage=ANY,
            signature=TEXT,
        ),
        "ScoreRequest": _object(
            "rows", rows=_list(_of("Pair")), metrics=_list(TEXT),
        ),
        "Pair": _object("source summary", id=TEXT, source=TEXT, summary=TEXT),
        "Scored": _object("*", scores=_list(_of("Row"))),
        "Row": _object("*", **row),
        "Span": _object("start end label score", **span, text=TEXT),
        "Evidence": _object("start end summary_start summary_end", **item, text=TEXT),
        "Metrics": _object(
            "*", metrics=_list(_of("Metric")),
        ),
        "Metric": _object("*", name=TEXT, unit=TEXT, bounds=_list(NUMBER), signature=TEXT),
        "File": _object(
            "*", id=TEXT, name=TEXT,
            status={"enum": ["checking", "waiting", "running", "done", "failed"]},
            rows=OFFSET, done=OFFSET, problem={"type": ["string", "null"]},
            summary=_list(_of("FileSummary")),
        ),
        "FileSummary": _object(
            "*", metric=TEXT, mean=NUMBER, scored=OFFSET, verdicts=ANY, outcomes=ANY
        ),
        "Files": _object("*", files=_list(_of("File"))),
        "Error": _object("*", error=_of("Problem")),
        "Problem": _object("*", code=TEXT, message=TEXT),
    }  # fmt: skip
