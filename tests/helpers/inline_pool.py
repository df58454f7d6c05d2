"""Workers without processes: tasks run here, and a metric's `Died` is the death of its worker."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from faithkit.scale.shards import Task
from faithkit.scale.workers import Event, Service


class Died(BaseException):
    """Raised by a metric: its worker ends here with this exit code."""

    def __init__(self, exit_code: int = -11) -> None:
        self.exit_code = exit_code


class InlinePool:
    """Stands for `workers.Pool`."""

    def __init__(self, service: Service[Task], count: int) -> None:
        self._service = service
        self._again: deque[Task] = deque()

    def __enter__(self) -> InlinePool:
        return self

    def __exit__(self, *error: object) -> None:
        return

    def again(self, task: Task) -> None:
        self._again.append(task)

    def run(self, tasks: Iterable[Task]) -> Iterator[Event[Task]]:
        waiting = iter(tasks)
        while task := self._again.popleft() if self._again else next(waiting, None):
            notes: list[Any] = []
            try:
                result = self._service(task, notes.append)
                ended = Event(task, "done", result)
            except Died as death:
                ended = Event(task, "died", death.exit_code)
            yield from (Event(task, "note", note) for note in notes)
            yield ended
