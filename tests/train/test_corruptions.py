"""Sentences made for training: what each kind does to a sentence, and which words it marks."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import lru_cache
from random import Random

import pytest

from faithkit.language import inflection
from faithkit.language.sentences import sentences
from faithkit.language.words import numbers
from faithkit.records import ConfigError
from faithkit.rewrites import lexicon
from faithkit.rewrites.parsed import Page, apply, labelled, read, usable
from faithkit.train.corruptions import (
    BORROWED,
    FAITHFUL,
    KINDS,
    MAKERS,
    NON_CLAIM,
    UNFAITHFUL,
    Made,
    corrupt,
    non_claims,
)
from faithkit.train.corruptions.non_claim_grammar import TEMPLATES

ELECTION = """Angela Merkel met reporters in Berlin on Monday. She praised the 45 volunteers of the
party. The minister may resign in March 2019, according to Reuters. Emmanuel Macron defeated
Marine Le Pen in the second round. Some voters rejected the plan because the cost rose by
£5 million. The committee approved the budget. France increased spending by 12 per cent, officials
said. The company, which employs 3,000 people, closed a factory near Lyon.""".replace("\n", " ")
STORM = """A storm destroyed several houses in Florida on Tuesday. Rescue workers evacuated nine
families from the coast. Governor Rick Scott, a former businessman, visited the town after the
flood. The river rose by four metres, flooding the main square. Volunteers repaired the bridge.
The mayor thanked Maria Gonzalez for her help.""".replace("\n", " ")
FOOTBALL = """Arsenal beat Chelsea at Wembley in May. Alexis Sanchez scored the first goal after
four minutes. The referee dismissed Victor Moses, a Nigerian defender, in the second half. Aaron
Ramsey, who joined the club in 2008, scored the winner. The fans celebrated the victory in London.
Antonio Conte blamed his players for the defeat.""".replace("\n", " ")
DOCUMENTS = [ELECTION, STORM, FOOTBALL]


@lru_cache(maxsize=64)
def page(document: str, *others: str) -> Page:
    parsed = read([(s.start, s.text) for s in sentences(document)])
    return Page(document, "key", parsed, tuple(page(other) for other in others))


def made(kind: str, document: str, *others: str, of: int = 0) -> set[str]:
    """Every sentence that a kind can make of one sentence, with the marked words in brackets."""
    whole = page(document, *others)
    found = set()
    for seed in range(30):
        for edits in MAKERS[kind](whole.sentences[of], whole, Random(seed)):
            text, wrong = apply(whole.sentences[of].text, edits)
            for start, end, label in reversed(labelled(text, wrong)):
                if label:
                    text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
            found.add(text)
    return found


@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [
        ("verbatim", "The court freed him.", {"The court freed him."}),
        (
            "clause_dropped",
            "Ann Lee, a teacher from Leeds, won the prize.",
            {"Ann Lee won the prize."},
        ),
        (
            "clause_dropped",
            "The firm, which makes tyres, closed a plant in May.",
            {"The firm closed a plant in May.", "The firm, which makes tyres, closed a plant."},
        ),
        ("clause_dropped", "The man (pictured) denied murder.", {"The man denied murder."}),
        (
            "clause_dropped",
            "The singer cancelled the tour after her father died.",
            {"The singer cancelled the tour."},
        ),
        ("voice", "Police arrested two men.", {"Two men were arrested by police."}),
        ("voice", "The bridge was built by the Romans.", {"The Romans built the bridge."}),
        ("number_form", "He ate five apples.", {"He ate 5 apples."}),
        ("number_form", "He ate 5 apples.", {"He ate five apples."}),
        ("number_form", "Prices rose by 12 per cent.", {"Prices rose by 12%."}),
        ("number_form", "It cost £5 million.", {"It cost £5m."}),
        ("number_form", "About 1,500 people came.", {"About 1500 people came."}),
        (
            "reordered",
            "Police arrested two men on Monday.",
            {"On Monday, police arrested two men."},
        ),
        ("reordered", "In 2012, Ford closed the plant.", {"Ford closed the plant in 2012."}),
        (
            "synonym",
            "She purchased a new car.",
            {"She bought a new car.", "She acquired a new car."},
        ),
    ],
)
def test_faithful_kinds_say_the_same_or_less_and_mark_nothing(
    kind: str, source: str, expected: set[str]
) -> None:
    assert made(kind, source) == expected


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        # Without the rest they would say more than the source.
        ("clause_dropped", "Nobody left after the film ended."),
        ("clause_dropped", "The club has won only one game in May."),
        ("clause_dropped", "He would resign if the plan failed."),
        ("clause_dropped", "Students who fail the test leave the school."),
        ("clause_dropped", 'He said "the firm, which makes tyres, is closed" on Monday.'),
        # The parse cannot show that these change voice well.
        ("voice", "The company had three factories."),
        ("voice", "The trip cost two pounds."),
        ("voice", "He washed himself."),
        ("voice", "Police did not arrest two men."),
        ("number_form", "The score was 2-1 on 5 March."),
        ("reordered", "He did not vote on Monday."),
        ("synonym", "He was tried for murder."),
    ],
)
def test_faithful_kinds_leave_alone_what_they_are_unsure_of(kind: str, source: str) -> None:
    assert made(kind, source) == set()


def test_short_neighbours_are_joined_and_the_second_loses_its_capital() -> None:
    document = "The court freed two men. The judge apologised to them. London was quiet that night."
    assert made("fused", document) == {
        "The court freed two men, and the judge apologised to them.",
        "The court freed two men, while the judge apologised to them.",
    }
    assert "The judge apologised to them, and London was quiet that night." in made(
        "fused", document, of=1
    )
    assert made("fused", document, of=2) == set()


def test_a_pronoun_becomes_the_one_person_named_before() -> None:
    document = "Angela Merkel opened the meeting in Berlin. She thanked the volunteers."
    assert made("pronoun_resolved", document, of=1) == {"Angela Merkel thanked the volunteers."}
    two = "Angela Merkel met Theresa May in Berlin. She thanked the volunteers."
    assert made("pronoun_resolved", two, of=1) == set()
    other = "Angela Merkel praised her husband in Berlin. He thanked the volunteers."
    assert made("pronoun_resolved", other, of=1) == set()


@pytest.mark.parametrize(
    ("kind", "source", "some", "never"),
    [
        (
            "number",
            "He ate 50 apples.",
            {"He ate [51] apples.", "He ate [500] apples."},
            "1 apples",
        ),
        ("number", "He ate five apples.", {"He ate [six] apples."}, "one apples"),
        ("number", "More than 50 men came.", {"More than [500] men came."}, "[49]"),
        ("number", "The score was 2-1.", {"The score was [3-1]."}, "1-2"),
        (
            "date",
            "He died on 5 May 2012.",
            {"He died on 5 May [2013].", "He died on 5 [June] 2012."},
            "[5]",
        ),
        ("date", "He died on Monday.", {"He died on [Friday]."}, "[Monday]"),
        ("unit", "It weighs 5 tonnes.", {"It weighs 5 [kilograms]."}, "[tonnes]"),
        ("unit", "More than two days passed.", {"More than two [weeks] passed."}, "[hours]"),
        ("unit", "He ran 5km.", {"He ran [5] [miles]."}, "km"),
        ("unit", "It cost £5m.", {"It cost $[5m].", "It cost £[5bn]."}, "£[5m]"),
        (
            "pronoun",
            "He lost his keys.",
            {"[She] lost [her] keys.", "[They] lost his keys."},
            "[him]",
        ),
        ("pronoun", "We told her.", {"We told [him]."}, "[his]"),
        ("negation", "The man was arrested.", {"The man was [not] arrested."}, "did"),
        ("negation", "The man left the house.", {"The man [did] [not] [leave] the house."}, "left"),
        ("negation", "He did not pay the fine.", {"He [paid] the fine."}, "not"),
        ("negation", "She was not invited.", {"She [was] [invited]."}, "not"),
        ("negation", "They can't swim.", {"They [can] [swim]."}, "ca "),
        (
            "antonym",
            "Prices rose after the vote.",
            {"Prices [fell] after the vote.", "Prices rose [before] the vote."},
            "down",
        ),
        (
            "antonym",
            "It is an old house.",
            {"It is a [new] house.", "It is a [young] house."},
            "an ",
        ),
        ("role_swap", "Arsenal beat Chelsea.", {"[Chelsea] beat [Arsenal]."}, "Arsenal beat"),
        (
            "role_swap",
            "The boy was bitten by the man.",
            {"[The] [man] was bitten by [the] [boy]."},
            "by the man",
        ),
        ("hedge", "The minister may resign.", {"The minister [will] resign."}, "may"),
        (
            "hedge",
            "Doctors suggested that the drug works.",
            {"Doctors [proved] that the drug works."},
            "suggested",
        ),
        ("hedge", "Some voters rejected it.", {"[All] voters rejected it."}, "Some"),
        ("hedge_weaker", "The minister will resign.", {"The minister [might] resign."}, "will"),
        ("cause", "He won because he trained.", {"He won [although] he trained."}, "because"),
    ],
)
def test_planted_errors_and_the_words_they_mark(
    kind: str, source: str, some: set[str], never: str
) -> None:
    found = made(kind, source)
    assert some <= found
    assert not [text for text in found if never in text]


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("role_swap", "Arsenal met Chelsea."),
        ("role_swap", "Arsenal did not beat Chelsea."),
        ("negation", "The man has already left."),
        ("negation", "He may resign."),
        ("negation", "He did not see anyone."),
        ("antonym", "The dog was named after him."),
        ("antonym", "He began to sing."),
        ("hedge", "He waited for some years."),
        ("hedge", "He may not resign."),
        ("unit", "He ran for miles."),
        ("unit", "A 20-year-old man ran."),
        ("role_swap", "The storm destroyed the house."),
        ("hedge", "She saw that he could swim."),
        ("date", "He may come."),
        ("number", "He was born in 1950."),
    ],
)
def test_planted_errors_that_would_be_true_or_broken_are_refused(kind: str, source: str) -> None:
    assert made(kind, source) == set()


def test_names_come_from_the_document_or_from_another_one_that_it_does_not_mention() -> None:
    own = "Angela Merkel flew to Paris. Emmanuel Macron stayed in Berlin."
    assert made("entity_intrinsic", own) == {
        "[Emmanuel] [Macron] flew to Paris.",
        "Angela Merkel flew to [Berlin].",
    }
    other = "Barack Obama arrived in Rome. Berlin was quiet."
    assert made("entity_extrinsic", own, other) == {
        "[Barack] [Obama] flew to Paris.",
        "Angela Merkel flew to [Rome].",
    }
    assert made("entity_extrinsic", own) == set()


@pytest.mark.parametrize(
    "document",
    [
        "Angela Merkel flew to Paris. Mrs Merkel smiled.",
        "Barack Obama visited the UK. He liked Britain.",
        "The United States won. The US was glad.",
    ],
)
def test_a_name_is_no_error_in_place_of_another_name_of_the_same(document: str) -> None:
    assert made("entity_intrinsic", document) == set()


def test_a_cause_of_elsewhere_in_the_document_is_marked_whole() -> None:
    between = "Nothing else happened on that day. " * 4
    document = f"The company closed two factories. {between}A storm flooded the harbour."
    assert (
        "The company closed two factories [because] [a] [storm] [flooded] [the] [harbour]."
        in made("cause", document)
    )


def test_details_of_another_document_are_added_and_marked() -> None:
    found = made("added_detail", "The council closed the school.", STORM)
    assert "The council closed the school [on] [Tuesday]." in found
    assert "The council closed the school [in] [Florida]." in found
    assert made("added_detail", "The council did not close the school.", STORM) == set()
    assert made("added_detail", "The council closed the school.", "") == set()
    named = made("added_detail", "Jane Smith opened the school.", STORM)
    assert "Jane Smith, [a] [former] [businessman], opened the school." in named


def test_a_verb_of_another_document_takes_the_place_of_the_verb() -> None:
    found = made("predicate", "The council painted the house.", STORM)
    assert "The council [destroyed] the house." in found
    assert "The council [thanked] the house." not in found
    assert made("predicate", "The council slept.", STORM) == set()


@pytest.fixture(scope="module")
def records() -> list[Made]:
    return list(corrupt(DOCUMENTS, seed=1, per_document=40))


def test_all_kinds_are_made_and_have_their_label(records: list[Made]) -> None:
    kinds = Counter(record.kind for record in records)
    assert set(kinds) <= set(KINDS)
    assert len(kinds) >= 15
    for record in records:
        wanted = 1 if record.kind in FAITHFUL else 0 if record.kind in UNFAITHFUL else None
        assert record.label == wanted
        assert any(label for *_, label in record.words) == (record.label == 0)
        assert all(record.text[a:b].strip() == record.text[a:b] != "" for a, b, _ in record.words)


def test_what_is_not_marked_stands_in_the_source_and_what_is_marked_was_changed() -> None:
    checked = 0
    for kind, document in itertools.product(UNFAITHFUL, DOCUMENTS):
        whole = page(document, *[other for other in DOCUMENTS if other != document])
        for sentence in whole.sentences:
            for edits in MAKERS[kind](sentence, whole, Random(0))[:5]:
                text, wrong = apply(sentence.text, edits)
                found = labelled(text, wrong)
                old = iter([sentence.text[a:b].lower() for a, b, _ in labelled(sentence.text, [])])
                kept = [text[a:b].lower() for a, b, label in found if not label]
                # In the same order; an article that only fits the new word is not wrong.
                assert all(word in old for word in kept if word not in ("a", "an"))
                assert (
                    0
                    < sum(label for *_, label in found)
                    <= sum(len(labelled(edit.new, [])) for edit in edits if edit.wrong)
                )
                assert all(sentence.text[e.start : e.end] != e.new for e in edits)
                checked += 1
    assert checked > 100


@pytest.mark.slow
def test_the_same_seed_gives_the_same_whatever_the_order_and_another_seed_does_not(
    records: list[Made],
) -> None:
    assert list(corrupt(DOCUMENTS[::-1], seed=1, per_document=40)) == records
    assert list(corrupt([*DOCUMENTS, STORM], seed=1, per_document=40)) == records
    assert list(corrupt(DOCUMENTS, seed=2, per_document=40)) != records


def test_another_document_changes_only_what_is_borrowed(
    records: list[Made],
) -> None:
    def own(some: list[Made]) -> list[Made]:
        return [r for r in some if r.source == STORM and r.kind not in BORROWED]

    alone = list(corrupt([STORM], seed=1, per_document=40))
    assert own(alone) == own(records) != []
    assert not [r for r in alone if r.kind in ("entity_extrinsic", "added_detail")]
    assert {r.kind for r in records if r.source == STORM} >= set(BORROWED)


def test_faithful_sentences_bring_in_no_number_and_no_name(
    records: list[Made],
) -> None:
    for record in records:
        if record.label != 1:
            continue
        origin = record.source[slice(*record.origin)]
        values = {value for _, value in numbers(record.text)}
        assert values <= {value for _, value in numbers(origin)}
        capitals = {word for word in record.text.split()[1:] if word[:1].isupper()}
        if record.kind != "pronoun_resolved":
            assert {word.strip(".,") for word in capitals} <= {
                word.strip(".,") for word in origin.split()
            }
        if record.kind in ("verbatim", "fused", "voice", "reordered"):
            assert Counter(v for _, v in numbers(record.text)) == Counter(
                v for _, v in numbers(origin)
            )


def test_the_origin_is_the_sentence_in_the_document(
    records: list[Made],
) -> None:
    for record in records:
        origin = record.source[slice(*record.origin)]
        if record.kind == "verbatim":
            assert origin == record.text
        if record.kind == NON_CLAIM:
            assert record.origin == (0, 0)
        else:
            assert usable(origin) or record.kind == "fused"


def test_nothing_comes_of_nothing() -> None:
    assert list(corrupt([], seed=1, per_document=9)) == []
    assert list(corrupt(["", " \n", "??"], seed=1, per_document=9)) == []
    assert list(corrupt(DOCUMENTS, seed=1, per_document=0)) == []
    assert len(list(corrupt([STORM], seed=1, per_document=3))) <= 3


def test_a_negative_number_is_an_error() -> None:
    with pytest.raises(ConfigError, match="-1"):
        list(corrupt(DOCUMENTS, seed=1, per_document=-1))


def test_non_claims_are_distinct_plentiful_and_split_by_template() -> None:
    assert len(TEMPLATES) >= 60
    one, two = (non_claims(3000, seed=1, held_out=half) for half in (False, True))
    assert len(set(one)) == len(set(two)) == 3000
    assert not set(one) & set(two)
    assert (
        non_claims(3000, seed=1, held_out=False) == one != non_claims(3000, seed=2, held_out=False)
    )
    assert all(text[0].isupper() and "{" not in text for text in one + two)
    # A short list already holds every template that is left.
    assert len(non_claims(40, seed=1, held_out=True)) == 40
    assert non_claims(0, seed=1, held_out=True) == []


def test_few_fillings_are_given_once_only() -> None:
    every = non_claims(10**6, seed=1, held_out=False)
    assert len(every) == len(set(every)) < 10**6
    assert "The document discusses" in every


@pytest.mark.parametrize(
    ("lemma", "tag", "form"),
    [
        ("stop", "VBD", "stopped"),
        ("try", "VBD", "tried"),
        ("try", "VBZ", "tries"),
        ("rise", "VBN", "risen"),
        ("lie", "VBG", "lying"),
        ("agree", "VBG", "agreeing"),
        ("create", "VBG", "creating"),
        ("push", "VBZ", "pushes"),
        ("open", "VBD", "opened"),
        ("have", "VBZ", "has"),
        ("show", "VB", "show"),
    ],
)
def test_verbs_are_inflected(lemma: str, tag: str, form: str) -> None:
    assert inflection.inflect(lemma, tag) == form


def test_there_are_pairs_of_opposites_enough_and_none_is_its_own() -> None:
    names = ("VERBS", "NOUNS", "ADJECTIVES", "ADVERBS", "PREPOSITIONS")
    tables = [getattr(lexicon, name) for name in names]
    pairs = {
        frozenset((one, two)) for table in tables for one, some in table.items() for two in some
    }
    assert len(pairs) >= 150
    assert all(len(pair) == 2 for pair in pairs)
