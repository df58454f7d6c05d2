"""The store: assignment, append-only events, several writers, a kill, and resuming."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.annotation_stores import EXAMPLES, Annotator, event, store_of, without_pilots

from faithkit import ConfigError, DataError, FaithkitError
from faithkit.annotation import task_files
from faithkit.annotation.answers import hash_of
from faithkit.annotation.assignment import assign
from faithkit.annotation.items import items_of
from faithkit.annotation.store import (
    ADJUDICATOR,
    NotWrittenError,
    Plan,
    Progress,
    Store,
    create,
    resume,
)
from faithkit.records import Score, Span


@given(st.integers(1, 60), st.integers(1, 6), st.data())
def test_assignment_gives_overlap_and_even_loads(
    items: int, people: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(1, people))
    names = [f"a{number}" for number in range(people)]
    given_items = [f"i{number}" for number in range(items)]
    assigned = assign(given_items, names, overlap)
    assert all(len(set(chosen)) == overlap for chosen in assigned.values())
    load = Counter(name for chosen in assigned.values() for name in chosen)
    assert max(load.values()) - min(load[name] for name in names) <= 1
    assert assigned == assign(given_items, names, overlap)


def test_every_two_annotators_share_items() -> None:
    assigned = assign([f"i{number}" for number in range(40)], ["a", "b", "c", "d"], 2)
    shared = Counter(frozenset(pair) for pair in assigned.values())
    assert all(shared[frozenset(pair)] >= 5 for pair in combinations("abcd", 2))


def test_answer_is_there_after_reopening_and_time_adds_up(tmp_path: Path) -> None:
    anna = Annotator(store_of(tmp_path, "spans"), "anna")
    anna.mark(1, "errors", "months", "intrinsic-NP", "major")
    anna.do(1, "comment", value="weeks, not months")
    anna.finish(1)
    answer = Store(tmp_path / "a.sqlite").answer("anna", 1)
    assert [(mark.text, mark.type) for mark in answer.spans("errors")] == [
        ("months", "intrinsic-NP")
    ]
    assert (answer.state, answer.comment, answer.seconds) == ("done", "weeks, not months", 4.0)


def test_undo_goes_back_one_step_at_a_time(tmp_path: Path) -> None:
    anna = Annotator(store_of(tmp_path, "rating"), "anna")
    anna.do(1, "set", "rating", 4)
    anna.do(1, "set", "rating", 2)
    assert anna.do(1, "undo").values == {"rating": 4}
    assert anna.do(1, "undo").values == {}
    with pytest.raises(DataError, match="nothing to undo"):
        anna.do(1, "undo")


def test_undone_state_is_open_in_the_list_too(tmp_path: Path) -> None:
    anna = Annotator(store_of(tmp_path, "rating"), "anna")
    anna.finish(2, "skipped")
    assert [state for _, _, state in anna.store.assigned("anna")][1] == "skipped"
    anna.do(2, "undo")
    assert [state for _, _, state in anna.store.assigned("anna")][1] == "open"


def test_done_without_a_required_answer_is_refused(tmp_path: Path) -> None:
    anna = Annotator(store_of(tmp_path, "rating"), "anna")
    with pytest.raises(DataError, match="no answer yet: rating"):
        anna.finish(1)
    assert anna.finish(1, "unclear").state == "unclear"


def test_progress_counts_states_that_stand_and_no_worked_examples(tmp_path: Path) -> None:
    task = task_files.load("spans")
    anna = Annotator(store_of(tmp_path, task, Plan(("anna", "ben"))), "anna")
    pilots = len(task.pilots)
    assert pilots
    anna.finish(1)
    anna.finish(pilots + 1, "skipped")
    anna.finish(pilots + 2, "unclear")
    anna.do(pilots + 2, "undo")
    first, second = anna.store.progress()
    assert first == Progress("anna", len(EXAMPLES), 0, 1, 0, 6.0)
    assert second == Progress("ben", len(EXAMPLES), 0, 0, 0, 0.0)


def test_an_item_takes_no_more_events_than_can_be_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faithkit.annotation.store.MOST_EVENTS", 2)
    anna = Annotator(store_of(tmp_path, "rating"), "anna")
    sent = event("set", "rating", 4)
    assert anna.store.append("anna", 1, sent).values == {"rating": 4}
    assert anna.do(1, "undo") == anna.store.answer("anna", 1)
    with pytest.raises(DataError, match="item 1 has 2 events of 'anna', and no more are stored"):
        anna.do(1, "undo")
    assert anna.store.append("anna", 1, sent).events == 2
    assert anna.do(2, "set", "rating", 1).values == {"rating": 1}


def test_events_cannot_be_changed_or_deleted(tmp_path: Path) -> None:
    anna = Annotator(store_of(tmp_path, "rating"), "anna")
    anna.answer(1, rating=3)
    database = sqlite3.connect(anna.store.path)
    for statement in ("UPDATE events SET value = '5'", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="only added"):
            database.execute(statement)
    database.close()


def test_event_that_is_sent_twice_is_stored_once(tmp_path: Path) -> None:
    anna = Annotator(store_of(tmp_path, "rating"), "anna")
    sent = event("set", "rating", 4, seconds=3.0)
    anna.store.append("anna", 1, sent)
    assert anna.store.append("anna", 1, sent).seconds == 3.0


def test_answers_are_in_the_order_of_the_plan_whoever_answers_first(tmp_path: Path) -> None:
    store = store_of(tmp_path, "rating", Plan(("chloe", "anna", "ben")))
    for name in ("ben", "anna", "chloe"):
        store.append(name, 1, event("set", "rating", 3))
    assert list(store.answers()[1]) == ["chloe", "anna", "ben"] == store.annotators()


def test_answers_of_an_adjudicator_who_never_joined_are_kept(tmp_path: Path) -> None:
    store = store_of(tmp_path, "rating", Plan(("anna", "ben")))
    for name in ("anna", "ben", ADJUDICATOR):
        store.append(name, 1, event("set", "rating", 3))
    assert set(store.answers()[1]) == {"anna", "ben", ADJUDICATOR}


@pytest.mark.slow
def test_annotators_who_write_at_once_lose_nothing(tmp_path: Path) -> None:
    store = store_of(tmp_path, "rating", Plan(("anna", "ben", "chloe")))

    def rate(name: str) -> None:
        for position in (1, 2, 3, 4):
            for rating in (1, 2, 3):
                store.append(name, position, event("set", "rating", rating))

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(rate, store.plan.annotators))
    for position in (1, 2, 3, 4):
        for name in store.plan.annotators:
            answer = store.answer(name, position)
            assert answer.events == 3 and answer.values == {"rating": 3}


WRITER = """
import sys
from pathlib import Path
from faithkit.annotation.answers import Event
from faithkit.annotation.store import Store
store = Store(Path(sys.argv[1]))
store.join("anna")
for number in range(10**6):
    store.append("anna", 1, Event(str(number), "set", "rating", 1 + number % 5))
    print(number, flush=True)
"""


@pytest.mark.slow
def test_killed_writer_loses_no_event_that_was_answered(tmp_path: Path) -> None:
    store = store_of(tmp_path, "rating")
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store.path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) == 20:
                os.kill(writer.pid, signal.SIGKILL)
                break
    answer = Store(store.path).answer("anna", 1)
    assert answer.events >= 21


def test_only_the_assigned_annotator_may_answer(tmp_path: Path) -> None:
    store = store_of(tmp_path, "rating", Plan(("anna", "ben"), 1))
    mine = [position for position, _, _ in store.assigned("anna")]
    other = next(position for position in (1, 2, 3, 4) if position not in mine)
    with pytest.raises(DataError, match=f"item {other} is not assigned to 'anna'"):
        store.append("anna", other, event("set", "rating", 3))
    with pytest.raises(ConfigError, match="Did you mean 'anna'"):
        store.join("ana")


def test_store_resumes_with_the_same_pairs_and_refuses_others(tmp_path: Path) -> None:
    task, plan = without_pilots("rating"), Plan(("anna", "ben"))
    items = items_of(task, EXAMPLES)
    path = create(tmp_path / "a.sqlite", task, items, plan, "pairs").path
    reworded = replace(task, title="In other words")
    showing = replace(task, shows=("system",))
    assert resume(path, reworded, items, plan).task.title == "In other words"
    for other, message in [
        ((without_pilots("verdict"), items, plan), "was begun with another task"),
        ((task, items, Plan(("anna",))), "other annotators"),
        ((task, items[:3], plan), "has 4 items, and now there are 3"),
        ((task, [items[0], replace(items[1], source="New."), *items[2:]], plan), "item 2 was 's2'"),
        ((showing, items_of(showing, EXAMPLES), plan), "or the fields shown have changed"),
    ]:
        with pytest.raises(ConfigError, match=message):
            resume(path, *other)


def test_marks_of_a_metric_are_recorded_with_their_origin_and_kept_from_the_blind(
    tmp_path: Path,
) -> None:
    task = without_pilots("spans")
    score = Score("s1", "support", 0.2, spans=(Span(46, 52, "unsupported", 0.9),))
    items = items_of(task, EXAMPLES, {"s1": [score]})
    store = create(tmp_path / "a.sqlite", task, items, Plan(("anna", "ben"), blind=("ben",)), "p")
    assert store.item(1).premarks == (
        {"metric": "support", "start": 46, "end": 52, "label": "unsupported", "score": 0.9},
    )
    assert store.is_blind("ben") and not store.is_blind("anna")
    anna = Annotator(store, "anna")
    answer = anna.mark(1, "errors", "months", "extrinsic-NP", "major")
    assert answer.spans("errors")[0].origin == ""
    taken = {"id": "t", "start": 46, "end": 52, "text": "months", "type": "extrinsic-NP",
             "severity": "major", "origin": "support"}  # fmt: skip
    accepted = event("mark", "errors", taken, text_hash=hash_of(EXAMPLES[0].summary))
    assert store.append("anna", 1, accepted).spans("errors")[1].origin == "support"
    other = event("mark", "errors", {**taken, "origin": "rouge"}, text_hash=accepted.text_hash)
    with pytest.raises(DataError, match="no metric 'rouge' has marked this item"):
        store.append("anna", 1, other)
    short = Score("s1", "support", 0.2, spans=(Span(45, 151),))
    with pytest.raises(DataError, match="were these scores made of other texts"):
        items_of(task, EXAMPLES, {"s1": [short]})


def test_pairs_task_makes_an_item_of_every_two_summaries() -> None:
    items = items_of(without_pilots("pairwise"), EXAMPLES)
    assert [item.id for item in items] == [f"s{a}|s{b}" for a, b in combinations((1, 2, 3, 4), 2)]
    with pytest.raises(DataError, match="needs two different summaries"):
        items_of(without_pilots("pairwise"), EXAMPLES[:1])


def test_file_that_is_no_store_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").write_bytes(b"SQLite format 3\0 and then nothing")
    with pytest.raises(FaithkitError, match="not an annotation store"):
        Store(tmp_path / "a.sqlite")
    with pytest.raises(FaithkitError, match="no such file"):
        Store(tmp_path / "b.sqlite")


@pytest.mark.parametrize(
    "name", ["", " anna", "anna ", "a/b", "a\nb", "a\u202eb", ".", "..", "a" * 61]
)
def test_name_that_no_page_can_have_is_refused(tmp_path: Path, name: str) -> None:
    store = store_of(tmp_path, "rating")
    with pytest.raises(ConfigError, match="name"):
        store.join(name)
    assert store.annotators() == []
    with pytest.raises(ConfigError, match="name"):
        create(tmp_path / "b.sqlite", store.task, [], Plan(("anna", name)), "pairs")


@pytest.mark.parametrize("name", ["...", ".anna", "a.b", "Zoë <b>", "名", "a" * 60])
def test_name_of_any_script_and_sign_comes_in(tmp_path: Path, name: str) -> None:
    store = store_of(tmp_path, "rating")
    store.join(name)
    assert store.annotators() == [name]


def test_identity_is_made_once_and_kept_in_the_file(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    store, other = (store_of(tmp_path / folder, "rating") for folder in ("a", "b"))
    assert store.identity() == store.identity() == Store(store.path).identity()
    assert len(store.identity()) == 16 and store.identity() != other.identity()


def test_file_that_cannot_be_written_is_no_fault_of_the_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = Annotator(store_of(tmp_path, "rating"), "anna")
    monkeypatch.setattr("faithkit.annotation.store.BUSY_SECONDS", 0.01)
    database = sqlite3.connect(anna.store.path, isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    with pytest.raises(NotWrittenError, match="locked"):
        anna.do(1, "set", "rating", 4)
    database.execute("ROLLBACK")
    database.close()
    assert anna.do(1, "set", "rating", 4).values == {"rating": 4}


def test_a_new_store_has_nothing_of_one_that_was_killed_and_deleted(tmp_path: Path) -> None:
    plan = Plan(("anna",))
    old = store_of(tmp_path, "verdict", plan)
    log = tmp_path / "a.sqlite-wal"
    with closing(sqlite3.connect(old.path)) as reader:
        reader.execute("SELECT * FROM items").fetchall()
        Annotator(old, "anna").do(1, "comment", value="old")
        left = log.read_bytes()  # what a killed server leaves beside the file
    old.path.unlink()
    log.write_bytes(left)
    assert store_of(tmp_path, "verdict", plan).answers() == {}
