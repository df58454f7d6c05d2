"""Rules over the network's logits: copies, numbers, signs, obligations."""

from __future__ import annotations

import numpy as np
import pytest
from tests.helpers.tiny_support import read

from faithkit.language.normalise import plain_source, plain_summary
from faithkit.support.evidence import Source
from faithkit.support.inputs import ClaimWithEvidence, attach_evidence
from faithkit.support.model import CERTAIN, IN_A_RUN, LOOPED, OTHER_NUMBER, adjust_logits

SOURCE = "The old library did not survive the flood of last spring. Nobody was hurt."


def reading(claim: str) -> ClaimWithEvidence:
    (sentence,) = read(claim)
    return attach_evidence(sentence, Source(read(*SOURCE.split(". "))))


def doubtful(words: int) -> np.ndarray:
    return np.full(words, 3.0, dtype=np.float32)


@pytest.mark.parametrize("claim", ["nobody was hurt", "“Nobody was HURT!”"])
def test_a_sentence_that_the_source_has_word_for_word_is_beyond_doubt(claim: str) -> None:
    words, sentence, non_claim = adjust_logits(reading(claim), (doubtful(3), np.zeros(3), 0.5))
    assert words.tolist() == [-CERTAIN] * 3
    assert sentence.argmax() == 0 and sentence[0] == CERTAIN
    assert non_claim == 0.5


@pytest.mark.parametrize(
    ("claim", "in_a_run"),
    [
        ("Nobody hurt was.", 0),
        ("The old libraries burned.", 0),
        ("In 2019 the old library did not survive fire.", 6),
        ("The flood of last spring was a fire, and nobody was hurt.", 5),  # runs of five and three
    ],
)
def test_a_word_in_a_long_run_of_the_source_is_not_marked(claim: str, in_a_run: int) -> None:
    one = reading(claim)
    classes = np.array([0.0, 1.0, 2.0])
    words, sentence, _ = adjust_logits(one, (doubtful(len(one.claim.keys)), classes, 0.0))
    assert (words == IN_A_RUN).sum() == in_a_run
    assert (words == 3.0).sum() == len(words) - in_a_run
    assert sentence is classes


@pytest.mark.parametrize(
    ("claim", "makes_one"),
    [
        ("The gist is that the old library did not survive.", True),
        ("The most important point is this: the library survived the flood.", True),
        ("The patient has diabetes.", True),
        ("Please be patient.", False),
        ("The narrator was nine.", True),
        ("The narrator fell in.", True),
        ("The narrator tells a story.", False),
        ("The text discusses the library.", False),
        ("The old summary is helpful.", False),
        ("The flood hurt the library.", False),  # three words of two sentences
    ],
)
def test_a_sentence_with_content_of_its_own_makes_a_claim(claim: str, makes_one: bool) -> None:
    one = reading(claim)
    outputs = doubtful(len(one.claim.keys)), np.zeros(3), 0.5
    assert adjust_logits(one, outputs)[2] == (-CERTAIN if makes_one else 0.5)


def test_what_the_network_does_not_doubt_stays_as_it_is() -> None:
    one = reading("In 2019 the old library did not survive fire.")
    words = np.full(len(one.claim.keys), -5.0, dtype=np.float32)
    assert adjust_logits(one, (words, np.zeros(3), 0.0))[0].tolist() == words.tolist()


def test_without_evidence_nothing_is_settled() -> None:
    (claim,) = read("Nobody was hurt.")
    words, _, _ = adjust_logits(attach_evidence(claim, Source([])), (doubtful(3), np.zeros(3), 0.0))
    assert words.tolist() == [3.0] * 3


@pytest.mark.parametrize(
    ("claim", "looped"),
    [
        ("The flood was so bad" + " bad" * 5, 5),
        ("It rained" + " and it rained" * 3, 8),
        ("No, no, no, nobody was hurt there.", 0),
        ("word " * 20, 19),
        ("She won 6-4, 6-4, 6-4 and 6-4.", 0),
    ],
)
def test_what_is_repeated_in_a_loop_is_in_doubt(claim: str, looped: int) -> None:
    one = reading(claim)
    calm = np.full(len(one.claim.keys), -3.0, dtype=np.float32)
    words, _, _ = adjust_logits(one, (calm, np.zeros(3), 0.0))
    assert (words == LOOPED).sum() == looped
    assert (words == -3.0).sum() == len(words) - looped


def test_what_the_source_repeats_as_often_is_in_no_doubt() -> None:
    source = Source(read("The score was 0, 0, 0, 0, 0, 0, 0 and then 3."))
    for times, in_doubt in ((6, False), (12, True)):
        (claim,) = read("They scored" + " 0," * times + " and then 3.")
        calm = np.full(len(claim.keys), -3.0, dtype=np.float32)
        words, _, _ = adjust_logits(attach_evidence(claim, source), (calm, np.zeros(3), 0.0))
        assert (words == LOOPED).any() == in_doubt


def other_numbers(source: str, claim: str) -> int:
    """Words of a claim that are in doubt as another number, where the network doubts none."""
    (sentence,) = read(claim)
    calm = np.full(len(sentence.keys), -3.0, dtype=np.float32)
    words, _, _ = adjust_logits(
        attach_evidence(sentence, Source(read(source))), (calm, np.zeros(3), 0.0)
    )
    return int((words == OTHER_NUMBER).sum())


@pytest.mark.parametrize(
    ("source", "claim", "in_doubt"),
    [
        ("The change was -1.2 points.", "A change of 1.2 points was seen.", True),
        ("The change was 1.2 points.", "A change of -1.2 points was seen.", True),
        ("It was -2.0 to -0.4 there.", "It went from -2.0 to 0.4 there.", True),
        ("EPS for 2023 was $-0.12.", "In 2023 an EPS of $0.12 was seen.", True),
        ("The change was -1.2 points.", "A change of −1.2 points was seen.", False),
        ("Growth was -5% in May.", "Sales fell 5% in May.", False),
        ("Sales fell 5% in May.", "Growth in May was -5%.", False),
        ("In May it fell to -5C.", "It fell to 5C in May.", True),
        ("In May it fell to -5C.", "It fell to 5C below zero in May.", False),
        ("A low of -8C is likely.", "It is likely that a low is 8 °C.", True),
        ("It was 8 below zero in May.", "In May it was 8.", True),
        ("It was 8 below zero in May.", "In May it was minus 8.", False),
        ("It went from 5 to -5.", "From 5 it went to minus 5.", False),
        ("The line was 5 ± 2 there.", "There the line was 5 and 2.", False),
        ("It rose (1.2) in May.", "In May it was -1.2 there.", False),
        ("The change was -1.2 points.", "A change of 3.4 points was seen.", False),
    ],
)
def test_a_number_with_another_sign_than_in_the_evidence_is_in_doubt(
    source: str, claim: str, in_doubt: bool
) -> None:
    assert other_numbers(source, claim) == in_doubt


@pytest.mark.parametrize(
    ("source", "claim", "in_doubt"),
    [
        ("It cost HK$40m.", "The cost was US$40m.", True),
        ("It cost HK$40m.", "The cost was A$40 million.", True),
        ("It cost US$40m (A$61m).", "The cost was A$40m.", True),
        ("It cost US$40m (A$61m).", "The cost was A$61m.", False),
        ("It cost US$40m (A$61m).", "The cost was US$40m.", False),
        ("It cost HK$40m.", "The cost was $40m.", False),
        ("It cost HK$40m.", "The cost was US$30m.", False),
        ("It cost $40m.", "The cost was HK$40m.", False),
    ],
)
def test_a_number_of_dollars_of_another_country_is_in_doubt(
    source: str, claim: str, in_doubt: bool
) -> None:
    summary = plain_summary(claim, source).text
    assert other_numbers(plain_source(source).text, summary) == in_doubt


@pytest.mark.parametrize(
    ("source", "claim", "in_doubt"),
    [
        ("The coat costs £19.99.", "The price of the coat is £19.", True),
        ("The walk is 7.5 km.", "It is a walk of 7 km.", True),
        ("It grew by 2.5 million.", "Its growth was 2 million.", True),
        ("Rated 4.8 stars by guests.", "It was rated 4 stars.", True),
        ("Knead it for 2½ minutes.", "It is kneaded 2 minutes.", True),
        ("The walk is 7.5 km.", "It is a walk of about 7 km.", False),
        ("The walk is 7.5 km.", "It is a walk of more than 7 km.", False),
        ("The walk is 7.5 km.", "It is a walk of 7 km or so.", False),
        ("The walk is 7.5 km.", "It is a walk of 7 miles.", False),
        ("The walk is 7.5 km, once 7.", "It is a walk of 7 km.", False),
        ("The walk is 7.0 km.", "It is a walk of 7 km.", False),
        ("It supports Python 3.13.", "It has Python 3 support.", False),
        ("It lasted 1.5 hours.", "The show lasted 1 hour 30 minutes.", False),
        ("The walk is 17.5 km.", "It is a walk of 7 km.", False),
        ("Of them 97.1% agree.", "A share of 97% agrees.", False),
        ("Of them 97.8% agree.", "A share of 97% agrees.", True),
    ],
)
def test_a_whole_number_for_one_with_decimals_is_in_doubt(
    source: str, claim: str, in_doubt: bool
) -> None:
    assert other_numbers(source, claim) == in_doubt


@pytest.mark.parametrize(
    ("source", "claim", "in_doubt"),
    [
        ("It is 1.2 percentage points higher now.", "It is now 1.2% higher.", 2),
        ("It fell by 6 percentage points, from 40% to 34%.", "It went down by 6 percent.", 2),
        ("It is 1.2 percentage points higher now.", "It is now 1.2 percentage points up.", 0),
        ("It rose by 6 points, 6% of all.", "It went up by 6%.", 0),
        ("It rose by 6 percentage points or 6%.", "It went up by 6%.", 0),
        ("Interest rose by 2 percentage points.", "The interest is up by 2%.", 0),
        ("It rose by 0.25 percentage points.", "It went up by 0.25%.", 0),
    ],
)
def test_percent_for_percentage_points_is_in_doubt(source: str, claim: str, in_doubt: int) -> None:
    assert other_numbers(source, claim) == in_doubt


@pytest.mark.parametrize(
    ("source", "claim", "in_doubt"),
    [
        ("Rated AA- by Fitch.", "Fitch rates it AA.", 1),
        ("Rated AA- by Fitch.", "Fitch rates it AA+.", 1),
        ("Rated AA- by Fitch.", "Fitch rates it AA minus.", 0),
        ("The grade was A-star.", "Her grade is A.", 1),
        ("The grade was A.", "Her grade is A+.", 1),
        ("The grade was A, once A+.", "Her grade is A.", 0),
        ("The grade was A-star.", "A grade was given.", 0),
        ("The grade was A-star.", "Her grade is B+.", 0),
    ],
)
def test_a_grade_with_another_sign_is_in_doubt(source: str, claim: str, in_doubt: int) -> None:
    assert other_numbers(source, claim) == in_doubt
