"""Task files: TOML or JSON in, a checked `Task` out, or one error with file, place and field.

The tasks of the package are in `tasks/`, in the same form as a team's own.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from faithkit.annotation.answers import check_value, marks_of_texts
from faithkit.annotation.tasks import (
    ITEMS,
    KINDS,
    RESERVED_KEYS,
    SIDES,
    Choice,
    Kind,
    Pilot,
    Question,
    Task,
)
from faithkit.fields import Row
from faithkit.records import JSON, ConfigError, DataError, did_you_mean

SHIPPED = ("lss", "treatfact", "spans", "spans-frank", "verdict", "rating", "pairwise")
ENDINGS = (".toml", ".json")
DIGITS = "1234567890"
LETTERS = "asdfqwertyvb"

RESERVED_NAMES = ("annotator", "comment", "premarks_shown", "seconds", "state")
"""What an exported answer says beside the questions' answers."""

TASK_FIELDS = ("name", "title", "about", "guidelines", "items", "questions", "pilots", "shows")
QUESTION_FIELDS = (
    "name", "kind", "ask", "hint", "required", "when", "side", "choices", "severities", "ordered",
    "low", "high", "start_from", "gives", "consistent_from",
)  # fmt: skip
CHOICE_FIELDS = ("value", "words", "key", "hint", "means")
PILOT_FIELDS = ("source", "summary", "summaries", "answers", "note")
OF_KIND = {
    "side": ("spans",),
    "choices": ("spans", "choice", "scale"),
    "severities": ("spans",),
    "ordered": ("choice",),
    "low": ("scale",),
    "high": ("scale",),
    "start_from": ("text",),
    "consistent_from": ("scale",),
    "gives": ("spans", "choice", "scale", "deletion"),
}
"""Fields that only questions of some kinds have."""


def load(name: str) -> Task:
    """A task by its name or by the path of a file.

    Raises DataError on a file that is no task, ConfigError on an unknown name.
    """
    if name in SHIPPED:
        return parse(shipped_text(name), f"{name}.toml", ".toml")
    path = Path(name)
    if path.suffix.lower() not in ENDINGS:
        raise ConfigError(
            f"'{name}' is neither a task nor a task file ({', '.join(ENDINGS)})."
            f"{did_you_mean(name, SHIPPED)}"
        )
    if not path.is_file():
        raise DataError(f"{path}: {'is a directory' if path.is_dir() else 'no such file'}")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 (byte {error.start + 1}); save it as UTF-8") from error
    return parse(text, str(path), path.suffix.lower())


def shipped_text(name: str) -> str:
    """The file of a task of the package."""
    if name not in SHIPPED:
        raise ConfigError(f"There is no task '{name}'.{did_you_mean(name, SHIPPED)}")
    return files("faithkit.annotation").joinpath(f"tasks/{name}.toml").read_text("utf-8")


def parse(text: str, name: str, ending: str) -> Task:
    """The task that a text describes. Raises DataError naming `name`, place and field."""
    try:
        values = json.loads(text) if ending == ".json" else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise DataError(f"{name}: not {ending[1:].upper()}: {error}") from error
    if not isinstance(values, dict):
        raise DataError(f"{name}: expected an object, found {type(values).__name__}")
    row = Row(name, values)
    _no_other_fields(row, TASK_FIELDS)
    questions = tuple(_question(inner) for inner in _tables(row, "questions"))
    if not questions:
        raise DataError(f"{name}, field 'questions': a task asks at least one question")
    task = Task(
        name=row.name("name"),
        title=row.text("title"),
        about=_optional(row, "about"),
        guidelines=_optional(row, "guidelines"),
        questions=questions,
        items=cast("Any", _one_of(row, "items", ITEMS, "summaries")),
        shows=_shows(row),
    )
    _check_together(name, task)
    pilots = [_pilot(inner, task) for inner in _tables(row, "pilots")] if "pilots" in values else []
    return Task(**{**_fields(task), "pilots": tuple(pilots)})


def _shows(row: Row) -> tuple[str, ...]:
    names = row.items("shows") if "shows" in row.values else []
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise row.wrong("shows", "a list of fields of the rows")
    if names and row.values.get("items") == "pairs":
        raise DataError(f"{row.place}, field 'shows': a pair is of two rows, which have two values")
    return tuple(names)


def _fields(task: Task) -> dict[str, Any]:
    return {name: getattr(task, name) for name in TASK_FIELDS}


def _tables(row: Row, field: str) -> list[Row]:
    """The tables of a list, each named by its number, from 1, and its name."""
    tables = []
    for number, item in enumerate(row.items(field), start=1):
        if not isinstance(item, dict):
            raise row.wrong(field, f"a list of tables (number {number} is none)")
        shown = f" ('{item['name']}')" if isinstance(item.get("name"), str) else ""
        tables.append(Row(f"{row.place}, {field} {number}{shown}", item))
    return tables


def _no_other_fields(row: Row, known: Sequence[str]) -> None:
    for field in row.values:
        if field not in known:
            hint = did_you_mean(field, known)
            raise DataError(f"{row.place}: there is no field '{field}'.{hint}")


def _optional(row: Row, field: str) -> str:
    return row.text(field) if field in row.values else ""


def _one_of(row: Row, field: str, allowed: Sequence[str], default: str) -> str:
    return row.one_of(field, allowed) if field in row.values else default


def _flag(row: Row, field: str, default: bool) -> bool:
    value = row.values.get(field, default)
    if not isinstance(value, bool):
        raise row.wrong(field, "true or false")
    return value


def _question(row: Row) -> Question:
    _no_other_fields(row, QUESTION_FIELDS)
    row.get("kind")
    kind = cast("Kind", row.one_of("kind", KINDS))
    for field, kinds in OF_KIND.items():
        if field in row.values and kind not in kinds:
            raise DataError(
                f"{row.place}: a question of the kind '{kind}' has no '{field}'; only "
                f"{', '.join(kinds)} have"
            )
    name = row.name("name")
    if not name.replace("_", "").isalnum() or name in RESERVED_NAMES:
        reserved = ", ".join(RESERVED_NAMES)
        raise row.wrong("name", f"letters, digits and '_', and none of the words {reserved}")
    low, high = (row.whole("low"), row.whole("high")) if kind == "scale" else (0, 0)
    if kind == "scale" and not 1 <= high - low <= 100:
        raise row.wrong("high", f"a whole number from {low + 1} to {low + 100}")
    keys = "" if kind == "scale" else DIGITS  # the key of a grade is the grade
    choices = _choices(row, "choices", keys) if "choices" in row.values else ()
    if kind in ("spans", "choice") and not choices:
        raise DataError(f"{row.place}: a question of the kind '{kind}' needs 'choices'")
    if kind == "scale":
        choices = _grades(row, choices, low, high)
    question = Question(
        name=name,
        kind=kind,
        ask=row.text("ask"),
        hint=_optional(row, "hint"),
        required=_flag(row, "required", kind in ("choice", "scale")),
        when=_condition(row),
        side=cast("Any", _one_of(row, "side", SIDES, "summary")),
        choices=choices,
        severities=_choices(row, "severities", LETTERS) if "severities" in row.values else (),
        ordered=_flag(row, "ordered", False),
        low=low,
        high=high,
        start_from=_optional(row, "start_from"),
        gives=cast("Any", _one_of(row, "gives", ("label", "rating"), "")),
        consistent_from=row.whole("consistent_from") if "consistent_from" in row.values else None,
    )
    _check_export(row, question)
    _check_keys(row, question)
    return question


def _choices(row: Row, field: str, keys: str) -> tuple[Choice, ...]:
    """A list of names or of tables; keys that are not given are the next of `keys`."""
    choices: list[Choice] = []
    for number, item in enumerate(row.items(field), start=1):
        values = {"value": item} if isinstance(item, str) else item
        inner = row.inner(field, str(number), values)
        _no_other_fields(inner, CHOICE_FIELDS)
        value = inner.name("value")
        if value in [choice.value for choice in choices]:
            raise DataError(f"{inner.place}: '{value}' is there twice")
        means = inner.values.get("means")
        if means is not None and (isinstance(means, bool) or means not in (0, 1)):
            raise inner.wrong("means", "1 (consistent) or 0")
        default = keys[number - 1] if number <= len(keys) else ""
        key = inner.text("key") if "key" in inner.values else default
        if len(key) > 1:
            raise inner.wrong("key", "a single character")
        words = inner.text("words") if "words" in inner.values else value
        choices.append(Choice(value, words, key, _optional(inner, "hint"), means))
    return tuple(choices)


def _grades(row: Row, named: Sequence[Choice], low: int, high: int) -> tuple[Choice, ...]:
    """A choice for each grade, with the words of `named` where there are any."""
    words = {choice.value: choice for choice in named}
    grades = [str(grade) for grade in range(low, high + 1)]
    for value in words:
        if value not in grades:
            raise DataError(f"{row.place}, choices: '{value}' is no grade from {low} to {high}")
    choices = (words.get(grade) or Choice(grade, grade, "") for grade in grades)
    return tuple(
        choice if choice.key or len(choice.value) > 1 else replace(choice, key=choice.value)
        for choice in choices
    )


def _condition(row: Row) -> dict[str, tuple[JSON, ...]]:
    value = row.values.get("when", {})
    if not isinstance(value, dict):
        raise row.wrong("when", "a table: question = answer, or a list of answers")
    return {
        name: tuple(answers) if isinstance(answers, list) else (answers,)
        for name, answers in value.items()
    }


def _check_export(row: Row, question: Question) -> None:
    means = [choice.means for choice in question.choices]
    if question.kind == "choice" and question.gives == "label" and not {0, 1} <= set(means):
        raise DataError(
            f'{row.place}: gives = "label" needs a choice with means = 1 and one with means = 0'
        )
    if question.gives == "rating" and question.kind != "scale":
        raise row.wrong("gives", "'label': only a scale gives a rating")
    if question.gives == "label" and question.kind == "scale":
        raise row.wrong("gives", "'rating'; consistent_from makes a label of it")
    if question.consistent_from is not None and question.gives != "rating":
        raise DataError(f'{row.place}: consistent_from needs gives = "rating"')
    if question.gives and question.side == "source":
        raise row.wrong("gives", "nothing: marks in the source say nothing of the summary")


def _check_keys(row: Row, question: Question) -> None:
    used: dict[str, str] = {}
    for choice in (*question.choices, *question.severities):
        if choice.key and choice.key in RESERVED_KEYS:
            raise DataError(
                f"{row.place}: the key '{choice.key}' of '{choice.value}' is one of the page's own "
                f"({' '.join(sorted(RESERVED_KEYS))})"
            )
        if choice.key and used.setdefault(choice.key, choice.value) != choice.value:
            raise DataError(
                f"{row.place}: '{used[choice.key]}' and '{choice.value}' have the same key "
                f"'{choice.key}'"
            )


def _check_together(name: str, task: Task) -> None:
    """What questions say of each other."""
    seen: dict[str, Question] = {}
    gives: dict[str, str] = {}
    for question in task.questions:
        place = f"{name}, question '{question.name}'"
        if question.name in seen:
            raise DataError(f"{place}: the name is there twice")
        for other, answers in question.when.items():
            if other not in seen:
                raise DataError(
                    f"{place}, field 'when': '{other}' is no question before it."
                    f"{did_you_mean(other, seen)}"
                )
            _check_condition(place, seen[other], answers)
        if question.start_from and getattr(seen.get(question.start_from), "kind", "") != "deletion":
            raise DataError(
                f"{place}, field 'start_from': '{question.start_from}' is no deletion before it"
            )
        if task.items == "pairs" and question.kind in ("spans", "deletion"):
            raise DataError(f"{place}: a task about pairs has no '{question.kind}'")
        if task.items == "pairs" and question.gives:
            raise DataError(f"{place}: an answer about a pair gives no {question.gives}")
        for given in (question.gives, "label" if question.consistent_from is not None else ""):
            if given and gives.setdefault(given, question.name) != question.name:
                raise DataError(f"{place}: '{gives[given]}' gives the {given} already")
        seen[question.name] = question


def _check_condition(place: str, question: Question, answers: Sequence[JSON]) -> None:
    allowed: Mapping[str, Sequence[JSON]] = {
        "choice": question.values,
        "tick": (True, False),
        "scale": range(question.low, question.high + 1),
    }
    if question.kind not in allowed:
        raise DataError(
            f"{place}, field 'when': '{question.name}' is of the kind {question.kind}; a condition "
            f"is on {', '.join(allowed)}"
        )
    for answer in answers:
        # To Python true is 1, to the page it is not.
        is_tick = isinstance(answer, bool)
        if answer not in allowed[question.kind] or is_tick != (question.kind == "tick"):
            raise DataError(
                f"{place}, field 'when': {answer!r} is no answer to '{question.name}'; choices: "
                f"{', '.join(map(str, allowed[question.kind]))}"
            )


def _pilot(row: Row, task: Task) -> Pilot:
    """A worked example. Marks are given by their text: `{text, type, severity}`."""
    _no_other_fields(row, PILOT_FIELDS)
    if task.items == "pairs":
        summaries = tuple(row.items("summaries"))
        if len(summaries) != 2 or not all(isinstance(text, str) for text in summaries):
            raise row.wrong("summaries", "two texts")
    else:
        summaries = (row.text("summary"),)
    answers = row.values.get("answers", {})
    if not isinstance(answers, dict):
        raise row.wrong("answers", "a table: question = answer")
    checked: dict[str, Any] = {}
    texts = {"source": row.text("source"), "summary": summaries[0]}
    for name, value in answers.items():
        question = task.question(name)
        if question is None:
            names = [question.name for question in task.questions]
            hint = did_you_mean(name, names)
            raise DataError(f"{row.place}, answers: no question '{name}'.{hint}")
        place = f"{row.place}, answers, '{name}'"
        if question.kind == "spans":
            checked[name] = marks_of_texts(place, question, value, texts[question.side])
        elif question.kind == "deletion":
            checked[name] = marks_of_texts(place, question, value, texts["summary"])
        else:
            check_value(place, question, value, texts["summary"])
            checked[name] = value
    return Pilot(texts["source"], summaries, checked, _optional(row, "note"))
