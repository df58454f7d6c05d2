"""What is read of short answers and of chains of thought."""

from __future__ import annotations

import pytest

from faithkit import Outcome
from faithkit.metrics.judge.answers import blames_omission, read_verdict, stance
from faithkit.metrics.judge.answers_rated import read_form, read_rating


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Yes", 1), ("yes.", 1), (" **No**\n", 0), ("No, it is made up.", 0), ("Answer: yes", 1),
        ("The answer is no.", 0), ("Yes the summary is fine", 1), ("Hm.\nNo", 0),
        ("<think>no, no</think>Yes", 1),
    ],
)  # fmt: skip
def test_one_word_is_read(text: str, value: int) -> None:
    found = read_verdict(text, reasoned=False)
    assert (found.outcome, found.value) == (Outcome.OK, value)


@pytest.mark.parametrize(
    "text",
    [
        "", " \n", "yes and no", "Yes and no.", "No and yes", "Yes/No", "yes or no", "Oui.", "はい",
        "Sí", "Maybe", "No contradiction was found in it.", "The summary is about a bridge.", "42",
        "The answer is yes and no.", "The answer is maybe.", "nope", "yesterday",
    ],
)  # fmt: skip
def test_what_is_no_answer_is_unparsable(text: str) -> None:
    for reasoned in (False, True):
        found = read_verdict(text, reasoned)
        assert (found.outcome, found.value) == (Outcome.UNPARSABLE, None)


@pytest.mark.parametrize(
    "text",
    [
        "<think>\nFor the second statement the answer is yes. But the first",
        " <think>The summary is consistent with the first paragraph",
        "<think>I would rate the first part 5, but",
        "<think>overall: 2",
    ],
)
def test_an_unfinished_thought_is_no_answer(text: str) -> None:
    for reasoned in (False, True):
        assert read_verdict(text, reasoned).outcome is Outcome.UNPARSABLE
    assert read_rating(text, 1, 5).outcome is Outcome.UNPARSABLE
    assert read_form(text).outcome is Outcome.UNPARSABLE
    assert read_verdict(f"{text}</think>No", reasoned=False).value == 0


@pytest.mark.parametrize(
    "text",
    ["I cannot help with that.", "I'm sorry, but I can't judge this.", "As an AI, I have no view.",
     "I am unable to compare them.", "Sorry. I won’t do this."],
)  # fmt: skip
def test_declining_is_a_refusal_unless_there_is_an_answer(text: str) -> None:
    assert read_verdict(text, reasoned=False).outcome is Outcome.REFUSED
    assert read_rating(text, 1, 5).outcome is Outcome.REFUSED
    assert read_form(text).outcome is Outcome.REFUSED
    assert read_verdict(f"{text} Therefore, the answer is no.", reasoned=True).value == 0


def test_a_chain_of_thought_is_read_at_its_close() -> None:
    text = "No detail is missing. Yes, it was Monday.\nTherefore, the answer is no."
    assert read_verdict(text, reasoned=True).value == 0
    assert read_verdict("Therefore, the answer is **yes**.", reasoned=True).value == 1
    assert read_verdict("All is supported.\n\nYes.", reasoned=True).value == 1
    # Cut off before its close, it has no answer, whatever it begins with.
    assert read_verdict("Yes, the first statement is", reasoned=True).value is None


def test_the_last_of_two_closing_sentences_counts_and_is_flagged() -> None:
    found = read_verdict("The answer is yes. Wait. Therefore, the answer is no.", reasoned=True)
    assert (found.value, found.parts["contradiction"]) == (0, 1)


@pytest.mark.parametrize(
    ("reasoning", "says"),
    [
        ("Every statement is supported by the document.", True),
        ("The summary is not consistent with it.", False),
        ("The document contradicts this.", False),
        ("Nothing in it contradicts the document.", True),
        ("The date isn't supported.", False),
        ("It is inaccurate.", False),
        ("The first part is supported, but the second is not supported.", False),
        ("The bridge opened in June.", None),
        ("The claim that X is supported: yes. The claim that Y is supported: no.", False),
        ("1. Supported: no, the document says June.", False),
        ("The date is supported: not mentioned.", False),
        ("Contradictions: no.", True),
        ("The date is not supported: no source has it.", False),
        ("The summary is consistent: no error was found.", True),
        ("It is unsupported: no source says so.", False),
    ],
)
def test_the_stance_of_reasoning(reasoning: str, says: bool | None) -> None:
    assert stance(reasoning) is says
    for answer, value in (("yes", True), ("no", False)):
        found = read_verdict(f"{reasoning} Therefore, the answer is {answer}.", reasoned=True)
        assert found.parts["contradiction"] == (says is not None and says != value)


@pytest.mark.parametrize(
    ("reasoning", "omission"),
    [
        ("The summary does not mention the weather.", 1),
        ("It omits the second fire.", 1),
        ("The summary leaves out that the mayor resigned.", 1),
        ("The summary does not mention the weather, and its date contradicts the document.", 0),
        ("The document does not mention a second bridge.", 0),
        ("The summary says Monday, which is wrong.", 0),
    ],
)
def test_an_omission_held_against_a_summary_is_flagged(reasoning: str, omission: int) -> None:
    assert blames_omission(reasoning) == bool(omission)
    no = read_verdict(f"{reasoning} Therefore, the answer is no.", reasoned=True)
    yes = read_verdict(f"{reasoning} Therefore, the answer is yes.", reasoned=True)
    assert (no.parts["omission"], yes.parts["omission"]) == (omission, 0)
