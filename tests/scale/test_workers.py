"""Worker processes: tasks, notes, deaths and the end of whoever started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faithkit.records import DataError
from faithkit.scale.workers import Event, Note, Pool

pytestmark = pytest.mark.slow

THREADS_AT_IMPORT = os.environ.get("OMP_NUM_THREADS")


def service(task: str, note: Note) -> str:
    what, _, argument = task.partition(" ")
    match what:
        case "die" if not Path(argument).exists():
            Path(argument).touch()
            note("dying")
            os.kill(os.getpid(), signal.SIGKILL)
        case "raise":
            raise DataError(argument)
        case "break":
            raise ZeroDivisionError(argument)
        case "threads":
            return str(THREADS_AT_IMPORT)
        case "sleep":
            Path(argument).write_text(str(os.getpid()))
            time.sleep(60)
    return task.upper()


def test_a_worker_that_dies_is_replaced_and_its_task_handed_back(tmp_path: Path) -> None:
    task = f"die {tmp_path / 'died'}"
    with Pool(service, 2) as pool:
        events: list[Event[str]] = []
        for event in pool.run(["a", task, "b"]):
            events.append(event)
            if event.kind == "died":
                pool.again(event.task)
    of_task = [(event.kind, event.value) for event in events if event.task == task]
    assert of_task == [("note", "dying"), ("died", -signal.SIGKILL), ("done", task.upper())]
    assert {event.value for event in events if event.task in ("a", "b")} == {"A", "B"}


@pytest.mark.parametrize("chosen", [None, "7"])
def test_workers_share_the_cores_from_their_first_import_on(
    monkeypatch: pytest.MonkeyPatch, chosen: str | None
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if chosen:
        monkeypatch.setenv("OMP_NUM_THREADS", chosen)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    with Pool(service, 2) as pool:
        (event,) = pool.run(["threads"])
    assert event.value == (chosen or "3")
    assert os.environ.get("OMP_NUM_THREADS") == chosen


def test_what_a_worker_raises_is_raised_here() -> None:
    with Pool(service, 1) as pool, pytest.raises(DataError, match=r"^a\.jsonl, line 3$"):
        list(pool.run(["raise a.jsonl, line 3"]))
    with Pool(service, 1) as pool, pytest.raises(Exception, match="ZeroDivisionError: no"):
        list(pool.run(["break no"]))


DRIVER = """
import sys
sys.path[:0] = {path!r}
from tests.scale.test_workers import service
from faithkit.scale.workers import Pool
if __name__ == "__main__":
    with Pool(service, 1) as pool:
        list(pool.run(["sleep " + sys.argv[1]]))
"""


def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path: Path) -> None:
    script, pid = tmp_path / "driver.py", tmp_path / "pid"
    script.write_text(DRIVER.format(path=sys.path))
    driver = subprocess.Popen([sys.executable, str(script), str(pid)])
    try:
        wait_for(lambda: pid.exists() and bool(pid.read_text()))
    finally:
        driver.kill()
        driver.wait()
    wait_for(lambda: not Path(f"/proc/{pid.read_text()}").exists())


def wait_for(condition: object, seconds: float = 60) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
