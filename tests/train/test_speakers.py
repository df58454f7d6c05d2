"""Claims with exchanged speakers and turns in the third person: what is made, what is refused."""

from __future__ import annotations

from random import Random

import pytest

from faithkit.language.sentences import source_sentences, turns
from faithkit.records import document_id
from faithkit.rewrites.parsed import apply
from faithkit.train.speakers import SPEAKERS, exchanged, in_third_person, speaker_claims
from faithkit.train.words import ENTAILED, NEUTRAL, UNSUPPORTED, Labelled

CHAT = (
    "Chat: 3 May\n"
    "Anna: Are you in? I have the key to the shed.\n"
    "Tom: Yes, I'll be at my desk until six. Who needs it?\n"
    "Anna: I promised it to Lea.\n"
    "Tom: Then I will give you my bike."
)


def row(summary: str, target: tuple[float, float, float] | None = ENTAILED) -> Labelled:
    return Labelled("claims[split=train]", document_id(CHAT), CHAT, summary, (), target)


def wrong(one: Labelled) -> list[str]:
    return [one.summary[start:end] for start, end, share in one.labels if share]


def test_a_claim_that_names_a_speaker_comes_as_it_is_and_with_another() -> None:
    found = speaker_claims([row("Anna promised Lea the key.")], seed=0, share=1)
    made = {one.summary: one for one in found}
    assert made["Anna promised Lea the key."].target == ENTAILED
    copy = made["Tom promised Lea the key."]
    assert copy.target == UNSUPPORTED and wrong(copy) == ["Tom"]
    assert {(one.file, one.document, one.source) for one in found} == {
        (SPEAKERS, document_id(CHAT), CHAT)
    }


def test_turns_are_told_of_their_speaker_and_of_another() -> None:
    found = speaker_claims([row("Lea gets the key.", NEUTRAL)], seed=0, share=1)
    by_target = {
        target: {one.summary for one in found if one.target == target}
        for target in (ENTAILED, UNSUPPORTED)
    }
    assert len(by_target[ENTAILED]) == len(by_target[UNSUPPORTED]) == 2
    assert all(one.startswith("Anna") for one in by_target[ENTAILED] if "key" in one)
    assert all(one.startswith("Tom") for one in by_target[UNSUPPORTED] if "key" in one)
    assert not any("Chat" in one.summary for one in found)


def test_a_third_of_the_claims_have_a_copy() -> None:
    claims = [row(f"Anna promised Lea the key on day {day}.") for day in range(90)]
    found = [one for one in speaker_claims(claims, seed=0) if "on day" in one.summary]
    supported = sum(one.target == ENTAILED for one in found)
    assert supported == 90 and 15 <= len(found) - supported <= 45


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I have the key to the shed.", "Anna has the key to the shed."),
        ("Yeah, I'm late for my class.", "Anna is late for their class."),
        ("Okay, I think I am ready now.", "Anna thinks they are ready now."),
        ("I need it back by noon.", "Anna needs it back by noon."),
        ("I put it on the table.", "Anna put it on the table."),
        ("I'll send you the file tonight.", "Anna will send Tom the file tonight."),
        ("I really liked your long speech.", "Anna really liked Tom's long speech."),
    ],
)
def test_what_a_speaker_says_of_themself(text: str, told: str) -> None:
    assert told in {in_third_person(text, "Anna", ["Tom"], Random(seed)) for seed in range(9)}


@pytest.mark.parametrize(
    "text",
    [
        "Do I have the key to the shed?",
        "I think we have the key to it.",
        "I think you are late for the class.",
        "The key is on the table.",
    ],
)
def test_what_cannot_be_told_by_rule(text: str) -> None:
    assert {in_third_person(text, "Anna", ["Tom"], Random(seed)) for seed in range(9)} == {""}


def test_you_is_nobody_among_several() -> None:
    text = "I'll send you the file tonight."
    assert in_third_person(text, "Anna", ["Tom", "Lea"], Random(0)) == ""


@pytest.mark.parametrize(
    ("claim", "made"),
    [
        ("Anna will lend Tom the key.", "Tom will lend Anna the key."),
        ("Tom's bike is red.", "Anna's bike is red."),
        ("Anna and Tom will meet.", None),
        ("Anna, too, will come.", None),
        ("Nobody will come.", None),
        ("Annabel will come.", None),
    ],
)
def test_speakers_in_each_others_place(claim: str, made: str | None) -> None:
    edits = exchanged(claim, ["Anna", "Tom"], Random(0))
    assert (apply(claim, edits)[0] if edits else None) == made


def test_a_text_that_is_no_dialogue_gives_nothing() -> None:
    source = "Anna has the key. Tom said that he would be at his desk until six."
    one = Labelled("wice_dev", document_id(source), source, "Anna has the key.", (), ENTAILED)
    assert speaker_claims([one], seed=0) == []


def test_turns_open_where_a_speaker_is_named() -> None:
    assert turns(source_sentences(CHAT)) == ["Chat", "Anna", "", "Tom", "", "Anna", "Tom"]
    assert turns(source_sentences("Note: one. Two.")) == ["", ""]
