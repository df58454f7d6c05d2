"""`support`: sentences that appended text cannot change, the value and its parts by hand, and the
model behind it, whose embedded weights are taken as they are: what is tested holds for any."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file
from tests.helpers.paths import ROOT
from tests.helpers.tiny_support import WIDTH, Words, network, settings_of

from faithkit import Example, Outcome, Score, models
from faithkit.language.sentences import closed_sentences, source_sentences
from faithkit.language.words import Segment, words
from faithkit.metrics.support import (
    FUNCTION_WORD,
    MARKED,
    SENTENCE,
    SHORT,
    SIMILARITY,
    WHOLE,
    WORDS,
    combine,
    doubt,
    unsupported_share,
    value_of,
)
from faithkit.metrics.support import Support as Metric
from faithkit.models.protocols import (
    Decision,
    SentenceVerdict,
    SupportModel,
    Verdict,
)
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError, Coverage, Evidence, ModelError, document_id
from faithkit.run import prepare
from faithkit.support import model as support_model
from faithkit.support.model import (
    FOLDS,
    WEIGHTS,
    CrossFitted,
    Settings,
    Support,
    load_support,
    read_network,
    read_settings,
    without_dtype,
    write,
)

# --- sentences that are closed -------------------------------------------------------------------

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
marked_text = st.text(st.sampled_from("aB é.?!…:;,'\"’”)](\n\t\r0\u2028\u00a0\x1c漢"), max_size=60)
pieces = (
    'Mr. U.S. p.m. e.g. etc. Smith left won. Why? Stop! so… "No." (ok.) 2.5 Lord\'s. J. \n the '
    'said: "Go." a. b.'
)
real_text = st.lists(st.sampled_from(pieces.split(" ")), max_size=20).map(" ".join)
texts = any_text | marked_text | real_text
endings = st.sampled_from([".", "!", "?", "…", "...", '."', ".)", "?!", ".’”", "\n"])
last_words = st.sampled_from(["done", "2014", "Lord's", "60's", "Zoë’s", "NATO", "(so", "word”"])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(texts, last_words, endings, texts)
@example("The council of St.", "Lord's", ".", "a copy of the source")
def test_text_behind_a_finished_sentence_changes_none_before_it(
    before: str, word: str, ending: str, behind: str
) -> None:
    finished = f"{before} {word}{ending}"
    alone = closed_sentences(finished)
    assert closed_sentences(f"{finished} {behind}")[: len(alone)] == alone


@settings(max_examples=200, deadline=None)
@given(texts)
@example("\x1c.\u2028")
def test_closed_sentences_slice_back_and_hold_every_character(text: str) -> None:
    place = 0
    for piece in closed_sentences(text):
        assert text[piece.start : piece.end] == piece.text == piece.text.strip() != ""
        assert text[place : piece.start].strip() == ""
        place = piece.end
    assert text[place:].strip() == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" \n ", []),
        ("No end", ["No end"]),
        ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("So (it is said.) Yes.", ["So (it is said.)", "Yes."]),
        ("one line\nanother line", ["one line", "another line"]),
        ("Mr. Lee met Dr. Day. Both left.", ["Mr. Lee met Dr. Day.", "Both left."]),
        ("The U.S. law, at 5 p.m. on Nov. 5.", ["The U.S. law, at 5 p.m. on Nov. 5."]),
        ("J. Smith of Acme Inc. spoke, e.g. here.", ["J. Smith of Acme Inc. spoke, e.g. here."]),
        ("('Mr. Lee' came.) Yes.", ["('Mr. Lee' came.)", "Yes."]),
        ("It rose 2.5 per cent to 3.14. Fine.", ["It rose 2.5 per cent to 3.14.", "Fine."]),
        # A possessive's "s" is no abbreviation.
        ("They met at Lord's. He won.", ["They met at Lord's.", "He won."]),
        ("Wait... what?! Yes.", ["Wait...", "what?!", "Yes."]),
        ("a.b.c d", ["a.b.c d"]),
    ],
)
def test_where_sentences_close(text: str, found: list[str]) -> None:
    assert [piece.text for piece in closed_sentences(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("It rained. Dr. Lee\nleft early.", ["It rained.", "Dr. Lee\nleft early."]),  # wrapped
        ("A title\n\nIt rained", ["A title", "It rained"]),
        ("Anna: Hi\nBob: Are you well? Yes.", ["Anna: Hi", "Bob: Are you well?", "Yes."]),
        ("Bring\n- a pen\n- paper. Then go.", ["Bring", "- a pen", "- paper.", "Then go."]),
    ],
)
def test_where_sentences_of_a_source_close(text: str, found: list[str]) -> None:
    pieces = source_sentences(text)
    assert [piece.text for piece in pieces] == found
    assert all(text[piece.start : piece.end] == piece.text for piece in pieces)


@pytest.mark.parametrize("text", ["." * 50_000, "a. " * 20_000, "Mr. " * 20_000, "a." * 25_000])
def test_long_rows_of_points_take_no_time(text: str) -> None:
    assert len(closed_sentences(text)) == 1  # took minutes where it was quadratic
    assert len(source_sentences(text)) == 1


# --- the value -----------------------------------------------------------------------------------

shares = st.lists(st.floats(0, 1), max_size=12)


@pytest.mark.parametrize(
    ("given_shares", "value"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.5], math.exp(-12 * 0.125)),
        # .3 ** 6 + .4 ** 6 = .000729 + .004096 = .004825
        ([0.3, 0.4], math.exp(-12 * math.sqrt(0.004825))),
        ([1.0], math.exp(-12)),
    ],
)
def test_shares_are_combined_by_hand(given_shares: list[float], value: float) -> None:
    assert combine(given_shares) == pytest.approx(value, abs=1e-12)


def test_two_doubts_alike_count_as_one_that_is_little_greater() -> None:
    assert combine([0.4, 0.4]) == pytest.approx(combine([0.4 * 2 ** (1 / 6)]))


@pytest.mark.slow
@settings(max_examples=300)
@given(shares, st.floats(0, 1), st.integers(0, 12))
def test_a_further_share_never_raises_the_value(
    some: list[float], further: float, place: int
) -> None:
    before = combine(some)
    after = combine([*some[:place], further, *some[place:]])
    assert 0 < after <= before + 1e-15 <= 1 + 1e-15


@pytest.mark.slow
@settings(max_examples=200)
@given(shares.flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))))
def test_the_order_of_shares_does_not_show(both: tuple[list[float], list[float]]) -> None:
    assert combine(both[0]) == combine(both[1])


# --- the metric on a made-up model ---------------------------------------------------------------

SOURCE = "Anna Reyes opened a school in Lyon. It cost 3 million euros."
PADDING = "The text says this."


class Table:
    """Satisfies `SupportModel`: says of each word what the table does, else that it is supported;
    of a sentence the mean of that in every way. Sentences of `talk` claim nothing."""

    id = "table@000000000000"
    decision = Decision(0.6, 0.8, 2.0, -1.0)

    def __init__(self, table: Mapping[str, float], talk: Sequence[str] = (PADDING,)) -> None:
        self._table = table
        self._talk = talk

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        return [self._verdict(*pair) for pair in pairs]

    def _verdict(self, source: str, summary: str) -> Verdict:
        pieces = [one for one in closed_sentences(summary) if any(map(str.isalnum, one.text))]
        coverage = Coverage(
            source_sentences=len(closed_sentences(source)), summary_sentences=len(pieces)
        )
        return Verdict(tuple(self._sentence(one) for one in pieces), coverage)

    def _sentence(self, piece: Segment) -> SentenceVerdict:
        found = [one for one in words(piece.text) if one.text[0].isalnum()]
        shares = [self._table.get(one.text, 0.0) for one in found]
        mean = math.fsum(shares) / len(shares)
        return SentenceVerdict(
            start=piece.start,
            end=piece.end,
            has_claim=piece.text not in self._talk,
            probabilities=(1 - mean, mean, 0.0),
            words=np.array([(piece.start + one.start, piece.start + one.end) for one in found]),
            unsupported=np.array(shares, dtype=np.float32),
            evidence=(Evidence(0, 35, piece.start, piece.end, "best match", 0.9),),
            near_evidence=1 - np.array(shares, dtype=np.float32),
            content=np.array([one.text != "the" for one in found]),
        )


def scored(summary: str, table: Mapping[str, float], **options: Any) -> Score:
    (found,) = Metric(Table(table), **options).score([Example("x", SOURCE, summary)])
    return found


def test_the_doubt_of_a_sentence_is_a_weighted_mean_of_three() -> None:
    assert pytest.approx(1) == WORDS + SENTENCE + SIMILARITY
    (found,) = Table({"b": 0.5}).judge([("a", "a b")])[0].sentences
    assert doubt(found) == pytest.approx(0.25)  # where all three agree

    def near(*similarities: float) -> float:
        similar = np.array(similarities, dtype=np.float32)
        return doubt(replace(found, probabilities=(0.9, 0.1, 0.0), near_evidence=similar))

    assert near(0.5, 0.7) == pytest.approx(0.25 * WORDS + 0.1 * SENTENCE + 0.4 * SIMILARITY)
    assert near(1, 1.0001) == pytest.approx(0.25 * WORDS + 0.1 * SENTENCE)
    assert near(-0.5, -0.5) == pytest.approx(0.25 * WORDS + 0.1 * SENTENCE + SIMILARITY)


def test_function_words_count_less() -> None:
    (found,) = Table({"the": 0.8}).judge([("a", "the b")])[0].sentences
    words = 0.8 * FUNCTION_WORD / (1 + FUNCTION_WORD)
    assert doubt(found) == pytest.approx((WORDS + SIMILARITY) * words + SENTENCE * 0.4)
    (found,) = Table({"the": 0.8}).judge([("a", "the")])[0].sentences  # nothing else
    assert doubt(found) == pytest.approx(0.8)


def test_a_short_sentence_counts_less_by_the_root_of_its_length() -> None:
    table = Table(dict.fromkeys(("b", "c"), 0.5))
    for count, counted in ((1, SHORT), (SHORT, SHORT), (9, 9), (WHOLE, WHOLE), (30, WHOLE)):
        (found,) = table.judge([("a", " ".join(["b"] * count))])[0].sentences
        assert unsupported_share(found) == pytest.approx(0.5 * math.sqrt(counted / WHOLE))


def test_value_and_parts_by_hand() -> None:
    # Doubts (0.75 + 0.25) / 4 and 1 / 2, of sentences that are as short as counts.
    found = scored(
        "Anna opened a hospital. It failed.", {"hospital": 0.75, "opened": 0.25, "failed": 1.0}
    )
    first, second = 0.25 * math.sqrt(6 / 13), 0.5 * math.sqrt(6 / 13)
    value = math.exp(-12 * math.sqrt(first**6 + second**6))
    assert found.outcome is Outcome.OK
    assert found.value == pytest.approx(value)
    assert found.parts == pytest.approx(
        {
            "probability": 1 / (1 + math.exp(-(2 * value - 1))),
            "verdict": 0.5,  # between 0.6 and 0.8
            "words": 1 - 2 / 6,
            "worst_sentence": math.exp(-12 * second**3),
            "entailment": (0.75 + 0.5) / 2,
            "sentences": 2,
            "claims": 2,
        }
    )
    assert found.coverage == Coverage(source_sentences=2, summary_sentences=2)


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.0, 1.0), (0.2, 1.0), (0.3, 0.5), (0.4, 0.0)]
)  # values 1, 0.91, 0.72, 0.46
def test_the_verdict_follows_the_models_limits(share: float, verdict: float) -> None:
    assert scored("Hospital " * WHOLE, {"Hospital": share}).parts["verdict"] == verdict


def test_a_decision_is_inclusive_above_and_never_overflows() -> None:
    limits = Decision(0.4, 0.7, 1e6, -7e5)
    assert [limits.verdict(v) for v in (0.39, 0.4, 0.69, 0.7)] == [0.0, 0.5, 0.5, 1.0]
    assert [limits.probability(v) for v in (0.0, 0.7, 1.0)] == pytest.approx([0, 0.5, 1])
    assert Decision(0, 1, 2.0, -1.0).probability(0.9) == pytest.approx(1 / (1 + math.exp(-0.8)))


def test_sentences_that_claim_nothing_do_not_count() -> None:
    table = {"hospital": 1.0, "text": 1.0}
    bare = scored("Anna opened a hospital.", table)
    padded = scored(f"Anna opened a hospital. {PADDING}", table)
    assert padded.value == bare.value
    assert padded.parts == {**bare.parts, "sentences": 2}
    assert padded.spans == bare.spans and padded.evidence == bare.evidence


def test_a_summary_of_talk_or_of_marks_has_no_claims() -> None:
    talk = scored(f"{PADDING} {PADDING}", {})
    assert (talk.value, talk.outcome) == (None, Outcome.NO_CLAIMS)
    assert talk.parts == {"sentences": 2, "claims": 0}
    marks = scored("... ?!", {})
    assert (marks.value, marks.outcome) == (None, Outcome.NO_CLAIMS)
    assert marks.parts == {"sentences": 0, "claims": 0}


@pytest.mark.parametrize("pair", [("", "A word."), (SOURCE, ""), (" \n", "\t"), ("  ", "A word.")])
def test_empty_texts_have_no_content(pair: tuple[str, str]) -> None:
    (found,) = Metric(Table({})).score([Example("x", *pair)])
    assert (found.value, found.outcome, found.parts) == (None, Outcome.NO_CONTENT, {})


def test_nan_is_an_outcome() -> None:
    assert scored("Anna left.", {"left": math.nan}).outcome is Outcome.MODEL_ERROR


def marked(
    summary: str, table: Mapping[str, float], threshold: float = 0.5
) -> list[tuple[str, float]]:
    found = scored(summary, table, threshold=threshold).spans
    assert all(span.label == "unsupported" for span in found)
    return [(summary[one.start : one.end], round(one.score or 0, 5)) for one in found]


def test_doubted_words_that_follow_each_other_are_one_span() -> None:
    table = {"big": 0.5, "hospital": 0.75, "Paris": 1.0, "Bob": 0.9}
    summary = "Anna opened a big, hospital in Paris. Bob left."
    assert marked(summary, table) == [("big, hospital", 0.375), ("Paris", 0.0), ("Bob", 0.1)]
    # The end of a sentence ends a span.
    assert marked("It is Paris. Bob left.", table) == [("Paris", 0.0), ("Bob", 0.1)]


def test_a_span_of_stop_words_only_is_not_shown() -> None:
    assert marked("Anna was in Lyon.", {"was": 0.9, "in": 0.9}) == []
    assert marked("Anna was in Lyon.", {"was": 0.9, "in": 0.9, "Lyon": 0.6}) == [
        ("was in Lyon", 0.2)
    ]


def test_the_threshold_says_which_words_are_marked_and_changes_no_value() -> None:
    table = {"big": 0.5, "hospital": 0.75}
    assert marked("A big hospital.", table, threshold=0.6) == [("hospital", 0.25)]
    assert marked("A big hospital.", table, threshold=0.8) == []
    usual = scored(
        "Some big hospital.", {"Some": MARKED - 0.01, "big": MARKED + 0.01, "hospital": 0.1}
    )
    assert [(span.start, span.end) for span in usual.spans] == [(5, 8)]
    assert len({scored("A big hospital.", table, threshold=t).value for t in (0.1, 0.9)}) == 1
    with pytest.raises(ConfigError, match="threshold"):
        prepare(["support:threshold=1.5"], Runtime("cpu", offline=True))


def test_evidence_is_that_of_the_claims() -> None:
    found = scored(f"Anna left. {PADDING}", {})
    assert found.evidence == (Evidence(0, 35, 0, 10, "best match", 0.9),)


def test_a_mark_has_the_source_sentence_that_its_words_are_nearest_to() -> None:
    class Near(Table):
        def _sentence(self, piece: Segment) -> SentenceVerdict:
            found = super()._sentence(piece)
            places = [[0, 5], [6, 9], [6, 9], [0, 5], [6, 9]]
            nearness = [0.9, 0.1, 0.2, 0.7, 0.5]
            return replace(found, nearest=np.array(places), nearness=np.array(nearness))

    table = {"big": 0.5, "red": 0.5, "new": 0.5, "ran": 0.25}
    (found,) = Metric(Near(table)).score([Example("x", SOURCE, "A big red new ran")])
    (mark,) = found.spans
    assert (mark.start, mark.end) == (2, 17)
    # 6 to 9 has .1 + .2 + .5 of the words marked, 0 to 5 has .7.
    assert found.evidence[1:] == (Evidence(6, 9, 2, 17, "marked words", 0.5),)
    apart = {"A": 0.5, "new": 0.5}
    (found,) = Metric(Near(apart)).score([Example("x", SOURCE, "A big red new ran")])
    assert [(one.start, one.summary_start) for one in found.evidence[1:]] == [(0, 10)]


# --- the embedded model: invariants --------------------------------------------------------------

ARTICLE = (
    "The council of Brookfield voted on Tuesday to spend £1.9m on a new library. Mayor Anna Reyes "
    "said building work would begin in March and might last two years. Two members, Lee and "
    "Okafor, voted against the plan. Critics said that the money should go to the U.S. Route 9 "
    "bridge, which was closed in 2019.\n\nThe old library did not survive the flood. \"We lost "
    "12,000 books,\" said Mr. Cole, its head. Nobody was hurt."
)  # fmt: skip
SUMMARIES = [
    "Brookfield's council voted to spend £1.9m on a library.",
    "On Friday Paris approved a £3m stadium, said Mr Smith.",
    "The mayor said work would begin in May. Lee voted for the plan!",
    "Was the old library lost in the flood? It was, with 12,000 books.",
    'Anna Reyes said: "Building work will begin in March." Critics want a bridge (closed in 2020).',
    "No one was hurt in the flood; 1,200 books were lost…",
    "Council votes\nLibrary to be built in March\n",
    "The library.",
]
SUFFIXES = [
    *(piece.text for piece in closed_sentences(ARTICLE)),
    ARTICLE,
    *SUMMARIES,
    "This document discusses the topic.",
    "The summary entails the information the document discusses.",
    "As we all know, at the end of the day it is what it is.",
    "All of this is true.",
    "the library",
    "and the mayor said so",
    "U.S.",
    "Mr. Lee",
    "a.",
    "...",
    "?!",
    '" he said.',
    ") and so on.",
    "\n- a bullet\n- another",
    "\t",
    "理事会は火曜日に投票した。",
    "🎉 Zoë’s café\u0301 \u200b‮abc‬",
    "library " * 40,
    "1.9 1.9 1.9",
    "Nobody. Nothing. Never.",
    "x" * 300,
]


@dataclass(frozen=True)
class Loaded:
    model: Any
    metric: Metric


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model on `mini` whose weights are random and large, so that everything shows."""
    return written(tmp_path_factory.mktemp("wild") / "model", seed=3, encoder="mini")


@pytest.fixture(scope="module", params=["mini", "random"])
def loaded(request: pytest.FixtureRequest, wild: Path) -> Loaded:
    name = "mini" if request.param == "mini" else str(wild)
    model = models.load(f"support:{name}", Runtime("cpu", offline=True))
    return Loaded(model, Metric(model))


def written(folder: Path, seed: int = 0, encoder: str = "mini") -> Path:
    """A folder with a random model on an embedded encoder."""
    found = models.load(f"tokens:{encoder}", Runtime("cpu", offline=True))
    write(folder, settings_of(encoder, found.id, 384), network(seed, 384))
    return folder


def values(metric: Metric, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
    rows = [Example(str(i), *pair) for i, pair in enumerate(pairs)]
    return [score.value for score in metric.score(rows)]


def forget(model: Any) -> None:
    model.forget()


@pytest.mark.slow
def test_text_appended_to_a_finished_summary_never_raises_the_value(loaded: Loaded) -> None:
    pairs = [(ARTICLE, one) for one in SUMMARIES]
    longer = [(ARTICLE, f"{one} {suffix}") for one in SUMMARIES for suffix in SUFFIXES]
    forget(loaded.model)
    before = values(loaded.metric, pairs)
    forget(loaded.model)
    after = values(loaded.metric, longer)
    lower = 0
    for i, (_, summary) in enumerate(longer):
        base, value = before[i // len(SUFFIXES)], after[i]
        if base is None:
            continue  # it claimed nothing, so it had no value that could rise
        assert value is not None and value <= base + 1e-6, summary
        lower += value < base - 1e-3
    assert lower > len(longer) / 4  # most further sentences are doubted a little
    assert sum(base is not None for base in before) >= 6


def test_a_verdict_points_into_both_texts(loaded: Loaded) -> None:
    for summary in SUMMARIES:
        (found,) = loaded.model.judge([(ARTICLE, summary)])
        pieces = closed_sentences(summary)
        assert [(one.start, one.end) for one in found.sentences] == [
            (one.start, one.end) for one in pieces
        ]
        for one in found.sentences:
            places = one.words.tolist()
            assert places == sorted(places)
            covered = {place for start, end in places for place in range(start, end)}
            inside = range(one.start, one.end)
            assert covered <= set(inside)
            assert covered >= {place for place in inside if summary[place].isalnum()}
            assert one.unsupported.shape == (len(places),)
            assert ((one.unsupported >= 0) & (one.unsupported <= 1)).all()
            assert sum(one.probabilities) == pytest.approx(1, abs=1e-5)
            assert 1 <= len(one.evidence) <= 3
            assert one.evidence[0].label == "best match"
            for item in one.evidence:
                assert item.end <= len(ARTICLE)
                assert (item.summary_start, item.summary_end) == (one.start, one.end)
        assert found.coverage.summary_tokens == sum(len(one.words) for one in found.sentences)


def test_evidence_of_a_copied_sentence_is_that_sentence(loaded: Loaded) -> None:
    copied = "Two members, Lee and Okafor, voted against the plan."
    (found,) = loaded.model.judge([(ARTICLE, copied)])
    best = found.sentences[0].evidence[0]
    assert ARTICLE[best.start : best.end] == copied
    assert best.score == pytest.approx(1, abs=1e-4)


@pytest.mark.slow
def test_the_evidence_of_a_mark_is_about_its_words() -> None:
    folder = ROOT / "examples"
    source, summary = ((folder / f"{name}.txt").read_text() for name in ("source", "summary"))
    (one,) = prepare(["support"], Runtime("cpu", offline=True))
    (found,) = one.metric.score([Example("x", source, summary)])
    marks = {
        summary[one.summary_start : one.summary_end]: source[one.start : one.end]
        for one in found.evidence
        if one.label == "marked words"
    }
    assert list(marks) == [summary[span.start : span.end] for span in found.spans]
    assert "forecast of 74 per cent" in marks["68"]
    assert marks["only 47"].startswith("The generators were started on 47 days")
    assert "has not accepted liability" in marks["accepted liability"]
    assert "Dr Emeka Obi" in marks["Alasdair Fenn, who"]


@pytest.mark.slow
def test_alone_in_a_batch_and_backwards_are_the_same(loaded: Loaded) -> None:
    shorter, longer = ARTICLE[:171], f"{ARTICLE} The end was near. {SUMMARIES[1]}"
    pairs = [(one, summary) for one in (ARTICLE, shorter, longer, "") for summary in SUMMARIES]
    forget(loaded.model)
    together = values(loaded.metric, pairs)
    forget(loaded.model)
    backwards = values(loaded.metric, pairs[::-1])[::-1]
    alone = []
    for pair in pairs:
        forget(loaded.model)
        alone += values(loaded.metric, [pair])
    assert [one is None for one in together] == [one is None for one in alone]
    for one, other, third in zip(together, backwards, alone, strict=True):
        if one is not None:
            assert (other, third) == pytest.approx((one, one), abs=1e-6)
    assert len({round(one, 4) for one in together if one is not None}) > len(SUMMARIES)


def test_judging_twice_gives_the_same_and_costs_once(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(loaded.model)
    pairs = [(ARTICLE, one) for one in SUMMARIES]
    first = loaded.model.judge([*pairs, *pairs])
    assert all(one is other for one, other in zip(first, first[len(pairs) :], strict=False))
    monkeypatch.setattr(type(loaded.model), "_judge_chunk", None)  # would be called
    again = loaded.model.judge(pairs)
    assert all(one is other for one, other in zip(first, again, strict=False))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "sentences"),
    [
        (("", "A summary."), 1),
        (("... !!", "A summary."), 1),
        ((ARTICLE, ""), 0),
        ((ARTICLE, "?! ..."), 0),
        (("Library", "Library"), 1),
        ((ARTICLE, "理事会は火曜日に投票した。"), 1),
        (("Der Rat stimmte am Dienstag ab.", "Совет проголосовал."), 1),
        ((ARTICLE, "🎉 Zoë’s café\u0301 \u200b‮abc‬"), 1),
        ((ARTICLE, "\ufeff\x00 \x07 word"), 1),
    ],
)
def test_odd_texts_are_judged(loaded: Loaded, pair: tuple[str, str], sentences: int) -> None:
    forget(loaded.model)
    (found,) = loaded.model.judge([pair])
    assert len(found.sentences) == sentences
    assert all(np.isfinite(one.unsupported).all() for one in found.sentences)


def test_without_a_source_nothing_is_supported(loaded: Loaded) -> None:
    (found,) = loaded.model.judge([("?!", "The library burned.")])
    (one,) = found.sentences
    assert one.unsupported.tolist() == [1, 1, 1]
    assert (one.probabilities, one.evidence) == ((0.0, 1.0, 0.0), ())
    assert found.coverage == Coverage(summary_tokens=3, summary_sentences=1)


def test_satisfies_its_protocol_and_says_what_it_is(loaded: Loaded) -> None:
    assert isinstance(loaded.model, SupportModel)
    name, _, encoder = loaded.model.id.partition("+")
    assert encoder == models.load("tokens:mini", Runtime("cpu", offline=True)).id
    assert len(name.partition("@")[2]) == 12


def test_other_precision_of_the_encoder_shows_in_the_id(wild: Path) -> None:
    half = models.load(f"support:{wild}", Runtime("cpu", "bfloat16", True))
    full = models.load(f"support:{wild}", Runtime("cpu", offline=True))
    assert half.id == f"{full.id}/bfloat16"
    (one,), (other,) = (model.judge([(ARTICLE, SUMMARIES[0])]) for model in (half, full))
    assert value_of(one) == pytest.approx(value_of(other), abs=0.1)


@pytest.mark.verify
def test_a_source_of_50000_words_is_read_whole() -> None:
    sentences = [
        f"In year {1000 + i} the town number {i} counted {i * 7} houses and {i * 3} wells."
        for i in range(3900)
    ]
    sentences[3000] = "The bishop of Sardinia sold seven violins to a blind astronomer."
    model = models.load("support:mini", Runtime("cpu", offline=True))
    (found,) = model.judge([(" ".join(sentences), "A bishop sold violins to an astronomer.")])
    assert found.coverage.source_tokens > 50_000
    assert found.coverage.source_tokens_cut == found.coverage.source_sentences_cut == 0
    best = found.sentences[0].evidence[0]
    assert " ".join(sentences)[best.start : best.end] == sentences[3000]


# --- a model on a made-up encoder ----------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("words")
    write(place, settings_of("words", Words.id, WIDTH), network(5, WIDTH))
    return place


def on_words(folder: Path, encoder: Words | None = None, **changed: Any) -> Support:
    kept = replace(read_settings(folder), **changed)
    return Support(folder, kept, encoder or Words(), "words")


summaries = st.lists(
    st.sampled_from(
        [*(piece.text for piece in closed_sentences(ARTICLE)), *SUMMARIES, PADDING, "No.", "?!"]
    ),
    min_size=1,
    max_size=4,
).map(" ".join)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(summaries, any_text | marked_text | summaries)
def test_any_text_may_be_appended(folder: Path, summary: str, suffix: str) -> None:
    metric = Metric(on_words(folder))
    pairs = [(ARTICLE, summary), (ARTICLE, f"{summary} {suffix}")]
    before, after = values(metric, pairs)
    if before is not None:
        assert after is not None and after <= before + 1e-6


def test_padding_does_not_show_in_the_network() -> None:
    made = network(1, 6, features=4)
    rng = np.random.default_rng(0)

    def tensor(*shape: int) -> torch.Tensor:
        return torch.from_numpy(rng.normal(size=shape).astype(np.float32))

    features, own, found = tensor(1, 5, 4), tensor(1, 5, 6), tensor(1, 7, 6)
    yes = torch.ones(1, 5, dtype=torch.bool), torch.ones(1, 7, dtype=torch.bool)
    with torch.inference_mode():
        word, classes = made(features, own, found, *yes)
        wide = [torch.cat([one, tensor(1, 3, one.shape[2])], 1) for one in (features, own, found)]
        masks = [torch.cat([one, torch.zeros(1, 3, dtype=torch.bool)], 1) for one in yes]
        padded, same = made(*wide, *masks)
    assert word.std() > 0.1 and classes.std() > 0.1
    assert padded[:, :5].numpy() == pytest.approx(word.numpy(), abs=1e-5)
    assert same.numpy() == pytest.approx(classes.numpy(), abs=1e-5)


def test_each_sentence_is_encoded_once(folder: Path) -> None:
    encoder = Words()
    pairs = [(ARTICLE, one) for one in (*SUMMARIES, f"{SUMMARIES[0]} {SUMMARIES[2]}")]
    on_words(folder, encoder).judge(pairs)
    assert len(encoder.read) == len(set(encoder.read)) > 15


def test_sources_are_held_in_chunks_that_do_not_show(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [(source, one) for source in ("", ARTICLE, SOURCE, "?") for one in SUMMARIES[:3]]
    pairs = pairs[::2] + pairs[1::2]
    whole = on_words(folder).judge(pairs)
    monkeypatch.setattr(support_model, "SOURCE_CHARACTERS", 1)
    cut = on_words(folder).judge(pairs)
    for one, other in zip(whole, cut, strict=True):
        assert one.coverage == other.coverage
        for mine, yours in zip(one.sentences, other.sentences, strict=True):
            assert mine.unsupported == pytest.approx(yours.unsupported, abs=1e-6)


def test_more_pairs_than_are_remembered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support_model, "REMEMBERED", 3)
    model = on_words(folder)
    pairs = [(ARTICLE, one) for one in SUMMARIES]
    first = model.judge(pairs[:2])
    assert len(model.judge(pairs)) == len(pairs)
    assert model.judge(pairs[:2])[0].sentences[0].unsupported == pytest.approx(
        first[0].sentences[0].unsupported
    )
    assert model.judge([]) == []


def test_settings_are_used(folder: Path) -> None:
    (plain,) = on_words(folder).judge([(ARTICLE, SUMMARIES[2])])
    # Every logit times 0 and up by 2.
    (flat,) = on_words(folder, word=(0.0, 0.0, 2.0)).judge([(ARTICLE, SUMMARIES[2])])
    assert flat.sentences[0].unsupported == pytest.approx(1 / (1 + math.exp(-2)))
    assert plain.sentences[0].unsupported.std() > 0.01
    # And by the distance alone.
    (far,) = on_words(folder, word=(0.0, 3.0, -1.0)).judge([(ARTICLE, SUMMARIES[2])])
    distance = 1 - far.sentences[0].similarities
    assert distance.std() > 0.01
    assert far.sentences[0].unsupported == pytest.approx(1 / (1 + np.exp(1 - 3 * distance)))
    (strict,) = on_words(folder, claim=1e9).judge([(ARTICLE, SUMMARIES[2])])
    assert [one.has_claim for one in strict.sentences] == [False, False]
    assert [one.has_claim for one in plain.sentences] == [True, True]
    assert on_words(folder).decision == Decision(0.4, 0.6, 3.0, -1.5)


def test_a_sentence_is_as_near_as_its_evidence_and_a_word_as_the_whole_source(folder: Path) -> None:
    pair = ("Cat sat. Dog ran. Bird flew. Cow ate.", "Cat dog bird cow.")
    (found,) = on_words(folder).judge([pair])
    (one,) = found.sentences
    assert len(one.evidence) == 3
    assert one.similarities == pytest.approx([1, 1, 1, 1], abs=1e-5)
    assert one.near_evidence[:3] == pytest.approx([1, 1, 1], abs=1e-5)
    assert one.near_evidence[3] < 0.95  # the fourth word's sentence is no evidence
    assert one.content.tolist() == [True, True, True, True]


# --- files ---------------------------------------------------------------------------------------


def test_settings_and_weights_come_back_as_they_were_written(tmp_path: Path) -> None:
    kept, made = settings_of("words", Words.id, WIDTH), network(2, WIDTH)
    assert write(tmp_path / "new" / "folder", kept, made) == tmp_path / "new" / "folder" / WEIGHTS
    assert read_settings(tmp_path / "new" / "folder") == kept
    again = read_network(tmp_path / "new" / "folder", kept)
    for name, value in made.state_dict().items():
        assert torch.equal(again.state_dict()[name], value)
    assert not again.training
    first = (tmp_path / "new" / "folder" / WEIGHTS).read_bytes()
    write(tmp_path / "new" / "folder", kept, made)
    assert (tmp_path / "new" / "folder" / WEIGHTS).read_bytes() == first


def described(folder: Path, **changed: Any) -> Path:
    """A file whose settings have other fields than they should; None leaves one out."""
    kept = settings_of("words", Words.id, WIDTH)
    raw = {"format": support_model.FORMAT, **{k: getattr(kept, k) for k in Settings.__slots__}}
    raw = {k: v for k, v in (raw | changed).items() if v is not None}
    return with_metadata(folder, json.dumps(raw))


def with_metadata(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    weights = {name: value.contiguous() for name, value in network(0, WIDTH).state_dict().items()}
    save_file(weights, folder / WEIGHTS, metadata={"settings": text})
    return folder


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": support_model.FORMAT + 1}, "another version"),
        ({"format": None}, "no support model"),
        ({"word": None}, "no support model"),
        ({"hidden": None}, "no support model"),
        ({"surprise": 1}, "no support model"),
        ({"features": ["in_source", "in_the_air"]}, "features.*in_the_air"),
    ],
)
def test_settings_of_another_version_are_refused(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    assert read_settings(described(tmp_path)).width == WIDTH
    with pytest.raises(ModelError, match=message):
        read_settings(described(tmp_path, **changed))


def test_settings_that_name_no_further_model_are_read_and_others_refused(tmp_path: Path) -> None:
    fields = ("likelihood", "likelihood_id", "inference", "inference_id")
    old = read_settings(described(tmp_path, **dict.fromkeys(fields, "")))
    assert old == settings_of("words", Words.id, WIDTH)
    with pytest.raises(ModelError, match="features of another model: likelihood"):
        read_settings(described(tmp_path, likelihood="lm"))


@pytest.mark.parametrize("text", ["", "{", "7", "[]", '"format"', "null", "{}"])
def test_settings_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ModelError, match="no support model"):
        read_settings(with_metadata(tmp_path, text))


def test_damaged_and_foreign_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no support model"):
        read_settings(tmp_path)
    save_file({"x": torch.zeros(2)}, tmp_path / WEIGHTS)
    with pytest.raises(ModelError, match="no support model"):
        read_settings(tmp_path)
    described(tmp_path)
    whole = (tmp_path / WEIGHTS).read_bytes()
    for cut in (b"", whole[:100], whole[:-10], b"\xff" * 200):
        (tmp_path / WEIGHTS).write_bytes(cut)
        with pytest.raises(ModelError, match="no support model"):
            read_settings(tmp_path)


def test_weights_that_do_not_fit_their_settings_are_refused(tmp_path: Path) -> None:
    described(tmp_path, hidden=9)
    model = Support(tmp_path, read_settings(tmp_path), Words(), "x")
    with pytest.raises(ModelError, match="do not fit"):
        model.judge([(ARTICLE, SUMMARIES[0])])


def test_another_encoder_than_it_was_trained_on_is_refused(tmp_path: Path) -> None:
    write(tmp_path, settings_of("mini", "mini@000000000000", 384), network(0, 384))
    with pytest.raises(ModelError, match=r"trained on the encoder mini@000000000000, and mini@53"):
        load_support(tmp_path, "own", device="cpu", dtype=None)


@pytest.mark.parametrize(
    ("id", "plain"),
    [
        ("mini@53aa51172d14", "mini@53aa51172d14"),
        ("mini@53aa51172d14/bfloat16", "mini@53aa51172d14"),
        ("owner/name@53aa51172d14", "owner/name@53aa51172d14"),
        ("owner/name@53aa51172d14/float16", "owner/name@53aa51172d14"),
    ],
)
def test_an_encoder_is_known_by_name_and_weights(id: str, plain: str) -> None:
    assert without_dtype(id) == plain


# --- models that have not seen a document --------------------------------------------------------


class Named:
    """A model whose verdicts carry its name, as the number of source sentences."""

    def __init__(self, name: str, number: int) -> None:
        self.id = f"{name}@{number}{number}{number}{number}{number}{number}789012+mini@1"
        self.decision = Decision(0.1 * number, 0.9, 1.0, 0.0)
        self.number = number
        self.calls: list[list[tuple[str, str]]] = []

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        self.calls.append(list(pairs))
        return [Verdict((), Coverage(source_sentences=self.number)) for _ in pairs]


def test_a_document_is_judged_by_the_model_that_has_not_seen_it() -> None:
    every, one, two = Named("all", 1), Named("a", 2), Named("b", 3)
    owner = {document_id("A"): "a", document_id("B"): "b", document_id("B2"): "b"}
    model = CrossFitted(every, {"a": one, "b": two}, owner)  # type: ignore[arg-type,dict-item]
    pairs = [("B", "1"), ("new", "2"), ("A", "3"), ("B2", "4"), ("A", "5"), ("new", "6")]
    found = [verdict.coverage.source_sentences for verdict in model.judge(pairs)]
    assert found == [3, 1, 2, 3, 2, 1]
    assert one.calls == [[("A", "3"), ("A", "5")]] and len(two.calls) == len(every.calls) == 1
    assert model.decision == every.decision
    assert model.id == f"{every.id}/without:222222+333333"
    assert model.judge([]) == []
    assert isinstance(model, SupportModel)


def test_a_piece_of_a_known_document_is_of_its_fold() -> None:
    every, one, two = Named("all", 1), Named("a", 2), Named("b", 3)
    first, second = "The council met.", "It was late."
    owner = {document_id(first): "a", document_id(second): "b"}
    model = CrossFitted(every, {"a": one, "b": two}, owner)  # type: ignore[arg-type,dict-item]
    sources = [first, f"Rain fell. {second}", f"{first} {second}", "Rain fell. The council sat."]
    found = model.judge([(source, "It met.") for source in sources])
    assert [verdict.coverage.source_sentences for verdict in found] == [2, 3, 2, 1]


def crossfitted(folder: Path, owner: Any) -> Path:
    written(folder, seed=1)
    written(folder / "news", seed=2)
    (folder / FOLDS).write_text(owner if isinstance(owner, str) else json.dumps({"owner": owner}))
    return folder


def test_a_folder_with_folds_is_cross_fitted(tmp_path: Path) -> None:
    folder = crossfitted(tmp_path / "own", {document_id(ARTICLE): "news"})
    model = load_support(folder, "own", device="cpu", dtype=None)
    assert isinstance(model, CrossFitted)
    pairs = [(ARTICLE, SUMMARIES[1]), (SOURCE, SUMMARIES[1])]
    found = [value_of(one) for one in model.judge(pairs)]
    without = load_support(folder / "news", "news", device="cpu", dtype=None)
    (folder / FOLDS).unlink()
    every = load_support(folder, "own", device="cpu", dtype=None)
    assert isinstance(every, Support)
    # The id covers the file of folds, which says who judges what.
    whole_id, _, others = model.id.partition("/without:")
    assert others and whole_id.partition("@")[0] == "own" and whole_id != every.id
    fold, whole = ([value_of(v) for v in one.judge(pairs)] for one in (without, every))
    assert found == pytest.approx([fold[0], whole[1]], abs=1e-6)
    assert abs(fold[0] - whole[0]) > 1e-3  # type: ignore[operator]
    assert abs(fold[1] - whole[1]) > 1e-3  # type: ignore[operator]


@pytest.mark.parametrize(
    "owner",
    ["", "{", "[]", "{}", '{"owner": [1]}', {"x": 1}, {"x": None}, {"x": ["a"]},
     {"x": "news", "y": 2}],
)  # fmt: skip
def test_folds_that_cannot_be_read_are_refused(tmp_path: Path, owner: Any) -> None:
    folder = crossfitted(tmp_path / "own", owner)
    with pytest.raises(ModelError, match=r"folds\.json cannot be read"):
        load_support(folder, "own", device="cpu", dtype=None)


def test_a_fold_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder = crossfitted(tmp_path / "own", {"x": "news", "y": "mail"})
    with pytest.raises(ModelError, match="mail"):
        load_support(folder, "own", device="cpu", dtype=None)
