"""Every reader on a tiny file in its release's own format, and on broken ones."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.releases import (
    AGGREFACT,
    CASES,
    DOCUMENTS,
    FRANK_LABELS,
    FRANK_TEXTS,
    HALLUCINATION,
    LLM_AGGREFACT,
    LSS,
    LSS_QUESTIONS,
    RESPONSES,
    TREATFACT,
    Case,
    case_of,
    last_line,
    read,
    spans_of,
    summac,
    write,
    write_case,
)
from tests.helpers.releases_of_claims import CASES as CASES_OF_CLAIMS

from faithkit.datasets import load
from faithkit.records import DataError, Span, document_id

by_release = pytest.mark.parametrize(
    "case", [*CASES, *CASES_OF_CLAIMS], ids=lambda case: case.dataset
)


@by_release
def test_first_and_last_record_counts_and_labels_are_as_the_release_says(
    case: Case, tmp_path: Path
) -> None:
    write_case(case, tmp_path)
    examples = read(case, tmp_path)
    assert len(examples) == case.count
    assert Counter(example.label for example in examples) == case.labels
    assert {name: getattr(examples[0], name) for name in case.first} == case.first
    assert {name: getattr(examples[-1], name) for name in case.last} == case.last
    assert {name: examples[-1].meta.get(name) for name in case.meta} == case.meta


@by_release
def test_every_example_has_a_document_and_spans_within_its_summary(
    case: Case, tmp_path: Path
) -> None:
    write_case(case, tmp_path)
    for example in read(case, tmp_path):
        assert example.document
        assert all(span.end <= len(example.summary) for span in example.spans)


@by_release
def test_a_missing_column_is_named_with_its_file_and_line(case: Case, tmp_path: Path) -> None:
    records = copy.deepcopy(case.files[case.main])
    table = Path(case.main).suffix in (".csv", ".tsv", ".xlsx")
    for record in records if table else records[-1:]:
        del record[case.drop]
    path = write_case(case, tmp_path, records)
    line = 1 if table else last_line(case)
    with pytest.raises(DataError) as caught:
        read(case, tmp_path)
    assert str(path) in str(caught.value)
    assert f"line {line}" in str(caught.value)
    assert f"'{case.drop}'" in str(caught.value)


@by_release
def test_a_wrong_label_is_named_with_its_file_line_and_field(case: Case, tmp_path: Path) -> None:
    records = copy.deepcopy(case.files[case.main])
    case.wrong(records[-1])
    path = write_case(case, tmp_path, records)
    with pytest.raises(DataError) as caught:
        read(case, tmp_path)
    assert f"line {last_line(case)}" in str(caught.value)
    assert str(path) in str(caught.value)
    assert f"'{case.names}'" in str(caught.value)


@by_release
def test_bytes_that_are_not_utf8_are_named_with_file_and_line(case: Case, tmp_path: Path) -> None:
    path = write_case(case, tmp_path)
    if path.suffix == ".xlsx":
        path.write_bytes(b"\xe9 not a workbook")
        with pytest.raises(DataError, match="not an Excel file") as caught:
            read(case, tmp_path)
        assert str(path) in str(caught.value)
        return
    text = path.read_bytes()
    at = text.rfind(b"MARK")
    if at < 0:
        at = text.rfind(b"hash")
    path.write_bytes(text[:at] + b"\xe9" + text[at:])
    line = text.count(b"\n", 0, at) + 1
    with pytest.raises(DataError, match=f"line {line}: not UTF-8") as caught:
        read(case, tmp_path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        ("cliff_release", [("67", "extrinsic-NP")]),
        ("aggrefact_unified_xsumfaith", [("two men", "unsupported")]),
        # "old" is in "old men" (extrinsic, 7 characters, against 3 intrinsic).
        ("xsum_hallucination", [("old men", "extrinsic"), ("town", "intrinsic")]),
        ("cliff", [("men", "extrinsic-NP")]),
        # The file's second span ends one past the summary, as the bench file's do.
        ("xsumfaith_dev", [("two", "intrinsic"), ("old men", "extrinsic")]),
        ("wice_tokens_dev", [("Two", "unsupported"), ("men", "unsupported")]),
    ],
)
def test_spans_cover_what_the_release_marked(
    dataset: str, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    write_case(case_of(dataset), tmp_path)
    assert spans_of(read(case_of(dataset), tmp_path)[0]) == expected


def test_ragtruth_spans_carry_the_kind_of_hallucination(tmp_path: Path) -> None:
    write_case(case_of("ragtruth"), tmp_path)
    assert spans_of(read(case_of("ragtruth"), tmp_path)[-1]) == [("Gaza", "Evident Baseless Info")]


def test_wice_evidence_points_into_the_source(tmp_path: Path) -> None:
    write_case(case_of("wice"), tmp_path)
    example = read(case_of("wice"), tmp_path)[0]
    texts = [[example.source[start:end] for start, end in item]
             for item in example.meta["evidence_spans"]]  # fmt: skip
    assert texts == [["First MARK.", "Third."], ["Second."]]
    assert example.meta["evidence"] == "First MARK. Third."


def test_frank_turns_freedom_from_errors_into_shares_of_errors(tmp_path: Path) -> None:
    write_case(case_of("frank"), tmp_path)
    example = next(e for e in load("frank_xsum", data_dir=tmp_path) if e.rating is not None)
    assert example.rating == 0.25
    assert example.meta["error_groups"] == ["Semantic_Frame_Errors"]
    assert example.meta["error_types"] == ["EntE"]
    assert example.meta["errors"]["EntE"] == 0.75
    assert example.meta["flipped"] == {"EntE": 0.9}


def test_frank_reads_one_origin_or_one_split(tmp_path: Path) -> None:
    write_case(case_of("frank"), tmp_path)
    assert [e.id for e in load("frank_cnndm", data_dir=tmp_path)] == ["frank/abc/bart"]
    assert [e.id for e in load("frank", data_dir=tmp_path, split="dev")] == ["frank/abc/bart"]


def test_frank_refuses_a_judgement_without_its_summary(tmp_path: Path) -> None:
    write(tmp_path, "frank/benchmark_data.json", FRANK_TEXTS[1:])
    path = write(tmp_path, "frank/human_annotations.json", FRANK_LABELS)
    with pytest.raises(DataError, match="holds no summary 'abc/bart'") as caught:
        load("frank", data_dir=tmp_path)
    assert f"{path}, line 3" in str(caught.value)


def test_a_summary_in_several_error_sheets_is_one_example_with_all_its_types(
    tmp_path: Path,
) -> None:
    write_case(case_of("aggrefact_unified_xsumfaith"), tmp_path)
    example = load("aggrefact_unified_xsumfaith", data_dir=tmp_path)[0]
    assert example.meta["error_types"] == ["intrinsic-NP", "extrinsic-predicate"]
    assert example.meta["era"] == "EXFORMER"


def test_unified_error_types_of_other_sets_take_their_documents_from_the_csv(
    tmp_path: Path,
) -> None:
    bare = {"dataset": "frank", "id": "h2", "summ": "B.", "model_name": "BART", "label": 0,
            "cut": "val", "error_type": "['intrinsic-NP']", "category": "SOTA"}  # fmt: skip
    write(tmp_path, "AggreFact-Unified-val.xlsx", [{"sheet": "cnn_in_np", **bare}])
    with pytest.raises(DataError, match=r"aggre_fact_final\.csv is missing"):
        load("aggrefact_unified", data_dir=tmp_path)
    write(tmp_path, "aggre_fact_final.csv", AGGREFACT)
    (example,) = load("aggrefact_unified", data_dir=tmp_path)
    assert example.source == "Doc MARK b."
    assert (example.meta["era"], example.meta["origin"]) == ("FTSOTA", "cnndm")


@pytest.mark.parametrize(
    ("model", "era"),
    [("BART", "FTSOTA"), ("PegasusDynamic", "FTSOTA"), ("GPT2", "EXFORMER"),
     ("TranS2S", "EXFORMER"), ("PtGen", "OLD"), ("LEAD3", None)],
)  # fmt: skip
def test_era_follows_the_name_of_the_summariser(
    model: str, era: str | None, tmp_path: Path
) -> None:
    write(tmp_path, "aggre_fact_final.csv", [{**AGGREFACT[0], "model_name": model}])
    assert load("aggrefact", data_dir=tmp_path)[0].meta["era"] == era


def test_a_document_that_is_not_there_is_named_by_both_files(tmp_path: Path) -> None:
    path = write(tmp_path, "hallucination_annotations_xsum_summaries.csv", HALLUCINATION)
    documents = write(tmp_path, "xsum_documents.jsonl", DOCUMENTS[:1])
    with pytest.raises(DataError, match="no document with the bbcid 2") as caught:
        load("xsum_hallucination", data_dir=tmp_path)
    assert f"{path}, line 6" in str(caught.value)
    assert str(documents) in str(caught.value)


def test_a_summac_row_of_another_cut_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "summac/factcc_val.jsonl", summac("test"))
    with pytest.raises(DataError, match="field 'cut': expected 'val'"):
        load("summac_factcc", data_dir=tmp_path, split="val")


def test_conflictbank_supports_a_and_b_only(tmp_path: Path) -> None:
    write_case(case_of("conflictbank"), tmp_path)
    loaded = load("conflictbank", data_dir=tmp_path, split="temporal")
    assert [(e.meta["condition"], e.source, e.summary, e.label) for e in loaded] == [
        ("a", "Ev MARK.", "F1.", 1),
        ("b", "Tev.", "T1.", 1),
        ("c", "Ev MARK.", "T1.", 0),
        ("d", "Tev.", "F1.", 0),
    ]


def test_structured_data_of_ragtruth_is_its_json(tmp_path: Path) -> None:
    record = {"name": "Café", "stars": 3.0}
    write(tmp_path, "ragtruth/source_info.jsonl",
          [{"source_id": "s1", "task_type": "Data2txt", "source_info": record}])  # fmt: skip
    write(tmp_path, "ragtruth/response.jsonl", RESPONSES[:1])
    (example,) = load("ragtruth", data_dir=tmp_path)
    assert json.loads(example.source) == record


def test_treatfact_names_the_answer_that_its_protocol_does_not_know(tmp_path: Path) -> None:
    write(tmp_path, "treatfact/treatfact.jsonl", [{**TREATFACT[0], "direction_summary": "up"}])
    with pytest.raises(DataError, match=r"line 1, field 'direction_summary': expected 'positive'"):
        load("treatfact", data_dir=tmp_path)


def test_pairs_of_the_unified_files_know_their_document(tmp_path: Path) -> None:
    rows = [{"id": f"{pair}/{label}", "source": "Src.", "summary": "S.", "group": pair,
             "label": label} for pair in ("p", "q") for label in (1, 0)]  # fmt: skip
    write(tmp_path, "bump1.jsonl", rows)
    examples = load("bump1", data_dir=tmp_path)
    assert [e.pair for e in examples] == ["p", "p", "q", "q"]
    assert {e.document for e in examples} == {document_id("Src.")}


def test_an_id_that_is_there_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    write(tmp_path, "qags_xsum.jsonl", [{"id": "a", "source": "s", "summary": "t"}] * 2)
    with pytest.raises(DataError, match="line 2: the id 'a' is already at line 1"):
        load("qags_xsum", data_dir=tmp_path)


@pytest.mark.slow
def test_llm_aggrefact_reads_parquet_as_it_reads_jsonl(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    (tmp_path / "llm_aggrefact").mkdir()
    table = pyarrow.Table.from_pylist(LLM_AGGREFACT)
    pyarrow.parquet.write_table(table, tmp_path / "llm_aggrefact" / "test.parquet")
    loaded = load("llm_aggrefact", data_dir=tmp_path, split="test")
    assert [(e.id, e.label, e.summary) for e in loaded] == [
        ("llm_aggrefact/test/0", 1, "C1."),
        ("llm_aggrefact/test/1", 0, "C2."),
    ]


def test_lss_annotations_of_one_item_become_one_example(tmp_path: Path) -> None:
    """Two annotators removed "Since May," and "owner's", or "owner's" and all from "from" on."""
    write(tmp_path, "lss/LSS_test.csv", LSS)
    ferry, rain, _ = load("lss", data_dir=tmp_path)
    assert [
        (entry["worker"], entry["lss"], entry["rating"]) for entry in ferry.meta["annotations"]
    ] == [
        ("W1", "the ferry sails twice daily.", 4),
        ("W2", "Since May, the ferry sails", 3),
    ]
    assert [entry["star_difficult"] for entry in ferry.meta["annotations"]] == [True, False]
    assert ferry.meta["annotations"][1]["lss_star"] == "Since May, the ferry sails."
    removed = [
        (ferry.summary[start:end], annotator) for start, end, _, annotator in ferry.meta["spans"]
    ]
    assert removed == [
        ("Since May", 0), ("owner's", 0), ("from Leeds", 0),
        ("owner's", 1), ("from Leeds, twice daily", 1),
    ]  # fmt: skip
    assert [text for text, _ in spans_of(ferry)] == [
        "Since May", "owner's", "from Leeds, twice daily",
    ]  # fmt: skip
    assert (rain.spans, rain.meta["spans"], rain.rating) == ((), [], 5.0)


def test_lss_mark_that_is_no_answer_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "lss/LSS_test.csv", [{**LSS[0], LSS_QUESTIONS[0]: "Perhaps"}])
    with pytest.raises(DataError, match=r"line 2.*expected '' or 'Yes', found str 'Perhaps'"):
        load("lss", data_dir=tmp_path)


def put_json(root: Path, name: str, value: object) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def sentence(text: str, *errors: tuple[str, str]) -> dict[str, Any]:
    annotation = [
        {"error_class": kind, "error_span": span} for kind, span in errors or [("No Error", "")]
    ]
    return {"sentence": text, "annotation": annotation}


def dialogue(*sentences: dict[str, Any]) -> dict[str, Any]:
    summary = " ".join(item["sentence"] for item in sentences)
    return {"utterances": ["Ann: Hi", "Ben: Bye"], "query": "", "dataset_name": "SAMSum",
            "annotations": {"bart": {"model_prediction": summary,
                                     "sentence_annotations": list(sentences)}}}  # fmt: skip


def test_diasumfact_spans_are_those_of_their_sentence(tmp_path: Path) -> None:
    put_json(tmp_path, "diasumfact/annotations.json", {
        "d1": dialogue(sentence("Ann greets."),
                       sentence("Ann leaves.", ("EntE", "Ann"), ("LinkE", "gone"))),
        "d2": dialogue(sentence("Ben leaves.")),
    })  # fmt: skip
    first, second = load("diasumfact", data_dir=tmp_path)
    assert first.id == "diasumfact/d1/bart"
    assert (first.document, first.system) == ("diasumfact/d1", "bart")
    assert (first.label, second.label) == (0, 1)
    assert first.source == "Ann: Hi\nBen: Bye"
    assert first.spans == (Span(12, 15, "EntE"),)
    assert first.meta["sentences"] == [["Ann greets.", 1], ["Ann leaves.", 0]]
    assert first.meta["error_types"] == ["EntE", "LinkE"]
    assert first.meta["spans_not_found"] == ["gone"]


def story(labels: list[int], **fields: object) -> dict[str, Any]:
    return {"story": "A story.", "summary": ["It begins.", "It ends."], "errors": labels,
            "label": min(labels), "story-id": 3, "model": "claude", "split": "val",
            "difficulty": "", "explanations": [], "claims": [], **fields}  # fmt: skip


def test_storysumm_summary_is_its_sentences_with_their_labels(tmp_path: Path) -> None:
    put_json(tmp_path, "storysumm/storysumm.json",
             {"a": story([1, 0]), "b": story([1]), "c": story([1, 1], split="test")})  # fmt: skip
    first, short = load("storysumm", data_dir=tmp_path, split="val")
    assert (first.id, first.label, first.document) == ("storysumm/a", 0, "storysumm/3")
    assert first.summary == "It begins. It ends."
    assert first.meta["sentences"] == [["It begins.", 1], ["It ends.", 0]]
    assert short.meta["sentences"] == [["It begins.", 1]]


@pytest.mark.parametrize(
    ("name", "file", "value", "message"),
    [
        ("storysumm", "storysumm/storysumm.json", {"a": story([1, 1, 0])}, "'a', field 'summary'"),
        ("storysumm", "storysumm/storysumm.json", {"a": story([1, 2])}, "'a', field 'errors'"),
        ("storysumm", "storysumm/storysumm.json", {"a": {"story": ""}}, "'a': no field 'summary'"),
        ("storysumm", "storysumm/storysumm.json", [1], "expected a JSON object, found list"),
        ("diasumfact", "diasumfact/annotations.json", {"d": 3}, "'d': expected a JSON object"),
        ("diasumfact", "diasumfact/annotations.json",
         {"d": {**dialogue(), "annotations": []}}, "field 'annotations': expected a JSON object"),
    ],
)  # fmt: skip
def test_keyed_release_that_is_not_as_it_should_be_is_refused(
    tmp_path: Path, name: str, file: str, value: object, message: str
) -> None:
    put_json(tmp_path, file, value)
    with pytest.raises(DataError, match=re.escape(message)):
        load(name, data_dir=tmp_path)


def test_torn_keyed_release_is_refused(tmp_path: Path) -> None:
    (tmp_path / "storysumm").mkdir()
    (tmp_path / "storysumm" / "storysumm.json").write_text('{"a": {', encoding="utf-8")
    with pytest.raises(DataError, match="not JSON"):
        load("storysumm", data_dir=tmp_path)


def test_entity_that_was_judged_supported_is_no_span(tmp_path: Path) -> None:
    record = {"id": "a", "source": "Src.", "summary": "Anna visits Rome.", "label": 1,
              "error_types": ["Factual Hallucination", "Non-hallucinated"],
              "spans": [[0, 4, "Non-hallucinated"], [12, 16, "Factual Hallucination"]]}  # fmt: skip
    write(tmp_path, "entfa_dev.jsonl", [record])
    [example] = load("entfa_dev", data_dir=tmp_path)
    assert example.spans == (Span(12, 16, "Factual Hallucination"),)
    assert example.meta["error_types"] == ["Factual Hallucination"]
    assert len(example.meta["spans"]) == 2


def factcg(root: Path, *rows: tuple[str, int]) -> Path:
    """FactCG's layout: JSON lines in a file whose name ends in .json."""
    path = root / "factcg" / "CG2C_doc.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"task": "bin_grounding", "text_a": source, "text_b": [f"Claim {number}."],
                         "text_c": [], "orig_label": label})
             for number, (source, label) in enumerate(rows)]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_factcg_reads_json_lines_from_a_file_named_json(tmp_path: Path) -> None:
    factcg(tmp_path, ("Document one.", 1), ("Document two.", 0))
    first, last = load("factcg", data_dir=tmp_path)
    assert (first.id, first.source, first.summary, first.label) == (
        "cg2c_doc/0", "Document one.", "Claim 0.", 1)  # fmt: skip
    assert (last.id, last.label, last.meta) == ("cg2c_doc/1", 0, {"task": "bin_grounding"})


def test_factcg_refuses_a_supported_claim_without_a_document(tmp_path: Path) -> None:
    path = factcg(tmp_path, ("Document.", 0), ("", 1))
    with pytest.raises(DataError, match="empty document") as caught:
        load("factcg", data_dir=tmp_path)
    assert f"{path}, line 2, field 'text_a'" in str(caught.value)
