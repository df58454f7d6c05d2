"""The part of the API for uploaded files: send one, watch it, take its scores."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from faithkit.columns import parse_columns
from faithkit.extras import require
from faithkit.web.answers import Refusal, body_of
from faithkit.web.limits import Limits
from faithkit.web.uploads import Uploads

MEDIA_TYPES = {
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}


class FilesAPI:
    """The handlers of `/v1/files`."""

    def __init__(self, uploads: Uploads, limits: Limits) -> None:
        self._uploads = uploads
        self._limits = limits

    def routes(self) -> list[Route]:
        """What it answers."""
        one = "/v1/files/{id}"
        return [
            Route("/v1/files", self.list, methods=["GET"]),
            Route("/v1/files", self.add, methods=["POST"]),
            Route(one, self.show, methods=["GET"]),
            Route(one, self.remove, methods=["DELETE"]),
            Route(f"{one}/scores.{{format}}", self.download, methods=["GET"]),
        ]

    async def list(self, _: Request) -> Response:
        """Every file, the newest first."""
        return JSONResponse({"files": [upload.record() for upload in self._uploads.all()]})

    async def add(self, request: Request) -> Response:
        """Takes the file that is the body."""
        query = request.query_params
        columns = parse_columns(query.getlist("column"))
        body = body_of(request, self._limits.file)
        upload = await self._uploads.add(query.get("name", ""), columns, body)
        location = {"Location": f"/v1/files/{upload.id}"}
        return JSONResponse(upload.record(), status_code=202, headers=location)

    async def show(self, request: Request) -> Response:
        """One file."""
        return JSONResponse(self._uploads.get(request.path_params["id"]).record())

    async def remove(self, request: Request) -> Response:
        """Stops and forgets a file."""
        await self._uploads.remove(request.path_params["id"])
        return Response(status_code=204)

    async def download(self, request: Request) -> Response:
        """The scores of a file that is done, in the format of the address."""
        upload = self._uploads.get(request.path_params["id"])
        format = request.path_params["format"]
        if format not in MEDIA_TYPES:
            raise Refusal(404, f"Scores are {', '.join(MEDIA_TYPES)}; there is no {format}.")
        if upload.status != "done":
            raise Refusal(409, "The file is not scored yet.")
        if format == "parquet":
            require(["pyarrow"], "A Parquet file")
        path = upload.scores.with_suffix(f".{format}")
        if not path.exists():
            await asyncio.to_thread(self._uploads.export, upload, path)
        stem = re.sub(r"\.gz$", "", upload.name).rpartition(".")[0]
        name = quote(f"{stem}.scores.{format}")
        headers = {"Content-Disposition": f"attachment; filename*=utf-8''{name}"}
        return FileResponse(path, media_type=MEDIA_TYPES[format], headers=headers)
