"""What is put around a whole summary: JSON, reasoning, tokens, tags, addresses."""

from __future__ import annotations

import json

import pytest

from faithkit.language.layout.wrapping import unwrapped
from faithkit.language.mapped import identity_map
from faithkit.language.normalise import plain_source, plain_summary

CLAIM = "The bridge reopens."
URL = "https://example.com/news"


@pytest.mark.parametrize(
    "text",
    [
        f"<think>\n\n</think>\n\n{CLAIM}",
        f"<think>The user wants a summary. Is it shut?</think>\n{CLAIM}",
        f"<Thinking>a</Thinking><reasoning>b\nc</reasoning> {CLAIM}",
        f"<|assistant|>\n{CLAIM}<|im_end|>",
        f"<|im_start|>assistant\n<think>\n</think>\n<answer>{CLAIM}</answer><|im_end|>",
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{CLAIM}<|eot_id|>",
        f"<|channel|>final<|message|>{CLAIM}<|return|>",
        f"<start_of_turn>model\n{CLAIM}<end_of_turn>",
        f"[/INST] {CLAIM}",
        f"<answer>\n{CLAIM}\n</answer>",
        f"<final_answer>{CLAIM}",
    ],
)
def test_reasoning_tokens_and_tags_are_left_out(text: str) -> None:
    assert plain_summary(text, "").text.strip() == CLAIM


def test_reasoning_without_an_end_leaves_nothing() -> None:
    assert plain_summary(f"<think>\n{CLAIM}", "").text == ""


@pytest.mark.parametrize(
    "text",
    [
        f"{CLAIM} <think>It is shut.</think>",
        "Write <answer> in the box.",
        "They <think> it is shut.",
        "a <| b",
        "5 <|x| 6",
    ],
)
def test_other_tags_stay(text: str) -> None:
    assert unwrapped(identity_map(text)).text == text


def test_a_source_keeps_what_is_around_it() -> None:
    text = f"<answer>{CLAIM}</answer> {URL}"
    assert plain_source(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"summary": CLAIM}),
        json.dumps({"summary": CLAIM, "confidence": 0.95, "word_count": 3, "tone": "dry"}),
        json.dumps({"keyPoints": [CLAIM], "sentiment": {"score": 1}}, indent=2),
        f"```json\n{json.dumps({'result': {'text': CLAIM}}, indent=2)}\n```",
        json.dumps([CLAIM]),
        f"<think>Is it?</think>\n{json.dumps({'summary': CLAIM})}",
        f"{json.dumps({'summary': CLAIM})}\n\nI hope this helps!",
    ],
)
def test_of_json_the_summarys_strings_are_read(text: str) -> None:
    assert plain_summary(text, "").text.strip() == CLAIM


def test_escapes_of_json_are_what_they_stand_for_and_keep_their_places() -> None:
    text = json.dumps({"summary": 'It cost £2, "Ann" said 😀.\nThe river’s low.'})
    plain = plain_summary(text, "")
    assert plain.text.strip() == 'It cost £2, "Ann" said 😀. The river\'s low.'
    at = plain.text.index("£")
    assert text[slice(*plain.span(at, at + 1))] == r"\u00a3"
    assert text[slice(*plain.span(at + 1, at + 2))] == "2"


def test_strings_of_a_list_are_sentences_of_their_own() -> None:
    text = json.dumps({"bullets": ["It rains", "It snows"]})
    assert plain_summary(text, "").text.strip() == "It rains\n\nIt snows"


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Anna", "age": 12}',
        '{"summary": "It rains.',
        "[1] Lee",
        "{} and []",
        "[sic] It rains.",
        '"It rains."',
    ],
)
def test_what_is_no_summary_in_json_stays(text: str) -> None:
    assert unwrapped(identity_map(text)).text == text


@pytest.mark.parametrize(
    "end",
    [
        f"\n\nSource: {URL}",
        f"\n\n[1] {URL}",
        f"\n\n[1]: {URL}",
        f"\nRead more: <{URL}>",
        f"\n\n**Link:** {URL}.",
        f"\n\n{URL}",
        f" {URL}",
        f" [example.com]({URL})",
        f"\n\n[Read the full article]({URL})",
        f"\n\nSources:\n- [Reuters]({URL})\n- BBC, 5 May: {URL}",
        f"\n\n## References\n\n1. {URL}\n2. [The Times]({URL})",
        "[^1]\n\n[^1]: plan.pdf, p. 3",
        "\n\n[1] Document 1\n[2]: terms.pdf",
        "\n\nSources:\n- plan.pdf (p. 3)\n- Document 2",
    ],
)
def test_addresses_and_lists_of_sources_are_left_out(end: str) -> None:
    assert plain_summary(f"{CLAIM}{end}", "").text.strip() == CLAIM


@pytest.mark.parametrize(
    "text",
    [
        f"Register at {URL} by Monday.",
        "Links: three of them broke.",
        "Source: the ministry.",
        "Amazon.com fell.",
        f"Website: {URL}",
        "Attached:\n- a.pdf\n- b.pdf",
        "[1] Document 1 was signed.",
    ],
)
def test_addresses_within_what_is_said_stay(text: str) -> None:
    assert unwrapped(identity_map(text)).text == text


def test_after_a_list_of_sources_the_summary_goes_on() -> None:
    text = f"Sources:\n- [Reuters]({URL})\n\nThe two differ, says {URL}. It rains."
    assert plain_summary(text, "").text.startswith("The two differ")
    assert plain_summary(f"Sources\n\nThe two differ. {URL}", "").text.startswith("Sources")


def test_half_a_surrogate_pair_in_json_is_left_out() -> None:
    text = '{"summary": "\\ud83d The bridge reopens. \\ud83d\\ude00"}'
    assert plain_summary(text, "").text == f"{CLAIM} \U0001f600"
