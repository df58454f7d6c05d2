"""Cloze answers: what completes a question's statement as the support model judges it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from faithkit import models
from faithkit.language.words import words
from faithkit.models.protocols import GAP, Decision, Question, SentenceVerdict, Verdict
from faithkit.models.runtime import Runtime
from faithkit.questions.answering import Cloze, nearest
from faithkit.questions.rules import RuleQuestions
from faithkit.records import ConfigError, Coverage, Outcome


def place(text: str, answer: str) -> tuple[str, int, int]:
    start = text.index(answer)
    return text, start, start + len(answer)


HOUSE = "Anna Smith bought the house in May."
VOTE = "The council of Brookfield voted on Tuesday to spend £1.9m on a new library."
SAID = "Mayor Anna Reyes said building work would begin in March."


@pytest.fixture(scope="module")
def cloze() -> Cloze:
    """On the shipped model: for answers that need a trained one."""
    loaded: Cloze = models.load("qa:cloze", Runtime("cpu", offline=True))
    return loaded


@pytest.fixture
def tiny_cloze(tiny_support: Path) -> Cloze:
    """On a model of random weights: for what holds with any."""
    return Cloze(models.load(f"support:{tiny_support}", Runtime("cpu", offline=True)))


def test_cloze_answers_on_a_changed_folder_are_of_the_model_in_it_now(
    tiny_support: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_support, folder)
    before = models.load(f"qa:cloze:{folder}", Runtime("cpu", offline=True))
    os.utime(folder / "model.safetensors", (1, 1))
    after = models.load(f"qa:cloze:{folder}", Runtime("cpu", offline=True))
    assert after._model is not before._model


SOURCE = (
    "Anna Smith bought an old house in Lyon in May. Her brother, Peter Jones, sold his boat to a "
    "neighbour for £4,000 last week. The council of Brookfield voted on Tuesday to build a library."
)


def ask(statement: str, answer: str) -> Question:
    ((found,),) = RuleQuestions().ask([place(statement, answer)])
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "answer", "expected"),
    [
        (HOUSE, "Anna Smith", "Anna Smith"),
        (HOUSE, "May", "May"),
        ("Anna Smith bought the house in June.", "June", "May"),
        ("Maria Lopez bought the house in May.", "Maria Lopez", "Anna Smith"),
        ("Anna Smith bought a flat in Lyon.", "a flat", "an old house"),
        ("Peter Jones sold the boat for £9,000.", "£9,000", "4,000"),
        ("The council of Brookfield voted on Friday.", "Friday", "Tuesday"),
    ],
)
def test_the_text_answers_by_what_completes_the_cloze(
    cloze: Cloze, statement: str, answer: str, expected: str
) -> None:
    (found,) = cloze.answer([(ask(statement, answer), SOURCE)])
    assert found.answerable and found.outcome is Outcome.OK
    assert found.text.removeprefix("£") == expected
    assert found.start is not None and SOURCE[found.start : found.end] == found.text
    assert 0.0 <= found.probability <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("The minister resigned in October.", "October"),
        ("Two hundred dogs were counted in Norway.", "Two hundred"),
    ],
)
def test_what_the_text_does_not_say_is_unanswerable(
    cloze: Cloze, statement: str, answer: str
) -> None:
    (found,) = cloze.answer([(ask(statement, answer), SOURCE)])
    assert not found.answerable
    assert (found.text, found.start, found.end) == ("", None, None)


class Doubting:
    """A support model that finds every statement entailed with one probability."""

    id = "doubting@0"
    decision = Decision(0.2, 0.8)
    marked = 0.5
    doubtful = 0.5

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        return [self._judge(summary) for _, summary in pairs]

    def _judge(self, summary: str) -> Verdict:
        places = np.array([(word.start, word.end) for word in words(summary)])
        doubts = np.full(len(places), 0.1, dtype=np.float32)
        rest = (1 - self.probability) / 2
        one = SentenceVerdict(
            0,
            len(summary),
            True,
            (self.probability, rest, rest),
            self.probability,
            places,
            doubts,
            (),
        )
        return Verdict((one,), Coverage())


@pytest.mark.parametrize(("probability", "answerable"), [(0.55, True), (0.45, False)])
def test_a_text_answers_where_the_statement_is_more_likely_entailed_than_not(
    probability: float, answerable: bool
) -> None:
    question = ask("The rich Anna Smith bought a ruin in Lyon.", "Lyon")
    (found,) = Cloze(Doubting(probability)).answer([(question, SOURCE)])
    assert found.answerable == answerable
    assert found.probability == pytest.approx(probability)
    assert found.text == ("Lyon" if answerable else "")


def test_a_text_without_a_candidate_answers_nothing(tiny_cloze: Cloze) -> None:
    question = ask(HOUSE, "May")
    for found in tiny_cloze.answer([(question, "He slept."), (question, ""), (question, "...")]):
        assert not found.answerable and found.probability == 0.0


def test_cloze_answers_do_not_depend_on_the_batch(tiny_cloze: Cloze) -> None:
    pairs = [(ask(HOUSE, "May"), SOURCE), (ask(SAID, "March"), SAID), (ask(VOTE, "£1.9m"), VOTE)]
    together = tiny_cloze.answer(pairs)
    others = [*tiny_cloze.answer(pairs[::-1])[::-1], *(tiny_cloze.answer([p])[0] for p in pairs)]
    for first, second in zip([*together, *together], others, strict=True):
        assert first.probability == pytest.approx(second.probability, abs=1e-6)
        assert replace(first, probability=0.0) == replace(second, probability=0.0)


def test_a_question_without_a_cloze_form_is_refused(tiny_cloze: Cloze) -> None:
    with pytest.raises(ConfigError, match="needs the cloze form"):
        tiny_cloze.answer([(Question("Who slept?", 0.9), SOURCE)])


def test_the_nearest_sentence_has_the_rarest_words() -> None:
    best, share = nearest(f"{GAP} sold the boat.", SOURCE)[0]
    assert best.text.startswith("Her brother") and share == 1.0
    assert nearest(f"{GAP} sold.", "") == []


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["£9,000", "9,000"])
def test_an_amount_is_given_with_its_currency(cloze: Cloze, answer: str) -> None:
    question = ask("Peter Jones sold his boat for £9,000.", answer)
    (found,) = cloze.answer([(question, SOURCE)])
    assert found.text == "£4,000"
    assert found.start is not None and SOURCE[found.start : found.end] == "£4,000"
