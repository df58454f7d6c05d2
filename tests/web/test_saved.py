"""Saved scores that `faithkit serve` is started with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.helpers.command_line import KNOWN, faithkit, refused
from tests.helpers.paths import HELPERS
from tests.helpers.web_server import HERE

from faithkit.web import server

METRIC = f"{HELPERS / 'marking_metric.py'}:Marking"
PAIRS = [
    {"id": "a", "source": "The bridge opened in May.", "summary": "The bridge opened in June."},
    {"id": "b", "source": "It cost much.", "summary": "It cost much."},
]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """What `faithkit score` wrote of the pairs."""
    pairs, path = tmp_path / "pairs.jsonl", tmp_path / "scores.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    assert faithkit("score", str(pairs), "-m", METRIC, "-o", str(path)).exit_code == 0
    return path


def started(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[TestClient, str]:
    """A client of the app that the command would serve, and what the command printed."""
    apps: list[Any] = []
    monkeypatch.setattr(server, "serve", lambda app, _: apps.append(app))
    ended = faithkit("serve", *arguments, "--port", "0", "-m", METRIC)
    assert ended.exit_code == 0, ended.output
    return TestClient(apps[0], HERE), ended.stderr


def test_saved_scores_can_be_looked_at(monkeypatch: pytest.MonkeyPatch, scores: Path) -> None:
    client, printed = started(monkeypatch, str(scores))
    with client as made:
        assert "/results/saved-1 " in printed
        assert "scores.jsonl" in made.get("/results").text
        assert made.get("/results/saved-1").status_code == 200
        shown = made.get("/app/results/saved-1/index").json()
        assert shown["index"]["ids"] == ["a", "b"]
        assert shown["overview"]["files"][0]["pairs"] == "pairs.jsonl"
        row = made.get("/app/results/saved-1/rows/0").json()
        assert [(mark["start"], mark["end"]) for mark in row["marks"]] == [(21, 25)]


def test_several_files_are_shown_side_by_side(
    monkeypatch: pytest.MonkeyPatch, scores: Path
) -> None:
    other = scores.with_name("known.jsonl")
    pairs = scores.with_name("pairs.jsonl")
    assert faithkit("score", str(pairs), "-m", KNOWN, "-o", str(other)).exit_code == 0
    client, _ = started(monkeypatch, str(scores), str(other))
    with client as made:
        metrics = made.get("/app/results/saved-1/index").json()["overview"]["metrics"]
    assert [metric["label"] for metric in metrics] == [METRIC, KNOWN]


def test_rows_in_another_order_are_one_error(monkeypatch: pytest.MonkeyPatch, scores: Path) -> None:
    first, second = scores.read_text().splitlines()
    scores.write_text(f"{second}\n{first}\n")
    client, _ = started(monkeypatch, str(scores))
    with client as made:
        answer = made.get("/app/results/saved-1/index")
    assert answer.status_code == 422
    assert "the row 'a' is not in" in answer.json()["error"]["message"]


def test_scores_that_do_not_fit_their_pairs_are_refused_at_the_start(scores: Path) -> None:
    pairs = scores.with_name("pairs.jsonl")
    assert "no such file" in refused("serve", str(scores.with_name("none.jsonl")), "-m", METRIC)
    assert "name the scores as well" in refused("serve", "--pairs", str(pairs), "-m", METRIC)
    pairs.write_text(pairs.read_text().replace("June", "July"))
    assert "it was changed since" in refused("serve", str(scores), "-m", METRIC)
