"""Claims made of questions and their answers (`train/labels/questions.py`)."""

import json
from pathlib import Path

import pytest

from faithkit.language.parse import parse
from faithkit.records import DataError
from faithkit.train.labels import family, questions
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

STATED = {
    ("When did Greenland sign a treaty", "1985"): "Greenland signed a treaty in 1985.",
    ("When was the hall opened", "5 May 1902"): "The hall was opened on 5 May 1902.",
    ("Where did Anna find the key", "under the mat"): "Anna found the key under the mat.",
    ("Who wrote the letter", "Ben"): "Ben wrote the letter.",
    ("Who was the first mayor of Warsaw", "Anna"): "The first mayor of Warsaw was Anna.",
    ("In what year did King Hugo die", "1560"): "King Hugo died in 1560.",
    ("How many people live in Leeds", "5,000"): "5,000 people live in Leeds.",
    ("What does the town depend on", "fishing"): "The town depends on fishing.",
    ("What did Anna give to Ben", "a key"): "Anna gave a key to Ben.",
    ("Why did the club close", "because of the fire"): "The club closed because of the fire.",
    ("Which country did Anna leave", "France"): "Anna left France.",
    ("Lorentz's law describes what", "a force"): "Lorentz's law describes a force.",
}  # fmt: skip


@pytest.mark.parametrize(("asked", "statement"), STATED.items(), ids=lambda one: str(one)[:40])
def test_a_question_and_its_answer_are_a_statement(asked: tuple[str, str], statement: str) -> None:
    question, answer = asked
    form = questions.form_of(parse([f"{question}?"])[0])
    assert form is not None
    filled = form.filled(answer)
    assert filled is not None
    text, start, end = filled
    assert text == statement
    assert text[start:end].lower() == answer.lower()


@pytest.mark.parametrize(
    "question",
    ["What did Anna not see", "Is a problem abstract or concrete", "How tall is the tower"],
)
def test_other_questions_are_left_out(question: str) -> None:
    assert questions.form_of(parse([f"{question}?"])[0]) is None


def test_an_answer_of_another_shape_is_left_out() -> None:
    form = questions.form_of(parse(["How many people live in Leeds?"])[0])
    assert form is not None
    assert form.filled("a river") is None


def rows_of(folder: Path, asked: list[dict[str, object]]) -> list[Labelled]:
    passage = {"context": "The hall was opened in 1902 and burned in 1931.", "qas": asked}
    path = folder / "train" / "squad_v2_dev.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"data": [{"paragraphs": [passage]}]}), "utf-8")
    return list(questions.claims(folder))


OPENED = {"question": "When was the hall opened?", "answers": [{"text": "1902"}]}
BURNED = {"question": "When was the hall burned?", "answers": [{"text": "1931"}]}


def test_a_right_answer_is_supported_and_that_of_another_question_is_marked(
    tmp_path: Path,
) -> None:
    rows = rows_of(tmp_path, [OPENED, BURNED])
    told = {row.summary: (row.target, [row.summary[a:b] for a, b, bad in row.labels if bad])
            for row in rows}  # fmt: skip
    assert told == {
        "The hall was opened in 1902.": (ENTAILED, []),
        "The hall was opened in 1931.": (UNSUPPORTED, ["1931"]),
        "The hall was burned in 1931.": (ENTAILED, []),
        "The hall was burned in 1902.": (UNSUPPORTED, ["1902"]),
    }
    assert {family(row.file) for row in rows} == {"questions"}


def test_of_a_question_without_an_answer_nothing_is_known_of_single_words(tmp_path: Path) -> None:
    asked = {
        "question": "When was the hall sold?", "answers": [], "is_impossible": True,
        "plausible_answers": [{"text": "1931"}],
    }  # fmt: skip
    (row,) = rows_of(tmp_path, [asked])
    assert (row.summary, row.target, row.labels) == (
        "The hall was sold in 1931.", UNSUPPORTED, ()
    )  # fmt: skip


def test_a_broken_or_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"squad_v2_dev\.json"):
        list(questions.claims(tmp_path))
    rows_of(tmp_path, [])
    (tmp_path / "train" / "squad_v2_dev.json").write_text('{"data": 3}', "utf-8")
    with pytest.raises(DataError, match=r"squad_v2_dev\.json"):
        list(questions.claims(tmp_path))
