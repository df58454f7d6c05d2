"""The annotation store: one SQLite file that keeps every event of every annotator.

What lives here: the file, its schema, and what is read out of it. What events mean is in
`answers.py`. Events are only ever added (a trigger refuses anything else), in WAL mode and on disk
before an answer is given, so that a killed server loses nothing. Several threads and processes may
use one file.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from time import time
from typing import Any

from faithkit.annotation.answers import Answer, Event, State, check_event, hash_of, replay, undoable
from faithkit.annotation.assignment import assign
from faithkit.annotation.items import Item
from faithkit.annotation.tasks import Task
from faithkit.records import JSON, ConfigError, DataError, canonical_json, did_you_mean

BUSY_SECONDS = 10.0
VERSION = 1
MOST_EVENTS = 10_000
"""Events of an annotator about one item."""
ADJUDICATOR = "adjudicator"
"""The name under which disagreements are decided."""

SCHEMA = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE items (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, pilot INTEGER NOT NULL,
    source TEXT NOT NULL, summaries TEXT NOT NULL, source_hash TEXT NOT NULL,
    summaries_hash TEXT NOT NULL, examples TEXT NOT NULL, example TEXT NOT NULL,
    premarks TEXT NOT NULL
);
CREATE TABLE annotators (name TEXT PRIMARY KEY, blind INTEGER NOT NULL, joined REAL NOT NULL)
    WITHOUT ROWID;
CREATE TABLE assignments (annotator TEXT NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (annotator, position)) WITHOUT ROWID;
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT, position INTEGER NOT NULL, annotator TEXT NOT NULL,
    key TEXT NOT NULL, action TEXT NOT NULL, question TEXT NOT NULL, value TEXT NOT NULL,
    seconds REAL NOT NULL, text_hash TEXT NOT NULL, at REAL NOT NULL, UNIQUE (annotator, key)
);
CREATE INDEX events_of_an_answer ON events (annotator, position);
CREATE TRIGGER events_stay BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are only added'); END;
CREATE TRIGGER events_are_kept BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are only added'); END;
"""

EVENT_COLUMNS = "key, action, question, value, seconds, text_hash, number"
ITEM_COLUMNS = "id, source, summaries, examples, example, pilot, premarks"


@dataclass(frozen=True, slots=True)
class Plan:
    """Who annotates what.

    annotators  their names; empty: whoever comes, each of them everything
    overlap     annotators of each item; None: all of them
    blind       annotators who are not shown a metric's marks
    """

    annotators: tuple[str, ...] = ()
    overlap: int | None = None
    blind: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an annotator is; pilots are not counted."""

    annotator: str
    assigned: int
    done: int
    skipped: int
    unclear: int
    seconds: float


class NotWrittenError(DataError):
    """The store's file could not be written; the same event may be stored later."""


class Store:
    """An annotation store that exists. `create` makes one, `open` opens one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise DataError(f"{path}: {'is a directory' if path.is_dir() else 'no such file'}")
        try:
            with self._connect() as database:
                settings = dict(database.execute("SELECT name, value FROM settings").fetchall())
                self.task = Task.from_dict(json.loads(settings["task"]))
                plan = json.loads(settings["plan"])
                self.plan = Plan(tuple(plan["annotators"]), plan["overlap"], tuple(plan["blind"]))
                version = json.loads(settings["version"])
        except (sqlite3.Error, KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}: not an annotation store ({error})") from error
        if version != VERSION:
            raise DataError(f"{path}: made by another release (version {version}, not {VERSION})")

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own for each use, so that threads share none."""
        database = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            database.execute("PRAGMA synchronous=FULL")
            yield database
        finally:
            database.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._connect() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def identity(self) -> str:
        """A random name of this store, by which a page knows it again; made when first asked for,
        then kept in the file."""
        with self._writing() as database:
            database.execute(
                "INSERT OR IGNORE INTO settings VALUES ('identity', ?)", (json.dumps(token_hex(8)),)
            )
            (value,) = database.execute(
                "SELECT value FROM settings WHERE name = 'identity'"
            ).fetchone()
        return str(json.loads(value))

    def annotators(self) -> list[str]:
        """The annotators that are assigned something or have come, in the plan's order."""
        with self._connect() as database:
            names = [row[0] for row in database.execute(
                "SELECT name FROM annotators ORDER BY joined, name")]  # fmt: skip
        return [name for name in names if name != ADJUDICATOR]

    def join(self, annotator: str) -> None:
        """Lets an annotator in. Raises ConfigError on a name that the plan does not have, or none
        that can be shown."""
        if annotator == ADJUDICATOR:
            with self._writing() as database:
                self._add(database, annotator)
            return
        if self.plan.annotators and annotator not in self.plan.annotators:
            raise ConfigError(
                f"'{annotator}' is no annotator of this store."
                f"{did_you_mean(annotator, self.plan.annotators)}"
            )
        _check_name(annotator)
        with self._writing() as database:
            self._add(database, annotator)
            if not self.plan.annotators:
                database.execute(
                    "INSERT OR IGNORE INTO assignments SELECT ?, position FROM items", (annotator,)
                )

    def _add(self, database: sqlite3.Connection, annotator: str) -> None:
        blind = int(annotator in self.plan.blind)
        database.execute("INSERT OR IGNORE INTO annotators VALUES (?, ?, ?)",
                         (annotator, blind, time()))  # fmt: skip

    def is_blind(self, annotator: str) -> bool:
        """Whether the annotator is not shown a metric's marks."""
        return annotator in self.plan.blind

    def assigned(self, annotator: str) -> list[tuple[int, str, State]]:
        """The position, id and state of each item of an annotator, pilots first."""
        with self._connect() as database:
            rows = database.execute(
                "SELECT items.position, items.id FROM items JOIN assignments USING (position) "
                "WHERE annotator = ? ORDER BY items.position",
                (annotator,),
            ).fetchall()
            states = self._states(database, annotator)
        return [(position, identity, states.get(position, "open")) for position, identity in rows]

    def states(self, annotator: str) -> dict[int, State]:
        """The state of each item that an annotator has given one, without taking it back."""
        with self._connect() as database:
            return self._states(database, annotator)

    def _states(self, database: sqlite3.Connection, annotator: str) -> dict[int, State]:
        """The last state of each item that was not taken back."""
        rows = database.execute(
            "SELECT position, value FROM events WHERE annotator = ? AND action = 'state' "
            "AND number NOT IN (SELECT json_extract(value, '$') FROM events "
            "WHERE annotator = ? AND action = 'undo') ORDER BY number",
            (annotator, annotator),
        )
        return {position: json.loads(value) for position, value in rows}

    def item(self, position: int) -> Item:
        """The item at a position. Raises DataError where there is none."""
        with self._connect() as database:
            # As text: SQLite takes no number of more than 64 bits.
            row = database.execute(
                f"SELECT {ITEM_COLUMNS} FROM items WHERE position = ?", (str(position),)
            ).fetchone()
        if row is None:
            raise DataError(f"{self.path}: there is no item {position}")
        return _item(row)

    def items(self) -> dict[int, Item]:
        """All items by position."""
        with self._connect() as database:
            rows = database.execute(f"SELECT position, {ITEM_COLUMNS} FROM items ORDER BY position")
            return {position: _item(row) for position, *row in rows}

    def answer(self, annotator: str, position: int) -> Answer:
        """What an annotator has answered about an item so far."""
        with self._connect() as database:
            return replay(_events(database, annotator, position))

    def answers(self) -> dict[int, dict[str, Answer]]:
        """All answers with an event, by position and annotator, in the order of `annotators`:
        who answered first changes nothing."""
        events: dict[int, dict[str, list[Event]]] = defaultdict(lambda: defaultdict(list))
        with self._connect() as database:
            rows = database.execute(
                f"SELECT position, annotator, {EVENT_COLUMNS} FROM events "
                "LEFT JOIN annotators ON annotator = name ORDER BY joined, name, number"
            )
            for position, annotator, *row in rows:
                events[position][annotator].append(_event(row))
        return {
            position: {annotator: replay(of_one) for annotator, of_one in by_annotator.items()}
            for position, by_annotator in sorted(events.items())
        }

    def append(self, annotator: str, position: int, event: Event) -> Answer:
        """Stores an event and gives the answer as it is then. One that is stored already changes
        nothing; "done" with a required answer missing is refused.

        Raises DataError on an event that does not fit, an item that is not the annotator's, and
        more events of an item than MOST_EVENTS; NotWrittenError where the file cannot be written.
        """
        item = self.item(position)
        check_event(self.task, item.texts, event)
        metrics = {str(mark["metric"]) for mark in item.premarks}
        if event.action == "mark" and event.value.get("origin", "") not in {"", *metrics}:
            raise DataError(f"no metric '{event.value['origin']}' has marked this item")
        try:
            with self._writing() as database:
                self._check_assigned(database, annotator, position)
                events = _events(database, annotator, position)
                if event.key in {earlier.key for earlier in events}:
                    return replay(events)
                if len(events) >= MOST_EVENTS:
                    raise DataError(f"item {position} has {len(events)} events of '{annotator}', "
                                    "and no more are stored")  # fmt: skip
                self._check_unused(database, annotator, event.key)
                event = self._prepared(events, event, item)
                value = json.dumps(event.value)
                stored = database.execute(
                    "INSERT INTO events (position, annotator, key, action, question, value, "
                    "seconds, text_hash, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (position, annotator, event.key, event.action, event.question,
                     value, event.seconds, event.text_hash, time()),
                )  # fmt: skip
                number = stored.lastrowid or 0
                return replay([*events, replace(event, value=json.loads(value), number=number)])
        except sqlite3.Error as error:
            raise NotWrittenError(f"cannot write {self.path}: {error}") from error

    def _check_unused(self, database: sqlite3.Connection, annotator: str, key: str) -> None:
        row = database.execute(
            "SELECT position FROM events WHERE annotator = ? AND key = ?", (annotator, key)
        ).fetchone()
        if row is not None:
            raise DataError(f"event '{key}': this key was used at item {row[0]}; give a new one")

    def _check_assigned(self, database: sqlite3.Connection, annotator: str, position: int) -> None:
        if annotator == ADJUDICATOR:
            return
        found = database.execute(
            "SELECT 1 FROM assignments WHERE annotator = ? AND position = ?", (annotator, position)
        ).fetchone()
        if found is None:
            raise DataError(f"item {position} is not assigned to '{annotator}'")

    def _prepared(self, events: Sequence[Event], event: Event, item: Item) -> Event:
        """The event as it is stored: an undo names what it takes back."""
        if event.action == "undo":
            last = undoable(events)
            if last is None:
                raise DataError("there is nothing to undo")
            return Event(event.key, "undo", value=last.number, seconds=event.seconds)
        if event.action == "state" and event.value == "done":
            missing = replay(events).missing(self.task, item.summary)
            if missing:
                raise DataError(f"no answer yet: {', '.join(missing)}")
        return event

    def progress(self) -> list[Progress]:
        """How far each annotator is."""
        with self._connect() as database:
            pilots = {row[0] for row in database.execute(
                "SELECT position FROM items WHERE pilot")}  # fmt: skip
            seconds = dict(database.execute(
                "SELECT annotator, SUM(seconds) FROM events JOIN assignments "
                "USING (annotator, position) JOIN items USING (position) WHERE NOT pilot "
                "GROUP BY annotator").fetchall())  # fmt: skip
        rows = []
        for annotator in self.annotators():
            own = [state for p, _, state in self.assigned(annotator) if p not in pilots]
            counts = (own.count("done"), own.count("skipped"), own.count("unclear"))
            rows.append(Progress(annotator, len(own), *counts, seconds.get(annotator, 0.0)))
        return rows


def create(path: Path, task: Task, items: Sequence[Item], plan: Plan, source: str) -> Store:
    """A new store, whole or not at all.

    source  what the items were read from, in words
    Raises ConfigError on an impossible plan, DataError on repeated ids or a file that cannot be
    written.
    """
    unknown = [name for name in plan.blind if plan.annotators and name not in plan.annotators]
    if unknown:
        raise ConfigError(
            f"--blind names '{unknown[0]}'.{did_you_mean(unknown[0], plan.annotators)}"
        )
    for name in plan.annotators:
        _check_name(name)
    if ADJUDICATOR in plan.annotators:
        raise ConfigError(f"'{ADJUDICATOR}' is the name of who decides disagreements")
    positions = {item.id: position for position, item in enumerate(items, start=1)}
    if len(positions) < len(items):
        raise DataError(f"{source}: two items have the same id")
    kept = [item.id for item in items if not item.pilot]
    assigned = assign(kept, plan.annotators, plan.overlap) if plan.annotators else {}
    assigned |= {item.id: plan.annotators for item in items if item.pilot}
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    try:
        database = sqlite3.connect(partial, isolation_level=None)
        try:
            database.executescript(SCHEMA)
            database.execute("BEGIN")
            _fill(database, task, items, plan, source)
            database.executemany(
                "INSERT INTO assignments VALUES (?, ?)",
                [(name, positions[item]) for item, names in assigned.items() for name in names],
            )
            database.executemany(
                "INSERT INTO annotators VALUES (?, ?, ?)",
                [(name, int(name in plan.blind), float(number))
                 for number, name in enumerate(plan.annotators)],
            )  # fmt: skip
            database.execute("COMMIT")
            database.execute("PRAGMA journal_mode=WAL")
        finally:
            database.close()
        # Of a store that was killed and then deleted: SQLite would read it into this one.
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        partial.replace(path)
    except (sqlite3.Error, OSError) as error:
        partial.unlink(missing_ok=True)
        raise DataError(f"cannot write {path}: {error}") from error
    return Store(path)


def _fill(
    database: sqlite3.Connection, task: Task, items: Sequence[Item], plan: Plan, source: str
) -> None:
    settings: dict[str, Any] = {
        "version": VERSION,
        "task": task.to_dict(),
        "plan": {"annotators": plan.annotators, "overlap": plan.overlap, "blind": plan.blind},
        "source": source,
        "created": time(),
    }
    database.executemany(
        "INSERT INTO settings VALUES (?, ?)",
        [(name, json.dumps(value)) for name, value in settings.items()],
    )
    database.executemany(
        "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (position, item.id, item.pilot, item.source, json.dumps(item.summaries),
             hash_of(item.source), _summaries_hash(item), json.dumps(item.examples),
             json.dumps(dict(item.example)), _premarks(item))
            for position, item in enumerate(items, start=1)
        ],
    )  # fmt: skip


def resume(path: Path, task: Task, items: Sequence[Item], plan: Plan) -> Store:
    """The store that an earlier call made of the same items and plan; the task's words (questions,
    guidelines) may have changed and become the store's.

    Raises ConfigError where something else is asked for than the store holds.
    """
    store = Store(path)
    if task.shape != store.task.shape:
        raise ConfigError(
            f"{path} was begun with another task ('{store.task.name}', or one with other questions "
            "or choices); give another -o"
        )
    if plan != store.plan:
        raise ConfigError(
            f"{path} was begun with other annotators, another overlap or other blind ones: "
            f"{_plan_words(store.plan)}. Give the same, or another -o"
        )
    given = [(item.id, hash_of(item.source), _summaries_hash(item), _premarks(item), item.shown)
             for item in items]  # fmt: skip
    with store._writing() as database:
        rows = database.execute(
            "SELECT id, source_hash, summaries_hash, premarks, example FROM items ORDER BY position"
        )
        stored = [(*row, json.loads(example).get("shown", {})) for *row, example in rows]
        for number, (ours, theirs) in enumerate(zip(given, stored, strict=False), start=1):
            if ours != theirs:
                raise ConfigError(
                    f"{path}: item {number} was '{theirs[0]}' and is '{ours[0]}' now, or its "
                    "texts, the metric's marks in them or the fields shown have changed; give the "
                    "pairs (and --from) that it was begun with, or another -o"
                )
        if len(given) != len(stored):
            raise ConfigError(f"{path} has {len(stored)} items, and now there are {len(given)}")
        database.execute(
            "UPDATE settings SET value = ? WHERE name = 'task'", (json.dumps(task.to_dict()),)
        )
    return Store(path)


def _plan_words(plan: Plan) -> str:
    shown = [f"--annotators {','.join(plan.annotators)}" if plan.annotators else "no --annotators"]
    if plan.overlap is not None:
        shown.append(f"--overlap {plan.overlap}")
    if plan.blind:
        shown.append(f"--blind {','.join(plan.blind)}")
    return " ".join(shown)


def _check_name(annotator: str) -> None:
    """Raises ConfigError on a name that cannot be shown, or be a part of an address."""
    if not (annotator.isprintable() and annotator.strip() == annotator
            and 0 < len(annotator) <= 60 and "/" not in annotator):  # fmt: skip
        raise ConfigError("a name has 1 to 60 characters, without '/' and no space at its ends")
    if annotator in (".", ".."):
        raise ConfigError(f"'{annotator}' is no name: in an address it means a folder")


def is_store(path: Path) -> bool:
    """Whether a file is an SQLite database, by its first bytes."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def _summaries_hash(item: Item) -> str:
    texts: list[JSON] = list(item.summaries)
    return hash_of(canonical_json(texts))


def _premarks(item: Item) -> str:
    return json.dumps([dict(mark) for mark in item.premarks])


def _events(database: sqlite3.Connection, annotator: str, position: int) -> list[Event]:
    rows = database.execute(
        f"SELECT {EVENT_COLUMNS} FROM events WHERE annotator = ? AND position = ? ORDER BY number",
        (annotator, position),
    )
    return [_event(row) for row in rows]


def _event(row: Sequence[Any]) -> Event:
    key, action, question, value, seconds, text_hash, number = row
    return Event(key, action, question, json.loads(value), seconds, text_hash, number)


def _item(row: Sequence[Any]) -> Item:
    identity, source, summaries, examples, example, pilot, premarks = row
    marks: list[Mapping[str, JSON]] = json.loads(premarks)
    return Item(
        identity, source, tuple(json.loads(summaries)), tuple(json.loads(examples)),
        json.loads(example), pilot, tuple(marks),
    )  # fmt: skip
