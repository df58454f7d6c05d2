"""Workers on a Ray cluster: actors that are given one task at a time, in place of processes.

Which tasks there are, what is done and what is tried again is decided as on one machine, by the
shards in the output folder: Ray keeps nothing, so nothing that it loses or runs twice counts.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Generic, Self

from faithkit.records import ConfigError, FaithkitError, ModelError
from faithkit.scale.workers import Event, Service, TaskT

NOTES_SECONDS = 1.0
"""How often what the actors send meanwhile is asked for."""


class RayPool(Generic[TaskT]):
    """`count` actors, each started when there is a task for it. Stands for `workers.Pool`.

    address  of the cluster; None: the one that RAY_ADDRESS names, or one started here
    gpus     that each actor needs
    Raises ConfigError where Ray is not installed or no cluster is at the address.
    """

    def __init__(
        self, service: Service[TaskT], count: int, address: str | None = None, gpus: float = 0
    ) -> None:
        try:
            import ray
        except ImportError as error:
            raise ConfigError(
                f"--engine ray needs Ray ({error}); install it with: pip install 'ray[data]'"
            ) from error
        self._ray: Any = ray
        self._started = not ray.is_initialized()
        if self._started:
            try:
                ray.init(address=address, log_to_driver=False, include_dashboard=False)
            except (ConnectionError, ValueError) as error:
                raise ConfigError(f"no Ray cluster at {address}: {error}") from error
        self._service = service
        self._actors: list[Any] = [None] * count
        self._gpus = gpus
        self._notes = ray.remote(num_cpus=0)(_Notes).remote()
        self._again: deque[TaskT] = deque()

    def run(self, tasks: Iterable[TaskT]) -> Iterator[Event[TaskT]]:
        """As `workers.Pool.run`; an actor that died has no exit code (None)."""
        waiting = iter(tasks)
        running: dict[Any, tuple[int, TaskT]] = {}
        while True:
            busy = {slot for slot, _ in running.values()}
            for slot in range(len(self._actors)):
                task = None if slot in busy else self._next(waiting)
                if task is not None:
                    self._actors[slot] = self._actors[slot] or self._start(slot)
                    running[self._actors[slot].run.remote(task)] = slot, task
            if not running:
                return
            ready, _ = self._ray.wait(list(running), timeout=NOTES_SECONDS)
            task_of = dict(running.values())
            for slot, notes in self._ray.get(self._notes.take.remote()).items():
                if slot in task_of:
                    yield from (Event(task_of[slot], "note", note) for note in notes)
            for reference in ready:
                yield self._ended(reference, *running.pop(reference))

    def again(self, task: TaskT) -> None:
        """Puts a task before all that wait."""
        self._again.append(task)

    def _next(self, waiting: Iterator[TaskT]) -> TaskT | None:
        return self._again.popleft() if self._again else next(waiting, None)

    def _start(self, slot: int) -> Any:
        actor = self._ray.remote(num_cpus=1, num_gpus=self._gpus, max_restarts=0)(_Actor)
        return actor.remote(self._service, self._notes, slot, os.getcwd())  # noqa: PTH109

    def _ended(self, reference: Any, slot: int, task: TaskT) -> Event[TaskT]:
        from ray.exceptions import RayActorError, RayTaskError

        try:
            return Event(task, "done", self._ray.get(reference))
        except RayActorError:
            # It may only be out of reach: it must not go on beside the next one.
            self._ray.kill(self._actors[slot])
            self._actors[slot] = None
            return Event(task, "died", None)
        except RayTaskError as error:
            cause = error.cause
            if isinstance(cause, FaithkitError):
                raise type(cause)(*cause.args) from error
            raise ModelError(f"{type(cause).__name__}: {cause}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for actor in (*filter(None, self._actors), self._notes):
            self._ray.kill(actor)
        if self._started:
            self._ray.shutdown()


class _Notes:
    """Holds the notes that actors send while they work, in an actor of its own so that they outlive
    the sender."""

    def __init__(self) -> None:
        self._notes: dict[int, list[Any]] = {}

    def put(self, slot: int, note: Any) -> None:
        self._notes.setdefault(slot, []).append(note)

    def take(self) -> dict[int, list[Any]]:
        notes, self._notes = self._notes, {}
        return notes


class _Actor:
    def __init__(self, service: Service[Any], notes: Any, slot: int, folder: str) -> None:
        if os.path.isdir(folder):  # noqa: PTH112
            os.chdir(folder)
        self._service, self._notes, self._place = service, notes, slot

    def run(self, task: Any) -> Any:
        import ray

        # Each is there before the next thing is done, which may be this actor's last.
        return self._service(task, lambda note: ray.get(self._notes.put.remote(self._place, note)))
