"""Dialogues in the formats in which they are exported, and texts that are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.language.dialogues import Opening, opening
from faithkit.language.normalise import plain_source
from faithkit.language.sentences import source_sentences, speakers, turns

TALK = (
    ("Anna", "Are we on for lunch"), ("Ben", "yes. My dentist moved it"),
    ("Anna", "ok. I will wait"), ("Ben", "bring the keys. I lost mine"), ("Carla", "me too. Bye"),
)  # fmt: skip


def spoken(text: str) -> list[tuple[str, str, str]]:
    """For each sentence who opens a turn, who goes on with one, and the sentence."""
    pieces = source_sentences(plain_source(text).text)
    texts = [piece.text for piece in pieces]
    return list(zip(turns(pieces), speakers(pieces), texts, strict=True))


@pytest.mark.parametrize(
    "form",
    [
        "{name}: {text}", "{name} : {text}", "{name}:\t{text}", "- {name}: {text}",
        "**{name}**: {text}", "#{name}#: {text}", "[{name}]: {text}",
        "[10:3{i}] {name}: {text}", "10:3{i} {name}: {text}", "(10:3{i}) {name}: {text}",
        "00:00:1{i} {name}: {text}", "00:0{i}:11\t{name}:\t{text}", "10:3{i} AM {name}: {text}",
        "12/03/2024, 10:3{i} - {name}: {text}", "[12/03/2024, 10:32:1{i}] {name}: {text}",
        "12.03.24, 10:3{i}\u202fPM - {name}: {text}", "2024-03-12 10:3{i}:00 {name}: {text}",
        "10:32:1{i} From {name} to Everyone: {text}",
        "{name} (10:3{i}): {text}", "{name} [10:3{i}]: {text}", "{name} (CEO): {text}",
        "{name} (she/her): {text}", "{name}, CFO: {text}", "{name}, Head of Sales: {text}",
        "{name}> {text}", "<{name}> {text}", "[10:3{i}] <{name}> {text}", "@{name}: {text}",
        "{name}\t{text}",
        "{name}  10:3{i} AM\n{text}", "{name} 10:3{i}\n{text}\n", "{name} [10:3{i}]\n{text}",
        "{name} - Today at 10:3{i} AM\n{text}", "[10:3{i}] {name}\n{text}", "{name}:\n{text}\n",
        "**{name}** 0:0{i}\n\n{text}\n",
    ],
)  # fmt: skip
def test_each_turn_has_its_speaker(form: str) -> None:
    text = "\n".join(form.format(i=i, name=name, text=text) for i, (name, text) in enumerate(TALK))
    result = spoken(text)
    assert [name for name, _, _ in result if name] == [name for name, _ in TALK]
    assert [(name, sentence) for _, name, sentence in result if name] == [
        ("Ben", "My dentist moved it"), ("Anna", "I will wait"), ("Ben", "I lost mine"),
        ("Carla", "Bye"),
    ]  # fmt: skip
    assert not any("<" in sentence or ">" in sentence for _, _, sentence in result)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (str.lower, ["anna", "ben", "carla"]),
        (str.upper, ["ANNA", "BEN", "CARLA"]),
        (lambda name: f"Dr {name} Lee (she/her)", ["Dr Anna Lee", "Dr Ben Lee", "Dr Carla Lee"]),
        (lambda name: f"Speaker {ord(name[0]) - 64}", ["Speaker 1", "Speaker 2", "Speaker 3"]),
        (lambda name: f"SPEAKER_0{ord(name[0]) - 64}", ["SPEAKER_01", "SPEAKER_02", "SPEAKER_03"]),
    ],
)
def test_names_are_plain(change: Callable[[str], str], names: list[str]) -> None:
    text = "\n".join(f"{change(name)}: {text}" for name, text in TALK)
    assert sorted({name for name, _, _ in spoken(text)} - {""}) == names


def test_numbered_speakers_may_be_on_one_line() -> None:
    text = "Speaker 1: It is not ready Speaker 2: I agree. Fine Speaker 1: Who calls Speaker 2: Me"
    assert spoken(text) == [
        ("Speaker 1", "", "Speaker 1: It is not ready"), ("Speaker 2", "", "Speaker 2: I agree."),
        ("", "Speaker 2", "Fine"), ("Speaker 1", "", "Speaker 1: Who calls"),
        ("Speaker 2", "", "Speaker 2: Me"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Ingredients: two eggs\nMethod: beat them\nTime: an hour",
        "Date: 5 May\nTime: 10:30\nPlace: the hall",
        "Scorers: Lee, Day\nBookings: Fox\nHull won.\nScorers: Poe\nBookings: Ray\nHull lost.",
        "Soup\nIngredients: peas\nMethod: boil\nStew\nIngredients: beef\nMethod: stew",
        "Decision: yes\nOwner: Anna\nDecision: no\nOwner: Ben",
        "10:30 Breakfast\n11:00 Walk\n12:30 Lunch\n14:00 Rest",
        "10:30 Breakfast: eggs\n11:00 Walk: the park\n12:30 Lunch: soup\n14:00 Rest: none",
        "News 10:30\nWhat is new.\nFilm 11:00\nAn old one.\nWeather 13:00\nSun.",
        "1. Introduction\n2. Methods: how\n3. Results: what",
        "From: Anna\nTo: Ben\nSent: 3 May\nSubject: Lunch\n\nFine.\n\nFrom: Ben\nTo: Anna\n\nNo.",
        "Table 1: Sales by region. Table 2: Costs. Figure 1: Both. Table 1: as above.",
        "x > y and a > b. Then c> d follows, and <b> is bold.",
        "Name\tAge\nAnna\tthirty\nBen\tforty",
        "He met Dr Lee (12:30). She said: no. He met Ms Day (13:30). She said: yes.",
        "Speaker 1: It is not ready.",
        "In Paris, France: rain. In Rome, Italy: sun. In Bern, Switzerland: snow.",
        "See 10:30 Anna: it is noted there, and 11:30 Ben: it is not. Nobody else is.",
    ],
)
def test_other_texts_have_no_turns(text: str) -> None:
    assert not any(name for name, _, _ in spoken(text))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Anna: Hi", Opening("Anna", "False ")),
        ("[10:32] Anna Smith, CFO: Hi", Opening("Anna Smith", "True ,")),
        ("Mrs O'Neill (10:32): Hi", Opening("Mrs O'Neill", "False (")),
        ("Date: 5 May", None),
        ("The mayor said: no", None),
        ("10:32 Breakfast", None),
        ("5: Hi", None),
        ("http://a.b", None),
    ],
)
def test_how_a_turn_opens(text: str, result: Opening | None) -> None:
    assert opening(text) == result


def test_changed_openings_are_mapped_to_the_given_text() -> None:
    text = "Anna Lee  10:32 AM\nHi all\n<Ben> Hi\nAnna Lee  10:33 AM\nBye\nBen Day  10:34 AM\nBye"
    result = plain_source(text)
    assert result.text == (
        "Anna Lee (10:32 AM): Hi all\n\n<Ben> Hi\n\nAnna Lee (10:33 AM): Bye\n\n"
        "Ben Day (10:34 AM): Bye"
    )
    for word in ("10:32 AM", "Hi all", "10:34 AM", "Ben Day"):
        start = result.text.index(word)
        assert text[slice(*result.span(start, start + len(word)))] == word


SUBTITLES = """WEBVTT
Kind: captions

1
00:00:01.000 --> 00:00:04.000
{0}We will open the bridge
on Monday and not

2
00:00:04.000 --> 00:00:09.000 align:start
{0}on Tuesday. <i>It</i> is dry.

00:00:09.000 --> 00:00:12.000
{1}Is it safe?{2}
"""


def test_captions_are_joined_to_sentences() -> None:
    assert [sentence for _, _, sentence in spoken(SUBTITLES.format("", "", ""))] == [
        "We will open the bridge on Monday and not on Tuesday.", "It is dry.", "Is it safe?",
    ]  # fmt: skip
    srt = SUBTITLES.format("", "", "").split("captions\n\n")[1].replace(".000", ",000")
    assert [sentence for _, _, sentence in spoken(srt)][2] == "Is it safe?"


def test_voices_of_captions_are_speakers() -> None:
    more = "\n00:00:12.000 --> 00:00:14.000\n<v Ana Lee>Yes. It is.</v>"
    assert spoken(SUBTITLES.format("<v Ana Lee>", "<v Ben Day>", "</v>") + more) == [
        ("Ana Lee", "", "Ana Lee: We will open the bridge on Monday and not on Tuesday."),
        ("", "Ana Lee", "It is dry."), ("Ben Day", "", "Ben Day: Is it safe?"),
        ("Ana Lee", "", "Ana Lee: Yes."), ("", "Ana Lee", "It is."),
    ]  # fmt: skip


def test_captions_without_ends_of_sentences_stay_lines() -> None:
    text = "\n\n".join(f"{i}\n00:00:0{i},000 --> 00:00:0{i},900\nso we go on" for i in range(1, 9))
    assert plain_source(text).text.split() == ["so", "we", "go", "on"] * 8
    assert len(spoken(text)) == 8


def test_captions_are_mapped_to_the_given_text() -> None:
    text = SUBTITLES.format("<v Ana Lee>", "<v Ben Day>", "</v>")
    result = plain_source(text)
    for word in ("Ana Lee", "on Tuesday", "Ben Day", "It", "Is it safe?"):
        start = result.text.index(word)
        assert text[slice(*result.span(start, start + len(word)))] == word


marks = st.sampled_from(
    ["Anna", "Ben", ":", "\n", "\t", "<", ">", "[10:32]", "10:33", "<v Anna>", "</v>", "-->", "x.",
     "00:00:01.000", "WEBVTT", "1", "-", ",", "(CEO)", "Speaker\u00a02:", "@", "[1]", "&gt;"]
)  # fmt: skip


@given(st.lists(marks, max_size=40), st.sampled_from([" ", "", "\n"]))
def test_every_character_has_a_place_in_the_given_text(parts: list[str], between: str) -> None:
    text = between.join(parts)
    cue = "\n00:00:01.000 --> 00:00:04.000\n"
    for given_text in (text, f"{cue}{text}{cue}{text}", f"{text}\nAnna: {text}\nBen> x\nBen> y"):
        result = plain_source(given_text)
        assert len(result.text) == len(result.starts) == len(result.ends)
        assert all(
            0 <= a < b <= len(given_text) for a, b in zip(result.starts, result.ends, strict=True)
        )
