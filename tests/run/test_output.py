"""A run into a file: the manifest, resuming after any kill, and places that cannot be written."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.helpers.command_line import faithkit
from tests.helpers.flat_rows import flattened
from tests.helpers.runs import (
    EXAMPLES,
    KNOWN,
    OTHER,
    manifest,
    mark_unfinished,
    to_file,
    write_pairs,
)
from tests.helpers.scoring import score

from faithkit import cache, files, run
from faithkit.cache import Cache
from faithkit.columns import Columns
from faithkit.records import ConfigError, DataError, Score
from faithkit.run import batches
from faithkit.writing import Journal


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_the_output_holds_what_score_gives(pairs: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / "new" / f"out.{ending}"
    tallies = to_file(pairs, output, batch_size=4)
    expected = list(score(EXAMPLES, [KNOWN, OTHER]))
    saved = list(files.score_lines(output))
    assert saved == (expected if ending == "jsonl" else flattened(expected))
    assert {path.name for path in output.parent.iterdir()} == {
        output.name, f"{output.name}.manifest.json",
    }  # fmt: skip
    assert tallies[KNOWN].rows == len(EXAMPLES)


def test_the_manifest_says_what_was_run_and_what_came_of_it(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    tallies = to_file(pairs, output, limit=20)
    found = manifest(output)
    assert found["status"] == "complete"
    assert found["command"] == sys.argv
    assert found["rows"] == 20
    assert found["input"]["rows"] == 23
    assert found["input"]["path"] == str(pairs)
    assert found["metrics"][KNOWN]["options"]["power"] == 1.0
    assert found["outcomes"][KNOWN] == {"no_content": 8, "ok": 12}
    assert found["outcomes"][KNOWN] == {str(k): v for k, v in tallies[KNOWN].outcomes.items()}
    assert found["versions"]["faithkit"]
    assert found["seconds"] >= 0
    values = [one.value for one in files.score_lines(output) if one.metric == KNOWN]
    scored = [value for value in values if value is not None]
    assert tallies[KNOWN].mean == pytest.approx(sum(scored) / 12)
    assert (tallies[KNOWN].least, tallies[KNOWN].greatest) == (min(scored), max(scored))


def test_two_outputs_that_differ_in_their_ending_do_not_share_a_manifest(
    pairs: Path, tmp_path: Path
) -> None:
    for ending in ("jsonl", "csv"):
        to_file(pairs, tmp_path / f"out.{ending}", metrics=(KNOWN,), limit=3)
    to_file(pairs, tmp_path / "out.csv", metrics=(KNOWN,), limit=3)
    assert manifest(tmp_path / "out.csv")["status"] == "complete"
    assert manifest(tmp_path / "out.jsonl")["status"] == "complete"
    assert len(list(tmp_path.glob("*.manifest.json"))) == 2


def test_progress_is_told_after_each_batch_and_starts_where_the_run_does(
    pairs: Path, tmp_path: Path
) -> None:
    told: list[int] = []
    to_file(pairs, tmp_path / "out.jsonl", batch_size=10, progress=told.append)
    assert told == [0, 10, 20, 23]
    cut_after(tmp_path / "out.jsonl", lines=2 * 12 + 1)
    told.clear()
    to_file(pairs, tmp_path / "out.jsonl", batch_size=10, progress=told.append)
    assert told == [12, 22, 23]


def cut_after(output: Path, lines: int) -> None:
    data = output.read_bytes().splitlines(keepends=True)
    output.write_bytes(b"".join(data[:lines]))
    mark_unfinished(output)


# Going on


@pytest.mark.slow
def test_a_complete_run_started_again_does_no_work_and_changes_no_byte(
    pairs: Path, tmp_path: Path, calls: Callable[[], list[str]]
) -> None:
    for ending in ("jsonl", "csv", "parquet"):
        output = tmp_path / f"out.{ending}"
        first = to_file(pairs, output)
        assert calls()
        data, stamp = output.read_bytes(), output.stat().st_mtime_ns
        second = to_file(pairs, output)
        assert calls() == []
        assert (output.read_bytes(), output.stat().st_mtime_ns) == (data, stamp)
        assert second == first


@pytest.mark.slow
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(share=st.floats(0, 1), size=st.integers(1, 30))
def test_a_run_killed_at_any_byte_goes_on_to_the_same_bytes(
    pairs: Path, tmp_path: Path, share: float, size: int
) -> None:
    output = tmp_path / "out.jsonl"
    first = to_file(pairs, output, resume=False)
    whole = output.read_bytes()
    output.write_bytes(whole[: round(share * len(whole))])
    mark_unfinished(output)
    again = to_file(pairs, output, batch_size=size)
    assert output.read_bytes() == whole
    assert again[KNOWN].outcomes == first[KNOWN].outcomes
    assert again[KNOWN].mean == pytest.approx(first[KNOWN].mean)
    assert manifest(output)["status"] == "complete"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_run_into_another_format_goes_on_from_its_journal(
    pairs: Path, tmp_path: Path, ending: str, calls: Callable[[], list[str]]
) -> None:
    whole = tmp_path / "whole.jsonl"
    to_file(pairs, whole, metrics=(KNOWN,))
    output = tmp_path / f"out.{ending}"
    to_file(pairs, output, metrics=(KNOWN,))
    mark_unfinished(output)
    output.unlink()
    journal = tmp_path / f"out.{ending}.partial.jsonl"
    journal.write_bytes(b"".join(whole.read_bytes().splitlines(True)[:9]) + b'{"id": "id 9", "me')
    calls()
    to_file(pairs, output, metrics=(KNOWN,))
    assert set(calls()) == {example.id for example in EXAMPLES[9:]}
    assert list(files.score_lines(output)) == flattened(files.score_lines(whole))
    assert not journal.exists()


def test_a_file_that_is_no_output_of_ours_is_never_overwritten(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "notes.jsonl"
    output.write_text("my notes\n")
    with pytest.raises(ConfigError, match=r"notes\.jsonl exists and there is no manifest"):
        to_file(pairs, output)
    (tmp_path / "notes.jsonl.manifest.json").write_text("{torn")
    with pytest.raises(ConfigError, match="there is no manifest"):
        to_file(pairs, output)
    assert output.read_text() == "my notes\n"


@pytest.mark.parametrize("resume", [True, False])
def test_the_input_is_never_taken_for_the_output(pairs: Path, tmp_path: Path, resume: bool) -> None:
    before = pairs.read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(pairs)
    for output in (pairs, tmp_path / "." / "pairs.jsonl", link):
        with pytest.raises(ConfigError, match=r"is the input itself\. Name another file"):
            to_file(pairs, output, resume=resume)
    assert pairs.read_bytes() == before


def test_no_resume_replaces_the_rows_of_another_run(pairs: Path, tmp_path: Path) -> None:
    for ending in ("jsonl", "csv"):
        output = tmp_path / f"out.{ending}"
        to_file(pairs, output, metrics=(OTHER,))
        to_file(pairs, output, metrics=(KNOWN,), limit=2, resume=False)
        assert [one.id for one in files.score_lines(output)] == ["id 0", "id 1"]
        assert {one.metric for one in files.score_lines(output)} == {KNOWN}


def test_rows_of_a_replaced_run_are_gone_before_the_new_manifest_stands(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.jsonl"
    to_file(pairs, output, metrics=(KNOWN,))

    def killed(*_: object) -> None:
        raise SystemExit(137)

    monkeypatch.setattr(batches, "score_batch", killed)
    with pytest.raises(SystemExit):
        to_file(pairs, output, metrics=(f"{KNOWN}:power=2",), resume=False)
    assert output.read_bytes() == b""
    assert manifest(output)["status"] == "running"


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", [b"null\n", b"7\n", b"{}\n", b"\xff\n", b'{"id": "id 4", "metric": "x"}\n', b"\n"]
)
def test_a_journal_that_was_changed_is_refused_with_the_place(
    pairs: Path, tmp_path: Path, line: bytes
) -> None:
    output = tmp_path / "out.jsonl"
    to_file(pairs, output)
    lines = output.read_bytes().splitlines(keepends=True)
    lines[9] = line
    output.write_bytes(b"".join(lines))
    mark_unfinished(output)
    place = sum(map(len, lines[:9]))
    with pytest.raises(DataError, match=f"byte {place}: expected the row of 'id 4'.*--no-resume"):
        to_file(pairs, output)
    assert output.read_bytes() == b"".join(lines)


@pytest.mark.parametrize("change", ["shortened", "replaced"])
def test_a_complete_output_that_was_changed_since_is_refused(
    pairs: Path, tmp_path: Path, change: str
) -> None:
    output = tmp_path / "out.jsonl"
    to_file(pairs, output, metrics=(KNOWN,))
    lines = output.read_bytes().splitlines(keepends=True)
    if change == "replaced":
        lines[3] = files.to_line(Score("1", "another", 0.5)).encode()
    output.write_bytes(b"".join(lines[:-1] if change == "shortened" else lines))
    with pytest.raises(DataError, match="expected 23 rows of each metric"):
        to_file(pairs, output, metrics=(KNOWN,))


def test_an_input_that_loses_rows_while_it_is_scored_is_not_called_complete(
    pairs: Path, tmp_path: Path
) -> None:
    rows = files.check(pairs, "jsonl", Columns())
    write_pairs(pairs, EXAMPLES[:5])
    with Cache(None) as store, pytest.raises(DataError, match="5 rows where there were 23"):
        run.run_to_file(rows, run.prepare([KNOWN]), tmp_path / "out.jsonl", store)
    assert manifest(tmp_path / "out.jsonl")["status"] == "running"


# Places that cannot be written


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_folder_in_the_place_of_the_output_is_named(
    pairs: Path, tmp_path: Path, ending: str, resume: bool
) -> None:
    output = tmp_path / f"folder.{ending}"
    output.mkdir()
    with pytest.raises(DataError, match=rf"cannot write .*folder\.{ending}: it is a directory"):
        to_file(pairs, output, resume=resume)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_two_runs_never_write_to_one_output(pairs: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / "made" / f"out.{ending}"
    errors: list[str] = []

    def meanwhile(done: int) -> None:
        with pytest.raises(DataError, match="another run is writing") as error:
            to_file(pairs, output, resume=False)
        errors.append(str(error.value))

    to_file(pairs, output, batch_size=2, progress=meanwhile)
    assert errors and str(output) in errors[0]
    alone = tmp_path / f"alone.{ending}"
    to_file(pairs, alone)
    assert output.read_bytes() == alone.read_bytes()
    assert not list(tmp_path.rglob("*.lock"))


def test_the_lock_of_a_run_that_was_killed_stops_nobody(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.with_name("out.jsonl.lock").touch()
    to_file(pairs, output)
    assert manifest(output)["status"] == "complete"


def test_an_output_below_a_file_is_named(pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write .*out\.jsonl: "):
        to_file(pairs, pairs / "out.jsonl")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc here")
def test_a_folder_that_takes_no_file_is_not_taken_for_a_lock(pairs: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write /proc/x\.jsonl: No such file"):
        to_file(pairs, Path("/proc/x.jsonl"))


def test_an_output_folder_that_may_not_be_written_is_named(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_file = Path.open

    def refuse(self: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if "out.jsonl" in self.name and mode != "r":
            raise PermissionError(errno.EACCES, "Permission denied")
        return open_file(self, mode, *rest, **options)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"cannot write .*out\.jsonl: Permission denied"):
        to_file(pairs, tmp_path / "out.jsonl")


def test_a_full_disk_says_how_much_is_safe_and_the_run_goes_on_later(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: Callable[[], list[str]]
) -> None:
    whole = tmp_path / "whole.jsonl"
    to_file(pairs, whole, metrics=(KNOWN,))
    calls()
    append = Journal.append

    def fill(journal: Journal, lines: Iterable[str]) -> None:
        rows = list(lines)
        if '"id 15"' in rows[0]:
            append(journal, ['{"id": "id 15", "met'])
            raise OSError(errno.ENOSPC, "No space left on device")
        append(journal, rows)

    monkeypatch.setattr(Journal, "append", fill)
    output = tmp_path / "out.jsonl"
    with pytest.raises(DataError, match=r"disk is full. 15 rows are safe; run the same command"):
        to_file(pairs, output, metrics=(KNOWN,), batch_size=5)
    monkeypatch.setattr(Journal, "append", append)
    calls()
    to_file(pairs, output, metrics=(KNOWN,), batch_size=5)
    assert set(calls()) == {example.id for example in EXAMPLES[15:]}
    assert output.read_bytes() == whole.read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_disk_that_is_really_full_is_one_error(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Journal.append

    def full(_: Journal, lines: Iterable[str]) -> None:
        append(Journal(Path("/dev/full")), lines)

    monkeypatch.setattr(Journal, "append", full)
    with pytest.raises(DataError, match=r"cannot write .*: the disk is full"):
        to_file(pairs, tmp_path / "out.jsonl")


def test_a_disk_that_fills_during_the_export_keeps_the_journal(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: Callable[[], list[str]]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    export = files.export
    monkeypatch.setattr(files, "export", full)
    output = tmp_path / "out.csv"
    with pytest.raises(DataError, match=r"the disk is full\. 23 rows are safe"):
        to_file(pairs, output)
    assert not output.exists()
    calls()
    monkeypatch.setattr(files, "export", export)
    to_file(pairs, output)
    assert calls() == []
    assert len(list(files.score_lines(output))) == 46


def test_a_cache_that_fails_half_way_is_gone_on_without(
    pairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(cache, "BUSY_SECONDS", 0.05)
    store, output = tmp_path / "s.sqlite", tmp_path / "out.jsonl"
    other = sqlite3.connect(store, isolation_level=None)

    def lock(done: int) -> None:
        if done == 10:
            other.execute("BEGIN EXCLUSIVE")

    to_file(pairs, output, metrics=(KNOWN,), cache=store, batch_size=5, progress=lock)
    other.execute("ROLLBACK")
    other.close()
    (record,) = caplog.records
    assert "s.sqlite: database is locked" in record.getMessage()
    assert list(files.score_lines(output)) == list(score(EXAMPLES, [KNOWN]))


# Killed from outside


def asked(pairs: Path, output: Path, folder: Path) -> list[str]:
    """The arguments of a run."""
    return ["score", str(pairs), "-m", KNOWN, "-m", OTHER, "-o", str(output), "--batch-size", "2",
            "--cache", str(folder / "s.sqlite")]  # fmt: skip


def start(pairs: Path, output: Path, folder: Path, sleep: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "faithkit.cli", *asked(pairs, output, folder)],
        env={**os.environ, "TINY_SLEEP": str(sleep)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell's background job, and all that it starts, would ignore the interrupt.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def wait_for_lines(path: Path, lines: int) -> None:
    deadline = time.monotonic() + 30
    while not path.exists() or path.read_bytes().count(b"\n") < lines:
        assert time.monotonic() < deadline, "the run wrote nothing"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "sent", "code"),
    [
        ("jsonl", signal.SIGKILL, -9),
        ("csv", signal.SIGKILL, -9),
        ("parquet", signal.SIGKILL, -9),
        ("jsonl", signal.SIGTERM, -15),
        ("jsonl", signal.SIGINT, 130),
    ],
)
def test_a_run_stopped_from_outside_goes_on_to_the_output_of_an_uninterrupted_one(
    pairs: Path, tmp_path: Path, ending: str, sent: signal.Signals, code: int
) -> None:
    whole = tmp_path / f"whole.{ending}"
    to_file(pairs, whole)
    output = tmp_path / f"out.{ending}"
    journal = output if ending == "jsonl" else tmp_path / f"out.{ending}.partial.jsonl"
    running = start(pairs, output, tmp_path, sleep=0.1)
    wait_for_lines(journal, 8)
    running.send_signal(sent)
    _, error = running.communicate(timeout=30)
    assert running.returncode == code
    assert b"Traceback" not in error
    kept = len(list(Journal(journal).lines()))
    assert 8 <= kept < 46
    if sent == signal.SIGINT:
        said = error.decode()
        assert said.startswith(
            f"faithkit: interrupted; {kept // 2} of 23 rows are safe in {output}"
        )
        assert f" scores are kept in {tmp_path / 's.sqlite'}.\n" in said
    with journal.open("ab") as file:
        file.write(b'{"id": "id 7", "metr')
    again = faithkit(*asked(pairs, output, tmp_path))
    assert again.exit_code == 0, again.output
    if ending == "parquet":
        assert list(files.score_lines(output)) == flattened(files.score_lines(whole))
    else:
        assert output.read_bytes() == whole.read_bytes()
    assert manifest(output)["status"] == "complete"


@pytest.mark.slow
def test_an_interrupt_before_anything_was_scored_claims_nothing(
    pairs: Path, tmp_path: Path
) -> None:
    running = start(pairs, tmp_path / "out.jsonl", tmp_path, sleep=20)
    deadline = time.monotonic() + 30
    while not (tmp_path / "out.jsonl.manifest.json").exists():
        assert time.monotonic() < deadline, "the run did not begin"
        time.sleep(0.01)
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=30)
    assert (running.returncode, error) == (130, b"faithkit: interrupted.\n")


@pytest.mark.slow
def test_two_processes_share_a_cache_while_both_write(pairs: Path, tmp_path: Path) -> None:
    both = [start(pairs, tmp_path / f"{name}.jsonl", tmp_path, sleep=0.005) for name in "ab"]
    for one in both:
        assert one.wait(timeout=30) == 0, one.stderr.read() if one.stderr else ""
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert len(list(files.score_lines(tmp_path / "a.jsonl"))) == 46
