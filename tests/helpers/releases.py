"""Tiny files in the formats of the dataset releases, and what their readers should make of them, by
hand from the definitions in their docstrings. The records are made up."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from faithkit.datasets import load
from faithkit.records import Example, Span, document_id

Records = list[dict[str, Any]]


def encode(path: Path, records: Records) -> str:
    """The records as the text of a file of the path's format, one record a line."""
    lines = [json.dumps(record) for record in records]
    if path.suffix == ".jsonl":
        return "".join(f"{line}\n" for line in lines)
    if path.suffix == ".json":
        return "[\n" + ",\n".join(lines) + "\n]\n"
    if path.suffix == ".tsv":
        rows = [list(records[0]), *([str(cell) for cell in record.values()] for record in records)]
        return "".join("\t".join(row) + "\r\n" for row in rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]))
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def write(root: Path, name: str, records: Records) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix != ".xlsx":
        path.write_text(encode(path, records), encoding="utf-8", newline="")
        return path
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title in dict.fromkeys(record["sheet"] for record in records):
        sheet = book.create_sheet(title)
        rows = [{k: v for k, v in record.items() if k != "sheet"}
                for record in records if record["sheet"] == title]  # fmt: skip
        sheet.append(list(rows[0]))
        for row in rows:
            sheet.append(list(row.values()))
    book.save(path)
    return path


@dataclass(frozen=True)
class Case:
    """One release: its files, what comes out, and how to break the last record of the first file.

    `wrong` puts something impossible where a label, score or type should be; `names` is the field
    that the error must name.
    """

    dataset: str
    files: dict[str, Records]
    count: int
    labels: dict[int | None, int]
    first: dict[str, Any]
    last: dict[str, Any]
    drop: str
    wrong: Callable[[dict[str, Any]], None]
    names: str
    split: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def main(self) -> str:
        return next(iter(self.files))


def put(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.__setitem__(name, value)


def summac(cut: str) -> Records:
    return [
        {"document": "Doc MARK one.", "claim": "One.", "label": 1, "cut": cut, "model_name": "A"},
        {"document": "Doc MARK two.", "claim": "Two.", "label": 0, "cut": cut, "model_name": "B"},
    ]


SUMMEVAL = [
    {
        "id": "dm-1", "text": f"Text MARK {number}.", "decoded": f"Sum {number}.",
        "model_id": model, "references": ["r"],
        "expert_annotations": [
            {"coherence": 1, "consistency": score, "fluency": 5, "relevance": 3}
            for score in scores
        ],
    }
    for number, (model, scores) in enumerate([("M0", (5, 4, 3)), ("M1", (1, 1, 2))])
]  # fmt: skip
AGGREFACT = [
    {"dataset": "XSumFaith", "origin": "xsum", "id": "11", "doc": "Doc MARK a.", "summary": "A.",
     "model_name": "BERTS2S", "label": 1, "cut": "val", "DAE_score": "0.5"},
    {"dataset": "FactCC", "origin": "cnndm", "id": "h2", "doc": "Doc b.", "summary": "B.",
     "model_name": "missing", "label": 0, "cut": "test", "DAE_score": "0.1"},
    {"dataset": "FactCC", "origin": "cnndm", "id": "h2", "doc": "Doc MARK b.", "summary": "C.",
     "model_name": "missing", "label": 0, "cut": "test", "DAE_score": "0.2"},
]  # fmt: skip
UNIFIED_COLUMNS = {"cut": "val", "label": 0}
XLSX = [
    {"sheet": "xsum_in_np", "annotated_span": "['two men', nan]", "doc": "Doc MARK x.",
     "dataset": "xsumfaith", "error_type": "['intrinsic-NP', 'extrinsic-predicate']", "id": "7",
     "model_name": "BERTS2S", "summ": "two men left.", "category": "Early Trans",
     **UNIFIED_COLUMNS},
    {"sheet": "xsum_ex_pred", "annotated_span": "['two men', nan]", "doc": "Doc MARK x.",
     "dataset": "xsumfaith", "error_type": "['intrinsic-NP', 'extrinsic-predicate']", "id": "7",
     "model_name": "BERTS2S", "summ": "two men left.", "category": "Early Trans",
     **UNIFIED_COLUMNS},
    {"sheet": "xsum_ex_pred", "annotated_span": "['gone away']", "doc": "Doc y.",
     "dataset": "xsumfaith", "error_type": "['extrinsic-predicate']", "id": "8",
     "model_name": "Gold", "summ": "all left.", "category": "Gold", **UNIFIED_COLUMNS},
]  # fmt: skip
CLIFF = [
    {"dataset": "CLIFF", "origin": "xsum", "id": "5", "doc": "Doc MARK.", "summ": "The 67 won.",
     "model_name": "BART", "cut": "val", "error_type": "['extrinsic-NP']",
     "annotated_span": "['67']"},
    {"dataset": "CLIFF", "origin": "cnndm", "id": "h", "doc": "Other MARK.", "summ": "Fine.",
     "model_name": "Pegasus", "cut": "test", "error_type": "correct", "annotated_span": ""},
]  # fmt: skip
ERRORS = ("Semantic_Frame_Errors", "Discourse_Errors", "Content_Verifiability_Errors", "RelE",
          "EntE", "CircE", "OutE", "GramE", "CorefE", "LinkE", "Other")  # fmt: skip
FRANK_TEXTS = [
    {"hash": "abc", "model_name": "bart", "article": "Art MARK.", "summary": "S.",
     "reference": "R.", "split": "valid"},
    {"hash": "123", "model_name": "PtGen", "article": "Art two.", "summary": "T.",
     "reference": "R.", "split": "test"},
    {"hash": "123", "model_name": "TranS2S", "article": "Art two MARK.", "summary": "U.",
     "reference": "R.", "split": "test"},
]  # fmt: skip
FRANK_LABELS = [
    {"hash": "123", "model_name": "PtGen", "dataset": "bbc", "Factuality": 0.25,
     **dict.fromkeys(ERRORS, 1.0), "Semantic_Frame_Errors": 0.25, "EntE": 0.25,
     "Flip_EntE": 0.9, "split": "test"},
    {"hash": "abc", "model_name": "bart", "dataset": "cnndm", "Factuality": 1.0,
     **dict.fromkeys(ERRORS, 1.0), "Flip_EntE": 1.0, "split": "valid"},
]  # fmt: skip


def qags(*sentences: tuple[str, str]) -> Records:
    return [
        {
            "sentence": text,
            "responses": [
                {"worker_id": worker, "response": {"y": "yes", "n": "no"}[vote]}
                for worker, vote in enumerate(votes)
            ],
        }
        for text, votes in sentences
    ]


QAGS = [
    {"article": "Art MARK.", "summary_sentences": qags(("One.", "yyn"), ("Two.", "nnn"))},
    {"article": "Art two MARK.", "summary_sentences": qags(("Three.", "ynn"))},
]


def break_qags(record: dict[str, Any]) -> None:
    record["summary_sentences"][0]["responses"][1]["response"] = "maybe"


def mark(bbcid: str, kind: str, text: str, start: int, end: int, worker: str) -> dict[str, Any]:
    return {"bbcid": bbcid, "system": "PtGen", "summary": "two old men left town.",
            "hallucination_type": kind, "hallucinated_span": text,
            "hallucinated_span_start": start, "hallucinated_span_end": end,
            "worker_id": worker}  # fmt: skip


# Words: two old men left town. Worker 0 marks "old men" (1-based 5 to 12) and "town" (18 to 22),
# 2 of 5 words free; worker 1 marks nothing, 5 of 5; worker 2 marks "old", 4 of 5. Mean 11 / 15.
HALLUCINATION = [
    mark("1", "extrinsic", "old men", 5, 12, "wid_0"),
    mark("1", "intrinsic", "town", 18, 22, "wid_0"),
    mark("1", "NULL", "NULL", -1, -1, "wid_1"),
    mark("1", "intrinsic", "old", 5, 8, "wid_2"),
    mark("2", "NULL", "NULL", -1, -1, "wid_0"),
    {**mark("2", "NULL", "NULL", -1, -1, "wid_1"), "worker_id": "widMARK"},
]
FACTUALITY = [
    {"bbcid": bbcid, "system": "PtGen", "summary": "MARK men.", "is_factual": answer,
     "worker_id": f"wid_{worker}"}
    for bbcid, answers in (("1", ("yes", "yes", "no")), ("2", ("no", "NULL", "no")),
                           ("1x", ("NULL", "NULL", "NULL")))
    for worker, answer in enumerate(answers)
]  # fmt: skip
DOCUMENTS = [{"bbcid": bbcid, "document": f"Doc {bbcid}."} for bbcid in ("1", "2", "1x")]
SUMMEDITS = [
    {"id": "seed_1_og", "doc": "Doc MARK.", "summary": "A b.", "label": 1,
     "original_summary": "A b.", "edit_types": [], "split": "test"},
    {"id": "seed_1_0", "doc": "Doc MARK.", "summary": "A c.", "label": 0,
     "original_summary": "A b.", "edit_types": ["antonym_swap"], "split": "evaluation"},
]  # fmt: skip
BUMP = [
    {"id": number, "article_id": 9, "article": "Art MARK.", "reference_summary": "A b.",
     "edited_summary": f"A {number}.", "error_type": "Coreference Error",
     "corrected_error_type": "Intrinsic Entity Error",
     "scores": {"BLEU_reference": 0.5, "BLEU_edited": 0.4}}
    for number in (0, 1)
]  # fmt: skip
WICE = [
    {"label": label, "supporting_sentences": sets, "claim": claim,
     "evidence": ["First MARK.", "Second.", "Third."], "meta": {"id": name, "claim_title": "T"}}
    for label, sets, claim, name in (
        ("supported", [[0, 2], [1]], "C one.", "dev1"),
        ("partially_supported", [[1]], "C two.", "dev2"),
        ("not_supported", [[]], "C three.", "dev3"),
    )
]  # fmt: skip
BEGIN = [
    {"model_name": model, "data_source": "wow", "knowledge": 'A 12" disc MARK.', "message": "hm",
     "response": f"r {model}", "begin_label": label}
    for model, label in (("t5", "Fully attributable"), ("gpt2", "Generic"),
                         ("doha", "Not fully attributable"))
]  # fmt: skip
FAITHBENCH = [
    {"source": "Src MARK.", "summary": f"S {worst}.", "LLM": "m", "worst-label": worst,
     "best-label": best}
    for worst, best in (("Benign", "Consistent"), ("Consistent", "Consistent"),
                        ("Questionable", "Benign"), ("Unwanted", "Consistent"))
]  # fmt: skip
FACEVAL = [
    {"DocID": "d1", "Dialogue": "A: hi MARK\nB: hello", "Model": "BART", "Summary": "A greets B.",
     "SubObjE": "no", "ProE": "no", "w/ Error": "no"},
    {"DocID": "d1", "Dialogue": "A: hi MARK\nB: hello", "Model": "UniLM", "Summary": "B greets A.",
     "SubObjE": "yes", "ProE": "no", "w/ Error": "yes"},
]  # fmt: skip
RERANKING = [
    {"article_sent": "Ann MARK hit Bob.", "correct_sent": "Ann hit.", "incorrect_sent": "Bob hit."},
    {"article_sent": "Bob MARK ran.", "correct_sent": "Bob ran.", "incorrect_sent": "Ann ran."},
]
RESPONSES = [
    {"id": "1", "source_id": "s1", "model": "gpt", "labels": [], "split": "train",
     "quality": "good", "response": "All MARK fine."},
    {"id": "2", "source_id": "s2", "model": "llama", "split": "test", "quality": "good",
     "labels": [{"start": 0, "end": 4, "text": "Gaza", "label_type": "Evident Baseless Info"}],
     "response": "Gaza MARK."},
]  # fmt: skip
INFO = [
    {"source_id": "s1", "task_type": "Summary", "source": "CNN/DM", "source_info": "Text."},
    {"source_id": "s2", "task_type": "QA", "source": "MARCO",
     "source_info": {"question": "q?", "passages": "passage 1: p"}},
]  # fmt: skip
CONFLICTBANK = [
    {"default_claim": "F1.", "default_evidence": "Ev MARK.",
     "misinformation_conflict_claim": "C1.", "misinformation_conflict_evidence_evidence": "Cev.",
     "temporal_conflict_claim": "T1.", "temporal_conflict_evidence": "Tev."},
    {"claim": "F2.", "evidence": "Ev2 MARK.", "counterfactual_claim": "C2.",
     "counterfactual_evidence": "Cev2."},
]  # fmt: skip
TREATFACT = [
    {"abstract": "Abs MARK.", "summary": "S1.", "overall": 3, "strength_summary": "weak",
     "strength_right": "NA", "annotator": "x"},
    {"abstract": "Abs MARK.", "summary": "S2.", "overall": 1, "population_consistent": "no"},
]  # fmt: skip
LSS_QUESTIONS = (
    "Does the statement seem unrelated or completely related to the reference text? Mark if so.",
    "LSS - Remove words from the statement until it is fully supported by the text "
    "(if none of the statement is supported, then leave this empty)",
    "LSS* - Fix any spelling or grammar errors in the LSS",
    "Was it difficult to turn the LSS into the LSS* by only adding filler words? Mark if so.",
    "On a scale of 1-5, how well is the Claim supported by the Reference?",
)


def lss(worker: str, task: str, statement: str, *answers: str) -> dict[str, Any]:
    """An annotation as a row of the release."""
    return {
        "worker_id": worker, "task_id": task, "task_response_id": f"{task}-{worker}",
        "Statement": statement, "Reference": f"Ref of {statement} MARK",
        **dict(zip(LSS_QUESTIONS, answers, strict=True)),
    }  # fmt: skip


FERRY = "Since May, the owner's ferry sails from Leeds, twice daily."
LSS = [
    lss("W1", "t1", FERRY, "", "the ferry sails twice daily.", "The ferry sails twice daily.",
        "Yes", "4 - Almost Supported"),
    lss("W2", "t2", "It rained.", "", "It rained.", "It rained.", "", "5 - Completely Supported"),
    lss("W2", "t1", FERRY, "", "Since May, the ferry sails", "Since May, the ferry sails.", "",
        "3 - Partially Supported"),
    lss("W3", "t3", "Nobody sang.", "Yes", "", "", "", "1 - Not Supported"),
]  # fmt: skip
LLM_AGGREFACT = [
    {"dataset": "RAGTruth", "doc": "Doc MARK.", "claim": "C1.", "label": 1},
    {"dataset": "Wice", "doc": "Doc MARK.", "claim": "C2.", "label": 0},
]
UNIFIED = [
    {"id": "a", "dataset": "cliff", "source": "Src MARK.", "summary": "Two men.", "label": 0,
     "error_types": "['extrinsic-NP']", "annotated_span": "['men', 'women']", "cut": "val",
     "era": "Early Trans"},
    {"id": "b", "dataset": "cliff", "source": "Src MARK.", "summary": "Two.", "label": 1,
     "error_types": "correct", "cut": "test", "system": "BART"},
]  # fmt: skip
RATED = [
    {"id": "x", "source": "Src MARK.", "summary": "two old men", "group": "g", "score": 0.5,
     "spans": [[0, 3, "intrinsic", "w0"], [4, 12, "extrinsic", "w1"]]},
    {"id": "y", "source": "Src MARK.", "summary": "one", "group": "g", "score": 1.0, "spans": []},
]  # fmt: skip
TOKENS = [
    {"id": "t1", "source": "Src MARK.", "summary": "Two men left.",
     "tokens": ["Two", "men", "left", "."], "unsupported": [True, True, False, False]},
    {"id": "t2", "source": "Src MARK.", "summary": "Two.", "tokens": ["Two", "."],
     "unsupported": [False, False]},
]  # fmt: skip


def defacto(doc_id: int, candidate: str, corrected: str, *, wrong: bool) -> dict[str, Any]:
    feedback = {"summary": corrected, "evidence": "Ev.", "explanation": "", "instruction": "",
                "instruction_list": []}  # fmt: skip
    return {"article": "Article MARK.", "abstract": "Ref.", "candidate": candidate,
            "doc_id": doc_id, "has_error": wrong, "intrinsic_error": wrong,
            "extrinsic_error": False, "feedback": feedback}  # fmt: skip


DEFACTO: Records = [
    defacto(7, "Anna left Rome.", "Anna left Lyon.", wrong=True),
    defacto(8, "Anna left Lyon.", "", wrong=False),
]

CASES = [
    Case("summeval", {"summeval/model_annotations.aligned.paired.jsonl": SUMMEVAL}, 2, {None: 2},
         {"id": "dm-1/M0", "document": "dm-1", "system": "M0", "rating": 4.0},
         {"id": "dm-1/M1", "summary": "Sum 1.", "rating": 4 / 3},
         "decoded", put("expert_annotations", [{"consistency": 9, "coherence": 1, "fluency": 1,
                                                "relevance": 1}]), "consistency",
         meta={"answers": [1.0, 1.0, 2.0]}),
    Case("summac_factcc", {"summac/factcc_test.jsonl": summac("test")}, 2, {1: 1, 0: 1},
         {"id": "summac/factcc/test/0", "label": 1, "system": "A"},
         {"id": "summac/factcc/test/1", "document": document_id("Doc MARK two.")},
         "claim", put("label", 2), "label", split="test",
         meta={"dataset": "summac/factcc", "split": "test", "cut": "test"}),
    Case("aggrefact", {"aggrefact/aggre_fact_final.csv": AGGREFACT}, 3, {1: 1, 0: 2},
         {"id": "aggrefact/XSumFaith/11/BERTS2S", "label": 1, "document": "11"},
         {"id": "aggrefact/FactCC/h2/missing#2", "summary": "C."},
         "doc", put("label", "yes"), "label",
         meta={"origin": "cnndm", "era": "OLD", "split": "test",
               "published": {"DAE_score": "0.2"}}),
    Case("aggrefact_unified_xsumfaith", {"aggrefact/AggreFact-Unified-val.xlsx": XLSX}, 2, {0: 2},
         {"id": "aggrefact/xsumfaith/7/BERTS2S", "source": "Doc MARK x."},
         {"id": "aggrefact/xsumfaith/8/Gold", "spans": ()},
         "category", put("label", 5), "label",
         meta={"error_types": ["extrinsic-predicate"], "era": "Gold", "origin": "xsum",
               "spans_not_found": ["gone away"]}),
    Case("cliff_release", {"aggrefact/CLIFF_error_types.csv": CLIFF}, 2, {0: 1, 1: 1},
         {"id": "cliff/xsum/5/BART", "label": 0},
         {"id": "cliff/cnndm/h/Pegasus", "label": 1, "spans": ()},
         "summ", put("error_type", "wrong"), "error_type",
         meta={"origin": "cnndm", "era": "FTSOTA", "split": "test", "error_types": []}),
    Case("llm_aggrefact", {"llm_aggrefact/dev.jsonl": LLM_AGGREFACT}, 2, {1: 1, 0: 1},
         {"id": "llm_aggrefact/dev/0", "summary": "C1."}, {"id": "llm_aggrefact/dev/1"},
         "doc", put("label", -1), "label", split="val",
         meta={"dataset": "Wice", "split": "dev"}),
    Case("frank", {"frank/human_annotations.json": FRANK_LABELS,
                   "frank/benchmark_data.json": FRANK_TEXTS}, 3, {None: 3},
         {"id": "frank/abc/bart", "rating": 1.0, "document": "abc"},
         {"id": "frank/123/TranS2S", "rating": None, "system": "TranS2S"},
         "Factuality", put("Factuality", 1.5), "Factuality",
         meta={"origin": "xsum", "split": "test"}),
    Case("qags_cnndm", {"qags/mturk_cnndm.jsonl": QAGS}, 2, {None: 2},
         {"id": "qags_cnndm/0", "summary": "One. Two.", "rating": 0.5},
         {"id": "qags_cnndm/1", "rating": 0.0},
         "article", break_qags, "response",
         meta={"share": 1 / 3, "answers": [{"0": 1, "1": 0, "2": 0}]}),
    Case("xsum_hallucination", {"hallucination_annotations_xsum_summaries.csv": HALLUCINATION,
                                "xsum_documents.jsonl": DOCUMENTS}, 2, {None: 2},
         {"id": "xsumfaith/1/PtGen", "rating": pytest.approx(11 / 15), "document": "1"},
         {"id": "xsumfaith/2/PtGen", "rating": 1.0, "source": "Doc 2.", "spans": ()},
         "worker_id", put("hallucination_type", "lie"), "hallucination_type",
         meta={"annotators": 2, "spans": []}),
    Case("xsum_factuality", {"factuality_annotations_xsum_summaries.csv": FACTUALITY,
                             "xsum_documents.jsonl": DOCUMENTS}, 3, {1: 1, 0: 1, None: 1},
         {"id": "xsumfact/1/PtGen", "label": 1, "rating": pytest.approx(2 / 3)},
         {"id": "xsumfact/1x/PtGen", "label": None, "rating": None},
         "is_factual", put("is_factual", "perhaps"), "is_factual",
         meta={"answers": ["NULL", "NULL", "NULL"]}),
    Case("summedits_samsum_release", {"summedits/summedits_samsum.json": SUMMEDITS}, 2,
         {1: 1, 0: 1},
         {"id": "summedits/samsum/seed_1_og", "pair": "seed_1", "label": 1},
         {"id": "summedits/samsum/seed_1_0", "pair": "seed_1", "label": 0},
         "original_summary", put("label", "no"), "label",
         meta={"seed": False, "error_types": ["antonym_swap"]}),
    Case("bump", {"bump/task1_dataset.json": BUMP}, 4, {1: 2, 0: 2},
         {"id": "bump1/0/reference", "pair": "0", "label": 1, "summary": "A b."},
         {"id": "bump1/1/edited", "pair": "1", "label": 0, "document": document_id("Art MARK.")},
         "article", put("error_type", None), "error_type",
         meta={"published": {"BLEU": 0.4},
               "error_types": ["Coreference Error"]}),
    Case("wice", {"wice/dev.jsonl": WICE}, 3, {1: 1, 0: 2},
         {"id": "dev1", "source": "First MARK. Second. Third.", "label": 1},
         {"id": "dev3", "label": 0},
         "claim", put("label", "refuted"), "label", split="dev",
         meta={"grade": "not_supported", "evidence": "", "split": "dev", "claim_title": "T"}),
    Case("wice_tokens_dev", {"wice_tokens_dev.jsonl": TOKENS}, 2, {0: 1, 1: 1},
         {"id": "t1", "label": 0}, {"id": "t2", "label": 1, "spans": ()},
         "tokens", put("unsupported", [True]), "unsupported"),
    Case("begin_release", {"begin/begin_dev_wow.tsv": BEGIN}, 3, {1: 1, None: 1, 0: 1},
         {"id": "begin/dev_wow/0", "label": 1, "source": 'A 12" disc MARK.', "system": "t5"},
         {"id": "begin/dev_wow/2", "label": 0},
         "response", put("begin_label", "attributable"), "begin_label", split="dev_wow",
         meta={"message": "hm", "begin_label": "Not fully attributable"}),
    Case("faithbench", {"faithbench/FaithBench.csv": FAITHBENCH}, 4, {1: 2, 0: 2},
         {"id": "faithbench/0", "label": 1}, {"id": "faithbench/3", "label": 0},
         "LLM", put("worst-label", "Bad"), "worst-label",
         meta={"grade": "Unwanted", "best_label": "Consistent"}),
    Case("faceval", {"faceval/FacEval_human_result.csv": FACEVAL}, 2, {1: 1, 0: 1},
         {"id": "faceval/d1/BART", "label": 1, "document": "d1"},
         {"id": "faceval/d1/UniLM", "label": 0},
         "w/ Error", put("SubObjE", "?"), "SubObjE", meta={"error_types": ["SubObjE"]}),
    Case("reranking", {"reranking/val_sentence_pairs.json": RERANKING}, 4, {1: 2, 0: 2},
         {"id": "reranking/0/correct", "pair": "0", "label": 1},
         {"id": "reranking/1/incorrect", "pair": "1", "label": 0, "summary": "Ann ran."},
         "correct_sent", put("incorrect_sent", 3), "incorrect_sent",
         meta={"side": "incorrect"}),
    Case("ragtruth", {"ragtruth/response.jsonl": RESPONSES, "ragtruth/source_info.jsonl": INFO}, 2,
         {1: 1, 0: 1},
         {"id": "ragtruth/1", "label": 1, "source": "Text.", "document": "s1"},
         {"id": "ragtruth/2", "label": 0, "source": "passage 1: p", "system": "llama"},
         "response", put("labels", [{"start": 3, "end": 99, "label_type": "x"}]), "end",
         meta={"question": "q?", "task_type": "QA", "split": "test"}),
    Case("conflictbank", {"conflictbank/conflictbank.jsonl": CONFLICTBANK}, 12, {1: 6, 0: 6},
         {"id": "conflictbank/0/misinformation/a", "source": "Ev MARK.", "summary": "F1."},
         {"id": "conflictbank/1/counterfactual/d", "source": "Cev2.", "summary": "F2.",
          "document": "1", "pair": "1/counterfactual", "label": 0},
         "evidence", put("counterfactual_claim", 1), "counterfactual_claim",
         meta={"condition": "d"}),
    Case("treatfact", {"treatfact/treatfact.jsonl": TREATFACT}, 2, {1: 1, 0: 1},
         {"id": "treatfact/0", "label": 1, "rating": 3.0},
         {"id": "treatfact/1", "label": 0, "rating": 1.0},
         "overall", put("overall", 4), "overall",
         meta={"protocol": {"population_consistent": "no"}}),
    Case("lss", {"lss/LSS_test.csv": LSS}, 3, {None: 3},
         {"id": "lss/0", "rating": 3.5, "summary": FERRY, "source": f"Ref of {FERRY} MARK"},
         {"id": "lss/2", "rating": 1.0, "spans": (Span(0, 11, "unsupported"),)},
         LSS_QUESTIONS[1], put(LSS_QUESTIONS[4], "6 - More Than That"), LSS_QUESTIONS[4],
         meta={"spans": [[0, 11, "unsupported", 0]],
               "annotations": [{"worker": "W3", "lss": "", "lss_star": "", "rating": 1,
                                "unrelated": True, "star_difficult": False}]}),
    Case("defacto", {"defacto/val.jsonl": DEFACTO}, 2, {0: 1, 1: 1},
         {"id": "defacto/val/0", "label": 0, "document": "defacto/7",
          "spans": (Span(10, 14, "corrected"),)},
         {"id": "defacto/val/1", "label": 1, "spans": (), "source": "Article MARK."},
         "candidate", put("has_error", "no"), "has_error", split="val",
         meta={"error_types": [], "evidence_text": "Ev.", "split": "val"}),
    Case("cliff", {"cliff.jsonl": UNIFIED}, 2, {0: 1, 1: 1},
         {"id": "a", "label": 0, "document": document_id("Src MARK.")},
         {"id": "b", "label": 1, "system": "BART", "spans": ()},
         "summary", put("label", 0.5), "label",
         meta={"error_types": [], "split": "test", "cut": "test"}),
    Case("xsumfaith_dev", {"xsumfaith_dev.jsonl": RATED}, 2, {None: 2},
         {"id": "x", "rating": 0.5, "document": "g", "pair": None},
         {"id": "y", "rating": 1.0, "spans": ()},
         "source", put("spans", [[2, 1, "x", "w"]]), "spans"),
]  # fmt: skip


def read(case: Case, root: Path) -> list[Example]:
    return load(case.dataset, data_dir=root, split=case.split)


def write_case(case: Case, root: Path, records: Records | None = None) -> Path:
    """Writes the files, the first with other records if given; returns the first's path."""
    for name in reversed(case.files):
        chosen = records if records is not None and name == case.main else case.files[name]
        path = write(root, name, chosen)
    return path


def last_line(case: Case) -> int:
    """The line of the last record of the first file: a header, or `[`, or nothing is before it."""
    suffix = Path(case.main).suffix
    if suffix == ".xlsx":
        records = case.files[case.main]
        return 1 + sum(record["sheet"] == records[-1]["sheet"] for record in records)
    text = encode(Path(case.main), case.files[case.main][:-1])
    return text.count("\n") + {".json": 0, ".jsonl": 1}.get(suffix, 1)


def spans_of(example: Example) -> list[tuple[str, str]]:
    return [(example.summary[span.start : span.end], span.label) for span in example.spans]


def case_of(dataset: str) -> Case:
    return next(case for case in CASES if case.dataset == dataset)
