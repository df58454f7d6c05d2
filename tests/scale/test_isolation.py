"""Rows that end their process are found, tried alone, and given up; all others are scored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.helpers.paths import HELPERS
from tests.helpers.sharded import rows_of, score, scores, write_jsonl
from tests.helpers.tiny_metrics import Known

from faithkit import run
from faithkit.cache import Cache
from faithkit.metrics.base import DECLARATIONS, REQUIRED
from faithkit.records import JSON, Example, ModelError, Outcome
from faithkit.scale.isolation import (
    CRASHES,
    KILLS,
    MOST_CRASHES,
    MOST_GIVEN_UP,
    MOST_KILLS,
    Suspicion,
    watched,
)

POISONED = f"{HELPERS / 'shard_metrics.py'}:Poisoned"
SEGFAULT, KILL = -11, -9

A, B, C = (("m", name, 0) for name in "abc")


def test_rows_that_died_together_once_are_tried_together_again() -> None:
    suspicion = Suspicion()
    suspicion.died([A, B], KILL, "shard")
    assert suspicion.suspects == frozenset()
    suspicion.died([C], KILL, "shard")
    assert suspicion.suspects == frozenset()


def test_rows_that_died_together_twice_are_tried_alone() -> None:
    suspicion = Suspicion()
    suspicion.died([A, B], SEGFAULT, "shard")
    suspicion.died([B, C], SEGFAULT, "shard")
    assert (suspicion.suspects, suspicion.given_up) == ({B, C}, frozenset())


@pytest.mark.parametrize(("exit_code", "times"), [(SEGFAULT, CRASHES), (KILL, KILLS), (1, CRASHES)])
def test_a_row_that_died_alone_often_enough_is_given_up(exit_code: int, times: int) -> None:
    suspicion = Suspicion(suspects=frozenset({A, B}))
    for _ in range(times - 1):
        suspicion.died([A], exit_code, "shard")
        suspicion.died([B, C], exit_code, "shard")
    assert suspicion.given_up == frozenset()
    suspicion.died([A], exit_code, "shard")
    assert suspicion.given_up == {A}


@pytest.mark.parametrize(
    ("exit_code", "most", "how"),
    [
        (SEGFAULT, MOST_CRASHES, "SIGSEGV"),
        (KILL, MOST_KILLS, "SIGKILL"),
        (3, MOST_CRASHES, "exit code 3"),
    ],
)
def test_a_worker_that_dies_without_a_row_is_not_started_for_ever(
    exit_code: int, most: int, how: str
) -> None:
    suspicion = Suspicion()
    for _ in range(most - 1):
        suspicion.died([], exit_code, "a.jsonl")
    with pytest.raises(ModelError, match=rf"a\.jsonl: its worker died {most} times \({how}\)"):
        suspicion.died([], exit_code, "a.jsonl")


def test_a_metric_that_is_watched_declares_what_it_did() -> None:
    class Thresholded(Known):
        limitations = "none"

        @classmethod
        def verdict_from(cls, options: Mapping[str, JSON]) -> float | None:
            return 0.5

    (prepared,) = run.prepare([Thresholded()])
    examples = [Example("a", "One two.", "One two."), Example("b", "One.", "Two")]
    with Cache(None) as store:
        rows = [
            run.score_batch([metric], examples, store)
            for metric in (watched(prepared, lambda _: None), prepared)
        ]
    assert [row[0].parts["verdict"] for row in rows[0]] == [1.0, 0.0]
    assert rows[0] == rows[1]
    changed = watched(prepared, lambda _: None).metric
    for name in DECLARATIONS.union(REQUIRED) - {"score"}:
        assert getattr(changed, name) == getattr(prepared.metric, name), name


@pytest.fixture
def poisoned(tmp_path: Path) -> Path:
    rows = rows_of("a", 40)
    for number in (7, 8, 31):
        rows[number]["summary"] += " poison"
    return write_jsonl(tmp_path / "in" / "a.jsonl", rows)


def test_poisoned_rows_have_the_outcome_model_error_and_the_others_their_scores(
    inline: None, poisoned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    log = tmp_path / "calls.log"
    monkeypatch.setenv("POISON", "raise")
    monkeypatch.setenv("POISON_LOG", str(log))
    score(poisoned, tmp_path / "out", (POISONED,), batch_size=16, shard_bytes=10**6)
    found = scores(tmp_path / "out")
    assert [s.id for s in found] == [f"a{number}" for number in range(40)]
    bad = {s.id for s in found if s.outcome is Outcome.MODEL_ERROR}
    assert bad == {"a7", "a8", "a31"}
    assert all(s.value is not None for s in found if s.id not in bad)
    calls = log.read_text("utf-8").splitlines()
    assert calls.count("a7") == calls.count("a31") == CRASHES
    assert "the row 'a31' ended its process each time" in caplog.text
    manifest = json.loads((tmp_path / "out" / "000000.jsonl.manifest.json").read_text("utf-8"))
    assert sorted(identity for _, identity in manifest["gave_up"]) == ["a31", "a7", "a8"]
    assert manifest["outcomes"][POISONED] == {"model_error": 3, "ok": 37}


def test_a_metric_that_ends_its_process_on_every_row_ends_the_run(
    inline: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POISON", "raise")
    rows = [{**row, "summary": "poison"} for row in rows_of("a", 30)]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    with pytest.raises(
        ModelError,
        match=rf"rows 1 to 30: {MOST_GIVEN_UP + 1} rows ended their worker, the last 'a10'",
    ):
        score(path, tmp_path / "out", (POISONED,), shard_bytes=10**6)


@pytest.mark.slow
def test_a_row_that_really_segfaults_is_isolated(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = rows_of("a", 40)
    rows[7]["summary"] += " poison"
    path = write_jsonl(tmp_path / "in" / "a.jsonl", rows)
    score(path, tmp_path / "out", (POISONED,), batch_size=16, shard_bytes=10**6)
    found = scores(tmp_path / "out")
    assert [s.id for s in found] == [f"a{number}" for number in range(40)]
    assert [s.id for s in found if s.outcome is Outcome.MODEL_ERROR] == ["a7"]
    assert {s.outcome for s in found} == {Outcome.OK, Outcome.MODEL_ERROR}
