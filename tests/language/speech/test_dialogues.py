"""Dialogues in the formats in which they are exported, and texts that are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.language.normalise import plain_source
from faithkit.language.sentences import source_sentences, speakers, turns
from faithkit.language.speech.dialogues import Opening, parse_opening

TALK = (
    ("Anna", "Are we on for lunch"), ("Ben", "yes. My dentist moved it"),
    ("Anna", "ok. I will wait"), ("Ben", "bring the keys. I lost mine"), ("Carla", "me too. Bye"),
)  # fmt: skip


def spoken(text: str) -> list[tuple[str, str, str]]:
    """For each sentence who opens a turn, who goes on with one, and the sentence."""
    plain = plain_source(text).text
    pieces = source_sentences(plain)
    texts = [piece.text for piece in pieces]
    return list(zip(turns(pieces), speakers(pieces, plain), texts, strict=True))


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
        "{name} [00:10:3{i}] {text}", "{name} (10:3{i}) {text}",
        "{name} - Today at 10:3{i} AM\n{text}", "[10:3{i}] {name}\n{text}", "{name}:\n{text}\n",
        "**{name}** 0:0{i}\n\n{text}\n",
        "{name}\n  10:3{i} AM\n{text}", "{name}\n \u2014 \nToday at 10:3{i} AM\n{text}",
        "{name}:palm_tree:  10:3{i} AM\n{text}", "{name}\nTuesday 10:3{i} AM\n{text}",
        "{name}, Tue 10:3{i} AM\n{text}", "{name} | 12 Mar 10:3{i}\n{text}",
        "{name} at 10:3{i} AM\n{text}", "{name} {i} minutes 3 seconds\n{text}",
        "[Yesterday 10:3{i}] {name}\n{text}", "[06-Aug-24 10:3{i} AM] {name}#1234\n{text}",
        "[Tue 12 Mar 2024 10:3{i}] {name}: {text}", "2024-03-12T10:3{i}:00Z {name}: {text}",
        "{name} 10:3{i}: {text}", "{name} (CEO) 10:3{i}: {text}", "10:3{i} | {name}: {text}",
        "[00:0{i}.000 --> 00:0{i}.900] {name}: {text}", "00:0{i}:11 --> 00:0{i}:12 {name}: {text}",
        "00:0{i}\t{name}\t{text}", "00:0{i} | {name} | {text}", "| 00:0{i} | {name} | {text} |",
        "0:0:{i}.0 --> 0:0:{i}.9\n{name}\n{text}\n", "[{name}] {text}",
        "[12/03/2024, 10:32:1{i}] ~ {name}: {text}", "{name} (Leeds) (Lab): {text}",
        "{name}, CFO, Acme Ltd: {text}", "{name} \N{SUNFLOWER}: {text}", "\N{CROWN}{name}: {text}",
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
    sentences = [sentence.replace("-->", "") for _, _, sentence in result]
    assert not any("<" in sentence or ">" in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (str.lower, ["anna", "ben", "carla"]),
        (str.upper, ["ANNA", "BEN", "CARLA"]),
        (lambda name: f"Dr {name} Lee (she/her)", ["Dr Anna Lee", "Dr Ben Lee", "Dr Carla Lee"]),
        (lambda name: f"Speaker {ord(name[0]) - 64}", ["Speaker 1", "Speaker 2", "Speaker 3"]),
        (lambda name: f"SPEAKER_0{ord(name[0]) - 64}", ["Speaker 1", "Speaker 2", "Speaker 3"]),
        (lambda name: f"spk_{ord(name[0]) - 64}", ["Speaker 1", "Speaker 2", "Speaker 3"]),
        (lambda name: f"{name} / Nurse", ["Anna / Nurse", "Ben / Nurse", "Carla / Nurse"]),
        (lambda name: f"{name} & Tom", ["Anna & Tom", "Ben & Tom", "Carla & Tom"]),
        (lambda name: f"{name}@x.org", ["Anna@x.org", "Ben@x.org", "Carla@x.org"]),
        (
            lambda name: f'{name} "Bear" Lee',
            ['Anna "Bear" Lee', 'Ben "Bear" Lee', 'Carla "Bear" Lee'],
        ),
        (lambda name: f"+44 7700 9{len(name)}", ["+44 7700 93", "+44 7700 94", "+44 7700 95"]),
        (lambda name: f"Lee, {name}", ["Anna Lee", "Ben Lee", "Carla Lee"]),
        (lambda name: f"Lee, {name} (0:01)", ["Anna Lee", "Ben Lee", "Carla Lee"]),
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
        "Breakfast (10:30) eggs\nLunch (12:30) soup\nDinner (18:30) fish",
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
        "[UI] New button.\n[API] A route.\n[UI] Icons.\n[API] Faster. I think.\n[UI] Fonts.",
        "[ERROR] It broke.\n[INFO] I am up.\n[ERROR] It broke.\n[INFO] I am up.",
        "WARNING. Hot.\nNOTE. I use gloves.\nWARNING. Sharp.\nNOTE. I use a knife.",
        "HISTORY\nA cough.\nTESTS\nAn X-ray.\nHISTORY\nA rash.\nTESTS\nNone.",
        "FIRE. You burn.\nICE. You slip.\nFIRE. You burn.\nICE. You slip.",
        "FIRE. It burns.\nICE. It melts.\nFIRE. It warms.\nICE. It cools.",
        "Breakfast\n10:30\nI eat.\nLunch\n12:30\nI eat.\nDinner\n18:30\nI eat.",
        '"I left," he said. He said: no. She said: I stay. He said: go. She said: I stay.',
    ],
)
def test_other_texts_have_no_turns(text: str) -> None:
    assert not any(name for name, _, _ in spoken(text))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Anna: Hi", Opening("Anna", "False ")),
        ("[10:32] Anna Smith, CFO: Hi", Opening("Anna Smith", "True ,")),
        ("Mrs O'Neill (10:32): Hi", Opening("Mrs O'Neill", "False (", "10:32")),
        ("Date: 5 May", None),
        ("The mayor said: no", None),
        ("10:32 Breakfast", None),
        ("5: Hi", None),
        ("http://a.b", None),
        ("Anna <anna@x.org>: Hi", Opening("Anna", "False <")),
        ("Chair (Anna Lee): Hi", Opening("Chair", "False (", "Anna Lee")),
        ("Lee, Anna: Hi", Opening("Anna Lee", "False ,")),
        ("10:30 to 11:30 is free: come", None),
    ],
)
def test_how_a_turn_opens(text: str, result: Opening | None) -> None:
    assert parse_opening(text) == result


CHAT = (
    "Mum: Hi. I fed the cat.\n{}: Great. I drive.\nMum: Ta. I wait.\nJo: Fine. I cook.\n{}Mum: Bye."
)


@pytest.mark.parametrize(
    "name",
    ["#1", "2fast4u", "<Ben>", "-ben-", "Anna \u2192 Ben", "BEN (O.S.) (V.O.) (CONT'D)",
     "The Parliamentary Under-Secretary of State for Transport (Ellie Ford)",
     "Ms A. B. C. D. Lee", "Young farmers (Ben)"],
)  # fmt: skip
@pytest.mark.parametrize("again", [True, False])
def test_a_turn_of_nobody_known_ends_the_one_before_it(name: str, again: bool) -> None:
    result = spoken(CHAT.format(name, f"{name}: No. I paid.\n" if again else ""))
    said = {sentence: speaker for _, speaker, sentence in result}
    assert said["I drive."] and said["I drive."] in name
    assert not again or said["I paid."] == said["I drive."]
    assert (said["I fed the cat."], said["I wait."], said["I cook."]) == ("Mum", "Mum", "Jo")


def test_a_line_with_a_time_and_without_a_speaker_is_said_by_nobody() -> None:
    lines = [
        "Anna: Hi. I am in.",
        "Ben: Ok.",
        "Carl left. Tap here.",
        "Anna: Oh. I see.",
        "Ben: Bye.",
    ]
    result = spoken("\n".join(f"12/03/24, 10:0{i} - {line}" for i, line in enumerate(lines, 2)))
    assert ("", "", "12/03/24, 10:04 - Carl left.") in result
    assert ("", "", "Tap here.") in result
    assert ("", "Anna", "I see.") in result


@pytest.mark.parametrize("label", ["PS", "Taxi", "Plan", "Update", "Dinner", "Friday", "Note"])
def test_a_label_in_a_message_opens_no_turn(label: str) -> None:
    text = f"Anna: Hi. I am in.\nBen: Two things.\n{label}: it is due. I sold the car.\n"
    assert ("", "Ben", "I sold the car.") in spoken(f"{text}Anna: Ok.\nBen: Bye.")


def test_a_label_that_opens_several_turns_is_a_name() -> None:
    text = "Friday: I am cold.\nBen: Oh. Sit down.\nFriday: Ok. I sit.\nBen: Good."
    assert ("", "Friday", "I sit.") in spoken(text)


@pytest.mark.parametrize(
    ("first", "then", "name"),
    [
        ("WOLF DAY, HOST", "DAY", "WOLF DAY"),
        ("WOLF DAY", "DAY", "WOLF DAY"),
        ("WOLF DAY", "WD", "WOLF DAY"),
        ("Wolf Day", "WD", "Wolf Day"),
        ("Wolf Day (Leeds) (Lab)", "Wolf Day", "Wolf Day"),
        ("The Minister (Wolf Day)", "Wolf Day", "Wolf Day"),
        ("MRS DAY", "DAY", "DAY"),
        ("Uncle Wolf", "Wolf", "Wolf"),
    ],
)
def test_a_full_name_that_is_said_once_is_that_of_the_short_one(
    first: str, then: str, name: str
) -> None:
    lines = [
        f"{first}: Good evening. I was in Kyiv.", "LEE: Hi. I was not.", f"{then}: Why? I was.",
        "LEE: Well. I did go.", f"{then}: Good. I see.", "LEE: Bye.",
    ]  # fmt: skip
    said = {sentence: speaker for _, speaker, sentence in spoken("\n".join(lines))}
    assert said["I was."] == said["I see."] == name
    assert said["I was in Kyiv."] in (name, first)
    assert said["I did go."] == "LEE"


def test_of_two_with_one_surname_the_short_name_is_nobodys() -> None:
    lines = [
        "ANN DAY, HOST: Hi.",
        "BO DAY, COOK: Hi.",
        "DAY: Hm. I eat.",
        "LEE: No.",
        "DAY: Ok.",
        "LEE: Bye.",
    ]
    assert ("", "DAY", "I eat.") in spoken("\n".join(lines))


@pytest.mark.parametrize(
    "form", ["{}. {}", "{}\n{}\n", "{} (V.O.)\n{}\n", "  Mr. {}. {}", "  Mr. {} of New York. {}"]
)
def test_plays_and_records_of_parliaments_have_turns(form: str) -> None:
    talk = [
        ("RUTH", "You signed? I saw it."), ("ALMA", "Yes. I did."), ("RUTH", "God! I trusted you."),
        ("ALMA", "Sorry. I had to."),
    ]  # fmt: skip
    result = spoken("\n".join(form.format(name, text) for name, text in talk))
    said = [(speaker.split()[-1], text) for _, speaker, text in result if speaker]
    if "New York" in form:
        assert {name for name, _ in said} == {"York"}
    else:
        assert [name for name, _ in said] == ["RUTH", "ALMA", "RUTH", "ALMA"]
    assert [text for _, text in said] == ["I saw it.", "I did.", "I trusted you.", "I had to."]


def test_short_roles_of_a_call_are_in_full() -> None:
    text = "AGT: Hi. I am Jo.\nCUS: Hi. I work mornings.\nAGT: Ok. I see.\nCUS: Bye."
    assert ("", "Customer", "I work mornings.") in spoken(text)
    assert plain_source(text).text.startswith("Agent: Hi. I am Jo.")
    assert "AGT: one" in plain_source("AGT: one\nXYZ: two\nAGT: one\nXYZ: two").text


@pytest.mark.parametrize("between", [" ", "\n"])
def test_turns_of_roles_in_brackets_may_be_on_one_line(between: str) -> None:
    turns = ["[doctor] hi . how are you ?", "[patient] i hurt .", "[Guest_family] she does .",
             "[doctor] i see .", "[patient] my leg ."]  # fmt: skip
    assert spoken(between.join(turns)) == [
        ("doctor", "", "doctor: hi ."), ("", "doctor", "how are you ?"),
        ("patient", "", "patient: i hurt ."), ("Guest_family", "", "Guest_family: she does ."),
        ("doctor", "", "doctor: i see ."), ("patient", "", "patient: my leg ."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "[Patient] had pain. [Doctor] saw [Patient]. [Doctor] let [Patient] go.",
        "I left. [laughter] You know. [applause] I did. [laughter] We left. [applause] Bye.",
        "The [Doctor] I saw left. [Patient] you are. [Doctor] I am.",
    ],
)
def test_other_words_in_brackets_are_no_turns(text: str) -> None:
    assert plain_source(text).text == text


def test_what_is_above_a_turn_is_no_turn() -> None:
    text = "Transcript\n12 March 2024, 09:02\n\n" + "\n\n".join(
        f"{name}   0:0{i}\n{text}" for i, (name, text) in enumerate(TALK)
    )
    assert spoken(text)[2] == ("Anna", "", "Anna (0:00): Are we on for lunch")


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
     "00:00:01.000", "WEBVTT", "1", "-", ",", "(CEO)", "Speaker\u00a02:", "@", "[1]", "&gt;",
     "Ben: > Anna:", "AGT:", "CUS:", "RUTH.", "[Ben]", "|", "I", "12 March", "2 seconds"]
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
