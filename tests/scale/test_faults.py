"""Stores out of reach, slow rows, clocks that jump."""

from __future__ import annotations

import os
import time
from pathlib import Path
from uuid import uuid4

import pytest
from tests.helpers.paths import HELPERS
from tests.helpers.runs import KNOWN
from tests.helpers.sharded import rows_of, score, scores, tree, write_jsonl
from tests.scale.test_places import needs_upath, upload

from faithkit import files
from faithkit.records import DataError
from faithkit.scale import places

STRAGGLING = f"{HELPERS / 'shard_metrics.py'}:Straggling"


@needs_upath
@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("works", [0, 1, 4, 9])
def test_a_store_that_takes_no_more_is_one_error_and_the_run_goes_on_later(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: int
) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    out = f"memory://{uuid4().hex}/out"
    put, left = MemoryFileSystem.put_file, [works]

    def failing(*arguments: object, **options: object) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise ConnectionError("Connection refused")
        put(*arguments, **options)

    with monkeypatch.context() as broken:
        broken.setattr(MemoryFileSystem, "put_file", failing)
        with pytest.raises(DataError, match=r"memory://.*/out/.* cannot be reached .*refused"):
            score(inputs, out)
    score(inputs, out)
    score(inputs, tmp_path / "local")
    assert list(files.score_lines(places.place(out))) == scores(tmp_path / "local")


@needs_upath
@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("works", [0, 3, 8])
def test_inputs_that_are_out_of_reach_are_one_error_and_the_run_goes_on_later(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: int
) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    store = f"memory://{uuid4().hex}"
    upload(inputs, f"{store}/in")
    opened, left = MemoryFileSystem._open, [works]

    def failing(*arguments: object, **options: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise ConnectionError("Connection refused")
        return opened(*arguments, **options)

    pattern = f"{store}/in/*.jsonl|*.parquet"
    with monkeypatch.context() as broken:
        broken.setattr(MemoryFileSystem, "_open", failing)
        with pytest.raises(DataError, match=r"memory://.* cannot be (reached|read) .*refused"):
            score(pattern, tmp_path / "out")
    score(pattern, tmp_path / "out")
    score(inputs, tmp_path / "local")
    assert tree(tmp_path / "out") == tree(tmp_path / "local")


@pytest.mark.slow
def test_a_slow_row_holds_up_no_other_shard(tmp_path: Path) -> None:
    """The row ends once all other shards are done: they are, or the run fails."""
    path = write_jsonl(tmp_path / "a.jsonl", rows_of("a", 60))
    out = tmp_path / "out"
    score(path, tmp_path / "plain", (KNOWN,))
    others = len(tree(tmp_path / "plain")) - 1
    assert others >= 3
    metric = f"{STRAGGLING}:output={out},shards={others}"
    score(path, out, (metric,), workers=2)
    found = scores(out)
    assert [s.id for s in found] == [s.id for s in scores(tmp_path / "plain")]


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("jump", [-40 * 86_400, 40 * 86_400])
def test_a_clock_that_jumps_changes_no_row(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: int
) -> None:
    """A run is stopped, the clock put forward or back, and an input written again with the other
    time: the run goes on, and scores nothing again."""
    score(inputs, tmp_path / "whole", shard_bytes=3000)
    out, log = tmp_path / "out", tmp_path / "calls.log"
    put, left = places.put, [4]

    def killed(file: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        put(file, target)

    monkeypatch.setenv("TINY_LOG", str(log))
    with monkeypatch.context() as killing, pytest.raises(KeyboardInterrupt):
        killing.setattr(places, "put", killed)
        score(inputs, out, shard_bytes=3000)
    before = len(log.read_text("utf-8").splitlines())
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + jump)
    monkeypatch.setattr("faithkit.run.output.now", lambda: "1999-12-31T23:59:59+00:00")
    os.utime(inputs / "a.jsonl", (clock() + jump, clock() + jump))
    score(inputs, out, shard_bytes=3000)
    assert tree(out) == tree(tmp_path / "whole")
    assert 0 < before < 60
    assert len(log.read_text("utf-8").splitlines()) == 60
