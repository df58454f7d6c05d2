"""Records: what they refuse, their rows, and what a signature is made of."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.records import (
    ROW_KEYS,
    Coverage,
    DataError,
    Evidence,
    Example,
    Outcome,
    Score,
    Signature,
    Span,
    canonical_json,
    did_you_mean,
    document_id,
    is_blank,
    nearest,
    scored,
    unscored,
)

EXAMPLE = Example("1", "a source", "a summary")

unicode_text = st.text(st.characters(exclude_categories=["Cs"]))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | unicode_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(unicode_text, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("name", "choice"),
    [("SUMMARY", "summary"), ("sumary", "summary"), ("text2", "text"), ("xyz", None)],
)
def test_the_nearest_name_is_the_same_in_other_letters_before_a_like_one(
    name: str, choice: str | None
) -> None:
    assert nearest(name, ["SUMMARIES", "summary", "text"]) == choice


def test_a_score_says_its_verdict() -> None:
    verdicts = {
        value: Score("1", "m", 0.4, parts={"verdict": value}).verdict for value in (0.0, 0.5, 1.0)
    }
    assert verdicts == {0.0: "not consistent", 0.5: "undecided", 1.0: "consistent"}
    assert Score("1", "m", 0.4).verdict is None


def test_document_defaults_to_the_hash_of_the_source_and_pair_to_none() -> None:
    assert (EXAMPLE.document, EXAMPLE.pair) == (document_id("a source"), None)
    assert Example("2", "a source", "other").document == EXAMPLE.document
    named = Example("3", "a source", "other", document="article", pair="p")
    assert (named.document, named.pair) == ("article", "p")
    changed = replace(named, source="another source")
    assert changed.document == "article"


@pytest.mark.parametrize("field", ["document", "pair"])
def test_identity_that_is_not_text_is_refused(field: str) -> None:
    with pytest.raises(DataError, match=f"field '{field}' should be text, found int"):
        Example("1", "a", "b", **{field: 3})  # type: ignore[arg-type]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 2)])
def test_a_span_that_is_empty_or_outside_is_refused(start: int, end: int) -> None:
    with pytest.raises(DataError, match=f"found {start}:{end}"):
        Span(start, end)


@pytest.mark.parametrize("place", [(-1, 1, 0, 1), (1, 1, 0, 1), (0, 1, -1, 1), (0, 1, 2, 2)])
def test_evidence_that_is_empty_or_outside_on_either_side_is_refused(
    place: tuple[int, int, int, int],
) -> None:
    with pytest.raises(DataError, match="on both sides"):
        Evidence(*place)


@pytest.mark.parametrize("field", ["id", "source", "summary"])
@pytest.mark.parametrize("value", [None, 3, ["text"], b"text"])
def test_an_example_refuses_what_is_not_text_and_names_the_field(field: str, value: object) -> None:
    texts: dict[str, object] = {"id": "1", "source": "a", "summary": "b", field: value}
    with pytest.raises(DataError, match=f"field '{field}' should be text, found"):
        Example(**texts)  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["id", "source", "summary"])
def test_an_example_refuses_half_a_surrogate_pair(field: str) -> None:
    texts = {"id": "1", "source": "a", "summary": "b", field: "x\ud800"}
    with pytest.raises(DataError, match=f"field '{field}' holds half a surrogate pair"):
        Example(**texts)


def test_an_example_refuses_an_empty_id_a_label_of_two_and_a_rating_of_nan() -> None:
    with pytest.raises(DataError, match="'id' is empty"):
        Example("", "a", "b")
    with pytest.raises(DataError, match="'label' should be 1"):
        Example("1", "a", "b", label=2)
    with pytest.raises(DataError, match="'rating' should be a number"):
        Example("1", "a", "b", rating=math.nan)


def test_an_example_may_have_empty_texts_because_that_is_an_outcome() -> None:
    assert is_blank(Example("1", "", "b"))
    assert is_blank(Example("1", "a", " \n\t"))
    assert not is_blank(EXAMPLE)


def test_a_score_that_is_ok_needs_a_value() -> None:
    with pytest.raises(DataError, match="outcome ok needs a value"):
        Score("1", "m", None)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_no_nan_or_infinity_is_a_value_or_a_part(bad: float) -> None:
    with pytest.raises(DataError, match="never NaN or infinity"):
        Score("1", "m", bad)
    with pytest.raises(DataError, match="p is "):
        Score("1", "m", 0.5, parts={"p": bad})
    with pytest.raises(DataError, match="value is "):
        Score("1", "m", bad, parts={"value": 0.5})


@pytest.mark.parametrize("bad", ["0.5", np.float32(0.5), [0.5]])
def test_a_value_that_json_cannot_write_as_a_number_is_refused(bad: object) -> None:
    with pytest.raises(DataError, match=f"Python number, found {type(bad).__name__}"):
        Score("1", "m", bad)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="Python number"):
        Score("1", "m", 0.5, parts={"p": bad})  # type: ignore[dict-item]


def test_scored_turns_nan_into_model_error_and_numpy_into_python() -> None:
    lost = scored(EXAMPLE, "m", math.nan)
    assert (lost.value, lost.outcome) == (None, Outcome.MODEL_ERROR)
    assert scored(EXAMPLE, "m", 0.5, parts={"p": math.inf}).outcome is Outcome.MODEL_ERROR
    kept = scored(EXAMPLE, "m", np.float32(0.5), parts={"p": np.float32(0.25)})
    assert type(kept.value) is float
    assert type(kept.parts["p"]) is float


def test_unscored_has_no_value_unless_the_user_asked_for_a_default() -> None:
    assert unscored(EXAMPLE, "m", Outcome.NO_CLAIMS).value is None
    assert unscored(EXAMPLE, "m", Outcome.NO_CLAIMS, default=1.0).value == 1.0


def test_a_row_has_exactly_the_documented_keys_and_comes_back_as_it_was() -> None:
    whole = Score(
        "1",
        "m",
        0.25,
        parts={"precision": 0.5},
        spans=(Span(0, 3, "unsupported", 0.125),),
        evidence=(Evidence(1, 2, 0, 3, score=0.5),),
        coverage=Coverage(source_tokens=7, summary_tokens_cut=1),
        signature=Signature("m", {"layer": 4, "weights": [0.5, 0.5]}, {"model": "mini@53aa"}),
        texts={"lss": "a «summary»", "lss_star": ""},
    )
    row = whole.to_row()
    assert tuple(row) == ROW_KEYS
    assert row["verdict"] is None
    judged = scored(EXAMPLE, "m", 0.25, parts={"verdict": 0.0})
    assert judged.to_row()["verdict"] == "not consistent"
    assert Score.from_row(json.loads(json.dumps(row))) == whole
    assert Score.from_row(unscored(EXAMPLE, "m", Outcome.REFUSED).to_row()).value is None


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "fine"},
        {"spans": None},
        {"spans": [{"begin": 1}]},
        {"coverage": {"tokens": 3}},
        {"value": "high"},
        {"value": None},
        {"parts": 7},
        {"texts": {"lss": 7}},
        {"texts": "lss"},
        {"signature": {"name": "m"}},
    ],
)
def test_a_row_that_is_not_a_score_is_a_data_error(change: dict[str, object]) -> None:
    row = {**scored(EXAMPLE, "m", 0.5).to_row(), **change}
    with pytest.raises(DataError):
        Score.from_row(row)


def test_a_row_that_lacks_a_key_is_a_data_error() -> None:
    for key in set(ROW_KEYS) - {"verdict", "texts"}:
        row = scored(EXAMPLE, "m", 0.5).to_row()
        del row[key]
        with pytest.raises(DataError, match="not a row of scores"):
            Score.from_row(row)


def test_a_row_of_an_earlier_release_is_read_without_texts_and_verdict() -> None:
    row = scored(EXAMPLE, "m", 0.5).to_row()
    del row["texts"], row["verdict"]
    assert Score.from_row(row) == scored(EXAMPLE, "m", 0.5)


@pytest.mark.parametrize("bad", [3, None, "half \ud800"])
def test_texts_of_a_score_are_unicode_text(bad: object) -> None:
    with pytest.raises(DataError, match="m on '1': text 'lss' should be Unicode text"):
        Score("1", "m", 0.5, texts={"lss": bad})  # type: ignore[dict-item]


def test_the_short_signature_reads_as_one_line() -> None:
    signature = Signature(
        "fflm", {"weights": [0.25, 0.5], "log": True, "top": None}, {"lm": "smollm2@b179c9"},
        splitter="senter", prompt="0123456789", version="0.1.0",
    )  # fmt: skip
    assert signature.short == (
        "fflm|lm=smollm2@b179c9|weights=0.25,0.5|log=true|top=none|split=senter|prompt=012345|v0.1.0"
    )


@given(st.dictionaries(unicode_text, json_values, max_size=5), st.randoms())
def test_the_digest_does_not_depend_on_the_order_of_options(options: dict, random: object) -> None:
    items = list(options.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    one, other = Signature("m", options), Signature("m", dict(items))
    assert one.digest == other.digest
    assert canonical_json(options) == canonical_json(dict(items))


def test_every_field_of_a_signature_changes_its_digest() -> None:
    base = Signature("m", {"layer": 4}, {"model": "a@1"}, "senter", "prompt", "0.1")
    changed = [
        Signature("n", {"layer": 4}, {"model": "a@1"}, "senter", "prompt", "0.1"),
        Signature("m", {"layer": 5}, {"model": "a@1"}, "senter", "prompt", "0.1"),
        Signature("m", {"layer": "4"}, {"model": "a@1"}, "senter", "prompt", "0.1"),
        Signature("m", {"layer": 4}, {"model": "a@2"}, "senter", "prompt", "0.1"),
        Signature("m", {"layer": 4}, {"model": "a@1"}, None, "prompt", "0.1"),
        Signature("m", {"layer": 4}, {"model": "a@1"}, "senter", None, "0.1"),
        Signature("m", {"layer": 4}, {"model": "a@1"}, "senter", "prompt", "0.2"),
    ]
    assert len({base.digest, *(one.digest for one in changed)}) == 1 + len(changed)


def test_records_can_be_pickled_to_worker_processes() -> None:
    example = Example("1", "a", "b", label=0, spans=(Span(0, 1),), meta={"topic": "x"})
    assert pickle.loads(pickle.dumps(example)) == example
    found = scored(example, "m", 0.5)
    assert pickle.loads(pickle.dumps(found)) == found


def test_an_unknown_name_is_answered_with_the_nearest_and_all_choices() -> None:
    assert did_you_mean("bertscor", ["ner", "bertscore"]) == (
        " Did you mean 'bertscore'? Choices: bertscore, ner."
    )
    assert did_you_mean("zzz", ["ner", "bertscore"]) == " Choices: bertscore, ner."


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_no_nan_or_infinity_is_the_score_of_a_span_or_of_evidence(bad: float) -> None:
    with pytest.raises(DataError, match="the score of a span should be a finite number"):
        Span(0, 3, score=bad)
    with pytest.raises(DataError, match="the score of evidence should be a finite number"):
        Evidence(0, 3, 0, 3, score=bad)


@pytest.mark.parametrize(("given", "label"), [(1.0, 1), (False, 0), (None, None)])
def test_labels_of_a_table_become_whole_numbers(given: Any, label: int | None) -> None:
    example = Example("a", "b", "c", label=given)
    assert (example.label, type(example.label)) == (label, type(label))


@pytest.mark.parametrize("field", ["system", "meta"])
def test_an_example_refuses_a_system_or_meta_of_another_type(field: str) -> None:
    with pytest.raises(DataError, match=f"field '{field}' should be"):
        Example("a", "b", "c", **{field: 5})  # type: ignore[arg-type]
