"""How much work the app takes on. Beyond a bound the answer is an error that names it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of requests.

    body      bytes of a request to the API
    text      characters of a source and its summary in such a request
    rows      rows of a request to `/v1/score`
    seconds   how long a request to the API may take, waiting included
    waiting   requests to the API that are scored or wait for it
    file      bytes of an uploaded file, and eight times that when it is unpacked
    file_rows rows of an uploaded file
    files     uploaded files that are scored or wait for it
    kept      uploaded files whose scores are kept; the oldest goes first
    """

    body: int = 8 * 2**20
    text: int = 300_000
    rows: int = 200
    seconds: float = 60.0
    waiting: int = 8
    file: int = 64 * 2**20
    file_rows: int = 100_000
    files: int = 4
    kept: int = 10
