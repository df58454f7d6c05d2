"""The judge: what its answers mean, by hand; every failure with its outcome; and whole runs against
a server that fails, one that is killed half way, and a real one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest
from tests.helpers import tiny_models
from tests.helpers.fake_chat import Response, fails, says, server
from tests.helpers.load_metric import load_metric

from faithkit import Example, Outcome, Score, run
from faithkit.cache import Cache
from faithkit.metrics.judge.answers import blames_omission, read_verdict, stance
from faithkit.metrics.judge.answers_rated import _ASPECTS, read_form, read_rating
from faithkit.metrics.judge.judge import Judge
from faithkit.metrics.lss import LssBleu, LssShare
from faithkit.models.protocols import Asking, Limits, Prompt, Reply
from faithkit.records import NO_VERDICT, ConfigError, DataError
from faithkit.run import batches

# --- reading ---------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("text", "low", "high", "rating"),
    [
        ("4", 1, 5, 4), ("Rating: 4", 1, 5, 4), ("**4/5**", 1, 5, 4), ("4 out of 5", 1, 5, 4),
        ("4.5", 1, 5, 4.5), ("80%", 0, 100, 80), ("85/100", 0, 100, 85), ("0", 0, 100, 0),
        ("10", 1, 10, 10), ("7.\nThe document names 3 people.", 1, 10, 7),
        ("It names 3 of 4 people, so the rating is 2.", 1, 5, 2),
    ],
)  # fmt: skip
def test_a_rating_is_brought_to_0_to_1(text: str, low: int, high: int, rating: float) -> None:
    found = read_rating(text, low, high)
    assert (found.outcome, found.parts) == (Outcome.OK, {"rating": rating})
    assert found.value == pytest.approx((rating - low) / (high - low))


@pytest.mark.parametrize(
    "text", ["", "6", "0", "-3", "55", "80%", "3-4", "3 to 4", "3 or 4", "four", "good", "3 but 4",
             "5 people of 2"],
)  # fmt: skip
def test_a_rating_outside_the_scale_or_two_are_unparsable(text: str) -> None:
    assert read_rating(text, 1, 5).outcome is Outcome.UNPARSABLE


FORM = """population mentioned: yes
population consistent: No
- intervention mentioned: yes (aspirin)
**comparison mentioned**: no
outcomes consistent: NA
strength in summary: strong
strength in abstract: no evidence
strength right: no
direction in summary: positive
direction in abstract: no effect
direction right: no
other misrepresentation: "in all women"
truth in abstract: "in 12 women"
overall: 1"""


def test_the_clinical_form_is_read_aspect_by_aspect() -> None:
    found = read_form(FORM)
    assert found.value == pytest.approx(1 / 3)
    assert found.parts == {
        "population_mentioned": 1, "population_consistent": 0, "intervention_mentioned": 1,
        "comparison_mentioned": 0, "strength_summary": 4, "strength_abstract": 1,
        "strength_right": 0, "direction_summary": 1, "direction_abstract": 0, "direction_right": 0,
        "overall": 1,
    }  # fmt: skip
    assert found.quotes == ("in all women", "in 12 women")


@pytest.mark.parametrize("overall", ["", "overall: 4", "overall: good", "overall: 1 or 2"])
def test_a_form_without_an_overall_grade_is_unparsable_and_keeps_its_aspects(overall: str) -> None:
    found = read_form(f"population mentioned: yes\nstrength right: yes or no\n{overall}")
    assert (found.outcome, found.value) == (Outcome.UNPARSABLE, None)
    assert found.parts == {"population_mentioned": 1}


def test_the_aspects_have_the_names_of_the_dataset() -> None:
    from faithkit.datasets.treatfact import CHOICES

    assert {part for part, _ in _ASPECTS.values()} == {*CHOICES, "overall"}


# --- the metric ------------------------------------------------------------------------------


class Says:
    """A chat model that answers by the summary: a text, a Reply, or one of these for each
    sample."""

    id = "says@0"

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[tuple[Prompt, Asking]] = []

    def limited(self, limits: Limits) -> Self:
        self.limits = limits
        return self

    def reply(self, prompts: Sequence[Prompt], asking: Asking) -> list[Reply]:
        self.asked += [(prompt, asking) for prompt in prompts]
        return [self._reply(prompt, asking.sample) for prompt in prompts]

    def _reply(self, prompt: Prompt, sample: int) -> Reply:
        (key,) = (piece.text for piece in prompt if piece.slot == "summary")
        answer = self.answers[key]
        answer = answer[sample] if isinstance(answer, list) else answer
        if isinstance(answer, Reply):
            return answer
        return Reply(Outcome.OK, answer, {}, 7, 3, 2, 100, 20)


def rows(*summaries: str) -> list[Example]:
    return [Example(one, "The source.", one) for one in summaries]


def test_a_parsed_answer_is_1_or_0_and_every_failure_an_outcome() -> None:
    chat = Says(
        a="Yes", b="No", c="yes and no", d="", e="I cannot say.", f="Nein",
        g=Reply(Outcome.TIMEOUT), h=Reply(Outcome.MODEL_ERROR), i=Reply(Outcome.REFUSED, "no way"),
        j=Reply(Outcome.TRUNCATED_SUMMARY, summary_tokens=900),
    )  # fmt: skip
    examples = [*rows(*"abcdefghij"), Example("blank", "", "a")]
    found = Judge(chat).score(examples)
    assert [(score.id, score.value, str(score.outcome)) for score in found] == [
        ("a", 1.0, "ok"), ("b", 0.0, "ok"), ("c", None, "unparsable"), ("d", None, "unparsable"),
        ("e", None, "refused"), ("f", None, "unparsable"), ("g", None, "timeout"),
        ("h", None, "model_error"), ("i", None, "refused"), ("j", None, "truncated_summary"),
        ("blank", None, "no_content"),
    ]  # fmt: skip
    coverage = found[0].coverage
    assert (coverage.source_tokens, coverage.source_tokens_cut, coverage.summary_tokens) == (
        7,
        3,
        2,
    )
    assert found[0].parts == {
        "answer": 1, "contradiction": 0, "omission": 0, "prompt_tokens": 100,
        "completion_tokens": 20,
    }  # fmt: skip
    assert all(asking.first == ("yes", "no") for _, asking in chat.asked)


def test_with_probabilities_the_value_is_p_yes_over_both() -> None:
    chat = Says(
        a=Reply(Outcome.OK, "", {"yes": 0.6, "no": 0.2}),
        b=Reply(Outcome.OK, "No.", {"yes": 0.1, "no": 0.3}),
        c=Reply(Outcome.OK, "I can't.", {"yes": 0.001, "no": 0.0}),
    )
    found = Judge(chat).score(rows(*"abc"))
    assert [score.value for score in found[:2]] == [pytest.approx(0.75), pytest.approx(0.25)]
    parts = found[0].parts
    assert (parts["p_yes"], parts["p_no"], parts["p_verdict"]) == (0.6, 0.2, pytest.approx(0.8))
    assert found[2].outcome is Outcome.REFUSED
    zero = Says(a=Reply(Outcome.OK, "", {"yes": 0.0, "no": 0.0}))
    (score,) = Judge(zero, min_probability=0).score(rows("a"))
    assert score.outcome is Outcome.MODEL_ERROR


def test_where_the_first_word_is_not_the_verdict_the_last_verdict_counts() -> None:
    tiny = {"yes": 0.003, "no": 0.001}
    chat = Says(
        a=Reply(Outcome.OK, "The date differs. Answer: No", tiny),
        b=Reply(Outcome.OK, "**Yes**\n\nThere is no contradiction.", tiny),
        c=Reply(Outcome.OK, "Yes, in part. Answer: No", {"yes": 0.9, "no": 0.05}),
        d=Reply(Outcome.OK, "No\n\nThe date differs.", {"yes": 0.05, "no": 0.9}),
    )
    found = Judge(chat).score(rows(*"abcd"))
    assert [score.value for score in found] == [
        0,
        pytest.approx(0.75),
        0,
        pytest.approx(0.05 / 0.95),
    ]
    assert found[2].parts["p_yes"] == 0.9


def test_where_neither_word_is_probable_an_answer_without_a_verdict_is_off_topic() -> None:
    tiny = {"yes": 0.004, "no": 0.001}
    texts = {"a": "Le pont a fermé.", "b": "", "c": "No.", "d": "I'm sorry, I can't."}
    chat = Says(
        **{name: Reply(Outcome.OK, text, tiny, 7, 3, 2, 100, 9) for name, text in texts.items()}
    )
    found = Judge(chat).score(rows(*texts))
    assert [str(score.outcome) for score in found] == ["off_topic", "off_topic", "ok", "refused"]
    assert found[0].value is None and found[0].parts["p_verdict"] == pytest.approx(0.005)
    # A probable word whose text cannot be read stays what it was.
    chat = Says(a=Reply(Outcome.OK, "No contradiction", {"yes": 0.1, "no": 0.8}))
    assert Judge(chat).score(rows("a"))[0].outcome is Outcome.UNPARSABLE


class Silent(Says):
    """Gives probabilities instead of a text where these are asked for, as a model run here."""

    def _reply(self, prompt: Prompt, sample: int) -> Reply:
        _, asking = self.asked[-1]
        found = super()._reply(prompt, sample)
        first = {"yes": 0.2, "no": 0.1} if found.text != "Sure" else {"yes": 0.7, "no": 0.1}
        if asking.first:
            return Reply(Outcome.OK, "", first, 7, 3, 2, 100, 0)
        return found


def test_a_model_whose_words_are_not_probable_is_asked_for_its_text() -> None:
    chat = Silent(a="Sure", b="Answer: No", c="Il est tard.")
    found = Judge(chat).score(rows(*"abc"))
    assert [(score.value, str(score.outcome)) for score in found] == [
        (pytest.approx(0.875), "ok"), (0.0, "ok"), (None, "off_topic"),
    ]  # fmt: skip
    assert [bool(asking.first) for _, asking in chat.asked] == [True] * 3 + [False] * 2
    assert found[1].parts["prompt_tokens"] == 200
    chat.asked.clear()
    lenient = Judge(chat, min_probability=0.3).score(rows("b"))
    assert lenient[0].value == pytest.approx(2 / 3) and len(chat.asked) == 1


def test_a_chain_of_thought_about_something_else_is_off_topic() -> None:
    text = "Le pont a été fermé en mai après la tempête, et la mairie a promis des travaux."
    (score,) = Judge(Says(a=text), cot=True).score(rows("a"))
    assert (score.value, score.outcome) == (None, Outcome.OFF_TOPIC)


def test_a_chain_of_thought_that_was_cut_off_has_no_verdict() -> None:
    text = "Yes, the first statement is supported."
    for tokens, value in ((20, None), (21, 1)):
        (score,) = Judge(Says(a=text), cot=True, tokens=tokens).score(rows("a"))
        assert score.value == value


def test_a_chain_of_thought_asks_for_no_probabilities_and_flags_its_failures() -> None:
    chat = Says(
        a="All is supported. Therefore, the answer is no.",
        b="The summary omits a name. Therefore, the answer is no.",
        c="All is supported. Therefore, the answer is yes.",
    )
    found = Judge(chat, cot=True).score(rows(*"abc"))
    flags = [(s.value, s.parts["contradiction"], s.parts["omission"]) for s in found]
    assert flags == [(0, 1, 0), (0, 0, 1), (1, 0, 0)]
    assert {(asking.first, asking.tokens) for _, asking in chat.asked} == {((), 512)}


def test_ratings() -> None:
    for scale, text, value in (("1-5", "2", 0.25), ("1-10", "10", 1), ("0-100", "30", 0.3)):
        (score,) = Judge(Says(a=text), scale=scale).score(rows("a"))  # type: ignore[arg-type]
        assert score.value == pytest.approx(value) and score.parts["rating"] == float(text)
    (score,) = Judge(Says(a="7"), scale="1-5").score(rows("a"))
    assert (score.value, score.outcome) == (None, Outcome.UNPARSABLE)


def test_the_clinical_protocol_fills_parts_and_marks_the_words_quoted() -> None:
    summary = "Aspirin helped in all women."
    example = Example("a", "It was given in 12 women.", summary)
    (score,) = Judge(Says(**{summary: FORM}), protocol="clinical").score([example])
    assert score.value == pytest.approx(1 / 3)
    assert score.parts["population_consistent"] == 0 and score.parts["strength_summary"] == 4
    ((span,), (evidence,)) = score.spans, score.evidence
    assert summary[span.start : span.end] == "in all women"
    assert example.source[evidence.start : evidence.end] == "in 12 women"
    assert (evidence.summary_start, evidence.summary_end) == (span.start, span.end)


def test_repeats_are_sampled_and_their_variance_is_told() -> None:
    chat = Says(a=["Yes", "No", "Yes", "?"], b=["?", "Oui", "", "-"])
    judge = Judge(chat, repeats=4)
    mixed, none = judge.score(rows("a", "b"))
    assert mixed.value == pytest.approx(2 / 3)
    assert mixed.parts["variance"] == pytest.approx(2 / 9)
    assert (mixed.parts["answers"], mixed.parts["prompt_tokens"]) == (3, 400)
    assert (none.value, none.outcome, none.parts["answers"]) == (None, Outcome.UNPARSABLE, 0)
    assert "variance" not in none.parts
    assert [asking.sample for _, asking in chat.asked] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert {(asking.temperature, asking.first) for _, asking in chat.asked} == {(1.0, ())}
    assert judge.resolved["temperature"] == 1.0


def test_the_cost_is_told_where_prices_are_given() -> None:
    (score,) = Judge(Says(a="Yes"), prices="2.5,10").score(rows("a"))
    assert score.parts["cost"] == pytest.approx((100 * 2.5 + 20 * 10) / 1e6)


def shown(chat: Says, place: int = 0) -> str:
    return "".join(piece.text for piece in chat.asked[place][0])


def of(origin: str | None, summary: str = "a") -> Example:
    return Example(summary, "The source.", summary, meta={"origin": origin} if origin else {})


@pytest.mark.parametrize("cot", [False, True])
def test_few_shot_shows_two_examples_of_the_rows_own_origin(cot: bool) -> None:
    chat = Says(a="The answer is yes.", b="The answer is yes.")
    judge = Judge(chat, setting="few-shot", cot=cot)
    judge.score([of("xsum", "a"), of("cnndm", "b")])
    for place, own, other in ((0, "library", "ferry"), (1, "ferry", "library")):
        text = shown(chat, place)
        assert text.count("\nAnswer: ") == 2 and own in text and other not in text
        summary = "ab"[place]
        assert text.rindex("\nAnswer: ") < text.index(f"<summary>\n{summary}\n</summary>")
    assert judge.needs == {"source", "summary", "origin"} != Judge.needs


@pytest.mark.parametrize(("origin", "said"), [(None, "has no field"), ("samsum", "'samsum'")])
def test_a_row_whose_origin_has_no_examples_is_an_error(origin: str | None, said: str) -> None:
    judge = Judge(Says(a="Yes"), setting="few-shot")
    with pytest.raises(DataError, match=f"row 'a' .*{said}.*cnndm, xsum only.*origin=cnndm"):
        judge.score([of(origin)])
    if origin is None:
        metric, signature = made("judge:setting=few-shot")
        with pytest.raises(DataError, match=r"needs field 'origin'; 'a' has none.*origin=cnndm"):
            run.score_batch([run.Prepared("judge", metric, signature)], [of(None)], Cache(None))


def test_one_origin_can_be_named_for_all_rows() -> None:
    chat = Says(a="Yes")
    judge = Judge(chat, setting="few-shot", origin="xsum")
    judge.score([of(None)])
    assert "library" in shown(chat) and "ferry" not in shown(chat)
    assert judge.needs == Judge.needs
    with pytest.raises(ConfigError, match="no examples of origin=samsum"):
        Judge(chat, setting="few-shot", origin="samsum")


def write(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


ROW = {"source": "D one", "summary": "S one", "label": 1, "reasoning": "All is there."}
OTHER = {"source": "D two", "summary": "S two", "label": 0, "reasoning": "Two is not."}


def test_examples_of_ones_own_stand_in_the_place_of_the_packages(tmp_path: Path) -> None:
    own = {**ROW, "origin": "mail"}, {**OTHER, "origin": "mail"}
    path = write(
        tmp_path / "own.jsonl", *own, {**ROW, "origin": "chat"}, {**OTHER, "origin": "chat"}
    )
    chat = Says(a="Yes")
    Judge(chat, setting="few-shot", examples=path).score([of("mail")])
    assert "D one" in shown(chat) and shown(chat).count("\nAnswer: ") == 2
    with pytest.raises(DataError, match=r"of the origin 'xsum'.*mail, chat only"):
        Judge(chat, setting="few-shot", examples=path).score([of("xsum")])
    # Without origins they serve every row.
    path = write(tmp_path / "any.jsonl", ROW, OTHER)
    judge = Judge(chat, setting="few-shot", cot=True, examples=path)
    judge.score([of(None)])
    assert "All is there. Therefore, the answer is yes." in shown(chat, 1)
    assert "Two is not. Therefore, the answer is no." in shown(chat, 1)
    assert judge.needs == Judge.needs


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "no rows"),
        ([ROW], "are all 'yes'"),
        ([ROW, {**OTHER, "origin": "x"}, {**ROW, "origin": "x"}, OTHER], "to all or none"),
        ([{**ROW, "label": "yes"}], "line 1: field 'label'"),
        ([ROW, {**OTHER, "summary": " "}], "line 2: field 'summary'"),
        ([ROW, {**OTHER, "reasoning": None}], "line 2: field 'reasoning', which cot=on shows"),
        (["x"], "expected a JSON object"),
    ],
)
def test_examples_that_cannot_be_used_say_why(tmp_path: Path, given: list[Any], said: str) -> None:
    path = write(tmp_path / "own.jsonl", *given)
    with pytest.raises(ConfigError, match=said):
        Judge(Says(), setting="few-shot", cot=True, examples=path)


def test_the_signature_holds_the_examples_and_the_cache_key_the_origin(tmp_path: Path) -> None:
    _, shipped = made("judge:setting=few-shot")
    path = write(tmp_path / "own.jsonl", ROW, OTHER)
    _, own = made(f"judge:setting=few-shot,examples={path}")
    _, one = made("judge:setting=few-shot,origin=xsum")
    assert len({shipped.prompt, own.prompt, one.prompt}) == 3
    assert path not in json.dumps(own.to_dict())
    metric, _ = made("judge:setting=few-shot")
    assert batches._texts_read(metric, of("xsum")) != batches._texts_read(metric, of("cnndm"))


def test_a_prompt_of_ones_own_has_the_rows_own_examples_too(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("#: What it asks.\n\n{examples}\n{document}{summary}")
    chat = Says(a="Yes")
    Judge(chat, setting="few-shot", prompt=str(path)).score([of("xsum")])
    assert shown(chat).count("\nAnswer: ") == 2 and shown(chat).startswith("<document>")
    path.write_text("{document}{summary}")
    with pytest.raises(ConfigError, match=r"has no \{examples\}"):
        Judge(chat, setting="few-shot", prompt=str(path))


# --- what does not fit -----------------------------------------------------------------------


def test_an_input_that_is_too_long_is_an_outcome_where_nothing_is_to_be_cut() -> None:
    chat = Says(a=Reply(Outcome.TOO_LONG, "", {}, 50, 200, 3))
    (score,) = Judge(chat, too_long="wrong").score(rows("a"))
    assert (score.value, score.outcome) == (None, Outcome.TOO_LONG)
    assert (score.coverage.source_tokens, score.coverage.source_tokens_cut) == (50, 200)
    assert chat.asked[0][1].whole
    Judge(Says(a="Yes")).score(rows("a"))
    assert Outcome.TOO_LONG in NO_VERDICT and Outcome.OFF_TOPIC in NO_VERDICT


# --- presets ---------------------------------------------------------------------------------


def test_the_presets_of_the_papers_ask_their_questions_and_cut_nothing() -> None:
    prompts = set()
    for name in Judge.presets:
        metric, signature = made(f"judge:preset={name}")
        assert metric._whole and signature.options["wording"] == "published"
        prompts.add(signature.prompt)
    # The paper's own is the chain of thought, and fflm the zero-shot question to a base model.
    assert len(prompts) == len(Judge.presets) - 2
    metric, signature = made("judge:preset=paper,too_long=cut")
    assert metric._cot and not metric._whole
    assert made("judge:preset=stars")[0]._scale == "1-5"


def test_the_clinical_question_has_a_form_with_yes_or_no() -> None:
    chat = Says(a=Reply(Outcome.OK, "", {"yes": 0.6, "no": 0.2}), b="So the answer is no.")
    (score,) = Judge(chat, protocol="clinical-yesno").score(rows("a"))
    assert score.value == pytest.approx(0.75)
    for word in ("population", "intervention", "comparison", "outcomes", "direction"):
        assert word in shown(chat)
    (score,) = Judge(chat, protocol="clinical-yesno", cot=True).score(rows("b"))
    assert score.value == 0


def made(request: str) -> tuple[Any, Any]:
    metric, signature, _ = load_metric(request, lambda spec: Says(a="Yes"))
    return metric, signature


def test_the_signature_names_the_prompt_and_not_what_changes_no_number(tmp_path: Path) -> None:
    _, plain = made("judge")
    _, limited = made("judge:timeout=3,retries=0,concurrency=9,max_requests=5,transcripts=x.sqlite")
    assert plain == limited and "timeout" not in plain.options
    assert plain.options["temperature"] == 0.0 and plain.models == {"model": "says@0"}
    path = tmp_path / "own.txt"
    prompts = {plain.prompt}
    for text in ("{document}{summary}", "{summary}{document}"):
        path.write_text(text)
        prompts.add(made(f"judge:prompt={path}")[1].prompt)
    for options in (
        "cot=on", "setting=few-shot", "scale=1-5", "protocol=clinical", "protocol=clinical-yesno",
        "wording=published",
    ):  # fmt: skip
        prompts.add(made(f"judge:{options}")[1].prompt)
    assert len(prompts) == 9 and all(len(str(one)) == 64 for one in prompts)


def test_limits_reach_the_model() -> None:
    judge, _ = made("judge:timeout=3,retries=0,concurrency=9,max_requests=5,transcripts=x.sqlite")
    judge.score(rows("a"))
    assert judge._model.limits == Limits("x.sqlite", 3.0, 0, 9, 5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("scale=1-5,cot=on", "yes or no only"),
        ("protocol=clinical,setting=few-shot", "yes or no only"),
        ("protocol=clinical,scale=1-5", "leave scale out"),
        ("protocol=clinical-yesno,scale=1-5", "leave scale out"),
        ("protocol=clinical-yesno,setting=few-shot", "no clinical examples"),
        ("protocol=clinical,wording=published", "prompts of consistency"),
        ("origin=xsum", "are for setting=few-shot"),
        ("examples=x.jsonl", "are for setting=few-shot"),
        ("setting=few-shot,examples=none.jsonl", "cannot be read"),
        ("min_probability=1.5", "should be 0 to 1"),
        ("repeats=0", "repeats should be above 0"),
        ("temperature=0.5", "temperature is for repeats"),
        ("repeats=2,temperature=0", "temperature should be above 0"),
        ("document_tokens=0", "document_tokens should be above 0"),
        ("concurrency=0", "concurrency should be above 0"),
        ("timeout=0", "timeout should be above 0"),
        ("retries=-1", "should be 0 or more"),
        ("prices=1", "prices should be"),
        ("prices=-1,2", "prices should be"),
        ("prompt=none.txt", "cannot be read"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        made(f"judge:{options}")


# --- LSS -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_lss_by_a_chat_model_is_repaired_and_violations_counted() -> None:
    claims = {
        "The mayor opened two schools.": "The mayor opened schools.",
        "Rain fell in Paris.": '"In Paris rain fell on Monday."',
        "Nobody came.": "NONE",
        "It was cold.": "I cannot do that.",
        "It was warm.": "",
        "All of it stays.": "<summary>\nAll of it stays.\n</summary>",
        "Two of three.": "<think>Three is not in the document.</think>Two of",
    }
    chat = Says(**claims)
    found = LssShare(chat, generator="chat").score(rows(*claims))
    assert [score.value for score in found] == [
        pytest.approx(4 / 5), pytest.approx(2 / 4), 0.0, None, None, 1.0, pytest.approx(2 / 3),
    ]  # fmt: skip
    assert [str(score.outcome) for score in found[3:5]] == ["refused", "unparsable"]
    assert [found[i].parts["violations"] for i in (0, 1, 2, 5)] == [0, 4, 0, 0]
    assert found[0].coverage.source_tokens == 7
    text = "".join(piece.text for piece in chat.asked[0][0])
    assert text.count("Answer: ") == 4


def test_lss_star_by_a_chat_model_has_a_prompt_of_its_own() -> None:
    claim = "The brothers, both former miners, run a bakery."
    chat = Says(**{claim: "The brothers are both former miners."})
    (score,) = LssShare(chat, generator="chat", star=True).score(rows(claim))
    asked = "".join(piece.text for piece in chat.asked[0][0])
    assert "grammatical" in asked and "Only delete" not in asked
    assert asked.count("Answer: ") == 4
    assert score.texts == {
        "lss": "The brothers, both former miners,",
        "lss_star": "The brothers are both former miners.",
    }
    assert (score.value, score.parts["violations"]) == (5 / 8, 1)
    prompts = {made(f"lss_bleu:generator=chat,star={star}")[1].prompt for star in ("on", "off")}
    assert len(prompts) == 2


def test_lss_by_a_chat_model_has_its_prompt_in_the_signature() -> None:
    metric, signature = made("lss_bleu:generator=chat")
    assert isinstance(metric, LssBleu) and len(str(signature.prompt)) == 64
    with pytest.raises(ConfigError, match="does not do generator=seq2seq"):
        made("lss_bleu:generator=seq2seq,model=x")
    with pytest.raises(ConfigError, match="threshold is for generator=words"):
        made("lss_bleu:generator=chat,threshold=0.5")


# --- whole runs ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_against_a_faulty_server_loses_no_row(tmp_path: Path) -> None:
    faults: dict[str, Response] = {
        "yes": says("Yes"), "no": says("No."), "both": says("Yes and no."), "empty": says(""),
        "refusal": says("I'm sorry, but I cannot help."), "language": says("Oui, tout est vrai."),
        "half": Response(says("Yes").body[:50]), "down": fails(500),
        "hang": Response(b"", wait=6),
        "probable": says("Yes", first={"Yes": -0.105360516, "No": -2.302585093}),
    }  # fmt: skip
    expected = {
        "yes": (1.0, "ok"), "no": (0.0, "ok"), "both": (None, "unparsable"),
        "empty": (None, "unparsable"), "refusal": (None, "refused"),
        "language": (None, "unparsable"), "half": (None, "model_error"),
        "down": (None, "model_error"), "hang": (None, "timeout"), "probable": (0.9, "ok"),
        "busy": (1.0, "ok"),
    }  # fmt: skip

    def behave(request: dict[str, Any], before: int) -> Response:
        name = request["messages"][0]["content"].partition("<summary>\n")[2].partition("\n")[0]
        if name == "busy":
            return fails(429) if before == 0 else says("Yes")
        return faults[name]

    with server(behave) as fake:
        metric = f"judge:model={fake.model},timeout=4,retries=1,transcripts={tmp_path / 'kept'}"
        found = list(run.score(rows(*expected), [metric], offline=True))
    assert [score.id for score in found] == list(expected)
    values = {score.id: (score.value, str(score.outcome)) for score in found}
    assert values.pop("probable") == (pytest.approx(0.9, abs=1e-6), "ok")
    assert values == {name: one for name, one in expected.items() if name != "probable"}


def wait_for(ready: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def stored(path: Path) -> int:
    try:
        with sqlite3.connect(path) as store:
            return int(store.execute("SELECT count(*) FROM scores").fetchone()[0])
    except sqlite3.Error:
        return 0


@pytest.mark.slow
def test_killed_and_started_again_no_answer_is_paid_for_twice(tmp_path: Path) -> None:
    answered, count = 7, 20
    go_on = threading.Event()

    def behave(request: dict[str, Any], before: int) -> Response:
        if len(fake.prompts) > answered and not go_on.is_set():
            go_on.wait(120)
        return says("Yes")

    pairs, out, kept = (tmp_path / name for name in ("pairs.jsonl", "out.jsonl", "kept.sqlite"))
    lines = [
        {"id": str(i), "source": f"Source {i}.", "summary": f"Said {i}."} for i in range(count)
    ]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with server(behave) as fake:
        metric = f"judge:model={fake.model},transcripts={kept},concurrency=1,timeout=300"
        command = [
            sys.executable, "-m", "faithkit.cli", "score", str(pairs), "-m", metric,
            "-o", str(out), "--offline",
        ]  # fmt: skip
        env = {**os.environ, "FAITHKIT_CACHE": str(tmp_path / "cache")}
        first = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: stored(kept) == answered and len(fake.prompts) == answered + 1)
        finally:
            first.send_signal(signal.SIGKILL)
            first.wait()
        paid = list(fake.prompts)[:answered]
        go_on.set()
        subprocess.run(command, env=env, check=True, capture_output=True, timeout=200)
    assert len(fake.prompts) == count
    assert {fake.prompts[prompt] for prompt in paid} == {1}
    assert sum(fake.prompts.values()) == count + 1  # the one that was not answered
    rows_out = [Score.from_row(json.loads(line)) for line in out.read_text().splitlines()]
    assert [score.id for score in rows_out] == [str(i) for i in range(count)]
    assert {score.value for score in rows_out} == {1.0}


@contextmanager
def transformers_serve(model: Path) -> Iterator[str]:
    """`transformers serve`, an OpenAI-compatible server, with this model; its `chat:` name."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("transformers")
    command = [str(program), "serve", str(model), "--device", "cpu", "--host", "127.0.0.1",
               "--port", str(port)]  # fmt: skip
    env = {**os.environ, "HF_HUB_OFFLINE": "1"}
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    def up() -> bool:
        assert process.poll() is None, "transformers serve ended by itself"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    try:
        wait_for(up, 240)
        yield f"http://127.0.0.1:{port}/v1#{model}"
    finally:
        process.terminate()
        process.wait(30)


def pairs_of(count: int) -> list[Example]:
    return [
        Example(str(i), tiny_models.text(i, 20 + i), tiny_models.text(i if i % 2 else i + 9, 6))
        for i in range(count)
    ]


needs_server = pytest.mark.skipif(
    not Path(sys.executable).with_name("transformers").exists(),
    reason="the command transformers is not there",
)


@pytest.mark.verify
@needs_server
def test_a_real_server_gives_what_the_same_model_gives_here(tmp_path: Path) -> None:
    folder = tiny_models.save_chat(tmp_path / "tiny")
    examples = pairs_of(20)
    # A rating is asked for in words, so that both write a text instead of giving probabilities.
    options = "scale=1-10,timeout=120"
    with transformers_serve(folder) as name:
        served = f"judge:model={name},{options},transcripts={tmp_path / 'served'}"
        there = list(run.score(examples, [served], offline=True))
    local = f"judge:model={folder},{options},transcripts={tmp_path / 'local'}"
    here = list(run.score(examples, [local], offline=True, device="cpu"))
    assert [(s.id, s.outcome, s.value) for s in there] == [(s.id, s.outcome, s.value) for s in here]
    assert texts(tmp_path / "served") == texts(tmp_path / "local")
    assert len(texts(tmp_path / "local")) == 20
    assert [s.parts["prompt_tokens"] for s in there] == [s.parts["prompt_tokens"] for s in here]


def texts(transcripts: Path) -> dict[str, str]:
    """Prompt to answer."""
    with sqlite3.connect(transcripts) as store:
        found = [json.loads(row) for (row,) in store.execute("SELECT row FROM scores")]
    return {row["prompt"]: row["reply"]["text"] for row in found}


def smollm() -> Path:
    from platformdirs import user_cache_path

    return Path(user_cache_path("faithkit")) / "models" / "smollm2-135m"


@pytest.mark.verify
@needs_server
@pytest.mark.skipif(
    not (smollm() / "model.safetensors").is_file(),
    reason="SmolLM2 is not there; run: faithkit models pull smollm2-135m",
)
def test_twenty_pairs_end_to_end_with_smollm2_behind_a_real_server(tmp_path: Path) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    lines = [{"id": e.id, "source": e.source, "summary": e.summary} for e in pairs_of(20)]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with transformers_serve(smollm()) as name:
        metric = f"judge:model={name},timeout=300,tokens=4,transcripts={tmp_path / 'kept'}"
        command = [shutil.which("faithkit", path=str(Path(sys.executable).parent)) or "faithkit"]
        command += ["score", str(pairs), "-m", metric, "-o", str(out), "--offline", "--no-cache"]
        subprocess.run(command, check=True, capture_output=True, timeout=600)
    found = [Score.from_row(json.loads(line)) for line in out.read_text().splitlines()]
    assert [score.id for score in found] == [str(i) for i in range(20)]
    assert {score.outcome for score in found} <= {Outcome.OK, Outcome.UNPARSABLE}
    assert sum(score.outcome is Outcome.OK for score in found) >= 10
    assert all(score.parts["prompt_tokens"] > 100 for score in found)
