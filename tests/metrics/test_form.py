"""Form does not matter to a metric that reads sentences, and what it cannot read is an outcome."""

from __future__ import annotations

import json
import textwrap
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
from tests.helpers.language_texts import OTHER
from tests.helpers.paths import EXAMPLES

from faithkit import Example, Outcome, Score
from faithkit.language.left_out import find_left_out
from faithkit.language.mapped import Mapped
from faithkit.models.runtime import Runtime
from faithkit.run import prepare

METRICS = ("support", "entailment", "mnli_doc", "summac_zs", "lss_share")
SOURCE = (
    "The council of Brookfield voted on Tuesday to spend £1.9m on a new library. Mayor Zoë Reyes "
    "said building work would begin in March. Two members, Lee and Okafor, voted against the plan."
)
SUMMARY = (
    "Brookfield's council voted to spend £1.9m on a new library, and Mayor Zoë Reyes said building "
    "work would begin in March. Two members voted against it. Anna Smith resigned on Friday."
)


def scores(metric: str, examples: list[Example]) -> list[Score]:
    (one,) = prepare([metric], Runtime("cpu", offline=True))
    return one.metric.score(examples)


def forms(text: str) -> dict[str, str]:
    sentences = text.replace(". ", ".\n").split("\n")
    return {
        "wrapped": textwrap.fill(text, 60),
        "carriage returns": textwrap.fill(text, 72).replace("\n", "\r\n"),
        "cut": "\n".join(text[i : i + 60] for i in range(0, len(text), 60)),
        "bullets": "\n".join(f"- {one}" for one in sentences),
        "numbers": "\n".join(f"{n}. {one}" for n, one in enumerate(sentences, start=1)),
        "markdown": text.replace("council", "**council**").replace("Mayor", "*Mayor*"),
        "decomposed": unicodedata.normalize("NFD", text),
        "typeset": text.replace("'", "’").replace(" new ", "\u00a0new\u2009"),
        "opened": f"Sure!\n\nHere is a summary:\n\n{text}\n\nI hope this helps!",
        "short": f"TL;DR: {text}",
    }


@pytest.mark.parametrize("metric", METRICS)
def test_form_changes_no_value(metric: str) -> None:
    copies = forms(SUMMARY)
    plain, *others = scores(
        metric,
        [Example(name, SOURCE, text) for name, text in {"plain": SUMMARY, **copies}.items()],
    )
    for one in others:
        assert one.value == pytest.approx(plain.value, abs=1e-6), one.id
        assert {k: one.parts.get(k) for k in ("verdict", "claims")} == {
            k: plain.parts.get(k) for k in ("verdict", "claims")
        }


@pytest.mark.parametrize("metric", METRICS)
def test_marks_and_evidence_are_shown_in_the_given_text(metric: str) -> None:
    for name, text in forms(SUMMARY).items():
        (one,) = scores(metric, [Example(name, SOURCE, text)])
        (plain,) = scores(metric, [Example(name, SOURCE, SUMMARY)])
        assert len(one.spans) == len(plain.spans)
        for span, other in zip(one.spans, plain.spans, strict=True):
            assert text[span.start] == SUMMARY[other.start]
            last = text[span.end : span.end + 1]
            assert not last or not unicodedata.combining(last)
        assert [(e.start, e.end) for e in one.evidence] == [
            (e.start, e.end) for e in plain.evidence
        ]


def test_a_decomposed_accent_is_inside_its_mark() -> None:
    summary = "The library is in Zwolle\u0301, in Bu\u0301rgos and in Zaanse\u0308."
    (one,) = scores("support", [Example("nfd", SOURCE, summary)])
    marked = [summary[span.start : span.end] for span in one.spans]
    assert any("Zwolle\u0301" in text for text in marked)
    assert all(not unicodedata.combining(text[0]) for text in marked)


@pytest.mark.parametrize("metric", METRICS)
def test_a_summary_of_phrases_only_has_no_claims(metric: str) -> None:
    texts = ["Sure!", "Sure! Here is a summary of the article:", "TL;DR", "I hope this helps!"]
    found = scores(metric, [Example(text, SOURCE, text) for text in texts])
    assert {(one.value, one.outcome) for one in found} == {(None, Outcome.NO_CLAIMS)}


def test_a_summary_in_json_is_no_code_and_has_the_value_of_its_text() -> None:
    keys = {"summary": SUMMARY, "confidence": 0.9, "tone": "plain", "word_count": 12}
    texts = [SUMMARY, json.dumps(keys, indent=2), f"<think>\nHm?\n</think>\n{SUMMARY}"]
    found = scores("support", [Example(text, SOURCE, text) for text in texts])
    assert len({(one.value, one.outcome) for one in found}) == 1
    assert found[0].outcome is Outcome.OK


@pytest.mark.parametrize("metric", [*METRICS, "ner", "bertscore", "sentsim"])
def test_other_languages_are_an_outcome(metric: str) -> None:
    foreign = [OTHER[name][2] for name in ("French", "German", "Arabic", "Chinese")]
    examples = [Example(f"s{i}", SOURCE, text) for i, text in enumerate(foreign)]
    examples += [Example(f"d{i}", text, SUMMARY) for i, text in enumerate(foreign)]
    found = scores(metric, [*examples, Example("ok", SOURCE, SUMMARY)])
    assert [one.id for one in found] == [*(e.id for e in examples), "ok"]
    assert {one.outcome for one in found[:-1]} == {Outcome.UNSUPPORTED_LANGUAGE}
    assert all(one.value is None for one in found[:-1])
    assert found[-1].outcome is not Outcome.UNSUPPORTED_LANGUAGE


@pytest.mark.parametrize("metric", METRICS)
def test_a_row_says_what_was_left_out_of_its_texts(metric: str) -> None:
    question = f"Context:\n{SOURCE}\n\nQuestion: Who voted against it?\n"
    examples = [
        Example("plain", SOURCE, SUMMARY),
        Example("asked", question, f"Sure! Here is a summary:\n{SUMMARY}"),
        Example("nothing", SOURCE, "Sure! Here is a summary:"),
        Example("empty", question, ""),
        Example("foreign", SOURCE, f"{OTHER['French'][2]}\nConfidence: 95%"),
    ]
    texts = [score.texts.get("left_out") for score in scores(metric, examples)]
    summary = "24 characters of the summary (“Sure! Here is a summary:”)"
    asked = f"{summary}; 31 of the source (“Question: Who voted against it?”)"
    assert texts == [None, asked, summary, None, None]


def test_a_source_is_searched_once_for_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def find(given: str, plain: Mapped) -> Iterator[str]:
        searched.append(given)
        return find_left_out(given, plain)

    monkeypatch.setattr("faithkit.metrics.plain.find_left_out", find)
    source = f"{SOURCE} The vote was the first of the year."
    summaries = [SUMMARY, "Mayor Zoë Reyes spoke.", "Two members voted against it."]
    scores("support", [Example(summary, source, summary) for summary in summaries])
    assert sorted(searched) == sorted([source, *summaries])


@pytest.mark.parametrize("metric", ["rouge1", "novelty"])
def test_lexical_metrics_read_any_language(metric: str) -> None:
    (one,) = scores(metric, [Example("de", OTHER["German"][2], OTHER["German"][1])])
    assert one.outcome is Outcome.OK


def test_the_rules_of_the_plain_form_are_in_the_signature() -> None:
    one, other = prepare(["support", "rouge1"], Runtime("cpu", offline=True))
    assert (one.signature.splitter or "").startswith("plain-")
    assert other.signature.splitter is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "widths"), [(3, [60]), pytest.param(51, [40, 60, 72, 100], marks=pytest.mark.verify)]
)
def test_form_changes_no_verdict_of_the_examples(rows: int, widths: list[int]) -> None:
    with (EXAMPLES / "pairs.jsonl").open(encoding="utf-8") as file:
        given = [json.loads(line) for line in islice(file, rows)]
    plain = [Example(row["id"], row["source"], row["summary"]) for row in given]
    before = scores("support", plain)
    for width in widths:
        copies = [replace(one, summary=textwrap.fill(one.summary, width)) for one in plain]
        for one, other in zip(before, scores("support", copies), strict=True):
            assert one.parts["verdict"] == other.parts["verdict"]
            assert one.value == pytest.approx(other.value, abs=1e-6)
