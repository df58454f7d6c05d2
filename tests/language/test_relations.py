"""Triples and roles of real sentences, parsed with the embedded model and worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.language.clauses import CONJUNCTS, PHRASE, phrase_text
from faithkit.language.parse import parse
from faithkit.language.relations import Triple, relation_key, triples
from faithkit.language.roles import merged_role, roles


def found_in(text: str) -> list[str]:
    (tokens,) = parse([text])
    return [" | ".join(phrase_text(text, part) for part in item) for item in triples(tokens)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "The old council may not have approved the plan.",
            ["The old council | may not have approved | the plan"],
            id="negation and modality",
        ),
        pytest.param("He didn't sign it.", ["He | didn't sign | it"], id="contraction"),
        pytest.param(
            "The firm gave up its plans because of the cost.",
            ["The firm | gave up | its plans", "The firm | gave up because of | the cost"],
            id="particle and preposition of two words",
        ),
        pytest.param(
            "Police arrested two men after a fight in Leeds on Friday.",
            [
                "Police | arrested | two men",
                "Police | arrested after | a fight in Leeds",
                "Police | arrested on | Friday",
            ],
            id="prepositions",
        ),
        pytest.param(
            "Acme was bought by Globex in 2019.",
            ["Globex | bought | Acme", "Acme | was bought in | 2019"],
            id="passive with agent",
        ),
        pytest.param("Nobody was hurt.", ["Nobody | was hurt | "], id="passive without agent"),
        pytest.param(
            "Anna and Ben sold a house and two cars.",
            [
                "Anna | sold | a house",
                "Ben | sold | a house",
                "Anna | sold | two cars",
                "Ben | sold | two cars",
            ],
            id="conjoined subjects and objects",
        ),
        pytest.param(
            "The thief took the money and fled the country.",
            ["The thief | took | the money", "The thief | fled | the country"],
            id="conjoined verbs share a subject",
        ),
        pytest.param(
            "He was arrested and charged with murder.",
            ["He | was arrested | ", "He | was charged with | murder"],
            id="conjoined verbs share auxiliaries",
        ),
        pytest.param(
            "They were not arrested, tried or hanged.",
            [
                "They | were not arrested | ",
                "They | were not tried | ",
                "They | were not hanged | ",
            ],
            id="three verbs share auxiliaries",
        ),
        pytest.param(
            "The man who stole the car was arrested on Monday.",
            ["The man | stole | the car", "The man | was arrested on | Monday"],
            id="subject relative",
        ),
        pytest.param(
            "A drug that doctors recommend failed.",
            ["doctors | recommend | A drug", "A drug | failed | "],
            id="object relative",
        ),
        pytest.param(
            "The house he lived in burned down.",
            ["he | lived in | The house", "The house | burned down | "],
            id="relative without pronoun and its preposition",
        ),
        pytest.param(
            "The house, which was built by Romans, burned down.",
            ["Romans | built | The house", "The house | burned down | "],
            id="passive relative",
        ),
        pytest.param(
            "The company, founded in 1990, makes cars.",
            ["The company | founded in | 1990", "The company | makes | cars"],
            id="reduced relative",
        ),
        pytest.param(
            "Paris is the capital of France.", ["Paris | is | the capital of France"], id="copula"
        ),
        pytest.param("He is not happy.", ["He | is not | happy"], id="adjective"),
        pytest.param(
            "Angela Merkel, the German chancellor, resigned.",
            ["Angela Merkel |  | the German chancellor", "Angela Merkel | resigned | "],
            id="apposition",
        ),
        pytest.param(
            "She gave him a book.", ["She | gave | him", "She | gave | a book"], id="two objects"
        ),
        pytest.param(
            "She gave a book to him.", ["She | gave | a book", "She | gave to | him"], id="dative"
        ),
        pytest.param(
            "The minister refused to comment on the report.",
            ["The minister | refused to comment on | the report"],
            id="chain of infinitives",
        ),
        pytest.param("He wants to leave.", ["He | wants | to leave"], id="chain without object"),
        pytest.param(
            "She told him to leave the house.",
            ["She | told | him", "him | to leave | the house"],
            id="object control",
        ),
        pytest.param(
            "Astronomers used a telescope to study Mars.",
            ["Astronomers | used | a telescope", "Astronomers | to study | Mars"],
            id="purpose",
        ),
        pytest.param(
            "The mayor said that the bridge will close.",
            ["The mayor | said | the bridge will close", "the bridge | will close | "],
            id="clause as object",
        ),
        pytest.param(
            "The deal was reportedly rejected last week.",
            ["The deal | was reportedly rejected | last week"],
            id="hedge and time",
        ),
        pytest.param(
            "There are three dogs in the garden.",
            ["There | are | three dogs in the garden"],
            id="existential",
        ),
        pytest.param("the man never came back", ["the man | never came | back"], id="adverb"),
        pytest.param("Go home!", [], id="command"),
        pytest.param("A long day in the park.", [], id="no verb"),
    ],
)
def test_triples(text: str, expected: list[str]) -> None:
    assert found_in(text) == expected


def test_offsets_point_at_the_words_and_show_gaps() -> None:
    text = "Acme was bought by Globex. It may, he said, be sold again."
    (tokens,) = parse([text])
    first = triples(tokens)[0]
    assert first == Triple(((19, 25),), ((9, 15),), ((0, 4),))
    assert first.text(text) == "Globex bought Acme"


def test_a_pronoun_is_replaced_by_its_name() -> None:
    text = "She sold her house."
    (tokens,) = parse([text])
    names = {0: (3, "Anna"), 9: (12, "Anna's")}
    assert [item.text(text, names) for item in triples(tokens)] == ["Anna sold Anna's house"]
    assert [item.text(text) for item in triples(tokens)] == ["She sold her house"]


def test_a_relation_is_the_same_in_another_tense() -> None:
    keys = []
    for text in ("Acme has bought it.", "Acme buys it.", "It was bought by Acme.", "He is it."):
        (tokens,) = parse([text])
        starts = {token.start: token for token in tokens}
        keys.append(relation_key(starts, triples(tokens)[0].relation))
    assert keys == ["buy", "buy", "buy", "be"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Smith was attacked in Paris.", "be attack in"),
        ("Smith has been attacked in Paris.", "be attack in"),
        ("Smith got attacked in Paris.", "be attack in"),
        ("The man attacked in Paris died.", "be attack in"),
        ("Smith attacked in Paris.", "attack in"),
        ("Smith is attacking in Paris.", "attack in"),
        ("Globex was bought by Acme.", "buy"),
        ("Globex, bought by Acme in 2019, closed.", "buy"),
        ("Smith is tired of Paris.", "be"),
    ],
)
def test_a_passive_has_another_relation_key_unless_its_agent_makes_it_active(
    text: str, key: str
) -> None:
    (tokens,) = parse([text])
    starts = {token.start: token for token in tokens}
    assert relation_key(starts, triples(tokens)[0].relation) == key


def test_negation_is_part_of_the_relation_key() -> None:
    (tokens,) = parse(["He didn't sign it."])
    starts = {token.start: token for token in tokens}
    assert relation_key(starts, triples(tokens)[0].relation) == "not sign"


def frames(text: str) -> dict[str, list[str]]:
    """Each verb's group to its phrases as role:words."""
    (tokens,) = parse([text])
    return {
        phrase_text(text, frame.predicate): [
            f"{item.role}:{phrase_text(text, item.pieces)}" for item in frame.arguments
        ]
        for frame in roles(tokens)
    }


@pytest.mark.parametrize(
    ("text", "verb", "expected"),
    [
        (
            "Acme was bought by Globex in 2019 for $4 million.",
            "was bought",
            ["what:Acme", "who:Globex", "when:in 2019", "how:for $4 million"],
        ),
        (
            "The firm gave up its plans because of the cost.",
            "gave up",
            ["who:The firm", "what:its plans", "why:because of the cost"],
        ),
        (
            "Police arrested two men after a fight in Leeds on Friday.",
            "arrested",
            ["who:Police", "what:two men", "when:after a fight in Leeds", "when:on Friday"],
        ),
        (
            "Police arrested him in Leeds.",
            "arrested",
            ["who:Police", "what:him", "where:in Leeds"],
        ),
        ("She gave him a book.", "gave", ["who:She", "whom:him", "what:a book"]),
        ("She gave a book to him.", "gave", ["who:She", "what:a book", "whom:him"]),
        (
            "She told him to leave the house.",
            "told",
            ["who:She", "whom:him", "what:to leave the house"],
        ),
        (
            "He opened the door by force to save the child.",
            "opened",
            ["who:He", "what:the door", "how:by force", "why:to save the child"],
        ),
        ("The bus slowly left yesterday.", "left", ["who:The bus", "how:slowly", "when:yesterday"]),
        (
            "The man who stole the car was arrested on Monday.",
            "was arrested",
            ["what:The man", "when:on Monday"],
        ),
        (
            "The man who stole the car was arrested on Monday.",
            "stole",
            ["who:The man", "what:the car"],
        ),
        ("There are three dogs in the garden.", "are", ["what:three dogs in the garden"]),
        (
            "They stayed at home because it rained.",
            "stayed",
            ["who:They", "where:at home", "why:it rained"],
        ),
        (
            "He moved to Paris when he retired.",
            "moved",
            ["who:He", "where:to Paris", "when:when he retired"],
        ),
        (
            "He talked to her about the plan.",
            "talked",
            ["who:He", "what:to her", "what:about the plan"],
        ),
        # The parser takes this full stop for a name.
        ("Anna met Ben.", "met", ["who:Anna", "what:Ben"]),
    ],
)
def test_roles(text: str, verb: str, expected: list[str]) -> None:
    assert frames(text)[verb] == expected


def test_a_frame_names_its_verb_alone() -> None:
    text = "The council may not have approved the plan."
    (tokens,) = parse([text])
    (frame,) = roles(tokens)
    assert phrase_text(text, frame.predicate) == "may not have approved"
    assert text[slice(*frame.verb)] == "approved"


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("ARG0", "who"),
        ("A1", "what"),
        ("ARG2", "whom"),
        ("ARGM-TMP", "when"),
        ("AM-LOC", "where"),
        ("ARGM-CAU", "why"),
        ("argm-mnr", "how"),
        ("C-ARG1", "what"),
        ("R-ARG0", None),
        ("V", None),
        ("ARGM-NEG", None),
        ("O", None),
    ],
)
def test_propbank_labels_become_questions(label: str, role: str | None) -> None:
    assert merged_role(label) == role


@pytest.mark.parametrize(
    ("label", "role"),
    [
        # The groups of bigabig/faithfulness, SRL.py at 9683be6.
        ("ARG0", "who"),
        ("ARGM-COM", "who"),
        ("ARGA", "who"),
        ("ARG1", "what"),
        ("ARG2", "attribute"),
        ("A4", "attribute"),
        ("ARGM-PRD", "attribute"),
        ("ARGM-DIR", "direction"),
        ("ARGM-GOL", "why"),
        ("ARGM-ADV", "how"),
        ("AM-ADJ", "how"),
        ("ARGM-NEG", "negation"),
        ("V", "verb"),
        ("C-V", None),
        ("R-ARG0", None),
        ("ARGM-DIS", None),
        ("ARGM-MOD", None),
    ],
)
def test_every_propbank_label_that_the_authors_keep_has_a_role(
    label: str, role: str | None
) -> None:
    assert merged_role(label, "all") == role


def test_frames_with_all_phrases_have_the_verb_its_negation_and_adverbials() -> None:
    text = "Perhaps the council did not approve the plan, although it rained."
    (tokens,) = parse([text])
    first = roles(tokens, "all")[0]
    assert [f"{item.role}:{phrase_text(text, item.pieces)}" for item in first.arguments] == [
        "verb:approve", "who:the council", "how:Perhaps", "negation:not", "what:the plan",
        "how:it rained",
    ]  # fmt: skip


some_words = st.lists(
    st.sampled_from(
        ["the", "man", "who", "that", "and", "was", "bought", "sold", "by", "in", "Leeds", "not",
         "to", "he", "said", "house", "1990", ",", ".", "(", "-", "\n\n"]
    ),
    max_size=25,
)  # fmt: skip


@pytest.mark.slow
@given(some_words.map(" ".join) | st.text(max_size=40))
def test_any_text_gives_phrases_inside_it_in_order_without_overlap(text: str) -> None:
    (tokens,) = parse([text])
    items = [part for item in triples(tokens) for part in item]
    items += [item.pieces for frame in roles(tokens) for item in frame.arguments]
    for pieces in items:
        place = 0
        for start, end in pieces:
            assert place <= start < end <= len(text)
            place = end


@pytest.mark.slow
def test_long_lists_and_long_sentences_stay_bounded() -> None:
    names = ", ".join(f"name{i}" for i in range(300))
    text = f"He saw {names} and others. " + "He said that " * 300 + "it rained."
    (tokens,) = parse([text])
    items = triples(tokens)
    assert sum(item.relation == ((3, 6),) for item in items) <= CONJUNCTS
    for item in items:
        inside = [t for t in tokens for start, end in item.object if start <= t.start < end]
        assert len(inside) <= 2 * PHRASE
