"""Families of labelled files, for leaving one out: files of one family share a kind of text or a
release, and no two families share a document (`overlaps` finds those that do)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from faithkit.records import ConfigError, did_you_mean
from faithkit.train.words import Labelled

FAMILIES: dict[str, str] = {
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
    **dict.fromkeys(("nli_snli", "nli_mnli", "nli_conjnli"), "nli"),
    **dict.fromkeys(("claims[split=train]", "claims[split=dev]"), "claims"),
}  # fmt: skip
"""`Labelled.file` -> family."""


def family(file: str) -> str:
    """The family of a file. Raises ConfigError on a file that has none."""
    if file not in FAMILIES:
        raise ConfigError(f"No family is known of the file '{file}'.{did_you_mean(file, FAMILIES)}")
    return FAMILIES[file]


def by_family(rows: Iterable[Labelled]) -> dict[str, list[Labelled]]:
    """The rows of each family, in the table's order of families."""
    groups: dict[str, list[Labelled]] = {name: [] for name in dict.fromkeys(FAMILIES.values())}
    for row in rows:
        groups[family(row.file)].append(row)
    return {name: group for name, group in groups.items() if group}
