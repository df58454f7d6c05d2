"""The judge: what its answers mean, by hand; every failure with its outcome; and whole runs against
a server that fails, one that is killed half way, and a real one."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.load_metric import load_metric
from tests.helpers.scripted_judge import FORM, Says

from faithkit import Example, Outcome, run
from faithkit.cache import Cache
from faithkit.metrics.judge.judge import Judge
from faithkit.models.protocols import Limits, Prompt, Reply
from faithkit.records import NO_VERDICT, ConfigError, DataError
from faithkit.run import batches


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


def test_the_embedded_model_is_said_to_be_at_chance(caplog: pytest.LogCaptureFixture) -> None:
    chat = Says()
    Judge(chat)
    assert "at chance" not in caplog.text
    chat.id = "smollm2-135m@0a1b2c3d4e5f"
    Judge(chat)
    assert "judge: smollm2-135m is at chance; name a model" in caplog.text


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


def test_an_input_that_is_too_long_is_an_outcome_where_nothing_is_to_be_cut() -> None:
    chat = Says(a=Reply(Outcome.TOO_LONG, "", {}, 50, 200, 3))
    (score,) = Judge(chat, too_long="wrong").score(rows("a"))
    assert (score.value, score.outcome) == (None, Outcome.TOO_LONG)
    assert (score.coverage.source_tokens, score.coverage.source_tokens_cut) == (50, 200)
    assert chat.asked[0][1].whole
    Judge(Says(a="Yes")).score(rows("a"))
    assert Outcome.TOO_LONG in NO_VERDICT and Outcome.OFF_TOPIC in NO_VERDICT


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


def texts(transcripts: Path) -> dict[str, str]:
    """Prompt to answer."""
    with sqlite3.connect(transcripts) as store:
        found = [json.loads(row) for (row,) in store.execute("SELECT row FROM scores")]
    return {row["prompt"]: row["reply"]["text"] for row in found}
