"""Whole runs of `qgqa` with chat models, behind servers and here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import tiny_models
from tests.helpers.fake_chat import Response, fails, says, server
from tests.helpers.question_scripts import (
    ANSWERED,
    ASKED,
    ROW,
    SUMMARY,
)
from tests.helpers.scoring import score
from typer.testing import CliRunner

from faithkit import Example, Outcome, Score
from faithkit.cli import app
from faithkit.metrics.qgqa import Qgqa
from faithkit.records import ModelError


def block(request: dict[str, Any], slot: str) -> str:
    content = request["messages"][0]["content"]
    text: str = content.partition(f"<{slot}>\n")[2].partition(f"\n</{slot}>")[0]
    return text


def scripted(request: dict[str, Any]) -> Response:
    """The script's reply to a request."""
    first, second = block(request, "document"), block(request, "summary")
    if "unanswerable" in request["messages"][0]["content"]:
        return says(ANSWERED.get((second, first), "unanswerable"))
    return says(ASKED.get(second, "Nothing to ask."))


@pytest.mark.slow
def test_every_preset_runs_and_asks_nothing_twice(tmp_path: Path) -> None:
    expected = {
        # The source has no answer to one of three questions, and "small boat" to another.
        "mfas": 5 / 9, "qags": 5 / 9, "feqa": 5 / 9,
        # Of the source's pieces only "Anna Smith" has a question, which the summary answers.
        "questeval": 2 * (5 / 9) / (5 / 9 + 1),
    }  # fmt: skip
    with server(lambda request, _: scripted(request)) as fake:
        chat = f"qg=chat:{fake.model},qa=chat:{fake.model},transcripts={tmp_path / 'kept'}"
        asked = [f"qgqa:preset={preset},{chat}" for preset in Qgqa.presets]
        found = list(score([ROW], asked, offline=True))
        assert set(fake.prompts.values()) == {1}
        first = len(fake.requests)
        again = list(score([ROW], asked, offline=True))
        assert len(fake.requests) == first
    values = dict(zip(Qgqa.presets, found, strict=True))
    assert {name: values[name].value for name in expected} == pytest.approx(expected)
    assert values["qafacteval"].outcome is Outcome.OK
    assert values["qafacteval"].parts["questions"] == 3
    assert [one.value for one in again] == [one.value for one in found]


@pytest.mark.slow
def test_a_run_against_a_faulty_server_loses_no_row(tmp_path: Path) -> None:
    faults: dict[str, Response] = {
        "empty": says(""), "refusal": says("I'm sorry, but I cannot help."),
        "half": Response(says("Anna").body[:50]), "json": says('{"answer": "An'),
        "page": Response(b"<html>busy</html>", kind="text/html"), "down": fails(500),
        "hang": Response(b"", wait=6), "stray": says("Berlin"),
        "filter": says("", finish="content_filter"),
    }  # fmt: skip
    expected = {
        "fine": "ok", "empty": "unparsable", "refusal": "refused", "half": "model_error",
        "json": "unparsable", "page": "model_error", "down": "model_error", "hang": "timeout",
        "stray": "ok", "filter": "refused",
    }  # fmt: skip
    rows = [Example(name, f"Anna Smith came. {name}", "Anna Smith came.") for name in expected]

    def behave(request: dict[str, Any], before: int) -> Response:
        if "unanswerable" not in request["messages"][0]["content"]:
            return says("Who came by?")
        fault = block(request, "document").rpartition(" ")[2]
        return faults.get(fault, says("Anna Smith"))

    with server(behave) as fake:
        metric = (
            f"qgqa:qg=chat:{fake.model},qa=chat:{fake.model},timeout=4,retries=0,concurrency=8,"
            f"transcripts={tmp_path / 'kept'}"
        )
        found = list(score(rows, [metric], offline=True))
    assert {score.id: str(score.outcome) for score in found} == expected
    values = {score.id: score.value for score in found if score.value is not None}
    assert values == {"fine": 1.0, "stray": 0.0}
    assert found[list(expected).index("stray")].parts["strayed"] == 1


@pytest.mark.slow
def test_a_run_out_of_budget_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with server(lambda request, _: scripted(request)) as fake:
        named = f"qg=chat:{fake.model},qa=chat:{fake.model},transcripts={tmp_path / 'kept'}"
        with pytest.raises(ModelError, match="max_requests=5 is used up"):
            list(score([ROW], [f"qgqa:{named},max_requests=5"], offline=True))
        assert len(fake.requests) == 5
        (found,) = score([ROW], [f"qgqa:{named}"], offline=True)
        # 3 pieces, and 3 questions to each text.
        assert len(fake.requests) == 9 and set(fake.prompts.values()) == {1}
    assert found.value == pytest.approx(5 / 9)


@pytest.mark.slow
def test_the_command_line_with_a_tiny_random_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tiny_models.save_chat(tmp_path / "tiny")
    rows = [{"id": str(i), "source": tiny_models.text(i, 12), "summary": f"{SUMMARY} {i}"}
            for i in range(2)]  # fmt: skip
    Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["-o", "out.jsonl", "--offline", "--no-cache", "--device", "cpu"]

    def scores(metric: str) -> list[Score]:
        Path("out.jsonl").unlink(missing_ok=True)
        done = CliRunner().invoke(app, ["score", "pairs.jsonl", "-m", metric, *arguments])
        assert done.exit_code == 0, done.output
        lines = Path("out.jsonl").read_text().splitlines()
        return [Score.from_row(json.loads(line)) for line in lines]

    both = f"qgqa:qg=chat:{folder},qa=chat:{folder},questions=1,most=1,transcripts=kept.sqlite"
    found = scores(both)
    assert [one.id for one in found] == ["0", "1"]
    assert {one.outcome for one in found} <= {Outcome.OK, Outcome.UNPARSABLE, Outcome.NO_CLAIMS}
    assert all(one.parts["candidates"] >= 3 for one in found)
    assert [one.value for one in scores(both)] == [one.value for one in found]
    answering = scores(f"qgqa:qa=chat:{folder},most=1,transcripts=kept.sqlite")
    # One of the sentence, and one of the number after it where that is no entity of its own.
    assert all(1 <= one.parts["made"] <= 2 for one in answering)
    assert {one.outcome for one in answering} <= {
        Outcome.OK, Outcome.UNPARSABLE, Outcome.NO_CLAIMS
    }  # fmt: skip
