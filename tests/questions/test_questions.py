"""Questions by rules with the exact wording expected, cloze answers on real short texts, and both
kinds of published checkpoints on random weights against references written out here."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.helpers import tiny_models

from faithkit import models
from faithkit.language.parse import noun_phrases, parse
from faithkit.models.protocols import (
    GAP,
    Question,
    QuestionAnswerer,
    QuestionGenerator,
)
from faithkit.models.runtime import Runtime
from faithkit.questions.rules import RuleQuestions
from faithkit.questions.seq2seq import Seq2SeqQuestions, layout_of, load_question_generator
from faithkit.questions.spans import Choice, SpanModel, best_span, choose, load_span_model, windows
from faithkit.records import ConfigError, ModelError, Outcome

pytestmark = pytest.mark.slow


def place(text: str, answer: str) -> tuple[str, int, int]:
    start = text.index(answer)
    return text, start, start + len(answer)


HOUSE = "Anna Smith bought the house in May."
VOTE = "The council of Brookfield voted on Tuesday to spend £1.9m on a new library."
SAID = "Mayor Anna Reyes said building work would begin in March."
KEEFE = "In 2015, Mary Doyle Keefe died at her home in Simsbury."
TWO = "Anna Smith sold the house and bought a flat."
STABBED = "A man has been arrested after a woman was stabbed in Belfast."
BORN = "Where was Anna Smith born?"
RULES = [
    (HOUSE, "Anna Smith", "Who bought the house in May?"),
    (HOUSE, "the house", "What did Anna Smith buy in May?"),
    (HOUSE, "May", "When did Anna Smith buy the house?"),
    (HOUSE, "in May", "When did Anna Smith buy the house?"),
    (VOTE, "The council", "Who voted on Tuesday to spend £1.9m on a new library?"),
    (VOTE, "Tuesday", "When did the council of Brookfield vote to spend £1.9m on a new library?"),
    (
        VOTE,
        "£1.9m",
        "How much did the council of Brookfield vote on Tuesday to spend on a new library?",
    ),
    (SAID, "Anna Reyes", "Who said building work would begin in March?"),
    (SAID, "building work", "What would begin in March?"),
    (SAID, "March", "When would building work begin?"),
    (KEEFE, "2015", "When did Mary Doyle Keefe die at her home in Simsbury?"),
    (KEEFE, "Mary Doyle Keefe", "Who died at her home in Simsbury in 2015?"),
    (TWO, "a flat", "What did Anna Smith buy?"),
    (TWO, "the house", "What did Anna Smith sell?"),
    (STABBED, "A man", "Who has been arrested after a woman was stabbed in Belfast?"),
    (STABBED, "a woman", "Who was stabbed in Belfast?"),
    (STABBED, "Belfast", "Where was a woman stabbed?"),
    ("The project is dead, said Mr Smith.", "Mr Smith", "Who said the project is dead?"),
    ("Police have n't found the car.", "the car", "What have police not found?"),
    ("The men who fled in May were fined.", "May", "When did the men flee?"),
    ("Anna Smith, who was born in Lyon and died, was a nurse.", "Lyon", BORN),
    ("The firm employs 300 people.", "300", "How many people does the firm employ?"),
    ("Two members voted against the plan.", "Two", "How many members voted against the plan?"),
    ("The men were arrested on Monday.", "The men", "Who was arrested on Monday?"),
    ("The children love the museum.", "The children", "Who loves the museum?"),
    ("The strike lasted two weeks.", "two weeks", "How long did the strike last?"),
    ("Sales rose by 4.5% last year.", "last year", "When did sales rise by 4.5%?"),
    ("She was accused of stealing a car.", "a car", "What was she accused of stealing?"),
]


@pytest.mark.parametrize(("text", "answer", "expected"), RULES)
def test_a_wh_question_by_the_rules(text: str, answer: str, expected: str) -> None:
    ((found,),) = RuleQuestions().ask([place(text, answer)])
    assert found.text == expected
    assert found.probability == 1.0 and found.cloze.count(GAP) == 1


def test_a_relative_clause_is_a_statement_of_its_own() -> None:
    text = "The number of patients who missed a visit in Fife was at its highest."
    ((found,),) = RuleQuestions().ask([place(text, "Fife")])
    assert found.cloze == f"patients missed a visit in {GAP}."


CLOZES = [
    (VOTE, "Brookfield", f"The council of {GAP} voted on Tuesday to spend £1.9m on a new library."),
    ("Lee and Okafor voted against it.", "Lee", f"{GAP} and Okafor voted against it."),
    ("Keefe was a telephone operator.", "a telephone operator", f"Keefe was {GAP}."),
    ("Teachers who work in Leeds want more.", "Leeds", f"Teachers work in {GAP}."),
    (
        "The house in which Anna lived was sold.",
        "Anna",
        f"The house in which {GAP} lived was sold.",
    ),
    ("The records began.", "The records", f"{GAP} began."),
    (
        "It rained more, according to the figures.",
        "the figures",
        f"It rained more, according to {GAP}.",
    ),
    ("A long day in Paris", "Paris", f"A long day in {GAP}"),
]


@pytest.mark.parametrize(("text", "answer", "expected"), CLOZES)
def test_a_cloze_where_no_question_is_made_well(text: str, answer: str, expected: str) -> None:
    ((found,),) = RuleQuestions().ask([place(text, answer)])
    assert found.text == found.cloze == expected
    assert found.probability == 0.5


def test_the_cloze_form_is_the_clause_of_the_answer() -> None:
    ((march,), (anna,)) = RuleQuestions().ask([place(SAID, "March"), place(SAID, "Anna Reyes")])
    assert march.cloze == f"building work would begin in {GAP}."
    assert anna.cloze == f"Mayor {GAP} said building work would begin in March."
    assert (march.kind, anna.kind) == ("when", "who")


def test_what_is_no_piece_of_one_sentence_is_not_asked_about() -> None:
    text = "Anna slept. Ben ate."
    assert RuleQuestions().ask([(text, 5, 15), (text, 4, 5), ("", 0, 0)]) == [[], [], []]


@pytest.mark.parametrize(("text", "answer"), [("Paris", "Paris"), ("- “June 2024”.", "June 2024")])
def test_a_gap_alone_is_no_question(text: str, answer: str) -> None:
    assert RuleQuestions().ask([place(text, answer)]) == [[]]


def test_words_beside_the_gap_make_a_question() -> None:
    ((found,),) = RuleQuestions().ask([place("Two schools", "Two")])
    assert found.text == f"{GAP} schools"


def test_rule_questions_do_not_depend_on_the_batch() -> None:
    requests = [place(text, answer) for text, answer, _ in RULES]
    rules = RuleQuestions()
    together = rules.ask(requests)
    assert together[::-1] == rules.ask(requests[::-1])
    assert together == [rules.ask([one])[0] for one in requests]


def test_noun_phrases_have_their_modifiers_and_do_not_overlap() -> None:
    text = "The three armed men took a five-figure sum and her car."
    (tokens,) = parse([text])
    found = noun_phrases(tokens)
    shown = [text[one.start : one.end] for one in found]
    assert shown == ["The three armed men", "a five-figure sum", "her car"]
    assert [tokens[one.head].text for one in found] == ["men", "sum", "car"]
    assert [tokens[one.first].text for one in found] == ["The", "a", "her"]
    assert noun_phrases([]) == []


def test_the_embedded_names_load() -> None:
    rules, answers = (models.load(name, Runtime("cpu")) for name in ("qg:rules", "qa:cloze"))
    assert isinstance(rules, QuestionGenerator) and isinstance(answers, QuestionAnswerer)
    assert answers.id == "cloze-1+" + models.load("support:mini", Runtime("cpu")).id
    with pytest.raises(ConfigError, match="takes nothing behind"):
        models.load("qg:rules:more", Runtime("cpu"))


# Published question generators.


def generator(kind: str = "t5") -> Seq2SeqQuestions:
    make, framed = {"t5": (tiny_models.t5, False), "bart": (tiny_models.bart, True)}[kind]
    tokenizer = tiny_models.tokenizer(frame=framed)
    made = Seq2SeqQuestions(make(), tokenizer, id=f"{kind}@0", layout="highlight")
    made.model.generation_config.max_new_tokens = 12
    return made


REQUESTS = [
    (text, 4 + 3 * k, 11 + 5 * k)
    for k, text in enumerate(tiny_models.text(k, 8 + 9 * k) for k in range(5))
]


def test_the_prompt_marks_the_answer_in_its_context() -> None:
    made = generator()
    text = "the mayor of paris said"
    shown = made.tokenizer.decode(made.prompt(*place(text, "paris")))
    assert shown == "generate question: the mayor of <hl> paris <hl> said"
    made.layout = "prepend"
    shown = made.tokenizer.decode(made.prompt(*place(text, "paris")))
    assert shown == "answer: paris context: the mayor of paris said"
    bart = generator("bart")
    assert bart.tokenizer.decode(bart.prompt(*place(text, "the"))) == (
        "<s><hl> the <hl> mayor of paris said</s>"
    )


def test_of_a_long_text_what_is_around_the_answer_is_shown() -> None:
    made = generator("bart")
    text = tiny_models.text(1, 300) + " paris " + tiny_models.text(2, 300)
    start = text.index(" paris ", 300) + 1
    ids = made.prompt(text, start, start + 5)
    shown = made.tokenizer.decode(ids)
    assert len(ids) == tiny_models.CONTEXT
    before, _, after = shown.partition("<hl> paris <hl>")
    assert before.removeprefix("<s>").strip() in text[:start]
    assert after.removesuffix("</s>").strip() in text[start:]
    assert len(before) > 100 and len(after) > 100
    assert len(made.prompt(text, 0, len(text))) == 0
    assert made.ask([(text, 0, len(text))]) == [[]]


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_a_probability_is_the_mean_of_the_tokens(kind: str) -> None:
    made = generator(kind)
    (found,) = made.ask(REQUESTS[:1])
    assert 1 <= len(found) <= 5
    assert [q.probability for q in found] == sorted((q.probability for q in found), reverse=True)
    ids = torch.tensor(made.prompt(*REQUESTS[0]))[None]
    with torch.inference_mode():
        written = made.model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), num_return_sequences=5
        )
        reference: dict[str, float] = {}
        for row in written.tolist():
            start, *tokens = row
            while tokens[-1] == 0:
                tokens.pop()
            decoder = torch.tensor([[start, *tokens[:-1]]])
            logits = made.model(input_ids=ids, decoder_input_ids=decoder).logits[0].double()
            logs = logits.log_softmax(-1)[range(len(tokens)), tokens]
            text = made.tokenizer.decode(row, skip_special_tokens=True).strip()
            reference[text] = max(reference.get(text, 0), float(logs.mean().exp()))
    for question in found:
        assert question.probability == pytest.approx(reference[question.text], rel=1e-4)


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_generated_questions_do_not_depend_on_the_batch(kind: str) -> None:
    made = generator(kind)
    together = made.ask(REQUESTS)
    for one, alone in zip(together, (made.ask([request])[0] for request in REQUESTS), strict=True):
        assert [q.text for q in one] == [q.text for q in alone]
        assert [q.probability for q in one] == pytest.approx(
            [q.probability for q in alone], abs=1e-6
        )
    assert made.ask(REQUESTS[::-1]) == together[::-1]


def test_a_generator_that_gives_nan_says_so() -> None:
    made = generator()
    with torch.no_grad():
        made.model.shared.weight[:] = float("nan")
    ((found,),) = made.ask(REQUESTS[:1])
    assert (found.text, found.outcome) == ("", Outcome.MODEL_ERROR)


def test_the_layout_is_read_off_the_checkpoint() -> None:
    plain, marked = tiny_models.tokenizer(), pickle.loads(pickle.dumps(tiny_models.tokenizer()))
    marked.add_tokens(["<hl>"])
    assert layout_of("t5-base-qg-hl", marked) == "highlight"
    assert layout_of("valhalla/t5-small-qg-prepend", marked) == "prepend"
    assert layout_of("t5-base-finetuned-question-generation-ap", plain) == "prepend"


def test_a_generator_loads_from_a_folder(tmp_path: Path) -> None:
    tiny_models.t5().save_pretrained(tmp_path / "t5")
    tiny_models.tokenizer().save_pretrained(tmp_path / "t5")
    found = models.load(f"qg:{tmp_path / 't5'}", Runtime("cpu"))
    assert isinstance(found, QuestionGenerator) and found.layout == "prepend"
    with pytest.raises(Exception, match="sequence-to-sequence"):
        save_reader(tmp_path / "bert")
        load_question_generator(tmp_path / "bert", "bert", device="cpu", dtype=None)


# Published span models.


def save_reader(folder: Path, kind: str = "bert") -> Path:
    tiny_models.reader(kind).save_pretrained(folder)
    tiny_models.pair_tokenizer(types=kind == "bert").save_pretrained(folder)
    return folder


def reader(kind: str = "bert", **options: Any) -> SpanModel:
    tokenizer = tiny_models.pair_tokenizer(types=kind == "bert")
    return SpanModel(f"{kind}@0", lambda: (tiny_models.reader(kind), tokenizer), **options)


def test_windows_cover_everything_and_overlap() -> None:
    assert windows(5, 10) == [(0, 5)]
    assert windows(10, 10) == [(0, 10)]
    assert windows(21, 10) == [(0, 10), (5, 15), (10, 20), (15, 21)]
    assert windows(600, 384) == [(0, 384), (256, 600)]
    assert windows(3, 1) == [(0, 1), (1, 2), (2, 3)]


def test_the_best_span_ends_after_it_begins_and_is_not_too_long() -> None:
    start, end = np.array([1.0, 5.0, 2.0, 0.0]), np.array([9.0, 0.0, 1.0, 4.0])
    assert best_span(start, end) == (10.0, 0, 0)
    assert best_span(start, np.array([0.0, 0.0, 1.0, 4.0])) == (9.0, 1, 3)
    assert best_span(start, np.array([0.0, 0.0, 1.0, 4.0]), most=2) == (6.0, 1, 2)


def test_no_answer_competes_with_its_least_score() -> None:
    weak, strong = Choice(3.0, 4, 5, -1.0), Choice(6.0, 9, 9, 7.5)
    assert choose([weak, strong]) == (strong, 7.0)


QUESTIONS = [Question(f"{tiny_models.text(k, 3 + k)}?", 1.0) for k in range(4)]
CONTEXTS = [tiny_models.text(k, size) for k, size in enumerate((2, 40, 150, 400))]
PAIRS = [(question, context) for question in QUESTIONS for context in CONTEXTS]


def reference(model: SpanModel, question: str, context: str) -> tuple[float, str]:
    """By the tokenizer's own windows, one unpadded row at a time, every span tried."""
    asked = model.loaded.tokenizer(question, add_special_tokens=False)["input_ids"]
    room = tiny_models.CONTEXT - len(model.loaded.tokenizer("a", "b")["input_ids"]) + 2 - len(asked)
    rows = model.loaded.tokenizer(
        question, context, truncation="only_second", max_length=tiny_models.CONTEXT,
        stride=min(128, room // 2), return_overflowing_tokens=True, return_offsets_mapping=True,
    )  # fmt: skip
    best, null = (-np.inf, ""), np.inf
    names = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in rows]
    for row in range(len(rows["input_ids"])):
        with torch.inference_mode():
            out = model.loaded.model(**{name: torch.tensor([rows[name][row]]) for name in names})
        start, end = out.start_logits[0].tolist(), out.end_logits[0].tolist()
        null = min(null, start[0] + end[0])
        own = [i for i, side in enumerate(rows.sequence_ids(row)) if side == 1]
        for i in own:
            for j in own:
                if i <= j < i + 30:
                    first, last = (
                        rows["offset_mapping"][row][i][0],
                        rows["offset_mapping"][row][j][1],
                    )
                    best = max(best, (start[i] + end[j], context[first:last].strip()))
    return best[0] - null, best[1]


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_span_model_against_a_plain_reading(kind: str) -> None:
    model = reader(kind)
    differences = []
    for (question, context), found in zip(PAIRS, model.answer(PAIRS), strict=True):
        difference, text = reference(model, question.text, context)
        differences.append(difference)
        assert found.probability == pytest.approx(1 / (1 + np.exp(-difference)), abs=1e-5)
        assert found.answerable == (difference > 0)
        if found.answerable:
            assert found.text == text
            assert found.start is not None and context[found.start : found.end] == text
    limit = float(np.median(differences))
    strict = reader(kind, threshold=limit).answer(PAIRS)
    assert [one.answerable for one in strict] == [number > limit for number in differences]
    assert 0 < sum(one.answerable for one in strict) < len(PAIRS)


def test_span_answers_do_not_depend_on_the_batch() -> None:
    model = reader()
    together = model.answer(PAIRS)
    assert [one.text for one in model.answer(PAIRS[::-1])] == [o.text for o in together[::-1]]
    for pair, one in zip(PAIRS, together, strict=True):
        (alone,) = model.answer([pair])
        assert alone.text == one.text and alone.probability == pytest.approx(
            one.probability, abs=1e-6
        )


def test_what_a_span_model_cannot_read_is_an_outcome() -> None:
    model = reader()
    long = Question(tiny_models.text(1, 400), 1.0)
    too_long, empty = model.answer([(long, CONTEXTS[1]), (QUESTIONS[0], " ")])
    assert too_long.outcome is Outcome.TRUNCATED_SUMMARY
    assert empty.outcome is Outcome.OK and not empty.answerable
    with torch.no_grad():
        model.loaded.model.qa_outputs.weight[:] = float("nan")
    (broken,) = model.answer(PAIRS[:1])
    assert broken.outcome is Outcome.MODEL_ERROR


def test_a_span_model_loads_from_a_folder(tmp_path: Path) -> None:
    found = models.load(f"qa:{save_reader(tmp_path / 'reader')}", Runtime("cpu"))
    assert isinstance(found, QuestionAnswerer)
    expected = reader().answer(PAIRS[:3])
    assert [one.text for one in found.answer(PAIRS[:3])] == [one.text for one in expected]
    with pytest.raises(ModelError, match="holds no model"):
        load_span_model(tmp_path, "nothing", device="cpu", dtype=None)
