"""The readers on the real files: counts, labels, first and last record, and agreement of formats.

The files are no part of the project: without them these tests are skipped.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import pytest
from tests.helpers.paths import SHARED_DATA

from faithkit.datasets import DATASETS, find_file, iter_examples, load, sources
from faithkit.datasets.unified import read as read_unified
from faithkit.records import Example

DATA = SHARED_DATA
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} is absent"),
]

BENCH = {
    # name: rows, labels, groups, first id, last id
    "summeval_dev": (800, {None: 800}, 50, "dm-test-8764fb95bfad8ee849274873a92fb8d6b400eee2/M11",
                     "dm-test-e880fda4c25289f8325574246f0f8ed4ff5eb26b/M9"),
    "qags_xsum": (239, {None: 239}, 239, "qags_xsum/0", "qags_xsum/238"),
    "xsumfaith_dev": (1335, {None: 1335}, 267, "xsumfaith/10138849/BERTS2S",
                      "xsumfaith/40965536/TranS2S"),
    "cliff": (600, {1: 374, 0: 226}, 300, "cliff/xsum/34687720/BART",
              "cliff/cnndm/a88286f286c480c3c773b89aa6fa26710a74f291/Pegasus"),
    "aggrefact_errors_val": (1123, {0: 1123}, 464, "aggrefact/xsumfaith/35761017/BERTS2S",
                             "aggrefact/xsumfaith/40254741/TranS2S"),
    "bump1": (1386, {1: 693, 0: 693}, 99, "bump1/0/reference", "bump1/692/edited"),
    "summedits_news": (819, {0: 498, 1: 321}, 25, "summedits/news/63f9455b8d931ba6e664fb84_og",
                       "summedits/news/63fe83a6822983eae8845b51_30"),
    "summedits_podcast": (500, {0: 337, 1: 163}, 21, "summedits/podcast/spotify_podcast_2_og",
                          "summedits/podcast/spotify_podcast_40_29"),
    "summedits_sales_email": (613, {0: 434, 1: 179}, 21,
                              "summedits/sales_email/sales_email_1_og",
                              "summedits/sales_email/sales_email_30_34"),
    "summedits_sales_call": (520, {0: 347, 1: 173}, 18, "summedits/sales_call/sales_call_0_og",
                             "summedits/sales_call/sales_call_23_og"),
    "wice_dev": (349, {0: 234, 1: 115}, 349, "dev02986", "dev02478"),
    "begin": (4749, {0: 3044, 1: 1705}, 1869, "begin/dev_cmu/0", "begin/test_wow/3606"),
    "wice_tokens_train": (374, {0: 374}, 349, "train31212-2", "train35348-0"),
    "wice_tokens_dev": (124, {0: 124}, 120, "dev02986-2", "dev03583-0"),
    "cliff_release": (600, {1: 374, 0: 226}, 300, "cliff/xsum/34687720/BART",
                      "cliff/cnndm/a88286f286c480c3c773b89aa6fa26710a74f291/Pegasus"),
    "aggrefact_unified_xsumfaith": (1123, {0: 1120, 1: 3}, 464, None, None),
    "qags_xsum_release": (239, {None: 239}, 239, "qags_xsum/0", "qags_xsum/238"),
    "xsum_hallucination": (1335, {None: 1335}, 267, "xsumfaith/29347895/BERTS2S",
                           "xsumfaith/39017131/TranS2S"),
    "xsum_factuality": (1008, {0: 904, 1: 99, None: 5}, 267, "xsumfact/38505171/BERTS2S",
                        "xsumfact/34793274/PtGen"),
    "summedits_news_release": (819, {0: 498, 1: 321}, 25,
                               "summedits/news/63f9455b8d931ba6e664fb84_og",
                               "summedits/news/63fe83a6822983eae8845b51_30"),
    "summedits_podcast_release": (500, {0: 337, 1: 163}, 21,
                                  "summedits/podcast/spotify_podcast_2_og",
                                  "summedits/podcast/spotify_podcast_40_29"),
    "bump": (1386, {1: 693, 0: 693}, 99, "bump1/0/reference", "bump1/692/edited"),
    "wice:dev": (349, {0: 234, 1: 115}, 349, "dev02986", "dev02478"),
    "begin_release:dev_wow": (430, {0: 250, 1: 180}, 333, "begin/dev_wow/0",
                              "begin/dev_wow/429"),
    "lss": (1215, {None: 1215}, 1203, "lss/0", "lss/1214"),
    "lss_dev": (1215, {None: 1215}, 1203, "lss/0", "lss/1993"),
    "defacto_dev": (1486, {1: 444, 0: 1042}, 1486, "defacto/train/0", "defacto/val/485"),
    "diasumfact_dev": (243, {0: 154, 1: 89}, 61, "diasumfact/13-1/dialoglm_led",
                       "diasumfact/30-4/dialoglm_led"),
    "storysumm_dev": (54, {0: 35, 1: 19}, 18, "storysumm/1e21553b47944b67bc2cdf67860d8e15",
                      "storysumm/7340915067632839473ypukwu"),
    "entfa_dev": (417, {1: 243, 0: 174}, 417, "entfa/train/0", "entfa/train/459"),
    "faithbench_dev": (360, {0: 245, 1: 115}, 36, "faithbench/10", "faithbench/789"),
    "faceval_dev": (415, {1: 258, 0: 157}, 83, "faceval/13814886/human_ref",
                    "faceval/13728122/condigsum bart large"),
    "cogensumm_dev": (184, {1: 148, 0: 36}, 46, "cogensumm/test_see17_org.json/3",
                      "cogensumm/test_gehrmann18_org.json/395"),
    "fm2": (1169, {1: 596, 0: 573}, 209, "fm2/01EICaMMy6uOPHdoEGAf", "fm2/zz3KQLKtBMH5p0ZulHRx"),
    "fever_symmetric": (640, {0: 320, 1: 320}, 307, "fever_symmetric/dev/0",
                        "fever_symmetric/dev/707"),
    "climate_fever": (7675, {0: 5732, 1: 1943}, 1535,
                      "climate/0/Extinction risk from global warming:170",
                      "climate/3134/Heat wave:151"),
    "covidfact": (3261, {1: 1035, 0: 2226}, 1034, "covidfact/train/0", "covidfact/train/3262"),
    "cg2c_doc": (2068, {1: 1034, 0: 1034}, 1656, "cg2c_doc/0", "cg2c_doc/2067"),
    "defacto:val": (486, {1: 145, 0: 341}, 486, "defacto/val/0", "defacto/val/485"),
    "diasumfact": (243, {0: 154, 1: 89}, 61, "diasumfact/13-1/dialoglm_led",
                   "diasumfact/30-4/dialoglm_led"),
    "storysumm": (54, {0: 35, 1: 19}, 18, "storysumm/1e21553b47944b67bc2cdf67860d8e15",
                  "storysumm/7340915067632839473ypukwu"),
}  # fmt: skip


def read(name: str) -> list[Example]:
    dataset, _, split = name.partition(":")
    if dataset.startswith("aggrefact_unified"):
        pytest.importorskip("openpyxl")
    return load(dataset, data_dir=DATA, split=split or None)


@pytest.mark.parametrize("name", BENCH)
def test_counts_labels_documents_and_ends_of_the_real_file(name: str) -> None:
    rows, labels, documents, first, last = BENCH[name]
    examples = read(name)
    assert len(examples) == rows
    assert Counter(example.label for example in examples) == labels
    assert len({example.document for example in examples}) == documents
    if first is not None:
        assert (examples[0].id, examples[-1].id) == (first, last)


@pytest.mark.parametrize(
    ("name", "mean"),
    [("summeval_dev", 4.66375), ("qags_xsum", 116 / 239), ("xsumfaith_dev", 0.5511093168716361)],
)
def test_mean_rating_of_the_real_file(name: str, mean: float) -> None:
    ratings = [example.rating for example in read(name)]
    assert None not in ratings
    assert sum(rating for rating in ratings if rating is not None) / len(ratings) == pytest.approx(
        mean, abs=1e-12
    )


@pytest.mark.parametrize("name", sorted(sources()))
def test_files_have_the_hash_that_is_written_down(name: str) -> None:
    for item in sources()[name]["files"]:
        path = find_file(item["name"], data_dir=DATA)
        if item["sha256"] is None:
            assert path is None, f"{path} is there, and has no hash in sources.json"
        else:
            assert path is not None
            assert hashlib.sha256(path.read_bytes()).hexdigest() == item["sha256"]


def compared(release: str, unified: str) -> list[tuple[Example, Example]]:
    """The examples of both, by id: the unified file has all that the release's has."""
    ours = {example.id: example for example in read(release)}
    theirs = {example.id: example for example in read(unified)}
    assert ours.keys() <= theirs.keys()
    return [(example, theirs[name]) for name, example in ours.items()]


def differing(pairs: list[tuple[Example, Example]], *names: str) -> dict[str, int]:
    """How many pairs differ, by field; `meta.x` is a key of meta."""

    def value(example: Example, name: str) -> Any:
        counts = example.meta.get(name[5:]) if name[:5] == "meta." else getattr(example, name)
        return round(counts, 9) if isinstance(counts, float) else counts

    return {
        name: count
        for name in names
        if (count := sum(value(one, name) != value(other, name) for one, other in pairs))
    }


TEXTS = ("source", "summary", "label", "rating", "system")


@pytest.mark.verify
def test_xsum_hallucination_gives_the_scores_of_the_unified_file() -> None:
    pairs = compared("xsum_hallucination", "xsumfaith_dev")
    assert len(pairs) == 1335
    assert differing(pairs, *TEXTS, "document") == {}


@pytest.mark.verify
def test_xsum_spans_cover_what_the_unified_file_marks_but_for_the_ends() -> None:
    # The unified file keeps the release's offsets, whose ends are exclusive or inclusive by turns.
    pairs = compared("xsum_hallucination", "xsumfaith_dev")
    apart = sum(len(covered(one) ^ covered(other)) for one, other in pairs)
    marked = sum(len(covered(other)) for _, other in pairs)
    assert apart / marked < 0.03


def covered(example: Example) -> set[int]:
    return {at for span in example.spans for at in range(span.start, span.end)}


@pytest.mark.verify
def test_qags_gives_the_majority_votes_of_the_unified_file() -> None:
    # Its texts are tokenised ("city centre ."), so only their letters can be compared.
    pairs = compared("qags_xsum_release", "qags_xsum")
    assert len(pairs) == 239
    assert differing(pairs, "rating") == {}
    for one, other in pairs:
        assert letters(one.source) == letters(other.source)
        assert letters(one.summary) == letters(other.summary)
    assert Counter(round(one.meta["share"], 2) for one, _ in pairs) == {
        0.0: 64, 0.33: 59, 0.67: 59, 1.0: 57,
    }  # fmt: skip


def letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


@pytest.mark.verify
@pytest.mark.parametrize("domain", ["news", "podcast"])
def test_summedits_agrees_with_the_unified_file(domain: str) -> None:
    # The unified file names a seed by its text, the release by its id: one for one.
    pairs = compared(f"summedits_{domain}_release", f"summedits_{domain}")
    assert differing(pairs, *TEXTS, "meta.error_types", "document") == {}
    seeds = {(one.pair, other.pair) for one, other in pairs}
    assert len(seeds) == len({one.pair for one, _ in pairs})
    assert all(one.meta["original_summary"] == other.pair for one, other in pairs)


@pytest.mark.verify
def test_bump_agrees_with_the_unified_file() -> None:
    pairs = compared("bump", "bump1")
    assert len(pairs) == 1386
    fields = ("pair", "document", "meta.error_types")
    assert differing(pairs, *TEXTS, *fields) == {}
    assert len({one.document for one, _ in pairs}) == 99


@pytest.mark.verify
def test_wice_agrees_with_the_unified_file() -> None:
    pairs = compared("wice:dev", "wice_dev")
    assert len(pairs) == 349
    assert differing(pairs, *TEXTS, "document", "meta.grade", "meta.evidence") == {}


@pytest.mark.verify
def test_cliff_agrees_with_the_unified_file() -> None:
    pairs = compared("cliff_release", "cliff")
    assert len(pairs) == 600
    fields = ("meta.origin", "meta.cut", "meta.split", "meta.error_types")
    assert differing(pairs, *TEXTS, *fields) == {}
    assert sum(len(one.meta["spans_not_found"]) for one, _ in pairs) == 1


@pytest.mark.verify
def test_aggrefact_agrees_with_the_unified_file_but_for_three_labels() -> None:
    # The release puts three summaries that it labels 1 into the sheets of errors.
    pairs = compared("aggrefact_unified_xsumfaith", "aggrefact_errors_val")
    assert len(pairs) == 1123
    fields = ("spans", "meta.era", "meta.cut", "meta.error_types", "meta.spans_not_found")
    assert differing(pairs, *TEXTS, *fields) == {"label": 3}
    assert {one.id for one, other in pairs if one.label != other.label} == {
        "aggrefact/xsumfaith/36307661/BERTS2S",
        "aggrefact/xsumfaith/28328378/BERTS2S",
        "aggrefact/xsumfaith/38168461/BERTS2S",
    }


def test_eras_of_the_spreadsheet_are_those_of_the_table_of_models() -> None:
    from faithkit.datasets.aggrefact import ERAS

    counts = {
        (example.system or "", example.meta["era"]) for example in read("aggrefact_errors_val")
    }
    assert all(ERAS.get(system.lower(), "Gold") == era for system, era in counts)
    assert len(counts) == 5


@pytest.mark.verify
def test_begin_agrees_with_the_unified_file() -> None:
    pairs = compared("begin_release:dev_wow", "begin")
    assert len(pairs) == 430
    assert differing(pairs, *TEXTS, "document") == {}


@pytest.mark.verify
def test_lss_agrees_with_the_unified_file() -> None:
    # The unified file counts the items of the whole release, so ids differ from the second on.
    path = find_file("lss_dev.jsonl", data_dir=DATA)
    assert path is not None
    unified = {(e.source, e.summary): e for e in read_unified([path])}
    examples = read("lss")
    assert len(unified) == len(examples) == 1215
    for example in examples:
        other = unified[example.source, example.summary]
        assert example.rating == pytest.approx(other.rating)
        assert example.spans == other.spans
        assert example.meta["spans"] == other.meta["spans"]
        kept = [{key: value for key, value in one.items() if key != "star_difficult"}
                for one in example.meta["annotations"]]  # fmt: skip
        assert kept == other.meta["annotations"]


@pytest.mark.verify
def test_defacto_agrees_with_the_unified_file() -> None:
    pairs = compared("defacto:val", "defacto_dev")
    assert len(pairs) == 486
    names = ("spans", "meta.correction", "meta.evidence_text", "meta.error_types", "meta.spans")
    assert differing(pairs, *TEXTS, "document", *names) == {}


@pytest.mark.verify
def test_diasumfact_agrees_with_the_unified_file() -> None:
    # Two spans of sentences that the release cuts short or that repeat stand in other places.
    pairs = compared("diasumfact", "diasumfact_dev")
    assert len(pairs) == 243
    names = ("spans", "meta.part", "meta.error_types", "meta.sentences")
    assert differing(pairs, *TEXTS, "document", "system", *names) == {"spans": 2}


@pytest.mark.verify
def test_storysumm_agrees_with_the_unified_file() -> None:
    pairs = compared("storysumm", "storysumm_dev")
    assert len(pairs) == 54
    names = ("meta.sentences", "meta.difficulty", "meta.explanations")
    assert differing(pairs, *TEXTS, "document", "system", *names) == {}


def test_lss_first_and_last_annotations_are_those_of_the_real_file() -> None:
    examples = read("lss")
    annotations = [one for example in examples for one in example.meta["annotations"]]
    assert len(annotations) == 1947
    assert Counter(one["rating"] for one in annotations) == {4: 780, 3: 572, 2: 314, 5: 220, 1: 61}
    assert Counter(one["star_difficult"] for one in annotations) == {False: 1699, True: 248}
    assert sum(one["unrelated"] for one in annotations) == 28
    first, last = examples[0], examples[-1]
    assert [one["worker"] for one in first.meta["annotations"]] == ["QEZAEMV2WF9D"]
    assert [one["worker"] for one in last.meta["annotations"]] == [
        "QEZAEMV2WF9D", "9RHJY2Q9ZTEG", "Z239E43AATKE",
    ]  # fmt: skip
    assert (first.rating, last.rating) == (4.0, pytest.approx(13 / 3))
    assert spans_of(first) == ['from the album "Discovery', "Fearless"]


def spans_of(example: Example) -> list[str]:
    return [example.summary[span.start : span.end] for span in example.spans]


def test_frank_judgements_name_an_origin_that_the_hash_gives_away() -> None:
    # The texts of FRANK are not there; its reader tells the origin of a document by its hash.
    from faithkit.datasets.rows import read_rows as rows

    path = find_file("frank/human_annotations.json", data_dir=DATA)
    assert path is not None
    counts = Counter((row.name("dataset"), row.name("hash").isdigit()) for row in rows(path))
    assert counts == {("cnndm", False): 1250, ("bbc", True): 996}


def test_every_real_file_that_can_be_read_is_pinned_here() -> None:
    there = {
        name
        for name, entry in DATASETS.items()
        if all(find_file(spec, data_dir=DATA) for spec in entry.files)
        and any(find_file(s, data_dir=DATA) for s in (*entry.files, *entry.split_files.values()))
    }
    assert there == {name.partition(":")[0] for name in BENCH}


def test_reading_stops_where_the_caller_stops() -> None:
    assert next(iter_examples("begin", data_dir=DATA)).id == "begin/dev_cmu/0"
