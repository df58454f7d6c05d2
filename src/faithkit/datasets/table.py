"""The table of datasets: the name, the reader and the files of each.

The table is literal and does not import the readers. The origin and licence of a release and the
hashes of its files are in `sources.json`. A name that ends in `_release` is the original format of
a dataset whose unified JSONL has the name without that ending.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TASKS = ("rating", "detection", "ranking", "error_types")


@dataclass(frozen=True, slots=True)
class Entry:
    """One dataset.

    reader      `module:function` in this package, called with the paths and `options`, and with
                `split` if each split has a file of its own
    title       a description of one line
    tasks       the tasks of `TASKS` that it can evaluate
    files       the files, all of which are needed; `a|b` are alternatives
    split_files the file of each split, if a release has one file for each
    splits      the splits that can be selected
    unlabelled  whether some rows have neither label nor rating
    source      its name in `sources.json`
    options     further arguments of the reader
    """

    reader: str
    title: str
    tasks: tuple[str, ...]
    files: tuple[str, ...] = ()
    split_files: Mapping[str, str] = field(default_factory=dict)
    splits: tuple[str, ...] = ()
    unlabelled: bool = False
    source: str = ""
    options: Mapping[str, str | bool] = field(default_factory=dict)


RATING, DETECTION, RANKING, ERRORS = (("rating",), ("detection",), ("ranking",), ("error_types",))


def _unified(
    name: str, title: str, tasks: tuple[str, ...], *, pairs: bool = False,
    splits: tuple[str, ...] = (),
) -> Entry:  # fmt: skip
    options = {"pairs": True} if pairs else {}
    return Entry("unified:read", title, tasks, files=(f"{name}.jsonl",), splits=splits,
                 source=name, options=options)  # fmt: skip


def _summac(name: str) -> Entry:
    files = {split: f"summac/{name}_{split}.jsonl" for split in ("val", "test")}
    return Entry("summac:read", f"SummaC benchmark: {name}", DETECTION, split_files=files,
                 splits=("val", "test"), source="summac", options={"name": name})  # fmt: skip


def _summedits(domain: str) -> Entry:
    return Entry("summedits:read", f"SummEdits, {domain}, original JSON", DETECTION,
                 files=(f"summedits/summedits_{domain}.json",), source="summedits",
                 options={"domain": domain})  # fmt: skip


def _tofueval(name: str, texts: str) -> Entry:
    files = tuple(f"tofueval/{name}_{kind}.csv" for kind in
                  ("factual_eval_dev", "factual_eval_test", "dev_doc", "test_doc"))  # fmt: skip
    return Entry("tofueval:read", f"TofuEval, {texts}, every sentence judged", DETECTION + ERRORS,
                 files=files, splits=("dev", "test"), source="tofueval")  # fmt: skip


def _refchecker(name: str, context: str) -> Entry:
    answers = (f"refchecker/{name}_{model}_answers.json" for model in REFCHECKER_MODELS)
    return Entry("refchecker:read", f"RefChecker, {context} context, answers by triples",
                 DETECTION, files=(f"refchecker/{name}.json", *answers), unlabelled=True,
                 source="refchecker")  # fmt: skip


def _corrections(name: str, title: str) -> Entry:
    return Entry("corrections:read", title, DETECTION,
                 files=(f"{name}/{name}.jsonl|{name}/{name}.csv",), source=name,
                 options={"name": name})  # fmt: skip


REFCHECKER_MODELS = (
    "alpaca_7B", "chatgpt", "claude2", "davinci001", "falcon_40B_instruct", "gpt4",
    "llama2_70b_chat",
)  # fmt: skip
BEGIN_FILES = {
    part: f"begin/begin_{part}.tsv" for part in ("dev_wow", "dev_cmu", "dev_tc", "test_wow")
}
DOCUMENTS = "xsum_documents.jsonl"
FRANK_FILES = ("frank/benchmark_data.json", "frank/human_annotations.json")
DATASETS: dict[str, Entry] = {
    "summeval_dev": _unified("summeval_dev", "SummEval, 50 articles x 16 systems", RATING),
    "qags_xsum": _unified("qags_xsum", "QAGS, XSum summaries", RATING),
    "xsumfaith_dev": _unified("xsumfaith_dev", "XSum hallucination, 267 documents", RATING),
    "cliff": _unified("cliff", "CLIFF with AggreFact's error types", DETECTION + ERRORS,
                      splits=("val", "test")),
    "aggrefact_errors_val": _unified("aggrefact_errors_val", "AggreFact, XSum errors, validation",
                                     ERRORS, splits=("val",)),
    "bump1": _unified("bump1", "BUMP, minimal pairs", RANKING + DETECTION, pairs=True),
    "summedits_news": _unified("summedits_news", "SummEdits, news", DETECTION, pairs=True),
    "summedits_podcast": _unified("summedits_podcast", "SummEdits, podcasts", DETECTION,
                                  pairs=True),
    "summedits_sales_email": _unified("summedits_sales_email", "SummEdits, sales e-mails",
                                      DETECTION, pairs=True),
    "summedits_sales_call": _unified("summedits_sales_call", "SummEdits, sales calls", DETECTION,
                                     pairs=True),
    "wice_dev": _unified("wice_dev", "WiCE claims, dev", DETECTION),
    "begin": _unified("begin", "BEGIN, grounded replies", DETECTION),
    "wice_tokens_train": Entry("wice:read_tokens", "WiCE unsupported tokens, train", DETECTION,
                               files=("wice_tokens_train.jsonl",), source="wice_tokens_train"),
    "wice_tokens_dev": Entry("wice:read_tokens", "WiCE unsupported tokens, dev", DETECTION,
                             files=("wice_tokens_dev.jsonl",), source="wice_tokens_dev"),
    "lss_dev": _unified("lss_dev", "LSS, claims and their supported subsequences", RATING),
    "defacto_dev": _unified("defacto_dev", "DeFacto, XSum summaries and their corrections",
                            DETECTION + ERRORS),
    "diasumfact_dev": _unified("diasumfact_dev", "DiaSumFact, dialogue and meeting summaries",
                               DETECTION + ERRORS),
    "storysumm_dev": _unified("storysumm_dev", "StorySumm, short stories by chat models",
                              DETECTION),
    "entfa_dev": _unified("entfa_dev", "EntFA, XSum summaries with judged entities", DETECTION),
    "faithbench_dev": _unified("faithbench_dev", "FaithBench, modern LLMs, 36 sources",
                               DETECTION),
    "faceval_dev": _unified("faceval_dev", "FacEval, dialogue summaries, 83 dialogues",
                            DETECTION),
    "cogensumm_dev": _unified("cogensumm_dev", "CoGenSumm, CNN/DM system summaries", DETECTION),
    "fm2": _unified("fm2", "Fool Me Twice, claims against Wikipedia evidence", DETECTION),
    "fever_symmetric": _unified("fever_symmetric", "Symmetric FEVER, minimal contrast",
                                DETECTION, pairs=True),
    "climate_fever": _unified("climate_fever", "Climate-FEVER, claims and evidence sentences",
                              DETECTION),
    "covidfact": _unified("covidfact", "COVID-Fact, claims and their falsified copies",
                          DETECTION, pairs=True),
    "cg2c_doc": _unified("cg2c_doc", "FactCG's synthetic document-level claims", DETECTION),
    "claims": Entry("unified:read", "faithkit's claims set, 14 kinds of text", DETECTION,
                    files=("claims/claims.jsonl",), splits=("train", "dev", "test"),
                    source="claims"),
    "summeval": Entry("summeval:read", "SummEval, 100 articles x 16 systems", RATING,
                      files=("summeval/model_annotations.aligned.paired.jsonl",),
                      source="summeval"),
    "summac_cogensumm": _summac("cogensumm"),
    "summac_xsumfaith": _summac("xsumfaith"),
    "summac_polytope": _summac("polytope"),
    "summac_factcc": _summac("factcc"),
    "summac_summeval": _summac("summeval"),
    "summac_frank": _summac("frank"),
    "aggrefact": Entry("aggrefact:read", "AggreFact, nine sets by origin and era", DETECTION,
                       files=("aggrefact/aggre_fact_final.csv",), splits=("val", "test"),
                       source="aggrefact"),
    "aggrefact_unified": Entry(
        "aggrefact:read_unified", "AggreFact error types, four sets, validation", ERRORS,
        files=("aggrefact/AggreFact-Unified-val.xlsx", "aggrefact/aggre_fact_final.csv"),
        splits=("val",), source="aggrefact_unified"),
    "aggrefact_unified_xsumfaith": Entry(
        "aggrefact:read_unified", "AggreFact error types, XSumFaith, validation", ERRORS,
        files=("aggrefact/AggreFact-Unified-val.xlsx",), splits=("val",),
        source="aggrefact_unified", options={"dataset": "xsumfaith"}),
    "cliff_release": Entry("cliff:read", "CLIFF with AggreFact's error types, original CSV",
                           DETECTION + ERRORS, files=("aggrefact/CLIFF_error_types.csv",),
                           splits=("val", "test"), source="cliff_release"),
    "llm_aggrefact": Entry(
        "llm_aggrefact:read", "LLM-AggreFact, eleven sets", DETECTION,
        split_files={
            split: f"llm_aggrefact/{split}.jsonl|llm_aggrefact/{split}.parquet|"
            f"llm_aggrefact/{split}-00000-of-00001.parquet|llm_aggrefact/{split}.csv"
            for split in ("dev", "test")
        },
        splits=("dev", "test"), source="llm_aggrefact"),
    "frank": Entry("frank:read", "FRANK, CNN/DM and XSum", RATING + ERRORS, files=FRANK_FILES,
                   splits=("val", "test"), unlabelled=True, source="frank"),
    "frank_cnndm": Entry("frank:read", "FRANK, CNN/DM", RATING + ERRORS, files=FRANK_FILES,
                         splits=("val", "test"), unlabelled=True, source="frank",
                         options={"origin": "cnndm"}),
    "frank_xsum": Entry("frank:read", "FRANK, XSum", RATING + ERRORS, files=FRANK_FILES,
                        splits=("val", "test"), unlabelled=True, source="frank",
                        options={"origin": "xsum"}),
    "qags_xsum_release": Entry("qags:read", "QAGS, XSum summaries, original JSONL", RATING,
                               files=("qags/mturk_xsum.jsonl",), source="qags_release",
                               options={"origin": "xsum"}),
    "qags_cnndm": Entry("qags:read", "QAGS, CNN/DM summaries", RATING,
                        files=("qags/mturk_cnndm.jsonl",), source="qags_release",
                        options={"origin": "cnndm"}),
    "xsum_hallucination": Entry(
        "xsum_annotations:read_hallucination", "XSum hallucinated spans, original CSV", RATING,
        files=("hallucination_annotations_xsum_summaries.csv", DOCUMENTS),
        source="xsum_annotations"),
    "xsum_factuality": Entry(
        "xsum_annotations:read_factuality", "XSum factuality (true of the world)",
        RATING + DETECTION, files=("factuality_annotations_xsum_summaries.csv", DOCUMENTS),
        unlabelled=True, source="xsum_annotations"),
    "summedits_podcast_release": _summedits("podcast"),
    "summedits_billsum_release": _summedits("billsum"),
    "summedits_samsum_release": _summedits("samsum"),
    "summedits_news_release": _summedits("news"),
    "summedits_sales_call_release": _summedits("sales_call"),
    "summedits_sales_email_release": _summedits("sales_email"),
    "summedits_shakespeare_release": _summedits("shakespeare"),
    "summedits_scitldr_release": _summedits("scitldr"),
    "summedits_qmsumm_release": _summedits("qmsumm"),
    "summedits_ectsum_release": _summedits("ectsum"),
    "bump": Entry("bump:read", "BUMP, minimal pairs, original JSON", RANKING + DETECTION,
                  files=("bump/task1_dataset.json",), source="bump"),
    "wice": Entry("wice:read", "WiCE claims, original JSONL", DETECTION,
                  split_files={split: f"wice/{split}.jsonl" for split in ("train", "dev", "test")},
                  splits=("train", "dev", "test"), source="wice"),
    "begin_release": Entry("begin:read", "BEGIN, grounded replies, original TSV", DETECTION,
                           split_files=BEGIN_FILES, splits=tuple(BEGIN_FILES), unlabelled=True,
                           source="begin_release"),
    "faithbench": Entry("faithbench:read", "FaithBench, modern LLMs", DETECTION,
                        files=("faithbench/FaithBench.csv",), source="faithbench"),
    "faceval": Entry("faceval:read", "FacEval, dialogue summaries", DETECTION + ERRORS,
                     files=("faceval/FacEval_human_result.csv",), source="faceval"),
    "reranking": Entry("reranking:read", "Sentence re-ranking (Falke et al.)", RANKING,
                       files=("reranking/val_sentence_pairs.json",), source="reranking"),
    "ragtruth": Entry("ragtruth:read", "RAGTruth, word-level hallucinations", DETECTION,
                      files=("ragtruth/response.jsonl", "ragtruth/source_info.jsonl"),
                      splits=("train", "test"), source="ragtruth"),
    "conflictbank": Entry(
        "conflictbank:read", "ConflictBank, four conditions an item", DETECTION,
        files=("conflictbank/conflictbank.jsonl|conflictbank/conflictbank.json|"
               "conflictbank/conflictbank.parquet",),
        splits=("misinformation", "temporal", "semantic", "counterfactual"),
        source="conflictbank"),
    "treatfact": Entry("treatfact:read", "TreatFact, clinical abstracts", DETECTION + RATING,
                       files=("treatfact/treatfact.jsonl|treatfact/treatfact.csv",),
                       source="treatfact"),
    "lss": Entry("lss:read", "LSS, claims and their supported subsequences", RATING,
                 files=("lss/LSS_test.csv",), source="lss"),
    "defacto": Entry(
        "defacto:read", "DeFacto, original JSONL", DETECTION + ERRORS,
        split_files={split: f"defacto/{split}.jsonl" for split in ("train", "val", "test")},
        splits=("train", "val", "test"), source="defacto"),
    "diasumfact": Entry("diasumfact:read", "DiaSumFact, original JSON", DETECTION + ERRORS,
                        files=("diasumfact/annotations.json",), source="diasumfact"),
    "storysumm": Entry("storysumm:read", "StorySumm, original JSON", DETECTION,
                       files=("storysumm/storysumm.json",), splits=("val", "test"),
                       source="storysumm"),
    "fm2_release": Entry(
        "fm2:read", "Fool Me Twice, original JSONL", DETECTION,
        split_files={split: f"fm2/{split}.jsonl" for split in ("train", "dev", "test")},
        splits=("train", "dev", "test"), source="fm2_release"),
    "fever_symmetric_release": Entry(
        "fever_symmetric:read", "Symmetric FEVER 0.2, original JSONL", DETECTION,
        split_files={split: f"fever_symmetric/fever_symmetric_{split}.jsonl"
                     for split in ("dev", "test")},
        splits=("dev", "test"), source="fever_symmetric_release"),
    "climate_fever_release": Entry(
        "climate_fever:read", "Climate-FEVER, original JSONL", DETECTION,
        files=("climate_fever/climate-fever-dataset-r1.jsonl",), source="climate_fever_release"),
    "covidfact_release": Entry(
        "covidfact:read", "COVID-Fact, original JSONL", DETECTION,
        files=("covidfact/COVIDFACT_dataset.jsonl",), source="covidfact_release"),
    "entfa": Entry("entfa:read", "EntFA, original JSON", DETECTION + ERRORS,
                   split_files={split: f"entfa/{split}.json" for split in ("train", "test")},
                   splits=("train", "test"), source="entfa"),
    "tofueval_mediasum": _tofueval("mediasum", "interviews"),
    "tofueval_meetingbank": _tofueval("meetingbank", "meetings"),
    "refchecker_dolly": _refchecker("dolly", "accurate"),
    "refchecker_msmarco": _refchecker("msmarco", "noisy"),
    "refchecker_nq": _refchecker("nq", "zero"),
    "factcg": Entry("factcg:read", "FactCG's document-level claims, original JSON lines", DETECTION,
                    files=("factcg/CG2C_doc.json",), source="factcg"),
    "genaudit": _corrections("genaudit", "GenAudit, summaries of language models corrected"),
    "llm_dialogue": _corrections("llm_dialogue",
                                 "LLM-dialogue, dialogue summaries of language models corrected"),
}  # fmt: skip
