"""Labelled rows of each release, families and statistics, on tiny files in the real ones' shape."""

from __future__ import annotations

import json
import logging
import math
import re
from pathlib import Path
from typing import Any

import pytest

from faithkit.datasets import DATASETS
from faithkit.language.words import words
from faithkit.records import ConfigError, DataError, Example
from faithkit.train.labels import (
    FAMILIES,
    FILES,
    Labelled,
    family,
    labelled,
    leave_out,
    overlaps,
    sentence_targets,
)
from faithkit.train.labels.annotated import ENTITIES_ONLY, ERROR_TARGETS
from faithkit.train.labels.entailed import parse_labels
from faithkit.train.labels.rows import by_edit, by_spans, labelled_sentences, whole_words
from faithkit.train.words import CONTRADICTED, ENTAILED, NEUTRAL, UNSUPPORTED, edits

SOURCE = "Anna Reyes opened a school in Lyon. It cost 3 million euros."
Rows = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def no_data_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAITHKIT_DATA", raising=False)


def put(root: Path, path: str, rows: Rows) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read(root: Path, name: str, *rows: dict[str, Any], path: str = "") -> list[Labelled]:
    """The labelled rows of a file that holds `rows`, with an id and a source each."""
    filled = [{"id": f"r{i}", "source": SOURCE, **row} for i, row in enumerate(rows)]
    put(root, path or f"bench/{name}.jsonl", filled)
    return labelled([name], root)


def shares(row: Labelled) -> dict[str, float]:
    return {row.summary[start:end]: round(share, 3) for start, end, share in row.labels}


def unsupported(row: Labelled) -> list[str]:
    return [word for word, share in shares(row).items() if share > 0.5]


def entailed(row: Labelled) -> float | None:
    return None if row.target is None else round(row.target[0], 3)


# --- words and sentences -------------------------------------------------------------------------


def test_edit_ignores_spacing_case_and_accents() -> None:
    before, after = (
        "It 's Ibrahimović , says moderna 's team",
        "it's Ibrahimovic, Says Moderna's team",
    )
    assert {edit for _, edit in edits(before, after)} == {"kept"}


def test_new_words_of_an_edit_are_unsupported_and_punctuation_at_their_edge_is_not() -> None:
    labels = by_edit("Anna opened a school in Lyon.", "Anna opened a school in Paris, France.")
    text = "Anna opened a school in Paris, France."
    assert [text[a:b] for a, b, share in labels if share == 1] == ["Paris", ",", "France"]


def test_words_around_a_deletion_are_uncertain_only_where_nothing_is_new() -> None:
    text = "A date was set."
    labels = by_edit("A tentative date was set.", text)
    assert [text[a:b] for a, b, share in labels if share] == ["A", "date"]
    assert {share for *_, share in labels} == {0.0, 0.5}
    labels = by_edit("A tentative date was set.", "A date was changed.")
    assert sum(share for *_, share in labels) == 1


def test_new_words_of_a_rewritten_text_are_uncertain() -> None:
    labels = by_edit("Anna won.", "Anna lost the whole match badly.")
    assert {share for *_, share in labels} == {0.0, 0.5}


def test_span_labels_the_words_it_touches() -> None:
    text = 'He left on "3 May", she said.'
    labels = by_spans(text, [(11, 19)])
    assert [text[a:b] for a, b, share in labels if share] == ["3", "May"]


def test_span_of_an_error_symbol_keeps_its_mark() -> None:
    text = "It cost $ 3."
    assert [text[a:b] for a, b, share in by_spans(text, [(8, 9)]) if share] == ["$"]


def test_span_found_inside_a_word_moves_to_the_whole_word() -> None:
    text = "for his sector, i guess"
    assert whole_words(text, 5, 6) == (16, 17)
    assert whole_words(text, 4, 7) == (4, 7)


def made(target: tuple[float, float, float] | None, labels: dict[int, float]) -> Labelled:
    summary = "Anna won. Ben lost."
    marks = [
        (word.start, word.end, labels[i]) for i, word in enumerate(words(summary)) if i in labels
    ]
    return Labelled("bump1", "d", SOURCE, summary, tuple(marks), target)


def test_entailed_summary_is_entailed_in_every_sentence() -> None:
    assert [share for *_, share in sentence_targets(made(ENTAILED, {}))] == [0, 0]


def test_unsupported_summary_of_two_sentences_says_nothing_of_each() -> None:
    assert all(math.isnan(share) for *_, share in sentence_targets(made(UNSUPPORTED, {})))
    assert all(math.isnan(share) for *_, share in sentence_targets(made(None, {0: 1.0})))


def test_sentence_is_as_unsupported_as_its_worst_word_where_all_words_are_labelled() -> None:
    labels = dict.fromkeys(range(6), 0.0) | {4: 0.5}
    assert [share for *_, share in sentence_targets(made(UNSUPPORTED, labels))] == [0, 0.5]


def test_target_of_one_sentence_is_its_own() -> None:
    row = Labelled("lss_dev", "d", SOURCE, "Anna won.", (), (0.25, 0.75, math.nan))
    assert [share for *_, share in sentence_targets(row)] == [0.75]


# --- each file -----------------------------------------------------------------------------------


def lss_row(summary: str, spans: list[list[Any]], ratings: list[int]) -> dict[str, Any]:
    annotations = [{"worker": str(i), "rating": rating} for i, rating in enumerate(ratings)]
    return {"summary": summary, "spans": spans, "annotations": annotations}


def test_lss_label_is_the_share_of_annotators_who_removed_the_word(tmp_path: Path) -> None:
    spans = [[12, 19, "unsupported", 0], [12, 19, "unsupported", 1]]
    [row] = read(tmp_path, "lss_dev", lss_row("Anna opened in Rome.", spans, [4, 3, 5]))
    assert shares(row)["in"] == shares(row)["Rome"] == 0.667
    assert shares(row)["Anna"] == shares(row)["."] == 0
    assert entailed(row) == 0.333


def test_lss_annotator_who_contradicts_himself_is_left_out(tmp_path: Path) -> None:
    spans = [[12, 19, "unsupported", 0]]
    rows = read(
        tmp_path, "lss_dev", lss_row("Anna opened in Rome.", spans, [5, 5]),
        lss_row("Ben opened in Rome.", spans, [5]),
    )  # fmt: skip
    assert entailed(rows[0]) == 1 and set(shares(rows[0]).values()) == {0.0}
    assert rows[1].target is None and rows[1].labels == ()


def test_defacto_correction_is_a_supported_pair_of_its_summary(tmp_path: Path) -> None:
    wrong = {"summary": "Anna opened a school in Rome.", "label": 0,
             "correction": "Anna opened a school in Lyon."}  # fmt: skip
    unmended = {"summary": "Ben won.", "label": 0, "correction": "Ben won."}
    right = {"summary": "Anna opened a school.", "label": 1}
    first, correction, same, supported = read(tmp_path, "defacto_dev", wrong, unmended, right)
    assert unsupported(first) == ["Rome"] and first.target is UNSUPPORTED
    assert correction.summary == "Anna opened a school in Lyon."
    assert correction.target is ENTAILED and set(shares(correction).values()) == {0.0}
    assert first.pair == correction.pair == "r0"
    assert same.labels == () and same.target is UNSUPPORTED
    assert supported.target is ENTAILED and supported.pair == ""


def test_entfa_factual_hallucination_is_unsupported_by_the_source(tmp_path: Path) -> None:
    entity = [[0, 4, "Non-hallucinated"], [12, 16, "Factual Hallucination"]]
    rows = read(
        tmp_path, "entfa_dev",
        {"summary": "Anna visits Rome.", "label": 1, "spans": entity},
        {"summary": "Anna visits Lyon.", "label": 1, "spans": entity[:1]},
    )  # fmt: skip
    assert shares(rows[0]) == {"Anna": 0, "Rome": 1} and rows[0].target is UNSUPPORTED
    assert shares(rows[1]) == {"Anna": 0} and entailed(rows[1]) == ENTITIES_ONLY


def test_diasumfact_has_a_row_for_each_sentence_with_its_context(tmp_path: Path) -> None:
    row = {
        "summary": "Ann  left. Ben sang. Eve", "label": 0, "part": "SAMSum",
        "spans": [[11, 14, "EntE"]],
        "sentences": [["Ann left.", 1], ["Ben sang.", 0], ["Eve stayed at home.", 0]],
    }  # fmt: skip
    first, second, third = read(tmp_path, "diasumfact_dev", row)
    assert first.summary == "Ann  left." and first.target is ENTAILED and first.context == ""
    assert unsupported(second) == ["Ben"] and second.target is UNSUPPORTED
    assert second.context == "Ann  left."
    assert third.summary == "Eve stayed at home." and third.labels == ()
    assert family(first.file) == "dialogue"


def test_sentence_that_its_summary_lacks_is_refused(tmp_path: Path) -> None:
    row = {"summary": "Ann left.", "label": 1, "sentences": [["Ben sang.", 1]]}
    with pytest.raises(DataError, match="field 'sentences': expected a sentence of the summary"):
        read(tmp_path, "storysumm_dev", row)


def test_storysumm_unfaithful_whole_without_an_unfaithful_sentence_is_one_row(
    tmp_path: Path,
) -> None:
    sentences = [["Ann left.", 1], ["Ben sang.", 1]]
    summary = {"summary": "Ann left. Ben sang.", "label": 0, "sentences": sentences}
    [row] = read(tmp_path, "storysumm_dev", summary)
    assert row.target is UNSUPPORTED and row.labels == ()
    assert all(math.isnan(share) for *_, share in sentence_targets(row))


def test_covidfact_replaced_words_are_unsupported(tmp_path: Path) -> None:
    true = {"summary": "Masks reduce spread", "label": 1, "group": "g"}
    false = {"summary": "Masks increase spread", "label": 0, "group": "g"}
    first, second = read(tmp_path, "covidfact", true, false)
    assert first.target is ENTAILED and unsupported(second) == ["increase"]
    assert first.pair == second.pair == "g"


def test_claims_target_follows_the_error_and_the_test_split_is_not_read(tmp_path: Path) -> None:
    def claim(kind: str, split: str) -> dict[str, Any]:
        return {"id": f"{kind}-{split}", "source": SOURCE, "summary": f"Anna won {kind}.",
                "label": 0, "pair": "p", "document": "d", "split": split,
                "error_types": [kind], "spans": [[5, 8, kind]]}  # fmt: skip

    kinds = ("number", "invention", "plan")
    rows = [claim(kind, "train") for kind in kinds] + [claim("role", s) for s in ("dev", "test")]
    put(tmp_path, "claims/claims.jsonl", rows)
    train, dev = labelled(["claims_train"], tmp_path), labelled(["claims_dev"], tmp_path)
    assert [row.target for row in train] == [CONTRADICTED, NEUTRAL, UNSUPPORTED]
    assert all(unsupported(row) == ["won"] for row in train)
    assert [row.file for row in dev] == ["claims[split=dev]"]


def test_claims_error_without_a_target_is_refused(tmp_path: Path) -> None:
    row = {"id": "a", "source": SOURCE, "summary": "Anna won.", "label": 0, "split": "dev",
           "error_types": ["typo"], "spans": [[5, 8, "typo"]], "pair": "p"}  # fmt: skip
    put(tmp_path, "claims/claims.jsonl", [row])
    with pytest.raises(DataError, match="field 'error_types'"):
        labelled(["claims_dev"], tmp_path)


def test_every_error_of_the_claims_set_has_a_target() -> None:
    text = (Path(__file__).parents[2] / "tools" / "build_claims.py").read_text(encoding="utf-8")
    errors = re.findall(r'"(\w+)"', text.partition("ERRORS = (")[2].partition(")")[0])
    assert set(errors) == set(ERROR_TARGETS)


def test_faithbench_target_is_the_mean_of_worst_and_best(tmp_path: Path) -> None:
    grades = [("Consistent", "Consistent"), ("Unwanted", "Consistent"), ("Benign", "Consistent"),
              ("Unwanted", "Unwanted")]  # fmt: skip
    rows = read(
        tmp_path, "faithbench_dev",
        *({"summary": f"Anna won {i}.", "label": 0, "worst": worst, "best": best}
          for i, (worst, best) in enumerate(grades)),
    )  # fmt: skip
    assert [entailed(row) for row in rows] == [1, 0.5, 0.75, 0]
    assert rows[0].labels and not rows[1].labels


def test_summeval_target_is_the_share_of_experts_without_an_error(tmp_path: Path) -> None:
    ratings = [5, 4 + 2 / 3, 4 + 1 / 3, 4, 1]
    rows = read(
        tmp_path, "summeval_dev",
        *({"summary": f"Anna won {i}.", "score": score} for i, score in enumerate(ratings)),
    )  # fmt: skip
    assert [entailed(row) for row in rows] == [1, 0.667, 0.333, 0, 0]


def test_qags_target_is_the_share_of_annotators(tmp_path: Path) -> None:
    answers = [{"worker_id": str(i), "response": answer}
               for i, answer in enumerate(("yes", "yes", "no"))]  # fmt: skip
    put(tmp_path, "raw/qags/mturk_xsum.jsonl",
        [{"article": SOURCE, "summary_sentences": [{"sentence": "Anna won.",
                                                    "responses": answers}]}])  # fmt: skip
    [row] = labelled(["qags_xsum"], tmp_path)
    assert row.file == "qags_xsum" and entailed(row) == 0.667


def test_entailment_files_keep_neutral_and_contradiction_apart(tmp_path: Path) -> None:
    rows = read(
        tmp_path, "climate_fever",
        *({"summary": f"Claim {i}.", "label": 0, "nli": relation}
          for i, relation in enumerate(("entailment", "neutral", "contradiction"))),
    )  # fmt: skip
    assert [row.target for row in rows] == [ENTAILED, NEUTRAL, CONTRADICTED]
    with pytest.raises(DataError, match="field 'nli'"):
        read(tmp_path, "climate_fever", {"summary": "Claim.", "label": 0, "nli": "maybe"})


def test_cliff_rows_are_of_the_family_of_their_origin(tmp_path: Path) -> None:
    rows = read(
        tmp_path, "cliff",
        {"summary": "Anna won.", "label": 1, "origin": "xsum"},
        {"summary": "Ben won.", "label": 0, "origin": "cnndm"},
    )  # fmt: skip
    assert [family(row.file) for row in rows] == ["xsum", "cnndm"]


def test_labels_of_every_file_end_within_its_summary(tmp_path: Path) -> None:
    [row] = read(tmp_path, "faceval_dev", {"summary": "Anna won.", "label": 1})
    assert row.labels == ((0, 4, 0.0), (5, 8, 0.0), (8, 9, 0.0))


# --- families ------------------------------------------------------------------------------------


def of(file: str, source: str, document: str) -> Labelled:
    return Labelled(file, document, source, "Anna won.", (), ENTAILED)


LONG = " ".join(f"word{i}" for i in range(40))


def test_there_are_at_least_ten_families_and_every_file_has_one() -> None:
    assert len(set(FAMILIES.values())) >= 10
    files = {name.partition("[")[0] for name in FAMILIES}
    readers = {name for name in FILES if name not in ("nli_pairs", "claims_train", "claims_dev")}
    assert readers <= files
    with pytest.raises(ConfigError, match="No family is known of the file 'other'"):
        family("other")


def test_every_reader_reads_a_dataset_or_a_training_file() -> None:
    others = {"nli_pairs", "factcheck_gpt_stance", "claims_train", "claims_dev", "squad_v2_dev"}
    assert set(FILES) - others <= set(DATASETS)


def test_documents_with_shared_text_of_two_families_are_found() -> None:
    rows = [
        of("bump1", LONG, "a"),
        of("summeval_dev", f"Other words first. {LONG.upper()}", "b"),
        of("cogensumm_dev", LONG, "a"),
        of("begin", "Quite another text.", "c"),
    ]
    found = overlaps(rows)
    assert ("a", "a", 1.0) in found
    assert {(first, second) for first, second, _ in found} == {("a", "a"), ("a", "b")}


def test_documents_of_one_family_may_share_text() -> None:
    assert overlaps([of("summeval_dev", LONG, "a"), of("cogensumm_dev", LONG + " end", "b")]) == []


def test_left_out_family_shares_no_document_with_training() -> None:
    rows = [
        of("bump1", LONG, "a"),
        of("summeval_dev", f"Other words first. {LONG}", "b"),
        of("begin", "Quite another text.", "c"),
    ]
    training, left_out = leave_out(rows, "bump", overlaps(rows))
    assert [row.document for row in left_out] == ["a"]
    assert [row.document for row in training] == ["c"]
    with pytest.raises(ConfigError, match="No row is of the family 'stories'"):
        leave_out(rows, "stories", [])


def test_sentences_of_an_example_are_found_whatever_their_spacing() -> None:
    example = Example("a", SOURCE, "Ann\nleft.  Ann left.",
                      meta={"sentences": [["Ann left.", 1], ["Ann left.", 0]]})  # fmt: skip
    first, second = labelled_sentences(example)
    assert (first.start, first.end, second.start, second.end) == (0, 9, 11, 20)


def test_a_file_of_premises_is_read_with_its_labels_mapped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another test's import-linter switches off every logger that is there.
    monkeypatch.setattr(logging.getLogger("faithkit"), "disabled", False)
    path = tmp_path / "docnli.json"
    rows = [
        {"premise": SOURCE, "hypothesis": "Anna opened a school.", "label": "entailment"},
        {"premise": SOURCE, "hypothesis": "Anna closed it.", "label": "NO"},
        {"premise": " ", "hypothesis": "Anna closed it.", "label": "NO"},
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")
    first, second = labelled([str(path)], tmp_path, parse_labels(["NO=not_entailment"]))
    assert first.target == ENTAILED and second.target is UNSUPPORTED
    assert {share for _, _, share in first.labels} == {0.0} and not second.labels
    assert first.document == second.document
    assert "1 rows have no premise or no hypothesis" in caplog.text


@pytest.mark.parametrize("given", ["NO", "=neutral", "NO=no"])
def test_a_malformed_meaning_of_a_label_is_refused(given: str) -> None:
    with pytest.raises(ConfigError, match="LABEL=KIND"):
        parse_labels([given])


def test_a_label_without_a_meaning_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "docnli.jsonl"
    path.write_text('{"premise": "A b.", "hypothesis": "A.", "label": 0}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"line 1, field 'label'.*found '0'; --label '0=KIND'"):
        labelled([str(path)], tmp_path)
    with pytest.raises(DataError, match="no such file"):
        labelled([str(tmp_path / "none.csv")], tmp_path)
