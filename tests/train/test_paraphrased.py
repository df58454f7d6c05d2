"""Paraphrased rows: the labels of their words, and their targets."""

from __future__ import annotations

import math
from random import Random

import pytest

from faithkit.records import document_id
from faithkit.rewrites import predicate_errors
from faithkit.rewrites.parsed import Page, apply, labelled, read
from faithkit.train.paraphrased import PARAPHRASED, paraphrased_documents
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

SOURCE = "The council rejected the new plan on Monday. Nobody was hurt."
PASSIVE = "The new plan was rejected by the council on Monday."


def marked(one: Labelled) -> str:
    """The summary with its unsupported words in brackets."""
    text = one.summary
    for start, end, share in reversed(one.labels):
        if share:
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


def test_a_sentence_is_split_in_two() -> None:
    text = "The council rejected the new plan and closed the old school."
    found = [row for seed in range(12) for row in paraphrased_documents([text], seed)]
    split = next(row for row in found if row.summary.count(".") == 2)
    assert split.summary == "The council rejected the new plan. The council closed the old school."
    assert split.target == ENTAILED and {share for *_, share in split.labels} == {0.0}


def test_a_document_of_which_nothing_can_be_made_gives_no_row() -> None:
    assert paraphrased_documents(["Nobody was hurt at all in the fire on Monday."], seed=0) == []


def test_sentences_of_documents_come_verbatim_and_paraphrased() -> None:
    found = paraphrased_documents([SOURCE, "Nobody was hurt at all in the fire on Monday."], seed=0)
    assert [marked(one) for one in found] == [
        "The council rejected the new plan on Monday.",
        PASSIVE,
        "The council [was] [rejected] [by] the new plan on Monday.",
    ]
    assert [one.target for one in found] == [ENTAILED, ENTAILED, UNSUPPORTED]
    assert {one.file for one in found} == {PARAPHRASED}
    assert {one.document for one in found} == {document_id(SOURCE)}
    assert found == paraphrased_documents([SOURCE], seed=0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The council rejected the plan.", "The council [was] [rejected] [by] the plan."),
        ("Two rivals attacked the mayor.", "Two rivals [were] [attacked] [by] the mayor."),
        ("Two men were arrested by the police.", "Two men [arrested] the police."),
        ("Arsenal met Chelsea.", None),
        ("The council did not reject the plan.", None),
        ("The trip cost two pounds.", None),
    ],
)
def test_the_verb_alone_takes_the_other_voice(text: str, expected: str | None) -> None:
    (sentence,) = read([(0, text)])
    found = predicate_errors.voice_swap(sentence, Page(text, "", ()), Random(0))
    made = [apply(text, edits) for edits in found]
    rows = [Labelled("a", "d", text, t, tuple((s, e, float(v)) for s, e, v in labelled(t, w)), None)
            for t, w in made]  # fmt: skip
    assert [marked(one) for one in rows] == ([] if expected is None else [expected])
    assert not any(math.isnan(share) for one in rows for _, _, share in one.labels)
