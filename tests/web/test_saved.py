"""Saved scores that `faithkit serve` is started with."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.helpers.command_line import KNOWN, faithkit, refused
from tests.helpers.paths import HELPERS
from tests.helpers.web_server import HERE

from faithkit.records import DataError, Example, Score
from faithkit.report.views import ShownMetric
from faithkit.web import server
from faithkit.web.saved import Saved, Shelf

METRIC = f"{HELPERS / 'marking_metric.py'}:Marking"
PAIRS = [
    {"id": "a", "source": "The bridge opened in May.", "summary": "The bridge opened in June."},
    {"id": "b", "source": "It cost much.", "summary": "It cost much."},
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test works in a folder of its own, which `refused` looks through."""
    monkeypatch.chdir(tmp_path)


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
        assert [row[0] for row in shown["index"]["listed"]] == ["a", "b"]
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


class Slow:
    """Results whose last row comes when `go` is set, and the ends of the threads that ask."""

    def __init__(self, failing: bool = False) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.made: list[Saved] = []
        self._failing = failing

    def make(self) -> Saved:
        self.made.append(Saved([ShownMetric("known")], self._rows()))
        return self.made[-1]

    def _rows(self) -> Iterator[tuple[Example, list[Score]]]:
        self.begun.set()
        assert self.go.wait(10)
        if self._failing:
            raise DataError("no such file")
        yield Example("a", "A.", "A."), [Score("a", "known", 1.0)]


def in_thread(asked: Callable[[], Saved | None]) -> tuple[threading.Thread, list[Saved | None]]:
    """A thread that asks, and what it was answered."""
    answers: list[Saved | None] = []
    thread = threading.Thread(target=lambda: answers.append(asked()), daemon=True)
    thread.start()
    return thread, answers


def test_results_are_used_and_removed_while_others_are_made() -> None:
    shelf, slow = Shelf(), Slow()
    slow.go.set()
    shelf.put("quick", "Quick", slow.make)
    first = shelf.get("quick")
    assert first is not None and first is shelf.get("quick")
    slow.go.clear()
    slow.begun.clear()
    shelf.put("slow", "Slow", slow.make)
    askers = [in_thread(lambda: shelf.get("slow")) for _ in range(2)]
    assert slow.begun.wait(10)
    # None of these waits for the thread that makes results.
    assert shelf.get("quick") is first
    assert shelf.titles() == {"quick": "Quick", "slow": "Slow"}
    shelf.remove("quick")
    assert shelf.get("quick") is None
    slow.go.set()
    for thread, _ in askers:
        thread.join(10)
    (one,), (other,) = (answers for _, answers in askers)
    assert one is not None and one is other
    assert len(slow.made) == 2
    shelf.close()


def test_results_of_the_same_name_are_numbered() -> None:
    shelf, slow = Shelf(), Slow()
    for id in "abc":
        shelf.put(id, "pairs.jsonl", slow.make)
    assert [*shelf.titles().values()] == ["pairs.jsonl", "pairs.jsonl (2)", "pairs.jsonl (3)"]
    shelf.remove("b")
    shelf.put("d", "pairs.jsonl", slow.make)
    assert shelf.titles()["d"] == "pairs.jsonl (2)"


@pytest.mark.parametrize("failing", [False, True])
def test_results_that_are_removed_while_they_are_made_are_absent(failing: bool) -> None:
    shelf, slow = Shelf(), Slow(failing)
    shelf.put("slow", "Slow", slow.make)
    askers = [in_thread(lambda: shelf.get("slow")) for _ in range(2)]
    assert slow.begun.wait(10)
    shelf.remove("slow")
    slow.go.set()
    for thread, answers in askers:
        thread.join(10)
        assert answers == [None]
    for saved in slow.made:
        with pytest.raises(ValueError, match="closed"):
            saved.row(0)


def test_scores_that_do_not_fit_their_pairs_are_refused_at_the_start(scores: Path) -> None:
    pairs = scores.with_name("pairs.jsonl")
    assert "no such file" in refused("serve", str(scores.with_name("none.jsonl")), "-m", METRIC)
    assert "name the scores as well" in refused("serve", "--pairs", str(pairs), "-m", METRIC)
    pairs.write_text(pairs.read_text().replace("June", "July"))
    assert "it was changed since" in refused("serve", str(scores), "-m", METRIC)
