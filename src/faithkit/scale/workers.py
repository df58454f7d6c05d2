"""Worker processes that are given one task at a time, and may die at any moment.

A worker that dies is replaced, and its task is handed back with what it was doing. Workers end when
the process that started them does, however that ended.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

from faithkit.records import ModelError

THREADS = "OMP_NUM_THREADS"
"""The variable with the threads of numpy, torch and onnxruntime."""

TaskT = TypeVar("TaskT")
Note = Callable[[Any], None]
"""Sends something to the process that gave the task."""

Kind = Literal["done", "note", "died"]

Service = Callable[[TaskT, Note], Any]
"""What a worker is: pickled to get into its process, called there with each task."""


@dataclass(frozen=True, slots=True)
class Event(Generic[TaskT]):
    """Something that happened to a task: `done` with its result, `note` with what the worker sent
    meanwhile, or `died` with the exit code of its worker (negative: the signal)."""

    task: TaskT
    kind: Kind
    value: Any


@dataclass(slots=True)
class _Worker(Generic[TaskT]):
    process: Any
    pipe: connection.Connection[Any, Any]
    task: TaskT | None = None


class Pool(Generic[TaskT]):
    """`count` workers, each started when there is a task for it. Use as a context manager, which
    ends them."""

    def __init__(self, service: Service[TaskT], count: int) -> None:
        self._service = service
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker[TaskT] | None] = [None] * count
        self._again: deque[TaskT] = deque()

    def run(self, tasks: Iterable[TaskT]) -> Iterator[Event[TaskT]]:
        """Runs the tasks and yields their events until all are done. After `died` the caller may
        call `again`. Raises the exceptions of workers."""
        waiting = iter(tasks)
        while True:
            for slot in range(len(self._workers)):
                if not self._busy(slot):
                    task = self._again.popleft() if self._again else next(waiting, None)
                    if task is not None:
                        self._give(slot, task)
            busy = {w.pipe: slot for slot, w in enumerate(self._workers) if w and w.task}
            if not busy:
                return
            for pipe in connection.wait(list(busy)):
                yield self._event(busy[pipe])  # type: ignore[index]  # wait returns what it got

    def again(self, task: TaskT) -> None:
        """Puts a task before all that wait."""
        self._again.append(task)

    def _busy(self, slot: int) -> bool:
        worker = self._workers[slot]
        return worker is not None and worker.task is not None

    def _give(self, slot: int, task: TaskT) -> None:
        worker = self._workers[slot]
        if worker is not None and not worker.process.is_alive():
            worker.pipe.close()
            worker = None
        if worker is None:
            worker = self._workers[slot] = self._start()
        worker.task = task
        try:
            worker.pipe.send(task)
        except OSError:
            return  # it has died: its end of the pipe says so

    def _start(self) -> _Worker[TaskT]:
        ours, its = self._context.Pipe()
        threads = max(1, (os.cpu_count() or 1) // len(self._workers))
        process = self._context.Process(target=_serve, args=(its, self._service), daemon=True)
        with _threads_of_started(threads):
            process.start()
        its.close()
        return _Worker(process, ours)

    def _event(self, slot: int) -> Event[TaskT]:
        worker = self._workers[slot]
        assert worker is not None and worker.task is not None
        try:
            kind, value = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join()
            worker.pipe.close()
            self._workers[slot] = None
            return Event(worker.task, "died", worker.process.exitcode)
        task = worker.task
        if kind == "raised":
            raise value
        if kind == "done":
            worker.task = None
        return Event(task, kind, value)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in filter(None, self._workers):
            worker.process.terminate()
        for worker in filter(None, self._workers):
            worker.process.join()
            worker.pipe.close()


@contextmanager
def _threads_of_started(number: int) -> Iterator[None]:
    """Gives the processes that are started meanwhile so many threads for each library, instead of
    one for each core. numpy reads this when it is imported, which a worker's own code would be too
    late for."""
    chosen = THREADS in os.environ
    os.environ.setdefault(THREADS, str(number))
    try:
        yield
    finally:
        if not chosen:
            del os.environ[THREADS]


def _serve(pipe: connection.Connection[Any, Any], service: Service[Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            kind, value = "done", service(task, lambda value: pipe.send(("note", value)))
        except Exception as error:
            kind, value = "raised", _sendable(error)
        pipe.send((kind, value))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _sendable(error: Exception) -> Exception:
    """The error, or one with its text where it has more than that."""
    if type(error).__module__ == "faithkit.records":
        return type(error)(str(error))
    return ModelError(f"{type(error).__name__}: {error}")
