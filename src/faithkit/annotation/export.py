"""What annotators said, as rows that the other commands read.

Shapes: `pairs`, the JSONL of pairs that `calibrate`, `bench`, `train support` and `train lss` read
(docs/datasets.md); `treatfact`, the columns of the dataset of that name; `long`, a row for each
answer. What annotators say together is a majority, or what the adjudicator decided.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faithkit.annotation.answers import Answer, Mark, remaining
from faithkit.annotation.items import Item, words
from faithkit.annotation.store import ADJUDICATOR, Store
from faithkit.annotation.tasks import Question, Task
from faithkit.datasets.treatfact import CHOICES
from faithkit.records import ConfigError

SHAPES = ("pairs", "treatfact", "long")

LONG_FIELDS = ("item", "annotator", "state", "seconds", "question", "value", "comment")
TREATFACT_FIELDS = (
    "id", "document", "model", "annotator", "abstract", "summary", *CHOICES, "other_span",
    "other_truth", "overall",
)  # fmt: skip

PREFERENCES = {"first": 1, "second": 0}
"""The choices of the question of a task about pairs, to whether the first summary is preferred;
any other choice is neither."""

MAJORITY = "majority"
"""The annotator of spans that most annotators marked."""


@dataclass(frozen=True, slots=True)
class Exported:
    """Rows of an export, and what is not among them.

    undecided  rows whose label is empty because as many annotators say 1 as say 0
    left_out   items nobody has done, by reason
    decided    rows that the adjudicator decided
    """

    rows: list[dict[str, Any]]
    fields: tuple[str, ...]
    undecided: int
    left_out: Mapping[str, int]
    decided: int


@dataclass(frozen=True, slots=True)
class _Judged:
    """An item with the answers that count, and every annotator's."""

    item: Item
    counted: dict[str, Answer]
    answers: dict[str, Answer]


def export(store: Store, shape: str = "pairs") -> Exported:
    """The rows of a store in one of SHAPES. Raises ConfigError on a shape that the task has not."""
    judged, left_out = _judged(store)
    decided = sum(ADJUDICATOR in item.counted for item in judged)
    task = store.task
    if shape == "treatfact":
        if not {"overall", *CHOICES} <= {question.name for question in task.questions}:
            raise ConfigError(f"the task '{task.name}' has not the questions of TreatFact")
        rows = [row for item in judged for row in _treatfact(task, item)]
        return Exported(rows, TREATFACT_FIELDS, 0, left_out, decided)
    if shape == "long":
        rows = [row for item in judged for row in _long(task, item)]
        return Exported(rows, LONG_FIELDS, 0, left_out, decided)
    if shape != "pairs":
        raise ConfigError(f"there is no shape '{shape}'; choices: {', '.join(SHAPES)}")
    if task.items == "pairs":
        question = _preferring(task)
        rows = [row for item in judged for row in _preferences(question, item)]
        undecided = sum(row["preferred"] is None for row in rows) // 2
    else:
        rows = [_pair(task, item) for item in judged]
        undecided = sum(row["label"] is None for row in rows) if _gives_label(task) else 0
    return Exported(rows, (), undecided, left_out, decided)


def _judged(store: Store) -> tuple[list[_Judged], dict[str, int]]:
    answers = store.answers()
    judged = []
    left_out: Counter[str] = Counter()
    for position, item in store.items().items():
        if item.pilot:
            continue
        given = answers.get(position, {})
        done = {name: answer for name, answer in given.items() if answer.state == "done"}
        counted = {ADJUDICATOR: done[ADJUDICATOR]} if ADJUDICATOR in done else done
        others = {name: answer for name, answer in given.items() if name != ADJUDICATOR}
        if counted:
            judged.append(_Judged(item, counted, others))
        else:
            states = {answer.state for answer in others.values()}
            left_out[next((s for s in ("unclear", "skipped") if s in states), "not done")] += 1
    return judged, dict(left_out)


def _pair(task: Task, judged: _Judged) -> dict[str, Any]:
    item = judged.item
    votes = [_label(task, item, answer) for answer in judged.counted.values()]
    ratings = [rating for answer in judged.counted.values()
               if (rating := _rating(task, item, answer)) is not None]  # fmt: skip
    row: dict[str, Any] = {
        "id": item.id, "source": item.source, "summary": item.summary, **item.example
    }  # fmt: skip
    if _gives_label(task):
        counts = Counter(vote for vote in votes if vote is not None)
        row["label"] = _majority(votes)
        row["votes"] = {str(vote): counts[vote] for vote in sorted(counts)}
    if any(question.gives == "rating" for question in task.questions):
        row["score"] = sum(ratings) / len(ratings) if ratings else None
    if any(_marks_summary(question) for question in task.questions):
        row["spans"] = _spans(task, judged)
        row["error_types"] = sorted({kind for _, _, kind, _ in row["spans"]})
    if any(question.side == "source" for question in task.questions):
        row["evidence"] = _evidence(task, judged)
    row["annotations"] = _records(task, item, judged.counted)
    others = {name: a for name, a in judged.answers.items() if name not in judged.counted}
    if others:
        row["not_counted"] = _records(task, item, others)
    return row


def _gives_label(task: Task) -> bool:
    return any(q.gives == "label" or q.consistent_from is not None for q in task.questions)


def _marks_summary(question: Question) -> bool:
    return question.kind == "deletion" or (question.kind == "spans" and question.side == "summary")


def _records(task: Task, item: Item, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
    return [{"annotator": name, **_record(task, item, a)} for name, a in answers.items()]


def _record(task: Task, item: Item, answer: Answer) -> dict[str, Any]:
    """One annotator's answers: of a deletion what is left, of spans the marks."""
    record: dict[str, Any] = {"state": answer.state}
    for name, value in answer.applicable(task, item.summary).items():
        question = task.question(name)
        assert question is not None
        if question.kind == "deletion":
            value = remaining(item.summary, value)
        elif question.kind == "spans":
            value = [mark.to_dict() for mark in value]
        record[name] = value
    record |= {"seconds": round(answer.seconds, 1), "premarks_shown": answer.premarks_shown}
    if answer.comment:
        record["comment"] = answer.comment
    return record


def _label(task: Task, item: Item, answer: Answer) -> int | None:
    """1 consistent, 0 not, as the question that gives the label says; None where none does."""
    values = answer.applicable(task, item.summary)
    for question in task.questions:
        value = values.get(question.name)
        if question.consistent_from is not None and value is not None:
            return int(value >= question.consistent_from)
        if question.gives != "label" or value is None:
            continue
        if question.kind in ("spans", "deletion"):
            return int(not value)
        return next(choice.means for choice in question.choices if choice.value == value)
    return None


def _rating(task: Task, item: Item, answer: Answer) -> float | None:
    values = answer.applicable(task, item.summary)
    for question in task.questions:
        if question.gives == "rating" and values.get(question.name) is not None:
            return float(values[question.name])
    return None


def _majority(votes: Sequence[int | None]) -> int | None:
    """The label of more than half of those who gave one; None on a tie."""
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts or counts[1] == counts[0]:
        return None
    return int(counts[1] > counts[0])


def _spans(task: Task, judged: _Judged) -> list[list[Any]]:
    """`[start, end, type, annotator]`: of a deletion each annotator's removed words, as the release
    of [LSS] has them; of spans the words that most annotators marked."""
    spans: list[list[Any]] = []
    for question in task.questions:
        answers = {name: answer.applicable(task, judged.item.summary).get(question.name)
                   for name, answer in judged.counted.items()}  # fmt: skip
        if question.kind == "deletion":
            spans += [
                [start, end, "unsupported", place]
                for place, removed in enumerate(answers.values())
                for start, end in removed or []
            ]
        elif _marks_summary(question):
            spans += _majority_spans(judged.item.summary, {n: a or [] for n, a in answers.items()})
    return spans


def _evidence(task: Task, judged: _Judged) -> list[list[Any]]:
    """`[start, end, type, annotator]` of every annotator's marks in the source."""
    return [
        [mark.start, mark.end, mark.type, name]
        for name, answer in judged.counted.items()
        for question, marks in answer.applicable(task, judged.item.summary).items()
        if getattr(task.question(question), "side", "") == "source"
        for mark in marks
    ]


def _majority_spans(summary: str, marks: Mapping[str, Sequence[Mark]]) -> list[list[Any]]:
    """Runs of words that more than half of the annotators marked, each with its commonest type."""
    (name, given), *others = marks.items()
    if not others:
        return [[mark.start, mark.end, mark.type, name] for mark in given]
    runs: list[list[Any]] = []
    before = -1
    for number, (start, end) in enumerate(words(summary)):
        touching = [
            [mark.type for mark in given if mark.start < end and mark.end > start]
            for given in marks.values()
        ]
        votes = Counter(types[0] for types in touching if types)
        if sum(votes.values()) * 2 <= len(marks):
            continue
        kind = min(votes, key=lambda kind: (-votes[kind], kind))
        if runs and before == number - 1 and runs[-1][2] == kind:
            runs[-1][1] = end
        else:
            runs.append([start, end, kind, MAJORITY])
        before = number
    return runs


def _preferring(task: Task) -> Question:
    """The first question with the choices PREFERENCES. Raises ConfigError where there is none."""
    for question in task.questions:
        if question.kind == "choice" and set(PREFERENCES) <= set(question.values):
            return question
    raise ConfigError(
        f"the task '{task.name}' has no question with the choices {' and '.join(PREFERENCES)}, so "
        "no summary is preferred; --shape long has every answer"
    )


def _preferences(question: Question, judged: _Judged) -> Iterator[dict[str, Any]]:
    """Two rows for a pair: `preferred` is 1 for the summary that most prefer, and 0 for the other;
    empty where as many prefer the other, or at least half see no difference."""
    item = judged.item
    given = [answer.values.get(question.name) for answer in judged.counted.values()]
    votes = Counter(value for value in given if value is not None)
    first = _majority([PREFERENCES.get(str(value)) for value in given])
    if votes["same"] * 2 >= len(given):
        first = None
    for place, (identity, summary) in enumerate(zip(item.examples, item.summaries, strict=True)):
        preferred = None if first is None else int(first == 1 - place)
        yield {
            "id": f"{item.id}#{place + 1}", "example": identity, "pair": item.id,
            "source": item.source, "summary": summary, **item.example, "preferred": preferred,
            "votes": dict(votes),
        }  # fmt: skip


def _treatfact(task: Task, judged: _Judged) -> Iterator[dict[str, Any]]:
    item = judged.item
    for name, answer in judged.counted.items():
        values = answer.applicable(task, item.summary)
        yield {
            "id": item.id,
            "document": item.example.get("document", ""),
            "model": item.example.get("system", ""),
            "annotator": name,
            "abstract": item.source,
            "summary": item.summary,
            **{field: values.get(field, "") for field in CHOICES},
            "other_span": "; ".join(mark.text for mark in values.get("other_span", ())),
            "other_truth": "; ".join(mark.text for mark in values.get("other_truth", ())),
            "overall": values["overall"],
        }


def _long(task: Task, judged: _Judged) -> Iterator[dict[str, Any]]:
    for name, answer in (judged.answers | judged.counted).items():
        record = _record(task, judged.item, answer)
        for question in task.questions:
            if question.name in record:
                yield {
                    "item": judged.item.id, "annotator": name, "state": answer.state,
                    "seconds": record["seconds"], "question": question.name,
                    "value": _cell(question, record[question.name]),
                    "comment": answer.comment,
                }  # fmt: skip


def _cell(question: Question, value: Any) -> Any:
    if question.kind == "spans":
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else value
