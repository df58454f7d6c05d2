"""Facts of two, told again and with the two exchanged: what is made, and what is wrong in it."""

from __future__ import annotations

from random import Random

import pytest

from faithkit.language.sentences import sentences
from faithkit.records import document_id
from faithkit.train.relations import ACTORS, RELATIONS, WORDINGS, Fact, relation_rows
from faithkit.train.words import CONTRADICTED, ENTAILED, Labelled

DOCUMENT = (
    "The council rejected the plan on Monday. Anna Kovacs criticised Peter Novak during the "
    "debate. Rain is expected in the north. The library will stay open until six in the evening."
)


def wrong(row: Labelled) -> list[str]:
    return [row.summary[start:end] for start, end, share in row.labels if share]


def test_a_fact_is_told_in_other_words_and_with_the_two_exchanged() -> None:
    fact = Fact(("{a} sold {x} to {b}", "{b} bought {x} from {a}"), "Max", "the bank", "a boat",
                "in March")  # fmt: skip
    right = fact.row(fact.wordings[1])
    assert right.summary == "The bank bought a boat from Max in March."
    assert right.target == ENTAILED and right.labels == ((0, len(right.summary), 0.0),)
    exchanged = fact.row(fact.wordings[0], exchanged=True, time=False)
    assert exchanged.summary == "The bank sold a boat to Max."
    assert exchanged.target == CONTRADICTED and wrong(exchanged) == ["The bank", "Max"]


@pytest.mark.parametrize("wordings", WORDINGS, ids=lambda wordings: wordings[0])
def test_each_wording_names_both_once(wordings: tuple[str, ...]) -> None:
    assert len(wordings) > 1
    for wording in wordings:
        assert wording.count("{a}") == wording.count("{b}") == 1
        assert ("{x}" in wording) == ("{x}" in wordings[0])


def test_names_of_a_sort_are_different() -> None:
    for sort in ACTORS:
        assert len(set(sort)) == len(sort) >= 3 and all(sort)


def test_facts_stand_in_the_document_and_claims_say_them_right_and_exchanged() -> None:
    rows = [row for row in relation_rows([DOCUMENT], seed=0) if row.source != DOCUMENT]
    assert [row.target for row in rows] == [ENTAILED, CONTRADICTED] * 2
    (source,) = {row.source for row in rows}
    assert {(row.file, row.document) for row in rows} == {(RELATIONS, document_id(source))}
    own = [piece.text for piece in sentences(DOCUMENT)]
    said = [piece.text for piece in sentences(source)]
    assert [text for text in said if text in own] == own and len(said) == len(own) + 2
    for right, exchanged in zip(rows[::2], rows[1::2], strict=True):
        first, second = wrong(exchanged)
        assert not wrong(right)
        assert all(name.casefold() in right.summary.casefold() for name in (first, second))
        assert right.summary.casefold().find(first.casefold()) > right.summary.casefold().find(
            second.casefold()
        )


def test_own_sentences_are_told_with_their_roles_exchanged_and_in_the_other_voice() -> None:
    rows = [row for row in relation_rows([DOCUMENT], seed=0) if row.source == DOCUMENT]
    right = {row.summary for row in rows if row.target == ENTAILED}
    assert right & {
        "The plan was rejected by the council on Monday.",
        "Peter Novak was criticised by Anna Kovacs during the debate.",
    }
    (exchanged,) = [row for row in rows if row.target == CONTRADICTED]
    assert wrong(exchanged)


def test_rows_depend_on_the_seed_and_not_on_the_other_documents() -> None:
    others = [f"{DOCUMENT} It is number {Random(n).random()}." for n in range(3)]
    alone = relation_rows([DOCUMENT], seed=1)
    assert relation_rows([DOCUMENT, *others], seed=1)[: len(alone)] == alone
    assert relation_rows([DOCUMENT], seed=2) != alone


def test_a_document_without_a_sentence_gives_none() -> None:
    assert relation_rows(["", "  "], seed=0) == []
