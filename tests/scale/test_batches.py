"""One file scored by several processes: the same rows in the same order as by one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from tests.helpers.command_line import KNOWN, faithkit, program
from tests.helpers.inline_pool import InlinePool
from tests.helpers.paths import HELPERS

from faithkit.scale.batches import Batch
from faithkit.scale.workers import Event

MORTAL = f"{HELPERS / 'shard_metrics.py'}:Mortal"


@pytest.fixture(autouse=True)
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": str(i), "source": f"It cost {i // 3} pounds. It rained.", "summary": f"It cost {i}."}
        for i in range(100)
    ]
    Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


class Backwards(InlinePool):
    """The last batch is done first."""

    def run(self, tasks: Iterable[Batch]) -> Iterator[Event[Batch]]:  # type: ignore[override]
        yield from reversed(list(super().run(tasks)))  # type: ignore[arg-type]


def test_batches_that_end_in_another_order_are_written_in_the_order_of_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("faithkit.scale.batches.Pool", Backwards)
    score = ("score", "pairs.jsonl", "-m", KNOWN, "-m", "rouge2")
    for name, more in (("one", ()), ("two", ("--workers", "2", "--batch-size", "7"))):
        done = faithkit(*score, "-o", f"{name}.jsonl", "--no-cache", *more)
        assert done.exit_code == 0, done.output
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    shown = [faithkit(*score, "-q", *more).stdout for more in ((), ("--workers", "2"))]
    assert shown[0] == shown[1] and len(shown[0].splitlines()) == 201


def test_a_worker_that_ends_is_an_error_and_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("faithkit.scale.batches.Pool", InlinePool)
    Path("deaths").write_text("20")
    score = ("score", "pairs.jsonl", "-m", f"{MORTAL}:deaths=deaths", "--batch-size", "10",
             "--no-cache", "--workers", "2", "-o")  # fmt: skip
    failed = faithkit(*score, "out.jsonl")
    assert failed.exit_code == 2
    assert (
        "a worker process ended (signal 9) while it scored the rows from '20' to" in failed.stderr
    )
    assert len(Path("out.jsonl").read_text().splitlines()) == 20
    assert faithkit(*score, "out.jsonl").exit_code == 2
    assert faithkit(*score, "out.jsonl").exit_code == 0
    assert faithkit(*score, "whole.jsonl").exit_code == 0
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_several_workers_with_one_budget_of_requests_are_refused() -> None:
    found = faithkit("score", "pairs.jsonl", "-m", "judge:max_requests=5", "--workers", "2")
    assert found.exit_code == 2 and "budget=FILE" in found.stderr


@pytest.mark.verify
def test_processes_give_the_bytes_of_one() -> None:
    score = ("score", "pairs.jsonl", "-m", "support", "-m", "rouge2", "--no-cache", "--offline")
    for name, count in (("one", "1"), ("two", "2")):
        done = program(*score, "-o", f"{name}.jsonl", "--workers", count)
        assert (done.returncode, done.stderr) == (0, b"")
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
