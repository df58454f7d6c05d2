"""An annotator's answers about one item, as the sum of the events that made them.

What lives here: events and their checks, and `replay`, the only place that says what a list of
events means. What does not: where events are stored (`store.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from faithkit.annotation.tasks import Question, Task, applies
from faithkit.datasets.spans import locate
from faithkit.records import JSON, DataError, is_unicode

Action = Literal["set", "mark", "unmark", "comment", "state", "seen", "undo"]
ACTIONS: tuple[Action, ...] = get_args(Action)
UNDOABLE = frozenset({"set", "mark", "unmark", "comment", "state"})

State = Literal["open", "done", "skipped", "unclear"]
STATES: tuple[State, ...] = get_args(State)

LONGEST_TEXT = 20_000
"""Characters of an answer or comment."""
MOST_RUNS = 1_000
"""Runs of characters that one deletion strikes out."""
MOST_SECONDS = 3_600.0
"""Time that a single event may bring along."""


@dataclass(frozen=True, slots=True)
class Event:
    """What an annotator did.

    key       made by the page: an event that is sent twice is stored once
    action    set: `question` has this answer, or none (None); mark: a mark, or a change of the one
              with this id; unmark: takes away the mark with this id; seen: the item was shown
    value     what belongs to the action; of undo, the number of the event that it takes back
    seconds   time at work on the item since the event before
    text_hash `hash_of` the text that a mark's or deletion's offsets are in
    number    its place in the store, from 1; 0 before it is stored
    """

    key: str
    action: Action
    question: str = ""
    value: Any = None
    seconds: float = 0.0
    text_hash: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters `start:end` of a text, in Unicode characters, with what was said of them.

    origin  the metric whose mark the annotator took over; "" for one of the annotator's own
    """

    id: str
    start: int
    end: int
    text: str
    type: str = ""
    severity: str = ""
    origin: str = ""

    def to_dict(self) -> dict[str, JSON]:
        """The mark as JSON."""
        return {name: getattr(self, name) for name in MARK_FIELDS}


MARK_FIELDS = ("id", "start", "end", "text", "type", "severity", "origin")


@dataclass(slots=True)
class Answer:
    """What an annotator has answered about an item.

    values   question to answer, of questions that are not spans
    marks    question to marks by id, in the order in which they were made
    seconds  time at work
    events   events stored, those that were taken back too
    seen     the answers to "were the metric's marks shown?", as they were each time
    """

    values: dict[str, Any] = field(default_factory=dict)
    marks: dict[str, dict[str, Mark]] = field(default_factory=dict)
    state: State = "open"
    comment: str = ""
    seconds: float = 0.0
    events: int = 0
    premarks_shown: bool = False

    def spans(self, question: str) -> list[Mark]:
        """The marks of a question, in the order of the text."""
        marks = self.marks.get(question, {}).values()
        return sorted(marks, key=lambda mark: (mark.start, mark.end, mark.id))

    def applicable(self, task: Task, summary: str) -> dict[str, Any]:
        """The answers of the questions that apply, in their order, with what stands for an answer
        that was not given: nothing struck out, a tick not set, the text that a text starts from."""
        given: dict[str, Any] = {}
        for question in task.questions:
            if not applies(question, given):
                continue
            if question.kind == "spans":
                given[question.name] = self.spans(question.name)
            elif question.kind == "deletion":
                given[question.name] = self.values.get(question.name) or []
            elif question.kind == "tick":
                given[question.name] = bool(self.values.get(question.name))
            elif self.values.get(question.name) is not None:
                given[question.name] = self.values[question.name]
            elif question.start_from in given:
                given[question.name] = remaining(summary, given[question.start_from])
        return given

    def missing(self, task: Task, summary: str) -> list[str]:
        """The required questions that apply and have no answer."""
        given = self.applicable(task, summary)
        return [
            question.name
            for question in task.questions
            if question.required
            and applies(question, given)
            and given.get(question.name) in (None, "", [])
            and question.kind != "deletion"
        ]

    def to_dict(self) -> dict[str, JSON]:
        """The answer as JSON, for the page."""
        return {
            "values": dict(self.values),
            "marks": {name: [mark.to_dict() for mark in self.spans(name)] for name in self.marks},
            "state": self.state,
            "comment": self.comment,
            "seconds": round(self.seconds, 1),
        }


def hash_of(text: str) -> str:
    """SHA-256 of a text in UTF-8, 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def replay(events: Iterable[Event]) -> Answer:
    """The answer that a list of events makes, in their order."""
    kept = list(events)
    undone = {event.value for event in kept if event.action == "undo"}
    answer = Answer(events=len(kept))
    for event in kept:
        answer.seconds += event.seconds
        if event.action == "seen":
            answer.premarks_shown = answer.premarks_shown or bool(event.value)
        elif event.number not in undone:
            _apply(answer, event)
    return answer


def _apply(answer: Answer, event: Event) -> None:
    if event.action == "set":
        answer.values[event.question] = event.value
    elif event.action == "mark":
        mark = Mark(**event.value)
        answer.marks.setdefault(event.question, {})[mark.id] = mark
    elif event.action == "unmark":
        answer.marks.get(event.question, {}).pop(event.value, None)
    elif event.action == "comment":
        answer.comment = event.value
    elif event.action == "state":
        answer.state = event.value


def undoable(events: Sequence[Event]) -> Event | None:
    """The last event that can be taken back and has not been."""
    undone = {event.value for event in events if event.action == "undo"}
    left = [e for e in events if e.action in UNDOABLE and e.number not in undone]
    return left[-1] if left else None


def remaining(text: str, removed: Sequence[Sequence[int]]) -> str:
    """What is left of a text without some of its characters, with single spaces between words.

    removed  [start, end] of each run that was struck out
    """
    pieces = []
    position = 0
    for start, end in sorted((start, end) for start, end in removed):
        pieces.append(text[position:start])
        position = max(position, end)
    pieces.append(text[position:])
    return " ".join("".join(pieces).split())


def check_event(task: Task, texts: Mapping[str, str], event: Event) -> None:
    """Raises DataError where an event cannot be about this task and these texts.

    texts  "source" and "summary" of the item
    """
    texts_of_event = [event.key, event.question, event.value, event.text_hash]
    if not is_unicode(json.dumps(texts_of_event, ensure_ascii=False)):
        raise DataError("an event holds half a surrogate pair, which is no Unicode")
    place = f"event '{event.key}'"
    if not event.key or len(event.key) > 100:
        raise DataError(f"{place}: a key has 1 to 100 characters")
    if event.action not in ACTIONS:
        raise DataError(f"{place}: there is no action '{event.action}'")
    if not 0 <= event.seconds <= MOST_SECONDS:
        raise DataError(f"{place}: {event.seconds} seconds; expected 0 to {MOST_SECONDS:g}")
    if event.action == "state" and event.value not in STATES:
        raise DataError(f"{place}: a state is one of {', '.join(STATES)}, found {event.value!r}")
    if event.action == "comment":
        _check_text(place, event.value)
    if event.action not in ("set", "mark", "unmark"):
        return
    question = task.question(event.question)
    if question is None:
        raise DataError(f"{place}: the task has no question '{event.question}'")
    place = f"{place}, question '{question.name}'"
    if (question.kind == "spans") == (event.action == "set"):
        raise DataError(f"{place}: no '{event.action}' on a question of the kind {question.kind}")
    text = texts[question.side]
    if (event.action == "mark" or question.kind == "deletion") and event.text_hash != hash_of(text):
        raise DataError(
            f"{place}: the offsets are in another text than the store's; reload the page"
        )
    if event.action == "mark":
        _check_mark(place, question, event.value, text)
    elif event.action == "unmark":
        _check_text(place, event.value)
    elif event.value is not None:
        check_value(place, question, event.value, texts["summary"])


def check_value(place: str, question: Question, value: Any, summary: str) -> None:
    """Raises DataError where `value` is no answer to a question that is not about spans."""
    if question.kind == "choice" and value not in question.values:
        raise DataError(f"{place}: expected one of {', '.join(question.values)}, found {value!r}")
    if question.kind == "tick" and not isinstance(value, bool):
        raise DataError(f"{place}: expected true or false, found {value!r}")
    whole = isinstance(value, int) and not isinstance(value, bool)
    if question.kind == "scale" and not (whole and question.low <= value <= question.high):
        raise DataError(
            f"{place}: expected a whole number from {question.low} to {question.high}, "
            f"found {value!r}"
        )
    if question.kind == "text":
        _check_text(place, value)
    if question.kind == "deletion":
        runs = value if isinstance(value, list) else [None]
        if len(runs) > MOST_RUNS:
            raise DataError(f"{place}: {len(runs)} runs; expected {MOST_RUNS} at most")
        for run in runs:
            if not (isinstance(run, list) and len(run) == 2 and _inside(run[0], run[1], summary)):
                raise DataError(
                    f"{place}: expected [start, end] inside of the summary's {len(summary)} "
                    f"characters, found {run!r}"
                )


def _check_text(place: str, value: Any) -> None:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or not is_unicode(value):
        raise DataError(f"{place}: expected text of {LONGEST_TEXT} characters at most")


def _inside(start: Any, end: Any, text: str) -> bool:
    whole = all(isinstance(edge, int) and not isinstance(edge, bool) for edge in (start, end))
    return whole and 0 <= start < end <= len(text)


def _check_mark(place: str, question: Question, value: Any, text: str) -> None:
    if not isinstance(value, dict) or not {"id", "start", "end", "text"} <= value.keys():
        raise DataError(f"{place}: a mark has id, start, end and text, found {value!r}")
    if other := sorted(set(value) - set(MARK_FIELDS)):
        raise DataError(f"{place}: a mark has no '{other[0]}'")
    if not all(isinstance(value.get(name, ""), str) and len(value.get(name, "")) <= 200
               for name in ("id", "type", "severity", "origin")) or not value["id"]:  # fmt: skip
        raise DataError(f"{place}: id, type, severity and origin are texts")
    start, end = value["start"], value["end"]
    if not _inside(start, end, text) or text[start:end] != value["text"]:
        raise DataError(
            f"{place}: {start!r}:{end!r} is not {str(value['text'])[:40]!r} in the {question.side}"
        )
    if value.get("type", "") not in question.values:
        raise DataError(
            f"{place}: expected a type of {', '.join(question.values)}, found {value.get('type')!r}"
        )
    severities = [severity.value for severity in question.severities]
    if value.get("severity", "") not in (severities or [""]):
        raise DataError(
            f"{place}: expected a severity of {', '.join(severities) or 'none'}, "
            f"found {value.get('severity')!r}"
        )


def marks_of_texts(place: str, question: Question, value: Any, text: str) -> list[dict[str, JSON]]:
    """Marks that a task file gives by their text: `{text, type, severity}`, or a text alone.

    Raises DataError where the text does not occur, or type or severity is none of the question's.
    """
    if not isinstance(value, list):
        raise DataError(f"{place}: expected a list of marks")
    marks = []
    for number, item in enumerate(value, start=1):
        given = item if isinstance(item, dict) else {"text": item}
        found = locate(text, given["text"]) if isinstance(given.get("text"), str) else None
        if found is None:
            raise DataError(f"{place}, mark {number}: its text does not occur: {item!r}")
        mark = {"id": f"pilot-{number}", "start": found[0], "end": found[1], **given}
        mark["text"] = text[found[0] : found[1]]
        if question.kind == "spans":
            mark.setdefault("type", question.values[0])
            if question.severities:
                mark.setdefault("severity", question.severities[0].value)
            _check_mark(f"{place}, mark {number}", question, mark, text)
        marks.append(mark)
    return marks
