"""What the evidence says the contrary way."""

from __future__ import annotations

import numpy as np
import pytest
from tests.helpers.tiny_support import read

from faithkit.support.contraries import with_contrary
from faithkit.support.evidence import Source
from faithkit.support.inputs import attach_evidence
from faithkit.support.model import OTHER_NUMBER, adjust_logits


def contrary(source: str, claim: str) -> str:
    """The words of a claim that its source says the contrary way, as they are read."""
    (sentence,) = read(claim)
    marked = np.flatnonzero(with_contrary(sentence, read(source))).tolist()
    spans = [sentence.offsets[word] for word in marked]
    return " ".join(sentence.form.text[start:end] for start, end in spans)


@pytest.mark.parametrize(
    ("source", "claim", "marked"),
    [
        ("Claims can be made from 31 May.", "Claims can be made by 31 May.", "by May 31"),
        ("Apply no later than 31 May.", "Apply on or after 31 May.", "from May 31"),
        ("Reply by 5 pm on Friday.", "Reply from 5 pm on Friday.", "from 5 pm"),
        ("Payment is due until Friday, 2 May.", "Payment is due after 2 May.", "after May 2"),
        ("Claims can be made from 31 May.", "Claims can be made from 31 May 2024.", ""),
        ("Claims can be made from 31 May.", "Claims can be made by 1 June.", ""),
        ("Claims can be made from 31 May.", "Complaints can be made by 31 May.", ""),
        ("Claims can be made not until 31 May.", "Claims can be made from 31 May.", ""),
        ("Claims from 31 May. Claims on 31 May.", "Claims by 31 May.", ""),
        ("Rules from 31 May.", "By 31 May.", ""),
    ],
)
def test_a_deadline_is_no_first_day(source: str, claim: str, marked: str) -> None:
    assert contrary(source, claim) == marked


@pytest.mark.parametrize(
    ("source", "claim", "marked"),
    [
        ("You must not use it.", "You need not use it.", "need not"),
        ("You must not use it.", "You don't have to use it.", "do not have to"),
        ("You are not required to use it.", "You are forbidden to use it.", "are forbidden to"),
        ("You are barred from using it.", "You needn't use it.", "need not"),
        ("The owner shall repair it.", "The owner may repair it.", "may"),
        ("The owner may repair it.", "The owner must repair it.", "must"),
        ("You must not use it.", "You are not allowed to use it.", ""),
        ("You need not pay to use it.", "You must not use it.", ""),
        ("You must not use it. You need not use it.", "You need not use it.", ""),
        ("The owner must be told.", "The owner may be told.", ""),
        ("The owner must repair it.", "The owner may have to repair it.", ""),
        ("She need not", "She must not", ""),
    ],
)
def test_what_is_forbidden_is_not_left_free(source: str, claim: str, marked: str) -> None:
    assert contrary(source, claim) == marked


@pytest.mark.parametrize(
    ("source", "claim", "marked"),
    [
        ("The ship sank in October 1921.", "The ship sank in the first half of 1921.",
         "the first half of 1921"),
        ("It was recorded on 3 March 1998.", "It was recorded in the second half of 1998.",
         "the second half of 1998"),
        ("It was recorded in March 1998.", "It was recorded in the first half of 1998.", ""),
        ("It was recorded in May 1998 and July 1998.", "It was recorded in the first half of "
         "1998.", ""),
        ("It was recorded in May 1997.", "It was recorded in the second half of 1998.", ""),
        ("It is inspected every fortnight.", "It is inspected every week.", "every week"),
        ("It is inspected every two years.", "It is inspected yearly.", "yearly"),
        ("It is inspected monthly.", "It is inspected every three months.", "every 3 months"),
        ("It is inspected every two weeks.", "It is inspected every month.", ""),
    ],
)  # fmt: skip
def test_another_half_and_another_frequency(source: str, claim: str, marked: str) -> None:
    assert contrary(source, claim) == marked


def test_what_is_said_the_contrary_way_is_in_doubt() -> None:
    (claim,) = read("Claims can be made by 31 May.")
    calm = np.full(len(claim.keys), -3.0, dtype=np.float32)
    source = Source(read("Claims can be made from 31 May."))
    words, _, _ = adjust_logits(attach_evidence(claim, source), (calm, np.zeros(3), 0.0))
    assert (words == OTHER_NUMBER).sum() == 3
