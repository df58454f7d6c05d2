"""Edits that keep what a summary says, corrections, and what is made of their values."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.stress_texts import TEXTS, examples

from faithkit.language.parse import entities
from faithkit.language.sentences import sentences
from faithkit.language.words import numbers
from faithkit.records import Example
from faithkit.stress.suites import edits, surface, wording
from faithkit.stress.suites.base import Case
from faithkit.stress.suites.edits import (
    CONSISTENT,
    CORRECTION,
    EDITS,
    INCONSISTENT,
    MEMBERS,
    member_of,
)


def apply(kind: str, summary: str, source: str = "", seed: int = 0) -> str | None:
    return EDITS[kind].edit(summary, source, Random(seed))


# What each edit does, by hand

EXPECTED = [
    ("lower case", "Ann of NATO met Bob.", "ann of NATO met bob."),
    ("headline case", "The man bought a boat.", "The man Bought a Boat."),
    ("white space", "One  two.\nThree ", "One  two.  Three"),
    ("quotes", "\"Yes,\" she said, 'it's Jones' boat'.", "“Yes,” she said, ‘it’s Jones’ boat’."),
    ("quotes", "the team 's ` big ' win in the '90s", "the team ’s ‘ big ’ win in the ’90s"),
    ("quotes", "“Yes,” she’d say.", '"Yes," she\'d say.'),
    ("contractions", "He didn't go, it's a pity.", "He did not go, it is a pity."),
    ("contractions", "They ca n't, wo n't and do n't.", "They cannot, will not and do not."),
    ("contractions", "He's been here and he's gone.", "He has been here and he's gone."),
    ("contractions", "The hat isn't red; didn't he see?", "The hat is not red; didn't he see?"),
    ("contractions", "It is late and he was not only ill.", "It's late and he was not only ill."),
    ("contractions", "She cannot go and they are not here.", "She can't go and they aren't here."),
    ("dates", "Born on May 29, 1943, in Leeds.", "Born on 29 May 1943, in Leeds."),
    ("dates", "On June 7th he left.", "On 7 June he left."),
    ("dates", "On 7 June 2012 he left.", "On June 7, 2012, he left."),
    ("dates", "On the 7th of June he left.", "On June 7 he left."),
    ("numbers", "The old club sold twelve players.", "The old club sold 12 players."),
    ("numbers", "The old club sold 12 players.", "The old club sold twelve players."),
    ("numbers", "The club paid £5 million for 3,000 seats.", "The club paid £5m for 3000 seats."),
    ("synonyms", "The man bought the ship on Friday.", "The man purchased the ship on Friday."),
    ("voice", "The council rejected the plan on Monday.",
     "The plan was rejected by the council on Monday."),
    ("voice", "The plan was rejected by the council.", "The council rejected the plan."),
    ("clause order", "The council rejected the plan on Monday.",
     "On Monday, the council rejected the plan."),
    ("negation", "The old bridge was dead in 2012.", "The old bridge was not alive in 2012."),
    ("negation", "The club sold at least 12 players.", "The club sold no fewer than 12 players."),
    ("negation", "The club paid more than £5 million.", "The club paid no less than £5 million."),
    ("negation", "The club failed to sell its players.", "The club did not sell its players."),
    ("negation", "The man was unable to pay the fine.", "The man was not able to pay the fine."),
    ("negation", "The council rejected the plan on Monday.",
     "It is not true that the council did not reject the plan on Monday."),
    ("split", "The man lost his job and moved to Leeds.",
     "The man lost his job. The man moved to Leeds."),
    ("split", "The man, who lives in Rome, lost his job and moved to Leeds.",
     "The man lost his job. The man moved to Leeds. The man lives in Rome."),
    ("split", "The man lost his job, and his wife moved to Leeds.",
     "The man lost his job. His wife moved to Leeds."),
    ("split", "A driver, who lives in Leeds, hit the wall.",
     "A driver hit the wall. The driver lives in Leeds."),
    ("shortened", "Rick Sallow, a former teacher, visited the town.",
     "Rick Sallow visited the town."),
    ("shortened", "The police closed the road in March.", "The police closed the road."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "before", "after"), EXPECTED, ids=[f"{k}: {b}" for k, b, _ in EXPECTED]
)
def test_an_edit_does_what_it_says(kind: str, before: str, after: str) -> None:
    assert apply(kind, before, source=before.lower()) == after


LEFT_ALONE = [
    ("shuffled sentences", "Only one sentence here."),
    ("shuffled sentences", "Ann Lee left Leeds. She was ill."),
    ("shuffled sentences", "Ann Lee left Leeds. Then the mayor left. However, Bob Hay stayed."),
    ("shuffled sentences", "A man in Leeds stole a car. The man was found by officers."),
    ("shuffled sentences", "Ann Lee left Leeds. Left all cars behind."),
    ("lower case", "all of it is small already"),
    ("contractions", "Nothing to see, whether or not it rains."),
    ("dates", "He left in 2012. The May 4-6 fair, in June 7 million came."),
    ("dates", "Between 7 and 8 June 40 people came, or may 7 of them."),
    ("numbers", "Boeing 747 flew in 1999 to Gate 12."),
    ("voice", "The bus caught fire in Leeds on Monday."),
    ("voice", "The man had a red house in Leeds."),
    ("clause order", "The man only took charge of the club last summer."),
    ("clause order", "The old club sold its stadium in January this year."),
    ("negation", "All men must leave the town before noon."),
    ("negation", "There were no more than twelve men who may have left."),
    ("split", "The mayor said the plan failed and the council agreed."),
    ("split", "Neither the man nor his wife lost the job and moved."),
    ("shortened", "The man failed the test twice in March."),
    ("shortened", "The actress was born on 5 May 1971."),
    ("synonyms", "The agent finished off a swift attack."),
    ("synonyms", "The author sold the children's old bikes's bells."),
]


@pytest.mark.parametrize(("kind", "summary"), LEFT_ALONE)
def test_an_edit_leaves_alone_what_it_is_unsure_of(kind: str, summary: str) -> None:
    assert apply(kind, summary, source=summary) is None


def test_sentences_are_shuffled_with_the_ones_that_lean_on_them() -> None:
    summary = "Ann Lee left Leeds. Bob Hay stole a car. He was ill. The river rose."
    found = {apply("shuffled sentences", summary, seed=seed) for seed in range(20)}
    assert found == {"Ann Lee left Leeds. The river rose. Bob Hay stole a car. He was ill."}


def test_the_sentence_least_like_the_summary_is_appended() -> None:
    source, summary = TEXTS["bank"]
    assert apply("irrelevant sentence", summary, source) == (
        f"{summary} Ferries to the islands were delayed by fog."
    )
    assert apply("irrelevant sentence", "The bank closes", source) is None  # no full stop
    assert apply("irrelevant sentence", summary, "She said so. It was late.") is None


# What all edits keep


def values(text: str) -> Counter[str]:
    return Counter(value for _, value in numbers(text))


def plain(text: str) -> str:
    for old, new in {"’": "'", "‘": "'", "“": '"', "”": '"'}.items():
        text = text.replace(old, new)
    return " ".join(text.lower().split())


SUMMARIES = [(source, text) for source, summary in TEXTS.values() for text in (summary, source)]
KINDS = sorted(EDITS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_keeps_numbers_and_names_and_says_whether_it_can_be_repeated(kind: str) -> None:
    applied = repeated = 0
    for source, summary in SUMMARIES:
        new = apply(kind, summary, source)
        if new is None:
            continue
        applied += 1
        kept, names = new, [e.text for e in entities([summary])[0] if e.label in NAMES]
        if kind == "irrelevant sentence":
            assert new.startswith(summary) and new[len(summary) :].strip() in source
            kept = new[: len(summary)]
        if kind == "shortened":
            assert len(new) < len(summary) and values(new) <= values(summary)
        else:
            assert values(kept) == values(summary)
            for name in names:
                assert plain(kept).count(plain(name)) >= plain(summary).count(plain(name)), name
        again = apply(kind, new, source)
        repeated += again is not None and again != new
    assert applied >= 2
    assert EDITS[kind].idempotent == (not repeated)
    assert bool(EDITS[kind].why) == (not EDITS[kind].idempotent)


NAMES = ("PERSON", "ORG", "GPE", "NORP")

WORDS = st.sampled_from(
    ["May", "29", ",", "1943", "didn't", "did n't", "he's", "cannot", "“no”", '"', "'", "it",
     "Ann's", "NATO", "the", "3,000", "£5m", "twelve", ".", "ünder", "7", "June", "-", "90s",
     "is", "not"]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, max_size=14), st.sampled_from([" ", "  ", "\n"]))
def test_edits_of_form_keep_numbers_whatever_the_text(found: list[str], gap: str) -> None:
    text = gap.join(found)
    for edit in (surface.lower_case, surface.headline_case, surface.wide_spaces,
                 surface.other_quotes, surface.contractions, surface.dates):  # fmt: skip
        new = edit(text, "", Random(0))
        if new is not None:
            assert values(new) == values(text)
            assert new != text
        if new is not None and edit in (surface.lower_case, surface.headline_case,
                                        surface.wide_spaces):  # fmt: skip
            assert edit(new, "", Random(0)) is None


def test_shuffling_keeps_every_sentence() -> None:
    for source, summary in TEXTS.values():
        new = apply("shuffled sentences", summary, source)
        assert new is not None
        assert Counter(s.text for s in sentences(new)) == Counter(
            s.text for s in sentences(summary)
        )


def test_number_words_and_digits_are_exchanged_without_a_change_of_value() -> None:
    new = wording.number_forms("The club sold twelve players and bought 3 shops.", "", Random(0))
    assert new == "The club sold 12 players and bought three shops."
    assert values(new) == Counter({"12": 1, "3": 1})


# Cases


@pytest.mark.slow
def test_cases_do_not_depend_on_the_order_of_examples_and_are_the_same_in_every_run() -> None:
    rows = examples()
    first = edits.cases(rows, seed=3, limit=2)
    assert edits.cases(rows[::-1], seed=3, limit=2) == first
    assert [c.id for c in edits.cases(rows, seed=4, limit=2)] != [c.id for c in first]
    assert len({case.id for case in first}) == len(first)


def test_the_limit_holds_for_each_kind() -> None:
    counts = Counter(case.kind for case in edits.cases(examples(), seed=0, limit=2))
    assert set(counts) == {CORRECTION, *(f"{kind}, {m}" for kind in EDITS for m in MEMBERS)}
    assert max(counts.values()) == 2


def test_the_inconsistent_and_the_consistent_summaries_are_edited_apart() -> None:
    rows = examples()
    labels = {row.summary: row.label for row in rows}
    counts: Counter[str] = Counter()
    for case in edits.benign(rows, seed=0, limit=None):
        member = member_of(case.kind)
        counts[member] += 1
        assert labels[case.texts["before"][1]] == int(member == CONSISTENT)
        assert case.texts["before"][0] == case.texts["after"][0]
    assert list(counts) == [INCONSISTENT, CONSISTENT], "the table of [STRESS] is the first"


def test_inconsistent_members_of_pairs_are_edited_and_no_other_inconsistent_summary() -> None:
    alone = Example(
        "alone", "Another source.", "The club sold 12 players.", document="alone", label=0
    )
    found = edits.members([*examples(), alone], seed=0, limit=None)
    assert {row.id for row in found[INCONSISTENT]} == {f"{name}/wrong" for name in TEXTS}
    unpaired = edits.members([alone], seed=0, limit=None)
    assert [row.id for row in unpaired[INCONSISTENT]] == ["alone"]
    corrected = edits.corrections(examples(), seed=3, limit=2)
    first = edits.members(examples(), seed=3, limit=2)[INCONSISTENT]
    assert [case.id.partition("/")[2] for case in corrected] == [row.id for row in first[:2]]


def test_a_correction_goes_from_the_inconsistent_to_the_consistent_summary() -> None:
    found = {case.document: case for case in edits.corrections(examples(), seed=0, limit=None)}
    assert set(found) == set(TEXTS)
    assert found["bank"].texts["before"][1] == TEXTS["bank"][1].replace("17", "18")
    assert found["bank"].texts["after"] == TEXTS["bank"]
    assert found["bank"].note == "18 → 17"


def member(name: str, summary: str, label: int, pair: str | None = None) -> Example:
    return Example(name, "A source.", summary, document="g", pair=pair, label=label)


def test_the_nearest_summary_of_a_pair_is_the_correction() -> None:
    rows = [
        member("a", "The cat sat on the old mat.", 1, pair="1"),
        member("b", "The cat sat on a mat.", 1, pair="1"),
        member("c", "The dog sat on a mat.", 0, pair="1"),
        member("d", "The cat sat on the mat.", 0, pair="2"),
    ]
    (case,) = edits.corrections(rows, seed=0, limit=None)
    assert (case.id, case.texts["after"][1]) == ("correction/c", "The cat sat on a mat.")


def test_unpaired_rows_of_a_document_count_only_where_they_share_half_of_their_words() -> None:
    far = member("a", "Nothing like it.", 1), member("b", "The dog sat on a mat.", 0)
    near = member("a", "The cat sat on a mat.", 1), member("b", "The dog sat on a mat.", 0)
    assert edits.corrections(far, seed=0, limit=None) == []
    assert len(edits.corrections(near, seed=0, limit=None)) == 1
    paired = member("a", "Nothing like it.", 1, pair="1"), member("b", "The dog sat.", 0, pair="1")
    assert len(edits.corrections(paired, seed=0, limit=None)) == 1


def test_rows_without_labels_are_edited_by_rating_or_all() -> None:
    """Of ratings 0 to 4 the highest is consistent, those up to 2 are inconsistent."""
    rows = [
        Example(str(n), source, summary, document=str(n), rating=float(n))
        for n, (source, summary) in enumerate([*TEXTS.values(), ("It rained.", "It rained here.")])
    ]
    found = edits.members(rows, seed=0, limit=None)
    assert {row.id for row in found[CONSISTENT]} == {"4"}
    assert {row.id for row in found[INCONSISTENT]} == {"0", "1", "2"}
    same = [Example(row.id, row.source, row.summary, rating=3.0) for row in rows]
    assert edits.members(same, seed=0, limit=None)[INCONSISTENT] == []
    unrated = edits.cases([Example("x", *TEXTS["bank"], document="x")], seed=0, limit=None)
    assert {member_of(case.kind) for case in unrated} == {CONSISTENT}


# Figures


def made(kind: str, document: str) -> Case:
    return Case(f"{kind}/{document}", "edits", kind, document, {})


def test_figures_are_the_hand_calculated_ones() -> None:
    rows = [
        (CORRECTION, "a", 0.2, 0.8), (CORRECTION, "b", 0.4, 0.6), (CORRECTION, "c", 0.5, 0.4),
        (CORRECTION, "d", None, 0.9),
        ("dates, inconsistent", "a", 0.8, 0.7), ("dates, inconsistent", "b", 0.6, 0.7),
        ("voice, inconsistent", "c", 0.4, 0.2), ("voice, inconsistent", "d", 0.9, None),
        ("dates, consistent", "a", 0.8, 0.5),
    ]  # fmt: skip
    found = edits.summarise(
        [made(kind, f"{document}{n}") for n in range(4) for kind, document, _, _ in rows],
        [{"before": before, "after": after} for _ in range(4) for _, _, before, after in rows],
    )
    figures = {(f["kind"], f["statistic"]): f for f in found["figures"]}
    assert next(iter(figures)) == (CORRECTION, "mean change")
    change = figures[CORRECTION, "mean change"]
    assert change["value"] == pytest.approx((0.6 + 0.2 - 0.1) / 3)
    assert (change["n"], change["unscored"]) == (12, 4)
    assert change["low"] < change["value"] < change["high"]
    assert figures[CORRECTION, "share that rises"]["value"] == pytest.approx(2 / 3)
    assert figures[CORRECTION, "share without a value"]["value"] == pytest.approx(1 / 4)
    assert 0 < figures[CORRECTION, "p"]["value"] <= 1
    assert figures["dates, inconsistent", "mean change"]["value"] == pytest.approx(0.0)
    assert figures["voice, inconsistent", "mean change"]["value"] == pytest.approx(-0.2)
    assert figures["dates, consistent", "mean change"]["value"] == pytest.approx(-0.3)
    size = ((0.1**2 + 0.1**2 + 0.2**2) / 3) ** 0.5
    ratio = figures["all, inconsistent", "discrimination ratio"]
    assert ratio["value"] == pytest.approx((0.7 / 3) / size)
    assert ratio["low"] <= ratio["value"] <= ratio["high"]
    other = figures["all, consistent", "discrimination ratio"]
    assert other["value"] == pytest.approx((0.7 / 3) / 0.3)


def test_a_correction_that_always_helps_is_significant_and_one_by_chance_is_not() -> None:
    def p_of(changes: list[float]) -> float:
        found = edits.summarise(
            [made(CORRECTION, str(n)) for n in range(len(changes))],
            [{"before": 0.5, "after": 0.5 + change} for change in changes],
        )
        return next(f["value"] for f in found["figures"] if f["statistic"] == "p")

    assert p_of([0.1 + 0.01 * n for n in range(10)]) < 0.01
    assert p_of([0.1, -0.1] * 5) > 0.5


def test_a_correction_on_few_documents_has_no_interval_and_no_p() -> None:
    found = edits.summarise(
        [made(CORRECTION, str(n)) for n in range(9)],
        [{"before": 0.5, "after": 0.6 + 0.01 * n} for n in range(9)],
    )
    reason = "only 9 documents; an interval or a test needs 10 or more"
    change = next(f for f in found["figures"] if f["statistic"] == "mean change")
    assert (change["low"], change["interval_reason"]) == (None, reason)
    p = next(f for f in found["figures"] if f["statistic"] == "p")
    assert (p["value"], p["reason"]) == (None, reason)


def test_a_ratio_without_any_benign_change_is_undefined_and_says_why() -> None:
    rows = itertools.product((CORRECTION, "dates, inconsistent"), "abc")
    cases = [made(kind, document) for kind, document in rows]
    values = [{"before": 0.0, "after": float(case.kind == CORRECTION)} for case in cases]
    ratio = edits.summarise(cases, values)["figures"][-1]
    assert (ratio["value"], ratio["reason"]) == (None, "no benign edit moves the value")


@pytest.mark.slow
def test_no_edit_trips_over_a_text_that_ends_anywhere() -> None:
    whole = (
        "All four of the clubs failed. At least two were not dead, said Dr Lee on 3 May 2020, and "
        "the painting was sold by the owner because it failed to sell."
    )
    words = whole.split()
    for length in range(1, len(words) + 1):
        text = " ".join(words[:length])
        for kind, item in edits.EDITS.items():
            edited = item.edit(text, text, Random(0))
            assert edited is None or edited.strip(), (kind, text)
