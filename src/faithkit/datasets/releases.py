"""Groups of datasets that hold rows or documents of the same release.

They are used to mark a metric on all datasets of a release if it was trained on one of them. A
literal table, like `table.py`. A release that is part of a collection (AggreFact has nine, SummaC
six, LLM-AggreFact eleven) is in a group with the name of the collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from faithkit.datasets.table import DATASETS

_SUMMEDITS = ("podcast", "news", "sales_call", "sales_email")

RELEASES: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "xsumfaith_dev xsum_hallucination xsum_factuality summac_xsumfaith aggrefact_errors_val "
        "aggrefact aggrefact_unified aggrefact_unified_xsumfaith",
        "cliff cliff_release aggrefact aggrefact_unified llm_aggrefact",
        "aggrefact llm_aggrefact",
        "summeval_dev summeval summac_summeval aggrefact",
        "qags_xsum qags_xsum_release qags_cnndm aggrefact",
        "frank frank_cnndm frank_xsum summac_frank aggrefact",
        "summac_factcc aggrefact",
        "summac_polytope aggrefact",
        "bump1 bump",
        *(f"summedits_{domain} summedits_{domain}_release" for domain in _SUMMEDITS),
        "wice_dev wice_tokens_train wice_tokens_dev wice llm_aggrefact",
        "begin begin_release",
        "faithbench_dev faithbench",
        "faceval_dev faceval",
        "cogensumm_dev summac_cogensumm reranking",
        "lss_dev lss",
        "defacto_dev defacto",
        "diasumfact_dev diasumfact",
        "storysumm_dev storysumm",
        "factcheck_gpt_stance llm_aggrefact",
        "ragtruth llm_aggrefact",
        "fm2 fm2_release",
        "fever_symmetric fever_symmetric_release",
        "climate_fever climate_fever_release",
        "covidfact covidfact_release",
        "entfa_dev entfa",
        "cg2c_doc factcg",
        "tofueval_mediasum tofueval_meetingbank llm_aggrefact",
    )
)
"""Groups of names, of datasets and of files that `faithkit train` reads."""


def parts(name: str) -> list[str]:
    """The datasets in the name of a benchmark, with their filters: two for `A[key=value]+B`."""
    return re.findall(r"[^+\[\]]+(?:\[[^\]]*\])?", name)


def same_release(trained_on: Iterable[str], name: str) -> tuple[str, ...]:
    """The names in `trained_on` that belong to a release of which the benchmark `name` holds a
    part.

    A file is identified by its name without the folder, and without the ending if that is the name
    of a dataset. Splits and other filters are ignored.
    """
    related = frozenset[str]().union(*(_related(_key(part)) for part in parts(name)))
    return tuple(
        sorted(file for file in trained_on if related & {_key(part) for part in parts(file)})
    )


def _related(key: str) -> frozenset[str]:
    """The names of all releases to which a dataset belongs, and its own."""
    return frozenset({key}).union(*(release for release in RELEASES if key in release))


def _key(part: str) -> str:
    """The name of a dataset or file without filters, folder and revision."""
    plain = part.partition("[")[0].strip()
    if plain.lower().startswith("hf:"):
        plain = plain.partition("?")[0].partition("@")[0].rpartition("/")[2]
        return "llm_aggrefact" if plain.lower() == "llm-aggrefact" else plain
    path = Path(plain)
    if not path.suffix:
        return plain
    named = path.stem in DATASETS or any(path.stem in release for release in RELEASES)
    return path.stem if named else path.name
