"""Families of labelled files, for leaving one out: files of one family share a kind of text or a
release. `leave_out` parts rows by family and keeps the documents of both parts apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from faithkit.language.words import words
from faithkit.records import ConfigError, did_you_mean
from faithkit.train.labels.exported import OWN, is_file
from faithkit.train.words import Labelled

FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(
        ("xsumfaith_dev", "aggrefact_errors_val", "defacto_dev", "entfa_dev", "qags_xsum",
         "cliff[origin=xsum]"), "xsum"),
    **dict.fromkeys(
        ("summeval_dev", "cogensumm_dev", "cliff[origin=cnndm]"), "cnndm"),
    "bump1": "bump",
    **dict.fromkeys(("faceval_dev", "diasumfact_dev[part=SAMSum]"), "dialogue"),
    "diasumfact_dev[part=QMSum]": "meetings",
    "storysumm_dev": "stories",
    "faithbench_dev": "chat_models",
    "summedits_news": "summedits_news",
    "summedits_podcast": "summedits_podcast",
    **dict.fromkeys(("summedits_sales_email", "summedits_sales_call"), "summedits_sales"),
    **dict.fromkeys(
        ("wice_dev", "wice_tokens_train", "wice_tokens_dev", "fm2", "fever_symmetric"),
        "wikipedia"),
    **dict.fromkeys(("lss_dev", "factcheck_gpt_stance"), "web"),
    "begin": "knowledge_replies",
    **dict.fromkeys(("covidfact", "climate_fever", "nli_healthver"), "science"),
    "cg2c_doc": "cg2c",
    "squad_v2_dev": "questions",
    **dict.fromkeys(("nli_snli", "nli_mnli"), "nli"),
    "nli_conjnli": "conjnli",
    **dict.fromkeys(("claims[split=train]", "claims[split=dev]"), "claims"),
}  # fmt: skip
"""`Labelled.file` -> family."""

RUN = 8
"""Words of a run that two texts of the same document share."""

LEAST_RUNS, LEAST_SHARE = 10, 0.2
"""Two documents share text from this many runs on, if they are this share of the shorter one's."""

COMMON = 60
"""A run that more documents have is a phrase of the format, and no sign of a shared text."""


class Overlap(NamedTuple):
    """Documents of two families that share text: their `Labelled.document`, and the share of the
    runs of `RUN` words of the shorter one that the other has."""

    first: str
    second: str
    share: float


def family(file: str) -> str:
    """The family of a file; those of a user's own are one. Raises ConfigError on a file that has
    none."""
    if is_file(file):
        return OWN
    if file not in FAMILIES:
        raise ConfigError(f"No family is known of the file '{file}'.{did_you_mean(file, FAMILIES)}")
    return FAMILIES[file]


def overlaps(rows: Iterable[Labelled]) -> list[Overlap]:
    """Documents that share text with one of another family, and one document in two families
    (then `first` and `second` are the same), most shared text first."""
    families: dict[str, set[str]] = defaultdict(set)
    sources: dict[str, str] = {}
    for row in rows:
        families[row.document].add(family(row.file))
        sources[row.document] = row.source
    same = [Overlap(name, name, 1.0) for name, of in families.items() if len(of) > 1]
    runs = {name: _runs(text) for name, text in sources.items()}
    documents: dict[int, list[str]] = defaultdict(list)
    for name, hashes in runs.items():
        for value in hashes:
            documents[value].append(name)
    shared: Counter[tuple[str, str]] = Counter()
    for names in documents.values():
        if 1 < len(names) <= COMMON:
            shared.update(
                pair for pair in combinations(names, 2) if families[pair[0]] != families[pair[1]]
            )
    similar = [
        Overlap(a, b, count / min(len(runs[a]), len(runs[b])))
        for (a, b), count in shared.items()
        if count >= LEAST_RUNS
    ]
    return sorted(
        [*same, *(pair for pair in similar if pair.share > LEAST_SHARE)],
        key=lambda pair: (-pair.share, pair.first, pair.second),
    )


def leave_out(
    rows: Sequence[Labelled], name: str, shared: Sequence[Overlap]
) -> tuple[list[Labelled], list[Labelled]]:
    """The rows to train on when the family `name` is left out, and the family's own. `shared` is
    what `overlaps` found: a row of another family is in neither part where its document shares
    text with one of the left-out family. Raises ConfigError on a family that no row is of."""
    left_out = [row for row in rows if family(row.file) == name]
    if not left_out:
        choices = {family(row.file) for row in rows}
        raise ConfigError(f"No row is of the family '{name}'.{did_you_mean(name, choices)}")
    documents = {row.document for row in left_out}
    excluded = set(documents)
    for first, second, _ in shared:
        if first in documents or second in documents:
            excluded |= {first, second}
    training = [row for row in rows if family(row.file) != name and row.document not in excluded]
    return training, left_out


def _runs(text: str) -> set[int]:
    pieces = [word.text.lower() for word in words(text) if word.text[0].isalnum()]
    return {hash(tuple(pieces[i : i + RUN])) for i in range(len(pieces) - RUN + 1)}
