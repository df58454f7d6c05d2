"""Stores of annotations in a temporary folder, and annotators who answer without a browser."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from faithkit.annotation import task_files
from faithkit.annotation.answers import Answer, Event, hash_of
from faithkit.annotation.items import items_of
from faithkit.annotation.store import Plan, Store, create
from faithkit.annotation.tasks import Task
from faithkit.records import Example

SOURCE = (
    "The council will close the library for eleven weeks from 3 March. A van calls on Tuesdays."
)
SUMMARIES = (
    "The council will close the library for eleven months.",
    "A van calls on Tuesdays.",
    "The mayor will close the library in May.",
    "The library closes for eleven weeks.",
)
EXAMPLES = tuple(
    Example(f"s{number}", SOURCE, summary, document="library", system=f"writer-{number % 2}")
    for number, summary in enumerate(SUMMARIES, start=1)
)
_keys = count()


def without_pilots(name: str) -> Task:
    """A task of the package without its worked examples."""
    task = task_files.load(name)
    return Task(task.name, task.title, task.about, task.guidelines, task.questions, task.items)


def store_of(folder: Path, task: Task | str, plan: Plan | None = None) -> Store:
    """A store over EXAMPLES."""
    made = without_pilots(task) if isinstance(task, str) else task
    return create(
        folder / "a.sqlite", made, items_of(made, EXAMPLES), plan or Plan(), "pairs.jsonl"
    )


def event(action: str, question: str = "", value: Any = None, **fields: Any) -> Event:
    """An event with a key of its own."""
    return Event(f"key-{next(_keys)}", action, question, value, **fields)  # type: ignore[arg-type]


class Annotator:
    """Somebody who answers the items of a store."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name
        store.join(name)

    def do(self, position: int, action: str, question: str = "", value: Any = None) -> Answer:
        return self.store.append(self.name, position, event(action, question, value, seconds=2.0))

    def mark(
        self, position: int, question: str, text: str, type: str = "", severity: str = "",
        side: str = "summary",
    ) -> Answer:  # fmt: skip
        whole = self.store.item(position).texts[side]
        start = whole.index(text)
        value = {"id": f"{start}-{text}", "start": start, "end": start + len(text), "text": text,
                 "type": type, "severity": severity}  # fmt: skip
        made = event("mark", question, value, text_hash=hash_of(whole))
        return self.store.append(self.name, position, made)

    def strike(self, position: int, question: str, *texts: str) -> Answer:
        whole = self.store.item(position).summary
        runs = [[whole.index(text), whole.index(text) + len(text)] for text in texts]
        made = event("set", question, runs, text_hash=hash_of(whole))
        return self.store.append(self.name, position, made)

    def finish(self, position: int, state: str = "done") -> Answer:
        return self.do(position, "state", value=state)

    def answer(self, position: int, **values: Any) -> Answer:
        for question, value in values.items():
            self.do(position, "set", question, value)
        return self.finish(position)
