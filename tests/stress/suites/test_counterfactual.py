"""One map of names, numbers and dates for a source and its claim, and the figures of the values."""

from __future__ import annotations

import re
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.stress_texts import TEXTS, examples

from faithkit.records import DataError, Example
from faithkit.stress.suites import counterfactual, famous
from faithkit.stress.suites.base import Case
from faithkit.stress.suites.counterfactual import CONDITIONS
from faithkit.stress.suites.substitution import substitute, substitution

SEEDS = range(6)


@cache
def maps() -> list[tuple[str, str, dict[str, str]]]:
    return [
        (source, claim, substitution(source, claim, Random(seed)))
        for source, claim in TEXTS.values()
        for seed in SEEDS
    ]


def holds(word: str, text: str) -> bool:
    return (
        re.search(rf"(?<![\w.,]){re.escape(word)}(?![\w]|[.,]\d)", text, re.IGNORECASE) is not None
    )


@pytest.mark.slow
def test_no_original_is_left_and_the_inverse_gives_both_texts_back() -> None:
    for source, claim, found in maps():
        assert found
        back = {new: old for old, new in found.items()}
        assert len(back) == len(found)
        for text in (source, claim):
            new = substitute(text, found)
            assert not [old for old in found if holds(old, new)]
            assert substitute(new, back) == text
        assert substitute(claim, found) != claim


@pytest.mark.slow
def test_what_a_map_brings_in_stands_in_neither_text() -> None:
    for source, claim, found in maps():
        for new in found.values():
            assert not holds(new, f"{source} {claim}")


@pytest.mark.slow
def test_source_and_claim_are_changed_alike() -> None:
    for source, claim, found in maps():
        for sentence in re.split(r"(?<=[.]) ", claim):
            if sentence in source:
                assert substitute(sentence, found) in substitute(source, found)


def test_a_person_keeps_one_new_name_in_full_in_part_and_with_a_possessive() -> None:
    source, claim = TEXTS["trial"]
    found = substitution(source, claim, Random(1))
    first, last = found["Peter"], found["Lomax"]
    assert f"{first} {last}" in famous.MEN  # "his lawyer", "his family"
    new = substitute(source, found)
    assert new.startswith(f"{first} {last}, 54, was arrested")
    assert f"said {last}'s family was unable" in new


def test_a_country_goes_with_its_adjective() -> None:
    for seed in SEEDS:
        found = substitution(*TEXTS["bank"], Random(seed))
        assert famous.COUNTRIES[found["Germany"]] == found["German"]


def test_a_woman_becomes_a_woman_and_numbers_keep_their_kind_and_order() -> None:
    claim = "Ann Lee, 19, sold 3 boats and 40 cars in 2012. She paid £2,500."
    source = claim + " Lee left Leeds in June. She had been ill for three weeks."
    for seed in SEEDS:
        found = substitution(source, claim, Random(seed))
        assert f"{found['Ann']} {found['Lee']}" in famous.WOMEN
        assert 18 <= int(found["19"]) <= 28
        assert 2 <= int(found["3"]) <= 6
        assert int(found["3"]) < int(found["19"]) < int(found["40"]) <= 59
        assert re.fullmatch(r"20[012]\d", found["2012"])
        assert re.fullmatch(r"\d,\d00", found["2,500"])
        assert famous_number(found["3"]) == found["three"]


def famous_number(digits: str) -> str:
    return ["two", "three", "four", "five", "six"][int(digits) - 2]


def test_articles_follow_the_new_name() -> None:
    assert substitute("an Arsenal fan, a Leeds fan", {"Arsenal": "Chelsea", "Leeds": "Ajax"}) == (
        "a Chelsea fan, an Ajax fan"
    )


def test_a_number_is_not_changed_inside_another() -> None:
    text = "5 of 15 men paid £5m, 5.5 or 1,500 for a 5-year-old at 5."
    assert (
        substitute(text, {"5": "7"}) == "7 of 15 men paid £7m, 5.5 or 1,500 for a 7-year-old at 7."
    )


REFUSED = [
    ("Rose Will sold a red rose.", "Rose Will sold it."),  # a common word
    ("Manchester United won. United fans sang.", "Manchester United won."),  # a part stands alone
    ("He was 21st of 21 men.", "There were 21 men."),  # an ordinal of the same number
    ("It rained on Good Friday.", "It rained on Good Friday."),
    ("Two men came, and both left.", "Two men came."),
    ("One man came.", "One man came."),
    ("The mayor resigned.", "The mayor resigned."),
]


@pytest.mark.parametrize(("source", "claim"), REFUSED)
def test_nothing_is_changed_that_could_go_wrong(source: str, claim: str) -> None:
    assert substitution(source, claim, Random(0)) == {}


def test_what_only_the_source_has_stays() -> None:
    source, claim = TEXTS["bank"]
    found = substitution(source, claim, Random(0))
    assert not {"Berlin", "Hartley", "Monday", "2011"} & set(found)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["Ann", "Lee", "Leeds", "7", "2,500", "two"]),
        st.sampled_from(["Zoe", "Ott", "Ulm", "8", "3,100", "six", "Ajax"]),
        max_size=5,
    ),
    st.lists(
        st.sampled_from(
            ["Ann", "Lee's", "Leeds", "7-year-old", "2,500", "two", "a", "an", "77", "."]
        ),
        max_size=12,
    ),
)
def test_a_bijection_is_undone_by_its_inverse(found: dict[str, str], parts: list[str]) -> None:
    text = " ".join(parts)
    if len(set(found.values())) < len(found):
        return
    back = {new: old for old, new in found.items()}
    once = substitute(text, found)
    articles = str.maketrans("", "", "n")
    again = substitute(once, back)
    assert again.translate(articles) == text.translate(articles)  # "an Lee" becomes "a Lee"


# Cases


def test_the_four_conditions_cross_two_sources_and_two_claims() -> None:
    for case in counterfactual.cases(examples(), seed=0, limit=None):
        a, b, c, d = (case.texts[name] for name in CONDITIONS)
        assert a == TEXTS[case.document]
        assert (c, d) == ((a[0], b[1]), (b[0], a[1]))
        assert a[0] != b[0]
        assert a[1] != b[1]
        assert case.note


@pytest.mark.slow
def test_cases_do_not_depend_on_the_order_of_examples_and_keep_to_the_limit() -> None:
    rows = examples()
    every = counterfactual.cases(rows, seed=1, limit=None)
    assert {case.document for case in every} == set(TEXTS)
    assert counterfactual.cases(rows[::-1], seed=1, limit=None) == every
    assert counterfactual.cases(rows, seed=1, limit=3) == every[:3]
    assert counterfactual.cases(rows, seed=2, limit=None) != every


def given_item(pair: str, *, split: str = "temporal", names: str = "abcd") -> list[Example]:
    texts = {"a": ("s", "k"), "b": ("S", "K"), "c": ("s", "K"), "d": ("S", "k")}
    return [
        Example(f"{pair}/{split}/{name}", *texts[name], document=pair, pair=f"{pair}/{split}",
                label=int(name in "ab"), meta={"condition": name, "split": split})
        for name in names
    ]  # fmt: skip


def test_conditions_that_a_release_names_are_read_as_they_are() -> None:
    rows = [*given_item("1"), *given_item("2"), *given_item("2", split="semantic"),
            *given_item("3", names="abc")]  # fmt: skip
    cases = counterfactual.cases(rows, seed=0, limit=None)
    assert sorted(case.id for case in cases) == [
        "semantic/2/semantic", "temporal/1/temporal", "temporal/2/temporal",
    ]  # fmt: skip
    assert cases[0].texts == {"a": ("s", "k"), "b": ("S", "K"), "c": ("s", "K"), "d": ("S", "k")}
    limited = counterfactual.cases(rows, seed=0, limit=1)
    assert sorted(case.kind for case in limited) == ["semantic", "temporal"]


def test_a_condition_without_its_pair_is_an_error() -> None:
    row = Example("x", "s", "k", document="g", meta={"condition": "a"})
    with pytest.raises(DataError, match="no pair"):
        counterfactual.cases([row], seed=0, limit=None)


# Figures


def figures(rows: list[tuple[str, tuple[float | None, ...]]]) -> dict[str, dict[str, object]]:
    cases = [
        Case(str(n), "counterfactual", "made", document, {}) for n, (document, _) in enumerate(rows)
    ]
    values = [dict(zip(CONDITIONS, own, strict=True)) for _, own in rows]
    found = counterfactual.summarise(cases, values)["figures"]
    return {item["statistic"]: item for item in found}


def test_figures_are_the_hand_calculated_ones() -> None:
    rows = [
        ("p", (0.9, 0.7, 0.1, 0.0)),  # (a - c) - (b - d) = 0.8 - 0.7 = 0.1
        ("q", (0.9, 0.3, 0.2, 0.1)),  # 0.7 - 0.2 = 0.5: with the next the document's mean is 0.3
        ("q", (0.5, 0.5, 0.6, 0.7)),  # -0.1 - -0.2 = 0.1; c > a and d > b
        ("r", (0.8, 0.6, 0.1, 0.1)),  # 0.7 - 0.5 = 0.2
        ("r", (None, 0.6, 0.1, 0.1)),
    ]  # fmt: skip
    found = figures([(f"{document}{n}", values) for n in range(4) for document, values in rows])
    assert found["mean value (a)"]["value"] == pytest.approx(3.1 / 4)
    assert found["mean value (d)"]["value"] == pytest.approx(0.9 / 4)
    assert found["mean (a - c)"]["value"] == pytest.approx(2.1 / 4)
    assert found["mean (b - d)"]["value"] == pytest.approx(1.2 / 4)
    assert found["mean (a - c) - (b - d)"]["value"] == pytest.approx(0.9 / 4)
    assert found["inversions d > b"]["value"] == pytest.approx(1 / 4)
    assert found["inversions c > a"]["value"] == pytest.approx(1 / 4)
    assert found["share without a value"]["value"] == pytest.approx(1 / 5)
    # Documents' means 0.1, 0.3, 0.2, four times: mean 0.2, standard deviation (0.08 / 11)^.5.
    assert found["Cohen's d"]["value"] == pytest.approx(5.5**0.5)
    assert found["t"]["value"] == pytest.approx(66**0.5)
    assert found["p"]["value"] == pytest.approx(5.64152e-06)  # 2 (1 - T(8.1240)) with 11 degrees
    assert found["p"]["n"] == 12


def test_a_test_that_cannot_be_made_says_why() -> None:
    nine = figures([(str(n), (0.9, 0.7, 0.1, 0.01 * n)) for n in range(9)])
    reason = "only 9 documents; an interval or a test needs 10 or more"
    assert (nine["p"]["value"], nine["p"]["reason"]) == (None, reason)
    same = figures([(str(n), (0.5, 0.5, 0.5, 0.5)) for n in range(10)])
    assert same["t"]["value"] is None
    assert same["t"]["reason"] == "the difference is the same in every document"
    none = figures([("p", (None, None, None, None))])
    assert none["mean (a - c)"]["value"] is None
