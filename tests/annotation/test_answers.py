"""Events: what a list of them means, undo, and events that do not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.annotation_stores import event, without_pilots

from faithkit import DataError
from faithkit.annotation.answers import Event, check_event, hash_of, remaining, replay, undoable

TEXTS = {"source": "A café opened.", "summary": "A 😀 café closed twice."}
SPANS = without_pilots("spans")


def mark(start: int, end: int, **fields: Any) -> Event:
    value = {"id": "m", "start": start, "end": end, "text": TEXTS["summary"][start:end],
             "type": "extrinsic-NP", "severity": "major", **fields}  # fmt: skip
    return event("mark", "errors", value, text_hash=hash_of(TEXTS["summary"]))


def test_mark_with_the_same_id_replaces_and_unmark_removes() -> None:
    events = [mark(9, 15), mark(9, 21), event("unmark", "errors", "m")]
    assert [m.text for m in replay(events[:1]).spans("errors")] == ["closed"]
    assert [m.text for m in replay(events[:2]).spans("errors")] == ["closed twice"]
    assert replay(events).spans("errors") == []


def test_offsets_count_characters_not_utf16_units() -> None:
    check_event(SPANS, TEXTS, mark(2, 3))
    assert mark(2, 3).value["text"] == "😀"


actions = st.sampled_from(["set a", "set b", "mark", "unmark", "comment", "state", "undo"])


@given(st.lists(actions, max_size=30))
def test_undo_gives_the_answer_that_there_was_before(names: list[str]) -> None:
    """The stored log, with undos, means the same as the events that are left."""
    log: list[Event] = []
    left: list[Event] = []
    for number, name in enumerate(names, start=1):
        if name == "undo":
            last = undoable(log)
            assert (last is None) == (not left)
            if last is None:
                continue
            assert last == left.pop()
            made = event("undo", value=last.number)
        elif name.startswith("set"):
            made = event("set", name[-1], number)
        elif name == "mark":
            made = mark(number % 5, number % 5 + 3, id=f"m{number % 3}")
        elif name == "unmark":
            made = event("unmark", "errors", f"m{number % 3}")
        else:
            made = event(name, value="done" if name == "state" else f"comment {number}")
        log.append(replace(made, number=number, seconds=1.0))
        if name != "undo":
            left.append(log[-1])
    whole, kept = replay(log), replay(left)
    assert whole.to_dict() | {"seconds": 0} == kept.to_dict() | {"seconds": 0}
    assert whole.seconds == len(log) and whole.events == len(log)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (mark(9, 15, text="Closed"), "9:15 is not 'Closed' in the summary"),
        (mark(9, 99), "is not"),
        (mark(9, 15, type="typo"), "expected a type of intrinsic-NP"),
        (mark(9, 15, severity="huge"), "expected a severity of major, minor"),
        (mark(9, 15, colour="red"), "a mark has no 'colour'"),
        (replace(mark(9, 15), text_hash="0"), "the offsets are in another text"),
        (event("set", "errors", []), "no 'set' on a question of the kind spans"),
        (event("mark", "mistakes", {}), "the task has no question 'mistakes'"),
        (event("state", value="finished"), "a state is one of open, done, skipped, unclear"),
        (event("comment", value="\ud800"), "half a surrogate pair"),
        (replace(event("comment", value="x"), seconds=-1), "-1 seconds"),
        (replace(event("comment", value="x"), key=""), "a key has 1 to 100"),
    ],
)
def test_event_that_does_not_fit_is_refused(wrong: Event, error: str) -> None:
    with pytest.raises(DataError, match=error):
        check_event(SPANS, TEXTS, wrong)


def test_conditional_question_is_required_only_where_it_applies() -> None:
    task = without_pilots("treatfact")
    answers: dict[str, Any] = {
        q.name: "no" for q in task.questions if q.name.endswith("_mentioned")
    }
    answers |= {"strength_right": "NA", "direction_right": "NA", "overall": 3}
    events = [event("set", name, value) for name, value in answers.items()]
    assert replay(events).missing(task, "") == []
    mentioned = event("set", "population_mentioned", "yes")
    other = event("set", "other", True)
    answer = replay([*events, mentioned, other])
    assert answer.missing(task, "") == ["population_consistent", "other_span"]


def test_answer_to_a_question_that_no_longer_applies_does_not_count() -> None:
    task = without_pilots("treatfact")
    steps = [("population_mentioned", "yes"), ("population_consistent", "no"),
             ("population_mentioned", "no")]  # fmt: skip
    answer = replay([event("set", name, value) for name, value in steps])
    assert "population_consistent" not in answer.applicable(task, "")


def test_deletion_leaves_words_in_order_and_lss_star_starts_from_them() -> None:
    summary = "The library, designed by Ada Finch, opened in 1931."
    removed = [[11, 35]]
    assert remaining(summary, removed) == "The library opened in 1931."
    assert remaining(summary, [[0, len(summary)]]) == ""
    task = without_pilots("lss")
    values = replay([event("set", "lss", removed)]).applicable(task, summary)
    assert values["lss_star"] == "The library opened in 1931."
    assert values["unrelated"] is False
