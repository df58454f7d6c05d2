"""Judges over many rows: one budget for all workers, and files for a batch API."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.command_line import faithkit
from tests.helpers.fake_chat import Fake, says, server
from tests.helpers.inline_pool import InlinePool
from tests.helpers.sharded import rows_of, score, scores, write_jsonl

from faithkit.records import DataError, ModelError, Outcome, Score


def stored(transcripts: Path) -> int:
    """How many answers the file has."""
    with closing(sqlite3.connect(transcripts)) as database:
        (count,) = database.execute("SELECT count(*) FROM scores").fetchone()
    return int(count)


@pytest.mark.slow
def test_workers_share_a_budget_and_the_transcripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", rows_of("a", 30))
    files = f"budget={tmp_path / 'budget'},transcripts={tmp_path / 'kept'}"
    with server(lambda request, before: says("Yes")) as fake:
        judge = f"judge:model={fake.model},{files},max_requests="
        with pytest.raises(ModelError, match="max_requests=12 is used up"):
            score(path, tmp_path / "out", (f"{judge}12",), workers=2, batch_size=3)
        # The other worker is stopped: what it was asking is not sent, or asked again.
        sent, answers = len(fake.requests), stored(tmp_path / "kept")
        assert 6 <= answers <= sent <= 12  # two workers, batches of three
        monkeypatch.setattr("faithkit.scale.run.Pool", InlinePool)
        score(path, tmp_path / "more", (f"{judge}60",), batch_size=3)
    assert len(fake.requests) - sent == 30 - answers, "a stored answer is not asked for again"
    assert len(fake.prompts) == stored(tmp_path / "kept") == 30
    assert {one.outcome for one in scores(tmp_path / "more")} == {Outcome.OK}


def write_requests(fake: Fake, folder: Path, rows: int) -> list[dict[str, Any]]:
    """The requests of so many rows by the command, in `requests/` beside `a.jsonl`."""
    write_jsonl(folder / "a.jsonl", rows_of("a", rows))
    done = faithkit("requests", str(folder / "a.jsonl"), "-m", f"judge:model={fake.model}",
                    "-o", str(folder / "requests"))  # fmt: skip
    assert done.exit_code == 0, done.output
    assert f"{rows} requests for {rows} rows in 1 file" in done.output
    lines = (folder / "requests" / "000000.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def answered(request: dict[str, Any], text: str = "Yes") -> dict[str, Any]:
    body = json.loads(says(text).body)
    return {"id": "1", "custom_id": request["custom_id"], "error": None,
            "response": {"status_code": 200, "request_id": "1", "body": body}}  # fmt: skip


def refused(request: dict[str, Any], status: int, code: str, message: str) -> dict[str, Any]:
    body = {"error": {"code": code, "message": message}}
    return {"custom_id": request["custom_id"], "error": None,
            "response": {"status_code": status, "body": body}}  # fmt: skip


def judged(folder: Path, fake: Fake) -> list[Score]:
    judge = f"judge:model={fake.model},responses={folder / 'responses'}"
    score(folder / "a.jsonl", folder / "out", (judge,), resume=False)
    return scores(folder / "out")


@pytest.mark.usefixtures("inline")
def test_requests_are_written_and_responses_read_with_every_failure_an_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    fates: dict[int, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
        3: lambda r: None,
        5: lambda r: {"custom_id": r["custom_id"], "response": None,
                      "error": {"code": "batch_expired", "message": "not in time"}},
        7: lambda r: refused(r, 500, "server_error", "sorry"),
        9: lambda r: refused(r, 400, "content_filter", "no"),
        11: lambda r: refused(r, 400, "context_length_exceeded", "maximum context length is 8"),
        13: lambda r: {**answered(r), "response": {"status_code": 200, "body": {"choices": 5}}},
        15: lambda r: answered(r, "Perhaps."),
        17: lambda r: answered(r, "No"),
    }  # fmt: skip
    with server(lambda request, before: says("Yes")) as fake:
        requests = write_requests(fake, tmp_path, 20)
        assert [request["url"] for request in requests] == ["/v1/chat/completions"] * 20
        assert len({request["custom_id"] for request in requests}) == 20
        lines = [fates.get(n, answered)(request) for n, request in enumerate(requests)]
        # Of a request that was tried twice the answer counts.
        lines.append(refused(requests[0], 500, "server_error", "sorry"))
        kept = [line for line in lines if line is not None]
        random.Random(1).shuffle(kept)
        write_jsonl(tmp_path / "responses" / "output.jsonl", kept[:12])
        write_jsonl(tmp_path / "responses" / "errors.jsonl", kept[12:])
        found = judged(tmp_path, fake)
        assert [one.id for one in found] == [f"a{number}" for number in range(20)]
        outcomes = {n: str(one.outcome) for n, one in enumerate(found) if one.outcome != Outcome.OK}
        assert outcomes == {
            3: "timeout", 5: "timeout", 7: "model_error", 9: "refused", 11: "too_long",
            13: "model_error", 15: "unparsable",
        }  # fmt: skip
        assert [one.value for one in found if one.value is not None].count(0.0) == 1
        assert fake.requests == []
        # What was read is in the transcripts: the next requests are those that failed.
        again = faithkit("requests", str(tmp_path / "a.jsonl"), "-m", f"judge:model={fake.model}",
                         "-o", str(tmp_path / "again"))  # fmt: skip
        assert "5 requests for 20 rows" in again.output


@pytest.mark.usefixtures("inline")
def test_files_that_are_no_responses_are_refused(tmp_path: Path) -> None:
    with server(lambda request, before: says("Yes")) as fake:
        write_jsonl(tmp_path / "a.jsonl", rows_of("a", 2))
        for line, what in (
            ('{"custom_id": "a", "body": {}}', r"line 1: expected a field 'response' or 'error'"),
            ('{"id": 1}', "field 'custom_id'"),
            ("x", "not JSON"),
        ):
            (tmp_path / "responses").write_text(line + "\n", "utf-8")
            with pytest.raises(DataError, match=what):
                judged(tmp_path, fake)
        (tmp_path / "responses").unlink()
        with pytest.raises(DataError, match="no such file of responses"):
            judged(tmp_path, fake)


def test_a_metric_that_asks_no_model_has_no_requests(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", rows_of("a", 2))
    done = faithkit("requests", str(path), "-m", "rouge1", "-o", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "rouge1: no request" in done.stderr
    assert not (tmp_path / "out").exists()
