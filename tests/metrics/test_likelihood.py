"""The likelihood family by hand: formulas on numbers one can check, metrics on a model that is
a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.language.words import Segment, words
from faithkit.metrics import probability
from faithkit.metrics.likelihood import (
    COMPONENTS,
    Weight,
    bartscore,
    coco,
    cop,
    fflm,
    harim,
    masked_source,
    parse_components,
    parse_weights,
    probability_change,
    recased,
    unsupported_words,
)
from faithkit.metrics.options import options_of
from faithkit.metrics.spec import MetricSpec
from faithkit.models.protocols import PLAIN, Floats, Forced, Forcing, Vector
from faithkit.records import ConfigError, Example, Outcome

E = math.e


def logs(*probabilities: float) -> Floats:
    return np.log(np.array(probabilities, dtype=np.float64)).astype(np.float32)


LIKELY, UNLIKELY = logs(0.5, 0.25), logs(0.25, 0.125)
LN2 = math.log(2)


def test_change_weighs_each_log_ratio_by_e_to_the_probability() -> None:
    # Both tokens double: (e^.5 · ln 2 + e^.25 · ln 2) / 2.
    expected = (math.exp(0.5) + math.exp(0.25)) * LN2 / 2
    assert probability_change(LIKELY, UNLIKELY) == pytest.approx(expected, abs=1e-6)


def test_code_weight_weighs_each_log_ratio_by_e_to_one_minus_the_probability() -> None:
    # (e^(1-.5) · ln 2 + e^(1-.25) · ln 2) / 2.
    expected = (math.exp(0.5) + math.exp(0.75)) * LN2 / 2
    assert probability_change(LIKELY, UNLIKELY, weight="code") == pytest.approx(expected, abs=1e-6)


def test_code_weight_counts_improbable_tokens_more_and_paper_weight_less() -> None:
    # Two tokens with opposite changes, the improbable one down, the probable one up.
    first, second = logs(0.8, 0.1), logs(0.4, 0.2)
    assert probability_change(first, second, weight="none") == pytest.approx(0, abs=1e-6)
    assert probability_change(first, second, weight="paper") > 0
    assert probability_change(first, second, weight="code") < 0


def test_change_without_weight_is_the_mean_log_ratio() -> None:
    assert probability_change(LIKELY, UNLIKELY, weight="none") == pytest.approx(LN2, abs=1e-6)


def test_change_without_log_is_of_probabilities() -> None:
    # (e^.5 · .25 + e^.25 · .125) / 2
    expected = (math.exp(0.5) * 0.25 + math.exp(0.25) * 0.125) / 2
    assert probability_change(LIKELY, UNLIKELY, log=False) == pytest.approx(expected, abs=1e-6)


def test_change_without_both_is_the_raw_difference() -> None:
    # ((.5 - .25) + (.25 - .125)) / 2
    found = probability_change(LIKELY, UNLIKELY, weight="none", log=False)
    assert found == pytest.approx(0.1875, abs=1e-6)


def test_the_weight_is_taken_from_the_probability_with_the_condition() -> None:
    found = probability_change(logs(1.0), logs(0.5))
    assert found == pytest.approx(E * LN2, abs=1e-6)
    assert probability_change(logs(0.5), logs(1.0)) == pytest.approx(-math.exp(0.5) * LN2, abs=1e-6)


@given(
    st.lists(st.floats(-30, 0), min_size=1, max_size=20),
    st.sampled_from(["paper", "code", "none"]),
    st.booleans(),
)
def test_no_change_is_zero(values: list[float], weight: Weight, log: bool) -> None:
    vector = np.array(values, dtype=np.float32)
    assert probability_change(vector, vector, weight=weight, log=log) == 0.0


@given(st.lists(st.tuples(st.floats(-30, 0), st.floats(-30, 0)), min_size=1, max_size=20))
def test_harim_raw_changes_and_coco_stay_within_their_bounds(
    values: list[tuple[float, float]],
) -> None:
    first = np.array([a for a, _ in values], dtype=np.float32)
    second = np.array([b for _, b in values], dtype=np.float32)
    assert -2 <= harim(first, second) <= 0
    assert -1 <= coco(first, second) <= 1
    assert bartscore(first) <= 0


def test_fflm_is_the_weighted_sum_of_its_components() -> None:
    changes = {"prior_y": 1.0, "prior_x": 10.0, "cond_y": -100.0}
    weights = {"prior_y": 0.25, "prior_x": 0.25, "cond_y": 0.5}
    assert fflm(changes, weights) == pytest.approx(0.25 + 2.5 - 50)


def test_cop_is_the_log_probability_lost_without_the_summary_in_front() -> None:
    assert cop(UNLIKELY, LIKELY) == pytest.approx(-LN2, abs=1e-6)


def test_harim_is_negated_so_that_higher_is_more_faithful() -> None:
    # (1 - .5)(1 - (.5 - .25)) = .375 and (1 - .25)(1 - (.25 - .125)) = .65625
    assert harim(LIKELY, UNLIKELY) == pytest.approx(-(0.375 + 0.65625) / 2, abs=1e-6)
    # A source that raises the summary's tokens must score above one that lowers them.
    assert harim(LIKELY, UNLIKELY) > harim(UNLIKELY, LIKELY)


def test_bartscore_is_the_mean_log_probability() -> None:
    assert bartscore(LIKELY) == pytest.approx((math.log(0.5) + math.log(0.25)) / 2, abs=1e-6)


def test_coco_is_the_probability_lost_under_the_mask() -> None:
    assert coco(LIKELY, UNLIKELY) == pytest.approx(0.1875, abs=1e-6)


# --- options


def test_weights_by_name_and_by_number() -> None:
    three = parse_components("prior_y+prior_x+cond_y")
    assert parse_weights("rating", three) == {"prior_y": 0.25, "prior_x": 0.25, "cond_y": 0.5}
    assert parse_weights("equal", three)["cond_y"] == pytest.approx(1 / 3)
    assert parse_weights(".1, .2,.7", three) == pytest.approx(
        {"prior_y": 0.1, "prior_x": 0.2, "cond_y": 0.7}
    )


def test_weights_of_a_subset_are_scaled_to_one() -> None:
    pair = parse_components("cond_y+prior_y")
    assert pair == ("prior_y", "cond_y")
    assert parse_weights("rating", pair) == pytest.approx({"prior_y": 1 / 3, "cond_y": 2 / 3})


@pytest.mark.parametrize("text", ["ratings", ".5,.5", ".5,.5,.5", "-.5,.5,1", "a,b,c", "nan,0,1"])
def test_malformed_weights_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="weights should be"):
        parse_weights(text, parse_components("prior_y+prior_x+cond_y"))


def test_weights_that_leave_nothing_and_unknown_components_are_refused() -> None:
    with pytest.raises(ConfigError, match="give nothing"):
        parse_weights("0,0,1", parse_components("prior_y"))
    with pytest.raises(ConfigError, match="Did you mean 'prior_y'"):
        parse_components("prior_z")


# --- case

# What the released loaders make of these (JiaQiSJTU/FaithEval-FFLM at 8e5eb15, load_dataset.py:
# str.capitalize, then re_upper), run on 22 November 2026.
RELEASED_CASE = [
    (
        "The mayor of Paris, Anna Reyes, spoke on Monday. She met Reuters' staff in the U.S. There "
        "she left.",
        "anna reyes, mayor of paris, met reuters. she left the u.s. on monday.",
        "Anna Reyes, mayor of Paris, met Reuters. She left the u.s. on Monday.",
    ),
    (
        "Arthur Smith painted. The National's shows art.",
        "the national's art was seen by smith , arthur and i .",
        "The National's Art was seen by Smith , Arthur and i .",
    ),
    ("Leeds won.", "leeds  won .", "Leeds  won ."),
]


@pytest.mark.parametrize(("source", "summary", "expected"), RELEASED_CASE)
def test_lower_case_summaries_get_the_capitals_of_the_released_loaders(
    source: str, summary: str, expected: str
) -> None:
    assert recased(summary, source) == expected


def test_a_summary_with_a_capital_keeps_its_case() -> None:
    assert recased("anna met NASA", "Anna met the NASA team.") == "anna met NASA"


@given(st.text(max_size=40), st.text(max_size=40))
def test_recasing_keeps_the_length(summary: str, source: str) -> None:
    assert len(recased(summary, source)) == len(summary)


# --- masks

SOURCE = "The mayor of Paris spoke. Schools open in June. Lyon waits."
SUMMARY = "A mayor said schools open."


def test_token_mask_hides_shared_content_words_and_no_stop_words() -> None:
    assert masked_source(SOURCE, SUMMARY, "token", "_") == (
        "The _ of Paris spoke. _ in June. Lyon waits."
    )


def test_span_mask_takes_two_words_more_on_each_side() -> None:
    assert masked_source("a1 b1 c1 mayor d1 e1 f1", SUMMARY, "span", "<mask>") == "a1 <mask> f1"


def test_sentence_mask_hides_each_sentence_with_a_shared_word() -> None:
    sentences = [Segment(0, 25, SOURCE[:25]), Segment(26, 47, SOURCE[26:47])]
    sentences.append(Segment(48, len(SOURCE), SOURCE[48:]))
    assert masked_source(SOURCE, SUMMARY, "sentence", "_", sentences) == "_ Lyon waits."


def test_document_mask_leaves_only_the_mask() -> None:
    assert masked_source(SOURCE, SUMMARY, "document", "_") == "_"


def test_a_source_that_shares_nothing_is_left_alone() -> None:
    assert masked_source(SOURCE, "Dogs bark.", "span", "_") == SOURCE


# --- spans


def by_word(text: str) -> np.ndarray:
    return np.array([(word.start, word.end) for word in words(text)], dtype=np.int64)


def test_a_word_the_source_leaves_unlikely_is_marked_and_one_it_raises_is_not() -> None:
    text = "mayor in lyon said 300"
    found = unsupported_words(
        text,
        by_word(text),
        {  # raised; a stop-word; neither likely nor raised; a stop-word; likely enough
            "summary_s2s": logs(0.01, 0.0001, 0.01, 0.0001, 0.2),
            "summary_lm": logs(0.0001, 0.0001, 0.01, 0.0001, 0.2),
        },
    )
    assert [(text[span.start : span.end], span.label) for span in found] == [
        ("lyon", "unsupported")
    ]
    assert found[0].score == pytest.approx(0.01)


def test_the_tokens_of_a_word_count_together() -> None:
    # "lyon" in two tokens of .2: .04 < e^-3, though neither token is that unlikely.
    offsets = np.array([[0, 2], [2, 4]])
    vectors: dict[Vector, Floats] = {"summary_s2s": logs(0.2, 0.2), "summary_lm": logs(0.2, 0.2)}
    (span,) = unsupported_words("lyon", offsets, vectors)
    assert (span.start, span.end) == (0, 4)
    assert span.score == pytest.approx(0.04)


def test_a_token_that_begins_with_the_space_belongs_to_the_word_after_it() -> None:
    offsets = np.array([[0, 5], [5, 10]])
    vectors: dict[Vector, Floats] = {"summary_s2s": logs(0.9, 0.01), "summary_lm": logs(0.9, 0.01)}
    (span,) = unsupported_words("mayor lyon", offsets, vectors)
    assert (span.start, span.end) == (6, 10)


def test_a_token_of_white_space_belongs_to_no_word() -> None:
    offsets = np.array([[0, 5], [5, 6], [6, 10]])
    vectors: dict[Vector, Floats] = dict.fromkeys(
        ("summary_s2s", "summary_lm"), logs(0.9, 0.0001, 0.9)
    )
    assert unsupported_words("mayor\nlyon", offsets, vectors) == []


def test_without_probabilities_alone_the_loss_against_having_seen_the_summary_decides() -> None:
    vectors: dict[Vector, Floats] = {
        "summary_s2s": logs(0.5, 0.001),
        "summary_pref": logs(0.9, 0.9),
    }
    (span,) = unsupported_words("mayor lyon", by_word("mayor lyon"), vectors)
    assert (span.start, span.end) == (6, 10)


def test_a_tokenizer_without_offsets_gives_no_spans() -> None:
    vectors: dict[Vector, Floats] = {"summary_s2s": logs(0.01), "summary_lm": logs(0.01)}
    assert unsupported_words("lyon", np.zeros((0, 2), dtype=np.int64), vectors) == []


# --- the metrics on a model that is a table


class Table:
    """Each word is a token; its log-probability depends on whether the other text has it."""

    id = "table@000000000000"
    context = 100
    mask = "_"

    def __init__(self, outcome: Outcome = Outcome.OK) -> None:
        self.outcome = outcome
        self.expected: frozenset[Vector] = frozenset()

    def expect(self, wanted: frozenset[Vector], forcing: Forcing = PLAIN) -> None:
        self.expected |= wanted
        self.forcing = forcing

    def log_probs(
        self,
        pairs: Sequence[tuple[str, str]],
        wanted: frozenset[Vector],
        *,
        context: int | None = None,
        forcing: Forcing = PLAIN,
        alone: bool = False,
    ) -> list[Forced]:
        assert forcing == self.forcing
        return [self._one(source, summary, wanted) for source, summary in pairs]

    def _one(self, source: str, summary: str, wanted: frozenset[Vector]) -> Forced:
        x, y = words(source), words(summary)
        outcome = self.outcome if y and x else Outcome.NO_CONTENT

        def given(target: list[Segment], other: list[Segment]) -> Floats:
            known = {word.text for word in other}
            return logs(*(0.5 if word.text in known else 0.25 for word in target))

        vectors: dict[Vector, Floats] = {
            "source_lm": logs(*[0.25] * len(x)),
            "source_s2s": given(x, y),
            "summary_lm": logs(*[0.25] * len(y)),
            "summary_s2s": given(y, x),
            "summary_pref": logs(*[0.5] * len(y)),
        }
        kept = {name: vectors[name] for name in wanted} if outcome is Outcome.OK else {}
        return Forced(outcome, kept, by_word(summary), len(x), 3, len(y))


METRICS = [
    probability.Fflm,
    probability.DeltaPriorY,
    probability.DeltaPriorX,
    probability.DeltaCondY,
    probability.Cop,
    probability.Harim,
    probability.BartScore,
    probability.Coco,
]
GOOD = Example("good", "mayor opens schools today", "mayor opens schools")
HALF = Example("half", "mayor opens schools today", "mayor closes roads")
BLANK = Example("blank", "mayor opens schools today", "  ")


@pytest.mark.parametrize("metric", METRICS)
def test_the_supported_summary_scores_higher(metric: type) -> None:
    good, half = metric(Table()).score([GOOD, HALF])
    assert good.value > half.value
    assert (good.id, good.metric) == ("good", metric.name)
    low, high = metric.bounds
    assert low <= half.value <= good.value <= high


@pytest.mark.parametrize("metric", METRICS)
def test_a_blank_summary_has_no_content_and_order_is_kept(metric: type) -> None:
    scores = metric(Table()).score([BLANK, GOOD, BLANK, HALF])
    assert [score.id for score in scores] == ["blank", "good", "blank", "half"]
    assert scores[0].outcome is Outcome.NO_CONTENT
    assert scores[0].value is None
    assert scores[1].value == metric(Table()).score([GOOD])[0].value


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("outcome", [Outcome.TRUNCATED_SUMMARY, Outcome.MODEL_ERROR])
def test_a_models_outcome_reaches_the_score(metric: type, outcome: Outcome) -> None:
    (score,) = metric(Table(outcome)).score([GOOD])
    assert (score.value, score.outcome) == (None, outcome)


@pytest.mark.parametrize("metric", METRICS)
def test_no_examples_give_no_scores(metric: type) -> None:
    assert metric(Table()).score([]) == []


def test_fflm_by_hand() -> None:
    (score,) = probability.Fflm(Table()).score([HALF])
    # mayor rises .25 → .5, the other two stay; given both texts all three have .5.
    prior_y = math.exp(0.5) * LN2 / 3
    cond_y = 2 * math.exp(0.25) * -LN2 / 3
    prior_x = math.exp(0.5) * LN2 / 4
    assert score.parts == pytest.approx(
        {
            "delta_prior_y": prior_y,
            "delta_prior_x": prior_x,
            "delta_cond_y": cond_y,
            "delta_prior_y_raw": 0.25 / 3,
            "delta_prior_x_raw": 0.25 / 4,
            "delta_cond_y_raw": -0.5 / 3,
        },
        abs=1e-6,
    )
    assert score.value == pytest.approx(0.25 * prior_y + 0.25 * prior_x + 0.5 * cond_y, abs=1e-6)


def test_fflm_of_one_component_is_that_component_and_asks_for_no_more() -> None:
    model = Table()
    alone = probability.Fflm(model, components="cond_y", weight="none")
    assert model.expected == {"summary_s2s", "summary_pref"}
    assert alone.resolved["weights"] == "0,0,1"
    (score,) = alone.score([HALF])
    (cop_score,) = probability.Cop(Table()).score([HALF])
    assert score.value == pytest.approx(cop_score.value)


@pytest.mark.parametrize("weight", ["paper", "code", "none"])
def test_fflm_weights_by_hand(weight: Weight) -> None:
    (score,) = probability.Fflm(Table(), weight=weight).score([HALF])
    raised, left = {  # e^p or e^(1-p) of p = .5 and of p = .25
        "paper": (math.exp(0.5), math.exp(0.25)),
        "code": (math.exp(0.5), math.exp(0.75)),
        "none": (1.0, 1.0),
    }[weight]
    prior_y, prior_x, cond_y = raised * LN2 / 3, raised * LN2 / 4, -2 * left * LN2 / 3
    expected = 0.25 * prior_y + 0.25 * prior_x + 0.5 * cond_y
    assert score.value == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_recase_scores_a_lower_case_summary_as_its_capitals(metric: type) -> None:
    source = "Mayor Reyes opens Schools"
    lower, cased = Example("-", source, "reyes opens"), Example("-", source, "Reyes opens")
    plain, recased_score = (metric(Table(), recase=on).score([lower])[0] for on in (False, True))
    assert recased_score.value == metric(Table()).score([cased])[0].value
    assert recased_score.value != plain.value


ABLATIONS = {
    "components=prior_y": (("prior_y",), True, True),
    "components=prior_x": (("prior_x",), True, True),
    "components=cond_y": (("cond_y",), True, True),
    "components=prior_y+prior_x": (("prior_y", "prior_x"), True, True),
    "components=prior_y+cond_y": (("prior_y", "cond_y"), True, True),
    "components=prior_x+cond_y": (("prior_x", "cond_y"), True, True),
    "weight=none": (COMPONENTS, False, True),
    "log=off": (COMPONENTS, True, False),
    "weight=none,log=off": (COMPONENTS, False, False),
    "weights=equal": (COMPONENTS, True, True),
}


@pytest.mark.parametrize("options", list(ABLATIONS))
def test_every_ablation_is_an_option(options: str) -> None:
    components, weighted, log = ABLATIONS[options]
    given, keywords, _ = options_of(MetricSpec.parse(f"fflm:{options}"), probability.Fflm)
    (score,) = probability.Fflm(Table(), **keywords).score([HALF])
    rating = {"prior_y": 0.25, "prior_x": 0.25, "cond_y": 0.5}
    share = {name: 1 / 3 if "weights" in given else rating[name] for name in components}
    # mayor rises .25 to .5; the two other words fall to .25 from the .5 that the pair gives.
    difference = LN2 if log else 0.25
    rise, fall = (math.exp(p) if weighted else 1.0 for p in (0.5, 0.25))
    changes = {
        "prior_y": rise * difference / 3,
        "prior_x": rise * difference / 4,
        "cond_y": -2 * fall * difference / 3,
    }
    expected = sum(share[name] * changes[name] for name in components) / sum(share.values())
    assert score.value == pytest.approx(expected, abs=1e-6)


def test_coverage_tells_what_was_cut() -> None:
    (score,) = probability.Cop(Table()).score([GOOD])
    assert score.coverage.source_tokens == 4
    assert score.coverage.source_tokens_cut == 3
    assert score.coverage.summary_tokens == 3


@pytest.mark.parametrize("mask", ["token", "span", "document"])
def test_coco_by_hand(mask: str) -> None:
    (score,) = probability.Coco(Table(), mask=mask).score([HALF])
    # Only "mayor" is in the source, and no mask leaves it there: .5 → .25.
    assert score.value == pytest.approx(0.25 / 3, abs=1e-6)
