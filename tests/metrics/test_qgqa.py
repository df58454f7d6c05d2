"""The arithmetic of question metrics by hand, on made-up models that ask and answer from tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from faithkit import Example, Outcome, Score
from faithkit.metrics.inquiry import (
    AnsweredQuestion,
    ComparedAnswers,
    candidates_of,
    mean,
    mentions,
    normal,
)
from faithkit.metrics.qgqa import Qgqa
from faithkit.models.protocols import Answer, Floats, Question
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError
from faithkit.run import prepare

SUMMARY = "Anna Smith bought a boat in Lyon."
SOURCE = "Anna Smith sold her house in Paris. Anna Smith then bought a small boat."
NONE = Answer("", None, None, 0.1, False)


class Asker:
    """Asks "What is PIECE?", or what the table says of a piece."""

    id = "asker@0"

    def __init__(self, table: dict[str, list[Question]] | None = None) -> None:
        self.table = table or {}
        self.asked: list[str] = []

    def ask(self, requests: Sequence[tuple[str, int, int]]) -> list[list[Question]]:
        pieces = [context[start:end] for context, start, end in requests]
        self.asked += pieces
        return [self.table.get(p, [Question(f"What is {p}?", 0.9)]) for p in pieces]


class Answerer:
    """Answers with the words that the table has for (question, context), else with the piece that
    the question names where the context has it."""

    id = "answerer@0"

    def __init__(self, table: dict[tuple[str, str], str] | None = None) -> None:
        self.table = table or {}
        self.pairs: list[tuple[str, str]] = []

    def answer(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        self.pairs += [(question.text, context) for question, context in pairs]
        return [self._answer(question.text, context) for question, context in pairs]

    def _answer(self, question: str, context: str) -> Answer:
        piece = question.removeprefix("What is ").removesuffix("?")
        text = self.table.get((question, context), piece)
        start = context.find(text) if text else -1
        return NONE if start < 0 else Answer(text, start, start + len(text), 0.8, True)


def score(
    qa: Answerer, example: Example | None = None, qg: Asker | None = None, **options: object
) -> Score:
    (found,) = Qgqa(qg or Asker(), qa, **options).score([example or Example("1", SOURCE, SUMMARY)])
    return found


def test_answers_are_normalised_as_in_squad() -> None:
    assert normal("The  U.S. President, an old man!") == "u s president old man"
    assert normal("The") == ""


def test_what_is_asked_about() -> None:
    found = candidates_of([SUMMARY, "He slept. It rained."], "both")
    assert {one.text for one in found[SUMMARY]} == {"Anna Smith", "a boat", "Lyon"}
    assert found["He slept. It rained."] == []
    assert [one.text for one in candidates_of([SUMMARY], "noun_phrases")[SUMMARY]] == [
        "Anna Smith",
        "a boat",
        "Lyon",
    ]
    assert "a boat" not in [one.text for one in candidates_of([SUMMARY], "entities")[SUMMARY]]


def test_sentences_take_turns() -> None:
    text = "The mayor met the bishop and the doctor. The cat caught the mouse."
    found = [one.text for one in candidates_of([text], "noun_phrases")[text]]
    assert found == ["The mayor", "The cat", "the bishop", "the mouse", "the doctor"]


def test_the_value_is_the_mean_similarity_of_the_answers() -> None:
    qa = Answerer({("What is a boat?", SOURCE): "a small boat", ("What is Lyon?", SOURCE): "Paris"})
    found = score(qa)
    # "Anna Smith" 1; "boat" and "small boat" 2/3; "Lyon" and "Paris" 0.
    assert found.value == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert found.parts == {
        "precision": found.value,
        "candidates": 3.0,
        "made": 3.0,
        "questions": 3.0,
        "answered": 3.0,
    }
    shown = {
        item.label: (
            SOURCE[item.start : item.end],
            SUMMARY[item.summary_start : item.summary_end],
            item.score,
        )
        for item in found.evidence
    }
    assert shown == {
        "What is Anna Smith?": ("Anna Smith", "Anna Smith", 1.0),
        "What is a boat?": ("a small boat", "a boat", pytest.approx(2 / 3)),
        "What is Lyon?": ("Paris", "Lyon", 0.0),
    }
    marked = [s for s in found.spans if s.label == "unsupported"]
    assert [(SUMMARY[s.start : s.end], s.score) for s in marked] == [("Lyon", 0.0)]
    questions = {s.label: s.score for s in found.spans if s.label != "unsupported"}
    assert questions == {item.label: item.score for item in found.evidence}


def test_an_unanswerable_question_counts_nothing_and_is_still_shown() -> None:
    found = score(Answerer())
    # The source has "Anna Smith", neither "a boat" nor "Lyon".
    assert found.value == pytest.approx(1 / 3)
    assert found.parts["answered"] == 1 and found.parts["questions"] == 3
    assert [item.label for item in found.evidence] == ["What is Anna Smith?"]
    assert {s.label for s in found.spans} == {
        "unsupported",
        "What is Anna Smith?",
        "What is a boat?",
        "What is Lyon?",
    }


@pytest.mark.parametrize(("similarity", "expected"), [("exact", 1 / 3), ("f1", (1 + 2 / 3) / 3)])
def test_similarities(similarity: str, expected: float) -> None:
    table = {("What is a boat?", SOURCE): "a small boat", ("What is Lyon?", SOURCE): "Paris"}
    assert score(Answerer(table), similarity=similarity).value == pytest.approx(expected)


class Embedder:
    id = "embedder@0"

    def embed(self, texts: Sequence[str]) -> Floats:
        table = {"Lyon": (0.6, 0.8), "Paris": (1.0, 0.0)}
        return np.array([table.get(text, (0.0, 1.0)) for text in texts], dtype=np.float32)


def test_answers_are_compared_by_cosine() -> None:
    table = {("What is a boat?", SOURCE): "a small boat", ("What is Lyon?", SOURCE): "Paris"}
    found = score(Answerer(table), similarity="cosine", model=Embedder())
    assert found.value == pytest.approx((1 + 1 + 0.6) / 3)


def test_duplicates_and_improbable_questions_are_dropped() -> None:
    table = {
        "Anna Smith": [Question("Who bought?", 0.9), Question("Who?", 0.2)],
        "a boat": [Question("who  bought?", 0.8), Question("What?", 0.5)],
        "Lyon": [Question("Where?", 0.4)],
    }
    answers = {(q, t): "Anna Smith" for q in ("Who bought?", "Who?", "What?", "Where?")
               for t in (SOURCE, SUMMARY)}  # fmt: skip
    asked = [s.label for s in score(Answerer(answers), qg=Asker(table)).spans]
    assert asked == ["Who bought?", "What?", "Where?", "Who?"]
    asked = [s.label for s in score(Answerer(answers), qg=Asker(table), minimum=0.45).spans]
    assert asked == ["Who bought?", "What?"]
    asked = [s.label for s in score(Answerer(answers), qg=Asker(table), questions=1).spans]
    assert asked == ["Who bought?", "Where?"]
    asked = [s.label for s in score(Answerer(answers), qg=Asker(table), most=2).spans]
    assert asked == ["Who bought?", "What?"]


def test_of_equal_questions_the_most_probable_one_stays() -> None:
    # Both pieces give one question; the text answers it with the second.
    table = {
        "a boat": [Question("Who  bought?", 0.4)],
        "Anna Smith": [Question("Who bought?", 0.9)],
    }
    for first, second in (("a boat", "Anna Smith"), ("Anna Smith", "a boat")):
        summary = f"{first} and {second} met."
        answers = {(q, t): "Anna Smith" for q in ("Who bought?", "Who  bought?")
                   for t in (SOURCE, summary)}  # fmt: skip
        found = score(Answerer(answers), Example("1", SOURCE, summary), Asker(table), keep="same")
        assert (found.value, found.parts["made"], found.parts["questions"]) == (1.0, 1.0, 1.0)


def test_questions_that_their_own_text_does_not_answer_are_dropped() -> None:
    own = {("What is Lyon?", SUMMARY): ""}
    found = score(Answerer(own))
    assert found.value == pytest.approx(1 / 2) and found.parts["questions"] == 2
    # Answered, but with something else: dropped by keep=same only.
    own = {("What is Lyon?", SUMMARY): "Anna Smith", ("What is Lyon?", SOURCE): "Anna Smith"}
    assert score(Answerer(own)).value == pytest.approx(2 / 3)
    assert score(Answerer(own), keep="same").value == pytest.approx(1 / 2)


def test_the_answer_to_be_met_is_the_texts_own_or_the_piece() -> None:
    table = {("What is Lyon?", SUMMARY): "a boat", ("What is Lyon?", SOURCE): "a small boat"}
    assert score(Answerer(table)).value == pytest.approx((1 + 0 + 2 / 3) / 3)
    assert score(Answerer(table), own="candidate").value == pytest.approx((1 + 0 + 0) / 3)


def test_recall_asks_about_the_source() -> None:
    qg = Asker()
    found = score(Answerer(), qg=qg, direction="recall")
    assert set(qg.asked) <= {"Anna Smith", "her house", "Paris", "a small boat"}
    assert found.parts["recall"] == found.value == pytest.approx(1 / len(set(qg.asked)))
    (item,) = found.evidence
    assert SUMMARY[item.summary_start : item.summary_end] == "Anna Smith"
    assert not [s for s in found.spans if s.label == "unsupported"]


def test_both_directions_are_put_together() -> None:
    table = {("What is a boat?", SOURCE): "a small boat", ("What is Paris?", SUMMARY): "Lyon"}
    harmonic, average = (score(Answerer(table), direction=d) for d in ("f1", "mean"))
    precision, recall = harmonic.parts["precision"], harmonic.parts["recall"]
    assert precision == pytest.approx((1 + 2 / 3 + 0) / 3) and 0 < recall < 1
    assert harmonic.value == pytest.approx(2 * precision * recall / (precision + recall))
    assert average.value == pytest.approx((precision + recall) / 2)


def test_answerability_and_weights() -> None:
    found = score(Answerer(), direction="recall", recall_by="answerable")
    pieces = found.parts["questions"]
    # An answer has 0.8; a question that the summary does not answer has 0.1, not 0.
    assert found.value == pytest.approx((0.8 + 0.1 * (pieces - 1)) / pieces)
    weighted = score(Answerer(), direction="recall", weights="mentions")
    # "Anna Smith" is in both sentences of the source, every other piece in one of the two.
    assert weighted.value == pytest.approx(1.0 / (1.0 + 0.5 * (pieces - 1)))
    assert mentions("Anna Smith", SOURCE) == 1.0 and mentions("a boat", SOURCE) == 0.5


def test_a_weighted_mean_by_hand() -> None:
    question = Question("Q?", 1.0)
    asked = AnsweredQuestion(question, 0, 1, "x", NONE)
    yes = Answer("x", 0, 1, 0.9, True)
    some = [ComparedAnswers(asked, yes, 1.0, 3.0), ComparedAnswers(asked, NONE, 0.0, 1.0)]
    assert mean(some) == pytest.approx(0.75)
    assert mean(some, answerable=True) == pytest.approx((0.9 * 3 + 0.1) / 4)


PRESETS = {
    "mfas": {"direction": "precision", "most": 10, "questions": 5, "similarity": "f1"},
    "qags": {"direction": "precision", "most": 20, "keep": "same", "own": "answer"},
    "feqa": {"direction": "precision", "most": None, "questions": 1, "own": "candidate"},
    "questeval": {"direction": "f1", "recall_by": "answerable", "weights": "mentions"},
    "paper": {"same": 0.9, "own": "best", "normalise": "squad", "default": 1.0, "keep": "same"},
    "qafacteval": {"candidates": "noun_phrases", "similarity": "bertscore", "own": "candidate"},
}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_in_the_signature_and_an_option_overrides_it(preset: str) -> None:
    ours = "qg=rules,qa=cloze"  # the preset `paper` names the paper's models
    asked = [f"qgqa:preset={preset},{ours}", f"qgqa:preset={preset},{ours},most=3"]
    one, other = prepare(asked, Runtime("cpu"))
    assert set(Qgqa.presets) == set(PRESETS)
    assert PRESETS[preset].items() <= one.signature.options.items()
    assert other.signature.options["most"] == 3
    assert {"qg", "qa"} <= one.signature.models.keys()
    wants_model = preset == "qafacteval"
    assert ("model" in one.signature.models) == wants_model


def test_no_question_scores_the_default_with_its_outcome() -> None:
    example = Example("1", SOURCE, "He slept.")
    found = score(Answerer(), example, default=1.0)
    assert (found.value, found.outcome) == (1.0, Outcome.NO_CLAIMS)
    failed = [Question("", 0.0, outcome=Outcome.MODEL_ERROR)]
    broken = score(Answerer(), qg=Asker({"Lyon": failed}), default=1.0)
    assert (broken.value, broken.outcome) == (None, Outcome.MODEL_ERROR)


def test_same_says_how_alike_an_answer_is_to_its_piece() -> None:
    # The summary answers "Anna" where "Anna Smith" was asked for: F1 2/3.
    table = {("What is Anna Smith?", SUMMARY): "Anna"}
    counts = [
        score(Answerer(table), keep="same", same=same).parts["questions"] for same in (0.5, 0.9)
    ]
    assert counts == [3, 2]


def test_own_best_takes_the_better_of_answer_and_piece() -> None:
    table = {("What is Anna Smith?", SUMMARY): "Anna", ("What is Anna Smith?", SOURCE): "Smith"}
    values = {
        own: score(Answerer(table), candidates="entities", own=own).evidence
        for own in ("answer", "candidate", "best")
    }
    first = {own: found[0].score for own, found in values.items()}
    # "Smith" against the answer "Anna", against the piece "Anna Smith", and the better of the two.
    assert first == pytest.approx({"answer": 0.0, "candidate": 2 / 3, "best": 2 / 3})


def test_answers_are_normalised_by_the_option() -> None:
    source = "Anna Smith bought a boat in Ly.on."
    table = {("What is Lyon?", source): "Ly.on"}
    words, squad = (
        score(Answerer(table), Example("1", source, SUMMARY), normalise=how).value
        for how in ("words", "squad")
    )
    # "ly on" has no word of "lyon"; with the full stop deleted the two are the same.
    assert (words, squad) == pytest.approx((2 / 3, 1.0))


def test_options_that_make_no_sense_are_refused() -> None:
    for options in ("most=0", "questions=0"):
        with pytest.raises(ConfigError):
            prepare([f"qgqa:{options}"], Runtime("cpu"))


def test_nothing_to_ask_is_no_claims_and_blank_is_no_content() -> None:
    found = score(Answerer(), Example("1", SOURCE, "He slept."))
    assert (found.value, found.outcome) == (None, Outcome.NO_CLAIMS)
    assert found.parts == {"candidates": 0.0, "made": 0.0, "questions": 0.0, "answered": 0.0}
    unanswered = {(f"What is {piece}?", SUMMARY): "" for piece in ("Anna Smith", "a boat", "Lyon")}
    found = score(Answerer(unanswered))
    assert found.outcome is Outcome.NO_CLAIMS
    assert found.parts == {"candidates": 3.0, "made": 3.0, "questions": 0.0, "answered": 0.0}
    found = score(Answerer(), Example("1", "He slept.", SUMMARY), direction="f1")
    assert found.outcome is Outcome.NO_CLAIMS
    assert score(Answerer(), Example("1", " ", SUMMARY)).outcome is Outcome.NO_CONTENT


def test_a_model_that_fails_is_an_outcome_and_not_a_number() -> None:
    failed = [Question("", 0.0, outcome=Outcome.MODEL_ERROR)]
    assert score(Answerer(), qg=Asker({"Lyon": failed})).outcome is Outcome.MODEL_ERROR

    class Silent(Answerer):
        def _answer(self, question: str, context: str) -> Answer:
            if context == SOURCE and "Lyon" in question:
                return Answer("", None, None, 0.0, False, Outcome.TIMEOUT)
            return super()._answer(question, context)

    found = score(Silent())
    assert (found.value, found.outcome) == (None, Outcome.TIMEOUT)


def test_an_answer_that_points_nowhere_keeps_the_piece_as_its_place() -> None:
    class Writer(Answerer):
        def _answer(self, question: str, context: str) -> Answer:
            found = super()._answer(question, context)
            return Answer(found.text, None, None, found.probability, found.answerable)

    found = score(Writer())
    assert found.value == pytest.approx(1 / 3) and found.evidence == ()
    assert {SUMMARY[s.start : s.end] for s in found.spans} == {"Anna Smith", "a boat", "Lyon"}


def test_each_text_is_asked_about_once() -> None:
    qg, qa = Asker(), Answerer()
    examples = [Example(str(i), SOURCE, SUMMARY) for i in range(5)]
    scores = Qgqa(qg, qa).score(examples)
    assert len({one.value for one in scores}) == 1
    assert len(qg.asked) == 3 and len(qa.pairs) == len(set(qa.pairs)) == 6


@pytest.mark.slow
def test_the_embedded_models_tell_a_changed_name_from_a_faithful_summary() -> None:
    (one,) = prepare(["qgqa"], Runtime("cpu", offline=True))
    source = (
        "Anna Smith bought an old house in Lyon on Tuesday. Her brother Peter Jones sold his boat "
        "to a neighbour for £4,000."
    )
    right, wrong = one.metric.score(
        [
            Example("right", source, "Anna Smith bought a house in Lyon."),
            Example("wrong", source, "Maria Lopez bought a castle in Berlin."),
        ]
    )
    assert right.value is not None and wrong.value is not None
    assert right.value > wrong.value
    assert "Who bought a house in Lyon?" in [item.label for item in right.evidence]
