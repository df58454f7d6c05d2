"""What each training file says of its words, on tiny files in the shape of the real ones."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from faithkit.datasets import DATASETS
from faithkit.records import ConfigError, DataError, document_id
from faithkit.train.words import (
    CONTRADICTED,
    ENTAILED,
    FILES,
    NEUTRAL,
    Labelled,
    changed,
    labelled,
)

SOURCE = "Anna Reyes opened a school in Lyon. It cost 3 million euros."
Rows = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def no_data_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAITHKIT_DATA", raising=False)


def put(root: Path, name: str, rows: Rows, folder: str = "bench") -> Path:
    path = root / folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return root


def row(id: str, summary: str, **fields: Any) -> dict[str, Any]:
    return {"id": id, "source": SOURCE, "summary": summary, **fields}


def marks(one: Labelled) -> dict[str, float]:
    """Each labelled word with its share; the words of a test's summary are all different."""
    found = {one.summary[start:end]: round(share, 5) for start, end, share in one.labels}
    assert len(found) == len(one.labels)
    return found


def joined(one: Labelled, entailed: float = 0.0) -> bool:
    """Whether the target says how likely it is entailed, and no more."""
    target = one.target
    return target is not None and target[:2] == (entailed, 1 - entailed) and math.isnan(target[2])


# --- each file -----------------------------------------------------------------------------------


def test_xsumfaith_labels_are_shares_of_annotators(tmp_path: Path) -> None:
    summary = "Anna closed schools near Lyon."
    spans = [
        [5, 11, "intrinsic", "w0"],
        [5, 19, "intrinsic", "w1"],
        [7, 9, "extrinsic", "w1"],  # the same annotator again counts once
        [20, 31, "extrinsic", "w2"],  # may pass the end by one
    ]
    rows = [row("a", summary, score=0.1, spans=spans), row("b", "Anna left.", score=1, spans=[])]
    some, none = labelled(["xsumfaith_dev"], put(tmp_path, "xsumfaith_dev", rows))
    third, two_thirds = round(1 / 3, 5), round(2 / 3, 5)
    assert marks(some) == {
        "Anna": 0, "closed": two_thirds, "schools": third, "near": third, "Lyon": third,
        ".": third,
    }  # fmt: skip
    assert some.target is not None and some.target[:2] == pytest.approx((1 / 3, 2 / 3))
    assert math.isnan(some.target[2])
    assert set(marks(none).values()) == {0.0} and joined(none, 1.0)
    assert (some.file, some.source, some.document) == (
        "xsumfaith_dev", SOURCE, document_id(SOURCE),
    )  # fmt: skip


@pytest.mark.parametrize("spans", [None, [[0, 4, "intrinsic"]]])
def test_xsumfaith_without_annotators_is_broken(tmp_path: Path, spans: Any) -> None:
    data = put(tmp_path, "xsumfaith_dev", [row("a", "Anna left.", score=0, spans=spans)])
    with pytest.raises(DataError, match=r"xsumfaith_dev, row 'a'.*annotator"):
        labelled(["xsumfaith_dev"], data)


def test_aggrefact_words_inside_the_spans_are_unsupported(tmp_path: Path) -> None:
    rows = [
        row("a", "Anna closed schools.", label=0, cut="val", error_types="['intrinsic-NP']",
            annotated_span="['closed schools']"),
        row("b", "Anna left.", label=0, cut="val", error_types="['extrinsic-NP']",
            annotated_span="[nan]"),
    ]  # fmt: skip
    marked, unknown = labelled(
        ["aggrefact_errors_val"], put(tmp_path, "aggrefact_errors_val", rows)
    )
    assert marks(marked) == {"Anna": 0, "closed": 1, "schools": 1, ".": 0}
    assert unknown.labels == () and joined(marked) and joined(unknown)


def pair(reference: str, edited: str, name: str = "0") -> Rows:
    return [
        row(f"{name}/edited", edited, group=name, label=0, error_types="Entity Error"),
        row(f"{name}/reference", reference, group=name, label=1, error_types="Entity Error"),
    ]


@pytest.mark.parametrize(
    ("edited", "unsupported"),
    [
        ("Anna Reyes opened one hospital in Lyon .", ["one", "hospital"]),  # replaced
        ("Anna Reyes opened a big new school in Lyon .", ["big", "new"]),  # inserted
        ("Anna Reyes a school in Lyon .", ["Reyes", "a"]),  # a gap marks both its sides
        ("opened a school in Lyon .", ["opened"]),  # a gap at the start
        ("ANNA reyes opened a school in Lyon .", []),  # letter case is no change
    ],
)
def test_bump_words_that_differ_from_the_reference(
    tmp_path: Path, edited: str, unsupported: list[str]
) -> None:
    reference = "Anna Reyes opened a school in Lyon ."
    changed_one, whole = labelled(["bump1"], put(tmp_path, "bump1", pair(reference, edited)))
    assert [word for word, share in marks(changed_one).items() if share == 1] == unsupported
    assert set(marks(changed_one).values()) <= {0.0, 1.0} and joined(changed_one)
    assert set(marks(whole).values()) == {0.0} and whole.target == ENTAILED


def test_bump_pairs_are_kept_apart_and_need_a_reference(tmp_path: Path) -> None:
    rows = [*pair("Anna left .", "Bob left .", "0"), *pair("Lyon grew .", "Lyon shrank .", "1")]
    data = put(tmp_path, "bump1", rows)
    found = {one.summary: marks(one) for one in labelled(["bump1"], data)}
    assert found["Bob left ."] == {"Bob": 1, "left": 0, ".": 0}
    assert found["Lyon shrank ."] == {"Lyon": 0, "shrank": 1, ".": 0}
    with pytest.raises(DataError, match="pair '1' has no reference"):
        labelled(["bump1"], put(tmp_path, "bump1", rows[:3]))


def test_a_diff_marks_both_sides_of_a_gap() -> None:
    found = changed("one two three four", "one four")
    assert [(word.text, new) for word, new in found] == [("one", True), ("four", True)]
    assert [new for _, new in changed("one two", "one")] == [True]
    assert changed("one", "") == []


SEED = "Anna opened a school in Lyon."


@pytest.mark.parametrize("domain", ["news", "podcast", "sales_email", "sales_call"])
def test_summedits_words_that_a_harmless_edit_shares_are_not_blamed(
    tmp_path: Path, domain: str
) -> None:
    rows = [
        row("og", SEED, group=SEED, label=1, error_types="[]"),
        row("broken", "Anna founded a school in Lyon.", group=SEED, label=1, error_types="[]"),
        row("bad", "Anna founded a hospital in Lyon.", group=SEED, label=0, error_types="[]"),
    ]
    name = f"summedits_{domain}"
    _, good, bad = labelled([name], put(tmp_path, name, rows))
    assert set(marks(good).values()) == {0.0} and good.target == ENTAILED
    assert [word for word, share in marks(bad).items() if share] == ["hospital"]
    assert marks(bad)["founded"] == 0 and joined(bad)
    assert bad.file == name


def test_summedits_where_every_change_is_elsewhere_harmless_blames_them_all(
    tmp_path: Path,
) -> None:
    rows = [
        row("broken", "Bob opened a school in Lyon.", group=SEED, label=1),
        row("bad", "Bob opened a school in Lyon!", group=SEED, label=0),
        row("worse", "Bob opened a school in Lyon.  ", group=SEED, label=0),
    ]
    found = labelled(["summedits_news"], put(tmp_path, "summedits_news", rows))
    assert [word for word, share in marks(found[1]).items() if share] == ["!"]
    assert [word for word, share in marks(found[2]).items() if share] == ["Bob"]


def test_summedits_of_many_changed_words_are_half_sure(tmp_path: Path) -> None:
    four, five = "Bob Cole closed many school in Lyon.", "Bob Cole closed many shops in Lyon."
    rows = [
        row("bad", four, group=SEED, label=0),
        row("worse", five, group=SEED, label=0),
    ]
    sure, half = labelled(["summedits_news"], put(tmp_path, "summedits_news", rows))
    assert {w for w, share in marks(sure).items() if share == 1} == {
        "Bob", "Cole", "closed", "many",
    }  # fmt: skip
    assert {w for w, share in marks(half).items() if share == 0.5} == {
        "Bob", "Cole", "closed", "many", "shops",
    }  # fmt: skip
    assert marks(half)["Lyon"] == 0


@pytest.mark.parametrize("name", ["wice_tokens_train", "wice_tokens_dev"])
def test_wice_tokens(tmp_path: Path, name: str) -> None:
    rows = [
        row("a", "Anna left Lyon.", tokens=["Anna", "left", "Lyon", "."],
            unsupported=[False, True, True, False]),
        row("b", "Anna stayed.", tokens=["Anna", "stayed", "."],
            unsupported=[False, False, False]),
    ]  # fmt: skip
    some, none = labelled([name], put(tmp_path, name, rows, "train"))
    assert marks(some) == {"Anna": 0, "left": 1, "Lyon": 1, ".": 0} and joined(some)
    assert set(marks(none).values()) == {0.0} and none.target == ENTAILED


@pytest.mark.parametrize("name", ["wice_dev", "cliff", "begin"])
def test_a_label_of_the_whole_tells_of_words_only_where_it_holds(tmp_path: Path, name: str) -> None:
    rows = [row("a", "It holds.", label=1), row("b", "It fails.", label=0),
            row("c", "Who knows?", label=None)]  # fmt: skip
    holds, fails = labelled([name], put(tmp_path, name, rows))
    assert marks(holds) == {"It": 0, "holds": 0, ".": 0} and holds.target == ENTAILED
    assert fails.labels == () and joined(fails)


def test_inference_pairs(tmp_path: Path) -> None:
    rows = [
        {"origin": origin, "premise": "A man eats.", "hypothesis": text, "label": label}
        for origin, text, label in (
            ("snli", "He eats.", "entailment"),
            ("snli", "He is sad.", "neutral"),
            ("mnli", "He sleeps.", "contradiction"),
        )
    ]
    found = labelled(["nli_pairs"], put(tmp_path, "nli_pairs", rows, "train"))
    assert [one.target for one in found] == [ENTAILED, NEUTRAL, CONTRADICTED]
    assert [one.file for one in found] == ["nli_snli", "nli_snli", "nli_mnli"]
    assert marks(found[0]) == {"He": 0, "eats": 0, ".": 0}
    assert found[1].labels == found[2].labels == ()
    assert {one.document for one in found} == {document_id("A man eats.")}


def test_stances(tmp_path: Path) -> None:
    stances = ["completely-support", "partially-support", "refute", "irrelevant"]
    rows = [row(stance, f"Claim {i}", stance=stance) for i, stance in enumerate(stances)]
    full, part, against, beside = labelled(
        ["factcheck_gpt_stance"], put(tmp_path, "factcheck_gpt_stance", rows, "")
    )
    assert (full.target, against.target, beside.target) == (ENTAILED, CONTRADICTED, NEUTRAL)
    assert joined(part)
    assert marks(full) == {"Claim": 0, "0": 0}
    assert part.labels == against.labels == beside.labels == ()


# --- all of them ---------------------------------------------------------------------------------


def test_labels_stand_on_words_in_order_and_shares_are_shares(tmp_path: Path) -> None:
    spans = [[0, 4, "x", "w0"]]
    put(tmp_path, "xsumfaith_dev", [row("a", "Anna's 3,000 schools… “won”!", score=0, spans=spans)])
    (one,) = labelled(["xsumfaith_dev"], tmp_path)
    assert [one.summary[start:end] for start, end, _ in one.labels] == [
        "Anna's", "3,000", "schools", "…", "“", "won", "”", "!",
    ]  # fmt: skip
    assert all(0 <= share <= 1 for _, _, share in one.labels)


def test_of_two_rows_with_the_same_texts_the_first_counts(tmp_path: Path) -> None:
    put(tmp_path, "wice_dev", [row("a", "Twice.", label=1), row("b", "Once.", label=0)])
    put(tmp_path, "cliff", [row("c", "Twice.", label=0),
                            {**row("d", "Twice.", label=0), "source": "Another."}])  # fmt: skip
    found = labelled(["wice_dev", "cliff"], tmp_path)
    assert [(one.file, one.summary, one.target == ENTAILED) for one in found] == [
        ("wice_dev", "Twice.", True),
        ("wice_dev", "Once.", False),
        ("cliff", "Twice.", False),  # of another source
    ]
    first = labelled(["cliff", "wice_dev"], tmp_path)[0]
    assert (first.file, first.target == ENTAILED) == ("cliff", False)


def test_an_unknown_file_names_the_nearest_before_any_is_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"Nothing is learned from 'clif'.*Did you mean 'cliff'"):
        labelled(["wice_dev", "clif"], tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=name):
        labelled([name], tmp_path)


@pytest.mark.parametrize(
    ("name", "broken", "field"),
    [
        ("nli_pairs", {"origin": "snli", "premise": "A.", "hypothesis": "B.", "label": "-"},
         "label"),
        ("nli_pairs", {"premise": "A.", "hypothesis": "B.", "label": "neutral"}, "origin"),
        ("factcheck_gpt_stance", row("a", "B.", stance="maybe"), "stance"),
        ("factcheck_gpt_stance", {"source": "A.", "stance": "refute"}, "summary"),
        ("wice_tokens_dev", row("a", "B.", tokens=["B"], unsupported=[1]), "unsupported"),
        ("cliff", row("a", "B.", label=2), "label"),
        ("bump1", row("a", "B.", label=1), "group"),
    ],
)  # fmt: skip
def test_a_broken_row_names_file_line_and_field(
    tmp_path: Path, name: str, broken: dict[str, Any], field: str
) -> None:
    put(tmp_path, name, [broken], "train")
    with pytest.raises(DataError, match=rf"{name}\.jsonl, line 1.*'{field}'"):
        labelled([name], tmp_path)


def test_every_file_is_a_dataset_or_a_training_file() -> None:
    assert set(FILES) - {"nli_pairs", "factcheck_gpt_stance"} <= set(DATASETS)
