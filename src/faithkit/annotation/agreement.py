"""How far the annotators of a store agree, question by question, and on which items they differ.

What lives here: which statistic suits which kind of question, over the answers that are done. What
does not: the statistics (`faithkit.meta`), and agreement in a table (`evaluation/annotations.py`,
whose report is the one of a question with names or numbers).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, cast

from faithkit import meta, writing
from faithkit.annotation.answers import Answer, Mark, remaining
from faithkit.annotation.items import Item
from faithkit.annotation.store import ADJUDICATOR, Store
from faithkit.annotation.tasks import Question, Task
from faithkit.evaluation.annotations import (
    DRAWS,
    AgreementReport,
    Annotations,
    Value,
    agreement,
    check_ending,
)
from faithkit.meta.span_agreement import span_f1
from faithkit.records import JSON, DataError

_WORD = re.compile(r"\w+(?:['’]\w+)*")

Judged = Mapping[str, Mapping[str, Any]]
"""Item to annotator to the answer to one question."""


@dataclass(frozen=True, slots=True)
class SpanPair:
    """F1 of the words that two annotators marked; `typed` counts a word only if the type is the
    same, and is None where there is one type."""

    first: str
    second: str
    words: meta.Agreement
    typed: meta.Agreement | None

    def to_dict(self) -> dict[str, JSON]:
        """The pair as JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "words": self.words.to_dict(),
            "typed": self.typed.to_dict() if self.typed else None,
        }


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """Agreement on one question.

    values   what `report` compares, in words
    report   on the answers; None where `reason` says why
    spans    of every two annotators, for marks and deletions
    differ   items whose marked words differ, the least alike first: (item, F1)
    """

    question: str
    kind: str
    values: str
    report: AgreementReport | None
    spans: tuple[SpanPair, ...] = ()
    differ: tuple[tuple[str, float], ...] = ()
    reason: str | None = None

    def to_dict(self) -> dict[str, JSON]:
        """The agreement as JSON."""
        return {
            "question": self.question,
            "kind": self.kind,
            "values": self.values,
            "answers": None if self.report is None else self.report.to_dict(),
            "spans": [pair.to_dict() for pair in self.spans],
            "items_with_other_words": [{"item": item, "f1": f1} for item, f1 in self.differ],
            "reason": self.reason,
        }


def done_answers(store: Store) -> dict[int, tuple[Item, dict[str, Answer]]]:
    """The answers that annotators call done, by position; worked examples and the adjudicator's
    are left out, and items without any answer."""
    items = store.items()
    done = {}
    for position, by_annotator in store.answers().items():
        item = items[position]
        kept = {
            name: answer
            for name, answer in by_annotator.items()
            if answer.state == "done" and name != ADJUDICATOR
        }
        if kept and not item.pilot:
            done[position] = item, kept
    return done


def store_agreement(store: Store, *, draws: int = DRAWS, seed: int = 0) -> list[QuestionAgreement]:
    """The agreement on each question of the store's task but free texts.

    Raises DataError where no item was done by two annotators.
    """
    done = done_answers(store)
    names = [name for name in store.annotators()
             if any(name in answers for _, answers in done.values())]  # fmt: skip
    if not any(len(answers) > 1 for _, answers in done.values()):
        raise DataError(
            f"{store.path}: no item is done by two annotators ({len(done)} are done by one)"
        )
    results = []
    for question in store.task.questions:
        if question.kind == "text":
            continue
        judged = {item.id: _given(store.task, question, item, answers)
                  for item, answers in done.values()}  # fmt: skip
        if question.kind in ("spans", "deletion"):
            texts = {item.id: item.texts[question.side] for item, _ in done.values()}
            results.append(_marked(question, names, judged, texts, draws, seed))
        else:
            results.append(_answered(question, names, judged, draws, seed))
    return results


def _given(
    task: Task, question: Question, item: Item, answers: Mapping[str, Answer]
) -> dict[str, Any]:
    """Annotator to answer, of those to whom the question applied."""
    given = {name: answer.applicable(task, item.summary) for name, answer in answers.items()}
    return {
        name: values[question.name] for name, values in given.items() if question.name in values
    }


def _answered(
    question: Question, names: Sequence[str], judged: Judged, draws: int, seed: int
) -> QuestionAgreement:
    places = {value: float(place) for place, value in enumerate(question.values)}
    numeric = question.kind == "scale" or question.ordered
    values: dict[str, dict[str, Value]] = {}
    for item, answers in judged.items():
        values[item] = {
            name: _value(answer, places if question.ordered else {}, numeric)
            for name, answer in answers.items()
        }
    texts = {item: {name: _shown(answer) for name, answer in answers.items()}
             for item, answers in judged.items()}  # fmt: skip
    return _reported(question, "answers", names, values, texts, numeric, draws, seed)


def _value(answer: Any, places: Mapping[str, float], numeric: bool) -> Value:
    if places:
        return places[answer]
    return float(answer) if numeric else _shown(answer)


def _shown(answer: Any) -> str:
    return ("yes" if answer else "no") if isinstance(answer, bool) else str(answer)


def _reported(
    question: Question, what: str, names: Sequence[str],
    values: Mapping[str, Mapping[str, Value]], texts: Mapping[str, Mapping[str, str]],
    numeric: bool, draws: int, seed: int,
    spans: Sequence[SpanPair] = (), differ: Sequence[tuple[str, float]] = (),
) -> QuestionAgreement:  # fmt: skip
    asked = {item: answers for item, answers in values.items() if answers}
    present = tuple(name for name in names if any(name in answers for answers in asked.values()))
    report, reason = None, None
    if len(present) < 2:
        reason = "fewer than two annotators answered it"
    else:
        layout = f"{what} to '{question.name}'"
        table = Annotations(present, asked, texts, empty=0, numeric=numeric, layout=layout)
        report = agreement(table, draws=draws, seed=seed)
    return QuestionAgreement(
        question.name, question.kind, what, report, tuple(spans), tuple(differ), reason
    )


def _marked(
    question: Question, names: Sequence[str], judged: Judged, texts: Mapping[str, str],
    draws: int, seed: int,
) -> QuestionAgreement:  # fmt: skip
    """Of a deletion what is left is compared as a text [LSS]; of spans whether there is any."""
    words = {
        item: {name: marked_words(texts[item], answer) for name, answer in answers.items()}
        for item, answers in judged.items()
    }
    several = len(question.choices) > 1
    pairs = [_span_pair(a, b, words, several, draws, seed) for a, b in combinations(names, 2)]
    common = [pair for pair in pairs if pair is not None]
    differ = sorted(
        ((item, _mean_f1(list(by_name.values()))) for item, by_name in words.items()
         if len({frozenset(marked) for marked in by_name.values()}) > 1),
        key=lambda row: row[1],
    )  # fmt: skip
    values: dict[str, dict[str, Value]] = {
        item: {
            name: remaining(texts[item], answer) if question.kind == "deletion"
            else ("marks" if answer else "no mark")
            for name, answer in answers.items()
        }
        for item, answers in judged.items()
    }  # fmt: skip
    shown = {item: {name: str(v) for name, v in row.items()} for item, row in values.items()}
    what = "remaining texts" if question.kind == "deletion" else "whether anything is marked"
    return _reported(question, what, names, values, shown, False, draws, seed, common, differ)


def marked_words(text: str, marks: Iterable[Mark | Sequence[int]]) -> dict[int, str]:
    """The words that marks touch, by number, each with the type of the first that does; runs of
    marks of punctuation are no words.

    marks  `Mark`s, or [start, end] of a deletion
    """
    runs = [
        (mark.start, mark.end, mark.type) if isinstance(mark, Mark) else (mark[0], mark[1], "")
        for mark in marks
    ]
    marked: dict[int, str] = {}
    for number, match in enumerate(_WORD.finditer(text)):
        for start, end, kind in runs:
            if start < match.end() and end > match.start():
                marked.setdefault(number, kind)
    return marked


def _span_pair(
    first: str, second: str, words: Mapping[str, Mapping[str, Mapping[int, str]]],
    several: bool, draws: int, seed: int,
) -> SpanPair | None:  # fmt: skip
    rows = [row for row in words.values() if first in row and second in row]
    if not rows:
        return None
    plain = span_f1(
        [set(row[first]) for row in rows], [set(row[second]) for row in rows],
        name="word_f1", draws=draws, seed=seed,
    )  # fmt: skip
    typed = None
    if several:
        typed = span_f1(
            [set(row[first].items()) for row in rows], [set(row[second].items()) for row in rows],
            name="word_f1_with_type", draws=draws, seed=seed,
        )  # fmt: skip
    return SpanPair(first, second, plain, typed)


def _mean_f1(marked: Sequence[Mapping[int, str]]) -> float:
    """The mean over every two annotators of the F1 of their words in one item."""
    values = []
    for first, second in combinations(marked, 2):
        total = len(first) + len(second)
        values.append(2 * len(set(first) & set(second)) / total if total else 1.0)
    return sum(values) / len(values)


def disagreements(store: Store) -> list[tuple[int, list[str]]]:
    """What is to be decided: the positions of items that annotators judged differently, each with
    the questions, most questions first. Free texts do not count."""
    found = []
    for position, (item, answers) in done_answers(store).items():
        questions = [
            question.name
            for question in store.task.questions
            if question.kind != "text" and len(answers) > 1
            and _differ(question, item, _given(store.task, question, item, answers), len(answers))
        ]  # fmt: skip
        if questions:
            found.append((position, questions))
    return sorted(found, key=lambda row: (-len(row[1]), row[0]))


def _differ(question: Question, item: Item, given: Mapping[str, Any], annotators: int) -> bool:
    if question.kind in ("spans", "deletion"):
        text = item.texts[question.side]
        kinds = {frozenset(marked_words(text, marks).items()) for marks in given.values()}
    else:
        kinds = {frozenset([(0, _shown(answer))]) for answer in given.values()}
    # A question that applied to one annotator only follows from another that they differ on.
    return len(kinds) > 1 and len(given) > 1 and annotators > 1


def write_disagreements(
    path: Path, annotators: Sequence[str], results: Sequence[QuestionAgreement]
) -> None:
    """The disagreements of all questions as CSV, TSV or JSONL by ending, each with its question.

    Raises DataError where the file cannot be written.
    """
    check_ending(path)
    rows = [
        {"question": result.question, **disagreement.to_dict()}
        for result in results
        if result.report is not None
        for disagreement in result.report.disagreements
    ]
    if path.suffix.lower() == ".jsonl":
        writing.write_jsonl(path, rows)
        return
    columns = ["question", "item", "size", *annotators]
    flat = [{**row, **cast("dict[str, Any]", row["answers"])} for row in rows]
    writing.write_csv(path, flat, columns)
