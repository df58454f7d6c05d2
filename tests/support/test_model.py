"""The support model on a tiny encoder of random weights: what holds for any weights. What only
trained ones do is `slow` and of the shipped model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.helpers.tiny_support import network, read, save_encoder, save_support, settings_of

from faithkit import Example, models
from faithkit.language.sentences import closed_sentences
from faithkit.metrics.support import Support as Metric
from faithkit.models.batching import TokenBudget
from faithkit.models.protocols import Decision, SupportModel, Verdict
from faithkit.models.runtime import Runtime
from faithkit.records import Coverage, ModelError
from faithkit.support import model as support_model
from faithkit.support.calibration import Calibration, max_logit, sentence_features
from faithkit.support.evidence import Source
from faithkit.support.files import read_settings
from faithkit.support.inputs import Input, attach_evidence, encode
from faithkit.support.model import Logits, Support, load_support
from faithkit.support.network import write

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
    "x" * 300,
]


def load(folder: Path) -> Support:
    """The model in a folder, which remembers nothing yet."""
    return load_support(folder, folder.name, device="cpu", dtype=None)


@pytest.fixture
def model(tiny_support: Path) -> Support:
    return load(tiny_support)


def values(metric: Metric, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
    rows = [Example(str(i), *pair) for i, pair in enumerate(pairs)]
    return [score.value for score in metric.score(rows)]


def judge(model: Support, *summaries: str, source: str = ARTICLE) -> list[Verdict]:
    return model.judge([(source, summary) for summary in summaries])


def assert_same(first: Verdict, second: Verdict, tolerance: float = 1e-6) -> None:
    assert first.coverage == second.coverage
    for one, other in zip(first.sentences, second.sentences, strict=True):
        assert (one.start, one.end, one.has_claim) == (other.start, other.end, other.has_claim)
        assert one.probabilities == pytest.approx(other.probabilities, abs=tolerance)
        assert one.supported == pytest.approx(other.supported, abs=tolerance)
        assert one.unsupported == pytest.approx(other.unsupported, abs=tolerance)
        assert one.evidence == other.evidence
        for name in ("words", "content", "nearest"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()


# --- verdicts ------------------------------------------------------------------------------------


def test_verdict_is_that_of_the_networks_logits(model: Support) -> None:
    summary = "Lee voted against the library."
    (sentence,) = judge(model, summary)[0].sentences
    (claim,) = read(summary)
    source = Source(read(*(piece.text for piece in closed_sentences(ARTICLE))))
    reading = model.read(claim, source)
    ((words, classes, _),) = model.logits([encode(reading)])
    calibration = model.settings.calibration
    content = np.array([True, True, False, False, True])
    assert sentence.content.tolist() == content.tolist()
    assert sentence.unsupported == pytest.approx(calibration.unsupported(words))
    doubts = sentence_features(words, content, classes)
    supported = calibration.supported(doubts, max_logit(words, content))
    assert sentence.supported == pytest.approx(supported)
    shares = np.exp(classes) / np.exp(classes).sum()
    assert sentence.probabilities == pytest.approx(shares.tolist(), abs=1e-6)
    # What stands around it is read too, but is no evidence of its own.
    assert len(reading.evidence) > reading.selected == len(sentence.evidence) > 1


def test_verdict_points_into_both_texts(model: Support) -> None:
    for summary, found in zip(SUMMARIES, judge(model, *SUMMARIES), strict=True):
        assert [(one.start, one.end) for one in found.sentences] == [
            (one.start, one.end) for one in closed_sentences(summary)
        ]
        for one in found.sentences:
            places = one.words.tolist()
            assert places == sorted(places)
            covered = {place for start, end in places for place in range(start, end)}
            inside = range(one.start, one.end)
            assert covered <= set(inside)
            assert covered >= {place for place in inside if summary[place].isalnum()}
            assert one.unsupported.shape == one.content.shape == (len(places),)
            assert ((one.unsupported >= 0) & (one.unsupported <= 1)).all()
            assert 0 <= one.supported <= 1 and sum(one.probabilities) == pytest.approx(1)
            labels = [item.label for item in one.evidence]
            assert labels == ["best match", *["evidence"] * (len(labels) - 1)]
            for item in one.evidence:
                assert 0 <= item.start < item.end <= len(ARTICLE)
                assert (item.summary_start, item.summary_end) == (one.start, one.end)
                assert 0 <= item.score <= 1
            spans = {(item.start, item.end) for item in one.evidence}
            assert one.nearest.shape == (len(places), 2)
            assert set(map(tuple, one.nearest.tolist())) <= spans
        assert found.coverage.summary_tokens == sum(len(one.words) for one in found.sentences)


def test_evidence_of_a_copied_sentence_is_that_sentence(model: Support) -> None:
    copied = "Two members, Lee and Okafor, voted against the plan."
    best = judge(model, copied)[0].sentences[0].evidence[0]
    assert ARTICLE[best.start : best.end] == copied
    assert best.score == pytest.approx(1)


def test_score_of_evidence_is_the_share_of_the_words_it_has(model: Support) -> None:
    source = "The red dog ran."
    (one,) = judge(model, "The red cat.", source=source)[0].sentences
    assert one.evidence[0].score == pytest.approx((0.1 + 1) / 2.1)


def test_words_of_a_reordered_reading_are_in_the_order_of_the_summary(model: Support) -> None:
    summary = "It cost £5m on 3 February 2019."
    (one,) = judge(model, summary)[0].sentences
    assert one.words.tolist() == sorted(one.words.tolist())
    shown = [summary[start:end] for start, end in one.words.tolist()]
    assert shown[:2] == ["It", "cost"] and "February" in shown


def test_without_a_source_nothing_is_supported(model: Support) -> None:
    for source in ("", " \n", "... ?!"):
        (found,) = judge(model, "A word. Another one.", source=source)
        assert found.coverage == Coverage(summary_tokens=4, summary_sentences=2)
        for one in found.sentences:
            assert one.supported == 0 and one.probabilities == (0, 1, 0)
            assert (one.unsupported == 1).all()
            assert one.evidence == () and one.nearest.shape == (0, 2)


@pytest.mark.parametrize(
    ("pair", "sentences"),
    [
        (("", ""), 0),
        (("A word.", ""), 0),
        (("A word.", "..."), 0),
        (("?!", "A word."), 1),
        (("A word.", "漢字を書く。"), 1),
        (("\u0301\u200b", "\u0301a\u0301"), 1),
        (("[SEP] [CLS]", "[SEP] [PAD] [MASK]"), 1),
        (("A\x00b\x1c", "a\x85b\u2028c"), 1),
        (("🎉", "🎉 party 🎉"), 1),
        (("a" * 5000, "a" * 5000), 1),
        (("A word.", "a\n\n\nb"), 2),
    ],
)
def test_odd_texts_are_judged(model: Support, pair: tuple[str, str], sentences: int) -> None:
    (found,) = model.judge([pair])
    assert len(found.sentences) == sentences
    for one in found.sentences:
        assert math.isfinite(one.supported) and np.isfinite(one.unsupported).all()


def test_special_tokens_in_a_text_are_text(model: Support) -> None:
    plain, special = judge(model, "The library SEP burned.", "The library [SEP] burned.")
    assert len(plain.sentences[0].words) == len(special.sentences[0].words)
    source = "The library burned. [SEP] The council [CLS] met. [PAD]"
    (found,) = judge(model, "The library burned.", source=source)
    assert found.coverage.source_tokens == 9
    ids = {
        token for one in read("[SEP] the [PAD] [CLS] [MASK] [UNK]") for token in one.ids.tolist()
    }
    assert not ids & {0, 101, 102, 103}


def test_long_sentence_is_read_in_pieces_and_nothing_is_cut(model: Support) -> None:
    words = [f"word{number}" for number in range(400)]
    (found,) = judge(model, " ".join(words) + ".", source=ARTICLE + " " + " ".join(words))
    assert len(found.sentences) > 4
    assert sum(len(one.words) for one in found.sentences) == 400
    coverage = found.coverage
    assert coverage.summary_tokens == 400
    assert coverage.source_tokens_cut == coverage.summary_tokens_cut == 0
    assert sum(1 for piece in found.sentences for _ in piece.words) == 400
    for one in found.sentences:
        assert one.evidence and one.evidence[0].score > 0.3


def test_sentence_that_claims_nothing_is_told_by_its_logit(
    tiny_encoder: Path, tmp_path: Path
) -> None:
    model = load(save_support(tmp_path / "m", tiny_encoder))
    logits = [
        model.logits([encode(attach_evidence(one, Source([])))])[0][2]
        for one in read(*SUMMARIES[:2])
    ]
    for limit in (min(logits) - 1, max(logits) + 1):
        model.settings = replace(model.settings, non_claim=limit)
        model.forget()
        found = [judge(model, one, source="")[0].sentences[0].has_claim for one in SUMMARIES[:2]]
        assert found == [limit > max(logits)] * 2


def test_sentence_that_says_nothing_is_no_claim_but_as_an_answer(model: Support) -> None:
    model.settings = replace(model.settings, non_claim=math.inf)
    found = judge(model, "Hello. Was it lost? No. Yes.")[0].sentences
    assert [one.has_claim for one in found] == [False, True, True, False]


def test_source_of_50000_words_is_read_whole(model: Support) -> None:
    filler = [
        f"Member {i} of group {i % 97} spoke about plan {i % 13} at length." for i in range(4500)
    ]
    filler[4321] = "Zebras escaped from Brookfield zoo."
    source = "\n\n".join(filler)
    assert len(source.split()) > 45_000
    (found,) = judge(model, "Zebras escaped from the zoo.", source=source)
    best = found.sentences[0].evidence[0]
    assert source[best.start : best.end] == filler[4321]
    assert found.coverage.source_sentences == 4500
    assert found.coverage.source_tokens_cut == 0


# --- appended text -------------------------------------------------------------------------------


def test_appended_text_never_raises_the_value(model: Support) -> None:
    metric = Metric(model)
    pairs = [(ARTICLE, one) for one in SUMMARIES]
    before = values(metric, pairs)
    model.forget()
    longer = [(ARTICLE, f"{one} {suffix}") for one in SUMMARIES for suffix in SUFFIXES]
    after = values(metric, longer)
    for i, (_, summary) in enumerate(longer):
        base, value = before[i // len(SUFFIXES)], after[i]
        assert base is not None and value is not None and value <= base + 1e-6, summary


any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
marked_text = st.text(st.sampled_from("aB é.?!…:;,'\"’”)](\n\t\r0\u2028\u00a0\x1c漢"), max_size=60)
summaries = st.lists(
    st.sampled_from([*(piece.text for piece in closed_sentences(ARTICLE)), *SUMMARIES, "?!"]),
    min_size=1,
    max_size=4,
).map(" ".join)


@pytest.fixture(scope="module")
def shared(tiny_support: Path) -> Support:
    return load(tiny_support)


@settings(max_examples=60, deadline=None)
@given(summaries, any_text | marked_text | summaries)
@example("The library.", "Lord's")
def test_any_text_may_be_appended(shared: Support, summary: str, suffix: str) -> None:
    # The model itself: the metric's plain form is tested in tests/metrics.
    before, after = judge(shared, summary, f"{summary} {suffix}")
    for one, other in zip(before.sentences, after.sentences, strict=False):
        assert other.supported == pytest.approx(one.supported, abs=1e-6)
    assert len(after.sentences) >= len(before.sentences)


# --- batches and memory --------------------------------------------------------------------------


PAIRS = [(source, one) for source in (ARTICLE, "", "The library burned.") for one in SUMMARIES]


def test_alone_in_a_batch_and_backwards_are_the_same(
    model: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = model.judge(PAIRS)
    model.forget()
    backwards = model.judge(PAIRS[::-1])[::-1]
    alone = []
    for pair in PAIRS:
        model.forget()
        alone += model.judge([pair])
    monkeypatch.setattr(model.engine, "batch", TokenBudget(1, 1))
    model.forget()
    one_by_one = model.judge(PAIRS)
    for first, *others in zip(together, backwards, alone, one_by_one, strict=True):
        for other in others:
            assert_same(first, other)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many inputs the network is asked about at a time, from now on."""
    calls: list[int] = []
    whole = Support.logits

    def logits(self: Support, inputs: Iterable[Input]) -> list[Logits]:
        taken = list(inputs)
        calls.extend([len(taken)] if taken else [])
        return whole(self, taken)

    monkeypatch.setattr(Support, "logits", logits)
    return calls


def test_verdicts_are_remembered(model: Support, monkeypatch: pytest.MonkeyPatch) -> None:
    first = judge(model, *SUMMARIES)
    calls = counted(monkeypatch)
    again = judge(model, *SUMMARIES, SUMMARIES[0])
    assert calls == [] and all(a is b for a, b in zip(first, again, strict=False))
    model.forget()
    judge(model, SUMMARIES[0], SUMMARIES[0])
    assert calls == [1]


def test_only_the_changed_sentence_of_a_summary_is_read_again(
    model: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = counted(monkeypatch)
    judge(model, "The mayor said so. Lee voted for")
    (longer,) = judge(model, "The mayor said so. Lee voted for the plan.")
    assert calls == [2, 1]
    model.forget()
    assert_same(judge(model, "The mayor said so. Lee voted for the plan.")[0], longer)
    assert calls == [2, 1, 2]


def test_claims_of_the_same_tokens_but_other_words_are_told_apart(model: Support) -> None:
    one, two = judge(model, "0\u0b45.", "0\u0b451.")  # a token each, of one word and of two
    assert [len(verdict.sentences[0].words) for verdict in (one, two)] == [1, 2]


def test_no_more_sentences_are_remembered_than_the_limit(
    model: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(support_model, "REMEMBERED_SENTENCES", 2)
    first = judge(model, *SUMMARIES)
    assert len(model._logits) == 2
    model._verdicts.clear()
    for one, other in zip(first, judge(model, *SUMMARIES), strict=True):
        assert_same(one, other)


def test_more_pairs_than_are_remembered_are_judged(
    model: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(support_model, "REMEMBERED_VERDICTS", 3)
    first = judge(model, *SUMMARIES[:2])
    everything = judge(model, *SUMMARIES)
    assert len(everything) == len(SUMMARIES)
    assert_same(everything[0], first[0])
    assert_same(judge(model, SUMMARIES[1])[0], first[1])
    assert model.judge([]) == []


def test_sentences_of_a_source_are_read_once(
    model: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    whole = support_model.read_source
    monkeypatch.setattr(
        support_model,
        "read_source",
        lambda text, *rest, **by: calls.append(text) or whole(text, *rest, **by),
    )
    judge(model, *SUMMARIES)
    judge(model, "One more.")
    assert calls == [ARTICLE]


def test_logits_that_are_no_numbers_are_an_error(tiny_encoder: Path, tmp_path: Path) -> None:
    for head in ("word", "sentence", "non_claim"):
        broken = network(tiny_encoder)
        with torch.no_grad():
            for weights in getattr(broken, head).parameters():
                weights.fill_(torch.nan)
        write(tmp_path / head, settings_of(tiny_encoder), broken)
        with pytest.raises(ModelError, match="no number"):
            judge(load(tmp_path / head), "A word.")


# --- files ---------------------------------------------------------------------------------------


def test_satisfies_its_protocol_and_says_what_it_is(model: Support) -> None:
    assert isinstance(model, SupportModel)
    name, _, encoder = model.id.partition("+")
    assert name.startswith("model@") and encoder == model.settings.encoder_id
    assert model.decision == Decision(0.3, 0.7, 1.5) and model.marked == 0.5
    assert model.language == "en"
    assert model.trained_on == {"storysumm_dev"}


def test_is_loaded_by_its_folder(tiny_support: Path) -> None:
    loaded = models.load(f"support:{tiny_support}", Runtime("cpu", offline=True))
    assert isinstance(loaded, Support)
    assert loaded.id == load(tiny_support).id


def test_settings_are_used(tiny_support: Path) -> None:
    for budget in (1, 1000):
        model = load(tiny_support)
        model.settings = replace(model.settings, budget=budget)
        (one,) = judge(model, "The library council voted against the old bridge.")[0].sentences
        assert (len(one.evidence) == 1) == (budget == 1)
    model.settings = replace(model.settings, calibration=Calibration((0.0, -2.0), (0.0, 0.0)))
    model.forget()
    (one,) = judge(model, "The old library burned.")[0].sentences
    assert one.unsupported == pytest.approx(1 / (1 + math.exp(2)))
    assert one.supported == pytest.approx(1 / (1 + math.exp(-2)))  # as its most doubtful word


def test_another_encoder_than_it_was_trained_on_is_refused(
    tiny_support: Path, tmp_path: Path
) -> None:
    other = save_encoder(tmp_path / "tiny", seed=1)
    settings = read_settings(tiny_support)
    folder = save_support(tmp_path / "model", other, encoder_id=settings.encoder_id)
    with pytest.raises(ModelError, match=r"was trained on the encoder tiny@\w+, and tiny@\w+ is"):
        load(folder)


def test_another_precision_runs_by_torch_and_its_id_says_so(tiny_support: Path) -> None:
    whole = load_support(tiny_support, "m", device=None, dtype="float32")
    half = load_support(tiny_support, "m", device="cpu", dtype="bfloat16")
    assert half.id == f"{whole.id}/bfloat16"
    pair = ARTICLE, "Anna Reyes opened a library. Bees sing."
    ours, theirs = (
        [one for sentence in model.judge([pair])[0].sentences
         for one in (*sentence.unsupported, *sentence.probabilities)]
        for model in (whole, half)
    )  # fmt: skip
    assert theirs == pytest.approx(ours, abs=0.05) and theirs != ours


# --- the shipped model ---------------------------------------------------------------------------


@pytest.mark.slow
def test_shipped_model_tells_what_the_source_says_from_what_it_does_not() -> None:
    metric = Metric(models.load("support:mini", Runtime("cpu", offline=True)))
    good = [piece.text for piece in closed_sentences(ARTICLE)]
    bad = [
        "The council of Brookfield voted on Friday to spend £1.9m on a new library.",
        "Mayor Anna Reyes said building work would begin in May.",
        "Four members voted against the plan.",
        "The old library survived the flood.",
        "12,000 people were hurt.",
    ]
    supported = values(metric, [(ARTICLE, one) for one in good])
    unsupported = values(metric, [(ARTICLE, one) for one in bad])
    assert min(supported) > 0.7  # type: ignore[type-var,operator]
    assert sorted(unsupported)[2] < min(supported)  # type: ignore[type-var,operator]
