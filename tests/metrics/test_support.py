"""`support`: its value, parts and marks by hand, over a model that is made up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faithkit import Example, Outcome, Score
from faithkit.language.sentences import closed_sentences
from faithkit.language.words import Segment, is_content, words
from faithkit.metrics.support import Support
from faithkit.models.protocols import Decision, SentenceVerdict, Verdict
from faithkit.models.runtime import Runtime
from faithkit.records import LEAST_SUPPORTED, ConfigError, Coverage, Evidence
from faithkit.run import prepare

SOURCE = "Anna opened a hospital in Lyon. It is big."
TALK = "The text says this."


class Table:
    """Satisfies `SupportModel`: words are as doubtful as a table says, and a sentence is supported
    with the probability that the table has for its first word and "!", else 0.9."""

    id = "table@0"
    decision = Decision(0.3, 0.7)
    marked = 0.6
    doubtful = 0.5

    def __init__(self, table: Mapping[str, float]) -> None:
        self.table = table

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        return [
            Verdict(
                tuple(map(self.sentence, closed_sentences(summary))),
                Coverage(source_sentences=len(closed_sentences(source)), summary_sentences=2),
            )
            for source, summary in pairs
        ]

    def sentence(self, piece: Segment) -> SentenceVerdict:
        own = [word for word in words(piece.text) if word.text.isalnum()]
        places = [(piece.start + word.start, piece.start + word.end) for word in own]
        supported = self.table.get(f"{own[0].text}!", 0.9) if own else 0.9
        return SentenceVerdict(
            start=piece.start,
            end=piece.end,
            has_claim=piece.text != TALK and bool(own),
            probabilities=(supported / 2, 1 - supported / 2, 0.0),
            supported=supported,
            words=np.array(places, dtype=np.int64).reshape(-1, 2),
            unsupported=np.array([self.table.get(w.text, 0.0) for w in own], dtype=np.float32),
            evidence=(Evidence(0, 31, piece.start, piece.end, "best match", 0.5),),
            content=np.array([is_content(word.text) for word in own]),
            nearest=np.array([[0, 31]] * len(own), dtype=np.int64).reshape(-1, 2),
        )


def scored(summary: str, table: Mapping[str, float], threshold: float | None = None) -> Score:
    (score,) = Support(Table(table), threshold).score([Example("x", SOURCE, summary)])
    return score


# --- value ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentences", "value"),
    [([0.9], 0.9), ([0.9, 0.5], 0.45), ([1.0, 1.0], 1.0), ([0.5] * 4, 0.0625), ([0.0], 0.0)],
)
def test_value_of_independent_sentences_is_the_product(
    sentences: list[float], value: float
) -> None:
    assert Decision(0.3, 0.7).all_supported(sentences) == pytest.approx(value, abs=1e-11)


def test_doubts_that_go_together_count_once() -> None:
    doubts = [math.exp(-0.3), math.exp(-0.4), 1.0]
    assert Decision(0.3, 0.7, 2.0).all_supported(doubts) == pytest.approx(math.exp(-0.5))
    assert Decision(0.3, 0.7, 1e3).all_supported(doubts) == pytest.approx(math.exp(-0.4))


probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=12)
dependences = st.floats(1, 8)


@settings(max_examples=200)
@given(probabilities, st.floats(0, 1), st.integers(0, 12), dependences)
def test_further_sentence_never_raises_the_value(
    sentences: list[float], further: float, place: int, dependence: float
) -> None:
    decision = Decision(0.3, 0.7, dependence)
    before = decision.all_supported(sentences)
    after = decision.all_supported([*sentences[:place], further, *sentences[place:]])
    assert 0 <= after <= before + 1e-12 <= min(sentences) + 1e-11
    assert decision.all_supported([*sentences, 1.0]) == before


@settings(max_examples=100)
@given(
    probabilities.flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))), dependences
)
def test_order_of_sentences_does_not_show(
    both: tuple[list[float], list[float]], dependence: float
) -> None:
    decision = Decision(0.3, 0.7, dependence)
    assert decision.all_supported(both[0]) == decision.all_supported(both[1])


def test_value_and_parts_by_hand() -> None:
    score = scored(
        "Anna opened a hospital. It failed.",
        {"hospital": 0.75, "opened": 0.25, "failed": 1.0, "Anna!": 0.8, "It!": 0.5},
    )
    assert score.outcome is Outcome.OK
    assert score.value == pytest.approx(0.4)
    assert score.parts == pytest.approx(
        {
            "verdict": 0.5,  # between 0.3 and 0.7
            "words": 1 - 2 / 6,
            "worst_sentence": 0.5,
            "entailment": (0.4 + 0.25) / 2,
            "sentences": 2,
            "claims": 2,
        }
    )
    assert score.coverage == Coverage(source_sentences=2, summary_sentences=2)


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.71, 1.0), (0.7, 1.0), (0.69, 0.5), (0.31, 0.5), (0.29, 0.0)]
)
def test_verdict_follows_the_models_bands(value: float, verdict: float) -> None:
    score = scored("Anna left.", {"Anna!": value})
    assert score.parts["verdict"] == Table.decision.verdict(score.value or 0)
    assert Table.decision.verdict(value) == verdict


def test_bands_are_inclusive_above() -> None:
    assert [Decision(0.4, 0.7).verdict(v) for v in (0.39, 0.4, 0.69, 0.7)] == [0, 0.5, 0.5, 1]
    assert [Decision(0.5, 0.5).verdict(v) for v in (0.49, 0.5)] == [0, 1]


# --- what has no value ---------------------------------------------------------------------------


def test_sentences_that_claim_nothing_do_not_count() -> None:
    table = {"hospital": 1.0, "text": 1.0, "The!": 0.1}
    bare = scored("Anna opened a hospital.", table)
    padded = scored(f"Anna opened a hospital. {TALK}", table)
    assert padded.value == bare.value
    assert padded.parts == {**bare.parts, "sentences": 2}
    assert padded.spans == bare.spans and padded.evidence == bare.evidence


def test_summary_without_a_claim_is_an_outcome() -> None:
    talk = scored(f"{TALK} {TALK}", {})
    assert (talk.value, talk.outcome) == (None, Outcome.NO_CLAIMS)
    assert talk.parts == {"sentences": 2, "claims": 0}


@pytest.mark.parametrize("pair", [("", "A word."), (SOURCE, ""), (" \n", "\t"), ("  ", "A word.")])
def test_empty_texts_have_no_content(pair: tuple[str, str]) -> None:
    (score,) = Support(Table({})).score([Example("x", *pair)])
    assert (score.value, score.outcome, score.parts) == (None, Outcome.NO_CONTENT, {})


def test_source_without_a_sentence_has_no_content() -> None:
    class Blind(Table):
        def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
            return [replace(one, coverage=Coverage()) for one in super().judge(pairs)]

    (score,) = Support(Blind({})).score([Example("x", "?!", "A word.")])
    assert (score.value, score.outcome) == (None, Outcome.NO_CONTENT)


def test_other_language_is_an_outcome() -> None:
    german = "Der Rat der Stadt hat am Dienstag beschlossen, eine neue Bücherei zu bauen. " * 3
    (score,) = Support(Table({})).score([Example("x", german, german)])
    assert (score.value, score.outcome) == (None, Outcome.UNSUPPORTED_LANGUAGE)


@pytest.mark.parametrize("word", ["left", "Anna!"])
def test_nan_is_an_outcome(word: str) -> None:
    score = scored("Anna left.", {word: math.nan})
    assert (score.value, score.outcome) == (None, Outcome.MODEL_ERROR)


# --- marks ---------------------------------------------------------------------------------------


def marked(
    summary: str, table: Mapping[str, float], threshold: float = 0.5
) -> list[tuple[str, float]]:
    spans = scored(summary, table, threshold).spans
    assert all(span.label == "unsupported" for span in spans)
    return [(summary[span.start : span.end], round(span.score or 0, 5)) for span in spans]


def test_doubtful_words_that_follow_each_other_are_one_mark() -> None:
    table = {"big": 0.5, "hospital": 0.75, "Paris": 1.0, "Bob": 0.9}
    summary = "Anna opened a big, hospital in Paris. Bob left."
    assert marked(summary, table) == [("big, hospital", 0.375), ("Paris", 0.0), ("Bob", 0.1)]
    # The end of a sentence ends a mark.
    assert marked("It is Paris. Bob left.", table) == [("Paris", 0.0), ("Bob", 0.1)]


@pytest.mark.parametrize(
    ("summary", "doubtful", "shown"),
    [
        ("It had a staff of 68 then.", "of 68 then", ["of 68 then"]),
        ("She ran and left.", "and left", ["left"]),
        ("He told her to leave.", "told her to", ["told her"]),
        ("He will not be there.", "will not be", ["will not be"]),
        ("They may have left.", "They may have", ["They may have"]),
        ("He has not a dog.", "not", ["not"]),
        ("It rained before the vote.", "before", ["before"]),
        ("It rained before the vote.", "before the", []),
        ("It rained on it.", "it", []),
    ],
)
def test_a_mark_is_what_can_be_wrong_by_itself_with_the_function_words_around_it(
    summary: str, doubtful: str, shown: list[str]
) -> None:
    inside = range(summary.index(doubtful), summary.index(doubtful) + len(doubtful))
    table = {summary[w.start : w.end]: 0.9 for w in words(summary) if w.start in inside}
    assert [text for text, _ in marked(summary, table)] == shown


def test_threshold_says_which_words_are_marked_and_changes_no_value() -> None:
    table = {"big": 0.5, "hospital": 0.75}
    assert marked("A big hospital.", table, threshold=0.7) == [("hospital", 0.25)]
    assert marked("A big hospital.", table, threshold=0.8) == []
    assert len({scored("A big hospital.", table, t).value for t in (0.1, 0.9, None)}) == 1


def test_threshold_is_the_models_by_default() -> None:
    usual = scored("Some big hospital.", {"Some": 0.59, "big": 0.61, "hospital": 0.1})
    assert [(span.start, span.end) for span in usual.spans] == [(5, 8)]


@pytest.mark.parametrize("threshold", [-0.1, 1.5])
def test_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(ConfigError, match="from 0 to 1"):
        Support(Table({}), threshold)


def test_threshold_out_of_range_is_a_config_error(tiny_support: object) -> None:
    with pytest.raises(ConfigError, match="threshold"):
        prepare([f"support:model={tiny_support},threshold=1.5"], Runtime("cpu", offline=True))


def test_evidence_is_that_of_the_claims() -> None:
    score = scored(f"Anna left. {TALK}", {})
    assert score.evidence == (Evidence(0, 31, 0, 10, "best match", 0.5),)


class Near(Table):
    def sentence(self, piece: Segment) -> SentenceVerdict:
        places = [[0, 5], [6, 9], [6, 9], [0, 5], [6, 9]]
        return replace(super().sentence(piece), nearest=np.array(places))


def test_mark_has_the_evidence_that_most_of_its_words_are_nearest_to() -> None:
    table = {"big": 0.7, "red": 0.7, "new": 0.7, "ran": 0.7}
    (score,) = Support(Near(table)).score([Example("x", SOURCE, "A big red new ran")])
    (mark,) = score.spans
    assert (mark.start, mark.end) == (2, 17)
    assert score.evidence[1:] == (Evidence(6, 9, 2, 17, "marked words", 0.75),)
    (score,) = Support(Near({"new": 0.7})).score([Example("x", SOURCE, "A big red new ran")])
    assert score.evidence[1:] == (Evidence(0, 5, 10, 13, "marked words", 1.0),)


def test_function_words_of_a_mark_have_no_say_in_its_evidence() -> None:
    table = {"and": 0.7, "of": 0.7, "new": 0.7}
    (score,) = Support(Near(table)).score([Example("x", SOURCE, "A and of new ran")])
    assert score.evidence[1:] == (Evidence(0, 5, 6, 12, "marked words", 1.0),)


def test_mark_without_a_source_sentence_has_no_evidence() -> None:
    class Alone(Table):
        def sentence(self, piece: Segment) -> SentenceVerdict:
            nothing = np.zeros((0, 2), dtype=np.int64)
            return replace(super().sentence(piece), evidence=(), nearest=nothing)

    (score,) = Support(Alone({"left": 1.0})).score([Example("x", SOURCE, "Anna left.")])
    assert len(score.spans) == 1 and score.evidence == ()


def test_spans_and_evidence_are_those_of_the_given_texts() -> None:
    summary = "Here is a summary:\n\n- **Anna** opened a big hospital."
    score = scored(summary, {"big": 0.9})
    assert [summary[span.start : span.end] for span in score.spans] == ["big"]
    assert summary[score.evidence[0].summary_start : score.evidence[0].summary_end].endswith(
        "hospital."
    )
    assert score.value == scored("Anna opened a big hospital.", {"big": 0.9}).value


# --- the least supported sentence ----------------------------------------------------------------


def least_supported(summary: str, table: Mapping[str, float]) -> list[tuple[str, float | None]]:
    return [
        (summary[item.summary_start : item.summary_end], item.score)
        for item in scored(summary, table).evidence
        if item.label == LEAST_SUPPORTED
    ]


def test_the_least_supported_sentence_is_named_where_no_mark_shows_it() -> None:
    summary = "Anna left. Bob opened a hospital."
    assert least_supported(summary, {"Bob!": 0.2}) == [("Bob opened a hospital.", 0.2)]
    assert least_supported(summary, {"Bob!": 0.2, "left": 1.0}) == [("Bob opened a hospital.", 0.2)]


def test_no_sentence_is_named_that_a_mark_shows_or_that_is_not_in_doubt() -> None:
    summary = "Anna left. Bob opened a hospital."
    assert least_supported(summary, {"Bob!": 0.2, "hospital": 1.0}) == []
    assert least_supported(summary, {}) == []  # consistent


def test_evidence_of_the_least_supported_sentence_has_most_of_its_words() -> None:
    class Two(Table):
        def sentence(self, piece: Segment) -> SentenceVerdict:
            short = Evidence(0, 5, piece.start, piece.end, "best match", 0.25)
            long = Evidence(6, 31, piece.start, piece.end, "evidence", 0.75)
            return replace(super().sentence(piece), evidence=(short, long))

    (score,) = Support(Two({"Anna!": 0.1})).score([Example("x", SOURCE, "Anna left.")])
    assert score.evidence[-1] == Evidence(6, 31, 0, 10, LEAST_SUPPORTED, 0.1)


def test_without_evidence_no_sentence_is_named() -> None:
    class Alone(Table):
        def sentence(self, piece: Segment) -> SentenceVerdict:
            return replace(super().sentence(piece), evidence=())

    (score,) = Support(Alone({"Anna!": 0.1})).score([Example("x", SOURCE, "Anna left.")])
    assert score.value == pytest.approx(0.1) and score.evidence == ()


# --- over a network ------------------------------------------------------------------------------


def test_metric_over_a_tiny_model(tiny_support: object) -> None:
    metrics = prepare([f"support:model={tiny_support}"], Runtime("cpu", offline=True))
    (score,) = metrics[0].metric.score([Example("x", SOURCE, "Anna opened a hospital. Bob ran.")])
    assert score.outcome is Outcome.OK and 0 < (score.value or 0) < 1
    assert score.parts["claims"] == 2


# --- the shipped model ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ("The company was fined in March.", "The company was not fined in March."),
        ("Voltera has replaced the sensors.", "Voltera has not replaced the sensors."),
        ("The hotel did not accept the offer.", "The hotel accepted the offer."),
        ("She told them that it was safe.", "She never told them that it was safe."),
    ],
)
def test_a_copied_sentence_that_is_denied_is_not_called_consistent(said: str, denied: str) -> None:
    source = f"The harbour is quiet now. {said} Nobody had expected that."
    (metric,) = prepare(["support"], Runtime("cpu", offline=True))
    rows = [Example("said", source, said), Example("denied", source, denied)]
    copy, other = metric.metric.score(rows)
    assert copy.value == pytest.approx(1) and copy.parts["verdict"] == 1
    assert other.value is not None and other.value < 0.5 and other.parts["verdict"] < 1
