"""Sentences that close by a rule that looks to the left only, of summaries and of sources."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from faithkit.language.sentences import closed_sentences, source_sentences, speakers

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
marked_text = st.text(st.sampled_from("aB é.?!…:;,'\"’”)](\n\t\r0\u2028\u00a0\x1c漢"), max_size=60)
pieces = (
    'Mr. U.S. p.m. e.g. etc. Smith left won. Why? Stop! so… "No." (ok.) 2.5 Lord\'s. J. \n the '
    'said: "Go." a. b.'
)
real_text = st.lists(st.sampled_from(pieces.split(" ")), max_size=20).map(" ".join)
texts = any_text | marked_text | real_text
endings = st.sampled_from([".", "!", "?", "…", "...", '."', ".)", "?!", ".’”", "\n"])
last_words = st.sampled_from(["done", "2014", "Lord's", "60's", "Zoë’s", "NATO", "(so", "word”"])


@settings(max_examples=300, deadline=None)
@given(texts, last_words, endings, texts)
@example("The council of St.", "Lord's", ".", "a copy of the source")
def test_text_behind_a_finished_sentence_changes_none_before_it(
    before: str, word: str, ending: str, behind: str
) -> None:
    finished = f"{before} {word}{ending}"
    alone = closed_sentences(finished)
    assert closed_sentences(f"{finished} {behind}")[: len(alone)] == alone


@settings(max_examples=200, deadline=None)
@given(texts)
@example("\x1c.\u2028")
def test_closed_sentences_slice_back_and_hold_every_character(text: str) -> None:
    place = 0
    for piece in closed_sentences(text):
        assert text[piece.start : piece.end] == piece.text == piece.text.strip() != ""
        assert text[place : piece.start].strip() == ""
        place = piece.end
    assert text[place:].strip() == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" \n ", []),
        ("No end", ["No end"]),
        ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("So (it is said.) Yes.", ["So (it is said.)", "Yes."]),
        ("one line\nanother line", ["one line", "another line"]),
        ("Mr. Lee met Dr. Day. Both left.", ["Mr. Lee met Dr. Day.", "Both left."]),
        ("The U.S. law, at 5 p.m. on Nov. 5.", ["The U.S. law, at 5 p.m. on Nov. 5."]),
        ("J. Smith of Acme Inc. spoke, e.g. here.", ["J. Smith of Acme Inc. spoke, e.g. here."]),
        ("('Mr. Lee' came.) Yes.", ["('Mr. Lee' came.)", "Yes."]),
        ("It rose 2.5 per cent to 3.14. Fine.", ["It rose 2.5 per cent to 3.14.", "Fine."]),
        # A possessive's "s" is no abbreviation.
        ("They met at Lord's. He won.", ["They met at Lord's.", "He won."]),
        ("Wait... what?! Yes.", ["Wait...", "what?!", "Yes."]),
        ("a.b.c d", ["a.b.c d"]),
        ("Lee et al. found it (Lee et al. 2019).", ["Lee et al. found it (Lee et al. 2019)."]),
        ("So did Lee et al. The rest did not.", ["So did Lee et al.", "The rest did not."]),
        ("They fly El Al. Nobody else does.", ["They fly El Al.", "Nobody else does."]),
        ("See Vol. II, ch. IX. I say no. IV.", ["See Vol. II, ch. IX.", "I say no.", "IV."]),
        ("See Fig. 3, pp. 5-7 and No. 5.", ["See Fig. 3, pp. 5-7 and No. 5."]),
        ("See Eq. (3) in vol. 2. Then art. 5.", ["See Eq. (3) in vol. 2.", "Then art. 5."]),
        ("He said no. She left.", ["He said no.", "She left."]),
        ("It is art. She ate a fig. Good.", ["It is art.", "She ate a fig.", "Good."]),
        ("Adm. Lee met Pres. Day and Det. Poe.", ["Adm. Lee met Pres. Day and Det. Poe."]),
        ("It took 10 sec. Then it ended.", ["It took 10 sec.", "Then it ended."]),
        ("Seen before adm. Spacer given.", ["Seen before adm.", "Spacer given."]),
        ("Messrs. Lee and Day came.", ["Messrs. Lee and Day came."]),
        ("He has a Ph.D. from Rome. He left.", ["He has a Ph.D. from Rome.", "He left."]),
        ("He has a Ph.D. She has none.", ["He has a Ph.D.", "She has none."]),
        ("The U.S. Senate met at 5 p.m. It sat.", ["The U.S. Senate met at 5 p.m.", "It sat."]),
        ("Warner Bros. Games is Warner Bros. They won.", [
            "Warner Bros. Games is Warner Bros.", "They won."]),
        ("e.g. The one, i.e. The other.", ["e.g. The one, i.e. The other."]),
        ("It may end under cl. 4.2 or ss. 5 to 7.", ["It may end under cl. 4.2 or ss. 5 to 7."]),
        ("He paid Rs. 500. He left.", ["He paid Rs. 500.", "He left."]),
        ("Stop Tab. Ramipril, see Tab. 3. Open a tab. Go.", [
            "Stop Tab. Ramipril, see Tab. 3.", "Open a tab.", "Go."]),
        ("The max. load. He met Max. He left.", ["The max. load.", "He met Max.", "He left."]),
        ("On Mon. 5 May and Fri. morning. He sat. we left.", [
            "On Mon. 5 May and Fri. morning.", "He sat.", "we left."]),
        ("The mean (s.d.) was 4. So (it is.) yes.", [
            "The mean (s.d.) was 4.", "So (it is.)", "yes."]),
        ("It is £120 excl. VAT. Keep it 3 mos. in all. Keep all excl. The rest is out.", [
            "It is £120 excl. VAT.", "Keep it 3 mos. in all.", "Keep all excl.",
            "The rest is out."]),
        ("Add 2 tbsp. butter to 120 sq. ft. and it is 5 in. high.", [
            "Add 2 tbsp. butter to 120 sq. ft. and it is 5 in. high."]),
        ("Cllr. Lee met Lt. Cdr. Day of Acme Pvt. Ltd. in Rome.", [
            "Cllr. Lee met Lt. Cdr. Day of Acme Pvt. Ltd. in Rome."]),
        ("ok thx. see you. Mr Ng. Anna left. It broke ctrl. Then it ended.", [
            "ok thx.", "see you.", "Mr Ng.", "Anna left.", "It broke ctrl.", "Then it ended."]),
        ("He loved him ... until he died.", ["He loved him ... until he died."]),
        # A letter may be an initial, or a label or a unit, after which a sentence may end.
        ("He had vitamin K. He left. Party A. Party B pays.", [
            "He had vitamin K.", "He left.", "Party A.", "Party B pays."]),
        ("It runs at 230 V. Support costs 5. In 2019 A. Lee won.", [
            "It runs at 230 V.", "Support costs 5.", "In 2019 A. Lee won."]),
        ("It ends at 5 p.m. Notice is given. At 5 p.m. EST or 6 p.m. Monday.", [
            "It ends at 5 p.m.", "Notice is given.", "At 5 p.m. EST or 6 p.m. Monday."]),
        ("Take 5 mg b.d. Aspirin was stopped.", ["Take 5 mg b.d.", "Aspirin was stopped."]),
        # A quotation ends a sentence only where no small letter follows.
        ('"Stop!" cried Tom. "Why?" asked Ann.', ['"Stop!" cried Tom.', '"Why?" asked Ann.']),
        ("'I thought...' she said. 'Go!' he said.", [
            "'I thought...' she said.", "'Go!' he said."]),
        ('"Stop!" He left. "Why?" Ann left.', ['"Stop!"', "He left.", '"Why?"', "Ann left."]),
        ('"Stop!"\nhe said', ['"Stop!"', "he said"]),
        ('The "no." sign. Wait! so.', ['The "no."', "sign.", "Wait!", "so."]),
    ],
)  # fmt: skip
def test_where_sentences_close(text: str, found: list[str]) -> None:
    assert [piece.text for piece in closed_sentences(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("It rained. Dr. Lee\nleft early.", ["It rained.", "Dr. Lee\nleft early."]),  # wrapped
        ("A title\n\nIt rained", ["A title", "It rained"]),
        ("Anna: Hi\nBob: Are you well? Yes.", ["Anna: Hi", "Bob: Are you well?", "Yes."]),
        ("Bring\n- a pen\n- paper. Then go.", ["Bring", "- a pen", "- paper.", "Then go."]),
    ],
)
def test_where_sentences_of_a_source_close(text: str, found: list[str]) -> None:
    pieces = source_sentences(text)
    assert [piece.text for piece in pieces] == found
    assert all(text[piece.start : piece.end] == piece.text for piece in pieces)


@pytest.mark.parametrize("text", ["." * 50_000, "a. " * 20_000, "Mr. " * 20_000, "a." * 25_000])
def test_long_rows_of_points_take_no_time(text: str) -> None:
    assert len(closed_sentences(text)) == 1  # took minutes where it was quadratic
    assert len(source_sentences(text)) == 1


# --- speakers ------------------------------------------------------------------------------------

CHAT = "Anna: Are you in? I have the key.\nBen: No. I left at six. Sorry!\nAnna: Fine."


def spoken(text: str) -> list[tuple[str, str]]:
    pieces = source_sentences(text)
    return list(zip(speakers(pieces, text), (piece.text for piece in pieces), strict=True))


def test_later_sentences_of_a_turn_have_its_speaker() -> None:
    assert spoken(CHAT) == [
        ("", "Anna: Are you in?"), ("Anna", "I have the key."), ("", "Ben: No."),
        ("Ben", "I left at six."), ("Ben", "Sorry!"), ("", "Anna: Fine."),
    ]  # fmt: skip


def test_speakers_may_be_written_small_and_have_blanks() -> None:
    turns = ("phd c: Yeah . OK .", "professor f: Right .", "phd c : One . It broke .",
             "professor f: Oh .")  # fmt: skip
    text = "\n".join(turns)
    assert [name for name, _ in spoken(text)] == ["", "phd c", "", "", "phd c", ""]


@pytest.mark.parametrize(
    "text",
    [
        "Ingredients: two eggs. Some salt. Method: beat them. Wait.",  # none opens two sentences
        "Note: it rained. We left. Note: it rained again. We came.",  # one speaker
        "He said: go. She went. He came. They left.",
        "The mayor replied: no. He said: go. The mayor replied: why. He said: just go.",  # quoted
        "From: Anna\nTo: Ben\n\nI left. Bye.\n\nFrom: Ben\nTo: Anna\n\nFine. Bye.",  # letters
        f"Anna: Hi.\nBen: Hi.\nAnna: Bye. {'It rained. ' * 13}",  # a quoted chat in an article
        "Replacements: A. B. C.\nLeeds: D. E.\nReferee: F. G.\nReplacements: H.\nHull: I.",
        "",
    ],
)
def test_a_text_that_is_no_dialogue_has_no_speakers(text: str) -> None:
    assert not any(name for name, _ in spoken(text))


def test_pronouns_may_be_speakers_of_an_exported_chat() -> None:
    text = "You: Are you in? I have the key.\nBen: No. I left.\nYou: Fine."
    assert [name for name, _ in spoken(text)] == ["", "You", "", "Ben", ""]


def test_what_no_other_sentence_begins_with_is_no_speaker_unless_it_has_a_capital() -> None:
    text = f"{CHAT}\nCarla: Hello. I am late.\nAnna: the plan: go. Now."
    names = {piece: name for name, piece in spoken(text)}
    assert names["I am late."] == "Carla" and names["Now."] == "Anna"
