"""The longest supported subsequence: pure functions by hand, the metrics on fake models."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import tiny_models
from tests.helpers.load_metric import load_metric

from faithkit import Example, Outcome, Score
from faithkit.language.sentences import sentences
from faithkit.metrics.lss import (
    LssBertScore,
    LssBleu,
    LssRouge1,
    LssRouge2,
    LssRougeL,
    LssShare,
)
from faithkit.metrics.subsequence import claim_words, repair, subsequence_text
from faithkit.models.generation import Seq2SeqGenerator
from faithkit.models.protocols import (
    Decision,
    Generated,
    Generator,
    SentenceVerdict,
    SupportModel,
    Verdict,
)
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError, Coverage, Evidence

ALL = [LssBleu, LssRouge1, LssRouge2, LssRougeL, LssShare]
SOURCE = "The council approved the plan. Work begins in May."
CLAIM = "The council approved a new stadium on Friday."


class Support:
    """Doubts each word by the number given for it, else 0.9 where the source lacks the word and
    0.1 where it has it. A sentence that begins with "Hello" has no claim."""

    id = "fake@0"
    decision = Decision(0.4, 0.7)
    marked = 0.5
    doubtful = 0.5

    def __init__(self, doubts: dict[str, float] | None = None, cut: int = 0) -> None:
        self._doubts = doubts or {}
        self._cut = cut

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        return [self._judge(*pair) for pair in pairs]

    def _judge(self, source: str, summary: str) -> Verdict:
        pieces = []
        for piece in sentences(summary):
            own = claim_words(piece.text)
            there = {word.text for word in claim_words(source)}
            offsets = [(piece.start + word.start, piece.start + word.end) for word in own]
            doubts = [self._doubts.get(w.text, 0.1 if w.text in there else 0.9) for w in own]
            pieces.append(
                SentenceVerdict(
                    piece.start,
                    piece.end,
                    not piece.text.startswith("Hello"),
                    (1.0, 0.0, 0.0),
                    1.0,
                    np.array(offsets, dtype=np.int64).reshape(-1, 2),
                    np.array(doubts, dtype=np.float32),
                    (Evidence(0, len(source), piece.start, piece.end),),
                )
            )
        coverage = Coverage(source_sentences=2, summary_sentences=1, summary_tokens_cut=self._cut)
        return Verdict(tuple(pieces), coverage)


class Writer:
    """Writes what it was given for a claim; a claim it was given an outcome for fails with it."""

    id = "writer@0"

    def __init__(self, texts: dict[str, str | Outcome]) -> None:
        self._texts = texts
        self.asked: list[tuple[str, str]] = []

    def generate(self, pairs: Sequence[tuple[str, str]]) -> list[Generated]:
        self.asked += pairs
        found = []
        for source, claim in pairs:
            text = self._texts[claim]
            failed = isinstance(text, Outcome)
            tokens = len(claim.split())
            found.append(
                Generated(
                    text if failed else Outcome.OK,
                    "" if failed else text,
                    100 - tokens,
                    len(source) - (100 - tokens),
                    tokens,
                )
            )
        return found


def one(metric: type[LssBleu], summary: str, model: object, source: str = SOURCE, **options):
    (score,) = metric(model, **options).score([Example("x", source, summary)])  # type: ignore[arg-type]
    return score


def text_of(claim: str, dropped: str) -> str:
    own = claim_words(claim)
    kept = [word.text not in dropped.split() for word in own]
    return subsequence_text(claim, [(word.start, word.end) for word in own], kept)


def test_the_fakes_satisfy_the_protocols() -> None:
    assert isinstance(Support(), SupportModel)
    assert isinstance(Writer({}), Generator)
    assert not isinstance(Support(), Generator)


@pytest.mark.parametrize(
    ("claim", "dropped", "expected"),
    [
        ("The council, on Friday, met.", "", "The council, on Friday, met."),
        ("The council, on Friday, met.", "on Friday", "The council, met."),
        ("The council, on Friday, met.", "met", "The council, on Friday,"),
        ("They spent £3m (or $4m) on it.", "or", "They spent £3m $4m) on it."),
        ("They spent £3m (or $4m) on it.", "3m", "They spent (or $4m) on it."),
        ('He said: "Stop it." Then left.', "Stop", "He said: it.\" Then left."),
        ("A red—blue car", "blue", "A red— car"),
        ("A cat – a big one – slept.", "a big one", "A cat – slept."),
        ("  One two  ", "two", "One"),
        ("One two", "One two", ""),
    ],
)  # fmt: skip
def test_punctuation_stays_with_its_word(claim: str, dropped: str, expected: str) -> None:
    assert text_of(claim, dropped) == expected


@given(st.text(alphabet="ab £.(\n—\"'", max_size=30), st.data())
def test_a_subsequence_holds_its_words_in_order_and_the_whole_is_the_claim(
    claim: str, data: st.DataObject
) -> None:
    own = claim_words(claim)
    if not own:
        return
    offsets = [(word.start, word.end) for word in own]
    kept = data.draw(st.lists(st.booleans(), min_size=len(own), max_size=len(own)))
    assert subsequence_text(claim, offsets, [True] * len(own)) == claim.strip()
    found = "".join(filter(str.isalnum, subsequence_text(claim, offsets, kept)))
    expected = "".join(word.text for word, keep in zip(own, kept, strict=True) if keep)
    assert found == "".join(filter(str.isalnum, expected))


@pytest.mark.parametrize(
    ("generated", "claim", "kept", "added", "reordered", "longer"),
    [
        ("council met", "The council met twice", "0110", 0, 0, 0),
        ("The Council MET", "the council met twice", "1110", 0, 0, 0),
        ("council never met", "the council met", "011", 1, 0, 0),
        ("met council", "the council met", "001", 0, 1, 0),
        ("the dog", "the cat the dog", "0011", 0, 0, 0),
        ("a a b", "a b", "11", 1, 0, 1),
        ("", "a b", "00", 0, 0, 0),
        ("x y z", "a", "0", 3, 0, 2),
    ],
)
def test_a_repair_keeps_the_common_words_and_counts_the_others(
    generated: str, claim: str, kept: str, added: int, reordered: int, longer: int
) -> None:
    found = repair(generated.split(), claim.split())
    assert "".join(str(int(keep)) for keep in found.kept) == kept
    assert (found.added, found.reordered, found.longer) == (added, reordered, longer)


def longest_by_trying(ours: list[str], theirs: list[str]) -> int:
    for length in range(len(theirs), 0, -1):
        for some in combinations(theirs, length):
            rest = iter(ours)
            if all(word in rest for word in some):
                return length
    return 0


@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_a_repair_is_the_longest_common_subsequence(ours: list[str], theirs: list[str]) -> None:
    found = repair(ours, theirs)
    some = [word for word, keep in zip(theirs, found.kept, strict=True) if keep]
    rest = iter(ours)
    assert all(word in rest for word in some)
    assert len(some) == longest_by_trying(ours, theirs)
    assert len(some) + found.added + found.reordered == len(ours)


@pytest.mark.slow
def test_the_metrics_by_hand() -> None:
    """LSS: 'The council approved', 3 of 8 words. The claim has 9 tokens with its full stop, the LSS
    3; all n-grams of the LSS are in the claim, so BLEU is the brevity penalty exp(1 - 9/3)."""
    expected = {
        "lss_bleu": math.exp(1 - 9 / 3),
        "lss_rouge1": 2 * 3 / (3 + 8),
        "lss_rouge2": 2 * 2 / (2 + 7),
        "lss_rougeL": 2 * 3 / (3 + 8),
        "lss_share": 3 / 8,
    }
    for metric in ALL:
        score = one(metric, CLAIM, Support())
        assert score.value == pytest.approx(expected[metric.name], abs=1e-6), metric.name
        assert score.parts == {"share": 3 / 8, "words": 8, "words_kept": 3, "violations": 0}


def test_lss_bleu_with_nltks_smoothing_by_hand() -> None:
    # LSS "The council approved": 3 of 8 white-space words. 1-, 2- and 3-grams all match; of the one
    # 4-gram there is none, so method 4 puts ln 3 / (2 * 5) for it.
    expected = math.exp(1 - 8 / 3) * (math.log(3) / 10) ** (1 / 4)
    score = one(LssBleu, CLAIM, Support(), smoothing="nltk")
    assert score.value == pytest.approx(expected, abs=1e-6)


def test_the_words_left_out_are_spans_and_the_sources_sentences_evidence() -> None:
    score = one(LssBleu, CLAIM, Support({"new": 0.75}))
    marked = [(CLAIM[span.start : span.end], span.label) for span in score.spans]
    assert marked == [(w, "unsupported") for w in ("a", "new", "stadium", "on", "Friday")]
    # The support model's doubts are .9, .75, .9, .9 and .9.
    assert [span.score for span in score.spans] == pytest.approx([0.1, 0.25, 0.1, 0.1, 0.1])
    assert score.evidence == (Evidence(0, len(SOURCE), 0, len(CLAIM)),)
    assert score.coverage.source_sentences == 2


def test_the_threshold_decides_which_words_are_kept() -> None:
    model = Support({"new": 0.12, "stadium": 0.5})
    assert one(LssShare, CLAIM, model).parts["words_kept"] == 4
    assert one(LssShare, CLAIM, model, threshold=0.51).parts["words_kept"] == 5
    assert one(LssShare, CLAIM, model, threshold=0.11).parts["words_kept"] == 3


@pytest.mark.parametrize("metric", ALL)
def test_everything_supported_is_one_and_nothing_is_zero(metric: type[LssBleu]) -> None:
    for summary in ("The council approved the plan.", "plan", "Work begins in May.  The plan."):
        assert one(metric, summary, Support()).value == 1
    for summary in ("Paris burned", "Paris", "Nobody came. Everyone left."):
        assert one(metric, summary, Support()).value == 0


def test_a_summary_of_several_sentences_is_one_claim() -> None:
    summary = "The council approved the plan. Paris burned."
    score = one(LssRouge1, summary, Support())
    assert score.value == pytest.approx(2 * 5 / (5 + 7))
    assert [summary[span.start : span.end] for span in score.spans] == ["Paris", "burned"]
    assert len(score.evidence) == 2


def outcome(score: Score) -> Outcome:
    assert score.value is None
    return score.outcome


def test_what_cannot_be_scored_is_an_outcome() -> None:
    assert outcome(one(LssBleu, " ", Support())) is Outcome.NO_CONTENT
    assert outcome(one(LssBleu, CLAIM, Support(), source="\n")) is Outcome.NO_CONTENT
    assert outcome(one(LssBleu, "Hello there.", Support())) is Outcome.NO_CLAIMS
    assert outcome(one(LssBleu, "... ?!", Support())) is Outcome.NO_CLAIMS
    assert outcome(one(LssBleu, CLAIM, Support(cut=3))) is Outcome.TRUNCATED_SUMMARY
    assert outcome(one(LssBleu, CLAIM, Support({"new": math.nan}))) is Outcome.MODEL_ERROR
    assert one(LssBleu, "Hello there. Work begins.", Support()).outcome is Outcome.OK


def test_text_that_rouge_has_no_token_for_is_no_content() -> None:
    summary = "火曜日、投票"
    assert outcome(one(LssRouge1, summary, Support({"投票": 0.1}))) is Outcome.NO_CONTENT
    assert one(LssShare, summary, Support({"投票": 0.1})).value == 0.5


def test_a_generated_text_is_repaired_and_its_violations_counted() -> None:
    """'never' and 'a' are added, 'council' stands behind 'approved': the LSS is 'approved a new
    stadium', 4 words in a row, so that BLEU is the brevity penalty alone."""
    writer = Writer({CLAIM: "approved council never a a new stadium"})
    score = one(LssShare, CLAIM, writer, generator="seq2seq")
    assert score.value == 4 / 8
    assert score.parts == {"share": 0.5, "words": 8, "words_kept": 4, "violations": 3}
    assert {span.score for span in score.spans} == {None}
    assert one(LssBleu, CLAIM, writer, generator="seq2seq").value == pytest.approx(
        math.exp(1 - 9 / 4)
    )


def test_a_generator_is_asked_sentence_by_sentence() -> None:
    first, second = "The council approved it.", "Paris burned on Friday."
    writer = Writer({first: "The council approved it.", second: "on Friday"})
    source = " ".join([SOURCE] * 4)
    score = one(
        LssRouge1, f"{first}\n\n***\n\n{second}", writer, source=source, generator="seq2seq"
    )
    assert writer.asked == [(source, first), (source, second)]
    assert score.value == pytest.approx(2 * 6 / (6 + 8))
    assert (score.coverage.source_tokens, score.coverage.source_tokens_cut) == (96, 107)
    assert (score.coverage.summary_tokens, score.coverage.summary_sentences) == (8, 2)


# The claim has 8 words, with its point 9 tokens of BLEU. LSS*: "A council approved stadium."; the
# LSS in it: "council approved stadium". BLEU: 4 of 5 tokens, 1 of 4 pairs and, smoothed, 1/2 of 3
# and 1/4 of 2; of the LSS 3 of 3, 1 of 2 and 1/2 of 1.
@pytest.mark.parametrize(
    ("metric", "star", "repaired"),
    [
        (LssRouge1, 2 * 4 / (4 + 8), 2 * 3 / (3 + 8)),
        (LssRouge2, 2 * 1 / (3 + 7), 2 * 1 / (2 + 7)),
        (LssRougeL, 2 * 3 / (4 + 8), 2 * 3 / (3 + 8)),
        (
            LssBleu,
            math.exp(1 - 9 / 5) * (4 / 5 * 1 / 4 * 1 / 6 * 1 / 8) ** (1 / 4),
            math.exp(1 - 9 / 3) * (3 / 3 * 1 / 2 * 1 / 2) ** (1 / 3),
        ),
    ],
)
def test_a_star_text_is_compared_as_it_is(
    metric: type[LssBleu], star: float, repaired: float
) -> None:
    writer = Writer({CLAIM: "A council approved stadium."})
    score = one(metric, CLAIM, writer, generator="seq2seq", star=True)
    assert score.value == pytest.approx(star, abs=1e-6)
    assert score.parts["words_kept"] == 3 and score.parts["violations"] == 1
    assert one(metric, CLAIM, writer, generator="seq2seq").value == pytest.approx(repaired, 1e-6)


def test_the_texts_are_part_of_the_score() -> None:
    assert one(LssBleu, CLAIM, Support()).texts == {"lss": "The council approved"}
    assert one(LssBleu, "Paris burned", Support()).texts == {"lss": ""}
    assert one(LssBleu, "?", Support()).texts == {}
    assert one(LssRouge1, "火曜日、投票", Support({"投票": 0.1})).texts == {"lss": "投票"}
    writer = Writer({CLAIM: "Council approved a stadium."})
    assert one(LssBleu, CLAIM, writer, generator="seq2seq").texts == {
        "lss": "council approved a stadium"
    }
    assert one(LssBleu, CLAIM, writer, generator="seq2seq", star=True).texts == {
        "lss": "council approved a stadium",
        "lss_star": "Council approved a stadium.",
    }


def test_the_texts_of_sentences_that_are_not_supported_leave_no_gap_in_lss_star() -> None:
    first, second, third = "The council approved it.", "Paris burned.", "Work began."
    writer = Writer({first: "The council approved.", second: "", third: "Work began."})
    score = one(LssBleu, f"{first} {second} {third}", writer, generator="seq2seq", star=True)
    assert score.texts["lss_star"] == "The council approved. Work began."


def test_a_generator_trained_for_lss_is_not_asked_for_lss_star_nor_the_other_way() -> None:
    for trained, star in ((False, True), (True, False)):
        writer = Writer({})
        writer.star = trained  # type: ignore[attr-defined]
        with pytest.raises(ConfigError, match=f"star={'off' if star else 'on'}"):
            LssBleu(writer, generator="seq2seq", star=star)
        LssBleu(writer, generator="seq2seq", star=trained)


def test_a_generator_that_writes_nothing_supports_nothing() -> None:
    score = one(LssBleu, CLAIM, Writer({CLAIM: ""}), generator="seq2seq")
    assert (score.value, score.outcome, len(score.spans)) == (0, Outcome.OK, 8)


def test_a_sentence_the_generator_cannot_take_leaves_the_summary_unscored() -> None:
    first, second = "The council approved it.", "Paris burned on Friday."
    writer = Writer({first: first, second: Outcome.TRUNCATED_SUMMARY})
    score = one(LssBleu, f"{first} {second}", writer, generator="seq2seq")
    assert outcome(score) is Outcome.TRUNCATED_SUMMARY
    assert outcome(one(LssBleu, "?! ...", writer, generator="seq2seq")) is Outcome.NO_CLAIMS


def test_options_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ConfigError, match="needs model="):
        LssBleu(generator="seq2seq")
    with pytest.raises(ConfigError, match="does not do generator=seq2seq"):
        LssBleu(Support(), generator="seq2seq")
    with pytest.raises(ConfigError, match="does not do generator=words"):
        LssBleu(Writer({}))
    with pytest.raises(ConfigError, match="star=on"):
        LssBleu(Support(), star=True)
    with pytest.raises(ConfigError, match="threshold"):
        LssBleu(Writer({}), generator="seq2seq", threshold=0.5)


def test_the_role_of_the_model_follows_the_generator() -> None:
    asked: list[str] = []

    def loaded(spec: str) -> object:
        asked.append(spec)
        return Support() if spec.startswith("support") else Writer({})

    _, signature, _ = load_metric("lss_bleu", loaded)
    assert signature.options == {
        "generator": "words",
        "threshold": 0.5,
        "star": False,
        "smoothing": "sacrebleu",
    }
    assert signature.models == {"model": "fake@0"}
    load_metric("lss_share:generator=seq2seq,star=on,model=my/folder", loaded)
    assert asked == ["support:mini", "generate:my/folder"]
    with pytest.raises(ConfigError, match="needs model="):
        load_metric("lss_share:generator=seq2seq", loaded)


@pytest.fixture(scope="module")
def bertscore() -> LssBertScore:
    from faithkit.models import load

    return LssBertScore(load("tokens:mini", Runtime("cpu", offline=True)), Support())


def test_lss_bertscore_is_bertscore_of_claim_and_lss(bertscore: LssBertScore) -> None:
    """Recomputed here from the encoder's token vectors: the best matches of either side."""
    from faithkit.models import load

    (score,) = bertscore.score([Example("x", SOURCE, CLAIM)])
    encoder = load("tokens:mini", Runtime("cpu", offline=True))
    claim, lss = encoder.encode_tokens([CLAIM, "The council approved"], layer=5)
    cosines = lss.vectors[1:-1] @ claim.vectors[1:-1].T
    precision, recall = cosines.max(axis=1).mean(), cosines.max(axis=0).mean()
    assert score.value == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-5)
    assert 0 < score.value < 1


def test_lss_bertscore_compares_the_star_text() -> None:
    from faithkit.metrics.bertscore import BertScore
    from faithkit.models import load

    encoder, written = load("tokens:mini", Runtime("cpu", offline=True)), "A council approved it."
    metric = LssBertScore(encoder, Writer({CLAIM: written}), generator="seq2seq", star=True)
    (score,) = metric.score([Example("x", SOURCE, CLAIM)])
    (expected,) = BertScore(encoder, measure="f1").score([Example("-", CLAIM, written)])
    assert score.value == pytest.approx(expected.value, abs=1e-6)


def test_lss_bertscore_of_all_and_nothing(bertscore: LssBertScore) -> None:
    summaries = ["The council approved the plan.", "Paris burned", "?", "Hello."]
    scores = bertscore.score([Example(text, SOURCE, text) for text in summaries])
    assert [score.value for score in scores] == [1, 0, None, None]


def test_a_value_does_not_depend_on_the_batch(bertscore: LssBertScore) -> None:
    examples = [
        Example(str(i), SOURCE, text)
        for i, text in enumerate([CLAIM, "Work begins in June.", "", "The plan. Paris.", CLAIM])
    ]
    for metric in (bertscore, LssBleu(Support()), LssRouge2(Support())):
        together = [score.value for score in metric.score(examples)]
        alone = [metric.score([example])[0].value for example in examples]
        assert together == pytest.approx(alone, abs=1e-6)


@pytest.mark.slow
def test_the_metric_on_a_tiny_encoder_decoder_keeps_the_contract() -> None:
    """The contract test runs generator=words; this is the same for seq2seq."""
    model = Seq2SeqGenerator(tiny_models.t5(), tiny_models.tokenizer(), id="t5@0")
    model.model.generation_config.max_new_tokens = 8
    metric = LssBleu(model, generator="seq2seq")
    summaries = [tiny_models.text(i, 3 + 5 * i) + " The mayor. Paris!" for i in range(4)]
    examples = [Example(str(i), SOURCE, text) for i, text in enumerate(["", "?", *summaries])]
    together = metric.score(examples)
    assert [score.outcome for score in together] == ["no_content", "no_claims", *["ok"] * 4]
    assert metric.score(examples[::-1])[::-1] == together
    assert [metric.score([example])[0] for example in examples] == together
    assert pickle.loads(pickle.dumps(metric)).score(examples) == together
    for score in together[2:]:
        assert score.coverage.summary_sentences >= 3 and score.coverage.source_tokens > 0
