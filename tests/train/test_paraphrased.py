"""Paraphrased rows: the labels of their words, and their targets."""

from __future__ import annotations

import math
from random import Random

import pytest

from faithkit.language.words import words
from faithkit.records import document_id
from faithkit.rewrites import predicate_errors
from faithkit.rewrites.parsed import Page, apply, labelled, read
from faithkit.train.paraphrased import PARAPHRASED, paraphrased_documents, paraphrased_rows
from faithkit.train.words import ENTAILED, NEUTRAL, UNSUPPORTED, Labelled

SOURCE = "The council rejected the new plan on Monday. Nobody was hurt."
PASSIVE = "The new plan was rejected by the council on Monday."


def row(
    summary: str,
    wrong: tuple[str, ...] | None = (),
    target: tuple[float, float, float] | None = ENTAILED,
) -> Labelled:
    """With these words unsupported and all others supported; None: nothing is known of words."""
    labels = [(word.start, word.end, float(word.text in (wrong or ()))) for word in words(summary)]
    known = () if wrong is None else tuple(labels)
    return Labelled("a", document_id(SOURCE), SOURCE, summary, known, target)


def marked(one: Labelled) -> str:
    """The summary with its unsupported words in brackets."""
    text = one.summary
    for start, end, share in reversed(one.labels):
        if share:
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


def test_a_sentence_that_holds_takes_the_other_voice_and_its_sides_are_exchanged() -> None:
    voice, exchanged = paraphrased_rows(
        [row("The council rejected the new plan on Monday.")], seed=0
    )
    assert (voice.summary, voice.target) == (PASSIVE, ENTAILED)
    assert marked(voice) == PASSIVE and len(voice.labels) == len(words(PASSIVE))
    assert marked(exchanged) == "The council [was] [rejected] [by] the new plan on Monday."
    assert exchanged.target == UNSUPPORTED
    for one in (voice, exchanged):
        assert (one.file, one.document, one.source) == ("a", document_id(SOURCE), SOURCE)


def test_what_is_unsupported_stays_so_and_new_words_are_unknown() -> None:
    wrong = row("The mayor rejected the new plan on Monday.", ("mayor",), UNSUPPORTED)
    (found,) = paraphrased_rows([wrong], seed=0)
    assert marked(found) == "The new plan was rejected by the [mayor] on Monday."
    known = {found.summary[start:end] for start, end, _ in found.labels}
    assert known == {"The", "the", "new", "plan", "rejected", "mayor", "on", "Monday", "."}
    assert found.target == UNSUPPORTED


def test_of_equal_words_each_has_the_label_of_one() -> None:
    text = "The new council rejected the new plan on Monday."
    labels = tuple((w.start, w.end, float(i == 5)) for i, w in enumerate(words(text)))
    given = Labelled("a", "d", SOURCE, text, labels, UNSUPPORTED)  # the second "new"
    (found,) = paraphrased_rows([given], seed=0)
    assert sorted(share for _, _, share in found.labels)[-2:] == [0.0, 1.0]


def test_a_split_sentence_and_those_around_it() -> None:
    text = "Bob left. The council rejected the new plan and closed the old school. Ann came."
    (found,) = paraphrased_rows([row(text, ("old", "Ann"), UNSUPPORTED)], seed=0)
    assert marked(found) == (
        "Bob left. The council rejected the new plan. The council closed the [old] school. "
        "[Ann] came."
    )


def test_a_row_of_unknown_words_keeps_its_target_only() -> None:
    (found,) = paraphrased_rows([row("The council rejected the new plan.", None, NEUTRAL)], seed=0)
    assert (found.labels, found.target) == ((), NEUTRAL)
    assert paraphrased_rows([row("Nobody was hurt.")], seed=0) == []


def test_sentences_of_documents_come_verbatim_and_paraphrased() -> None:
    found = paraphrased_documents([SOURCE, "Nobody was hurt at all in the fire on Monday."], seed=0)
    assert [marked(one) for one in found] == [
        "The council rejected the new plan on Monday.",
        PASSIVE,
        "The council [was] [rejected] [by] the new plan on Monday.",
    ]
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
