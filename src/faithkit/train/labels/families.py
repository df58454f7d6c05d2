"""Families of labelled files, for leaving one out: files of one family share a kind of text or a
release. `leave_out` splits rows by family so that the parts have no documents in common."""

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
"""Words of an n-gram ("run") by which shared text is detected."""

LEAST_RUNS, LEAST_SHARE = 10, 0.2
"""Two documents share text if they have this many runs in common, and more than this share of the
shorter document's runs."""

COMMON = 60
"""A run in more documents is a phrase of the format, and does not count as shared text."""


class Overlap(NamedTuple):
    """Two documents of different families that share text.

    first, second  their `Labelled.document`
    share          of the shorter one's runs that the other has
    """

    first: str
    second: str
    share: float


def family(file: str) -> str:
    """The family of a `Labelled.file`; a user's files are one family. Raises ConfigError on an
    unknown file."""
    if is_file(file):
        return OWN
    if file not in FAMILIES:
        raise ConfigError(f"No family is known of the file '{file}'.{did_you_mean(file, FAMILIES)}")
    return FAMILIES[file]


def overlaps(rows: Iterable[Labelled]) -> list[Overlap]:
    """Pairs of documents of different families that share text, and documents in several families
    (`first` and `second` are the same), most shared text first."""
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
    """(rows to train on, rows of the family): the split that leaves out the family `name`. Rows of
    other families whose documents share text with one of the family are in neither part.

    shared  the result of `overlaps`
    Raises ConfigError where no row is of the family.
    """
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
