"""As `releases.py`, of the releases of claims against evidence and of corrected summaries."""

from __future__ import annotations

from typing import Any

from tests.helpers.releases import Case, put

from faithkit.datasets.table import REFCHECKER_MODELS
from faithkit.records import Span


def fm2(name: str, label: str, *evidence: str) -> dict[str, Any]:
    sentences = [{"section_header": "Plot", "text": text} for text in evidence]
    return {"id": name, "text": f"Claim {name}.", "label": label, "gold_evidence": sentences,
            "retrieved_evidence": sentences[:1], "wikipedia_page": "Page", "category": "Music",
            "total_votes": 2, "correct_votes": 1}  # fmt: skip


FM2 = [fm2("a1", "SUPPORTS", "One MARK.", "Two."), fm2("a2", "REFUTES", "Three MARK.")]
SYMMETRIC = [
    {"id": "54", "claim": "It is red.", "evidence": "A red MARK.", "label": "SUPPORTS"},
    {"id": "54", "claim": "It is blue.", "evidence": "A red MARK.", "label": "REFUTES"},
]
CLIMATE = [
    {"claim_id": "0", "claim": "Bears die.", "claim_label": "SUPPORTS", "evidences": [
        {"evidence_id": "Bear:1", "evidence_label": "SUPPORTS", "article": "Bear",
         "evidence": "They die.", "entropy": 0.0, "votes": ["SUPPORTS"]},
        {"evidence_id": "Ice:2", "evidence_label": "NOT_ENOUGH_INFO", "article": "Ice",
         "evidence": "Ice MARK.", "entropy": 0.7, "votes": []}]},
    {"claim_id": "7", "claim": "It cools.", "claim_label": "REFUTES", "evidences": [
        {"evidence_id": "Sun:3", "evidence_label": "REFUTES", "article": "Sun",
         "evidence": "It warms MARK.", "entropy": 0.1, "votes": []}]},
]  # fmt: skip
COVID = [
    {"claim": claim, "label": label, "evidence": [f"{source} MARK.", "More."],
     "gold_source": "u", "flair": "Preprint"}
    for claim, label, source in (("Long.", "SUPPORTED", "A"), ("Short.", "REFUTED", "A"),
                                 ("Mild.", "SUPPORTED", "B"))
]  # fmt: skip


def entity(start: int, end: int, label: str) -> dict[str, Any]:
    return {"start": start, "end": end, "label": label, "type": "GPE", "ent": "x"}


ENTFA = [
    {"source": "Src MARK.", "reference": "R.", "prediction": "Rome and Lyon.",
     "entities": [entity(0, 4, "Non-hallucinated"), entity(9, 13, "Factual Hallucination")]},
    {"source": "Src MARK.", "reference": "R.", "prediction": "Paris fell.",
     "entities": [entity(0, 5, "Non-factual Hallucination")]},
]  # fmt: skip
TOFU = [
    {"doc_id": "d1", "annotation_id": "1", "topic": "Roads", "model_name": "model_A",
     "sent_idx": index, "summ_sent": text, "sent_label": label, "exp": why, "type": kind}
    for index, text, label, why, kind in (
        (2, "Second.", "no", "It is first.", "Mis-Referencing, Reasoning Error"),
        (1, "First MARK.", "yes", "", ""),
    )
]  # fmt: skip
TOFU_TEST = [
    {**TOFU[1], "doc_id": "d2", "model_name": "model_B", "summ_sent": "Only.", "sent_idx": 1}
]
REFCHECKER = [
    {"id": "5", "response": "Yes MARK.",
     "claude2_response_kg": [{"triplet": ["a", "is", "b"], "human_label": "Entailment"},
                             {"triplet": ["a", "is", "c"], "human_label": "Neutral"}]},
    {"id": "6", "response": "The passages MARK do not say.", "claude2_response_kg": [
        {"triplet": ["a", "is", "b"], "human_label": "Entailment"}]},
]  # fmt: skip
QUESTIONS = [
    {"id": name, "question": "q?", "context": ["Passage one.", "Two."]} for name in ("5", "6")
]
NO_TRIPLE = [{"id": "6", "response": "They do not say.", "claude2_response_kg": []}]
CORRECTED = [
    {"id": "g1", "source": "Src MARK.", "summary": "Anna left Rome.",
     "corrected": "Anna left Lyon.", "system": "gpt"},
    {"id": "g2", "source": "Src MARK.", "summary": "Anna left.", "corrected": "Anna  left."},
]  # fmt: skip

ANSWERS = {
    f"refchecker/msmarco_{model}_answers.json": REFCHECKER if number == 0 else NO_TRIPLE
    for number, model in enumerate(REFCHECKER_MODELS)
}


def break_triple(record: dict[str, Any]) -> None:
    record["claude2_response_kg"][-1]["human_label"] = "Perhaps"


def break_evidence(record: dict[str, Any]) -> None:
    record["evidences"][0]["evidence_label"] = "MAYBE"


def break_entity(record: dict[str, Any]) -> None:
    record["entities"][0]["label"] = "True"


CASES: list[Case] = [
    Case("fm2_release", {"fm2/dev.jsonl": FM2}, 2, {1: 1, 0: 1},
         {"id": "fm2/a1", "source": "One MARK. Two.", "document": "fm2/Page", "label": 1},
         {"id": "fm2/a2", "summary": "Claim a2.", "label": 0},
         "text", put("label", "NEUTRAL"), "label", split="dev",
         meta={"sections": ["Plot"], "retrieved": ["Three MARK."], "split": "dev",
               "category": "Music"}),
    Case("fever_symmetric_release", {"fever_symmetric/fever_symmetric_dev.jsonl": SYMMETRIC}, 2,
         {1: 1, 0: 1},
         {"id": "fever_symmetric/dev/0", "pair": "fever_symmetric/54", "source": "A red MARK."},
         {"id": "fever_symmetric/dev/1", "pair": "fever_symmetric/54", "label": 0},
         "claim", put("label", "UNSURE"), "label", split="dev", meta={"split": "dev"}),
    Case("climate_fever_release", {"climate_fever/climate-fever-dataset-r1.jsonl": CLIMATE}, 3,
         {1: 1, 0: 2},
         {"id": "climate/0/Bear:1", "document": "climate/0", "label": 1},
         {"id": "climate/7/Sun:3", "summary": "It cools.", "label": 0},
         "claim", break_evidence, "evidence_label",
         meta={"nli": "REFUTES", "claim_label": "REFUTES", "article": "Sun"}),
    Case("covidfact_release", {"covidfact/COVIDFACT_dataset.jsonl": COVID}, 3, {1: 2, 0: 1},
         {"id": "covidfact/0", "pair": "covidfact/0", "source": "A MARK. More."},
         {"id": "covidfact/2", "pair": "covidfact/2", "summary": "Mild."},
         "claim", put("label", "TRUE"), "label", meta={"flair": "Preprint"}),
    Case("entfa", {"entfa/test.json": ENTFA}, 2, {1: 1, 0: 1},
         {"id": "entfa/test/0", "label": 1, "spans": (Span(9, 13, "Factual Hallucination"),)},
         {"id": "entfa/test/1", "label": 0, "summary": "Paris fell."},
         "prediction", break_entity, "label", split="test",
         meta={"error_types": ["Non-factual Hallucination"], "reference": "R.", "split": "test"}),
    Case("refchecker_msmarco", {**ANSWERS, "refchecker/msmarco.json": QUESTIONS}, 8,
         {0: 1, 1: 1, None: 6},
         {"id": "refchecker/msmarco/alpaca_7B/5", "label": 0, "source": "Passage one.\nTwo."},
         {"id": "refchecker/msmarco/llama2_70b_chat/6", "label": None,
          "system": "llama2_70b_chat"},
         "response", break_triple, "human_label", meta={"question": "q?", "triples": []}),
    Case("genaudit", {"genaudit/genaudit.jsonl": CORRECTED}, 2, {0: 1, 1: 1},
         {"id": "genaudit/g1", "label": 0, "system": "gpt",
          "spans": (Span(10, 14, "corrected"),), "meta": {"correction": "Anna left Lyon."}},
         {"id": "genaudit/g2", "label": 1, "spans": (), "meta": {}},
         "summary", put("corrected", 3), "corrected"),
    Case("tofueval_meetingbank", {
            "tofueval/meetingbank_factual_eval_dev.csv": TOFU,
            "tofueval/meetingbank_factual_eval_test.csv": TOFU_TEST,
            "tofueval/meetingbank_dev_doc.csv": [{"meeting_id": "d1", "source": "Talk one."}],
            "tofueval/meetingbank_test_doc.csv": [{"meeting_id": "d2", "source": "Talk two."}]},
         2, {0: 1, 1: 1},
         {"id": "tofueval/dev/d1/Roads/model_A", "summary": "First MARK. Second.", "label": 0},
         {"id": "tofueval/test/d2/Roads/model_B", "summary": "Only.", "source": "Talk two."},
         "summ_sent", put("sent_label", "maybe"), "sent_label",
         meta={"sentences": [["Only.", 1]], "split": "test", "topic": "Roads"}),
]  # fmt: skip
