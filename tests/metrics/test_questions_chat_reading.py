"""What is read of the questions and answers that a chat model writes."""

from __future__ import annotations

import pytest
from tests.helpers.question_scripts import (
    ANSWERED,
    SOURCE,
    SUMMARY,
    WHAT,
    WHERE,
    WHO,
    Script,
    score,
)

from faithkit import Outcome
from faithkit.metrics.questions_chat import (
    find,
    kind_of,
    read_answer,
    read_questions,
)
from faithkit.models.protocols import (
    GAP,
    Reply,
)


def ok(text: str) -> Reply:
    return Reply(Outcome.OK, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{WHO}\n{WHAT}", [WHO, WHAT]),
        (f'Here are the questions:\n\n1. {WHO}\n2) **{WHAT}**\n- "{WHERE}"', [WHO, WHAT, WHERE]),
        (f'["{WHO}", \n "{WHAT}"]', [WHO, WHAT]),
        (f"<think>What? Why so?</think>\nQuestion 1: {WHO}\n{WHO}", [WHO]),
        (f"Q: {WHO}\nA: Anna Smith", [WHO]),
        ('["Who bought a bo', []),
        ('{"questions": [', []),
        (f"<think>One could ask:\n{WHO}", []),
        ("Why?", []),
        ("Anna Smith", []),
        ("", []),
    ],
)
def test_the_lines_that_are_questions_are_read(text: str, expected: list[str]) -> None:
    found = read_questions(ok(text), f"{GAP} left.")
    if expected:
        assert [one.text for one in found] == expected
        assert [one.probability for one in found] == [1, 1 / 2, 1 / 3][: len(expected)]
        assert {one.cloze for one in found} == {f"{GAP} left."}
    else:
        assert [(one.text, one.outcome) for one in found] == [("", Outcome.UNPARSABLE)]


def test_declining_to_ask_is_a_refusal() -> None:
    said = "I'm sorry, I can't do that. Can I help you with anything else?"
    assert [one.outcome for one in read_questions(ok(said), "")] == [Outcome.REFUSED]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who sold it?", "who"), ("whom did she see?", "who"), ("When was it?", "when"),
        ("In which year did it open?", "when"), ("How long did it last?", "when"),
        ("Where is it?", "where"), ("How many people came?", "how many"),
        ("What did he sell?", "what"), ("Whatever came of it?", ""), ("Wer kam?", ""),
    ],
)  # fmt: skip
def test_what_a_question_asks_for(question: str, kind: str) -> None:
    assert kind_of(question) == kind


TEXT = "The  “U.S. Navy” paid £4.5m — or 45% —\nfor Anna's\tboat. Others did not. The boat sank."


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("U.S. Navy", "U.S. Navy"), ("the u.s. navy", "U.S. Navy"), ("£4.5m.", "£4.5m"),
        ("45%", "45%"), ('"or 45% - for Anna’s boat"', "or 45% —\nfor Anna's\tboat"),
        ("Answer: Anna's boat\nBecause the text says so.", "Anna's\tboat"),
        ('{"answer": "Others"}', "Others"), ("**Others**", "Others"),
        ("The answer is Others.", "Others"),
        ("<think>It is Anna's.</think>Others", "Others"), ("an other's boat", None), ("oat", None),
        ("boat", "boat"), ("Others did not", "Others did not"),
    ],
)  # fmt: skip
def test_an_answer_is_a_piece_of_the_text_as_it_is_spelled_there(
    said: str, expected: str | None
) -> None:
    found = read_answer(ok(said), TEXT)
    assert found.outcome is Outcome.OK
    assert (found.answerable, found.strayed) == (expected is not None, expected is None)
    if expected is None:
        assert (found.text, found.start, found.probability) == ("", None, 0.0)
    else:
        assert found.text == expected == TEXT[found.start : found.end]
        assert found.probability == 1.0


def test_the_first_place_of_an_answer_is_its_place() -> None:
    start, end = find("boat", TEXT) or (0, 0)
    assert (TEXT[start:end], start) == ("boat", TEXT.index("boat"))
    assert find("", TEXT) is None and find("...", TEXT) is None


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("unanswerable", Outcome.OK), ("Unanswerable.", Outcome.OK),
        ("The question is unanswerable.", Outcome.OK), ('{"answer": "unanswerable"}', Outcome.OK),
        ("I cannot say, as the text does not mention it.", Outcome.OK),
        ("", Outcome.UNPARSABLE), (" \n", Outcome.UNPARSABLE), ("...", Outcome.UNPARSABLE),
        ("Answer:", Outcome.UNPARSABLE), ('{"answer": "An', Outcome.UNPARSABLE),
        ("I'm sorry, I can't help with that.", Outcome.REFUSED),
    ],
)  # fmt: skip
def test_no_answer_is_no_stray_one(said: str, outcome: Outcome) -> None:
    found = read_answer(ok(said), "Anna sold it. That was unanswerable.")
    assert (found.answerable, found.strayed, found.outcome) == (False, False, outcome)


def test_an_answer_from_elsewhere_is_no_answer_and_counted() -> None:
    lyon = ANSWERED | {(WHERE, SOURCE): "Lyon"}
    found = score(Script(answered=lyon))
    assert found.value == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert found.parts["strayed"] == 1 and found.parts["answered"] == 2
    # About its own text: the question is dropped.
    found = score(Script(answered=ANSWERED | {(WHERE, SUMMARY): "in France"}))
    assert found.value == pytest.approx((1 + 2 / 3) / 2)
    assert found.parts["strayed"] == 1
